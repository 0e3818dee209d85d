//! Real logs of Nsight Compute: every value and every figure equals what an independent program reads.

use dlprof_core::fuzzing::normal_kernel_name;
use dlprof_core::{
    Capture, DefaultRange, DiagnosticCode, Error, Judged, NcuFigures, NcuForm, NcuLaunch, NcuLevel, NcuLog,
    NcuOptions, OpenOptions, RangeChoice, ReadOptions, TensorCores, TensorEvidence, WorkId, measured_ops,
    ncu_cover, to_f64,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folder of the logs, where it is.
pub(crate) fn logs() -> Option<PathBuf> {
    dlprof_generate::corpus::folder().map(|folder| folder.join("ncu"))
}

fn references(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("reference")).expect("references") {
        let path = entry.expect("an entry").path();
        let log = folder.join(path.file_stem().expect("a name"));
        found.push((log, serde_json::from_slice(&std::fs::read(&path).expect("a reference")).expect("JSON")));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn is_equal(found: Option<f64>, expected: &Value) -> bool {
    match (found, expected.as_f64()) {
        (None, None) => expected.is_null(),
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-9 * found.abs().max(expected.abs()),
        _ => false,
    }
}

fn check(place: &str, found: Option<f64>, expected: &Value) {
    assert!(is_equal(found, expected), "{place}: {found:?}, expected {expected}");
}

#[test]
fn every_value_is_what_an_independent_program_reads() {
    let Some(folder) = logs() else { return };
    let (mut files, mut values) = (0, 0);
    for (path, expected) in references(&folder) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        files += 1;
        if let Some(code) = expected["refused"].as_str() {
            match NcuLog::read(&path, true) {
                Err(Error::NcuLog { refusal, .. }) => assert_eq!(refusal.code(), code, "{name}"),
                other => panic!("{name}: {other:?}"),
            }
            continue;
        }
        let log = NcuLog::read(&path, true).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_log(&name, &log, &expected);
        let launches = expected["launches"].as_array().expect("launches");
        assert_eq!(log.launches.len(), launches.len(), "{name}");
        for (launch, expected) in log.launches.iter().zip(launches) {
            let place = format!("{name}, launch {:?} `{:.40}`", launch.id, launch.kernel_name);
            check_identity(&place, launch, expected);
            values += check_metrics(&place, launch, expected);
            check_figures(&place, launch, &expected["derived"]);
        }
    }
    assert!(files >= 20 && values > 40_000, "{files} files, {values} values");
}

/// Figures need no more than what is kept of a log by default.
#[test]
fn figures_are_the_same_when_only_what_they_need_is_kept() {
    let Some(folder) = logs() else { return };
    for (path, _) in references(&folder) {
        let (Ok(all), Ok(few)) = (NcuLog::read(&path, true), NcuLog::read(&path, false)) else { continue };
        assert_eq!(all.launches.len(), few.launches.len());
        for (all, few) in all.launches.iter().zip(&few.launches) {
            assert_eq!(all.figures, few.figures, "{}: {}", path.display(), all.kernel_name);
            assert_eq!((all.grid, all.block, all.is_failed), (few.grid, few.block, few.is_failed));
            assert_eq!(all.compute_capability, few.compute_capability);
        }
    }
}

fn check_log(name: &str, log: &NcuLog, expected: &Value) {
    assert_eq!(log.form.as_str(), expected["form"].as_str().expect("a form"), "{name}");
    assert_eq!(u64::from(log.blocks), expected["blocks"].as_u64().expect("a count"), "{name}");
    let numbers = &expected["numbers"];
    assert_eq!(log.numbers.ambiguous_cells, numbers["ambiguous"].as_u64().expect("a count"), "{name}");
    assert_eq!(log.numbers.group_marks, numbers["group"].as_str().expect("marks"), "{name}");
    assert_eq!(log.numbers.decimal_marks, numbers["decimal"].as_str().expect("marks"), "{name}");
    let odd = |key: &str| expected["odd"][key].as_u64().unwrap_or(0);
    let oddities = &log.oddities;
    assert_eq!(oddities.failed_launches, odd("failed_launch"), "{name}");
    assert_eq!(oddities.conflicts, odd("conflict"), "{name}");
    assert_eq!(oddities.short_rows, odd("short_row"), "{name}");
    assert_eq!(oddities.truncated, odd("truncated"), "{name}");
    assert_eq!(oddities.tables_without_units, odd("no_units_row"), "{name}");
    assert_eq!(oddities.rules, expected["rules"].as_u64().expect("a count"), "{name}");
    let preamble = &expected["preamble"];
    assert_eq!(oddities.prof_lines, preamble["prof"].as_u64().expect("a count"), "{name}");
    assert_eq!(oddities.other_lines, preamble["other"].as_u64().expect("a count"), "{name}");
}

fn check_identity(place: &str, launch: &NcuLaunch, expected: &Value) {
    assert_eq!(&*launch.kernel_name, expected["name"].as_str().expect("a name"), "{place}");
    assert_eq!(&*launch.process_name, expected["process"].as_str().expect("a process"), "{place}");
    for (key, found) in [
        ("id", launch.id),
        ("pid", launch.process_id),
        ("context", launch.context),
        ("stream", launch.stream),
        ("device", launch.device),
        ("block_no", Some(i64::from(launch.block_number))),
    ] {
        assert_eq!(found, expected[key].as_i64(), "{place}: {key}");
    }
    assert_eq!(launch.compute_capability.as_deref(), expected["cc"].as_str(), "{place}");
    assert_eq!(Some(launch.invocations), expected["invocations"].as_u64(), "{place}");
    assert_eq!(launch.is_failed, expected["failed"].as_bool().unwrap_or(false), "{place}");
    let size = |key: &str| -> Option<[u64; 3]> {
        let sides: Vec<u64> = expected[key].as_array()?.iter().filter_map(Value::as_u64).collect();
        sides.try_into().ok()
    };
    assert_eq!((launch.block, launch.grid), (size("block"), size("grid")), "{place}");
    assert_eq!(launch.threads, expected["threads"].as_u64(), "{place}");
    assert_eq!(launch.blocks, expected["blocks"].as_u64(), "{place}");
    let ranges: Vec<(&str, &str)> =
        launch.ranges.iter().map(|range| (&*range.domain, &*range.text)).collect();
    let wanted: Vec<(&str, &str)> = expected["nvtx"]
        .as_array()
        .expect("ranges")
        .iter()
        .map(|range| (range["domain"].as_str().expect("a domain"), range["text"].as_str().expect("a text")))
        .collect();
    assert_eq!(ranges, wanted, "{place}");
}

fn check_metrics(place: &str, launch: &NcuLaunch, expected: &Value) -> usize {
    let metrics = expected["metrics"].as_object().expect("metrics");
    let instances = expected["instances"].as_object().expect("instances");
    assert_eq!(launch.metrics.len(), metrics.len(), "{place}: metrics");
    for metric in &launch.metrics {
        let place = format!("{place}: {}", metric.name);
        let wanted = metrics.get(&*metric.name).unwrap_or_else(|| panic!("{place} is not expected"));
        check(&place, metric.value, &wanted["v"]);
        assert_eq!(&*metric.unit, wanted["u"].as_str().expect("a unit"), "{place}");
        if let Some([least, most]) = metric.extent {
            check(&format!("{place}: least"), least, &wanted["min"]);
            check(&format!("{place}: most"), most, &wanted["max"]);
        }
        let none = Map::new();
        let wanted = instances.get(&*metric.name).map_or(&none, |parts| parts.as_object().expect("parts"));
        assert_eq!(metric.instances.len(), wanted.len(), "{place}: parts");
        for (key, value) in &metric.instances {
            check(&format!("{place}: {key}"), Some(*value), &wanted[&**key]);
        }
    }
    let texts = expected["texts"].as_object().expect("texts");
    assert_eq!(launch.texts.len(), texts.len(), "{place}: texts");
    for (name, text) in &launch.texts {
        assert_eq!(Some(&**text), texts[&**name].as_str(), "{place}: {name}");
    }
    metrics.len()
}

fn check_figures(place: &str, launch: &NcuLaunch, expected: &Value) {
    let figures: &NcuFigures = &launch.figures;
    let vector = |key: &str| expected["flop_vector"].get(key).cloned().unwrap_or(Value::Null);
    for (key, found, wanted) in [
        ("fp32", figures.fp32_flop, vector("fp32")),
        ("fp64", figures.fp64_flop, vector("fp64")),
        ("fp16", figures.fp16_flop, vector("fp16")),
    ] {
        check(&format!("{place}: {key}"), found, &wanted);
    }
    for (key, found) in [
        ("duration_ns", figures.duration_ns),
        ("sm_hz", figures.sm_hz),
        ("sm_cycles", figures.sm_cycles),
        ("dram_read_bytes", figures.dram_read_bytes),
        ("dram_write_bytes", figures.dram_write_bytes),
        ("dram_bytes", figures.dram_bytes),
        ("l2_bytes", figures.l2_bytes),
        ("l1_bytes", figures.l1_bytes),
        ("flop", figures.flop),
        ("flop_per_s", figures.flop_per_s()),
        ("dram_bytes_per_s", figures.dram_bytes_per_s()),
        ("intensity_dram", figures.intensity()),
        ("intensity_l2", figures.l2_intensity()),
        ("intensity_l1", figures.l1_intensity()),
        ("roof_dram_bytes_per_s", figures.dram_roof_bytes_per_s),
        ("roof_fp32_flop_per_s", figures.fp32_roof_flop_per_s),
        ("sm_percent", figures.sm_percent),
        ("memory_percent", figures.memory_percent),
        ("dram_percent", figures.dram_percent),
        ("l2_percent", figures.l2_percent),
        ("l1_percent", figures.l1_percent),
        ("achieved_occupancy_percent", figures.achieved_occupancy_percent),
        ("theoretical_occupancy_percent", figures.theoretical_occupancy_percent),
        ("waves", figures.waves),
        ("tensor_active_percent", figures.tensor_active_percent),
        ("tensor_elapsed_percent", figures.tensor_elapsed_percent),
        ("sectors_per_request_ld", figures.sectors_per_request_ld),
        ("sectors_per_request_st", figures.sectors_per_request_st),
        ("sector_use_percent_ld", figures.sector_use_percent_ld),
        ("sector_use_percent_st", figures.sector_use_percent_st),
        ("top_stall_percent", figures.top_stall_percent),
    ] {
        check(&format!("{place}: {key}"), found, expected.get(key).unwrap_or(&Value::Null));
    }
    assert_eq!(figures.top_stall.as_deref(), expected.get("top_stall").and_then(Value::as_str), "{place}");
    assert_eq!(figures.bound.map(dlprof_core::NcuBound::as_str), expected["bound"].as_str(), "{place}");
    assert_eq!(figures.tensor_cores, expected["tensor_cores"].as_bool(), "{place}: Tensor Cores");
    let evidence = figures.tensor_cores_evidence.map(|evidence| match evidence {
        TensorEvidence::Ops => "ops_path",
        TensorEvidence::Opcodes => "opcodes",
        TensorEvidence::Pipe => "pipe",
    });
    let wanted = expected["tensor_cores_source"].as_str().filter(|source| *source != "pipe_doubtful");
    assert_eq!(evidence, wanted, "{place}");
    match (&figures.tensor_flop, expected["flop_tensor"].as_object()) {
        (None, None) => {}
        (Some(found), Some(wanted)) => {
            assert_eq!(found.len(), wanted.len(), "{place}: precisions");
            for (precision, flop) in found {
                check(&format!("{place}: {}", precision.as_str()), Some(*flop), &wanted[precision.as_str()]);
            }
        }
        other => panic!("{place}: {other:?}"),
    }
    let lacks: Vec<&str> = expected["flop_lacks"]
        .as_array()
        .map_or_else(Vec::new, |names| names.iter().filter_map(Value::as_str).collect());
    assert_eq!(figures.flop_lacks, lacks, "{place}");
}

/// The same report in several forms gives the same values, up to the digits of each.
#[test]
fn the_same_report_in_another_form_says_the_same() {
    let Some(folder) = logs() else { return };
    let read = |name: &str| NcuLog::read(&folder.join(name), false).expect("a log");
    let raw = read("a100-b2bgemm-s8-2024.1-raw-base.csv");
    let details = read("a100-b2bgemm-s8-2024.1-details-base.csv");
    assert_eq!(details.form, NcuForm::Details);
    for (raw, details) in raw.launches.iter().zip(&details.launches) {
        assert_eq!(raw.kernel_name, details.kernel_name);
        for (raw, details) in [
            (raw.figures.duration_ns, details.figures.duration_ns),
            (raw.figures.sm_percent, details.figures.sm_percent),
            (raw.figures.achieved_occupancy_percent, details.figures.achieved_occupancy_percent),
        ] {
            assert_eq!(raw.is_some(), details.is_some());
            assert!(
                raw.zip(details)
                    .is_none_or(|(raw, details)| (raw - details).abs() <= 0.0051 * raw.abs().max(1.0))
            );
        }
    }
}

/// A generated log and what was planted in it.
struct Planted {
    capture: PathBuf,
    rows: Vec<Row>,
    truth: Value,
    folder: PathBuf,
}

/// A kernel of the capture, as the generator saw it.
#[derive(Clone)]
struct Row {
    gpu_start_ns: i64,
    gpu_time_ns: i64,
    op_id: String,
}

const STEM: &str = "dlprof-torch-relu-2070s-2022.1.3";

fn planted() -> Option<Planted> {
    let folder = logs()?.join("generated");
    let mut rows = Vec::new();
    let mut reader = csv::Reader::from_path(folder.join(format!("{STEM}.kernels.csv"))).expect("kernels");
    let headers = reader.headers().expect("a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name).expect("a column");
    let (start, time, op) = (column("gpu_start_ns"), column("gpu_time_ns"), column("op_id"));
    for record in reader.records() {
        let record = record.expect("a row");
        rows.push(Row {
            gpu_start_ns: record[start].parse().expect("a time"),
            gpu_time_ns: record[time].parse().expect("a time"),
            op_id: record[op].to_owned(),
        });
    }
    let truth = std::fs::read(folder.join(format!("{STEM}.truth.json"))).expect("the truth");
    Some(Planted {
        capture: dlprof_generate::corpus::folder()?.join(format!("{STEM}.sqlite")),
        rows,
        truth: serde_json::from_slice(&truth).expect("JSON"),
        folder,
    })
}

/// The generator says that its GPUs are others than that of the capture.
fn options(logs: &[PathBuf]) -> ReadOptions<'static> {
    ReadOptions { ncu: NcuOptions { logs: logs.to_vec(), is_same_gpu: true }, ..ReadOptions::default() }
}

fn kernel_at(capture: &Capture, row: &Row) -> WorkId {
    let mut kernels = (0..capture.kernels.len()).map(WorkId::new);
    let is_row = |kernel: &WorkId| capture.work.span[*kernel].start == row.gpu_start_ns;
    kernels.find(is_row).expect("the kernel of a row")
}

#[test]
fn generated_logs_are_joined_as_they_were_planted() {
    let Some(planted) = planted() else { return };
    let mut compared = 0;
    for (name, truth) in planted.truth["logs"].as_object().expect("logs") {
        let log = planted.folder.join(format!("{STEM}.{name}.csv"));
        let capture = Capture::read(&planted.capture, &options(&[log])).expect("a capture");
        let counters = capture.counters.clone().expect("counters");
        let is_scaled = name.starts_with("raw");
        for (row, wanted) in truth["rows"].as_object().expect("rows") {
            let level = wanted["level"].as_str().expect("a level");
            if level == "any" {
                continue;
            }
            let kernel = kernel_at(&capture, &planted.rows[row.parse::<usize>().expect("a row")]);
            let place = format!("{name}, row {row}");
            assert_eq!(counters.level(kernel).as_str(), level, "{place}");
            let figures = counters.of(kernel).map(|measured| measured.figures.clone()).unwrap_or_default();
            // Scaled cells have fewer digits.
            let most = if is_scaled { 2e-3 } else { 5e-6 };
            for (key, found) in [("duration_ns", figures.duration_ns), ("dram_bytes", figures.dram_bytes)] {
                if let Some(wanted) = wanted[key].as_f64() {
                    let found = found.unwrap_or_else(|| panic!("{place}: {key}"));
                    assert!(
                        (found - wanted).abs() <= most * wanted,
                        "{place}: {key} {found}, planted {wanted}"
                    );
                    compared += 1;
                }
            }
            if let (Some(vector), Some(tensor)) = (wanted["flop32"].as_f64(), wanted["flop_tensor"].as_f64())
            {
                let found = figures.flop.unwrap_or_else(|| panic!("{place}: FLOP"));
                assert!((found - vector - tensor).abs() <= 1e-6 * found, "{place}: {found}");
                compared += 1;
            }
            if let Some(is_used) = wanted["tensor_cores"].as_bool() {
                let wanted = if is_used { TensorCores::Used } else { TensorCores::NotUsed };
                assert_eq!(capture.judged.tensor_cores[kernel], wanted, "{place}: Tensor Cores");
                compared += 1;
            }
        }
        let only: Vec<&str> = counters.only_in_logs.iter().map(|(name, _)| &**name).collect();
        let planted_only = truth["ncu_only"].as_array().expect("names");
        assert_eq!(only.len(), planted_only.len(), "{name}: {only:?}");
        for planted in planted_only.iter().filter_map(Value::as_str) {
            assert!(only.iter().any(|only| only.ends_with(planted)), "{name}: {only:?}");
        }
    }
    assert!(compared > 600, "{compared} figures");
}

/// Without an option a log of another GPU gives what belongs to the code, and nothing else.
#[test]
fn counters_of_another_gpu_are_not_taken_over() {
    let Some(planted) = planted() else { return };
    let log = planted.folder.join(format!("{STEM}.details-2024.csv"));
    let mut options = options(&[log]);
    options.ncu.is_same_gpu = false;
    let capture = Capture::read(&planted.capture, &options).expect("a capture");
    let counters = capture.counters.clone().expect("counters");
    assert!(capture.diagnostics.counted(DiagnosticCode::NcuOtherGpu) > 0);
    for row in &planted.rows {
        let Some(measured) = counters.of(kernel_at(&capture, row)) else { continue };
        assert_eq!(
            (measured.figures.flop, measured.figures.dram_bytes, measured.figures.sm_percent),
            (None, None, None)
        );
        assert!(measured.figures.tensor_cores.is_some());
        assert_eq!(measured.level, NcuLevel::Name, "nothing but what belongs to the code");
    }
    let asked = OpenOptions { read: options, ..OpenOptions::default() };
    let judged = Capture::open(&planted.capture, &asked, None).expect("a profile");
    let cover = ncu_cover(&judged).expect("counters");
    assert_eq!(
        (cover.measured_percent() > 0.0, cover.other_gpu_percent() > 10.0),
        (false, true),
        "{cover:?}"
    );
}

/// The share of Tensor Core time equals what the planted answers make of the durations of kernels, and FLOP of ops the sum of
/// the planted ones.
#[test]
fn figures_of_ops_follow_from_the_counters() {
    let Some(planted) = planted() else { return };
    let log = planted.folder.join(format!("{STEM}.details-2024.csv"));
    let truth = planted.truth["logs"]["details-2024"]["rows"].clone();
    let asked = OpenOptions {
        read: options(&[log]),
        range: RangeChoice { otherwise: DefaultRange::All, ..RangeChoice::default() },
        ..OpenOptions::default()
    };
    let judged = Capture::open(&planted.capture, &asked, None).expect("a profile");
    let mut tensor_ns = BTreeMap::new();
    let mut bytes = BTreeMap::new();
    for (at, row) in planted.rows.iter().enumerate() {
        let planted = &truth[at.to_string()];
        let is_used = planted["tensor_cores"].as_bool();
        if is_used == Some(true) {
            *tensor_ns.entry(row.op_id.clone()).or_insert(0) += row.gpu_time_ns;
        }
        let sum = bytes.entry(row.op_id.clone()).or_insert(Some(0.0));
        *sum = sum.zip(planted["dram_bytes"].as_f64()).map(|(sum, bytes)| sum + bytes);
    }
    let by_name = Capture::read(&planted.capture, &ReadOptions::default()).expect("a capture");
    let mut checked = 0;
    for op in measured_ops(&judged) {
        let id = judged.op_id(op.op).to_owned();
        if let Some(Some(bytes)) = bytes.get(&id) {
            let found = op.dram_bytes.unwrap_or_else(|| panic!("{id}: bytes"));
            assert!((found - bytes).abs() < 1e-6 * bytes, "{id}: {found}, planted {bytes}");
            checked += 1;
        }
        let stats = judged.op_stats.iter().find(|stats| stats.op == op.op).expect("an op");
        let mut of_op = planted.rows.iter().enumerate().filter(|(_, row)| row.op_id == id);
        let is_known = of_op.all(|(at, _)| truth[at.to_string()]["level"] != "none");
        if is_known {
            let wanted = tensor_ns.get(&id).copied().unwrap_or(0);
            assert_eq!(stats.kernels.tc_gpu_ns, wanted, "{id}: time on Tensor Cores");
            assert_eq!(stats.uses_tc, wanted > 0, "{id}");
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked} ops");
    check_efficiency(&judged, &planted);
    assert!(by_name.counters.is_none());
    assert_ne!(
        judged.capture.judged.tensor_cores[..],
        by_name.judged.tensor_cores[..],
        "names say another thing"
    );
}

/// Names of the shared captures stay apart, and a log that spells them anew finds each of them.
#[test]
fn counters_of_several_logs_complete_each_other() {
    let Some(planted) = planted() else { return };
    let log = |name: &str| planted.folder.join(format!("{STEM}.{name}.csv"));
    let logs = [log("details-2024"), log("raw-2025")];
    let both = Capture::read(&planted.capture, &options(&logs)).expect("a capture");
    let first = Capture::read(&planted.capture, &options(&logs[..1])).expect("a capture");
    let (both, first) = (both.counters.clone().expect("counters"), first.counters.clone().expect("counters"));
    let mut completed = 0;
    for kernel in (0..planted.rows.len()).map(WorkId::new) {
        assert!(both.level(kernel) <= first.level(kernel));
        let flop = |counters: &dlprof_core::Counters| counters.of(kernel).and_then(|one| one.figures.flop);
        completed += usize::from(flop(&first).is_none() && flop(&both).is_some());
    }
    assert!(completed > 0, "the second log has opcodes, the first has none");
}

/// Tensor Core efficiency by hand: time of kernels that were planted to use Tensor Cores, over the kernel time of ops that are
/// eligible or have such a kernel. The kernel that was never profiled does not use them by its name.
fn check_efficiency(judged: &Judged, planted: &Planted) {
    let truth = &planted.truth["logs"]["details-2024"]["rows"];
    let is_used = |at: usize| truth[at.to_string()]["tensor_cores"].as_bool() == Some(true);
    let rows = || planted.rows.iter().enumerate();
    let using: BTreeSet<&str> =
        rows().filter(|(at, _)| is_used(*at)).map(|(_, row)| row.op_id.as_str()).collect();
    let eligible: BTreeSet<&str> = judged
        .op_stats
        .iter()
        .filter(|stats| stats.tc_eligible)
        .map(|stats| judged.op_id(stats.op))
        .collect();
    let counts = |row: &Row| using.contains(row.op_id.as_str()) || eligible.contains(row.op_id.as_str());
    let tensor_ns: i64 = rows().filter(|(at, _)| is_used(*at)).map(|(_, row)| row.gpu_time_ns).sum();
    let all_ns: i64 = rows().filter(|(_, row)| counts(row)).map(|(_, row)| row.gpu_time_ns).sum();
    let wanted = 100.0 * to_f64(tensor_ns) / to_f64(all_ns);
    let found = judged.summary.tc_utilization_percent.expect("an efficiency");
    assert!((found - wanted).abs() < 1e-9, "{found}, by hand {wanted}");
    assert!(tensor_ns > 0 && wanted < 100.0);
}

/// Names of the kernels of a capture.
fn kernel_names(path: &Path) -> BTreeSet<String> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let sql = "select distinct value from StringIds where id in (select demangledName from CUPTI_ACTIVITY_KIND_KERNEL)";
    let names = |connection: rusqlite::Connection| {
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect::<Result<BTreeSet<String>, _>>()
    };
    // Captures without kernels have no such table.
    rusqlite::Connection::open_with_flags(path, flags).and_then(names).unwrap_or_default()
}

/// A name as `ncu` from 2024.3 on writes it: without namespaces and casts of numbers.
fn renamed(name: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            rest = &rest[c.len_utf8()..];
        } else if let Some(behind) = rest.strip_prefix("::<unnamed>::").filter(|_| !word.is_empty()) {
            word.clear();
            text.push_str("unnamed>::");
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("::").filter(|_| !word.is_empty()) {
            word.clear();
            rest = behind;
        } else {
            text.push_str(&std::mem::take(&mut word));
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    text + &word
}

#[test]
fn names_of_kernels_stay_apart_in_every_spelling() {
    if logs().is_none() {
        return;
    }
    let mut known = BTreeSet::new();
    for path in dlprof_generate::corpus::corpus() {
        let mut normal: BTreeMap<String, String> = BTreeMap::new();
        for name in kernel_names(&path) {
            let found = normal_kernel_name(&name);
            assert_eq!(normal_kernel_name(&found), found, "{name}");
            let casts = name.replace("<4,", "<(int)4,").replace("<4>", "<(int)4>");
            assert_eq!(normal_kernel_name(&casts), found, "{casts}");
            assert_eq!(normal_kernel_name(&renamed(&name)), found, "{name}");
            known.insert(found.clone());
            if let Some(other) = normal.insert(found, name.clone()) {
                panic!("{}: two names become one: {other} and {name}", path.display());
            }
        }
    }
    assert!(known.len() > 300, "{} names", known.len());
}
