//! Is a period a whole step? A capture may hold a part of one step whose layers repeat.

use super::delimiter_names::Leaves;
use super::input::FinderInput;
use super::paths::{Paths, outer};
use super::sequence::Sequence;
use super::stretch::Stretch;
use super::words::KeyNodeHint;
use crate::base::ids::{Maybe, ThreadId};
use crate::base::time::{Ns, Span};
use rustc_hash::FxHashMap;

/// Signs of a whole step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs {
    /// Most kernels of one period lie in phrases that occur three times in it.
    pub(super) layers_inside: bool,
    /// In nearly every period the host reads a result or waits for the GPU.
    pub(super) host_reads: bool,
    /// The period has a whole graph launch.
    pub(super) graph: bool,
    /// The sequence is nothing but whole periods; a cut through a step is that by chance once in a period.
    pub(super) nothing_else: bool,
}

impl Signs {
    /// Whether there is any.
    pub(super) fn any(self) -> bool {
        self.layers_inside || self.host_reads || self.graph || self.nothing_else
    }
}

/// Kernels in a phrase.
const PHRASE: usize = 8;

/// Whether at least half of some kernels lie in phrases of 8 in a row, not all the same, that occur three times among
/// them without overlap.
pub(super) fn has_layers_inside(symbols: &[u32]) -> bool {
    let mut occurrences: FxHashMap<&[u32], (usize, usize)> = FxHashMap::default();
    for (at, phrase) in symbols.windows(PHRASE).enumerate() {
        let (count, free_from) = occurrences.entry(phrase).or_default();
        if at >= *free_from {
            (*count, *free_from) = (*count + 1, at + PHRASE);
        }
    }
    let is_layer = |phrase: &[u32]| {
        phrase.iter().any(|&symbol| symbol != phrase[0])
            && occurrences.get(phrase).is_some_and(|(count, _)| *count >= 3)
    };
    let (mut inside, mut covered_to) = (0, 0);
    for (at, phrase) in symbols.windows(PHRASE).enumerate() {
        if is_layer(phrase) {
            inside += at + PHRASE - covered_to.max(at);
            covered_to = at + PHRASE;
        }
    }
    inside * 2 >= symbols.len() && inside > 0
}

/// Whether the first period of a stretch has a whole graph launch.
pub(super) fn has_graph(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch) -> bool {
    let first = &sequence.kernels[stretch.places.start..][..stretch.period];
    let graphs_from = input.recorded.kernels.len() - input.recorded.whole_graphs;
    first.iter().any(|&kernel| kernel as usize >= graphs_from)
}

/// Whether the sequence is nothing but whole periods of two kernels or more.
pub(super) fn is_nothing_else(sequence: &Sequence, stretch: &Stretch) -> bool {
    stretch.period >= 2
        && stretch.len() == sequence.len()
        && sequence.len().is_multiple_of(stretch.period)
        && stretch.matching >= 0.998
}

/// Where periods begin: the thread and the time of the call of the first kernel.
pub(super) type Beginning = (Maybe<ThreadId>, Ns);

/// Whether ranges show that periods are parts of steps: most begin inside a range called a layer, or several inside
/// one execution of a range called a step.
pub(super) fn ranges_say_part(paths: &Paths, leaves: &Leaves<'_>, beginnings: &[Beginning]) -> bool {
    let Some(thread) = beginnings.first().and_then(|(thread, _)| thread.some()) else { return false };
    let starts: Vec<Ns> =
        beginnings.iter().filter(|(other, _)| *other == thread).map(|(_, start)| *start).collect();
    if starts.len() * 2 <= beginnings.len() {
        return false;
    }
    begin_inside_layers(&called(paths, leaves, thread, KeyNodeHint::Layer), &starts)
        || share_steps(&called(paths, leaves, thread, KeyNodeHint::Step), &starts)
}

/// The outermost ranges of a thread whose name says something.
fn called(paths: &Paths, leaves: &Leaves<'_>, thread: ThreadId, hint: KeyNodeHint) -> Vec<Span> {
    let is_called = |path: u32| leaves.said[paths.leaf[path as usize] as usize].hint == hint;
    let executions = paths.of_thread(thread).iter().filter(|execution| is_called(execution.path));
    let mut spans: Vec<Span> = executions.map(|execution| execution.span).collect();
    outer(&mut spans, |span| *span);
    spans
}

/// The position of the span that holds a time.
fn holder(spans: &[Span], time: Ns) -> Option<usize> {
    let at = spans.partition_point(|span| span.start <= time).checked_sub(1)?;
    (time < spans[at].end).then_some(at)
}

/// A period that begins inside a layer but runs through three layers or more is no part of one: a pass may begin with
/// its first layer.
fn begin_inside_layers(layers: &[Span], starts: &[Ns]) -> bool {
    let inside = starts.iter().filter(|&&start| holder(layers, start).is_some()).count();
    let starting_before = |time: Ns| layers.partition_point(|layer| layer.start < time);
    let long = starts.windows(2).filter(|pair| starting_before(pair[1]) - starting_before(pair[0]) >= 3);
    inside * 2 > starts.len() && long.count() * 2 <= starts.len().saturating_sub(1)
}

fn share_steps(steps: &[Span], starts: &[Ns]) -> bool {
    let holders: Vec<usize> = starts.iter().filter_map(|&start| holder(steps, start)).collect();
    let shared = holders.windows(2).filter(|pair| pair[0] == pair[1]).count();
    shared * 2 > starts.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_tell_layers() {
        let layers: Vec<u32> = [90, 91].into_iter().chain((0..12).cycle().take(48)).chain([92]).collect();
        assert!(has_layers_inside(&layers));
        let two: Vec<u32> = (0..12).cycle().take(24).collect();
        assert!(!has_layers_inside(&two));
        assert!(!has_layers_inside(&[7; 60]));
        let block: Vec<u32> = (0..62).collect();
        assert!(!has_layers_inside(&block));
        assert!(!has_layers_inside(&[]));
    }

    #[test]
    fn ranges_tell_parts_of_steps() {
        let span = |start, end| Span::new(start, end);
        let layers: Vec<Span> = (0..8).map(|at| span(at * 100, at * 100 + 90)).collect();
        assert!(begin_inside_layers(&layers, &[10, 50, 110, 150, 210]));
        assert!(!begin_inside_layers(&layers, &[10, 310, 610]));
        assert!(!begin_inside_layers(&layers, &[95, 195, 295]));
        assert!(share_steps(&[span(0, 1000)], &[10, 50, 110, 150]));
        assert!(!share_steps(&layers, &[10, 110, 210, 310]));
    }
}
