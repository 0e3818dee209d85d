//! Ranges of NVTX in cells, and sizes of grids and blocks.

use super::launch::NcuRange;
use super::texts::Texts;
use std::sync::Arc;

/// A column of ranges: how many fields stand after a range's text.
pub(super) fn fields_behind(column: &str) -> usize {
    column.split_once("Range:").map_or(0, |(_, behind)| behind.split(':').count())
}

/// The ranges of a cell that names their domains: `THREAD  "DOMAIN:TEXT:none:none:none:none:none:none" …`.
pub(super) fn with_domains(cell: &str, fields: usize, texts: &mut Texts, into: &mut Vec<NcuRange>) {
    for item in quoted(cell) {
        let (domain, text) = item_of(item, fields);
        into.push(NcuRange { domain: texts.shared(domain), text: texts.shared(text) });
    }
}

/// The ranges of a cell of a summary by range, whose domain has a column of its own.
pub(super) fn of_domain(cell: &str, domain: &Arc<str>, fields: usize, texts: &mut Texts) -> Vec<NcuRange> {
    let mut items = quoted(cell);
    if items.is_empty() {
        items.push(cell.trim());
    }
    let text = |item: &str| {
        let begun = format!("d:{item}");
        texts.shared(item_of(&begun, fields).1)
    };
    items.into_iter().map(text).map(|text| NcuRange { domain: domain.clone(), text }).collect()
}

/// Domain and text of an item; the text may hold colons.
fn item_of(item: &str, fields: usize) -> (&str, &str) {
    let colons = item.matches(':').count();
    let kept = match fields > 0 && colons + 1 > fields + 1 {
        true => item.rmatch_indices(':').nth(fields - 1).map_or(item, |(at, _)| &item[..at]),
        false => item,
    };
    kept.split_once(':').unwrap_or((kept, ""))
}

/// What stands between quotes; two quotes are one inside of an item.
fn quoted(cell: &str) -> Vec<&str> {
    let bytes = cell.as_bytes();
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|found| at + found + 1) {
        let mut end = start;
        // Without an end, an item ends at its last two quotes.
        let mut fallback = None;
        let found = loop {
            match memchr::memchr(b'"', &bytes[end..]).map(|found| end + found) {
                None => break fallback,
                Some(quote) if bytes.get(quote + 1) == Some(&b'"') => {
                    fallback = Some(quote);
                    end = quote + 2;
                }
                Some(quote) => break Some(quote),
            }
        };
        let Some(end) = found else { break };
        items.push(&cell[start..end]);
        at = end + 1;
    }
    items
}

/// A size: along x, y and z if it has three numbers, and the total.
pub(super) fn size_of(cell: &str) -> (Option<[u64; 3]>, Option<u64>) {
    let is_grouped =
        !cell.contains('(') && cell.split([',', '.', ' ', '\u{a0}']).skip(1).all(|part| part.len() == 3);
    let mut numbers: Vec<u64> = Vec::new();
    let mut digits = String::new();
    for c in cell.chars().chain(['\n']) {
        match c {
            '0'..='9' => digits.push(c),
            '\'' | '’' | '\u{202f}' => {}
            ',' | '.' | ' ' | '\u{a0}' if is_grouped => {}
            _ if digits.is_empty() => {}
            _ => {
                let Ok(number) = digits.parse() else { return (None, None) };
                numbers.push(number);
                digits.clear();
            }
        }
    }
    let total = numbers.iter().try_fold(1_u64, |product, number| product.checked_mul(*number));
    match numbers.as_slice() {
        [] => (None, None),
        [x, y, z] => (Some([*x, *y, *z]), total),
        _ => (None, total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(cell: &str, fields: usize) -> Vec<(String, String)> {
        let mut found = Vec::new();
        with_domains(cell, fields, &mut Texts::default(), &mut found);
        found.iter().map(|range| (range.domain.to_string(), range.text.to_string())).collect()
    }

    #[test]
    fn ranges_keep_their_colons() {
        let cell = r#"266595  "<default domain>:step: 3:none:none:none:none:none:none" "torch:aten::mm:none:none:none:none:none:none" "#;
        let wanted = [("<default domain>", "step: 3"), ("torch", "aten::mm")];
        assert_eq!(pairs(cell, 6), wanted.map(|(domain, text)| (domain.to_owned(), text.to_owned())));
        assert!(pairs("", 6).is_empty());
        assert_eq!(pairs("1 \"a:b:x:y\"", 2), [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn sizes_are_totals_or_have_three_parts() {
        assert_eq!(size_of("(16, 16, 1)"), (Some([16, 16, 1]), Some(256)));
        assert_eq!(size_of("512"), (None, Some(512)));
        assert_eq!(size_of("4,096"), (None, Some(4096)));
        assert_eq!(size_of("1 234 567"), (None, Some(1_234_567)));
        assert_eq!(size_of(""), (None, None));
        assert_eq!(size_of("(1, 2"), (None, Some(2)));
        assert_eq!(size_of("(99999999999, 99999999999, 2)").1, None);
    }
}
