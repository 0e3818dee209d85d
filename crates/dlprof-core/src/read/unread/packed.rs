//! Files that are packed.

use super::kind::{Kind, Sign, if_so};
use super::sample::{GZIP, Sample};

/// What an SQLite database begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";

pub(super) static KINDS: &[Kind] = &[
    Kind {
        one: "packed more than once with gzip",
        several: "packed more than once with gzip",
        hint: "unpack it once: `gzip -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| if_so(sample.is_packed() && sample.bytes().starts_with(GZIP))),
    },
    Kind {
        one: "a packed SQLite database",
        several: "packed SQLite databases",
        hint: "unpack it: `gzip -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| if_so(sample.is_packed() && sample.bytes().starts_with(SQLITE))),
    },
    Kind {
        one: "packed with zstd, and only gzip is unpacked here",
        several: "packed with zstd, and only gzip is unpacked here",
        hint: "unpack it: `zstd -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| starts(sample, b"\x28\xb5\x2f\xfd")),
    },
    Kind {
        one: "packed with xz, and only gzip is unpacked here",
        several: "packed with xz, and only gzip is unpacked here",
        hint: "unpack it: `xz -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| starts(sample, b"\xfd7zXZ\0")),
    },
    Kind {
        one: "packed with bzip2, and only gzip is unpacked here",
        several: "packed with bzip2, and only gzip is unpacked here",
        hint: "unpack it: `bzip2 -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| starts(sample, b"BZh")),
    },
    Kind {
        one: "packed with lz4, and only gzip is unpacked here",
        several: "packed with lz4, and only gzip is unpacked here",
        hint: "unpack it: `lz4 -dc {file} > {unpacked}`",
        sign: Sign::Bytes(|sample| starts(sample, b"\x04\x22\x4d\x18")),
    },
    Kind {
        one: "packed with zip, and only gzip is unpacked here",
        several: "packed with zip, and only gzip is unpacked here",
        hint: "unpack it: `unzip {file}`",
        sign: Sign::Bytes(|sample| starts(sample, b"PK\x03\x04")),
    },
    Kind {
        one: "packed with 7-Zip, and only gzip is unpacked here",
        several: "packed with 7-Zip, and only gzip is unpacked here",
        hint: "unpack it: `7z x {file}`",
        sign: Sign::Bytes(|sample| starts(sample, b"7z\xbc\xaf\x27\x1c")),
    },
];

fn starts(sample: &Sample<'_>, mark: &[u8]) -> Option<String> {
    if_so(sample.start().starts_with(mark))
}
