//! The programs that this one starts: where they are found, and what they inherit.
//!
//! A name is looked for in the folders of PATH that are whole paths. An entry such as `.` means the working folder, which often
//! holds what others have made, so nothing is started from there unless its path was typed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program of a name; a path that names its folder is that program.
pub(crate) fn find(name: &OsStr) -> Option<PathBuf> {
    find_in(name, &std::env::var_os("PATH").unwrap_or_default())
}

fn find_in(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 || Path::new(name).is_absolute() {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let mut file = name.to_owned();
    file.push(std::env::consts::EXE_SUFFIX);
    whole_folders(path).map(|folder| folder.join(&file)).find(|path| is_program(path))
}

/// A command that starts a program, in which names of further programs mean the same as here.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", whole_path(&std::env::var_os("PATH").unwrap_or_default()));
    command
}

/// PATH without entries that depend on the working folder.
fn whole_path(path: &OsStr) -> OsString {
    // Entries that were split off can be joined.
    std::env::join_paths(whole_folders(path)).unwrap_or_default()
}

fn whole_folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn entries_that_depend_on_the_working_folder_do_not_count() {
        let path = OsStr::new(".::/usr/bin:bin:../x:/bin:");
        assert_eq!(whole_path(path), OsStr::new("/usr/bin:/bin"));
        assert_eq!(whole_path(OsStr::new("")), OsStr::new(""));
        assert!(find_in(OsStr::new("Cargo.toml"), OsStr::new(".")).is_none());
    }

    #[test]
    fn a_path_is_a_program_and_a_name_is_looked_for() {
        let folder = crate::generated::folder();
        let program = folder.path().join("tool");
        std::fs::write(&program, "#!/bin/sh\n").expect("a script");
        let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&program, mode(0o644)).expect("permissions");
        assert_eq!(find_in(OsStr::new("tool"), folder.path().as_os_str()), None, "it cannot be run");
        std::fs::set_permissions(&program, mode(0o755)).expect("permissions");
        assert_eq!(find_in(OsStr::new("tool"), folder.path().as_os_str()), Some(program.clone()));
        assert_eq!(find_in(program.as_os_str(), OsStr::new("")), Some(program));
    }
}
