//! The tables of what CPU threads did besides API calls and ranges, and of the state of GPUs: read together, and their facts.

use super::assemble::Machine;
use super::host_rows::RawHostRows;
use super::keys::KeyColumn;
use super::{
    TableSource, cpu_samples, memory_events, metric_samples, mpi_calls, os_calls, overheads, stacks,
    string_ids, switches,
};
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::ids::{Maybe, StrId, ThreadId};
use crate::base::time::{Ns, Span};
use crate::columns::{Buffer, FactColumn, Memory, StringPool};
use crate::read::facts::{
    CpuSampleFacts, HostFacts, MemoryEventFacts, MetricSampleFacts, MpiCallFacts, OsCallFacts, OverheadFacts,
    PythonFrameFacts, SwitchFacts,
};
use crate::read::sum_check::Sums;

/// The tables, for the estimate of how many rows there are.
pub(super) const TABLES: [&str; 12] = [
    os_calls::TABLE,
    stacks::TABLE,
    cpu_samples::TABLE,
    switches::TABLE,
    metric_samples::TABLE,
    memory_events::TABLE,
    mpi_calls::TABLES[0],
    mpi_calls::TABLES[1],
    mpi_calls::TABLES[2],
    mpi_calls::TABLES[3],
    overheads::TABLES[0],
    overheads::TABLES[1],
];

/// The tables as read; threads, processes and devices are still the export's ids.
pub(super) struct RawHostTables {
    mpi: Vec<RawHostRows>,
    os_calls: Option<os_calls::RawOsCalls>,
    overheads: Vec<overheads::RawOverheads>,
    samples: cpu_samples::RawCpuSamples,
    stacks: stacks::RawStacks,
    switches: switches::RawSwitches,
    memory_events: memory_events::RawMemoryEvents,
    metric_samples: metric_samples::RawMetricSamples,
}

/// Reads the tables, the long ones at the same time.
pub(super) fn read(source: &TableSource<'_>) -> Result<RawHostTables, Error> {
    let (os_calls, (stacks, (metric_samples, others))) = rayon::join(
        || os_calls::read(source),
        || {
            rayon::join(
                || stacks::read(source),
                || {
                    rayon::join(
                        || metric_samples::read(source),
                        || -> Result<_, Error> {
                            Ok((
                                cpu_samples::read(source)?,
                                switches::read(source)?,
                                memory_events::read(source)?,
                            ))
                        },
                    )
                },
            )
        },
    );
    let (samples, switches, memory_events) = others?;
    Ok(RawHostTables {
        mpi: mpi_calls::read(source)?,
        os_calls: os_calls?,
        overheads: overheads::read(source)?,
        samples,
        stacks: stacks?,
        switches,
        memory_events,
        metric_samples: metric_samples?,
    })
}

impl RawHostTables {
    fn rows_mut(&mut self) -> impl Iterator<Item = &mut RawHostRows> {
        let overheads = self.overheads.iter_mut().map(|table| &mut table.rows);
        self.mpi.iter_mut().chain(self.os_calls.iter_mut().map(|calls| &mut calls.rows)).chain(overheads)
    }

    pub(super) fn take_diagnostics(&mut self) -> Vec<Diagnostics> {
        let mut found: Vec<Diagnostics> =
            self.rows_mut().map(|rows| std::mem::take(&mut rows.diagnostics)).collect();
        let others = [
            &mut self.samples.diagnostics,
            &mut self.stacks.diagnostics,
            &mut self.switches.diagnostics,
            &mut self.memory_events.diagnostics,
            &mut self.metric_samples.diagnostics,
        ];
        found.extend(others.map(std::mem::take));
        found
    }

    /// Global ids of the threads, some of them several times.
    pub(super) fn threads(&self) -> impl Iterator<Item = i64> {
        let rows = self.mpi.iter().chain(self.os_calls.iter().map(|calls| &calls.rows));
        let rows = rows.chain(self.overheads.iter().map(|table| &table.rows)).map(|rows| &rows.global_tid);
        let threads = rows.chain([&self.samples.global_tid, &self.switches.global_tid]);
        threads.flat_map(|threads| threads.distinct().iter().copied())
    }

    /// Global process ids and CUDA ordinals of the GPUs.
    pub(super) fn used_devices(&self) -> &[(Option<i64>, i64)] {
        self.memory_events.process_and_device.distinct()
    }

    pub(super) fn merge_names(&mut self, pool: &mut StringPool, base: usize) {
        for rows in self.rows_mut() {
            string_ids::merge(pool, base, &rows.extra, rows.name.iter_mut());
        }
        let frames = &mut self.stacks.frames;
        let ids = frames.symbol.iter_mut().chain(frames.module.iter_mut());
        string_ids::merge(pool, base, &self.stacks.extra, ids);
    }

    /// Adds up their times and bytes.
    pub(super) fn add_to(&self, sums: &mut Sums<'_>) -> Result<(), Error> {
        let overheads = self.overheads.iter().map(|table| &table.rows);
        for rows in self.mpi.iter().chain(self.os_calls.iter().map(|calls| &calls.rows)).chain(overheads) {
            sums.add_times(rows.table, &rows.span[..])?;
        }
        sums.add_bytes(memory_events::TABLE, &self.memory_events.bytes)
    }

    pub(super) fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.rows_mut().flat_map(|rows| rows.span.iter_mut())
    }

    pub(super) fn times_mut(&mut self) -> impl Iterator<Item = &mut Ns> {
        let times = [
            &mut self.samples.time,
            &mut self.switches.time,
            &mut self.memory_events.time,
            &mut self.metric_samples.time,
        ];
        times.into_iter().flat_map(|times| times.iter_mut())
    }

    /// The facts.
    pub(super) fn facts(
        self,
        memory: &Memory,
        machine: &Machine,
    ) -> (HostFacts, MemoryEventFacts, MetricSampleFacts) {
        let threads = |ids: &KeyColumn<i64>| -> Buffer<Maybe<ThreadId>> {
            ids.resolve(memory, |tid| machine.thread(tid))
        };
        let (stack_offsets, stack_frames) = self.stacks.by_sample(memory, &self.samples.id);
        let host = HostFacts {
            mpi: mpi_facts(memory, &self.mpi, &threads),
            os_calls: self.os_calls.map(|calls| OsCallFacts {
                thread: threads(&calls.rows.global_tid).into_column(),
                span: calls.rows.span.into_column(),
                name: calls.rows.name.into_column(),
                nesting: calls.nesting.into_column(),
            }),
            overheads: overhead_facts(memory, &self.overheads, &threads),
            samples: CpuSampleFacts {
                thread: threads(&self.samples.global_tid).into_column(),
                time: self.samples.time.into_column(),
            },
            stack_offsets,
            stack_frames,
            switches: SwitchFacts {
                thread: threads(&self.switches.global_tid).into_column(),
                time: self.switches.time.into_column(),
                switched_in: self.switches.switched_in.into_column(),
            },
            python: PythonFrameFacts::default(),
        };
        let (events, samples) = (self.memory_events, self.metric_samples);
        let device = events.process_and_device.resolve(memory, |key| machine.device(key));
        let memory_events = MemoryEventFacts {
            time: events.time.into_column(),
            device: device.into_column(),
            kind: events.kind.into_column(),
            operation: events.operation.into_column(),
            bytes: events.bytes.into_column(),
        };
        let gpu = samples.gpu.resolve(memory, |id| machine.gpu(id));
        let metric_samples = MetricSampleFacts {
            time: samples.time.into_column(),
            device: gpu.into_column(),
            metric: samples.metric.into_column(),
            value: samples.value.into_column(),
        };
        (host, memory_events, metric_samples)
    }
}

type Threads<'a> = &'a dyn Fn(&KeyColumn<i64>) -> Buffer<Maybe<ThreadId>>;

fn mpi_facts(memory: &Memory, tables: &[RawHostRows], threads: Threads<'_>) -> MpiCallFacts {
    let (span, thread, name) = host_columns(memory, tables.iter(), threads);
    MpiCallFacts { span, thread, name }
}

fn overhead_facts(
    memory: &Memory,
    tables: &[overheads::RawOverheads],
    threads: Threads<'_>,
) -> OverheadFacts {
    let (span, thread, name) = host_columns(memory, tables.iter().map(|table| &table.rows), threads);
    let mut kind = memory.buffer(span.len());
    tables.iter().for_each(|table| kind.extend(table.kind.iter().copied()));
    OverheadFacts { span, thread, name, kind: kind.into_column() }
}

type HostRowColumns = (FactColumn<(), Span>, FactColumn<(), Maybe<ThreadId>>, FactColumn<(), StrId>);

/// Spans, threads and names of several tables, one after the other.
fn host_columns<'a>(
    memory: &Memory,
    tables: impl Iterator<Item = &'a RawHostRows> + Clone,
    threads: Threads<'_>,
) -> HostRowColumns {
    let rows = tables.clone().map(|table| table.span.len()).sum();
    let (mut span, mut thread, mut name) = (memory.buffer(rows), memory.buffer(rows), memory.buffer(rows));
    for table in tables {
        span.extend(table.span.iter().copied());
        thread.extend(threads(&table.global_tid).iter().copied());
        name.extend(table.name.iter().copied());
    }
    (span.into_column(), thread.into_column(), name.into_column())
}
