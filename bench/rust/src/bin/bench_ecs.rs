// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/ecs/workload.hpp in Rust: entities with components.

use bevy_ecs::prelude::Component;
use slotwise_bench::harness::{malloc_bytes, Measured, State, Suite};
use slotwise_bench::sequence::{random_positions, shuffled};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const SIZES_OF_CHANGES: [usize; 3] = [10_000, 100_000, 1_000_000];
const KINDS: u32 = 26;

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

fn is_live(i: usize, percent: usize) -> bool {
    i * 37 % 100 < percent
}

//=== components ===//

#[derive(Component, Clone, Copy)]
struct Vec3<const N: usize> {
    x: f32,
    y: f32,
    z: f32,
}
type P = Vec3<0>;
type V = Vec3<1>;
#[derive(Component, Clone, Copy)]
struct Small(#[allow(dead_code)] i32);
#[derive(Component, Clone, Copy)]
struct Big(#[allow(dead_code)] [i32; 16]);
#[derive(Component, Clone, Copy)]
struct Tag;
#[derive(Component, Clone, Copy)]
struct Kind<const K: u32>(#[allow(dead_code)] i32);

/// What both crates take, and its i-th value.
trait Part: Component<Mutability = bevy_ecs::component::Mutable> + hecs::Component + Copy {
    fn at(i: usize) -> Self;
}
impl<const N: usize> Part for Vec3<N> {
    fn at(i: usize) -> Self {
        if N == 0 {
            Vec3 { x: (i % 8) as f32, y: 1.0, z: 2.0 }
        } else {
            Vec3 { x: (i % 8 * 2) as f32, y: 2.0, z: 4.0 }
        }
    }
}
impl Part for Small {
    fn at(i: usize) -> Self {
        Small(i as i32)
    }
}
impl Part for Big {
    fn at(i: usize) -> Self {
        let mut values = [0; 16];
        values[0] = i as i32;
        Big(values)
    }
}
impl Part for Tag {
    fn at(_: usize) -> Self {
        Tag
    }
}
impl<const K: u32> Part for Kind<K> {
    fn at(_: usize) -> Self {
        Kind(K as i32)
    }
}

trait Parts:
    bevy_ecs::bundle::Bundle<Effect: bevy_ecs::bundle::NoBundleEffect> + hecs::Bundle + hecs::DynamicBundle + Copy
{
    fn at(i: usize) -> Self;
}
macro_rules! parts {
    ($($C:ident)+) => {
        impl<$($C: Part),+> Parts for ($($C,)+) {
            fn at(i: usize) -> Self {
                ($($C::at(i),)+)
            }
        }
    };
}
parts!(A);
parts!(A B);
parts!(A B C);
parts!(A B C D);
parts!(A B C D E);
parts!(A B C D E F G H);
type Eight = (P, V, Vec3<2>, Vec3<3>, Vec3<4>, Vec3<5>, Vec3<6>, Vec3<7>);

fn total(p: &P) -> u64 {
    (p.x + p.y + p.z) as u64
}

//=== contenders ===//

trait World {
    type Entity: Copy;
    fn new() -> Self;
    fn empty(&mut self) -> Self::Entity;
    fn spawn(&mut self, parts: impl Parts) -> Self::Entity;
    fn spawn_n(&mut self, n: usize, parts: impl Parts);
    fn despawn(&mut self, entity: Self::Entity);
    fn add<C: Part>(&mut self, entity: Self::Entity, value: C);
    fn remove<C: Part>(&mut self, entity: Self::Entity);
    fn look_up(&mut self, entities: &[Self::Entity]) -> u64;
    fn update(&mut self, count: usize);
    fn sum_of_positions(&mut self) -> u64;
    fn count<C: Part>(&mut self) -> u64;
}

macro_rules! walks {
    ($world:ident, $iterate:ident) => {
        #[inline(never)]
        fn update_1($world: &mut Self) {
            $iterate!($world, one, |(mut p,)| {
                p.x += 0.5;
                p.y += 0.5;
                p.z += 0.5;
            });
        }
        #[inline(never)]
        fn update_2($world: &mut Self) {
            $iterate!($world, two, |(mut p, v)| {
                p.x += v.x * 0.5;
                p.y += v.y * 0.5;
                p.z += v.z * 0.5;
            });
        }
        #[inline(never)]
        fn update_3($world: &mut Self) {
            $iterate!($world, three, |(mut p, v, a)| {
                p.x += (v.x + a.x) * 0.5;
                p.y += (v.y + a.y) * 0.5;
                p.z += (v.z + a.z) * 0.5;
            });
        }
        #[inline(never)]
        fn update_5($world: &mut Self) {
            $iterate!($world, five, |(mut p, v, a, b, c)| {
                p.x += (v.x + a.x + b.x + c.x) * 0.5;
                p.y += (v.y + a.y + b.y + c.y) * 0.5;
                p.z += (v.z + a.z + b.z + c.z) * 0.5;
            });
        }
    };
}
macro_rules! update {
    ($world:ident, $count:ident) => {
        match $count {
            1 => Self::update_1($world),
            2 => Self::update_2($world),
            3 => Self::update_3($world),
            _ => Self::update_5($world),
        }
    };
}

struct Hecs(hecs::World);

macro_rules! hecs_query {
    (one) => { (&mut P,) };
    (two) => { (&mut P, &V) };
    (three) => { (&mut P, &V, &Vec3<2>) };
    (five) => { (&mut P, &V, &Vec3<2>, &Vec3<3>, &Vec3<4>) };
}
macro_rules! hecs_iterate {
    ($world:ident, $count:ident, |(mut $p:ident, $($other:tt)*)| $body:block) => {
        $world.0.query_mut::<hecs_query!($count)>().into_iter().for_each(|($p, $($other)*)| $body)
    };
    ($world:ident, $count:ident, |(mut $p:ident,)| $body:block) => {
        $world.0.query_mut::<hecs_query!($count)>().into_iter().for_each(|($p,)| $body)
    };
}

impl Hecs {
    walks!(world, hecs_iterate);
}

impl World for Hecs {
    type Entity = hecs::Entity;
    fn new() -> Self {
        Hecs(hecs::World::new())
    }
    fn empty(&mut self) -> Self::Entity {
        self.0.spawn(())
    }
    #[inline(always)]
    fn spawn(&mut self, parts: impl Parts) -> Self::Entity {
        self.0.spawn(parts)
    }
    #[inline(never)]
    fn spawn_n(&mut self, n: usize, parts: impl Parts) {
        self.0.spawn_batch((0..n).map(|_| parts));
    }
    #[inline(always)]
    fn despawn(&mut self, entity: Self::Entity) {
        let _ = self.0.despawn(entity);
    }
    #[inline(always)]
    fn add<C: Part>(&mut self, entity: Self::Entity, value: C) {
        let _ = self.0.insert_one(entity, value);
    }
    #[inline(always)]
    fn remove<C: Part>(&mut self, entity: Self::Entity) {
        let _ = self.0.remove_one::<C>(entity);
    }
    #[inline(never)]
    fn look_up(&mut self, entities: &[Self::Entity]) -> u64 {
        let view = self.0.view_mut::<&P>();
        entities.iter().map(|&entity| view.get(entity).map_or(0, |p| u64::from(p.z as u32))).sum()
    }
    fn update(&mut self, count: usize) {
        update!(self, count)
    }
    fn sum_of_positions(&mut self) -> u64 {
        self.0.query_mut::<&P>().into_iter().fold(0, |sum, p| sum + total(p))
    }
    fn count<C: Part>(&mut self) -> u64 {
        self.0.query_mut::<&C>().into_iter().count() as u64
    }
}

type State1 = bevy_ecs::query::QueryState<(&'static mut P,)>;
type State2 = bevy_ecs::query::QueryState<(&'static mut P, &'static V)>;
type State3 = bevy_ecs::query::QueryState<(&'static mut P, &'static V, &'static Vec3<2>)>;
type State5 =
    bevy_ecs::query::QueryState<(&'static mut P, &'static V, &'static Vec3<2>, &'static Vec3<3>, &'static Vec3<4>)>;

struct Bevy {
    world: bevy_ecs::world::World,
    read: bevy_ecs::query::QueryState<&'static P>,
    one: State1,
    two: State2,
    three: State3,
    five: State5,
}

macro_rules! bevy_iterate {
    ($world:ident, $count:ident, $f:expr) => {
        $world.$count.iter_mut(&mut $world.world).for_each($f)
    };
}

impl Bevy {
    walks!(world, bevy_iterate);
}

impl World for Bevy {
    type Entity = bevy_ecs::entity::Entity;
    fn new() -> Self {
        let mut world = bevy_ecs::world::World::new();
        Bevy {
            read: world.query(),
            one: world.query(),
            two: world.query(),
            three: world.query(),
            five: world.query(),
            world,
        }
    }
    fn empty(&mut self) -> Self::Entity {
        self.world.spawn_empty().id()
    }
    #[inline(always)]
    fn spawn(&mut self, parts: impl Parts) -> Self::Entity {
        self.world.spawn(parts).id()
    }
    #[inline(never)]
    fn spawn_n(&mut self, n: usize, parts: impl Parts) {
        self.world.spawn_batch((0..n).map(|_| parts));
    }
    #[inline(always)]
    fn despawn(&mut self, entity: Self::Entity) {
        self.world.despawn(entity);
    }
    #[inline(always)]
    fn add<C: Part>(&mut self, entity: Self::Entity, value: C) {
        self.world.entity_mut(entity).insert(value);
    }
    #[inline(always)]
    fn remove<C: Part>(&mut self, entity: Self::Entity) {
        self.world.entity_mut(entity).remove::<C>();
    }
    #[inline(never)]
    fn look_up(&mut self, entities: &[Self::Entity]) -> u64 {
        let query = self.read.query(&self.world);
        entities.iter().map(|&entity| query.get(entity).map_or(0, |p| u64::from(p.z as u32))).sum()
    }
    fn update(&mut self, count: usize) {
        update!(self, count)
    }
    fn sum_of_positions(&mut self) -> u64 {
        self.read.iter(&self.world).fold(0, |sum, p| sum + total(p))
    }
    fn count<C: Part>(&mut self) -> u64 {
        self.world.query::<&C>().iter(&self.world).count() as u64
    }
}

//=== the measured loops ===//

macro_rules! each_kind {
    ($mask:expr, $world:ident, $entity:ident, $($k:literal)*) => {
        $(if $mask >> $k & 1 == 1 {
            $world.add($entity, Kind::<$k>($k));
        })*
    };
}
fn spawn_in<W: World>(world: &mut W, mask: u32, i: usize) {
    let entity = world.spawn(<(P, V)>::at(i));
    each_kind!(mask, world, entity, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
}
#[inline(never)]
fn filled<W: World, B: Parts>(world: &mut W, n: usize) -> Vec<W::Entity> {
    (0..n).map(|i| world.spawn(B::at(i))).collect()
}
#[inline(never)]
fn spawn_each<W: World>(world: &mut W, entities: &mut [W::Entity], parts: impl Parts) {
    entities.iter_mut().for_each(|entity| *entity = world.spawn(parts));
}
#[inline(never)]
fn despawn_each<W: World>(world: &mut W, entities: &[W::Entity]) {
    entities.iter().for_each(|&entity| world.despawn(entity));
}
#[inline(never)]
fn add_each<W: World, C: Part>(world: &mut W, entities: &[W::Entity]) {
    entities.iter().for_each(|&entity| world.add(entity, C::at(1)));
}
#[inline(never)]
fn remove_each<W: World, C: Part>(world: &mut W, entities: &[W::Entity]) {
    entities.iter().for_each(|&entity| world.remove::<C>(entity));
}
#[inline(never)]
fn toggle_each<W: World>(world: &mut W, entities: &[W::Entity]) {
    for &entity in entities {
        world.remove::<V>(entity);
        world.add(entity, V::at(1));
    }
}
fn in_order<E: Copy>(entities: &[E], order: &[u32]) -> Vec<E> {
    order.iter().map(|&i| entities[i as usize]).collect()
}
fn churn<W: World>(world: &mut W, entities: &mut Vec<W::Entity>, count: usize) {
    for _ in 0..10 {
        let mut kept = 0;
        for i in 0..entities.len() {
            let entity = entities[i];
            if i % 17 == 0 {
                world.despawn(entity);
                continue;
            }
            if i % 7 == 0 {
                world.remove::<P>(entity);
            }
            if i % 11 == 0 {
                world.remove::<V>(entity);
            }
            if i % 13 == 0 {
                world.remove::<Vec3<2>>(entity);
            }
            entities[kept] = entity;
            kept += 1;
        }
        entities.truncate(kept);
        entities.extend((0..count / 10).map(|i| world.spawn(<(P, V, Vec3<2>)>::at(i))));
    }
}

//=== the swarm ===//

/// examples/swarm/systems.hpp in Rust.
mod swarm {
    use bevy_ecs::prelude::Component;

    pub const DT: f32 = 1.0 / 64.0;
    pub const BYTES: usize = size_of::<Position>()
        + size_of::<Velocity>()
        + size_of::<Data>()
        + size_of::<Health>()
        + size_of::<Damage>()
        + size_of::<Player>()
        + size_of::<Sprite>();
    const WIDTH: i32 = 320;
    const HEIGHT: i32 = 240;

    /// xoshiro128**.
    #[derive(Clone, Copy)]
    pub struct Random([u32; 4]);

    impl Random {
        fn of(mut seed: u64) -> Self {
            Random(std::array::from_fn(|_| {
                seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                (z >> 32) as u32
            }))
        }
        fn next(&mut self) -> u32 {
            let s = &mut self.0;
            let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
            let shifted = s[1] << 9;
            s[2] ^= s[0];
            s[3] ^= s[1];
            s[1] ^= s[2];
            s[0] ^= s[3];
            s[2] ^= shifted;
            s[3] = s[3].rotate_left(11);
            result
        }
        fn between(&mut self, first: i32, last: i32) -> i32 {
            first + (self.next() % (last - first + 1) as u32) as i32
        }
    }

    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Position {
        x: f32,
        y: f32,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Velocity {
        x: f32,
        y: f32,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Data {
        thing: i32,
        ding: f64,
        ming: bool,
        seed: u32,
        random: Random,
        number: u32,
    }
    #[derive(Clone, Copy, PartialEq)]
    #[repr(i32)]
    pub enum Status {
        Spawned,
        Dead,
        Alive,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Health {
        points: i32,
        most: i32,
        status: Status,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Damage {
        attack: i32,
        defence: i32,
    }
    #[derive(Clone, Copy, PartialEq)]
    #[repr(i32)]
    pub enum Role {
        Monster,
        Hero,
        Other,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Player {
        random: Random,
        role: Role,
    }
    #[derive(Component, Clone, Copy)]
    #[repr(C)]
    pub struct Sprite {
        character: u8,
    }
    pub type Unit = (Position, Velocity, Data, Health, Damage, Player, Sprite);

    pub struct Frame(Vec<u32>);

    impl Frame {
        pub fn new() -> Self {
            Frame(vec![0; (WIDTH * HEIGHT) as usize])
        }
        pub fn clear(&mut self) {
            self.0.fill(0);
        }
        fn draw(&mut self, x: i32, y: i32, character: u8) {
            if (0..WIDTH).contains(&x) && (0..HEIGHT).contains(&y) {
                let cell = &mut self.0[(y * WIDTH + x) as usize];
                *cell = cell.wrapping_add(character.into());
            }
        }
        pub fn digest(&self, before: u64) -> u64 {
            self.0.iter().fold(before, |digest, &cell| (digest ^ u64::from(cell)).wrapping_mul(0x100_0000_01B3))
        }
    }

    pub fn unit(i: u64) -> Unit {
        let mut random = Random::of(i);
        let position = Position { x: random.between(0, WIDTH - 1) as f32, y: random.between(0, HEIGHT - 1) as f32 };
        let player = random;
        let kind = random.next() % 100;
        let role = if kind < 3 {
            Role::Hero
        } else if kind < 70 {
            Role::Monster
        } else {
            Role::Other
        };
        let mut among = |hero: (i32, i32), monster: (i32, i32), other: (i32, i32)| {
            let (first, last) = match role {
                Role::Hero => hero,
                Role::Monster => monster,
                Role::Other => other,
            };
            if last == 0 {
                0
            } else {
                random.between(first, last)
            }
        };
        let most = among((5, 15), (4, 12), (6, 12));
        let attack = among((4, 10), (3, 9), (0, 0));
        let defence = among((2, 6), (2, 8), (3, 8));
        (
            position,
            Velocity { x: 0.0, y: 0.0 },
            Data { thing: 0, ding: 0.0, ming: false, seed: i as u32, random: Random::of(i + 1), number: 0 },
            Health { points: most, most, status: Status::Spawned },
            Damage { attack, defence },
            Player { random: player, role },
            Sprite { character: b' ' },
        )
    }
    /// Whether the i-th of a mixed swarm lacks position, velocity and data.
    pub fn lacks(i: usize, n: usize) -> [bool; 3] {
        let may = i >= n / 2 && i < n / 4 * 3 && i % 10 == 0;
        [7, 11, 13].map(|nth| may && i / 10 % nth == 0)
    }

    pub fn move_on(position: &mut Position, velocity: &Velocity) {
        position.x += velocity.x * DT;
        position.y += velocity.y * DT;
    }
    pub fn vary(data: &mut Data) {
        data.thing = (data.thing + 1) % 1_000_000;
        data.ding += 1.0 / 1024.0 * f64::from(DT);
        data.ming = !data.ming;
        data.number = data.random.next();
    }
    pub fn steer(position: &Position, velocity: &mut Velocity, data: &mut Data) {
        if data.thing % 10 != 0 {
            return;
        }
        let fast = (data.random.between(3, 19) - 10) as f32;
        let slow = data.random.between(0, 5) as f32;
        *velocity = if position.x > position.y { Velocity { x: fast, y: slow } } else { Velocity { x: slow, y: fast } };
    }
    pub fn live(health: &mut Health) {
        if health.points <= 0 && health.status != Status::Dead {
            *health = Health { points: 0, status: Status::Dead, ..*health };
        } else if health.status == Status::Dead && health.points == 0 {
            *health = Health { points: health.most, status: Status::Spawned, ..*health };
        } else {
            health.status = Status::Alive;
        }
    }
    pub fn fight(health: &mut Health, damage: &Damage) {
        let hit = damage.attack - damage.defence;
        if health.points > 0 && hit > 0 {
            health.points = (health.points - hit).max(0);
        }
    }
    pub fn dress(sprite: &mut Sprite, player: &Player, health: &Health) {
        sprite.character = match (health.status, player.role) {
            (Status::Alive, Role::Hero) => b'@',
            (Status::Alive, Role::Monster) => b'k',
            (Status::Alive, Role::Other) => b'h',
            (Status::Dead, _) => b'|',
            (Status::Spawned, _) => b'_',
        };
    }
    pub fn draw(frame: &mut Frame, position: &Position, sprite: &Sprite) {
        frame.draw(position.x as i32, position.y as i32, sprite.character);
    }
}

trait Swarm: World {
    fn spawn_unit(&mut self, unit: swarm::Unit, lacks: [bool; 3]);
    fn run(&mut self, frame: &mut swarm::Frame);
}

impl Swarm for Hecs {
    fn spawn_unit(&mut self, unit: swarm::Unit, lacks: [bool; 3]) {
        let entity = self.0.spawn(unit);
        if lacks[0] {
            let _ = self.0.remove_one::<swarm::Position>(entity);
        }
        if lacks[1] {
            let _ = self.0.remove_one::<swarm::Velocity>(entity);
        }
        if lacks[2] {
            let _ = self.0.remove_one::<swarm::Data>(entity);
        }
    }
    #[inline(never)]
    fn run(&mut self, frame: &mut swarm::Frame) {
        use swarm::*;
        let world = &mut self.0;
        world.query_mut::<(&mut Position, &Velocity)>().into_iter().for_each(|(p, v)| move_on(p, v));
        world.query_mut::<&mut Data>().into_iter().for_each(vary);
        world.query_mut::<(&Position, &mut Velocity, &mut Data)>().into_iter().for_each(|(p, v, d)| steer(p, v, d));
        world.query_mut::<&mut Health>().into_iter().for_each(live);
        world.query_mut::<(&mut Health, &Damage)>().into_iter().for_each(|(h, d)| fight(h, d));
        world.query_mut::<(&mut Sprite, &Player, &Health)>().into_iter().for_each(|(s, p, h)| dress(s, p, h));
        world.query_mut::<(&Position, &Sprite)>().into_iter().for_each(|(p, s)| draw(frame, p, s));
    }
}

impl Swarm for Bevy {
    fn spawn_unit(&mut self, unit: swarm::Unit, lacks: [bool; 3]) {
        let mut entity = self.world.spawn(unit);
        if lacks[0] {
            entity.remove::<swarm::Position>();
        }
        if lacks[1] {
            entity.remove::<swarm::Velocity>();
        }
        if lacks[2] {
            entity.remove::<swarm::Data>();
        }
    }
    /// Queries are made anew: their cost is that of eight tables.
    #[inline(never)]
    fn run(&mut self, frame: &mut swarm::Frame) {
        use swarm::*;
        let world = &mut self.world;
        world.query::<(&mut Position, &Velocity)>().iter_mut(world).for_each(|(mut p, v)| move_on(&mut p, v));
        world.query::<&mut Data>().iter_mut(world).for_each(|mut d| vary(&mut d));
        world
            .query::<(&Position, &mut Velocity, &mut Data)>()
            .iter_mut(world)
            .for_each(|(p, mut v, mut d)| steer(p, &mut v, &mut d));
        world.query::<&mut Health>().iter_mut(world).for_each(|mut h| live(&mut h));
        world.query::<(&mut Health, &Damage)>().iter_mut(world).for_each(|(mut h, d)| fight(&mut h, d));
        world.query::<(&mut Sprite, &Player, &Health)>().iter_mut(world).for_each(|(mut s, p, h)| dress(&mut s, p, h));
        world.query::<(&Position, &Sprite)>().iter(world).for_each(|(p, s)| draw(frame, p, s));
    }
}

fn add_swarm<W: Swarm>(suite: &mut Suite, name: &str) {
    for n in [100_000, 2_000_000] {
        for mixed in [false, true] {
            let row = format!("swarm{}/bytes:{}/n:{n}", if mixed { "_mixed" } else { "" }, swarm::BYTES);
            suite.add(&row, name, batches_for(n), move |state| {
                let mut world = W::new();
                for i in 0..n {
                    world.spawn_unit(swarm::unit(i as u64), if mixed { swarm::lacks(i, n) } else { [false; 3] });
                }
                let mut subject = (world, swarm::Frame::new(), 0);
                state.timed_batches(
                    &mut subject,
                    |(_, frame, digest)| {
                        *digest = frame.digest(*digest);
                        frame.clear();
                    },
                    |(world, frame, _)| world.run(frame),
                );
                Measured { items: n, checksum: subject.1.digest(subject.2) }
            });
        }
    }
}

//=== rows ===//

fn timed_update<W: World>(state: &mut State, world: &mut W, n: usize, count: usize) -> Measured {
    let passes = passes_for(n, 500_000);
    state.timed_passes(passes, world, |world| world.update(count));
    Measured { items: n * passes, checksum: world.sum_of_positions() }
}

fn fill_live<W: World>(world: &mut W, count: usize, i: usize, live: bool) {
    type Other = Vec3<7>;
    match (count, live) {
        (1, true) => world.spawn(<(P,)>::at(i)),
        (1, false) => world.spawn(<(Other,)>::at(i)),
        (2, true) => world.spawn(<(P, V)>::at(i)),
        (2, false) => world.spawn(<(P, Other)>::at(i)),
        (3, true) => world.spawn(<(P, V, Vec3<2>)>::at(i)),
        (3, false) => world.spawn(<(P, V, Other)>::at(i)),
        (_, true) => world.spawn(<(P, V, Vec3<2>, Vec3<3>, Vec3<4>)>::at(i)),
        (_, false) => world.spawn(<(P, V, Vec3<2>, Vec3<3>, Other)>::at(i)),
    };
}

fn add_walks<W: World>(suite: &mut Suite, name: &str) {
    for n in SIZES {
        for count in [1, 2, 3, 5] {
            for live in [100, 50, 10] {
                let row = format!("update_{count}/bytes:{}/n:{n}/live:{live}", count * 12);
                suite.add(&row, name, batches_for(n), move |state| {
                    let mut world = W::new();
                    (0..n).for_each(|i| fill_live(&mut world, count, i, is_live(i, live)));
                    let measured = timed_update(state, &mut world, n, count);
                    Measured { items: measured.items / n * (n * live / 100), ..measured }
                });
            }
        }
        suite.add(&format!("update_shuffled/bytes:24/n:{n}"), name, batches_for(n), move |state| {
            let mut world = W::new();
            let entities: Vec<_> = (0..n).map(|_| world.empty()).collect();
            shuffled(n, 1).into_iter().for_each(|i| world.add(entities[i as usize], P::at(i as usize)));
            shuffled(n, 2).into_iter().for_each(|i| world.add(entities[i as usize], V::at(i as usize)));
            timed_update(state, &mut world, n, 2)
        });
    }
    for (tables, n) in [(26, 520), (26, 100_000), (26, 1_000_000), (1024, 16_384), (1024, 1_000_000)] {
        suite.add(&format!("update_{tables}_tables/bytes:24/n:{n}"), name, batches_for(n), move |state| {
            let mut world = W::new();
            for i in 0..n {
                let table = (i % tables as usize) as u32;
                spawn_in(&mut world, if tables <= KINDS { 1 << table } else { table }, i);
            }
            timed_update(state, &mut world, n, 2)
        });
    }
}

/// prepare and run in each of so many worlds that a batch is long enough for the clock.
fn timed_worlds<W: World>(
    state: &mut State,
    count: usize,
    mut prepare: impl FnMut(&mut W),
    mut run: impl FnMut(&mut W),
) -> Measured {
    let mut worlds: Vec<W> = Vec::new();
    let size = passes_for(count, 10_000);
    state.timed_batches(
        &mut worlds,
        |worlds| {
            worlds.clear();
            worlds.extend((0..size).map(|_| W::new()));
            worlds.iter_mut().for_each(&mut prepare);
        },
        |worlds| worlds.iter_mut().for_each(&mut run),
    );
    Measured { items: count * size, checksum: worlds.last_mut().unwrap().sum_of_positions() }
}

fn add_spawns<W: World>(suite: &mut Suite, name: &str) {
    for n in SIZES_OF_CHANGES {
        let parts = <(P, V)>::at(3);
        suite.add(&format!("spawn/bytes:24/n:{n}"), name, batches_for(n), move |state| {
            let mut entities = vec![W::new().empty(); n];
            timed_worlds(state, n, |_: &mut W| {}, |world| spawn_each(world, &mut entities, parts))
        });
        suite.add(&format!("spawn_n/bytes:24/n:{n}"), name, batches_for(n), move |state| {
            timed_worlds(state, n, |_: &mut W| {}, |world| world.spawn_n(n, parts))
        });
        suite.add(&format!("spawn_again/bytes:24/n:{n}"), name, batches_for(n), move |state| {
            let entities = std::cell::RefCell::new(vec![W::new().empty(); n]);
            timed_worlds(
                state,
                n,
                |world: &mut W| {
                    let entities = &mut entities.borrow_mut();
                    spawn_each(world, entities, parts);
                    despawn_each(world, &in_order(entities, &shuffled(n, 1)));
                },
                |world| spawn_each(world, &mut entities.borrow_mut(), parts),
            )
        });
        for stale in [false, true] {
            let row = format!("get{}/bytes:12/n:{n}", if stale { "_stale" } else { "" });
            suite.add(&row, name, batches_for(n), move |state| {
                let mut world = W::new();
                let entities = in_order(&filled::<W, (P, V)>(&mut world, n), &shuffled(n, 1));
                if stale {
                    despawn_each(&mut world, &entities);
                    filled::<W, (P, V)>(&mut world, n);
                }
                let passes = passes_for(n, 200_000);
                let checksum = state.timed_passes(passes, &mut world, |world| world.look_up(&entities));
                Measured { items: n * passes, checksum }
            });
        }
        suite.add(&format!("memory/bytes:24/n:{n}"), name, 1, move |state| {
            let mut world = W::new();
            let empty = malloc_bytes();
            (0..n).for_each(|i| {
                world.spawn(<(P, V)>::at(i));
            });
            state.set_value((malloc_bytes() - empty) as f64 / n as f64);
            Measured { items: n, checksum: world.sum_of_positions() }
        });
    }
}

fn despawned<W: World, B: Parts>(state: &mut State, n: usize) -> Measured {
    let order = shuffled(n, 1);
    let mut subject = (W::new(), Vec::new());
    state.timed_batches(
        &mut subject,
        |(world, entities)| *entities = in_order(&filled::<W, B>(world, n), &order),
        |(world, entities)| despawn_each(world, entities),
    );
    filled::<W, B>(&mut subject.0, n);
    Measured { items: n, checksum: subject.0.sum_of_positions() }
}

fn add_remove<W: World, C: Part, B: Parts>(suite: &mut Suite, name: &str, operation: &str, random: bool) {
    for n in SIZES_OF_CHANGES {
        let row = format!("add_remove_{operation}/bytes:{}/n:{n}", size_of::<C>());
        suite.add(&row, name, batches_for(n), move |state| {
            let mut world = W::new();
            let entities = filled::<W, B>(&mut world, n);
            let ordered = |purpose| if random { in_order(&entities, &shuffled(n, purpose)) } else { entities.clone() };
            let (there, back) = (ordered(1), ordered(2));
            let passes = passes_for(n, 20_000);
            state.timed_passes(passes, &mut world, |world| {
                add_each::<W, C>(world, &there);
                remove_each::<W, C>(world, &back);
            });
            add_each::<W, C>(&mut world, &there);
            Measured { items: n * passes, checksum: world.count::<C>() + world.sum_of_positions() }
        });
    }
}

fn add_changes<W: World>(suite: &mut Suite, name: &str) {
    type Three = (P, V, Vec3<2>);
    for n in SIZES_OF_CHANGES {
        suite.add(&format!("despawn_1/bytes:12/n:{n}"), name, batches_for(n), move |state| {
            despawned::<W, (P,)>(state, n)
        });
        suite.add(&format!("despawn_8/bytes:96/n:{n}"), name, batches_for(n), move |state| {
            despawned::<W, Eight>(state, n)
        });
        suite.add(&format!("toggle/bytes:12/n:{n}"), name, batches_for(n), move |state| {
            let mut world = W::new();
            let entities = in_order(&filled::<W, (P, V)>(&mut world, n), &random_positions(n.max(20_000), n, 5));
            state.timed_batches(&mut world, |_| {}, |world| toggle_each(world, &entities));
            Measured { items: entities.len(), checksum: n as u64 }
        });
        suite.add(&format!("churn/bytes:36/n:{n}"), name, batches_for(n), move |state| {
            let mut subject = (W::new(), Vec::new());
            state.timed_batches(
                &mut subject,
                |(world, entities)| {
                    *world = W::new();
                    *entities = filled::<W, Three>(world, n);
                },
                |(world, entities)| churn(world, entities, n),
            );
            Measured { items: 10 * n, checksum: subject.0.sum_of_positions() }
        });
        suite.add(&format!("aged_update/bytes:36/n:{n}"), name, batches_for(n), move |state| {
            let mut world = W::new();
            let mut entities = filled::<W, Three>(&mut world, n);
            churn(&mut world, &mut entities, n);
            timed_update(state, &mut world, n, 3)
        });
        for live in [1, 50, 99] {
            suite.add(&format!("toggled/bytes:24/n:{n}/live:{live}"), name, batches_for(n), move |state| {
                let mut world = W::new();
                let entities = filled::<W, (P, V)>(&mut world, n);
                for i in shuffled(n, 1) {
                    if !is_live(i as usize, live) {
                        world.remove::<V>(entities[i as usize]);
                    }
                }
                timed_update(state, &mut world, n, 2)
            });
        }
    }
    add_remove::<W, Small, (P,)>(suite, name, "1", false);
    add_remove::<W, Small, Eight>(suite, name, "8", false);
    add_remove::<W, Big, (P,)>(suite, name, "1", false);
    add_remove::<W, Big, Eight>(suite, name, "8", false);
    add_remove::<W, Tag, (P,)>(suite, name, "1", false);
    add_remove::<W, Tag, Eight>(suite, name, "8", false);
    add_remove::<W, Small, (P,)>(suite, name, "random", true);
}

fn main() {
    slotwise_bench::harness::main(|suite| {
        add_walks::<Hecs>(suite, "rust_hecs");
        add_spawns::<Hecs>(suite, "rust_hecs");
        add_changes::<Hecs>(suite, "rust_hecs");
        add_swarm::<Hecs>(suite, "rust_hecs");
        add_walks::<Bevy>(suite, "rust_bevy");
        add_spawns::<Bevy>(suite, "rust_bevy");
        add_changes::<Bevy>(suite, "rust_bevy");
        add_swarm::<Bevy>(suite, "rust_bevy");
    });
}
