//! The dashboard over generated captures and made-up figures: no line is wider than the terminal.

use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
use dlprof_export::{DashboardLook, IterationRow, Letters, Overview, TimeUnit, overview, write_dashboard};
use dlprof_generate::write_export;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;
use unicode_width::UnicodeWidthStr;

fn overview_of(file: &Path) -> Overview {
    let capture = Capture::read(file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    overview(&index.profile(&RangeChoice::default()).expect("a profile").into(), TimeUnit::Auto)
}

static SAMPLE: LazyLock<Overview> = LazyLock::new(|| {
    overview_of(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite").as_ref())
});

fn drawn(overview: &Overview, columns: usize, letters: Letters) -> String {
    let mut text = Vec::new();
    write_dashboard(overview, &DashboardLook { columns, letters, ..DashboardLook::plain() }, &mut text)
        .expect("memory");
    String::from_utf8(text).expect("UTF-8")
}

fn assert_fits(overview: &Overview, columns: usize) {
    for letters in [Letters::Unicode, Letters::Ascii] {
        let text = drawn(overview, columns, letters);
        for line in text.lines() {
            assert!(line.width() <= columns, "{} columns of {columns}: {line}\n{text}", line.width());
            assert!(letters == Letters::Unicode || line.is_ascii(), "{line}");
        }
    }
}

#[test]
fn generated_captures_fit_every_width() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        "--style markers --iterations 4",
        "--style markers --processes 2 --gpus 2",
        "--style ranges --iterations 120 --layers 6",
        "--style none --iterations 3",
        "--style emit-nvtx --iterations 1",
    ] {
        let file = folder.path().join("train.sqlite");
        write_export(&file, arguments).expect("an export");
        let overview = overview_of(&file);
        // Every width of one capture, and some of the others.
        let step = if arguments.contains("gpus") { 1 } else { 13 };
        (60..=250).step_by(step).for_each(|columns| assert_fits(&overview, columns));
        assert!(drawn(&overview, 100, Letters::Unicode).lines().count() <= 50, "{arguments}");
    }
}

/// The sample with other names and figures.
fn changed(names: &[String], scale: f64, iterations: u32, kept: usize) -> Overview {
    let mut changed = SAMPLE.clone();
    let mut names = names.iter().cycle().cloned();
    let mut name = || names.next().unwrap_or_default();
    changed.verdict = format!("{} {} {}", name(), name(), name());
    changed.verdict_detail = Some(name());
    changed.window.capture = name();
    changed.window.parts.push(name());
    changed.system = vec![name(), name(), name()];
    if let Some(kernels) = &mut changed.kernels {
        kernels.rows.truncate(kept);
        for row in &mut kernels.rows {
            (row.label, row.ns, row.mean_ns) = (name(), row.ns * scale, row.mean_ns * scale);
            row.calls *= scale;
        }
    }
    changed.ops.rows.truncate(kept);
    for row in &mut changed.ops.rows {
        (row.name, row.ns, row.calls) = (name(), row.ns * scale, row.calls * scale);
    }
    for row in &mut changed.ops.types {
        (row.op_type, row.ns) = (name(), row.ns * scale);
    }
    for finding in &mut changed.findings {
        (finding.problem, finding.advice) = (name(), format!("{}, {}; {}", name(), name(), name()));
    }
    if let Some(step) = &mut changed.step {
        let times = step.classes.iter_mut().flat_map(|part| [&mut part.ns, &mut part.working_ns]);
        times.chain(step.idle.iter_mut().map(|row| &mut row.ns)).for_each(|ns| *ns *= scale);
        (step.length_ns, step.busy_ns, step.idle_ns) =
            (step.length_ns * scale, step.busy_ns * scale, step.idle_ns * scale);
    }
    if let Some(list) = &mut changed.iterations {
        list.rows = (0..iterations)
            .map(|iteration| IterationRow {
                iteration,
                label: None,
                duration_ns: 1 + i64::from(iteration) * 977 % 5000,
                is_aggregated: iteration % 7 != 0,
                state: "steady",
            })
            .collect();
    }
    changed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn made_up_names_and_figures_fit(
        names in prop::collection::vec("[a-zA-Z0-9_/:<>模é ,;`(){}.-]{0,120}", 1..9),
        exponent in -6_i32..7,
        iterations in 0_u32..400,
        kept in 0_usize..9,
        columns in 60_usize..=250,
    ) {
        assert_fits(&changed(&names, 10_f64.powi(exponent), iterations, kept), columns);
    }
}
