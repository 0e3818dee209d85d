//! The tables as read to a [`Trace`]: foreign ids resolved, texts in one pool, time from the start of the capture.

use super::database::Database;
use super::devices::Devices;
use super::names::{self, Names};
use super::{RawTables, SmallTables, gpu_work, process_of, ranges, system};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::ids::{DeviceId, ProcessId, StrId, ThreadId};
use crate::strings::StringPool;
use crate::trace::{
    ApiCalls, GpuWork, JoinedRows, Process, RangeText, Ranges, Source, Syncs, System, Thread, ThreadRanges,
    Trace, UNNAMED_DOMAIN,
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
        self.work().iter().flat_map(|work| work.process_and_device.distinct().iter().copied()).collect()
    }

    /// Global ids of all threads, ascending.
    fn threads(&self) -> Vec<i64> {
        let ids = self.api_calls.global_tid.distinct().iter().chain(self.ranges.threads.iter().flatten());
        sorted_distinct(ids.copied())
    }

    /// All processes with events, by ascending global id.
    fn processes(&self, threads: &[i64], names: &FxHashMap<i64, String>) -> Vec<Process> {
        let of_work = self.work().map(|work| work.process_and_device.distinct());
        let ids = threads
            .iter()
            .map(|&tid| process_of(tid))
            .chain(of_work.into_iter().flatten().filter_map(|(global_pid, _)| *global_pid))
            .chain(self.syncs.global_pid.distinct().iter().copied());
        let process = |global_pid| Process { global_pid, name: names.get(&global_pid).cloned() };
        sorted_distinct(ids).into_iter().map(process).collect()
    }

    fn merge_names(&mut self, names: Names) -> StringPool {
        let base = names.len();
        let mut pool = names.into_pool();
        let RawTables { ranges, api_calls, kernels, .. } = self;
        let texts = ranges.texts.iter_mut().flat_map(|text| [&mut text.text, &mut text.sizes]);
        let domains = ranges.domain_names.values_mut();
        names::merge(&mut pool, base, &ranges.extra, texts.chain(domains));
        names::merge(&mut pool, base, &api_calls.extra, &mut api_calls.name);
        let columns = kernels.short_name.iter_mut().chain(&mut kernels.long_name);
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
        let ranges = ranges.resolve(threads.len(), thread_of, unnamed_domain);
        Trace {
            source,
            api_calls: ApiCalls {
                span: api_calls.span,
                thread: api_calls.global_tid.resolve(ThreadId::NONE, thread_of),
                correlation: api_calls.correlation,
                name: api_calls.name,
            },
            gpu_work,
            joined: JoinedRows { ranges: ranges.len(), syncs: syncs.correlation.len() },
            syncs: Syncs {
                process: syncs.global_pid.resolve(ProcessId::NONE, process_of),
                correlation: syncs.correlation,
            },
            ranges,
            strings,
            processes,
            threads,
            devices: devices.into_vec(),
            system,
            diagnostics,
        }
    }
}

impl ranges::RawRanges {
    fn resolve(self, threads: usize, thread_of: impl Fn(i64) -> ThreadId, unnamed_domain: StrId) -> Ranges {
        let domain_of = |domain| self.domain_names.get(&domain).copied().unwrap_or(unnamed_domain);
        let texts = self.texts.iter().map(|text| RangeText {
            text: text.text,
            sizes: text.sizes,
            domain: text.domain.map_or(StrId::NONE, domain_of),
            is_operator: text.is_operator,
        });
        let mut ranges = Ranges { texts: texts.collect(), ..Ranges::default() };
        ranges.by_thread.resize_with(threads, ThreadRanges::default);
        for (global_tid, list) in self.threads.into_iter().zip(self.by_thread) {
            let place = global_tid.and_then(|tid| ranges.by_thread.get_mut(thread_of(tid).index()));
            *place.unwrap_or(&mut ranges.without_thread) = list;
        }
        ranges
    }
}

impl gpu_work::RawWork {
    /// The columns that every table of GPU work has.
    fn resolve(
        self,
        process_of: impl Fn(i64) -> ProcessId,
        device_of: impl FnMut((Option<i64>, i64)) -> DeviceId,
    ) -> GpuWork {
        GpuWork {
            span: self.span,
            correlation: self.correlation,
            process: self
                .process_and_device
                .map(ProcessId::NONE, |(global_pid, _)| global_pid.map_or(ProcessId::NONE, &process_of)),
            device: self.process_and_device.resolve(DeviceId::NONE, device_of),
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
