//! Writes a capture as an nsys SQLite export.

mod machine;
mod planted;

use crate::catalog::KERNELS;
use crate::options::{Options, Schema, Style, Texts};
use crate::plant::records::Records;
use crate::schema::{KERNEL, MEMCPY, MEMSET, NVTX_EVENTS, RUNTIME, STRING_IDS, SYNCHRONIZATION, Table};
use crate::trace::{CopyKind, Interner, Ns, Span, Text, Trace};
use rusqlite::{Connection, Statement, Transaction, params};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Hardware id in `globalVid` and `vmId` columns.
const GLOBAL_VID: i64 = 1 << 48;
/// What the tables say where a stream or an event does not apply.
const NO_ID: i64 = 4_294_967_295;
/// The end of a range that was never popped.
pub(crate) const OPEN: Ns = Ns::MAX;
/// Name of the machine in `devStateName`.
const MACHINE: &str = "Local (CLI)";

/// The result of this module's functions.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Writes `trace` to the output file of the command line.
pub(crate) fn write(options: &Options, trace: &mut Trace) -> Result<()> {
    sort_by_time(options, trace);
    write_file(options, trace, trace.last_event(), |export| export.write())
}

/// Writes a planted capture: the events of `records`, which are in order of time, and the processes of `trace`.
pub(crate) fn write_planted(options: &Options, trace: &Trace, records: &Records) -> Result<()> {
    write_file(options, trace, records.last_event(), |export| {
        export.create(&STRING_IDS)?;
        export.write_planted(records)?;
        export.write_machine()
    })
}

/// Writes the output file of the command line anew.
fn write_file(
    options: &Options,
    trace: &Trace,
    last_event: Ns,
    write: impl FnOnce(&mut Export<'_>) -> Result<()>,
) -> Result<()> {
    remove_if_present(&options.output)?;
    let mut connection = Connection::open(&options.output)?;
    connection.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")?;
    let transaction = connection.transaction()?;
    write(&mut Export { options, trace, database: &transaction, strings: Interner::default(), last_event })?;
    transaction.commit()?;
    Ok(())
}

/// Removes a file if there is one.
fn remove_if_present(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Brings all records into the order in which they are written.
fn sort_by_time(options: &Options, trace: &mut Trace) {
    let Trace { threads, api_calls, kernels, copies, memsets, syncs, ranges, .. } = trace;
    let of_call = |thread: usize| match () {
        () if options.interleave => threads[thread].process,
        () if options.by_thread => thread,
        () => 0,
    };
    api_calls.sort_by_key(|call| (of_call(call.thread), call.span.start));
    kernels.sort_by_key(|kernel| kernel.span.start);
    copies.sort_by_key(|copy| copy.span.start);
    memsets.sort_by_key(|memset| memset.span.start);
    syncs.sort_by_key(|sync| sync.span.start);
    ranges.sort_by_key(|range| (if options.by_thread { range.thread } else { 0 }, range.span.start));
}

/// An export being written.
struct Export<'a> {
    /// The command line.
    options: &'a Options,
    /// What to write.
    trace: &'a Trace,
    /// Where to.
    database: &'a Transaction<'a>,
    /// Strings of the table `StringIds`.
    strings: Interner<String>,
    /// When the last event ends.
    last_event: Ns,
}

impl<'a> Export<'a> {
    /// Writes all tables; the strings last, as the other tables add to them.
    fn write(&mut self) -> Result<()> {
        self.create(&STRING_IDS)?;
        self.write_api_calls()?;
        self.write_kernels()?;
        self.write_copies()?;
        self.write_memsets()?;
        self.write_syncs()?;
        if self.options.style != Style::None {
            self.write_ranges()?;
        }
        self.write_machine()
    }

    /// Writes what the capture says about the machine, then the strings.
    fn write_machine(&mut self) -> Result<()> {
        self.write_gpus()?;
        self.write_contexts()?;
        self.write_system_env()?;
        self.write_meta_data()?;
        self.write_description()?;
        self.write_strings()
    }

    /// Creates a table.
    fn create(&self, table: &Table) -> Result<()> {
        self.database.execute(&table.create_statement(self.options.schema), [])?;
        Ok(())
    }

    /// A statement that inserts into `columns`; all other columns stay NULL.
    fn insert(&self, table: &Table, columns: &str, values: &str) -> Result<Statement<'a>> {
        let sql = format!("INSERT INTO {} ({columns}) VALUES ({values})", table.name);
        Ok(self.database.prepare(&sql)?)
    }

    /// Columns and values that a GPU activity has in this schema, before those of its own: start, end,
    /// device, stream, correlation id and process are parameters 1 to 6.
    fn activity_columns(&self, green_context: &str) -> (String, String) {
        let columns = "start, end, deviceId, contextId, streamId, correlationId, globalPid".to_owned();
        let values = "?1, ?2, ?3, 1, ?4, ?5, ?6".to_owned();
        match self.options.schema {
            Schema::V2022 => (columns, values),
            Schema::V2024 => (columns + ", greenContextId", values + ", " + green_context),
        }
    }

    /// The id of a string.
    fn string_id(&mut self, value: &str) -> Result<i64> {
        Ok(i64::try_from(self.strings.intern(value.to_owned()))?)
    }

    /// Device and `globalPid` of a process.
    fn place(&self, process: usize) -> Result<(i64, i64)> {
        let process = &self.trace.processes[process];
        Ok((i64::try_from(process.gpu)?, process.global_pid))
    }

    /// Writes the CUDA API calls.
    fn write_api_calls(&mut self) -> Result<()> {
        self.create(&RUNTIME)?;
        let columns = "start, end, eventClass, globalTid, correlationId, nameId, returnValue";
        let trace = self.trace;
        let mut names = Vec::new();
        for call in &trace.api_calls {
            names.push(self.string_id(call.api.name())?);
        }
        let mut insert = self.insert(&RUNTIME, columns, "?1, ?2, 0, ?3, ?4, ?5, 0")?;
        for (call, name) in trace.api_calls.iter().zip(names) {
            let Span { start, stop } = call.span;
            let thread = trace.threads[call.thread].global_tid;
            insert.execute(params![start, stop, thread, call.correlation, name])?;
        }
        Ok(())
    }

    /// Writes the kernels.
    fn write_kernels(&mut self) -> Result<()> {
        self.create(&KERNEL)?;
        let mut names = Vec::new();
        for kernel in KERNELS {
            names.push((self.string_id(kernel.long_name)?, self.string_id(kernel.short_name)?));
        }
        for name in &self.trace.further_kernels {
            let name = self.string_id(name)?;
            names.push((name, name));
        }
        let (columns, values) = self.activity_columns("0");
        let columns = columns
            + ", demangledName, shortName, mangledName, launchType, cacheConfig, registersPerThread, \
               gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, \
               localMemoryPerThread, localMemoryTotal, gridId, sharedMemoryExecuted, \
               sharedMemoryLimitConfig";
        let values = values
            + ", ?7, ?8, ?7, 1, 1, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0, 0, 0, 205258752, ?16, 32768, 0";
        let mut insert = self.insert(&KERNEL, &columns, &values)?;
        for record in &self.trace.kernels {
            let Span { start, stop } = record.span;
            let (device, process) = self.place(record.origin.process)?;
            let (long_name, short_name) = names[record.kernel];
            let kernel = KERNELS.get(record.kernel).unwrap_or(&KERNELS[0]);
            let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (kernel.grid, kernel.block);
            insert.execute(params![
                start,
                stop,
                device,
                record.origin.stream,
                record.origin.correlation,
                process,
                long_name,
                short_name,
                kernel.registers,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                record.grid_id,
            ])?;
        }
        Ok(())
    }

    /// Writes the copies.
    fn write_copies(&self) -> Result<()> {
        self.create(&MEMCPY)?;
        let (columns, values) = self.activity_columns("0");
        let columns = columns + ", bytes, copyKind, srcKind, dstKind";
        let mut insert = self.insert(&MEMCPY, &columns, &(values + ", ?7, ?8, ?9, ?10"))?;
        for record in &self.trace.copies {
            let Span { start, stop } = record.span;
            let (device, process) = self.place(record.origin.process)?;
            let (kind, source, target) = match record.kind {
                CopyKind::HostToDevice => (1, 0, 2),
                CopyKind::DeviceToHost => (2, 2, 0),
            };
            let (stream, correlation) = (record.origin.stream, record.origin.correlation);
            insert.execute(params![
                start,
                stop,
                device,
                stream,
                correlation,
                process,
                record.bytes,
                kind,
                source,
                target,
            ])?;
        }
        Ok(())
    }

    /// Writes the memory fills.
    fn write_memsets(&self) -> Result<()> {
        self.create(&MEMSET)?;
        let (columns, values) = self.activity_columns("0");
        let columns = columns + ", value, bytes, memKind";
        let mut insert = self.insert(&MEMSET, &columns, &(values + ", 0, ?7, 2"))?;
        for record in &self.trace.memsets {
            let Span { start, stop } = record.span;
            let (device, process) = self.place(record.origin.process)?;
            let (stream, correlation) = (record.origin.stream, record.origin.correlation);
            insert.execute(params![start, stop, device, stream, correlation, process, record.bytes])?;
        }
        Ok(())
    }

    /// Writes the waits, with the codes that real exports of the version have.
    fn write_syncs(&self) -> Result<()> {
        self.create(&SYNCHRONIZATION)?;
        let (columns, values) = self.activity_columns("NULL");
        let mut insert =
            self.insert(&SYNCHRONIZATION, &(columns + ", syncType, eventId"), &(values + ", ?7, ?8"))?;
        let (context_code, stream_code) = match self.options.schema {
            Schema::V2022 => (1, 3),
            Schema::V2024 => (0, 2),
        };
        for record in &self.trace.syncs {
            let Span { start, stop } = record.span;
            let (device, process) = self.place(record.origin.process)?;
            let (code, stream) =
                if record.whole_device { (context_code, NO_ID) } else { (stream_code, record.origin.stream) };
            insert.execute(params![
                start,
                stop,
                device,
                stream,
                record.origin.correlation,
                process,
                code,
                NO_ID
            ])?;
        }
        Ok(())
    }

    /// Writes the NVTX ranges.
    fn write_ranges(&mut self) -> Result<()> {
        self.create(&NVTX_EVENTS)?;
        let columns = "start, end, eventType, text, globalTid, textId, domainId";
        let mut insert = self.insert(&NVTX_EVENTS, columns, "?1, ?2, 59, ?3, ?4, ?5, 0")?;
        let mut text = String::new();
        for range in &self.trace.ranges {
            let Span { start, stop } = range.span;
            let thread = self.trace.threads[range.thread].global_tid;
            render(self.trace, range.text, &mut text)?;
            let (inline, id) = match self.options.texts {
                Texts::Inline => (Some(text.as_str()), None),
                Texts::Interned => (None, Some(self.string_id(&text)?)),
            };
            insert.execute(params![start, (stop != OPEN).then_some(stop), inline, thread, id])?;
        }
        Ok(())
    }

    /// Writes the strings.
    fn write_strings(&self) -> Result<()> {
        let mut insert = self.insert(&STRING_IDS, "id, value", "?1, ?2")?;
        for (id, value) in self.strings.values().iter().enumerate() {
            insert.execute(params![i64::try_from(id)?, value])?;
        }
        Ok(())
    }
}

/// Writes a range's text into `out`.
fn render(trace: &Trace, text: Text, out: &mut String) -> Result<()> {
    let names = trace.names.values();
    out.clear();
    out.push_str(&names[text.name]);
    if let Some(sequence) = text.sequence {
        write!(out, ", seq = {sequence}")?;
    }
    if let Some(op_id) = text.op_id {
        write!(out, ", op_id = {op_id}")?;
    }
    if let Some(suffix) = text.suffix {
        out.push_str(&names[suffix]);
    }
    Ok(())
}
