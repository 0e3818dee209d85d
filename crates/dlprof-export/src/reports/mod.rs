//! The eight reports of DLProf 1.8.0, in its CSV form.
//!
//! Lines end in a line feed, line 1 is a title, line 2 the header. Texts are always in double quotes with inner
//! quotes doubled (stack traces keep their line feeds); directions, data types, yes/no and numbers never are.
//! Averages and percentages have one decimal, times are whole nanoseconds.

mod line;
mod summary;
mod tables;

use crate::error::Error;
use crate::target::{self, Overwrite};
use dlprof_core::aggregate::Profile;
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

            /// What follows the prefix in the file name.
            #[must_use]
            pub fn file_suffix(self) -> &'static str {
                match self {$(Self::$name => $file,)*}
            }

            /// The report as CSV in DLProf's form. `profile_name` adds a line to the summary.
            #[must_use]
            pub fn to_csv(self, profile: &Profile<'_>, profile_name: Option<&str>) -> String {
                let context = Context { profile, profile_name };
                match self {$(Self::$name => $write(&context),)*}
            }
        }
    };
}

reports! {
    /// System configuration, figures, iterations, categories.
    Summary "summary" "summary" summary::write;
    /// One line per op.
    Detail "detail" "detailed" tables::detailed;
    /// One line per op and kernel name.
    Kernel "kernel" "kernel" tables::kernel;
    /// One line per kernel launch.
    Iteration "iteration" "iteration" tables::iteration;
    /// One line per op that is eligible for Tensor Cores or uses them.
    Tensor "tensor" "tensor_core" tables::tensor_core;
    /// One line per op type.
    OpType "op_type" "op_type" tables::op_type;
    /// One line per group.
    GroupOp "group_op" "group_op" tables::group_op;
    /// One line per finding.
    ExpertSystems "expert_systems" "expert_systems" tables::expert_systems;
}

/// What a report is written from.
struct Context<'a> {
    profile: &'a Profile<'a>,
    profile_name: Option<&'a str>,
}

/// Which reports to write, and where.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The reports.
    pub reports: &'a [Report],
    /// The folder; it is made if it is missing.
    pub folder: &'a Path,
    /// Start of the file names; DLProf's default is `dlprof`.
    pub prefix: &'a str,
    /// Profile name shown in the summary.
    pub profile_name: Option<&'a str>,
    /// What to do about files that are there.
    pub overwrite: Overwrite,
}

impl Plan<'_> {
    /// The file of a report.
    #[must_use]
    pub fn path(&self, report: Report) -> PathBuf {
        self.folder.join(format!("{}_{}.csv", self.prefix, report.file_suffix()))
    }

    /// Checks that all files can be written, before the long work begins.
    ///
    /// # Errors
    /// If a file exists and must not be replaced, or cannot be written.
    pub fn check(&self) -> Result<(), Error> {
        self.reports.iter().try_for_each(|&report| target::check_target(&self.path(report), self.overwrite))
    }
}

/// Writes reports and returns their files.
///
/// # Errors
/// If a file exists and must not be replaced, or cannot be written.
pub fn write(profile: &Profile<'_>, plan: &Plan<'_>) -> Result<Vec<PathBuf>, Error> {
    plan.check()?;
    let mut written = Vec::new();
    for &report in plan.reports {
        let path = plan.path(report);
        target::write_file(&path, report.to_csv(profile, plan.profile_name).as_bytes())?;
        written.push(path);
    }
    Ok(written)
}
