//! Traces of GPUs that are not NVIDIA's: no output speaks of them in words of NVIDIA's GPUs and tools.

use dlprof_core::{
    Capture, DefaultRange, Judged, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, TABLES, Table,
    Vendor, judge,
};
use dlprof_export::{
    DashboardDetails, DashboardLook, TimeUnit, dashboard_markdown, overview, write_check, write_dashboard,
    write_dashboard_json,
};
use std::path::{Path, PathBuf};

/// Words that only GPUs of NVIDIA have.
const OF_NVIDIA: [&str; 6] = ["CUDA", "nsys", "NVTX", "Nsight", "nvidia", "ncu"];

/// Traces beside the project, by folder.
fn traces() -> Vec<PathBuf> {
    let Some(corpus) = dlprof_generate::corpus::folder() else { return Vec::new() };
    let folders = ["kineto", "kineto/odd", "cases/traces"].map(|folder| corpus.join(folder));
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".json"));
    files.sort();
    files
}

/// What a capture makes the program say, all in all; none where the GPUs are NVIDIA's, or the file cannot be read.
fn said(file: &Path) -> Option<(Vendor, Vec<(&'static str, String)>)> {
    let capture = Capture::read(file, &ReadOptions::default()).ok()?;
    let vendor = capture.recorder.vendor;
    if vendor == Vendor::Nvidia {
        return None;
    }
    let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let judged = judge(&index.profile(&range).expect("a profile"), &RuleSettings::default());
    let overview = overview(&judged, TimeUnit::Auto);
    let look = DashboardLook { details: DashboardDetails::All, columns: 100_000, ..DashboardLook::plain() };
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        String::from_utf8(bytes).expect("UTF-8")
    };
    let texts = vec![
        ("dashboard", written(&|out| write_dashboard(&overview, &look, out).expect("memory"))),
        ("JSON", written(&|out| write_dashboard_json(&overview, out).expect("memory"))),
        ("Markdown", dashboard_markdown(&overview, &look)),
        ("titles", titles(&judged)),
        ("check", written(&|out| write_check(&judged, TimeUnit::Auto, out).expect("memory"))),
    ];
    Some((vendor, texts))
}

/// The titles of all tables and their columns, which are not told apart where nothing says who made the GPUs.
fn titles(judged: &Judged) -> String {
    if judged.capture.recorder.vendor == Vendor::Unknown {
        return String::new();
    }
    let tables = TABLES.iter().map(|table| (table.build)(judged));
    let titles = |table: Box<dyn Table>| {
        let columns = (0..table.columns()).map(|column| format!("{}\n", table.header(column).title));
        columns.chain([table.title().to_owned()]).collect::<String>()
    };
    tables.map(titles).collect()
}

/// The lines of a text that have a word of NVIDIA. Names of kernels hold such words only as parts of words.
fn wrong_lines(vendor: Vendor, text: &str) -> Vec<String> {
    let is_wrong = |line: &&str| {
        // PyTorch calls GPUs of AMD so as well.
        let line = if vendor == Vendor::Amd {
            line.replace("ProfilerActivity.CUDA", "")
        } else {
            (*line).to_owned()
        };
        let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        line.contains("Tensor Core") || words.any(|word| OF_NVIDIA.contains(&word))
    };
    // The version and the modules that a trace names are what it says itself.
    let text = text.replace("CUDA 12.8", "").replace("TORCH\\\\CUDA", "");
    text.lines().filter(is_wrong).map(str::to_owned).collect()
}

#[test]
fn only_gpus_of_nvidia_are_spoken_of_in_its_words() {
    let mut looked_at = 0;
    let mut wrong = Vec::new();
    for file in traces() {
        let Some((vendor, texts)) = said(&file) else { continue };
        for (output, text) in texts {
            let lines = wrong_lines(vendor, &text).into_iter();
            wrong.extend(lines.map(|line| format!("{} ({vendor:?}), {output}: {line}", file.display())));
        }
        looked_at += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_at == 0 || looked_at >= 9, "{looked_at} traces of other GPUs");
}
