// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/memory/workload.hpp in Rust.

use slotwise_bench::contenders::{each, Contender, Visitor};
use slotwise_bench::element::{Element, ValueTable};
use slotwise_bench::harness::{malloc_bytes, Measured, State, Suite};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ELEMENTS: usize = 1_000_000;

/// malloc, counted as bench/memory/main.cpp counts operator new. A realloc is one call; when it moves, both blocks are there at once.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    let now = BYTES.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

/// The bytes of a block, malloc's header included; 0 for none.
unsafe fn bytes_at(memory: *mut u8) -> usize {
    if memory.is_null() {
        return 0;
    }
    libc::malloc_usable_size(memory.cast()) + size_of::<usize>()
}

// SAFETY: the system's allocator does the work, the numbers are its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = System.alloc(layout);
        CALLS.fetch_add(1, Relaxed);
        add(bytes_at(memory));
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(bytes_at(memory), Relaxed);
        System.dealloc(memory, layout);
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let before = bytes_at(memory);
        let moved = System.realloc(memory, layout, bytes);
        CALLS.fetch_add(1, Relaxed);
        if moved == memory {
            BYTES.fetch_sub(before, Relaxed);
            add(bytes_at(moved));
        } else if !moved.is_null() {
            add(bytes_at(moved));
            BYTES.fetch_sub(before, Relaxed);
        }
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Clone, Copy)]
enum What {
    Bytes,
    Peak,
    Allocations,
}

fn fill<T: Element, C: Contender<T>>(state: &mut State, what: What, reserved: bool) -> Measured {
    let table = ValueTable::default();
    let allocated = malloc_bytes();
    let (calls, bytes) = (CALLS.load(Relaxed), BYTES.load(Relaxed));
    PEAK.store(bytes, Relaxed);
    let mut contender = C::default();
    if reserved {
        contender.reserve(ELEMENTS);
    }
    for i in 0..ELEMENTS {
        black_box(contender.insert(table.at(i)));
    }
    state.set_value(match what {
        What::Bytes => (malloc_bytes() - allocated) as f64 / ELEMENTS as f64,
        What::Peak => (PEAK.load(Relaxed) - bytes) as f64 / ELEMENTS as f64,
        What::Allocations => (CALLS.load(Relaxed) - calls) as f64,
    });
    Measured { items: ELEMENTS, checksum: contender.size() as u64 }
}

struct Rows<'a>(&'a mut Suite);

impl Visitor for Rows<'_> {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str) {
        for (operation, what, reserved) in [
            ("memory_grown", What::Bytes, false),
            ("peak_grown", What::Peak, false),
            ("allocations_grown", What::Allocations, false),
            ("memory_reserved", What::Bytes, true),
            ("allocations_reserved", What::Allocations, true),
        ] {
            let row = format!("{operation}/bytes:{}/n:{ELEMENTS}", size_of::<T>());
            self.0.add(&row, name, 1, move |state| fill::<T, C>(state, what, reserved));
        }
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| each(&mut Rows(suite)));
}
