//! The tables about machine, session, exporter and capture.

use super::{Export, GLOBAL_VID, MACHINE, OPEN, Result};
use crate::options::Schema;
use crate::plant::pairs::board::Board;
use crate::schema::{
    DESCRIPTION, META_DATA_CAPTURE, TARGET_INFO_CUDA_CONTEXT_INFO, TARGET_INFO_GPU, Table, export_meta_data,
    system_env,
};
use crate::trace::{Ns, Trace};
use rusqlite::params;

impl Export<'_> {
    /// Writes the GPUs of the machine.
    pub(super) fn write_gpus(&self) -> Result<()> {
        self.create(&TARGET_INFO_GPU)?;
        let board = self.options.board.unwrap_or(match self.options.schema {
            Schema::V2022 => &Board::A100,
            Schema::V2024 => &Board::H100,
        });
        let columns = "vmId, id, name, busLocation, isDiscrete, l2CacheSize, totalMemory, memoryBandwidth, \
                       clockRate, smCount, pwGpuId, uuid, luid, chipName, cuDevice, ctxswDevPath, \
                       ctrlDevPath, revision, nodeMask, constantMemory, maxIPC, maxRegistersPerBlock, \
                       maxShmemPerBlock, maxShmemPerBlockOptin, maxShmemPerSm, maxRegistersPerSm, \
                       threadsPerWarp, asyncEngines, maxWarpsPerSm, maxBlocksPerSm, maxThreadsPerBlock, \
                       maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ, \
                       computeMajor, computeMinor, smMajor, smMinor";
        let values = "?1, ?2, ?3, ?4, 1, 41943040, ?5, ?11, ?12, ?6, ?2, ?7, 0, ?8, ?2, '', \
                      '', 161, 0, 65536, 4, 65536, 49152, ?13, ?14, 65536, 32, 3, ?15, ?16, 1024, 1024, \
                      1024, 64, 2147483647, 65535, 65535, ?9, ?10, ?9, ?10";
        let [major, minor] = board.capability;
        let [shared, shared_of_block] = board.shared;
        let [warps, blocks] = board.warps_and_blocks;
        let mut insert = self.insert(&TARGET_INFO_GPU, columns, values)?;
        let of_processes = self.trace.processes.iter().map(|process| process.gpu + 1);
        for gpu in 0..of_processes.fold(usize::from(self.options.gpus), usize::max) {
            let bus = format!("{:04x}:{:02x}:00.0", gpu / 255, gpu % 255 + 1);
            let uuid = format!("00000000-0000-4000-8000-{gpu:012x}");
            insert.execute(params![
                GLOBAL_VID,
                i64::try_from(gpu)?,
                board.name,
                bus,
                board.memory,
                board.sm_count,
                uuid,
                board.chip,
                major,
                minor,
                board.bandwidth,
                board.clock,
                shared_of_block,
                shared,
                warps,
                blocks,
            ])?;
        }
        Ok(())
    }

    /// Writes contexts of the first process on all GPUs, if the options ask for them.
    pub(super) fn write_contexts(&self) -> Result<()> {
        let Some(process) = self.trace.processes.first().filter(|_| self.options.has_all_contexts) else {
            return Ok(());
        };
        self.create(&TARGET_INFO_CUDA_CONTEXT_INFO)?;
        let columns = "nullStreamId, hwId, vmId, processId, deviceId, contextId";
        let mut insert = self.insert(&TARGET_INFO_CUDA_CONTEXT_INFO, columns, "7, 0, 1, ?1, ?2, 1")?;
        for gpu in 0..self.options.gpus {
            insert.execute(params![process.pid, gpu])?;
        }
        Ok(())
    }

    /// Writes properties of the machine.
    pub(super) fn write_system_env(&self) -> Result<()> {
        let table = system_env(self.options.schema);
        self.create(&table)?;
        let (driver, cuda) = match self.options.schema {
            Schema::V2022 => ("5156501", "11070"),
            Schema::V2024 => ("560.35.03", "12060"),
        };
        let properties = [
            ("CpuCores", 1, "16"),
            ("CpuSpeedMhz", 2, "3000"),
            ("CpuArchitecture", 3, "x86_64"),
            ("CpuDescription", 9, "Synthetic CPU @ 3.00GHz"),
            ("NvDriverVersion", 205, driver),
            ("OsDescription", 605, "Ubuntu 22.04.4 LTS"),
            ("CudaDriverVersion", 611, cuda),
            ("Hostname", 619, "synthetic"),
        ];
        let columns = "globalVid, devStateName, name, nameEnum, value";
        let mut insert = self.insert(&table, columns, "?1, ?2, ?3, ?4, ?5")?;
        for (name, number, value) in properties {
            insert.execute(params![GLOBAL_VID, MACHINE, name, number, value])?;
        }
        Ok(())
    }

    /// Writes what exporter and capture say about themselves.
    pub(super) fn write_meta_data(&self) -> Result<()> {
        let table = export_meta_data(self.options.schema);
        match self.options.schema {
            Schema::V2022 => self.write_pairs(&table, EXPORT_2022),
            Schema::V2024 => {
                self.write_pairs(&table, EXPORT_2024)?;
                self.write_pairs(&META_DATA_CAPTURE, CAPTURE_2024)
            }
        }
    }

    /// Writes a table of names and values.
    fn write_pairs(&self, table: &Table, pairs: &[(&str, &str)]) -> Result<()> {
        self.create(table)?;
        let mut insert = self.insert(table, "name, value", "?1, ?2")?;
        for (name, value) in pairs {
            insert.execute(params![name, value])?;
        }
        Ok(())
    }

    /// Writes times of the session, processes and thread names.
    pub(super) fn write_description(&mut self) -> Result<()> {
        for table in DESCRIPTION {
            self.create(table)?;
        }
        let date = "2024-01-02T03:04:05";
        let session = "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1704164645000000000, ?1, ?1)";
        self.database.execute(session, [date])?;
        let duration = self.last_event + 5_000_000;
        let details = "INSERT INTO ANALYSIS_DETAILS VALUES (?1, ?2, 100000000, 100000000 + ?2)";
        self.database.execute(details, params![GLOBAL_VID, duration])?;
        // A process that uses several GPUs is in the list once for each.
        for process in self.trace.processes.chunk_by(|a, b| a.pid == b.pid).map(|uses| &uses[0]) {
            let row = "INSERT INTO PROCESSES VALUES (?1, ?2, 'python3')";
            self.database.execute(row, params![process.global_pid, process.pid])?;
        }
        for thread in &self.trace.threads {
            let name = self.string_id(thread.name)?;
            let row = "INSERT INTO ThreadNames VALUES (?1, 20, ?2)";
            self.database.execute(row, params![name, thread.global_tid])?;
        }
        Ok(())
    }
}

impl Trace {
    /// End of the last kernel, API call or range.
    pub(super) fn last_event(&self) -> Ns {
        let kernels = self.kernels.iter().map(|kernel| kernel.span.stop);
        let api_calls = self.api_calls.iter().map(|call| call.span.stop);
        let ranges = self.ranges.iter().map(|range| range.span.stop).filter(|&stop| stop != OPEN);
        kernels.chain(api_calls).chain(ranges).max().unwrap_or(0)
    }
}

/// What the exporter 2022.1.3 says about itself, in its own spelling.
const EXPORT_2022: &[(&str, &str)] = &[
    ("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"),
    ("EXPORT_PRODUCT_VERSION", "2022.1.3.3"),
    ("EXPORT_PRODUCT_DATE", "2022.1"),
    ("EXPORT_SCHEMA_VERSION", "2.9.1"),
    ("EXPORT_SCHEMA_VERSION_MAJOR", "2"),
    ("EXPORT_SCHEMA_VERSION_MINOR", "9"),
    ("EXPORT_SCHEMA_VERSION_MICRO", "1"),
    ("EXPORT_PLATFORM", "linux-desktop"),
    ("EXPORT_ARCH", "x64"),
    ("EXPORT_TIME_UTC", "2024-01-02T03:14:15"),
    ("EXPORT_HOST", "synthetic"),
    ("EXPORT_INPUT_FILE", "train.nsys-rep"),
    ("EXPORT_OUTUPT_FILE", "train.sqlite"),
    ("EXPORT_OVERWRITE", "true"),
    ("EXPORT_LAZY", "true"),
];

/// What the exporter 2024.6.2 says about itself.
const EXPORT_2024: &[(&str, &str)] = &[
    ("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"),
    ("EXPORT_PRODUCT_VERSION", "2024.6.2.225"),
    ("EXPORT_PRODUCT_DATE", "2024.6"),
    ("EXPORT_SCHEMA_VERSION", "3.16.1"),
    ("EXPORT_SCHEMA_VERSION_MAJOR", "3"),
    ("EXPORT_SCHEMA_VERSION_MINOR", "16"),
    ("EXPORT_SCHEMA_VERSION_MICRO", "1"),
    ("EXPORT_PLATFORM", "linux-desktop"),
    ("EXPORT_ARCH", "x64"),
    ("EXPORT_TIME_UTC", "2024-01-02T03:14:15"),
    ("EXPORT_HOST", "synthetic"),
    ("EXPORT_PARAM_INPUT_FILE", "train.nsys-rep"),
    ("EXPORT_PARAM_OUTPUT_FILE", "train.sqlite"),
    ("EXPORT_PARAM_LAZY", "true"),
    ("EXPORT_PARAM_TIME_NORMALIZE", "false"),
    ("EXPORT_PARAM_TIME_SHIFT", "0"),
    ("EXPORT_CONFIG_TIME_SHIFT", "0"),
];

/// What a capture says about itself.
const CAPTURE_2024: &[(&str, &str)] = &[
    ("DEVICE_ID", MACHINE),
    ("CAPTURE_EVENT_TYPE", "NvtxEvents"),
    ("CAPTURE_EVENT_TYPE", "Cuda"),
    ("START_TRIGGER", "Immediate"),
    ("STOP_TRIGGER", "Delayed"),
    ("PROCESS_0:COMMAND", "python3"),
    ("PROCESS_0:ARGUMENT_0", "train.py"),
];
