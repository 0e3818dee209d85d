//! Steps of inference servers: what each computed, when its tokens existed, and what GPUs waited for in between.
//!
//! ```text
//! thread   ├ mark 0 ┤ sample schedule ├ mark 1 ┤          launch window of a step: from its mark to the next one
//! launches   a b c      d                e f g    h
//! GPU          ▒a▒▒b▒▒c▒▒d▒                ▒e▒▒f▒▒g▒▒h▒
//! out                     │ idle by cause ▒           │   out: when the tokens of the step are on the host
//! period                  ├───────────────────────────┤
//! ```
//!
//! `step` is what is known of a step. `lanes` finds the steps of each thread that has marks, with the work that they launched, `idle` says what each gap between
//! pieces of their work was, and `figures` sums up. `workload` says whether a capture shows inference or training. Profiles and
//! tables are not known here: the figures are about the whole capture, whatever iterations are aggregated. Definitions:
//! `docs/serving.md`.

mod captured;
mod cover;
#[cfg(test)]
mod drawn_tests;
mod figures;
mod idle;
mod idle_part;
mod lanes;
mod modules;
mod open_modules;
#[cfg(test)]
mod real_tests;
mod step;
mod strip;
#[cfg(test)]
pub(crate) mod tests;
mod workload;

pub use figures::{Interference, LaneFigures, Mean, PhaseFigures, SteadyPhase, TokenBins, TokenTimes};
pub use idle_part::IdlePart;
pub use lanes::EngineLane;
pub use modules::{LayerTime, ModuleTime, Modules};
pub use step::{EngineStep, StepPeriod, StepWork};
pub use strip::{STRIP_PARTS, StepStrip};
pub use workload::{Workload, WorkloadEvidence};

use crate::base::ids::RangeTextId;
use crate::base::time::Span;
use crate::capture::CaptureContents;
use crate::capture::names::StepMark;

/// What a capture says of an inference server.
#[derive(Debug, Clone, PartialEq)]
pub struct Serving {
    /// Whether it shows inference or training.
    pub workload: Workload,
    /// What shows it.
    pub evidence: WorkloadEvidence,
    /// Threads with step marks, each with its steps; of tensor parallelism one of each process. Steps of several are never added.
    pub lanes: Vec<EngineLane>,
    /// Distinct texts in the form of step marks, of modes that are not known; at most three.
    pub unknown_marks: Vec<String>,
}

impl Serving {
    /// What a capture says.
    pub(crate) fn of(capture: &CaptureContents) -> Self {
        let marks = StepMarks::of(capture);
        let lanes = lanes::lanes(capture, &marks);
        let evidence = workload::evidence(capture, lanes.iter().map(|lane| lane.steps.len()).sum());
        let texts = capture.ranges.texts.iter().map(|says| capture.strings.get(says.text));
        let unknown = texts.filter(|text| StepMark::has_unknown_mode(text));
        Self {
            workload: evidence.workload(),
            evidence,
            lanes,
            unknown_marks: unknown.take(3).map(str::to_owned).collect(),
        }
    }

    /// The lane that figures are shown of: the first of those with most steps.
    #[must_use]
    pub fn main(&self) -> Option<&EngineLane> {
        self.lanes.iter().rev().max_by_key(|lane| lane.steps.len())
    }
}

/// By text of ranges: what it says as a step mark.
struct StepMarks(Vec<Option<StepMark>>);

impl StepMarks {
    fn of(capture: &CaptureContents) -> Self {
        let texts = capture.ranges.texts.iter();
        Self(texts.map(|says| StepMark::parse(capture.strings.get(says.text))).collect())
    }

    fn get(&self, text: RangeTextId) -> Option<StepMark> {
        self.0.get(text.index()).copied().flatten()
    }
}

/// A step mark where it stands.
#[derive(Debug, Clone, Copy)]
struct PlacedMark {
    span: Span,
    text: RangeTextId,
    mark: StepMark,
}
