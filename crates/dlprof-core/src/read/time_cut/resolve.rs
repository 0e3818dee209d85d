//! From what was asked for to a window in the time of the capture.

use super::{CutEdge, CutSide, CutWindow, LaunchedBefore, TimeCut, TimeLimit};
use crate::base::Error;
use crate::base::ids::WorkId;
use crate::base::time::{Ns, Span};
use crate::read::facts::{Facts, GraphOrigin};
use std::collections::BTreeMap;

/// Texts suggested where there is no such range.
const SUGGESTIONS: usize = 3;

impl TimeCut {
    /// The window in the time of a capture, which has a whole extent.
    ///
    /// # Errors
    /// If no range has a text, or a limit lies outside of the capture.
    pub(super) fn window(&self, facts: &Facts, whole: Span) -> Result<CutWindow, Error> {
        let time = |side, limit: &Option<TimeLimit>| -> Result<Option<Ns>, Error> {
            match limit {
                None => Ok(None),
                Some(TimeLimit::At(ns)) => Ok(Some(*ns)),
                Some(TimeLimit::Range { text, edge }) => match edge_of(facts, text, *edge) {
                    Some(ns) => Ok(Some(ns)),
                    None => Err(Error::UnknownCutRange {
                        side,
                        text: text.clone(),
                        nearest: nearest(facts, text),
                    }),
                },
            }
        };
        let (from, to) = (time(CutSide::From, &self.from)?, time(CutSide::To, &self.to)?);
        let outside = |side, time| Error::OutsideCapture { side, time, start: whole.start, end: whole.end };
        if let Some(from) = from.filter(|from| *from >= whole.end) {
            return Err(outside(CutSide::From, from));
        }
        if let Some(to) = to.filter(|to| *to <= whole.start || *to > whole.end) {
            return Err(outside(CutSide::To, to));
        }
        let span = Span { start: from.unwrap_or(whole.start.min(0)), end: to.unwrap_or(whole.end) };
        if span.start >= span.end {
            return Err(Error::ReversedCut { from: span.start, to: span.end });
        }
        let launched_before = launched_before(facts, span.start);
        Ok(CutWindow { span, whole, asked: self.clone(), launched_before })
    }
}

/// Launches of kernels that are over at a time, by process and name. Whole graphs are no kernels.
fn launched_before(facts: &Facts, start: Ns) -> Vec<LaunchedBefore> {
    let mut launches: BTreeMap<_, u64> = BTreeMap::new();
    let names = facts.kernels.short_name.iter().zip(&facts.kernels.graph);
    for (row, (&name, graph)) in names.enumerate() {
        let work = WorkId::new(row);
        let span = facts.work.span[work];
        if *graph != GraphOrigin::WholeGraph && span.start < start && span.end <= start {
            *launches.entry((facts.work.process[work], name)).or_default() += 1;
        }
    }
    let counted = launches.into_iter();
    counted
        .map(|((process, short_name), launches)| LaunchedBefore { process, short_name, launches })
        .collect()
}

/// Start of the first record, and end of the last one or of the trace as nsys says, whichever is later.
pub(super) fn extent(facts: &Facts) -> Span {
    let host = &facts.host;
    let os_calls = host.os_calls.as_ref().map_or(&[][..], |calls| &calls.span[..]);
    let lists = [&facts.api_calls.span[..], &facts.work.span, &host.mpi.span, os_calls, &host.overheads.span];
    let ranges = facts.ranges.lists().map(|list| &list.span[..]);
    let mut spans = lists.into_iter().chain(ranges).flatten();
    let first = spans.next().copied().unwrap_or_default();
    let traced = Span { end: first.end.max(facts.about.notes.traced_ns.unwrap_or(0)), ..first };
    spans
        .fold(traced, |whole, span| Span { start: whole.start.min(span.start), end: whole.end.max(span.end) })
}

/// The start of the first or the end of the last range of a text; none without such a range.
fn edge_of(facts: &Facts, text: &str, edge: CutEdge) -> Option<Ns> {
    let is_it: Vec<bool> =
        facts.ranges.texts.iter().map(|says| facts.strings.get(says.text) == text).collect();
    let spans = facts.ranges.lists().flat_map(|list| list.span.iter().zip(&list.text));
    let spans = spans.filter(|(_, text)| is_it[text.index()]).map(|(span, _)| span);
    match edge {
        CutEdge::Start => spans.map(|span| span.start).min(),
        CutEdge::End => spans.map(|span| span.end).max(),
    }
}

/// Texts of ranges that look like one, best first.
fn nearest(facts: &Facts, wanted: &str) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let texts = facts.ranges.texts.iter().map(|says| facts.strings.get(says.text));
    let mut scored: Vec<(f64, &str)> = texts.map(|text| (likeness(text, &wanted), text)).collect();
    scored.retain(|(score, _)| *score > 0.75);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(SUGGESTIONS).map(|(_, text)| text.to_owned()).collect()
}

/// From 0 to 2: a text that contains what is wanted beats any that is merely similar.
fn likeness(text: &str, wanted: &str) -> f64 {
    let text = text.to_lowercase();
    let similarity = strsim::jaro_winkler(&text, wanted);
    if text.contains(wanted) { 1.0 + similarity } else { similarity }
}
