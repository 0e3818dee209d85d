//! The critical path: walking back from the last node along the arcs that bind, what the time consists of.

use super::gpu::Pace;
use super::graph::{Arc, ArcKind, Change, Node, ORIGIN};
use super::model::Model;
use super::nodes::{Item, Nodes};
use super::window::LaunchedKind;
use crate::base::ids::ThreadId;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::capture::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;
use crate::capture::names::{range_in_words, without_version};
use crate::figures::kernel_kinds::KernelKind;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a part of the critical path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// A kernel ran.
    Kernels,
    /// GPUs exchanged data.
    Exchange,
    /// A copy ran.
    Copies,
    /// A memset ran.
    Memsets,
    /// The host was in a call.
    HostCalls,
    /// The host was between calls.
    HostCode,
    /// The program waited for something outside.
    Input,
    /// A launch, a wait or another thread was on its way.
    Latency,
    /// Work waited though nothing that was recorded held it up.
    Stall,
    /// Nothing in the window is the cause.
    Start,
}

impl PathClass {
    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Exchange => "exchange",
            Self::Copies => "copies",
            Self::Memsets => "memsets",
            Self::HostCalls => "host_calls",
            Self::HostCode => "host_code",
            Self::Input => "input",
            Self::Latency => "latency",
            Self::Stall => "stall",
            Self::Start => "start",
        }
    }
}

/// A part of the critical path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPart {
    /// What it is.
    pub class: PathClass,
    /// Which: the kind of kernels, the direction of copies, the function, the range around; empty if nothing tells.
    pub name: String,
    /// Its time in all iterations.
    pub time_ns: Ns,
}

/// What the time of the iterations consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its parts, longest first.
    pub parts: Vec<PathPart>,
    /// Its length.
    pub length_ns: Ns,
    /// What of it no record explains: stalls, and arcs that are inferred.
    pub unexplained_ns: Ns,
    /// The iterations that it leads through.
    pub iterations: Ns,
}

impl CriticalPath {
    /// What of it no record explains, in percent.
    #[must_use]
    pub fn unexplained_percent(&self) -> f64 {
        percent(self.unexplained_ns, self.length_ns)
    }

    /// The class that it consists of most, and its share in percent.
    #[must_use]
    pub fn limiter(&self) -> Option<(PathClass, f64)> {
        let mut sums: BTreeMap<PathClass, Ns> = BTreeMap::new();
        for part in &self.parts {
            *sums.entry(part.class).or_default() += part.time_ns;
        }
        let (class, time) = sums.into_iter().max_by_key(|&(class, time)| (time, Reverse(class)))?;
        Some((class, percent(time, self.length_ns)))
    }
}

/// The critical path of a window with a change and the times that follow from it.
pub(super) fn critical_path(model: &Model, change: &Change<'_>, times: &[Ns]) -> CriticalPath {
    model.profile.look(|facts| Walk::new(model, facts).path(change, times))
}

struct Walk<'a, 'c> {
    model: &'a Model,
    facts: &'a Classified<'c>,
    nodes: Nodes,
    /// By thread: its innermost ranges, once something asks for them.
    ranges: BTreeMap<usize, InnermostRanges>,
    sums: BTreeMap<(PathClass, String), Ns>,
    unexplained_ns: Ns,
}

/// What of the critical path as it was recorded no record explains, in percent.
pub(super) fn unexplained_percent(model: &Model) -> f64 {
    let (graph, observed) = (Change::none(&model.graph), &model.graph.observed);
    let (mut node, mut unexplained_ns) = (last_node(observed), 0);
    while let Some(arc) = graph.binding(node, observed).filter(|_| node != ORIGIN) {
        let time = observed[node as usize].saturating_sub(observed[arc.source as usize]);
        if arc.is_inferred || stall(&model.pace, arc.kind, time).is_some() {
            unexplained_ns += time;
        }
        node = arc.source;
    }
    percent(unexplained_ns, model.length_ns(observed))
}

fn last_node(times: &[Ns]) -> Node {
    (0..).zip(times).max_by_key(|&(node, &time)| (time, Reverse(node))).map_or(ORIGIN, |(node, _)| node)
}

/// What stands still, if work waited so long that nothing that was recorded holds it up.
fn stall(pace: &Pace, kind: ArcKind, time: Ns) -> Option<&'static str> {
    match kind {
        ArcKind::Stream | ArcKind::Cross | ArcKind::Graph if time > pace.turnaround.typical + STALL => {
            Some("GPU stands still")
        }
        ArcKind::Launch if time > (10 * pace.latency.typical).max(50_000) => Some("late start of work"),
        _ => None,
    }
}

/// A stream that stands still longer than this, beyond the usual time between kernels, stalls.
const STALL: Ns = 20_000;

impl<'a, 'c> Walk<'a, 'c> {
    fn new(model: &'a Model, facts: &'a Classified<'c>) -> Self {
        let nodes = Nodes::of(&model.window);
        Self { model, facts, nodes, ranges: BTreeMap::new(), sums: BTreeMap::new(), unexplained_ns: 0 }
    }

    fn path(mut self, change: &Change<'_>, times: &[Ns]) -> CriticalPath {
        let mut node = last_node(times);
        while let Some(arc) = change.binding(node, times).filter(|_| node != ORIGIN) {
            let time = times[node as usize].saturating_sub(times[arc.source as usize]);
            let (class, name) = self.part(node, arc, time);
            if class == PathClass::Stall || arc.is_inferred {
                self.unexplained_ns += time;
            }
            *self.sums.entry((class, name)).or_default() += time;
            node = arc.source;
        }
        let parts = self.sums.into_iter().filter(|&(_, time_ns)| time_ns != 0);
        let mut parts: Vec<PathPart> =
            parts.map(|((class, name), time_ns)| PathPart { class, name, time_ns }).collect();
        parts.sort_by(|a, b| {
            (Reverse(a.time_ns), a.class, &a.name).cmp(&(Reverse(b.time_ns), b.class, &b.name))
        });
        let (unexplained_ns, iterations) = (self.unexplained_ns, self.model.iterations());
        CriticalPath { parts, length_ns: self.model.length_ns(times), unexplained_ns, iterations }
    }

    /// What the time from the source of an arc to its node is.
    fn part(&mut self, node: Node, arc: Arc, time: Ns) -> (PathClass, String) {
        let text = |class, name: &str| (class, name.to_owned());
        if let Some(name) = stall(&self.model.pace, arc.kind, time) {
            return text(PathClass::Stall, name);
        }
        match (arc.kind, self.nodes.item(node)) {
            (ArcKind::Duration | ArcKind::Peer, Item::WorkEnd(work)) => self.work(work),
            (ArcKind::Host, Item::CallEnd(call)) => text(PathClass::HostCalls, self.function(call)),
            (ArcKind::Gap, Item::CallStart(call)) => (PathClass::HostCode, self.range(call, time)),
            (kind, _) => text(class_of(kind), name_of(kind)),
        }
    }

    fn work(&self, at: usize) -> (PathClass, String) {
        let (work, profile) = (&self.model.window.work[at], &self.model.profile);
        match work.kind {
            LaunchedKind::Kernel => {
                let kind = profile.judge_kernel(work.id).kind;
                (PathClass::Kernels, kind.words_on(profile.capture.recorder.vendor).to_owned())
            }
            LaunchedKind::Graph => {
                let graphs = KernelKind::Graph.words_on(profile.capture.recorder.vendor);
                (PathClass::Kernels, graphs.to_owned())
            }
            LaunchedKind::Exchange => (PathClass::Exchange, profile.capture.work_name(work.id).to_owned()),
            LaunchedKind::Copy => (PathClass::Copies, profile.capture.work_name(work.id).to_owned()),
            LaunchedKind::Memset => (PathClass::Memsets, String::new()),
        }
    }

    fn function(&self, call: usize) -> &'a str {
        without_version(self.model.profile.capture.strings.get(self.model.window.calls[call].name))
    }

    /// The range that was the innermost one of the thread in the middle of the gap in front of a call.
    fn range(&mut self, call: usize, gap: Ns) -> String {
        let call = &self.model.window.calls[call];
        if call.thread >= self.facts.threads() {
            return String::new();
        }
        let (facts, thread) = (self.facts, ThreadId::new(call.thread));
        let ranges =
            self.ranges.entry(call.thread).or_insert_with(|| InnermostRanges::of_thread(facts, thread));
        let Some(row) = ranges.find(call.span.start - gap.max(0) / 2) else { return String::new() };
        let all = &facts.activity().ranges;
        let text = all.texts[all.by_thread[call.thread].text[row as usize].index()].text;
        range_in_words(facts.activity().strings.get(text)).to_owned()
    }
}

fn class_of(kind: ArcKind) -> PathClass {
    match kind {
        ArcKind::Arrival => PathClass::Input,
        ArcKind::Origin => PathClass::Start,
        _ => PathClass::Latency,
    }
}

fn name_of(kind: ArcKind) -> &'static str {
    match kind {
        ArcKind::HandOver => "hand-over between threads",
        ArcKind::Wait => "return from a wait",
        ArcKind::Queue => "full launch queue",
        ArcKind::Launch => "launch",
        ArcKind::Stream | ArcKind::Graph => "between kernels of a stream",
        ArcKind::Cross => "between streams",
        _ => "",
    }
}
