//! `nsys profile`: its options, and running it.

use super::program::Program;
use super::signals;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// What the figures of this tool need: GPU work, calls and ranges, and what the host does while a GPU waits. CPU samples are left
/// out, because they slow programs down.
const OPTIONS: [&str; 2] = ["--trace=cuda,nvtx,osrt", "--sample=none"];

/// Reports have the second ending up to nsys 2021.3.
const ENDINGS: [&str; 2] = ["nsys-rep", "qdrep"];

/// Options of `nsys profile` by which a capture begins after the start of the program.
const BEGIN_LATE: [&str; 6] = ["--delay", "-y", "--start-later", "-Y", "--capture-range", "-c"];

/// What to profile, and how.
#[derive(Debug, Clone)]
pub(crate) struct Profiling {
    /// The report without its ending.
    pub(crate) output: PathBuf,
    /// Whether the report may exist already.
    pub(crate) overwrite: bool,
    /// Seconds.
    pub(crate) delay: Option<u32>,
    /// Seconds.
    pub(crate) duration: Option<u32>,
    /// Whether the program says when to capture.
    pub(crate) capture_range: bool,
    /// Whether allocations of GPU memory are recorded.
    pub(crate) memory_usage: bool,
    /// The user's own options, which have the last word.
    pub(crate) further: Vec<String>,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

impl Profiling {
    /// The words after `nsys`.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["profile".into()];
        words.extend(OPTIONS.map(OsString::from));
        let mut output = OsString::from("--output=");
        output.push(&self.output);
        words.push(output);
        words.push(format!("--force-overwrite={}", self.overwrite).into());
        words.extend(self.delay.map(|seconds| format!("--delay={seconds}").into()));
        words.extend(self.duration.map(|seconds| format!("--duration={seconds}").into()));
        if self.capture_range {
            words.extend(["--capture-range=cudaProfilerApi", "--capture-range-end=stop"].map(OsString::from));
        }
        if self.memory_usage {
            words.push("--cuda-memory-usage=true".into());
        }
        words.extend(self.further.iter().map(OsString::from));
        words.extend(self.program.iter().cloned());
        words
    }

    /// The option by which the capture begins after the start of the program, where the program itself does not say when.
    pub(crate) fn option_that_begins_late(&self) -> Option<String> {
        let is_late = |word: &&String| {
            let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
            BEGIN_LATE.iter().any(|late| match late.strip_prefix("--") {
                Some(_) => option == *late,
                // The value of a short option may stand in the same word.
                None => option.starts_with(late) && !option.starts_with("--"),
            })
        };
        let own = self.delay.filter(|seconds| *seconds > 0).map(|seconds| format!("--delay {seconds}"));
        own.or_else(|| self.further.iter().find(is_late).cloned())
    }

    /// Runs the program under `nsys` until both have ended. The program has our standard streams, and gets our signals.
    ///
    /// # Errors
    /// If `nsys` cannot be started.
    pub(crate) fn run(&self, nsys: &Program) -> io::Result<ExitStatus> {
        let mut command = Command::new(nsys.path());
        command.args(self.arguments());
        signals::run_forwarding(&mut command)
    }

    /// The files that the report may be; none if `nsys` fills in a part of the name, such as `%p` for a process.
    pub(crate) fn possible_reports(&self) -> Vec<PathBuf> {
        let is_known = !self.output.to_string_lossy().contains('%');
        if is_known { reports_of(&self.output).into() } else { Vec::new() }
    }

    /// The report, if there is one.
    pub(crate) fn report(&self) -> Option<PathBuf> {
        report_of(&self.output)
    }
}

/// The report with a name.
fn report_of(name: &Path) -> Option<PathBuf> {
    reports_of(name).into_iter().find(|path| path.exists())
}

/// A name with each ending.
fn reports_of(name: &Path) -> [PathBuf; 2] {
    ENDINGS.map(|ending| {
        let mut path = name.as_os_str().to_owned();
        path.push(".");
        path.push(ending);
        PathBuf::from(path)
    })
}

/// The first name that no report has: the name itself, or with a number after it.
pub(crate) fn free_name(name: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut path = name.as_os_str().to_owned();
        path.push(format!("_{number}"));
        PathBuf::from(path)
    };
    let names = std::iter::once(name.to_owned()).chain((2..).map(numbered));
    names.into_iter().find(|name| report_of(name).is_none()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nsys::typed::typed;

    #[test]
    fn options_of_the_user_come_last() {
        let profiling = Profiling {
            output: "my run".into(),
            overwrite: false,
            delay: Some(30),
            duration: None,
            capture_range: true,
            memory_usage: true,
            further: vec!["--trace=cuda".into()],
            program: vec!["python".into(), "it's.py".into(), "--delay=3".into()],
        };
        assert_eq!(profiling.option_that_begins_late().as_deref(), Some("--delay 30"));
        for (further, expected) in [
            ("--trace=cuda", false),
            ("--delay=3", true),
            ("-y3", true),
            ("--start-later=true", true),
            ("--capture-range=nvtx", true),
            ("--capture-range-end=stop", false),
            ("--cpuctxsw=none", false),
        ] {
            let profiling = Profiling { delay: None, further: vec![further.into()], ..profiling.clone() };
            assert_eq!(profiling.option_that_begins_late().is_some(), expected, "{further}");
        }
        let words = profiling.arguments();
        assert_eq!(
            typed(words.iter().map(OsString::as_os_str)),
            "profile '--trace=cuda,nvtx,osrt' '--sample=none' '--output=my run' '--force-overwrite=false' '--delay=30' \
             '--capture-range=cudaProfilerApi' '--capture-range-end=stop' '--cuda-memory-usage=true' '--trace=cuda' python \"it's.py\" '--delay=3'"
        );
    }
}
