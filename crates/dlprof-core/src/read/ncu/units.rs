//! Units of cells: their base unit, and by what a value is multiplied.

/// A unit in the words of the base unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    pub(super) base: String,
    pub(super) factor: f64,
}

/// Reads a unit; what is not known stays as it is.
pub(super) fn unit(text: &str) -> Unit {
    let made = |base: &str, factor| Unit { base: base.into(), factor };
    if let Some(factor) = time(text) {
        return made("ns", factor);
    }
    if let Some(factor) = frequency(text) {
        return made("cycle/s", factor);
    }
    let (counted, by) = text.split_once('/').map_or((text, None), |(counted, by)| (counted, Some(by)));
    let (counted, mut factor) = prefixed(counted);
    let counted = match counted {
        "B" | "bytes" => "byte",
        "sectors" => "sector",
        other => other,
    };
    let Some(by) = by else { return made(counted, factor) };
    let by = match time(by) {
        Some(ns) => {
            factor *= 1e9 / ns;
            "s"
        }
        None => by,
    };
    made(&format!("{counted}/{by}"), factor)
}

/// Nanoseconds of a unit of time.
fn time(text: &str) -> Option<f64> {
    Some(match text {
        "s" | "second" => 1e9,
        "ms" | "msecond" => 1e6,
        "us" | "usecond" | "µs" => 1e3,
        "ns" | "nsecond" => 1.0,
        "ps" | "psecond" => 1e-3,
        _ => return None,
    })
}

fn frequency(text: &str) -> Option<f64> {
    let prefix = text.strip_suffix('z')?;
    match prefix.strip_suffix(['h', 'H'])? {
        "" => Some(1.0),
        "k" => None,
        prefix => thousands(prefix),
    }
}

fn thousands(prefix: &str) -> Option<f64> {
    Some(match prefix {
        "K" | "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        _ => return None,
    })
}

/// What is counted, without a prefix for thousands, and the factor of the prefix.
fn prefixed(counted: &str) -> (&str, f64) {
    const COUNTED: [&str; 9] =
        ["byte", "bit", "inst", "cycle", "thread", "warp", "sector", "request", "block"];
    let found = counted.split_at_checked(1).and_then(|(prefix, rest)| {
        let factor = thousands(prefix)?;
        let stem = rest.strip_suffix('s').unwrap_or(rest);
        let stem = if stem == "B" { "B" } else { *COUNTED.iter().find(|known| **known == stem)? };
        Some((stem, factor))
    });
    found.unwrap_or((counted, 1.0))
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn units_become_base_units() {
        for (text, base, factor) in [
            ("", "", 1.0),
            ("usecond", "ns", 1e3),
            ("second", "ns", 1e9),
            ("Kbyte", "byte", 1e3),
            ("Gbyte/second", "byte/s", 1e9),
            ("byte/nsecond", "byte/s", 1e9),
            ("Ghz", "cycle/s", 1e9),
            ("hz", "cycle/s", 1.0),
            ("cycle/nsecond", "cycle/s", 1e9),
            ("Kbyte/block", "byte/block", 1e3),
            ("sectors/req", "sector/req", 1.0),
            ("inst/cycle", "inst/cycle", 1.0),
            ("%", "%", 1.0),
            ("MB", "byte", 1e6),
            ("Kinstructions", "Kinstructions", 1.0),
        ] {
            let found = unit(text);
            assert_eq!((found.base.as_str(), found.factor), (base, factor), "{text}");
        }
    }
}
