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
        let level = counters.level(kernel);
        if let Some(at) = NcuLevel::ALL.iter().position(|known| *known == level) {
            cover.ns[at] += profile.capture.work.span[kernel].length();
        }
    }
    Some(cover)
}
