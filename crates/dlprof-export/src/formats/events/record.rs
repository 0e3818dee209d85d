//! Records of TensorFlow's TFRecord files.
//!
//! ```text
//! u64  length of the data          all numbers little endian
//! u32  masked CRC-32C of the length
//! …    data
//! u32  masked CRC-32C of the data
//! ```

use crc::{CRC_32_ISCSI, Crc, Table};
use std::io::{self, Write};

const CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

/// Writes a record.
///
/// # Errors
/// If `out` cannot be written to.
pub(super) fn write(data: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let length = (data.len() as u64).to_le_bytes();
    out.write_all(&length)?;
    out.write_all(&masked(&length).to_le_bytes())?;
    out.write_all(data)?;
    out.write_all(&masked(data).to_le_bytes())
}

/// The checksum as TensorFlow stores it, so that a checksum of data that holds checksums is not a trivial one.
fn masked(data: &[u8]) -> u32 {
    const DELTA: u32 = 0xa282_ead8;
    CRC.checksum(data).rotate_right(15).wrapping_add(DELTA)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_checksums_of_tensorflow() {
        let mut bytes = Vec::new();
        write(b"abc", &mut bytes).expect("memory takes everything");
        assert_eq!(&bytes[..8], &3_u64.to_le_bytes());
        assert_eq!(&bytes[12..15], b"abc");
        // RFC 3720, B.4: CRC-32C of 32 bytes of zeros.
        assert_eq!(CRC.checksum(&[0; 32]), 0x8a91_36aa);
        assert_eq!(masked(&[0; 32]), 0x8a91_36aa_u32.rotate_right(15).wrapping_add(0xa282_ead8));
    }
}
