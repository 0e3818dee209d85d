//! Generates the two captures of a pair, and compares findings with what was planted.

use dlprof_core::{
    Capture, DefaultRange, Finding, Judged, KeyNodeChoice, Measure, Ns, RangeChoice, ReadOptions, Severity,
    Span, verdict_detail,
};
use dlprof_generate::write_export;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A likely saving may be off by this part.
const EXPECTED_TOLERANCE: f64 = 0.3;
/// A bound is at most this many times what is saved, so that it says something.
const EMPTY_BOUND: f64 = 1.5;
/// Shares may be off by this part, because a program launches and waits besides what is planted.
const FIGURE_TOLERANCE: f64 = 0.01;

/// Both captures of a pair.
pub(crate) struct Pair {
    /// Which.
    pub(crate) id: &'static str,
    rule: String,
    faulty: Side,
    repaired: Side,
    window: RangeInclusive<u32>,
}

/// One capture, and what is true of it.
struct Side {
    judged: Judged,
    truth: Value,
}

impl Pair {
    /// Generates and reads both.
    pub(crate) fn new(id: &'static str, is_of_all: bool) -> Self {
        let otherwise = if is_of_all { DefaultRange::All } else { DefaultRange::Auto };
        let side = |state| Side::new(id, state, otherwise);
        let (faulty, repaired) = (side("faulty"), side("repaired"));
        let iterations = &faulty.judged.iterations;
        let planted =
            u32::try_from(faulty.truth["iterations"].as_array().expect("a list").len()).expect("few");
        let window = iterations.start.max(1)..=iterations.stop.min(planted);
        let rule = faulty.truth["rule"].as_str().expect("a rule").to_owned();
        Self { id, rule, faulty, repaired, window }
    }

    fn found(&self) -> &Finding {
        let found = self.faulty.finding(&self.rule);
        found.unwrap_or_else(|| panic!("`{}` is silent: {:?}", self.id, self.faulty.found_rules()))
    }

    /// What the rule says of the faulty one.
    pub(crate) fn problem(&self) -> String {
        self.found().problem.to_string()
    }

    /// How much that matters, and whether it is the last finding.
    pub(crate) fn severity(&self) -> (Severity, bool) {
        let found = self.found();
        let last = self.faulty.judged.findings().last();
        (found.severity, last.is_some_and(|last| last.id == found.id))
    }

    /// The finding comes first, the verdict says it, and nothing promises a saving.
    pub(crate) fn check_misleads(&self) {
        let profile = &self.faulty.judged;
        assert_eq!(profile.findings().first().map(|first| first.id.as_ref()), Some(self.rule.as_str()));
        assert_eq!(self.found().severity, Severity::Error);
        let said = verdict_detail(profile).to_string();
        assert!(said.starts_with("This capture misleads: "), "{said}");
        assert!(profile.findings().iter().all(|finding| finding.saving.is_none()), "a saving is stated");
        let repaired = verdict_detail(&self.repaired.judged).to_string();
        assert!(!repaired.contains("misleads"), "{repaired}");
    }

    /// The time that the repair saves over the iterations that findings are about.
    fn saved_ns(&self) -> Ns {
        self.faulty.length_ns(&self.window) - self.repaired.length_ns(&self.window)
    }

    /// The rule fires with the planted figures. Counts are exact.
    pub(crate) fn check_figures(&self) {
        let found = self.found();
        let figures = self.faulty.truth["figures"].as_object().expect("figures");
        for (name, planted) in figures {
            let count = f64::from(self.window.end() + 1 - self.window.start());
            let value = match planted["each"].as_f64() {
                Some(each) => each * count,
                None => planted["value"].as_f64().expect("a number"),
            };
            let figure = found.figures.iter().find(|(figure, _)| figure == name);
            let (found, tolerance) = match figure.map(|(_, measure)| measure) {
                Some(Measure::Count(count)) => (*count as f64, 0.0),
                Some(Measure::Time(ns)) => (*ns as f64, FIGURE_TOLERANCE),
                Some(Measure::Number(number)) => (*number, FIGURE_TOLERANCE),
                other => panic!("`{}` has no number `{name}`: {other:?}", self.id),
            };
            let is_close = (found - value).abs() <= tolerance * value + 1e-9;
            assert!(is_close, "`{name}` of `{}` is {found}, not {value}", self.id);
        }
    }

    /// The rule is silent where the fault is repaired, and no other warning begins to fire, but some that may.
    pub(crate) fn check_repaired(&self, next: &BTreeSet<&str>) {
        let is_bad = |finding: &&Finding| finding.severity > Severity::Note;
        let bad: BTreeSet<&str> = self
            .repaired
            .judged
            .findings()
            .iter()
            .filter(is_bad)
            .map(|finding| finding.id.as_ref())
            .collect();
        assert_eq!(&bad, next, "repaired `{}`", self.id);
        assert!(self.repaired.finding(&self.rule).is_none(), "`{}` fires on the repaired capture", self.id);
    }

    /// The rule does not say what the repair saves.
    pub(crate) fn check_no_saving(&self) {
        assert_eq!(self.found().saving, None, "`{}`", self.id);
    }

    /// No finding of either side saves more than the aggregated time.
    pub(crate) fn check_bounds(&self) {
        for profile in [&self.faulty.judged, &self.repaired.judged] {
            let length: Ns = profile.windows().into_iter().map(Span::length).sum();
            for finding in profile.findings() {
                let savings = finding.saving.iter().flat_map(|saving| [saving.expected_ns, saving.upper_ns]);
                let most = savings.flatten().max().unwrap_or(0);
                assert!(
                    (0..=length).contains(&most),
                    "`{}`: {} saves {most} of {length} ns",
                    self.id,
                    finding.id
                );
            }
        }
    }

    /// The iterations of the profile are the planted ones.
    fn check_iterations(&self, side: &Side) {
        let starts = |at: u32| side.judged.iterations.windows.span(at).start;
        for at in self.window.clone() {
            assert_eq!(starts(at), side.iteration(at).0, "start of iteration {at} of `{}`", self.id);
        }
    }

    /// What is likely is near what is saved, and what is saved is at most the bound.
    pub(crate) fn check_saving(&self) {
        let saving = self.found().saving.as_ref().unwrap_or_else(|| panic!("`{}` has no saving", self.id));
        let saved = self.saved_ns() as f64;
        self.check_iterations(&self.faulty);
        self.check_iterations(&self.repaired);
        assert!(saved > 0.0, "the repair of `{}` saves nothing", self.id);
        let upper = saving.upper_ns.expect("a bound") as f64;
        assert!(saved <= upper, "`{}`: {saved} ns are saved, more than the bound of {upper} ns", self.id);
        match saving.expected_ns {
            Some(expected) => {
                let off = (saved / expected as f64 - 1.0).abs();
                assert!(
                    off <= EXPECTED_TOLERANCE,
                    "`{}`: {saved} ns are saved, {expected} ns were expected",
                    self.id
                );
            }
            None => {
                assert!(upper <= EMPTY_BOUND * saved, "`{}`: {upper} ns is no bound of {saved} ns", self.id);
            }
        }
    }
}

impl Side {
    fn new(id: &str, state: &str, otherwise: DefaultRange) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let file = folder.path().join("pair.sqlite");
        write_export(&file, &format!("--pair {id}={state}")).expect("an export");
        let truth = std::fs::read_to_string(file.with_extension("truth.json")).expect("a truth");
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let profile = index.profile(&RangeChoice { otherwise, ..RangeChoice::default() }).expect("a profile");
        Self { judged: profile.into(), truth: serde_json::from_str(&truth).expect("JSON") }
    }

    fn finding(&self, rule: &str) -> Option<&Finding> {
        self.judged.findings().iter().find(|finding| finding.id == rule)
    }

    fn found_rules(&self) -> Vec<&str> {
        self.judged.findings().iter().map(|finding| finding.id.as_ref()).collect()
    }

    /// The planted length of some iterations.
    fn length_ns(&self, window: &RangeInclusive<u32>) -> Ns {
        window.clone().map(|at| self.iteration(at)).map(|(start, stop)| stop - start).sum()
    }

    /// When an iteration starts and stops, as planted.
    fn iteration(&self, at: u32) -> (Ns, Ns) {
        let time = |key| self.truth["iterations"][at as usize - 1][key].as_i64().expect("a time");
        (time("start_ns"), time("stop_ns"))
    }
}
