// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/sparse/workload.hpp in Rust: data found by ids from elsewhere.

use slotmap::{DefaultKey, KeyData, SecondaryMap, SparseSecondaryMap};
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::sequence::{random_positions, shuffled};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

fn passes_for(n: usize, items: usize) -> usize {
    (items / n).max(1)
}

fn batches_for(n: usize) -> u32 {
    if n >= 1_000_000 {
        3
    } else {
        9
    }
}

/// A map from ids to 4 bytes.
trait Map {
    type Id: Copy;
    /// An empty map that ids 0 to n - 1 can be inserted into.
    fn new(n: usize) -> Self;
    fn id(i: u32) -> Self::Id;
    /// The id of another version.
    fn other(i: u32) -> Self::Id;
    fn insert(&mut self, id: Self::Id, value: i32);
    fn erase(&mut self, id: Self::Id);
    fn contains(&self, id: Self::Id) -> bool;
    fn look_up(&self, ids: &[Self::Id]) -> u64;
    fn sum(&self) -> u32;
    fn update(&mut self);
    fn size(&self) -> usize;
}

macro_rules! secondary {
    ($SecondaryMap:ident) => {
        impl Map for $SecondaryMap<DefaultKey, i32> {
            type Id = DefaultKey;
            fn new(_: usize) -> Self {
                $SecondaryMap::new()
            }
            fn id(i: u32) -> DefaultKey {
                KeyData::from_ffi(1 << 32 | u64::from(i)).into()
            }
            fn other(i: u32) -> DefaultKey {
                KeyData::from_ffi(3 << 32 | u64::from(i)).into()
            }
            #[inline(always)]
            fn insert(&mut self, id: DefaultKey, value: i32) {
                self.insert(id, value);
            }
            #[inline(always)]
            fn erase(&mut self, id: DefaultKey) {
                self.remove(id);
            }
            #[inline(always)]
            fn contains(&self, id: DefaultKey) -> bool {
                self.contains_key(id)
            }
            fn look_up(&self, ids: &[DefaultKey]) -> u64 {
                ids.iter().map(|&id| u64::from(self[id] as u32)).sum()
            }
            fn sum(&self) -> u32 {
                self.values().fold(0, |sum, &value| sum.wrapping_add(value as u32))
            }
            fn update(&mut self) {
                self.values_mut().for_each(|value| *value ^= 1);
            }
            fn size(&self) -> usize {
                self.len()
            }
        }

        impl Group for ($SecondaryMap<DefaultKey, f32>, $SecondaryMap<DefaultKey, f32>) {
            fn filled(a: &[u32], b: &[u32]) -> Self {
                let column = |order: &[u32], value| {
                    order.iter().map(|&i| (<$SecondaryMap<DefaultKey, i32> as Map>::id(i), value)).collect()
                };
                (column(a, 1.0), column(b, 2.0))
            }
            #[inline(never)]
            fn update(&mut self) {
                for (id, value) in &mut self.0 {
                    if let Some(other) = self.1.get(id) {
                        *value += other;
                    }
                }
            }
            #[inline(always)]
            fn churn(&mut self, i: u32) {
                let id = <$SecondaryMap<DefaultKey, i32> as Map>::id(i);
                self.1.remove(id);
                self.1.insert(id, 2.0);
            }
            fn size(&self) -> usize {
                self.0.len()
            }
        }
    };
}

/// Two columns over the same ids.
trait Group {
    /// Each with the ids in the order of its own.
    fn filled(a: &[u32], b: &[u32]) -> Self;
    fn update(&mut self);
    /// Removes the second column's value and inserts it again.
    fn churn(&mut self, i: u32);
    fn size(&self) -> usize;
}

secondary!(SecondaryMap);
secondary!(SparseSecondaryMap);

impl Map for hecs::World {
    type Id = hecs::Entity;
    fn new(n: usize) -> Self {
        let mut world = hecs::World::new();
        (0..n).for_each(|_| {
            world.spawn(());
        });
        world
    }
    fn id(i: u32) -> hecs::Entity {
        hecs::Entity::from_bits(1 << 32 | u64::from(i)).unwrap()
    }
    fn other(i: u32) -> hecs::Entity {
        hecs::Entity::from_bits(3 << 32 | u64::from(i)).unwrap()
    }
    #[inline(always)]
    fn insert(&mut self, id: hecs::Entity, value: i32) {
        let _ = self.insert_one(id, value);
    }
    #[inline(always)]
    fn erase(&mut self, id: hecs::Entity) {
        let _ = self.remove_one::<i32>(id);
    }
    #[inline(always)]
    fn contains(&self, id: hecs::Entity) -> bool {
        self.satisfies::<&i32>(id)
    }
    fn look_up(&self, ids: &[hecs::Entity]) -> u64 {
        let view = self.view::<&i32>();
        ids.iter().map(|&id| u64::from(*view.get(id).unwrap() as u32)).sum()
    }
    fn sum(&self) -> u32 {
        self.query::<&i32>().iter().fold(0, |sum, &value| sum.wrapping_add(value as u32))
    }
    fn update(&mut self) {
        self.query_mut::<&mut i32>().into_iter().for_each(|value| *value ^= 1);
    }
    fn size(&self) -> usize {
        self.query::<&i32>().iter().count()
    }
}

struct First(f32);
struct Second(f32);

impl Group for hecs::World {
    fn filled(a: &[u32], b: &[u32]) -> Self {
        let mut world = <hecs::World as Map>::new(a.len());
        for &i in a {
            world.insert_one(Self::id(i), First(1.0)).unwrap();
        }
        for &i in b {
            world.insert_one(Self::id(i), Second(2.0)).unwrap();
        }
        world
    }
    #[inline(never)]
    fn update(&mut self) {
        self.query_mut::<(&mut First, &Second)>().into_iter().for_each(|(value, other)| value.0 += other.0);
    }
    #[inline(always)]
    fn churn(&mut self, i: u32) {
        let _ = self.remove_one::<Second>(Self::id(i));
        let _ = self.insert_one(Self::id(i), Second(2.0));
    }
    fn size(&self) -> usize {
        self.query::<&First>().iter().count()
    }
}

#[inline(never)]
fn fill<C: Map>(map: &mut C, ids: &[C::Id]) {
    for (value, &id) in ids.iter().enumerate() {
        map.insert(id, value as i32);
    }
}

#[inline(never)]
fn count_members<C: Map>(map: &C, ids: &[C::Id]) -> u64 {
    ids.iter().map(|&id| u64::from(map.contains(id))).sum()
}

#[inline(never)]
fn look_up<C: Map>(map: &C, ids: &[C::Id]) -> u64 {
    map.look_up(ids)
}

#[inline(never)]
fn churn<C: Map>(map: &mut C, ids: &[C::Id]) {
    for &id in ids {
        map.erase(id);
        map.insert(id, 1);
    }
}

fn in_order<C: Map>(n: usize) -> Vec<C::Id> {
    (0..n as u32).map(C::id).collect()
}

fn filled<C: Map>(n: usize) -> C {
    let mut map = C::new(n);
    fill(&mut map, &in_order::<C>(n));
    map
}

fn churned<C: Map>(state: &mut State, n: usize) -> Measured {
    let mut map = filled::<C>(n);
    let ids: Vec<_> = random_positions(n.max(100_000), n, 5).into_iter().map(C::id).collect();
    state.timed_batches(&mut map, |_| {}, |map| churn(map, &ids));
    Measured { items: ids.len(), checksum: look_up(&map, &in_order::<C>(n)) }
}

fn inserted<C: Map>(state: &mut State, n: usize) -> Measured {
    let ids = in_order::<C>(n);
    let count = passes_for(n, 100_000);
    let mut maps: Vec<C> = Vec::new();
    state.timed_batches(
        &mut maps,
        |maps| {
            maps.clear();
            maps.extend((0..count).map(|_| C::new(n)));
        },
        |maps| maps.iter_mut().for_each(|map| fill(map, &ids)),
    );
    Measured { items: n * count, checksum: (n + maps.last().unwrap().size()) as u64 }
}

fn add_map<C: Map + 'static>(suite: &mut Suite, name: &str) {
    type Run<C> = fn(&mut C, &[<C as Map>::Id]) -> u64;
    let lookups: [(&str, fn(u32) -> C::Id, Run<C>); 3] = [
        ("contains_hit", C::id, |map, ids| count_members(map, ids)),
        ("contains_miss", C::other, |map, ids| count_members(map, ids)),
        ("get", C::id, |map, ids| look_up(map, ids)),
    ];
    let walks: [(&str, fn(&mut C) -> u64); 2] = [
        ("iterate", |map| map.sum().into()),
        ("update", |map| {
            map.update();
            0
        }),
    ];
    for n in SIZES {
        let row = |operation| format!("{operation}/bytes:4/n:{n}");
        let batches = batches_for(n);
        for (operation, id, run) in lookups {
            suite.add(&row(operation), name, batches, move |state| {
                let ids: Vec<_> = shuffled(n, 1).into_iter().map(id).collect();
                let passes = passes_for(n, 200_000);
                Measured {
                    items: n * passes,
                    checksum: state.timed_passes(passes, &mut filled::<C>(n), |map| run(map, &ids)),
                }
            });
        }
        for (operation, walk) in walks {
            suite.add(&row(operation), name, batches, move |state| {
                let passes = passes_for(n, 1_000_000);
                let mut map = filled::<C>(n);
                let seen = state.timed_passes(passes, &mut map, walk);
                let checksum = if operation == "update" { map.size() as u64 } else { seen };
                Measured { items: n * passes, checksum }
            });
        }
        suite.add(&row("churn"), name, batches, move |state| churned::<C>(state, n));
        suite.add(&row("insert"), name, batches, move |state| inserted::<C>(state, n));
    }
}

fn add_group<C: Group>(suite: &mut Suite, name: &str) {
    for n in SIZES {
        let orders = move || (shuffled(n, 1), shuffled(n, 2));
        suite.add(&format!("group_update/bytes:8/n:{n}"), name, batches_for(n), move |state| {
            let (a, b) = orders();
            let mut columns = C::filled(&a, &b);
            let passes = passes_for(n, 1_000_000);
            state.timed_passes(passes, &mut columns, |columns| columns.update());
            Measured { items: n * passes, checksum: columns.size() as u64 }
        });
        suite.add(&format!("group_churn/bytes:8/n:{n}"), name, batches_for(n), move |state| {
            let (a, b) = orders();
            let mut columns = C::filled(&a, &b);
            let indices = random_positions(n.max(100_000), n, 5);
            state.timed_batches(&mut columns, |_| {}, |columns| indices.iter().for_each(|&i| columns.churn(i)));
            Measured { items: indices.len(), checksum: columns.size() as u64 }
        });
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| {
        add_map::<SecondaryMap<DefaultKey, i32>>(suite, "rust_secondary_map");
        add_map::<SparseSecondaryMap<DefaultKey, i32>>(suite, "rust_sparse_secondary_map");
        add_map::<hecs::World>(suite, "rust_hecs");
        type Pair<M> = (M, M);
        add_group::<Pair<SecondaryMap<DefaultKey, f32>>>(suite, "rust_secondary_map");
        add_group::<Pair<SparseSecondaryMap<DefaultKey, f32>>>(suite, "rust_sparse_secondary_map");
        add_group::<hecs::World>(suite, "rust_hecs");
    });
}
