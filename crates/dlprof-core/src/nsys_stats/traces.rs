//! Reports with a row for every call or GPU operation.

use super::form::NsysForm;
use super::labels;
use super::printed_kernel_names::{KernelNames, NsysArguments};
use super::source::Source;
use super::statistics::round_shortest;
use super::table::{NsysCell, NsysColumn, NsysReport, NsysUnit};
use crate::base::ids::{ApiCallId, WorkId};
use crate::base::limits::TooMuch;
use crate::base::time::Ns;
use crate::read::facts::global_ids::{pid, tid};
use crate::read::facts::{LaunchConfig, ThreadNameRecord};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Every CUDA API call, in order of start. A thread that is listed twice doubles its rows.
pub(super) fn api_calls<'a>(source: Source<'a>, form: NsysForm) -> NsysReport<'a> {
    let mut by_thread: FxHashMap<i64, Vec<&ThreadNameRecord>> = FxHashMap::default();
    for record in &source.records.thread_names {
        if let Some(thread) = record.global_tid {
            by_thread.entry(thread).or_default().push(record);
        }
    }
    let mut rows: Vec<(ApiCallId, Option<&ThreadNameRecord>)> = Vec::new();
    for call in source.calls() {
        let listed = source.call_thread(call).and_then(|thread| by_thread.get(&thread));
        match listed {
            Some(records) if form == NsysForm::Right => rows.push((call, records.last().copied())),
            Some(records) => rows.extend(records.iter().map(|&record| (call, Some(record)))),
            None => rows.push((call, None)),
        }
    }
    rows.sort_by_key(|&(call, _)| source.call_span(call).start);
    let start = if form == NsysForm::V2020 { "Start Time" } else { "Start" };
    let mut columns =
        vec![NsysColumn::with_unit(start, NsysUnit::Time), NsysColumn::with_unit("Duration", NsysUnit::Time)];
    columns.extend(["Name", "Result", "CorrID", "Pid", "Tid", "T-Pri", "Thread Name"].map(NsysColumn::plain));
    NsysReport::new(columns, rows.len(), move |row| {
        let (call, record) = rows[row];
        let span = source.call_span(call);
        let thread = source.call_thread(call);
        vec![
            NsysCell::Int(span.start),
            NsysCell::Int(span.length()),
            source.call_name(call).map_or(NsysCell::Absent, NsysCell::text),
            NsysCell::Int(source.records.api_calls.result[call]),
            NsysCell::int(source.call_correlation(call).map(i64::from)),
            NsysCell::int(thread.map(pid)),
            NsysCell::int(thread.map(tid)),
            NsysCell::int(record.and_then(|record| record.priority)),
            record.and_then(|record| source.text(record.name)).map_or(NsysCell::Absent, NsysCell::text),
        ]
    })
}

/// Kernels, copies and memsets, in order of start.
fn operations(source: Source<'_>) -> Vec<WorkId> {
    let mut work: Vec<WorkId> = source.kernels().chain(source.copies()).chain(source.memsets()).collect();
    work.sort_by_key(|&work| source.work_span(work).start);
    work
}

/// Every kernel, copy and memset, in order of start.
pub(super) fn gpu_work<'a>(
    source: Source<'a>,
    form: NsysForm,
    arguments: &NsysArguments,
) -> Result<NsysReport<'a>, TooMuch> {
    let mut names = KernelNames::new(source, form, arguments)?;
    let kernel_count = source.capture.kernels.short_name.len();
    let work = operations(source);
    let of_kernel: Vec<u32> =
        work.iter().map(|&work| if work.index() < kernel_count { names.of(work) } else { 0 }).collect();
    let texts = names.into_texts();
    let gpus = gpu_names(source, form);
    let columns = gpu_work_columns(form);
    Ok(NsysReport::new(columns, work.len(), move |row| {
        let id = work[row];
        let is_kernel = id.index() < kernel_count;
        let is_copy = source.copies_have(id);
        let name = match (is_kernel, is_copy) {
            (true, _) => Some(texts[of_kernel[row] as usize].clone()),
            (false, true) => labels::copy(source, form, id),
            (false, false) => Some(labels::MEMSET.into()),
        };
        let mut cells = start_cells(source, form, id);
        cells.extend(shape_cells(form, is_kernel.then(|| source.launch_config(id))));
        let bytes = (!is_kernel).then(|| source.bytes(id));
        cells.push(NsysCell::int(bytes));
        cells.push(throughput(form, bytes, source.work_span(id).length()));
        cells.extend(
            source
                .memory_kinds(id)
                .map(|kind| labels::memory(source, form, kind).map_or(NsysCell::Absent, NsysCell::text)),
        );
        let ordinal = source.records.work.ordinal[id];
        cells.push(gpus.get(&ordinal).map_or(NsysCell::Absent, |name| NsysCell::text(name.clone())));
        let [context, stream] = source.stream(id);
        cells.push(NsysCell::Int(context));
        if form.is_new() {
            cells.push(NsysCell::int(Some(source.records.work.green_context[id]).filter(|&id| id != 0)));
        }
        cells.push(NsysCell::Int(stream));
        cells.push(name.map_or(NsysCell::Absent, NsysCell::Text));
        cells
    }))
}

fn gpu_work_columns(form: NsysForm) -> Vec<NsysColumn> {
    let shape = ["CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd"].map(NsysColumn::plain);
    if form == NsysForm::V2020 {
        let start = ["Start(sec)", "Duration(nsec)"].map(NsysColumn::plain);
        let last = [
            "StcSMem",
            "DymSMem",
            "Bytes",
            "Thru(MB/s)",
            "SrcMemKd",
            "DstMemKd",
            "Device",
            "Ctx",
            "Strm",
            "Name",
        ];
        return start.into_iter().chain(shape).chain(last.map(NsysColumn::plain)).collect();
    }
    let mut columns: Vec<NsysColumn> =
        ["Start", "Duration"].map(|title| NsysColumn::with_unit(title, NsysUnit::Time)).into();
    columns.extend(shape);
    columns
        .extend(["StcSMem", "DymSMem", "Bytes"].map(|title| NsysColumn::with_unit(title, NsysUnit::Bytes)));
    let throughput = match form {
        // Kernels have none; the other absent values of this version print a word.
        NsysForm::V2022 => NsysColumn {
            title: "Throughput (MBps)",
            unit: NsysUnit::BytesPerSecond,
            shows_unit: false,
            absent: Some(""),
        },
        _ => NsysColumn::with_unit("Throughput", NsysUnit::BytesPerSecond),
    };
    columns.push(throughput);
    columns.extend(["SrcMemKd", "DstMemKd", "Device", "Ctx"].map(NsysColumn::plain));
    columns.extend(form.is_new().then(|| NsysColumn::plain("GreenCtx")));
    columns.extend(["Strm", "Name"].map(NsysColumn::plain));
    columns
}

/// Start, duration and correlation id.
fn start_cells<'a>(source: Source<'a>, form: NsysForm, work: WorkId) -> Vec<NsysCell<'a>> {
    let span = source.work_span(work);
    let start = match form {
        NsysForm::V2020 => NsysCell::Number(round_shortest(span.start as f64 / 1e9, 6)),
        _ => NsysCell::Int(span.start),
    };
    let correlation = NsysCell::int(source.work_correlation(work).map(i64::from));
    vec![start, NsysCell::Int(span.length()), correlation]
}

/// Grid, block, registers and shared memory.
fn shape_cells<'a>(_form: NsysForm, config: Option<LaunchConfig>) -> Vec<NsysCell<'a>> {
    let Some(config) = config else { return vec![NsysCell::Absent; 9] };
    let shape = config.grid.into_iter().chain(config.block).map(NsysCell::Int);
    let needs =
        [config.registers, config.static_shared_bytes, config.dynamic_shared_bytes].map(NsysCell::int);
    shape.chain(needs).collect()
}

/// Bytes per second. nsys divides a second by the duration as integers first, so that the figure is 0 beyond a second.
fn throughput<'a>(form: NsysForm, bytes: Option<i64>, length: Ns) -> NsysCell<'a> {
    let Some(bytes) = bytes.filter(|_| length > 0) else { return NsysCell::Absent };
    match form {
        NsysForm::V2020 => NsysCell::Number(round_shortest(bytes as f64 * 1000.0 / length as f64, 3)),
        NsysForm::Right => NsysCell::Real(bytes as f64 * 1e9 / length as f64),
        _ => NsysCell::Int(bytes.saturating_mul(1_000_000_000 / length)),
    }
}

/// Names of GPUs by number, with the number after the name.
fn gpu_names(source: Source<'_>, form: NsysForm) -> FxHashMap<i64, Cow<'_, str>> {
    let mut names = FxHashMap::default();
    let gpus = if form == NsysForm::V2020 { &source.records.cuda_gpus } else { &source.records.gpus };
    for gpu in gpus {
        if let (Some(id), Some(name)) = (gpu.id, &gpu.name) {
            names.entry(id).or_insert_with(|| format!("{name} ({id})").into());
        }
    }
    names
}
