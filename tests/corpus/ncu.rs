//! Real logs of Nsight Compute: every value and every figure equals what an independent program reads.

use dlprof_core::{Error, NcuFigures, NcuForm, NcuLaunch, NcuLog, TensorEvidence};
use serde_json::{Map, Value};
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
