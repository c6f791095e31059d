// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/iteration/workload.hpp in Rust.

use slotwise_bench::contenders::{each, Contender, Visitor};
use slotwise_bench::element::{Element, ValueTable};
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::sequence::shuffled;
use std::hint::black_box;

#[inline(never)]
fn sum_of<T: Element, C: Contender<T>>(contender: &C) -> T::Field {
    contender.sum()
}

fn iterate<T: Element, C: Contender<T>>(state: &mut State, n: usize, live_percent: usize) -> Measured {
    let mut contender = C::default();
    {
        let table = ValueTable::default();
        let handles: Vec<C::Handle> = (0..n).map(|i| contender.insert(table.at(i))).collect();
        let erased = n * (100 - live_percent) / 100;
        for &i in &shuffled(n, 1)[..erased] {
            contender.erase(handles[i as usize]);
        }
    }
    let live = n * live_percent / 100;
    let passes = (1_000_000 / live).max(1);
    let mut sum = T::Field::default();
    state.timed_batches(
        &mut sum,
        |_| {},
        |sum| {
            for _ in 0..passes {
                *sum = black_box(sum_of(black_box(&contender)));
            }
        },
    );
    Measured { items: live * passes, checksum: sum.into() }
}

struct Rows<'a>(&'a mut Suite);

impl Visitor for Rows<'_> {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str) {
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            for live in [100, 90, 50, 10] {
                let row = format!("iterate/bytes:{}/n:{n}/live:{live}", size_of::<T>());
                self.0.add(&row, name, 5, move |state| iterate::<T, C>(state, n, live));
            }
        }
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| each(&mut Rows(suite)));
}
