//! Public names of kernels with what is true of them, where they are beside the project.
//!
//! Judged as the program beside that table does: no answer is falsely certain, and 95 % of what a name tells are right.

use super::KernelKind;
use super::kernel_class::KernelClasses;
use crate::capture::correlate::TensorCores;
use crate::capture::names::{Precision, kernel_name_says};
use std::collections::BTreeMap;

/// The cells of a line of CSV, whose quoted cells may hold commas.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("there is one").push(letter),
        }
    }
    cells
}

/// The rows of the table by column; none where it is not there.
fn rows() -> Vec<BTreeMap<String, String>> {
    let path = dlprof_generate::corpus::folder().map(|folder| folder.join("names/kernels.csv"));
    let Some(text) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        return Vec::new();
    };
    let mut lines = text.lines();
    let header = cells(lines.next().expect("a header"));
    lines.map(|line| header.iter().cloned().zip(cells(line)).collect()).collect()
}

/// The word of the table for a kind.
fn word(kind: KernelKind) -> &'static str {
    match kind {
        KernelKind::Communication => "communication",
        KernelKind::Graph => "graph",
        KernelKind::Attention => "attention",
        KernelKind::Layout => "layout",
        KernelKind::Transform => "transform",
        KernelKind::Check => "check",
        KernelKind::Normalisation => "normalisation",
        KernelKind::Softmax => "softmax",
        kind if kind.is_matrix() => "matrix",
        KernelKind::Rearrangement => "rearrangement",
        KernelKind::Routing => "routing",
        KernelKind::Cache => "cache",
        kind => kind.words(),
    }
}

/// What the program says of a name, by column.
fn said(name: &str) -> BTreeMap<&'static str, &'static str> {
    let says = kernel_name_says(name);
    let classes = KernelClasses::of(name, name, says.kind);
    let kind = word(KernelKind::of(says.kind, says.exchange, classes, says.tensor_cores));
    let does = match says.exchange.as_str() {
        same @ ("no" | "unknown") => same,
        _ => "yes",
    };
    let tensor_cores = match says.tensor_cores {
        TensorCores::Used => "yes",
        TensorCores::NotUsed => "no",
        TensorCores::Unknown => "unknown",
    };
    BTreeMap::from([
        ("kind", kind),
        ("exchange", does),
        ("operation", says.exchange.as_str()),
        ("tensor_cores", tensor_cores),
        ("library", says.library.unwrap_or("unknown")),
        ("precision", says.precision.map_or("unknown", Precision::as_str)),
    ])
}

/// What is true of a row in a column.
fn truths<'a>(row: &'a BTreeMap<String, String>, column: &str) -> Vec<&'a str> {
    let of = |column: &str| row[column].split('|').collect::<Vec<&str>>();
    match column {
        "operation" => of("exchange"),
        "exchange" => {
            let is_exchange = row["kind"] == "communication";
            let does = |operation: &'a str| match operation {
                "no" => "no",
                "unknown" if !is_exchange => "unknown",
                _ => "yes",
            };
            of("exchange").into_iter().map(does).collect()
        }
        "library" if row["library"] == "user code" => vec!["unknown"],
        column => of(column),
    }
}

#[test]
fn names_of_the_corpus_are_judged_right() {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for row in rows() {
        let name = &row["long_name"];
        for (column, answer) in said(name) {
            let truths = truths(&row, column);
            let is_right = truths.iter().any(|truth| truth.eq_ignore_ascii_case(answer));
            let says_no = answer == "no" && ["exchange", "operation", "tensor_cores"].contains(&column);
            let says_any = column == "kind" && truths == ["unknown"];
            assert!(is_right || !(says_no || says_any), "{column} of {name}: {answer}, truly {truths:?}");
            if !truths.contains(&"unknown") {
                let [known, right] = counts.entry(column).or_default();
                (*known, *right) = (*known + 1, *right + usize::from(is_right));
            }
        }
    }
    for (column, [known, right]) in counts {
        assert!(100 * right >= 95 * known, "{column}: {right} of {known}");
    }
}
