//! What a finding is.

pub(crate) use crate::base::diagnostics::Severity;
pub(crate) use crate::steps::iterate::Confidence;

pub(super) use super::evidence_kind::EvidenceKind;

use super::edits::Edits;
use super::question::Question;
use super::sentence::Sentence;
use crate::base::time::Ns;
use crate::replay::PathLimit;
use std::borrow::Cow;

/// The rule that speaks of other work on the GPU. Where that misleads, no other figure can be relied on.
pub(super) const OTHER_WORK: &str = "device_stall";

/// The rule that speaks of captures without kernels.
pub(super) const NO_KERNELS: &str = "no_gpu_trace";

/// A number or a word that a finding rests on.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// A time in nanoseconds.
    Time(Ns),
    /// A count.
    Count(u64),
    /// A share in percent, or another number that is not whole.
    Number(f64),
    /// A name.
    Text(String),
}

/// A row of a table that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// Key of the table.
    pub table: Cow<'static, str>,
    /// Key of the column.
    pub column: Cow<'static, str>,
    /// What the cell says.
    pub value: String,
}

/// How much time a change would save over the iterations that the finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    /// What is likely.
    pub expected_ns: Option<Ns>,
    /// What cannot be exceeded, because there is no more to save.
    pub upper_ns: Option<Ns>,
    /// What the figures come from, in one sentence.
    pub basis: Cow<'static, str>,
}

impl Saving {
    /// What findings are ranked by: what is likely, else what cannot be exceeded.
    #[must_use]
    pub fn ns(&self) -> Ns {
        self.expected_ns.or(self.upper_ns).unwrap_or(0)
    }

    /// `expected` if a likely saving is known, else `upper`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.expected_ns.is_some() { "expected" } else { "upper" }
    }
}

/// A problem, what to do about it, and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Stable id of the rule.
    pub id: Cow<'static, str>,
    /// How much it matters.
    pub severity: Severity,
    /// How sure it is; `None` until its rule says it, where it says nothing else itself.
    pub(super) confidence: Option<Confidence>,
    /// Whether it says that other figures of the capture mislead, whatever severity a user gave it.
    pub misleads: bool,
    /// What was found, in few words; `None` where the title of the rule says it.
    pub title: Option<&'static str>,
    /// What was found, with its figures.
    pub problem: Sentence,
    /// What to change.
    pub recommendation: Sentence,
    /// What the rule measured, by name.
    pub figures: Vec<(Cow<'static, str>, Measure)>,
    /// What it is about.
    pub evidence: Vec<Evidence>,
    /// How much time it would save; `None` if that cannot be known.
    pub saving: Option<Saving>,
    /// The changes of the program that its saving is replayed with; `None` where a replay says nothing of it.
    pub(super) edits: Option<Edits>,
    /// What it saves together with those before it on the page whose savings are replayed; `None` where its own is not.
    pub together_ns: Option<Ns>,
    /// What limits after these changes; `None` where they are not replayed, or no record says it.
    pub limits_then: Option<PathLimit>,
    /// Id of the finding whose cause it shares, below which it is shown: what that saves holds what this would.
    pub same_cause_as: Option<&'static str>,
    /// What lists the evidence; `None` where no table does.
    pub show: Option<Question>,
    /// A page with more; empty without one.
    pub link: Cow<'static, str>,
}

impl Finding {
    /// A finding without figures, evidence or saving. Its rule decides the severity.
    pub(super) fn new(problem: impl Into<Sentence>, recommendation: impl Into<Sentence>) -> Self {
        Self {
            id: "".into(),
            severity: Severity::Error,
            confidence: None,
            misleads: false,
            title: None,
            problem: problem.into(),
            recommendation: recommendation.into(),
            figures: Vec::new(),
            evidence: Vec::new(),
            saving: None,
            edits: None,
            together_ns: None,
            limits_then: None,
            same_cause_as: None,
            show: None,
            link: "".into(),
        }
    }

    /// With a share in percent.
    pub(super) fn percent(self, name: &'static str, share: f64) -> Self {
        self.measure(name, Measure::Number(share))
    }

    /// With a time.
    pub(super) fn time(self, name: &'static str, ns: Ns) -> Self {
        self.measure(name, Measure::Time(ns))
    }

    /// With a count.
    pub(super) fn count(self, name: &'static str, count: u64) -> Self {
        self.measure(name, Measure::Count(count))
    }

    pub(super) fn measure(mut self, name: &'static str, measure: Measure) -> Self {
        self.figures.push((name.into(), measure));
        self
    }

    /// With rows of a table.
    pub(super) fn about(
        mut self,
        kind: EvidenceKind,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let (table, column) = kind.place();
        let of_value = |value| Evidence { table: table.into(), column: column.into(), value };
        self.evidence.extend(values.into_iter().map(|value| of_value(value.into())));
        self
    }

    /// With a likely saving, at most all of something.
    pub(super) fn saves(
        mut self,
        expected_ns: Ns,
        upper_ns: Ns,
        basis: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (expected_ns, upper_ns) = (expected_ns.clamp(0, upper_ns.max(0)), upper_ns.max(0));
        self.saving =
            Some(Saving { expected_ns: Some(expected_ns), upper_ns: Some(upper_ns), basis: basis.into() });
        self
    }

    /// With a saving that is at most all of something.
    pub(super) fn saves_at_most(mut self, upper_ns: Ns, basis: impl Into<Cow<'static, str>>) -> Self {
        self.saving =
            Some(Saving { expected_ns: None, upper_ns: Some(upper_ns.max(0)), basis: basis.into() });
        self
    }

    /// Without the little that it would save.
    pub(super) fn without_saving(self) -> Self {
        Self { saving: None, ..self }
    }

    /// Below another finding, if there is one and its rule finds something, because both have one cause.
    pub(super) fn same_cause_as(self, id: impl Into<Option<&'static str>>) -> Self {
        Self { same_cause_as: id.into(), ..self }
    }

    /// With the question that lists the evidence.
    pub(super) fn show(self, question: Question) -> Self {
        Self { show: Some(question), ..self }
    }

    /// With another title than its rule's, which says something else.
    pub(super) fn titled(self, title: &'static str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// With a severity that is lower than its rule's.
    pub(super) fn at_most(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Says that other figures of the capture mislead, which makes it an error even where its rule is none.
    pub(super) fn misleading(mut self) -> Self {
        self.misleads = true;
        self
    }

    /// With another confidence than its rule's.
    pub(super) fn sure(mut self, confidence: Confidence) -> Self {
        self.confidence = Some(confidence);
        self
    }

    /// With a saving that a replay decides, where there is one.
    pub(super) fn replayed(self, edits: Edits) -> Self {
        Self { edits: Some(edits), ..self }
    }

    /// Whether what it is likely to save was replayed.
    pub(super) fn is_replayed(&self) -> bool {
        self.edits.as_ref().is_some_and(|edits| !edits.expected.is_empty())
    }

    /// Whether it is more than a guess.
    pub(super) fn is_sure(&self) -> bool {
        self.severity > Severity::Note || self.confidence() > Confidence::Low
    }

    /// How sure it is.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.confidence.unwrap_or(Confidence::Low)
    }
}

/// What says that nothing launched a kernel.
pub(super) fn without_kernels(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.id == NO_KERNELS)
}
