//! Two folders that change places.

use std::io;
use std::path::Path;

/// Lets two folders change places at once: nobody finds either name without a folder.
///
/// # Errors
/// If one of them does not exist, or the system cannot do this with what they are on; then nothing has moved.
#[cfg(target_os = "linux")]
pub fn exchange_folders(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Only Linux is asked for this.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn exchange_folders(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::exchange_folders;
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn a_folder_is_there_all_the_time_while_another_takes_its_place() {
        const TIMES: usize = 2_001;
        let parent = tempfile::tempdir().expect("a folder");
        let (old, new) = (parent.path().join("old"), parent.path().join("new"));
        for folder in [&old, &new] {
            fs::create_dir(folder).expect("a folder");
            fs::write(folder.join("name"), folder.file_name().expect("a name").as_encoded_bytes())
                .expect("a file");
        }
        if exchange_folders(&old, &new).is_err() {
            eprintln!("SKIPPED: the file system of the temporary folder cannot exchange folders");
            return;
        }
        let is_done = AtomicBool::new(false);
        let absences = std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let mut absences = 0;
                while !is_done.load(Ordering::Relaxed) {
                    absences += usize::from(!old.join("name").exists());
                }
                absences
            });
            for _ in 1..TIMES {
                exchange_folders(&old, &new).expect("as before");
            }
            is_done.store(true, Ordering::Relaxed);
            watch.join().expect("the thread ends")
        });
        assert_eq!(absences, 0);
        // An odd number of times.
        assert_eq!(fs::read_to_string(old.join("name")).expect("a file"), "new");
        assert_eq!(fs::read_to_string(new.join("name")).expect("a file"), "old");
        assert!(exchange_folders(&old, &parent.path().join("none")).is_err());
        assert!(old.exists());
    }
}
