//! The maximum FLOP/s and bytes/s of a GPU, from the export or from the table.

use super::known::known;
use super::peak_row::{Grade, PeakRow, Peaks};
use super::rates::peaks_from_export;
use super::table::PeakTable;
use crate::read::facts::Device;

/// Where the peaks of a GPU come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakSource {
    /// Computed from the clock, the SMs and the bandwidth that the export has.
    Export,
    /// From the table, because the export does not say enough or the settings have a row for this GPU.
    Table,
    /// There are no peaks: the table does not have the GPU, and the export does not say enough.
    None,
}

impl PeakSource {
    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Export => "export",
            Self::Table => "table",
            Self::None => "none",
        }
    }
}

/// The peaks of a GPU and where they come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DevicePeaks<'a> {
    /// The peaks.
    pub peaks: Peaks,
    /// Where the peak of the vector units comes from, which decides for the whole.
    pub source: PeakSource,
    /// The row of the table that the name found.
    pub row: Option<&'a PeakRow>,
}

/// The peaks of a GPU. Each figure comes from the export if possible, else from the table. There are two
/// exceptions. A row of the user has precedence over both. On Hopper only the fp32 peak and the bandwidth come from
/// the export, because nsys reports a clock that the matrix units of Hopper do not reach.
#[must_use]
pub fn device_peaks<'a>(facts: &Device, table: &PeakTable<'a>) -> DevicePeaks<'a> {
    let said = peaks_from_export(facts);
    let row = facts.name.as_deref().and_then(|name| table.find(name, known(facts.sm_count)));
    let listed = row.map_or(Peaks::default(), |row| row.peaks);
    let is_users = row.is_some_and(|row| row.grade == Grade::User);
    let is_hopper = facts.compute_capability == Some((9, 0));
    let peaks = if is_users {
        listed.or(&said)
    } else if is_hopper {
        Peaks {
            fp32: said.fp32.or(listed.fp32),
            gb_per_s: said.gb_per_s.or(listed.gb_per_s),
            ..listed.or(&said)
        }
    } else {
        said.or(&listed)
    };
    let source = match peaks.fp32 {
        None => PeakSource::None,
        Some(_) if said.fp32.is_none() || (is_users && listed.fp32.is_some()) => PeakSource::Table,
        Some(_) => PeakSource::Export,
    };
    DevicePeaks { peaks, source, row }
}

impl Peaks {
    /// These peaks; a missing one is taken from `other`.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            gb_per_s: self.gb_per_s.or(other.gb_per_s),
            fp32: self.fp32.or(other.fp32),
            fp64: self.fp64.or(other.fp64),
            fp64_matrix: self.fp64_matrix.or(other.fp64_matrix),
            tf32: self.tf32.or(other.tf32),
            fp16: self.fp16.or(other.fp16),
            bf16: self.bf16.or(other.bf16),
            fp8: self.fp8.or(other.fp8),
            int8: self.int8.or(other.int8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, capability: (i64, i64), sms: i64, clock_mhz: i64, bandwidth: i64) -> Device {
        Device {
            name: Some(name.into()),
            compute_capability: Some(capability),
            sm_count: Some(sms),
            clock_hz: Some(clock_mhz * 1_000_000),
            memory_bandwidth: Some(bandwidth),
            ..Device::default()
        }
    }

    fn close(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 0.005)
    }

    #[test]
    fn the_export_beats_the_table() {
        let facts = facts("NVIDIA A100 80GB PCIe", (8, 0), 108, 1410, 1_935_360_000_000);
        let found = device_peaks(&facts, &PeakTable::with_user(&[]));
        assert_eq!(found.source, PeakSource::Export);
        assert!(close(found.peaks.fp32, 19.49) && close(found.peaks.fp16, 311.9));
        assert!(close(found.peaks.tf32, 156.0) && close(found.peaks.fp64_matrix, 19.49));
        assert!(close(found.peaks.gb_per_s, 1935.36) && found.peaks.fp8.is_none());
    }

    #[test]
    fn boards_for_games_are_half_as_fast_with_fp32_sums() {
        let facts = facts("NVIDIA GeForce RTX 3090", (8, 6), 82, 1695, 936_096_000_000);
        let peaks = device_peaks(&facts, &PeakTable::with_user(&[])).peaks;
        assert!(close(peaks.fp32, 35.6) && close(peaks.fp16, 71.2) && close(peaks.tf32, 35.6));
        assert!(close(peaks.int8, 284.7) && close(peaks.fp64, 0.556));
    }

    #[test]
    fn hopper_takes_matrix_peaks_from_the_table() {
        let facts = facts("NVIDIA H100 80GB HBM3", (9, 0), 132, 1980, 3_352_320_000_000);
        let found = device_peaks(&facts, &PeakTable::with_user(&[]));
        assert_eq!(found.source, PeakSource::Export);
        assert!(close(found.peaks.fp32, 66.9) && found.peaks.fp16 == Some(989.4));
    }

    #[test]
    fn odd_values_are_unknown() {
        // A board that reports 204 MB/s.
        let facts = facts("NVIDIA Tegra X1", (5, 3), 2, 0, 204_000_000);
        let found = device_peaks(&facts, &PeakTable::with_user(&[]));
        assert_eq!((found.source, found.peaks.gb_per_s), (PeakSource::Table, Some(25.6)));
        let unknown = device_peaks(&Device::default(), &PeakTable::with_user(&[]));
        assert_eq!((unknown.source, unknown.row), (PeakSource::None, None));
    }

    #[test]
    fn peaks_of_the_user_win() {
        let row = PeakRow {
            name: "A100".into(),
            compute_capability: None,
            sm_count: None,
            peaks: Peaks { fp32: Some(10.0), ..Peaks::default() },
            grade: Grade::User,
            source: "settings".into(),
        };
        let rows = [row];
        let facts = facts("NVIDIA A100-SXM4-40GB", (8, 0), 108, 1410, 0);
        let found = device_peaks(&facts, &PeakTable::with_user(&rows));
        assert_eq!((found.source, found.peaks.fp32), (PeakSource::Table, Some(10.0)));
        assert!(close(found.peaks.fp16, 311.9));
    }
}
