//! Table `ProcessStreams`: what programs printed. The end counts, where it says that the program failed, and a warning of PyTorch
//! that TF32 is not enabled.

use super::database::Database;
use super::string_ids::Names;
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::read::facts::{CaptureNotes, NsysMessage, global_ids};
use regex::Regex;
use std::sync::LazyLock;

/// How much of the end of a text is looked at.
const END_BYTES: usize = 16 << 10;

/// An error is looked for in so many lines at the end.
const END_LINES: usize = 12;

/// How many lines are quoted, from the one that names the error on.
const QUOTED_LINES: usize = 3;

/// Lines are cut to so many characters.
const QUOTED_LETTERS: usize = 320;

/// Lines with which runtimes, shells and frameworks end a program. What may stand in the output of a program that ends well is
/// not among them.
static FATAL: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        r"^\s*FATAL ERROR\b",
        r"^\s*Fatal (Python )?error:",
        r"^\s*terminate called (after|without)",
        r"^\s*(Segmentation fault|Bus error)\b",
        r"\(core dumped\)",
        r"symbol lookup error:",
        r"MPI_ABORT was invoked",
        r"\*\*\* Process received signal \*\*\*",
        r"^thread '.*' (\(\d+\) )?panicked at",
        r"^\s*(Error|ERROR): [A-Z]",
    ];
    Regex::new(&lines.join("|")).expect("a constant")
});

/// The last line of a Python program that an exception ended.
static EXCEPTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([A-Za-z_]\w*\.)*[A-Z]\w*(Error|Exception)(:|$)").expect("a constant"));

const TRACEBACK: &str = "Traceback (most recent call last):";

/// Messages of nsys about how the program ended.
static BAD_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        "(?i)non-?zero exit (code|status)|exit(ed)?( with)?( (code|status))? -?[1-9]\\d*\\b|\
         terminated (by|with) signal|core dumped",
    )
    .expect("a constant")
});

/// Counts the programs whose output, or nsys, says that they failed, and notes what they warn of.
pub(super) fn note(
    database: &Database,
    names: &Names,
    notes: &mut CaptureNotes,
    diagnostics: &mut Diagnostics,
) -> Result<(), Error> {
    let Printed { failures, tf32_warning } = printed(database, names, &notes.nsys_messages)?;
    for example in failures {
        diagnostics.count(DiagnosticCode::ProgramFailed, || example);
    }
    notes.tf32_warning = tf32_warning;
    Ok(())
}

/// What is taken from the output of programs.
#[derive(Default)]
pub(super) struct Printed {
    /// What it, or nsys, says of their failure.
    pub(super) failures: Vec<String>,
    /// The warning that TF32 is not enabled.
    tf32_warning: Option<String>,
}

pub(super) fn printed(
    database: &Database,
    names: &Names,
    messages: &[NsysMessage],
) -> Result<Printed, Error> {
    let mut found = Printed::default();
    database.read("ProcessStreams", &["globalPid", "filenameId", "contentId"], |row| {
        let text = |column| match row.plain_int(column) {
            Some(id) => id.and_then(|id| names.text_of(id)).map(str::to_owned),
            None => row.text(column),
        };
        let (file, content) = (text(1), text(2));
        let global_pid = row.plain_int(0).flatten();
        if let Some(lines) = content.as_deref().and_then(failure) {
            found.failures.push(in_words(global_pid, file.as_deref().unwrap_or_default(), &lines));
        }
        if found.tf32_warning.is_none() {
            found.tf32_warning = content.as_deref().and_then(tf32_warning);
        }
    })?;
    for message in messages.iter().filter(|message| BAD_END.is_match(&message.text)) {
        found.failures.push(format!("nsys: {}", quoted(&message.text)));
    }
    Ok(found)
}

/// The first sentence of the warning of PyTorch that TF32 is not enabled.
fn tf32_warning(text: &str) -> Option<String> {
    static WARNING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"TensorFloat32 tensor cores[^\r\n]{0,200}?available but not enabled").expect("a constant")
    });
    WARNING.find(text).map(|found| quoted(found.as_str()))
}

/// `process 4711, stderr: line / line`.
fn in_words(global_pid: Option<i64>, file: &str, lines: &[String]) -> String {
    let stream = ["stderr", "stdout"].into_iter().find(|stream| file.contains(stream));
    let process = global_pid.map(global_ids::pid);
    let process = process.map_or_else(|| "a process".to_owned(), |pid| format!("process {pid}"));
    let stream = stream.map_or_else(String::new, |stream| format!(", {stream}"));
    format!("{process}{stream}: {}", lines.join(" / "))
}

/// The lines that tell of an error at the end of a text; `None` where it does not end in one.
fn failure(text: &str) -> Option<Vec<String>> {
    let mut from = text.len().saturating_sub(END_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let lines: Vec<&str> = text[from..].split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
    let last = *lines.last()?;
    let end = &lines[lines.len().saturating_sub(END_LINES)..];
    let of_python = EXCEPTION.is_match(last) && lines.iter().any(|line| line.trim() == TRACEBACK);
    let at = if of_python { end.len() - 1 } else { end.iter().position(|line| FATAL.is_match(line))? };
    Some(end[at..].iter().take(QUOTED_LINES).map(|line| quoted(line)).collect())
}

/// A foreign text in one line: without sequences that colour it, control characters and marks of direction, and cut.
fn quoted(text: &str) -> String {
    static COLOURS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").expect("a constant"));
    let is_mark = |letter: char| {
        let marks = [
            '\u{200b}'..='\u{200f}',
            '\u{2028}'..='\u{202e}',
            '\u{2066}'..='\u{2069}',
            '\u{feff}'..='\u{feff}',
        ];
        marks.iter().any(|range| range.contains(&letter))
    };
    let plain = COLOURS.replace_all(text, "");
    let plain: String = plain
        .chars()
        .filter(|&letter| !is_mark(letter))
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let mut words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() > QUOTED_LETTERS {
        words = words.chars().take(QUOTED_LETTERS - 1).chain(['…']).collect();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{BAD_END, QUOTED_LETTERS, failure, quoted, tf32_warning};

    #[test]
    fn errors_at_the_end_are_quoted_from_the_line_that_names_them() {
        let said = |text: &str| failure(text).map(|lines| lines.join(" / "));
        let openacc = "Present table dump\nFATAL ERROR: data was not found on device 1: name=(null)\n file:main.c line:116\n\n";
        let expected = "FATAL ERROR: data was not found on device 1: name=(null) / file:main.c line:116";
        assert_eq!(said(openacc).as_deref(), Some(expected));
        let python = "step 3\nTraceback (most recent call last):\n  File \"t.py\", line 1\ntorch.cuda.OutOfMemoryError: CUDA \
            out of memory.\n";
        assert_eq!(said(python).as_deref(), Some("torch.cuda.OutOfMemoryError: CUDA out of memory."));
        let details =
            "loading\nError: Unexpected end of file at x.h:199\nError details:\n  File: x.h\n  Line: 199\n";
        assert_eq!(
            said(details).as_deref(),
            Some("Error: Unexpected end of file at x.h:199 / Error details: / File: x.h")
        );
        assert!(said("bash: line 1: 4711 Segmentation fault      (core dumped) ./train").is_some());
        assert!(said("thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds").is_some());
    }

    #[test]
    fn programs_that_end_well_say_nothing() {
        let well = [
            "",
            "\n\n",
            "Max error: 0\n",
            "Error: 0.0001\nerror: none",
            "Traceback (most recent call last):\nValueError: no\nretrying\nepoch 2 done\n",
            "UserWarning: torch.distributed.reduce_op is deprecated\n",
            "MyError: a text without a traceback",
            "0 errors\nDONE.",
        ];
        for text in well {
            assert_eq!(failure(text), None, "{text:?}");
        }
        let long_ago = format!("FATAL ERROR: recovered\n{}", "step done\n".repeat(50));
        assert_eq!(failure(&long_ago), None);
    }

    #[test]
    fn the_warning_about_tf32_is_quoted() {
        let printed = "step 1\n/lib/compile_fx.py:194: UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication \
            available but not enabled. Consider setting `torch.set_float32_matmul_precision('high')`.\n  warnings.warn(\n";
        let expected =
            "TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled";
        assert_eq!(tf32_warning(printed).as_deref(), Some(expected));
        assert_eq!(tf32_warning("TensorFloat32 tensor cores\nare available but not enabled"), None);
        assert_eq!(tf32_warning(&"TensorFloat32 tensor cores ".repeat(10_000)), None);
    }

    #[test]
    fn hostile_texts_are_one_short_line() {
        let hostile = format!("\u{1b}[31mFATAL\u{1b}[0m\t\u{7}E\u{202e}RROR\r{}", "ü".repeat(5000));
        let line = quoted(&hostile);
        assert_eq!(line.chars().count(), QUOTED_LETTERS);
        assert!(line.starts_with("FATAL ERROR ü") && line.ends_with("ü…"), "{line}");
        assert!(!line.chars().any(char::is_control));
        // The end of a long text is looked at, from the next character on.
        let long = format!("{}\nFATAL ERROR: here\n", "ü".repeat(1 << 20));
        assert_eq!(failure(&long), Some(vec!["FATAL ERROR: here".to_owned()]));
    }

    #[test]
    fn messages_of_nsys_about_the_end_are_understood() {
        for bad in [
            "The target application returned non-zero exit code 1",
            "Process 12 exited with status 139",
            "terminated by signal 11",
        ] {
            assert!(BAD_END.is_match(bad), "{bad}");
        }
        for well in
            ["Process exited with code 0", "Profiling has started.", "Number of CUPTI events produced: 1"]
        {
            assert!(!BAD_END.is_match(well), "{well}");
        }
    }
}
