//! The manifest of a kept folder: what it belongs to, and the checksum of each of its files.
//!
//! Checking a gigabyte takes a few tenths of a second. So a large folder that was checked once is trusted as long
//! as the system shows that its files did not change since: same inodes, same times of the last change, same boot.

use crate::base::private::write_private;
use crate::base::small_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The file of the manifest.
const MANIFEST: &str = "manifest.json";

/// The file that records the state in which the other files were checked and found to be correct.
const CHECKED: &str = "checked.json";

/// A manifest has at most so many bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Two changes of a file this close together may have the same time.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// The contents of a folder.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// What the folder belongs to.
    pub(super) label: String,
    /// The files, by name.
    pub(super) files: BTreeMap<String, KeptFile>,
}

/// A file of a folder.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct KeptFile {
    pub(super) bytes: u64,
    pub(super) crc32: u32,
}

/// The state in which the files of a folder were checked and found to be correct.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CheckedState {
    /// The checksum of the manifest.
    manifest: u32,
    /// The boot of the system. After a crash, a file may lack the last bytes that were written.
    boot: String,
    /// Device, inode and time of the last change of each file.
    files: BTreeMap<String, [i64; 4]>,
}

impl Manifest {
    /// The manifest of a folder; `None` if it is missing or damaged.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        read_checked(&folder.join(MANIFEST))
    }

    /// Writes the manifest.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        write_checked(&folder.join(MANIFEST), self)
    }

    /// A checksum that identifies the contents.
    pub(super) fn checksum(&self) -> u32 {
        crc32fast::hash(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// Size of all files in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes).sum()
    }

    /// When a folder was last used.
    pub(super) fn last_use(folder: &Path) -> Option<SystemTime> {
        folder.join(MANIFEST).metadata().ok()?.modified().ok()
    }

    /// Marks a folder as used now. Errors are ignored, because a read-only cache can still be used.
    pub(super) fn touch(folder: &Path) {
        let file = File::options().append(true).open(folder.join(MANIFEST));
        drop(file.and_then(|file| file.set_modified(SystemTime::now())));
    }

    /// Forbids everybody to write to the files of a folder.
    #[cfg(unix)]
    pub(super) fn seal(&self, folder: &Path) -> io::Result<()> {
        self.files.keys().try_for_each(|name| {
            let path = folder.join(name);
            let mut permissions = path.metadata()?.permissions();
            permissions.set_readonly(true);
            std::fs::set_permissions(&path, permissions)
        })
    }

    #[cfg(not(unix))]
    pub(super) fn seal(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Whether nobody may write to the files of a folder.
    pub(super) fn is_sealed(&self, folder: &Path) -> bool {
        let is_sealed = |name: &String| {
            folder.join(name).metadata().is_ok_and(|metadata| metadata.permissions().readonly())
        };
        self.files.keys().all(is_sealed)
    }

    /// Whether the files of a folder were found to be right and have not changed since.
    pub(super) fn is_trusted(&self, folder: &Path) -> bool {
        read_checked::<CheckedState>(&folder.join(CHECKED))
            .is_some_and(|checked| self.state(folder).is_some_and(|now| now == checked))
    }

    /// Notes that the files of a folder are right.
    pub(super) fn trust(&self, folder: &Path) {
        // A change right now must not have the time that is noted.
        std::thread::sleep(CLOCK_STEP);
        if let Some(state) = self.state(folder) {
            drop(write_checked(&folder.join(CHECKED), &state));
        }
    }

    /// The state of the files; `None` if one is missing or has another length.
    #[cfg(target_os = "linux")]
    fn state(&self, folder: &Path) -> Option<CheckedState> {
        use std::os::unix::fs::MetadataExt;
        let state = |(name, file): (&String, &KeptFile)| {
            let metadata =
                folder.join(name).metadata().ok().filter(|metadata| metadata.len() == file.bytes)?;
            let inode = [metadata.dev().cast_signed(), metadata.ino().cast_signed()];
            Some((name.clone(), [inode[0], inode[1], metadata.ctime(), metadata.ctime_nsec()]))
        };
        Some(CheckedState {
            manifest: self.checksum(),
            boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?,
            files: self.files.iter().map(state).collect::<Option<_>>()?,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn state(&self, _: &Path) -> Option<CheckedState> {
        None
    }
}

/// Writes a checksum and then a value as JSON.
fn write_checked(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value)?;
    write_private(path, format!("{:08x}\n{json}", crc32fast::hash(json.as_bytes())).as_bytes())
}

/// Reads a value; `None` if it is damaged.
fn read_checked<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    let text = small_file::read_text(path, MOST_BYTES).ok()?;
    let (crc32, json) = text.split_once('\n')?;
    let is_right = u32::from_str_radix(crc32, 16) == Ok(crc32fast::hash(json.as_bytes()));
    is_right.then(|| serde_json::from_str(json).ok())?
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A folder of one file, found to be right.
    fn trusted(folder: &Path) -> Manifest {
        std::fs::write(folder.join("work.arrow"), "0123456789").expect("a file");
        let file = KeptFile { bytes: 10, crc32: crc32fast::hash(b"0123456789") };
        let manifest = Manifest { label: "a".into(), files: [("work.arrow".to_owned(), file)].into() };
        manifest.write(folder).expect("a manifest");
        assert!(!manifest.is_trusted(folder), "nobody has checked it yet");
        manifest.trust(folder);
        assert!(manifest.is_trusted(folder));
        manifest
    }

    /// Trust ends with whatever happens to a file, even where its length and time of change stay.
    #[test]
    fn trust_ends_with_any_change() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 5] = [
            ("written again", |file| std::fs::write(file, "0123456789").expect("written")),
            ("a time set", |file| {
                let file = File::options().write(true).open(file).expect("a file");
                file.set_modified(SystemTime::UNIX_EPOCH).expect("a time");
            }),
            ("replaced by a copy", |file| {
                let copy = file.with_extension("copy");
                std::fs::copy(file, &copy).and_then(|_| std::fs::rename(&copy, file)).expect("a copy");
            }),
            ("cut", |file| std::fs::write(file, "01234").expect("written")),
            ("removed", |file| std::fs::remove_file(file).expect("removed")),
        ];
        for (name, change) in changes {
            let folder = tempfile::tempdir().expect("a folder");
            let manifest = trusted(folder.path());
            change(&folder.path().join("work.arrow"));
            assert!(!manifest.is_trusted(folder.path()), "{name}");
        }
    }

    #[test]
    fn trust_is_of_one_manifest_and_one_boot() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = trusted(folder.path());
        let other = Manifest { label: "b".into(), ..manifest.clone() };
        assert!(!other.is_trusted(folder.path()));
        let state: CheckedState = read_checked(&folder.path().join(CHECKED)).expect("a state");
        let earlier = CheckedState { boot: "another".into(), ..state };
        write_checked(&folder.path().join(CHECKED), &earlier).expect("written");
        assert!(!manifest.is_trusted(folder.path()));
    }
}
