//! How much of the kernel time names tell about: before anything is said to be absent, this is asked.

use super::KernelKind;
use crate::base::ids::StrId;
use crate::base::ratios::percent;
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::capture::names::Exchange;
use crate::figures::profile::ProfileContents;

/// From this share of the kernel time on, kernels whose names do not tell forbid to say that something is absent.
const LEAST_UNTOLD_PERCENT: f64 = 10.0;

/// How much of the kernel time names tell about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownShare {
    /// Plain sum of the durations of all kernels.
    kernel_ns: Ns,
    /// Those of kernels whose names tell neither what they compute nor whether they exchange data.
    untold_ns: Ns,
    /// Those of kernels whose names do not tell whether they use Tensor Cores.
    untold_tensor_cores_ns: Ns,
    /// Of kernels that tell neither, the one with most time: its short name and its time.
    largest: Option<(StrId, Ns)>,
}

impl KnownShare {
    /// Adds the launches of a kernel, whose name `tells` what it computes or whether it exchanges data.
    pub(crate) fn add(&mut self, short_name: StrId, tells: bool, tensor_cores: TensorCores, ns: Ns) {
        self.kernel_ns = self.kernel_ns.saturating_add(ns);
        if tensor_cores == TensorCores::Unknown {
            self.untold_tensor_cores_ns = self.untold_tensor_cores_ns.saturating_add(ns);
        }
        if !tells {
            self.untold_ns = self.untold_ns.saturating_add(ns);
            if self.largest.is_none_or(|(_, most_ns)| ns > most_ns) {
                self.largest = Some((short_name, ns));
            }
        }
    }

    /// Share of the kernel time of kernels whose names do not tell what they do, and the short name of the largest; `None` where
    /// that is too little to matter.
    #[must_use]
    pub fn untold(&self) -> Option<(f64, StrId)> {
        let share = percent(self.untold_ns, self.kernel_ns);
        let (name, _) = self.largest?;
        (share >= LEAST_UNTOLD_PERCENT).then_some((share, name))
    }

    /// Share of the kernel time of kernels whose names do not tell whether they use Tensor Cores; `None` where that is too little to
    /// matter.
    #[must_use]
    pub fn untold_tensor_cores(&self) -> Option<f64> {
        let share = percent(self.untold_tensor_cores_ns, self.kernel_ns);
        (share >= LEAST_UNTOLD_PERCENT).then_some(share)
    }
}

impl ProfileContents {
    /// Whether the name of any kernel of the aggregated iterations tells whether it uses Tensor Cores.
    #[must_use]
    pub fn tells_of_tensor_cores(&self) -> bool {
        let totals = &self.kernel_totals;
        totals.tc.launches > 0 || totals.non_tc.launches > totals.tc_unknown.launches
    }

    /// How much of the kernel time of the aggregated iterations names tell about.
    #[must_use]
    pub fn known_share(&self) -> KnownShare {
        let mut known = KnownShare::default();
        for row in self.kernel_names() {
            let short_name = self.capture.kernels.short_name[row.example];
            let judged = self.judge_kernel(row.example);
            let tells = judged.kind != KernelKind::Unknown || judged.exchange != Exchange::Unknown;
            known.add(short_name, tells, row.tensor_cores, row.gpu_time_ns);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_that_is_untold_does_not_matter() {
        let (own, other) = (StrId::new(1), StrId::new(2));
        let share = |untold_ns: Ns| {
            let mut known = KnownShare::default();
            known.add(StrId::new(0), true, TensorCores::NotUsed, 1_000 - untold_ns);
            known.add(own, false, TensorCores::Unknown, untold_ns / 4);
            known.add(other, false, TensorCores::Unknown, untold_ns - untold_ns / 4);
            known
        };
        assert_eq!((share(99).untold(), share(99).untold_tensor_cores()), (None, None));
        assert_eq!(share(100).untold(), Some((10.0, other)));
        assert_eq!(share(100).untold_tensor_cores(), Some(10.0));
        assert_eq!(KnownShare::default().untold(), None);
    }

    #[test]
    fn products_of_which_only_the_use_of_tensor_cores_is_unknown_have_a_kind() {
        let mut known = KnownShare::default();
        known.add(StrId::new(0), true, TensorCores::Unknown, 10);
        assert_eq!((known.untold(), known.untold_tensor_cores()), (None, Some(100.0)));
    }
}
