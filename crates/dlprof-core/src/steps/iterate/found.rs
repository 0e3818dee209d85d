//! From the columns of a capture to the finder, and from what it found to iterations.

use super::finder::{
    self, Confidence, Delimiter, DelimiterKind, FinderInput, FoundIterations, InnerRhythm,
    IterationCandidate, PassElsewhere, Piece, ProcessIterations, ProgramRanges, RANGE, RangeSays, Sections,
    Wanted, tile,
};
use super::key_node::{self, Found, KeyNode, ProcessExecutions};
use super::op_beginnings;
use crate::base::ids::{Maybe, ProcessId, StrId, WorkId};
use crate::base::time::Span;
use crate::capture::correlate::{families, is_library_domain};
use crate::capture::names::profiler_step;
use crate::capture::{Capture, CaptureContents};
use crate::read::facts::RangeText;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What the finder says of the iterations that it chose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundBy {
    /// A range or the rhythm of kernels.
    pub kind: DelimiterKind,
    /// Medium or high.
    pub confidence: Confidence,
    /// Where ranges of the name run; nothing for a rhythm of kernels.
    pub sections: Sections,
    /// The best shorter rhythm inside a period.
    pub inner_rhythm: Option<InnerRhythm>,
}

/// The pieces of the time line that the finder's iterations make of it.
pub(super) struct FoundPieces {
    pub(super) key_node: KeyNode,
    pub(super) found: FoundBy,
    pub(super) pieces: Vec<Piece>,
    /// By piece: the text of its range, where texts differ; else nothing.
    pub(super) labels: Vec<String>,
    /// Passes of a period on other streams.
    pub(super) elsewhere: Vec<PassElsewhere>,
}

/// What the finder finds in a capture; of a candidate that a user names, what it finds of that one.
pub(super) fn find(capture: &Capture, wanted: Option<Wanted<'_>>) -> FoundIterations {
    let mut found = search(capture, wanted);
    let mut ranges: Vec<&mut IterationCandidate> =
        found.candidates.iter_mut().filter(|candidate| candidate.kind == DelimiterKind::Range).collect();
    set_key_nodes(capture, &mut ranges);
    found
}

/// Says what `--key-node` takes for ranges: the plain name or path, unless ops of that name run more or less often.
fn set_key_nodes(capture: &Capture, ranges: &mut [&mut IterationCandidate]) {
    let texts: Vec<String> = ranges.iter().flat_map(|range| [range.name.clone(), range.path()]).collect();
    let executions = key_node::executions(capture, &texts);
    for (range, (texts, executions)) in ranges.iter_mut().zip(texts.chunks(2).zip(executions.chunks(2))) {
        let plain = texts.iter().zip(executions).enumerate().find(|(at, (_, ran))| match ran {
            Some(ran) => *ran == range.executions,
            // Nothing else has this name, so it is looked up among the candidates.
            None => *at == 0,
        });
        range.key_node = match plain {
            Some((_, (text, _))) => text.clone(),
            None => format!("{RANGE}{}", range.name),
        };
    }
}

/// By text of ranges: the name that its instances share.
fn shared_names(capture: &CaptureContents) -> FxHashMap<StrId, String> {
    let ranges = &capture.ranges;
    let lists = ranges.by_thread.iter().chain([&ranges.without_thread]).map(|list| &list.text[..]);
    let text = |id| capture.strings.get(id);
    families::shared_names_of(capture.strings.len(), text, &ranges.texts, |_| true, lists)
}

/// What the texts of ranges say.
fn says<'a>(capture: &'a CaptureContents, shared: &'a FxHashMap<StrId, String>) -> Vec<RangeSays<'a>> {
    let text = |id| capture.strings.get(id);
    let says = |says: &RangeText| RangeSays {
        text: text(says.text),
        name: shared.get(&says.text).map_or_else(|| text(says.text), String::as_str),
        // Of the program: in the default domain, or in one that is none of a library.
        is_user: says.domain.some().is_none_or(|domain| !is_library_domain(text(domain))),
        has_appendix: says.is_operator,
    };
    capture.ranges.texts.iter().map(says).collect()
}

/// The ranges of the program; of traces of torch.profiler its annotations, without the steps of the schedule, which are iterations.
pub(crate) fn program_ranges(capture: &CaptureContents) -> ProgramRanges {
    let shared = shared_names(capture);
    let mut texts = says(capture, &shared);
    if capture.kineto.is_some() {
        let is_annotation = |says: &RangeSays<'_>| !says.has_appendix && profiler_step(says.text).is_none();
        texts.iter_mut().for_each(|says| says.is_user &= is_annotation(says));
    }
    finder::program_ranges(&texts, &capture.recorded)
}

fn search(capture: &Capture, wanted: Option<Wanted<'_>>) -> FoundIterations {
    let shared = shared_names(capture);
    let texts = says(capture, &shared);
    let input = FinderInput {
        strings: &capture.strings,
        recorded: &capture.recorded,
        launches: &capture.launches,
        process_of_work: &process_of_work(capture),
        texts: &texts,
    };
    match wanted {
        None => finder::find(&input),
        Some(wanted) => finder::find_named(&input, wanted),
    }
}

/// The pieces of a candidate that a user names; none where there is no such candidate. The name of the key node is what was
/// typed.
pub(super) fn named(capture: &Capture, text: &str, wanted: Wanted<'_>, whole: Span) -> Option<FoundPieces> {
    let found = find(capture, Some(wanted));
    let mut pieces = pieces(capture, found.delimiter?, whole)?;
    pieces.key_node.name = text.to_owned();
    pieces.key_node.found = Found::ByUser;
    Some(pieces)
}

/// By piece of GPU work: its process. Where its table names none it is that of its API call, or the only one there is.
pub(crate) fn process_of_work(capture: &Capture) -> Cow<'_, [Maybe<ProcessId>]> {
    let work = &capture.work;
    if work.process.iter().all(|process| !process.is_none()) {
        return Cow::Borrowed(&work.process);
    }
    let only = (capture.processes.len() == 1).then(|| ProcessId::new(0));
    let process = |id: WorkId| {
        let of_call = || capture.process_of_call(capture.launches.api[id].some()?);
        work.process[id].some().or_else(of_call).or(only).into()
    };
    Cow::Owned(capture.work_ids().map(process).collect())
}

/// The pieces that a delimiter makes of a time line; none where no process has iterations.
pub(super) fn pieces(capture: &Capture, mut delimiter: Delimiter, whole: Span) -> Option<FoundPieces> {
    let is_launches = matches!(delimiter.kind, DelimiterKind::Period { .. });
    if is_launches {
        op_beginnings::move_iterations(capture, &mut delimiter.by_process);
    }
    let first = delimiter.by_process.first()?;
    let pieces = tile(&first.iterations, whole);
    let labels = labels(capture, &delimiter, &pieces);
    let by_process = delimiter.by_process.iter().map(|process| in_process(process, whole)).collect();
    let key_node = KeyNode {
        name: delimiter.name,
        thread: first.thread,
        starts: first.iterations.iter().map(|iteration| iteration.start).collect(),
        last_end: first.iterations.last().map_or(whole.end, |iteration| iteration.end),
        executions_elsewhere: 0,
        by_process,
        found: Found::ByFinder,
        is_launches,
    };
    let found = FoundBy {
        kind: delimiter.kind,
        confidence: delimiter.confidence,
        sections: delimiter.sections,
        inner_rhythm: delimiter.inner_rhythm,
    };
    Some(FoundPieces { key_node, found, pieces, labels, elsewhere: delimiter.elsewhere })
}

/// The iterations of one process, and the pieces between them, by where they start.
fn in_process(process: &ProcessIterations, whole: Span) -> ProcessExecutions {
    let pieces = tile(&process.iterations, whole);
    let behind_first = || (1..).zip(pieces.iter().skip(1));
    ProcessExecutions {
        process: process.process,
        thread: process.thread,
        starts: behind_first().map(|(_, piece)| piece.span.start).collect(),
        outside: behind_first().filter(|(_, piece)| !piece.is_iteration).map(|(number, _)| number).collect(),
    }
}

fn labels(capture: &Capture, delimiter: &Delimiter, pieces: &[Piece]) -> Vec<String> {
    if delimiter.labels.is_empty() {
        return Vec::new();
    }
    let text = |&id| capture.strings.get(capture.ranges.texts[crate::base::ids::RangeTextId::index(id)].text);
    let mut texts = delimiter.labels.iter().map(text);
    let label = |piece: &Piece| if piece.is_iteration { texts.next().unwrap_or_default() } else { "" };
    pieces.iter().map(label).map(str::to_owned).collect()
}

/// By piece: whether it lies between runs of iterations, or after the last one.
pub(super) fn outside(pieces: &[Piece]) -> Vec<bool> {
    pieces.iter().enumerate().map(|(at, piece)| at > 0 && !piece.is_iteration).collect()
}

/// What a piece of GPU work and its API call are: start of the call, and the span of both.
pub(super) fn launch_of(capture: &Capture, work: WorkId) -> Option<(Span, Span)> {
    let call = capture.launches.api[work].some()?;
    Some((capture.api_calls.span[call], capture.work.span[work]))
}
