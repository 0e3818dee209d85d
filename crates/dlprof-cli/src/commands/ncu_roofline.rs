//! `ncu`: the roofline, of logs alone or beside a capture.

use super::show::{Look, Printed, print, unusable};
use crate::console::pager::Paging;
use crate::console::{self, locale, terminal};
use crate::exit::Failure;
use crate::opening::{CaptureFile, read_logs};
use dlprof_core::{Judged, MemoryLevel, NcuLog, Selection, View, definition};
use dlprof_export::{
    DASHBOARD_COLUMNS, Letters, RooflineFigure, RooflineLook, RooflineOf, ShownChoice, Target, logs_in_words,
    roofline_figure, roofline_figure_of_logs, roofline_text, wrap, write_counters, write_roofline_csv,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Of what a roofline is, and with which memories.
#[derive(Debug, Clone, Default)]
pub(crate) struct RooflineChoice {
    pub(crate) of: RooflineOf,
    /// DRAM alone if it is empty.
    pub(crate) levels: Vec<MemoryLevel>,
}

/// A capture with logs, for people.
pub(crate) struct Beside {
    /// Its settings name the logs.
    pub(crate) file: CaptureFile,
    pub(crate) roofline: RooflineChoice,
    pub(crate) paging: Paging,
}

/// Points and roofs as comma-separated values.
pub(crate) struct RooflineRows {
    pub(crate) source: RooflineSource,
    pub(crate) roofline: RooflineChoice,
    /// `None` for standard output.
    pub(crate) output: Option<Target>,
}

/// What a roofline is made of.
pub(crate) enum RooflineSource {
    /// Logs alone.
    Logs(Vec<PathBuf>),
    /// A capture, whose settings name the logs.
    Capture(Box<CaptureFile>),
}

/// How wide a picture may be, and in which letters.
fn look() -> RooflineLook {
    RooflineLook {
        columns: terminal::width().unwrap_or(DASHBOARD_COLUMNS).max(40),
        is_ascii: locale::letters() == Letters::Ascii,
    }
}

/// What logs hold, what limits their kernels, and their roofline.
pub(super) fn of_logs(logs: &[Arc<NcuLog>], levels: &[MemoryLevel]) -> String {
    let look = look();
    let head = logs_in_words(logs).into_iter().flat_map(|line| wrap(&line, look.columns));
    let head: String = head.map(|line| format!("{line}\n")).collect();
    let picture = roofline_text(&roofline_figure_of_logs(logs, levels), look);
    if picture.is_empty() { format!("{head}\n") } else { format!("{head}\n{picture}\n") }
}

/// Cover, limits, roofline, and the table of kernels or ops.
pub(super) fn beside(asked: &Beside) -> Result<(), Failure> {
    let Beside { file, roofline, paging } = asked;
    let profile = file.open()?;
    console::print_with(|out| {
        write_counters(&profile, roofline.of, &roofline.levels, look(), out)?;
        writeln!(out)
    })?;
    let key = if roofline.of == RooflineOf::Ops { "ncu_ops" } else { "ncu_kernels" };
    if let Some(definition) = definition(key) {
        let table = (definition.build)(&profile);
        let sort = definition.layout.sort();
        let selection = Selection { columns: &[], sort: &sort, conditions: &[], top: None };
        let view = View::new(table.as_ref(), &selection).map_err(|error| unusable(&error, key))?;
        let look = Look { choice: ShownChoice::Important, ..Look::new(file.settings.time_unit) };
        print(&view, Printed::Table, &look, paging)?;
    }
    file.finish(&profile);
    Ok(())
}

/// Points and roofs, one a row.
pub(super) fn rows(asked: &RooflineRows) -> Result<(), Failure> {
    let figure = match &asked.source {
        RooflineSource::Logs(paths) => {
            roofline_figure_of_logs(&read_logs(paths, false)?, &asked.roofline.levels)
        }
        RooflineSource::Capture(file) => of_capture(&file.open()?, &asked.roofline)?,
    };
    let Some(target) = &asked.output else {
        return console::print_with(|out| write_roofline_csv(&figure, out));
    };
    target.write(|out| write_roofline_csv(&figure, out))?;
    if target.is_stream() {
        return Ok(());
    }
    console::print(&format!("{}\n", target.path().display()))
}

fn of_capture(judged: &Judged, roofline: &RooflineChoice) -> Result<RooflineFigure, Failure> {
    roofline_figure(judged, roofline.of, &roofline.levels).ok_or_else(|| Failure::Usage {
        message: "a roofline needs counters".into(),
        hint: Some("give the log of Nsight Compute with `--ncu LOG`".into()),
    })
}
