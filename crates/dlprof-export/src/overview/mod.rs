//! What every first page shows, as plain values: the dashboard, the first page of a report, the first sheet of a workbook and the
//! first view of a page are drawn from it and from nothing else.
//!
//! The fields stand in the order of the page: the answer, what it is about, where the time goes, what to change. Times are
//! nanoseconds **per iteration**: sums over the aggregated iterations, over [`Basis::divisor`], which counts every pass that an
//! unsplit iteration holds. Without iterations the divisor is 1 and [`Basis::per`] says so. Shares are percent. What cannot be
//! known is `None`, never 0; [`Overview::missing`] says what would make it known.

pub(crate) mod aggregated;
mod dlprof;
mod findings;
mod gpus;
mod iterations;
pub(crate) mod kernel_labels;
mod kernels;
mod missing;
mod ops;
mod serving;
mod step;
mod tiles;
mod window;

pub(crate) use dlprof::{ClassCount, DlprofFigures};
pub(crate) use findings::{FailedRule, FindingRow, SavingPerIteration, about_savings};
pub(crate) use gpus::GpuRow;
pub use iterations::IterationRow;
pub(crate) use iterations::Iterations;
pub(crate) use kernels::{KernelKindRow, KernelRow, Kernels, WITH_OTHER_WORK};
pub(crate) use missing::Missing;
pub(crate) use ops::{OpRow, OpTypeRow, Ops, RankedBy};
pub(crate) use serving::ServingPicture;
use serving::serving_picture;
pub(crate) use step::{IdleRow, RangeRow, Step, StepClass, StepPart};
pub(crate) use tiles::{TileLabels, Tiles};
pub(crate) use window::{Window, period_in_words, window};

use crate::display::{TimeUnit, sentence, short_time};
use crate::text::shorten;
use dlprof_core::{Bounds, Changes, Headline, Judged, Ns, Profile, Recorder, Severity, to_f64};
use serde::Serialize;

/// Version of the form of [`Overview`]: it grows when a field changes its meaning or goes away.
pub(crate) const VERSION: u32 = 4;

/// What every first page shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overview {
    /// `VERSION`.
    pub version: u32,
    /// What limits the program, and what the first changes save, in at most [`dlprof_core::MOST_WORDS`] words.
    pub verdict: String,
    /// The same in parts.
    pub verdict_parts: VerdictParts,
    /// What the verdict rests on, in sentences: names, causes, and what else limits; `None` where there is no more to say.
    pub verdict_detail: Option<String>,
    /// What the verdict means, in plain words; `None` where it says all that is known.
    pub verdict_meaning: Option<&'static str>,
    /// The time now and with the changes that the verdict speaks of, else with the first one that is known, for bars; empty where none is.
    pub outlook: Vec<OutlookBar>,
    /// How long the step takes after the first changes, and what limits it then; `None` where that is not known.
    pub after_changes: Option<String>,
    /// When the capture began, such as `2026-05-24 13:40 UTC`; `None` if the export does not say.
    pub captured_at: Option<String>,
    /// What the figures are about.
    pub window: Window,
    /// What times and counts are divided by.
    pub basis: Basis,
    /// The figures of the first line.
    pub tiles: Tiles,
    /// What these figures are called.
    pub labels: TileLabels,
    /// What the units of the GPUs that multiply matrices are called: Tensor Cores are NVIDIA's.
    #[serde(skip)]
    pub matrix_units: &'static str,
    /// Who recorded the capture.
    #[serde(skip)]
    pub recorder: Recorder,
    /// Where the time goes; `None` without kernel records or a used GPU.
    pub step: Option<Step>,
    /// How long the iterations take; `None` without iterations.
    pub iterations: Option<Iterations>,
    /// Kernels by name, and their time by kind; `None` without kernel records.
    pub kernels: Option<Kernels>,
    /// Ops with copies folded, and op types.
    pub ops: Ops,
    /// Whether savings of findings may come from the same time, so that they do not add up.
    pub savings_overlap: bool,
    /// What to change: errors of the capture first, then by saving.
    pub findings: Vec<FindingRow>,
    /// Users' rules that do not fit the values that they saw; commands other than the viewer stop there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_rules: Vec<FailedRule>,
    /// What is aggregated in DLProf's terms.
    pub dlprof: DlprofFigures,
    /// The GPUs of the machine.
    pub gpus: Vec<GpuRow>,
    /// The machine, the software and the command, in parts such as `driver 560.35.03`.
    pub system: Vec<String>,
    /// The command that nsys ran, whole; `None` if the export does not say.
    pub command: Option<String>,
    /// What counters of Nsight Compute are about; none without counters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// What is said of an inference server: its steps by phase, the time between tokens, what GPUs wait for; none of other captures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub serving: Vec<String>,
    /// Its steps over time and how the time between tokens is distributed, for a picture; `None` of other captures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serving_picture: Option<ServingPicture>,
    /// What is not known, and what would make it known.
    pub missing: Vec<Missing>,
    /// Number of notes about the capture that are not warnings.
    pub notes: usize,
}

/// The verdict in parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictParts {
    /// What limits the program, for programs: see [`Headline::class`].
    pub class: &'static str,
    /// The finding that comes first; `None` where there is none.
    pub cause: Option<String>,
    /// What limits the program, such as `CPU-bound`, or what is wrong with the capture.
    pub limit: &'static str,
    /// The class of a step whose share it is; `None` where the share is of something else.
    pub step_class: Option<StepClass>,
    /// The share of the time; `None` where nothing limits.
    pub percent: Option<f64>,
    /// What the first changes save together; `None` where that is not known, or is hardly anything.
    pub changes: Option<Changes>,
    /// How short an iteration can become if GPU work, or the host, took no time; `None` where that is not known, or nothing repeats.
    pub bounds: Option<Bounds>,
}

/// A time that is drawn as a bar beside the verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutlookBar {
    /// What it is, such as `after two changes`.
    pub words: &'static str,
    /// The time of an iteration; without iterations, of the window.
    pub ns: f64,
}

fn outlook(changes: Option<&Changes>, findings: &[FindingRow], now: f64) -> Vec<OutlookBar> {
    let bar = |words, saved: f64| OutlookBar { words, ns: (now - saved).max(0.0) };
    let of_changes = |changes: &Changes| {
        let words = match (changes.ids.len(), changes.is_at_most) {
            (1, true) => "after one change, at best",
            (1, false) => "after one change",
            (2, _) => "after two changes",
            _ => "after three changes",
        };
        vec![bar(words, now * changes.percent / 100.0)]
    };
    let of_first = || {
        let saving = findings.iter().find_map(|finding| finding.saving.as_ref());
        let expected =
            saving.and_then(|saving| saving.expected_ns).map(|ns| bar("after the first change", ns));
        let at_most = saving.and_then(|saving| saving.at_most_ns).map(|ns| bar("first change, at best", ns));
        expected.into_iter().chain(at_most).collect()
    };
    let after: Vec<OutlookBar> = changes.map_or_else(of_first, of_changes);
    match after.is_empty() || now <= 0.0 {
        true => Vec::new(),
        false => [bar("now", 0.0)].into_iter().chain(after).collect(),
    }
}

/// What a verdict rests on, as a paragraph: its detail, and how short a step can become.
fn rests_on(headline: &Headline, judged: &Judged, time_unit: TimeUnit, may_wait: bool) -> Option<String> {
    let seems = "Its longest gaps may be waits for input: calls of the operating system were not recorded.";
    let may_wait = (may_wait && headline.bounds.is_some()).then(|| seems.to_owned());
    let said = [detail(headline, judged, time_unit), headline.bounds.map(bounds_in_words), may_wait];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Whether what seems to be work of the host between two calls may be waiting for input, which nothing recorded would show.
fn may_wait(found: &[FindingRow], missing: &[Missing]) -> bool {
    missing.iter().any(|one| one.figure == "input") && found.iter().any(|row| row.id == "cpu_work_between")
}

/// A step that still takes this share of its time is hardly shorter.
const ALL_PERCENT: f64 = 99.0;

fn bounds_in_words(bounds: Bounds) -> String {
    let [gpu, host, input] =
        [bounds.gpu_percent(), bounds.host_percent(), bounds.input_percent()].map(|saved| 100.0 - saved);
    let more = match (input < ALL_PERCENT, gpu.min(host) >= ALL_PERCENT) {
        (true, _) => format!(" If its input came at once, {input:.0} %."),
        (false, true) => " Neither alone helps.".to_owned(),
        (false, false) => String::new(),
    };
    format!(
        "If GPU work took no time, a step would still take {gpu:.0} % of its time; if the host took none, {host:.0} %.{more}"
    )
}

/// The detail of a verdict as a paragraph, without what the verdict says itself.
fn detail(headline: &Headline, judged: &Judged, time_unit: TimeUnit) -> Option<String> {
    let detail = sentence(&dlprof_core::verdict_detail(judged), time_unit);
    let words =
        detail.strip_prefix(headline.limit).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&detail);
    let said = headline.percent.map(|share| format!("GPU compute takes {share:.1}% of the time"));
    let rest = said.and_then(|said| words.strip_prefix(&said));
    let words = rest
        .filter(|rest| rest.is_empty() || rest.starts_with(". "))
        .map_or(words, |rest| rest.trim_start_matches(". "));
    let mut letters = words.chars();
    let first: String = letters.next()?.to_uppercase().collect();
    let paragraph = format!("{first}{}.", letters.as_str().trim_end_matches('.'));
    let verdict = sentence(&headline.sentence, time_unit).to_lowercase();
    (!verdict.contains(&paragraph.to_lowercase())).then_some(paragraph)
}

/// `With the first two changes: 26.2 ms → 15.5 ms (−41 %). Then GPU compute limits: 92 % of the critical path.`
fn after_changes(
    changes: Option<&Changes>,
    places: &[usize],
    step_ns: f64,
    time_unit: TimeUnit,
) -> Option<String> {
    let changes = changes.filter(|changes| !changes.is_at_most)?;
    let then = changes.then?;
    let which = in_places(places)?;
    let [now, after] =
        [step_ns, step_ns * (1.0 - changes.percent / 100.0)].map(|ns| short_time(ns, time_unit));
    let (saved, what, share) = (changes.percent, then.what, then.percent);
    Some(format!(
        "With the {which}: {now} → {after} (−{saved:.0} %). Then {what} limits: {share:.0} % of the critical path."
    ))
}

/// Changes by their places among what is listed: `first two changes`, `second change`, `first and third changes`.
fn in_places(places: &[usize]) -> Option<String> {
    const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];
    let named: Vec<&str> = places.iter().map(|&place| ORDINALS.get(place).copied()).collect::<Option<_>>()?;
    let is_head = places.iter().copied().eq(0..places.len());
    Some(match (named.as_slice(), is_head) {
        ([], _) => return None,
        ([one], _) => format!("{one} change"),
        ([_, _], true) => "first two changes".to_owned(),
        ([_, _, _], true) => "first three changes".to_owned(),
        (several, _) => format!("{} changes", several.join(" and ")),
    })
}

/// What a time or a count is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Of what the figures are.
    pub per: Per,
    /// How often the step runs in the sums: the number of iterations, but that an unsplit one counts as the passes that it holds;
    /// 1 without iterations.
    pub divisor: u32,
    /// Number of iterations in the sums; 1 without iterations.
    pub iterations: u32,
}

/// Of what a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// One iteration, on average.
    Iteration,
    /// The whole window, because there are no iterations.
    Window,
}

impl Basis {
    /// That of a profile.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        match profile.iterations.key_node {
            Some(_) => Self {
                per: Per::Iteration,
                divisor: profile.iterations.passes().max(1),
                iterations: profile.iterations.aggregated().max(1),
            },
            None => Self { per: Per::Window, divisor: 1, iterations: 1 },
        }
    }

    /// A sum of nanoseconds per iteration.
    fn each(self, ns: Ns) -> f64 {
        to_f64(ns) / f64::from(self.divisor)
    }

    /// A sum of counts per iteration.
    fn each_count(self, count: u64) -> f64 {
        dlprof_core::count_to_f64(count) / f64::from(self.divisor)
    }

    /// The title of the parts of the time.
    pub(crate) fn where_it_goes(self) -> &'static str {
        match self.per {
            Per::Iteration => "Where a step goes",
            Per::Window => "Where the time goes",
        }
    }

    /// Of what a mean is: `mean of 38`, `mean of 48 passes`, or `the whole window`.
    #[must_use]
    pub(crate) fn mean_in_words(self) -> String {
        match self.per {
            Per::Iteration if self.divisor == self.iterations => format!("mean of {}", self.divisor),
            Per::Iteration => format!("mean of {} passes", self.divisor),
            Per::Window => "the whole window".to_owned(),
        }
    }

    /// What sums are over: `10 iterations`, `48 passes`, or `the whole window`.
    #[must_use]
    pub fn sum_in_words(self) -> String {
        match (self.per, self.divisor) {
            (Per::Window, _) => "the whole window".to_owned(),
            (Per::Iteration, 1) => "1 iteration".to_owned(),
            (Per::Iteration, divisor) if divisor == self.iterations => format!("{divisor} iterations"),
            (Per::Iteration, divisor) => format!("{divisor} passes"),
        }
    }

    /// `per iteration`, or `in all`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self.per {
            Per::Iteration => "per iteration",
            Per::Window => "in all",
        }
    }
}

impl Overview {
    /// The sentences below the verdict, where they stand together.
    pub(crate) fn said_below(&self) -> impl Iterator<Item = &str> {
        let said = [self.verdict_detail.as_deref(), self.verdict_meaning, self.after_changes.as_deref()];
        said.into_iter().flatten()
    }

    /// What the savings of some of its findings are about, and whether they overlap.
    pub(crate) fn about_savings(&self, shown: &[FindingRow]) -> String {
        findings::about_savings(self.basis.words(), findings::overlap(shown))
    }

    /// Behind the heading of GPU times of ops: over how many GPUs they are sums; nothing of one GPU, nor of times of ranges.
    pub(crate) fn gpus_of_ops(&self) -> String {
        match self.ops.ranked_by {
            RankedBy::GpuTime => kernels::sum_over(self.gpus.iter().filter(|gpu| gpu.is_used).count()),
            RankedBy::CpuTime => String::new(),
        }
    }
}

/// What every first page shows of a profile. Times in sentences have a unit that fits each, or the one given.
#[must_use]
pub fn overview(judged: &Judged, time_unit: TimeUnit) -> Overview {
    let basis = Basis::of(judged);
    let kernels = kernels::kernels(judged, basis);
    let mut step = step::step(judged, basis);
    let tiles = tiles::tiles(judged, basis, kernels.as_ref());
    let missing = missing::missing(judged, kernels.as_ref(), step.as_ref());
    if let Some(step) = &mut step {
        step.mark_unseen(judged, &missing);
    }
    let said = |text: String| judged.capture.recorder.in_its_words(&text).into_owned();
    let mut found = findings::findings(judged, time_unit);
    for text in found.iter_mut().flat_map(|row| [&mut row.title, &mut row.problem, &mut row.advice]) {
        *text = said(std::mem::take(text));
    }
    let is_note = |code: Severity| code == Severity::Note;
    let headline = dlprof_core::verdict(judged);
    let place = |id: &String| found.iter().position(|finding| finding.id == *id);
    let places: Vec<usize> =
        headline.changes.iter().flat_map(|changes| &changes.ids).filter_map(place).collect();
    Overview {
        version: VERSION,
        verdict: said(sentence(&headline.sentence, time_unit)),
        verdict_detail: rests_on(&headline, judged, time_unit, may_wait(&found, &missing)).map(said),
        verdict_parts: VerdictParts {
            class: headline.class,
            cause: found.first().map(|finding| finding.id.clone()),
            limit: headline.limit,
            step_class: headline.step_class,
            percent: headline.percent,
            changes: headline.changes.clone(),
            bounds: headline.bounds,
        },
        verdict_meaning: dlprof_core::verdict_meaning(judged),
        outlook: match step {
            Some(_) => outlook(headline.changes.as_ref(), &found, tiles.iteration_ns),
            None => Vec::new(),
        },
        after_changes: after_changes(headline.changes.as_ref(), &places, tiles.iteration_ns, time_unit),
        captured_at: crate::dates::captured(judged),
        window: window::window(judged),
        basis,
        tiles,
        labels: TileLabels::new(judged, basis, &tiles),
        matrix_units: judged.capture.recorder.vendor.matrix_units(),
        recorder: judged.capture.recorder,
        step,
        iterations: iterations::iterations(judged),
        ops: ops::ops(judged, basis).without_unknown(&missing),
        savings_overlap: findings::overlap(&found),
        findings: found,
        failed_rules: findings::failed_rules(judged),
        dlprof: dlprof::dlprof(judged),
        gpus: gpus::gpus(judged, basis),
        system: system(judged),
        command: crate::origin::command(judged),
        counters: crate::counters::cover_in_words(judged),
        serving: dlprof_core::serving_in_words(judged).iter().map(|said| sentence(said, time_unit)).collect(),
        serving_picture: serving_picture(judged),
        missing,
        notes: judged.diagnostics.iter().filter(|found| is_note(found.code.severity())).count(),
        kernels,
    }
}

/// Columns of a command among the parts of the system.
const MOST_OF_COMMAND: usize = 120;

/// The machine and the software, in parts, and the command.
fn system(profile: &Profile) -> Vec<String> {
    let system = &profile.capture.system;
    let after = |word: &str, value: &Option<String>| value.as_ref().map(|value| format!("{word}{value}"));
    let gpus = match (system.gpu_names.is_empty(), system.gpu_count) {
        (false, _) => Some(system.gpus_in_words()),
        (true, 0) => None,
        (true, 1) => Some("1 GPU (name unknown)".to_owned()),
        (true, count) => Some(format!("{count} GPUs (names unknown)")),
    };
    let parts = [
        gpus,
        system.cpu_model.as_deref().map(cpu_name).filter(|name| !name.is_empty() && name != "unknown"),
        after("driver ", &system.driver_version),
        after("CUDA ", &system.cuda_version),
        after("cuDNN ", &system.cudnn_version),
        system.framework.clone(),
        system.nsys_in_words(),
        crate::origin::command(profile)
            .map(|command| format!("command {}", shorten(&command, MOST_OF_COMMAND))),
    ];
    parts.into_iter().flatten().collect()
}

/// A model of a CPU without trade marks and without the maker's name before its own.
fn cpu_name(model: &str) -> String {
    let plain = model.replace("(R)", "").replace("(TM)", "").replace("(r)", "").replace("(tm)", "");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let is_maker = words.len() > 2 && words[0].eq_ignore_ascii_case("intel");
    words[usize::from(is_maker)..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::{after_changes, cpu_name, in_places, outlook};
    use crate::display::TimeUnit;
    use dlprof_core::{Changes, PathLimit};

    #[test]
    fn bars_are_of_the_changes_of_the_verdict() {
        let of = |ids: usize, is_at_most| {
            let changes = Changes { ids: vec![String::new(); ids], percent: 30.0, is_at_most, then: None };
            let bars = outlook(Some(&changes), &[], 200.0);
            bars.into_iter().map(|bar| (bar.words, bar.ns)).collect::<Vec<_>>()
        };
        assert_eq!(of(2, false), [("now", 200.0), ("after two changes", 140.0)]);
        assert_eq!(of(1, true), [("now", 200.0), ("after one change, at best", 140.0)]);
        assert!(outlook(None, &[], 200.0).is_empty());
    }

    #[test]
    fn what_limits_after_the_changes_is_said() {
        let ids = ["launch_bound", "tiny_kernels"].map(str::to_owned).to_vec();
        let then = Some(PathLimit { what: "the CPU", percent: 72.4 });
        let changes = Changes { ids, percent: 41.0, is_at_most: false, then };
        assert_eq!(
            after_changes(Some(&changes), &[0, 1], 26_200_000.0, TimeUnit::Auto).as_deref(),
            Some(
                "With the first two changes: 26.2 ms → 15.5 ms (−41 %). Then the CPU limits: 72 % of the critical path."
            )
        );
        let unknown = Changes { then: None, ..changes };
        assert_eq!(after_changes(Some(&unknown), &[0, 1], 26_200_000.0, TimeUnit::Auto), None);
    }

    #[test]
    fn changes_are_named_by_their_places() {
        let named = |places: &[usize]| in_places(places);
        assert_eq!(named(&[0]).as_deref(), Some("first change"));
        assert_eq!(named(&[1]).as_deref(), Some("second change"));
        assert_eq!(named(&[0, 1, 2]).as_deref(), Some("first three changes"));
        assert_eq!(named(&[0, 2]).as_deref(), Some("first and third changes"));
        assert_eq!(named(&[]), None);
    }

    #[test]
    fn cpus_have_short_names() {
        assert_eq!(cpu_name("INTEL(R) XEON(R) PLATINUM 8558P"), "XEON PLATINUM 8558P");
        assert_eq!(cpu_name("AMD EPYC 7742 64-Core Processor"), "AMD EPYC 7742 64-Core Processor");
    }
}
