//! Units of numbers: `1ms`, `20 %`, `4 MiB`, `1.5GB`.

use crate::tables::table::Unit;

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Time,
    Share,
    Size,
    Bandwidth,
    Frequency,
    Rate,
    Work,
    WorkRate,
    Intensity,
}

/// Units as they are written, without case, and how many base units each is.
const UNITS: &[(&str, Measure, f64)] = &[
    ("ns", Measure::Time, 1.0),
    ("us", Measure::Time, 1e3),
    ("µs", Measure::Time, 1e3),
    ("μs", Measure::Time, 1e3),
    ("ms", Measure::Time, 1e6),
    ("s", Measure::Time, 1e9),
    ("min", Measure::Time, 60e9),
    ("%", Measure::Share, 1.0),
    ("percent", Measure::Share, 1.0),
    ("b", Measure::Size, 1.0),
    ("bytes", Measure::Size, 1.0),
    ("kb", Measure::Size, 1e3),
    ("mb", Measure::Size, 1e6),
    ("gb", Measure::Size, 1e9),
    ("tb", Measure::Size, 1e12),
    ("kib", Measure::Size, 1024.0),
    ("mib", Measure::Size, 1_048_576.0),
    ("gib", Measure::Size, 1_073_741_824.0),
    ("tib", Measure::Size, 1_099_511_627_776.0),
    ("b/s", Measure::Bandwidth, 1.0),
    ("bytes/s", Measure::Bandwidth, 1.0),
    ("kb/s", Measure::Bandwidth, 1e3),
    ("mb/s", Measure::Bandwidth, 1e6),
    ("gb/s", Measure::Bandwidth, 1e9),
    ("tb/s", Measure::Bandwidth, 1e12),
    ("mib/s", Measure::Bandwidth, 1_048_576.0),
    ("gib/s", Measure::Bandwidth, 1_073_741_824.0),
    ("hz", Measure::Frequency, 1.0),
    ("khz", Measure::Frequency, 1e3),
    ("mhz", Measure::Frequency, 1e6),
    ("ghz", Measure::Frequency, 1e9),
    ("/s", Measure::Rate, 1.0),
    ("1/s", Measure::Rate, 1.0),
    ("flop", Measure::Work, 1.0),
    ("mflop", Measure::Work, 1e6),
    ("gflop", Measure::Work, 1e9),
    ("tflop", Measure::Work, 1e12),
    ("gflop/s", Measure::WorkRate, 1e9),
    ("tflop/s", Measure::WorkRate, 1e12),
    ("pflop/s", Measure::WorkRate, 1e15),
    ("flop/byte", Measure::Intensity, 1.0),
];

/// What a column measures, and how many base units its numbers count.
fn measure(unit: Unit) -> Option<(Measure, f64)> {
    Some(match unit {
        Unit::None => return None,
        Unit::Nanoseconds => (Measure::Time, 1.0),
        Unit::Percent => (Measure::Share, 1.0),
        Unit::Bytes => (Measure::Size, 1.0),
        Unit::PerSecond => (Measure::Rate, 1.0),
        Unit::GigabytesPerSecond => (Measure::Bandwidth, 1e9),
        Unit::BytesPerSecond => (Measure::Bandwidth, 1.0),
        Unit::Hertz => (Measure::Frequency, 1.0),
        Unit::Flop => (Measure::Work, 1.0),
        Unit::TeraflopPerSecond => (Measure::WorkRate, 1e12),
        Unit::FlopPerByte => (Measure::Intensity, 1.0),
    })
}

/// Which units a column takes, for messages.
pub(super) fn fitting(unit: Unit) -> &'static str {
    match measure(unit).map(|(measure, _)| measure) {
        None => "a number without a unit",
        Some(Measure::Time) => "ns, us, ms or s, such as `1ms`",
        Some(Measure::Share) => "%, such as `20 %`",
        Some(Measure::Size) => "B, KB, MB, GB, KiB, MiB or GiB, such as `4 MiB`",
        Some(Measure::Bandwidth) => "MB/s or GB/s, such as `12 GB/s`",
        Some(Measure::Frequency) => "Hz, MHz or GHz, such as `1.4 GHz`",
        Some(Measure::Rate) => "/s, such as `500 /s`",
        Some(Measure::Work) => "FLOP, GFLOP or TFLOP, such as `2 GFLOP`",
        Some(Measure::WorkRate) => "GFLOP/s or TFLOP/s, such as `10 TFLOP/s`",
        Some(Measure::Intensity) => "FLOP/byte, such as `8 FLOP/byte`",
    }
}

/// Whether a word is a unit.
pub(super) fn is_unit(word: &str) -> bool {
    known(word).is_some()
}

fn known(word: &str) -> Option<(Measure, f64)> {
    let word = word.to_lowercase();
    UNITS.iter().find(|(name, ..)| *name == word).map(|&(_, measure, size)| (measure, size))
}

/// A number of some unit, in another unit; `None` if they measure different things, or if it is too large.
pub(super) fn in_unit(number: f64, unit: &str, wanted: Unit) -> Option<f64> {
    let (measured, size) = known(unit)?;
    let (measure, base) = measure(wanted)?;
    Some(number * size / base).filter(|number| measured == measure && number.is_finite())
}

/// A number that is whole but for the last digits, in which `0.029 ms` is not quite 29000 ns.
pub(super) fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    const ERROR: f64 = 1e-12;
    let whole = number.round();
    let is_whole = (number - whole).abs() <= whole.abs() * ERROR && whole.abs() < EXACT;
    is_whole.then(|| format!("{whole:.0}").parse().ok()).flatten()
}
