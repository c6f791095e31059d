// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/slot_map/workload.hpp in Rust; the rows are described there.

use slotwise_bench::contenders::{each, Contender, Visitor};
use slotwise_bench::element::{Element, ValueTable};
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::loops::{fill, filled, in_order, look_up};
use slotwise_bench::sequence::{random_positions, shuffled};

fn containers_for(n: usize) -> usize {
    (100_000 / n).max(1)
}

#[inline(never)]
fn churn<T: Element, C: Contender<T>>(
    contender: &mut C,
    handles: &mut [C::Handle],
    positions: &[u32],
    table: &ValueTable<T>,
) {
    for (i, &position) in positions.iter().enumerate() {
        // SAFETY: random_positions() are below handles.len(). The check would be the bench's, not the container's.
        let handle = unsafe { handles.get_unchecked_mut(position as usize) };
        contender.erase(*handle);
        *handle = contender.insert(table.at(i));
    }
}

#[inline(never)]
fn erase_all<T: Element, C: Contender<T>>(contender: &mut C, handles: &[C::Handle]) {
    for &handle in handles {
        contender.erase(handle);
    }
}

/// The containers of a batch and the handles into them.
struct Batch<T: Element, C: Contender<T>> {
    n: usize,
    containers: Vec<Option<C>>,
    handles: Vec<C::Handle>,
    table: ValueTable<T>,
}

impl<T: Element, C: Contender<T>> Batch<T, C> {
    fn new(n: usize) -> Self {
        let count = containers_for(n);
        Batch {
            n,
            containers: (0..count).map(|_| None).collect(),
            handles: vec![C::dangling(); n * count],
            table: ValueTable::default(),
        }
    }

    fn empty(&mut self) {
        self.containers.fill_with(|| None); // all memory is back before the first is built again
        self.containers.fill_with(|| Some(C::default()));
    }

    fn each(&mut self, mut function: impl FnMut(&mut C, &mut [C::Handle], &ValueTable<T>)) {
        for (container, handles) in self.containers.iter_mut().zip(self.handles.chunks_exact_mut(self.n)) {
            function(container.as_mut().expect("empty() comes first"), handles, &self.table);
        }
    }

    fn refill(&mut self) {
        self.empty();
        self.each(fill);
    }

    fn items(&self) -> usize {
        self.handles.len()
    }

    /// What there is to see: the elements behind the handles, or how many there are.
    fn checksum(&mut self) -> u64 {
        let mut sum = 0_u64;
        self.each(|container, handles, _| {
            sum = sum.wrapping_add(container.size() as u64);
            if container.size() == handles.len() {
                sum = sum.wrapping_add(look_up(container, handles));
            }
        });
        sum
    }

    fn measured(&mut self) -> Measured {
        Measured { items: self.items(), checksum: self.checksum() }
    }
}

fn run_insert<T: Element, C: Contender<T>>(state: &mut State, n: usize, reserved: bool) -> Measured {
    let mut batch = Batch::<T, C>::new(n);
    state.timed_batches(
        &mut batch,
        |batch| {
            batch.empty();
            if reserved {
                batch.each(|container, _, _| container.reserve(n));
            }
        },
        |batch| batch.each(fill),
    );
    batch.measured()
}

fn run_refill<T: Element, C: Contender<T>>(state: &mut State, n: usize) -> Measured {
    let mut batch = Batch::<T, C>::new(n);
    batch.refill();
    state.timed_batches(&mut batch, |batch| batch.each(|container, _, _| container.clear()), |batch| batch.each(fill));
    batch.measured()
}

fn run_lookup<T: Element, C: Contender<T>>(state: &mut State, n: usize, half_stale: bool) -> Measured {
    let table = ValueTable::default();
    let (mut contender, handles) = filled::<T, C>(n, &table);
    if half_stale {
        for &victim in &shuffled(n, 2)[..n / 2] {
            contender.erase(handles[victim as usize]);
        }
        fill(&mut contender, &mut vec![C::dangling(); n / 2], &table);
    }
    let queries = in_order(&handles, &shuffled(n, 3));
    let passes = containers_for(n);
    let sum = state.timed_passes(passes, &mut contender, |contender| look_up(contender, &queries));
    Measured { items: n * passes, checksum: sum }
}

fn run_churn<T: Element, C: Contender<T>>(state: &mut State, n: usize, holes: bool) -> Measured {
    let table = ValueTable::default();
    let (mut contender, handles) = filled::<T, C>(n, &table);
    let mut handles = in_order(&handles, &shuffled(n, 4));
    if holes {
        for handle in handles.drain(n / 2..) {
            contender.erase(handle);
        }
    }
    let positions = random_positions(n.max(100_000), handles.len(), 5);
    let mut subject = (contender, handles);
    state.timed_batches(&mut subject, |_| {}, |(contender, handles)| churn(contender, handles, &positions, &table));
    let (contender, handles) = subject;
    let checksum = (contender.size() as u64).wrapping_add(look_up(&contender, &handles));
    Measured { items: positions.len(), checksum }
}

fn run_erase_all<T: Element, C: Contender<T>>(state: &mut State, n: usize) -> Measured {
    let order = shuffled(n, 6);
    let mut subject = (Batch::<T, C>::new(n), vec![Vec::new(); containers_for(n)]);
    state.timed_batches(
        &mut subject,
        |(batch, queries)| {
            batch.refill();
            let mut queries = queries.iter_mut();
            batch.each(|_, handles, _| *queries.next().unwrap() = in_order(handles, &order));
        },
        |(batch, queries)| {
            let mut queries = queries.iter();
            batch.each(|container, _, _| erase_all(container, queries.next().unwrap()));
        },
    );
    subject.0.measured()
}

fn run_clear<T: Element, C: Contender<T>>(state: &mut State, n: usize) -> Measured {
    // clear can be a matter of microseconds: time several batches' worth of containers at once
    let count = if n >= 1_000_000 { 2 } else { 8 };
    let mut batches: Vec<_> = (0..count).map(|_| Batch::<T, C>::new(n)).collect();
    state.timed_batches(
        &mut batches,
        |batches| batches.iter_mut().for_each(Batch::refill),
        |batches| {
            for batch in batches {
                batch.each(|container, _, _| container.clear());
            }
        },
    );
    Measured {
        items: batches.iter().map(Batch::items).sum(),
        checksum: batches.iter_mut().map(Batch::checksum).fold(0, u64::wrapping_add),
    }
}

struct Rows<'a>(&'a mut Suite);

impl Visitor for Rows<'_> {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str) {
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            let mut add = |operation: &str, body: fn(&mut State, usize) -> Measured| {
                let row = format!("{operation}/bytes:{}/n:{n}", size_of::<T>());
                let batches = if n >= 1_000_000 { 2 } else { 6 };
                self.0.add(&row, name, batches, move |state| body(state, n));
            };
            add("insert", |state, n| run_insert::<T, C>(state, n, false));
            add("insert_reserved", |state, n| run_insert::<T, C>(state, n, true));
            add("refill", run_refill::<T, C>);
            add("lookup", |state, n| run_lookup::<T, C>(state, n, false));
            if C::SEES_STALE {
                add("lookup_half_stale", |state, n| run_lookup::<T, C>(state, n, true));
            }
            add("churn", |state, n| run_churn::<T, C>(state, n, false));
            add("churn_holes", |state, n| run_churn::<T, C>(state, n, true));
            add("erase_all", run_erase_all::<T, C>);
            add("clear", run_clear::<T, C>);
        }
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| each(&mut Rows(suite)));
}
