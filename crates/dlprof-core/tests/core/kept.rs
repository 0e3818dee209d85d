//! Reading through a cache, and telling whether what was kept was used.

use dlprof_core::{Cache, Capture, Judged, ModeChoice, Profile, ReadOptions, TABLES};
use dlprof_generate::write_export;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A cache under test.
pub(crate) struct Kept {
    pub(crate) cache: Cache,
}

impl Kept {
    pub(crate) fn new(cache: Cache) -> Self {
        Self { cache }
    }

    pub(crate) fn read(&self, file: &Path, mode: ModeChoice) -> Capture {
        let capture = self.cache.export(file, mode).capture(&ReadOptions { mode, ..ReadOptions::default() });
        capture.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Reads an export, and says whether the capture was kept and used: then no folder was put in the place of another.
    pub(crate) fn is_hit_in(&self, file: &Path, mode: ModeChoice) -> bool {
        let before = self.folders();
        self.read(file, mode);
        let is_hit = self.folders() == before && !before.is_empty();
        // One that is too large to be kept changes nothing either.
        is_hit && self.cache.entries().expect("entries").iter().any(|entry| entry.is_fresh)
    }

    pub(crate) fn is_hit(&self, file: &Path) -> bool {
        self.is_hit_in(file, ModeChoice::Auto)
    }

    /// The finished folders, and which ones they are.
    pub(crate) fn folders(&self) -> BTreeMap<PathBuf, u64> {
        use std::os::unix::fs::MetadataExt;
        let files = std::fs::read_dir(self.cache.folder()).into_iter().flatten().flatten();
        let folders = files.filter(|file| !file.file_name().to_string_lossy().starts_with("writing-"));
        folders.map(|file| (file.path(), file.metadata().expect("metadata").ino())).collect()
    }
}

impl Kept {
    /// The finished folders of captures and indexes. Those of figures are replaced when a range has another clock.
    pub(crate) fn without_figures(&self) -> BTreeMap<PathBuf, u64> {
        let mut folders = self.folders();
        folders.retain(|path, _| path.extension().is_none_or(|ending| ending != "figures"));
        folders
    }
}

/// All files below a folder, sorted.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Every cell of every table, and what no table shows.
pub(crate) fn content(profile: &Profile) -> String {
    let mut text = format!(
        "{:?} {:?} {:?} {:?} {:?}\n",
        profile.capture.counts(),
        profile.categories,
        profile.kernel_totals,
        profile.iterations.boundaries,
        profile.iterations.key_node
    );
    let judged = Judged::from(profile.clone());
    for definition in TABLES {
        let table = (definition.build)(&judged);
        text.push_str(&format!("{}\n", definition.key));
        for row in 0..table.rows() {
            let cells: Vec<_> = (0..table.columns()).map(|column| table.value(row, column)).collect();
            text.push_str(&format!("{cells:?}\n"));
        }
    }
    text
}

pub(crate) fn sample(folder: &Path, name: &str, arguments: &str) -> PathBuf {
    let file = folder.join(name);
    write_export(&file, &format!("--kernels 600 {arguments}")).expect("an export");
    file
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for temporary files")
}
