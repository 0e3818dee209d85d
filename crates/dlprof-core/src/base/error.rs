//! Errors: why a request cannot be met.

mod kind;
mod ncu;
mod unread;

pub use kind::{ErrorKind, Shortage};
pub use ncu::NcuRefusal;
pub use unread::UnreadFile;

use crate::base::PatternMistake;
use crate::base::cut_side::{CutSide, in_seconds};
use crate::base::limits::TooMuch;
use crate::base::time::{LARGEST_SUM, Ns, Span};
use std::path::PathBuf;

/// Why an analysis could not be made. Every message names the file or the option.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input file does not exist.
    #[error("`{}` does not exist", path.display())]
    NotFound {
        /// The file asked for.
        path: PathBuf,
    },
    /// The input is a directory.
    #[error("`{}` is a directory, not a capture", path.display())]
    IsDirectory {
        /// The path asked for.
        path: PathBuf,
    },
    /// The input is a pipe, a socket, a device, or a file that the kernel makes while it is read.
    #[error("`{}` is a {found}; a regular file is needed", path.display())]
    NotRegular {
        /// The path asked for.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The operating system refuses to read the file.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file asked for.
        path: PathBuf,
        /// The cause, from the operating system.
        source: std::io::Error,
    },
    /// The input is of a kind that is known and not read, such as a report of nsys or a pointer to a file.
    #[error("`{}` is {found}", path.display())]
    Unread {
        /// The file asked for.
        path: PathBuf,
        /// What it is.
        found: UnreadFile,
    },
    /// The input is nothing that can be read.
    #[error("`{}` is neither an SQLite database nor a trace of torch.profiler: {found}", path.display())]
    NotACapture {
        /// The file asked for.
        path: PathBuf,
        /// What the file starts with.
        found: String,
    },
    /// The file is shorter than its header says.
    #[error(
        "`{}` is truncated: its header says that it has {expected_bytes} bytes, but it has {found_bytes}",
        path.display()
    )]
    Truncated {
        /// The file asked for.
        path: PathBuf,
        /// Size according to the SQLite header.
        expected_bytes: u64,
        /// Size of the file.
        found_bytes: u64,
    },
    /// A journal beside the database holds changes that are not in the database yet.
    #[error("`{}` is incomplete: `{}` holds changes that are not in it yet", path.display(), journal.display())]
    HotJournal {
        /// The file asked for.
        path: PathBuf,
        /// The `-wal` or `-journal` file.
        journal: PathBuf,
    },
    /// Another program has locked the database for writing.
    #[error("`{}` is being written by {writer}", path.display())]
    BeingWritten {
        /// The file asked for.
        path: PathBuf,
        /// The other program.
        writer: OtherWriter,
    },
    /// The file is not what it was when reading began.
    #[error("`{}` changed while it was read", path.display())]
    ChangedWhileRead {
        /// The file asked for.
        path: PathBuf,
    },
    /// The input is the output of DLProf.
    #[error("`{}` is a DLProf database, not an nsys export", path.display())]
    DlprofDatabase {
        /// The file asked for.
        path: PathBuf,
    },
    /// The input is a DLProf database of a version that cannot be read.
    #[error("`{}` is a DLProf database {}; versions 1.3 to 1.8 can be read", path.display(), version(found.as_deref()))]
    DlprofVersion {
        /// The file asked for.
        path: PathBuf,
        /// Its version; none if it does not name one, as before version 1.3.
        found: Option<String>,
    },
    /// A DLProf database contradicts itself.
    #[error("DLProf database `{}` is damaged: table `{table}`: {found}", path.display())]
    DamagedDlprofDatabase {
        /// The file asked for.
        path: PathBuf,
        /// The table.
        table: String,
        /// What is wrong with it.
        found: String,
    },
    /// The database is something else.
    #[error("`{}` is not an Nsight Systems export: {missing}", path.display())]
    NotAnExport {
        /// The file asked for.
        path: PathBuf,
        /// What is missing although every export has it.
        missing: &'static str,
    },
    /// An nsys export without anything to analyse.
    #[error(
        "`{}` holds no CUDA calls, no GPU work and no NVTX ranges{}",
        path.display(),
        failure.as_deref().map_or_else(String::new, in_words)
    )]
    NoEvents {
        /// The file asked for.
        path: PathBuf,
        /// What the program printed last, or nsys says, where it failed.
        failure: Option<String>,
        /// What it holds all the same: what that is, and which.
        held: Vec<(&'static str, String)>,
    },
    /// The input looks like a trace of torch.profiler, but is none that can be read.
    #[error("`{}` is not a trace of torch.profiler: {found}", path.display())]
    NotATrace {
        /// The file asked for.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
    /// An XPlane profile contradicts itself.
    #[error("XPlane profile `{}` is damaged or cut off: it is not a whole message of protobuf", path.display())]
    DamagedProfile {
        /// The file asked for.
        path: PathBuf,
    },
    /// A file that was given for counters cannot be used.
    #[error("`{}` is no log of Nsight Compute that can be read ({}): {}", path.display(), refusal.code(), refusal.found())]
    NcuLog {
        /// The file asked for.
        path: PathBuf,
        /// Why not.
        refusal: NcuRefusal,
    },
    /// The input is a trace of torch.profiler where an export of nsys is needed.
    #[error("`{}` is JSON, as traces of torch.profiler are, not an SQLite export of nsys", path.display())]
    TraceInsteadOfExport {
        /// The file asked for.
        path: PathBuf,
    },
    /// SQLite cannot read the file any further.
    #[error("cannot read table `{table}` of `{}`", path.display())]
    Damaged {
        /// The file asked for.
        path: PathBuf,
        /// The table being read.
        table: String,
        /// The cause, from SQLite.
        source: rusqlite::Error,
    },
    /// The rows of a table are not in the file as rows, and making them is refused or takes too much.
    #[error("cannot read table `{table}` of `{}`: {found}", path.display())]
    UnusableTable {
        /// The file asked for.
        path: PathBuf,
        /// The table.
        table: String,
        /// What it is or takes.
        found: String,
    },
    /// The table has more rows than there are ids.
    #[error("table `{table}` of `{}` has {rows} rows; at most 4294967294 can be read", path.display())]
    TooManyRows {
        /// The file asked for.
        path: PathBuf,
        /// The table being read.
        table: String,
        /// Its rows.
        rows: u64,
    },
    /// Numbers of the input add up to more than figures can hold.
    #[error(
        "the {what} of `{}` add up to {sum} {unit}; at most {LARGEST_SUM} {unit} can be added up", path.display()
    )]
    SumTooLarge {
        /// The file asked for.
        path: PathBuf,
        /// What is added up, in words.
        what: String,
        /// `ns` or `bytes`.
        unit: &'static str,
        /// The sum.
        sum: i128,
    },
    /// The records are too far apart for figures that are summed over GPUs.
    #[error(
        "the records of `{}` run from {} in table `{first}` to {} in table `{last}`: too long for {gpus} GPUs",
        path.display(), in_seconds(span.start), in_seconds(span.end)
    )]
    CaptureTooLong {
        /// The file asked for.
        path: PathBuf,
        /// From the start of the first record to the end of the last.
        span: Span,
        /// Table of the first record.
        first: String,
        /// Table of the record that ends last.
        last: String,
        /// GPUs with work.
        gpus: usize,
    },
    /// Who is told of the progress has stopped the work.
    #[error("`{}` was not read to its end: the work was stopped", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
    /// Not even one worker thread could be started.
    #[error("cannot start a worker thread")]
    Threads {
        /// The cause, from the operating system.
        source: rayon::ThreadPoolBuildError,
    },
    /// The key node starts with `re:`, but the rest is not a valid regular expression.
    #[error("key node `{key_node}` is not a regular expression")]
    BadPattern {
        /// The key node asked for.
        key_node: String,
        /// What is wrong with it.
        source: PatternMistake,
    },
    /// No op, range or kernel that the key node names ran.
    #[error("key node `{key_node}` never ran")]
    UnknownKeyNode {
        /// The name or op ID asked for.
        key_node: String,
        /// Op names of the capture that look like it, best first.
        nearest: Vec<String>,
    },
    /// The first iteration asked for comes after the last one asked for.
    #[error("the iteration range {start} to {stop} ends before it starts")]
    ReversedRange {
        /// First iteration asked for.
        start: u32,
        /// Last iteration asked for.
        stop: u32,
    },
    /// The iteration range ends after the last iteration.
    #[error("there is no iteration {stop}: the capture has {}", iterations(*last))]
    RangeOutOfBounds {
        /// Last iteration asked for.
        stop: u32,
        /// Last iteration of the capture.
        last: u32,
        /// Whether a key node delimits the iterations.
        has_key_node: bool,
    },
    /// The value of `--from` or `--to` looks like a time, but is none.
    #[error("`{side}`: `{text}` is not a time of the capture")]
    BadTime {
        /// The option.
        side: CutSide,
        /// Its value.
        text: String,
    },
    /// The window in time ends before it starts.
    #[error("the window from {} to {} ends before it starts", in_seconds(*from), in_seconds(*to))]
    ReversedCut {
        /// Where it starts.
        from: Ns,
        /// Where it ends.
        to: Ns,
    },
    /// The window in time begins or ends outside of the capture.
    #[error(
        "`{side}`: {} is outside of the capture, whose records run from {} to {}",
        in_seconds(*time), in_seconds(*start), in_seconds(*end)
    )]
    OutsideCapture {
        /// The option.
        side: CutSide,
        /// The time.
        time: Ns,
        /// Start of the first record.
        start: Ns,
        /// End of the last record.
        end: Ns,
    },
    /// No range has the text that `--from` or `--to` names.
    #[error("`{side}`: no range has the text `{text}`")]
    UnknownCutRange {
        /// The option.
        side: CutSide,
        /// The text asked for.
        text: String,
        /// Texts of ranges that look like it, best first.
        nearest: Vec<String>,
    },
    /// A DLProf database cannot be cut.
    #[error("`{}` is a DLProf database, which cannot be cut by `--from` and `--to`", path.display())]
    CutOfDatabase {
        /// The file asked for.
        path: PathBuf,
    },
    /// There is more of something than a limit allows.
    #[error("`{}` is beyond a limit: {too_much}", path.display())]
    TooMuch {
        /// The capture.
        path: PathBuf,
        /// Of what, how much, and how much there may be.
        too_much: TooMuch,
    },
    /// There are not two iterations to compare with each other.
    #[error("two iterations are needed, but {found} of the capture can be compared")]
    TooFewIterations {
        /// Aggregated iterations.
        found: u32,
    },
}

/// The program that writes to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherWriter {
    /// Its process; none if the system does not say.
    pub process: Option<i32>,
}

impl std::fmt::Display for OtherWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.process {
            Some(process) => write!(f, "process {process}"),
            None => f.write_str("another program"),
        }
    }
}

/// The version of a database, in words.
fn version(found: Option<&str>) -> String {
    found.map_or_else(|| "without a version".into(), |found| format!("of version {found}"))
}

/// The iterations of a capture, in words.
fn iterations(last: u32) -> String {
    if last == 0 { "only iteration 0".into() } else { format!("iterations 0 to {last}") }
}

/// Why nothing was recorded: what the program printed, or nsys says.
fn in_words(failure: &str) -> String {
    match could_not_start(failure) {
        true => format!("; the program could not be started under nsys: {failure}"),
        false => format!("; the program failed: {failure}"),
    }
}

/// Whether a program ended before its own code ran, because a library that nsys puts into it could not be loaded; `failure` is what
/// was printed.
#[must_use]
pub fn could_not_start(failure: &str) -> bool {
    let names = |parts: &[&str]| parts.iter().any(|part| failure.contains(part));
    names(&["libToolsInjection", "nsys", "nsight-systems"])
        && names(&["symbol lookup error", "error while loading shared libraries"])
}
