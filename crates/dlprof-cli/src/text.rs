//! Numbers and names as texts for people.

use crate::args::TimeUnit;
use dlprof_core::ratios::to_f64;
use dlprof_core::time::Ns;
use dlprof_export::display;
pub(crate) use dlprof_export::display::{percentage, plain};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A time with its unit, three or four significant digits.
pub(crate) fn time(ns: Ns, unit: TimeUnit) -> String {
    fraction_of_time(to_f64(ns), unit)
}

/// A time that need not be whole nanoseconds.
pub(crate) fn fraction_of_time(ns: f64, unit: TimeUnit) -> String {
    display::time(ns, unit.into())
}

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// A text of at most `columns`, shortened in the middle: the start says where, the end what.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    let text = plain(text);
    if width(&text) <= columns {
        return text;
    }
    let room = columns.saturating_sub(1);
    let head = take_columns(text.chars(), room / 3);
    let tail = take_columns(text.chars().rev(), room - width(&head));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

fn take_columns(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    chars.take_while(fits).collect()
}

/// A text padded with spaces to `columns`.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text filled up with spaces in front.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Wraps a text at spaces into lines of at most `columns`.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_adapt() {
        let auto = |ns| time(ns, TimeUnit::Auto);
        assert_eq!(auto(999), "999 ns");
        assert_eq!(auto(12_345), "12.345 µs");
        assert_eq!(auto(12_345_678), "12.346 ms");
        assert_eq!(auto(2_840_562_182), "2.841 s");
        assert_eq!(time(1_500_000, TimeUnit::S), "0.002 s");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("short", 10), "short");
        assert_eq!(shorten("/module/net/forward/conv2d", 13), "/mod…d/conv2d");
        assert!(width(&shorten("模块模块模块模块", 7)) <= 7);
        assert_eq!(shorten("a\nb", 5), "a b");
    }
}
