//! Numbers as the locale of the process wrote them. What is certain is read at once; where only other cells of the file can tell a
//! group from decimals, both readings differ by a factor of 1000, and the end of the file decides.

use super::NcuNumbers;

/// A number of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// The mark that stands before three digits, if it may be one of decimals after all: the value is then a thousandth.
    pub(super) doubtful_mark: Option<Mark>,
    /// Half of the last digit.
    pub(super) resolution: f64,
}

/// A mark that can stand before decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    Comma,
    Dot,
}

impl Mark {
    fn of(c: char) -> Option<Self> {
        match c {
            ',' => Some(Self::Comma),
            '.' => Some(Self::Dot),
            _ => None,
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Comma => 0,
            Self::Dot => 1,
        }
    }

    fn as_char(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Dot => '.',
        }
    }
}

/// What stands between groups of digits, or before decimals.
const MARKS: [char; 7] = ['.', ',', '\'', '’', ' ', '\u{a0}', '\u{202f}'];

/// What the cells of a file say about its marks.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Cells with the mark alone and as many digits after it as `ncu` never writes.
    foreign: [u64; 2],
    /// Which mark was first seen so.
    first_foreign: Option<Mark>,
    /// Whether a mark surely stood between groups.
    groups: [bool; 2],
    /// Cells in which it was taken for a group only by a rule.
    doubtful: [u64; 2],
    group_marks: [bool; 7],
    /// Cells in which it surely stood before decimals.
    decimals: [u64; 2],
}

impl Evidence {
    /// The mark of decimals that another program has written. A mark that surely stood between groups is none.
    pub(super) fn foreign_mark(&self) -> Option<Mark> {
        let cells = |mark: Mark| if self.groups[mark.index()] { 0 } else { self.foreign[mark.index()] };
        let (commas, dots) = (cells(Mark::Comma), cells(Mark::Dot));
        match commas.cmp(&dots) {
            std::cmp::Ordering::Equal if commas == 0 => None,
            std::cmp::Ordering::Equal => self.first_foreign,
            std::cmp::Ordering::Greater => Some(Mark::Comma),
            std::cmp::Ordering::Less => Some(Mark::Dot),
        }
    }

    /// Cells in which a mark surely stood before decimals, although it surely stood between groups in others.
    fn contradicting_cells(&self) -> u64 {
        let of = |mark: Mark| if self.groups[mark.index()] { self.decimals[mark.index()] } else { 0 };
        of(Mark::Comma) + of(Mark::Dot)
    }

    /// How the numbers of the file are written.
    pub(super) fn summary(&self) -> NcuNumbers {
        let foreign = self.foreign_mark();
        let mut groups = self.group_marks;
        let mut decimals = self.decimals.map(|cells| cells > 0);
        let mut ambiguous_cells = 0;
        for mark in [Mark::Comma, Mark::Dot] {
            let cells = self.doubtful[mark.index()];
            if cells == 0 {
                continue;
            }
            if foreign == Some(mark) {
                decimals[mark.index()] = true;
                continue;
            }
            if let Some(place) = MARKS.iter().position(|known| *known == mark.as_char()) {
                groups[place] = true;
            }
            if !self.groups[mark.index()] {
                ambiguous_cells += cells;
            }
        }
        let mut group_marks: Vec<char> =
            MARKS.iter().zip(groups).filter(|(_, found)| *found).map(|(mark, _)| *mark).collect();
        group_marks.sort_unstable();
        let decimal_marks = [Mark::Comma, Mark::Dot].into_iter().filter(|mark| decimals[mark.index()]);
        NcuNumbers {
            group_marks: group_marks.into_iter().collect(),
            decimal_marks: decimal_marks.map(Mark::as_char).collect(),
            foreign_mark: foreign.map(Mark::as_char),
            ambiguous_cells,
            contradicting_cells: self.contradicting_cells(),
        }
    }

    /// Reads a number, and takes note of its marks.
    pub(super) fn read(&mut self, text: &str) -> Option<Number> {
        if let Some(number) = self.read_plain(text) {
            return Some(number);
        }
        let parts = Parts::of(text)?;
        let [first, .., last] = parts.marks.as_slice() else {
            return match parts.marks.as_slice() {
                [] => parts.number(None, None),
                [only] => self.read_one(&parts, *only),
                _ => None,
            };
        };
        // Several marks.
        if Mark::of(*last).is_none() {
            self.note_groups(&parts.marks);
            return parts.number(None, None);
        }
        let (groups, decimal) = match parts.marks.iter().all(|mark| mark == first) {
            true => (parts.marks.as_slice(), None),
            false => (&parts.marks[..parts.marks.len() - 1], Mark::of(*last)),
        };
        self.note_groups(groups);
        if let Some(mark) = decimal {
            self.decimals[mark.index()] += 1;
        }
        parts.number(decimal, None)
    }

    /// Reads what most cells are: digits, perhaps with a point before other than three of them.
    fn read_plain(&mut self, text: &str) -> Option<Number> {
        let bytes = text.as_bytes();
        let dot = memchr::memchr(b'.', bytes);
        let (whole, decimals) = match dot {
            None => (bytes, &[][..]),
            Some(at) => (&bytes[..at], &bytes[at + 1..]),
        };
        let are_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
        let is_plain = !whole.is_empty() && are_digits(whole) && are_digits(decimals);
        if !is_plain || dot.is_some() && matches!(decimals.len(), 0 | 3) {
            return None;
        }
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        if dot.is_none() {
            return Some(Number { value, doubtful_mark: None, resolution: 0.0 });
        }
        let mark = Mark::Dot;
        if ![2, 6].contains(&decimals.len()) {
            self.foreign[mark.index()] += 1;
            self.first_foreign.get_or_insert(mark);
        }
        self.decimals[mark.index()] += 1;
        let places = i32::try_from(decimals.len()).unwrap_or(300);
        Some(Number { value, doubtful_mark: None, resolution: 0.5 * 10_f64.powi(-places.min(300)) })
    }

    fn read_one(&mut self, parts: &Parts<'_>, found: char) -> Option<Number> {
        let Some(mark) = Mark::of(found) else {
            self.note_groups(&[found]);
            return parts.number(None, None);
        };
        let (lead, digits) = parts.around_last_mark();
        if ![2, 3, 6].contains(&digits) {
            self.foreign[mark.index()] += 1;
            self.first_foreign.get_or_insert(mark);
        }
        let is_decimal = digits != 3 || lead.len() > 3 || lead == "0";
        if is_decimal {
            self.decimals[mark.index()] += 1;
            return parts.number(Some(mark), None);
        }
        self.doubtful[mark.index()] += 1;
        parts.number(None, Some(mark))
    }

    fn note_groups(&mut self, marks: &[char]) {
        for mark in marks {
            if let Some(place) = MARKS.iter().position(|known| known == mark) {
                self.group_marks[place] = true;
            }
            if let Some(mark) = Mark::of(*mark) {
                self.groups[mark.index()] = true;
            }
        }
    }
}

/// A whole number, whatever stands between its groups of digits.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    const MOST: f64 = 9e15;
    let text = text.trim();
    let grouped = || {
        let value = Evidence::default().read(text)?.value;
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        let whole = value as i64;
        (value.abs() <= MOST && value.fract() == 0.0).then_some(whole)
    };
    text.parse().ok().or_else(grouped)
}

/// The parts of a number: digits and marks, and an exponent.
struct Parts<'a> {
    is_negative: bool,
    body: &'a str,
    exponent: Option<&'a str>,
    marks: Vec<char>,
}

impl<'a> Parts<'a> {
    /// The parts of a text that is a number as a whole: it begins and ends with a digit.
    fn of(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (body, exponent) = match unsigned.find(['e', 'E']) {
            None => (unsigned, None),
            Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        };
        let is_digit = |c: Option<&u8>| c.is_some_and(u8::is_ascii_digit);
        if !is_digit(body.as_bytes().first()) || !is_digit(body.as_bytes().last()) {
            return None;
        }
        if let Some(exponent) = exponent {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
        }
        let mut marks = Vec::new();
        if !body.bytes().all(|byte| byte.is_ascii_digit()) {
            for c in body.chars().filter(|c| !c.is_ascii_digit()) {
                if !MARKS.contains(&c) {
                    return None;
                }
                marks.push(c);
            }
        }
        Some(Self { is_negative: text.starts_with('-'), body, exponent, marks })
    }

    /// The digits before the first mark, and how many there are after the last.
    fn around_last_mark(&self) -> (&'a str, usize) {
        let lead = self.body.find(MARKS).map_or(self.body, |at| &self.body[..at]);
        let digits = self.body.bytes().rev().take_while(u8::is_ascii_digit).count();
        (lead, digits)
    }

    fn number(&self, decimal: Option<Mark>, doubtful_mark: Option<Mark>) -> Option<Number> {
        let (whole, decimals) = match decimal {
            None => (self.body, ""),
            Some(mark) => self.body.rsplit_once(mark.as_char())?,
        };
        let mut text = String::with_capacity(self.body.len() + 8);
        text.extend(whole.chars().filter(char::is_ascii_digit));
        if !decimals.is_empty() {
            text.push('.');
            text.push_str(decimals);
        }
        let shown_places = i32::try_from(decimals.len()).unwrap_or(i32::MAX);
        if let Some(exponent) = self.exponent {
            text.push('e');
            text.push_str(exponent);
        }
        let value: f64 = text.parse().ok()?;
        let sign = if self.is_negative { -1.0 } else { 1.0 };
        let resolution = if decimals.is_empty() || self.exponent.is_some() {
            0.0
        } else {
            0.5 * 10_f64.powi(-shown_places.min(300))
        };
        value.is_finite().then_some(Number { value: sign * value, doubtful_mark, resolution })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(cells: &[&str]) -> (Vec<Option<f64>>, NcuNumbers) {
        let mut evidence = Evidence::default();
        let numbers: Vec<_> = cells.iter().map(|cell| evidence.read(cell)).collect();
        let foreign = evidence.foreign_mark();
        let value = |number: Number| match number.doubtful_mark {
            Some(mark) if Some(mark) == foreign => number.value / 1000.0,
            _ => number.value,
        };
        (numbers.into_iter().map(|number| number.map(value)).collect(), evidence.summary())
    }

    #[test]
    fn every_locale_is_read() {
        for (cell, wanted) in [
            ("1234", 1234.0),
            ("-17", -17.0),
            ("1,234.50", 1234.5),
            ("1.234,50", 1234.5),
            ("1 234,50", 1234.5),
            ("1\u{202f}234,50", 1234.5),
            ("1\u{a0}234\u{a0}567", 1_234_567.0),
            ("1'234.50", 1234.5),
            ("1’234", 1234.0),
            ("1,234,567", 1_234_567.0),
            ("1.234.567", 1_234_567.0),
            ("6.652", 6652.0),
            ("0.652", 0.652),
            ("3593.650000", 3593.65),
            ("1234.567", 1234.567),
            ("0,00", 0.0),
            ("1.5e+03", 1500.0),
            ("1,5", 1.5),
        ] {
            let (found, _) = values(&[cell]);
            assert_eq!(found, [Some(wanted)], "{cell}");
        }
        for cell in ["", "abc", "1.", ".5", "1e", "1x2", "--1", "1e5.5", "1 2e"] {
            assert_eq!(values(&[cell]).0, [None], "{cell}");
        }
    }

    #[test]
    fn cells_of_another_program_show_its_mark() {
        let (found, numbers) = values(&["6.652", "1.5"]);
        assert_eq!(found, [Some(6.652), Some(1.5)]);
        assert_eq!((numbers.foreign_mark, numbers.ambiguous_cells), (Some('.'), 0));
        let (found, numbers) = values(&["6.652", "1.2345678", "7,12"]);
        assert_eq!(found, [Some(6.652), Some(1.234_567_8), Some(7.12)]);
        assert_eq!(numbers.decimal_marks, ",.");
    }

    #[test]
    fn a_mark_that_surely_groups_is_none_of_decimals() {
        let (found, numbers) = values(&["6.652", "1.234.567", "12,50", "8.0"]);
        assert_eq!(found, [Some(6652.0), Some(1_234_567.0), Some(12.5), Some(8.0)]);
        assert_eq!(
            (numbers.foreign_mark, numbers.ambiguous_cells, numbers.contradicting_cells),
            (None, 0, 1)
        );
        let (_, numbers) = values(&["6.652", "1.234.567", "12,50"]);
        assert_eq!(numbers.contradicting_cells, 0);
        // The other mark may still be one of another program.
        let (found, numbers) = values(&["6,652", "1.234.567", "12,5", "8.0"]);
        assert_eq!((found[0], numbers.foreign_mark), (Some(6.652), Some(',')));
    }

    #[test]
    fn whole_numbers_may_have_groups() {
        for (text, wanted) in [
            ("1200", Some(1200)),
            (" 1,200 ", Some(1200)),
            ("1.200", Some(1200)),
            ("1 234\u{202f}567", Some(1_234_567)),
            ("-1", Some(-1)),
            ("1.5", None),
            ("12e30", None),
            ("many", None),
            ("", None),
        ] {
            assert_eq!(whole_number(text), wanted, "{text}");
        }
    }

    #[test]
    fn cells_that_only_a_rule_decides_are_counted() {
        let (_, numbers) = values(&["6.652", "7.12"]);
        assert_eq!(numbers.ambiguous_cells, 1);
        let (_, numbers) = values(&["6.652", "7.123.456"]);
        assert_eq!((numbers.ambiguous_cells, numbers.group_marks.as_str()), (0, "."));
        let (_, numbers) = values(&["6.652", "7.123,45"]);
        assert_eq!((numbers.ambiguous_cells, numbers.decimal_marks.as_str()), (0, ","));
    }
}
