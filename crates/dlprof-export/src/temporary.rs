//! Folders of files that are not complete yet, and what killed runs left of them.
//!
//! ```text
//! .dlprof-agg-4711-88123456-0.tmp      process, when it started (ticks since boot), number
//! ```

use dlprof_core::Begun;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What names begin and end with.
const START: &str = ".dlprof-agg-";
const ENDING: &str = ".tmp";

/// Where it cannot be known whether a process lives, a folder of this age was left by one that was killed.
const UNLOCKED: Duration = Duration::from_mins(1);

/// The same, where folders cannot be locked.
const SILENT: Duration = Duration::from_hours(1);

/// The folder in which a path is.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A folder for what is not complete yet. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
    /// Held until the end: shows other runs that the folder is in use. None where folders cannot be locked.
    _lock: Option<File>,
    _begun: Begun,
}

impl TemporaryFolder {
    /// Makes one in a folder, and removes those that killed runs left there.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        remove_abandoned(parent);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let started = started(process).unwrap_or(0);
        let path = parent.join(format!("{START}{process}-{started}-{number}{ENDING}"));
        let begun = Begun::new(&path, make)?;
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(Self { path, _lock: lock, _begun: begun })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // An empty folder goes without being opened, so that this works where no file can be opened any more. The work is done or
        // has failed already; a later run removes what cannot be removed now.
        drop(fs::remove_dir(&self.path).or_else(|_| fs::remove_dir_all(&self.path)));
    }
}

/// Makes a folder that only this user can look into: it may be among the temporary files of all users.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Removes what killed runs left, from a folder that is about to be written to.
fn remove_abandoned(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some((process, started)) = owner(&file.file_name().to_string_lossy()) else { continue };
        // Never what a link leads to.
        let is_folder = file.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_abandoned(&file.path(), process, started).unwrap_or(false) {
            // Another process may have removed it first.
            drop(fs::remove_dir_all(file.path()));
        }
    }
}

/// The process that a name is of, and when it started; 0 if that is not known. None for all other names.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(START)?.strip_suffix(ENDING)?.split('-');
    let owner = (number(parts.next()?)?, number(parts.next()?)?);
    number::<u32>(parts.next()?)?;
    parts.next().is_none().then_some(owner)
}

/// A number without a sign.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Whether nobody writes a folder any more. The process may run in another container or on another machine, where it is not seen
/// from here; then the folder is locked.
fn is_abandoned(path: &Path, process: u32, since: u64) -> io::Result<bool> {
    let folder = File::open(path)?;
    let age = || folder.metadata()?.modified().map(|time| time.elapsed().unwrap_or_default());
    let is_known = since > 0 && started(std::process::id()).is_some();
    if is_known && started(process) == Some(since) {
        return Ok(false);
    }
    match folder.try_lock() {
        Ok(()) => Ok(is_known || age()? >= UNLOCKED),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(_)) => Ok(age()? >= SILENT),
    }
}

/// When a process started, in ticks since boot; none if it does not live, or the system does not say.
fn started(process: u32) -> Option<u64> {
    let text = fs::read(format!("/proc/{process}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may hold spaces and parentheses. The time is field 22, the state field 3.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    // A process that has ended but that nobody has waited for writes nothing.
    (fields.next()? != "Z").then_some(())?;
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn names_say_who_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let ours = TemporaryFolder::new(folder.path()).expect("a folder");
        let name = ours.path().file_name().expect("a name").to_string_lossy().into_owned();
        let since = started(std::process::id()).unwrap_or(0);
        assert_eq!(owner(&name), Some((std::process::id(), since)));
        let foreign = [
            ".dlprof-agg-1.tmp",
            ".dlprof-agg-1-2-.tmp",
            ".dlprof-agg-1-2-3-4.tmp",
            ".dlprof-agg-+1-2-3.tmp",
            "x-1-2-3.tmp",
        ];
        assert_eq!(foreign.map(owner), [None; 5]);
    }

    #[test]
    fn only_what_killed_runs_left_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir(&path).expect("a folder");
            fs::write(path.join("0-ops.csv"), "half").expect("a file");
            path
        };
        let process = std::process::id();
        let left = make(&format!(".dlprof-agg-{process}-1-0.tmp"));
        let unknown = make(".dlprof-agg-12-0-0.tmp");
        let time = SystemTime::now() - Duration::from_mins(2);
        File::open(&unknown).and_then(|folder| folder.set_modified(time)).expect("an age");
        let begun = make(".dlprof-agg-12-0-1.tmp");
        let locked = make(&format!(".dlprof-agg-{process}-1-1.tmp"));
        let lock = File::open(&locked).expect("a folder");
        lock.lock().expect("a lock");
        let foreign = make(".dlprof-agg-12.tmp");
        let file = folder.path().join(".dlprof-agg-1-1-1.tmp");
        fs::write(&file, "not a folder").expect("a file");
        let ours = TemporaryFolder::new(folder.path()).expect("a folder");
        let again = TemporaryFolder::new(folder.path()).expect("a folder");
        assert!(!unknown.exists() && left.exists() != cfg!(target_os = "linux"));
        assert!([&begun, &locked, &foreign, &file].into_iter().all(|path| path.exists()));
        assert!(ours.path().exists() && again.path().exists());
        drop((ours, again));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4 + usize::from(left.exists()));
    }
}
