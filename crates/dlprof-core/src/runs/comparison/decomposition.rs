//! The change of the iteration time by cause, with parts that add up.
//!
//! Every nanosecond of the wall clock of a GPU belongs to one kernel or one copy, or the GPU is idle
//! (`crate::figures::profile::WorkByName`). Each part is averaged per iteration and GPU and rounded down to whole
//! nanoseconds. The remainder of the rounding is a part of its own. So the parts of each side add up exactly to its
//! average iteration, and their changes add up to the change of the iteration time.

use super::ops::OpMatch;
use crate::runs::document::{BaselineRun, Parts};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a part of the wall clock was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedClass {
    /// Kernels.
    Kernels,
    /// Communication kernels, while no other kernel ran.
    Communication,
    /// Copies and memsets, while no kernel ran.
    Copies,
    /// No GPU work, while an op ran on the CPU, or the data loader.
    IdleInOps,
    /// No GPU work, and no op on the CPU.
    IdleOutsideOps,
    /// No GPU work on a rank of a job, by what it waits for besides other ranks.
    Idle,
    /// The remainder of rounding to whole nanoseconds.
    Rounding,
}

impl ComparedClass {
    /// The name for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Communication => "communication",
            Self::Copies => "copies",
            Self::IdleInOps => "GPU idle, CPU in ops",
            Self::IdleOutsideOps => "GPU idle, CPU outside ops",
            Self::Idle => "GPU idle",
            Self::Rounding => "rounding",
        }
    }
}

/// A part of the iteration time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedPart {
    /// What it was spent on.
    pub class: ComparedClass,
    /// Key of the op; empty for idle time.
    pub op: String,
    /// Name of the kernel, direction of the copy, or what the CPU did during idle time.
    pub name: String,
    /// Nanoseconds per iteration and GPU in the baseline.
    pub base_ns: i64,
    /// Nanoseconds per iteration and GPU in the new runs.
    pub new_ns: i64,
}

impl ComparedPart {
    /// New value minus base value.
    #[must_use]
    pub fn change_ns(&self) -> i64 {
        self.new_ns - self.base_ns
    }
}

/// The average iteration of both sides, in parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decomposition {
    /// Average iteration of the baseline.
    pub base_ns: i64,
    /// Average iteration of the new runs.
    pub new_ns: i64,
    /// The parts, in order of class, op and name.
    pub parts: Vec<ComparedPart>,
}

impl Decomposition {
    /// New value minus base value.
    #[must_use]
    pub fn change_ns(&self) -> i64 {
        self.new_ns - self.base_ns
    }

    /// Sums by class, in order.
    #[must_use]
    pub fn by_class(&self) -> Vec<(ComparedClass, i64, i64)> {
        let mut sums: BTreeMap<ComparedClass, (i64, i64)> = BTreeMap::new();
        for part in &self.parts {
            let sum = sums.entry(part.class).or_default();
            *sum = (sum.0 + part.base_ns, sum.1 + part.new_ns);
        }
        sums.into_iter().map(|(class, (base, new))| (class, base, new)).collect()
    }

    /// The parts that changed, the largest change first.
    #[must_use]
    pub fn largest(&self) -> Vec<&ComparedPart> {
        let mut parts: Vec<&ComparedPart> = self.parts.iter().filter(|part| part.change_ns() != 0).collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.change_ns().abs()));
        parts
    }
}

type Key = (ComparedClass, String, String);

/// Splits the average iterations of both sides. Renamed ops count as one, under their new name.
#[must_use]
pub(crate) fn decompose(base: &[BaselineRun], new: &[BaselineRun], matches: &[OpMatch]) -> Decomposition {
    let renamed: BTreeMap<&str, &str> = (matches.iter().filter(|found| found.is_renamed()))
        .filter_map(|found| Some((found.base.as_deref()?, found.new.as_deref()?)))
        .collect();
    let (base_ns, base_parts) = average(base, &renamed);
    let (new_ns, new_parts) = average(new, &BTreeMap::new());
    let mut parts: BTreeMap<Key, (i64, i64)> = BTreeMap::new();
    for (key, ns) in base_parts {
        parts.entry(key).or_default().0 = ns;
    }
    for (key, ns) in new_parts {
        parts.entry(key).or_default().1 = ns;
    }
    let part = |((class, op, name), (base_ns, new_ns))| ComparedPart { class, op, name, base_ns, new_ns };
    Decomposition { base_ns, new_ns, parts: parts.into_iter().map(part).collect() }
}

/// The average iteration of some runs, all with the same weight, and its parts.
fn average(runs: &[BaselineRun], renamed: &BTreeMap<&str, &str>) -> (i64, BTreeMap<Key, i64>) {
    let mut total = 0;
    let mut sums: BTreeMap<Key, i128> = BTreeMap::new();
    for run in runs {
        let wall_clock = &run.wall_clock;
        let divisor = i128::from(wall_clock.iterations.max(1)) * i128::from(wall_clock.gpus.max(1));
        let per_iteration = |ns: i64| i128::from(ns) / divisor;
        total += per_iteration(wall_clock.total_ns);
        let by_op: [(ComparedClass, &Parts); 3] = [
            (ComparedClass::Kernels, &wall_clock.kernels),
            (ComparedClass::Communication, &wall_clock.communication),
            (ComparedClass::Copies, &wall_clock.copies),
        ];
        for (class, parts) in by_op {
            for (op, names) in parts {
                let op = renamed.get(op.as_str()).copied().unwrap_or(op);
                for (name, &ns) in names {
                    *sums.entry((class, op.to_owned(), name.clone())).or_default() += per_iteration(ns);
                }
            }
        }
        for (cause, &ns) in &wall_clock.idle {
            let class = match cause.as_str() {
                _ if run.is_job() => ComparedClass::Idle,
                "outside ops" => ComparedClass::IdleOutsideOps,
                _ => ComparedClass::IdleInOps,
            };
            *sums.entry((class, String::new(), cause.clone())).or_default() += per_iteration(ns);
        }
    }
    let runs = i128::from(u32::try_from(runs.len().max(1)).unwrap_or(u32::MAX));
    let whole = |sum: i128| i64::try_from(sum / runs).unwrap_or(i64::MAX);
    let total = whole(total);
    let mut parts: BTreeMap<Key, i64> = sums.into_iter().map(|(key, sum)| (key, whole(sum))).collect();
    let rounding = parts.values().fold(total, |rest, part| rest.saturating_sub(*part));
    parts.insert((ComparedClass::Rounding, String::new(), String::new()), rounding);
    (total, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of some iterations on one GPU that was busy with these kernels of ops, and idle for these causes.
    fn run(iterations: u32, kernels: &[(&str, &str, i64)], idle: &[(&str, i64)]) -> BaselineRun {
        let mut run = BaselineRun::of_metrics("drawn", BTreeMap::new());
        let wall_clock = &mut run.wall_clock;
        wall_clock.iterations = iterations;
        for &(op, kernel, ns) in kernels {
            wall_clock.kernels.entry(op.to_owned()).or_default().insert(kernel.to_owned(), ns);
        }
        wall_clock.idle = idle.iter().map(|&(cause, ns)| (cause.to_owned(), ns)).collect();
        let times = kernels.iter().map(|kernel| kernel.2).chain(idle.iter().map(|cause| cause.1));
        wall_clock.total_ns = times.sum();
        run
    }

    fn same(key: &str) -> OpMatch {
        OpMatch { base: Some(key.into()), new: Some(key.into()), shapes_changed: false }
    }

    #[test]
    fn parts_add_up_to_the_iteration_of_each_side() {
        let base =
            [run(3, &[("conv", "gemm", 100), ("relu", "relu", 50)], &[("outside ops", 20), ("relu", 10)])];
        let new =
            [run(7, &[("conv", "gemm", 400)], &[("outside ops", 31)]), run(2, &[("conv", "fft", 9)], &[])];
        let found = decompose(&base, &new, &[same("conv"), same("relu")]);
        assert_eq!((found.base_ns, found.new_ns), (60, (431 / 7 + 9 / 2) / 2));
        assert_eq!(found.parts.iter().map(|part| part.base_ns).sum::<i64>(), found.base_ns);
        assert_eq!(found.parts.iter().map(|part| part.new_ns).sum::<i64>(), found.new_ns);
        assert_eq!(found.parts.iter().map(ComparedPart::change_ns).sum::<i64>(), found.change_ns());
        let rounding =
            found.parts.iter().find(|part| part.class == ComparedClass::Rounding).expect("a remainder");
        assert_eq!(rounding.base_ns, 60 - 33 - 16 - 6 - 3);
    }

    #[test]
    fn sums_by_class_are_in_order_and_idle_time_is_divided() {
        let base = [run(1, &[("a", "k", 7), ("b", "k", 5)], &[("outside ops", 3), ("data loader", 2)])];
        let found = decompose(&base, &base, &[same("a"), same("b")]);
        let expected = [
            (ComparedClass::Kernels, 12, 12),
            (ComparedClass::IdleInOps, 2, 2),
            (ComparedClass::IdleOutsideOps, 3, 3),
            (ComparedClass::Rounding, 0, 0),
        ];
        assert_eq!(found.by_class(), expected);
        assert!(found.largest().is_empty(), "a side equals itself");
    }

    #[test]
    fn a_renamed_op_is_one_part_under_its_new_name() {
        let (base, new) = ([run(1, &[("old", "gemm", 100)], &[])], [run(1, &[("new", "gemm", 90)], &[])]);
        let renamed = OpMatch { base: Some("old".into()), new: Some("new".into()), shapes_changed: false };
        let kernels = |matches: &[OpMatch]| {
            let found = decompose(&base, &new, matches);
            let parts = found.parts.into_iter().filter(|part| part.class == ComparedClass::Kernels);
            parts.map(|part| (part.op, part.base_ns, part.new_ns)).collect::<Vec<_>>()
        };
        assert_eq!(kernels(&[renamed]), [("new".to_owned(), 100, 90)]);
        assert_eq!(kernels(&[]), [("new".to_owned(), 0, 90), ("old".to_owned(), 100, 0)]);
    }

    #[test]
    fn the_largest_change_comes_first_whatever_its_sign() {
        let base = [run(1, &[("a", "k", 10), ("b", "k", 50), ("c", "k", 5)], &[])];
        let new = [run(1, &[("a", "k", 14), ("b", "k", 20), ("c", "k", 5)], &[])];
        let found = decompose(&base, &new, &["a", "b", "c"].map(same));
        let changes: Vec<_> =
            found.largest().iter().map(|part| (part.op.as_str(), part.change_ns())).collect();
        assert_eq!(changes, [("b", -30), ("a", 4)]);
    }

    #[test]
    fn runs_of_a_side_have_equal_weight_whatever_their_length() {
        let long = run(100, &[("a", "k", 100_000)], &[]);
        let short = run(1, &[("a", "k", 3_000)], &[]);
        let found = decompose(&[long, short], &[], &[]);
        assert_eq!((found.base_ns, found.new_ns), (2_000, 0));
    }
}
