//! `ncu`: measures kernels of a program with Nsight Compute, in another run of it.

use super::signals;
use super::typed::typed;
use crate::process::programs;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

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
        programs::find(OsStr::new("ncu")).map(|path| Self { path })
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

    /// Runs the program under `ncu`, which has our standard streams and gets our signals. Returns how that ended, and the logs that
    /// were written: one, or one for each process. Logs of an earlier run are not among them.
    ///
    /// # Errors
    /// If `ncu` cannot be started.
    pub(crate) fn run(&self, ncu: &Ncu) -> io::Result<(ExitStatus, Vec<PathBuf>)> {
        let before: BTreeMap<PathBuf, _> = logs_named(&self.log)
            .into_iter()
            .map(|log| {
                let state = written(&log);
                (log, state)
            })
            .collect();
        let mut command = Command::new(&ncu.path);
        command.args(self.arguments());
        let status = signals::run_forwarding(&mut command)?;
        let is_new = |log: &PathBuf| before.get(log).is_none_or(|state| *state != written(log));
        Ok((status, logs_named(&self.log).into_iter().filter(is_new).collect()))
    }
}

/// The logs of a name that there are: one, or one for each process if the name has `%p`.
pub(crate) fn logs_named(log: &Path) -> Vec<PathBuf> {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    let Some((start, end)) = name.split_once("%p") else {
        return if log.is_file() { vec![log.to_owned()] } else { Vec::new() };
    };
    let folder = log.parent().filter(|path| !path.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let is_log = |name: &OsStr| {
        let name = name.to_string_lossy();
        let number = name.strip_prefix(start).and_then(|name| name.strip_suffix(end));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let names = entries.map(|entry| entry.file_name()).filter(|name| is_log(name));
    let mut logs: Vec<PathBuf> =
        names.map(|name| folder.map_or_else(|| name.clone().into(), |folder| folder.join(&name))).collect();
    logs.sort();
    logs
}

/// When a file was written, and how long it is; none if that cannot be known.
fn written(log: &Path) -> Option<(SystemTime, u64)> {
    let about = log.metadata().ok()?;
    Some((about.modified().ok()?, about.len()))
}
