// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/support/harness.hpp and main.hpp, and as much of Google Benchmark as bench/run.py uses: its options, its names of rows and
//! its report.

use crate::sequence::Random;
use std::fmt::Write;
use std::hint::black_box;

/// What a run did: elements or operations in one timed batch, and what it saw, the same for all contenders of a row.
pub struct Measured {
    pub items: usize,
    pub checksum: u64,
}

/// One repetition of a benchmark.
pub struct State {
    batches: u32,
    seconds: f64,
    value: Option<f64>,
}

impl State {
    /// One timed batch: prepare is outside the clock, run inside; one untimed batch comes first.
    pub fn timed_batches<S>(&mut self, subject: &mut S, mut prepare: impl FnMut(&mut S), mut run: impl FnMut(&mut S)) {
        prepare(subject);
        run(subject);
        for _ in 0..self.batches {
            prepare(subject);
            let start = thread_seconds();
            run(subject);
            self.seconds += thread_seconds() - start;
        }
    }

    /// The same with so many calls of run in a batch; what the last one saw.
    pub fn timed_passes<S, R: Default>(
        &mut self,
        passes: usize,
        subject: &mut S,
        mut run: impl FnMut(&mut S) -> R,
    ) -> R {
        let mut seen = R::default();
        self.timed_batches(
            subject,
            |_| {},
            |subject| {
                for _ in 0..passes {
                    seen = black_box(run(black_box(&mut *subject)));
                }
            },
        );
        seen
    }

    /// For rows that are not times.
    pub fn set_value(&mut self, value: f64) {
        self.value = Some(value);
        self.seconds = 1e-3 * f64::from(self.batches); // nothing is timed
    }
}

type Body = Box<dyn Fn(&mut State) -> Measured>;

struct Benchmark {
    name: String,
    batches: u32,
    body: Body,
}

#[derive(Default)]
pub struct Suite(Vec<Benchmark>);

impl Suite {
    /// row: <operation>/bytes:<b>/n:<n>[/live:<percent>]
    pub fn add(&mut self, row: &str, contender: &str, batches: u32, body: impl Fn(&mut State) -> Measured + 'static) {
        let name = format!("{row}/{contender}/iterations:{batches}/manual_time");
        self.0.push(Benchmark { name, batches, body: Box::new(body) });
    }
}

fn thread_seconds() -> f64 {
    // SAFETY: all zero is a timespec, and the clock writes to it alone.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now);
        now
    };
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// What malloc has given out, its own headers included.
pub fn malloc_bytes() -> usize {
    // SAFETY: takes nothing and returns numbers.
    unsafe { libc::mallinfo2() }.uordblks
}

/// Rust's allocator is malloc: give it the same settings and the same faulted-in memory as in C++.
fn keep_memory_warm() {
    // SAFETY: settings of malloc, before anybody relies on others.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        libc::mallopt(libc::M_TOP_PAD, 64 << 20);
    }
    drop(black_box(vec![1_u8; 128 << 20]));
}

/// JSON numbers are doubles: keep the checksum exact.
fn printable(checksum: u64) -> u64 {
    (checksum ^ (checksum >> 52)) & ((1 << 52) - 1)
}

struct Options {
    list: bool,
    filter: regex_lite::Regex,
    repetitions: usize,
    interleave: bool,
    out: Option<String>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            list: false,
            filter: regex_lite::Regex::new("").unwrap(),
            repetitions: 1,
            interleave: false,
            out: None,
        };
        for argument in arguments {
            let (name, value) = argument.split_once('=').unwrap_or((&argument, "true"));
            let bad = || format!("{argument}: bad value");
            match name {
                "--benchmark_list_tests" => options.list = value.parse().map_err(|_| bad())?,
                "--benchmark_filter" => options.filter = regex_lite::Regex::new(value).map_err(|_| bad())?,
                "--benchmark_repetitions" => options.repetitions = value.parse().map_err(|_| bad())?,
                "--benchmark_enable_random_interleaving" => options.interleave = value.parse().map_err(|_| bad())?,
                "--benchmark_out" => options.out = Some(value.to_string()),
                "--benchmark_out_format" if value == "json" => {}
                _ => return Err(format!("{argument}: not understood")),
            }
        }
        Ok(options)
    }
}

/// Runs one repetition; returns its entry of the report.
fn run(benchmark: &Benchmark, repetition: usize, repetitions: usize) -> String {
    let mut state = State { batches: benchmark.batches, seconds: 0.0, value: None };
    let measured = (benchmark.body)(&mut state);
    let time = state.seconds * 1e9 / f64::from(benchmark.batches);
    println!("{:70} {:14.0} ns {:10.3} ns an item", benchmark.name, time, time / measured.items as f64);
    let mut entry = format!(
        "    {{\"name\": \"{}\", \"run_type\": \"iteration\", \"repetitions\": {repetitions}, \"repetition_index\": {repetition}, \
         \"iterations\": {}, \"real_time\": {time}, \"cpu_time\": {time}, \"time_unit\": \"ns\", \"checksum\": {}, \"items\": {}",
        benchmark.name,
        benchmark.batches,
        printable(measured.checksum),
        measured.items
    );
    if let Some(value) = state.value {
        write!(entry, ", \"value\": {value}").unwrap();
    }
    entry + ", \"label\": \"rival\"}"
}

/// main() of a bench program.
pub fn main(register: impl FnOnce(&mut Suite)) {
    let options = Options::parse(std::env::args().skip(1)).unwrap_or_else(|message| {
        eprintln!("{message}");
        std::process::exit(1);
    });
    keep_memory_warm();
    let mut suite = Suite::default();
    register(&mut suite);
    let mut runs = Vec::new();
    for benchmark in suite.0.iter().filter(|benchmark| options.filter.is_match(&benchmark.name)) {
        if options.list {
            println!("{}", benchmark.name);
        } else {
            runs.extend((0..options.repetitions).map(|repetition| (benchmark, repetition)));
        }
    }
    if options.interleave {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
        Random::new(now).shuffle(&mut runs);
    }
    let entries: Vec<String> =
        runs.into_iter().map(|(benchmark, repetition)| run(benchmark, repetition, options.repetitions)).collect();
    if let Some(path) = options.out {
        let report = format!(
            "{{\n  \"context\": {{\"compiler\": \"{} (LTO)\"}},\n  \"benchmarks\": [\n{}\n  ]\n}}\n",
            env!("SLOTWISE_BENCH_COMPILER"),
            entries.join(",\n")
        );
        if let Err(error) = std::fs::write(&path, report) {
            eprintln!("{path}: {error}");
            std::process::exit(1);
        }
    }
}
