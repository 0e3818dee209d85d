//! The command line of `export`, `query` and `demo`.

use super::analysis::{Analysis, Options};
use super::formats;
use super::general::overwrite;
use super::known_names::OF_TABLES;
use super::ranks::JobOptions;
use super::report_format::PrintedFormat;
use crate::commands::ranks::may_be_several;
use crate::commands::show::find;
use crate::commands::{export, export_job, query};
use crate::exit::Failure;
use crate::opening::CaptureFile;
use clap::{Args, value_parser};
use dlprof_core::{
    DefaultRange, Definition, JOB_TABLES, JobTableDefinition, TABLES, definition, job_table, shell_word,
};
use dlprof_export::{ExportOutput, FileFormat, Format, FormatError, PdfFont, Target};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Font files have at most so many bytes.
const MOST_FONT_BYTES: u64 = 256 << 20;

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[arg(
        short,
        long,
        value_name = "PATH",
        required_unless_present = "schema",
        help = "File, whose ending sets the format, or folder with `/` at its end",
        long_help = formats::output_help()
    )]
    pub(crate) output: Vec<PathBuf>,
    /// Tables to write, separated by commas [default: all]
    ///
    /// all, or some of the tables that `show --list` describes. Without this option, a PDF has the main columns of
    /// top_ops, op_types, kernel_totals, gpus and iterations.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = OF_TABLES, hide_possible_values = true)]
    pub(crate) tables: Vec<String>,
    /// Most rows of a table in PDF (200) and HTML (250,000); 0: all
    ///
    /// The file says how many rows it leaves out. The default is 200 rows in PDF and 250,000 in HTML; 0 means all rows.
    #[arg(long, value_name = "N")]
    pub(crate) max_rows: Option<usize>,
    /// Font file for characters that PDF lacks, such as Chinese
    ///
    /// A TrueType or OpenType font.
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Option<PathBuf>,
    #[arg(
        long,
        value_parser = formats::of_files(),
        value_name = "FORMAT",
        hide_possible_values = true,
        help = "Format, whatever the ending is, or of the files in a folder",
        long_help = formats::format_help()
    )]
    pub(crate) format: Option<&'static FileFormat>,
    /// Make CSV and TSV files safe for spreadsheets
    ///
    /// Texts that a spreadsheet would take for formulas get a `'`. They begin with `=`, `+`, `-`, `@`, a tab or a line break. Without this option files have the texts of the capture.
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Divide sums by the number of aggregated iterations
    ///
    /// In CSV, TSV, NDJSON, Markdown, Parquet and Arrow files. Keys say it, such as `gpu_time_per_iteration_ns`. Tables
    /// without sums stay as they are.
    #[arg(long)]
    pub(crate) per_iteration: bool,
    /// Overwrite files that exist
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Print the JSON Schema of the JSON format instead of writing files
    #[arg(long)]
    pub(crate) schema: bool,
    /// More captures of a job of many ranks
    #[arg(value_name = "PATH", index = 2, hide = true)]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten, next_help_heading = "Tables of jobs")]
    pub(crate) job: JobOptions,
}

/// One or several captures, and a query over their tables.
#[derive(Debug, Args)]
#[command(override_usage = "dlprof-agg query [OPTIONS] <FILE>... <SQL>")]
pub(crate) struct Query {
    /// Captures, and last the SQL: one SELECT, with or without WITH
    ///
    /// For example "select op_type, sum(gpu_time_ns) from ops group by op_type"; `show --list` describes tables and
    /// columns. With several captures, every table begins with a column `profile`.
    // One list for both: after `FILE --format csv`, the parser would take no second argument.
    #[arg(value_name = "FILE... SQL", required = true, num_args = 1.., id = "files")]
    pub(crate) files_and_sql: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) printed: PrintedFormat,
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "format",
        help = "Write the answer to a file, whose ending sets the format",
        long_help = formats::answer_help()
    )]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Stop the query after so many seconds
    ///
    /// The reading of captures does not count. `--memory` limits the memory of the query too.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u32).range(1..))]
    pub(crate) time_limit: u32,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Write the sample capture to a file instead of showing its dashboard
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl Export {
    /// What is asked for, without `--schema`.
    pub(crate) fn asked(self) -> Result<export::Export, Failure> {
        let mut inputs = self.analysis.inputs();
        self.font.iter().for_each(|font| inputs.add(font));
        let tables = tables(&self.tables)?;
        let output = |path: &PathBuf| {
            ExportOutput::new(path, self.format.or_else(|| format_of_step(path)), tables.len())
        };
        let outputs = self.output.iter().map(output).collect::<Result<_, FormatError>>()?;
        Ok(export::Export {
            file: self.job.of(self.analysis, self.more).capture()?,
            is_choice: !self.tables.is_empty(),
            outputs,
            tables,
            most_rows: self.max_rows,
            font: self.font.as_deref().map(read_font).transpose()?,
            csv_safe: self.csv_safe,
            per_iteration: self.per_iteration,
            overwrite: overwrite(self.force),
            inputs,
        })
    }
}

impl Export {
    /// Whether tables of a job of many ranks are asked for: of several captures, or tables that only jobs have.
    pub(crate) fn is_of_job(&self) -> bool {
        let is_of_jobs_only = |name: &String| job_table(name).is_some() && definition(name).is_none();
        let is_several =
            !self.more.is_empty() || self.analysis.named().is_some_and(|path| may_be_several(path));
        let has_only_jobs = !self.tables.is_empty() && self.tables.iter().all(is_of_jobs_only);
        !self.schema && self.job.rank.is_none() && (is_several || has_only_jobs)
    }

    /// What is asked for, of a job.
    pub(crate) fn asked_of_job(self) -> Result<export_job::ExportOfJob, Failure> {
        if self.per_iteration {
            return Err(Failure::Usage {
                message: "`--per-iteration` does not fit tables of a job".into(),
                hint: Some("`--rank N` exports tables of one capture of the job".into()),
            });
        }
        let tables = tables_of_job(&self.tables)?;
        let output = |path: &PathBuf| {
            ExportOutput::new(path, self.format.or_else(|| format_of_step(path)), tables.len())
        };
        let outputs = self.output.iter().map(output).collect::<Result<_, FormatError>>()?;
        let named = self.job.of(self.analysis, self.more);
        let job = named.asked()?;
        let mut inputs = named.inputs(&job);
        self.font.iter().for_each(|font| inputs.add(font));
        Ok(export_job::ExportOfJob {
            job,
            tables,
            outputs,
            most_rows: self.max_rows,
            font: self.font.as_deref().map(read_font).transpose()?,
            csv_safe: self.csv_safe,
            overwrite: overwrite(self.force),
            inputs,
        })
    }
}

/// The tables of a job in a list, in the order of [`JOB_TABLES`], each once.
fn tables_of_job(list: &[String]) -> Result<Vec<&'static JobTableDefinition>, Failure> {
    if list.is_empty() || list.iter().any(|name| name == "all") {
        return Ok(JOB_TABLES.iter().collect());
    }
    let find = |name: &String| {
        job_table(name).ok_or_else(|| {
            let (message, hint) = match definition(name) {
                Some(table) => (
                    format!("table `{}` is of one capture, not of a job", table.key),
                    "`--rank N` exports that of one rank".to_owned(),
                ),
                None => {
                    let keys: Vec<&str> = JOB_TABLES.iter().map(|table| table.key).collect();
                    (format!("a job has no table `{name}`"), format!("its tables are {}", keys.join(", ")))
                }
            };
            Failure::Usage { message, hint: Some(hint) }
        })
    };
    let wanted: Vec<&'static JobTableDefinition> = list.iter().map(find).collect::<Result<_, _>>()?;
    Ok(JOB_TABLES.iter().filter(|table| wanted.iter().any(|one| one.key == table.key)).collect())
}

/// The file in which GitHub Actions collects the summary of a step has no ending, but it is known by name.
fn format_of_step(path: &Path) -> Option<&'static FileFormat> {
    let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|summary| !summary.is_empty())?;
    if path == Path::new(&summary) { FileFormat::named("step-summary") } else { None }
}

fn read_font(path: &Path) -> Result<PdfFont, Failure> {
    let unusable = |message: String| Failure::Usage {
        message,
        hint: Some("name a TrueType or OpenType font file, such as `NotoSansSC-Regular.otf`".into()),
    };
    let bytes = dlprof_core::read_small_file(path, MOST_FONT_BYTES)
        .map_err(|error| unusable(format!("cannot read font `{}`: {error}", path.display())))?;
    PdfFont::read(&bytes)
        .ok_or_else(|| unusable(format!("`{}` is not a font that PDF can use", path.display())))
}

/// The tables of a list, in the order of [`TABLES`], each once.
fn tables(list: &[String]) -> Result<Vec<&'static Definition>, Failure> {
    if list.is_empty() || list.iter().any(|name| name == "all") {
        return Ok(TABLES.iter().collect());
    }
    let wanted: Vec<&'static Definition> = list.iter().map(|name| find(name)).collect::<Result<_, _>>()?;
    Ok(TABLES.iter().filter(|table| wanted.iter().any(|one| one.key == table.key)).collect())
}

impl Query {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<query::Query, Failure> {
        let (files, sql) = files_and_sql(&self.files_and_sql)?;
        let output = self.output.as_deref();
        let output = output.map(|path| Format::of_path(path).map(|format| (path, format))).transpose()?;
        let inputs = self.options.inputs(files);
        let target =
            |(path, format)| Target::new(path, overwrite(self.force), &inputs).map(|target| (target, format));
        let output = output.map(target).transpose()?;
        let settings = self.options.settings(DefaultRange::Auto)?;
        Ok(query::Query {
            files: files.iter().map(|file| CaptureFile::new(file.clone(), settings.clone())).collect(),
            sql: sql.to_owned(),
            output,
            format: self.printed.format,
            time_limit: Duration::from_secs(self.time_limit.into()),
        })
    }
}

/// The captures, and the query, which comes last.
fn files_and_sql(words: &[PathBuf]) -> Result<(&[PathBuf], &str), Failure> {
    let (sql, files) =
        words.split_last().map_or((Path::new(""), words), |(sql, files)| (sql.as_path(), files));
    let missing = |what: &str| Failure::Usage {
        message: format!("no {what} given"),
        hint: Some("for example `dlprof-agg query run.sqlite \"select op_id, calls from ops\"`".into()),
    };
    if let [first, .., last] = words
        && !first.exists()
        && last.is_file()
    {
        return Err(Failure::Usage {
            message: "the SQL comes last, after the captures".into(),
            hint: Some(format!(
                "`dlprof-agg query {} \"{}\"`",
                shell_word(&last.to_string_lossy()),
                first.display()
            )),
        });
    }
    match sql.to_str() {
        Some(sql) if !files.is_empty() => Ok((files, sql)),
        _ if sql.is_file() => Err(missing("SQL")),
        _ => Err(missing("FILE")),
    }
}

impl Demo {
    /// The file to write; `None` to show the dashboard of the sample.
    pub(crate) fn asked(self, options: &Options) -> Result<Option<Target>, Failure> {
        let target = |path: PathBuf| {
            let inputs = options.inputs([]);
            Ok(Target::new(&path, overwrite(self.force), &inputs)?)
        };
        self.output.map(target).transpose()
    }
}
