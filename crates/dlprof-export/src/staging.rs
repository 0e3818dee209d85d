//! Several files that appear together or not at all. Everything that is written on a user's word goes through here.
//!
//! ```text
//! place(target) ──► .dlprof-agg-….tmp/N-name, beside the file      all are written there
//! commit()      ──► the file                                       all are renamed; otherwise all are removed
//! ```
//!
//! What goes to a pipe waits in the folder for temporary files until all is complete, so that every format can go there.

use crate::error::Error;
use crate::formats::step_summary::MOST_BYTES;
use crate::inputs::Inputs;
use crate::target::{Overwrite, Target, behind_links, create_with};
use crate::temporary::{TemporaryFolder, folder_of};
use dlprof_core::hold_signals;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a run waits for another one that puts files into the same folder: it only renames them.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Files and folders that are written but do not have their final names yet. If it is dropped, they are removed.
#[derive(Default)]
pub(crate) struct Staging {
    /// With the folders where their content goes.
    folders: Vec<(PathBuf, TemporaryFolder)>,
    entries: Vec<Entry>,
    inputs: Inputs,
}

struct Entry {
    staged: PathBuf,
    /// As the user knows it.
    path: PathBuf,
    goal: Goal,
}

/// Where an entry goes.
enum Goal {
    /// It becomes this file or folder, or takes its place.
    Rename(PathBuf),
    /// It is added to what the file has, as a step adds to the summary of a job.
    Append,
    /// It is passed on.
    PassOn(Target),
    /// Its files become files of a folder that exists.
    Fill,
}

impl Staging {
    /// For files of folders that may be inputs under another name.
    pub(crate) fn new(inputs: &Inputs) -> Self {
        Self { inputs: inputs.clone(), ..Self::default() }
    }

    /// Where to write what will be this file.
    ///
    /// # Errors
    /// If there cannot be a folder beside the file.
    pub(crate) fn place(&mut self, target: &Target) -> Result<PathBuf, Error> {
        match target.file() {
            Some(real) => self.stage(target.path(), folder_of(real), Goal::Rename(real.into())),
            None => self.stage(target.path(), &std::env::temp_dir(), Goal::PassOn(target.clone())),
        }
    }

    /// As [`Staging::place`], for what will be added at the end of the file.
    ///
    /// # Errors
    /// As those of [`Staging::place`].
    pub(crate) fn place_addition(&mut self, target: &Target) -> Result<PathBuf, Error> {
        match target.file() {
            Some(real) => self.stage(target.path(), folder_of(real), Goal::Append),
            None => self.place(target),
        }
    }

    /// As [`Staging::place`], for a folder. Only files will be in it.
    ///
    /// # Errors
    /// If there cannot be such a folder.
    pub(crate) fn place_folder(&mut self, path: &Path) -> Result<PathBuf, Error> {
        let failed = |source| Error::Write { path: path.into(), source };
        let staged = if path.is_dir() {
            // What is beside the folder may be on another disk.
            self.stage(path, path, Goal::Fill)?
        } else {
            let real = behind_links(path).map_err(failed)?;
            self.stage(path, folder_of(&real), Goal::Rename(real.clone()))?
        };
        fs::create_dir(&staged).map_err(failed)?;
        Ok(staged)
    }

    /// A place in a folder for what is not complete yet, inside `parent`.
    fn stage(&mut self, path: &Path, parent: &Path, goal: Goal) -> Result<PathBuf, Error> {
        let at = match self.folders.iter().position(|(known, _)| known == parent) {
            Some(at) => at,
            None => {
                let failed = |source| Error::Write { path: path.into(), source };
                self.folders.push((parent.into(), TemporaryFolder::new(parent).map_err(failed)?));
                self.folders.len() - 1
            }
        };
        let mut name = OsString::from(format!("{}-", self.entries.len()));
        name.push(path.file_name().unwrap_or_default());
        let staged = self.folders[at].1.path().join(name);
        self.entries.push(Entry { staged: staged.clone(), path: path.into(), goal });
        Ok(staged)
    }

    /// The error with the path that the user knows.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let Error::Write { path, source } = error else { return error };
        let known = self.entries.iter().find_map(|entry| {
            let rest = path.strip_prefix(&entry.staged).ok()?;
            Some(if rest.as_os_str().is_empty() { entry.path.clone() } else { entry.path.join(rest) })
        });
        Error::Write { path: known.unwrap_or(path), source }
    }

    /// Gives everything its final name.
    ///
    /// # Errors
    /// If the system refuses to rename, a file of a folder has become an input, or a summary would be longer than what is shown.
    pub(crate) fn commit(mut self) -> Result<(), Error> {
        self.spread_folders()?;
        self.entries.iter().try_for_each(Entry::check_length)?;
        // New folders first: another run may have made one meanwhile, and then nothing has changed yet.
        self.entries.sort_by_key(|entry| !entry.staged.is_dir());
        let locks = self.filled().iter().map(|folder| lock(folder)).collect::<Result<Vec<_>, _>>()?;
        for Entry { staged, path, goal } in &self.entries {
            if let Goal::PassOn(target) = goal {
                target.pass_on(staged).map_err(|source| Error::Write { path: path.clone(), source })?;
            }
        }
        // From here on a signal waits: it finds all files new, or all old.
        let held = hold_signals();
        for Entry { staged, path, goal } in &self.entries {
            match goal {
                Goal::Rename(real) => rename(staged, real),
                Goal::Append => append(staged, path),
                Goal::PassOn(_) | Goal::Fill => Ok(()),
            }
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        }
        drop((held, locks));
        Ok(())
    }

    /// The folders that exist and get files, each once and in one order for all runs, so that none waits for another in a circle.
    fn filled(&self) -> BTreeSet<PathBuf> {
        let filled = self.entries.iter().filter(|entry| matches!(entry.goal, Goal::Fill));
        filled.map(|entry| entry.path.canonicalize().unwrap_or_else(|_| entry.path.clone())).collect()
    }

    /// Makes an entry of each file that goes into a folder that exists. If a link is there, the file is moved to where the link
    /// leads first, because that may be another disk.
    fn spread_folders(&mut self) -> Result<(), Error> {
        let folders: Vec<(PathBuf, PathBuf)> = self
            .entries
            .iter()
            .filter(|entry| matches!(entry.goal, Goal::Fill))
            .map(|entry| (entry.staged.clone(), entry.path.clone()))
            .collect();
        for (staged, folder) in folders {
            let failed = |path: &Path| {
                let path = path.to_owned();
                |source| Error::Write { path, source }
            };
            for file in fs::read_dir(&staged).map_err(failed(&folder))? {
                let file = file.map_err(failed(&folder))?;
                let path = folder.join(file.file_name());
                let target = Target::new(&path, Overwrite::Replace, &self.inputs)?;
                match target.file().filter(|real| folder_of(real) == folder) {
                    Some(real) => {
                        let goal = Goal::Rename(real.into());
                        self.entries.push(Entry { staged: file.path(), path: path.clone(), goal });
                    }
                    None => {
                        let place = self.place(&target)?;
                        fs::copy(file.path(), place).map_err(failed(&path))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes several whole files: all of them, or none.
///
/// # Errors
/// If the system refuses to write.
pub fn write_files<'a>(files: impl IntoIterator<Item = (&'a Target, &'a [u8])>) -> Result<(), Error> {
    let mut staging = Staging::default();
    for (target, bytes) in files {
        let staged = staging.place(target)?;
        create_with(&staged, |out| out.write_all(bytes)).map_err(|error| staging.explain(error))?;
    }
    staging.commit()
}

impl Entry {
    /// Checks that a file, with what is added, is not longer than the summary of a step may be.
    fn check_length(&self) -> Result<(), Error> {
        if !matches!(self.goal, Goal::Append) {
            return Ok(());
        }
        let length = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
        let bytes = length(&self.path) + length(&self.staged);
        let most = MOST_BYTES;
        if bytes > most { Err(Error::TooLong { path: self.path.clone(), bytes, most }) } else { Ok(()) }
    }
}

/// Renames a file or a folder. A folder does not take the place of one that another run has made meanwhile: that one is whole.
fn rename(staged: &Path, real: &Path) -> io::Result<()> {
    fs::rename(staged, real).map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists if staged.is_dir() => {
            io::Error::new(error.kind(), "another program has made this folder meanwhile, and its files stay")
        }
        _ => error,
    })
}

/// Keeps other runs from putting files into a folder until the returned value is dropped, so that they do not mix. None where
/// folders cannot be locked.
fn lock(folder: &Path) -> Result<Option<File>, Error> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                let source = io::Error::new(
                    io::ErrorKind::ResourceBusy,
                    "another program puts files into it and does not end",
                );
                return Err(Error::Write { path: folder.into(), source });
            }
        }
    }
}

/// Adds a file at the end of another one, in one piece, as `>>` of a shell does: other steps may have the file open.
fn append(staged: &Path, path: &Path) -> io::Result<()> {
    let bytes = fs::read(staged)?;
    File::options().append(true).create(true).open(path)?.write_all(&bytes)
}

impl Target {
    /// Writes the file, piece by piece. It appears when it is complete.
    ///
    /// # Errors
    /// If the system refuses to write. Then nothing has changed.
    pub fn write(&self, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<(), Error> {
        let mut staging = Staging::default();
        let staged = staging.place(self)?;
        create_with(&staged, |out| write(out)).map_err(|error| staging.explain(error))?;
        staging.commit()
    }

    /// As [`Target::write`], by another program, which gets the name of a file to make.
    ///
    /// # Errors
    /// Those of the program, or if the system refuses to write. Then nothing has changed.
    pub fn write_by<E: From<Error>>(&self, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
        let mut staging = Staging::default();
        write(&staging.place(self)?)?;
        Ok(staging.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> =
            files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn target(path: &Path) -> Target {
        Target::new(path, Overwrite::Replace, &Inputs::default()).expect("a target")
    }

    #[test]
    fn all_appear_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old.csv"), "old").expect("a file");
        let stage = || {
            let mut staging = Staging::default();
            for name in ["a.csv", "old.csv"] {
                fs::write(staging.place(&target(&at(name))).expect("a place"), "new").expect("a file");
            }
            let tables = staging.place_folder(&at("tables")).expect("a place");
            fs::write(tables.join("ops.csv"), "new").expect("a file");
            staging
        };
        drop(stage());
        assert_eq!(names(folder.path()), ["old.csv"]);
        assert_eq!(fs::read_to_string(at("old.csv")).expect("a file"), "old");
        stage().commit().expect("all");
        assert_eq!(names(folder.path()), ["a.csv", "old.csv", "tables"]);
        assert_eq!(fs::read_to_string(at("old.csv")).expect("a file"), "new");
        fs::write(at("tables/gpus.csv"), "kept").expect("a file");
        stage().commit().expect("all, again");
        assert_eq!(names(&at("tables")), ["gpus.csv", "ops.csv"]);
    }

    #[test]
    fn files_of_a_folder_are_written_through_links_and_never_over_an_input() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["tables", "far"] {
            fs::create_dir(at(name)).expect("a folder");
        }
        fs::write(at("far/gpus.csv"), "input").expect("a file");
        #[cfg(unix)]
        for name in ["ops.csv", "gpus.csv"] {
            std::os::unix::fs::symlink(at("far").join(name), at("tables").join(name)).expect("a link");
        }
        let write = |inputs: &Inputs, name: &str| {
            let mut staging = Staging::new(inputs);
            let tables = staging.place_folder(&at("tables")).expect("a place");
            fs::write(tables.join(name), "new").expect("a file");
            staging.commit()
        };
        let mut inputs = Inputs::default();
        inputs.add(&at("far/gpus.csv"));
        write(&inputs, "ops.csv").expect("written");
        assert_eq!(fs::read_to_string(at("tables/ops.csv")).expect("a file"), "new");
        #[cfg(unix)]
        {
            assert!(matches!(write(&inputs, "gpus.csv"), Err(Error::IsInput { .. })));
            assert!(at("tables/ops.csv").is_symlink());
            assert_eq!(names(&at("tables")), ["gpus.csv", "ops.csv"]);
            assert_eq!(fs::read_to_string(at("far/gpus.csv")).expect("a file"), "input");
        }
    }

    /// Whole folders of several runs at a time: one of them is there at the end, and no run fails without a word.
    #[test]
    fn files_of_several_runs_do_not_mix() {
        const FILES: usize = 12;
        let folder = tempfile::tempdir().expect("a folder");
        let tables = folder.path().join("tables");
        for _ in 0..8 {
            let write = |run: usize| {
                let mut staging = Staging::default();
                let staged = staging.place_folder(&tables)?;
                for file in 0..FILES {
                    fs::write(staged.join(format!("{file}.csv")), run.to_string()).expect("a file");
                }
                staging.commit()
            };
            let ended: Vec<Result<(), Error>> = std::thread::scope(|scope| {
                let runs: Vec<_> = (0..6).map(|run| scope.spawn(move || write(run))).collect();
                runs.into_iter().map(|run| run.join().expect("no panic")).collect()
            });
            assert!(ended.iter().any(Result::is_ok));
            for error in ended.into_iter().filter_map(Result::err) {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                assert!(cause.contains("another program has made this folder meanwhile"), "{error}: {cause}");
            }
            let read = |file: usize| fs::read_to_string(tables.join(format!("{file}.csv"))).expect("a file");
            assert!((1..FILES).all(|file| read(file) == read(0)), "files of two runs");
            assert_eq!(names(&tables).len(), FILES);
            assert_eq!(names(folder.path()), ["tables"]);
            fs::remove_dir_all(&tables).expect("removed");
        }
    }

    #[test]
    fn errors_name_the_final_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut staging = Staging::default();
        let staged = staging.place_folder(&folder.path().join("tables")).expect("a place");
        let error = Error::Write { path: staged.join("ops.csv"), source: io::ErrorKind::StorageFull.into() };
        let shown = staging.explain(error).to_string();
        assert_eq!(shown, format!("cannot write `{}`", folder.path().join("tables/ops.csv").display()));
    }
}
