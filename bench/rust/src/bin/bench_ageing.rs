// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/ageing/workload.hpp in Rust; the rows are described there.

use slotwise_bench::contenders::{each, Contender, Visitor};
use slotwise_bench::element::{Element, ValueTable};
use slotwise_bench::harness::{malloc_bytes, Measured, State, Suite};
use slotwise_bench::loops::{fill, in_order, look_up, sum_of};
use slotwise_bench::sequence::Random;
use std::cell::RefCell;
use std::rc::Rc;

const INSERTION: u32 = u32::MAX;

/// What happens to the live elements, which are kept in an array: an insertion appends to it, an erasure takes the element at a
/// position out and puts the last one there. Element i, in the order of insertion, has the value i of the table.
struct Life {
    n: usize,
    initial: usize,
    /// INSERTION, or the position of the victim.
    operations: Vec<u32>,
    /// Positions in the final array in the order of insertion.
    survivors: Vec<u32>,
    /// Which elements they are.
    numbers: Vec<u32>,
}

impl Life {
    fn new(n: usize) -> Self {
        let initial = n / 2;
        let count = if n >= 1_000_000 { 4_000_000 } else { 1_000_000 };
        let mut numbers: Vec<u32> = (0..initial as u32).collect();
        let mut unborn = initial as u32..;
        let mut random = Random::new(n as u64 * 41);
        let mut growing = true;
        let mut operation = |left: usize| {
            let live = numbers.len();
            let away = live.abs_diff(initial);
            if left <= 2 * away {
                growing = live < initial; // as many as it takes to come back, at three against one
            } else if live >= n || live <= n / 4 {
                growing = live < n;
            }
            let with_the_tide = random.below(4) != 0;
            let inserts = if left <= away { growing } else { (growing == with_the_tide || live <= n / 4) && live < n };
            if inserts {
                numbers.extend(unborn.next());
                INSERTION
            } else {
                let victim = random.below(live);
                numbers.swap_remove(victim as usize);
                victim
            }
        };
        let operations = (1..=count).rev().map(&mut operation).collect();
        let mut survivors: Vec<u32> = (0..numbers.len() as u32).collect();
        survivors.sort_unstable_by_key(|&position| numbers[position as usize]);
        numbers.sort_unstable();
        Life { n, initial, operations, survivors, numbers }
    }
}

/// Made once: a process runs one n.
fn life(n: usize) -> Rc<Life> {
    thread_local!(static MADE: RefCell<Option<Rc<Life>>> = const { RefCell::new(None) });
    MADE.with_borrow_mut(|made| {
        made.take_if(|life| life.n != n);
        made.get_or_insert_with(|| Rc::new(Life::new(n))).clone()
    })
}

#[inline(never)]
fn live_through<T: Element, C: Contender<T>>(
    contender: &mut C,
    live: &mut [C::Handle],
    mut count: usize,
    operations: &[u32],
    table: &ValueTable<T>,
) -> usize {
    let mut born = count;
    for &operation in operations {
        // SAFETY: a Life of live.len() never has more elements alive, and its victims are positions below their number. The checks
        // would be the bench's, not the container's.
        unsafe {
            if operation == INSERTION {
                *live.get_unchecked_mut(count) = contender.insert(table.at(born));
                count += 1;
                born += 1;
            } else {
                count -= 1;
                contender.erase(*live.get_unchecked(operation as usize));
                *live.get_unchecked_mut(operation as usize) = *live.get_unchecked(count);
            }
        }
    }
    count
}

/// A container and the handles of its live elements.
struct Subject<T: Element, C: Contender<T>> {
    life: Rc<Life>,
    table: ValueTable<T>,
    handles: Vec<C::Handle>,
    count: usize,
    container: C,
}

impl<T: Element, C: Contender<T>> Subject<T, C> {
    fn new(n: usize) -> Self {
        Subject {
            life: life(n),
            table: ValueTable::default(),
            handles: vec![C::dangling(); n],
            count: 0,
            container: C::default(),
        }
    }

    fn bear(&mut self) {
        self.container = C::default();
        self.count = self.life.initial;
        fill(&mut self.container, &mut self.handles[..self.count], &self.table);
    }

    fn age(&mut self) {
        self.count =
            live_through(&mut self.container, &mut self.handles, self.count, &self.life.operations, &self.table);
    }

    fn in_order_of_insertion(&self) -> Vec<C::Handle> {
        in_order(&self.handles, &self.life.survivors)
    }
}

fn run_age<T: Element, C: Contender<T>>(state: &mut State, n: usize) -> Measured {
    let mut subject = Subject::<T, C>::new(n);
    state.timed_batches(&mut subject, Subject::bear, Subject::age);
    let found = look_up(&subject.container, &subject.in_order_of_insertion());
    Measured { items: subject.life.operations.len(), checksum: found.wrapping_add(subject.container.size() as u64) }
}

/// Of an aged container: itself and its handles in the order of insertion.
fn aged<T: Element, C: Contender<T>>(n: usize) -> (C, Vec<C::Handle>) {
    let mut subject = Subject::<T, C>::new(n);
    subject.bear();
    subject.age();
    let handles = subject.in_order_of_insertion();
    (subject.container, handles)
}

/// The same of one into which the survivors were inserted in order.
fn fresh<T: Element, C: Contender<T>>(n: usize) -> (C, Vec<C::Handle>) {
    let table = ValueTable::default();
    let mut container = C::default();
    let handles = life(n).numbers.iter().map(|&number| container.insert(table.at(number as usize))).collect();
    (container, handles)
}

fn run_after<T: Element, C: Contender<T>>(
    state: &mut State,
    (mut container, handles): (C, Vec<C::Handle>),
    kind: fn(&C, &[C::Handle]) -> u64,
) -> Measured {
    let passes = (200_000 / handles.len()).max(1);
    let checksum = state.timed_passes(passes, &mut container, |container| kind(container, &handles));
    Measured { items: handles.len() * passes, checksum }
}

fn run_memory<T: Element, C: Contender<T>>(state: &mut State, n: usize) -> Measured {
    let mut subject = Subject::<T, C>::new(n);
    let allocated = malloc_bytes();
    subject.bear();
    subject.age();
    let size = subject.container.size();
    state.set_value((malloc_bytes() - allocated) as f64 / size as f64);
    Measured { items: size, checksum: size as u64 }
}

struct Rows<'a>(&'a mut Suite);

impl Visitor for Rows<'_> {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str) {
        for n in [10_000, 100_000, 1_000_000] {
            let mut add = |operation: &str, batches: u32, body: fn(&mut State, usize) -> Measured| {
                let row = format!("{operation}/bytes:{}/n:{n}", size_of::<T>());
                self.0.add(&row, name, batches, move |state| body(state, n));
            };
            add("age", 1, run_age::<T, C>);
            add("memory", 1, run_memory::<T, C>);
            add("aged_iterate", 5, |state, n| run_after::<T, C>(state, aged(n), |c, _| sum_of(c).into()));
            add("fresh_iterate", 5, |state, n| run_after::<T, C>(state, fresh(n), |c, _| sum_of(c).into()));
            add("aged_lookup", 5, |state, n| run_after::<T, C>(state, aged(n), look_up));
            add("fresh_lookup", 5, |state, n| run_after::<T, C>(state, fresh(n), look_up));
        }
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| each(&mut Rows(suite)));
}
