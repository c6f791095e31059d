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

pub trait Element: Copy + Send + Sync + 'static {
    type Field: Field;
    /// `rest` fills what comes after the field.
    fn new(field: u32, rest: u32) -> Self;
    fn field(&self) -> Self::Field;
}

#[derive(Clone, Copy)]
pub struct Element4 {
    field: u32,
}

#[derive(Clone, Copy)]
pub struct Element16 {
    field: u64,
    _rest: u64,
}

#[derive(Clone, Copy)]
pub struct Element64 {
    field: u64,
    _rest: [u64; 7],
}

impl Element for Element4 {
    type Field = u32;
    fn new(field: u32, _rest: u32) -> Self {
        Element4 { field }
    }
    fn field(&self) -> u32 {
        self.field
    }
}

impl Element for Element16 {
    type Field = u64;
    fn new(field: u32, rest: u32) -> Self {
        Element16 { field: field.into(), _rest: rest.into() }
    }
    fn field(&self) -> u64 {
        self.field
    }
}

impl Element for Element64 {
    type Field = u64;
    fn new(field: u32, rest: u32) -> Self {
        Element64 { field: field.into(), _rest: [rest.into(); 7] }
    }
    fn field(&self) -> u64 {
        self.field
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
