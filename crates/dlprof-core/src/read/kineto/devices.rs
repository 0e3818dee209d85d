//! GPUs: those that the head of a trace describes, and those that only events name.

use super::numbers::whole_number;
use crate::base::ids::DeviceId;
use crate::read::facts::Device;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The GPUs that a head describes. `is_rocm` becomes true if one of them is AMD's.
pub(super) fn read(properties: &Value, is_rocm: &mut bool) -> Vec<Device> {
    /// No machine has more.
    const MOST: usize = 1024;
    let listed = properties.as_array().map_or(&[][..], Vec::as_slice);
    let listed = &listed[..listed.len().min(MOST)];
    *is_rocm |= listed.iter().any(is_of_amd);
    listed.iter().enumerate().map(|(at, gpu)| describe(gpu, at, *is_rocm)).collect()
}

/// Whether a GPU is AMD's: by its name, or because its warps are twice as wide.
fn is_of_amd(gpu: &Value) -> bool {
    let name = gpu.get("name").and_then(Value::as_str).unwrap_or("");
    ["AMD", "Radeon", "Instinct"].iter().any(|brand| name.contains(brand))
        || gpu.get("warpSize").and_then(whole_number) == Some(64)
}

/// What is known of a GPU. AMD's numbers of versions are not compute capabilities of NVIDIA, and its registers and warps are not
/// those that occupancy is computed from, so they stay unknown.
fn describe(gpu: &Value, at: usize, is_rocm: bool) -> Device {
    let value = |key: &str| gpu.get(key).and_then(whole_number).and_then(|value| i64::try_from(value).ok());
    let positive = |key: &str| value(key).filter(|&value| value > 0);
    let name = gpu.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    let known = Device {
        device_id: value("id").unwrap_or_else(|| i64::try_from(at).unwrap_or(0)),
        name: name.map(str::to_owned),
        sm_count: positive("numSms"),
        memory_bytes: positive("totalGlobalMem"),
        ..Device::default()
    };
    if is_rocm {
        return known;
    }
    let warps = positive("maxThreadsPerMultiprocessor").zip(positive("warpSize"));
    Device {
        compute_capability: positive("computeMajor").zip(value("computeMinor")),
        warps_per_sm: warps.map(|(threads, width)| threads / width).filter(|&warps| warps > 0),
        shared_bytes_per_sm: positive("sharedMemPerMultiprocessor"),
        shared_bytes_per_block: positive("sharedMemPerBlockOptin").or_else(|| positive("sharedMemPerBlock")),
        registers_per_sm: positive("regsPerMultiprocessor"),
        registers_per_block: positive("regsPerBlock"),
        ..known
    }
}

/// The number that all numbers are.
fn only_one(mut numbers: impl Iterator<Item = i64>) -> Option<i64> {
    let first = numbers.next()?;
    numbers.all(|number| number == first).then_some(first)
}

/// GPUs by their numbers.
pub(super) struct Devices {
    list: Vec<Device>,
    by_number: FxHashMap<i64, DeviceId>,
}

impl Devices {
    /// Those of the head. Where it describes one GPU, and all work ran on one of another number, they are the same GPU: profilers of
    /// ROCm count the processors of the machine as well. Tables then have the number of the work.
    pub(super) fn new(mut list: Vec<Device>, used: impl Iterator<Item = i64>) -> Self {
        let mut by_number = FxHashMap::default();
        for (at, device) in list.iter().enumerate() {
            by_number.entry(device.device_id).or_insert(DeviceId::new(at));
        }
        if let [only] = &mut list[..]
            && let Some(number) = only_one(used)
        {
            only.device_id = number;
            by_number.insert(number, DeviceId::new(0));
        }
        Self { list, by_number }
    }

    /// The GPU with a number; it is added if the head does not have it.
    pub(super) fn find_or_add(&mut self, number: i64) -> DeviceId {
        *self.by_number.entry(number).or_insert_with(|| {
            self.list.push(Device { device_id: number, ..Device::default() });
            DeviceId::new(self.list.len() - 1)
        })
    }

    pub(super) fn into_list(self) -> Vec<Device> {
        self.list
    }
}
