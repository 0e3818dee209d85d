//! Options that several commands have in common for what they print: its format, and files beside it.

use super::formats;
use super::general::overwrite;
use super::value_help::with_values;
use crate::commands::compare::ReportFormat;
use crate::commands::report_files::{CiFormat, Pages, ReportFiles};
use crate::commands::show::Printed;
use crate::exit::Failure;
use clap::Args;
use dlprof_export::Inputs;
use std::path::PathBuf;

/// A report for people or for CI.
#[derive(Debug, Args)]
pub(crate) struct CiReport {
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true,
        help = "text, json, markdown, junit, sarif, github [default: text]",
        long_help = with_values::<CiFormat>("How to write it to standard output [default: text]")
    )]
    pub(super) format: CiFormat,
    /// Also write the report to a file, whose ending sets the format
    ///
    /// Endings: txt, json, md, xml (JUnit), sarif. May be given several times.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Overwrite files that exist
    #[arg(short, long)]
    pub(super) force: bool,
}

impl CiReport {
    /// Takes out the files that are pages or paper for people, by their endings.
    pub(super) fn take_pages(&mut self) -> Vec<PathBuf> {
        let is_page = |path: &PathBuf| {
            path.extension().is_some_and(|ending| {
                ["html", "htm", "pdf"].iter().any(|page| ending.eq_ignore_ascii_case(page))
            })
        };
        let (pages, others) = self.output.drain(..).partition(is_page);
        self.output = others;
        pages
    }

    /// The files to which the report goes, none of which is read.
    pub(super) fn files(&self, pages: Pages, inputs: &Inputs) -> Result<ReportFiles, Failure> {
        ReportFiles::check(&self.output, pages, overwrite(self.force), inputs)
    }
}

/// A report for people or for other programs.
#[derive(Debug, Args)]
pub(crate) struct TextReport {
    /// text, json or markdown [default: text]
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(super) format: ReportFormat,
}

/// A table on standard output.
#[derive(Debug, Args)]
pub(crate) struct PrintedFormat {
    #[arg(
        long,
        value_parser = formats::printed(),
        value_name = "FORMAT",
        hide_possible_values = true,
        help = formats::printed_help(),
        default_value = "table",
        hide_default_value = true,
    )]
    pub(super) format: Printed,
}
