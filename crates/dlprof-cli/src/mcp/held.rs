//! Captures that are open, so that a second question is answered at once.

use super::call::Call;
use crate::exit::Failure;
use crate::library::Asked;
use crate::opening::CaptureFile;
use dlprof_core::{DefaultRange, Judged};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What tells a file from a later one at the same path: its number on its device, its size, and when it was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity([u64; 5]);

/// A capture that is open or is being read. Other requests for it wait until it is read.
type Slot = Arc<Mutex<Option<(Identity, Judged)>>>;

/// Captures that are open.
pub(super) struct Held {
    most: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// By path and by what is asked of it: when it was used, and what is known of it.
    by_capture: BTreeMap<(PathBuf, String), (u64, Slot)>,
    uses: u64,
    /// Where the captures lie whose keys clients know.
    paths: BTreeMap<String, PathBuf>,
}

impl Held {
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), slots: Mutex::default() }
    }

    /// The path of a capture whose key an earlier answer told.
    pub(super) fn path_of(&self, key: &str) -> Option<PathBuf> {
        self.lock().paths.get(key).cloned()
    }

    /// Opens a capture, unless it is open and its file has not changed.
    pub(super) fn open(
        &self,
        path: &Path,
        asked: &Asked,
        call: &Call,
        on_rows: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Judged, Failure> {
        let slot = self.slot(path, asked);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let now = identity(path);
        if let Some((then, judged)) = slot.as_ref()
            && Some(*then) == now
        {
            return Ok(judged.clone());
        }
        *slot = None;
        let file = CaptureFile::new(path.to_owned(), asked.checked(DefaultRange::Auto)?);
        let on_rows = |done, total| {
            on_rows(done, total);
            call.goes_on()
        };
        let judged = file.open_telling(&on_rows, &|_, _| call.goes_on())?;
        file.keep_figures(&judged);
        *slot = now.filter(|now| identity(path) == Some(*now)).map(|now| (now, judged.clone()));
        self.lock().paths.insert(crate::answers::capture_key(path), path.to_owned());
        Ok(judged)
    }

    /// The place of a capture. The one that was not used for the longest time gives way.
    fn slot(&self, path: &Path, asked: &Asked) -> Slot {
        let mut slots = self.lock();
        slots.uses += 1;
        let (uses, capture) = (slots.uses, (path.to_owned(), format!("{asked:?}")));
        let entry = slots.by_capture.entry(capture).or_default();
        entry.0 = uses;
        let slot = Arc::clone(&entry.1);
        while slots.by_capture.len() > self.most {
            let oldest =
                slots.by_capture.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.iter().for_each(|key| drop(slots.by_capture.remove(key)));
        }
        slot
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn identity(path: &Path) -> Option<Identity> {
    path.metadata().ok().map(|file| of_metadata(&file))
}

#[cfg(unix)]
fn of_metadata(file: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    let time = [file.mtime(), file.mtime_nsec()].map(i64::cast_unsigned);
    Identity([file.dev(), file.ino(), file.size(), time[0], time[1]])
}

#[cfg(not(unix))]
fn of_metadata(file: &Metadata) -> Identity {
    let time = file.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let time = time.unwrap_or_default();
    Identity([0, 0, file.len(), time.as_secs(), time.subsec_nanos().into()])
}
