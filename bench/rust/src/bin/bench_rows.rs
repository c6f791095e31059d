// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/rows/workload.hpp in Rust: the crates that make columns of a struct.

use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::sequence::shuffled;
use soa_derive::StructOfArray;
use soa_rs::{soa, Soa, Soars};

/// The structs once for each crate: both name what they derive alike.
macro_rules! structs {
    ($crate_name:ident, $Derive:ident) => {
        #[allow(dead_code)] // what they derive
        mod $crate_name {
            use super::$Derive;

            #[derive(Clone, Copy, $Derive)]
            pub struct Eight {
                pub a: f32,
                pub b: f32,
                pub c: f32,
                pub d: f32,
                pub e: f32,
                pub f: f32,
                pub g: f32,
                pub h: f32,
            }

            #[derive(Clone, Copy, $Derive)]
            pub struct Four {
                pub key: f32,
                pub value: f32,
                pub id: u32,
                pub payload: u64,
            }

            impl Eight {
                pub fn new(i: usize) -> Self {
                    let at = |k: usize| ((i * 7 + k) % 100) as f32;
                    Eight { a: at(0), b: at(1), c: at(2), d: at(3), e: at(4), f: at(5), g: at(6), h: at(7) }
                }
            }

            impl From<super::Row> for Four {
                #[inline(always)]
                fn from((key, value, id, payload): super::Row) -> Self {
                    Four { key, value, id, payload }
                }
            }
        }
    };
}

structs!(derive, StructOfArray);
structs!(one, Soars);
use derive::{EightVec, FourVec};

type Row = (f32, f32, u32, u64);

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const FOUR_BYTES: usize = 20;

fn four_rows(n: usize) -> Vec<Row> {
    shuffled(n, 9)
        .into_iter()
        .map(|number| (number as f32, number as f32 / 2.0, number, u64::from(number) * 3))
        .collect()
}

fn mixed(sum: u64, (key, value, id, payload): Row) -> u64 {
    let sum = sum.wrapping_mul(31).wrapping_add(key.to_bits().into()).wrapping_add(value.to_bits().into());
    sum.wrapping_add(id.into()).wrapping_add(payload)
}

fn is_erased(value: f32) -> bool {
    value as u32 % 10 == 0
}

trait Columns: Default {
    fn push_number(&mut self, i: usize);
    /// Adds field e to field a.
    fn update(&mut self);
    fn first(&self, row: usize) -> f32;
}

trait Table: Default {
    fn with_room(n: usize) -> Self;
    fn push_row(&mut self, row: Row);
    fn size(&self) -> usize;
    fn row(&self, row: usize) -> Row;
}

/// A table that can be sorted and thinned out.
trait Ordered: Table {
    fn sort(&mut self);
    fn erase_if(&mut self);
}

impl Columns for EightVec {
    fn push_number(&mut self, i: usize) {
        self.push(derive::Eight::new(i));
    }
    #[inline(never)]
    fn update(&mut self) {
        for (position, speed) in self.a.iter_mut().zip(&self.e) {
            *position += speed;
        }
    }
    fn first(&self, row: usize) -> f32 {
        self.a[row]
    }
}

impl Table for FourVec {
    fn with_room(n: usize) -> Self {
        FourVec::with_capacity(n)
    }
    #[inline(always)]
    fn push_row(&mut self, row: Row) {
        self.push(row.into());
    }
    fn size(&self) -> usize {
        self.len()
    }
    fn row(&self, i: usize) -> Row {
        (self.key[i], self.value[i], self.id[i], self.payload[i])
    }
}

impl Ordered for FourVec {
    fn sort(&mut self) {
        self.as_mut_slice().sort_by(|a, b| a.key.total_cmp(b.key));
    }
    fn erase_if(&mut self) {
        self.retain(|row| !is_erased(*row.value));
    }
}

/// All columns in one allocation.
struct One<T: Soars>(Soa<T>);

impl Default for One<one::Eight> {
    fn default() -> Self {
        One(soa![])
    }
}

impl Default for One<one::Four> {
    fn default() -> Self {
        One(soa![])
    }
}

impl Columns for One<one::Eight> {
    fn push_number(&mut self, i: usize) {
        self.0.push(one::Eight::new(i));
    }
    #[inline(never)]
    fn update(&mut self) {
        let columns = self.0.slices_mut();
        for (position, speed) in columns.a.iter_mut().zip(&*columns.e) {
            *position += speed;
        }
    }
    fn first(&self, row: usize) -> f32 {
        self.0.a()[row]
    }
}

impl Table for One<one::Four> {
    fn with_room(n: usize) -> Self {
        One(Soa::with_capacity(n))
    }
    #[inline(always)]
    fn push_row(&mut self, row: Row) {
        self.0.push(row.into());
    }
    fn size(&self) -> usize {
        self.0.len()
    }
    fn row(&self, i: usize) -> Row {
        (self.0.key()[i], self.0.value()[i], self.0.id()[i], self.0.payload()[i])
    }
}

#[inline(never)]
fn push_all<C: Table>(columns: &mut C, rows: &[Row]) {
    for &row in rows {
        columns.push_row(row);
    }
}

fn filled<C: Table>(rows: &[Row]) -> C {
    let mut columns = C::with_room(rows.len());
    push_all(&mut columns, rows);
    columns
}

fn update<C: Columns>(state: &mut State, n: usize) -> Measured {
    let mut columns = C::default();
    (0..n).for_each(|i| columns.push_number(i));
    let passes = (1_000_000 / n).max(1);
    state.timed_passes(passes, &mut columns, |columns| columns.update());
    let sum = (0..n).fold(0_u64, |sum, i| sum.wrapping_mul(31).wrapping_add(columns.first(i).to_bits().into()));
    Measured { items: n * passes, checksum: sum }
}

fn row_test<C: Table>(
    state: &mut State,
    n: usize,
    prepare: impl Fn(&[Row]) -> C,
    run: impl Fn(&mut C, &[Row]),
) -> Measured {
    let rows = four_rows(n);
    let mut columns = C::default();
    state.timed_batches(&mut columns, |columns| *columns = prepare(&rows), |columns| run(columns, &rows));
    let sum = (0..columns.size()).fold(0, |sum, i| mixed(sum, columns.row(i)));
    Measured { items: n, checksum: sum }
}

fn add_columns<C: Columns>(suite: &mut Suite, name: &str) {
    for n in SIZES {
        suite.add(&format!("update/bytes:{}/n:{n}", size_of::<derive::Eight>()), name, 9, move |state| {
            update::<C>(state, n)
        });
    }
}

fn add_pushes<C: Table>(suite: &mut Suite, name: &str) {
    for n in SIZES {
        suite.add(&format!("push/bytes:{FOUR_BYTES}/n:{n}"), name, 9, move |state| {
            row_test::<C>(state, n, |rows| C::with_room(rows.len()), push_all)
        });
        suite.add(&format!("push_grows/bytes:{FOUR_BYTES}/n:{n}"), name, 9, move |state| {
            row_test::<C>(state, n, |_| C::default(), push_all)
        });
    }
}

fn add_order<C: Ordered>(suite: &mut Suite, name: &str) {
    for n in SIZES {
        suite.add(&format!("sort/bytes:{FOUR_BYTES}/n:{n}"), name, 9, move |state| {
            row_test::<C>(state, n, filled, |columns, _| columns.sort())
        });
        suite.add(&format!("erase_if/bytes:{FOUR_BYTES}/n:{n}"), name, 9, move |state| {
            row_test::<C>(state, n, filled, |columns, _| columns.erase_if())
        });
    }
}

fn main() {
    slotwise_bench::harness::main(|suite| {
        add_columns::<EightVec>(suite, "rust_soa_derive");
        add_pushes::<FourVec>(suite, "rust_soa_derive");
        add_order::<FourVec>(suite, "rust_soa_derive");
        add_columns::<One<one::Eight>>(suite, "rust_soa_rs");
        add_pushes::<One<one::Four>>(suite, "rust_soa_rs");
    });
}
