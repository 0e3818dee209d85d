//! Faults of the disk while a workbook is written.
//!
//! `rust_xlsxwriter` keeps long sheets in temporary files of its own, and panics where the system refuses to write to them or to
//! start a thread. Its panics are caught here and become errors. The zip archive in which it puts the sheets complains on
//! standard error if it cannot be written to; so it never learns of a fault, which is remembered instead.

use std::any::Any;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many workbooks are being written.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Whether a panic of this moment may be one that becomes an error. A program can use it in its panic hook, to print nothing
/// then.
#[must_use]
pub fn catches_panics() -> bool {
    WRITING.load(Ordering::Relaxed) > 0
}

/// Calls the writer of workbooks; a panic becomes an error.
///
/// # Errors
/// Those of the writer, or the fault that made it panic.
pub(super) fn caught<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    WRITING.fetch_add(1, Ordering::Relaxed);
    // What a panic leaves of the workbook is dropped and not looked at again.
    let written = catch_unwind(AssertUnwindSafe(write));
    WRITING.fetch_sub(1, Ordering::Relaxed);
    written.unwrap_or_else(|payload| Err(fault(payload.as_ref())))
}

/// The fault of which a panic speaks. Its text holds the error of the system as it is printed for programmers.
fn fault(payload: &(dyn Any + Send)) -> io::Error {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or_default();
    let code = text.split_once("Os { code: ").and_then(|(_, rest)| rest.split_once(',')?.0.parse().ok());
    code.map_or_else(
        || io::Error::other(format!("the writer of workbooks gave up: {text}")),
        io::Error::from_raw_os_error,
    )
}

/// A file that takes everything. After the first fault nothing is written any more, and [`Patient::finish`] says what it was.
pub(super) struct Patient<W> {
    out: W,
    fault: Option<io::Error>,
    at: u64,
    length: u64,
}

impl<W: Write + Seek> Patient<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, fault: None, at: 0, length: 0 }
    }

    /// The first fault.
    ///
    /// # Errors
    /// If there was one.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    /// Does something unless there was a fault.
    fn attempt(&mut self, act: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.fault.is_none() {
            self.fault = act(&mut self.out).err();
        }
    }
}

impl<W: Write + Seek> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes));
        self.at += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.length = self.length.max(self.at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush);
        Ok(())
    }
}

impl<W: Write + Seek> Seek for Patient<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        let at = self.at;
        self.attempt(|out| out.seek(SeekFrom::Start(at)).map(drop));
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_panic_says_what_the_system_said() {
        let full = |code: i32| -> io::Result<()> { Err(io::Error::from_raw_os_error(code)) };
        let refused = || -> io::Result<()> {
            full(28).expect("Couldn't write to xml file");
            Ok(())
        };
        assert_eq!(caught(refused).expect_err("a fault").kind(), io::ErrorKind::StorageFull);
        let other = caught(|| -> io::Result<()> { panic!("no reason") }).expect_err("a fault");
        assert!(other.to_string().contains("no reason"), "{other}");
        assert!(!catches_panics());
    }

    #[test]
    fn the_first_fault_is_kept() {
        let mut room = [0; 4];
        let mut out = Patient::new(Cursor::new(&mut room[..]));
        assert_eq!(out.write(b"123").expect("taken"), 3);
        assert_eq!(out.write(b"456").expect("taken"), 3);
        assert_eq!(out.seek(SeekFrom::End(-1)).expect("a place"), 5);
        assert_eq!(out.finish().expect_err("full").kind(), io::ErrorKind::WriteZero);
    }
}
