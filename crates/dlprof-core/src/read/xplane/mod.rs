//! XPlane profiles (`*.xplane.pb`) of JAX and TensorFlow to [`Facts`]: messages of protobuf, packed with gzip or not.
//!
//! ```text
//! planes /device:GPU:N ─► work     ┐ correlation_id
//! planes /host:…       ─► calls ───┘   + hlo_op, name: the range of an op around its call
//!                      ─► ranges, Python functions
//! ```
//!
//! Ops are read as those of XLA's ranges in exports of nsys: the text of such a range is written around each call, from what the
//! profile says of it. Lines that tools derive are left out.

mod gpus;
mod hosts;
mod plane;
#[cfg(test)]
mod tests;
mod wire;

use super::draft::Draft;
use super::file_state::FileState;
use crate::base::regular_file::open;
use crate::base::{Error, UnreadFile};
use crate::columns::Memory;
use crate::read::facts::{Facts, RecordedSource, Recorder, RecorderKind, Vendor};
use flate2::read::MultiGzDecoder;
use gpus::OpsOfCalls;
use plane::Plane;
use std::io::Read;
use std::path::Path;
use wire::{Malformed, fields};

/// Profiles that are longer, unpacked, are not read.
const MOST_BYTES: u64 = 16 << 30;

/// Reads a profile.
///
/// # Errors
/// If the file is damaged, holds no work of a GPU, or changes while it is read; see [`Error`].
pub(super) fn read_profile(path: &Path, memory: &Memory) -> Result<Facts, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let before = FileState::of(path).map_err(unreadable)?;
    let mut file = open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    match before.start.starts_with(&[0x1f, 0x8b]) {
        true => MultiGzDecoder::new(file).take(MOST_BYTES).read_to_end(&mut bytes).map(drop),
        false => {
            bytes.reserve_exact(usize::try_from(before.size_bytes.min(MOST_BYTES)).unwrap_or(0));
            (&mut file).take(MOST_BYTES).read_to_end(&mut bytes).map(drop)
        }
    }
    .map_err(unreadable)?;
    let draft = draft_of(path, before.size_bytes, &bytes, memory);
    // What was read makes room for what is made of it.
    drop(bytes);
    match FileState::of(path) {
        Ok(now) if now == before => draft?.finish(path),
        Ok(_) | Err(_) => Err(Error::ChangedWhileRead { path: path.into() }),
    }
}

/// What the bytes of a profile say.
fn draft_of<'m>(path: &Path, size_bytes: u64, bytes: &[u8], memory: &'m Memory) -> Result<Draft<'m>, Error> {
    let damaged = |Malformed| Error::DamagedProfile { path: path.into() };
    let planes = planes(bytes).map_err(damaged)?;
    let mut draft = Draft::new(memory);
    let vendor = fill(&planes, &mut draft).map_err(damaged)?;
    if draft.has_no_work() {
        let found = without_work(&planes).map_err(damaged)?;
        return Err(Error::Unread { path: path.into(), found });
    }
    let began = planes.iter().find_map(|plane| plane.about.began_ns);
    draft.about.source =
        RecordedSource { path: path.into(), size_bytes, captured_ns: began, ..RecordedSource::default() };
    draft.about.system.framework = Some("XLA".into());
    draft.about.recorder = Recorder { kind: RecorderKind::Xla, vendor };
    draft.about.notes.nvtx_traced = Some(true);
    Ok(draft)
}

fn planes(bytes: &[u8]) -> Result<Vec<Plane<'_>>, Malformed> {
    let mut planes = Vec::new();
    for field in fields(bytes) {
        if let (1, plane) = field? {
            planes.push(Plane::read(plane.bytes())?);
        }
    }
    Ok(planes)
}

/// Fills a draft with the events of all planes: GPUs first, because what their work says of its op may be missing at its call.
/// Returns who makes the GPUs.
fn fill(planes: &[Plane<'_>], draft: &mut Draft<'_>) -> Result<Vendor, Malformed> {
    let process = draft.add_process(1, None);
    let mut ops = OpsOfCalls::new();
    let mut vendor = Vendor::Unknown;
    for plane in planes {
        if let Some(number) = gpus::number(&plane.name) {
            vendor = gpus::read(plane, number, process, draft, &mut ops)?.unwrap_or(vendor);
        }
    }
    for plane in planes.iter().filter(|plane| hosts::is_host(&plane.name)) {
        hosts::read(plane, process, &mut ops, draft)?;
    }
    Ok(vendor)
}

/// What a profile is that has no work of a GPU.
fn without_work(planes: &[Plane<'_>]) -> Result<UnreadFile, Malformed> {
    let mut steps = 0;
    for plane in planes {
        steps += plane.steps()? + hosts::steps(plane)?;
    }
    let named = |part: &str| planes.iter().any(|plane| plane.name.starts_with(part));
    let (found, several, hint) = if named("/device:TPU:") {
        (
            format!("an XPlane profile of a TPU with {steps} steps, and no GPU work"),
            "XPlane profiles without GPU work",
            "XProf shows it: `pip install xprof`, `xprof --logdir LOGDIR`",
        )
    } else if planes.iter().any(|plane| gpus::number(&plane.name).is_some()) {
        (
            "an XPlane profile in which no kernel was recorded".to_owned(),
            "XPlane profiles without GPU work",
            "record at least one whole step (`with jax.profiler.trace(\"logs\"):`), where the process may trace its GPUs",
        )
    } else {
        (
            format!("an XPlane profile of a run on the CPU: no GPU was used ({steps} steps)"),
            "XPlane profiles without GPU work",
            "run on a GPU: `jax.devices()` lists what JAX uses",
        )
    };
    Ok(UnreadFile { found, several, hint: Some(hint.into()), is_nsys_report: false })
}
