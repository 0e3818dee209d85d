//! Cells of values: what is missing, a total and its parts.

use super::numbers::{Evidence, Number};

/// What a cell holds.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    /// No value: unknown, never 0.
    Missing,
    /// A number, and the text of its parts if it has any.
    Number(Number, Option<&'a str>),
    /// Something else.
    Text(&'a str),
}

/// Reads a cell.
pub(super) fn read_cell<'a>(cell: &'a str, evidence: &mut Evidence) -> Cell<'a> {
    let cell = cell.trim();
    if is_missing(cell) {
        return Cell::Missing;
    }
    let marked = cell.strip_prefix("(!) ");
    let (total, parts) = split(marked.unwrap_or(cell));
    if is_missing(total) {
        return Cell::Missing;
    }
    match evidence.read(total) {
        // What begins with the mark is unreliable, but it is a number as written, which says how the file writes numbers.
        Some(_) if marked.is_some() => Cell::Missing,
        Some(number) => Cell::Number(number, parts),
        None if cell.starts_with("(!)") => Cell::Missing,
        None => Cell::Text(cell),
    }
}

fn is_missing(cell: &str) -> bool {
    matches!(cell, "" | "no data" | "n/a" | "nan" | "-nan" | "inf" | "-inf")
        || matches!(cell, "(!) n/a" | "(!) nan" | "(!) -nan" | "(!) inf" | "(!) no data")
}

/// A total, and the text of its parts: `TOTAL (KEY: N; KEY: N)`, `TOTAL (N; N)` or `TOTAL; N; N`.
fn split(cell: &str) -> (&str, Option<&str>) {
    let at = cell.find([';', '(']);
    match at {
        Some(at) if cell[at..].starts_with("; ") => (&cell[..at], Some(&cell[at + 2..])),
        Some(at) if cell[..at].ends_with(' ') && cell.ends_with(')') => {
            (&cell[..at - 1], Some(&cell[at + 1..cell.len() - 1]))
        }
        _ => (cell, None),
    }
}

/// The parts of a total by key; those without a key have their place.
pub(super) fn parts_of(text: &str) -> impl Iterator<Item = (std::borrow::Cow<'_, str>, &str)> {
    text.split("; ").enumerate().map(|(place, part)| match part.rsplit_once(": ") {
        Some((key, number)) => (key.into(), number.trim()),
        None => (place.to_string().into(), part.trim()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(cell: &str) -> String {
        match read_cell(cell, &mut Evidence::default()) {
            Cell::Missing => "missing".into(),
            Cell::Number(number, None) => number.value.to_string(),
            Cell::Number(number, Some(parts)) => {
                let parts: Vec<String> = parts_of(parts).map(|(key, part)| format!("{key}={part}")).collect();
                format!("{} of {}", number.value, parts.join(" "))
            }
            Cell::Text(text) => format!("text {text}"),
        }
    }

    #[test]
    fn cells_are_numbers_missing_or_texts() {
        for (cell, wanted) in [
            (" 12.50 ", "12.5"),
            ("", "missing"),
            ("n/a", "missing"),
            ("-nan", "missing"),
            ("(!) n/a", "missing"),
            ("(!) 12.50", "missing"),
            ("nan (a: 1)", "missing"),
            ("PreferNone", "text PreferNone"),
            ("77 (FFMA: 70; HFMA2.MMA: 7)", "77 of FFMA=70 HFMA2.MMA=7"),
            ("5 (2; 3)", "5 of 0=2 1=3"),
            ("5; 2; 3", "5 of 0=2 1=3"),
            ("(1, 2, 3)", "text (1, 2, 3)"),
        ] {
            assert_eq!(shown(cell), wanted, "{cell}");
        }
    }
}
