//! `stats`: the reports of `nsys stats`, as a user types them.

use crate::run::{Run, command, database, run, sample, temporary_folder, testdata};
use std::path::{Path, PathBuf};

/// The sample as `run.sqlite` in a folder.
fn folder_with_sample() -> (tempfile::TempDir, PathBuf) {
    let folder = temporary_folder();
    let file = folder.path().join("run.sqlite");
    std::fs::copy(sample(), &file).expect("a copy");
    (folder, file)
}

/// Runs in a folder.
fn run_in(folder: &Path, words: &[&str]) -> Run {
    let output =
        command(folder, "stats", &[]).args(words).current_dir(folder).output().expect("the program starts");
    Run {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name != "run.sqlite")
        .collect();
    names.sort();
    names
}

/// Texts under `testdata/stats`, made of the sample. `DLPROF_BLESS=1` writes them anew.
#[test]
fn reports_of_the_sample_are_the_kept_ones() {
    let (folder, _file) = folder_with_sample();
    let cases = [
        ("cuda_gpu_kern_sum.csv", "-r cuda_gpu_kern_sum -f csv"),
        ("cuda_gpu_kern_gb_sum.txt", "-r cuda_gpu_kern_gb_sum:base -f column"),
        ("cuda_api_sum.txt", "-r cuda_api_sum -f table --timeunit usec"),
        ("cuda_gpu_mem_time_sum.tsv", "-r cuda_gpu_mem_time_sum -f tsv --like none"),
        ("gpumemsizesum.csv", "-r gpumemsizesum -f csv --like 2020.4"),
        ("cuda_gpu_trace.json", "-r cuda_gpu_trace -f json --like none --filter-time 0/1300000"),
        ("kernexecsum.csv", "-r kernexecsum:base -f csv --like 2022.4"),
        ("nvtx_sum.csv", "-r nvtx_sum -f csv"),
        ("nvtx_kern_sum.csv", "-r nvtx_kern_sum:base -f csv --filter-time 0/1600000"),
        ("nvtx_gpu_proj_sum.csv", "-r nvtx_gpu_proj_sum -f csv"),
        ("nvtx_gpu_proj_trace.csv", "-r nvtx_gpu_proj_trace -f csv --filter-time 0/1300000"),
        ("nvtx_pushpop_trace.html", "-r nvtx_pushpop_trace -f htable --filter-time 0/1050000"),
    ];
    for (name, words) in cases {
        let words: Vec<&str> = words.split(' ').chain(["-q", "run.sqlite"]).collect();
        let printed = run_in(folder.path(), &words);
        assert_eq!(printed.code, 0, "{name}: {printed:?}");
        let kept = testdata("stats").join(name);
        if std::env::var_os("DLPROF_BLESS").is_some() {
            std::fs::write(&kept, &printed.stdout).expect("a written file");
        }
        let expected = std::fs::read_to_string(&kept).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(printed.stdout, expected, "{name}");
    }
}

#[test]
fn without_reports_those_of_nsys_are_printed() {
    let (folder, _file) = folder_with_sample();
    let all = run_in(folder.path(), &["run.sqlite"]);
    assert_eq!(all.code, 0, "{all:?}");
    let processed: Vec<&str> = all.stdout.lines().filter(|line| line.starts_with("Processing [")).collect();
    assert_eq!(processed.len(), 19, "{processed:?}");
    assert!(processed[0] == "Processing [run.sqlite] with [nvtx_sum]... ", "{processed:?}");
    assert!(
        all.stdout.contains("\nSKIPPED: run.sqlite does not contain OpenACC event data.\n\n"),
        "{}",
        all.stdout
    );
    assert!(all.stdout.contains(" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n"), "{}", all.stdout);
    let old = run_in(folder.path(), &["--like", "2020.4", "run.sqlite"]);
    assert!(old.stdout.contains("[gpumemsizesum]") && old.stdout.contains("Time(%)"), "{}", old.stdout);
    let quiet = run_in(folder.path(), &["-q", "run.sqlite"]);
    assert!(!quiet.stdout.contains("Processing") && !quiet.stdout.contains("SKIPPED"), "{}", quiet.stdout);
}

#[test]
fn several_reports_have_their_formats_and_files() {
    let (folder, _file) = folder_with_sample();
    let words = "-r cuda_gpu_kern_sum:base,cuda_api_sum -r nvtx_sum -f csv,json -o out/x,. --filter-time 0/50000000 run.sqlite";
    std::fs::create_dir(folder.path().join("out")).expect("a folder");
    let written = run_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(files(&folder.path().join("out")), ["x_cuda_gpu_kern_sum_base_start=0_end=50000000.csv"]);
    let own = files(folder.path());
    for name in ["run_cuda_api_sum_start=0_end=50000000.json", "run_nvtx_sum_start=0_end=50000000.json"] {
        assert!(own.iter().any(|file| file == name), "{own:?}");
    }
    assert!(written.stdout.contains("] to [out/x_cuda_gpu_kern_sum_base_start=0_end=50000000.csv]... "));
}

#[test]
fn files_are_overwritten_only_by_force() {
    let (folder, _file) = folder_with_sample();
    let words = ["-r", "nvtx_sum", "-o", "x", "run.sqlite"];
    assert_eq!(run_in(folder.path(), &words).code, 0);
    let kept = folder.path().join("x_nvtx_sum.csv");
    std::fs::write(&kept, "mine").expect("a written file");
    let refused = run_in(folder.path(), &words);
    assert!(refused.code == 4 && refused.stderr.contains("x_nvtx_sum.csv"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&kept).expect("a file"), "mine");
    for force in
        [vec!["--force-overwrite"], vec!["--force-overwrite=true"], vec!["--force-overwrite", "true"]]
    {
        let forced = run_in(folder.path(), &[&force[..], &words[..]].concat());
        assert_eq!(forced.code, 0, "{force:?}: {forced:?}");
        assert!(std::fs::read_to_string(&kept).expect("a file").starts_with("Time (%),"));
    }
}

/// nsys ends with 0 whatever happens; here the code tells.
#[test]
fn the_exit_code_tells_what_was_skipped() {
    let (folder, _file) = folder_with_sample();
    let skipped =
        run_in(folder.path(), &["-r", "nvtx_sum,openacc_sum", "-f", "csv", "-o", "x", "run.sqlite"]);
    assert_eq!(skipped.code, 5, "{skipped:?}");
    assert!(
        skipped.stdout.contains("SKIPPED: run.sqlite does not contain OpenACC event data."),
        "{skipped:?}"
    );
    assert_eq!(std::fs::read(folder.path().join("x_openacc_sum.csv")).expect("an empty file"), b"");
    let old = run_in(folder.path(), &["-r", "openmpevtsum", "--like", "2020.4", "-o", "y", "run.sqlite"]);
    assert!(old.code == 5 && !folder.path().join("y_openmpevtsum.csv").exists(), "{old:?}");
    for (report, like, message) in [
        ("gpumemsum", "2023.4", "ERROR: Report 'gpumemsum' could not be found."),
        ("gpukernsum", "2024.2", "ERROR: Report 'gpukernsum' could not be found."),
        ("gpumemsum", "2020.4", "ERROR: stats report 'gpumemsum' could not be found."),
        (
            "cuda_gpu_kern_sum:wrong",
            "2023.4",
            "ERROR: Invalid argument passed to report 'cuda_gpu_kern_sum.py': unrecognized arguments: wrong",
        ),
    ] {
        let wrong = run_in(folder.path(), &["-r", report, "--like", like, "run.sqlite"]);
        assert!(wrong.code == 2 && wrong.stderr.contains(message), "{report}: {wrong:?}");
    }
    let range = run_in(folder.path(), &["-r", "nvtx_sum", "--filter-nvtx", "no such range", "run.sqlite"]);
    let message = "SKIPPED: NVTX range 'no such range' could not be found in run.sqlite.";
    assert!(range.code == 5 && range.stdout.contains(message), "{range:?}");
    let missing = run("stats", &[Path::new("no.sqlite")]);
    assert_eq!(missing.code, 3, "{missing:?}");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let sample = sample();
    for (words, found) in [
        ("stats -f yaml -r nvtx_sum", "`yaml` is not a format"),
        ("stats --timeunit hours", "expected nsec, usec, msec or sec"),
        ("stats --timeunit m", "expected nsec, usec, msec or sec"),
        ("stats --filter-time 5", "expected two times"),
        ("stats --filter-time 9/5", "ends before it starts"),
        ("stats --like 1999.1", "2023.4"),
    ] {
        let wrong = run(words, &[&sample]);
        assert!(wrong.code == 2 && wrong.stderr.contains(found), "{words}: {wrong:?}");
    }
    for unit in ["u", "us", "usec", "micro"] {
        let shown = run(&format!("stats -q -r nvtx_sum -f csv --timeunit {unit}"), &[&sample]);
        assert!(shown.stdout.starts_with("Time (%),Total Time (us),"), "{unit}: {shown:?}");
    }
}

#[test]
fn a_window_has_units_and_open_sides() {
    let sample = sample();
    let rows = |window: &str| {
        let words = format!("stats -q -r cuda_api_trace -f csv --filter-time {window}");
        run(&words, &[&sample]).stdout.lines().count()
    };
    let all = run("stats -q -r cuda_api_trace -f csv", &[&sample]).stdout.lines().count();
    assert_eq!(rows("0/0.008s"), rows("0/8000000"));
    assert_eq!(rows("0/8ms"), rows("0/8000000"));
    assert!(rows("8ms/") + rows("/8ms") >= all, "every call is in one of the two");
    assert!(rows("8ms/") < all && rows("/8ms") < all);
    assert_eq!(rows("/"), all);
}

#[test]
fn a_range_chooses_rows_of_its_time() {
    let folder = temporary_folder();
    let file = database(folder.path(), "nsys_defects.sql");
    let rows = |filter: &str| {
        let words = ["-q", "-r", "nvtx_sum", "-f", "csv", "--filter-nvtx", filter];
        let shown = run_in(folder.path(), &[&words[..], &[file.to_str().expect("UTF-8")]].concat());
        assert_eq!(shown.code, 0, "{filter}: {shown:?}");
        shown
            .stdout
            .lines()
            .skip(1)
            .filter(|row| !row.is_empty())
            .map(|row| row.split(',').next_back().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows("step"), ["step"]);
    assert_eq!(rows("step/1"), ["step"]);
    assert_eq!(rows("twin"), ["twin"]);
    assert_eq!(rows("say \"hi\", you"), [" you\""]);
}

#[cfg(unix)]
#[test]
fn a_command_reads_the_report() {
    let (folder, _file) = folder_with_sample();
    let passed =
        run_in(folder.path(), &["-q", "-r", "nvtx_sum", "-f", "csv", "-o", "@head -n 1", "run.sqlite"]);
    assert!(passed.code == 0 && passed.stdout.starts_with("Time (%),Total Time (ns)"), "{passed:?}");
    assert_eq!(passed.stdout.lines().count(), 1);
    let failed = run_in(folder.path(), &["-q", "-r", "nvtx_sum", "-o", "@no-such-command", "run.sqlite"]);
    assert!(failed.code == 3 && failed.stderr.contains("no-such-command"), "{failed:?}");
}

/// The defects of nsys are put right on demand, with a word about what nsys prints.
#[test]
fn the_right_form_says_what_nsys_prints() {
    let (folder, _file) = folder_with_sample();
    let sizes = ["-r", "cuda_gpu_mem_size_sum", "run.sqlite"];
    let nsys = run_in(folder.path(), &sizes);
    assert!(nsys.code == 5 && nsys.stdout.contains("ENUM_CUDA_MEMCPY_OPER"), "{nsys:?}");
    let right = run_in(folder.path(), &[&["--like", "none"], &sizes[..]].concat());
    assert!(right.code == 0 && right.stdout.contains("[CUDA memcpy Host-to-Device]"), "{right:?}");
    let note = "nsys 2024.2 skips this report: run.sqlite does not contain ENUM_CUDA_MEMCPY_OPER table.";
    assert!(right.stdout.contains(note), "{right:?}");
    let words = ["--like", "none", "-r", "openacc_sum,nvtx_sum", "-f", "csv", "run.sqlite"];
    let csv = run_in(folder.path(), &words);
    assert!(csv.code == 5 && !csv.stdout.contains("nsys 2024.2"), "{csv:?}");
}

/// Nested ranges of one name, equal ranges, quotes, and a copy that takes seconds.
#[test]
fn defects_are_reproduced_or_put_right() {
    let folder = temporary_folder();
    let file = database(folder.path(), "nsys_defects.sql");
    let cells = |like: &str, report: &str| {
        let words = format!("stats -q -f csv -r {report} --like {like}");
        let shown = run(&words, &[&file]);
        assert_eq!(shown.code, 0, "{report}: {shown:?}");
        shown.stdout
    };
    // One kernel of 100 ns in two ranges named `step`.
    assert!(cells("2023.4", "nvtx_kern_sum").contains("step,PushPop,77,77,2,1,200,100.0,"));
    assert!(cells("none", "nvtx_kern_sum").contains("step,PushPop,77,77,2,1,100,100.0,"));
    // Two ranges with equal times.
    assert!(!cells("2023.4", "nvtx_pushpop_trace").contains("twin"));
    assert!(cells("none", "nvtx_pushpop_trace").contains(",1,0,5,4,:4:5,--twin"));
    // A copy of 2 seconds.
    assert!(cells("2023.4", "cuda_gpu_trace").contains(",4000.000,0.000,"));
    assert!(cells("none", "cuda_gpu_trace").contains(",4000.000,2000.000,"));
    // Quotes and a comma.
    assert!(cells("2023.4", "nvtx_sum").contains("PushPop,\"say \"hi\", you\"\n"));
    assert!(cells("none", "nvtx_sum").contains("PushPop,\"say \"\"hi\"\", you\"\n"));
    assert!(cells("2020.4", "nvtxppsum").contains("\"say hi, you\"\n"));
}

#[test]
fn reports_are_listed() {
    let all = run("stats --help-reports", &[]);
    assert!(
        all.code == 0 && all.stdout.contains("  nvtx_gpu_proj_sum          NVTX GPU Projection Summary"),
        "{all:?}"
    );
    let old = run("stats --help-reports --like 2020.4", &[]);
    assert!(old.stdout.contains("  gpukernsum ") && !old.stdout.contains("nvtx_sum"), "{old:?}");
}

#[test]
fn formats_take_arguments() {
    let sample = sample();
    let shown = |format: &str| {
        let shown = run(&format!("stats -q -r nvtx_sum -f {format}"), &[&sample]);
        assert_eq!(shown.code, 0, "{format}: {shown:?}");
        shown.stdout
    };
    let (csv, bare) = (shown("csv"), shown("csv:nohdr"));
    assert_eq!(csv.split_once('\n').map(|(_, rows)| rows), Some(bare.as_str()));
    let columns = shown("column:nohdr:.:0:12");
    let first = columns.lines().nth(3).expect("a row");
    let all = shown("column");
    assert!(all.lines().nth(4).is_some_and(|rule| rule.starts_with(" ---")), "{all}");
    assert!(
        !columns.contains("---")
            && first.chars().count() < all.lines().nth(5).expect("a row").chars().count()
    );
    assert!(shown("table:nohdr").lines().filter(|line| line.starts_with('+')).count() == 2);
    assert!(shown("table").lines().filter(|line| line.starts_with('+')).count() == 3);
    let page = shown("hdoc:title=My_run:css=https://x.org/a.css");
    assert!(page.contains("<title>My_run</title>"), "{page}");
    assert!(page.contains("<link rel=\"stylesheet\" href=\"https://x.org/a.css\">"), "{page}");
    for (format, argument) in [("csv:wide", "wide"), ("json:nohdr", "nohdr"), ("column:x", "x")] {
        let wrong = run(&format!("stats -f {format}"), &[&sample]);
        let message = format!("does not take `{argument}`");
        assert!(wrong.code == 2 && wrong.stderr.contains(&message), "{format}: {wrong:?}");
    }
    let listed = run("stats --help-formats", &[]);
    assert!(listed.code == 0 && listed.stdout.contains("  tsv[:nohdr][:esc]"), "{listed:?}");
    let scripts = run("stats --report-dir x", &[&sample]);
    assert!(scripts.code == 2 && scripts.stderr.contains("does not run"), "{scripts:?}");
}

/// The export of a report is read where the user says; without nsys it cannot be made.
#[cfg(unix)]
#[test]
fn the_export_of_a_report_has_a_place() {
    let (folder, _file) = folder_with_sample();
    std::fs::write(folder.path().join("run.nsys-rep"), "a report").expect("a file");
    let words = |sqlite| ["-q", "-r", "nvtx_sum", "-f", "csv", "--sqlite", sqlite, "run.nsys-rep"];
    let read = run_in(folder.path(), &words("run.sqlite"));
    assert!(read.code == 0 && read.stdout.starts_with("Time (%),"), "{read:?}");
    let program = folder.path().join("nsys");
    std::fs::write(
        &program,
        "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = --output ] && out=$2; shift; done\n[ -z \"$out\" ] \
        || cp run.sqlite \"$out\"\n",
    )
    .expect("a script");
    let permissions = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&program, permissions).expect("permissions");
    let made = run_in(folder.path(), &[&["--nsys", "./nsys"], &words("new.sqlite")[..]].concat());
    assert_eq!((made.code, made.stdout.as_str()), (0, read.stdout.as_str()), "{made:?}");
    assert!(files(folder.path()).contains(&"new.sqlite".to_owned()));
    let export = run_in(folder.path(), &["--sqlite", "x.sqlite", "run.sqlite"]);
    assert!(export.code == 2 && export.stderr.contains("`run.sqlite` is not one"), "{export:?}");
}
