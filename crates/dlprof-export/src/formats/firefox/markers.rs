//! The pieces of a track as markers.

use super::milliseconds;
use super::texts::TextList;
use crate::formats::trace::details::Details;
use crate::formats::trace::event::Values;
use dlprof_core::{Ns, Recorder, TrackPiece, Tracks};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What a marker with a start and an end is called in the format.
const INTERVAL: u8 = 1;

/// Writes the table of markers, a list per column.
pub(super) fn write(
    tracks: &Tracks<'_>,
    details: &Details<'_>,
    pieces: &[TrackPiece],
    origin: Ns,
    texts: &mut TextList,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut data = Vec::new();
    write!(out, "{{\"data\":[")?;
    for (at, piece) in pieces.iter().enumerate() {
        data.clear();
        data.extend_from_slice(if at == 0 { b"{" } else { b",\n{" });
        let mut values = Values::of(&mut data);
        values.text("type", tracks.kind(piece))?;
        details.write(piece, &mut values)?;
        data.push(b'}');
        out.write_all(&data)?;
    }
    let names = pieces.iter().map(|piece| texts.place(&tracks.name(piece)).to_string());
    column("name", names, out)?;
    column("startTime", pieces.iter().map(|piece| milliseconds(piece.span.start - origin)), out)?;
    column("endTime", pieces.iter().map(|piece| milliseconds(piece.span.end - origin)), out)?;
    column("phase", pieces.iter().map(|_| INTERVAL.to_string()), out)?;
    column("category", pieces.iter().map(|piece| category(tracks.kind(piece)).to_string()), out)?;
    write!(out, "],\"length\":{}}}", pieces.len())
}

/// Ends the list before and writes another one.
fn column(name: &str, cells: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "],\n\"{name}\":[")?;
    for (at, cell) in cells.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}{cell}")?;
    }
    Ok(())
}

/// What a marker says: key, title and how the site shows it.
type Field = (&'static str, &'static str, &'static str);

/// The kinds of pieces, each with the colour of its category and what its markers say.
const KINDS: [(&str, &str, &[Field]); 10] = [
    ("iteration", "purple", &[("iteration", "Iteration", "integer"), ("clock", "Clock", "string")]),
    ("op", "blue", &OP),
    ("range", "lightblue", &[]),
    ("api", "orange", &[]),
    ("mpi", "magenta", &[]),
    ("os", "darkgrey", &[]),
    ("profiler", "red", &[]),
    ("kernel", "green", &KERNEL),
    ("copy", "yellow", &TRANSFER),
    ("memset", "brown", &TRANSFER),
];

const OP: [Field; 7] = [
    ("op", "Op", "string"),
    ("op_id", "Op ID", "string"),
    ("op_type", "Op type", "string"),
    ("direction", "Direction", "string"),
    ("data_type", "Data type", "string"),
    ("tc_eligible", "TC eligible", "string"),
    ("iteration", "Iteration", "integer"),
];

const KERNEL: [Field; 12] = [
    ("op", "Op", "string"),
    ("op_id", "Op ID", "string"),
    ("long_kernel_name", "Long kernel name", "string"),
    ("grid", "Grid", "list"),
    ("block", "Block", "list"),
    ("registers_per_thread", "Registers per thread", "integer"),
    ("static_shared_bytes", "Static shared memory", "bytes"),
    ("dynamic_shared_bytes", "Dynamic shared memory", "bytes"),
    ("tensor_cores", "Tensor Cores", "string"),
    ("tc_eligible", "TC eligible", "string"),
    ("graph", "CUDA graph", "string"),
    ("iteration", "Iteration", "integer"),
];

const TRANSFER: [Field; 6] = [
    ("op", "Op", "string"),
    ("op_id", "Op ID", "string"),
    ("bytes", "Size", "bytes"),
    ("from", "From", "string"),
    ("to", "To", "string"),
    ("iteration", "Iteration", "integer"),
];

/// The place of the category of a kind: after the one for everything else.
fn category(kind: &str) -> usize {
    KINDS.iter().position(|known| known.0 == kind).map_or(0, |place| place + 1)
}

/// A category for each kind of pieces.
pub(super) fn categories() -> Value {
    let category =
        |name: &str, color: &str| json!({ "name": name, "color": color, "subcategories": ["Other"] });
    let kinds = KINDS.iter().map(|&(name, color, _)| category(name, color));
    std::iter::once(category("Other", "grey")).chain(kinds).collect()
}

/// What markers of each kind say, and where they are shown.
pub(super) fn schemas(recorder: Recorder) -> Value {
    let schema = |&(name, _, fields): &(&str, &str, &[Field])| {
        let field = |&(key, label, format): &Field| json!({ "key": key, "label": recorder.title_in_its_words(label), "format": format });
        let has_op = fields.iter().any(|field| field.0 == "op");
        json!({
            "name": name,
            "display": ["marker-chart", "marker-table", "timeline-overview"],
            "tooltipLabel": "{marker.name}",
            "chartLabel": "{marker.name}",
            "tableLabel": if has_op { "{marker.name} – {marker.data.op}" } else { "{marker.name}" },
            "fields": fields.iter().map(field).collect::<Value>(),
        })
    };
    KINDS.iter().map(schema).collect()
}
