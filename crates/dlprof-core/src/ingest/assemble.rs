//! The tables as read to a [`Trace`]: foreign ids resolved, texts in one pool, time from the start of the capture.

use super::database::Database;
use super::devices::Devices;
use super::names::{self, Names};
use super::{RawTables, SmallTables, gpu_work, process_of, system};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::ids::{DeviceId, ProcessId, StrId, ThreadId};
use crate::strings::StringPool;
use crate::trace::{
    ApiCalls, GpuWork, JoinedRows, Process, Ranges, Source, Syncs, System, Thread, Trace, UNNAMED_DOMAIN,
};
use rustc_hash::FxHashMap;

pub(super) fn assemble(
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
    fn processes(&self, threads: &[i64], names: &FxHashMap<i64, String>) -> Vec<Process> {
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
        system: System,
        diagnostics: Diagnostics,
    ) -> Trace {
        let Self { ranges, api_calls, kernels, copies: (copies, copy_kind), memsets, syncs } = self;
        let thread_of = |global_tid| {
            threads
                .binary_search_by_key(&global_tid, |thread: &Thread| thread.global_tid)
                .map_or(ThreadId::NONE, ThreadId::new)
        };
        let process_of = |global_pid| find_process(&processes, global_pid);
        let device_of = |key| devices.find(key).expect("GPUs used by the activity tables were added");
        let (kernel_count, copy_count) = (kernels.work.span.len(), copies.span.len());
        let mut work = kernels.work.resolve(process_of, device_of);
        for more in [copies, memsets] {
            let more = more.resolve(process_of, device_of);
            work.span.extend(more.span);
            work.correlation.extend(more.correlation);
            work.process.extend(more.process);
            work.device.extend(more.device);
        }
        let gpu_work = GpuWork {
            kernels: kernel_count,
            copies: copy_count,
            short_name: kernels.short_name,
            long_name: kernels.long_name,
            whole_graphs: kernels.whole_graphs,
            graph: kernels.graph,
            launch: kernels.launch,
            launch_configs: kernels.launch_configs,
            copy_kind,
            ..work
        };
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
            joined: JoinedRows { ranges: ranges.span.len(), syncs: syncs.correlation.len() },
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

impl gpu_work::RawWork {
    /// The columns that every table of GPU work has.
    fn resolve(
        self,
        process_of: impl FnMut(i64) -> ProcessId,
        device_of: impl FnMut((Option<i64>, i64)) -> DeviceId,
    ) -> GpuWork {
        GpuWork {
            span: self.span,
            correlation: self.correlation,
            process: self.global_pid.resolve(ProcessId::NONE, process_of),
            device: self.device.resolve(DeviceId::NONE, device_of),
            ..GpuWork::default()
        }
    }
}

fn find_process(processes: &[Process], global_pid: i64) -> ProcessId {
    processes
        .binary_search_by_key(&global_pid, |process| process.global_pid)
        .map_or(ProcessId::NONE, ProcessId::new)
}

fn sorted_distinct(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<i64> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
