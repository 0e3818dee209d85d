//! `docs/nsys-stats.md`: every command line runs, every report is named.

use crate::run::{sample, temporary_folder};
use dlprof_core::{NSYS_REPORTS, NsysReportKind};
use std::path::Path;
use std::process::Command;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/nsys-stats.md");
    std::fs::read_to_string(path).expect("the page")
}

/// The sample has neither OS runtime calls nor labels of copies, so reports about these are skipped: code 5.
#[cfg(unix)]
#[test]
fn every_command_line_of_the_page_runs() {
    let page = page();
    let lines: Vec<&str> = page.split('`').filter(|part| part.starts_with("dlprof-agg stats ")).collect();
    let mut count = 0;
    for line in lines.into_iter().filter(|line| !line.contains("FILE")) {
        let folder = temporary_folder();
        std::fs::copy(sample(), folder.path().join("run.sqlite")).expect("a copy");
        // A report whose export is there already.
        std::fs::copy(sample(), folder.path().join("at.sqlite")).expect("a copy");
        std::fs::write(folder.path().join("run.nsys-rep"), "a report").expect("a file");
        let typed = line.replacen("dlprof-agg", env!("CARGO_BIN_EXE_dlprof-agg"), 1);
        let mut shell = Command::new("sh");
        shell.args(["-c", &typed]).current_dir(folder.path());
        shell.env("XDG_CACHE_HOME", folder.path().join("cache")).env("XDG_CONFIG_HOME", folder.path());
        let output = shell.output().expect("a shell");
        let code = output.status.code();
        let errors = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        let is_skipped = code == Some(5) && printed.contains("SKIPPED: run.sqlite does not contain")
            || printed.contains("SKIPPED: NVTX range");
        assert!(code == Some(0) || is_skipped, "{line}: {code:?} {printed} {errors}");
        count += 1;
    }
    assert!(count > 20, "{count} command lines");
}

#[test]
fn every_report_is_on_the_page() {
    let page = page();
    for entry in NSYS_REPORTS {
        assert!(page.contains(&format!("`{}`", entry.name)), "{} is missing", entry.name);
        let is_graphics = matches!(entry.kind, NsysReportKind::Graphics(_));
        for old in [entry.name_2022, entry.name_2020].into_iter().flatten().filter(|_| !is_graphics) {
            assert!(page.contains(&format!("`{old}`")), "{old} is missing");
        }
    }
}
