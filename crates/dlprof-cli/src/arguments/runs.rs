//! The command line of `baseline`, `compare`, `gate` and `history`.

use super::analysis::Analysis;
use super::general::overwrite;
use super::report_format::{CiReport, TextReport};
use crate::commands::compare::Sides;
use crate::commands::report_files::Pages;
use crate::commands::{baseline, compare, gate, history};
use crate::exit::Failure;
use crate::settings::iteration_pair::{IterationPair, parse_iterations};
use clap::Args;
use dlprof_core::DefaultRange;
use dlprof_export::Target;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Baseline {
    /// More runs of the same program, at best five, to know how runs differ
    #[arg(value_name = "RUN", index = 2)]
    pub(crate) more: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Keep captures that mislead, too, such as those with lost records
    ///
    /// `check` says what is wrong with them. The gate gives no verdict on them.
    #[arg(long)]
    pub(crate) allow_misleading: bool,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// New run: a capture, folder of the ranks of a job, or a file written by `baseline`
    #[arg(value_name = "NEW", index = 2)]
    pub(crate) new: Option<PathBuf>,
    /// Two iterations or ranges of one capture: `3,7`, `1-5,6-10`, `slowest`
    ///
    /// The first range is the base, the second is compared with it; no second run is read. Shown are classes of time, causes of
    /// idle time, ops, kernels, calls and gaps, the largest changes first. `slowest` compares the slowest aggregated iteration
    /// with the one of median duration.
    #[arg(long, value_name = "A,B", value_parser = parse_iterations, conflicts_with = "new")]
    pub(crate) iterations: Option<IterationPair>,
    #[command(flatten)]
    pub(crate) report: TextReport,
    /// Rows of each list, largest changes first [default: 10]
    ///
    /// JSON has all rows.
    #[arg(long, value_name = "N", default_value_t = 10, hide_default_value = true)]
    pub(crate) top: usize,
    /// Also write the comparison as one HTML file, with both timelines
    ///
    /// The file opens without a network, as a report file does, and holds all tables of the new run.
    #[arg(short, long, value_name = "FILE.html", value_parser = page_path)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

/// A file whose ending says that it is a page.
fn page_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(path),
        _ => Err("comparisons are written as HTML, to a file that ends with `.html`".into()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Gate {
    /// What to compare with: a baseline or a capture
    ///
    /// May be given several times; the runs of several files are pooled.
    #[arg(short, long, value_name = "FILE", required_unless_present = "history")]
    pub(crate) baseline: Vec<PathBuf>,
    /// TOML file that says what may change by how much
    ///
    /// examples/ci/gate.toml documents every key.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Folder of earlier baselines, to find slow growth
    ///
    /// A metric also fails if it slowly grew over its budget since the first of these baselines. Without --baseline, the
    /// last five of them are the baseline.
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: CiReport,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// More baselines or captures
    #[arg(value_name = "FILE", index = 2)]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) report: TextReport,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

impl Baseline {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<baseline::Baseline, Failure> {
        let runs: Vec<PathBuf> = self.analysis.file.into_iter().chain(self.more).collect();
        let options = self.analysis.options;
        let target = Target::new(&self.output, overwrite(self.force), &options.inputs(&runs))?;
        let settings = options.settings(DefaultRange::All)?;
        Ok(baseline::Baseline { runs, settings, target, allow_misleading: self.allow_misleading })
    }
}

impl Compare {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<compare::Compare, Failure> {
        let (sides, usual) = match (self.analysis.file, self.new, self.iterations) {
            (Some(file), _, Some(pair)) => (Sides::Ranges { file, pair }, DefaultRange::Auto),
            (Some(base), Some(new), None) => (Sides::Runs { base, new }, DefaultRange::All),
            _ => {
                return Err(Failure::Usage {
                    message: "no second run given".into(),
                    hint: Some("give two runs, or one run and `--iterations A,B`".into()),
                });
            }
        };
        let options = self.analysis.options;
        let read: Vec<&PathBuf> = match &sides {
            Sides::Runs { base, new } => vec![base, new],
            Sides::Ranges { file, .. } => vec![file],
        };
        let inputs = options.inputs(read);
        let page = self.output.map(|path| Target::new(&path, overwrite(self.force), &inputs)).transpose()?;
        let settings = options.settings(usual)?;
        Ok(compare::Compare { sides, settings, format: self.report.format, top: self.top, page })
    }
}

impl Gate {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<gate::Gate, Failure> {
        let read = self.analysis.named().into_iter().chain(&self.baseline).chain(&self.policy);
        let mut inputs = self.analysis.options.inputs(read);
        self.history.iter().for_each(|folder| inputs.add_files_of(folder));
        let files = self.report.files(Pages::None, &inputs)?;
        Ok(gate::Gate {
            new: self.analysis.file.unwrap_or_default(),
            baseline: self.baseline,
            policy: self.policy,
            history: self.history,
            settings: self.analysis.options.settings(DefaultRange::All)?,
            format: self.report.format,
            files,
        })
    }
}

impl History {
    /// What is asked for.
    pub(crate) fn asked(self) -> Result<history::History, Failure> {
        let paths = self.analysis.file.into_iter().chain(self.more).collect();
        let settings = self.analysis.options.settings(DefaultRange::All)?;
        Ok(history::History { paths, settings, format: self.report.format })
    }
}
