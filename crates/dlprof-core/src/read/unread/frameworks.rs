//! Files of frameworks: PyTorch, JAX, TensorFlow, Huawei's.

use super::json_start::{compact, first_key};
use super::kind::{Kind, Sign, if_so};
use super::protobuf::{Field, fields};
use super::sample::Sample;

const GIVE_XPLANE: &str = "give the file that ends with .xplane.pb beside it";

const GIVE_TRACE: &str =
    "give the trace of the same run: `prof.export_chrome_trace(\"run.pt.trace.json.gz\")`";

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "a compiled program of XLA (HLO), not a recording",
        several: "compiled programs of XLA (HLO), not recordings",
        hint: GIVE_XPLANE,
        sign: Sign::Bytes(|sample| {
            if_so(
                sample.ends_with(&[".hlo_proto.pb", ".hlo"])
                    || sample.text().is_some_and(|text| text.starts_with("HloModule ")),
            )
        }),
    },
    Kind {
        one: "a cache of XProf",
        several: "caches of XProf",
        hint: GIVE_XPLANE,
        sign: Sign::Bytes(|sample| if_so(sample.ends_with(&XPROF_CACHES))),
    },
    Kind {
        one: "the viewer's copy of a JAX profile",
        several: "the viewer's copies of JAX profiles",
        hint: GIVE_XPLANE,
        sign: Sign::Bytes(|sample| {
            let text = compact(sample)?;
            let has = |part: &str| text.contains(part);
            let is_planes = has("\"name\":\"/host:") || has("\"name\":\"/device:");
            if_so(has("\"displayTimeUnit\":\"ns\"") && has("\"highres-ticks\":true") && is_planes)
        }),
    },
    Kind {
        one: "a memory snapshot of PyTorch: allocations, no times of kernels",
        several: "memory snapshots of PyTorch: allocations, no times of kernels",
        hint: "pytorch.org/memory_viz shows it; for times record a trace: `prof.export_chrome_trace(\"run.pt.trace.json.gz\")`",
        sign: Sign::Bytes(|sample| {
            let has = |word: &str| memchr::memmem::find(sample.bytes(), word.as_bytes()).is_some();
            // Of large ones the second list begins later than is looked at.
            let is_cut = || has("segment_type") && has("allocated_size");
            if_so(is_pickle(sample) && has("segments") && (has("device_traces") || is_cut()))
        }),
    },
    Kind {
        one: "a Python pickle, which is never unpacked here",
        several: "Python pickles, which are never unpacked here",
        hint: "",
        sign: Sign::Bytes(|sample| if_so(is_pickle(sample) && sample.last == Some(b'.'))),
    },
    Kind {
        one: "an execution trace of PyTorch (Chakra): ops and shapes, no GPU times",
        several: "execution traces of PyTorch (Chakra): ops and shapes, no GPU times",
        hint: "give the Kineto trace of the same run: `prof.export_chrome_trace(\"run.pt.trace.json.gz\")`",
        sign: Sign::Bytes(|sample| if_so(is_execution_trace(sample) || is_chakra(sample))),
    },
    Kind {
        one: "a memory timeline of torch.profiler: no times of kernels",
        several: "memory timelines of torch.profiler: no times of kernels",
        hint: GIVE_TRACE,
        sign: Sign::Bytes(|sample| {
            let text = compact(sample)?;
            let inside = text.strip_prefix("[[")?.trim_start_matches('[');
            if_so(inside.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-'))
        }),
    },
    Kind {
        one: "a printed table of torch.profiler",
        several: "printed tables of torch.profiler",
        hint: "`prof.export_chrome_trace(\"run.pt.trace.json.gz\")` writes what is read",
        sign: Sign::Bytes(|sample| {
            let mut lines = sample.lines().filter(|line| !line.trim().is_empty());
            let is_rule = lines.next()?.chars().all(|letter| matches!(letter, '-' | ' '));
            if_so(is_rule && lines.next()?.contains("Self CPU"))
        }),
    },
    Kind {
        one: "a TensorBoard log",
        several: "TensorBoard logs",
        hint: "give a profile that lies beside it: *.pt.trace.json of torch.profiler, plugins/profile/…/*.xplane.pb of JAX",
        sign: Sign::Bytes(|sample| {
            let start = &sample.bytes()[..sample.bytes().len().min(40)];
            if_so(memchr::memmem::find(start, b"\x1a\x0dbrain.Event:2").is_some())
        }),
    },
    Kind {
        one: ASCEND,
        several: "profiles of Huawei's Ascend NPUs, which are not read",
        hint: ASCEND_HINT,
        sign: Sign::Bytes(|sample| if_so(is_ascend_trace(sample) || is_ascend_table(sample))),
    },
    Kind {
        one: ASCEND,
        several: "profiles of Huawei's Ascend NPUs, which are not read",
        hint: ASCEND_HINT,
        sign: Sign::Folder(|path, inside| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with("_ascend_pt") || inside.iter().any(|name| name == "ASCEND_PROFILER_OUTPUT")
        }),
    },
];

const ASCEND: &str = "a profile of Huawei's Ascend NPUs, which are not read";

const ASCEND_HINT: &str = "MindStudio Insight shows it";

/// The ends of names of what XProf keeps beside a profile.
const XPROF_CACHES: [&str; 8] = [
    ".op_stats.pb",
    ".op_stats_v2.pb",
    ".overview_page.pb",
    ".input_pipeline.pb",
    ".kernel_stats.pb",
    ".tensorflow_stats.pb",
    ".memory_profile.pb",
    ".dcn_collective_stats.pb",
];

/// Whether a file is an XPlane profile: by its first plane, or by its name if it can be a message.
pub(in crate::read) fn is_profile_of_xla(sample: &Sample<'_>) -> bool {
    sample
        .message()
        .is_some_and(|bytes| is_xplane(bytes) || sample.ends_with(&[".xplane.pb", ".xplane.pb.gz"]))
}

/// Whether bytes are planes of XPlane: one of the first is named as a host or a device.
pub(super) fn is_xplane(bytes: &[u8]) -> bool {
    let is_name = |name: &[u8]| name.starts_with(b"/host:") || name.starts_with(b"/device:");
    let is_plane = |plane: &[u8]| {
        let names = |(number, field): (u64, Field<'_>)| matches!(field, Field::Bytes(name) if number == 2 && is_name(name));
        fields(plane).take(2).any(names)
    };
    fields(bytes)
        .take(8)
        .any(|(number, field)| matches!(field, Field::Bytes(plane) if number == 1 && is_plane(plane)))
}

/// Whether bytes begin as a pickle of protocol 2 to 5.
fn is_pickle(sample: &Sample<'_>) -> bool {
    matches!(sample.bytes(), [0x80, 2..=5, ..])
}

fn is_execution_trace(sample: &Sample<'_>) -> bool {
    let is_schema =
        first_key(sample).is_some_and(|(key, value)| key == "schema" && value.starts_with("\"1."));
    is_schema && sample.text().is_some_and(|text| text.contains("\"pid\"") && text.contains("\"nodes\""))
}

/// Whether bytes begin as Chakra's: a length, and a message that begins with the text of a version.
fn is_chakra(sample: &Sample<'_>) -> bool {
    let version = match sample.bytes() {
        [_, 0x0a, length, rest @ ..] => rest.get(..usize::from(*length)),
        _ => None,
    };
    let is_version =
        |text: &[u8]| text.contains(&b'.') && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
    version.is_some_and(is_version)
        || sample.ends_with(&[".et"]) && !sample.bytes().is_empty() && !sample.is_json()
}

fn is_ascend_trace(sample: &Sample<'_>) -> bool {
    const PROCESSES: [&str; 3] = ["AscendHardware", "CANN", "OverlapAnalysis"];
    let Some(text) = compact(sample).filter(|text| text.contains("\"process_name\"")) else { return false };
    PROCESSES.iter().any(|process| text.contains(&format!("\"args\":{{\"name\":\"{process}\"}}")))
}

fn is_ascend_table(sample: &Sample<'_>) -> bool {
    let first = sample.lines().next().unwrap_or_default();
    let columns: Vec<&str> = first.split(',').map(|column| column.trim().trim_matches('"')).collect();
    let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    has("Device_id") && has("Task ID")
}
