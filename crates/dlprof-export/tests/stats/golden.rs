//! Every stored output as CSV.

use super::{AS_CSV, content, difference, expected_folder, form_of, print, read};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Outputs that differ, and why, as `docs/nsys-stats.md` says.
const DIFFERENT: &[(&str, &str, &str)] = &[];

/// By export: version, report, file.
fn stored() -> BTreeMap<String, Vec<(String, String, PathBuf)>> {
    let mut files: BTreeMap<String, Vec<(String, String, PathBuf)>> = BTreeMap::new();
    let Some(folder) = expected_folder() else { return files };
    let names = |folder: &PathBuf| -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        found.sort();
        found
    };
    let last = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for version in names(&folder).into_iter().filter(|path| path.is_dir() && last(path).starts_with("20")) {
        for report in names(&version) {
            for file in names(&report) {
                let export = last(&file).replace(".csv.xz", "").replace(".csv", "");
                files.entry(export).or_default().push((last(&version), last(&report), file));
            }
        }
    }
    files
}

/// `cuda_gpu_kern_sum_base` is the report `cuda_gpu_kern_sum:base`.
fn request_of(folder: &str) -> String {
    for argument in ["base", "mangled", "nvtx-name"] {
        if let Some(report) = folder.strip_suffix(&format!("_{argument}")) {
            return format!("{report}:{argument}");
        }
    }
    folder.to_owned()
}

#[test]
fn every_stored_output_is_equal() {
    let only = std::env::var("DLPROF_STATS_ONLY").unwrap_or_default();
    let mut counts: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    let mut differences = String::new();
    for (export, files) in stored() {
        let capture = read(&export).unwrap_or_else(|error| panic!("{export}: {error}"));
        for (version, report, file) in files {
            if !format!("{version}/{report}/{export}").contains(&only) {
                continue;
            }
            let is_excused = DIFFERENT.contains(&(&version, &report, &export));
            let expected = content(&file);
            let actual = print(&capture, &request_of(&report), form_of(&version), &AS_CSV);
            let is_equal = actual.as_ref().is_ok_and(|(actual, _)| *actual == expected);
            let count = counts.entry((version.clone(), report.clone())).or_default();
            count.0 += usize::from(is_equal);
            count.1 += 1;
            if is_equal == is_excused {
                let what = match &actual {
                    Ok((actual, _)) => difference(&expected, actual),
                    Err(refusal) => format!("{refusal:?}"),
                };
                let _ = writeln!(differences, "{version}/{report}/{export}: {what}");
            }
        }
    }
    let equal: usize = counts.values().map(|count| count.0).sum();
    let all: usize = counts.values().map(|count| count.1).sum();
    let not_all = counts.iter().filter(|(_, (equal, all))| equal < all);
    let by_report: Vec<String> = not_all
        .map(|((version, report), (equal, all))| format!("{version}/{report}: {equal} of {all}"))
        .collect();
    assert!(differences.is_empty(), "{differences}\n{}\n{equal} of {all} equal", by_report.join("\n"));
}
