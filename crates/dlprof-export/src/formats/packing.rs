//! Files that may be packed: the end of their name says so.

use flate2::{Compression, GzBuilder};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How hard to pack. More takes much longer and saves little.
const LEVEL: Compression = Compression::new(2);

/// Writes to a file, through gzip if its name ends in `.gz`. The bytes depend on the contents alone: the header has neither a
/// name nor a time.
pub(crate) fn write_packed(
    name: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        return write(out);
    }
    let mut packed = BufWriter::with_capacity(1 << 16, GzBuilder::new().write(out, LEVEL));
    write(&mut packed)?;
    let packer = packed.into_inner().map_err(io::IntoInnerError::into_error)?;
    packer.finish()?;
    Ok(())
}
