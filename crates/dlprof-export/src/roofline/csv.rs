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

/// Writes points, kernels without FLOP or bytes (`aside`), roofs and ridges, one a row.
///
/// # Errors
/// Only those of writing.
pub fn write_csv(figure: &RooflineFigure, out: &mut dyn Write) -> io::Result<()> {
    let roofline = &figure.roofline;
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(TITLES)?;
    let number = |value: f64| value.to_string();
    let known = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let none = String::new;
    for point in &roofline.points {
        writer.write_record([
            "point".to_owned(),
            point.name.clone(),
            point.level.as_str().to_owned(),
            number(point.flop_per_byte),
            number(point.flop_per_s),
            none(),
            number(point.time_ns),
            number(point.time_percent),
            point.bound.to_owned(),
            known(point.dram_percent),
            point.is_exact.to_string(),
        ])?;
    }
    for point in &roofline.strip {
        let rate = if point.has_flop { none() } else { "0".to_owned() };
        writer.write_record([
            "aside".to_owned(),
            point.name.clone(),
            none(),
            none(),
            rate,
            none(),
            number(point.time_ns),
            number(point.time_percent),
            point.bound.to_owned(),
            known(point.dram_percent),
            point.is_exact.to_string(),
        ])?;
    }
    let mut line = |kind: &str, name: &str, level: &str, figures: [String; 3]| {
        let [x, y, bytes] = figures;
        let mut record = vec![kind.to_owned(), name.to_owned(), level.to_owned(), x, y, bytes];
        record.resize(TITLES.len(), String::new());
        writer.write_record(record)
    };
    for roof in &roofline.sloped {
        line("roof", roof.level.as_str(), roof.level.as_str(), [none(), none(), number(roof.bytes_per_s)])?;
    }
    for roof in &roofline.flat {
        line("roof", &roof.name, "", [none(), number(roof.flop_per_s), none()])?;
    }
    for ridge in &roofline.ridges {
        line("ridge", &ridge.name, "", [number(ridge.flop_per_byte), number(ridge.flop_per_s), none()])?;
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
