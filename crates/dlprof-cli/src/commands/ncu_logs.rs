//! `ncu LOG…`: what logs of Nsight Compute say without a capture.

use super::ncu_roofline;
use super::show::{Chosen, ColumnsAndOrder, Look, Printed, print, unusable};
use crate::console;
use crate::console::pager::Paging;
use crate::exit::Failure;
use crate::opening::read_logs;
use crate::settings::Settings;
use dlprof_core::{
    Columns, Definition, Layout, MemoryLevel, Selection, SelectionError, Table, View, diagnostics_of_logs,
    table_of_logs,
};
use dlprof_export::{
    FileFormat, Format, FormatError, ShownChoice, ShownWidth, Target, Together, format_endings,
    write_pdf_of_logs, write_table, write_table_workbook,
};
use std::path::{Path, PathBuf};

/// What to show of logs, and how.
pub(crate) struct NcuLogs {
    /// At least one.
    pub(crate) logs: Vec<PathBuf>,
    /// Whether metrics are kept that no figure needs.
    pub(crate) keeps_all_metrics: bool,
    /// One that logs have without a capture.
    pub(crate) table: &'static Definition,
    /// Whether people see the roofline first, and not rows alone.
    pub(crate) has_picture: bool,
    /// The memories of the roofline; DRAM alone if it is empty.
    pub(crate) levels: Vec<MemoryLevel>,
    pub(crate) shown: ColumnsAndOrder,
    /// All of these are true.
    pub(crate) conditions: Vec<String>,
    /// Whether the width of the terminal does not matter.
    pub(crate) is_wide: bool,
    pub(crate) format: Printed,
    /// `None` for standard output.
    pub(crate) output: Option<(Target, LogFormat)>,
    pub(crate) paging: Paging,
    pub(crate) settings: Settings,
}

/// What a table of logs is written as.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LogFormat {
    /// Rows for programs.
    Table(Format),
    /// A sheet, and what its columns mean.
    Workbook,
    /// Pages with the roofline.
    Report,
}

impl LogFormat {
    /// What the ending of a path names.
    pub(crate) fn of_path(path: &Path) -> Result<Self, Failure> {
        let found = FileFormat::of_path(path).ok().and_then(Self::of);
        found.ok_or_else(|| Failure::Usage {
            message: FormatError::NotOfOneTable { path: path.into() }.to_string(),
            hint: Some(format!("known endings are {}", format_endings(|format| Self::of(format).is_some()))),
        })
    }

    fn of(format: &FileFormat) -> Option<Self> {
        match (format.table, format.together) {
            (_, Some(Together::Workbook)) => Some(Self::Workbook),
            (_, Some(Together::Pdf)) => Some(Self::Report),
            (table, _) => table.map(Self::Table),
        }
    }
}

pub(crate) fn run(asked: &NcuLogs) -> Result<(), Failure> {
    let NcuLogs { table: definition, settings, .. } = asked;
    let chosen = Chosen::new(&asked.shown, definition.layout, asked.format);
    let selection = chosen.as_selection(&asked.conditions);
    let unusable = |error: SelectionError| unusable(&error, definition.key);
    selection.check(&Columns::from(*definition)).map_err(unusable)?;
    let logs = read_logs(&asked.logs, asked.keeps_all_metrics)?;
    let table = table_of_logs(definition.key, &logs).ok_or_else(|| needs_capture(definition))?;
    let view = View::new(table.as_ref(), &selection).map_err(unusable)?;
    console::print_diagnostics(settings.verbosity, &diagnostics_of_logs(&logs), None);
    match &asked.output {
        Some((target, format)) => {
            match format {
                LogFormat::Table(format) => target.write(|out| write_table(&view, *format, out))?,
                LogFormat::Report => {
                    let levels = asked.levels.as_slice();
                    let shown = for_pages(&view, chosen.choice).map_err(unusable)?;
                    target.write(|out| write_pdf_of_logs(&logs, &shown, levels, settings.time_unit, out))?;
                }
                LogFormat::Workbook => target.write(|out| {
                    write_table_workbook(Box::new(view), "Nsight Compute", settings.time_unit, out)
                })?,
            }
            if target.is_stream() {
                return Ok(());
            }
            console::print(&format!("{}\n", target.path().display()))
        }
        None => {
            let look = Look { choice: chosen.choice, ..Look::new(settings.time_unit) };
            let look = if asked.is_wide { Look { width: ShownWidth::Whole, ..look } } else { look };
            if asked.has_picture {
                let text = ncu_roofline::of_logs(&logs, &asked.levels);
                console::print_with(|out| out.write_all(text.as_bytes()))?;
            }
            print(&view, asked.format, &look, &asked.paging)
        }
    }
}

/// What pages show of a table: the columns that matter most, unless others were asked for, and no more rows than people read.
fn for_pages<'a>(view: &'a View<'a>, choice: ShownChoice) -> Result<View<'a>, SelectionError> {
    const MOST_ROWS: usize = 200;
    let Layout { first, second, .. } = view.layout();
    let columns: Vec<String> = match choice {
        ShownChoice::Important => first.iter().chain(*second).map(|key| (*key).to_owned()).collect(),
        ShownChoice::All | ShownChoice::Given => Vec::new(),
    };
    View::new(view, &Selection { columns: &columns, top: Some(MOST_ROWS), ..Selection::default() })
}

/// Why a table cannot be made of logs alone.
pub(crate) fn needs_capture(table: &Definition) -> Failure {
    Failure::Usage {
        message: format!("table `{}` needs a capture", table.key.replace('_', "-")),
        hint: Some(format!("`dlprof-agg show {} --ncu LOG CAPTURE`", table.key.replace('_', "-"))),
    }
}
