//! Comparisons of real exports: exports of one report are equal, and the parts of every change add up.

use crate::profiles::profile_of;
use dlprof_core::{
    Assumptions, Capture, ComparedPart, Document, ReadOptions, Trend, baseline_json, compare_runs,
    read_baseline,
};
use dlprof_generate::corpus::{corpus, folder};
use std::path::Path;

fn of_capture(path: &Path) -> Document {
    let capture = Capture::read(path, &ReadOptions::default()).expect("a capture");
    Document::of(&profile_of(&capture))
}

#[test]
fn exports_of_one_report_show_no_change() {
    let Some(corpus) = folder() else { return };
    let relu = "dlprof-torch-relu-2070s-2022.1.3";
    let fastvideo = "torch-fastvideo-2gpu-h100-2026.2.1-1s";
    let pairs = [
        (format!("{relu}-ex2022"), format!("{relu}-ex2023")),
        (format!("{relu}-ex2022"), format!("{relu}-ex2022-nolazy")),
        (format!("{relu}-ex2022"), format!("{relu}-ex2024-nolazy")),
        (format!("{relu}-ex2022"), format!("{relu}-ex2024-tsnorm")),
        (relu.to_owned(), format!("{relu}-ex2022")),
        (fastvideo.to_owned(), format!("{fastvideo}-v2")),
    ];
    for (base, new) in pairs {
        let [base, new] = [base, new].map(|name| corpus.join(format!("{name}.sqlite")));
        let comparison = compare_runs(&of_capture(&base), &of_capture(&new), Assumptions::default());
        let decomposition = comparison.decomposition.as_ref().expect("equal scopes");
        assert_eq!(decomposition.largest(), Vec::<&ComparedPart>::new(), "{}", new.display());
        let rows = [
            &comparison.metrics,
            &comparison.op_types,
            &comparison.ops,
            &comparison.groups,
            &comparison.kernels,
        ];
        for row in rows.into_iter().flatten() {
            assert_eq!(row.trend, Trend::Equal, "{}: {row:?}", new.display());
        }
    }
}

#[test]
fn the_parts_of_every_capture_add_up() {
    let mut documents = Vec::new();
    for path in corpus() {
        if let Ok(capture) = Capture::read(&path, &ReadOptions::default()) {
            let profile = profile_of(&capture);
            documents.push(Document::of(&profile));
        }
    }
    assert!(documents.is_empty() || documents.len() > 20);
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    for pair in documents.windows(2) {
        // Writing checks that the parts of each side add up; reading would refuse it otherwise.
        for document in pair {
            let path = scratch.path().join("base.json");
            std::fs::write(&path, baseline_json(document)).expect("a file");
            read_baseline(&path).unwrap_or_else(|error| panic!("{}: {error}", document.runs[0].capture));
        }
        if let Some(decomposition) = compare_runs(&pair[0], &pair[1], Assumptions::default()).decomposition {
            let change: i64 = decomposition.parts.iter().map(ComparedPart::change_ns).sum();
            assert_eq!(change, decomposition.change_ns(), "{}", pair[1].runs[0].capture);
        }
    }
}
