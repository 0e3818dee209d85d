//! The rhythm of the kernels of a process: its period, whether that is a step, and where steps begin.

use super::delimiter_names::Leaves;
use super::elsewhere::PassElsewhere;
use super::host_side::HostSide;
use super::input::FinderInput;
use super::measures::spread;
use super::outcome::{Confidence, DelimiterKind, InnerRhythm, IterationCandidate};
use super::paths::Paths;
use super::sections::FEWEST;
use super::sequence::{Communication, NameForm, Sequence};
use super::signs::{self, Signs};
use super::stretch::Stretch;
use super::words::KeyNodeHint;
use super::{distances, gpu_load, shortest_period};
use crate::base::ids::{Maybe, ProcessId, StrId, StreamId, ThreadId};
use crate::base::ratios::{count_to_f64, median, share_near, to_f64};
use crate::base::time::{Ns, Span};
use std::ops::Range;

/// The rhythm of a process.
pub(super) struct Period {
    pub(super) process: ProcessId,
    /// The thread that asks for the first kernel of the first step, or none.
    pub(super) thread: Maybe<ThreadId>,
    /// The steps.
    pub(super) iterations: Vec<Span>,
    pub(super) candidate: IterationCandidate,
    pub(super) inner_rhythm: Option<InnerRhythm>,
    /// The stream.
    stream: StreamId,
    /// Which names make it up.
    form: NameForm,
    /// The names of the kernels of a step.
    pattern: Vec<StrId>,
    /// Ranges that start in this window belong to the stretch.
    window: Span,
    /// Periods in the stretch.
    periods: f64,
    /// Shorter periods in each, where these are layers between which the host reads nothing; else 1.
    pub(super) layers: usize,
}

impl Period {
    /// How often something runs per period, given its starts.
    pub(super) fn frequency(&self, starts: impl Iterator<Item = Ns>) -> f64 {
        let inside = starts.filter(|&start| self.window.start <= start && start < self.window.end).count();
        count_to_f64(inside as u64) / self.periods
    }
}

/// What the search for periods needs of a capture.
pub(super) struct PeriodSearch<'a> {
    pub(super) input: &'a FinderInput<'a>,
    pub(super) paths: &'a Paths,
    pub(super) leaves: &'a Leaves<'a>,
    pub(super) communication: Communication,
}

impl PeriodSearch<'_> {
    /// The rhythm of a stream of a process, if it has any.
    ///
    /// A longer stretch may be no steps: a thousand runs of one kernel while a library tries its algorithms. Then the
    /// rest of the stream is searched, which counts if it holds enough.
    pub(super) fn search(&mut self, process: ProcessId, stream: StreamId) -> Option<Period> {
        let mut sequence = Sequence::new(self.input, process, stream, NameForm::Exact);
        let whole_ns = self.process_ns(process);
        let all = 0..sequence.len();
        let mut form = NameForm::Exact;
        let mut stretch = self.stretch(&sequence, all.clone(), whole_ns);
        if stretch.is_none() {
            form = NameForm::Short;
            sequence.name(self.input, form);
            stretch = self.stretch(&sequence, all.clone(), whole_ns);
        }
        let stretch = stretch?;
        let period = self.period(&sequence, &stretch, form, whole_ns);
        if period.as_ref().is_some_and(|period| period.candidate.confidence > Confidence::Low) {
            return period;
        }
        let (before, behind) = (0..stretch.places.start, stretch.places.end..all.end);
        let rest = if before.len() > behind.len() { before } else { behind };
        let other = self.stretch(&sequence, rest, whole_ns);
        let other = other.and_then(|stretch| self.period(&sequence, &stretch, form, whole_ns));
        other.filter(|other| other.candidate.confidence > Confidence::Low).or(period)
    }

    /// Passes that begin with a kernel that runs once in each, where nothing repeats as a whole: never sure enough to be chosen.
    pub(super) fn passes_by_opening(&mut self, process: ProcessId, stream: StreamId) -> Option<Period> {
        let form = NameForm::Short;
        let sequence = Sequence::new(self.input, process, stream, form);
        let places = super::openings::places(&sequence)?;
        let mut distances: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        distances.sort_unstable();
        let period = distances[distances.len() / 2];
        let stretch = Stretch { period, places: places[0]..sequence.len(), matching: 0.0 };
        let covered_ns = self.compute_ns(&sequence.kernels[stretch.places.clone()]);
        let whole_ns = self.process_ns(process);
        let coverage = if whole_ns <= 0 { 0.0 } else { to_f64(covered_ns) / to_f64(whole_ns) };
        if coverage < LEAST_COVERAGE {
            return None;
        }
        let steps = Steps::new(self.input, &sequence, &stretch, &places);
        let mut found = self.judged(&sequence, &stretch, &steps, form, coverage);
        found.candidate.confidence = Confidence::Low;
        found.candidate.score = score(Confidence::Low, coverage * found.candidate.steadiness);
        Some(found)
    }

    /// The verdict on a stretch; none if it has too few steps.
    fn period(
        &mut self,
        sequence: &Sequence,
        stretch: &Stretch,
        form: NameForm,
        whole_ns: Ns,
    ) -> Option<Period> {
        let places = super::beginning::places(self.input, sequence, stretch);
        if places.len() < FEWEST {
            return None;
        }
        let stretch_ns = self.compute_ns(&sequence.kernels[stretch.places.clone()]);
        let coverage = if whole_ns <= 0 { 0.0 } else { to_f64(stretch_ns) / to_f64(whole_ns) };
        let steps = Steps::new(self.input, sequence, stretch, &places);
        let middle = places[places.len() / 2].min(sequence.len() - stretch.period);
        let is_whole = signs::has_layers_inside(&sequence.symbols[middle..middle + stretch.period])
            || signs::has_graph(self.input, sequence, stretch);
        if let Some((first, count)) = steps.between_reads().filter(|_| !is_whole) {
            let places: Vec<usize> = places[first..].iter().copied().step_by(count).collect();
            let last = places[places.len() - 1];
            let stretch = Stretch { period: stretch.period * count, ..stretch.clone() };
            let is_cut = last + stretch.period > stretch.places.end;
            let places = &places[..places.len() - usize::from(is_cut)];
            if places.len() >= FEWEST {
                let steps = Steps::new(self.input, sequence, &stretch, places);
                let period = self.judged(sequence, &stretch, &steps, form, coverage);
                return Some(Period { layers: count, ..period });
            }
        }
        Some(self.judged(sequence, stretch, &steps, form, coverage))
    }

    /// GPU time of the kernels of a process that exchange no data.
    fn process_ns(&mut self, process: ProcessId) -> Ns {
        let Self { input, communication, .. } = self;
        let of_process =
            input.process_of_kernels().iter().enumerate().filter(|(_, other)| **other == process);
        of_process.map(|(kernel, _)| communication.compute_ns(input, kernel)).sum()
    }

    fn compute_ns(&mut self, kernels: &[u32]) -> Ns {
        kernels.iter().map(|&kernel| self.communication.compute_ns(self.input, kernel as usize)).sum()
    }

    /// The stretch of a part of a sequence. It counts if it holds half of the kernels of the stream or half of the GPU
    /// time of the process.
    fn stretch(&mut self, sequence: &Sequence, part: Range<usize>, whole_ns: Ns) -> Option<Stretch> {
        let kernels = &sequence.kernels[part.clone()];
        let found = shortest_period::period(&sequence.symbols[part.clone()], sequence.distinct, |stretch| {
            stretch.len() * 2 >= sequence.len()
                || self.compute_ns(&kernels[stretch.places.clone()]) * 2 >= whole_ns
        })?;
        let places = found.places.start + part.start..found.places.end + part.start;
        Some(Stretch { places, ..found })
    }

    /// Passes of a period on the other streams of its process.
    pub(super) fn elsewhere(&self, period: &Period) -> Vec<PassElsewhere> {
        let names = period.form.names(self.input);
        super::elsewhere::passes(self.input, period.process, period.stream, names, &period.pattern)
    }

    fn judged(
        &self,
        sequence: &Sequence,
        stretch: &Stretch,
        steps: &Steps,
        form: NameForm,
        coverage: f64,
    ) -> Period {
        let middle = steps.places[steps.places.len() / 2].min(sequence.len() - stretch.period);
        let signs = Signs {
            layers_inside: signs::has_layers_inside(&sequence.symbols[middle..middle + stretch.period]),
            host_reads: steps.host_reads >= 0.8,
            graph: signs::has_graph(self.input, sequence, stretch),
            nothing_else: signs::is_nothing_else(sequence, stretch),
        };
        let is_part = signs::ranges_say_part(self.paths, self.leaves, &steps.beginnings);
        let is_clear = signs.layers_inside
            && form == NameForm::Exact
            && stretch.period >= 5
            && steps.places.len() >= 4
            && median(steps.gpu_lengths.clone()) >= LEAST_LENGTH_NS
            && spread(&steps.gpu_lengths) <= 0.15
            && coverage >= 0.8;
        let confidence = match () {
            () if is_part || !signs.any() => Confidence::Low,
            () if is_clear => Confidence::High,
            () => Confidence::Medium,
        };
        let kernels = u32::try_from(stretch.period).unwrap_or(u32::MAX);
        let first = sequence.kernels[steps.places[0]] as usize;
        let intervals: Vec<Ns> =
            steps.iterations.windows(2).map(|pair| pair[1].start - pair[0].start).collect();
        let interval_ns = median(intervals.clone());
        let name = self.input.strings.get(self.input.recorded.kernels.short_name[first]);
        let candidate = IterationCandidate {
            key_node: super::wanted::text_of_period(kernels, name),
            name: name.to_owned(),
            section: String::new(),
            kind: DelimiterKind::Period { kernels },
            hint: KeyNodeHint::Neutral,
            executions: steps.places.len(),
            interval_ns,
            steadiness: share_near(&intervals, interval_ns, 35),
            coverage,
            regularity: stretch.matching,
            score: score(confidence, coverage * stretch.matching),
            confidence,
        };
        let names = form.names(self.input);
        let of_step = &sequence.kernels[middle..middle + stretch.period];
        Period {
            process: sequence.process,
            stream: self.input.recorded.work.stream[first],
            form,
            pattern: of_step.iter().map(|&kernel| names[kernel as usize]).collect(),
            thread: steps.beginnings[0].0,
            iterations: steps.iterations.clone(),
            candidate,
            inner_rhythm: inner_rhythm(sequence, stretch),
            window: window(self.input, sequence, stretch),
            periods: distances::share(stretch.len(), stretch.period),
            layers: 1,
        }
    }
}

/// Passes hold this share of the GPU time of their process.
const LEAST_COVERAGE: f64 = 0.8;

/// Shorter steps are never of high confidence.
const LEAST_LENGTH_NS: Ns = 200_000;

/// A score that agrees with the confidence: below 0.6 is low, from 0.75 on high.
fn score(confidence: Confidence, measured: f64) -> f64 {
    match confidence {
        Confidence::Low => measured.min(0.59),
        Confidence::Medium => measured.clamp(0.6, 0.74),
        Confidence::High => measured.clamp(0.75, 1.0),
    }
}

/// The best shorter rhythm: layers, or the true steps where every tenth has a few kernels more.
fn inner_rhythm(sequence: &Sequence, stretch: &Stretch) -> Option<InnerRhythm> {
    let symbols = &sequence.symbols[stretch.places.clone()];
    let (kernels, matching) = distances::best_match(symbols, sequence.distinct, stretch.period / 2, 0.8)?;
    Some(InnerRhythm {
        repeats: distances::share(stretch.period, kernels),
        kernels: u32::try_from(kernels).unwrap_or(u32::MAX),
        matching,
    })
}

/// From after the call of the kernel before the stretch to that of its last kernel.
fn window(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch) -> Span {
    let before = stretch.places.start.checked_sub(1);
    let start = before.map_or(Ns::MIN, |before| sequence.call_start(input, before).saturating_add(1));
    Span { start, end: sequence.call_start(input, stretch.places.end - 1).max(start) }
}

/// The steps of a stretch.
struct Steps {
    /// Where they begin in the sequence.
    places: Vec<usize>,
    beginnings: Vec<signs::Beginning>,
    iterations: Vec<Span>,
    /// From the start of the first kernel of one to that of the next; the last one to the end of its last kernel.
    gpu_lengths: Vec<Ns>,
    /// Share of steps in which the host reads a result or waits for the GPU.
    host_reads: f64,
    /// By step: whether it does.
    reads: Vec<bool>,
}

impl Steps {
    /// Where the steps are layers, between whose passes the host reads a result, and the GPU pauses for as long as the pass takes:
    /// the first layer of a pass, and how many there are in each.
    ///
    /// ```text
    /// layers   ├─┤├─┤├─┤├─┤ read, pause ├─┤├─┤├─┤├─┤ read, pause ├─┤├─┤├─┤├─┤      4 in each
    /// ```
    fn between_reads(&self) -> Option<(usize, usize)> {
        let reading: Vec<usize> = (0..self.reads.len()).filter(|&at| self.reads[at]).collect();
        let distances: Vec<usize> = reading.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let count = *distances.first()?;
        let alike = distances.iter().filter(|&&distance| distance == count).count();
        // On the GPU: the host may wait for it in any read.
        let with_pause = median(reading.iter().map(|&at| self.gpu_lengths[at]).collect());
        let pass_ns = median(self.gpu_lengths.clone()).saturating_mul(Ns::try_from(count).ok()?);
        let is_pass = count >= 2 && distances.len() >= FEWEST && 10 * alike >= 9 * distances.len();
        (is_pass && with_pause >= pass_ns).then_some(((reading[0] + 1) % count, count))
    }

    fn new(input: &FinderInput<'_>, sequence: &Sequence, stretch: &Stretch, places: &[usize]) -> Self {
        let host = HostSide::of(input, sequence.process);
        let call_start = |place: usize| sequence.call_start(input, place);
        let mut starts: Vec<Ns> = places
            .iter()
            .map(|&place| {
                let start = call_start(place);
                // Where nothing was launched before, all copies from the host are of the first step.
                let before = place.checked_sub(1).map_or(Ns::MIN, call_start);
                host.first_from_host(before, start).unwrap_or(start)
            })
            .collect();
        for at in 1..starts.len() {
            starts[at] = starts[at].max(starts[at - 1]);
        }
        let end = last_end(input, sequence, stretch, places, &starts);
        let ends = starts[1..].iter().copied().chain([end]);
        let iterations: Vec<Span> =
            starts.iter().zip(ends).map(|(&start, end)| Span::new(start, end)).collect();
        let span = |place: usize| input.kernel_span(sequence.kernels[place] as usize);
        let last_place = (places[places.len() - 1] + stretch.period).min(sequence.len()) - 1;
        let gpu_starts = places.iter().map(|&place| span(place).start).chain([span(last_place).end]);
        let gpu_starts: Vec<Ns> = gpu_starts.collect();
        Self {
            places: places.to_vec(),
            beginnings: places
                .iter()
                .map(|&place| (sequence.thread(input, place), call_start(place)))
                .collect(),
            host_reads: host.share_with_reads(&iterations),
            reads: iterations.iter().map(|span| host.share_with_reads(&[*span]) > 0.0).collect(),
            iterations,
            gpu_lengths: gpu_starts.windows(2).map(|pair| pair[1] - pair[0]).collect(),
        }
    }
}

/// The end of the last step: of the last GPU item that is asked for within one and a half intervals, or within half of one after
/// the launch of its last kernel where the step takes longer than the others, before the first kernel after the step.
fn last_end(
    input: &FinderInput<'_>,
    sequence: &Sequence,
    stretch: &Stretch,
    places: &[usize],
    starts: &[Ns],
) -> Ns {
    let last = starts[starts.len() - 1];
    let interval_ns = median(starts.windows(2).map(|pair| pair[1] - pair[0]).collect());
    let behind = places[places.len() - 1] + stretch.period;
    let last_launch = sequence.call_start(input, behind.min(sequence.len()) - 1);
    let mut reach = last.saturating_add(interval_ns).max(last_launch).saturating_add(interval_ns / 2);
    if behind < sequence.len() {
        reach = reach.min(sequence.call_start(input, behind)).max(last);
    }
    let mut marks = vec![Vec::new(); sequence.process.index() + 1];
    marks[sequence.process.index()] = vec![last, reach];
    let load = &gpu_load::between(input, None, marks)[sequence.process.index()];
    let last_kernel = sequence.kernels[behind.min(sequence.len()) - 1] as usize;
    let kernel_end = input.kernel_span(last_kernel).end;
    let without_calls = || gpu_load::latest_end_without_calls(input, sequence.process, last, reach);
    load.latest_end(last, reach).or_else(without_calls).unwrap_or(kernel_end).max(last)
}
