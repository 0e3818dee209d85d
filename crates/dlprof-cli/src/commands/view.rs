//! `view`: explores captures in a browser.

use super::browser;
use super::ranks::JobOfCaptures;
use crate::console::{self, Verbosity};
use crate::exit::Failure;
use crate::opening::{CaptureFile, Reading};
use crate::server::{Address, Held, HeldCapture, HeldJob, Served, Stamp, serve};
use crate::settings::Settings;
use dlprof_core::{KeptAggregation, KeptExport};
use dlprof_export::{JobBlocks, overview};
use std::ops::ControlFlow;
use std::sync::Arc;

/// More captures than this are not held at a time.
const MOST_FILES: usize = 8;

/// What to explore, and where the server listens.
pub(crate) struct View {
    pub(crate) shown: Shown,
    /// A name or an address.
    pub(crate) bind: String,
    /// The first that is tried; 0 for any free one.
    pub(crate) port: u16,
    /// Further names that requests may be sent to.
    pub(crate) allowed_hosts: Vec<String>,
    /// Whether texts of downloaded CSV files are made safe for spreadsheets.
    pub(crate) csv_safe: bool,
    /// Whether to open the address in a browser.
    pub(crate) opens_browser: bool,
}

/// What is explored.
pub(crate) enum Shown {
    /// Captures, one at a time.
    Captures(Vec<CaptureFile>),
    /// A job of many ranks.
    Job(Box<JobOfCaptures>),
}

impl Shown {
    fn is_quiet(&self) -> bool {
        let is_quiet = |settings: &Settings| settings.verbosity == Verbosity::Quiet;
        match self {
            Self::Captures(files) => files.iter().all(|file| is_quiet(&file.settings)),
            Self::Job(job) => is_quiet(&job.settings),
        }
    }
}

pub(crate) fn run(asked: &View) -> Result<(), Failure> {
    if let Shown::Captures(files) = &asked.shown
        && files.len() > MOST_FILES
    {
        return Err(Failure::Usage {
            message: format!(
                "{} captures are given; at most {MOST_FILES} can be viewed at a time",
                files.len()
            ),
            hint: Some(
                "give a folder for the ranks of one job, or fewer files; `query` and `history` take many"
                    .into(),
            ),
        });
    }
    let address = Address::listen(&asked.bind, asked.port, &asked.allowed_hosts)?;
    let is_quiet = asked.shown.is_quiet();
    if asked.port != 0 && address.port != asked.port {
        console::print_note(&format!("port {} is taken; {} is the next free one", asked.port, address.port));
    }
    let url = address.url.clone();
    let opens_browser = asked.opens_browser;
    let (mut printed, mut opened) = (Ok(()), None);
    let listening = || {
        printed = console::print(&format!("{url}\n"));
        if !is_quiet {
            console::print_advice("Open this address in a browser. Ctrl-C ends the server.");
        }
        if opens_browser {
            opened = browser::open(&url);
        }
    };
    let reading = Arc::new(Reading::default());
    let served = serve(address, &reading, listening, || read(asked, &reading));
    // Nobody asks any more.
    drop(opened);
    served.and(printed)
}

/// Reads the captures, and works out what the first view needs. Its profile holds that from then on.
fn read(asked: &View, reading: &Reading) -> Result<Served, Failure> {
    let files = match &asked.shown {
        Shown::Captures(files) => files,
        Shown::Job(asked_job) => {
            let job = asked_job.open_watched(&|done, total| {
                reading.captures(done, total);
                ControlFlow::Continue(())
            })?;
            let blocks = JobBlocks::new(&job, &asked_job.name(), None);
            return Ok(Served::Job(Box::new(HeldJob { blocks, csv_safe: asked.csv_safe })));
        }
    };
    let captures = files.iter().map(|file| held(file, reading));
    let captures: Vec<HeldCapture> = captures.collect::<Result<_, _>>()?;
    if let Some(first) = captures.first() {
        drop(overview(&first.judged, first.time_unit));
    }
    Ok(Served::Captures(Box::new(Held::new(captures, asked.csv_safe))))
}

/// Reads a capture and aggregates the chosen iterations.
fn held(file: &CaptureFile, reading: &Reading) -> Result<HeldCapture, Failure> {
    let stamp = Stamp::of(&file.path);
    let (settings, judged) = (&file.settings, file.open_watched(reading)?);
    console::print_diagnostics(settings.verbosity, &judged.diagnostics, Some(&judged.capture));
    let kept = settings.cache.as_ref().map(|cache| settings.asked.kept_export(&judged, cache));
    Ok(HeldCapture {
        name: settings.profile_name.clone().or_else(|| file.stem()).unwrap_or_default(),
        remembered: kept.as_ref().map(remembered).unwrap_or_default(),
        kept,
        stamp,
        judged,
        key_node: settings.asked.key_node.clone(),
        range: settings.asked.range,
        figures: settings.asked.figures.clone(),
        rules: settings.asked.rules.clone(),
        time_unit: settings.time_unit,
        last: Default::default(),
        index_took: Default::default(),
        lanes: Default::default(),
    })
}

/// The aggregations remembered from earlier runs. A damaged list is said, and written anew with the next aggregation.
fn remembered(kept: &KeptExport) -> Vec<KeptAggregation> {
    kept.aggregations().unwrap_or_else(|error| {
        console::print_note(&format!("the aggregations of earlier runs are forgotten: {error}"));
        Vec::new()
    })
}
