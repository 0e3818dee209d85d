//! Amounts of operations and bytes as people read them: three digits and a prefix.

use crate::display::grouped;

/// Prefixes from 10⁻³ to 10¹⁸.
const PREFIXES: [&str; 8] = ["m", "", "k", "M", "G", "T", "P", "E"];

/// An amount with its unit: `19.5 TFLOP/s`.
pub(super) fn amount(value: f64, unit: &str) -> String {
    if !(value.is_finite() && value > 0.0) {
        return format!("0 {unit}");
    }
    let (mut scaled, mut at) = (value, 1);
    // What would be shown as 1000 has the next prefix.
    while scaled >= 999.5 && at + 1 < PREFIXES.len() {
        scaled /= 1000.0;
        at += 1;
    }
    if scaled < 0.9995 && at == 1 {
        scaled *= 1000.0;
        at = 0;
    }
    format!("{} {}{unit}", three_digits(scaled), PREFIXES[at])
}

/// A number with three digits: `0.0834`, `12.5`, `1,230`.
pub(super) fn three_digits(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ if size >= 0.09995 => 3,
        _ if size >= 0.009_995 => 4,
        _ if size > 0.0 => return format!("{value:.2e}"),
        _ => return "0".to_owned(),
    };
    grouped(&format!("{value:.decimals$}"))
}

/// A power of ten of an axis: `0.01`, `1`, `100`, `10⁴`.
pub(super) fn power(exponent: i32) -> String {
    match exponent {
        0..=3 => grouped(&format!("{:.0}", 10_f64.powi(exponent))),
        -3..0 => format!("{:.*}", exponent.unsigned_abs() as usize, 10_f64.powi(exponent)),
        _ => format!("1e{exponent}"),
    }
}

/// A power of ten with its unit: `10 TFLOP/s`.
pub(super) fn power_of(exponent: i32, unit: &str) -> String {
    let group = exponent.div_euclid(3);
    let digits = ["1", "10", "100"][exponent.rem_euclid(3) as usize];
    match usize::try_from(group + 1).ok().and_then(|at| PREFIXES.get(at)) {
        Some(prefix) => format!("{digits} {prefix}{unit}"),
        None => format!("1e{exponent} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits_and_a_prefix() {
        let cases = [
            (19.5e12, "19.5 TFLOP/s"),
            (1.556e12, "1.56 TFLOP/s"),
            (999.9e9, "1.00 TFLOP/s"),
            (999.4e9, "999 GFLOP/s"),
            (1.0, "1.00 FLOP/s"),
            (0.5, "500 mFLOP/s"),
            (0.0, "0 FLOP/s"),
            (f64::NAN, "0 FLOP/s"),
        ];
        for (value, expected) in cases {
            assert_eq!(amount(value, "FLOP/s"), expected, "{value}");
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let cases = [(0.083_41, "0.0834"), (12.48, "12.5"), (1234.0, "1,234"), (9.996, "10.0"), (0.0, "0")];
        for (value, expected) in cases {
            assert_eq!(three_digits(value), expected, "{value}");
        }
        assert_eq!(three_digits(0.000_123), "1.23e-4");
    }

    #[test]
    fn powers_of_ten_are_ticks() {
        assert_eq!([-2, 0, 2, 3, 4].map(power), ["0.01", "1", "100", "1,000", "1e4"]);
        assert_eq!(
            [9, 13, 14].map(|exponent| power_of(exponent, "FLOP/s")),
            ["1 GFLOP/s", "10 TFLOP/s", "100 TFLOP/s"]
        );
        assert_eq!([-1, -4, 30].map(|exponent| power_of(exponent, "F")), ["100 mF", "1e-4 F", "1e30 F"]);
    }
}
