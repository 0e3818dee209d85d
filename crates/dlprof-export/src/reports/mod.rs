//! The eight reports of DLProf 1.8.0, in its CSV form, and as JSON.
//!
//! Lines end in a line feed, line 1 is a title, line 2 is the header. Texts are always in double quotes, and quotes
//! inside are doubled (stack traces keep their line feeds). Directions, data types, yes/no and numbers are never
//! quoted. Averages and percentages have one decimal, times are whole nanoseconds.

mod line;
mod summary;
mod table_reports;

use crate::error::Error;
use crate::formats::{Format, write_table};
use crate::inputs::Inputs;
use crate::staging::Staging;
use crate::target::{self, Overwrite, create_with};
use dlprof_core::{
    Judged, Selection, Table, View, build_findings, build_groups, build_kernel_summaries, build_kernels,
    build_op_types, build_ops,
};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

macro_rules! reports {
    ($($(#[$doc:meta])* $name:ident $key:literal $file:literal $write:path;)*) => {
        /// A report.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Report {$($(#[$doc])* $name,)*}

        impl Report {
            /// Every report.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// DLProf's name for `--reports`.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self {$(Self::$name => $key,)*}
            }

            /// The part of the file name after the prefix.
            #[must_use]
            pub fn file_suffix(self) -> &'static str {
                match self {$(Self::$name => $file,)*}
            }

            /// Writes the report as CSV in DLProf's form. `profile_name`, if given, is an extra line of the summary.
            ///
            /// # Errors
            /// If `out` does not take it.
            pub fn write_csv(
                self,
                judged: &Judged,
                profile_name: Option<&str>,
                out: &mut dyn Write,
            ) -> io::Result<()> {
                let context = Context { judged, profile_name };
                match self {$(Self::$name => $write(&context, out),)*}
            }
        }
    };
}

reports! {
    /// System configuration, figures, iterations, categories.
    Summary "summary" "summary" summary::write_csv;
    /// One line per op.
    Detail "detail" "detailed" table_reports::detailed;
    /// One line per op and kernel name.
    Kernel "kernel" "kernel" table_reports::kernel;
    /// One line per kernel launch.
    Iteration "iteration" "iteration" table_reports::iteration;
    /// One line per op that is eligible for Tensor Cores or uses them.
    Tensor "tensor" "tensor_core" table_reports::tensor_core;
    /// One line per op type.
    OpType "op_type" "op_type" table_reports::op_type;
    /// One line per group.
    GroupOp "group_op" "group_op" table_reports::group_op;
    /// One line per finding.
    ExpertSystems "expert_systems" "expert_systems" table_reports::expert_systems;
}

/// A form of the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReportFormat {
    /// DLProf's CSV.
    Csv,
    /// JSON. The summary has DLProf's form. DLProf's JSON form of the other reports was never published, so they
    /// are arrays with the rows of our tables: `ops` for detail and tensor, `kernel_summaries` for kernel,
    /// `kernels` for iteration,
    /// `op_types`, `groups` and `findings`.
    Json,
}

impl ReportFormat {
    /// All forms.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Json];

    /// The ending of its files, which is also its name on the command line.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => Format::Csv.extension(),
            Self::Json => Format::Json.extension(),
        }
    }
}

impl Report {
    /// Writes the report as JSON. `profile_name`, if given, is an extra entry of the summary.
    ///
    /// # Errors
    /// If `out` does not take it.
    pub fn write_json(
        self,
        judged: &Judged,
        profile_name: Option<&str>,
        out: &mut (dyn Write + Send),
    ) -> io::Result<()> {
        let table: Box<dyn Table + '_> = match self {
            Self::Summary => {
                let text = summary::write_json(&Context { judged, profile_name });
                return out.write_all(text.as_bytes());
            }
            Self::Detail | Self::Tensor => Box::new(build_ops(judged)),
            Self::Kernel => Box::new(build_kernel_summaries(judged)),
            Self::Iteration => Box::new(build_kernels(judged)),
            Self::OpType => Box::new(build_op_types(judged)),
            Self::GroupOp => Box::new(build_groups(judged)),
            Self::ExpertSystems => Box::new(build_findings(judged)),
        };
        let conditions = match self {
            Self::Tensor => vec!["tc_eligible = yes or using_tc = yes".to_owned()],
            Self::GroupOp => vec!["op_id = ''".to_owned()],
            _ => Vec::new(),
        };
        let selection = Selection { conditions: &conditions, ..Selection::default() };
        let view = View::new(table.as_ref(), &selection).map_err(io::Error::other)?;
        write_table(&view, Format::Json, out)
    }
}

/// The inputs of a report.
struct Context<'a> {
    judged: &'a Judged,
    profile_name: Option<&'a str>,
}

/// Which reports to write, and where.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The reports.
    pub reports: &'a [Report],
    /// Their forms.
    pub formats: &'a [ReportFormat],
    /// The folder; it is made if it is missing.
    pub folder: &'a Path,
    /// Start of the file names; DLProf's default is `dlprof`.
    pub prefix: &'a str,
    /// Profile name shown in the summary.
    pub profile_name: Option<&'a str>,
    /// What to do about files that exist.
    pub overwrite: Overwrite,
    /// What must not be written over.
    pub inputs: &'a Inputs,
}

impl Plan<'_> {
    /// The file of a report.
    #[must_use]
    pub fn path(&self, report: Report, format: ReportFormat) -> PathBuf {
        self.folder.join(format!("{}_{}.{}", self.prefix, report.file_suffix(), format.extension()))
    }

    fn files(&self) -> impl Iterator<Item = (Report, ReportFormat)> {
        self.reports.iter().flat_map(|&report| self.formats.iter().map(move |&format| (report, format)))
    }

    /// Checks that all files can be written, before the long work begins.
    ///
    /// # Errors
    /// If a file is an input, or exists and must not be replaced, or cannot be written.
    pub fn check(&self) -> Result<(), Error> {
        let files: Vec<PathBuf> = self.files().map(|(report, format)| self.path(report, format)).collect();
        target::check_folder(self.folder, &files, self.overwrite, self.inputs)
    }
}

/// Writes reports and returns their files.
///
/// # Errors
/// As those of [`Plan::check`]. Then no report is written.
pub fn write(judged: &Judged, plan: &Plan<'_>) -> Result<Vec<PathBuf>, Error> {
    plan.check()?;
    let mut staging = Staging::new(plan.inputs);
    let folder = staging.place_folder(plan.folder)?;
    let mut written = Vec::new();
    for (report, format) in plan.files() {
        let path = plan.path(report, format);
        let staged = folder.join(path.file_name().unwrap_or_default());
        let made = create_with(&staged, |out| match format {
            ReportFormat::Csv => report.write_csv(judged, plan.profile_name, out),
            ReportFormat::Json => report.write_json(judged, plan.profile_name, out),
        });
        made.map_err(|error| staging.explain(error))?;
        written.push(path);
    }
    staging.commit()?;
    Ok(written)
}
