//! Several logs as one: of each kernel the surest counters, and what these lack from the next.

use super::gpu_names::is_same_gpu;
use super::join::join;
use super::kernels::{Kernels, NameId, OpParts};
use super::{ChangedAnswer, Counters, JoinedLog, Measured};
use crate::base::ids::{StrId, WorkId};
use crate::base::ratios::count_to_f64;
use crate::capture::CaptureContents;
use crate::capture::correlate::TensorCores;
use crate::read::ncu::{NcuForm, NcuLaunch, NcuLog};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::sync::Arc;

/// Joins logs to a capture.
pub(super) fn combine(capture: &CaptureContents, logs: Vec<NcuLog>, is_same_gpu: bool) -> Counters {
    let mut kernels = Kernels::of(capture);
    let op_parts = logs.iter().any(|log| log.form == NcuForm::PerNvtx).then(|| OpParts::of(capture));
    let is_other_gpu = |launch: &NcuLaunch| !is_same_gpu && is_other_gpu(capture, launch);
    let mut counters = Counters { of_kernel: vec![None; capture.kernels.len()], ..Counters::default() };
    let mut by_log = Vec::new();
    let mut ratios = Vec::new();
    // By normal name, and by base name where logs have no more: whether any launch ran on Tensor Cores.
    let mut answers: FxHashMap<NameId, bool> = FxHashMap::default();
    let mut calls: FxHashMap<NameId, u64> = FxHashMap::default();
    let mut only_in_logs: FxHashMap<Arc<str>, u64> = FxHashMap::default();
    for log in logs {
        let joined = join(&log, &mut kernels, op_parts.as_ref(), is_other_gpu);
        for (place, launch) in log.launches.iter().enumerate() {
            if launch.is_failed {
                continue;
            }
            let (level, first) = joined.places[place];
            let name = joined.names[place];
            if first.is_none() {
                *only_in_logs.entry(launch.kernel_name.clone()).or_default() += launch.invocations;
                continue;
            }
            let name = if level == super::NcuLevel::Base || name.is_bare { name.base } else { name.normal };
            *calls.entry(name).or_default() += launch.invocations;
            if let Some(is_used) = launch.figures.tensor_cores {
                *answers.entry(name).or_default() |= is_used;
            }
        }
        for (at, measured) in joined.of_kernel.iter().enumerate() {
            let Some(measured) = measured.map(|place| &joined.measured[place]) else { continue };
            let ns = count_to_f64(kernels.list[at].ns);
            if let Some(duration) =
                measured.figures.duration_ns.filter(|_| measured.level.has_counts() && ns > 0.0)
            {
                ratios.push(duration / ns);
            }
        }
        let work = |place: Option<usize>| place.map(|at| kernels.list[at].work);
        let places = joined.places.iter().map(|(level, first)| (*level, work(*first))).collect();
        let offset = counters.measured.len();
        let of_kernel: Vec<Option<usize>> =
            joined.of_kernel.iter().map(|place| place.map(|place| place + offset)).collect();
        counters.measured.extend(joined.measured);
        by_log.push(of_kernel);
        counters.logs.push(JoinedLog { log: Arc::new(log), places, signatures: joined.signatures });
    }
    choose(&kernels, &by_log, &mut counters);
    counters.time_ratio = median(ratios);
    counters.only_in_logs = only_in_logs.into_iter().collect();
    counters.only_in_logs.sort_by(|a, b| Reverse(a.1).cmp(&Reverse(b.1)).then_with(|| a.0.cmp(&b.0)));
    by_name(capture, &kernels, &answers, &calls, &mut counters);
    counters
}

/// Takes the surest of each kernel, of equally sure ones that of the later log.
fn choose(kernels: &Kernels, by_log: &[Vec<Option<usize>>], counters: &mut Counters) {
    let mut made: FxHashMap<Vec<usize>, u32> = FxHashMap::default();
    for (at, kernel) in kernels.list.iter().enumerate() {
        let mut found: Vec<usize> = by_log.iter().rev().filter_map(|log| log[at]).collect();
        if found.is_empty() {
            continue;
        }
        found.sort_by_key(|place| {
            let measured = &counters.measured[*place];
            (measured.level, measured.is_other_gpu)
        });
        let place = match (found.as_slice(), made.get(&found)) {
            (_, Some(place)) => Some(*place),
            ([only], None) => u32::try_from(*only).ok(),
            (several, None) => {
                let mut measured: Measured = counters.measured[several[0]].clone();
                for next in &several[1..] {
                    let next = &counters.measured[*next];
                    measured.figures.complete(&next.figures);
                    measured.spread_percent = measured.spread_percent.or(next.spread_percent);
                }
                counters.measured.push(measured);
                u32::try_from(counters.measured.len() - 1).ok()
            }
        };
        if let Some(place) = place {
            counters.of_kernel[kernel.work.index()] = Some(place);
            made.insert(found, place);
        }
    }
}

/// What is known by name: launches that were measured, and answers that differ from those of the names.
fn by_name(
    capture: &CaptureContents,
    kernels: &Kernels,
    answers: &FxHashMap<NameId, bool>,
    calls: &FxHashMap<NameId, u64>,
    counters: &mut Counters,
) {
    for (text, (normal, base)) in &kernels.by_text {
        if let Some(count) = calls.get(normal).or_else(|| calls.get(base)) {
            counters.calls_by_name.insert(*text, *count);
        }
    }
    let mut seen: FxHashSet<StrId> = FxHashSet::default();
    for kernel in &kernels.list {
        let long_name = capture.kernels.long_name[kernel.work];
        let Some(measured) = answers.get(&kernel.normal).or_else(|| answers.get(&kernel.base)) else {
            continue;
        };
        counters.answers.insert(long_name, *measured);
        let by_name = capture.judged.tensor_cores[kernel.work];
        if of_answer(*measured) != by_name && seen.insert(long_name) {
            counters.changed.push(ChangedAnswer { long_name, by_name, measured: *measured });
        }
    }
    counters.changed.sort_by(|a, b| capture.strings.get(a.long_name).cmp(capture.strings.get(b.long_name)));
}

fn of_answer(is_used: bool) -> TensorCores {
    if is_used { TensorCores::Used } else { TensorCores::NotUsed }
}

/// Whether each kernel uses Tensor Cores: as its own counters say, else those of other launches of its name, else its name.
pub(super) fn answers(capture: &CaptureContents, counters: &Counters) -> Vec<TensorCores> {
    let answer = |kernel: usize| {
        let work = WorkId::new(kernel);
        let own = counters.of(work).and_then(|measured| measured.figures.tensor_cores);
        let of_name = || counters.answers.get(&capture.kernels.long_name[work]).copied();
        own.or_else(of_name).map_or(capture.judged.tensor_cores[work], of_answer)
    };
    (0..capture.kernels.len()).map(answer).collect()
}

/// Whether a launch ran on a GPU that the capture does not have.
fn is_other_gpu(capture: &CaptureContents, launch: &NcuLaunch) -> bool {
    let used = || {
        capture.devices.iter().filter(|device| device.compute_capability.is_some() || device.name.is_some())
    };
    let known: Vec<String> = used()
        .filter_map(|device| device.compute_capability)
        .map(|(major, minor)| format!("{major}.{minor}"))
        .collect();
    let other_capability = launch
        .compute_capability
        .as_deref()
        .is_some_and(|found| !known.is_empty() && !known.iter().any(|known| known == found));
    let names: Vec<&str> = used().filter_map(|device| device.name.as_deref()).collect();
    let other_name = launch
        .gpu_name
        .as_deref()
        .is_some_and(|found| !names.is_empty() && !names.iter().any(|known| is_same_gpu(known, found)));
    other_capability || other_name
}

/// The one in the middle; of an even number the greater of two.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
