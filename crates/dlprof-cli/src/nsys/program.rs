//! The program `nsys`: where it is, what it can do, and how it went.

use super::typed::typed;
use crate::console::progress::{Beat, Waiting, scaled};
use crate::exit::Failure;
use crate::process::programs;
use dlprof_core::{count_to_f64, export_tables};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// As many bytes of what `nsys` prints last are shown if it fails.
const MOST_SHOWN: usize = 2000;

/// The percentage if `nsys` has not printed one.
const UNKNOWN: u64 = u64::MAX;

/// Exports payloads of ranges, too: communicators and bytes of NCCL.
pub(super) const WITH_PAYLOADS: &str = "--include-blobs=true";

/// The program.
pub(crate) struct Program {
    path: PathBuf,
}

impl Program {
    /// The program that the user named, by its path or by a name on PATH; else `nsys` on PATH, if there is one.
    pub(crate) fn find(named: Option<&Path>) -> Result<Option<Self>, Failure> {
        let found =
            programs::find(named.map_or(OsStr::new("nsys"), Path::as_os_str)).map(|path| Self { path });
        match named.filter(|_| found.is_none()) {
            Some(path) => Err(Failure::Usage {
                message: format!("there is no program `{}`, which `--nsys` names", path.display()),
                hint: Some("give the path of the program `nsys` itself".into()),
            }),
            None => Ok(found),
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Exports a report to a file.
    pub(super) fn export(&self, report: &Path, output: &Path, shows_progress: bool) -> Result<(), Failure> {
        let mut command = programs::command(&self.path);
        command.args(["export", "--type", "sqlite", "--force-overwrite", "true", "--output"]).arg(output);
        let options = self.export_options();
        if options.contains("--tables") {
            command.arg(format!("--tables={}", export_tables().collect::<Vec<_>>().join(",")));
        }
        if options.contains("--include-blobs") {
            command.arg(WITH_PAYLOADS);
        }
        // With a folder, a name that begins with a hyphen is not taken for an option.
        command.arg(std::path::absolute(report).unwrap_or_else(|_| report.into()));
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = started.map_err(|error| self.not_started(&error))?;
        let percent = Arc::new(AtomicU64::new(UNKNOWN));
        let what =
            format!("exporting {} with nsys", report.file_name().unwrap_or_default().to_string_lossy());
        let waiting = Waiting::with(shows_progress, &what, beat(output.into(), Arc::clone(&percent)));
        let ended = listen(child, &percent);
        drop(waiting);
        let (status, said) = ended.map_err(|error| self.not_started(&error))?;
        if status.success() && output.is_file() {
            return Ok(());
        }
        let how = match status.code() {
            Some(0) => "ended without an error, but wrote no file".to_owned(),
            Some(code) => format!("failed with exit code {code}"),
            None => format!("was ended by a signal ({status})"),
        };
        Err(Failure::Input {
            message: format!("`nsys export` of `{}` {how}", report.display()),
            cause: (!said.is_empty()).then_some(said),
            hint: Some(format!("try it by hand: `{}`", command_line(report))),
        })
    }

    /// What this version of `nsys` says about the options of its exports.
    fn export_options(&self) -> String {
        let help = programs::command(&self.path).args(["export", "--help"]).stdin(Stdio::null()).output();
        help.map_or_else(|_| String::new(), |help| String::from_utf8_lossy(&help.stdout).into_owned())
    }

    /// The failure if it cannot be run.
    pub(crate) fn not_started(&self, error: &std::io::Error) -> Failure {
        Failure::Input {
            message: format!("cannot run `{}`", self.path.display()),
            cause: Some(error.to_string()),
            hint: Some("give another `nsys` with `--nsys PROGRAM`".into()),
        }
    }
}

/// The failure if there is no `nsys`: it says what to run where there is one.
pub(super) fn missing(report: &Path) -> Failure {
    let exported = report.with_extension("sqlite");
    let found = if exported.is_file() {
        format!("; or give `{}`, if that is its export", exported.display())
    } else {
        String::new()
    };
    let what =
        dlprof_core::unread_file(report).map_or_else(|| "an nsys report".into(), |found| found.to_string());
    Failure::Input {
        message: format!("`{}` is {what}, and there is no `nsys` on PATH to export it", report.display()),
        cause: None,
        hint: Some(format!(
            "where Nsight Systems is installed, run `{}`, and give the file that it writes; or name the program with \
             `--nsys PROGRAM`{found}",
            command_line(report)
        )),
    }
}

/// The command that makes the export, to be typed.
fn command_line(report: &Path) -> String {
    let export = report.with_extension("sqlite");
    let words = ["nsys", "export", "--type", "sqlite", "--output"].map(OsStr::new);
    typed(words.into_iter().chain([export.as_os_str(), report.as_os_str()]))
}

/// Reads what the program prints until it ends; returns how it ended, and the end of what it printed.
fn listen(mut child: Child, percent: &AtomicU64) -> std::io::Result<(ExitStatus, String)> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let heard = std::thread::scope(|scope| {
        let printed = std::thread::Builder::new().spawn_scoped(scope, || collect(out, percent))?;
        let complained = collect(err, percent);
        Ok::<_, std::io::Error>((printed.join().unwrap_or_default(), complained))
    });
    let (printed, complained) = heard.inspect_err(|_| {
        // Nobody would listen to it. It may have ended by itself.
        let _ = child.kill();
    })?;
    let status = child.wait()?;
    Ok((status, if complained.is_empty() { printed } else { complained }))
}

/// The end of what is read, as lines of text. Percentages on the way are noted.
fn collect(stream: Option<impl Read>, percent: &AtomicU64) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    let Some(mut stream) = stream else { return String::new() };
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        if let Some(number) = last_percentage(&kept) {
            percent.store(number, Ordering::Relaxed);
        }
        kept.drain(..kept.len().saturating_sub(MOST_SHOWN));
    }
    let text = String::from_utf8_lossy(&kept).replace('\r', "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The last number before a percent sign.
fn last_percentage(text: &[u8]) -> Option<u64> {
    let end = text.iter().rposition(|&byte| byte == b'%')?;
    let before = &text[..end];
    let start = before.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let number: u64 = std::str::from_utf8(&before[start..]).ok()?.parse().ok()?;
    (number <= 100).then_some(number)
}

/// What is known about an export that is being written.
fn beat(output: PathBuf, percent: Arc<AtomicU64>) -> impl Fn() -> Beat + Send + 'static {
    let started = Instant::now();
    move || {
        let bytes = count_to_f64(output.metadata().map_or(0, |file| file.len()));
        let rate = bytes / started.elapsed().as_secs_f64().max(1e-3);
        let known = percent.load(Ordering::Relaxed);
        Beat {
            percent: (known != UNKNOWN).then_some(known),
            text: format!(", {}B written, {}B/s", scaled(bytes), scaled(rate)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_found() {
        assert_eq!(last_percentage(b"Processing 12 events: [===   45%\r[====  57%]"), Some(57));
        assert_eq!(last_percentage(b"100%"), Some(100));
        assert_eq!(last_percentage(b"no number %, 1000% and none"), None);
    }

    #[test]
    fn commands_can_be_typed() {
        let line = command_line(Path::new("my runs/it's.nsys-rep"));
        assert_eq!(
            line,
            r#"nsys export --type sqlite --output "my runs/it's.sqlite" "my runs/it's.nsys-rep""#
        );
    }
}
