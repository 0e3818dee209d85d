//! What a file is, by its first bytes. Its name only says what it was meant to be.

use crate::base::Error;
use std::path::Path;

/// What a file is that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// An SQLite database.
    Sqlite,
    /// JSON, packed with gzip or not: a trace of torch.profiler, if anything that can be read.
    Trace,
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
        if ["nsys-rep", "qdrep", "qdstrm"].contains(&extension) {
            return Err(Error::NsysReport { path: path.into() });
        }
        if start.starts_with(&[0x1f, 0x8b]) || is_json(start) {
            return Ok(Self::Trace);
        }
        Err(Error::NotACapture { path: path.into(), found: describe(start) })
    }
}

/// Whether bytes can be the start of an object or a list in JSON.
fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    // With a zero behind it, a bracket is one of UTF-16 or UTF-32.
    matches!(start, [b'{' | b'[', rest @ ..] if rest.first() != Some(&0))
}

fn describe(start: &[u8]) -> String {
    if start.is_empty() {
        return "the file is empty".into();
    }
    let packed = [
        (&b"PK\x03\x04"[..], "zip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\xfd7zXZ\0", "xz"),
        (b"BZh", "bzip2"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    ];
    if let Some((_, program)) = packed.iter().find(|(magic, _)| start.starts_with(magic)) {
        return format!("it is packed with {program}, and only gzip is unpacked here");
    }
    let wide = [&b"\xff\xfe"[..], b"\xfe\xff", b"\0\0\xfe\xff", b"{\0", b"\0{", b"[\0", b"\0["];
    if wide.iter().any(|mark| start.starts_with(mark)) {
        return "its text is UTF-16 or UTF-32, and traces are UTF-8: convert it, for example with `iconv`"
            .into();
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
        const UTF16: &str =
            "its text is UTF-16 or UTF-32, and traces are UTF-8: convert it, for example with `iconv`";
        let of = |name: &str, start: &[u8]| FileKind::of(Path::new(name), start);
        for name in ["run.sqlite", "run.json", "run.nsys-rep", "run"] {
            assert!(matches!(of(name, b"SQLite format 3\0rest"), Ok(FileKind::Sqlite)), "{name}");
        }
        assert!(matches!(of("run.nsys-rep", b"\x1f\x8b"), Err(Error::NsysReport { .. })));
        for start in [&b"\x1f\x8b\x08"[..], b"{\"traceEvents\": []}", b"\xef\xbb\xbf\n [{}]", b"  \r\n\t["] {
            assert!(matches!(of("run.sqlite", start), Ok(FileKind::Trace)), "{start:?}");
        }
        for (start, wanted) in [
            (&b""[..], "the file is empty"),
            (b"\"traceEvents\": []", "it starts with `\"traceEvents\": [`"),
            (b"\x1f\x8c\x08\x00", "it starts with `....`"),
            (b"PK\x03\x04\x14", "it is packed with zip, and only gzip is unpacked here"),
            (b"\xff\xfe{\0", UTF16),
            (b"{\0\"\0", UTF16),
        ] {
            match of("run.sqlite", start) {
                Err(Error::NotACapture { found, .. }) => assert_eq!(found, wanted),
                other => panic!("{other:?}"),
            }
        }
    }
}
