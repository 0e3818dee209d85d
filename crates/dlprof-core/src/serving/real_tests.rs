//! The room against reference tables of TraceLens, of real traces of servers (shared corpus).

use super::tests::folder;
use super::{EngineLane, Serving};
use crate::capture::{Capture, ReadOptions};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn lane(trace: &str, capture_trace: Option<PathBuf>) -> Option<EngineLane> {
    let path = folder("real")?.join(trace);
    let options = ReadOptions { capture_trace, ..ReadOptions::default() };
    let serving = Serving::of(&Capture::read(&path, &options).expect("a trace"));
    Some(serving.main().expect("steps").clone())
}

/// Kernel time in nanoseconds by class of the innermost module, as a reference table says.
fn reference(case: &str) -> BTreeMap<String, f64> {
    let table = folder("real").expect("the corpus").join(case).join("perf_csvs/ops_summary_by_category.csv");
    let text = std::fs::read_to_string(table).expect("a table");
    let mut sums = BTreeMap::new();
    for row in text.lines().skip(1) {
        let module = row.split(',').nth(1).and_then(|cell| cell.strip_prefix("nn.Module: "));
        // Behind the list of the call stack: time and two percentages.
        let time: f64 = row.rsplit(',').nth(2).expect("a time").parse().expect("a number");
        if let Some(module) = module {
            *sums.entry(module.to_owned()).or_default() += time * 1e6;
        }
    }
    sums
}

#[test]
fn modules_have_the_times_of_the_reference_tables() {
    for (case, trace, share, joined) in [
        ("sglang_decode", "sglang_Qwen3-8B_decode.json.gz", 99.43, 1),
        ("vllm_decode_full", "graph_execution.json.gz", 99.91, 1),
        ("sglang_prefilldecode", "sglang_Qwen3-8B_prefilldecode.json.gz", 99.98, 0),
    ] {
        let Some(lane) = lane(&format!("{case}/{trace}"), None) else { return };
        let modules = &lane.modules;
        assert_eq!(modules.joined_graphs, joined, "{case}");
        assert!(crate::base::ratios::percent(modules.attributed_ns, modules.kernel_ns) >= share, "{case}");
        let mut found: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &modules.rows {
            let class = row.name.rsplit('/').next().expect("a class");
            *found.entry(class).or_default() += crate::base::ratios::to_f64(row.total_ns);
        }
        let reference = reference(case);
        assert!(reference.len() >= 2, "{case}");
        for (module, expected) in reference {
            let found = found.get(module.as_str()).copied().unwrap_or(0.0);
            assert!((found - expected).abs() <= 20.0, "{case}, {module}: {found}, not {expected}");
        }
    }
}

/// A capture of another model has other launches: nothing is joined.
#[test]
fn captures_of_other_graphs_are_not_joined() {
    let Some(real) = folder("real") else { return };
    let other = Some(real.join("vllm_decode_full"));
    let Some(lane) = lane("sglang_decode/sglang_Qwen3-8B_decode.json.gz", other) else { return };
    assert_eq!((lane.modules.graphs, lane.modules.joined_graphs), (1, 0));
    let share = crate::base::ratios::percent(lane.modules.attributed_ns, lane.modules.kernel_ns);
    assert!(share < 1.0, "{share}");
}
