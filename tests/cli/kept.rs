//! What is kept never shows in what is printed.

use crate::run::{Run, run_with_cache, temporary_folder};
use dlprof_generate::write_export;
use std::path::{Path, PathBuf};

use crate::ncu::LOG;

/// An export that is large enough to be kept.
fn sample(folder: &Path, style: &str, kernels: &str) -> PathBuf {
    let file = folder.join(format!("{style}.sqlite"));
    let arguments = format!("--style {style} --kernels {kernels} --processes 2 --gpus 2");
    write_export(&file, &arguments).expect("an export");
    file
}

/// What a user sees of a run.
fn seen(run: &Run) -> (i32, &str, &str) {
    (run.code, &run.stdout, &run.stderr)
}

#[test]
fn every_command_prints_the_same_from_kept_folders() {
    let folder = temporary_folder();
    let cache = folder.path().join("cache");
    let commands = [
        "",
        "check",
        "show summary",
        "show ops --format csv",
        "show groups --format json",
        "show kernel_summaries --format tsv",
        "show process_iterations --format csv",
        "show iteration_ops --format csv",
        "show kernels --format csv",
        "show key_nodes",
        "show diagnostics",
        "--details",
        "show findings --format json",
        "show steps --format csv",
        "show gpu_time --format csv",
        "show idle_causes --format csv",
    ];
    for (style, kernels) in [("markers", "13000"), ("ranges", "50000")] {
        let file = sample(folder.path(), style, kernels);
        assert_eq!(run_with_cache(&cache, "", &[&file]).code, 0);
        for range in ["--iter-start 3 --iter-stop 57", "--iter-stop 99999"] {
            let stage = run_with_cache(&cache, &format!("-vv {range}"), &[&file]).stderr;
            assert!(!stage.contains("read and correlate"), "{stage}");
            assert!(stage.contains("read the index from the cache"), "{stage}");
            for command in commands {
                let words = format!("{command} {range}");
                let kept = run_with_cache(&cache, &words, &[&file]);
                let fresh = run_with_cache(&cache, &format!("{words} --no-cache"), &[&file]);
                assert_eq!(seen(&kept), seen(&fresh), "{style}: {words}");
            }
        }
    }
}

#[test]
fn reports_and_exports_are_the_same_from_kept_folders() {
    let folder = temporary_folder();
    let cache = folder.path().join("cache");
    let file = sample(folder.path(), "emit-nvtx", "16000");
    assert_eq!(run_with_cache(&cache, "", &[&file]).code, 0);
    let commands = [
        ("reports --reports summary,detail,kernel,tensor,op_type,group_op,expert_systems", "--output-path"),
        ("reports --reports all --formats json", "--output-path"),
        ("export --tables ops,iterations,gpus,key_nodes --format parquet", "-o"),
        ("export --tables all --format ndjson", "-o"),
    ];
    for (number, (words, output)) in commands.into_iter().enumerate() {
        let [kept, fresh] = ["kept", "fresh"].map(|from| folder.path().join(format!("{from}-{number}/")));
        let words = format!("{words} --key-node /step --iter-start 5 --iter-stop 41");
        let runs = [
            run_with_cache(&cache, &format!("{words} {output}"), &[&kept, &file]),
            run_with_cache(&cache, &format!("{words} --no-cache {output}"), &[&fresh, &file]),
        ];
        assert_eq!(runs.each_ref().map(|run| run.code), [0, 0], "{runs:?}");
        let files =
            std::fs::read_dir(&fresh).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut compared = 0;
        for file in files {
            let bytes = |folder: &Path| std::fs::read(folder.join(&file)).expect("bytes");
            assert!(bytes(&kept) == bytes(&fresh), "{words}: {}", file.display());
            compared += 1;
        }
        assert!(compared > 3, "{words}: {compared} files");
    }
}

/// Folders of the cache with an ending.
fn folders(cache: &Path, ending: &str) -> usize {
    let entries = std::fs::read_dir(cache.join("dlprof-agg")).expect("a cache").filter_map(Result::ok);
    entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(ending)).count()
}

#[test]
fn counters_are_kept_with_the_capture() {
    let folder = temporary_folder();
    let cache = folder.path().join("cache");
    let file = sample(folder.path(), "markers", "13000");
    let log = folder.path().join("run.ncu.csv");
    let all = [
        "show ncu-launches --format csv",
        "show ncu-match --format csv",
        "show ncu-kernels --format csv",
        "check",
    ];
    let of = |words: &str| run_with_cache(&cache, &format!("{words} --ncu {}", log.display()), &[&file]);
    let fresh = |words: &str| of(&format!("{words} --no-cache"));
    let plain = run_with_cache(&cache, "check", &[&file]);
    assert_eq!((plain.code, folders(&cache, ".counters")), (0, 0));
    for (round, text) in [LOG.to_owned(), LOG.replace("31.500000", "41.500000")].iter().enumerate() {
        std::fs::write(&log, text).expect("a log");
        let read = all.map(fresh);
        assert!(read[0].stdout.contains(["31500", "41500"][round]), "{:?}", read[0]);
        for _ in 0..2 {
            for (words, read) in all.iter().zip(&read) {
                assert_eq!(seen(&of(words)), seen(read), "{words}");
            }
        }
        // What is kept of another state of the log is replaced.
        assert_eq!(folders(&cache, ".counters"), 1);
        // The log is not needed any more, but that it is not there is said.
        std::fs::remove_file(&log).expect("a log");
        for (words, read) in all.iter().zip(&read).filter(|(words, _)| **words != "check") {
            let kept = of(words);
            assert_eq!((kept.code, &kept.stdout), (0, &read.stdout), "{words}: {kept:?}");
            assert!(kept.stderr.contains("[ncu-log-gone]"), "{kept:?}");
        }
        let read = fresh("check");
        assert!(read.code == 3 && read.stderr.contains("run.ncu.csv"), "{read:?}");
    }
    // Neither another log nor another capture has them.
    let other =
        run_with_cache(&cache, &format!("check --ncu {}", folder.path().join("b.csv").display()), &[&file]);
    assert_eq!(other.code, 3, "{other:?}");
    let ranges = sample(folder.path(), "ranges", "13000");
    let other = run_with_cache(&cache, &format!("check --ncu {}", log.display()), &[&ranges]);
    assert_eq!(other.code, 3, "{other:?}");
    assert_eq!(seen(&run_with_cache(&cache, "check", &[&file])), seen(&plain));
}
