//! The command line of `show`.

use super::analysis::Analysis;
use super::report_format::PrintedFormat;
use crate::commands::row_choice::Rows;
use crate::commands::show::{self, find};
use crate::console::pager;
use crate::exit::Failure;
use clap::Args;
use dlprof_core::{Definition, TABLES, definition};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[arg(
        value_name = "TABLE",
        required_unless_present = "list",
        help = "The table, such as ops, kernels, findings; `show --help` lists all",
        long_help = tables_help()
    )]
    pub(crate) table: Option<String>,
    /// Describe all tables and their columns, or only TABLE, instead of printing rows
    #[arg(long)]
    pub(crate) list: bool,
    /// Show these columns, in this order; `all` for all
    ///
    /// Keys or titles of columns, separated by commas, such as `op_name,gpu_time_ns` or `"Op Name,GPU Time"`. Case does not
    /// matter; `-`, `_` and a space are the same. Without this option a terminal shows the most important columns that it
    /// has room for.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Sort by columns; `-COLUMN` puts the largest first
    ///
    /// Keys or titles of columns, separated by commas. Without this option people see the largest first: GPU time, savings,
    /// durations; iterations by number. CSV, JSON and the like keep the order of the table, so that files can be compared,
    /// unless `--top` is given.
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) sort: Vec<String>,
    /// Show only the first N rows
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Show only rows for which a condition is true
    ///
    /// Such as 'gpu_time > 1ms and op_type in (conv2d, matmul)' or 'kernel_name like "%gemm%" and not tensor_cores = yes'.
    /// Operators: = != < <= > >= ~ (regular expression), in, like, ilike, between, is null, and, or, not, parentheses;
    /// ranges such as 1..5; units such as 1ms, 20 %, 4 MiB. Given several times, all conditions must be true.
    /// docs/expressions.md describes the language.
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<String>,
    /// Show only rows of this iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
    /// Show only rows of this op: its ID or its name
    #[arg(long, value_name = "OP")]
    pub(crate) op: Option<String>,
    /// Show all columns and whole texts, whatever the terminal's width is
    #[arg(long)]
    pub(crate) wide: bool,
    #[command(flatten)]
    pub(crate) printed: PrintedFormat,
    #[command(flatten)]
    pub(crate) paging: Paging,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// Whether a text that is longer than the terminal goes to a pager.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Paging {
    /// Pager for texts longer than the terminal [default: less -FRSX]
    ///
    /// Default: $DLPROF_AGG_PAGER, else $PAGER, else `less -FRSX`. It is used only if the output is a terminal. `cat` or an
    /// empty text is not a pager.
    #[arg(long, value_name = "CMD")]
    pub(crate) pager: Option<String>,
    /// Use no pager
    #[arg(long, conflicts_with = "pager")]
    pub(crate) no_pager: bool,
}

/// What is asked for.
pub(crate) enum Asked {
    /// Rows.
    Rows(Box<show::Show>),
    /// A description of a table, or of all tables.
    List(Option<&'static Definition>, pager::Paging),
}

impl Show {
    /// What is asked for.
    pub(crate) fn asked(mut self) -> Result<Asked, Failure> {
        let wanted = self.wanted()?;
        let Paging { pager, no_pager } = self.paging;
        let paging = pager::Paging { pager, no_pager };
        let Some(table) = wanted.filter(|_| !self.list) else { return Ok(Asked::List(wanted, paging)) };
        Ok(Asked::Rows(Box::new(show::Show {
            file: self.analysis.capture()?,
            table,
            columns: self.columns,
            sort: self.sort,
            top: self.top,
            rows: Rows { iteration: self.iteration, op: self.op },
            conditions: self.conditions,
            is_wide: self.wide,
            format: self.printed.format,
            paging,
        })))
    }

    /// The table. If the file came first, both change places.
    fn wanted(&mut self) -> Result<Option<&'static Definition>, Failure> {
        let table = self.table.as_deref();
        Ok(match (table, &self.analysis.file) {
            (Some(file), Some(table)) if definition(file).is_none() => {
                match definition(&table.to_string_lossy()) {
                    Some(definition) => {
                        self.analysis.file = Some(PathBuf::from(file));
                        Some(definition)
                    }
                    None => Some(find(file)?),
                }
            }
            // A file alone behind `--list` is not a table: all tables are described.
            (Some(file), None) if self.list && Path::new(file).exists() && definition(file).is_none() => None,
            (table, _) => table.map(find).transpose()?,
        })
    }
}

/// All tables with a line each.
fn tables_help() -> String {
    let widest = TABLES.iter().map(|table| table.key.len()).max().unwrap_or(0);
    let line = |table: &Definition| format!("  {:widest$}  {}", table.key, table.doc);
    let lines: Vec<String> = TABLES.iter().map(line).collect();
    format!("The table; `-` may be written for `_`. FILE may come before it. Tables:\n\n{}", lines.join("\n"))
}
