//! Files that are known and not read: each command says what they are and what to do, in one sentence each.

use crate::run::{Run, run, temporary_folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Of each file of the corpus that is not read: what its sentence says, and what its hint does.
const KNOWN: &[(&str, &str, &str)] = &[
    ("signatures/annex-pointer.sqlite", "git-annex pointer", "git annex get"),
    ("signatures/chakra.0.et", "execution trace of PyTorch (Chakra)", "export_chrome_trace"),
    ("signatures/error-page.sqlite", "a web page (\"404 Not Found\")", "curl -L"),
    ("signatures/events.out.tfevents.1.host", "a TensorBoard log", "plugins/profile"),
    ("signatures/export.h5", "an HDF5 file", "nsys export --type sqlite"),
    ("signatures/export.jsonl", "a JSON-lines export of nsys", "nsys export --type sqlite"),
    ("signatures/export.sqlite.gz", "a packed SQLite database", "gzip -dc"),
    ("signatures/folded.txt", "a text of folded stacks", "speedscope.app"),
    ("signatures/jax-cpu.trace.json.gz", "the viewer's copy of a JAX profile", ".xplane.pb beside it"),
    ("signatures/kernel_details.csv", "Huawei's Ascend NPUs", "MindStudio Insight"),
    ("signatures/lfs-pointer.sqlite", "Git LFS pointer: the file itself (48 MB)", "git lfs pull --include"),
    ("signatures/mangled-as-text.xplane.pb", "it was copied as text", "scp"),
    ("signatures/mangled-utf16.json", "UTF-16", "iconv"),
    ("signatures/memory_snapshot.pickle", "a memory snapshot of PyTorch", "export_chrome_trace"),
    ("signatures/no-suffix-report", "an nsys report", "nsys export --type sqlite"),
    ("signatures/nvprof.nvvp", "a database of nvprof", "nsys profile"),
    ("signatures/perf.data", "a recording of Linux perf", "perf report -i"),
    ("signatures/profile.pb.gz", "a pprof profile", "go tool pprof"),
    ("signatures/profile.speedscope.json", "a speedscope profile", "speedscope.app"),
    ("signatures/report.ncu-rep", "a report of Nsight Compute", "ncu --import"),
    ("signatures/report.nsys-rep", "an nsys report (made by nsys 2025.6.1)", "nsys export --type sqlite"),
    ("signatures/report_arwdir", "an Arrow export of nsys", "nsys export --type sqlite"),
    ("signatures/report_pqtdir", "a Parquet export of nsys", "nsys export --type sqlite"),
    ("signatures/rocprof_compute.db", "an analysis of rocprof-compute", "rocprofv3 --runtime-trace"),
    (
        "signatures/rocprofv3_kernel_trace.csv",
        "one table of rocprofv3's CSV output",
        "rocprofv3 --runtime-trace",
    ),
    ("signatures/rocprofv3_results.json", "JSON of rocprofv3", "rocprofv3 --runtime-trace"),
    ("signatures/stats.prof", "Python's cProfile", "python -m pstats"),
    ("signatures/storage-error.sqlite", "a storage service (AccessDenied)", "permission"),
    ("signatures/stream.qdstrm", "a raw recording of nsys", "QdstrmImporter -i"),
    ("signatures/table.arrow", "one table in Arrow form", "nsys export --type sqlite"),
    ("signatures/table.parquet", "one table in Parquet form", "nsys export --type sqlite"),
    ("signatures/torch_et.json", "an execution trace of PyTorch (Chakra)", "export_chrome_trace"),
    ("signatures/trace.otf2", "an OTF2 archive", "rocprofv3 --runtime-trace"),
    ("signatures/trace.pftrace", "a Perfetto trace", "ui.perfetto.dev"),
    ("signatures/trace_view.json", "Huawei's Ascend NPUs", "MindStudio Insight"),
    ("signatures/wal-without-db.sqlite-wal", "a side file of an SQLite database", "wal-without-db.sqlite"),
    ("cases/traces/other/100_kernel_trace.csv", "rocprofv3's CSV output", "rocprofv3 --runtime-trace"),
    ("cases/traces/other/events.out.tfevents.1.host", "a TensorBoard log", "plugins/profile"),
    ("cases/traces/other/execution_trace_rank0.json", "execution trace of PyTorch", "export_chrome_trace"),
    ("cases/traces/other/host.trace.json.gz", "the viewer's copy of a JAX profile", ".xplane.pb beside it"),
    (
        "cases/traces/other/host.xplane.pb",
        "an XPlane profile in which no kernel was recorded",
        "one whole step",
    ),
    ("cases/traces/other/key_averages.txt", "a printed table of torch.profiler", "export_chrome_trace"),
    ("cases/traces/other/memory_snapshot.pickle", "a memory snapshot of PyTorch", "export_chrome_trace"),
    ("cases/traces/other/memory_timeline.json", "a memory timeline of torch.profiler", "export_chrome_trace"),
    ("cases/traces/other/py.speedscope.json", "a speedscope profile", "speedscope.app"),
    ("cases/traces/other/report.jsonl", "a JSON-lines export of nsys", "nsys export --type sqlite"),
    ("cases/traces/other/report_pqtdir", "a Parquet export of nsys", "nsys export --type sqlite"),
    ("cases/traces/other/results.pftrace", "a Perfetto trace", "ui.perfetto.dev"),
    ("cases/nsys/lfs-pointer.sqlite", "Git LFS pointer: the file itself (593 MB)", "git lfs pull --include"),
    ("cases/traces/22-packed-twice.json.gz", "packed more than once with gzip", "gzip -dc"),
];

/// Files beside them that are read.
const READ: [&str; 2] = ["cases/traces/other/rocprofv3_results.db", "cases/traces/other/trace.rpd"];

/// One line that says what was found, one that says what to do, with one command at most.
fn assert_told(run: &Run, found: &str, hint: &str) {
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
    let lines: Vec<&str> = run.stderr.lines().collect();
    let [said, help] = lines[..] else { panic!("an error and a hint: {run:?}") };
    assert!(said.starts_with("error: `") && said.contains(found), "`{found}` in {run:?}");
    assert!(help.starts_with("hint: ") && help.contains(hint), "`{hint}` in {run:?}");
}

#[test]
fn every_such_file_of_the_corpus_is_told() {
    let Some(corpus) = dlprof_generate::corpus::folder() else { return };
    let inside = |folder: &str| {
        let entries = std::fs::read_dir(corpus.join(folder)).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            format!("{folder}/{}", entry.expect("an entry").file_name().to_string_lossy())
        };
        entries.map(name).collect::<BTreeSet<_>>()
    };
    let listed = KNOWN.iter().map(|(file, ..)| *file).chain(READ);
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    for file in READ {
        assert_eq!(run("check", &[&corpus.join(file)]).code, 0, "{file} is read");
    }
    for folder in ["signatures", "cases/traces/other"] {
        let missing: Vec<String> = inside(folder).difference(&listed).cloned().collect();
        assert!(missing.is_empty(), "this test does not know {missing:?}");
    }
    for (file, found, hint) in KNOWN {
        let path = corpus.join(file);
        let check = run("check", &[&path]);
        assert_told(&check, found, hint);
        assert_eq!(run("", &[&path]).stderr, check.stderr, "{file}");
        // The user chose the name of the file, so it may be shown; names of machines may not.
        let words = check.stderr.replace(&path.display().to_string(), "");
        assert!(!words.to_lowercase().contains("hostname"), "{words}");
    }
}

#[test]
fn every_command_says_the_same() {
    let folder = temporary_folder();
    let at = |name: &str| folder.path().join(name);
    let pointer = at("run.sqlite");
    std::fs::write(&pointer, "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 48123904\n")
        .expect("a file");
    for words in ["", "check", "show ops", "rules", "stats", "ncu"] {
        assert_told(
            &run(words, &[&pointer]),
            "is a Git LFS pointer: the file itself (48 MB)",
            "`git lfs pull --include run.sqlite`",
        );
    }
    let compared = run("compare", &[&pointer, &pointer]);
    assert!(compared.code == 3 && compared.stderr.contains("is a Git LFS pointer"), "{compared:?}");
    // A report is told by its bytes, and what only has the name of one is not exported.
    std::fs::write(at("run.nsys-rep"), "version https://git-lfs.github.com/spec/v1\nsize 1\n")
        .expect("a file");
    assert_told(&run("", &[&at("run.nsys-rep")]), "is a Git LFS pointer", "git lfs pull");
    std::fs::write(at("report"), b"NVIDIA Tegra Profiler Report 2025@6@1@190-1v0.\n\0").expect("a file");
    let report = run("", &[&at("report")]);
    assert!(report.stderr.contains("is an nsys report (made by nsys 2025.6.1)"), "{report:?}");
}

#[test]
fn folders_of_such_files_get_the_sentence_of_most_of_them() {
    let folder = temporary_folder();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("a file");
    let ranks = |path: &Path| run("ranks", &[path]);
    for rank in 0..3 {
        write(&format!("host{rank}.otf2"), b"OTF2");
    }
    write("notes.txt", b"main;step 5\n");
    let told = ranks(folder.path());
    assert_told(&told, "3 files are OTF2 archives", "rocprofv3 --runtime-trace");
    let none = folder.path().join("empty");
    std::fs::create_dir(&none).expect("a folder");
    let none = ranks(&none);
    assert!(none.stderr.contains("0 in 0 captures"), "nothing is known of it: {none:?}");
    // Files with the names of captures are read one by one, and none of them is one.
    for rank in 0..4 {
        write(&format!("rank{rank}.sqlite"), b"version https://git-lfs.github.com/spec/v1\nsize 1\n");
    }
    let pointers = ranks(folder.path());
    assert_eq!((pointers.code, pointers.stdout.as_str()), (3, ""), "{pointers:?}");
    let first = pointers.stderr.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "error: no capture can be read: 4 files are Git LFS pointers: the files themselves were not downloaded"
    );
    assert!(pointers.stderr.contains("hint: `git lfs pull --include rank0.sqlite`"), "{pointers:?}");
    let exported: PathBuf = folder.path().join("report_pqtdir");
    std::fs::create_dir(&exported).expect("a folder");
    std::fs::write(exported.join("StringIds.parquet"), "PAR1").expect("a file");
    assert_told(&ranks(&exported), "is a Parquet export of nsys", "nsys export --type sqlite");
}
