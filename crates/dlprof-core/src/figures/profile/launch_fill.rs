//! How kernels fill their GPU, and what their GPU can do.

use super::ProfileContents;
use crate::base::ids::{DeviceId, WorkId};
use crate::figures::gpu::{
    BlockResources, DevicePeaks, LaunchFill, PeakSource, PeakTable, Peaks, SmLimits, device_peaks,
    has_tensor_cores,
};
use crate::read::facts::{Device, LaunchConfig};
use std::sync::OnceLock;

/// What is known of each GPU, worked out once.
#[derive(Debug, Default)]
pub(super) struct DeviceFigures {
    devices: OnceLock<Vec<DeviceFigure>>,
}

/// What is known of a GPU.
#[derive(Debug, Clone)]
pub struct DeviceFigure {
    /// What fits one of its multiprocessors; `None` if the table does not know the GPU.
    pub limits: Option<SmLimits>,
    /// Number of multiprocessors, if known.
    pub sm_count: Option<u64>,
    /// The most that it can do.
    pub peaks: Peaks,
    /// Where its peaks come from.
    pub peak_source: PeakSource,
}

impl DeviceFigure {
    fn of(facts: &Device, table: &PeakTable<'_>) -> Self {
        let sm_count = facts.sm_count.and_then(|count| u64::try_from(count).ok()).filter(|&count| count > 0);
        let DevicePeaks { peaks, source: peak_source, .. } = device_peaks(facts, table);
        Self { limits: SmLimits::of_device(facts), sm_count, peaks, peak_source }
    }
}

impl ProfileContents {
    /// What the capture says of a GPU.
    #[must_use]
    pub(crate) fn device_facts(&self, device: DeviceId) -> &Device {
        &self.capture.devices[device.index()]
    }

    /// Whether a GPU with work has Tensor Cores; unknown where that is known of none and some may.
    #[must_use]
    pub fn has_tensor_cores(&self) -> Option<bool> {
        let of_device = |&device: &DeviceId| {
            let device = self.device_facts(device);
            has_tensor_cores(device.name.as_deref().unwrap_or_default(), device.compute_capability)
        };
        let known: Vec<Option<bool>> = self.iterations.windows.used.iter().map(of_device).collect();
        match known.contains(&Some(true)) {
            true => Some(true),
            false if known.is_empty() || known.contains(&None) => None,
            false => Some(false),
        }
    }

    /// What is known of a GPU.
    #[must_use]
    pub fn device_figure(&self, device: DeviceId) -> &DeviceFigure {
        let table = PeakTable::with_user(&self.settings.gpus);
        let figure = |device| DeviceFigure::of(device, &table);
        let figures = || self.capture.devices.iter().map(figure).collect();
        &self.device_figures.devices.get_or_init(figures)[device.index()]
    }

    /// How a kernel fills its GPU.
    #[must_use]
    pub(crate) fn launch_fill(&self, kernel: WorkId) -> LaunchFill {
        let capture = &self.capture;
        self.fill_of(&capture.launch_config(kernel), capture.work.device[kernel])
    }

    /// How a launch fills a GPU.
    pub(super) fn fill_of(&self, config: &LaunchConfig, device_id: DeviceId) -> LaunchFill {
        let device = self.device_figure(device_id);
        let (Some(grid), Some(block)) = (volume(config.grid), needs(config)) else {
            return LaunchFill::default();
        };
        LaunchFill::of(grid, block, device.limits.as_ref(), self.sm_count_of(config, device_id))
    }

    /// Number of multiprocessors that launches may use on a GPU, if known: those of their context, else all of the GPU.
    pub(crate) fn sm_count_of(&self, config: &LaunchConfig, device: DeviceId) -> Option<u64> {
        let own = config.multiprocessors.and_then(|count| u64::try_from(count).ok());
        own.or(self.device_figure(device).sm_count)
    }
}

/// What a block needs; `None` if the capture does not say it, as DLProf databases do not.
fn needs(config: &LaunchConfig) -> Option<BlockResources> {
    let count = |number: Option<i64>| u64::try_from(number?).ok();
    Some(BlockResources {
        threads: volume(config.block)?,
        registers_per_thread: count(config.registers)?,
        shared_bytes: count(config.shared_bytes())?,
    })
}

/// The product of three sizes; `None` if one is not above 0.
fn volume(sizes: [i64; 3]) -> Option<u64> {
    let size = |size: i64| u64::try_from(size).ok().filter(|&size| size > 0);
    sizes.into_iter().try_fold(1_u64, |product, next| product.checked_mul(size(next)?))
}
