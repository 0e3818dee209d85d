//! The critical path: walking back from the last node along the arcs that bind, what the time consists of.

use super::gpu::Pace;
use super::graph::{Arc, ArcKind, Change, Node, ORIGIN};
use super::model::Model;
use super::nodes::{Item, Nodes};
use super::window::LaunchedKind;
use crate::base::ids::{ThreadId, WorkId};
use crate::base::intervals::{covered_ns, union};
use crate::base::ratios::percent;
use crate::base::time::{Ns, Span};
use crate::capture::classified::Classified;
use crate::capture::classified::innermost::InnermostRanges;
use crate::capture::classified::order::Row;
use crate::capture::names::{range_in_words, without_version};
use crate::figures::kernel_kinds::KernelKind;
use serde::Serialize;
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
    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::Kernels,
        Self::Exchange,
        Self::Copies,
        Self::Memsets,
        Self::HostCalls,
        Self::HostCode,
        Self::Input,
        Self::Latency,
        Self::Stall,
        Self::Start,
    ];

    /// What it means.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Kernels => "A kernel ran that exchanges no data, and what came next waited for it.",
            Self::Exchange => "GPUs exchanged data, and what came next waited for it.",
            Self::Copies => "A copy ran, and what came next waited for it.",
            Self::Memsets => "A memset ran, and what came next waited for it.",
            Self::HostCalls => {
                "The host was in a CUDA call that did not wait for the GPU, and the next work waited for the host."
            }
            Self::HostCode => {
                "The host ran the program's own code between two CUDA calls, and the next work waited for the host; `name` is the \
                 innermost range around it."
            }
            Self::Input => {
                "The program waited for something outside: the next batch, a file, another process."
            }
            Self::Latency => {
                "From a launch to its start, from one kernel of a stream to the next, from the end of GPU work to the host that waits \
                 for it, or from one thread to another; `name` says which."
            }
            Self::Stall => "Work waited though nothing that was recorded held it up.",
            Self::Start => {
                "Nothing in the window is the cause: what held the step up began before it, or was launched by calls that are not \
                 recorded."
            }
        }
    }

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

    /// The words for people.
    #[must_use]
    pub fn words(self) -> String {
        self.as_str().replace('_', " ")
    }

    /// What limits a program whose critical path mostly consists of it; `None` where no record says what held it up.
    fn limits(self) -> Option<&'static str> {
        match self {
            Self::Kernels => Some("GPU compute"),
            Self::Exchange => Some("exchange between GPUs"),
            Self::Copies | Self::Memsets => Some("copying"),
            Self::HostCalls | Self::HostCode => Some("the CPU"),
            Self::Input => Some("input"),
            Self::Latency => Some("latency between CPU and GPU"),
            Self::Stall | Self::Start => None,
        }
    }
}

/// Where more of the critical path than this is unexplained, no figure is given.
pub const MOST_UNEXPLAINED_PERCENT: f64 = 30.0;

/// What limits: what most of a critical path consists of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PathLimit {
    /// In words, such as `the CPU`.
    pub what: &'static str,
    /// Its share of the critical path in percent.
    pub percent: f64,
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
}

impl CriticalPath {
    /// The time of a part in an iteration of this length: its share of the path, which is longer where the last iteration is followed by
    /// more of it.
    #[must_use]
    pub fn time_in(&self, part: &PathPart, iteration_ns: Ns) -> Ns {
        let time = i128::from(iteration_ns) * i128::from(part.time_ns) / i128::from(self.length_ns.max(1));
        Ns::try_from(time).unwrap_or(Ns::MAX)
    }

    /// What of it no record explains, in percent.
    #[must_use]
    pub fn unexplained_percent(&self) -> f64 {
        percent(self.unexplained_ns, self.length_ns)
    }
}

/// What limits with a change; `None` where too much of the critical path, or most of it, is not explained.
pub(super) fn limiter(model: &Model, change: &Change<'_>, times: &[Ns]) -> Option<PathLimit> {
    if unexplained(model, change, times) > MOST_UNEXPLAINED_PERCENT {
        return None;
    }
    let nodes = Nodes::of(&model.window);
    let mut sums: BTreeMap<Option<&'static str>, Ns> = BTreeMap::new();
    for (node, arc, time) in back(change, times) {
        let (item, kind) = spent_in(model, nodes, node, arc);
        *sums.entry(class_of(model, item, kind, time).limits()).or_default() += time;
    }
    let all = sums.values().sum();
    let (what, time) = sums.into_iter().max_by_key(|&(what, time)| (time, Reverse(what)))?;
    Some(PathLimit { what: what?, percent: percent(time, all) })
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
    /// By GPU: when it worked in the window, for calls of it or for others, once something asks for it.
    busy: Option<Vec<Vec<Span>>>,
    sums: BTreeMap<(PathClass, String), Ns>,
    unexplained_ns: Ns,
}

/// What of the critical path as it was recorded no record explains, in percent.
pub(super) fn unexplained_percent(model: &Model) -> f64 {
    unexplained(model, &Change::none(&model.graph), &model.graph.observed)
}

/// The same with a change.
fn unexplained(model: &Model, change: &Change<'_>, times: &[Ns]) -> f64 {
    let unexplained = back(change, times).filter(|&(node, arc, time)| is_unexplained(model, node, arc, time));
    percent(unexplained.map(|(.., time)| time).sum(), model.length_ns(times))
}

fn is_unexplained(model: &Model, node: Node, arc: Arc, time: Ns) -> bool {
    let (item, kind) = spent_in(model, Nodes::of(&model.window), node, arc);
    arc.is_inferred
        || stall(&model.pace, kind, time).is_some()
        || class_of(model, item, kind, time) == PathClass::Start
}

/// In what the time of an arc is spent: up to the start of work that begins before what leads to it ends, that is the call that launches
/// it, or the work before it on its stream.
fn spent_in(model: &Model, nodes: Nodes, node: Node, arc: Arc) -> (Item, ArcKind) {
    match (arc.kind, nodes.item(arc.source), nodes.item(node)) {
        (ArcKind::Stream, Item::WorkStart(before), _) => (Item::WorkEnd(before), ArcKind::Duration),
        (ArcKind::Launch, Item::CallStart(call), Item::WorkStart(work))
            if model.window.work[work].span.start <= model.window.calls[call].span.end =>
        {
            (Item::CallEnd(call), ArcKind::Host)
        }
        (kind, _, item) => (item, kind),
    }
}

/// The nodes of the critical path from its end, each with the arc that binds it and the time since that arc's source.
fn back(change: &Change<'_>, times: &[Ns]) -> impl Iterator<Item = (Node, Arc, Ns)> {
    let mut node = last_node(times);
    std::iter::from_fn(move || {
        let arc = change.binding(node, times).filter(|_| node != ORIGIN)?;
        let reached = std::mem::replace(&mut node, arc.source);
        Some((reached, arc, times[reached as usize].saturating_sub(times[arc.source as usize])))
    })
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
        Self {
            model,
            facts,
            nodes,
            ranges: BTreeMap::new(),
            busy: None,
            sums: BTreeMap::new(),
            unexplained_ns: 0,
        }
    }

    fn path(mut self, change: &Change<'_>, times: &[Ns]) -> CriticalPath {
        for (node, arc, time) in back(change, times) {
            if is_unexplained(self.model, node, arc, time) {
                self.unexplained_ns += time;
            }
            match spent_in(self.model, self.nodes, node, arc) {
                (Item::CallStart(call), ArcKind::Gap) => {
                    let observed = &self.model.graph.observed;
                    let recorded = observed[node as usize].saturating_sub(observed[arc.source as usize]);
                    self.add_host_code(call, recorded, time);
                }
                (item, kind) => {
                    let part = self.part(item, kind, time);
                    *self.sums.entry(part).or_default() += time;
                }
            }
        }
        let parts = self.sums.into_iter().filter(|&(_, time_ns)| time_ns != 0);
        let mut parts: Vec<PathPart> =
            parts.map(|((class, name), time_ns)| PathPart { class, name, time_ns }).collect();
        parts.sort_by(|a, b| {
            (Reverse(a.time_ns), a.class, &a.name).cmp(&(Reverse(b.time_ns), b.class, &b.name))
        });
        let unexplained_ns = self.unexplained_ns;
        CriticalPath { parts, length_ns: self.model.length_ns(times), unexplained_ns }
    }

    /// What the time from the source of an arc to its node is.
    fn part(&mut self, node: Item, arc: ArcKind, time: Ns) -> (PathClass, String) {
        let class = class_of(self.model, node, arc, time);
        let name = match (class, node) {
            (PathClass::Stall, _) if self.is_busy_otherwise(node, time) => {
                "beside other work of the GPU".into()
            }
            (PathClass::Stall, _) => stall(&self.model.pace, arc, time).unwrap_or_default().into(),
            (PathClass::HostCalls, Item::CallEnd(call)) => self.function(call),
            (PathClass::Input | PathClass::Start | PathClass::Latency, _) => name_of(arc).into(),
            (_, Item::WorkEnd(work)) => self.work(work),
            _ => String::new(),
        };
        (class, name)
    }

    /// Whether the GPU works for most of the time before a piece of work, in which its stream does not.
    fn is_busy_otherwise(&mut self, node: Item, time: Ns) -> bool {
        let (Item::WorkStart(at), model) = (node, self.model) else { return false };
        let work = &model.window.work[at];
        let gap = Span::new(work.span.start - time, work.span.start);
        let busy = &self.busy.get_or_insert_with(|| busy(model))[model.window.streams[work.stream].device];
        2 * covered_ns(busy, gap) > time
    }

    /// Which work it is.
    fn work(&self, at: usize) -> String {
        let (work, profile) = (&self.model.window.work[at], &self.model.profile);
        let in_words = |kind: KernelKind| kind.words_on(profile.capture.recorder.vendor).to_owned();
        match work.kind {
            LaunchedKind::Kernel => in_words(profile.judge_kernel(work.id).kind),
            LaunchedKind::Graph => in_words(KernelKind::Graph),
            LaunchedKind::Exchange | LaunchedKind::Copy => profile.capture.work_name(work.id).to_owned(),
            LaunchedKind::Memset => String::new(),
        }
    }

    fn function(&self, call: usize) -> String {
        let name = self.model.window.calls[call].name;
        let name = name.map_or("", |name| self.model.profile.capture.strings.get(name));
        without_version(name).to_owned()
    }

    /// Adds the time in front of a call to the ranges that were innermost in the gap that was recorded there, by their shares of it.
    fn add_host_code(&mut self, call: usize, recorded: Ns, time: Ns) {
        let call = &self.model.window.calls[call];
        let mut parts: Vec<(Ns, Option<Row>)> = Vec::new();
        if call.thread < self.facts.threads() {
            let (facts, thread) = (self.facts, ThreadId::new(call.thread));
            let ranges = self.ranges.entry(call.thread);
            let ranges = ranges.or_insert_with(|| InnermostRanges::of_thread(facts, thread));
            let gap = Span::new(call.span.start - recorded.max(0), call.span.start);
            ranges.each_in(gap, |part, row| parts.push((part.length(), row)));
        }
        let (mut passed, mut added) = (0, 0);
        for (length, row) in parts {
            passed += length;
            // What is added up to here, so that nothing is lost to rounding.
            let up_to = part_of(time, passed, recorded);
            let name = row.map_or_else(String::new, |row| self.range_name(call.thread, row));
            *self.sums.entry((PathClass::HostCode, name)).or_default() += up_to - added;
            added = up_to;
        }
        if added != time {
            *self.sums.entry((PathClass::HostCode, String::new())).or_default() += time - added;
        }
    }

    fn range_name(&self, thread: usize, row: Row) -> String {
        let activity = self.facts.activity();
        let text = activity.ranges.texts[activity.ranges.by_thread[thread].text[row as usize].index()].text;
        range_in_words(activity.strings.get(text)).to_owned()
    }
}

/// By GPU: when it worked from the start of the window to the end of its last work.
fn busy(model: &Model) -> Vec<Vec<Span>> {
    let (capture, window) = (&model.profile.capture, &model.window);
    let end = window.work.iter().map(|work| work.span.end).max().unwrap_or(window.start);
    let mut busy = vec![Vec::new(); capture.devices.len()];
    for row in capture.work_zones.near_open(0..capture.work.len(), end, window.start).flatten() {
        let id = WorkId::new(row);
        busy[capture.work.device[id].index()].push(capture.work.span[id]);
    }
    busy.into_iter().map(union).collect()
}

/// `time * part / whole`, rounded down.
fn part_of(time: Ns, part: Ns, whole: Ns) -> Ns {
    let product = i128::from(time) * i128::from(part);
    Ns::try_from(product / i128::from(whole.max(1))).unwrap_or(time)
}

/// The class of the time from the source of an arc to its node.
fn class_of(model: &Model, node: Item, arc: ArcKind, time: Ns) -> PathClass {
    if stall(&model.pace, arc, time).is_some() {
        return PathClass::Stall;
    }
    match (arc, node) {
        (ArcKind::Duration | ArcKind::Peer, Item::WorkEnd(work)) => match model.window.work[work].kind {
            LaunchedKind::Kernel | LaunchedKind::Graph => PathClass::Kernels,
            LaunchedKind::Exchange => PathClass::Exchange,
            LaunchedKind::Copy => PathClass::Copies,
            LaunchedKind::Memset => PathClass::Memsets,
        },
        (ArcKind::Host, Item::CallEnd(call)) if model.waits_for_others(call) => PathClass::Start,
        (ArcKind::Host, Item::CallEnd(_)) => PathClass::HostCalls,
        (ArcKind::Gap, Item::CallStart(_)) => PathClass::HostCode,
        (ArcKind::Arrival, _) => PathClass::Input,
        (ArcKind::Origin, _) => PathClass::Start,
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
        ArcKind::Host => "wait for work launched elsewhere",
        _ => "",
    }
}
