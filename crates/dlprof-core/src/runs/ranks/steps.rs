//! What a rank did in each steady step: eight classes that add up to its length exactly, one of them waiting for other ranks.

use super::arithmetic::{mean, median};
use super::digest::{PieceSums, RankDigest};
use super::replay::Waiting;
use super::windows::RankWindows;
use crate::base::time::{Ns, Span};
use std::collections::BTreeMap;

/// A class of the time of a rank that is its own: all but waiting for other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankClass {
    /// Its GPU computes.
    Compute,
    /// Data is exchanged and nothing computes.
    Transfer,
    /// Memory is copied and nothing hides it.
    Copy,
    /// It waits for input.
    Input,
    /// It waits for its host.
    Cpu,
    /// Its host had waited for the GPU.
    Sync,
    /// The rest.
    Other,
}

impl RankClass {
    /// All classes in the order of tables.
    pub const ALL: [Self; 7] =
        [Self::Compute, Self::Transfer, Self::Copy, Self::Input, Self::Cpu, Self::Sync, Self::Other];

    /// The column of tables.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute_ns",
            Self::Transfer => "transfer_ns",
            Self::Copy => "copy_ns",
            Self::Input => "input_ns",
            Self::Cpu => "cpu_ns",
            Self::Sync => "sync_ns",
            Self::Other => "other_ns",
        }
    }
}

/// What a rank did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepTimes {
    /// Length of the window, on the rank's own clock.
    pub length_ns: Ns,
    /// Waiting for other ranks.
    pub wait_ns: Ns,
    /// Of it, waiting for one other rank.
    pub wait_p2p_ns: Ns,
    /// All communication, hidden or not.
    pub communication_ns: Ns,
    /// By class: the other time.
    pub classes: [Ns; RankClass::ALL.len()],
}

impl StepTimes {
    /// Time of a class.
    #[must_use]
    pub fn of(&self, class: RankClass) -> Ns {
        self.classes[class as usize]
    }

    /// The length without waiting for others.
    #[must_use]
    pub fn own_ns(&self) -> Ns {
        self.length_ns - self.wait_ns
    }
}

/// Means over the steady steps of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanTimes {
    /// Length of a step.
    pub length_ns: f64,
    /// Waiting for other ranks.
    pub wait_ns: f64,
    /// Of it, waiting for one other rank.
    pub wait_p2p_ns: f64,
    /// All communication.
    pub communication_ns: f64,
    /// By class.
    pub classes: [f64; RankClass::ALL.len()],
}

impl MeanTimes {
    /// The means of some steps; 0 of none.
    pub(super) fn of_steps<'a>(steps: impl Iterator<Item = &'a StepTimes> + Clone) -> Self {
        let of = |figure: fn(&StepTimes) -> Ns| mean(steps.clone().map(figure));
        Self {
            length_ns: of(|step| step.length_ns),
            wait_ns: of(|step| step.wait_ns),
            wait_p2p_ns: of(|step| step.wait_p2p_ns),
            communication_ns: of(|step| step.communication_ns),
            classes: RankClass::ALL.map(|class| mean(steps.clone().map(|step| step.of(class)))),
        }
    }

    /// Time of a class.
    #[must_use]
    pub fn of(&self, class: RankClass) -> f64 {
        self.classes[class as usize]
    }
}

/// What a rank did in its steady steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankSteps {
    /// By common iteration.
    pub of: BTreeMap<i64, StepTimes>,
    /// Means over all of them.
    pub mean: MeanTimes,
    /// Median of its own time.
    pub own_ns: Ns,
}

/// What a rank did in those of its windows that are steady.
pub(super) fn measure(
    digest: &RankDigest,
    windows: &RankWindows,
    waiting: &[Waiting],
    steady: &[i64],
) -> RankSteps {
    let own = steady.iter().filter_map(|number| Some((*number, *windows.of.get(number)?)));
    let of: BTreeMap<i64, StepTimes> =
        own.map(|(number, window)| (number, step(digest, window, waiting))).collect();
    let mean = MeanTimes::of_steps(of.values());
    let own_ns = median(of.values().map(StepTimes::own_ns)).unwrap_or(0);
    RankSteps { of, mean, own_ns }
}

fn step(digest: &RankDigest, window: Span, waiting: &[Waiting]) -> StepTimes {
    let mut sums = PieceSums::default();
    digest.pieces[digest.pieces_of(window)].iter().for_each(|piece| sums.add(piece));
    let first = waiting.partition_point(|one| one.span.end <= window.start);
    let inside = waiting[first..].iter().take_while(|one| one.span.start < window.end);
    let (mut wait_ns, mut wait_p2p_ns) = (0, 0);
    for one in inside {
        let length = one.span.clip(window).length();
        wait_ns += length;
        wait_p2p_ns += if one.is_p2p { length } else { 0 };
    }
    let transfer_ns = sums.exposed_ns - wait_ns + sums.exchange_idle_ns;
    let explained = [sums.compute_ns, transfer_ns, sums.copy_ns, sums.input_ns, sums.cpu_ns, sums.sync_ns];
    let other_ns = window.length() - wait_ns - explained.iter().sum::<Ns>();
    let [compute_ns, transfer_ns, copy_ns, input_ns, cpu_ns, sync_ns] = explained;
    StepTimes {
        length_ns: window.length(),
        wait_ns,
        wait_p2p_ns,
        communication_ns: sums.communication_ns,
        classes: [compute_ns, transfer_ns, copy_ns, input_ns, cpu_ns, sync_ns, other_ns],
    }
}
