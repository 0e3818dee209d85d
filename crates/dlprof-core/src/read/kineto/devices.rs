//! GPUs: those that the head of a trace describes, and those that only events name.

use super::numbers::whole_number;
use crate::base::ids::DeviceId;
use crate::read::facts::{Device, Vendor};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// The GPUs that a head describes, each once: where tools merged traces, each of these describes them. `vendor` becomes who makes one of them, where that can be told and is not known yet.
pub(super) fn read(properties: &Value, vendor: &mut Option<Vendor>) -> Vec<Device> {
    /// No machine has more.
    const MOST: usize = 1024;
    let listed = properties.as_array().map_or(&[][..], Vec::as_slice);
    let listed = &listed[..listed.len().min(MOST)];
    *vendor = vendor.or_else(|| listed.iter().find_map(vendor_of));
    let is_of_nvidia = vendor.is_none_or(|vendor| vendor == Vendor::Nvidia);
    let mut numbers = FxHashSet::default();
    let described = listed.iter().enumerate().map(|(at, gpu)| describe(gpu, at, is_of_nvidia));
    described.filter(|gpu| numbers.insert(gpu.device_id)).collect()
}

/// Who makes a GPU: by its name, AMD because its warps are twice as wide, or NVIDIA by what only CUDA says of GPUs.
fn vendor_of(gpu: &Value) -> Option<Vendor> {
    let name = gpu.get("name").and_then(Value::as_str).unwrap_or("");
    let has_wide_warps = gpu.get("warpSize").and_then(whole_number) == Some(64);
    let is_of_cuda = gpu.get("sharedMemPerBlockOptin").is_some();
    let of_amd = has_wide_warps.then_some(Vendor::Amd);
    Vendor::of_gpu(name).or(of_amd).or(is_of_cuda.then_some(Vendor::Nvidia))
}

/// What is known of a GPU. Numbers of versions of other makers are not compute capabilities of NVIDIA, and their registers and warps
/// are not those that occupancy is computed from, so they stay unknown.
fn describe(gpu: &Value, at: usize, is_of_nvidia: bool) -> Device {
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
    if !is_of_nvidia {
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
