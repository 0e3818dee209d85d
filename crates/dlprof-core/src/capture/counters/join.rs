//! One log and the kernels of a capture: which launch of the log says something about which kernel, and how surely.

use super::kernels::{Kernels, NameId, NamesOfLaunch, OpParts, Size};
use super::names::without_numbers;
use super::{Measured, NcuLevel, SignatureMatch};
use crate::read::ncu::{NcuFigures, NcuForm, NcuLaunch, NcuLog, spread_percent};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// What is told apart: a name of a kind, a size, and the device where both sides have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Signature {
    is_base: bool,
    name: NameId,
    size: Size,
    device: Option<i64>,
}

/// What a log says about the kernels of a capture.
pub(super) struct Joined {
    /// By kernel, in their order: the place of what was measured of it.
    pub(super) of_kernel: Vec<Option<usize>>,
    pub(super) measured: Vec<Measured>,
    pub(super) signatures: Vec<SignatureMatch>,
    /// By launch of the log: the level, and the first kernel that it went to.
    pub(super) places: Vec<(NcuLevel, Option<usize>)>,
    pub(super) names: Vec<NamesOfLaunch>,
}

/// Joins a log. `is_other_gpu` says of a launch of it whether another GPU ran it.
pub(super) fn join(
    log: &NcuLog,
    kernels: &mut Kernels,
    op_parts: Option<&OpParts>,
    is_other_gpu: impl Fn(&NcuLaunch) -> bool,
) -> Joined {
    let names: Vec<NamesOfLaunch> = log.launches.iter().map(|launch| kernels.names_of(launch)).collect();
    let kernels = &*kernels;
    let known: FxHashSet<NameId> = kernels.by_text.values().map(|(normal, _)| *normal).collect();
    let has_size_column =
        log.launches.iter().any(|launch| launch.block.is_some() || launch.threads.is_some());
    let is_range = |place: usize| {
        let launch = &log.launches[place];
        has_size_column
            && launch.threads.is_none()
            && launch.block.is_none()
            && !known.contains(&names[place].normal)
    };
    let is_used = |place: &usize| !log.launches[*place].is_failed && !is_range(*place);
    let used: Vec<usize> = (0..log.launches.len()).filter(is_used).collect();
    let failed: FxHashSet<NameId> = (0..names.len())
        .filter(|place| log.launches[*place].is_failed)
        .map(|place| names[place].normal)
        .collect();
    let has_sides = !used.is_empty()
        && used
            .iter()
            .all(|place| log.launches[*place].grid.is_some() && log.launches[*place].block.is_some());
    let several = |mut devices: Vec<i64>| {
        devices.sort_unstable();
        devices.dedup();
        devices.len() > 1
    };
    let by_device = several(used.iter().filter_map(|place| log.launches[*place].device).collect())
        && several(kernels.list.iter().map(|kernel| kernel.device).collect());

    let mut groups: IndexMap<Signature, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for place in &used {
        let (launch, name) = (&log.launches[*place], names[*place]);
        let is_base = !known.contains(&name.normal) && name.is_bare;
        let size = match (has_sides, launch.grid, launch.block) {
            (true, Some(grid), Some(block)) => Size::Sides(grid, block),
            _ => Size::Totals(launch.blocks, launch.threads),
        };
        let name = if is_base { name.base } else { name.normal };
        let device = if by_device { launch.device } else { None };
        groups.entry(Signature { is_base, name, size, device }).or_default().push(*place);
    }
    let mut by_signature: FxHashMap<Signature, Vec<usize>> = FxHashMap::default();
    let mut by_name: FxHashMap<(bool, NameId), Vec<usize>> = FxHashMap::default();
    for (at, kernel) in kernels.list.iter().enumerate() {
        for (is_base, name) in [(false, kernel.normal), (true, kernel.base)] {
            let device = by_device.then_some(kernel.device);
            let signature = Signature { is_base, name, size: kernel.size(has_sides), device };
            if groups.contains_key(&signature) {
                by_signature.entry(signature).or_default().push(at);
            }
            by_name.entry((is_base, name)).or_default().push(at);
        }
    }
    let mut joining = Joining {
        log,
        is_other_gpu: &is_other_gpu,
        of_kernel: vec![None; kernels.list.len()],
        measured: Vec::new(),
        places: vec![(NcuLevel::None, None); log.launches.len()],
    };
    let mut signatures = Vec::new();
    for (signature, launches) in &groups {
        let found = by_signature.get(signature).map_or(&[][..], Vec::as_slice);
        let same_name = by_name.get(&(signature.is_base, signature.name)).map_or(&[][..], Vec::as_slice);
        let level = match found.is_empty() {
            true if same_name.is_empty() => NcuLevel::None,
            true => {
                for place in launches {
                    joining.places[*place] = (NcuLevel::Name, same_name.first().copied());
                }
                NcuLevel::Name
            }
            false => joining.join_signature(kernels, signature, launches, found, op_parts, &failed, &names),
        };
        let launch = &log.launches[launches[0]];
        signatures.push(SignatureMatch {
            kernel_name: launch.kernel_name.clone(),
            grid: launch.grid,
            block: launch.block,
            blocks: launch.blocks,
            threads: launch.threads,
            device: launch.device,
            log_launches: launches.iter().map(|place| log.launches[*place].invocations).sum(),
            kernels: found.iter().map(|at| kernels.list[*at].work).collect(),
            level,
        });
    }
    joining.join_names(kernels, &groups);
    Joined {
        of_kernel: joining.of_kernel,
        measured: joining.measured,
        places: joining.places,
        signatures,
        names,
    }
}

/// Kernels of a signature by the parts of the names of their ops.
struct Inside<'a> {
    by_last: FxHashMap<&'a str, Vec<usize>>,
    by_any: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Inside<'a> {
    fn of(kernels: &Kernels, found: &[usize], op_parts: &'a OpParts) -> Self {
        let (mut by_last, mut by_any) = (FxHashMap::default(), FxHashMap::default());
        for at in found {
            let parts = op_parts.of_kernel(&kernels.list[*at]);
            if let Some(last) = parts.last() {
                by_last.entry(last.as_str()).or_insert_with(Vec::new).push(*at);
            }
            for part in parts {
                let inside: &mut Vec<usize> = by_any.entry(part.as_str()).or_default();
                if inside.last() != Some(at) {
                    inside.push(*at);
                }
            }
        }
        Self { by_last, by_any }
    }

    /// Kernels of ops whose names end in a range; if there are none, of those with it anywhere in their names.
    fn range(&self, range: &str) -> &[usize] {
        self.by_last.get(range).or_else(|| self.by_any.get(range)).map_or(&[], Vec::as_slice)
    }
}

struct Joining<'a, F> {
    log: &'a NcuLog,
    is_other_gpu: &'a F,
    of_kernel: Vec<Option<usize>>,
    measured: Vec<Measured>,
    places: Vec<(NcuLevel, Option<usize>)>,
}

impl<F: Fn(&NcuLaunch) -> bool> Joining<'_, F> {
    #[expect(clippy::too_many_arguments, reason = "what a signature has on both sides")]
    fn join_signature(
        &mut self,
        kernels: &Kernels,
        signature: &Signature,
        launches: &[usize],
        found: &[usize],
        op_parts: Option<&OpParts>,
        failed: &FxHashSet<NameId>,
        names: &[NamesOfLaunch],
    ) -> NcuLevel {
        let log = self.log;
        let invocations: u64 = launches.iter().map(|place| log.launches[*place].invocations).sum();
        let count = |all: usize| u64::try_from(all).unwrap_or(u64::MAX);
        if let Some(op_parts) = op_parts
            && log.form == NcuForm::PerNvtx
            && let Some(level) = self.join_ranges(kernels, launches, found, op_parts)
        {
            return level;
        }
        let is_summary = launches
            .iter()
            .any(|place| log.launches[*place].is_summary || log.launches[*place].invocations > 1);
        let mut of_normal: Vec<NameId> = found.iter().map(|at| kernels.list[*at].normal).collect();
        of_normal.sort_unstable();
        of_normal.dedup();
        let level = if signature.is_base && of_normal.len() > 1 {
            NcuLevel::Base
        } else if is_summary {
            if invocations == count(found.len()) { NcuLevel::Summary } else { NcuLevel::Signature }
        } else if launches.len() == found.len() && !failed.contains(&names[launches[0]].normal) {
            NcuLevel::Launch
        } else {
            NcuLevel::Signature
        };
        match level {
            NcuLevel::Launch => {
                for (place, at) in launches.iter().zip(found) {
                    let measured = self.measure(&[*place], level);
                    self.of_kernel[*at] = Some(measured);
                    self.places[*place] = (level, Some(*at));
                }
            }
            _ => {
                let measured = self.measure(launches, level);
                for at in found {
                    self.of_kernel[*at] = Some(measured);
                }
                for place in launches {
                    self.places[*place] = (level, found.first().copied());
                }
            }
        }
        level
    }

    /// Launches inside of the ranges that rows are about are taken first; the others get the mean of all rows.
    fn join_ranges(
        &mut self,
        kernels: &Kernels,
        launches: &[usize],
        found: &[usize],
        op_parts: &OpParts,
    ) -> Option<NcuLevel> {
        let log = self.log;
        let innermost = |place: usize| {
            let ranges = &log.launches[place].ranges;
            ranges.iter().rev().find(|range| !range.text.is_empty()).map(|range| without_numbers(&range.text))
        };
        let inside = Inside::of(kernels, found, op_parts);
        let of_rows: Vec<&[usize]> = launches
            .iter()
            .map(|place| innermost(*place).map_or(&[][..], |range| inside.range(&range)))
            .collect();
        if of_rows.iter().all(|own| own.is_empty()) {
            return None;
        }
        let mut worst = NcuLevel::Summary;
        let mut is_taken: FxHashSet<usize> = FxHashSet::default();
        for (place, own) in launches.iter().zip(of_rows) {
            if own.is_empty() {
                continue;
            }
            let is_whole =
                u64::try_from(own.len()).is_ok_and(|count| count == log.launches[*place].invocations);
            let level = if is_whole { NcuLevel::Summary } else { NcuLevel::Signature };
            worst = worst.max(level);
            let measured = self.measure(&[*place], level);
            self.places[*place] = (level, own.first().copied());
            for at in own {
                self.of_kernel[*at] = Some(measured);
                is_taken.insert(*at);
            }
        }
        let rest: Vec<usize> = found.iter().filter(|at| !is_taken.contains(*at)).copied().collect();
        if !rest.is_empty() {
            worst = NcuLevel::Signature;
            let measured = self.measure(launches, NcuLevel::Signature);
            for at in &rest {
                self.of_kernel[*at] = Some(measured);
            }
            for place in launches {
                if self.places[*place].0 == NcuLevel::None {
                    self.places[*place] = (NcuLevel::Signature, rest.first().copied());
                }
            }
        }
        Some(worst)
    }

    /// What belongs to the code holds for launches of other sizes too.
    fn join_names(&mut self, kernels: &Kernels, groups: &IndexMap<Signature, Vec<usize>, FxBuildHasher>) {
        let mut named: FxHashMap<(bool, NameId), Vec<usize>> = FxHashMap::default();
        for (signature, launches) in groups {
            named.entry((signature.is_base, signature.name)).or_default().extend(launches);
        }
        let mut made: FxHashMap<(bool, NameId), usize> = FxHashMap::default();
        for (at, kernel) in kernels.list.iter().enumerate() {
            if self.of_kernel[at].is_some() {
                continue;
            }
            let keys = [(false, kernel.normal), (true, kernel.base)];
            let Some((key, launches)) = keys.into_iter().find_map(|key| Some((key, named.get(&key)?))) else {
                continue;
            };
            let measured = match made.get(&key) {
                Some(measured) => *measured,
                None => {
                    let measured = self.measure(launches, NcuLevel::Name);
                    made.insert(key, measured);
                    measured
                }
            };
            self.of_kernel[at] = Some(measured);
        }
    }

    fn measure(&mut self, launches: &[usize], level: NcuLevel) -> usize {
        let weight = |launch: &NcuLaunch| {
            #[expect(clippy::cast_precision_loss, reason = "a weight")]
            let weight = launch.invocations as f64;
            weight
        };
        let weighted: Vec<(&NcuFigures, f64)> = launches
            .iter()
            .map(|place| &self.log.launches[*place])
            .map(|launch| (&*launch.figures, weight(launch)))
            .collect();
        let is_other_gpu = launches.iter().any(|place| (self.is_other_gpu)(&self.log.launches[*place]));
        let mean = NcuFigures::mean(&weighted);
        let figures = match level {
            _ if is_other_gpu => mean.tensor_use_alone(),
            NcuLevel::Name => mean.without_counts(),
            _ => mean,
        };
        let spread_percent = match level {
            NcuLevel::Name | NcuLevel::None => None,
            _ => spread_percent(&weighted),
        };
        // Of another GPU only what belongs to the code is taken over.
        let level = if is_other_gpu { level.max(NcuLevel::Name) } else { level };
        self.measured.push(Measured {
            level,
            figures,
            spread_percent,
            measured_calls: launches.iter().map(|place| self.log.launches[*place].invocations).sum(),
            is_other_gpu,
        });
        self.measured.len() - 1
    }
}
