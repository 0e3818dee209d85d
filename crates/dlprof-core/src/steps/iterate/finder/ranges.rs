//! The search among ranges: candidates, their measures and scores, and the best.

use super::choice::{self, Choice, Rated};
use super::delimiter_names::Leaves;
use super::gpu_load::{self, GpuLoad, Totals};
use super::holding;
use super::host_side::HostSide;
use super::input::FinderInput;
use super::measures::{self, GpuSide, Measures, spread};
use super::outcome::{
    Confidence, Delimiter, DelimiterKind, IterationCandidate, ProcessIterations, SectionPlace, Sections,
};
use super::paths::{Execution, Paths};
use super::period::Period;
use super::runs::Runs;
use super::score::{self, Evidence, Frequencies, Scored};
use super::sections::{self, FEWEST, Section};
use super::time_lines::TimeLines;
use super::wanted::Wanted;
use super::words::KeyNodeHint;
use crate::base::groups::Grouped;
use crate::base::ids::{ProcessId, ThreadId};
use crate::base::ratios::count_to_f64;
use crate::base::time::{Ns, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What delimits iterations among ranges, if anything does, and all candidates; the chosen one first.
pub(super) fn find(
    input: &FinderInput<'_>,
    leaves: &Leaves<'_>,
    paths: &Paths,
    period: Option<&Period>,
    wanted: Option<Wanted<'_>>,
) -> (Option<Delimiter>, Vec<IterationCandidate>) {
    if paths.executions.len() < FEWEST {
        return (None, Vec::new());
    }
    let totals = Totals::of(input);
    let by_leaf = sections::by_leaf(paths, leaves);
    let sections = sections::sections(input, &totals, paths, leaves, &by_leaf);
    let mut search = Search { input, leaves, paths, totals, by_leaf, sections };
    let mut measured = search.measured();
    let holds_work: Vec<bool> = measured.iter().map(|measures| measures.holds_work).collect();
    let mut kept = holds_work.iter();
    search.sections.retain(|_| kept.next() == Some(&true));
    measured.retain(|measures| measures.holds_work);
    let candidates = search.scored(&measured, period);
    search.chosen(&measured, &candidates, wanted)
}

struct Search<'a> {
    input: &'a FinderInput<'a>,
    leaves: &'a Leaves<'a>,
    paths: &'a Paths,
    totals: Totals,
    by_leaf: Grouped<u32>,
    sections: Vec<Section>,
}

impl Search<'_> {
    /// The executions of a leaf on a thread, in order of start.
    fn of_leaf(&self, section: &Section, thread: ThreadId) -> Vec<Execution> {
        let all = self.by_leaf.get(section.leaf as usize);
        let from = all.partition_point(|&at| self.paths.thread_of(at as usize) < thread);
        let on_thread = all[from..].iter().take_while(|at| self.paths.thread_of(**at as usize) == thread);
        on_thread.map(|&at| self.paths.executions[at as usize]).collect()
    }

    /// By candidate: its measures.
    fn measured(&self) -> Vec<Measures> {
        let mut of_leaf = Vec::new();
        let mut key = None;
        let mut runs = Vec::with_capacity(self.sections.len());
        for section in &self.sections {
            // Candidates of one leaf follow each other.
            if key.replace((section.leaf, section.thread)) != Some((section.leaf, section.thread)) {
                of_leaf = self.of_leaf(section, section.thread);
            }
            runs.push(Runs::new(&section.executions, &of_leaf));
        }
        let mut warm: BTreeMap<ThreadId, Vec<Span>> = BTreeMap::new();
        for section in &self.sections {
            warm.entry(section.thread).or_insert_with(|| measures::warm_ups(self.paths, section.thread));
        }
        let iterations = self.iterations(&runs);
        let loads = self.loads(|at, section, marks| {
            marks.extend(section.executions.iter().map(|execution| execution.span.start));
            if !self.totals.launches_on(section.thread) {
                marks.extend(section.executions.iter().map(|execution| execution.span.end));
            }
            marks.extend(iterations[at].iter().flat_map(|span| [span.start, span.end]));
            marks.extend(warm[&section.thread].iter().flat_map(|span| [span.start, span.end]));
        });
        let has_gpu =
            |process: ProcessId| self.totals.items.get(process.index()).is_some_and(|&items| items > 0);
        let without_gpu = self.sections.iter().filter(|section| !has_gpu(section.process));
        let time_lines = TimeLines::new(without_gpu, self.paths);
        let parts = self.sections.iter().zip(&runs).zip(iterations.iter().cloned());
        parts
            .map(|((section, runs), iterations)| {
                let process = section.process.index();
                let load = load_of(&loads, section.process);
                let holds_work = holding::holds_work(section, &iterations, load, &self.totals);
                if !has_gpu(section.process) {
                    let measures = measures::without_gpu(section, runs, iterations, self.paths, &time_lines);
                    return Measures { holds_work, ..measures };
                }
                let process_ns = self.totals.gpu_ns[process];
                let gpu = GpuSide { load, process_ns, warm: &warm[&section.thread] };
                Measures { holds_work, ..measures::with_gpu(section, runs, iterations, &gpu) }
            })
            .collect()
    }

    /// By candidate: its iterations.
    fn iterations(&self, runs: &[Runs]) -> Vec<Vec<Span>> {
        let loads = self.loads(|at, section, marks| marks.extend(runs[at].marks(&section.executions)));
        let sections = self.sections.iter().zip(runs);
        sections
            .map(|(section, runs)| runs.iterations(&section.executions, load_of(&loads, section.process)))
            .collect()
    }

    /// The GPU load of each process between the marks that `add` makes for each candidate.
    fn loads(&self, add: impl Fn(usize, &Section, &mut Vec<Ns>)) -> Vec<GpuLoad> {
        let processes = self.input.processes();
        let mut marks = vec![Vec::new(); processes];
        for (at, section) in self.sections.iter().enumerate() {
            if let Some(marks) = marks.get_mut(section.process.index()) {
                add(at, section, marks);
            }
        }
        gpu_load::between(self.input, Some(&self.totals), marks)
    }

    /// By candidate: executions per period of its process, if there is a period.
    fn frequencies(&self, period: Option<&Period>) -> Vec<Option<f64>> {
        let frequency = |section: &Section| {
            let period = period.filter(|period| period.process == section.process)?;
            Some(period.frequency(section.executions.iter().map(|execution| execution.span.start)))
        };
        self.sections.iter().map(frequency).collect()
    }

    /// By candidate: what there is to see of whole steps. Only names that say nothing need that.
    fn evidence(&self, measured: &[Measures], period: Option<&Period>) -> Vec<Evidence> {
        let is_step = period.is_some_and(|period| period.candidate.confidence > Confidence::Low);
        let frequencies = self.frequencies(period);
        let mut hosts: BTreeMap<ProcessId, HostSide> = BTreeMap::new();
        let evidence = |((section, measures), frequency): ((&Section, &Measures), Option<f64>)| {
            if section.hint != KeyNodeHint::Neutral {
                return Evidence::None;
            }
            let host = hosts.entry(section.process);
            let host = host.or_insert_with(|| HostSide::of(self.input, section.process));
            match frequency {
                _ if host.share_with_reads(&measures.iterations) >= 0.8 => Evidence::Step,
                Some(frequency) if is_step && score::is_once(frequency) => Evidence::Step,
                Some(frequency) if !is_step && frequency >= score::ONCE.start => Evidence::Part,
                _ if section.executions.len() >= MANY => Evidence::Step,
                _ => Evidence::None,
            }
        };
        self.sections.iter().zip(measured).zip(frequencies).map(evidence).collect()
    }

    /// By candidate: everything said of it but its name.
    fn scored(&self, measured: &[Measures], period: Option<&Period>) -> Vec<IterationCandidate> {
        let evidence = self.evidence(measured, period);
        let step_period = period.filter(|period| period.candidate.confidence > Confidence::Low);
        let frequencies = Frequencies { per_period: self.frequencies(step_period) };
        let is_part = frequencies.parts_of_step(&self.sections);
        let of_any_period = self.frequencies(period);
        let most_of_parts = period.map_or(0.0, |period| 0.5 * count_to_f64(period.layers as u64));
        let candidate = |(at, (section, measures)): (usize, (&Section, &Measures))| {
            let scored = Scored {
                hint: section.hint,
                executions: section.executions.len(),
                steadiness: measures.steadiness,
                regularity: measures.regularity,
                coverage: measures.coverage,
                is_part_of_step: is_part[at],
                holds_periods: of_any_period[at]
                    .is_some_and(|frequency| 0.0 < frequency && frequency <= most_of_parts),
            };
            let score = scored.score();
            let durations: Vec<Ns> = measures.iterations.iter().map(|span| span.length()).collect();
            IterationCandidate {
                // Names are for those that are kept.
                key_node: String::new(),
                name: String::new(),
                section: String::new(),
                kind: DelimiterKind::Range,
                hint: section.hint,
                executions: section.executions.len(),
                interval_ns: measures.interval_ns,
                steadiness: measures.steadiness,
                coverage: measures.coverage,
                regularity: measures.regularity,
                score,
                confidence: scored.confidence(score, spread(&durations), evidence[at]),
            }
        };
        self.sections.iter().zip(measured).enumerate().map(candidate).collect()
    }

    /// The chosen candidate as delimiter, and one candidate per name, the chosen one first.
    fn chosen(
        &self,
        measured: &[Measures],
        candidates: &[IterationCandidate],
        wanted: Option<Wanted<'_>>,
    ) -> (Option<Delimiter>, Vec<IterationCandidate>) {
        let rated: Vec<Rated<'_>> = self
            .sections
            .iter()
            .zip(measured)
            .zip(candidates)
            .map(|((section, measures), candidate)| Rated {
                section,
                name: self.leaves.name[section.leaf as usize],
                score: candidate.score,
                confidence: candidate.confidence,
                gpu_ns: measures.gpu_ns,
                interval_ns: measures.interval_ns,
                launches: self.totals.launches_on(section.thread),
                measured: [measures.steadiness, measures.coverage, measures.regularity],
            })
            .collect();
        let mut kept = choice::one_per_leaf(&rated);
        let choice = match wanted {
            None => choice::choose(&rated, &kept),
            Some(Wanted::Range(text)) => self.named(text, &kept).map(Choice::of),
            Some(Wanted::Period { .. }) => None,
        };
        let chosen = choice.map(|choice| choice.chosen);
        if let Some(chosen) = chosen {
            kept.retain(|&at| at != chosen);
            kept.insert(0, chosen);
        }
        let named = |at: usize| {
            let Section { leaf, path, .. } = self.sections[at];
            let evidence = choice.filter(|choice| choice.chosen == at).map_or(at, |choice| choice.evidence);
            let evidence = &candidates[evidence];
            let name = self.leaves.name[leaf as usize];
            IterationCandidate {
                key_node: name.to_owned(),
                name: name.to_owned(),
                section: path.map_or_else(String::new, |path| self.paths.around(path, self.leaves)),
                score: evidence.score,
                confidence: evidence.confidence,
                ..candidates[at].clone()
            }
        };
        let is_meant =
            |choice: &Choice| wanted.is_some() || candidates[choice.evidence].confidence > Confidence::Low;
        let delimiter = choice
            .filter(is_meant)
            .map(|Choice { chosen, .. }| self.delimiter(chosen, &measured[chosen], &named(chosen)));
        (delimiter, kept.into_iter().map(named).collect())
    }

    /// The candidate of a name, or of the names of its path, each after a `/`.
    fn named(&self, text: &str, kept: &[usize]) -> Option<usize> {
        let name = |at: usize| self.leaves.name[self.sections[at].leaf as usize];
        let by_name = kept.iter().copied().find(|&at| name(at) == text);
        by_name.or_else(|| {
            let path = text.strip_prefix('/')?;
            let has_path = |at: &usize| {
                path.ends_with(name(*at))
                    && self.sections[*at].path.is_some_and(|own| {
                        let around = self.paths.around(own, self.leaves);
                        if around.is_empty() {
                            name(*at) == path
                        } else {
                            format!("{around}/{}", name(*at)) == path
                        }
                    })
            };
            (0..self.sections.len()).find(has_path)
        })
    }

    fn delimiter(&self, chosen: usize, measures: &Measures, candidate: &IterationCandidate) -> Delimiter {
        let section = &self.sections[chosen];
        let main = ProcessIterations {
            process: section.process,
            thread: section.thread.into(),
            iterations: measures.iterations.clone(),
        };
        Delimiter {
            name: candidate.name.clone(),
            kind: DelimiterKind::Range,
            confidence: candidate.confidence,
            by_process: [main].into_iter().chain(self.elsewhere(section)).collect(),
            labels: measures::labels(&section.executions),
            sections: self.places(section, candidate),
            inner_rhythm: None,
            elsewhere: Vec::new(),
        }
    }

    /// The iterations of the other processes.
    fn elsewhere(&self, section: &Section) -> Vec<ProcessIterations> {
        let mut marks = vec![Vec::new(); self.input.processes()];
        let runs: Vec<Runs> = section
            .elsewhere
            .iter()
            .map(|(_, thread, executions)| Runs::new(executions, &self.of_leaf(section, *thread)))
            .collect();
        for ((process, _, executions), runs) in section.elsewhere.iter().zip(&runs) {
            if let Some(marks) = marks.get_mut(process.index()) {
                marks.extend(runs.marks(executions));
            }
        }
        let loads = gpu_load::between(self.input, Some(&self.totals), marks);
        let parts = section.elsewhere.iter().zip(&runs);
        parts
            .map(|((process, thread, executions), runs)| ProcessIterations {
                process: *process,
                thread: (*thread).into(),
                iterations: runs.iterations(executions, load_of(&loads, *process)),
            })
            .collect()
    }

    /// Where ranges of the chosen name run on its thread.
    fn places(&self, section: &Section, candidate: &IterationCandidate) -> Sections {
        let chosen: BTreeSet<u32> = section.executions.iter().map(|execution| execution.path).collect();
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for execution in self.of_leaf(section, section.thread) {
            *counts.entry(execution.path).or_default() += 1;
        }
        let mut others: Vec<SectionPlace> = counts
            .into_iter()
            .filter(|&(path, count)| count >= FEWEST && !chosen.contains(&path))
            .map(|(path, executions)| SectionPlace {
                name: candidate.name.clone(),
                around: self.paths.around(path, self.leaves),
                executions,
            })
            .collect();
        others.sort_by(|a, b| b.executions.cmp(&a.executions).then_with(|| a.around.cmp(&b.around)));
        others.truncate(MOST_PLACES);
        let chosen = SectionPlace {
            name: candidate.name.clone(),
            around: candidate.section.clone(),
            executions: candidate.executions,
        };
        Sections { chosen: Some(chosen), others }
    }
}

/// This many executions are a sign of steps where the kernels do not tell: networks have fewer layers.
const MANY: usize = 100;

/// No more other places are named.
const MOST_PLACES: usize = 3;

fn load_of(loads: &[GpuLoad], process: ProcessId) -> &GpuLoad {
    static NOTHING: GpuLoad = GpuLoad::NOTHING;
    loads.get(process.index()).unwrap_or(&NOTHING)
}
