// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/support/contender.hpp in Rust: the measured loops that several questions share, and what comes before them.

use crate::contenders::Contender;
use crate::element::{Element, ValueTable};
use crate::sequence::shuffled;

// The measured loops.
#[inline(never)]
pub fn fill<T: Element, C: Contender<T>>(contender: &mut C, handles: &mut [C::Handle], table: &ValueTable<T>) {
    for (i, handle) in handles.iter_mut().enumerate() {
        *handle = contender.insert(table.at(i));
    }
}

#[inline(never)]
pub fn look_up<T: Element, C: Contender<T>>(contender: &C, handles: &[C::Handle]) -> u64 {
    contender.look_up(handles)
}

#[inline(never)]
pub fn sum_of<T: Element, C: Contender<T>>(contender: &C) -> T::Field {
    contender.sum()
}

// Preparation.
pub fn in_order<H: Copy>(handles: &[H], order: &[u32]) -> Vec<H> {
    order.iter().map(|&i| handles[i as usize]).collect()
}

/// A container with n elements and their handles.
pub fn filled<T: Element, C: Contender<T>>(n: usize, table: &ValueTable<T>) -> (C, Vec<C::Handle>) {
    let mut contender = C::default();
    let mut handles = vec![C::dangling(); n];
    fill(&mut contender, &mut handles, table);
    (contender, handles)
}

/// A container in which a random `live` of n elements are left, and their handles in the order of their insertion.
pub fn populate<T: Element, C: Contender<T>>(n: usize, live: usize, table: &ValueTable<T>) -> (C, Vec<C::Handle>) {
    let (mut contender, handles) = filled::<T, C>(n, table);
    let mut order = shuffled(n, 1);
    for &victim in &order[..n - live] {
        contender.erase(handles[victim as usize]);
    }
    let survivors = &mut order[n - live..];
    survivors.sort_unstable();
    (contender, in_order(&handles, survivors))
}
