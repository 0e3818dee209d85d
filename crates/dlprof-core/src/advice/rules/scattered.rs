//! Kernels whose threads use little of what their accesses move, as Nsight Compute measured them.

use super::measured::{KERNEL, SPREAD, Subject, about, others, part_of, saving, subjects};
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::figures::measured::MeasuredFigures;

const SECTOR_USE: Threshold = Threshold {
    name: "sector_use_percent",
    default: 50.0,
    doc: "Less of the sectors is used by a kernel whose accesses are scattered.",
};

const SECTORS: Threshold = Threshold {
    name: "sectors_per_request",
    default: 16.0,
    doc: "Where the use of sectors is unknown, more sectors for each request say so.",
};

const MEMORY: Threshold =
    Threshold { name: "memory_percent", default: 60.0, doc: "Least use of memory for which that matters." };

pub(super) const UNCOALESCED: Rule = Rule {
    id: "uncoalesced",
    title: "Scattered accesses to memory",
    how: "Of kernels with 5 % of the kernel time that use memory to 60 %: threads use less than 50 % of the sectors that they load \
          and store, each side weighing as many sectors as it moves; where these are not counted, less than 50 % of those of loads, or \
          of stores; where that is unknown, a request takes more than 16 sectors, which is the most that an access of 16 bytes for \
          each thread needs. The saving is at most the part of their time that is not used.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[KERNEL, SPREAD, SECTOR_USE, SECTORS, MEMORY],
    needs: &[Need::Counters],
    saves_from: &[TimeOf::Kernels],
    check: uncoalesced,
    ..Rule::SILENT
};

/// Accesses of a kernel that are scattered.
#[derive(Clone, Copy)]
enum Scattered {
    /// What threads use of the sectors of all accesses in percent.
    All(f64),
    /// Likewise of loads or stores alone, where it is not known how many sectors each of them moves.
    Used(&'static str, f64),
    /// Sectors of a request, where their use is unknown.
    Sectors(&'static str, f64),
}

impl Scattered {
    /// Of all accesses; where that is unknown, of loads and stores the worse.
    fn of(figures: &MeasuredFigures, limits: &Limits<'_>) -> Option<Self> {
        let is_little = |used: f64| used < limits.of(&SECTOR_USE);
        if let Some(used) = figures.sector_use_percent {
            return is_little(used).then_some(Self::All(used));
        }
        let sides = [
            ("loads", figures.sector_use_percent_ld, figures.sectors_per_request_ld),
            ("stores", figures.sector_use_percent_st, figures.sectors_per_request_st),
        ];
        let of_side = |(side, used, sectors): (_, Option<f64>, Option<f64>)| match (used, sectors) {
            (Some(used), _) => is_little(used).then_some(Self::Used(side, used)),
            (None, Some(sectors)) => (sectors > limits.of(&SECTORS)).then_some(Self::Sectors(side, sectors)),
            (None, None) => None,
        };
        let used = |one: &Self| one.used_percent(limits);
        sides.into_iter().filter_map(of_side).min_by(|a, b| used(a).total_cmp(&used(b)))
    }

    /// What threads use at most.
    fn used_percent(self, limits: &Limits<'_>) -> f64 {
        match self {
            Self::All(percent) | Self::Used(_, percent) => percent,
            Self::Sectors(_, sectors) => 100.0 * limits.of(&SECTORS) / sectors,
        }
    }
}

fn uncoalesced(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let mut found = subjects(scene, limits);
    found.retain(|one| {
        one.figures().memory_percent.is_some_and(|percent| percent >= limits.of(&MEMORY))
            && Scattered::of(one.figures(), limits).is_some()
    });
    let first = found.first()?;
    let scattered = Scattered::of(first.figures(), limits)?;
    let used = Figure::Percent(scattered.used_percent(limits), 1);
    let (name, share) = (first.name(), Figure::Percent(first.share, 1));
    let (measured, problem) = match scattered {
        Scattered::All(percent) => {
            let words = "{}, {} of the kernel time, uses {} of the bytes that its accesses move{}";
            ((SECTOR_USE.name, percent), Sentence::new(words, vec![name, share, used, others(&found)]))
        }
        Scattered::Used(side, percent) => {
            let words = "{}, {} of the kernel time: its {} use {} of the bytes that they move{}";
            let side = Figure::Text(side.into());
            ((SECTOR_USE.name, percent), Sentence::new(words, vec![name, share, side, used, others(&found)]))
        }
        Scattered::Sectors(side, sectors) => {
            let words = "{}, {} of the kernel time: its {} take {} sectors for a request, so that threads use at most {} of them{}";
            let (side, each) = (Figure::Text(side.into()), Figure::Text(format!("{sectors:.1}")));
            let figures = vec![name, share, side, each, used, others(&found)];
            ((SECTORS.name, sectors), Sentence::new(words, figures))
        }
    };
    let lost = |one: &Subject| {
        let used = Scattered::of(one.figures(), limits).map_or(100.0, |one| one.used_percent(limits));
        part_of(one.time_ns, 1.0 - used / 100.0)
    };
    let finding = Finding::new(
        problem,
        "Let neighbouring threads access neighbouring addresses: change the layout of the tensors (contiguous, channels_last), or \
         the order of the loops",
    )
    .percent(KERNEL.name, first.share)
    .percent(measured.0, measured.1)
    .saves_at_most(
        scene.kernel_saving(saving(&found, lost)),
        scene.basis_of_most("The part of their time in which bytes move that no thread asked for"),
    );
    Some(about(finding, &found))
}
