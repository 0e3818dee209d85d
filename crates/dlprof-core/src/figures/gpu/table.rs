//! The table of GPU peaks: our own file `peaks.csv`, and rows of the user.

use super::peak_row::{Grade, PeakRow, Peaks};
use std::sync::LazyLock;

/// The rows to look a GPU up in: those of the user first.
#[derive(Debug, Clone, Copy)]
pub struct PeakTable<'a> {
    /// Rows of the user's settings (`[gpus]`).
    pub user: &'a [PeakRow],
    /// Rows that come with the program.
    pub built_in: &'a [PeakRow],
}

impl<'a> PeakTable<'a> {
    /// The built-in rows and those of the user's settings.
    #[must_use]
    pub fn with_user(user: &'a [PeakRow]) -> Self {
        Self { user, built_in: built_in_peaks() }
    }

    /// The row of a GPU, by the words of its name and its number of SMs. A row of the user has precedence.
    #[must_use]
    pub fn find(&self, name: &str, sm_count: Option<u64>) -> Option<&'a PeakRow> {
        let found = |rows: &'a [PeakRow]| super::matching::best(rows, name, sm_count);
        found(self.user).or_else(|| found(self.built_in))
    }
}

/// The rows that come with the program, in the order of the file.
#[must_use]
pub(crate) fn built_in_peaks() -> &'static [PeakRow] {
    static ROWS: LazyLock<Vec<PeakRow>> = LazyLock::new(|| parse(include_str!("peaks.csv")));
    &ROWS
}

/// The rows of the file; a test proves that none is malformed.
fn parse(text: &str) -> Vec<PeakRow> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let legend = lines().filter_map(|line| line.strip_prefix('@')?.split_once(", "));
    let sources: Vec<(&str, &str)> = legend.collect();
    lines().filter(|line| !line.starts_with('@')).filter_map(|line| row(line, &sources)).collect()
}

/// A row: 14 cells separated by commas. `None` if it is malformed.
fn row(line: &str, sources: &[(&str, &str)]) -> Option<PeakRow> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[name, capability, sms, bandwidth, fp32, fp64, fp64_matrix, tf32, fp16, bf16, fp8, int8, grade, key] =
        cells.as_slice()
    else {
        return None;
    };
    let compute_capability = match capability.split_once('.') {
        Some((major, minor)) => Some((major.parse().ok()?, minor.parse().ok()?)),
        None if capability == "-" => None,
        None => return None,
    };
    let number = |cell: &str| cell.parse::<f64>().ok();
    Some(PeakRow {
        name: name.to_owned(),
        compute_capability,
        sm_count: Some(sms.parse().ok()?),
        peaks: Peaks {
            gb_per_s: Some(number(bandwidth)?),
            fp32: Some(number(fp32)?),
            fp64: number(fp64),
            fp64_matrix: number(fp64_matrix),
            tf32: number(tf32),
            fp16: number(fp16),
            bf16: number(bf16),
            fp8: number(fp8),
            int8: number(int8),
        },
        grade: match grade {
            "published" => Grade::Published,
            "derived" => Grade::Derived,
            _ => return None,
        },
        source: sources.iter().find(|(known, _)| *known == key)?.1.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_a_row() {
        let text = include_str!("peaks.csv");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '@']));
        let rows = built_in_peaks();
        assert_eq!(lines.count(), rows.len());
        for row in rows {
            let Peaks { fp32, fp64, tf32, fp16, .. } = row.peaks;
            assert!(fp32 > fp64 && fp64.is_some(), "{}", row.name);
            assert!(tf32.is_none() || tf32 < fp16, "{}", row.name);
            assert!(!row.source.is_empty(), "{}", row.name);
        }
    }

    #[test]
    fn a_row_of_the_user_wins() {
        let user = PeakRow {
            name: "RTX 4090".into(),
            compute_capability: None,
            sm_count: None,
            peaks: Peaks { fp32: Some(70.0), ..Peaks::default() },
            grade: Grade::User,
            source: "settings".into(),
        };
        let rows = [user];
        let table = PeakTable::with_user(&rows);
        let found = table.find("NVIDIA GeForce RTX 4090", Some(128)).expect("a row");
        assert_eq!(found.grade, Grade::User);
        assert_eq!(table.find("NVIDIA A30", Some(56)).map(|row| row.grade), Some(Grade::Published));
    }
}
