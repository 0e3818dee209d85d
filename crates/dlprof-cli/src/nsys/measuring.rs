//! `ncu`: measures kernels of a program with Nsight Compute, in another run of it.

use super::program::on_path;
use super::signals;
use super::typed::typed;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The program `ncu`.
#[derive(Debug)]
pub(crate) struct Ncu {
    path: PathBuf,
}

/// What to measure of a program.
#[derive(Debug)]
pub(crate) struct Measuring {
    /// Which launches and what of them.
    pub(crate) options: Vec<String>,
    /// Whether the program says when to measure.
    pub(crate) capture_range: bool,
    /// The log; `%p` in it stands for the number of the process.
    pub(crate) log: PathBuf,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

impl Ncu {
    /// `ncu` on PATH, if there is one.
    pub(crate) fn find() -> Option<Self> {
        on_path(OsStr::new("ncu")).map(|path| Self { path })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Measuring {
    /// The words after `ncu`.
    fn arguments(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.options.iter().map(OsString::from).collect();
        if self.capture_range {
            words.extend(["--profile-from-start", "off"].map(OsString::from));
        }
        words.extend(["--log-file".into(), self.log.clone().into_os_string()]);
        words.extend(self.program.iter().cloned());
        words
    }

    /// The command as it is typed.
    pub(crate) fn typed(&self) -> String {
        let words = self.arguments();
        typed([OsStr::new("ncu")].into_iter().chain(words.iter().map(AsRef::as_ref)))
    }

    /// Runs the program under `ncu`. It has our standard streams, and gets our signals.
    ///
    /// # Errors
    /// If `ncu` cannot be started.
    pub(crate) fn run(&self, ncu: &Ncu) -> io::Result<ExitStatus> {
        let mut command = Command::new(&ncu.path);
        command.args(self.arguments());
        signals::run_forwarding(&mut command)
    }

    /// The logs that were written: one, or one for each process.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let name = self.log.file_name().unwrap_or_default().to_string_lossy();
        let Some((start, end)) = name.split_once("%p") else {
            return if self.log.is_file() { vec![self.log.clone()] } else { Vec::new() };
        };
        let folder = self.log.parent().filter(|path| !path.as_os_str().is_empty());
        let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
        let is_log = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let number = name.strip_prefix(start).and_then(|name| name.strip_suffix(end));
            number
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let mut logs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_log(path)).collect();
        logs.sort();
        logs
    }
}
