//! Launch, queue and run times of kernels.
//!
//! ```text
//! thread   ──┤ call ├───────────────────────
//! stream   ───────────────┤ kernel ├─────────
//!            ╰ API ╯╰ queue ╯╰ run ─╯         total: from the start of the call to the later end
//! ```

use super::form::NsysForm;
use super::grouped_rows::Groups;
use super::launching_calls::Calls;
use super::printed_kernel_names::{KernelNames, NsysArguments};
use super::simple_sums::triple;
use super::source::Source;
use super::statistics::Statistics;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::base::ids::{ApiCallId, WorkId};
use crate::base::limits::{STATS_LAUNCHES, TooMuch};
use crate::base::time::Ns;
use crate::read::facts::global_ids::{pid, process_of, tid};

/// A kernel and the call that launched it.
#[derive(Clone, Copy)]
struct Execution {
    call: ApiCallId,
    kernel: WorkId,
}

/// Times of an execution.
struct Times {
    total: Ns,
    api: Ns,
    /// None if the kernel began before the call returned.
    queue: Option<Ns>,
    run: Ns,
}

impl Execution {
    fn times(self, source: Source<'_>) -> Times {
        let (call, kernel) = (source.call_span(self.call), source.work_span(self.kernel));
        Times {
            total: call.end.max(kernel.end) - call.start,
            api: call.length(),
            queue: Some(kernel.start - call.end).filter(|&queue| queue >= 0),
            run: kernel.length(),
        }
    }
}

/// Pairs of a kernel and its call, in the order of kernels.
fn executions(source: Source<'_>) -> Result<Vec<Execution>, TooMuch> {
    let (calls, mut room) = (Calls::new(source), source.room(&STATS_LAUNCHES));
    let mut executions = Vec::new();
    for kernel in source.kernels() {
        let of_kernel = calls.of(source, kernel, &mut room)?;
        executions.extend(of_kernel.map(|call| Execution { call, kernel }));
    }
    Ok(executions)
}

/// A row for each kernel with a call.
pub(super) fn trace<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let mut executions = executions(source)?;
    executions.sort_by_key(|execution| source.call_span(execution.call).start);
    let mut names = KernelNames::new(source, form, arguments)?;
    let kernel_names: Vec<u32> = executions.iter().map(|execution| names.of(execution.kernel)).collect();
    let texts = names.into_texts();
    let titles =
        ["API Start", "API Dur", "Queue Start", "Queue Dur", "Kernel Start", "Kernel Dur", "Total Dur"];
    let mut columns: Vec<NsysColumn> =
        titles.map(|title| NsysColumn::with_unit(title, NsysUnit::Time)).into();
    let last = ["PID", "TID", "DevId", "API Function", "GridXYZ", "BlockXYZ", "Kernel Name"];
    columns.extend(last.map(NsysColumn::plain));
    Ok(NsysReport::new(columns, executions.len(), move |row| {
        let execution = executions[row];
        let times = execution.times(source);
        let (call, kernel) = (source.call_span(execution.call), source.work_span(execution.kernel));
        let thread = source.call_thread(execution.call);
        let config = source.launch_config(execution.kernel);
        vec![
            NsysCell::Int(call.start),
            NsysCell::Int(times.api),
            NsysCell::int(times.queue.map(|_| call.end)),
            NsysCell::int(times.queue),
            NsysCell::Int(kernel.start),
            NsysCell::Int(times.run),
            NsysCell::Int(times.total),
            NsysCell::int(thread.map(pid)),
            NsysCell::int(thread.map(tid)),
            NsysCell::Int(source.records.work.ordinal[execution.kernel]),
            source.call_name(execution.call).map_or(NsysCell::Absent, NsysCell::text),
            NsysCell::text(triple(config.grid)),
            NsysCell::text(triple(config.block)),
            NsysCell::Text(texts[kernel_names[row] as usize].clone()),
        ]
    }))
}

/// What the rows of a group have in common: process, thread, GPU, call, kernel.
type Key<'a> = (Option<i64>, Option<i64>, i64, Option<&'a str>, u32);

/// Executions by thread, GPU, call and kernel.
pub(super) fn summary<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let mut names = KernelNames::new(source, form, arguments)?;
    let [mut total, mut api, mut queue, mut run]: [Groups<Key<'a>>; 4] =
        std::array::from_fn(|_| Groups::new());
    for execution in executions(source)? {
        let thread = source.call_thread(execution.call);
        let process = thread.map(process_of).map(pid);
        let ordinal = source.records.work.ordinal[execution.kernel];
        let key =
            (process, thread.map(tid), ordinal, source.call_name(execution.call), names.of(execution.kernel));
        let times = execution.times(source);
        total.add(key, Some(times.total));
        api.add(key, Some(times.api));
        queue.add(key, times.queue);
        run.add(key, Some(times.run));
    }
    let parts = [api, queue, run].map(Groups::into_statistics);
    let mut rows: Vec<(Key<'a>, [Statistics; 4])> = total
        .into_statistics()
        .into_iter()
        .enumerate()
        .map(|(row, (key, total))| {
            let [api, queue, run] = parts.each_ref().map(|part| part[row].1.clone());
            (key, [total, api, queue, run])
        })
        .collect();
    rows.sort_by(|(a, _), (b, _)| {
        let order = |key: &Key<'a>| (key.0, key.1, key.2, key.3);
        order(a).cmp(&order(b)).then_with(|| names.text(a.4).cmp(names.text(b.4)))
    });
    let average = |statistics: &[Statistics; 4]| statistics[0].average().unwrap_or(0.0);
    rows.sort_by(|(_, a), (_, b)| average(b).total_cmp(&average(a)));
    let texts = names.into_texts();
    Ok(NsysReport::new(summary_columns(), rows.len(), move |row| {
        let (key, statistics) = &rows[row];
        let mut cells = vec![NsysCell::int(key.0), NsysCell::int(key.1), NsysCell::Int(key.2)];
        cells.push(NsysCell::count(statistics[0].rows));
        cells.push(NsysCell::count(statistics[2].values));
        for part in statistics {
            cells.extend(super::grouped_rows::statistic_cells(NsysForm::V2023, part));
        }
        cells.push(key.3.map_or(NsysCell::Absent, NsysCell::text));
        cells.push(NsysCell::Text(texts[key.4 as usize].clone()));
        cells
    }))
}

fn summary_columns() -> Vec<NsysColumn> {
    const PARTS: [&str; 20] = [
        "TAvg", "TMed", "TMin", "TMax", "TStdDev", "AAvg", "AMed", "AMin", "AMax", "AStdDev", "QAvg", "QMed",
        "QMin", "QMax", "QStdDev", "KAvg", "KMed", "KMin", "KMax", "KStdDev",
    ];
    let mut columns: Vec<NsysColumn> =
        ["PID", "TID", "DevId", "Count", "QCount"].map(NsysColumn::plain).into();
    columns.extend(PARTS.map(|title| NsysColumn::with_unit(title, NsysUnit::Time)));
    columns.extend(["API Name", "Kernel Name"].map(NsysColumn::plain));
    columns
}
