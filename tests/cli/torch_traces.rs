//! Traces of torch.profiler on the command line: they are known by their content, and what cannot be done with them says so.

use crate::run::{Run, run, run_with_cache, sample, temporary_folder};
use std::path::PathBuf;

/// A small trace: four steps, in each an operator that launches two kernels.
fn trace() -> String {
    trace_of_steps(4)
}

fn trace_of_steps(steps: i64) -> String {
    let mut events = Vec::new();
    for step in 0..steps {
        let start = 1000 + step * 1000;
        let event = |category: &str, name: &str, [pid, tid, ts, dur]: [i64; 4], args: &str| {
            format!(
                r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}, "ts": {ts}.000,
                "dur": {dur}.000, "args": {{{args}}}}}"#
            )
        };
        events.push(event("user_annotation", &format!("ProfilerStep#{step}"), [7, 8, start, 900], ""));
        events.push(event(
            "cpu_op",
            "aten::mm",
            [7, 8, start + 10, 300],
            r#""External id": 1, "Input Dims": [[8, 8], [8, 8]]"#,
        ));
        for launch in 0..2 {
            let (at, id) = (start + 20 + launch * 100, step * 2 + launch + 1);
            let correlation = format!(r#""correlation": {id}, "External id": 1"#);
            events.push(event("cuda_runtime", "cudaLaunchKernel", [7, 8, at, 10], &correlation));
            let kernel =
                format!(r#"{correlation}, "device": 0, "stream": 7, "grid": [4, 1, 1], "block": [64, 1, 1]"#);
            events.push(event("kernel", "ampere_sgemm_128x64_tn", [0, 7, at + 30, 60], &kernel));
        }
    }
    format!(
        "{{\"schemaVersion\": 1, \"metadata\": {{\"HF_TOKEN\": \"secret\"}}, \"traceEvents\": [{}]}}",
        events.join(",\n")
    )
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { folder: temporary_folder() }
    }

    fn written(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

fn succeeded(run: Run) -> String {
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout
}

#[test]
fn every_command_takes_a_trace_by_its_content() {
    let files = Files::new();
    // Names say nothing.
    for name in ["run.pt.trace.json", "run.sqlite", "run"] {
        let path = files.written(name, &trace());
        let kernels =
            succeeded(run("show kernels --iter-range all --columns kernel_name --format csv", &[&path]));
        assert_eq!(kernels.lines().count(), 9, "{name}: {kernels}");
        let board = succeeded(run("", &[&path]));
        assert!(board.contains("ProfilerStep") && !board.contains("secret"), "{name}: {board}");
        let check = succeeded(run("check", &[&path]));
        assert!(!check.contains("secret"), "{name}: {check}");
    }
    let path = files.written("run.json", &trace());
    let cut = run("show kernels --from 1ms --iter-range all --columns kernel_name --format csv", &[&path]);
    assert_eq!(succeeded(cut).lines().count(), 7);
    let begun = run(
        "show kernels --to start:ProfilerStep#2 --iter-range all --columns kernel_name --format csv",
        &[&path],
    );
    assert_eq!(succeeded(begun).lines().count(), 5);
}

#[test]
fn traces_are_compared_and_are_not_taken_for_baselines() {
    let files = Files::new();
    let (base, new) = (files.written("a.json", &trace()), files.written("b.json", &trace()));
    assert_eq!(run("compare", &[&base, &new]).code, 0);
    let baseline = files.folder.path().join("base.json");
    let made = run(&format!("baseline -o {}", baseline.to_str().expect("UTF-8")), &[&base]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(run("compare", &[&baseline, &new]).code, 0);
    assert_eq!(run("compare", &[&sample(), &new]).code, 0);
}

#[test]
fn what_a_trace_cannot_give_is_one_clear_error() {
    let files = Files::new();
    let path = files.written("run.json", &trace());
    let stats = run("stats", &[&path]);
    assert_eq!((stats.code, stats.stdout.as_str()), (3, ""), "{stats:?}");
    assert!(
        stats.stderr.contains("as traces of torch.profiler are, not an SQLite export of nsys"),
        "{stats:?}"
    );
    assert!(stats.stderr.contains("hint: reports of `nsys stats` need the tables of nsys"), "{stats:?}");
    let other = files.written("other.json", "{\"name\": \"a package\"}");
    let other = run("", &[&other]);
    assert_eq!(other.code, 3, "{other:?}");
    assert!(
        other.stderr.contains("is not a trace of torch.profiler: it has no list `traceEvents`"),
        "{other:?}"
    );
    let cut = files.written("cut.json", &trace()[..2000]);
    let cut = run("", &[&cut]);
    assert!(cut.code == 0 && cut.stderr.contains("error[cut-trace]"), "{cut:?}");
}

#[test]
fn a_kept_trace_says_the_same_and_is_read_anew_when_it_changes() {
    let files = Files::new();
    let cache = files.folder.path().join("cache");
    let text = trace_of_steps(4000);
    let path = files.written("run.json", &text);
    let seen = |words: &str| {
        let Run { code, stdout, stderr } = run_with_cache(&cache, words, &[&path]);
        assert_eq!(code, 0, "{stderr}");
        (stdout, stderr)
    };
    let words = "show kernels --iter-range all --columns gpu_start_ns,gpu_time_ns --format csv";
    let (first, _) = seen(words);
    assert!(seen(&format!("-vv {words}")).1.contains("read the capture from the cache"), "it is kept");
    for words in [words, "", "show ops", "check", "show diagnostics"] {
        assert_eq!(seen(words), seen(&format!("{words} --no-cache")), "{words}");
    }
    std::fs::write(&path, text.replace("\"dur\": 60.000", "\"dur\": 61.500")).expect("a file");
    assert_ne!(seen(words).0, first);
}

#[test]
fn what_is_no_input_is_told_of_both_kinds() {
    let files = Files::new();
    let empty = files.written("empty", "");
    let text = files.written("run.json", "hello");
    let folder = files.folder.path().join("traces");
    std::fs::create_dir(&folder).expect("a folder");
    for (path, found) in
        [(&empty, "the file is empty"), (&text, "it starts with `hello`"), (&folder, "is a directory")]
    {
        let other = run("", &[path]);
        assert_eq!(other.code, 3, "{other:?}");
        assert!(other.stderr.contains(found), "{other:?}");
        assert!(other.stderr.contains("export") && other.stderr.contains("torch.profiler"), "{other:?}");
    }
    let cut = files.written("cut.json", "{\"schemaVersion\": 1, \"traceEv");
    let cut = run("", &[&cut]);
    assert!(cut.code == 3 && cut.stderr.contains("it ends early, before its list"), "{cut:?}");
}

#[test]
fn a_trace_that_ends_before_any_gpu_work_says_so_first() {
    let files = Files::new();
    let without = trace().replace("\"cat\": \"kernel\"", "\"cat\": \"cuda_event\"");
    let without = without.replace("cudaLaunchKernel", "cudaFree");
    let cut = files.written("cut.json", &without[..without.len() / 2]);
    let said = succeeded(run("", &[&cut]));
    assert!(said.starts_with("The trace ends early, before any GPU work"), "{said}");
    let whole = files.written("whole.json", &without);
    assert!(!succeeded(run("", &[&whole])).contains("ends early"), "nothing is missing");
}

/// Without kernels nobody knows what GPUs did: no figure of them is 0, and no advice is about them.
#[test]
fn without_kernels_there_are_no_figures_of_gpus() {
    let files = Files::new();
    let known = files.written("known.json", &trace());
    let without = trace().replace("\"cat\": \"kernel\"", "\"cat\": \"cuda_event\"");
    let unknown = files.written("unknown.json", &without);
    let compared = succeeded(run("compare", &[&unknown, &known]));
    assert!(compared.contains("GPU times are not known of `unknown.json`"), "{compared}");
    let line =
        |title: &str| compared.lines().find(|line| line.trim_start().starts_with(title)).expect("a line");
    for metric in ["Kernel time", "GPU idle", "Kernel launches"] {
        assert!(line(metric).contains('–') && !line(metric).contains(|letter: char| letter.is_ascii_digit()));
    }
    assert!(line("Iteration time").contains("µs") && !compared.contains("GPU idle, CPU"), "{compared}");
    let mtia =
        files.written("mtia.json", &trace().replace("\"cat\": \"kernel\"", "\"cat\": \"mtia_ccp_events\""));
    let board = run("", &[&mtia]);
    assert!(board.stderr.contains("warning[other-device]"), "{board:?}");
    assert!(board.stdout.contains("events of MTIA are not read as GPU work"), "{board:?}");
    // Kernels stand after the calls here.
    let cut = trace();
    let first_kernel = cut.find("\"kernel\"").expect("a kernel");
    let cut = files.written("cut.json", &cut[..first_kernel]);
    for words in ["", "show findings", "check"] {
        let shown = run(words, &[&cut]);
        let misleads = i32::from(words == "check");
        assert!(shown.code == misleads && shown.stdout.len() > 100, "{shown:?}");
        let all = [shown.stdout, shown.stderr].concat();
        assert!(!all.contains("CUPTI") && !all.contains("0.0%"), "{words}: {all}");
    }
}

#[test]
fn few_steps_are_said_to_be_few() {
    let files = Files::new();
    let one = files.written("one.json", &trace_of_steps(1));
    let check = succeeded(run("check", &[&one]));
    assert!(check.contains("a schedule of three steps") && check.contains("active=3"), "{check}");
    let four = files.written("four.json", &trace());
    let check = succeeded(run("check", &[&four]));
    assert!(!check.contains("active=3"), "{check}");
    let judged = run(&format!("gate --baseline {}", four.to_str().expect("UTF-8")), &[&four]);
    assert!(judged.stdout.starts_with("INCONCLUSIVE"), "{judged:?}");
    assert!(
        judged.stderr.contains("dlprof-agg baseline") && judged.stderr.contains("active=12"),
        "{judged:?}"
    );
}

#[test]
fn an_empty_table_of_collectives_says_why() {
    let files = Files::new();
    let none = files.written("none.json", &trace());
    let shown = run("show collectives", &[&none]);
    assert!(shown.stderr.contains("no kernel of the aggregated iterations exchanges data"), "{shown:?}");
    let silent = trace().replace("ampere_sgemm_128x64_tn", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    let silent = files.written("silent.json", &silent);
    let shown = run("show collectives", &[&silent]);
    assert!(shown.stderr.contains("the trace does not say what its collectives exchange"), "{shown:?}");
}

#[test]
fn what_a_small_trace_lacks_is_said_in_words_of_traces() {
    let files = Files::new();
    // Threads of pthreads have numbers that are no tids, and without stacks there are no Python functions.
    let text = trace().replace("\"pid\": 7, \"tid\": 8", "\"pid\": 7, \"tid\": 140234567890");
    let path = files.written("run.json", &text);
    let check = succeeded(run("check", &[&path]));
    assert!(check.contains(" KB\n") && !check.contains("work-without-operators"), "{check}");
    let details = succeeded(run("--details", &[&path]));
    assert!(details.contains("process 7, thread 140234567890"), "{details}");
    let empty = run("show idle-python", &[&path]);
    assert!(empty.code == 0 && empty.stderr.contains("with_stack=True"), "{empty:?}");
    // Only the GPU was recorded.
    let of_gpus = text.replace("\"cpu_op\"", "\"other\"").replace("\"user_annotation\"", "\"other\"");
    let check = run("check", &[&files.written("gpu.json", &of_gpus)]);
    let said = format!("{}{}", check.stdout, check.stderr);
    assert!(said.contains("work-without-operators") && !said.contains("NVTX"), "{said}");
}

#[test]
fn the_trace_of_a_rank_says_which_and_lists_its_own_gpu() {
    let files = Files::new();
    let head = "{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8}, \
                \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100\"}, {\"id\": 1, \"name\": \"NVIDIA A100\"}],";
    let rank = files.written("rank0.json", &trace().replacen("{\"schemaVersion\": 1,", head, 1));
    let board = succeeded(run("--details", &[&rank]));
    assert!(board.contains("rank 0 of 8, GPU 0") && !board.contains("GPUs used"), "{board}");
    assert!(!board.contains("not used"), "{board}");
    let check = succeeded(run("check", &[&rank]));
    assert!(check.contains("4, by ProfilerStep"), "{check}");
}

#[test]
fn of_a_trace_of_mtia_no_gpu_is_asked_for() {
    let files = Files::new();
    let text = trace().replace("\"cat\": \"kernel\"", "\"cat\": \"mtia_ccp_events\"");
    let text = text.replace("cudaLaunchKernel", "runFunction");
    let head = "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"ARTEMIS\"}],";
    let mtia = files.written("mtia.json", &text.replacen("{\"schemaVersion\": 1,", head, 1));
    let board = succeeded(run("--details", &[&mtia]));
    assert!(board.starts_with("Work of MTIA is not read"), "{board}");
    assert!(!board.contains("NVIDIA or AMD") && !board.contains("not used"), "{board}");
    let check = succeeded(run("check", &[&mtia]));
    assert!(check.contains("\n  devices ") && !check.contains("\n  GPUs "), "{check}");
}

#[test]
fn two_traces_without_a_command_are_to_be_compared() {
    let files = Files::new();
    let (one, two) = (files.written("one.json", &trace()), files.written("two.json", &trace()));
    let both = run("", &[&one, &two]);
    assert_eq!(both.code, 2, "{both:?}");
    assert!(
        both.stderr.contains("`dlprof-agg compare ") && both.stderr.contains("`dlprof-agg ranks "),
        "{both:?}"
    );
}
