//! Ops as their kernels were measured, beside the work that their shapes ask for.

use super::cover::ncu_cover;
use super::launches::launches;
use super::sum::{Launches, MeasuredFigures, MeasuredSum, Roofs};
use crate::base::ids::{DeviceId, OpId};
use crate::base::ratios::count_to_f64;
use crate::base::time::Ns;
use crate::figures::op_work::OpWork;
use crate::figures::profile::ProfileContents;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Counts of less of the kernel time say too little about ops.
const LEAST_COVER_PERCENT: f64 = 20.0;
/// FLOP, and bytes, that are known of so much of an op's time are scaled to all of it.
pub(crate) const WHOLE_PERCENT: f64 = 95.0;

/// An op, and what was measured of its kernels.
#[derive(Debug, Clone)]
pub struct MeasuredOp {
    /// The op.
    pub op: OpId,
    /// Plain sum of the durations of its kernels.
    pub gpu_time_ns: Ns,
    /// What was measured; none where the logs cover too little of the capture.
    pub figures: Option<MeasuredFigures>,
    /// FLOP: of the whole op if they are known of nearly all of its time, else of the part of which they are known.
    pub flop: Option<f64>,
    /// Bytes of DRAM, likewise.
    pub dram_bytes: Option<f64>,
    /// What its shapes ask for.
    pub by_shapes: Option<OpWork>,
}

impl MeasuredOp {
    /// FLOP as they were measured over those that the shapes ask for; only where they are known of nearly all of the op.
    #[must_use]
    pub fn flop_ratio(&self) -> Option<f64> {
        let is_whole = self.figures.as_ref()?.flop_percent >= WHOLE_PERCENT;
        ratio(self.flop.filter(|_| is_whole)?, self.by_shapes.as_ref().map(|work| work.flop))
    }

    /// Bytes likewise.
    #[must_use]
    pub fn bytes_ratio(&self) -> Option<f64> {
        let is_whole = self.figures.as_ref()?.bytes_percent >= WHOLE_PERCENT;
        ratio(self.dram_bytes.filter(|_| is_whole)?, self.by_shapes.as_ref().and_then(|work| work.bytes))
    }
}

fn ratio(measured: f64, by_shapes: Option<u64>) -> Option<f64> {
    by_shapes.filter(|work| *work > 0).map(|work| measured / count_to_f64(work))
}

/// The ops of a profile whose kernels ran, the longest first; none without counters.
#[must_use]
pub fn measured_ops(profile: &ProfileContents) -> Vec<MeasuredOp> {
    let capture = &profile.capture;
    let (Some(counters), Some(cover)) = (&capture.counters, ncu_cover(profile)) else { return Vec::new() };
    let is_covered = cover.measured_percent() >= LEAST_COVER_PERCENT;
    let mut by_op: BTreeMap<OpId, (MeasuredSum, FxHashMap<DeviceId, Ns>)> = BTreeMap::new();
    for (op, kernel) in launches(profile) {
        let ns = capture.work.span[kernel].length();
        let (sum, devices) = by_op.entry(op).or_default();
        sum.push(Launches::of_capture(ns), counters.of(kernel));
        *devices.entry(capture.work.device[kernel]).or_default() += ns;
    }
    let mut shapes: FxHashMap<OpId, OpWork> =
        profile.op_work().into_iter().map(|work| (work.op, work)).collect();
    let row = |(op, (sum, devices)): (OpId, (MeasuredSum, FxHashMap<DeviceId, Ns>))| {
        let longest = devices.iter().max_by_key(|(device, ns)| (**ns, std::cmp::Reverse(**device)));
        let roofs = longest.map_or_else(Roofs::default, |(device, _)| {
            Roofs::of_peaks(&profile.device_figure(*device).peaks)
        });
        let figures = is_covered.then(|| sum.figures(&roofs));
        let scaled = |amount: fn(&MeasuredFigures) -> (Option<f64>, f64)| {
            let (amount, percent) = amount(figures.as_ref()?);
            amount.map(|amount| if percent >= WHOLE_PERCENT { amount * (100.0 / percent) } else { amount })
        };
        MeasuredOp {
            op,
            gpu_time_ns: sum.ns,
            flop: scaled(|figures| (figures.flop, figures.flop_percent)),
            dram_bytes: scaled(|figures| (figures.dram_bytes, figures.bytes_percent)),
            figures,
            by_shapes: shapes.remove(&op),
        }
    };
    let mut ops: Vec<MeasuredOp> = by_op.into_iter().map(row).collect();
    ops.sort_by(|a, b| b.gpu_time_ns.cmp(&a.gpu_time_ns).then(a.op.cmp(&b.op)));
    ops
}
