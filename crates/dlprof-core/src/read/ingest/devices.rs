//! The GPUs of the machine, and which of them a process' CUDA device ordinal means.

use super::database::Database;
use super::row::Row;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::DeviceId;
use crate::base::limits::GPUS;
use crate::read::facts::{Device, global_ids, too_many_gpus};
use rustc_hash::{FxHashMap, FxHashSet};

/// GPUs known so far.
#[derive(Default)]
pub(super) struct Devices {
    devices: Vec<Device>,
    /// GPU by (process id, CUDA ordinal in that process), where the export says so.
    by_process: FxHashMap<(i64, i64), DeviceId>,
    /// GPU by the CUDA ordinal of a process that sees all GPUs.
    by_ordinal: FxHashMap<i64, DeviceId>,
    /// GPU by its id in table `TARGET_INFO_GPU`.
    by_gpu_id: FxHashMap<i64, DeviceId>,
}

impl Devices {
    /// Reads `TARGET_INFO_GPU` (2021 on) or `TARGET_INFO_CUDA_GPU` (2020), `TARGET_INFO_CUDA_DEVICE`, and
    /// `TARGET_INFO_CUDA_CONTEXT_INFO`.
    pub(super) fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        let mut devices = Self::default();
        if database.has_column("TARGET_INFO_GPU", "id") {
            devices.read_gpus(database, diagnostics)?;
        } else {
            devices.read_cuda_gpus(database, diagnostics)?;
        }
        devices.read_contexts(database, diagnostics)?;
        Ok(devices)
    }

    /// `TARGET_INFO_GPU`. Adapters of other makers have a compute capability of 0 and are left out; where the cell is NULL, nothing
    /// is known, and the row stays.
    fn read_gpus(&mut self, database: &Database, diagnostics: &mut Diagnostics) -> Result<(), Error> {
        const TABLE: &str = "TARGET_INFO_GPU";
        let columns = [
            "id",
            "cuDevice",
            "name",
            "computeMajor",
            "computeMinor",
            "smCount",
            "totalMemory",
            "clockRate",
            "memoryBandwidth",
            "maxWarpsPerSm",
            "maxBlocksPerSm",
            "maxShmemPerSm",
            "maxShmemPerBlockOptin",
            "maxRegistersPerSm",
            "maxRegistersPerBlock",
        ];
        let mut rows: Vec<(i64, Option<i64>, Device)> = Vec::new();
        let mut count = 0;
        database.read(TABLE, &columns, |row| {
            let id = row.int(0, diagnostics).unwrap_or(0);
            let ordinal = row.int(1, diagnostics);
            let device = describe(row, ordinal.unwrap_or(id), diagnostics);
            let is_of_other_maker = row.int(COMPUTE_MAJOR, diagnostics) == Some(0);
            count += usize::from(!is_of_other_maker);
            if !is_of_other_maker && count <= GPUS.most {
                rows.push((id, ordinal, device));
            }
        })?;
        if let Some(found) = too_many_gpus(count) {
            return Err(database.unusable(TABLE, found));
        }
        rows.sort_by_key(|(id, _, device)| (device.device_id, *id));
        for (id, ordinal, device) in rows {
            let added = self.add(device);
            self.by_gpu_id.insert(id, added);
            self.by_ordinal.entry(ordinal.unwrap_or(id)).or_insert(added);
        }
        database.read("TARGET_INFO_CUDA_DEVICE", &["gpuId", "cudaId", "pid"], |row| {
            let cells = [0, 1, 2].map(|column| row.int(column, diagnostics));
            if let [Some(gpu), Some(ordinal), Some(pid)] = cells
                && let Some(&device) = self.by_gpu_id.get(&gpu)
            {
                self.by_process.insert((pid, ordinal), device);
            }
        })
    }

    /// `TARGET_INFO_CUDA_GPU`: a row per process and device; equal bus ids are one GPU.
    fn read_cuda_gpus(&mut self, database: &Database, diagnostics: &mut Diagnostics) -> Result<(), Error> {
        let columns = [
            "deviceId",
            "pid",
            "name",
            "computeCapabilityMajor",
            "computeCapabilityMinor",
            "numMultiprocessors",
            "globalMemorySize",
            "coreClockRate",
            "globalMemoryBandwidth",
            "maxWarpsPerMultiprocessor",
            "maxBlocksPerMultiprocessor",
            "maxSharedMemoryPerMultiprocessor",
            "maxSharedMemoryPerBlock",
            "maxRegistersPerMultiprocessor",
            "maxRegistersPerBlock",
            "pciBusId",
        ];
        let mut rows: Vec<(Device, String, Option<i64>)> = Vec::new();
        database.read("TARGET_INFO_CUDA_GPU", &columns, |row| {
            let ordinal = row.int(0, diagnostics).unwrap_or(0);
            let bus =
                row.text(15).filter(|bus| !bus.contains("UNKNOWN")).unwrap_or_else(|| ordinal.to_string());
            let mut device = describe(row, ordinal, diagnostics);
            // In this table it is in MiB.
            device.memory_bytes = device.memory_bytes.and_then(|mib| mib.checked_mul(1 << 20));
            // In this table it is in kHz.
            device.clock_hz = device.clock_hz.and_then(|khz| khz.checked_mul(1000));
            // In this table it has another unit or is cut to 32 bits, from file to file.
            device.memory_bandwidth = None;
            // In this table it is that of blocks that ask for no more than usual.
            device.shared_bytes_per_block = None;
            rows.push((device, bus, row.int(1, diagnostics)));
        })?;
        let buses: FxHashSet<&str> = rows.iter().map(|(_, bus, _)| bus.as_str()).collect();
        if let Some(found) = too_many_gpus(buses.len()) {
            return Err(database.unusable("TARGET_INFO_CUDA_GPU", found));
        }
        rows.sort_by(|a, b| (a.0.device_id, &a.1, a.2).cmp(&(b.0.device_id, &b.1, b.2)));
        let mut by_bus: FxHashMap<String, DeviceId> = FxHashMap::default();
        for (device, bus, pid) in rows {
            let ordinal = device.device_id;
            let id = *by_bus.entry(bus).or_insert_with(|| {
                self.devices.push(device);
                DeviceId::new(self.devices.len() - 1)
            });
            self.by_ordinal.entry(ordinal).or_insert(id);
            if let Some(pid) = pid {
                self.by_process.insert((pid, ordinal), id);
            }
        }
        Ok(())
    }

    /// `TARGET_INFO_CUDA_CONTEXT_INFO`: a row per context that a process made.
    fn read_contexts(&mut self, database: &Database, diagnostics: &mut Diagnostics) -> Result<(), Error> {
        database.read("TARGET_INFO_CUDA_CONTEXT_INFO", &["processId", "deviceId"], |row| {
            let [pid, ordinal] = [0, 1].map(|column| row.int(column, diagnostics));
            if let (Some(pid), Some(ordinal)) = (pid, ordinal)
                && let Some(device) = self.find((Some(global_ids::global_id(pid, 0)), ordinal))
            {
                self.devices[device.index()].has_context = true;
            }
        })
    }

    fn add(&mut self, device: Device) -> DeviceId {
        self.devices.push(device);
        DeviceId::new(self.devices.len() - 1)
    }

    /// GPUs found so far.
    pub(super) fn known(&self) -> &[Device] {
        &self.devices
    }

    /// Adds GPUs that only the activity tables name. `used` are (global process id, CUDA ordinal).
    ///
    /// # Errors
    /// What is wrong where these are more than a machine has.
    pub(super) fn add_used(&mut self, used: &[(Option<i64>, i64)]) -> Result<(), String> {
        let mut unknown: Vec<i64> =
            used.iter().filter(|key| self.find(**key).is_none()).map(|(_, ordinal)| *ordinal).collect();
        unknown.sort_unstable();
        unknown.dedup();
        if let Some(found) = too_many_gpus(self.devices.len() + unknown.len()) {
            return Err(found);
        }
        for ordinal in unknown {
            let added = self.add(Device { device_id: ordinal, ..Device::default() });
            self.by_ordinal.insert(ordinal, added);
        }
        Ok(())
    }

    /// The GPU that a CUDA ordinal means in a process.
    pub(super) fn find(&self, (global_pid, ordinal): (Option<i64>, i64)) -> Option<DeviceId> {
        let pid = global_pid.map(global_ids::pid);
        let own = pid.and_then(|pid| self.by_process.get(&(pid, ordinal)));
        own.or_else(|| self.by_ordinal.get(&ordinal)).copied()
    }

    /// The GPU with an id in table `TARGET_INFO_GPU`.
    pub(super) fn find_gpu(&self, id: i64) -> Option<DeviceId> {
        self.by_gpu_id.get(&id).copied()
    }

    /// All GPUs.
    pub(super) fn into_vec(self) -> Vec<Device> {
        self.devices
    }
}

/// Where both tables have the major compute capability.
const COMPUTE_MAJOR: usize = 3;

/// Columns 2 to 14 of both tables: name, compute capability, multiprocessors, memory, clock, bandwidth, limits. A machine that
/// did not ask its GPU writes an empty name, and 0 for numbers: both mean that nothing is known.
fn describe(row: &Row<'_>, device_id: i64, diagnostics: &mut Diagnostics) -> Device {
    let major = row.int(COMPUTE_MAJOR, diagnostics).filter(|major| *major > 0);
    let minor = row.int(4, diagnostics);
    let mut known = |column| row.int(column, diagnostics).filter(|number| *number > 0);
    Device {
        device_id,
        name: row.text(2).filter(|name| !name.trim().is_empty()),
        compute_capability: major.map(|major| (major, minor.unwrap_or(0))),
        sm_count: known(5),
        memory_bytes: known(6),
        clock_hz: known(7),
        memory_bandwidth: known(8),
        warps_per_sm: known(9),
        blocks_per_sm: known(10),
        shared_bytes_per_sm: known(11),
        shared_bytes_per_block: known(12),
        registers_per_sm: known(13),
        registers_per_block: known(14),
        ..Device::default()
    }
}
