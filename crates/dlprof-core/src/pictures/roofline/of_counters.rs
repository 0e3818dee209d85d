//! What counters of Nsight Compute give to a roofline.

use super::{MemoryLevel, RooflinePoint, RooflineRoofs, RooflineSource};
use crate::base::ids::{DeviceId, OpId, StrId};
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;
use crate::capture::counters::NcuLevel;
use crate::figures::measured::{
    MeasuredFigures, MeasuredKernel, Roofs, kernels_of_logs, measured_kernels, measured_ops,
};
use crate::figures::profile::{KernelLaunch, Profile};
use crate::read::ncu::{NcuBound, NcuFigures, NcuLog, TensorPrecision};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

/// Counts of launches, and their time.
#[derive(Debug, Default)]
struct Counts {
    flop: f64,
    flop_ns: f64,
    /// Of the launches whose FLOP and bytes of L1, L2 and DRAM are known.
    both: [Both; 3],
}

#[derive(Debug, Default)]
struct Both {
    flop: f64,
    bytes: f64,
    ns: f64,
}

impl Counts {
    /// Adds launches with the figures of one.
    fn push(&mut self, figures: &NcuFigures, calls: f64, ns: f64) {
        let Some(flop) = figures.flop else { return };
        self.flop = flop.mul_add(calls, self.flop);
        self.flop_ns += ns;
        let bytes = [figures.l1_bytes, figures.l2_bytes, figures.dram_bytes];
        for (both, bytes) in self.both.iter_mut().zip(bytes) {
            if let Some(bytes) = bytes {
                both.flop = flop.mul_add(calls, both.flop);
                both.bytes = bytes.mul_add(calls, both.bytes);
                both.ns += ns;
            }
        }
    }

    fn point(&self, name: String, time_ns: f64, figures: &MeasuredFigures) -> RooflinePoint {
        let per_s = |amount: f64, ns: f64| (ns > 0.0).then(|| amount / (ns * 1e-9));
        // A point has one height: that of the launches whose bytes are known at the memory furthest out.
        let furthest = self.both.iter().rev().find_map(|both| per_s(both.flop, both.ns));
        let flop_per_s = furthest.or_else(|| per_s(self.flop, self.flop_ns));
        let bytes_per_s = |both: &Both| {
            let own_height = per_s(both.flop, both.ns).filter(|own| *own > 0.0);
            let scale = own_height.zip(flop_per_s).map_or(1.0, |(own, height)| height / own);
            per_s(both.bytes, both.ns).map(|bytes| bytes * scale)
        };
        RooflinePoint {
            name,
            time_ns,
            flop_per_s,
            bytes_per_s: self.both.each_ref().map(bytes_per_s),
            bound: figures.bound.map_or("", NcuBound::as_str),
            dram_percent: figures.dram_percent,
            is_exact: figures.level.is_some_and(|level| level <= NcuLevel::Summary),
        }
    }
}

/// The counts of the launches of a profile, by what they belong to.
struct Summed<K> {
    counts: FxHashMap<K, Counts>,
    roofs: RooflineRoofs,
}

fn summed<K: Eq + Hash>(profile: &Profile, key_of: impl Fn(&KernelLaunch) -> K) -> Summed<K> {
    let mut counts: FxHashMap<K, Counts> = FxHashMap::default();
    let mut precisions = BTreeSet::new();
    let mut devices: BTreeMap<DeviceId, Ns> = BTreeMap::new();
    let capture = &profile.capture;
    for launch in profile.kernel_launches().iter() {
        let ns = capture.work.span[launch.kernel].length();
        *devices.entry(capture.work.device[launch.kernel]).or_default() += ns;
        let measured = capture.counters.as_ref().and_then(|counters| counters.of(launch.kernel));
        if let Some(measured) = measured.filter(|measured| measured.level.has_counts()) {
            counts.entry(key_of(launch)).or_default().push(&measured.figures, 1.0, to_f64(ns));
            precisions.extend(precisions_of(&measured.figures));
        }
    }
    let busiest =
        devices.iter().max_by_key(|(device, ns)| (**ns, Reverse(**device))).map(|(device, _)| *device);
    let roofs = busiest.map_or_else(RooflineRoofs::default, |device| RooflineRoofs {
        gpu: capture.devices[device.index()].name.clone(),
        ..roofs_of(&Roofs::of_peaks(&profile.device_figure(device).peaks), &precisions)
    });
    Summed { counts, roofs }
}

/// The precisions in which Tensor Cores computed.
fn precisions_of(figures: &NcuFigures) -> impl Iterator<Item = TensorPrecision> {
    figures.tensor_flop.iter().flatten().filter(|(_, flop)| *flop > 0.0).map(|(precision, _)| *precision)
}

/// The roofs of DRAM, of FP32, and of the precisions of Tensor Cores that occur. Each of them is known, or named as unknown.
fn roofs_of(roofs: &Roofs, precisions: &BTreeSet<TensorPrecision>) -> RooflineRoofs {
    let tensor = roofs.tensor.iter().filter(|(precision, _)| precisions.contains(precision));
    let tensor = tensor.map(|(precision, flop)| (format!("tensor {}", precision.as_str()), *flop));
    let missing = precisions.iter().filter(|precision| roofs.tensor(**precision).is_none());
    let missing = missing.map(|precision| format!("tensor {}", precision.as_str()));
    let memory = roofs.bytes_per_s.is_none().then(|| MemoryLevel::Dram.in_words().to_owned());
    let vector = roofs.fp32.is_none().then(|| "fp32".to_owned());
    let fp32 = roofs.fp32.map(|flop| ("fp32".to_owned(), flop));
    RooflineRoofs {
        gpu: None,
        bytes_per_s: roofs.bytes_per_s.map(|bytes| (MemoryLevel::Dram, bytes)).into_iter().collect(),
        flop_per_s: fp32.into_iter().chain(tensor).collect(),
        unknown: memory.into_iter().chain(vector).chain(missing).collect(),
    }
}

/// The kernels of a profile by demangled name: counts of the logs over times of the capture. `None` without counters.
#[must_use]
pub fn roofline_of_kernels(profile: &Profile, levels: &[MemoryLevel]) -> Option<RooflineSource> {
    profile.capture.counters.as_ref()?;
    let by_name = summed(profile, |launch| profile.capture.kernels.long_name[launch.kernel]);
    let nothing = Counts::default();
    let counts_of = |name: Option<StrId>| name.and_then(|name| by_name.counts.get(&name)).unwrap_or(&nothing);
    let kernels = measured_kernels(profile);
    let points = kernels.iter().map(|kernel| {
        let name = kernel.long_name.to_string();
        counts_of(kernel.name).point(name, time_of(kernel), &kernel.figures)
    });
    Some(RooflineSource { points: points.collect(), roofs: by_name.roofs, levels: levels.to_vec() })
}

/// The ops of a profile, likewise. Ops have no points where the logs cover too little.
#[must_use]
pub fn roofline_of_ops(profile: &Profile, levels: &[MemoryLevel]) -> Option<RooflineSource> {
    profile.capture.counters.as_ref()?;
    let by_op = summed(profile, |launch| profile.index.calls.op[launch.call]);
    let nothing = Counts::default();
    let ops = measured_ops(profile);
    let points = ops.iter().filter_map(|op| {
        let counts = by_op.counts.get(&op.op).unwrap_or(&nothing);
        Some(counts.point(name_of(profile, op.op), to_f64(op.gpu_time_ns), op.figures.as_ref()?))
    });
    Some(RooflineSource { points: points.collect(), roofs: by_op.roofs, levels: levels.to_vec() })
}

/// A kernel without a time has no place.
fn time_of(kernel: &MeasuredKernel) -> f64 {
    kernel.gpu_time_ns.map_or(0.0, to_f64)
}

fn name_of(profile: &Profile, op: OpId) -> String {
    profile.op_name(op).to_owned()
}

/// The kernels of logs by name: counts, times and roofs are those of `ncu`, at its clocks.
#[must_use]
pub fn roofline_of_logs(logs: &[Arc<NcuLog>], levels: &[MemoryLevel]) -> RooflineSource {
    let mut by_name: FxHashMap<Arc<str>, Counts> = FxHashMap::default();
    let mut precisions = BTreeSet::new();
    let mut roofs = Roofs::default();
    let mut gpus: BTreeSet<Arc<str>> = BTreeSet::new();
    for launch in logs.iter().flat_map(|log| &log.launches).filter(|launch| !launch.is_failed) {
        let figures = &launch.figures;
        gpus.extend(launch.gpu_name.clone());
        precisions.extend(precisions_of(figures));
        roofs.widen(&Roofs::of_launch(figures));
        if let Some(ns) = figures.duration_ns {
            let calls = count_to_f64(launch.invocations);
            by_name.entry(Arc::clone(&launch.kernel_name)).or_default().push(figures, calls, ns * calls);
        }
    }
    let nothing = Counts::default();
    let kernels = kernels_of_logs(logs);
    let points = kernels.iter().map(|kernel| {
        let counts = by_name.get(&kernel.long_name).unwrap_or(&nothing);
        let point = counts.point(kernel.long_name.to_string(), time_of(kernel), &kernel.figures);
        // Nothing was joined: the counts are those of the launches themselves.
        RooflinePoint { is_exact: true, ..point }
    });
    let gpu = (gpus.len() == 1).then(|| gpus.first().map(ToString::to_string)).flatten();
    let roofs = RooflineRoofs { gpu, ..roofs_of(&roofs, &precisions) };
    RooflineSource { points: points.collect(), roofs, levels: levels.to_vec() }
}
