//! Files of NVIDIA's tools.

use super::json_start::first_key;
use super::kind::{Kind, Sign, if_so};
use super::sample::Sample;
use std::path::Path;

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "an nsys report{}",
        several: "nsys reports",
        hint: "`nsys export --type sqlite --output {export} {file}` makes its SQLite export; give that",
        sign: Sign::NsysReport(nsys_report),
    },
    Kind {
        one: "a raw recording of nsys that was not made into a report",
        several: "raw recordings of nsys that were not made into reports",
        hint: "`QdstrmImporter -i {file}`, in folder host-linux-x64 of Nsight Systems, makes the report {report}; give that",
        sign: Sign::Bytes(|sample| if_so(sample.ends_with(&[".qdstrm"]) && !sample.is_json())),
    },
    Kind {
        one: "a Parquet export of nsys",
        several: "Parquet exports of nsys",
        hint: TO_SQLITE,
        sign: Sign::Folder(|_, inside| has_tables(inside, ".parquet")),
    },
    Kind {
        one: "an Arrow export of nsys",
        several: "Arrow exports of nsys",
        hint: TO_SQLITE,
        sign: Sign::Folder(|_, inside| has_tables(inside, ".arrow")),
    },
    Kind {
        one: "a table of a lake of dlprof-agg in Parquet form",
        several: "tables of a lake of dlprof-agg in Parquet form",
        hint: "give the folder of the lake: `dlprof-agg lake --help`",
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"PAR1") && is_of_lake(sample.path))),
    },
    Kind {
        one: "one table in Parquet form, as exports of nsys have them",
        several: "single tables in Parquet form, as exports of nsys have them",
        hint: TO_SQLITE,
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"PAR1"))),
    },
    Kind {
        one: "one table in Arrow form, as exports of nsys have them",
        several: "single tables in Arrow form, as exports of nsys have them",
        hint: TO_SQLITE,
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"ARROW1\0\0"))),
    },
    Kind {
        one: "a JSON-lines export of nsys",
        several: "JSON-lines exports of nsys",
        hint: TO_SQLITE,
        sign: Sign::Bytes(|sample| if_so(is_json_lines(sample))),
    },
    Kind {
        one: "an HDF5 file; nsys exports also to SQLite",
        several: "HDF5 files; nsys exports also to SQLite",
        hint: TO_SQLITE,
        sign: Sign::Bytes(|sample| if_so(sample.bytes().starts_with(b"\x89HDF\r\n\x1a\n"))),
    },
    Kind {
        one: "a report of Nsight Compute",
        several: "reports of Nsight Compute",
        hint: "print it with `ncu --import {file} --csv --page raw > run.ncu.csv`, and give that to command ncu of dlprof-agg",
        sign: Sign::Bytes(|sample| {
            if_so(
                sample.bytes().starts_with(b"NVR\0")
                    || sample.ends_with(&[".ncu-rep"]) && !sample.bytes().is_empty(),
            )
        }),
    },
    Kind {
        one: "a database of nvprof, which Nsight Systems replaced",
        several: "databases of nvprof, which Nsight Systems replaced",
        hint: "record the program anew with `nsys profile`",
        sign: Sign::Tables(|tables| {
            ["CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "StringTable"]
                .iter()
                .all(|table| tables.contains(table))
        }),
    },
    Kind {
        one: "a report of `nsys stats`",
        several: "reports of `nsys stats`",
        hint: "give the SQLite file that it was made from",
        sign: Sign::Bytes(|sample| {
            let first = sample.lines().next()?.replace('"', "");
            if_so(first.starts_with("Time (%),Total Time (ns)"))
        }),
    },
];

const TO_SQLITE: &str = "export the report as SQLite: `nsys export --type sqlite REPORT.nsys-rep`";

/// The version after the mark of a report; its name where bytes tell nothing.
fn nsys_report(sample: &Sample<'_>) -> Option<String> {
    if let Some(behind) = sample.start().strip_prefix(b"NVIDIA Tegra Profiler Report ") {
        let word: Vec<u8> =
            behind.iter().copied().take_while(|&byte| byte == b'@' || byte.is_ascii_digit()).collect();
        let version = String::from_utf8_lossy(&word).split('@').take(3).collect::<Vec<_>>().join(".");
        let is_known = version.split('.').filter(|part| !part.is_empty()).count() == 3;
        return Some(if is_known { format!(" (made by nsys {version})") } else { String::new() });
    }
    let says_nothing = !sample.start().is_empty() && !sample.is_packed() && !sample.is_json();
    if_so(says_nothing && sample.ends_with(&[".nsys-rep", ".qdrep"]))
}

/// Whether names are those of tables of nsys in one form.
fn has_tables(names: &[String], ending: &str) -> bool {
    let is_table = |name: &str| name.starts_with("CUPTI_") || name == "StringIds";
    names.iter().filter_map(|name| name.strip_suffix(ending)).any(is_table)
}

/// Whether a file lies where a lake has the tables of a capture.
fn is_of_lake(path: &Path) -> bool {
    let above = path.parent().and_then(Path::file_name).unwrap_or_default();
    above.to_string_lossy().starts_with("rank=")
}

/// Whether a text is a line of JSON for each event of nsys.
fn is_json_lines(sample: &Sample<'_>) -> bool {
    const EVENTS: [&str; 3] = ["\"CudaEvent\"", "\"NvtxEvent\"", "\"TraceProcessEvent\""];
    let is_typed = first_key(sample)
        .is_some_and(|(key, value)| key == "Type" && value.starts_with(|digit: char| digit.is_ascii_digit()));
    let first = || sample.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    is_typed
        || EVENTS.iter().any(|event| first().contains(event))
            && first().starts_with('{')
            && first().ends_with('}')
}
