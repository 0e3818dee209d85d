//! What a file is, by its first bytes. Its name only says what it was meant to be.

use super::unread::{self, Sample};
use crate::base::Error;

/// What a database of SQLite begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// What a file is that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// An SQLite database.
    Sqlite,
    /// JSON, packed with gzip or not: a trace of torch.profiler, if anything that can be read.
    Trace,
    /// An XPlane profile of JAX or TensorFlow, packed with gzip or not.
    Profile,
}

impl FileKind {
    /// What a file is that begins so.
    ///
    /// # Errors
    /// If nothing like it can be read; the error says what it is instead.
    pub(super) fn of(sample: &Sample<'_>) -> Result<Self, Error> {
        if sample.start().starts_with(SQLITE) {
            return Ok(Self::Sqlite);
        }
        let path = sample.path;
        if let Some(found) = unread::of_sample(sample) {
            return Err(Error::Unread { path: path.into(), found });
        }
        if unread::is_profile_of_xla(sample) {
            return Ok(Self::Profile);
        }
        // Of packed data that are damaged nothing may be unpacked; who reads them says so.
        if sample.is_packed() || sample.is_json() {
            return Ok(Self::Trace);
        }
        Err(Error::NotACapture { path: path.into(), found: describe(sample.start()) })
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
    use crate::read::unread::Sample;
    use std::path::Path;

    #[test]
    fn content_counts_and_not_the_name() {
        let of = |name: &str, start: &[u8]| FileKind::of(&Sample::of(Path::new(name), start.into()));
        for name in ["run.sqlite", "run.json", "run.nsys-rep", "run"] {
            assert!(matches!(of(name, b"SQLite format 3\0rest"), Ok(FileKind::Sqlite)), "{name}");
            for start in
                [&b"\x1f\x8b\x08"[..], b"{\"traceEvents\": []}", b"\xef\xbb\xbf\n [{}]", b"  \r\n\t["]
            {
                assert!(matches!(of(name, start), Ok(FileKind::Trace)), "{name}: {start:?}");
            }
        }
        for (start, wanted) in [
            (&b""[..], "the file is empty"),
            (b"\"traceEvents\": []", "it starts with `\"traceEvents\": [`"),
            (b"\x1f\x8c\x08\x00", "it starts with `....`"),
        ] {
            match of("run.sqlite", start) {
                Err(Error::NotACapture { found, .. }) => assert_eq!(found, wanted),
                other => panic!("{other:?}"),
            }
        }
    }
}
