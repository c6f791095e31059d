// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/columns/workload.hpp in Rust; the rows are described there.
//!
//! rust_slotmap        structs
//! rust_secondary_map  a SlotMap of nothing, every field in a SecondaryMap
//! rust_hecs           entities, every field a component

use slotmap::{DefaultKey, SlotMap};
use slotwise_bench::contenders::{Columns, Component, Components, Contender, Entities, Fields16, Fields64};
use slotwise_bench::element::{Element, Element16, Element64, Field, Split, Struct, ValueTable};
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::loops::{in_order, look_up, populate, sum_of};
use slotwise_bench::sequence::shuffled;

trait Update<T: Element>: Contender<T> {
    /// The first field of every element increased by the second.
    fn update(&mut self);
}

impl<T: Struct> Update<T> for SlotMap<DefaultKey, T> {
    fn update(&mut self) {
        self.values_mut().for_each(T::add_second);
    }
}

impl<T: Split<u64, N> + Struct, const N: usize> Update<T> for Columns<u64, N> {
    fn update(&mut self) {
        let [first, second, ..] = &mut self.columns[..] else { unreachable!("N is at least 2") };
        for (key, field) in first {
            if let Some(&other) = second.get(key) {
                *field = field.plus(other);
            }
        }
    }
}

impl<T: Struct, B: Components<T, First = Component<0>>> Update<T> for Entities<B> {
    fn update(&mut self) {
        let fields = self.world.query_mut::<(&mut Component<0>, &Component<1>)>();
        fields.into_iter().for_each(|(field, other)| field.0 = field.0.plus(other.0));
    }
}

#[inline(never)]
fn update<T: Element, C: Update<T>>(contender: &mut C) {
    contender.update();
}

fn passes_for(live: usize) -> usize {
    (200_000 / live).max(1)
}

fn read_one<T: Struct, C: Update<T>>(state: &mut State, n: usize, live: usize) -> Measured {
    let (mut contender, _) = populate::<T, C>(n, live, &ValueTable::default());
    let sum = state.timed_passes(passes_for(live), &mut contender, |contender| sum_of(contender));
    Measured { items: live * passes_for(live), checksum: sum }
}

fn read_two_write_one<T: Struct, C: Update<T>>(state: &mut State, n: usize, live: usize) -> Measured {
    let (mut contender, _) = populate::<T, C>(n, live, &ValueTable::default());
    state.timed_passes(passes_for(live), &mut contender, update);
    Measured { items: live * passes_for(live), checksum: sum_of(&contender) }
}

fn random<T: Struct, C: Update<T>>(state: &mut State, n: usize, live: usize) -> Measured {
    let (mut contender, handles) = populate::<T, C>(n, live, &ValueTable::default());
    let queries = in_order(&handles, &shuffled(live, 3));
    let sum = state.timed_passes(passes_for(live), &mut contender, |contender| look_up(contender, &queries));
    Measured { items: live * passes_for(live), checksum: sum }
}

fn add_contender<T: Struct, C: Update<T>>(suite: &mut Suite, name: &str) {
    for n in [10_000, 100_000, 1_000_000] {
        for live in [100, 50] {
            let mut add = |operation: &str, body: fn(&mut State, usize, usize) -> Measured| {
                let row = format!("{operation}/bytes:{}/n:{n}/live:{live}", size_of::<T>());
                suite.add(&row, name, 5, move |state| body(state, n, n * live / 100));
            };
            add("read_one", read_one::<T, C>);
            add("read_two_write_one", read_two_write_one::<T, C>);
            add("random", random::<T, C>);
        }
    }
}

/// At every element size the fields are as many columns, and components of their own types.
fn add_contenders<T: Struct + Split<u64, N>, B: Components<T, First = Component<0>>, const N: usize>(
    suite: &mut Suite,
) {
    add_contender::<T, SlotMap<DefaultKey, T>>(suite, "rust_slotmap");
    add_contender::<T, Columns<u64, N>>(suite, "rust_secondary_map");
    add_contender::<T, Entities<B>>(suite, "rust_hecs");
}

fn main() {
    slotwise_bench::harness::main(|suite| {
        add_contenders::<Element16, Fields16, 2>(suite);
        add_contenders::<Element64, Fields64, 8>(suite);
    });
}
