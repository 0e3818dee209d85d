//! The verdict in at most fifteen words: what limits the steps, how much of them that is, and what the first changes save together.

use super::opening::{
    BUSY, SET_UP, WAITING, WORTH_PERCENT, in_judged_part, is_cold_pass, names_both, too_short, word,
    word_of_idle,
};
use super::other_idle::is_mostly_once;
use super::spoken::{BOTH_WAIT, failure, word_of_run};
use crate::advice::detect::rule_of;
use crate::advice::finding::{Finding, Saving, without_kernels};
use crate::advice::judged::Judged;
use crate::advice::of_recorders::ran_one_by_one;
use crate::advice::overlap::savings_overlap;
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::figures::activity::{StepClass, StepClasses, Verdict};
use crate::figures::profile::WholeRun;
use crate::replay::{Bounds, PathLimit};
use serde::Serialize;

/// The verdict holds no more words.
pub const MOST_WORDS: usize = 15;

/// The class of captures without GPU work.
const NO_GPU_WORK: &str = "no_gpu_work";

/// How many changes are counted: pages show as many first.
const MOST_CHANGES: usize = 3;

/// The verdict in parts, and as a sentence of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// What limits the steps, for programs: `gpu_bound`, `cpu_bound`, `copy_bound`, `communication_bound`, `input_bound`, `waiting`,
    /// `unexplained`, `set_up` (work that is done once), `too_short`, `misleads`, or `no_gpu_work`.
    pub class: &'static str,
    /// What limits the steps, such as `CPU-bound`; what is wrong where nothing can be said of that.
    pub limit: &'static str,
    /// The class of a step whose share it is; `None` where nothing limits, or where the share is of all idle time or of the whole
    /// run.
    pub step_class: Option<StepClass>,
    /// The share of the time in percent.
    pub percent: Option<f64>,
    /// What the first changes save; `None` where that is not known, or is not worth a sentence.
    pub changes: Option<Changes>,
    /// How short an iteration can become if GPU work, or the host, took no time; `None` where that is not known, or nothing repeats.
    pub bounds: Option<Bounds>,
    /// The sentence.
    pub sentence: Sentence,
}

/// What the first changes save together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changes {
    /// The ids of their findings. No two of them save the same time, unless they were replayed together.
    pub ids: Vec<String>,
    /// What is likely, in percent of the time; of one change whose likely saving is not known, what cannot be exceeded.
    pub percent: f64,
    /// Whether it is what cannot be exceeded.
    pub is_at_most: bool,
    /// What limits after them, where all of them were replayed and a record says it.
    pub then: Option<PathLimit>,
}

impl Headline {
    /// A headline without figures.
    fn plain(class: &'static str, limit: &'static str) -> Self {
        Self {
            class,
            limit,
            step_class: None,
            percent: None,
            changes: None,
            bounds: None,
            sentence: limit.into(),
        }
    }

    /// With the sentence, which has the saving after it; what is left out where there is no room for all is said by `part`.
    fn said(self, template: &'static str, figures: Vec<Figure>, part: Part) -> Self {
        let (words, more) = self.changes.as_ref().map_or(("", Vec::new()), Changes::said);
        let with = |of: &str, words, more: &[Figure]| {
            let of = Figure::Text(of.to_owned());
            let figures = figures.iter().cloned().chain([of]).chain(more.iter().cloned()).collect();
            Sentence::joined(&[template, "{}.", words], figures)
        };
        let sentence = match &part {
            Part::Whole(of) => {
                Some(with(of, words, &more)).filter(has_room).unwrap_or_else(|| with("", words, &more))
            }
            Part::Some(of) => {
                Some(with(of, words, &more)).filter(has_room).unwrap_or_else(|| with(of, "", &[]))
            }
        };
        Self { sentence, ..self }
    }
}

/// What a share is of.
enum Part {
    /// All that is aggregated: left out of the sentence where there is no room for it.
    Whole(&'static str),
    /// Some of the aggregated iterations: the saving is left out before they are.
    Some(String),
}

/// Whether a sentence is no longer than a verdict may be.
fn has_room(sentence: &Sentence) -> bool {
    count_words(sentence) <= MOST_WORDS
}

/// How many words a sentence has.
fn count_words(sentence: &Sentence) -> usize {
    sentence.to_string().split_whitespace().count()
}

impl Changes {
    /// The first changes of those that pages show first: what those save together whose savings are replayed, and others whose
    /// savings add up.
    fn of(judged: &Judged, scene: &Scene<'_>) -> Option<Self> {
        // What little ran before the program failed says nothing about what it will take.
        if scene.has_failed() {
            return None;
        }
        let of_run = scene.whole_run().map_or(1.0, |run| run.window_percent / 100.0);
        let share = |ns| percent(ns, scene.span.length()) * of_run;
        let own = judged.findings().iter().filter(|finding| finding.same_cause_as.is_none());
        let shown: Vec<&Finding> = own.take(MOST_CHANGES).filter(|finding| finding.is_sure()).collect();
        let together = shown.iter().filter_map(|finding| Some((finding.id.as_ref(), finding.together_ns?)));
        let together: Vec<(&str, Ns)> = together.collect();
        let mut saved_ns = together.iter().map(|&(_, ns)| ns).max().unwrap_or(0);
        let mut ids: Vec<&str> = together.into_iter().map(|(id, _)| id).collect();
        let last = shown.iter().rev().find(|finding| finding.together_ns.is_some());
        let mut then = last.and_then(|finding| finding.limits_then).filter(|_| of_run >= 1.0);
        for finding in shown.iter().filter(|finding| !finding.is_replayed()) {
            let ns = finding.saving.as_ref().and_then(|saving| saving.expected_ns).unwrap_or(0);
            match savings_overlap(ids.iter().copied().chain([finding.id.as_ref()])) {
                false if ns > 0 => {
                    ids.push(&finding.id);
                    saved_ns += ns;
                    then = None;
                }
                // One that saves more alone than others together is the one to speak of.
                true if ns > saved_ns => (ids, saved_ns, then) = (vec![finding.id.as_ref()], ns, None),
                _ => {}
            }
        }
        let saved = share(saved_ns).min(100.0);
        let upper = |finding: &&Finding| Some((finding.id.to_string(), share(bound(finding)?)));
        // What comes first, and may save more than others are likely to, is the change to speak of.
        let first = shown.first().and_then(upper).filter(|&(_, most)| most > saved);
        if saved >= WORTH_PERCENT && first.is_none() {
            let ids = ids.into_iter().map(str::to_owned).collect();
            return Some(Self { ids, percent: saved, is_at_most: false, then });
        }
        let (id, most) = shown.iter().find_map(upper).filter(|&(_, most)| most >= WORTH_PERCENT)?;
        Some(Self { ids: vec![id], percent: most, is_at_most: true, then: None })
    }

    fn said(&self) -> (&'static str, Vec<Figure>) {
        let template = match (self.ids.len(), self.is_at_most) {
            (_, true) => " One change saves at most {} %.",
            (1, _) => " One change saves about {} %.",
            (2, _) => " Two changes save about {} %.",
            _ => " Three changes save about {} %.",
        };
        (template, vec![Figure::Text(format!("{:.0}", self.percent))])
    }
}

/// What a change saves at most, where no likely saving is known.
fn bound(finding: &Finding) -> Option<i64> {
    let saving: &Saving = finding.saving.as_ref().filter(|saving| saving.expected_ns.is_none())?;
    saving.upper_ns
}

/// The verdict: what limits the steps, how much of them, and what the first changes save, in at most [`MOST_WORDS`] words.
/// [`verdict_detail`](super::verdict_detail) says what it rests on.
#[must_use]
pub fn verdict(judged: &Judged) -> Headline {
    let headline = of_capture(judged).unwrap_or_else(|| of_gpus(judged));
    match failure(judged) {
        None => headline,
        Some(_) => {
            let said = Figure::Clause(Box::new(headline.sentence.clone()));
            Headline { sentence: Sentence::new("The program ended badly. {}", vec![said]), ..headline }
        }
    }
}

/// What is wrong with a capture of which nothing can be said about what limits it.
fn of_capture(judged: &Judged) -> Option<Headline> {
    let findings = judged.findings();
    if let Some(error) = findings.iter().find(|finding| finding.misleads) {
        let title = error.title.or(rule_of(&error.id).map(|rule| rule.title)).unwrap_or_default();
        let headline = Headline::plain("misleads", "This capture misleads");
        return Some(headline.said(
            "This capture misleads: {}",
            vec![Figure::Clause(Box::new(title.into()))],
            Part::Whole(""),
        ));
    }
    let has = |code| judged.capture.diagnostics.counted(code) > 0;
    let plain = |words| Some(Headline::plain(NO_GPU_WORK, words).said(words, Vec::new(), Part::Whole("")));
    match judged.has_gpu_work() {
        false if has(DiagnosticCode::CutTrace) => plain("The trace ends early, before any GPU work"),
        false if has(DiagnosticCode::OtherDevice) => plain("Work of MTIA is not read"),
        false => plain("No GPU work was recorded"),
        true if without_kernels(findings).is_some() => plain("The capture has no kernels"),
        true if ran_one_by_one(&judged.capture) => {
            let words = "Only times of single kernels count: counters made them run one by one";
            Some(Headline::plain("unexplained", words).said(words, Vec::new(), Part::Whole("")))
        }
        true => None,
    }
}

/// What limits the steps.
fn of_gpus(judged: &Judged) -> Headline {
    let scene = judged.scene();
    let Some(classes) = scene.told_classes().filter(|classes| classes.length_ns > 0) else {
        let words = "No GPU worked in the aggregated iterations";
        return Headline::plain(NO_GPU_WORK, words).said(words, Vec::new(), Part::Whole(""));
    };
    if !scene.is_long_enough() {
        let short = Headline::plain("too_short", "Too short to judge");
        return short.said("{}", vec![Figure::Clause(Box::new(too_short(&scene)))], Part::Whole(""));
    }
    if let Some(run) = scene.whole_run() {
        return of_run(judged, &scene, &run);
    }
    let is_cold = is_cold_pass(&scene);
    let limit = if is_cold { "One cold pass" } else { limit_of(&scene, &classes) };
    let verdict = scene.verdict(&classes);
    let key = if is_cold { "set_up" } else { key_of(verdict, limit) };
    let class = class_of(verdict, &classes);
    let share = percent(classes.of_class(class), classes.length_ns);
    let changes = if is_cold { None } else { Changes::of(judged, &scene) };
    let headline = Headline {
        step_class: Some(class),
        percent: Some(share),
        changes,
        bounds: judged.bounds().filter(|_| scene.iterations > 0),
        ..Headline::plain(key, limit)
    };
    let figure = |share: f64| Figure::Text(format!("{share:.1}"));
    let figures = vec![Figure::Text(limit.to_owned()), figure(share)];
    if names_both(&scene, &classes) {
        let what = |words: &str| Figure::Text(words.to_owned());
        let other = match class {
            StepClass::Communication => "communication",
            StepClass::Copy => "copies",
            _ => "waiting",
        };
        let figures = vec![
            what(limit),
            figure(percent(classes.gpu_ns, classes.length_ns)),
            what(if scene.untold().is_some() { "in kernels" } else { "compute" }),
            figure(share),
            what(other),
        ];
        let part = in_judged_part(&scene).map_or(Part::Whole(""), Part::Some);
        return headline.said("{}: {} % {}, {} % {}", figures, part);
    }
    let part = in_judged_part(&scene).map_or(
        Part::Whole(if scene.iterations > 0 { " of the step" } else { " of the window" }),
        Part::Some,
    );
    if limit == SET_UP && (class == StepClass::Cpu || is_mostly_once(&scene, &classes)) {
        let share = scene.share(scene.once().total_ns());
        let headline = Headline { step_class: None, percent: Some(share), ..headline };
        let figures = vec![Figure::Text(limit.to_owned()), figure(share)];
        return headline.said("{}: work done once keeps GPUs idle {} %", figures, part);
    }
    // Of one class that GPUs idle would be said of all of that time.
    if class == StepClass::Other
        || scene.is_paced(&classes)
        || limit == WAITING && matches!(class, StepClass::Input | StepClass::Cpu | StepClass::Sync)
    {
        let share = scene.share(scene.gpu_time().idle_ns());
        let headline = Headline { step_class: None, percent: Some(share), ..headline };
        return headline.said(
            "{}: GPUs idle {} %",
            vec![Figure::Text(limit.to_owned()), figure(share)],
            part,
        );
    }
    let template = match class {
        StepClass::Gpu if limit == BUSY || scene.kernels().graphs_share() >= WORTH_PERCENT => {
            "{}: GPUs run kernels {} %"
        }
        StepClass::Gpu => "{}: GPU compute takes {} %",
        StepClass::Communication => "{}: communication takes {} %",
        StepClass::Copy => "{}: copies take {} %",
        StepClass::Input | StepClass::Cpu | StepClass::Sync | StepClass::Other => "{}: GPUs wait {} %",
    };
    headline.said(template, figures, part)
}

/// What limits the run of which the judged iterations are the smaller part.
fn of_run(judged: &Judged, scene: &Scene<'_>, run: &WholeRun) -> Headline {
    let limit = word_of_run(scene, run);
    let (template, share) = match run.verdict {
        Verdict::Gpu if scene.untold().is_some() => ("{}: GPUs run kernels {} %", run.compute_percent),
        Verdict::Gpu => ("{}: GPUs compute {} %", run.compute_percent),
        Verdict::Communication => ("{}: communication takes {} %", run.communication_percent),
        Verdict::Copy => ("{}: copies take {} %", run.copy_percent),
        Verdict::Input | Verdict::Cpu | Verdict::Unexplained => ("{}: GPUs idle {} %", run.idle_percent),
    };
    let changes = Changes::of(judged, scene);
    let headline =
        Headline { percent: Some(share), changes, ..Headline::plain(key_of(run.verdict, limit), limit) };
    let figures = vec![Figure::Text(limit.to_owned()), Figure::Text(format!("{share:.0}"))];
    headline.said(template, figures, Part::Whole(" of the whole run"))
}

/// The verdict in a word.
fn limit_of(scene: &Scene<'_>, classes: &StepClasses) -> &'static str {
    match scene.verdict(classes) {
        Verdict::Unexplained => word_of_idle(scene, classes),
        Verdict::Gpu if scene.kernels().graphs_share() < WORTH_PERCENT && scene.untold().is_some() => BUSY,
        _ => word(scene, classes),
    }
}

/// The verdict in a word, for programs.
fn key_of(verdict: Verdict, limit: &str) -> &'static str {
    match verdict {
        _ if limit == WAITING => "waiting",
        _ if limit == SET_UP => "set_up",
        Verdict::Gpu => "gpu_bound",
        Verdict::Input => "input_bound",
        Verdict::Communication => "communication_bound",
        Verdict::Copy => "copy_bound",
        Verdict::Cpu => "cpu_bound",
        Verdict::Unexplained if limit == Verdict::Cpu.words() => "cpu_bound",
        Verdict::Unexplained if limit == BOTH_WAIT => "gpu_bound",
        Verdict::Unexplained => "unexplained",
    }
}

/// The class that the verdict names.
fn class_of(verdict: Verdict, classes: &StepClasses) -> StepClass {
    match verdict {
        Verdict::Gpu => StepClass::Gpu,
        Verdict::Input => StepClass::Input,
        Verdict::Communication => StepClass::Communication,
        Verdict::Copy => StepClass::Copy,
        Verdict::Cpu if classes.sync_ns > classes.cpu_ns => StepClass::Sync,
        Verdict::Cpu => StepClass::Cpu,
        Verdict::Unexplained => StepClass::Other,
    }
}
