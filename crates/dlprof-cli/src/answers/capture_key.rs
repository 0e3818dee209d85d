//! The key of a capture: short, and the same wherever the file lies.

use dlprof_export::name_hash;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the beginning and of the end counts: the header of a database changes with each change of its rows.
const LOOKED_AT: usize = 4096;

/// The key of a file, such as `c-9f31a2c4`; of one that cannot be read that of its name.
pub(crate) fn capture_key(path: &Path) -> String {
    let looked_at = look(path).unwrap_or_else(|_| path.as_os_str().as_encoded_bytes().to_vec());
    format!("c-{:08x}", name_hash(looked_at))
}

fn look(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = length.to_le_bytes().to_vec();
    file.by_ref().take(LOOKED_AT as u64).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT as u64)))?;
    file.take(LOOKED_AT as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
