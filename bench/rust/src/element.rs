// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! The element types of bench/support/element.hpp and its table of values.

/// A field that is added up; wraps around.
pub trait Field: Copy + Default + Into<u64> + 'static {
    fn plus(self, other: Self) -> Self;
}

impl Field for u32 {
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
}

impl Field for u64 {
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }
}

/// Something that a loop adds up: an element by its field, or a field that lies apart from its element.
pub trait Summed: Copy + Send + Sync + 'static {
    type Field: Field;
    fn field(&self) -> Self::Field;
}

impl Summed for u64 {
    type Field = u64;
    fn field(&self) -> u64 {
        *self
    }
}

pub trait Element: Summed {
    /// `rest` fills what comes after the field.
    fn new(field: u32, rest: u32) -> Self;
}

/// An element as N parts that lie apart; the first has its field.
pub trait Split<P: Summed<Field = Self::Field>, const N: usize>: Element {
    fn split(self) -> [P; N];
}

impl<T: Element> Split<T, 1> for T {
    fn split(self) -> [T; 1] {
        [self]
    }
}

impl Split<u64, 2> for Element16 {
    fn split(self) -> [u64; 2] {
        [self.field, self.rest]
    }
}

impl Split<u64, 8> for Element64 {
    fn split(self) -> [u64; 8] {
        let [a, b, c, d, e, f, g] = self.rest;
        [self.field, a, b, c, d, e, f, g]
    }
}

/// An element with a second field, which can be added to the first.
pub trait Struct: Element<Field = u64> {
    fn add_second(&mut self);
}

impl Struct for Element16 {
    fn add_second(&mut self) {
        self.field = self.field.plus(self.rest);
    }
}

impl Struct for Element64 {
    fn add_second(&mut self) {
        self.field = self.field.plus(self.rest[0]);
    }
}

#[derive(Clone, Copy)]
pub struct Element4 {
    field: u32,
}

#[derive(Clone, Copy)]
pub struct Element16 {
    field: u64,
    rest: u64,
}

#[derive(Clone, Copy)]
pub struct Element64 {
    field: u64,
    rest: [u64; 7],
}

impl Summed for Element4 {
    type Field = u32;
    fn field(&self) -> u32 {
        self.field
    }
}

impl Element for Element4 {
    fn new(field: u32, _rest: u32) -> Self {
        Element4 { field }
    }
}

impl Summed for Element16 {
    type Field = u64;
    fn field(&self) -> u64 {
        self.field
    }
}

impl Element for Element16 {
    fn new(field: u32, rest: u32) -> Self {
        Element16 { field: field.into(), rest: rest.into() }
    }
}

impl Summed for Element64 {
    type Field = u64;
    fn field(&self) -> u64 {
        self.field
    }
}

impl Element for Element64 {
    fn new(field: u32, rest: u32) -> Self {
        Element64 { field: field.into(), rest: [rest.into(); 7] }
    }
}

/// Values are copied from this table: one built in a temporary pays for failed store forwarding.
pub struct ValueTable<T>(Box<[T; 256]>);

impl<T: Element> Default for ValueTable<T> {
    fn default() -> Self {
        let mut state = 1_u32;
        ValueTable(Box::new(std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            T::new(state >> 8, state)
        })))
    }
}

impl<T: Element> ValueTable<T> {
    pub fn at(&self, i: usize) -> T {
        self.0[i & 255]
    }
}
