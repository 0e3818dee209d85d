//! Numbers and names as people read them, in text, PDF and HTML. Data files carry plain nanoseconds instead.

pub use crate::column_text::ColumnText;
pub(crate) use crate::column_text::UNKNOWN_CELL;
use dlprof_core::Sentence;
pub use dlprof_core::TimeUnit;
pub(crate) use dlprof_core::time_in_words as time;
use std::io::{self, Write};

/// A time in nanoseconds with three digits and its unit: `509 ms`, `49.1 ms`.
pub(crate) fn short_time(ns: f64, unit: TimeUnit) -> String {
    let unit = unit.fitting(ns);
    let size = ns / unit.size_ns();
    let decimals = match size.abs() {
        _ if unit == TimeUnit::Ns => 0,
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    format!("{} {}", grouped(&format!("{size:.decimals$}")), unit.symbol())
}

/// The deviation after a mean, with the digits that the mean has in its unit: ` ± 45` of 509 ms. Where these are all 0, in a unit of its own.
pub(crate) fn deviation(mean_ns: f64, deviation_ns: f64, unit: TimeUnit) -> String {
    let unit = unit.fitting(mean_ns);
    let mean = short_time(mean_ns, unit);
    let decimals = mean.split(' ').next().and_then(|number| number.split('.').nth(1)).map_or(0, str::len);
    let same_unit = format!("{:.decimals$}", deviation_ns / unit.size_ns());
    let says_nothing = deviation_ns > 0.0 && !same_unit.contains(|c: char| ('1'..='9').contains(&c));
    let shown = if says_nothing { short_time(deviation_ns, TimeUnit::Auto) } else { grouped(&same_unit) };
    format!(" ± {shown}")
}

/// A sentence of a finding with its times in a unit.
#[must_use]
pub fn sentence(sentence: &Sentence, unit: TimeUnit) -> String {
    sentence.text(|ns| time(ns, unit))
}

/// A share in percent.
#[must_use]
pub(crate) fn percentage(value: f64) -> String {
    format!("{value:.1} %")
}

/// Whether a character changes how others are shown: control characters, ends of lines and paragraphs, those that change the
/// direction of writing, and the two that no text may have.
#[must_use]
pub(crate) fn changes_others(c: char) -> bool {
    let is_turning =
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_turning || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

/// A text without the characters that change how the rest is shown.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if changes_others(c) { ' ' } else { c }).collect()
}

/// As [`plain`], for a text of several lines.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    text.chars().map(|c| if c != '\n' && changes_others(c) { ' ' } else { c }).collect()
}

/// Bytes of text on their way to a terminal, which would obey characters in them: those become spaces, line by line.
pub struct PlainLines<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> PlainLines<W> {
    /// In front of a terminal.
    pub fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = plain_lines(&String::from_utf8_lossy(&self.line));
        self.line.clear();
        self.out.write_all(line.as_bytes())
    }
}

impl<W: Write> Write for PlainLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.write_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }
}

/// A count per iteration: whole where it is large or whole.
pub(crate) fn counted(number: f64) -> String {
    let is_whole = (number - number.round()).abs() < 1e-9 || number >= 100.0;
    grouped(&if is_whole { format!("{number:.0}") } else { format!("{number:.1}") })
}

/// A number with a comma before every three digits of its whole part.
pub(crate) fn grouped(number: &str) -> String {
    let (sign, rest) = number.split_at(usize::from(number.starts_with('-')));
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut text = sign.to_owned();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_adapt() {
        let auto = |ns| time(ns, TimeUnit::Auto);
        assert_eq!(auto(999.0), "999 ns");
        assert_eq!(auto(12_345.0), "12.345 µs");
        assert_eq!(auto(12_345_678.0), "12.346 ms");
        assert_eq!(auto(2_840_562_182.0), "2.841 s");
        assert_eq!(time(1_500_000.0, TimeUnit::S), "0.002 s");
    }

    #[test]
    fn deviations_have_the_digits_of_their_mean() {
        let beside = |mean, ns| deviation(mean, ns, TimeUnit::Auto);
        assert_eq!(beside(508_954_000.0, 44_878_000.0), " ± 45");
        assert_eq!(beside(41_180_000.0, 2_200_000.0), " ± 2.2");
        assert_eq!(beside(841_000_000.0, 240_000.0), " ± 240 µs");
        assert_eq!(beside(508_954_000.0, 0.0), " ± 0");
        // 1.01 s, and 1,006 ms.
        assert_eq!(beside(1_006_000_000.0, 64_700_000.0), " ± 0.06");
        assert_eq!(deviation(1_006_000_000.0, 64_700_000.0, TimeUnit::Ms), " ± 65");
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.890", "-1,234,567.890"),
            ("-100", "-100"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
