//! A change of a program, in words, and what it changes in the graph.

use super::chosen::{Chosen, CopiesOf, KernelsOf, ThreadTimes};
use super::dropped::{
    drop_call, drop_launches, drop_work, no_turnaround, scale_call, scale_what_overlaps, scaled,
};
use super::fuse::fuse;
use super::gpu::SIGNAL;
use super::graph::{ArcKind, Change, ORIGIN};
use super::model::Model;
use super::nodes::Nodes;
use super::window::{HostCall, LaunchedKind};
use crate::base::ids::ThreadId;
use crate::base::intervals::{holds, parts_in};
use crate::base::time::{Ns, Span};
use crate::capture::classified::innermost::InnermostRanges;
use crate::capture::names::{ApiClass, is_of_optimizer};
use crate::tables::expression::like;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// A change of a program, as `dlprof-agg what-if` takes it, or as a rule states it.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The words; none of a change that a rule states.
    text: String,
    what: What,
    chosen: Chosen,
    how: How,
}

/// What an edit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Work(WorkOf),
    Host,
    /// What the host does at some times: while ranges are open, or as a rule says.
    HostAt,
    Calls,
    Waits,
    Launches,
    Input,
}

/// Which GPU work an edit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkOf {
    All,
    Kernels,
    Copies,
    Memsets,
    Exchange,
}

/// The change to what was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    /// It takes so many times as long.
    Times(f64),
    /// It is not there.
    Dropped,
    /// The same, but the last one of each iteration and process stays.
    DroppedButLast,
    /// The same, with what the host does in front of it where that takes no longer.
    DroppedWithGaps { longest: Ns },
    /// The launches between two waits are one, as those of a CUDA graph. Longer gaps between launches are no launching.
    AsOne { longest_gap: Ns },
    /// Of work in a row, each so many pieces are one, which takes so much of the time of all of them.
    Fused { most: usize, times: f64 },
    /// It is a part of the work around it, without a launch of its own, and takes so many times as long.
    Absorbed(f64),
    /// Its call only enqueues it, and it takes so many times as long.
    Enqueued(f64),
    /// It runs on a stream of its own.
    OwnStream,
    /// Where it takes long between two calls, it takes as long as usual.
    UsualGaps,
}

/// Words that are not an edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{edit}` is not an edit")]
pub struct UnknownEdit {
    /// The words.
    pub edit: String,
}

/// The forms that edits have.
pub const EDIT_FORMS: [(&str, &str); 9] = [
    (
        "kernels like '%gemm%' x 0.5",
        "those kernels take half as long; also `copies`, `memsets`, `exchange`, `gpu`",
    ),
    (
        "no kernels like '%dropout%'",
        "that work is not launched; also `no copies`, `no memsets`, `no exchange`",
    ),
    ("no waits", "calls that wait for the GPU return at once; `no waits like 'cudaStreamSynchronize%'`"),
    (
        "no calls like 'cudaMalloc%'",
        "those calls are not made; `calls like NAME x 0.5`: they take half as long",
    ),
    ("launches as one", "the launches between two waits are one, as with CUDA graphs"),
    ("host x 0.8", "the host takes so much of its time in and between calls"),
    (
        "ranges like '%DataLoader%' x 0.5",
        "the host takes so much of its time in these ranges; `no ranges like PATTERN`: none",
    ),
    ("input instant", "what the program waits for outside the capture is there at once"),
    (
        "exchange on its own stream",
        "exchange between GPUs runs beside compute, until the optimizer or the next iteration",
    ),
];

impl Edit {
    /// Reads an edit in one of the forms of [`EDIT_FORMS`].
    ///
    /// # Errors
    /// If it has none of these forms.
    pub fn parse(text: &str) -> Result<Self, UnknownEdit> {
        let text = text.trim();
        let (what, chosen, how) = parts(text).ok_or_else(|| UnknownEdit { edit: text.to_owned() })?;
        Ok(Self { text: text.to_owned(), what, chosen, how })
    }

    /// Whether it changes what the host does, and nothing that GPUs do.
    pub(crate) fn is_of_host(&self) -> bool {
        !matches!(self.what, What::Work(_))
    }

    fn stated(what: What, chosen: Chosen, how: How) -> Self {
        Self { text: String::new(), what, chosen, how }
    }

    fn of_kernels(of: KernelsOf, how: How) -> Self {
        Self::stated(What::Work(WorkOf::Kernels), Chosen::Kernels(of), how)
    }

    /// Some kernels take so many times as long.
    pub(crate) fn kernels(of: KernelsOf, times: f64) -> Self {
        Self::of_kernels(of, How::Times(times))
    }

    /// Some kernels are not launched.
    pub(crate) fn without_kernels(of: KernelsOf) -> Self {
        Self::of_kernels(of, How::Dropped)
    }

    /// Of some kernels in a row each so many are one, which takes so much of the time of all of them.
    pub(crate) fn fused_kernels(of: KernelsOf, most: usize, times: f64) -> Self {
        Self::of_kernels(of, How::Fused { most, times })
    }

    /// Some kernels are parts of those around them, and take so many times as long.
    pub(crate) fn absorbed_kernels(of: KernelsOf, times: f64) -> Self {
        Self::of_kernels(of, How::Absorbed(times))
    }

    /// Some copies are not made.
    pub(crate) fn without_copies(of: CopiesOf) -> Self {
        Self::stated(What::Work(WorkOf::Copies), Chosen::Copies(of), How::Dropped)
    }

    /// Some copies take so many times as long.
    pub(crate) fn copies(of: CopiesOf, times: f64) -> Self {
        Self::stated(What::Work(WorkOf::Copies), Chosen::Copies(of), How::Times(times))
    }

    /// The calls of some copies only enqueue them, and they take so many times as long.
    pub(crate) fn enqueued_copies(of: CopiesOf, times: f64) -> Self {
        Self::stated(What::Work(WorkOf::Copies), Chosen::Copies(of), How::Enqueued(times))
    }

    /// Memsets take no time.
    pub(crate) fn memsets_in_no_time() -> Self {
        Self::stated(What::Work(WorkOf::Memsets), Chosen::All, How::Times(0.0))
    }

    /// Exchange between GPUs takes no time once all have begun.
    pub(crate) fn exchange_in_no_time() -> Self {
        Self::stated(What::Work(WorkOf::Exchange), Chosen::All, How::Times(0.0))
    }

    /// Exchange between GPUs runs on a stream of its own.
    pub(crate) fn exchange_on_own_stream() -> Self {
        Self::stated(What::Work(WorkOf::Exchange), Chosen::All, How::OwnStream)
    }

    /// Copies run on a stream of their own.
    pub(crate) fn copies_on_own_stream() -> Self {
        Self::stated(What::Work(WorkOf::Copies), Chosen::All, How::OwnStream)
    }

    /// Calls of a class are not made.
    pub(crate) fn without_calls(class: ApiClass) -> Self {
        Self::stated(What::Calls, Chosen::Class(class), How::Dropped)
    }

    /// The same, and the host does nothing in front of them.
    pub(crate) fn without_calls_and_gaps(class: ApiClass) -> Self {
        Self::stated(What::Calls, Chosen::Class(class), How::DroppedWithGaps { longest: Ns::MAX })
    }

    /// Calls that wait for the GPU are not made, and what little the host does in front of them neither.
    pub(crate) fn without_waiting_calls() -> Self {
        let how = How::DroppedWithGaps { longest: GAP_OF_WAIT };
        Self::stated(What::Calls, Chosen::Class(ApiClass::Sync), how)
    }

    /// Calls that wait for the GPU are not made, but the last one of each iteration.
    pub(crate) fn without_waits_inside() -> Self {
        Self::stated(What::Waits, Chosen::All, How::DroppedButLast)
    }

    /// The launches between two waits are one.
    pub(crate) fn launches_as_one() -> Self {
        Self::stated(What::Launches, Chosen::All, How::AsOne { longest_gap: LONGEST_GAP_OF_LAUNCHES })
    }

    /// The same, whatever the host does between them.
    pub(crate) fn launches_as_one_at_most() -> Self {
        Self::stated(What::Launches, Chosen::All, How::AsOne { longest_gap: Ns::MAX })
    }

    /// These two, of launches at some times.
    pub(crate) fn launches_as_one_during(times: ThreadTimes) -> [Self; 2] {
        [Self::launches_as_one(), Self::launches_as_one_at_most()]
            .map(|edit| Self { chosen: Chosen::During(times.clone()), ..edit })
    }

    /// Calls of a class return at once.
    pub(crate) fn calls_in_no_time(class: ApiClass) -> Self {
        Self::stated(What::Calls, Chosen::Class(class), How::Times(0.0))
    }

    /// What a thread does between calls at some times takes no time.
    pub(crate) fn without_host_work(times: ThreadTimes) -> Self {
        Self::stated(What::HostAt, Chosen::During(times), How::Dropped)
    }

    /// Where the host is long in other code between two calls, it takes as long as usual.
    pub(crate) fn usual_gaps() -> Self {
        Self::stated(What::Host, Chosen::All, How::UsualGaps)
    }

    /// Where the host is long in other code between two calls, it takes no time.
    pub(crate) fn without_long_gaps() -> Self {
        Self::stated(What::Host, Chosen::All, How::Dropped)
    }

    /// The host loads no data itself: ranges that do take no time.
    pub(crate) fn without_loading() -> Self {
        Self::stated(What::HostAt, Chosen::Loading, How::Dropped)
    }

    /// What the program waits for outside is there at once.
    pub(crate) fn input_at_once() -> Self {
        Self::stated(What::Input, Chosen::All, How::Dropped)
    }

    /// The words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same amount of GPU work, or of host work, in no time.
    pub(super) fn without_gpu() -> Self {
        Self::stated(What::Work(WorkOf::All), Chosen::All, How::Times(0.0))
    }

    /// The host takes no time.
    pub(super) fn without_host() -> Self {
        Self::stated(What::Host, Chosen::All, How::Times(0.0))
    }

    /// Makes the change; gives how many calls or pieces of work it is about.
    pub(super) fn apply(&self, model: &Model, change: &mut Change<'_>) -> usize {
        match (self.what, self.how) {
            (What::Work(of), How::OwnStream) => own_stream(model, change, of),
            (What::Work(of), how) => self.change_work(model, change, of, how),
            (What::Host, How::Times(times)) => scale_host(model, change, times),
            (What::Host, How::UsualGaps) => shorten_gaps(model, change, usual_gap(model)),
            (What::Host, How::Dropped) => shorten_gaps(model, change, 0),
            (What::HostAt, How::Times(times)) => self.scale_times(model, change, times),
            (What::HostAt, _) => self.scale_times(model, change, 0.0),
            (What::Calls, how) => self.change_calls(model, change, how),
            (What::Waits, how) => self.drop_waits(model, change, how),
            (What::Launches, How::AsOne { longest_gap }) => {
                launches_as_one(model, change, &self.chosen, longest_gap)
            }
            (What::Input, _) => {
                (0..model.window.calls.len())
                    .for_each(|call| change.remove(Nodes::call_start(call), ArcKind::Arrival));
                model.arrivals
            }
            (What::Host | What::Launches, _) => 0,
        }
    }

    fn change_work(&self, model: &Model, change: &mut Change<'_>, of: WorkOf, how: How) -> usize {
        let (window, nodes) = (&model.window, Nodes::of(&model.window));
        let is_meant =
            |&at: &usize| of.holds(window.work[at].kind) && self.chosen.has_work(model, &window.work[at]);
        let meant: Vec<usize> = (0..window.work.len()).filter(is_meant).collect();
        if let (WorkOf::All, How::Times(times)) = (of, how) {
            // Calls may wait for GPU work from before the window, which takes less time as well.
            for call in (0..window.calls.len()).filter(|&call| model.waits_for_others(call)) {
                change.set(Nodes::call_end(call), ArcKind::Host, |lag| scaled(lag, times));
            }
        }
        match how {
            How::Times(times) | How::Enqueued(times) | How::Absorbed(times) => {
                for &at in &meant {
                    if matches!(how, How::Enqueued(_)) {
                        enqueue(change, window.work[at].call);
                    }
                    for kind in [ArcKind::Duration, ArcKind::Peer] {
                        change.set(nodes.work_end(at), kind, |lag| scaled(lag, times));
                    }
                    if times <= 0.0 {
                        no_turnaround(model, change, at);
                    }
                }
                scale_what_overlaps(model, change, &meant, times);
                if matches!(how, How::Absorbed(_)) {
                    drop_launches(model, change, &meant);
                }
            }
            How::Fused { most, times } => fuse(model, change, &meant, most, times),
            _ => {
                drop_work(model, change, &meant);
                scale_what_overlaps(model, change, &meant, 0.0);
            }
        }
        meant.len()
    }

    fn change_calls(&self, model: &Model, change: &mut Change<'_>, how: How) -> usize {
        let calls = model.window.calls.iter().enumerate();
        let meant: Vec<usize> =
            calls.filter(|(_, call)| self.chosen.has_call(model, call)).map(|(at, _)| at).collect();
        match how {
            How::Times(times) => meant.iter().for_each(|&at| scale_call(model, change, at, times)),
            _ => {
                let work: Vec<usize> =
                    meant.iter().flat_map(|&call| model.window.launched_by(call)).collect();
                drop_work(model, change, &work);
                meant.iter().for_each(|&call| drop_call(change, call));
                if let How::DroppedWithGaps { longest } = how {
                    let short = meant.iter().filter(|&&at| model.places[at].gap <= longest);
                    short.for_each(|&at| change.set(Nodes::call_start(at), ArcKind::Gap, |_| 0));
                }
            }
        }
        meant.len()
    }

    /// The host takes so many times of its time at some times of its threads. Waits for the GPU stay as long as the GPU needs.
    fn scale_times(&self, model: &Model, change: &mut Change<'_>, times: f64) -> usize {
        let by_thread = self.chosen.times(model);
        let mut count = 0;
        for (at, call) in model.window.calls.iter().enumerate() {
            let Some(spans) = by_thread.get(call.thread).filter(|spans| !spans.is_empty()) else { continue };
            let gap = Span::new(call.span.start - model.places[at].gap, call.span.start);
            let parts: Vec<Span> = parts_in(spans, gap).collect();
            let is_inside = holds(spans, call.span.start);
            count += usize::from(is_inside || !parts.is_empty());
            if !parts.is_empty() {
                change.scale_parts(Nodes::call_start(at), ArcKind::Gap, &parts, times);
            }
            if is_inside && !model.waits_for_others(at) {
                scale_call(model, change, at, times);
            }
        }
        count
    }

    fn drop_waits(&self, model: &Model, change: &mut Change<'_>, how: How) -> usize {
        let window = &model.window;
        let is_meant = |(at, call): &(usize, &HostCall)| {
            let is_wait = self.chosen != Chosen::All || call.function.class == ApiClass::Sync;
            is_wait
                && self.chosen.has_call(model, call)
                && model.graph.has(Nodes::call_end(*at), ArcKind::Wait)
        };
        let meant = || window.calls.iter().enumerate().filter(is_meant);
        let place = |call: &HostCall| (call.process, window.step_of(call.span.start));
        let last: BTreeMap<(usize, usize), usize> = meant().map(|(at, call)| (place(call), at)).collect();
        let goes = |&(at, call): &(usize, &HostCall)| {
            how != How::DroppedButLast || last.get(&place(call)) != Some(&at)
        };
        let dropped: Vec<usize> = meant().filter(goes).map(|(at, _)| at).collect();
        for &at in &dropped {
            match how {
                How::DroppedButLast => drop_call(change, at),
                _ => change.remove(Nodes::call_end(at), ArcKind::Wait),
            }
        }
        dropped.len()
    }
}

impl WorkOf {
    fn holds(self, kind: LaunchedKind) -> bool {
        match self {
            Self::All => true,
            Self::Kernels => matches!(kind, LaunchedKind::Kernel | LaunchedKind::Graph),
            Self::Copies => kind == LaunchedKind::Copy,
            Self::Memsets => kind == LaunchedKind::Memset,
            Self::Exchange => kind == LaunchedKind::Exchange,
        }
    }
}

/// The words of an edit; what is between quotes is one word.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let quote = Some(first).filter(|first| ['\'', '"'].contains(first));
        let body = &rest[quote.map_or(0, char::len_utf8)..];
        let end = body.find(|letter: char| quote.map_or(letter.is_whitespace(), |quote| letter == quote));
        let (word, behind) = body.split_at(end.unwrap_or(body.len()));
        words.push(word);
        rest = behind.strip_prefix(['\'', '"']).unwrap_or(behind).trim_start();
    }
    words
}

fn parts(text: &str) -> Option<(What, Chosen, How)> {
    let words = words(text);
    match words[..] {
        ["launches", "as", "one"] => {
            return Some((What::Launches, Chosen::All, How::AsOne { longest_gap: LONGEST_GAP_OF_LAUNCHES }));
        }
        ["input", "instant"] => return Some((What::Input, Chosen::All, How::Dropped)),
        ["exchange", "on", "its", "own", "stream"] => {
            return Some((What::Work(WorkOf::Exchange), Chosen::All, How::OwnStream));
        }
        _ => {}
    }
    let (is_dropped, rest) = match words.split_first()? {
        (&"no", rest) => (true, rest),
        _ => (false, &words[..]),
    };
    let (subject, rest) = rest.split_first()?;
    let (chosen, rest) = match rest {
        ["like", pattern, rest @ ..] => (Chosen::Like(pattern_of(pattern)?), rest),
        rest => (Chosen::All, rest),
    };
    let how = match (is_dropped, rest) {
        (true, []) => How::Dropped,
        (false, ["x" | "×" | "*", times]) => {
            How::Times(times.parse().ok().filter(|times| (0.0..=1000.0).contains(times))?)
        }
        _ => return None,
    };
    let what = match (*subject, is_dropped) {
        ("kernels", _) => What::Work(WorkOf::Kernels),
        ("copies", _) => What::Work(WorkOf::Copies),
        ("memsets", _) => What::Work(WorkOf::Memsets),
        ("exchange", _) => What::Work(WorkOf::Exchange),
        ("gpu", false) => What::Work(WorkOf::All),
        ("host", false) if chosen == Chosen::All => What::Host,
        ("ranges", _) if chosen != Chosen::All => What::HostAt,
        ("calls", _) if chosen != Chosen::All => What::Calls,
        ("waits", true) => What::Waits,
        _ => return None,
    };
    Some((what, chosen, how))
}

fn pattern_of(pattern: &str) -> Option<Regex> {
    regex::RegexBuilder::new(&like(pattern)).case_insensitive(true).dot_matches_new_line(true).build().ok()
}

/// Longer gaps in front of a wait hold work of the host that does not go with it.
const GAP_OF_WAIT: Ns = 20_000;

/// A call that only enqueues takes no longer.
const OWN_OF_ENQUEUING: Ns = 5_000;

/// A call waits for nothing.
fn enqueue(change: &mut Change<'_>, call: usize) {
    let end = Nodes::call_end(call);
    change.set(end, ArcKind::Host, |own| own.min(OWN_OF_ENQUEUING));
    change.remove(end, ArcKind::Wait);
}

fn scale_host(model: &Model, change: &mut Change<'_>, times: f64) -> usize {
    for call in 0..model.window.calls.len() {
        if !model.waits_for_others(call) {
            scale_call(model, change, call, times);
        }
        for kind in [ArcKind::Gap, ArcKind::HandOver] {
            change.set(Nodes::call_start(call), kind, |lag| scaled(lag, times));
        }
    }
    model.window.calls.len()
}

/// The median gap between two calls of a thread.
fn usual_gap(model: &Model) -> Ns {
    let mut gaps: Vec<Ns> =
        model.places.iter().filter(|place| !place.is_inside).map(|place| place.gap).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied().unwrap_or(0).min(LONGEST_GAP_OF_LAUNCHES)
}

/// Gaps that are no launching take no longer than this.
fn shorten_gaps(model: &Model, change: &mut Change<'_>, longest: Ns) -> usize {
    let places = model.places.iter().enumerate();
    let long = places.filter(|(_, place)| !place.is_inside && place.gap >= LONGEST_GAP_OF_LAUNCHES);
    let long: Vec<usize> = long.map(|(call, _)| call).collect();
    for &call in &long {
        change.set(Nodes::call_start(call), ArcKind::Gap, |lag| lag.min(longest));
    }
    long.len()
}

/// Longer gaps between launches are no launching.
const LONGEST_GAP_OF_LAUNCHES: Ns = 1_000_000;

/// Of the launches between two waits of a thread the first one stays.
fn launches_as_one(model: &Model, change: &mut Change<'_>, chosen: &Chosen, longest_gap: Ns) -> usize {
    let window = &model.window;
    let mut is_begun: BTreeSet<usize> = BTreeSet::new();
    let mut count = 0;
    for (at, call) in window.calls.iter().enumerate().filter(|&(at, _)| !model.places[at].is_inside) {
        let (start, end, gap) = (Nodes::call_start(at), Nodes::call_end(at), model.places[at].gap);
        let first = window.launched_by(at).next().map(|work| window.work[work].kind);
        let launches = first.is_some_and(|kind| !matches!(kind, LaunchedKind::Copy | LaunchedKind::Graph));
        let waits = model.graph.has(end, ArcKind::Wait) || model.graph.has(start, ArcKind::Arrival);
        // Whatever the host does between launches holds other calls, too.
        let is_between = longest_gap == Ns::MAX
            && first.is_none()
            && call.function.class == ApiClass::Api
            && is_begun.contains(&call.thread);
        let is_meant = (launches || is_between) && chosen.has_call(model, call);
        if !is_meant || waits || call.function.class == ApiClass::Allocation {
            if !launches && waits {
                is_begun.remove(&call.thread);
            }
            continue;
        }
        change.remove(end, ArcKind::Queue);
        if is_begun.insert(call.thread) || gap > longest_gap {
            continue;
        }
        scale_call(model, change, at, 0.0);
        [ArcKind::Gap, ArcKind::HandOver].into_iter().for_each(|kind| change.set(start, kind, |_| 0));
        count += usize::from(launches);
    }
    count
}

/// Work of one kind follows work of this kind and other work follows other work; before the next iteration, and exchange before the
/// optimizer, all are done.
fn own_stream(model: &Model, change: &mut Change<'_>, of: WorkOf) -> usize {
    let (window, nodes, turn) = (&model.window, Nodes::of(&model.window), model.pace.turnaround.least);
    let is_moved = |at: usize| of.holds(window.work[at].kind);
    let updates =
        if of == WorkOf::Exchange { updating_calls(model) } else { vec![false; window.calls.len()] };
    let mut count = 0;
    for stream in &window.streams {
        let (mut moved, mut other, mut pending) = (None, None, None);
        let mut all_moved = Vec::new();
        for at in stream.work.iter().map(|&at| at as usize) {
            let step = window.step_of(window.launching(at).span.start);
            if is_moved(at) {
                moved.into_iter().for_each(|last| {
                    change.add(nodes.work_start(at), ArcKind::Cross, nodes.work_end(last), turn)
                });
                (moved, pending, count) = (Some(at), Some(step), count + 1);
                all_moved.push(at);
                continue;
            }
            if model.previous[at].is_some_and(is_moved) {
                change.remove(nodes.work_start(at), ArcKind::Stream);
                let source = other.map_or(ORIGIN, |other| nodes.work_end(other));
                change.add(
                    nodes.work_start(at),
                    ArcKind::Stream,
                    source,
                    if other.is_some() { turn } else { 0 },
                );
            }
            let needs_all = pending.is_some_and(|pending| pending != step)
                || pending.is_some() && updates[window.work[at].call];
            if let Some(last) = moved.filter(|_| needs_all) {
                change.add(nodes.work_start(at), ArcKind::Cross, nodes.work_end(last), turn);
                pending = None;
            }
            other = Some(at);
        }
        if all_moved.is_empty() {
            continue;
        }
        // What waits for all streams waits for this one as well.
        let calls = window.calls.iter().enumerate();
        for (call, made) in calls.filter(|(_, call)| call.process == stream.process && waits_for_all(call)) {
            let before = all_moved.partition_point(|&at| window.launching(at).span.start < made.span.start);
            if let Some(&last) = before.checked_sub(1).and_then(|at| all_moved.get(at)) {
                change.add(Nodes::call_end(call), ArcKind::Wait, nodes.work_end(last), SIGNAL);
            }
        }
    }
    count
}

/// Whether a call waits for all streams.
fn waits_for_all(call: &HostCall) -> bool {
    let function = call.function;
    function.class == ApiClass::Sync && !function.is_stream_sync && !function.is_event_sync
}

/// By call: whether it is made in a range that is named after the optimizer.
fn updating_calls(model: &Model) -> Vec<bool> {
    model.profile.look(|facts| {
        let ranges = |thread| InnermostRanges::of_thread_where(facts, ThreadId::new(thread), is_of_optimizer);
        let mut by_thread: Vec<InnermostRanges> = (0..facts.threads()).map(ranges).collect();
        let calls = model.window.calls.iter();
        calls
            .map(|call| {
                by_thread.get_mut(call.thread).is_some_and(|ranges| ranges.find(call.span.start).is_some())
            })
            .collect()
    })
}
