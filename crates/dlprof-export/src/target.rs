//! Where an output goes. Every file that is written on a user's word passes through [`Target::new`], before the long work.
//!
//! ```text
//! path ── is an input? ──► refused
//!      ── a pipe, a terminal, /dev/stdout ──► written to as it is
//!      ── a link ──► what it leads to, whether that exists or not; the link stays
//!      ── a file ──► replaced at once when the new one is complete
//! ```

use crate::display::PlainLines;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::temporary::{TemporaryFolder, folder_of};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What to do about files that exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Leave them and fail.
    #[default]
    Refuse,
    /// Replace them.
    Replace,
}

/// A file that may be written: it is not an input, its folder takes new files, and if it exists it may be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    path: PathBuf,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// A file that exists or will be made: the path behind all links.
    File(PathBuf),
    /// Something that takes bytes one after the other, and is not replaced.
    Stream,
}

impl Target {
    /// Checks before the long work that a file can be written.
    ///
    /// # Errors
    /// If the file is an input, or exists and must not be replaced, or is neither a file nor a stream, or if its folder does not
    /// exist or cannot be written to.
    pub fn new(path: &Path, overwrite: Overwrite, inputs: &Inputs) -> Result<Self, Error> {
        let failed = |source| Error::Write { path: path.into(), source };
        if path == Path::new("-") {
            return Err(Error::NoFile { path: path.into() });
        }
        let found = path.metadata();
        if found.as_ref().is_ok_and(fs::Metadata::is_dir) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let is_descriptor = descriptor(path).is_some();
        let is_file = found.as_ref().map_or(true, fs::Metadata::is_file);
        if found.is_ok() && (is_descriptor || !is_file) {
            inputs.refuse(path, path)?;
            let is_stream = is_file || found.is_ok_and(|found| takes_bytes(found.file_type()));
            let stream = Self { path: path.into(), place: Place::Stream };
            return if is_stream { Ok(stream) } else { Err(Error::NoFile { path: path.into() }) };
        }
        let real = behind_links(path).map_err(failed)?;
        inputs.refuse(path, &real)?;
        if overwrite == Overwrite::Refuse && found.is_ok() {
            return Err(Error::Exists { path: path.into() });
        }
        check_folder_of(path, &real)?;
        Ok(Self { path: path.into(), place: Place::File(real) })
    }

    /// The path as the user gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether bytes are passed on instead of a file being made.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.place == Place::Stream
    }

    /// The file that is made or replaced; none for a stream.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File(real) => Some(real),
            Place::Stream => None,
        }
    }

    /// Whether two outputs would be one file.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        match (self.file(), other.file()) {
            (Some(file), Some(other)) => place_of(file) == place_of(other),
            _ => self.path == other.path,
        }
    }

    /// Passes a complete file on; to a terminal without what it would obey.
    ///
    /// # Errors
    /// If the system refuses to write. A reader that went away has read what it wanted.
    pub(crate) fn pass_on(&self, staged: &Path) -> io::Result<()> {
        let copy = || {
            let (mut file, mut out) = (File::open(staged)?, open_stream(&self.path)?);
            if !out.is_terminal() {
                return io::copy(&mut file, &mut out).map(drop);
            }
            let mut out = PlainLines::new(out);
            io::copy(&mut file, &mut out)?;
            out.flush()
        };
        match copy() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            copied => copied,
        }
    }
}

/// The path behind all links with the real folder, to find two paths of one file.
pub(crate) fn place_of(path: &Path) -> PathBuf {
    let path = behind_links(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&path).canonicalize().or_else(|_| std::path::absolute(folder_of(&path)));
    folder.map_or_else(|_| path.clone(), |folder| folder.join(path.file_name().unwrap_or_default()))
}

/// Whether a path names a stream, such as a pipe.
pub(crate) fn is_stream(path: &Path) -> bool {
    let takes = path.metadata().is_ok_and(|found| takes_bytes(found.file_type()));
    takes || (descriptor(path).is_some() && path.metadata().is_ok_and(|found| found.is_file()))
}

/// Checks that a folder takes new files.
fn check_folder_of(path: &Path, real: &Path) -> Result<(), Error> {
    let folder = folder_of(real);
    if !folder.is_dir() {
        return Err(Error::NoFolder { path: path.into(), folder: folder.into() });
    }
    TemporaryFolder::new(folder).map(drop).map_err(|source| Error::Write { path: path.into(), source })
}

/// Checks before the long work that files can be written to a folder. The folder itself may be missing.
///
/// # Errors
/// If the path is something else, if one of the files is an input, or exists and must not be replaced, or if the folder, or the
/// folder in which it would be made, cannot be written to.
pub(crate) fn check_folder(
    folder: &Path,
    files: &[PathBuf],
    overwrite: Overwrite,
    inputs: &Inputs,
) -> Result<(), Error> {
    if folder == Path::new("-") {
        return Err(Error::NoFile { path: folder.into() });
    }
    if folder.is_dir() {
        return files.iter().try_for_each(|file| Target::new(file, overwrite, inputs).map(drop));
    }
    let failed = |source| Error::Write { path: folder.into(), source };
    if folder.exists() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    let real = behind_links(folder).map_err(failed)?;
    inputs.refuse(folder, &real)?;
    check_folder_of(folder, &real)
}

/// The path behind all links. There may be no such file.
///
/// # Errors
/// If links go round in a circle.
pub(crate) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// More links than this are a circle for the system, too.
    const MOST: usize = 40;
    // A slash at the end of a name would hide that it is a link.
    let mut real: PathBuf = path.components().collect();
    for _ in 0..MOST {
        match fs::read_link(&real) {
            Ok(target) => real = real.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(real),
        }
    }
    Err(io::Error::other("its links go round in a circle"))
}

/// The number of an open file that a path such as `/dev/stdout` leads to. Its name behind all links says nothing about it: it may
/// be a pipe, or a file that is open already.
fn descriptor(path: &Path) -> Option<(PathBuf, u32)> {
    let mut path: PathBuf = path.components().collect();
    for _ in 0..4 {
        let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        if let (Some(number), Ok(folder)) = (number, folder_of(&path).canonicalize()) {
            let is_of_process = folder.starts_with("/proc") && folder.ends_with("fd");
            if is_of_process || folder == Path::new("/dev/fd") {
                return Some((folder, number));
            }
        }
        path = folder_of(&path).join(fs::read_link(&path).ok()?);
    }
    None
}

#[cfg(unix)]
fn takes_bytes(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn takes_bytes(_: fs::FileType) -> bool {
    false
}

/// Opens a stream. What a file that is open already holds stays in it.
fn open_stream(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let is_ours = |folder: &Path| {
            folder == Path::new("/dev/fd") || folder == Path::new(&format!("/proc/{}/fd", std::process::id()))
        };
        // Standard streams may be sockets, which have no name that opens them.
        match descriptor(path).filter(|(folder, _)| is_ours(folder)) {
            Some((_, 1)) => return io::stdout().as_fd().try_clone_to_owned().map(File::from),
            Some((_, 2)) => return io::stderr().as_fd().try_clone_to_owned().map(File::from),
            _ => {}
        }
    }
    File::options().append(true).open(path)
}

/// Writes a whole new file. What exists is not touched.
///
/// # Errors
/// If the file exists, or the system refuses to write; then there is no file.
pub(crate) fn create_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.into(), source };
    let file = File::create_new(path).map_err(failed)?;
    let whole = || -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        write(&mut file)?;
        file.into_inner().map(drop).map_err(io::IntoInnerError::into_error)
    };
    whole().map_err(|source| {
        // Writing has failed already, so it does not matter if the file cannot be removed.
        let _ = fs::remove_file(path);
        failed(source)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn target(path: &Path) -> Result<Target, Error> {
        Target::new(path, Overwrite::Replace, &Inputs::default())
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).expect("a folder");
        fs::write(at("far/old.csv"), "old").expect("a file");
        for (link, to) in [("old.csv", "far/old.csv"), ("new.csv", "far/new.csv"), ("again.csv", "new.csv")] {
            symlink(to, at(link)).expect("a link");
        }
        for link in ["old.csv", "again.csv"] {
            target(&at(link)).and_then(|target| target.write(|out| out.write_all(b"new"))).expect("written");
        }
        let far = |name: &str| fs::read_to_string(at("far").join(name)).expect("a file");
        assert_eq!((far("old.csv"), far("new.csv")), ("new".to_owned(), "new".to_owned()));
        assert!(["old.csv", "new.csv", "again.csv"].iter().all(|link| at(link).is_symlink()));
        assert_eq!(fs::read_dir(at("far")).expect("a folder").count(), 2, "nothing else is left");
    }

    #[test]
    fn links_that_lead_nowhere_are_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        symlink("none/a.csv", at("a.csv")).expect("a link");
        symlink("b.csv", at("b.csv")).expect("a link");
        assert!(matches!(target(&at("a.csv")), Err(Error::NoFolder { .. })));
        assert!(matches!(target(&at("b.csv")), Err(Error::Write { .. })));
    }

    #[test]
    fn streams_are_known() {
        for stream in ["/dev/null", "/dev/stdout", "/proc/self/fd/1"] {
            assert!(target(Path::new(stream)).expect("a target").is_stream(), "{stream}");
        }
        assert!(matches!(target(Path::new("-")), Err(Error::NoFile { .. })));
        target(Path::new("/dev/null")).and_then(|out| out.write(|out| out.write_all(b"x"))).expect("written");
        let full = target(Path::new("/dev/full")).and_then(|out| out.write(|out| out.write_all(b"x")));
        assert!(
            matches!(full, Err(Error::Write { source, .. }) if source.kind() == io::ErrorKind::StorageFull)
        );
    }
}
