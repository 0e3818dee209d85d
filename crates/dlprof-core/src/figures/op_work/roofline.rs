//! How fast an op was, and what limited it.

use super::call::WorkSum;
use crate::base::ids::OpId;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;

/// What limits the speed of an op on a GPU that runs nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RooflineBound {
    /// The math units.
    Math,
    /// The memory.
    Memory,
}

impl RooflineBound {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Math => "math",
            Self::Memory => "memory",
        }
    }
}

/// The work of an op over the aggregated iterations: a row of table `op_work`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpWork {
    /// The op.
    pub op: OpId,
    /// Operations of all calls.
    pub flop: u64,
    /// Bytes of all calls; `None` if the data type is unknown.
    pub bytes: Option<u64>,
    /// Sum of the durations of the op's kernels.
    pub gpu_time_ns: Ns,
    /// Operations per GPU time, in 10¹² per second; `None` without GPU time.
    pub tflop_per_s: Option<f64>,
    /// Operations per byte.
    pub intensity: Option<f64>,
    /// Peak of the units that its kernels ran on, in 10¹² per second.
    pub peak_tflop_per_s: Option<f64>,
    /// Memory bandwidth in 10⁹ bytes per second.
    pub peak_gb_per_s: Option<f64>,
    /// What limits the op.
    pub bound: Option<RooflineBound>,
    /// Achieved in percent of attainable operations per second.
    pub efficiency_percent: Option<f64>,
    /// Whether defaults were assumed for parameters.
    pub assumed: bool,
}

/// The row of an op; `None` if the work of a call is unknown. `peak_tflop_per_s` is that of the units which the kernels
/// ran on (`math_peak`).
#[must_use]
pub(crate) fn op_work(
    op: OpId,
    work: &WorkSum,
    gpu_time_ns: Ns,
    peak_tflop_per_s: Option<f64>,
    peak_gb_per_s: Option<f64>,
) -> Option<OpWork> {
    let flop = work.flop?;
    let bytes = work.bytes.filter(|&bytes| bytes > 0);
    // Operations per nanosecond are 10⁹ per second.
    let tflop_per_s = (gpu_time_ns > 0).then(|| count_to_f64(flop) / to_f64(gpu_time_ns) / 1e3);
    let intensity = bytes.map(|bytes| count_to_f64(flop) / count_to_f64(bytes));
    let limits = intensity.zip(peak_tflop_per_s.zip(peak_gb_per_s));
    let bound =
        limits.map(
            |(intensity, (math, memory))| {
                if intensity * memory / 1e3 > math { RooflineBound::Math } else { RooflineBound::Memory }
            },
        );
    let attainable = limits.map(|(intensity, (math, memory))| math.min(intensity * memory / 1e3));
    let efficiency = tflop_per_s.zip(attainable.filter(|&most| most > 0.0));
    Some(OpWork {
        op,
        flop,
        bytes: work.bytes,
        gpu_time_ns,
        tflop_per_s,
        intensity,
        peak_tflop_per_s,
        peak_gb_per_s,
        bound,
        efficiency_percent: efficiency.map(|(achieved, most)| achieved / most * 100.0),
        assumed: work.assumed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(flop: u64, bytes: Option<u64>, ns: Ns) -> OpWork {
        let work = WorkSum { flop: Some(flop), bytes, assumed: false };
        op_work(OpId::new(0), &work, ns, Some(20.0), Some(2000.0)).expect("known work")
    }

    #[test]
    fn the_roof_bends_at_peak_by_bandwidth() {
        // 20 TFLOP/s at 2 TB/s: the bend is at 10 FLOP per byte.
        let memory = row(1_000_000, Some(1_000_000), 1000);
        assert_eq!(memory.bound, Some(RooflineBound::Memory));
        // 1 TFLOP/s of 2 attainable.
        assert!(memory.efficiency_percent.is_some_and(|percent| (percent - 50.0).abs() < 1e-9));
        let math = row(20_000_000, Some(1_000_000), 2000);
        assert_eq!(math.bound, Some(RooflineBound::Math));
        assert!(math.efficiency_percent.is_some_and(|percent| (percent - 50.0).abs() < 1e-9));
        // An example from a lecture: 32 FLOP on 17 bytes.
        assert!(row(32, Some(17), 1).intensity.is_some_and(|intensity| (intensity - 1.88).abs() < 0.005));
    }

    #[test]
    fn what_is_unknown_stays_empty() {
        let row = row(100, None, 0);
        assert_eq!(
            (row.tflop_per_s, row.intensity, row.bound, row.efficiency_percent),
            (None, None, None, None)
        );
        let unknown = WorkSum { flop: None, ..WorkSum::default() };
        assert_eq!(op_work(OpId::new(0), &unknown, 1, None, None), None);
        // An op that computes nothing has an intensity of 0 and no efficiency.
        let moved = super::tests::row(0, Some(10), 5);
        assert_eq!((moved.bound, moved.efficiency_percent), (Some(RooflineBound::Memory), None));
    }
}
