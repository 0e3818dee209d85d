//! Tables and columns of the exports, as nsys 2022.1.3 and 2024.6.2 write them.

use crate::options::Schema;

/// A table: its name, then its columns. A column that only 2024.6.2 has starts with `+`; a trailing `!`
/// means `NOT NULL`.
pub(crate) struct Table {
    /// Name.
    pub(crate) name: &'static str,
    /// Columns, with name and type.
    columns: &'static [&'static str],
}

impl Table {
    /// A table of its name and columns.
    pub(crate) const fn new(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self { name, columns }
    }

    /// The statement that creates the table.
    pub(crate) fn create_statement(&self, schema: Schema) -> String {
        let columns = self.columns.iter().filter_map(|column| definition(column, schema));
        format!("CREATE TABLE {} ({})", self.name, columns.collect::<Vec<_>>().join(", "))
    }
}

/// A column's definition in a schema, if it has the column.
fn definition(column: &str, schema: Schema) -> Option<String> {
    let column = match (column.strip_prefix('+'), schema) {
        (Some(_), Schema::V2022) => return None,
        (Some(new), Schema::V2024) => new,
        (None, _) => column,
    };
    Some(column.replace('!', " NOT NULL"))
}

/// Strings that other tables refer to.
pub(crate) const STRING_IDS: Table =
    Table { name: "StringIds", columns: &["id INTEGER! PRIMARY KEY", "value TEXT!"] };

/// CUDA API calls.
pub(crate) const RUNTIME: Table = Table {
    name: "CUPTI_ACTIVITY_KIND_RUNTIME",
    columns: &[
        "start INTEGER!",
        "end INTEGER!",
        "eventClass INTEGER!",
        "globalTid INTEGER",
        "correlationId INTEGER",
        "nameId INTEGER!",
        "returnValue INTEGER!",
        "callchainId INTEGER",
    ],
};

/// Kernels.
pub(crate) const KERNEL: Table = Table {
    name: "CUPTI_ACTIVITY_KIND_KERNEL",
    columns: &[
        "start INTEGER!",
        "end INTEGER!",
        "deviceId INTEGER!",
        "contextId INTEGER!",
        "+greenContextId INTEGER",
        "streamId INTEGER!",
        "correlationId INTEGER",
        "globalPid INTEGER",
        "demangledName INTEGER!",
        "shortName INTEGER!",
        "mangledName INTEGER",
        "launchType INTEGER",
        "cacheConfig INTEGER",
        "registersPerThread INTEGER!",
        "gridX INTEGER!",
        "gridY INTEGER!",
        "gridZ INTEGER!",
        "blockX INTEGER!",
        "blockY INTEGER!",
        "blockZ INTEGER!",
        "staticSharedMemory INTEGER!",
        "dynamicSharedMemory INTEGER!",
        "localMemoryPerThread INTEGER!",
        "localMemoryTotal INTEGER!",
        "gridId INTEGER!",
        "sharedMemoryExecuted INTEGER",
        "graphNodeId INTEGER",
        "sharedMemoryLimitConfig INTEGER",
    ],
};

/// Copies.
pub(crate) const MEMCPY: Table = Table {
    name: "CUPTI_ACTIVITY_KIND_MEMCPY",
    columns: &[
        "start INTEGER!",
        "end INTEGER!",
        "deviceId INTEGER!",
        "contextId INTEGER!",
        "+greenContextId INTEGER",
        "streamId INTEGER!",
        "correlationId INTEGER",
        "globalPid INTEGER",
        "bytes INTEGER!",
        "copyKind INTEGER!",
        "deprecatedSrcId INTEGER",
        "srcKind INTEGER",
        "dstKind INTEGER",
        "srcDeviceId INTEGER",
        "srcContextId INTEGER",
        "dstDeviceId INTEGER",
        "dstContextId INTEGER",
        "migrationCause INTEGER",
        "graphNodeId INTEGER",
        "virtualAddress INTEGER",
    ],
};

/// Memory fills.
pub(crate) const MEMSET: Table = Table {
    name: "CUPTI_ACTIVITY_KIND_MEMSET",
    columns: &[
        "start INTEGER!",
        "end INTEGER!",
        "deviceId INTEGER!",
        "contextId INTEGER!",
        "+greenContextId INTEGER",
        "streamId INTEGER!",
        "correlationId INTEGER",
        "globalPid INTEGER",
        "value INTEGER!",
        "bytes INTEGER!",
        "graphNodeId INTEGER",
        "memKind INTEGER",
    ],
};

/// Waits.
pub(crate) const SYNCHRONIZATION: Table = Table {
    name: "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    columns: &[
        "start INTEGER!",
        "end INTEGER!",
        "deviceId INTEGER!",
        "contextId INTEGER!",
        "+greenContextId INTEGER",
        "streamId INTEGER!",
        "correlationId INTEGER",
        "globalPid INTEGER",
        "syncType INTEGER!",
        "eventId INTEGER!",
    ],
};

/// NVTX ranges.
pub(crate) const NVTX_EVENTS: Table = Table {
    name: "NVTX_EVENTS",
    columns: &[
        "start INTEGER!",
        "end INTEGER",
        "eventType INTEGER!",
        "rangeId INTEGER",
        "category INTEGER",
        "color INTEGER",
        "text TEXT",
        "globalTid INTEGER",
        "endGlobalTid INTEGER",
        "textId INTEGER",
        "domainId INTEGER",
        "uint64Value INTEGER",
        "int64Value INTEGER",
        "doubleValue REAL",
        "uint32Value INTEGER",
        "int32Value INTEGER",
        "floatValue REAL",
        "jsonTextId INTEGER",
        "jsonText TEXT",
        "+binaryData TEXT",
    ],
};

/// Contexts that processes made on GPUs.
pub(crate) const TARGET_INFO_CUDA_CONTEXT_INFO: Table = Table {
    name: "TARGET_INFO_CUDA_CONTEXT_INFO",
    columns: &[
        "nullStreamId INTEGER!",
        "hwId INTEGER!",
        "vmId INTEGER!",
        "processId INTEGER!",
        "deviceId INTEGER!",
        "contextId INTEGER!",
        "parentContextId INTEGER",
        "isGreenContext INTEGER",
    ],
};

/// GPUs of the machine.
pub(crate) const TARGET_INFO_GPU: Table = Table {
    name: "TARGET_INFO_GPU",
    columns: &[
        "vmId INTEGER!",
        "id INTEGER!",
        "name TEXT",
        "busLocation TEXT",
        "isDiscrete INTEGER",
        "l2CacheSize INTEGER",
        "totalMemory INTEGER",
        "memoryBandwidth INTEGER",
        "clockRate INTEGER",
        "smCount INTEGER",
        "pwGpuId INTEGER",
        "uuid TEXT",
        "luid INTEGER",
        "chipName TEXT",
        "cuDevice INTEGER",
        "ctxswDevPath TEXT",
        "ctrlDevPath TEXT",
        "revision INTEGER",
        "nodeMask INTEGER",
        "constantMemory INTEGER",
        "maxIPC INTEGER",
        "maxRegistersPerBlock INTEGER",
        "maxShmemPerBlock INTEGER",
        "maxShmemPerBlockOptin INTEGER",
        "maxShmemPerSm INTEGER",
        "maxRegistersPerSm INTEGER",
        "threadsPerWarp INTEGER",
        "asyncEngines INTEGER",
        "maxWarpsPerSm INTEGER",
        "maxBlocksPerSm INTEGER",
        "maxThreadsPerBlock INTEGER",
        "maxBlockDimX INTEGER",
        "maxBlockDimY INTEGER",
        "maxBlockDimZ INTEGER",
        "maxGridDimX INTEGER",
        "maxGridDimY INTEGER",
        "maxGridDimZ INTEGER",
        "computeMajor INTEGER",
        "computeMinor INTEGER",
        "smMajor INTEGER",
        "smMinor INTEGER",
    ],
};

/// Tables that every export has, with a few rows about the run.
pub(crate) const DESCRIPTION: &[Table] = &[
    Table {
        name: "TARGET_INFO_SESSION_START_TIME",
        columns: &["utcEpochNs INTEGER", "utcTime TEXT", "localTime TEXT"],
    },
    Table {
        name: "ANALYSIS_DETAILS",
        columns: &["globalVid INTEGER!", "duration INTEGER!", "startTime INTEGER!", "stopTime INTEGER!"],
    },
    Table { name: "PROCESSES", columns: &["globalPid INTEGER", "pid INTEGER", "name TEXT"] },
    Table { name: "ThreadNames", columns: &["nameId INTEGER!", "priority INTEGER", "globalTid INTEGER"] },
];

/// Properties of the machine; the first column is nullable in later versions.
pub(crate) fn system_env(schema: Schema) -> Table {
    let columns = match schema {
        Schema::V2022 => {
            &["globalVid INTEGER!", "devStateName TEXT!", "name TEXT!", "nameEnum INTEGER!", "value TEXT!"]
        }
        Schema::V2024 => {
            &["globalVid INTEGER", "devStateName TEXT!", "name TEXT!", "nameEnum INTEGER!", "value TEXT!"]
        }
    };
    Table { name: "TARGET_INFO_SYSTEM_ENV", columns }
}

/// Columns of the tables of names and values.
const NAME_AND_VALUE: &[&str] = &["name TEXT!", "value TEXT"];

/// The table that names the exporter.
pub(crate) fn export_meta_data(schema: Schema) -> Table {
    let name = match schema {
        Schema::V2022 => "EXPORT_META_DATA",
        Schema::V2024 => "META_DATA_EXPORT",
    };
    Table { name, columns: NAME_AND_VALUE }
}

/// The table that describes the capture, since 2023.4.
pub(crate) const META_DATA_CAPTURE: Table = Table { name: "META_DATA_CAPTURE", columns: NAME_AND_VALUE };
