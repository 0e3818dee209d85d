//! Writes all of DLProf's reports of an export: `cargo run --example reports -- nsys.sqlite out/`

use dlprof_core::{Capture, KeyNodeChoice, RangeChoice, ReadOptions};
use dlprof_export::{DlprofReport, DlprofReportFormat, Inputs, Overwrite, ReportPlan, write_dlprof_reports};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, folder] = arguments.as_slice() else { return Err("give an export and a folder".into()) };
    let capture = Capture::read(input, &ReadOptions::default())?;
    let profile = capture.index(&KeyNodeChoice::Dlprof)?.profile(&RangeChoice::dlprof())?;
    let mut inputs = Inputs::default();
    inputs.add(input);
    let plan = ReportPlan {
        reports: DlprofReport::ALL,
        formats: &[DlprofReportFormat::Csv],
        folder,
        prefix: "dlprof",
        profile_name: None,
        overwrite: Overwrite::Replace,
        inputs: &inputs,
    };
    write_dlprof_reports(&profile.into(), &plan)?;
    Ok(())
}
