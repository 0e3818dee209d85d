//! What the user can do about an error.

use super::Error;
use super::kind::{cannot_open, is_limit, is_out_of_memory};

impl Error {
    /// What the user can do about it; `None` if there is nothing to do.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NsysReport { path } => {
                Some(format!("export it: `nsys export --type sqlite {}`", path.display()))
            }
            Self::NotSqlite { .. } | Self::NotAnExport { .. } => {
                Some("create one with `nsys export --type sqlite run.nsys-rep`".into())
            }
            Self::NoEvents { failure: Some(failure), .. } => Some(
                match is_of_nsys(failure) {
                    true => {
                        "a library that nsys loads into the program could not be loaded, so that nothing was traced: try \
                         another version of nsys, or of the program's environment"
                    }
                    false => "find out why the program failed, and profile a run that ends well",
                }
                .into(),
            ),
            Self::NoEvents { failure: None, .. } => Some(
                "capture with `nsys profile --trace=cuda,nvtx` on a machine that permits CUDA tracing, and export \
                 all tables"
                    .into(),
            ),
            Self::IsDirectory { .. } => Some("give the `.sqlite` file itself".into()),
            Self::NotRegular { .. } => {
                Some("the file is read in several places at the same time: save it first, then give its name".into())
            }
            Self::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                Some("ask the owner of the file for the right to read it".into())
            }
            Self::Unreadable { source, .. } if is_limit(source) => {
                Some("allow the process more open files (`ulimit -n`), or close other programs".into())
            }
            Self::Damaged { source, .. } if is_out_of_memory(source) => {
                Some("allow the process more memory (`ulimit -v`), or give a smaller `--memory` and fewer `--threads`".into())
            }
            Self::Threads { .. } => {
                Some("allow the process more threads (`ulimit -u`) or more memory (`ulimit -v`)".into())
            }
            Self::Damaged { source, .. } if cannot_open(source) => Some(
                "it could be opened a moment ago: allow the process more open files (`ulimit -n`), or see whether it is still \
                 there"
                    .into(),
            ),
            Self::Truncated { .. } => Some("copy the file again, or export it again".into()),
            Self::Damaged { .. } => Some("export the `.nsys-rep` file again".into()),
            Self::HotJournal { path, .. } => Some(format!(
                "close the program that writes the file, or run `sqlite3 {} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
                path.display()
            )),
            Self::BeingWritten { .. } | Self::ChangedWhileRead { .. } => {
                Some("wait until the program that writes the file has ended, then run this again".into())
            }
            Self::UnusableTable { .. } => {
                Some("export the `.nsys-rep` file again, or write the rows into a plain table of this name".into())
            }
            Self::SumTooLarge { .. } | Self::CaptureTooLong { .. } => Some(
                "some of its numbers cannot be right: look at them with `sqlite3`, or export the `.nsys-rep` file again".into(),
            ),
            Self::DlprofDatabase { .. } => {
                Some("give the file `nsys_profile.sqlite` from which DLProf made it".into())
            }
            Self::DlprofVersion { .. } => Some(
                "give the file `nsys_profile.sqlite` from which DLProf made it, or make it again with DLProf 1.8".into(),
            ),
            Self::DamagedDlprofDatabase { .. } => Some(
                "copy the file again, or give the file `nsys_profile.sqlite` from which DLProf made it".into(),
            ),
            Self::UnknownKeyNode { nearest, .. } if nearest.is_empty() => {
                Some("`dlprof-agg show key-nodes FILE` lists the candidates".into())
            }
            Self::UnknownKeyNode { nearest, .. } => {
                let quoted: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
                Some(format!("nearest names: {}", quoted.join(", ")))
            }
            Self::BadTime { text, .. } => Some(format!(
                "write a number and a unit, such as `29.8s` or `300ms`; for a range of this text, `start:{text}` or `end:{text}`"
            )),
            Self::ReversedCut { .. } => Some(
                "`--from` must be before `--to`; of a range the end counts for `--from` and the start for `--to`, unless \
                 `start:` or `end:` is written before its text"
                    .into(),
            ),
            Self::UnknownCutRange { nearest, .. } if nearest.is_empty() => None,
            Self::UnknownCutRange { nearest, .. } => {
                let quoted: Vec<_> = nearest.iter().map(|text| format!("`{text}`")).collect();
                Some(format!("nearest texts: {}", quoted.join(", ")))
            }
            Self::CutOfDatabase { .. } => {
                Some("choose iterations with `--iter-start` and `--iter-stop`, or give the export".into())
            }
            Self::ReversedRange { .. } => Some("`--iter-start` must not be greater than `--iter-stop`".into()),
            Self::RangeOutOfBounds { has_key_node: false, .. } => {
                Some("without a key node there is only iteration 0; choose a key node with `--key-node`".into())
            }
            Self::RangeOutOfBounds { last, .. } => {
                Some(format!("give `--iter-start` and `--iter-stop` numbers from 0 to {last}"))
            }
            Self::TooManyIterations { .. } => Some(
                "name an op that runs less often with `--key-node`, or read a part of the capture with `--from` and \
                 `--to`".into(),
            ),
            Self::TooManyGpus { .. } => Some("read a part of the capture with `--from` and `--to`".into()),
            Self::TooFewIterations { .. } => {
                Some("choose a key node with `--key-node`; `dlprof-agg show key-nodes FILE` lists candidates".into())
            }
            _ => None,
        }
    }
}

/// Whether a program failed while it loaded a library that nsys puts into it.
fn is_of_nsys(failure: &str) -> bool {
    ["libToolsInjection", "nsys", "nsight-systems"].iter().any(|part| failure.contains(part))
        && ["symbol lookup error", "error while loading shared libraries"]
            .iter()
            .any(|part| failure.contains(part))
}
