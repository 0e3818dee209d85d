//! Settings of the training run.

use serde::{Deserialize, Serialize};

/// Settings of the training run, as DLProf's `model_config` markers record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// Worker processes of the data loader.
    pub num_workers: i64,
    /// Whether the data loader pins memory.
    pub pin_memory: bool,
    /// Whether a convolution ran with cuDNN's benchmark mode off.
    pub cudnn_benchmark_disabled: bool,
    /// Whether autograd looked for anomalies in a context.
    pub detect_anomaly: bool,
    /// Whether gradients were checked numerically.
    pub gradcheck: bool,
    /// Whether gradients of gradients were checked numerically.
    pub gradgradcheck: bool,
    /// Whether autograd's own profiler was on.
    pub autograd_profile: bool,
    /// Whether autograd was set to look for anomalies.
    pub autograd_set_detect_anomaly: bool,
    /// Whether `emit_nvtx` was on.
    pub emit_nvtx: bool,
    /// Whether automatic mixed precision was on.
    pub amp_enabled: bool,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            num_workers: 0,
            pin_memory: true,
            cudnn_benchmark_disabled: false,
            detect_anomaly: false,
            gradcheck: false,
            gradgradcheck: false,
            autograd_profile: false,
            autograd_set_detect_anomaly: false,
            emit_nvtx: false,
            amp_enabled: false,
        }
    }
}
