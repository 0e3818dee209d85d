//! Numbers as texts for people.

use crate::runs::metrics::RunUnit;

/// A number with its unit.
pub fn amount(value: f64, unit: RunUnit) -> String {
    match unit {
        RunUnit::Ns => time(value),
        RunUnit::Percent => format!("{value:.2} %"),
        RunUnit::Count => number(value),
    }
}

/// A change with its sign and unit; changes of percentages are in percentage points.
pub fn change(value: f64, unit: RunUnit) -> String {
    let sign = sign(value);
    match unit {
        RunUnit::Percent => format!("{sign}{:.2} points", value.abs()),
        unit => format!("{sign}{}", amount(value.abs(), unit)),
    }
}

/// A change in percent with its sign.
pub fn signed_percent(value: f64) -> String {
    if value > MOST_PERCENT {
        return format!("over +{MOST_PERCENT} %");
    }
    format!("{}{} %", sign(value), digits(value.abs()))
}

/// A greater change in percent says no more than this.
const MOST_PERCENT: f64 = 9_999.0;

/// A percentage.
pub fn percent(value: f64) -> String {
    format!("{} %", digits(value))
}

/// A part of a whole in percent, or the part itself if there is no whole.
pub(crate) fn percent_of(part: f64, whole: f64) -> String {
    if whole == 0.0 { number(part) } else { percent(part / whole.abs() * 100.0) }
}

/// A p-value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

/// A p-value as it is written after the letter p.
pub(crate) fn p_bound(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("= {p:.3}") }
}

fn sign(value: f64) -> &'static str {
    match value {
        value if value > 0.0 => "+",
        value if value < 0.0 => "−",
        _ => "±",
    }
}

fn digits(value: f64) -> String {
    match value.abs() {
        magnitude if magnitude >= 100.0 => format!("{value:.0}"),
        magnitude if magnitude >= 9.95 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.005 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// A time in the unit that fits it.
fn time(ns: f64) -> String {
    match ns.abs() {
        magnitude if magnitude < 999.5 => format!("{ns:.0} ns"),
        magnitude if magnitude < 999.5e3 => format!("{:.2} µs", ns / 1e3),
        magnitude if magnitude < 999.5e6 => format!("{:.3} ms", ns / 1e6),
        _ => format!("{:.3} s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(amount(1_234_567.0, RunUnit::Ns), "1.235 ms");
        assert_eq!(change(-1500.0, RunUnit::Ns), "−1.50 µs");
        assert_eq!(change(2.0, RunUnit::Count), "+2");
        assert_eq!(change(-0.5, RunUnit::Percent), "−0.50 points");
        assert_eq!(signed_percent(12.345), "+12.3 %");
        assert_eq!(percent_of(5.0, 0.0), "5");
        assert_eq!(p_bound(0.0001), "< 0.001");
    }
}
