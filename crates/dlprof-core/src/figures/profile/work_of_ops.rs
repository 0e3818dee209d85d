//! How much ops had to compute and to move, and how close they came to what their GPU can do.

use super::ProfileContents;
use crate::base::ids::{DeviceId, OpId};
use crate::base::time::Ns;
use crate::capture::correlate::{is_16_bit, op_type_is_eligible};
use crate::figures::op_work::{MathUnit, OpCallWork, OpWork, WorkSum, math_peak, op_work, work_of_label};
use crate::read::facts::Vendor;

/// The calls of an op while they are summed.
#[derive(Debug, Default)]
struct OpSum {
    work: WorkSum,
    /// By GPU: the sum of the durations of the op's kernels.
    kernels: Vec<(DeviceId, Ns)>,
}

impl OpSum {
    fn add_kernels(&mut self, device: DeviceId, ns: Ns) {
        match self.kernels.iter_mut().find(|(known, _)| *known == device) {
            Some((_, sum)) => *sum += ns,
            None => self.kernels.push((device, ns)),
        }
    }

    /// The GPU that its kernels ran on longest; of equal ones the first.
    fn device(&self) -> Option<DeviceId> {
        self.kernels
            .iter()
            .max_by_key(|&&(device, ns)| (ns, std::cmp::Reverse(device)))
            .map(|&(device, _)| device)
    }
}

impl ProfileContents {
    /// The work of the ops of the aggregated iterations, in the order of op IDs; without those whose work is not known.
    #[must_use]
    pub fn op_work(&self) -> Vec<OpWork> {
        // By label, the work of a call; `None` for labels that were not met.
        let mut works: Vec<Option<Option<OpCallWork>>> = vec![None; self.capture.description.labels.len()];
        // By op; `None` for ops without calls.
        let mut sums: Vec<Option<OpSum>> = Vec::new();
        sums.resize_with(self.index.ops.len(), || None);
        for (call, op) in self.calls_of_range() {
            let label = self.capture.op_calls.label[call];
            let of_label = || work_of_label(&self.capture.description.labels[label.index()]);
            let work = works[label.index()].get_or_insert_with(of_label);
            let sum = sums[op.index()].get_or_insert_default();
            sum.work.push(work.as_ref(), 1);
        }
        for group in self.launch_groups() {
            if let Some(sum) = sums[group.key.op.index()].as_mut().filter(|sum| sum.work.flop.is_some()) {
                sum.add_kernels(group.key.device, group.gpu.sum);
            }
        }
        self.op_stats
            .iter()
            .filter_map(|stats| self.work_of_op(stats.op, stats.uses_tc, sums[stats.op.index()].as_ref()?))
            .collect()
    }

    fn work_of_op(&self, op: OpId, uses_tc: bool, sum: &OpSum) -> Option<OpWork> {
        let gpu_time_ns = sum.kernels.iter().map(|&(_, ns)| ns).sum();
        let peaks = sum.device().map(|device| &self.device_figure(device).peaks);
        let unit = if uses_tc || self.uses_matrix_units(op) { MathUnit::Matrix } else { MathUnit::Vector };
        let peak = peaks.and_then(|peaks| math_peak(peaks, &self.label(op).data_type, unit));
        op_work(op, &sum.work, gpu_time_ns, peak, peaks.and_then(|peaks| peaks.gb_per_s))
    }

    /// Whether an op on AMD's GPUs computes products of 16 bits, for which their libraries take matrix units. Names do not tell.
    fn uses_matrix_units(&self, op: OpId) -> bool {
        let label = self.label(op);
        self.capture.recorder.vendor == Vendor::Amd
            && op_type_is_eligible(&label.op_type)
            && is_16_bit(&label.data_type)
    }
}
