//! Ingest: from an nsys SQLite export to a [`Trace`].
//!
//! Only this module knows SQL. Every table is read once, in row order, without joins; the large ones at the
//! same time. Tables and columns differ from nsys version to version, so columns are looked up by name and
//! the version is never asked (`--lazy`, `--tables` and other tools change the set as well).

mod api_calls;
mod database;
mod devices;
mod gpu_work;
mod keys;
mod names;
mod ranges;
mod system;

use crate::diagnostics::{Code, Diagnostics};
use crate::error::Error;
use crate::ids::{DeviceId, ProcessId, StrId, ThreadId};
use crate::strings::StringPool;
use crate::time::{Ns, Span};
use crate::trace::{
    ApiCalls, CorrelationId, GpuWork, NO_CORRELATION, Process, Ranges, Source, Syncs, Thread, Trace,
    UNNAMED_DOMAIN,
};
use database::{Database, Row};
use devices::Devices;
use names::Names;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Schema versions newer than this one are read, with a warning.
const NEWEST_KNOWN_SCHEMA: (u32, u32) = (3, 25);

/// How far reading has come: rows read so far, and about how many there are.
pub type OnProgress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Counts rows over all tables and tells the caller now and then.
struct Progress<'a> {
    read: AtomicU64,
    total: u64,
    report: Option<OnProgress<'a>>,
}

impl Progress<'_> {
    const STEP: u64 = 1 << 16;

    fn row(&self) {
        let Some(report) = self.report else { return };
        let read = self.read.fetch_add(1, Ordering::Relaxed) + 1;
        if read.is_multiple_of(Self::STEP) {
            report(read, self.total.max(read));
        }
    }
}

/// Reads an export. The file is opened read-only and nothing is written, neither to it nor beside it.
///
/// # Errors
/// If the file is no readable nsys export; see [`Error`]. Missing optional tables are no error, they give
/// diagnostics.
pub fn read(path: &Path, on_progress: Option<OnProgress<'_>>) -> Result<Trace, Error> {
    let database = Database::open(path)?;
    check_tables(&database)?;
    let mut total = 0;
    for table in LARGE_TABLES {
        total += database.row_estimate(table)?;
    }
    let progress = Progress { read: AtomicU64::new(0), total, report: on_progress };

    let mut diagnostics = Diagnostics::default();
    let names = Names::read(&database, &mut diagnostics)?;
    let raw = read_large_tables(&database, &names, &progress)?;
    let small = SmallTables::read(&database, &mut diagnostics)?;
    let mut trace = assemble(&database, names, raw, small, diagnostics)?;
    note_missing(&mut trace, &database);
    Ok(trace)
}

const LARGE_TABLES: [&str; 7] = [
    ranges::TABLE,
    api_calls::TABLE,
    gpu_work::KERNELS,
    gpu_work::COPIES,
    gpu_work::MEMSETS,
    gpu_work::GRAPHS,
    gpu_work::SYNCS,
];

/// Tables that tell an nsys export without events from another database with a table `StringIds`.
const NSYS_TABLES: [&str; 5] =
    ["META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SYSTEM_ENV", "ProcessStreams", "ThreadNames"];

/// Refuses databases that are no nsys export.
fn check_tables(database: &Database) -> Result<(), Error> {
    let not_an_export = |missing| Error::NotAnExport { path: database.path().into(), missing };
    let has_events = [
        ranges::TABLE,
        api_calls::TABLE,
        gpu_work::KERNELS,
        gpu_work::COPIES,
        gpu_work::MEMSETS,
        gpu_work::GRAPHS,
    ]
    .into_iter()
    .any(|table| database.has_table(table));
    if !has_events && database.tables().any(|table| table.starts_with("read_only_op")) {
        return Err(Error::DlprofDatabase { path: database.path().into() });
    }
    if !database.has_table("StringIds") {
        return Err(not_an_export("table `StringIds` is missing"));
    }
    if !has_events {
        let is_nsys = database.tables().any(|table| NSYS_TABLES.contains(&table));
        return Err(if is_nsys {
            Error::NoEvents { path: database.path().into() }
        } else {
            not_an_export("it has none of the tables that nsys writes")
        });
    }
    Ok(())
}

/// The large tables as read; threads, processes and devices are still the export's ids.
struct RawTables {
    ranges: ranges::RawRanges,
    api_calls: api_calls::RawApiCalls,
    kernels: gpu_work::RawKernels,
    copies: (gpu_work::RawWork, Vec<u8>),
    memsets: gpu_work::RawWork,
    syncs: gpu_work::RawSyncs,
}

/// Reads the large tables at the same time, the longest ones first.
fn read_large_tables(
    database: &Database,
    names: &Names,
    progress: &Progress<'_>,
) -> Result<RawTables, Error> {
    let (ranges, (api_calls, (kernels, memory))) = rayon::join(
        || ranges::read(database, names, progress),
        || {
            rayon::join(
                || api_calls::read(database, names, progress),
                || {
                    rayon::join(
                        || gpu_work::read_kernels(database, names, progress),
                        || -> Result<_, Error> {
                            let copies = gpu_work::read_copies(database, progress)?;
                            let memsets = gpu_work::read_memsets(database, progress)?;
                            Ok((copies, memsets, gpu_work::read_syncs(database, progress)?))
                        },
                    )
                },
            )
        },
    );
    let (copies, memsets, syncs) = memory?;
    Ok(RawTables { ranges: ranges?, api_calls: api_calls?, kernels: kernels?, copies, memsets, syncs })
}

/// What the small tables say.
struct SmallTables {
    meta: system::ExportMeta,
    session_start: Option<Ns>,
    process_names: rustc_hash::FxHashMap<i64, String>,
    devices: Devices,
}

impl SmallTables {
    fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        Ok(Self {
            meta: system::read_export_meta(database)?,
            session_start: system::read_session_start(database, diagnostics)?,
            process_names: system::read_process_names(database, diagnostics)?,
            devices: Devices::read(database, diagnostics)?,
        })
    }
}

fn assemble(
    database: &Database,
    names: Names,
    mut raw: RawTables,
    mut small: SmallTables,
    mut diagnostics: Diagnostics,
) -> Result<Trace, Error> {
    for part in raw.take_diagnostics() {
        diagnostics.merge(part);
    }
    small.devices.add_used(&raw.used_devices());
    let system = system::read_system(database, &small.meta, small.devices.known())?;
    let threads = raw.threads();
    let processes = raw.processes(&threads, &small.process_names);
    let threads = threads
        .into_iter()
        .map(|global_tid| Thread { global_tid, process: find_process(&processes, process_of(global_tid)) })
        .collect();
    let source = Source {
        path: database.path().into(),
        size_bytes: database.size_bytes(),
        product_version: small.meta.product_version.clone(),
        schema_version: small.meta.schema_version.clone(),
    };
    let strings = raw.merge_names(names);
    let mut trace = raw.into_trace(source, strings, processes, threads, small.devices, system, diagnostics);
    trace.shift_to_origin(&small.meta, small.session_start);
    trace.close_open_ranges();
    Ok(trace)
}

impl RawTables {
    fn take_diagnostics(&mut self) -> [Diagnostics; 6] {
        [
            &mut self.ranges.diagnostics,
            &mut self.api_calls.diagnostics,
            &mut self.kernels.work.diagnostics,
            &mut self.copies.0.diagnostics,
            &mut self.memsets.diagnostics,
            &mut self.syncs.diagnostics,
        ]
        .map(std::mem::take)
    }

    fn work(&self) -> [&gpu_work::RawWork; 3] {
        [&self.kernels.work, &self.copies.0, &self.memsets]
    }

    fn used_devices(&self) -> Vec<(Option<i64>, i64)> {
        self.work().iter().flat_map(|work| work.device.distinct().iter().copied()).collect()
    }

    /// Global ids of all threads, ascending.
    fn threads(&self) -> Vec<i64> {
        let ids = self.api_calls.global_tid.distinct().iter().chain(self.ranges.global_tid.distinct());
        sorted_distinct(ids.copied())
    }

    /// All processes with events, by ascending global id.
    fn processes(&self, threads: &[i64], names: &rustc_hash::FxHashMap<i64, String>) -> Vec<Process> {
        let of_work = self.work().map(|work| work.global_pid.distinct());
        let ids = threads
            .iter()
            .map(|&tid| process_of(tid))
            .chain(of_work.into_iter().flatten().copied())
            .chain(self.syncs.global_pid.distinct().iter().copied());
        let process = |global_pid| Process { global_pid, name: names.get(&global_pid).cloned() };
        sorted_distinct(ids).into_iter().map(process).collect()
    }

    fn merge_names(&mut self, names: Names) -> StringPool {
        let base = names.len();
        let mut pool = names.into_pool();
        let none = || -> Vec<StrId> { Vec::new() };
        let RawTables { ranges, api_calls, kernels, .. } = self;
        let mut domains: Vec<StrId> = ranges.domain_names.values().copied().collect();
        let keys: Vec<(i64, i64)> = ranges.domain_names.keys().copied().collect();
        names::merge(&mut pool, base, &ranges.extra, [&mut ranges.text, &mut ranges.sizes, &mut domains]);
        ranges.domain_names = keys.into_iter().zip(domains).collect();
        names::merge(&mut pool, base, &api_calls.extra, [&mut api_calls.name, &mut none(), &mut none()]);
        let columns = [&mut kernels.short_name, &mut kernels.long_name, &mut none()];
        names::merge(&mut pool, base, &kernels.extra, columns);
        pool
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a trace, put together once")]
    fn into_trace(
        self,
        source: Source,
        mut strings: StringPool,
        processes: Vec<Process>,
        threads: Vec<Thread>,
        devices: Devices,
        system: crate::trace::System,
        diagnostics: Diagnostics,
    ) -> Trace {
        let Self { ranges, api_calls, kernels, copies: (copies, copy_kind), memsets, syncs } = self;
        let thread_of = |global_tid| {
            threads
                .binary_search_by_key(&global_tid, |thread: &Thread| thread.global_tid)
                .map_or(ThreadId::NONE, ThreadId::new)
        };
        let process_of = |global_pid| find_process(&processes, global_pid);
        let mut gpu_work = GpuWork {
            kernels: kernels.work.span.len(),
            copies: copies.span.len(),
            short_name: kernels.short_name,
            long_name: kernels.long_name,
            whole_graphs: kernels.whole_graphs,
            graph: kernels.graph,
            launch: kernels.launch,
            launch_configs: kernels.launch_configs,
            copy_kind,
            ..GpuWork::default()
        };
        for work in [kernels.work, copies, memsets] {
            gpu_work.span.extend(work.span);
            gpu_work.correlation.extend(work.correlation);
            gpu_work.process.extend(work.global_pid.resolve(ProcessId::NONE, process_of));
            gpu_work.device.extend(work.device.resolve(DeviceId::NONE, |key| {
                devices.find(key).expect("GPUs used by the activity tables were added")
            }));
        }
        let unnamed_domain = strings.intern(UNNAMED_DOMAIN);
        let domain_names = ranges.domain_names;
        Trace {
            source,
            api_calls: ApiCalls {
                span: api_calls.span,
                thread: api_calls.global_tid.resolve(ThreadId::NONE, thread_of),
                correlation: api_calls.correlation,
                name: api_calls.name,
            },
            gpu_work,
            syncs: Syncs {
                process: syncs.global_pid.resolve(ProcessId::NONE, process_of),
                correlation: syncs.correlation,
            },
            ranges: Ranges {
                span: ranges.span,
                thread: ranges.global_tid.resolve(ThreadId::NONE, thread_of),
                text: ranges.text,
                sequence: ranges.sequence,
                sizes: ranges.sizes,
                domain: ranges
                    .domain
                    .resolve(StrId::NONE, |key| domain_names.get(&key).copied().unwrap_or(unnamed_domain)),
                is_operator: ranges.is_operator,
            },
            strings,
            processes,
            threads,
            devices: devices.into_vec(),
            system,
            diagnostics,
        }
    }
}

impl Trace {
    /// Undoes `nsys export --ts-normalize` and `--ts-shift`, so that time 0 is the start of the capture.
    fn shift_to_origin(&mut self, meta: &system::ExportMeta, session_start: Option<Ns>) {
        /// Nanoseconds since 1970 are beyond this from 1973 on; no capture lasts three years.
        const EPOCH_TIMES: Ns = 100_000_000_000_000_000;
        let earliest = self.spans().flatten().map(|span| span.start).min().unwrap_or(0);
        let shift = match (meta.time_shift, session_start) {
            (Some(shift), _) if earliest.saturating_sub(shift) <= EPOCH_TIMES => shift,
            (None, Some(start)) if earliest > EPOCH_TIMES => start,
            _ if earliest > EPOCH_TIMES => {
                self.diagnostics.count(Code::UnknownOrigin, || format!("earliest time {earliest} ns"));
                earliest
            }
            _ => 0,
        };
        let mut far_away = 0;
        for span in self.spans_mut().into_iter().flatten() {
            let moved = |time: Ns| time.saturating_sub(shift).clamp(-EPOCH_TIMES, EPOCH_TIMES);
            far_away += u64::from(span.start.saturating_sub(shift).abs() > EPOCH_TIMES);
            let end = if span.end == ranges::OPEN_END { span.end } else { moved(span.end) };
            *span = Span::new(moved(span.start), end);
        }
        for _ in 0..far_away {
            self.diagnostics.count(Code::BadInterval, || "record years away from the others".into());
        }
    }

    fn close_open_ranges(&mut self) {
        let closed = |span: &&Span| span.end != ranges::OPEN_END;
        let end = self.spans().flatten().filter(closed).map(|span| span.end).max().unwrap_or(0);
        for span in self.ranges.span.iter_mut().filter(|span| span.end == ranges::OPEN_END) {
            *span = Span::new(span.start, end);
        }
    }

    fn spans(&self) -> impl Iterator<Item = &Vec<Span>> {
        [&self.api_calls.span, &self.gpu_work.span, &self.ranges.span].into_iter()
    }

    fn spans_mut(&mut self) -> [&mut Vec<Span>; 3] {
        [&mut self.api_calls.span, &mut self.gpu_work.span, &mut self.ranges.span]
    }
}

/// Counts what a complete capture has and this one has not.
fn note_missing(trace: &mut Trace, database: &Database) {
    let diagnostics = &mut trace.diagnostics;
    if trace.gpu_work.kernels == 0 {
        diagnostics.count(Code::NoKernels, || format!("table `{}`", gpu_work::KERNELS));
    }
    if trace.api_calls.is_empty() {
        diagnostics.count(Code::NoApiCalls, || format!("table `{}`", api_calls::TABLE));
    }
    if trace.ranges.is_empty() {
        diagnostics.count(Code::NoRanges, || format!("table `{}`", ranges::TABLE));
    }
    if !database.has_column("TARGET_INFO_GPU", "id") && !database.has_table("TARGET_INFO_CUDA_GPU") {
        diagnostics.count(Code::NoGpuTable, || "table `TARGET_INFO_GPU`".into());
    }
    for (table, column) in NEEDED_COLUMNS {
        if database.has_table(table) && !database.has_column(table, column) {
            diagnostics.count(Code::MissingColumn, || format!("table `{table}`, column `{column}`"));
        }
    }
    note_missing_records(trace);
    let diagnostics = &mut trace.diagnostics;
    let version = &trace.source.schema_version;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) > NEWEST_KNOWN_SCHEMA {
        let (major, minor) = NEWEST_KNOWN_SCHEMA;
        diagnostics.count(Code::NewerSchema, || format!("schema {version}, known up to {major}.{minor}"));
    }
}

/// Counts API calls whose kind left no record at all: a table that was not exported, or not captured.
fn note_missing_records(trace: &mut Trace) {
    let work = &trace.gpu_work;
    let kinds = [
        ("Memcpy", gpu_work::COPIES, work.copies),
        ("Memset", gpu_work::MEMSETS, work.len() - work.kernels - work.copies),
        ("Synchronize", gpu_work::SYNCS, trace.syncs.process.len()),
    ];
    for (part, table, records) in kinds {
        let is_missing = |name: &&StrId| trace.strings.get(**name).contains(part);
        let calls = trace.api_calls.name.iter().filter(is_missing).count();
        if records == 0 && calls > 0 {
            trace
                .diagnostics
                .count(Code::MissingRecords, || format!("{calls} calls, no row in table `{table}`"));
        }
    }
}

/// Columns whose absence costs a figure.
const NEEDED_COLUMNS: [(&str, &str); 19] = [
    (gpu_work::KERNELS, "start"),
    (gpu_work::KERNELS, "end"),
    (gpu_work::KERNELS, "deviceId"),
    (gpu_work::KERNELS, "globalPid"),
    (gpu_work::KERNELS, "correlationId"),
    (gpu_work::KERNELS, "shortName"),
    (gpu_work::KERNELS, "demangledName"),
    (api_calls::TABLE, "start"),
    (api_calls::TABLE, "end"),
    (api_calls::TABLE, "globalTid"),
    (api_calls::TABLE, "correlationId"),
    (api_calls::TABLE, "nameId"),
    (gpu_work::COPIES, "correlationId"),
    (gpu_work::COPIES, "globalPid"),
    (gpu_work::MEMSETS, "correlationId"),
    (gpu_work::SYNCS, "correlationId"),
    (ranges::TABLE, "start"),
    (ranges::TABLE, "globalTid"),
    (ranges::TABLE, "eventType"),
];

/// Takes a text apart, for the fuzz targets.
pub(crate) fn split_range_text(text: &str) {
    ranges::split_numbers(text);
}

fn find_process(processes: &[Process], global_pid: i64) -> ProcessId {
    processes
        .binary_search_by_key(&global_pid, |process| process.global_pid)
        .map_or(ProcessId::NONE, ProcessId::new)
}

/// The global process id that a global thread id contains.
fn process_of(global_tid: i64) -> i64 {
    global_tid & !0xFF_FFFF
}

fn sorted_distinct(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<i64> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// A correlation id; NULL and numbers that CUPTI cannot have made are "none".
fn correlation_id(row: &Row<'_>, column: usize, diagnostics: &mut Diagnostics) -> CorrelationId {
    let Some(id) = row.int(column, diagnostics) else { return NO_CORRELATION };
    CorrelationId::try_from(id).unwrap_or_else(|_| {
        row.count_bad_value(column, diagnostics);
        NO_CORRELATION
    })
}
