//! Logs of Nsight Compute as files: what was read of them, so that later runs join it to a kept capture without reading them again.

use super::folder::{FolderWriter, KeptFolder};
use super::identity::ExportIdentity;
use super::manifest::Manifest;
use super::{COUNTERS, Cache, KeptExport};
use crate::base::Error;
use crate::base::diagnostics::DiagnosticCode;
use crate::capture::CaptureContents;
use crate::capture::counters::{NcuOptions, read_logs};
use crate::columns::Memory;
use crate::read::ncu::{NcuFigures, NcuForm, NcuLaunch, NcuLog, NcuNumbers, NcuOddities, NcuRange};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Logs of more launches are read again: it takes hardly longer.
const MOST_LAUNCHES: usize = 200_000;

/// Logs, with each text once. A change of these types takes another number of the layout, in `identity`.
#[derive(Default, Serialize, Deserialize)]
struct KeptLogs<'a> {
    texts: Vec<Cow<'a, str>>,
    /// Ranges of launches, outermost first: places of domain and text.
    ranges: Vec<Vec<[usize; 2]>>,
    logs: Vec<KeptLog<'a>>,
}

/// A log without the name of its file, which the next run may spell differently.
#[derive(Serialize, Deserialize)]
struct KeptLog<'a> {
    form: NcuForm,
    blocks: u32,
    oddities: Cow<'a, NcuOddities>,
    numbers: Cow<'a, NcuNumbers>,
    launches: Vec<KeptLaunch<'a>>,
}

/// A launch, with the places of its texts.
#[derive(Serialize, Deserialize)]
struct KeptLaunch<'a> {
    block_number: u32,
    id: Option<i64>,
    process_id: Option<i64>,
    process_name: usize,
    kernel_name: usize,
    context: Option<i64>,
    stream: Option<i64>,
    device: Option<i64>,
    compute_capability: Option<usize>,
    gpu_name: Option<usize>,
    block: Option<[u64; 3]>,
    grid: Option<[u64; 3]>,
    threads: Option<u64>,
    blocks: Option<u64>,
    ranges: usize,
    invocations: u64,
    is_summary: bool,
    is_failed: bool,
    figures: Cow<'a, NcuFigures>,
}

impl Cache {
    /// What an identity was when what was read of its logs was kept, if some of them are not there any more.
    pub(super) fn with_kept_logs(&self, identity: &ExportIdentity) -> Option<ExportIdentity> {
        let label = Manifest::read(&self.place(identity, COUNTERS))?.label;
        let kept: ExportIdentity = serde_json::from_str(&label).ok()?;
        identity.fits(&kept).then_some(kept)
    }
}

impl KeptExport {
    /// Joins the logs that are asked for to a capture: as they are kept, or else read, and kept if the capture is.
    pub(super) fn add_counters(
        &self,
        contents: &mut CaptureContents,
        options: &NcuOptions,
    ) -> Result<(), Error> {
        if options.logs.is_empty() {
            return Ok(());
        }
        let logs = match self.kept_logs(options, &contents.memory) {
            Some(logs) => {
                for path in options.logs.iter().filter(|path| !path.exists()) {
                    let name = || format!("`{}`", path.display());
                    contents.recorded.about.diagnostics.count(DiagnosticCode::NcuLogGone, name);
                }
                logs
            }
            None => {
                let logs = read_logs(options)?;
                self.keep_logs(&logs);
                logs
            }
        };
        contents.join_counters(logs, options);
        Ok(())
    }

    fn kept_logs(&self, options: &NcuOptions, memory: &Memory) -> Option<Vec<NcuLog>> {
        let identity = self.identity.as_ref()?;
        let place = self.cache.place(identity, COUNTERS);
        let folder = KeptFolder::open(&place, &identity.to_json(), self.cache.trusted_from, memory)?;
        let logs = read(&folder.description()?, &options.logs)?;
        folder.is_still_there().then_some(logs)
    }

    fn keep_logs(&self, logs: &[NcuLog]) {
        let launches: usize = logs.iter().map(|log| log.launches.len()).sum();
        // A log may have changed while it was read.
        let unchanged = |identity: &&ExportIdentity| identity.is_current();
        if let Some(identity) = self.identity.as_ref().filter(unchanged)
            && launches <= MOST_LAUNCHES
            && self.cache.place(identity, super::CAPTURE).exists()
        {
            let content = |folder: &mut FolderWriter| write(logs, folder);
            drop(self.cache.write(identity, COUNTERS, identity.to_json(), content));
        }
    }
}

fn write(logs: &[NcuLog], folder: &mut FolderWriter) -> io::Result<()> {
    let mut texts: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    let mut ranges: IndexSet<&[NcuRange], FxBuildHasher> = IndexSet::default();
    let kept = logs
        .iter()
        .map(|log| {
            let launches = log.launches.iter().map(|launch| KeptLaunch {
                block_number: launch.block_number,
                id: launch.id,
                process_id: launch.process_id,
                process_name: texts.insert_full(&launch.process_name).0,
                kernel_name: texts.insert_full(&launch.kernel_name).0,
                context: launch.context,
                stream: launch.stream,
                device: launch.device,
                compute_capability: launch.compute_capability.as_ref().map(|text| texts.insert_full(text).0),
                gpu_name: launch.gpu_name.as_ref().map(|text| texts.insert_full(text).0),
                block: launch.block,
                grid: launch.grid,
                threads: launch.threads,
                blocks: launch.blocks,
                ranges: ranges.insert_full(&launch.ranges).0,
                invocations: launch.invocations,
                is_summary: launch.is_summary,
                is_failed: launch.is_failed,
                figures: Cow::Borrowed(&*launch.figures),
            });
            KeptLog {
                launches: launches.collect(),
                form: log.form,
                blocks: log.blocks,
                oddities: Cow::Borrowed(&log.oddities),
                numbers: Cow::Borrowed(&log.numbers),
            }
        })
        .collect();
    let ranges = ranges
        .into_iter()
        .map(|list| {
            list.iter().map(|one| [&one.domain, &one.text].map(|text| texts.insert_full(text).0)).collect()
        })
        .collect();
    folder.description(&KeptLogs {
        ranges,
        logs: kept,
        texts: texts.into_iter().map(Cow::Borrowed).collect(),
    })
}

/// The logs at paths; none if what is kept does not fit them.
fn read(kept: &KeptLogs<'_>, paths: &[PathBuf]) -> Option<Vec<NcuLog>> {
    let texts: Vec<Arc<str>> = kept.texts.iter().map(|text| Arc::from(&**text)).collect();
    let text = |place: usize| texts.get(place).cloned();
    let range = |[domain, words]: &[usize; 2]| Some(NcuRange { domain: text(*domain)?, text: text(*words)? });
    let ranges = kept.ranges.iter().map(|list| list.iter().map(range).collect());
    let ranges: Vec<Arc<[NcuRange]>> = ranges.collect::<Option<_>>()?;
    let known = |place: Option<usize>| match place {
        Some(place) => Some(Some(text(place)?)),
        None => Some(None),
    };
    let launch = |launch: &KeptLaunch<'_>| {
        Some(NcuLaunch {
            block_number: launch.block_number,
            id: launch.id,
            process_id: launch.process_id,
            process_name: text(launch.process_name)?,
            kernel_name: text(launch.kernel_name)?,
            context: launch.context,
            stream: launch.stream,
            device: launch.device,
            compute_capability: known(launch.compute_capability)?,
            gpu_name: known(launch.gpu_name)?,
            block: launch.block,
            grid: launch.grid,
            threads: launch.threads,
            blocks: launch.blocks,
            ranges: ranges.get(launch.ranges)?.clone(),
            invocations: launch.invocations,
            is_summary: launch.is_summary,
            is_failed: launch.is_failed,
            figures: Box::new(launch.figures.clone().into_owned()),
            metrics: Vec::new(),
            texts: Vec::new(),
        })
    };
    let log = |(log, path): (&KeptLog<'_>, &PathBuf)| {
        Some(NcuLog {
            file: crate::read::ncu::name_of(path),
            form: log.form,
            blocks: log.blocks,
            launches: log.launches.iter().map(launch).collect::<Option<_>>()?,
            oddities: log.oddities.clone().into_owned(),
            numbers: log.numbers.clone().into_owned(),
        })
    };
    let logs = kept.logs.iter().zip(paths).map(log).collect::<Option<Vec<_>>>()?;
    (logs.len() == paths.len()).then_some(logs)
}
