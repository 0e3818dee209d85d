//! Files of AMD's tools. What is recommended is what is read.

use super::json_start::begins_with_key;
use super::kind::{Kind, Sign, if_so};
use super::protobuf::{Field, fields, first_message};
use super::sample::Sample;

/// What is read of runs on AMD's GPUs.
pub(in crate::read) const RECORD: &str =
    "the database of rocprofv3 is read: `rocprofv3 --runtime-trace --output-format rocpd -- PROGRAM`";

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "an analysis of rocprof-compute: counters, no times of a run",
        several: "analyses of rocprof-compute: counters, no times of a run",
        hint: RECORD,
        sign: Sign::Tables(|tables| {
            ["compute_workload", "compute_kernel"].iter().all(|table| tables.contains(table))
        }),
    },
    Kind {
        one: "JSON of rocprofv3, which is not read",
        several: "JSON files of rocprofv3, which are not read",
        hint: RECORD,
        sign: Sign::Bytes(|sample| if_so(begins_with_key(sample, "rocprofiler-sdk-tool"))),
    },
    Kind {
        one: "one table of rocprofv3's CSV output",
        several: "tables of rocprofv3's CSV output",
        hint: RECORD,
        sign: Sign::Bytes(|sample| {
            let first = sample.lines().next()?.replace('"', "");
            if_so(["Kind,Agent_Id", "Domain,Function"].iter().any(|start| first.starts_with(start)))
        }),
    },
    Kind {
        one: "an OTF2 archive",
        several: "OTF2 archives",
        hint: RECORD,
        sign: Sign::Bytes(|sample| {
            if_so(
                sample.bytes().starts_with(b"OTF2")
                    || sample.ends_with(&[".otf2"]) && !sample.bytes().is_empty(),
            )
        }),
    },
    // Planes of XPlane are fields with the same number, so packets must have what only they have.
    Kind {
        one: "a Perfetto trace",
        several: "Perfetto traces",
        hint: "ui.perfetto.dev shows it; from torch give the JSON that `prof.export_chrome_trace` wrote",
        sign: Sign::Bytes(|sample| if_so(is_perfetto(sample))),
    },
];

/// Whether bytes are packets of Perfetto.
fn is_perfetto(sample: &Sample<'_>) -> bool {
    /// The time, the sequence and the clock of a packet.
    const OF_PACKETS: [u64; 3] = [8, 10, 58];
    let is_packet = |packet: &[u8]| {
        let known = |(number, field): (u64, Field<'_>)| {
            OF_PACKETS.contains(&number) && matches!(field, Field::Number)
        };
        fields(packet).any(known)
    };
    let Some(bytes) = sample.message().filter(|bytes| !super::frameworks::is_xplane(bytes)) else {
        return false;
    };
    let packets = || fields(bytes).take(8);
    let are_packets = packets().all(|(number, field)| number == 1 && matches!(field, Field::Bytes(_)))
        && packets().any(|(_, field)| matches!(field, Field::Bytes(packet) if is_packet(packet)));
    are_packets && first_message(bytes).is_some() || sample.ends_with(&[".pftrace", ".perfetto-trace"])
}
