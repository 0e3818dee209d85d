//! `reports`: DLProf's report files.

use crate::console;
use crate::exit::Failure;
use crate::opening::CaptureFile;
use dlprof_export::{DlprofReport, DlprofReportFormat, Inputs, Overwrite, ReportPlan, write_dlprof_reports};
use std::path::PathBuf;

/// Which reports to write, and where.
pub(crate) struct Reports {
    /// Of whose figures by DLProf's rules.
    pub(crate) file: CaptureFile,
    /// In DLProf's order, each once.
    pub(crate) reports: Vec<DlprofReport>,
    /// Each once.
    pub(crate) formats: Vec<DlprofReportFormat>,
    pub(crate) folder: PathBuf,
    pub(crate) overwrite: Overwrite,
    /// What must not be written over.
    pub(crate) inputs: Inputs,
}

pub(crate) fn run(asked: Reports) -> Result<(), Failure> {
    let file = asked.file.by_rules_of_dlprof();
    let name = file.settings.profile_name.as_deref();
    let prefix = name.unwrap_or("dlprof");
    check_prefix(prefix)?;
    let plan = ReportPlan {
        reports: &asked.reports,
        formats: &asked.formats,
        folder: &asked.folder,
        prefix,
        profile_name: name,
        overwrite: asked.overwrite,
        inputs: &asked.inputs,
    };
    plan.check()?;
    let profile = file.open()?;
    let written = write_dlprof_reports(&profile, &plan)?;
    let list: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
    console::print(&list)?;
    file.finish(&profile);
    Ok(())
}

/// The profile name is the start of file names, so it must not name another folder.
fn check_prefix(prefix: &str) -> Result<(), Failure> {
    if prefix.is_empty() || prefix.contains(['/', '\\', '\0', '\n']) {
        return Err(Failure::Usage {
            message: format!("profile name `{prefix}` cannot be the start of a file name"),
            hint: Some("leave out slashes and line feeds".into()),
        });
    }
    Ok(())
}
