//! The identity of a kept capture: which export it was made from, and how the export was read.

use crate::capture::correlate::{LooseWork, ModeChoice};
use crate::capture::counters::NcuOptions;
use crate::read::file_state::FileState;
use crate::read::time_cut::TimeCut;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The number of the layout of kept logs, which are no table and declare nothing.
const LAYOUT_OF_LOGS: u32 = 1;

/// The same of the notes of a capture: launch configurations have the multiprocessors of their context, merged traces of ranks the
/// ranks of their labels.
const LAYOUT_OF_NOTES: u32 = 3;

/// The layout of kept files as one number. It changes if the declaration of any table changes.
fn format() -> u32 {
    let declarations = (
        super::kept_capture::DECLARATIONS,
        super::kept_index::DECLARATIONS,
        super::kept_figures::DECLARATIONS,
        LAYOUT_OF_LOGS,
        LAYOUT_OF_NOTES,
    );
    crc32fast::hash(&serde_json::to_vec(&declarations).unwrap_or_default())
}

/// Logs of Nsight Compute as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct NcuIdentity {
    /// Path and state of each; no state of those that are not there.
    logs: Vec<(String, Option<FileState>)>,
    is_same_gpu: bool,
}

impl NcuIdentity {
    fn of(options: &NcuOptions) -> Option<Self> {
        let log = |path: &PathBuf| {
            let (path, state) = match path.canonicalize() {
                Ok(path) => (path.clone(), Some(FileState::of(&path).ok()?)),
                Err(error) if error.kind() == ErrorKind::NotFound => (
                    std::path::absolute(path.parent()?).ok()?.canonicalize().ok()?.join(path.file_name()?),
                    None,
                ),
                Err(_) => return None,
            };
            Some((path.to_str()?.to_owned(), state))
        };
        let logs = options.logs.iter().map(log).collect::<Option<_>>()?;
        Some(Self { logs, is_same_gpu: options.is_same_gpu })
    }

    /// Whether these are the logs of another one as they were then, as far as they are there.
    fn fits(&self, other: &Self) -> bool {
        self.is_same_gpu == other.is_same_gpu
            && self.logs.len() == other.logs.len()
            && self.logs.iter().zip(&other.logs).all(|((path, state), (others, other_state))| {
                path == others && (state.is_none() || state == other_state)
            })
    }

    fn options(&self) -> NcuOptions {
        NcuOptions {
            logs: self.logs.iter().map(|(path, _)| PathBuf::from(path)).collect(),
            is_same_gpu: self.is_same_gpu,
        }
    }
}

/// Which export was read, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct ExportIdentity {
    format: u32,
    tool_version: String,
    mode: ModeChoice,
    loose_work: LooseWork,
    /// Patterns for further kernels that use Tensor Cores.
    tensor_cores: Vec<String>,
    cut: TimeCut,
    /// Logs of Nsight Compute beside it, and whether they count as of the same GPU. Captures are kept without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ncu: Option<NcuIdentity>,
    /// Without symbolic links; a path that is not UTF-8 has no identity.
    path: String,
    state: FileState,
}

impl ExportIdentity {
    /// The identity of an export as it is now; none if it has none that can be trusted.
    pub(super) fn of(
        path: &Path,
        mode: ModeChoice,
        loose_work: LooseWork,
        tensor_cores: Vec<String>,
        cut: TimeCut,
        ncu: &NcuOptions,
    ) -> Option<Self> {
        let ncu = if ncu.logs.is_empty() { None } else { Some(NcuIdentity::of(ncu)?) };
        let path = path.canonicalize().ok()?;
        let state = FileState::of(&path).ok()?;
        Some(Self {
            format: format(),
            tool_version: env!("CARGO_PKG_VERSION").into(),
            mode,
            loose_work,
            tensor_cores,
            cut,
            ncu,
            path: path.to_str()?.to_owned(),
            state,
        })
    }

    /// The same export as it is now, read in the same way; none if it has no identity any more.
    pub(super) fn now(&self) -> Option<Self> {
        let (tensor_cores, cut) = (self.tensor_cores.clone(), self.cut.clone());
        let ncu = self.ncu.as_ref().map_or_else(NcuOptions::default, NcuIdentity::options);
        Self::of(&PathBuf::from(&self.path), self.mode, self.loose_work, tensor_cores, cut, &ncu)
    }

    /// The export.
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// The same without logs of Nsight Compute, as captures are kept.
    pub(super) fn without_counters(&self) -> Self {
        Self { ncu: None, ..self.clone() }
    }

    /// Whether the export is unchanged, and so are the logs beside it that are there.
    pub(super) fn is_current(&self) -> bool {
        self.now().is_some_and(|now| now.fits(self))
    }

    /// Whether this is the export of another identity as it was then, and its logs, as far as they are there.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let logs = match (&self.ncu, &other.ncu) {
            (Some(own), Some(others)) => own.fits(others),
            (own, others) => own.is_none() && others.is_none(),
        };
        logs && self.without_counters() == other.without_counters()
    }

    /// Whether a log is not there.
    pub(super) fn lacks_logs(&self) -> bool {
        self.ncu.as_ref().is_some_and(|ncu| ncu.logs.iter().any(|(_, state)| state.is_none()))
    }

    /// What its folders are called: one name for each export and way of reading it, so that a newer state replaces an older one.
    pub(super) fn key(&self) -> String {
        let mut hasher = rustc_hash::FxHasher::default();
        (&self.path, self.mode, self.loose_work, &self.tensor_cores, &self.cut).hash(&mut hasher);
        if let Some(ncu) = &self.ncu {
            ncu.options().logs.hash(&mut hasher);
            ncu.is_same_gpu.hash(&mut hasher);
        }
        let stem = self.path().file_stem().unwrap_or_default().to_string_lossy();
        let stem: String =
            stem.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("{stem}-{:016x}", hasher.finish())
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
