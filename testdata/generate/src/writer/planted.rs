//! The events of planted captures.

use super::{Export, NO_ID, Result};
use crate::options::Schema;
use crate::plant::records::{ItemRow, NamedRow, Records, Work};
use crate::plant::stage::{MAIN_STREAM, STREAM_SYNC};
use crate::plant::tables::{
    COMPOSITE_EVENTS, GPU_METRIC_NAMES, GPU_METRICS, MEMORY_EVENTS, MPI_COLLECTIVES, OSRT_API,
    PROFILER_OVERHEAD, SAMPLING_CALLCHAINS, SCHED_EVENTS,
};
use crate::schema::{KERNEL, MEMCPY, MEMSET, NVTX_EVENTS, RUNTIME, SYNCHRONIZATION, Table};
use rusqlite::params;

/// The domain of NCCL's ranges.
const NCCL_DOMAIN: i64 = 3;
/// What `typeId` of counters is besides the GPU, which is its lowest byte.
const METRIC_TYPE: i64 = 0x1_0100;
/// Names of the counters, by number from 1.
const METRIC_NAMES: [&str; 2] = ["SMs Active [Throughput %]", "Tensor Active [Throughput %]"];

impl Export<'_> {
    /// Writes all events; tables without a row are left out, as exporters do.
    pub(super) fn write_planted(&mut self, records: &Records) -> Result<()> {
        self.write_planted_calls(records)?;
        self.write_planted_waits(records)?;
        self.write_planted_items(records)?;
        self.write_planted_ranges(records)?;
        let Records { mpi, os_calls, overheads, .. } = records;
        self.write_named(
            &OSRT_API,
            "nameId, eventClass, returnValue, nestingLevel, callchainId",
            "31, 0, 0, 0",
            os_calls,
        )?;
        self.write_named(&PROFILER_OVERHEAD, "nameId, returnValue", "0", overheads)?;
        self.write_named(&MPI_COLLECTIVES, "textId, size", "1048576", mpi)?;
        self.write_switches(records)?;
        self.write_samples(records)?;
        self.write_memory_events(records)?;
        self.write_metrics(records)
    }

    fn thread(&self, thread: usize) -> i64 {
        self.trace.threads[thread].global_tid
    }

    fn write_planted_calls(&mut self, records: &Records) -> Result<()> {
        self.create(&RUNTIME)?;
        let columns = "start, end, eventClass, globalTid, correlationId, nameId, returnValue";
        let mut insert = self.insert(&RUNTIME, columns, "?1, ?2, 0, ?3, ?4, ?5, 0")?;
        for row in &records.calls {
            let (thread, name) = (self.thread(row.thread), self.string_id(row.name)?);
            insert.execute(params![row.span.start, row.span.stop, thread, row.correlation, name])?;
        }
        Ok(())
    }

    /// Writes what each call that waits for a stream waits for.
    fn write_planted_waits(&self, records: &Records) -> Result<()> {
        let mut waits = records.calls.iter().filter(|row| row.name == STREAM_SYNC.1).peekable();
        if waits.peek().is_none() {
            return Ok(());
        }
        self.create(&SYNCHRONIZATION)?;
        let (columns, values) = self.activity_columns("NULL");
        let columns = columns + ", syncType, eventId";
        let mut insert = self.insert(&SYNCHRONIZATION, &columns, &(values + ", ?7, ?8"))?;
        let code = match self.options.schema {
            Schema::V2022 => 3,
            Schema::V2024 => 2,
        };
        for row in waits {
            let (device, process) = self.place(self.trace.threads[row.thread].process)?;
            let (start, stop) = (row.span.start + 500, row.span.stop - 500);
            insert.execute(params![
                start,
                stop,
                device,
                MAIN_STREAM,
                row.correlation,
                process,
                code,
                NO_ID
            ])?;
        }
        Ok(())
    }

    fn write_planted_items(&mut self, records: &Records) -> Result<()> {
        self.create(&KERNEL)?;
        for (grid_id, row) in (1..).zip(&records.items) {
            if let Work::Kernel(_) = row.work {
                self.write_planted_kernel(row, grid_id)?;
            }
        }
        let is_copy = |row: &&ItemRow| matches!(row.work, Work::Copy { .. });
        if records.items.iter().any(|row| is_copy(&row)) {
            self.create(&MEMCPY)?;
        }
        if records.items.iter().any(|row| matches!(row.work, Work::Memset(_))) {
            self.create(&MEMSET)?;
        }
        records.items.iter().try_for_each(|row| self.write_transfer(row))
    }

    fn write_planted_kernel(&mut self, row: &ItemRow, grid_id: i64) -> Result<()> {
        let Work::Kernel(shape) = row.work else { return Ok(()) };
        let (columns, values) = self.activity_columns("0");
        let columns = columns
            + ", demangledName, shortName, launchType, cacheConfig, registersPerThread, gridX, gridY, gridZ, \
               blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, \
               localMemoryTotal, gridId";
        let values = values + ", ?7, ?7, 0, 0, ?8, ?9, 1, 1, ?10, 1, 1, ?11, ?12, 0, 0, ?13";
        let name = self.string_id(shape.name)?;
        let (device, process) = self.place(row.process)?;
        let [fixed, dynamic] = shape.shared;
        self.insert(&KERNEL, &columns, &values)?.execute(params![
            row.span.start,
            row.span.stop,
            device,
            row.stream,
            row.correlation,
            process,
            name,
            shape.registers,
            shape.grid,
            shape.block,
            fixed,
            dynamic,
            grid_id,
        ])?;
        Ok(())
    }

    fn write_transfer(&self, row: &ItemRow) -> Result<()> {
        let (columns, values) = self.activity_columns("0");
        let (device, process) = self.place(row.process)?;
        let (start, stop) = (row.span.start, row.span.stop);
        let place = params![start, stop, device, row.stream, row.correlation, process];
        let (table, columns, values, more) = match row.work {
            Work::Kernel(_) => return Ok(()),
            Work::Copy { kind, source, target, bytes } => (
                &MEMCPY,
                columns + ", bytes, copyKind, srcKind, dstKind",
                values + ", ?7, ?8, ?9, ?10",
                vec![bytes, kind, source, target],
            ),
            Work::Memset(bytes) => {
                (&MEMSET, columns + ", value, bytes, memKind", values + ", 0, ?7, 2", vec![bytes])
            }
        };
        let more = more.iter().map(|value| value as &dyn rusqlite::ToSql);
        let all: Vec<&dyn rusqlite::ToSql> = place.iter().copied().chain(more).collect();
        self.insert(table, &columns, &values)?.execute(all.as_slice())?;
        Ok(())
    }

    /// Writes the ranges of the program and those of NCCL, whose domain has a row of its own.
    fn write_planted_ranges(&mut self, records: &Records) -> Result<()> {
        self.create(&NVTX_EVENTS)?;
        let columns = "start, end, eventType, text, globalTid, domainId";
        let mut insert = self.insert(&NVTX_EVENTS, columns, "?1, ?2, ?3, ?4, ?5, ?6")?;
        if let Some(first) = records.nccl.first() {
            for process in &self.trace.processes {
                let start = first.span.start - 1_000_000;
                let none: Option<i64> = None;
                insert.execute(params![
                    start,
                    none,
                    75,
                    "NCCL",
                    process.global_pid | process.pid,
                    NCCL_DOMAIN
                ])?;
            }
        }
        let of_program = records.ranges.iter().map(|row| (row, 0));
        for (row, domain) in of_program.chain(records.nccl.iter().map(|row| (row, NCCL_DOMAIN))) {
            let thread = self.thread(row.thread);
            insert.execute(params![row.span.start, row.span.stop, 59, row.name, thread, domain])?;
        }
        Ok(())
    }

    /// Writes rows with a name, if there are any; `columns` begins with that of the name, `values` are those of the others.
    fn write_named(&mut self, table: &Table, columns: &str, values: &str, rows: &[NamedRow]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.create(table)?;
        let columns = format!("start, end, globalTid, {columns}");
        let mut insert = self.insert(table, &columns, &format!("?1, ?2, ?3, ?4, {values}"))?;
        for row in rows {
            let (thread, name) = (self.thread(row.thread), self.string_id(row.name)?);
            insert.execute(params![row.span.start, row.span.stop, thread, name])?;
        }
        Ok(())
    }

    fn write_switches(&self, records: &Records) -> Result<()> {
        if records.switches.is_empty() {
            return Ok(());
        }
        self.create(&SCHED_EVENTS)?;
        let mut insert = self.insert(&SCHED_EVENTS, "start, cpu, isSchedIn, globalTid", "?1, ?2, ?3, ?4")?;
        for row in &records.switches {
            let cpu = i64::try_from(row.thread)?;
            insert.execute(params![row.time, cpu, row.is_in, self.thread(row.thread)])?;
        }
        Ok(())
    }

    fn write_samples(&mut self, records: &Records) -> Result<()> {
        if records.samples.is_empty() {
            return Ok(());
        }
        self.create(&COMPOSITE_EVENTS)?;
        self.create(&SAMPLING_CALLCHAINS)?;
        let columns = "id, start, cpu, threadState, globalTid, cpuCycles";
        let mut sample = self.insert(&COMPOSITE_EVENTS, columns, "?1, ?2, 0, 1, ?3, 1")?;
        let columns = "id, symbol, module, kernelMode, thumbCode, unresolved, stackDepth";
        let mut frame = self.insert(&SAMPLING_CALLCHAINS, columns, "?1, ?2, ?3, 0, 0, 0, ?4")?;
        for (id, row) in (1_i64..).zip(&records.samples) {
            sample.execute(params![id, row.time, self.thread(row.thread)])?;
            for (depth, (symbol, module)) in (0_i64..).zip(row.frames) {
                let (symbol, module) = (self.string_id(symbol)?, self.string_id(module)?);
                frame.execute(params![id, symbol, module, depth])?;
            }
        }
        Ok(())
    }

    fn write_memory_events(&self, records: &Records) -> Result<()> {
        if records.memory.is_empty() {
            return Ok(());
        }
        self.create(&MEMORY_EVENTS)?;
        let columns =
            "start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType";
        let mut insert = self.insert(&MEMORY_EVENTS, columns, "?1, ?2, ?3, 1, ?4, 0, ?5, ?6, ?7")?;
        for (address, row) in (1_i64..).zip(&records.memory) {
            let (device, process) = self.place(row.process)?;
            insert.execute(params![
                row.time,
                process,
                device,
                address,
                row.bytes,
                row.kind,
                row.operation
            ])?;
        }
        Ok(())
    }

    fn write_metrics(&self, records: &Records) -> Result<()> {
        if records.metrics.is_empty() {
            return Ok(());
        }
        self.create(&GPU_METRICS)?;
        let mut insert = self.insert(&GPU_METRICS, "timestamp, typeId, metricId, value", "?1, ?2, ?3, ?4")?;
        for row in &records.metrics {
            let type_id = METRIC_TYPE + i64::try_from(row.gpu)?;
            insert.execute(params![row.time, type_id, row.metric, row.value])?;
        }
        self.create(&GPU_METRIC_NAMES)?;
        let columns = "typeId, sourceId, typeName, metricId, metricName";
        let mut insert = self.insert(&GPU_METRIC_NAMES, columns, "?1, 0, 'GPU Metrics', ?2, ?3")?;
        for gpu in 0..i64::from(self.options.gpus) {
            for (number, name) in (1_i64..).zip(METRIC_NAMES) {
                insert.execute(params![METRIC_TYPE + gpu, number, name])?;
            }
        }
        Ok(())
    }
}
