//! Finds the row of a GPU by the words of its name.
//!
//! `NVIDIA A100-SXM4-80GB` is found by `A100 SXM4 80GB`. The rule: all words of the row are in the name; words that name
//! another board ([`VARIANTS`]) are in both or in neither; of the rows that fit, the one with most words is used. A
//! number of SMs that is known and differs excludes the row: a GTX 1650 exists with 14 and with 16.

use super::peak_row::PeakRow;

/// Words of the maker and its brands, which do not distinguish boards.
const BRANDS: &[&str] = &["nvidia", "geforce", "tesla", "quadro", "amd", "instinct"];

/// Words that distinguish boards which otherwise have the same name.
const VARIANTS: &[&str] = &["laptop", "max", "ti", "super", "pcie"];

/// The best row for a name; the first of those that fit equally well.
pub(super) fn best<'a>(rows: &'a [PeakRow], name: &str, sm_count: Option<u64>) -> Option<&'a PeakRow> {
    let wanted = words(name);
    let mut best: Option<(usize, &PeakRow)> = None;
    for row in rows {
        let own = words(&row.name);
        if own.is_empty() || !fits(&own, &wanted) || differ(row.sm_count, sm_count) {
            continue;
        }
        if best.is_none_or(|(most, _)| own.len() > most) {
            best = Some((own.len(), row));
        }
    }
    best.map(|(_, row)| row)
}

/// Whether a word is in the name of a GPU, in any case.
pub(super) fn has_word(name: &str, word: &str) -> bool {
    separated(name).any(|own| own == word)
}

fn words(name: &str) -> Vec<String> {
    separated(name).filter(|word| !BRANDS.contains(&word.as_str())).collect()
}

fn separated(name: &str) -> impl Iterator<Item = String> {
    let parts = name.split(|c: char| c.is_whitespace() || c == '-' || c == '_');
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase)
}

fn fits(own: &[String], wanted: &[String]) -> bool {
    let has = |words: &[String], word: &str| words.iter().any(|own| own == word);
    own.iter().all(|word| has(wanted, word))
        && VARIANTS.iter().all(|variant| has(own, variant) == has(wanted, variant))
}

fn differ(one: Option<u64>, other: Option<u64>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

#[cfg(test)]
mod tests {
    use super::super::table::built_in_peaks;
    use super::*;

    #[test]
    fn names_find_their_boards() {
        let cases = [
            ("NVIDIA A100-SXM4-80GB", Some(108), Some("A100 SXM4 80GB")),
            ("A100-PCIE-40GB", None, Some("A100 PCIE 40GB")),
            ("NVIDIA A100 80GB PCIe", Some(108), Some("A100 80GB PCIe")),
            ("Tesla V100-SXM2-32GB-LS", Some(80), Some("V100 SXM2")),
            ("NVIDIA GeForce RTX 4060 Laptop GPU", Some(24), Some("RTX 4060 Laptop")),
            ("NVIDIA GeForce RTX 4060", Some(24), Some("RTX 4060")),
            ("NVIDIA GeForce RTX 4060 Ti", Some(34), Some("RTX 4060 Ti")),
            ("NVIDIA RTX 6000 Ada Generation", Some(142), Some("RTX 6000 Ada Generation")),
            ("Quadro RTX 6000", Some(72), Some("Quadro RTX 6000")),
            ("GeForce GTX 1650", Some(14), Some("GTX 1650")),
            ("NVIDIA Tegra X1", Some(2), Some("Tegra X1")),
            ("AMD Instinct MI300X", Some(304), Some("MI300X")),
            ("AMD Instinct MI250X", Some(110), Some("MI250X")),
            ("AMD Radeon Graphics", Some(104), None),
            // Boards that are not in the table, although one of a similar name is.
            ("GeForce GTX 1650", Some(16), None),
            ("NVIDIA Tegra X1", Some(1), None),
            ("NVIDIA GeForce RTX 4070 SUPER", None, None),
            ("NVIDIA GeForce RTX 2080 with Max-Q Design", None, None),
            ("Intel(R) Iris(R) Xe Graphics", None, None),
            ("", None, None),
        ];
        for (name, sms, expected) in cases {
            let found = best(built_in_peaks(), name, sms).map(|row| row.name.as_str());
            assert_eq!(found, expected, "{name}");
        }
    }
}
