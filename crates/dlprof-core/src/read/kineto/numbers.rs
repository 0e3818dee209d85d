//! Numbers, read from their digits. Times of 2024 have nineteen digits before the point: a float would be off by 250 ns and move
//! launches into the wrong op.

use crate::base::time::Ns;
use serde_json::Value;

/// A whole number, also as a text.
pub(super) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// A token without the quotes around it, if it has any.
#[inline]
pub(super) fn unquoted(token: &[u8]) -> &[u8] {
    token.strip_prefix(b"\"").and_then(|token| token.strip_suffix(b"\"")).unwrap_or(token).trim_ascii()
}

/// Microseconds as they stand in the text, in nanoseconds, rounded to the nearest. `None` if they are not a number, or too large
/// for 64 bits.
#[inline]
pub(super) fn nanoseconds(token: &[u8]) -> Option<Ns> {
    plain_nanoseconds(token).or_else(|| scaled(unquoted(token), 3))
}

/// Up to fifteen digits and at most three decimals, as most writers write them.
#[inline]
fn plain_nanoseconds(token: &[u8]) -> Option<Ns> {
    const MOST_DIGITS: usize = 15;
    let (mut value, mut at) = (0_i64, 0);
    while let Some(digit) = token.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    if at == 0 || at > MOST_DIGITS {
        return None;
    }
    if at == token.len() {
        return Some(value * 1000);
    }
    let decimals = token[at..].strip_prefix(b".").filter(|decimals| (1..=3).contains(&decimals.len()))?;
    let mut weight = 100;
    value *= 1000;
    for digit in decimals {
        if !digit.is_ascii_digit() {
            return None;
        }
        value += i64::from(digit - b'0') * weight;
        weight /= 10;
    }
    Some(value)
}

/// A whole number, also as a text, and with zeros after the point. `None` if it is not one, or too large for 64 bits.
#[inline]
pub(super) fn integer(token: &[u8]) -> Option<i64> {
    let token = unquoted(token);
    let (digits, is_negative) = match token.strip_prefix(b"-") {
        Some(digits) => (digits, true),
        None => (token, false),
    };
    let mut value = 0_i64;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            let zeros = digits[at..].strip_prefix(b".").filter(|_| at > 0)?;
            return zeros.iter().all(|&zero| zero == b'0').then_some(if is_negative {
                -value
            } else {
                value
            });
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    if digits.is_empty() { None } else { Some(if is_negative { -value } else { value }) }
}

/// A decimal number times a power of ten, rounded to the nearest, halves away from zero.
fn scaled(token: &[u8], power: i64) -> Option<i64> {
    /// More digits than a number of 64 bits has, with room to multiply by ten.
    const MOST_DIGITS: usize = 36;
    let (digits, is_negative) = match token.strip_prefix(b"-") {
        Some(digits) => (digits, true),
        None => (token.strip_prefix(b"+").unwrap_or(token), false),
    };
    let (digits, exponent) = match digits.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => {
            let exponent = &digits[at + 1..];
            (&digits[..at], integer(exponent.strip_prefix(b"+").unwrap_or(exponent))?)
        }
        None => (digits, 0),
    };
    let (mut value, mut known, mut behind_point, mut dropped) = (0_i128, 0, 0_i64, 0_i64);
    let (mut is_behind, mut has_digits) = (false, false);
    for &byte in digits {
        match byte {
            b'.' if !is_behind => is_behind = true,
            b'0'..=b'9' => {
                has_digits = true;
                if known < MOST_DIGITS {
                    value = value * 10 + i128::from(byte - b'0');
                    known += usize::from(value != 0);
                    behind_point += i64::from(is_behind);
                } else {
                    // Digits so far after do not change a number that fits.
                    dropped += i64::from(!is_behind);
                }
            }
            _ => return None,
        }
    }
    if !has_digits {
        return None;
    }
    let power = power.checked_add(exponent)?.checked_sub(behind_point)?.checked_add(dropped)?;
    let value = if value == 0 { 0 } else { times_power(value, power)? };
    i64::try_from(if is_negative { -value } else { value }).ok()
}

fn times_power(value: i128, power: i64) -> Option<i128> {
    match u32::try_from(power) {
        Ok(power) => value.checked_mul(10_i128.checked_pow(power)?),
        Err(_) => {
            let Some(divisor) = u32::try_from(-power).ok().and_then(|power| 10_i128.checked_pow(power))
            else {
                return Some(0);
            };
            Some(value / divisor + i128::from(value % divisor >= divisor - divisor / 2))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_read_to_the_nanosecond() {
        let cases = [
            ("0", Some(0)),
            ("12", Some(12_000)),
            ("12.0", Some(12_000)),
            ("1.5", Some(1_500)),
            ("7.899", Some(7_899)),
            ("7.8994999", Some(7_899)),
            ("7.8995", Some(7_900)),
            ("1712170304123456.789", Some(1_712_170_304_123_456_789)),
            ("\"1712170304123456.789\"", Some(1_712_170_304_123_456_789)),
            ("1712170304123456.7890000001", Some(1_712_170_304_123_456_789)),
            ("12e-3", Some(12)),
            ("12E+2", Some(1_200_000)),
            ("0e99999999999", Some(0)),
            ("1e-99999", Some(0)),
            ("1e99999", None),
            ("-5", Some(-5_000)),
            ("-0.0005", Some(-1)),
            ("9223372036854775.807", Some(i64::MAX)),
            ("9223372036854775.808", None),
            ("inf", None),
            ("null", None),
            ("", None),
            (".", None),
            ("1.2.3", None),
            ("1 2", None),
        ];
        for (text, expected) in cases {
            assert_eq!(nanoseconds(text.as_bytes()), expected, "{text}");
        }
        let long = format!("{}.{}", "0".repeat(100), "1".repeat(100));
        assert_eq!(nanoseconds(long.as_bytes()), Some(111));
    }

    #[test]
    fn whole_numbers_are_whole() {
        let cases = [
            ("7", Some(7)),
            ("-7", Some(-7)),
            ("\"7\"", Some(7)),
            ("7.0", Some(7)),
            ("7.5", None),
            ("9223372036854775808", None),
            ("-", None),
            ("null", None),
            ("\"\"", None),
        ];
        for (text, expected) in cases {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
    }
}
