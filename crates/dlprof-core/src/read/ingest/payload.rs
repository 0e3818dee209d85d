//! What libraries record beside NVTX ranges: payloads, which a table describes field by field, or JSON.
//!
//! ```text
//! binaryData  │ domain │ schema │ size │ offset │ …    the payload: `size` bytes from `offset` on; numbers of 8 bytes
//! ```
//!
//! `nsys export` leaves payloads out unless it is told `--include-blobs=true`; the table that describes them is always there.

use super::cell::Cell;
use super::database::Database;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::columns::long_text::cut_owned;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// The table that describes payloads.
pub(super) const SCHEMAS: &str = "NVTX_PAYLOAD_SCHEMA_ENTRIES";

/// What a payload of NCCL says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Payload {
    pub(super) communicator: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) data_type: String,
    pub(super) ranks: Option<i64>,
    pub(super) rank: Option<i64>,
    pub(super) peer: Option<i64>,
}

/// A field of a payload that is read.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Communicator,
    Bytes,
    Ranks,
    Rank,
    Peer,
}

impl Wanted {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "NCCL communicator ID" => Self::Communicator,
            "Message size [bytes]" => Self::Bytes,
            "No. of ranks" => Self::Ranks,
            "Rank" => Self::Rank,
            "Peer rank" => Self::Peer,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Field {
    wanted: Wanted,
    offset: usize,
    /// Whether it takes 8 bytes; else 4.
    is_long: bool,
}

/// The fields of each payload, by the numbers of domain and schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Schemas {
    fields: FxHashMap<(u64, u64), Vec<Field>>,
}

/// NVTX's numbers of unsigned 64-bit integers and of sizes.
const LONG_TYPES: [i64; 2] = [18, 22];

impl Schemas {
    pub(super) fn read(database: &Database, diagnostics: &mut Diagnostics) -> Result<Self, Error> {
        let mut schemas = Self::default();
        database.read(SCHEMAS, &["domainId", "schemaId", "type", "name", "offset"], |row| {
            let [domain, schema] = [0, 1].map(|column| row.int(column, diagnostics).map(i64::cast_unsigned));
            let wanted = row.text(3).and_then(|name| Wanted::of(&name));
            let offset = usize::try_from(row.int(4, diagnostics).unwrap_or(0));
            let is_long = row.int(2, diagnostics).is_some_and(|kind| LONG_TYPES.contains(&kind));
            if let (Some(domain), Some(schema), Some(wanted), Ok(offset)) = (domain, schema, wanted, offset) {
                schemas.fields.entry((domain, schema)).or_default().push(Field { wanted, offset, is_long });
            }
        })?;
        Ok(schemas)
    }

    /// Whether no payload is described.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// What was recorded beside a range, as a record or as JSON.
    pub(super) fn beside(&self, record: Cell<'_>, json: Cell<'_>) -> Payload {
        let bytes = |cell| match cell {
            Cell::Text(bytes) | Cell::Blob(bytes) => Some(bytes),
            _ => None,
        };
        match (bytes(record), bytes(json)) {
            (Some(record), _) => self.payload(record),
            (None, Some(text)) => of_json(text),
            (None, None) => Payload::default(),
        }
    }

    /// What a record beside a range says; nothing where it is damaged or of an unknown form.
    fn payload(&self, record: &[u8]) -> Payload {
        let mut payload = Payload::default();
        let head: Option<Vec<u64>> = (0..4).map(|at| long(record, at * 8)).collect();
        let Some([domain, schema, size, offset]) = head.as_deref().and_then(|head| head.first_chunk()) else {
            return payload;
        };
        let start = usize::try_from(*offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(usize::try_from(*size).unwrap_or(usize::MAX)).min(record.len());
        let body = record.get(start..end).unwrap_or_default();
        for field in self.fields.get(&(*domain, *schema)).into_iter().flatten() {
            let value = if field.is_long {
                long(body, field.offset)
            } else {
                short(body, field.offset).map(|value| i64::from(value).cast_unsigned())
            };
            let signed = value.map(u64::cast_signed);
            match field.wanted {
                Wanted::Communicator => payload.communicator = value,
                Wanted::Bytes => payload.bytes = value,
                Wanted::Ranks => payload.ranks = signed,
                Wanted::Rank => payload.rank = signed,
                Wanted::Peer => payload.peer = signed,
            }
        }
        payload
    }
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|&chunk| u64::from_le_bytes(chunk))
}

fn short(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|&chunk| i32::from_le_bytes(chunk))
}

/// What newer versions of NCCL say, which `nsys export --include-json=true` writes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    #[serde(rename = "commHash")]
    communicator: Option<Hash>,
    #[serde(rename = "commRank")]
    rank: Option<i64>,
    #[serde(rename = "nRanks")]
    ranks: Option<i64>,
    count: Option<u64>,
    #[serde(rename = "dataType")]
    data_type: Option<String>,
}

/// The number of a communicator, which some versions write as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Hash {
    Number(u64),
    Text(String),
}

/// What the JSON beside a range says; nothing where it is damaged.
fn of_json(text: &[u8]) -> Payload {
    let said: Said = serde_json::from_slice(text).unwrap_or_default();
    let communicator = said.communicator.and_then(|hash| match hash {
        Hash::Number(number) => Some(number),
        Hash::Text(text) => match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
    });
    let size = said.data_type.as_deref().and_then(size_of_type);
    let bytes = said.count.zip(size).and_then(|(count, size)| count.checked_mul(size));
    let data_type = cut_owned(said.data_type.unwrap_or_default());
    Payload { communicator, bytes, data_type, ranks: said.ranks, rank: said.rank, peer: None }
}

/// Bytes of a number of a type, by NCCL's name of it.
fn size_of_type(name: &str) -> Option<u64> {
    let name = name.trim_start_matches("nccl").to_ascii_lowercase();
    Some(match name.as_str() {
        "int8" | "char" | "uint8" | "float8e4m3" | "float8e5m2" => 1,
        "float16" | "half" | "bfloat16" => 2,
        "int32" | "int" | "uint32" | "float32" | "float" => 4,
        "int64" | "uint64" | "float64" | "double" => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas() -> Schemas {
        let field = |wanted, offset, is_long| Field { wanted, offset, is_long };
        let fields = vec![field(Wanted::Communicator, 0, true), field(Wanted::Peer, 8, false)];
        Schemas { fields: FxHashMap::from_iter([((1, 7), fields)]) }
    }

    fn record(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn a_payload_is_read_where_its_head_says() {
        let whole = record(&[1, 7, 16, 32, u64::MAX - 3, 5]);
        let expected = Payload { communicator: Some(u64::MAX - 3), peer: Some(5), ..Payload::default() };
        assert_eq!(schemas().payload(&whole), expected);
        // Of another schema, cut, and with a head that points elsewhere.
        for bad in [&record(&[1, 8, 16, 32, 9, 5])[..], &whole[..31], &record(&[1, 7, 16, u64::MAX, 9, 5])] {
            assert_eq!(schemas().payload(bad), Payload::default());
        }
        let cut = Payload { communicator: Some(9), ..Payload::default() };
        assert_eq!(schemas().payload(&record(&[1, 7, 8, 32, 9, 5])), cut);
    }

    #[test]
    fn json_names_communicators_as_numbers_or_texts() {
        let expected = |data_type: &str| Payload {
            communicator: Some(255),
            bytes: Some(20),
            data_type: data_type.into(),
            rank: Some(3),
            ..Payload::default()
        };
        for (data_type, text) in [
            ("ncclBfloat16", r#"{"commHash": 255, "commRank": 3, "count": 10, "dataType": "ncclBfloat16"}"#),
            (
                "bfloat16",
                r#"{"commHash": "0xff", "commRank": 3, "count": 10, "dataType": "bfloat16", "seqNumber": 4}"#,
            ),
        ] {
            assert_eq!(of_json(text.as_bytes()), expected(data_type), "{text}");
        }
        assert_eq!(of_json(b"{\"commHash\": "), Payload::default());
    }
}
