// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! The crates behind one trait. Everything is checked and safe, written as the crate's documentation would have it.

use crate::element::{Element, Field};
#[allow(deprecated)] // since slotmap 1.1, in favour of the other two
use slotmap::HopSlotMap;
use slotmap::{DefaultKey, DenseSlotMap, Key, SecondaryMap, SlotMap};

pub trait Contender<T: Element>: Default {
    type Handle: Copy;
    /// Whether a lookup tells an erased element from the one that has its slot now.
    const SEES_STALE: bool = true;
    /// A handle to fill arrays with; never looked up.
    fn dangling() -> Self::Handle;
    /// Room for n elements; called on empty containers only.
    fn reserve(&mut self, n: usize);
    fn insert(&mut self, value: T) -> Self::Handle;
    fn erase(&mut self, handle: Self::Handle);
    fn clear(&mut self);
    fn size(&self) -> usize;
    /// The fields of all elements, added up.
    fn sum(&self) -> T::Field;
    /// The fields of the elements that are found, added up.
    fn look_up(&self, handles: &[Self::Handle]) -> u64;
}

fn sum_of<'a, T: Element>(values: impl IntoIterator<Item = &'a T>) -> T::Field {
    values.into_iter().fold(T::Field::default(), |sum, value| sum.plus(value.field()))
}

fn sum_found<'a, T: Element, H: Copy>(handles: &[H], get: impl Fn(H) -> Option<&'a T>) -> u64 {
    let mut sum = 0_u64;
    for &handle in handles {
        if let Some(value) = get(handle) {
            sum = sum.wrapping_add(value.field().into());
        }
    }
    sum
}

/// A crate's container whose calls are named as those of most are.
macro_rules! contender {
    ($Map:ty, $Handle:ty, $dangling:expr, stale: $stale:expr, reserve: |$room:ident, $n:ident| $reserve:expr,
     values: |$map:ident| $values:expr) => {
        #[allow(deprecated)]
        impl<T: Element> Contender<T> for $Map {
            type Handle = $Handle;
            const SEES_STALE: bool = $stale;
            fn dangling() -> $Handle {
                $dangling
            }
            fn reserve(&mut self, $n: usize) {
                let $room = self;
                $reserve
            }
            #[inline(always)]
            fn insert(&mut self, value: T) -> $Handle {
                self.insert(value)
            }
            #[inline(always)]
            fn erase(&mut self, handle: $Handle) {
                self.remove(handle);
            }
            fn clear(&mut self) {
                self.clear();
            }
            fn size(&self) -> usize {
                self.len()
            }
            fn sum(&self) -> T::Field {
                let $map = self;
                sum_of($values)
            }
            fn look_up(&self, handles: &[$Handle]) -> u64 {
                sum_found(handles, |handle| self.get(handle))
            }
        }
    };
}

contender!(SlotMap<DefaultKey, T>, DefaultKey, DefaultKey::null(), stale: true, reserve: |map, n| map.reserve(n), values: |map| map.values());
contender!(HopSlotMap<DefaultKey, T>, DefaultKey, DefaultKey::null(), stale: true, reserve: |map, n| map.reserve(n), values: |map| map.values());
// values_as_slice() is vectorised, unlike values().
contender!(DenseSlotMap<DefaultKey, T>, DefaultKey, DefaultKey::null(), stale: true, reserve: |map, n| map.reserve(n),
           values: |map| map.values_as_slice());
contender!(slab::Slab<T>, usize, usize::MAX, stale: false, reserve: |slab, n| slab.reserve(n),
           values: |slab| slab.iter().map(|(_, value)| value));
contender!(thunderdome::Arena<T>, thunderdome::Index, thunderdome::Index::DANGLING, stale: true,
           reserve: |arena, n| *arena = thunderdome::Arena::with_capacity(n), // has no reserve
           values: |arena| arena.iter().map(|(_, value)| value));

/// The elements in a column beside a map that only gives out keys.
pub struct Column<T> {
    keys: SlotMap<DefaultKey, ()>,
    column: SecondaryMap<DefaultKey, T>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Column { keys: SlotMap::new(), column: SecondaryMap::new() }
    }
}

impl<T: Element> Contender<T> for Column<T> {
    type Handle = DefaultKey;
    fn dangling() -> DefaultKey {
        DefaultKey::null()
    }
    fn reserve(&mut self, n: usize) {
        self.keys.reserve(n);
        self.column.set_capacity(n);
    }
    #[inline(always)]
    fn insert(&mut self, value: T) -> DefaultKey {
        let key = self.keys.insert(());
        self.column.insert(key, value);
        key
    }
    #[inline(always)]
    fn erase(&mut self, key: DefaultKey) {
        self.keys.remove(key);
        self.column.remove(key);
    }
    fn clear(&mut self) {
        self.keys.clear();
        self.column.clear();
    }
    fn size(&self) -> usize {
        self.column.len()
    }
    fn sum(&self) -> T::Field {
        sum_of(self.column.values())
    }
    fn look_up(&self, keys: &[DefaultKey]) -> u64 {
        sum_found(keys, |key| self.column.get(key))
    }
}

/// Entities of one component.
impl<T: Element> Contender<T> for hecs::World {
    type Handle = hecs::Entity;
    fn dangling() -> hecs::Entity {
        hecs::Entity::DANGLING
    }
    fn reserve(&mut self, n: usize) {
        self.reserve::<(T,)>(n as u32);
    }
    #[inline(always)]
    fn insert(&mut self, value: T) -> hecs::Entity {
        self.spawn((value,))
    }
    #[inline(always)]
    fn erase(&mut self, entity: hecs::Entity) {
        let _ = self.despawn(entity);
    }
    fn clear(&mut self) {
        self.clear();
    }
    fn size(&self) -> usize {
        self.len() as usize
    }
    fn sum(&self) -> T::Field {
        sum_of(self.query::<&T>().iter())
    }
    fn look_up(&self, entities: &[hecs::Entity]) -> u64 {
        let view = self.view::<&T>(); // for random access to a component; World::get borrows and searches each time
        sum_found(entities, |entity| view.get(entity))
    }
}

/// What is done with every contender at every element size.
pub trait Visitor {
    fn visit<T: Element, C: Contender<T> + 'static>(&mut self, name: &str);
}

#[allow(deprecated)]
fn each_of<T: Element>(visitor: &mut impl Visitor) {
    visitor.visit::<T, SlotMap<DefaultKey, T>>("rust_slotmap");
    visitor.visit::<T, HopSlotMap<DefaultKey, T>>("rust_hop_slotmap");
    visitor.visit::<T, DenseSlotMap<DefaultKey, T>>("rust_dense_slotmap");
    visitor.visit::<T, Column<T>>("rust_secondary_map");
    visitor.visit::<T, slab::Slab<T>>("rust_slab");
    visitor.visit::<T, thunderdome::Arena<T>>("rust_thunderdome");
    visitor.visit::<T, hecs::World>("rust_hecs");
}

pub fn each(visitor: &mut impl Visitor) {
    each_of::<crate::element::Element4>(visitor);
    each_of::<crate::element::Element16>(visitor);
    each_of::<crate::element::Element64>(visitor);
}
