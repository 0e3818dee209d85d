//! What is asked of a capture.

use super::refusal::Refusal;
use crate::arguments::question;
use crate::exit::Failure;
use crate::settings::choices::IterRange;
use crate::settings::{
    BatchSize, MemorySize, OptionValues, Settings, SettingsFiles, UsualFiles, files_named, parse_size,
};
use clap::ValueEnum;
use dlprof_core::{DefaultRange, MOST_THREADS};
use std::path::PathBuf;

/// What is asked of a capture, as options of the program say it. By default what the program does without options.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The most memory that columns take, in bytes.
    pub memory_bytes: Option<usize>,
    /// What delimits iterations: an op, a range, a kernel, `re:` and a pattern, or an empty text for nothing.
    pub key_node: Option<String>,
    /// The first iteration.
    pub iter_start: Option<u32>,
    /// The last iteration, inclusive.
    pub iter_stop: Option<u32>,
    /// `auto`, `steady` or `all`.
    pub iter_range: Option<String>,
    /// Where the part of the capture begins that is analysed.
    pub from: Option<String>,
    /// Where it ends.
    pub to: Option<String>,
    /// Items of an iteration.
    pub batch_size: Option<u32>,
    /// Logs of Nsight Compute of the same program.
    pub ncu: Vec<PathBuf>,
    /// A settings file. Others are not read.
    pub config: Option<PathBuf>,
    /// Whether nothing is kept, and nothing that is kept is used.
    pub no_cache: bool,
    /// Worker threads; 0 for one per processor.
    pub threads: usize,
}

/// A size such as `512M` or `2G`, in bytes.
///
/// # Errors
/// If it is none.
pub fn size_in_bytes(text: &str) -> Result<usize, Refusal> {
    parse_size(text).map_err(|reason| Refusal::usage(format!("memory `{text}`: {reason}"), None))
}

impl Asked {
    /// The files that are read besides captures: logs of Nsight Compute, the settings file, what that names.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let named = files_named(self.config.as_deref(), UsualFiles::Ignored);
        self.ncu.iter().chain(&self.config).cloned().chain(named).collect()
    }

    /// Settings of a command that aggregates `usual` where nothing else is asked for.
    pub(super) fn settings(&self, usual: DefaultRange) -> Result<Settings, Refusal> {
        Ok(self.checked(usual)?)
    }

    /// As [`Self::settings`], with the failure itself.
    pub(crate) fn checked(&self, usual: DefaultRange) -> Result<Settings, Failure> {
        let batch_size = self.batch_size.map(BatchSize::try_from).transpose();
        let values = OptionValues {
            iter_start: self.iter_start,
            iter_stop: self.iter_stop,
            iter_range: self.iter_range()?.filter(|&range| DefaultRange::from(range) != usual),
            from: self.from.clone(),
            to: self.to.clone(),
            batch_size: batch_size.map_err(|reason| usage(format!("batch size 0: {reason}"), None))?,
            key_node: self.key_node.clone(),
            ncu: (!self.ncu.is_empty()).then(|| self.ncu.clone()),
            threads: (self.threads > 0).then_some(self.threads.min(MOST_THREADS)),
            memory: self.memory_bytes.map(MemorySize),
            no_cache: self.no_cache.then_some(true),
            ..OptionValues::default()
        };
        let SettingsFiles { values: of_file, mut rules, .. } =
            SettingsFiles::read(self.config.as_deref(), UsualFiles::Ignored)?;
        rules.wording = Some(question::command);
        Settings::of(values.or(of_file), rules, usual)
    }

    /// The iterations asked for. Where these are the usual ones, a settings file may name others.
    fn iter_range(&self) -> Result<Option<IterRange>, Failure> {
        let Some(name) = &self.iter_range else { return Ok(None) };
        let range = IterRange::from_str(name, false).map_err(|_| {
            let hint = "iterations are `auto`, `steady` or `all`".to_owned();
            usage(format!("there is no range of iterations `{name}`"), Some(hint))
        })?;
        Ok(Some(range))
    }
}

fn usage(message: String, hint: Option<String>) -> Failure {
    Failure::Usage { message, hint }
}
