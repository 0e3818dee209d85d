//! `docs/from-torch-profiler.md`: every line of its tables runs on a trace.

use crate::run::temporary_folder;
use std::path::Path;
use std::process::Command;

/// Three steps of a trace, with an operator, its kernel and a collective in each.
fn trace() -> String {
    let mut events = Vec::new();
    for step in 0..3 {
        let start = 1000 + 1000 * step;
        let span = |category: &str,
                    name: &str,
                    (pid, tid): (u32, u32),
                    at: u32,
                    length: u32,
                    args: String| {
            format!(
                r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, "ts": {}, "dur": {length}, "args": {{{args}}}}}"#,
                start + at
            )
        };
        let (host, gpu) = ((7, 7), (0, 7));
        let launch = |id: u32| format!(r#""correlation": {id}"#);
        let work = |id: u32, more: &str| {
            format!(
                r#""device": 0, "stream": 7, "correlation": {id}, "grid": [8, 1, 1], "block": [256, 1, 1]{more}"#
            )
        };
        let (mm, reduce) = (10 * step + 1, 10 * step + 2);
        let said = r#", "Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "dtype": "Float", "Group size": 2"#;
        let shapes = r#""Input Dims": [[64, 32], [32, 16]], "Input type": ["float", "float"]"#;
        events.extend([
            span("user_annotation", &format!("ProfilerStep#{step}"), host, 0, 900, String::new()),
            span("cpu_op", "aten::mm", host, 100, 200, shapes.into()),
            span("cuda_runtime", "cudaLaunchKernel", host, 150, 10, launch(mm)),
            span("kernel", "ampere_sgemm_128x64_tn", gpu, 200, 300, work(mm, "")),
            span("user_annotation", "nccl:all_reduce", host, 400, 100, String::new()),
            span("cuda_runtime", "cudaLaunchKernel", host, 450, 10, launch(reduce)),
            span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", gpu, 520, 200, work(reduce, said)),
        ]);
    }
    format!(r#"{{"schemaVersion": 1, "record_shapes": 1, "traceEvents": [{}]}}"#, events.join(",\n"))
}

#[test]
fn every_line_of_the_tables_runs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-torch-profiler.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let folder = temporary_folder();
    for name in ["run.json.gz", "other.json.gz"] {
        // What a file is, its content says.
        std::fs::write(folder.path().join(name), trace()).expect("a trace");
    }
    let cells = page.lines().filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"));
    let lines: Vec<&str> =
        cells.map(|(_, line)| line).filter(|line| line.starts_with("dlprof-agg ")).collect();
    assert!(lines.len() > 30, "{} lines", lines.len());
    for line in lines.iter().filter(|line| !line.starts_with("dlprof-agg view")) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"));
        let output =
            program.args(line.split(' ').skip(1)).current_dir(folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(!output.stdout.is_empty(), "{line} prints nothing");
    }
}
