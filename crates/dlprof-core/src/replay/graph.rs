//! What waits for what: nodes, the arcs between them, and the replay itself.
//!
//! ```text
//! call       ├─ launch ─┤   ├─ launch ─┤      t(node) = max over its arcs of t(source) + lag
//! stream         ╲──├─ kernel ─┤─├─ kernel ─┤
//! ```
//!
//! Of the arcs of a node one binds: the one whose source and usual lag come last. It gets the lag that was observed, so that every
//! time is exactly the observed one as long as nothing is changed.

use crate::base::ratios::{rounded, to_f64};
use crate::base::time::{Ns, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

/// The number of a node: 0 is the start of the window.
pub(super) type Node = u32;

/// The start of the window.
pub(super) const ORIGIN: Node = 0;

/// What an arc says: why its node is not earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArcKind {
    /// Nothing in the window is its cause.
    Origin,
    /// The host was between two calls.
    Gap,
    /// The host was in a call.
    Host,
    /// Another thread handed over.
    HandOver,
    /// Something from outside arrived.
    Arrival,
    /// The host waited for GPU work.
    Wait,
    /// The launch queue was full.
    Queue,
    /// A launch was on its way.
    Launch,
    /// Work before it on its stream.
    Stream,
    /// Work on another stream.
    Cross,
    /// The work itself.
    Duration,
    /// An exchange waited for another GPU.
    Peer,
    /// Work before it in its CUDA graph.
    Graph,
}

/// An arc of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub(super) source: Node,
    pub(super) kind: ArcKind,
    /// Whether no record says it.
    pub(super) is_inferred: bool,
    pub(super) lag: Ns,
}

/// What an arc costs before it is known which one binds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usual {
    /// To find the one that binds.
    pub(super) least: Ns,
    /// Where another one binds.
    pub(super) typical: Ns,
}

impl From<Ns> for Usual {
    fn from(lag: Ns) -> Self {
        Self { least: lag, typical: lag }
    }
}

/// Clocks of the host and of a GPU differ by less than this.
pub(super) const CLOCK_SKEW: Ns = 50_000;

/// A graph that is being made.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) observed: Vec<Ns>,
    /// By node: its place in the order of time.
    place: Vec<u32>,
    order: Vec<Node>,
    arcs: Vec<(Node, Arc, Usual)>,
    /// Whether an arc runs against time.
    is_skewed: bool,
    /// Arcs that the recorded times contradict.
    contradicted: usize,
}

impl Draft {
    /// Nodes with these times: the start of the window, then a start and an end for each item.
    pub(super) fn new(observed: Vec<Ns>) -> Self {
        let count = Node::try_from(observed.len()).unwrap_or(Node::MAX);
        let rank = |node: Node| match (node % 2, node as usize) {
            (1, _) => 1,
            (_, at) if observed[at] > observed[at - 1] => 0,
            _ => 2,
        };
        let mut order: Vec<Node> = (1..count).collect();
        order.sort_by_key(|&node| (observed[node as usize], rank(node), node));
        let mut draft = Self {
            place: vec![0; observed.len()],
            observed,
            order,
            arcs: Vec::new(),
            is_skewed: false,
            contradicted: 0,
        };
        draft.number();
        draft
    }

    fn number(&mut self) {
        for (at, &node) in (1..).zip(&self.order) {
            self.place[node as usize] = at;
        }
    }

    pub(super) fn time(&self, node: Node) -> Ns {
        self.observed[node as usize]
    }

    fn is_behind(&self, node: Node, source: Node) -> bool {
        self.place[source as usize] < self.place[node as usize]
    }

    /// Adds an arc, unless the recorded times contradict it; says whether it did.
    pub(super) fn arc(&mut self, node: Node, kind: ArcKind, source: Node, usual: impl Into<Usual>) -> bool {
        self.add(node, kind, source, usual.into(), false)
    }

    /// As [`Draft::arc`], of an arc that no record says.
    pub(super) fn inferred(
        &mut self,
        node: Node,
        kind: ArcKind,
        source: Node,
        usual: impl Into<Usual>,
    ) -> bool {
        self.add(node, kind, source, usual.into(), true)
    }

    fn add(&mut self, node: Node, kind: ArcKind, source: Node, usual: Usual, is_inferred: bool) -> bool {
        let is_behind = self.is_behind(node, source);
        let late = self.time(source).saturating_sub(self.time(node));
        // Of what is recorded at one time, as calls that take no time on the clock of a trace, the times do not say which came first.
        let may_be_skewed =
            late == 0 || matches!(kind, ArcKind::Wait | ArcKind::Launch) && (0..CLOCK_SKEW).contains(&late);
        if !is_behind && !may_be_skewed {
            self.contradicted += 1;
            return false;
        }
        self.is_skewed |= !is_behind;
        self.arcs.push((node, Arc { source, kind, is_inferred, lag: 0 }, usual));
        true
    }

    /// The graph, with observed lags where arcs bind.
    pub(super) fn finish(mut self) -> Graph {
        self.arcs.sort_by_key(|&(node, ..)| node);
        if self.is_skewed && !self.order_by_dependencies() {
            let mut arcs = std::mem::take(&mut self.arcs);
            arcs.retain(|&(node, arc, _)| self.is_behind(node, arc.source));
            self.arcs = arcs;
        }
        let mut graph =
            Graph { first: vec![0], arcs: Vec::with_capacity(self.arcs.len()), ..Graph::default() };
        let mut rest = &self.arcs[..];
        for (node, &time) in (0..).zip(&self.observed) {
            let (own, others) = rest.split_at(rest.partition_point(|&(of, ..)| of <= node));
            rest = others;
            if node != ORIGIN && own.is_empty() {
                let lag = time - self.observed[0];
                graph.arcs.push(Arc { source: ORIGIN, kind: ArcKind::Origin, is_inferred: true, lag });
            }
            self.bind(time, own, &mut graph.arcs);
            graph.first.push(u32::try_from(graph.arcs.len()).unwrap_or(u32::MAX));
        }
        graph.contradicted = self.contradicted;
        graph.order = self.order;
        graph.place = self.place;
        graph.observed = self.observed;
        graph
    }

    /// The observed lag for the arc that binds, the usual one or less for the others.
    fn bind(&self, time: Ns, own: &[(Node, Arc, Usual)], arcs: &mut Vec<Arc>) {
        let reach = |&(_, arc, usual): &(Node, Arc, Usual)| self.time(arc.source).saturating_add(usual.least);
        let last = own.iter().map(reach).max();
        let binding = own.iter().position(|candidate| Some(reach(candidate)) == last);
        for (at, &(_, arc, usual)) in own.iter().enumerate() {
            let seen = time - self.time(arc.source);
            let lag = if Some(at) == binding { seen } else { usual.typical.min(seen) };
            arcs.push(Arc { lag, ..arc });
        }
    }

    /// Orders nodes by what they wait for, then by time: a wait may end before its work does where clocks differ, and several things may have
    /// one time. False where arcs make a circle.
    fn order_by_dependencies(&mut self) -> bool {
        let mut missing = vec![0_u32; self.observed.len()];
        let mut behind: Vec<(Node, Node)> = Vec::with_capacity(self.arcs.len());
        for &(node, arc, _) in self.arcs.iter().filter(|(_, arc, _)| arc.source != ORIGIN) {
            missing[node as usize] += 1;
            behind.push((arc.source, node));
        }
        behind.sort_unstable();
        let key = |node: Node| Reverse((self.observed[node as usize], self.place[node as usize], node));
        let free = self.order.iter().filter(|&&node| missing[node as usize] == 0);
        let mut ready: BinaryHeap<_> = free.map(|&node| key(node)).collect();
        let mut order = Vec::with_capacity(self.order.len());
        while let Some(Reverse((_, _, node))) = ready.pop() {
            order.push(node);
            let from = behind.partition_point(|&(source, _)| source < node);
            for &(_, next) in behind[from..].iter().take_while(|&&(source, _)| source == node) {
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    ready.push(key(next));
                }
            }
        }
        if order.len() < self.order.len() {
            return false;
        }
        self.order = order;
        self.number();
        true
    }
}

/// What waits for what in a window.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) observed: Vec<Ns>,
    place: Vec<u32>,
    order: Vec<Node>,
    /// By node: its first arc; one more than there are nodes.
    first: Vec<u32>,
    arcs: Vec<Arc>,
    /// Arcs that the recorded times contradict.
    pub(super) contradicted: usize,
}

/// The lag of an arc that an edit took away.
const GONE: Ns = Ns::MIN;

/// Changed lags, and arcs that are added.
#[derive(Debug, Clone)]
pub(super) struct Change<'g> {
    graph: &'g Graph,
    lags: Vec<Ns>,
    /// What changes of lags begin with: those of the graph, but for work that became one piece.
    own: Vec<Ns>,
    added: BTreeMap<Node, Vec<Arc>>,
    /// By node: the parts of its time that are changed, and how many times as long they are.
    parts: BTreeMap<Node, Vec<(Span, f64)>>,
}

impl<'g> Change<'g> {
    /// No change.
    pub(super) fn none(graph: &'g Graph) -> Self {
        Self {
            graph,
            lags: graph.arcs.iter().map(|arc| arc.lag).collect(),
            own: graph.arcs.iter().map(|arc| arc.lag).collect(),
            added: BTreeMap::new(),
            parts: BTreeMap::new(),
        }
    }

    /// The arcs of a kind of a node get another lag. Where it is changed already, the smaller one counts.
    pub(super) fn set(&mut self, node: Node, kind: ArcKind, lag: impl Fn(Ns) -> Ns) {
        for at in self.graph.arcs_of(node) {
            let arc = self.graph.arcs[at];
            if arc.kind == kind && self.lags[at] != GONE {
                let new = lag(self.own[at]);
                self.lags[at] = if self.lags[at] == self.own[at] { new } else { new.min(self.lags[at]) };
            }
        }
    }

    /// The lag of a kind of a node is that of others as well, which have none of their own any more: together they become what a function
    /// of the first and of the sum of the others says. Whether they were changed before or are changed later makes no difference.
    pub(super) fn join(
        &mut self,
        first: Node,
        others: &[Node],
        kind: ArcKind,
        together: impl Fn(Ns, Ns) -> Ns,
    ) {
        let graph = self.graph;
        let arcs = |node: Node| graph.arcs_of(node).filter(|&at| graph.arcs[at].kind == kind);
        for lags in [&mut self.lags, &mut self.own] {
            let longest = |lags: &[Ns], node| arcs(node).map(|at| lags[at].max(0)).max().unwrap_or(0);
            let own_ns = longest(lags, first);
            let others_ns: Ns = others.iter().map(|&node| longest(lags, node)).sum();
            let joined_ns = together(own_ns, others_ns);
            for at in arcs(first) {
                lags[at] = if lags[at] == GONE { GONE } else { joined_ns };
            }
            for at in others.iter().flat_map(|&node| arcs(node)) {
                lags[at] = lags[at].min(0);
            }
        }
    }

    /// As [`Change::set`], of the arcs from one source alone.
    pub(super) fn set_from(&mut self, node: Node, kind: ArcKind, source: Node, lag: impl Fn(Ns) -> Ns) {
        let is_meant = self.graph.arcs_of(node).any(|at| self.graph.arcs[at].source == source);
        if is_meant {
            self.set(node, kind, lag);
        }
    }

    /// Parts of the time of the arcs of a kind of a node, in order and without overlaps, take so many times as long. Of a part that is
    /// changed more than once, the shortest counts; what is changed of all of the time as well is no longer than that.
    pub(super) fn scale_parts(&mut self, node: Node, kind: ArcKind, parts: &[Span], times: f64) {
        let known = self.parts.entry(node).or_default();
        *known = merged(known, parts, times);
        let less = |&(part, times): &(Span, f64)| to_f64(part.length()) * (1.0 - times);
        let shorter = rounded(known.iter().map(less).sum());
        self.set(node, kind, |lag| (lag - shorter).max(0));
    }

    /// The arcs of a kind of a node are gone.
    pub(super) fn remove(&mut self, node: Node, kind: ArcKind) {
        for at in self.graph.arcs_of(node) {
            if self.graph.arcs[at].kind == kind {
                self.lags[at] = GONE;
            }
        }
    }

    /// One arc more, if it runs with time.
    pub(super) fn add(&mut self, node: Node, kind: ArcKind, source: Node, lag: Ns) {
        if self.graph.place[source as usize] < self.graph.place[node as usize] {
            self.added.entry(node).or_default().push(Arc { source, kind, is_inferred: true, lag });
        }
    }

    /// The arcs of a node as they are now.
    fn arcs_of(&self, node: Node) -> impl Iterator<Item = Arc> {
        let own = self.graph.arcs_of(node).map(|at| Arc { lag: self.lags[at], ..self.graph.arcs[at] });
        let added = if self.added.is_empty() { None } else { self.added.get(&node) };
        own.filter(|arc| arc.lag != GONE).chain(added.into_iter().flatten().copied())
    }

    /// By node: when it is.
    pub(super) fn replay(&self) -> Vec<Ns> {
        let begin = self.graph.observed[0];
        let mut times = vec![begin; self.graph.observed.len()];
        for &node in &self.graph.order {
            let reach = |arc: Arc| times[arc.source as usize].saturating_add(arc.lag);
            times[node as usize] = self.arcs_of(node).map(reach).max().unwrap_or(begin);
        }
        times
    }

    /// The arc that holds a node up, given when each node is.
    pub(super) fn binding(&self, node: Node, times: &[Ns]) -> Option<Arc> {
        let reach = |arc: &Arc| times[arc.source as usize].saturating_add(arc.lag);
        self.arcs_of(node).find(|arc| reach(arc) == times[node as usize])
    }
}

/// Parts with how many times as long they take, and others that all take so many times as long; the shortest counts.
fn merged(known: &[(Span, f64)], others: &[Span], times: f64) -> Vec<(Span, f64)> {
    let of_known = known.iter().flat_map(|(span, _)| [span.start, span.end]);
    let mut bounds: Vec<Ns> = of_known.chain(others.iter().flat_map(|span| [span.start, span.end])).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let (mut own, mut other) = (0, 0);
    let piece = |bounds: &[Ns]| {
        let piece = Span::new(bounds[0], bounds[1]);
        while known.get(own).is_some_and(|(span, _)| span.end <= piece.start) {
            own += 1;
        }
        while others.get(other).is_some_and(|span| span.end <= piece.start) {
            other += 1;
        }
        let here = known.get(own).filter(|(span, _)| span.start <= piece.start).map(|&(_, times)| times);
        let there = others.get(other).filter(|span| span.start <= piece.start).map(|_| times);
        here.into_iter().chain(there).min_by(f64::total_cmp).map(|least| (piece, least))
    };
    bounds.windows(2).filter_map(piece).collect()
}

impl Graph {
    fn arcs_of(&self, node: Node) -> Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Whether a node has an arc of a kind.
    pub(super) fn has(&self, node: Node, kind: ArcKind) -> bool {
        self.arcs_of(node).any(|at| self.arcs[at].kind == kind)
    }
}
