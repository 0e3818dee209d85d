//! Table `collectives` of captures of nsys, whose NCCL recorded what it exchanges.

use super::run::{Run, run, sample, temporary_folder};
use std::path::{Path, PathBuf};

/// The sample with a range of NCCL around the launch of each of its kernels, which has a payload.
fn with_payloads(folder: &Path, name: &str, payload: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::copy(sample(), &file).expect("a copy");
    let sql = format!(
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER,
             name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
         INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, type, name, offset) VALUES
             (1, 2, 0, 18, 'NCCL communicator ID', NULL), (1, 2, 1, 5, 'No. of ranks', 8), (1, 2, 2, 5, 'Rank', 12),
             (1, 7, 0, 18, 'NCCL communicator ID', NULL), (1, 7, 1, 22, 'Message size [bytes]', 8);
         CREATE TEMP TABLE launch AS SELECT call.start, call.end, call.globalTid
             FROM CUPTI_ACTIVITY_KIND_KERNEL AS kernel JOIN StringIds ON StringIds.id = kernel.shortName
             JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call ON call.correlationId = kernel.correlationId
             WHERE StringIds.value LIKE 'nccl%';
         INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId)
             SELECT min(start) - 9, 75, 'NCCL', globalTid, 1 FROM launch GROUP BY globalTid;
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData)
             SELECT min(start) - 8, min(start) - 5, 59, 'ncclCommInitRank', globalTid, 1, {} FROM launch GROUP BY globalTid;
         INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData, jsonText)
             SELECT start - 1, end + 1, 59, 'ncclAllReduce', globalTid, 1, {payload} FROM launch;",
        // Communicator 255 of four ranks, of which the process is the first.
        record(2, &[255, 4])
    );
    let opened = rusqlite::Connection::open(&file);
    opened.and_then(|export| export.execute_batch(&sql)).expect("an export");
    file
}

/// A payload in SQL: its head, and numbers.
fn record(schema: u64, numbers: &[u64]) -> String {
    let head = [1, schema, 8 * numbers.len() as u64, 32];
    let bytes = head.iter().chain(numbers).flat_map(|number| number.to_le_bytes());
    format!("x'{}'", bytes.map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// The cells of the only row of a table.
fn only_row(answer: &Run) -> Vec<String> {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", answer.stdout);
    lines[1].split(',').map(str::to_owned).collect()
}

#[test]
fn payloads_say_what_kernels_exchange() {
    let folder = temporary_folder();
    let binary =
        with_payloads(folder.path(), "binary.sqlite", &format!("{}, NULL", record(7, &[255, 1 << 20])));
    let json = r#"NULL, '{"commHash": "0xff", "count": 524288, "dataType": "ncclFloat16"}'"#;
    let json = with_payloads(folder.path(), "json.sqlite", json);
    let columns = "collective,data_type,message_bytes,process_group,ranks,rank_bytes,calls,gpu_time_ns";
    let of = |file: &PathBuf, data_type: &str| {
        // What all kernels of the aggregated iterations take, from a table that knows no payloads.
        let kernels =
            "show kernel_names --columns calls,gpu_time_ns --where kernel_kind=communication --format csv";
        let [calls, time]: [String; 2] = only_row(&run(kernels, &[file])).try_into().expect("two cells");
        let row = only_row(&run(&format!("show collectives --columns {columns} --format csv"), &[file]));
        assert_eq!(row, ["ncclAllReduce", data_type, "1048576", "0xff", "4", "1048576", &calls, &time]);
    };
    of(&binary, "");
    of(&json, "ncclFloat16");
}

#[test]
fn captures_without_payloads_say_how_to_get_them() {
    let folder = temporary_folder();
    let bare = with_payloads(folder.path(), "bare.sqlite", "NULL, NULL");
    let shown = run("show collectives", &[&bare]);
    assert_eq!(shown.code, 0, "{shown:?}");
    // The communicator is known, what each exchange moves is not.
    assert!(shown.stdout.contains("ncclAllReduce"), "{shown:?}");
    let opened = rusqlite::Connection::open(&bare);
    opened
        .and_then(|export| export.execute("UPDATE NVTX_EVENTS SET binaryData = NULL", []))
        .expect("an export");
    let shown = run("show collectives", &[&bare]);
    assert!(shown.stderr.contains("`nsys export --include-blobs=true`"), "{shown:?}");
    let shown = run("show collectives", &[&sample()]);
    assert!(shown.stderr.contains("the capture does not say what its collectives exchange"), "{shown:?}");
}
