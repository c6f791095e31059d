// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! The crates behind one trait. Everything is checked and safe, written as the crate's documentation would have it.

use crate::element::{Element, Element16, Element4, Element64, Field, Split, Summed};
#[allow(deprecated)] // since slotmap 1.1, in favour of the other two
use slotmap::HopSlotMap;
use slotmap::{DefaultKey, DenseSlotMap, Key, SecondaryMap, SlotMap};
use std::marker::PhantomData;

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

fn sum_of<'a, P: Summed>(values: impl IntoIterator<Item = &'a P>) -> P::Field {
    values.into_iter().fold(P::Field::default(), |sum, value| sum.plus(value.field()))
}

fn sum_found<'a, P: Summed, H: Copy>(handles: &[H], get: impl Fn(H) -> Option<&'a P>) -> u64 {
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

/// The parts of the elements in a column each, beside a map that only gives out keys.
pub struct Columns<P, const N: usize> {
    keys: SlotMap<DefaultKey, ()>,
    pub columns: [SecondaryMap<DefaultKey, P>; N],
}

impl<P, const N: usize> Default for Columns<P, N> {
    fn default() -> Self {
        Columns { keys: SlotMap::new(), columns: std::array::from_fn(|_| SecondaryMap::new()) }
    }
}

impl<T: Split<P, N>, P: Summed<Field = T::Field>, const N: usize> Contender<T> for Columns<P, N> {
    type Handle = DefaultKey;
    fn dangling() -> DefaultKey {
        DefaultKey::null()
    }
    fn reserve(&mut self, n: usize) {
        self.keys.reserve(n);
        self.columns.iter_mut().for_each(|column| column.set_capacity(n));
    }
    #[inline(always)]
    fn insert(&mut self, value: T) -> DefaultKey {
        let key = self.keys.insert(());
        for (column, part) in self.columns.iter_mut().zip(value.split()) {
            column.insert(key, part);
        }
        key
    }
    #[inline(always)]
    fn erase(&mut self, key: DefaultKey) {
        self.keys.remove(key);
        for column in &mut self.columns {
            column.remove(key);
        }
    }
    fn clear(&mut self) {
        self.keys.clear();
        self.columns.iter_mut().for_each(SecondaryMap::clear);
    }
    fn size(&self) -> usize {
        self.columns[0].len()
    }
    fn sum(&self) -> T::Field {
        sum_of(self.columns[0].values())
    }
    fn look_up(&self, keys: &[DefaultKey]) -> u64 {
        sum_found(keys, |key| self.columns[0].get(key))
    }
}

/// Field I of an element as a component.
#[derive(Clone, Copy)]
pub struct Component<const I: usize>(pub u64);

impl<const I: usize> Summed for Component<I> {
    type Field = u64;
    fn field(&self) -> u64 {
        self.0
    }
}

/// The components that an element is as an entity: the element itself, or each of its fields.
pub trait Components<T: Element>: hecs::Bundle + 'static {
    /// The one that has its field.
    type First: hecs::Component + Summed<Field = T::Field>;
    fn of(value: T) -> Self;
}

impl<T: Element> Components<T> for (T,) {
    type First = T;
    fn of(value: T) -> Self {
        (value,)
    }
}

macro_rules! components {
    ($Fields:ident of $Element:ty: $($i:literal)*) => {
        pub type $Fields = ($(Component<$i>,)*);
        impl Components<$Element> for $Fields {
            type First = Component<0>;
            fn of(value: $Element) -> Self {
                let fields: [u64; [$($i),*].len()] = value.split();
                ($(Component(fields[$i]),)*)
            }
        }
    };
}

components!(Fields16 of Element16: 0 1);
components!(Fields64 of Element64: 0 1 2 3 4 5 6 7);

/// Entities of the components B.
pub struct Entities<B> {
    pub world: hecs::World,
    components: PhantomData<B>,
}

impl<B> Default for Entities<B> {
    fn default() -> Self {
        Entities { world: hecs::World::new(), components: PhantomData }
    }
}

impl<T: Element, B: Components<T>> Contender<T> for Entities<B> {
    type Handle = hecs::Entity;
    fn dangling() -> hecs::Entity {
        hecs::Entity::DANGLING
    }
    fn reserve(&mut self, n: usize) {
        self.world.reserve::<B>(n as u32);
    }
    #[inline(always)]
    fn insert(&mut self, value: T) -> hecs::Entity {
        self.world.spawn(B::of(value))
    }
    #[inline(always)]
    fn erase(&mut self, entity: hecs::Entity) {
        let _ = self.world.despawn(entity);
    }
    fn clear(&mut self) {
        self.world.clear();
    }
    fn size(&self) -> usize {
        self.world.len() as usize
    }
    fn sum(&self) -> T::Field {
        sum_of(self.world.query::<&B::First>().iter())
    }
    fn look_up(&self, entities: &[hecs::Entity]) -> u64 {
        let view = self.world.view::<&B::First>(); // for random access to a component; World::get borrows and searches each time
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
    visitor.visit::<T, Columns<T, 1>>("rust_secondary_map");
    visitor.visit::<T, slab::Slab<T>>("rust_slab");
    visitor.visit::<T, thunderdome::Arena<T>>("rust_thunderdome");
    visitor.visit::<T, Entities<(T,)>>("rust_hecs");
}

pub fn each(visitor: &mut impl Visitor) {
    each_of::<Element4>(visitor);
    each_of::<Element16>(visitor);
    each_of::<Element64>(visitor);
}
