//! Tables that only planted captures have, as nsys 2024.6.2 writes them.

use crate::schema::Table;

macro_rules! tables {
    ($($constant:ident $name:literal { $($column:literal)* })*) => { $(
        #[doc = concat!("Table `", $name, "`.")]
        pub(crate) const $constant: Table = Table::new($name, &[$($column),*]);
    )* };
}

tables! {
    OSRT_API "OSRT_API" {
        "start INTEGER!" "end INTEGER!" "eventClass INTEGER!" "globalTid INTEGER" "nameId INTEGER!"
        "returnValue INTEGER!" "nestingLevel INTEGER" "callchainId INTEGER!"
    }
    PROFILER_OVERHEAD "PROFILER_OVERHEAD" {
        "start INTEGER!" "end INTEGER!" "globalTid INTEGER" "nameId INTEGER!" "returnValue INTEGER!"
    }
    MPI_COLLECTIVES "MPI_COLLECTIVES_EVENTS" {
        "start INTEGER!" "end INTEGER" "globalTid INTEGER" "textId INTEGER" "commHandle INTEGER"
        "rootRank INTEGER" "size INTEGER" "recvSize INTEGER" "requestHandle INTEGER"
    }
    SCHED_EVENTS "SCHED_EVENTS" {
        "start INTEGER!" "cpu INTEGER!" "isSchedIn INTEGER!" "globalTid INTEGER" "+threadState INTEGER"
        "+threadBlock INTEGER"
    }
    COMPOSITE_EVENTS "COMPOSITE_EVENTS" {
        "id INTEGER! PRIMARY KEY" "start INTEGER!" "cpu INTEGER" "threadState INTEGER" "globalTid INTEGER"
        "cpuCycles INTEGER!"
    }
    SAMPLING_CALLCHAINS "SAMPLING_CALLCHAINS" {
        "id INTEGER!" "symbol INTEGER!" "module INTEGER!" "kernelMode INTEGER" "thumbCode INTEGER"
        "unresolved INTEGER" "specialEntry INTEGER" "originalIP INTEGER" "unwindMethod INTEGER"
        "stackDepth INTEGER!" "PRIMARY KEY (id, stackDepth)"
    }
    MEMORY_EVENTS "CUDA_GPU_MEMORY_USAGE_EVENTS" {
        "start INTEGER!" "globalPid INTEGER!" "deviceId INTEGER!" "contextId INTEGER!" "address INTEGER!"
        "pc INTEGER!" "bytes INTEGER!" "memKind INTEGER!" "memoryOperationType INTEGER!" "name TEXT"
        "correlationId INTEGER"
    }
    GPU_METRICS "GPU_METRICS" {
        "timestamp INTEGER" "typeId INTEGER!" "metricId INTEGER!" "value INTEGER!"
    }
    GPU_METRIC_NAMES "TARGET_INFO_GPU_METRICS" {
        "typeId INTEGER!" "sourceId INTEGER!" "typeName TEXT!" "metricId INTEGER!" "metricName TEXT!"
    }
}
