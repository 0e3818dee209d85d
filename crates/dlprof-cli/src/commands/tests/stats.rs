//! `stats` and `profile`.

use super::super::profile::{self, Profile};
use super::super::stats::{self, RowFilter, Stats, TimeWindow};
use crate::console::{Verbosity, recorded};
use crate::exit::{self, Failure};
use crate::generated::{capture_file, folder, settings};
use crate::nsys::Profiling;
use crate::settings::Settings;
use dlprof_core::NsysForm;
use dlprof_export::{Inputs, Overwrite, StatsTimeUnit};
use std::path::Path;

fn stats_of(folder: &Path, reports: &[&str]) -> Stats {
    Stats {
        file: capture_file(folder),
        form: NsysForm::V2023,
        reports: reports.iter().map(|&name| name.to_owned()).collect(),
        formats: vec!["csv".into()],
        outputs: Vec::new(),
        time_unit: StatsTimeUnit::Nanoseconds,
        filter: RowFilter::None,
        overwrite: Overwrite::Refuse,
        inputs: Inputs::default(),
    }
}

#[test]
fn a_report_is_printed_and_others_are_refused() {
    let folder = folder();
    let printed = |reports: &[&str]| {
        let asked = stats_of(folder.path(), reports);
        let (code, said) = recorded(|| stats::run(&asked));
        (code.expect("an exit code"), said)
    };
    let (code, said) = printed(&["cuda_gpu_kern_sum"]);
    assert_eq!(code, exit::DONE);
    assert!(said.out.starts_with("Processing [") && said.out.contains("Time (%),"), "{}", said.out);
    let (code, said) = printed(&["no_such_report"]);
    assert_eq!(code, exit::USAGE);
    assert!(said.aside.contains("no_such_report"), "{}", said.aside);
    let (code, _) = printed(&["vulkan_api_sum"]);
    assert_ne!(code, exit::DONE, "a report that was asked for is missing");
}

#[test]
fn each_report_has_its_format_and_its_file() {
    let folder = folder();
    let start = folder.path().join("out").display().to_string();
    let window = TimeWindow { start: (0, "0s".into()), end: (i64::MAX, String::new()) };
    let asked = || Stats {
        formats: vec!["csv".into(), "json".into()],
        outputs: vec![start.clone()],
        filter: RowFilter::Time(window.clone()),
        ..stats_of(folder.path(), &["cuda_gpu_kern_sum", "cuda_api_sum", "cuda_api_trace"])
    };
    let (code, said) = recorded(|| stats::run(&asked()));
    assert_eq!(code.expect("an exit code"), exit::DONE, "{said:?}");
    for name in [
        "cuda_gpu_kern_sum_start=0s_end=.csv",
        "cuda_api_sum_start=0s_end=.json",
        "cuda_api_trace_start=0s_end=.json",
    ] {
        assert!(Path::new(&format!("{start}_{name}")).exists(), "{name}");
    }
    assert!(matches!(recorded(|| stats::run(&asked())).0, Err(Failure::Export(_))), "files are not replaced");
}

#[test]
fn formats_that_do_not_exist_are_refused() {
    let folder = folder();
    for (format, found) in [("no", "`no` is not a format"), ("csv:odd", "does not take `odd`")] {
        let asked = Stats { formats: vec![format.into()], ..stats_of(folder.path(), &["cuda_gpu_kern_sum"]) };
        match stats::run(&asked) {
            Err(Failure::Usage { message, .. }) => assert!(message.contains(found), "{message}"),
            other => panic!("{format}: {other:?}"),
        }
    }
}

#[test]
fn a_quiet_report_has_nothing_but_its_rows() {
    let folder = folder();
    let mut asked = stats_of(folder.path(), &["cuda_gpu_kern_sum"]);
    asked.file.settings.verbosity = Verbosity::Quiet;
    let (code, said) = recorded(|| stats::run(&asked));
    assert_eq!(code.expect("an exit code"), exit::DONE);
    assert!(said.out.starts_with("Time (%),") && said.aside.is_empty(), "{said:?}");
}

#[test]
fn reports_and_formats_are_listed() {
    for (form, name) in [(NsysForm::V2023, "cuda_gpu_kern_sum"), (NsysForm::V2020, "gpukernsum")] {
        let (done, said) = recorded(|| stats::list(form));
        done.expect("a list");
        assert!(said.out.contains(name), "{}", said.out);
    }
    let (done, said) = recorded(stats::list_formats);
    done.expect("a list");
    assert!(["column", "csv", "json"].iter().all(|name| said.out.contains(name)), "{}", said.out);
}

/// A program that does what `nsys profile` does, as far as this one sees it: it writes what it is told to, and ends with a code.
#[cfg(unix)]
fn nsys(folder: &Path, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("nsys");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a program");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
    path
}

#[cfg(unix)]
#[test]
fn the_code_of_a_profiled_program_is_kept() {
    let folder = folder();
    let profiled = |script: &str| {
        let profiling = Profiling {
            output: folder.path().join("report"),
            overwrite: true,
            delay: None,
            duration: None,
            capture_range: false,
            memory_usage: false,
            further: Vec::new(),
            program: vec!["true".into()],
        };
        let settings = Settings { nsys: Some(nsys(folder.path(), script)), ..settings() };
        recorded(|| profile::run(Profile { profiling, settings, measures: false }))
    };
    let (code, said) = profiled("exit 7");
    assert_eq!(code.expect("the code of the program"), 7);
    assert!(said.aside.starts_with("running `nsys profile "), "{}", said.aside);
    assert!(said.aside.contains("ended with exit code 7 and wrote no report"), "{}", said.aside);
    let (failed, _) = profiled("exit 0");
    assert!(matches!(failed, Err(Failure::Input { .. })), "{failed:?}");
    // The report is there, and cannot be exported: the code of the program counts more.
    let report = folder.path().join("report.nsys-rep");
    let (code, said) = profiled(&format!("[ $1 = profile ] && echo x > {}; exit 3", report.display()));
    assert_eq!(code.expect("the code of the program"), 3);
    assert!(said.aside.contains(&format!("the report is `{}`", report.display())), "{}", said.aside);
}
