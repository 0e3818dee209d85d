//! Digests in a file, from which a job is made without its captures: JSON, packed with gzip. `docs/lake.md` describes it.
//!
//! Lists whose items are many are rows of numbers, not objects, so that a thousand ranks are read in a second.

use super::digest::{Gate, PieceSums, RankCollective, RankDigest, RankIdentity, WorkSum};
use crate::base::limits::{DIGEST_BYTES, TooMuch};
use crate::base::small_file;
use crate::base::time::{LARGEST_SUM, Ns, Span};
use crate::columns::Memory;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize, Serializer};
use std::io::{self, Read, Write};
use std::path::Path;

/// The name of the file in the folder of a capture.
pub const DIGEST_FILE: &str = "digest.gz";

/// The form of the file. A change of [`RankDigest`] changes it.
pub const DIGEST_FORMAT: u32 = 2;

/// Files are not longer.
const MOST_PACKED_BYTES: u64 = 256 << 20;

/// Bytes that are unpacked between two looks at the limit.
const UNPACKED_AT_ONCE: u64 = 1 << 20;

#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    program: &'a str,
    ranks: &'a [RankDigest],
}

#[derive(Deserialize)]
struct Kept {
    format: u32,
    ranks: Vec<RankDigest>,
}

#[derive(Deserialize)]
struct Header {
    format: u32,
}

/// Why kept digests cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DigestError {
    /// The file cannot be read.
    #[error("its `{DIGEST_FILE}` cannot be read: {0}")]
    Unreadable(io::Error),
    /// Another version wrote it.
    #[error(
        "its `{DIGEST_FILE}` has format {found}, this version reads {DIGEST_FORMAT}: add the capture again with `--force`"
    )]
    Format {
        /// The format that it has.
        found: u32,
    },
    /// It unpacks to more than digests do.
    #[error("its `{DIGEST_FILE}` cannot be unpacked: {0}: add the capture again with `--force`")]
    TooMuch(TooMuch),
    /// It says what cannot be.
    #[error("its `{DIGEST_FILE}` is damaged ({0}): add the capture again with `--force`")]
    Damaged(String),
}

/// What of two captures is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameCapture {
    /// All that is kept of them, names of files apart.
    Whole,
    /// They are the same capture, read with other options or by another version.
    Capture,
    /// Nothing.
    No,
}

/// Writes the digests of a capture.
///
/// # Errors
/// If the system refuses, or the name of the capture is no text.
pub fn write_digests(ranks: &[RankDigest], out: impl Write) -> io::Result<()> {
    let program = concat!("dlprof-agg ", env!("CARGO_PKG_VERSION"));
    let mut packed = GzEncoder::new(out, Compression::new(6));
    let text = serde_json::to_vec(&Written { format: DIGEST_FORMAT, program, ranks })?;
    packed.write_all(&text)?;
    packed.finish()?.flush()
}

/// Reads the digests in the folder of a capture, within a memory budget.
///
/// # Errors
/// If there are none, another version wrote them, they unpack to far more than digests do, or they are damaged.
pub fn read_digests(folder: &Path, memory: &Memory) -> Result<Vec<RankDigest>, DigestError> {
    let packed =
        small_file::read(&folder.join(DIGEST_FILE), MOST_PACKED_BYTES).map_err(DigestError::Unreadable)?;
    let text = unpacked(&packed, memory)?;
    let damaged = |error: &dyn std::fmt::Display| DigestError::Damaged(error.to_string());
    match serde_json::from_slice::<Kept>(&text) {
        Ok(Kept { format: DIGEST_FORMAT, ranks }) => match ranks.iter().find_map(wrong) {
            Some(wrong) => Err(damaged(&wrong)),
            None => Ok(ranks),
        },
        Ok(Kept { format, .. }) => Err(DigestError::Format { found: format }),
        // What is of another format need not be readable.
        Err(error) => match serde_json::from_slice::<Header>(&text) {
            Ok(Header { format }) if format != DIGEST_FORMAT => Err(DigestError::Format { found: format }),
            Ok(_) | Err(_) => Err(damaged(&error)),
        },
    }
}

/// What a file unpacks to. Unpacking ends where there is too much of it.
fn unpacked(packed: &[u8], memory: &Memory) -> Result<Vec<u8>, DigestError> {
    let mut room = DIGEST_BYTES.room(packed.len(), memory.bytes());
    let (mut text, mut packed) = (Vec::new(), GzDecoder::new(packed));
    loop {
        let read = (&mut packed).take(UNPACKED_AT_ONCE).read_to_end(&mut text);
        let read = read.map_err(|error| DigestError::Damaged(error.to_string()))?;
        room.take(read).map_err(DigestError::TooMuch)?;
        if read == 0 {
            return Ok(text);
        }
    }
}

/// What of two captures is the same.
#[must_use]
pub fn same_capture(one: &[RankDigest], other: &[RankDigest]) -> SameCapture {
    let who = |a: &RankDigest, b: &RankDigest| {
        // A copy may have another name, and who adds it again may say its rank or not.
        let named = RankIdentity { file: b.who.file.clone(), given_rank: b.who.given_rank, ..a.who.clone() };
        named == b.who
    };
    let pairs = || one.iter().zip(other);
    if one.len() != other.len() || !pairs().all(|(a, b)| who(a, b)) {
        return SameCapture::No;
    }
    if pairs().all(|(a, b)| has_same_work(a, b)) { SameCapture::Whole } else { SameCapture::Capture }
}

/// Whether a rank is one of a capture, whatever part of either was read.
#[must_use]
pub fn has_rank(capture: &[RankDigest], rank: &RankIdentity) -> bool {
    capture.iter().any(|digest| {
        let read = RankIdentity {
            file: rank.file.clone(),
            given_rank: rank.given_rank,
            span: rank.span,
            ranks_of_capture: rank.ranks_of_capture,
            is_cut: rank.is_cut,
            ..digest.who.clone()
        };
        read == *rank
    })
}

fn has_same_work(a: &RankDigest, b: &RankDigest) -> bool {
    let RankDigest {
        who: _,
        iterations,
        channels,
        names,
        collectives,
        gates,
        cuts,
        pieces,
        kernels,
        kernel_sums,
        ops,
        op_sums,
    } = a;
    *iterations == b.iterations
        && *channels == b.channels
        && *names == b.names
        && *collectives == b.collectives
        && *gates == b.gates
        && *cuts == b.cuts
        && *pieces == b.pieces
        && *kernels == b.kernels
        && *kernel_sums == b.kernel_sums
        && *ops == b.ops
        && *op_sums == b.op_sums
}

/// Whether what was read are digests that a job can be made of.
pub(crate) fn are_sound(ranks: &[RankDigest]) -> bool {
    !ranks.iter().any(|rank| wrong(rank).is_some())
}

/// What is wrong with a digest: places that are none, or times that do not add up. Whatever is made of digests relies on them.
fn wrong(digest: &RankDigest) -> Option<&'static str> {
    let is_place = |at: u32, of: usize| usize::try_from(at).is_ok_and(|at| at < of);
    let is_place_or_none = |at: Option<u32>, of: usize| at.is_none_or(|at| is_place(at, of));
    let count = digest.collectives.len();
    let of_collective = |one: &RankCollective| {
        is_place(one.channel, digest.channels.len())
            && is_place(one.name, digest.names.len())
            && is_place_or_none(one.iteration, digest.iterations.len())
            && is_place_or_none(one.before, count)
    };
    let of_sums = |sums: &[WorkSum], keys: usize| {
        sums.iter().all(|sum| is_place(sum.piece, digest.pieces.len()) && is_place(sum.what, keys))
    };
    if !digest.collectives.iter().all(of_collective)
        || !digest.gates.iter().all(|gate| is_place(gate.opener, count))
        || !of_sums(&digest.kernel_sums, digest.kernels.len())
        || !of_sums(&digest.op_sums, digest.ops.len())
    {
        return Some("a place is beyond its list");
    }
    if !digest.cuts.is_sorted_by(|a, b| a < b) || digest.pieces.len() != digest.cuts.len().saturating_sub(1) {
        return Some("pieces do not follow each other");
    }
    let spans =
        digest.collectives.iter().map(|one| one.span).chain(digest.gates.iter().map(|gate| gate.span));
    let mut spans = spans.chain(digest.iterations.iter().map(|one| one.span)).chain([digest.who.span]);
    if spans.any(|span| span.start > span.end) {
        return Some("a span ends before it begins");
    }
    (sum_of_times(digest) > LARGEST_SUM).then_some("times are too great")
}

/// All times together, as far as their sum can be said.
fn sum_of_times(digest: &RankDigest) -> Ns {
    let of_span = |span: Span| [span.start, span.end];
    let spans = digest.iterations.iter().map(|one| one.span).chain(digest.gates.iter().map(|gate| gate.span));
    let lengths = spans.map(Span::length).chain(digest.collectives.iter().map(|one| one.span.length()));
    let of_piece = |piece: &PieceSums| row_of_piece(piece).into_iter();
    let sums = digest.kernel_sums.iter().chain(&digest.op_sums).map(|sum| sum.time_ns);
    let times = digest.collectives.iter().flat_map(|one| [one.call, one.ready, one.span.start, one.span.end]);
    let largest = times.chain(digest.cuts.iter().copied()).chain(of_span(digest.who.span));
    let largest = largest.chain(digest.iterations.iter().flat_map(|one| of_span(one.span)));
    let largest = largest.map(Ns::saturating_abs).max().unwrap_or(0);
    let all = lengths.chain(digest.pieces.iter().flat_map(of_piece)).chain(sums).chain([largest]);
    all.fold(0, |sum, time| sum.saturating_add(time.saturating_abs()))
}

fn row_of_piece(piece: &PieceSums) -> [Ns; 8] {
    let PieceSums {
        compute_ns,
        exposed_ns,
        exchange_idle_ns,
        copy_ns,
        input_ns,
        cpu_ns,
        sync_ns,
        communication_ns,
    } = *piece;
    [compute_ns, exposed_ns, exchange_idle_ns, copy_ns, input_ns, cpu_ns, sync_ns, communication_ns]
}

impl Serialize for RankCollective {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { span, call, iteration, kind, bytes, channel, name, grid_x, ready, before } = self;
        ([span.start, span.end], call, iteration, kind, bytes, channel, name, grid_x, ready, before)
            .serialize(to)
    }
}

impl Serialize for Gate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { span, opener } = self;
        ([span.start, span.end], opener).serialize(to)
    }
}

impl Serialize for PieceSums {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        row_of_piece(self).serialize(to)
    }
}

impl Serialize for WorkSum {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { piece, what, count, time_ns } = self;
        (piece, what, count, time_ns).serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blanks are JSON too, and pack to a thousandth.
    #[test]
    fn unpacking_ends_where_digests_would() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = |bytes: usize, memory: &Memory| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(&vec![b' '; bytes]).expect("bytes");
            std::fs::write(folder.path().join(DIGEST_FILE), packed.finish().expect("bytes")).expect("a file");
            read_digests(folder.path(), memory).expect_err("no digests").to_string()
        };
        let memory = Memory::unlimited();
        assert!(refused(4 << 20, &memory).contains("damaged"), "blanks hold no digests");
        let said = refused(DIGEST_BYTES.most + 1, &memory);
        assert!(said.contains("the digests of a capture of a lake, unpacked: more than 32 MiB"), "{said}");
        let said = refused(4 << 20, &Memory::within(2 << 20));
        assert!(said.contains("more than 2 MiB within 2 MiB of memory"), "{said}");
    }
}
