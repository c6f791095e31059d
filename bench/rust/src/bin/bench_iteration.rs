// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/iteration/workload.hpp in Rust.

use slotwise_bench::contenders::{each, Contender, Visitor};
use slotwise_bench::element::{Element, ValueTable};
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::loops::{populate, sum_of};

fn iterate<T: Element, C: Contender<T>>(state: &mut State, n: usize, live_percent: usize) -> Measured {
    let live = n * live_percent / 100;
    let (mut contender, _) = populate::<T, C>(n, live, &ValueTable::default());
    let passes = (1_000_000 / live).max(1);
    let sum = state.timed_passes(passes, &mut contender, |contender| sum_of(contender));
    Measured { items: live * passes, checksum: sum.into() }
}

/// With the kind of its walk, as bench/README.md explains it; a HopSlotMap hops over runs of vacant slots, which is none of the three.
fn named(name: &str) -> String {
    match name {
        "rust_slotmap" | "rust_secondary_map" | "rust_slab" | "rust_thunderdome" => format!("{name}.free_list"),
        "rust_dense_slotmap" | "rust_hecs" => format!("{name}.dense"),
        _ => name.to_string(),
    }
}

struct Rows<'a>(&'a mut Suite);

impl Visitor for Rows<'_> {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str) {
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            for live in [100, 90, 50, 10] {
                let row = format!("iterate/bytes:{}/n:{n}/live:{live}", size_of::<T>());
                self.0.add(&row, &named(name), 5, move |state| iterate::<T, C>(state, n, live));
            }
        }
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| each(&mut Rows(suite)));
}
