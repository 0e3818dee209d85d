//! Files and folders that this user alone may look into, whatever the umask says: what is kept of captures tells as much as they do.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Makes a folder and those above it that are missing. It is for this user alone, also if it was there before.
///
/// # Errors
/// If the system refuses to make it.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Somebody else's folder, which may be shared, stays as it is.
    drop(forbid(folder, 0o077));
    Ok(())
}

/// Makes a file that was not there.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Writes a file as a whole. What it held before is lost.
///
/// # Errors
/// If the system refuses.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    options().create(true).truncate(true).open(path)?.write_all(bytes)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes rights away from what another program, or the umask, gave too many: others may do no more with a file, and look into a
/// folder no more, than they may read the original.
///
/// # Errors
/// If the original is gone, or the system refuses.
#[cfg(unix)]
pub fn no_more_rights_than(original: &Path, made: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (original, own) = (fs::metadata(original)?, fs::metadata(made)?);
    // The bits of a group mean another group here, which counts among others.
    let others = original.mode() & 0o007;
    let group = if original.gid() == own.gid() { original.mode() & 0o070 } else { others << 3 };
    let rights = group | others;
    let readers = rights & 0o044;
    // Who may read a file may look into the folder of what is made of it.
    let rights = if own.is_dir() { readers | readers >> 2 | rights & 0o022 } else { rights };
    forbid(made, 0o077 & !rights)
}

#[cfg(not(unix))]
pub fn no_more_rights_than(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a file or folder one of this user alone.
///
/// # Errors
/// If the system refuses.
pub fn make_private(path: &Path) -> io::Result<()> {
    forbid(path, 0o077)
}

#[cfg(unix)]
fn forbid(path: &Path, bits: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & bits == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777 & !bits))
}

#[cfg(not(unix))]
fn forbid(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        path.metadata().expect("it is there").permissions().mode() & 0o777
    }

    fn give(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("rights");
    }

    #[test]
    fn others_may_do_no_more_than_with_the_original() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["original", "file"] {
            fs::write(at(name), "").expect("a file");
        }
        fs::create_dir(at("folder")).expect("a folder");
        for (original, file, of_folder) in
            [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750), (0o644, 0o644, 0o755), (0o444, 0o644, 0o755)]
        {
            give(&at("original"), original);
            give(&at("file"), 0o644);
            give(&at("folder"), 0o755);
            no_more_rights_than(&at("original"), &at("file")).expect("rights");
            no_more_rights_than(&at("original"), &at("folder")).expect("rights");
            assert_eq!((mode(&at("file")), mode(&at("folder"))), (file, of_folder), "{original:o}");
        }
        give(&at("original"), 0o666);
        give(&at("file"), 0o600);
        no_more_rights_than(&at("original"), &at("file")).expect("rights");
        assert_eq!(mode(&at("file")), 0o600, "rights are only taken away");
    }

    #[test]
    fn what_is_private_is_so_from_its_beginning_and_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (inner, file) = (folder.path().join("a/b"), folder.path().join("a/b/file"));
        private_folder(&inner).expect("a folder");
        assert_eq!((mode(&inner), mode(&folder.path().join("a"))), (0o700, 0o700));
        give(&inner, 0o755);
        private_folder(&inner).expect("a folder");
        assert_eq!(mode(&inner), 0o700);
        write_private(&file, b"long text").expect("a file");
        write_private(&file, b"text").expect("a file");
        assert_eq!((mode(&file), fs::read(&file).expect("a file")), (0o600, b"text".to_vec()));
    }
}
