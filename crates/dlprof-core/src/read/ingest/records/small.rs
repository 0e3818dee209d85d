//! Small tables: names of threads and GPUs, labels, MPI ranks, page faults.

use super::name;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Span;
use crate::read::facts::{CpuFault, GpuFault, GpuRecord, Records, ThreadNameRecord};
use crate::read::ingest::TableSource;
use std::collections::BTreeMap;

pub(super) const COPY_LABELS: &str = "ENUM_CUDA_MEMCPY_OPER";
pub(super) const MEMORY_LABELS: &str = "ENUM_CUDA_MEM_KIND";
pub(super) const MPI_RANKS: &str = "MPI_RANKS";

pub(super) fn read(source: &TableSource<'_>, records: &mut Records) -> Result<(), Error> {
    let ignored = &mut Diagnostics::default();
    source.each("ThreadNames", &["globalTid", "nameId", "priority"], |row| {
        records.thread_names.push(ThreadNameRecord {
            global_tid: row.int(0, ignored),
            name: name(source, row.int(1, ignored)),
            priority: row.int(2, ignored),
        });
    })?;
    let gpus = [
        ("TARGET_INFO_GPU", "id", &mut records.gpus),
        ("TARGET_INFO_CUDA_GPU", "deviceId", &mut records.cuda_gpus),
    ];
    for (table, id, gpus) in gpus {
        source.each(table, &[id, "name"], |row| {
            gpus.push(GpuRecord { id: row.int(0, ignored), name: row.text(1) });
        })?;
    }
    records.copy_labels = labels(source, COPY_LABELS)?;
    records.memory_labels = labels(source, MEMORY_LABELS)?;
    source.each(MPI_RANKS, &["globalTid", "rank"], |row| {
        if let (Some(thread), Some(rank)) = (row.int(0, ignored), row.int(1, ignored)) {
            records.mpi_ranks.insert(thread, rank);
        }
    })?;
    read_faults(source, records)
}

/// The labels of a table of codes, by code.
pub(super) fn labels(source: &TableSource<'_>, table: &str) -> Result<BTreeMap<i64, String>, Error> {
    let mut labels = BTreeMap::new();
    source.each(table, &["id", "label"], |row| {
        if let (Some(id), Some(label)) = (row.int(0, &mut Diagnostics::default()), row.text(1)) {
            labels.insert(id, label);
        }
    })?;
    Ok(labels)
}

fn read_faults(source: &TableSource<'_>, records: &mut Records) -> Result<(), Error> {
    let ignored = &mut Diagnostics::default();
    let columns = ["start", "globalPid", "address", "CpuInstruction"];
    source.each("CUDA_UM_CPU_PAGE_FAULT_EVENTS", &columns, |row| {
        records.cpu_faults.push(CpuFault {
            start: row.int(0, ignored).unwrap_or(0),
            global_pid: row.int(1, ignored),
            address: row.int(2, ignored),
            instruction: name(source, row.int(3, ignored)),
        });
    })?;
    let columns = ["start", "end", "globalPid", "address", "numberOfPageFaults"];
    source.each("CUDA_UM_GPU_PAGE_FAULT_EVENTS", &columns, |row| {
        let start = row.int(0, ignored).unwrap_or(0);
        records.gpu_faults.push(GpuFault {
            span: Span::new(start, row.int(1, ignored).unwrap_or(start)),
            global_pid: row.int(2, ignored),
            address: row.int(3, ignored),
            faults: row.int(4, ignored).unwrap_or(0),
        });
    })
}
