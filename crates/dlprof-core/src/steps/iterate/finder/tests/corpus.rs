//! Every real export of the corpus, which lies beside the project and is not part of it.

use super::super::{Confidence, DelimiterKind, FoundIterations};
use super::loading::load;
use std::path::{Path, PathBuf};

/// Says something past the test harness, which hides what passing tests print.
fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{text}").expect("standard error");
}

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !folder.join("insights/iterations.csv").exists() {
        say(format_args!("SKIPPED: no corpus at {}", folder.display()));
        return None;
    }
    Some(folder)
}

/// A row of the table of true iterations.
struct Truth {
    file: String,
    iterations: usize,
    by: String,
    section: String,
    first_start_ns: Option<i64>,
    confidence: Option<Confidence>,
}

fn truths(folder: &Path) -> Vec<Truth> {
    let text = std::fs::read_to_string(folder.join("insights/iterations.csv")).expect("the table");
    let truth = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Truth {
            file: cells[0].to_owned(),
            iterations: cells[1].parse().expect("a count"),
            by: cells[2].to_owned(),
            section: cells[3].to_owned(),
            first_start_ns: cells[4].parse().ok(),
            confidence: match cells[5] {
                "high" => Some(Confidence::High),
                "medium" => Some(Confidence::Medium),
                _ => None,
            },
        }
    };
    text.lines().skip(1).map(truth).collect()
}

#[test]
fn true_iterations_come_out() {
    let Some(folder) = corpus() else { return };
    let mut wrong = Vec::new();
    for truth in truths(&folder) {
        let found = load(&folder.join(format!("{}.sqlite", truth.file))).find();
        if std::env::var_os("FINDER_SAYS").is_some() {
            say_found(&truth.file, &found);
        }
        let what = described(&found);
        let expected = match truth.iterations {
            0 => (0, String::new(), String::new(), None, None),
            _ => {
                let start = truth.first_start_ns;
                (truth.iterations, truth.by.clone(), truth.section.clone(), start, truth.confidence)
            }
        };
        if truth.file.starts_with("mpi-openacc-4gpu") {
            let by_process = found.delimiter.iter().flat_map(|delimiter| &delimiter.by_process);
            let counts: Vec<usize> = by_process.map(|process| process.iterations.len()).collect();
            assert_eq!(counts, [10; 4], "in each process");
        }
        if what != expected {
            wrong.push(format!("{}: {what:?} instead of {expected:?}", truth.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Count, delimiter, section, first start and confidence.
fn described(found: &FoundIterations) -> (usize, String, String, Option<i64>, Option<Confidence>) {
    let Some(delimiter) = &found.delimiter else { return (0, String::new(), String::new(), None, None) };
    let by = match delimiter.kind {
        DelimiterKind::Range => format!("range {}", delimiter.name),
        DelimiterKind::Period { kernels } => format!("period {kernels}"),
    };
    let section = delimiter.sections.chosen.as_ref().map_or_else(String::new, |place| place.around.clone());
    let iterations = &delimiter.by_process[0].iterations;
    (iterations.len(), by, section, Some(iterations[0].start), Some(delimiter.confidence))
}

fn say_found(file: &str, found: &FoundIterations) {
    say(format_args!("{file}"));
    if let Some(delimiter) = &found.delimiter {
        let counts: Vec<usize> =
            delimiter.by_process.iter().map(|process| process.iterations.len()).collect();
        say(format_args!("  {:?} {counts:?} {}", described(found), delimiter.sections));
        say(format_args!("  inner: {:?}; labels: {}", delimiter.inner_rhythm, delimiter.labels.len()));
    }
    for candidate in found.candidates.iter().take(6) {
        say(format_args!("  {candidate:?}"));
    }
}
