//! What is kept of a capture: everything that iterate, aggregate and the tables read.

use super::columns::{Reader, Stored, Writer, damaged};
use crate::correlate::{
    ApiKind, CallTimes, Correlation, Label, Launches, Mode, ModelConfig, OpCalls, TensorCores,
};
use crate::diagnostics::Diagnostics;
use crate::groups::Grouped;
use crate::ids::{
    ApiCallId, DeviceId, LabelId, LaunchConfigId, OpCallId, ProcessId, StrId, ThreadId, WorkId,
};
use crate::strings::StringPool;
use crate::time::Span;
use crate::trace::{
    ApiCalls, Device, GpuWork, GraphOrigin, JoinedRows, LaunchConfig, Process, Source, System, Thread, Trace,
};
use arrow::datatypes::{Int64Type, UInt8Type, UInt32Type};
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
    columns.put("rest", &serde_json::to_vec(&rest).map_err(|error| damaged(&error.to_string()))?)?;
    write_texts("strings", &trace.strings, columns)?;
    write_texts("names", &correlation.names, columns)?;
    columns.put("work.span", &work.span)?;
    columns.put("work.device", &work.device)?;
    columns.put("work.process", &work.process)?;
    columns.put("work.api", &correlation.launches.work_api)?;
    columns.put("kernel.short_name", &work.short_name)?;
    columns.put("kernel.long_name", &work.long_name)?;
    columns.put("kernel.graph", &work.graph)?;
    columns.put("kernel.launch", &work.launch)?;
    columns.put("kernel.tensor_cores", &correlation.kernel_tensor_cores)?;
    columns.put("copy.kind", &work.copy_kind)?;
    columns.put("api.span", &trace.api_calls.span)?;
    columns.put("api.name", &trace.api_calls.name)?;
    columns.put("api.kind", &correlation.launches.api_kind)?;
    columns.put("call.span", &correlation.calls.span)?;
    columns.put("call.thread", &correlation.calls.thread)?;
    columns.put("call.label", &correlation.calls.label)?;
    columns.put("call.forward", &correlation.calls.forward)?;
    columns.put("call.times", &correlation.times)?;
    write_groups("call.work", &correlation.work_by_call, columns)
}

pub(super) fn read(columns: &Reader) -> Result<(Trace, Correlation), ArrowError> {
    let rest = columns.take::<u8>("rest")?;
    let rest: Rest<'_> = serde_json::from_slice(&rest).map_err(|error| damaged(&error.to_string()))?;
    let ((gpu_work, kernel_tensor_cores), (api, calls)) = rayon::join(
        || (read_work(columns, &rest), columns.take("kernel.tensor_cores")),
        || rayon::join(|| read_api_calls(columns), || read_calls(columns)),
    );
    let (api_calls, launches) = api?;
    let (calls, times, work_by_call) = calls?;
    let trace = Trace {
        strings: read_texts("strings", columns)?,
        processes: rest.processes.into_owned(),
        threads: rest.threads.into_owned(),
        devices: rest.devices.into_owned(),
        api_calls,
        gpu_work: gpu_work?,
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
        names: read_texts("names", columns)?,
        labels: rest.labels.into_owned(),
        calls,
        times,
        launches,
        work_by_call,
        kernel_tensor_cores: kernel_tensor_cores?,
        model_config: rest.model_config.into_owned(),
        diagnostics: rest.diagnostics.into_owned(),
    };
    Ok((trace, correlation))
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

fn write_groups<T: Stored, W: Write>(
    name: &str,
    groups: &Grouped<T>,
    columns: &mut Writer<W>,
) -> Result<(), ArrowError> {
    columns.put(&format!("{name}.offsets"), groups.offsets())?;
    columns.put(name, groups.items())
}

fn read_groups<T: Stored>(name: &str, columns: &Reader) -> Result<Grouped<T>, ArrowError> {
    let offsets = columns.take(&format!("{name}.offsets"))?;
    Grouped::from_parts(offsets, columns.take(name)?).ok_or_else(|| damaged("groups do not fit"))
}

fn write_texts<W: Write>(name: &str, texts: &StringPool, columns: &mut Writer<W>) -> Result<(), ArrowError> {
    let texts = || (0..texts.len()).map(|at| texts.get(StrId::new(at)));
    let bytes: Vec<u8> = texts().flat_map(str::bytes).collect();
    let lengths: Vec<i64> = texts().map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX)).collect();
    columns.put(name, &bytes)?;
    columns.put(&format!("{name}.lengths"), &lengths)
}

fn read_texts(name: &str, columns: &Reader) -> Result<StringPool, ArrowError> {
    let bytes: Vec<u8> = columns.take(name)?;
    let mut rest = std::str::from_utf8(&bytes).map_err(|_| damaged("a text is not UTF-8"))?;
    let mut texts = StringPool::default();
    for length in columns.take::<i64>(&format!("{name}.lengths"))? {
        let length = usize::try_from(length).map_err(|_| damaged("a text has no length"))?;
        let (text, behind) = rest.split_at_checked(length).ok_or_else(|| damaged("a text is cut off"))?;
        texts.intern(text);
        rest = behind;
    }
    Ok(texts)
}

macro_rules! stored_numbers {
    ($($type:ty: $raw:ty;)*) => {$(
        impl Stored for $type {
            type Raw = $raw;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<Self>) {
                raw.push(self);
            }
            fn are_valid(_: &[Self]) -> bool {
                true
            }
            fn take(raw: &[Self]) -> Self {
                raw[0]
            }
        }
    )*};
}

stored_numbers! {
    u8: UInt8Type;
    u32: UInt32Type;
    i64: Int64Type;
}

macro_rules! stored_ids {
    ($($id:ident)*) => {$(
        impl Stored for $id {
            type Raw = UInt32Type;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<u32>) {
                raw.push(u32::try_from(self.index()).unwrap_or(u32::MAX));
            }
            fn are_valid(_: &[u32]) -> bool {
                true
            }
            fn take(raw: &[u32]) -> Self {
                if raw[0] == u32::MAX { Self::NONE } else { Self::new(raw[0] as usize) }
            }
        }
    )*};
}

stored_ids! { ApiCallId DeviceId LabelId LaunchConfigId OpCallId ProcessId StrId ThreadId WorkId }

macro_rules! stored_words {
    ($($word:ident: $($variant:ident)*;)*) => {$(
        impl Stored for $word {
            type Raw = UInt8Type;
            const WIDTH: usize = 1;
            fn put(self, raw: &mut Vec<u8>) {
                raw.push(self as u8);
            }
            fn are_valid(raw: &[u8]) -> bool {
                raw.iter().all(|&raw| usize::from(raw) < [$(Self::$variant),*].len())
            }
            fn take(raw: &[u8]) -> Self {
                const WORDS: &[$word] = &[$($word::$variant),*];
                WORDS[usize::from(raw[0])]
            }
        }
    )*};
}

stored_words! {
    ApiKind: Plain Sync Memset Copy Kernel;
    GraphOrigin: None Node WholeGraph;
    TensorCores: Used NotUsed Unknown;
}

impl Stored for Span {
    type Raw = Int64Type;
    const WIDTH: usize = 2;
    fn put(self, raw: &mut Vec<i64>) {
        raw.extend([self.start, self.end]);
    }
    fn are_valid(raw: &[i64]) -> bool {
        raw.chunks_exact(2).all(|span| span[0] <= span[1])
    }
    fn take(raw: &[i64]) -> Self {
        Self { start: raw[0], end: raw[1] }
    }
}

impl Stored for CallTimes {
    type Raw = Int64Type;
    const WIDTH: usize = 5;
    fn put(self, raw: &mut Vec<i64>) {
        raw.extend([self.cpu_ns, self.gpu_ns, self.api_ns, self.cpu_overhead_ns, self.gpu_idle_ns]);
    }
    fn are_valid(_: &[i64]) -> bool {
        true
    }
    fn take(raw: &[i64]) -> Self {
        Self { cpu_ns: raw[0], gpu_ns: raw[1], api_ns: raw[2], cpu_overhead_ns: raw[3], gpu_idle_ns: raw[4] }
    }
}
