//! How much of the kernel time counters are about.

use super::launches::launches;
use crate::base::ratios::to_f64;
use crate::base::time::Ns;
use crate::capture::counters::NcuLevel;
use crate::figures::profile::ProfileContents;

/// The kernel time of the aggregated iterations by how surely it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NcuCover {
    /// By level, in the order of [`NcuLevel::ALL`].
    pub ns: [Ns; NcuLevel::ALL.len()],
    /// Of the time without counters: that of kernels of which logs of another GPU tell whether they run on Tensor Cores.
    pub other_gpu_ns: Ns,
}

impl NcuCover {
    /// All kernel time.
    #[must_use]
    pub fn total_ns(&self) -> Ns {
        self.ns.iter().sum()
    }

    /// Share of the kernel time of one level.
    #[must_use]
    pub fn percent(&self, level: NcuLevel) -> f64 {
        let at = NcuLevel::ALL.iter().position(|known| *known == level);
        share(at.map_or(0, |at| self.ns[at]), self.total_ns())
    }

    /// Share of the kernel time that was measured in any way.
    #[must_use]
    pub fn measured_percent(&self) -> f64 {
        let none = self.ns[NcuLevel::ALL.len() - 1];
        share(self.total_ns() - none, self.total_ns())
    }

    /// Share of the kernel time of which only logs of another GPU say anything.
    #[must_use]
    pub fn other_gpu_percent(&self) -> f64 {
        share(self.other_gpu_ns, self.total_ns())
    }
}

fn share(part: Ns, whole: Ns) -> f64 {
    if whole > 0 { 100.0 * to_f64(part) / to_f64(whole) } else { 0.0 }
}

/// How much of the kernel time of a profile counters are about; none without counters.
#[must_use]
pub fn ncu_cover(profile: &ProfileContents) -> Option<NcuCover> {
    let counters = profile.capture.counters.as_ref()?;
    let mut cover = NcuCover::default();
    for (_, kernel) in launches(profile) {
        let ns = profile.capture.work.span[kernel].length();
        let is_other_gpu = counters.of(kernel).is_some_and(|measured| measured.is_other_gpu);
        let level = if is_other_gpu { NcuLevel::None } else { counters.level(kernel) };
        if is_other_gpu {
            cover.other_gpu_ns += ns;
        }
        if let Some(at) = NcuLevel::ALL.iter().position(|known| *known == level) {
            cover.ns[at] += ns;
        }
    }
    Some(cover)
}
