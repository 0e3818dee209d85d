//! The GPUs of the machine.

use super::tiles::counted;
use dlprof_core::ids::DeviceId;
use dlprof_core::profile::Profile;
use dlprof_core::ratios::percent;
use dlprof_core::time::Ns;
use serde::Serialize;

/// A GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuRow {
    /// The number that people know it by.
    pub number: i64,
    /// Product name; `None` if it is not known.
    pub name: Option<String>,
    /// Whether the capture has work on it.
    pub is_used: bool,
    /// Share of the time with any work; `None` without kernel records, 0 for one that is not used.
    pub busy_percent: Option<f64>,
}

pub(super) fn gpus(profile: &Profile) -> Vec<GpuRow> {
    let times = profile.gpu_times();
    let busy = |device: usize| {
        let rows = times.of_device(device);
        let sum = |of: fn(&dlprof_core::activity::GpuTime) -> Ns| {
            counted(&profile.iterations).map(|window| of(&rows[window])).sum::<Ns>()
        };
        percent(sum(|row| row.busy_ns), sum(|row| row.length_ns))
    };
    let row = |(at, device): (usize, &dlprof_core::facts::Device)| GpuRow {
        number: profile.device_number(DeviceId::new(at)),
        name: device.name.clone(),
        is_used: times.used().get(at).copied().unwrap_or(false),
        busy_percent: profile.has_kernel_records().then(|| busy(at)),
    };
    profile.capture.devices.iter().enumerate().map(row).collect()
}
