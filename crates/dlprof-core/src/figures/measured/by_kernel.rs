//! Kernels by demangled name, as they were measured.

use super::launches::launches;
use super::sum::{Launches, MeasuredFigures, MeasuredSum, Roofs};
use crate::base::ids::{DeviceId, StrId};
use crate::base::ratios::{count_to_f64, whole};
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::capture::counters::{Measured, NcuLevel};
use crate::figures::by_name::KernelName;
use crate::figures::profile::ProfileContents;
use crate::read::ncu::{NcuLaunch, NcuLog};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// Launches of a kernel, and what was measured of it.
#[derive(Debug, Clone)]
pub struct MeasuredKernel {
    /// The demangled name.
    pub long_name: Arc<str>,
    /// The name in the capture; none without a capture.
    pub name: Option<StrId>,
    /// Launches in the range; without a capture, in the log.
    pub calls: u64,
    /// Their time on the GPU; without a capture, under `ncu`, and none if no launch of them says how long it took.
    pub gpu_time_ns: Option<Ns>,
    /// Launches in the logs.
    pub measured_calls: u64,
    /// What was measured.
    pub figures: MeasuredFigures,
    /// Occupancy that the launches let the kernel have.
    pub occupancy_percent: Option<f64>,
    /// Whether it runs on Tensor Cores; none where nothing tells.
    pub tensor_cores: Option<TensorCores>,
}

#[derive(Default)]
struct OfName {
    sum: MeasuredSum,
    devices: FxHashMap<DeviceId, Ns>,
}

#[derive(Default)]
struct OfLogs {
    sum: MeasuredSum,
    roofs: Roofs,
    is_timed: bool,
}

/// The kernels of a profile by demangled name, the longest first; none without counters.
#[must_use]
pub fn measured_kernels(profile: &ProfileContents) -> Vec<MeasuredKernel> {
    let capture = &profile.capture;
    let Some(counters) = &capture.counters else { return Vec::new() };
    let mut by_name: IndexMap<StrId, OfName, FxBuildHasher> = IndexMap::default();
    for (_, kernel) in launches(profile) {
        let ns = capture.work.span[kernel].length();
        let of_name = by_name.entry(capture.kernels.long_name[kernel]).or_default();
        of_name.sum.push(Launches::of_capture(ns), counters.of(kernel));
        *of_name.devices.entry(capture.work.device[kernel]).or_default() += ns;
    }
    let known: FxHashMap<StrId, &KernelName> =
        profile.kernel_names().iter().map(|kernel| (kernel.name, kernel)).collect();
    let row = |(name, of_name): (StrId, OfName)| {
        let longest = of_name.devices.iter().max_by_key(|(device, ns)| (**ns, std::cmp::Reverse(**device)));
        let roofs = longest.map_or_else(Roofs::default, |(device, _)| {
            Roofs::of_peaks(&profile.device_figure(*device).peaks)
        });
        MeasuredKernel {
            long_name: capture.strings.get(name).into(),
            name: Some(name),
            calls: of_name.sum.calls,
            gpu_time_ns: Some(of_name.sum.ns),
            measured_calls: counters.measured_calls(name),
            figures: of_name.sum.figures(&roofs),
            occupancy_percent: known.get(&name).and_then(|kernel| kernel.occupancy_percent),
            tensor_cores: known.get(&name).map(|kernel| kernel.tensor_cores),
        }
    };
    sorted(by_name.into_iter().map(row).collect())
}

/// The kernels of logs by name, the longest first: times, rates and roofs are those of `ncu`, at base clock. Where a log lacks the time
/// of any launch of a kernel, all its launches weigh the same in means.
#[must_use]
pub fn kernels_of_logs(logs: &[Arc<NcuLog>]) -> Vec<MeasuredKernel> {
    let mut by_name: IndexMap<Arc<str>, OfLogs, FxBuildHasher> = IndexMap::default();
    let used = || logs.iter().flat_map(|log| &log.launches).filter(|launch| !launch.is_failed);
    let duration = |launch: &NcuLaunch| launch.figures.duration_ns.filter(|ns| *ns > 0.0);
    let untimed: FxHashSet<&str> =
        used().filter(|launch| duration(launch).is_none()).map(|launch| &*launch.kernel_name).collect();
    for launch in used() {
        let OfLogs { sum, roofs, is_timed } = by_name.entry(launch.kernel_name.clone()).or_default();
        *is_timed |= duration(launch).is_some();
        roofs.widen(&Roofs::of_launch(&launch.figures));
        let calls = launch.invocations;
        let count = count_to_f64(calls);
        let ns = duration(launch).map(|ns| ns * count);
        let weight = ns.filter(|_| !untimed.contains(&*launch.kernel_name)).unwrap_or(count);
        let level = if launch.is_summary { NcuLevel::Summary } else { NcuLevel::Launch };
        let measured = Measured {
            level,
            figures: (*launch.figures).clone(),
            spread_percent: None,
            measured_calls: calls,
            is_other_gpu: false,
        };
        let ns = ns.map(|ns| Ns::try_from(whole(ns)).unwrap_or(Ns::MAX));
        sum.push(Launches { calls, ns, weight }, Some(&measured));
    }
    let kernel = |(long_name, OfLogs { sum, roofs, is_timed }): (Arc<str>, OfLogs)| {
        let figures = MeasuredFigures { level: None, ..sum.figures(&roofs) };
        MeasuredKernel {
            long_name,
            name: None,
            calls: sum.calls,
            gpu_time_ns: is_timed.then_some(sum.ns),
            measured_calls: sum.calls,
            occupancy_percent: None,
            tensor_cores: figures
                .tensor_cores
                .map(|used| if used { TensorCores::Used } else { TensorCores::NotUsed }),
            figures,
        }
    };
    sorted(by_name.into_iter().map(kernel).collect())
}

fn sorted(mut kernels: Vec<MeasuredKernel>) -> Vec<MeasuredKernel> {
    kernels.sort_by(|a, b| b.gpu_time_ns.cmp(&a.gpu_time_ns).then_with(|| a.long_name.cmp(&b.long_name)));
    kernels
}
