//! Blocks of data inside a page: JSON, compressed, as text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a value as an element that no browser runs. Pages read it when a view needs it.
pub(super) fn write(id: &str, value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let json = serde_json::to_vec(value)?;
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&json, LEVEL);
    write!(out, "<script type=\"text/plain\" id=\"{id}\">")?;
    for part in packed.chunks(PART) {
        out.write_all(STANDARD.encode(part).as_bytes())?;
    }
    out.write_all(b"</script>\n")
}

/// Between speed and size.
const LEVEL: u8 = 6;

/// Bytes encoded at a time; a multiple of three, so that the parts join.
const PART: usize = 3 << 16;
