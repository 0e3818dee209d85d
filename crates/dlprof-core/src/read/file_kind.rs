//! What a file is, by its first bytes. Its name only says what it was meant to be.

use crate::base::Error;
use std::path::Path;

/// What a file is that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// An SQLite database.
    Sqlite,
}

impl FileKind {
    /// What a file is that starts with these bytes.
    ///
    /// # Errors
    /// If nothing like it can be read; the error says what it is instead.
    pub(super) fn of(path: &Path, start: &[u8]) -> Result<Self, Error> {
        if start.starts_with(b"SQLite format 3\0") {
            return Ok(Self::Sqlite);
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        Err(if ["nsys-rep", "qdrep", "qdstrm"].contains(&extension) {
            Error::NsysReport { path: path.into() }
        } else {
            Error::NotSqlite { path: path.into(), found: describe(start) }
        })
    }
}

fn describe(start: &[u8]) -> String {
    if start.is_empty() {
        return "the file is empty".into();
    }
    let start: String = String::from_utf8_lossy(&start[..start.len().min(16)])
        .chars()
        .map(|c| if c.is_control() || c == '\u{FFFD}' { '.' } else { c })
        .collect();
    format!("it starts with `{start}`")
}

#[cfg(test)]
mod tests {
    use super::FileKind;
    use crate::base::Error;
    use std::path::Path;

    #[test]
    fn content_counts_and_not_the_name() {
        let of = |name: &str, start: &[u8]| FileKind::of(Path::new(name), start);
        for name in ["run.sqlite", "run.json", "run.nsys-rep", "run"] {
            assert!(matches!(of(name, b"SQLite format 3\0rest"), Ok(FileKind::Sqlite)), "{name}");
        }
        assert!(matches!(of("run.nsys-rep", b"\x1f\x8b"), Err(Error::NsysReport { .. })));
        for (start, wanted) in [
            (&b""[..], "the file is empty"),
            (b"{\"traceEvents\": []}", "it starts with `{\"traceEvents\": `"),
            (b"\x1f\x8b\x08\x00", "it starts with `....`"),
        ] {
            match of("run.sqlite", start) {
                Err(Error::NotSqlite { found, .. }) => assert_eq!(found, wanted),
                other => panic!("{other:?}"),
            }
        }
    }
}
