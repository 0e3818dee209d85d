//! What a user may change about the figures of a profile.

use crate::capture::names::ActivitySettings;
use crate::figures::gpu::PeakRow;

/// What a user may change about the figures of a profile. Nothing is changed by default.
#[derive(Debug, Clone, Default)]
pub struct ProfileSettings {
    /// Thresholds and further names, for why GPUs idle and how work is launched.
    pub activity: ActivitySettings,
    /// Further GPUs with what they can do; they have precedence over the export and the built-in table.
    pub gpus: Vec<PeakRow>,
}
