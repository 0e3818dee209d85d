//! What is kept of a capture: everything that iterate, aggregate and the tables read.

use super::columns::Writer;
use super::parts::{read_groups, read_json, read_texts, write_groups, write_json, write_texts};
use super::reader::Reader;
use crate::correlate::{CallTimes, Correlation, Label, Launches, Mode, ModelConfig, OpCalls, TensorCores};
use crate::diagnostics::Diagnostics;
use crate::groups::Grouped;
use crate::ids::WorkId;
use crate::strings::StringPool;
use crate::trace::{
    ApiCalls, Device, GpuWork, JoinedRows, LaunchConfig, Process, Source, System, Thread, Trace,
};
use arrow::error::ArrowError;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::Write;

/// Everything that is no long column.
#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    source: Cow<'a, Source>,
    processes: Cow<'a, [Process]>,
    threads: Cow<'a, [Thread]>,
    devices: Cow<'a, [Device]>,
    system: Cow<'a, System>,
    joined: JoinedRows,
    kernels: usize,
    whole_graphs: usize,
    copies: usize,
    launch_configs: Cow<'a, [LaunchConfig]>,
    trace_diagnostics: Cow<'a, Diagnostics>,
    mode: Mode,
    mode_reason: Cow<'a, str>,
    labels: Cow<'a, [Label]>,
    model_config: Cow<'a, ModelConfig>,
    diagnostics: Cow<'a, Diagnostics>,
}

pub(super) fn write<W: Write>(
    trace: &Trace,
    correlation: &Correlation,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    let work = &trace.gpu_work;
    let rest = Rest {
        source: Cow::Borrowed(&trace.source),
        processes: Cow::Borrowed(&trace.processes),
        threads: Cow::Borrowed(&trace.threads),
        devices: Cow::Borrowed(&trace.devices),
        system: Cow::Borrowed(&trace.system),
        joined: trace.joined,
        kernels: work.kernels,
        whole_graphs: work.whole_graphs,
        copies: work.copies,
        launch_configs: Cow::Borrowed(&work.launch_configs),
        trace_diagnostics: Cow::Borrowed(&trace.diagnostics),
        mode: correlation.mode,
        mode_reason: Cow::Borrowed(&correlation.mode_reason),
        labels: Cow::Borrowed(&correlation.labels),
        model_config: Cow::Borrowed(&correlation.model_config),
        diagnostics: Cow::Borrowed(&correlation.diagnostics),
    };
    write_json("rest", &rest, columns)?;
    write_texts("strings", &trace.strings, columns)?;
    write_texts("names", &correlation.names, columns)?;
    columns.put("work.span", work.span.iter().copied())?;
    columns.put("work.device", work.device.iter().copied())?;
    columns.put("work.process", work.process.iter().copied())?;
    columns.put("work.api", correlation.launches.work_api.iter().copied())?;
    columns.put("kernel.short_name", work.short_name.iter().copied())?;
    columns.put("kernel.long_name", work.long_name.iter().copied())?;
    columns.put("kernel.graph", work.graph.iter().copied())?;
    columns.put("kernel.launch", work.launch.iter().copied())?;
    columns.put("kernel.tensor_cores", correlation.kernel_tensor_cores.iter().copied())?;
    columns.put("copy.kind", work.copy_kind.iter().copied())?;
    columns.put("api.span", trace.api_calls.span.iter().copied())?;
    columns.put("api.name", trace.api_calls.name.iter().copied())?;
    columns.put("api.kind", correlation.launches.api_kind.iter().copied())?;
    columns.put("call.span", correlation.calls.span.iter().copied())?;
    columns.put("call.thread", correlation.calls.thread.iter().copied())?;
    columns.put("call.label", correlation.calls.label.iter().copied())?;
    columns.put("call.forward", correlation.calls.forward.iter().copied())?;
    columns.put("call.times", correlation.times.iter().copied())?;
    write_groups("call.work", &correlation.work_by_call, columns)
}

/// Reads a capture.
pub(super) fn read(columns: &Reader) -> Result<(Trace, Correlation), ArrowError> {
    let rest: Rest<'_> = read_json("rest", columns)?;
    let ((work, tensor_cores), (api, calls)) = rayon::join(
        || (read_work(columns, &rest), columns.take("kernel.tensor_cores")),
        || rayon::join(|| read_api_calls(columns), || read_calls(columns)),
    );
    let (strings, names) = (read_texts("strings", columns)?, read_texts("names", columns)?);
    let rows = Rows { work: work?, tensor_cores: tensor_cores?, api: api?, calls: calls? };
    Ok(put_together(rest, strings, names, rows))
}

/// What there are many of.
#[derive(Default)]
struct Rows {
    work: GpuWork,
    tensor_cores: Vec<TensorCores>,
    api: Api,
    calls: Calls,
}

/// Reads a capture without its API calls, GPU work and op calls; other texts stand in for those of the trace.
pub(super) fn read_without_rows(
    columns: &Reader,
    strings: StringPool,
) -> Result<(Trace, Correlation), ArrowError> {
    Ok(put_together(read_json("rest", columns)?, strings, read_texts("names", columns)?, Rows::default()))
}

fn put_together(rest: Rest<'_>, strings: StringPool, names: StringPool, rows: Rows) -> (Trace, Correlation) {
    let (api_calls, launches) = rows.api;
    let (calls, times, work_by_call) = rows.calls;
    let trace = Trace {
        strings,
        processes: rest.processes.into_owned(),
        threads: rest.threads.into_owned(),
        devices: rest.devices.into_owned(),
        api_calls,
        gpu_work: rows.work,
        syncs: Default::default(),
        ranges: Default::default(),
        joined: rest.joined,
        system: rest.system.into_owned(),
        diagnostics: rest.trace_diagnostics.into_owned(),
        source: rest.source.into_owned(),
    };
    let correlation = Correlation {
        mode: rest.mode,
        mode_reason: rest.mode_reason.into_owned(),
        names,
        labels: rest.labels.into_owned(),
        calls,
        times,
        launches,
        work_by_call,
        kernel_tensor_cores: rows.tensor_cores,
        model_config: rest.model_config.into_owned(),
        diagnostics: rest.diagnostics.into_owned(),
    };
    (trace, correlation)
}

fn read_work(columns: &Reader, rest: &Rest<'_>) -> Result<GpuWork, ArrowError> {
    Ok(GpuWork {
        span: columns.take("work.span")?,
        device: columns.take("work.device")?,
        process: columns.take("work.process")?,
        correlation: Vec::new(),
        kernels: rest.kernels,
        whole_graphs: rest.whole_graphs,
        copies: rest.copies,
        short_name: columns.take("kernel.short_name")?,
        long_name: columns.take("kernel.long_name")?,
        graph: columns.take("kernel.graph")?,
        launch: columns.take("kernel.launch")?,
        launch_configs: rest.launch_configs.to_vec(),
        copy_kind: columns.take("copy.kind")?,
    })
}

type Api = (ApiCalls, Launches);

fn read_api_calls(columns: &Reader) -> Result<Api, ArrowError> {
    let api_calls = ApiCalls {
        span: columns.take("api.span")?,
        name: columns.take("api.name")?,
        thread: Vec::new(),
        correlation: Vec::new(),
    };
    let launches = Launches { api_kind: columns.take("api.kind")?, work_api: columns.take("work.api")? };
    Ok((api_calls, launches))
}

type Calls = (OpCalls, Vec<CallTimes>, Grouped<WorkId>);

fn read_calls(columns: &Reader) -> Result<Calls, ArrowError> {
    let calls = OpCalls {
        span: columns.take("call.span")?,
        thread: columns.take("call.thread")?,
        label: columns.take("call.label")?,
        forward: columns.take("call.forward")?,
    };
    Ok((calls, columns.take("call.times")?, read_groups("call.work", columns)?))
}
