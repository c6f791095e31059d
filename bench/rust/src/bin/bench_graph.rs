// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! bench/graph/workload.hpp in Rust: what follows from changed values is computed again.

use incremental::{Incr, IncrState, Observer, Var};
use salsa::Setter;
use slotwise_bench::harness::{Measured, State, Suite};
use slotwise_bench::sequence::{random_positions, Random};

type Function = fn(u64, u64, u64) -> u64;

fn mix(a: u64, b: u64, salt: u64) -> u64 {
    a.wrapping_add(b.wrapping_mul(3)).wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
fn work(a: u64, b: u64, salt: u64) -> u64 {
    (0..40).fold(mix(a, b, salt), |x, _| (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9))
}
fn rare(a: u64, b: u64, salt: u64) -> u64 {
    u64::from(mix(a, b, salt) >> 60 == 0)
}

#[derive(Clone, Copy)]
struct NodeShape {
    call: Function,
    salt: u64,
    first: Option<u32>,
    second: Option<u32>,
}

#[derive(Clone, Default)]
struct Frame {
    changes: Vec<(u32, u64)>,
    runs: usize,
}

struct Workload {
    shape: Vec<NodeShape>,
    frames: Vec<Frame>,
    /// Nodes without consumers.
    ends: Vec<u32>,
    watched: Vec<u32>,
}

impl Workload {
    fn new(shape: Vec<NodeShape>, mut frames: Vec<Frame>) -> Self {
        let n = shape.len();
        let (mut constants, mut values) = (vec![0; n], vec![0; n]);
        let (mut dirty, mut read, mut ran) = (vec![true; n], vec![false; n], vec![false; n]);
        for round in 0..2 {
            for frame in &mut frames {
                for &(node, value) in &frame.changes {
                    dirty[node as usize] |= std::mem::replace(&mut constants[node as usize], value) != value;
                }
                frame.runs = 0;
                let mut changed = vec![false; n];
                for (i, node) in shape.iter().enumerate() {
                    let reads_changed =
                        [node.first, node.second].into_iter().flatten().any(|source| changed[source as usize]);
                    if !std::mem::take(&mut dirty[i]) && !reads_changed {
                        continue;
                    }
                    frame.runs += 1;
                    let value = (node.call)(
                        node.first.map_or(constants[i], |source| values[source as usize]),
                        node.second.map_or(0, |source| values[source as usize]),
                        node.salt,
                    );
                    changed[i] = std::mem::replace(&mut values[i], value) != value;
                    ran[i] |= round == 1;
                }
            }
        }
        for source in shape.iter().flat_map(|node| [node.first, node.second]).flatten() {
            read[source as usize] = true;
        }
        let any = frames.iter().any(|frame| frame.runs != 0);
        let ends: Vec<u32> = (0..n as u32).filter(|&i| !read[i as usize]).collect();
        let watched = ends.iter().copied().filter(|&i| ran[i as usize] || !any).collect();
        Workload { shape, frames, ends, watched }
    }

    fn runs(&self) -> usize {
        self.frames.iter().map(|frame| frame.runs).sum()
    }
}

fn two_frames() -> Vec<Frame> {
    vec![Frame { changes: vec![(0, 1)], runs: 0 }, Frame { changes: vec![(0, 2)], runs: 0 }]
}
fn linear(n: u32) -> Workload {
    let node = |i: u32| NodeShape { call: mix, salt: i.into(), first: i.checked_sub(1), second: None };
    Workload::new((0..n).map(node).collect(), two_frames())
}
fn fanout(n: u32) -> Workload {
    let node = |i: u32| NodeShape { call: mix, salt: i.into(), first: (i != 0).then_some(0), second: None };
    Workload::new((0..n).map(node).collect(), two_frames())
}
fn chains(n: u32, changed: u32, call: Function) -> Workload {
    let node = |i: u32| NodeShape { call, salt: i.into(), first: (i % 10 != 0).then(|| i - 1), second: None };
    let frame = |value: u64| Frame {
        changes: (0..changed)
            .map(|i| ((u64::from(n / 10) * u64::from(i) / u64::from(changed) * 10) as u32, value))
            .collect(),
        runs: 0,
    };
    Workload::new((0..n).map(node).collect(), (1..=4).map(frame).collect())
}
fn random_graph(n: u32) -> Workload {
    let mut random = Random::new(n.into());
    let node = |i: u32| {
        let call = if random.below(4) == 0 { mix } else { rare };
        let constant = i < 2 || i % 10 == 0;
        let mut source = || (!constant).then(|| random.below(i as usize));
        let (first, second) = (source(), source());
        NodeShape { call: if constant { mix } else { call }, salt: i.into(), first, second }
    };
    let shape = (0..n).map(node).collect();
    let frame = |f: u64| Frame {
        changes: random_positions(n as usize / 1000, n as usize / 10, f % 8)
            .into_iter()
            .map(|i| (i * 10, f + 1))
            .collect(),
        runs: 0,
    };
    Workload::new(shape, (0..16).map(frame).collect())
}

//=== contenders ===//

trait Graph {
    fn new(workload: &Workload) -> Self;
    fn set(&mut self, node: u32, value: u64);
    fn evaluate(&mut self);
    /// Of a node without consumers.
    fn value(&self, node: u32) -> u64;
}

/// salsa: a node is an input, its value a tracked function. A frame asks for the nodes without consumers.
#[salsa::input]
struct Node {
    #[returns(copy)]
    constant: u64,
    #[returns(ref)]
    reads: Reads,
}
struct Reads {
    call: Function,
    salt: u64,
    first: Option<Node>,
    second: Option<Node>,
}
#[salsa::tracked(returns(copy))]
fn value_of(db: &dyn salsa::Database, node: Node) -> u64 {
    let reads = node.reads(db);
    let a = reads.first.map_or_else(|| node.constant(db), |source| value_of(db, source));
    let b = reads.second.map_or(0, |source| value_of(db, source));
    (reads.call)(a, b, reads.salt)
}

struct Salsa {
    db: salsa::DatabaseImpl,
    nodes: Vec<Node>,
    ends: Vec<u32>,
    values: Vec<u64>,
}

impl Graph for Salsa {
    fn new(workload: &Workload) -> Self {
        let db = salsa::DatabaseImpl::new();
        let mut nodes: Vec<Node> = Vec::new();
        for shape in &workload.shape {
            let source = |i: Option<u32>| i.map(|i| nodes[i as usize]);
            let reads =
                Reads { call: shape.call, salt: shape.salt, first: source(shape.first), second: source(shape.second) };
            nodes.push(Node::new(&db, 0, reads));
        }
        Salsa { db, nodes, ends: workload.ends.clone(), values: vec![0; workload.shape.len()] }
    }
    fn set(&mut self, node: u32, value: u64) {
        self.nodes[node as usize].set_constant(&mut self.db).to(value);
    }
    fn evaluate(&mut self) {
        for &end in &self.ends {
            self.values[end as usize] = value_of(&self.db, self.nodes[end as usize]);
        }
    }
    fn value(&self, node: u32) -> u64 {
        self.values[node as usize]
    }
}

/// incremental: a node is a map of one or two others, and those without consumers are observed.
struct Incremental {
    state: IncrState,
    constants: Vec<Option<Var<u64>>>,
    observers: Vec<Option<Observer<u64>>>,
}

impl Graph for Incremental {
    fn new(workload: &Workload) -> Self {
        let n = workload.shape.len();
        let state = IncrState::new_with_height(n + 16);
        let mut constants = Vec::new();
        let mut nodes: Vec<Incr<u64>> = Vec::new();
        for &NodeShape { call, salt, first, second } in &workload.shape {
            let constant = first.is_none().then(|| state.var(0));
            let a = first.map_or_else(|| constant.as_ref().unwrap().watch(), |source| nodes[source as usize].clone());
            nodes.push(match second {
                None => a.map(move |&a| call(a, 0, salt)),
                Some(source) => a.map2(&nodes[source as usize], move |&a, &b| call(a, b, salt)),
            });
            constants.push(constant);
        }
        let mut observers: Vec<Option<Observer<u64>>> = (0..n).map(|_| None).collect();
        for &end in &workload.ends {
            observers[end as usize] = Some(nodes[end as usize].observe());
        }
        Incremental { state, constants, observers }
    }
    fn set(&mut self, node: u32, value: u64) {
        self.constants[node as usize].as_ref().unwrap().set(value);
    }
    fn evaluate(&mut self) {
        self.state.stabilise();
    }
    fn value(&self, node: u32) -> u64 {
        self.observers[node as usize].as_ref().unwrap().value()
    }
}

//=== rows ===//

#[inline(never)]
fn run_frames<G: Graph>(graph: &mut G, frames: &[Frame], rounds: usize) {
    for _ in 0..rounds {
        for frame in frames {
            for &(node, value) in &frame.changes {
                graph.set(node, value);
            }
            graph.evaluate();
        }
    }
}
fn sum_of<G: Graph>(graph: &G, nodes: &[u32]) -> u64 {
    nodes.iter().fold(0, |sum: u64, &node| sum.wrapping_mul(31).wrapping_add(graph.value(node)))
}
fn measure_frames<G: Graph>(state: &mut State, workload: &Workload, per_frame: bool) -> Measured {
    let mut graph = G::new(workload);
    // salsa looks at all that is asked for.
    let seen = workload.runs() + workload.frames.len() * (4 + workload.shape.len() / 20);
    let rounds = (10_000 / seen).max(1);
    run_frames(&mut graph, &workload.frames, 2);
    state.timed_batches(&mut graph, |_| {}, |graph| run_frames(graph, &workload.frames, rounds));
    let items = rounds * if per_frame { workload.frames.len() } else { workload.runs() };
    Measured { items, checksum: sum_of(&graph, &workload.watched) }
}

fn add_graph<G: Graph + 'static>(suite: &mut Suite, name: &str) {
    type Make = fn(u32) -> Workload;
    let add = |suite: &mut Suite, operation: &str, n: u32, per_frame: bool, make: Make| {
        let made = std::cell::OnceCell::new();
        suite.add(&format!("{operation}/bytes:8/n:{n}"), name, 9, move |state| {
            measure_frames::<G>(state, made.get_or_init(|| make(n)), per_frame)
        });
    };
    add(suite, "linear", 1000, false, linear);
    add(suite, "fanout", 1000, false, fanout);
    add(suite, "unchanged_900", 1000, true, |n| chains(n, 10, mix));
    add(suite, "changed_10", 1000, false, |n| chains(n, 10, mix));
    add(suite, "changed_10_work", 1000, false, |n| chains(n, 10, work));
    add(suite, "changed_100", 100_000, false, |n| chains(n, 100, mix));
    for n in [1000, 100_000] {
        add(suite, "random", n, false, random_graph);
        add(suite, "clean", n, true, |n| chains(n, 0, mix));
        let made = std::cell::OnceCell::new();
        suite.add(&format!("build/bytes:8/n:{n}"), name, 9, move |state| {
            let workload: &Workload = made.get_or_init(|| random_graph(n));
            let mut built: Vec<Option<G>> = (0..(10_000 / n).max(1)).map(|_| None).collect();
            state.timed_batches(
                &mut built,
                |built| built.iter_mut().for_each(|each| *each = None),
                |built| built.iter_mut().for_each(|each| *each = Some(G::new(workload))),
            );
            let graph = built.last_mut().unwrap().as_mut().unwrap();
            run_frames(graph, &workload.frames, 1);
            Measured {
                items: built.len() * workload.shape.len(),
                checksum: sum_of(built.last().unwrap().as_ref().unwrap(), &workload.watched),
            }
        });
    }
}

fn main() {
    // A chain of a thousand is a recursion as deep.
    let all = || {
        slotwise_bench::harness::main(|suite| {
            add_graph::<Salsa>(suite, "rust_salsa");
            add_graph::<Incremental>(suite, "rust_incremental");
        });
    };
    std::thread::Builder::new().stack_size(1 << 30).spawn(all).unwrap().join().unwrap();
}
