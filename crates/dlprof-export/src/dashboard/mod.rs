//! The dashboard as text of at most 100 columns, written to anything: a terminal, a file, a page.

mod figures;
mod header;
mod iterations;
mod notes;

use crate::display::TimeUnit;
pub use crate::text::COLUMNS;
use crate::text::{pad, pad_left, width};

use crate::text_table::{Fit, table_lines};
use anstyle::{AnsiColor, Style};
use dlprof_core::profile::Profile;
use dlprof_core::tables::{self, Table};
use std::io::{self, Write};

/// Width of the left one of two blocks.
const LEFT: usize = 46;

const TITLE: Style = Style::new().bold();

/// One colour per class everywhere, after the DLProf Viewer's.
const TC: Style = AnsiColor::Green.on_default().bold();
const NON_TC: Style = AnsiColor::Green.on_default();
const MEMORY: Style = AnsiColor::Blue.on_default();
const DATALOADER: Style = AnsiColor::BrightYellow.on_default();
const IO: Style = AnsiColor::Yellow.on_default();
const CPU: Style = AnsiColor::Red.on_default();
const OTHER: Style = AnsiColor::Magenta.on_default();

/// Whether texts carry escapes for colours and bold letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Letters alone.
    Plain,
    /// ANSI escapes.
    Ansi,
}

/// How many findings a text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Details {
    /// The best three.
    Best,
    /// All, each with the command that lists its evidence.
    All,
}

/// How the dashboard looks.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// A name to show before that of the file.
    pub profile_name: Option<&'a str>,
    /// Unit of times.
    pub time_unit: TimeUnit,
    /// Whether there are colours.
    pub colour: Colour,
    /// How many findings are shown.
    pub details: Details,
}

/// Writes the dashboard.
///
/// # Errors
/// Only those of writing.
pub fn write(profile: &Profile, look: &Look<'_>, out: &mut dyn Write) -> io::Result<()> {
    let unit = look.time_unit;
    let blocks = [
        notes::verdict(profile, unit),
        header::header(profile, look.profile_name),
        side_by_side(&figures::performance(profile, unit), &figures::resources(profile, unit)),
        side_by_side(&figures::kernel_totals(profile, unit), &figures::op_categories(profile, unit)),
        top_ops(profile, unit),
        iterations::iterations(profile, unit),
        figures::gpus(profile),
        notes::system(profile),
        notes::findings(profile, unit, look.details),
        notes::notes(profile),
    ];
    let shown: Vec<String> =
        blocks.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
    let text = format!("{}\n", shown.join("\n\n"));
    match look.colour {
        Colour::Ansi => out.write_all(text.as_bytes()),
        Colour::Plain => write!(out, "{}", anstream::adapter::strip_str(&text)),
    }
}

/// A block: a title and lines.
fn titled(title: &str, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let title = format!("{TITLE}{title}{TITLE:#}");
    [title].into_iter().chain(lines).collect()
}

fn pair(key: &str, value: &str) -> String {
    format!("  {}{}", pad(key, 26), pad_left(value, LEFT - 30))
}

fn side_by_side(left: &[String], right: &[String]) -> Vec<String> {
    let empty = String::new();
    let lines = (0..left.len().max(right.len())).map(|at| {
        let (left, right) = (left.get(at).unwrap_or(&empty), right.get(at).unwrap_or(&empty));
        let shown = width(&anstream::adapter::strip_str(left).to_string());
        format!("{left}{}{right}", " ".repeat(LEFT.saturating_sub(shown)))
    });
    lines.map(|line| line.trim_end().to_owned()).collect()
}

fn top_ops(profile: &Profile, unit: TimeUnit) -> Vec<String> {
    let table = tables::top_ops::build(profile);
    if table.rows() == 0 {
        return Vec::new();
    }
    let mut columns = TOP_OPS_COLUMNS;
    if !profile.has_kernel_records() {
        columns[0] = "cpu_time_ns";
    }
    titled(table.title(), table_lines(&table, Fit::Columns(&columns), unit))
}

/// What of table `top_ops` fits on a terminal; an op ID begins with the op type.
const TOP_OPS_COLUMNS: [&str; 7] =
    ["gpu_time_ns", "op_name", "direction", "op_id", "calls", "tc_eligible", "using_tc"];
