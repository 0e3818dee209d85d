//! Points and roofs as comma-separated values, for other programs.

use super::RooflineFigure;
use std::io::{self, Write};

/// Columns: what a row is, then figures in base units; empty is unknown.
const TITLES: [&str; 11] = [
    "kind",
    "name",
    "level",
    "flop_per_byte",
    "flop_per_s",
    "bytes_per_s",
    "time_ns",
    "time_percent",
    "bound",
    "dram_percent",
    "exact",
];

/// A row; what is empty does not belong to its kind, or is unknown.
#[derive(Default)]
struct Row<'a> {
    kind: &'static str,
    name: &'a str,
    level: &'static str,
    flop_per_byte: Option<f64>,
    flop_per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    time_ns: Option<f64>,
    time_percent: Option<f64>,
    bound: &'static str,
    dram_percent: Option<f64>,
    is_exact: Option<bool>,
}

impl Row<'_> {
    fn cells(&self) -> [String; TITLES.len()] {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        [
            self.kind.to_owned(),
            self.name.to_owned(),
            self.level.to_owned(),
            number(self.flop_per_byte),
            number(self.flop_per_s),
            number(self.bytes_per_s),
            number(self.time_ns),
            number(self.time_percent),
            self.bound.to_owned(),
            number(self.dram_percent),
            self.is_exact.map(|is_exact| is_exact.to_string()).unwrap_or_default(),
        ]
    }
}

/// Writes points, kernels without FLOP or bytes (`aside`), roofs and ridges, one a row.
///
/// # Errors
/// Only those of writing.
pub fn write_csv(figure: &RooflineFigure, out: &mut dyn Write) -> io::Result<()> {
    let roofline = &figure.roofline;
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(TITLES)?;
    let points = roofline.points.iter().map(|point| Row {
        kind: "point",
        name: &point.name,
        level: point.level.as_str(),
        flop_per_byte: Some(point.flop_per_byte),
        flop_per_s: Some(point.flop_per_s),
        bytes_per_s: None,
        time_ns: Some(point.time_ns),
        time_percent: Some(point.time_percent),
        bound: point.bound,
        dram_percent: point.dram_percent,
        is_exact: Some(point.is_exact),
    });
    let aside = roofline.strip.iter().map(|point| Row {
        kind: "aside",
        name: &point.name,
        flop_per_s: (!point.has_flop).then_some(0.0),
        time_ns: Some(point.time_ns),
        time_percent: Some(point.time_percent),
        bound: point.bound,
        dram_percent: point.dram_percent,
        is_exact: Some(point.is_exact),
        ..Row::default()
    });
    let sloped = roofline.sloped.iter().map(|roof| Row {
        kind: "roof",
        name: roof.level.as_str(),
        level: roof.level.as_str(),
        bytes_per_s: Some(roof.bytes_per_s),
        ..Row::default()
    });
    let flat = roofline.flat.iter().map(|roof| Row {
        kind: "roof",
        name: &roof.name,
        flop_per_s: Some(roof.flop_per_s),
        ..Row::default()
    });
    let ridges = roofline.ridges.iter().map(|ridge| Row {
        kind: "ridge",
        name: &ridge.name,
        flop_per_byte: Some(ridge.flop_per_byte),
        flop_per_s: Some(ridge.flop_per_s),
        ..Row::default()
    });
    for row in points.chain(aside).chain(sloped).chain(flat).chain(ridges) {
        writer.write_record(row.cells())?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::super::tests::figure;
    use super::*;

    #[test]
    fn points_and_roofs_are_rows() {
        let mut bytes = Vec::new();
        write_csv(&figure(), &mut bytes).expect("memory takes all");
        let text = String::from_utf8(bytes).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], TITLES.join(","));
        assert!(lines[1].starts_with("point,\"void gemm<float, 4>(float const*)\",dram,10,1"), "{text}");
        let kinds: Vec<&str> = lines[1..].iter().filter_map(|line| line.split(',').next()).collect();
        assert_eq!(kinds, ["point", "point", "aside", "roof", "roof", "roof", "ridge", "ridge"]);
        assert!(text.contains("roof,dram,dram,,,1000000000000,,,,,\n"), "{text}");
    }
}
