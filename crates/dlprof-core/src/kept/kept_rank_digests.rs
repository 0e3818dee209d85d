//! What jobs of many ranks need of a capture, in a file: so that a job is read again from digests alone.

use super::folder::{self, FolderWriter, KeptFolder};
use super::identity::ExportIdentity;
use super::{Cache, DIGESTS, KeptExport};
use crate::base::Error;
use crate::base::threads::worker_threads;
use crate::capture::names::ActivitySettings;
use crate::capture::{Capture, ReadOptions};
use crate::read::check_input;
use crate::runs::ranks::{DIGEST_FORMAT, RankDigest, are_sound, rank_digests};
use crate::steps::iterate::KeyNodeChoice;
use serde::de::IgnoredAny;
use std::io;
use std::path::Path;

/// What the ranks of a capture depend on beside the export and how it is read.
#[derive(Debug, Clone, Copy)]
pub struct DigestChoice<'a> {
    /// What delimits iterations.
    pub key_node: &'a KeyNodeChoice,
    /// Thresholds and names of the user.
    pub activity: &'a ActivitySettings,
}

/// The export of the first folder of an entry: a capture or, where only jobs read it, digests.
pub(super) fn export_of(label: &str) -> Option<ExportIdentity> {
    type OfDigests = (ExportIdentity, IgnoredAny, IgnoredAny, IgnoredAny);
    let of_digests = |_| serde_json::from_str(label).map(|(identity, ..): OfDigests| identity);
    serde_json::from_str(label).or_else(of_digests).ok()
}

impl Cache {
    /// What is kept of an export for jobs of many ranks, if reading it takes longer than reading what would be kept.
    #[must_use]
    pub fn export_of_job(&self, path: &Path, options: &ReadOptions<'_>) -> Option<KeptExport> {
        self.is_worth_it(path).then(|| self.export_with(path, options))
    }

    /// Makes room after much was kept without asking for room: removes what killed runs left, and what was not used for the longest
    /// time until all is within the limit.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn trim(&self) -> io::Result<()> {
        folder::remove_unfinished(&self.folder);
        let mut entries = self.entries()?;
        let taken = entries.iter().map(|entry| entry.bytes).sum();
        super::remove_oldest(&mut entries, taken, self.limit_bytes);
        Ok(())
    }
}

impl KeptExport {
    /// The kept digests of the ranks of the export, as of a capture that is called `named`; none if none are kept of the export as it
    /// is now, or what is kept is damaged.
    ///
    /// # Errors
    /// If the export is being written or is incomplete, or if no worker threads can be had.
    pub fn kept_digests(
        &self,
        named: &Path,
        choice: DigestChoice<'_>,
        options: &ReadOptions<'_>,
    ) -> Result<Option<Vec<RankDigest>>, Error> {
        let Some((identity, label)) = self.digests_label(choice) else { return Ok(None) };
        let place = self.cache.place(&identity, DIGESTS);
        if !place.exists() {
            return Ok(None);
        }
        check_input(&self.path)?;
        let read = || {
            let folder = KeptFolder::open(&place, &label, self.cache.trusted_from, &options.memory)?;
            let ranks: Vec<RankDigest> = folder.description()?;
            (folder.is_still_there() && are_sound(&ranks)).then_some(ranks)
        };
        let Some(mut ranks) = worker_threads(options.threads)?.install(read) else { return Ok(None) };
        ranks.iter_mut().for_each(|rank| rank.who.file = named.into());
        Ok(Some(ranks))
    }

    /// Reads the export, makes the digests of its ranks, and keeps them, without asking for room: see [`Cache::trim`]. What cannot be
    /// kept is made again next time.
    ///
    /// # Errors
    /// If the export cannot be read, or the key node never ran.
    pub fn make_digests(
        &self,
        named: &Path,
        choice: DigestChoice<'_>,
        options: &ReadOptions<'_>,
    ) -> Result<Vec<RankDigest>, Error> {
        let capture = Capture::read(&self.path, options)?;
        let ranks = rank_digests(&capture, named, choice.key_node, choice.activity)?;
        // The export may have changed while it was read.
        if let Some((identity, label)) = self.digests_label(choice)
            && identity.is_current()
        {
            let content = |folder: &mut FolderWriter| folder.description(&ranks);
            drop(self.cache.write_without_room(&identity, DIGESTS, label, content));
        }
        Ok(ranks)
    }

    /// Which export digests are of, and all that they depend on.
    fn digests_label(&self, choice: DigestChoice<'_>) -> Option<(ExportIdentity, String)> {
        let identity = self.identity.as_ref()?.without_counters();
        let label = (&identity, choice.key_node, choice.activity.in_words(), DIGEST_FORMAT);
        let label = serde_json::to_string(&label).ok()?;
        Some((identity, label))
    }
}
