//! The files that a run reads. No output is ever one of them, whatever name it has.
//!
//! Files are compared by device and inode, so that `..`, links and hard links make no difference. A file that SQLite may keep
//! beside a database counts as read even if it does not exist: a new one would change what the database says.

use crate::error::Error;
use crate::temporary::folder_of;
use dlprof_core::graph_captures_beside;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What SQLite may keep beside a database.
const BESIDE_DATABASES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A folder of folders of kept files is no deeper.
const DEEPEST: usize = 4;

/// The files that a run reads.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    files: Vec<Input>,
    folders: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
struct Input {
    path: PathBuf,
    /// None if there is no such file.
    id: Option<FileId>,
    /// Its folder and its name there; none without a folder.
    place: Option<(FileId, OsString)>,
}

/// What tells a file from all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum FileId {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The path without links, where there are no inodes.
    #[cfg(not(unix))]
    Path(PathBuf),
}

impl FileId {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        path.metadata().ok().map(|metadata| Self::Inode(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self::Path)
    }
}

impl Inputs {
    /// Adds a file and what is read with it: what SQLite may keep beside it, and traces of captures of graphs there. It may be missing.
    pub fn add(&mut self, path: &Path) {
        graph_captures_beside(path).iter().for_each(|folder| self.add_files_of(folder));
        let beside = BESIDE_DATABASES.map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        });
        self.files.extend([path.to_owned()].into_iter().chain(beside).map(Input::new));
    }

    /// Adds every file of a folder. Nothing is added if there is no such folder.
    pub fn add_files_of(&mut self, folder: &Path) {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        self.files.extend(files.map(|file| Input::new(file.path())));
    }

    /// Adds a folder that this program keeps files in, at any depth: no output goes there.
    pub fn add_folder(&mut self, folder: &Path) {
        self.folders.push(folder.to_owned());
    }

    /// Refuses an output that is one of the inputs. `real` is where its links lead.
    ///
    /// # Errors
    /// If it is one.
    pub(crate) fn refuse(&self, path: &Path, real: &Path) -> Result<(), Error> {
        let id = FileId::of(path);
        let place = place_of(real);
        let is_it =
            |input: &&Input| (id.is_some() && input.id == id) || (place.is_some() && input.place == place);
        if let Some(input) = self.files.iter().find(is_it) {
            return Err(Error::IsInput { path: path.into(), input: input.path.clone() });
        }
        let in_folder = |folder: &&PathBuf| is_in(real, folder) || (has_links(path) && holds(folder, &id));
        match self.folders.iter().find(in_folder) {
            Some(folder) => Err(Error::IsKept { path: path.into(), folder: folder.clone() }),
            None => Ok(()),
        }
    }
}

impl Input {
    fn new(path: PathBuf) -> Self {
        Self { id: FileId::of(&path), place: place_of(&path), path }
    }
}

/// The folder and the name of a path, whether or not there is a file.
fn place_of(path: &Path) -> Option<(FileId, OsString)> {
    Some((FileId::of(folder_of(path))?, path.file_name()?.to_owned()))
}

/// Whether a path lies in a folder, at any depth.
fn is_in(path: &Path, folder: &Path) -> bool {
    let (Some(id), Ok(place)) = (FileId::of(folder), folder_of(path).canonicalize()) else { return false };
    place.ancestors().any(|folder| FileId::of(folder).as_ref() == Some(&id))
}

/// Whether a file has several names.
#[cfg(unix)]
fn has_links(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.metadata().is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn has_links(_: &Path) -> bool {
    false
}

/// Whether a file is among the kept files of a folder, under another name.
fn holds(folder: &Path, id: &Option<FileId>) -> bool {
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = file.path();
            match file.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => folders.push((path, depth + 1)),
                Ok(kind) if kind.is_file() && FileId::of(&path) == *id => return true,
                _ => {}
            }
        }
    }
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_input_is_known_by_any_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("kept/a")).expect("folders");
        for name in ["run.sqlite", "other.csv", "kept/a/work.arrow"] {
            fs::write(at(name), name).expect("a file");
        }
        fs::hard_link(at("run.sqlite"), at("hard.csv")).expect("a link");
        fs::hard_link(at("kept/a/work.arrow"), at("kept.csv")).expect("a link");
        std::os::unix::fs::symlink("run.sqlite", at("soft.csv")).expect("a link");
        let mut inputs = Inputs::default();
        inputs.add(&at("run.sqlite"));
        inputs.add_folder(&at("kept"));
        let refused = |name: &str| inputs.refuse(&at(name), &at(name)).is_err();
        let all = [
            "run.sqlite",
            "kept/../run.sqlite",
            "soft.csv",
            "hard.csv",
            "run.sqlite-wal",
            "kept.csv",
            "kept/a/new.csv",
        ];
        assert_eq!(all.map(refused), [true; 7]);
        assert_eq!(["other.csv", "new.csv", "other.csv-wal"].map(refused), [false; 3]);
    }
}
