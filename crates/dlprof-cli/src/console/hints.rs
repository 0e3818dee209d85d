//! What the user can do about an error of the library, in the words of the command line.

use dlprof_core::{Error, RunError, Shortage, could_not_start};

/// What to do about an error of the analysis; `None` if there is nothing to do.
pub(crate) fn of_analysis(error: &Error) -> Option<String> {
    if let Some(shortage) = error.shortage() {
        return Some(of_shortage(shortage).into());
    }
    match error {
        Error::Unread { found, .. } => found.hint.clone(),
        Error::NotATrace { .. } | Error::NotACapture { .. } => Some(
            "give the export of an Nsight Systems report (`nsys export --type sqlite`), or a trace that \
             `prof.export_chrome_trace(\"run.pt.trace.json.gz\")` of torch.profiler wrote"
                .into(),
        ),
        Error::NcuLog { refusal, .. } => Some(refusal.hint().into()),
        Error::TraceInsteadOfExport { .. } => Some(
            "reports of `nsys stats` need the tables of nsys: `dlprof-agg FILE`, `show` and `export` read such a trace".into(),
        ),
        Error::NotAnExport { .. } => {
            Some("create one with `nsys export --type sqlite run.nsys-rep`".into())
        }
        Error::NoEvents { failure: Some(failure), .. } => Some(
            match could_not_start(failure) {
                true if needs_old_c_library(failure) => {
                    "this nsys is too old for the C library of this system, so that its library could not be loaded and nothing \
                     was traced: use a newer nsys"
                }
                true => {
                    "a library that nsys loads into the program could not be loaded, so that nothing was traced: try \
                     another version of nsys, or of the program's environment"
                }
                false => "find out why the program failed, and profile a run that ends well",
            }
            .into(),
        ),
        Error::NoEvents { failure: None, .. } => Some(
            "capture with `nsys profile --trace=cuda,nvtx` on a machine that permits CUDA tracing, and export \
             all tables"
                .into(),
        ),
        Error::IsDirectory { .. } => Some(
            "give the file itself: the `.sqlite` export of an Nsight Systems report, or a `.json` or `.json.gz` trace of \
             torch.profiler; `dlprof-agg ranks FOLDER` compares the captures of a job"
                .into(),
        ),
        Error::NotRegular { .. } => {
            Some("the file is read in several places at the same time: save it first, then give its name".into())
        }
        Error::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
            Some("ask the owner of the file for the right to read it".into())
        }
        Error::Threads { .. } => {
            Some("allow the process more threads (`ulimit -u`) or more memory (`ulimit -v`)".into())
        }
        Error::Truncated { .. } => Some("copy the file again, or export it again".into()),
        Error::Damaged { .. } => Some("export the `.nsys-rep` file again".into()),
        Error::HotJournal { path, .. } => Some(format!(
            "close the program that writes the file, or run `sqlite3 {} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
            path.display()
        )),
        Error::BeingWritten { .. } | Error::ChangedWhileRead { .. } => {
            Some("wait until the program that writes the file has ended, then run this again".into())
        }
        Error::UnusableTable { .. } => {
            Some("export the `.nsys-rep` file again, or write the rows into a plain table of this name".into())
        }
        Error::SumTooLarge { .. } | Error::CaptureTooLong { .. } => Some(
            "some of its numbers cannot be right: look at them with `sqlite3`, or export the `.nsys-rep` file again".into(),
        ),
        Error::DamagedProfile { .. } => {
            Some("copy the file again in binary form, or wait until the program has written it".into())
        }
        Error::DlprofDatabase { .. } => {
            Some("give the file `nsys_profile.sqlite` from which DLProf made it".into())
        }
        Error::DlprofVersion { .. } => Some(
            "give the file `nsys_profile.sqlite` from which DLProf made it, or make it again with DLProf 1.8".into(),
        ),
        Error::DamagedDlprofDatabase { .. } => Some(
            "copy the file again, or give the file `nsys_profile.sqlite` from which DLProf made it".into(),
        ),
        Error::UnknownKeyNode { nearest, .. } if nearest.is_empty() => {
            Some("`dlprof-agg show key-nodes FILE` lists the candidates".into())
        }
        Error::UnknownKeyNode { nearest, .. } => {
            let quoted: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
            Some(format!("nearest names: {}", quoted.join(", ")))
        }
        Error::BadTime { text, .. } => Some(format!(
            "write a number and a unit, such as `29.8s` or `300ms`; for a range of this text, `start:{text}` or `end:{text}`"
        )),
        Error::ReversedCut { .. } => Some(
            "`--from` must be before `--to`; of a range the end counts for `--from` and the start for `--to`, unless \
             `start:` or `end:` is written before its text"
                .into(),
        ),
        Error::UnknownCutRange { nearest, .. } if nearest.is_empty() => None,
        Error::UnknownCutRange { nearest, .. } => {
            let quoted: Vec<_> = nearest.iter().map(|text| format!("`{text}`")).collect();
            Some(format!("nearest texts: {}", quoted.join(", ")))
        }
        Error::CutOfDatabase { .. } => {
            Some("choose iterations with `--iter-start` and `--iter-stop`, or give the export".into())
        }
        Error::ReversedRange { .. } => Some("`--iter-start` must not be greater than `--iter-stop`".into()),
        Error::RangeOutOfBounds { has_key_node: false, .. } => {
            Some("without a key node there is only iteration 0; choose a key node with `--key-node`".into())
        }
        Error::RangeOutOfBounds { last, .. } => {
            Some(format!("give `--iter-start` and `--iter-stop` numbers from 0 to {last}"))
        }
        Error::TooMuch { too_much, .. } => too_much.limit.beyond.advice().map(Into::into),
        Error::TooFewIterations { .. } => {
            Some("choose a key node with `--key-node`; `dlprof-agg show key-nodes FILE` lists candidates".into())
        }
        _ => None,
    }
}

fn of_shortage(shortage: Shortage) -> &'static str {
    match shortage {
        Shortage::OpenFiles => "allow the process more open files (`ulimit -n`), or close other programs",
        Shortage::Memory => {
            "allow the process more memory (`ulimit -v`), or give a smaller `--memory` and fewer `--threads`"
        }
        Shortage::OpeningAgain => {
            "it could be opened a moment ago: allow the process more open files (`ulimit -n`), or see whether it is still \
             there"
        }
    }
}

/// Whether a private symbol of the C library is missing, which newer ones do not have any more.
fn needs_old_c_library(failure: &str) -> bool {
    failure.contains("undefined symbol") && (failure.contains("__libc_") || failure.contains("GLIBC_PRIVATE"))
}

/// What to do about an error of a comparison of runs; `None` if there is nothing to do.
pub(crate) fn of_runs(error: &RunError) -> Option<String> {
    match error {
        RunError::Read(error) => of_analysis(error),
        RunError::NotABaseline { .. } | RunError::DamagedBaseline { .. } | RunError::NoBaselines { .. } => {
            Some("make a baseline with `dlprof-agg baseline RUN.sqlite… -o base.json`".into())
        }
        RunError::NewerBaseline { .. } => {
            Some("update dlprof-agg, or make the baseline again with this version".into())
        }
        RunError::Policy { .. } => Some("examples/ci/gate.toml documents every key".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{of_analysis, of_runs};
    use dlprof_core::{Error, RunError};
    use std::path::PathBuf;

    #[test]
    fn errors_about_a_request_name_the_option_that_helps() {
        let hint = |error: &Error| of_analysis(error).unwrap_or_default();
        assert!(hint(&Error::ReversedRange { start: 3, stop: 2 }).contains("`--iter-start`"));
        assert!(hint(&Error::TooFewIterations { found: 1 }).contains("`dlprof-agg show key-nodes FILE`"));
        let path = || PathBuf::from("a.sqlite");
        assert!(hint(&Error::IsDirectory { path: path() }).contains("`.sqlite`"));
        let source = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        assert!(hint(&Error::Unreadable { path: path(), source }).starts_with("ask the owner"));
        let read = RunError::Read(Error::TooFewIterations { found: 1 });
        assert_eq!(of_runs(&read).unwrap_or_default(), hint(&Error::TooFewIterations { found: 1 }));
        assert!(
            of_runs(&RunError::NoBaselines { path: path() })
                .is_some_and(|hint| hint.contains("-o base.json"))
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_process_with_too_many_open_files_is_told_so() {
        let source = std::io::Error::from_raw_os_error(24);
        let hint = of_analysis(&Error::Unreadable { path: "a.sqlite".into(), source }).unwrap_or_default();
        assert!(hint.contains("`ulimit -n`"), "{hint}");
    }
}
