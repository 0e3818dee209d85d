//! The command line of `show`.

use super::analysis::Analysis;
use super::known_names::OF_ALL_TABLES;
use super::ranks::JobOptions;
use super::report_format::PrintedFormat;
use crate::commands::ranks::may_be_several;
use crate::commands::report_files::{CiFormat, Pages, ReportFiles};
use crate::commands::row_choice::Rows;
use crate::commands::rules;
use crate::commands::show::{self, ColumnsAndOrder, find};
use crate::commands::show_job;
use crate::console::pager;
use crate::exit::Failure;
use clap::Args;
use dlprof_core::{DefaultRange, Definition, JOB_TABLES, JobTableDefinition, TABLES, definition, job_table};
use dlprof_export::Overwrite;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[arg(
        value_name = "TABLE",
        value_parser = OF_ALL_TABLES,
        hide_possible_values = true,
        required_unless_present = "list",
        help = "The table, such as ops, kernels, findings; `show --help` lists all",
        long_help = tables_help()
    )]
    pub(crate) table: Option<String>,
    /// List all tables, or describe TABLE and its columns, instead of printing rows
    #[arg(long)]
    pub(crate) list: bool,
    /// Of the table findings: every rule, also those that found nothing, as `rules FILE` prints them
    #[arg(long, conflicts_with_all = ["list", "columns", "sort", "top", "conditions", "iteration", "op", "per_iteration", "wide", "format"])]
    pub(crate) all: bool,
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
    /// Divide sums by the number of aggregated iterations
    ///
    /// Times and counts of tables such as ops, kernel_names and copies are sums over the aggregated iterations; the dashboard
    /// shows them per iteration. With this option titles say `per Iteration`, and keys of data do, such as
    /// `gpu_time_per_iteration_ns`. `--columns`, `--sort` and `--where` still take the usual keys, and mean what is shown.
    #[arg(long, conflicts_with = "list")]
    pub(crate) per_iteration: bool,
    /// Show all columns and whole texts, whatever the terminal's width is
    #[arg(long)]
    pub(crate) wide: bool,
    #[command(flatten)]
    pub(crate) printed: PrintedFormat,
    #[command(flatten)]
    pub(crate) paging: Paging,
    /// Of tables of a job: more captures of it
    #[arg(value_name = "PATH", index = 3, hide = true)]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten, next_help_heading = "Tables of jobs")]
    pub(crate) job: JobOptions,
    #[arg(long, hide = true)]
    pub(crate) force: bool,
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
    /// Rows of a table of a job.
    OfJob(Box<show_job::ShowOfJob>),
    /// A description of a table of a job.
    ListOfJob(&'static JobTableDefinition, pager::Paging),
    /// A description of a table, or of all tables.
    List(Option<&'static Definition>, pager::Paging),
    /// Every rule, and what each found.
    Rules(Box<rules::Rules>),
}

impl Show {
    /// What is asked for.
    pub(crate) fn asked(mut self) -> Result<Asked, Failure> {
        self.job.largest_part |= self.force;
        if let Some(table) = self.job_table() {
            if self.per_iteration {
                return Err(Failure::Usage {
                    message: format!(
                        "`--per-iteration` does not fit `{}`, which is a table of a job",
                        table.key
                    ),
                    hint: Some("`--rank N` shows a table of one capture of the job".into()),
                });
            }
            return self.of_job(table);
        }
        self.refuse_rank_of_job_table()?;
        let wanted = self.wanted()?;
        if self.all {
            return self.of_rules(wanted);
        }
        if let Some(more) = self.more.first().filter(|_| self.job.rank.is_none()) {
            return Err(Failure::Usage {
                message: format!("`{}` is a second FILE; only tables of jobs take several", more.display()),
                hint: Some("`--rank N` shows that of one rank of a job".into()),
            });
        }
        let Paging { pager, no_pager } = self.paging;
        let paging = pager::Paging { pager, no_pager };
        let shown = ColumnsAndOrder { columns: self.columns, sort: self.sort, top: self.top };
        let Some(table) = wanted.filter(|_| !self.list) else { return Ok(Asked::List(wanted, paging)) };
        Ok(Asked::Rows(Box::new(show::Show {
            file: self.job.of(self.analysis, self.more).capture()?,
            table,
            shown,
            rows: Rows { iteration: self.iteration, op: self.op },
            conditions: self.conditions,
            per_iteration: self.per_iteration,
            is_wide: self.wide,
            format: self.printed.format,
            paging,
        })))
    }

    /// Every rule, which only the table of findings can be asked for.
    fn of_rules(self, table: Option<&Definition>) -> Result<Asked, Failure> {
        if table.is_none_or(|table| table.key != "findings") {
            return Err(Failure::Usage {
                message: "`--all` is an option of the table `findings`".into(),
                hint: Some("`dlprof-agg show findings --all FILE`; other tables always have all rows".into()),
            });
        }
        let files = ReportFiles::check(&[], Pages::None, Overwrite::Refuse, &self.analysis.inputs())?;
        Ok(Asked::Rules(Box::new(rules::Rules {
            file: self.analysis.named().cloned(),
            settings: self.analysis.options.settings(DefaultRange::Auto)?,
            fail_on: None,
            format: CiFormat::Text,
            files,
        })))
    }

    /// The table of a job, if one is asked for. Where single captures have a table of the same name, several captures ask for it, or
    /// what may be several.
    fn job_table(&self) -> Option<&'static JobTableDefinition> {
        let name = self.table.as_deref().filter(|_| self.job.rank.is_none())?;
        let is_of_job =
            || !self.more.is_empty() || self.analysis.named().is_some_and(|path| may_be_several(path));
        job_table(name).filter(|_| definition(name).is_none() || is_of_job())
    }

    /// Refuses `--rank` with a table that only jobs have: it asks for a table of the capture of that rank.
    fn refuse_rank_of_job_table(&self) -> Result<(), Failure> {
        let (Some(name), Some(rank)) = (self.table.as_deref(), self.job.rank) else { return Ok(()) };
        match job_table(name).filter(|_| definition(name).is_none()) {
            None => Ok(()),
            Some(table) => Err(Failure::Usage {
                message: format!(
                    "`{}` is a table of a job, and `--rank` asks for one capture of it",
                    table.key
                ),
                hint: Some(match table.headers().iter().any(|header| header.key == "rank") {
                    true => format!("leave `--rank` out; `--where rank={rank}` shows the rows of a rank"),
                    false => "leave `--rank` out".into(),
                }),
            }),
        }
    }

    /// A table of the job that the captures are.
    fn of_job(self, table: &'static JobTableDefinition) -> Result<Asked, Failure> {
        let Paging { pager, no_pager } = self.paging;
        let paging = pager::Paging { pager, no_pager };
        if self.list {
            return Ok(Asked::ListOfJob(table, paging));
        }
        Ok(Asked::OfJob(Box::new(show_job::ShowOfJob {
            job: self.job.of(self.analysis, self.more).asked()?,
            table,
            shown: ColumnsAndOrder { columns: self.columns, sort: self.sort, top: self.top },
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
            // A file alone after `--list` is not a table: all tables are described.
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
    let of_job = |table: &JobTableDefinition| format!("  {:widest$}  {}", table.key, table.doc);
    let of_jobs: Vec<String> = JOB_TABLES.iter().map(of_job).collect();
    format!(
        "The table; `-` may be written for `_`. FILE may come before it. Tables:\n\n{}\n\nTables of a job of many ranks, which take \
         several captures or a folder of them:\n\n{}",
        lines.join("\n"),
        of_jobs.join("\n")
    )
}
