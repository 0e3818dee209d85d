//! GPUs that the user's settings add to the table.

use super::peak_row::{Grade, PeakRow, Peaks};
use serde::{Deserialize, Deserializer, de};

/// A GPU of the settings: `[gpus."RTX 9999"]` with any of these keys. All peaks are dense, in TFLOP/s (TOP/s for `int8`).
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserGpu {
    /// Number of multiprocessors; without it the row fits any number.
    #[serde(deserialize_with = "multiprocessors")]
    pub sms: Option<u64>,
    /// Memory bandwidth in GB/s (10⁹ bytes).
    #[serde(deserialize_with = "peak")]
    pub gb_per_s: Option<f64>,
    /// Vector units, fp32.
    #[serde(deserialize_with = "peak")]
    pub fp32: Option<f64>,
    /// Vector units, fp64.
    #[serde(deserialize_with = "peak")]
    pub fp64: Option<f64>,
    /// Matrix units, fp64.
    #[serde(deserialize_with = "peak")]
    pub fp64_matrix: Option<f64>,
    /// Matrix units, TF32.
    #[serde(deserialize_with = "peak")]
    pub tf32: Option<f64>,
    /// Matrix units, fp16 with fp32 accumulation.
    #[serde(deserialize_with = "peak")]
    pub fp16: Option<f64>,
    /// Matrix units, bfloat16 with fp32 accumulation.
    #[serde(deserialize_with = "peak")]
    pub bf16: Option<f64>,
    /// Matrix units, fp8 with fp32 accumulation.
    #[serde(deserialize_with = "peak")]
    pub fp8: Option<f64>,
    /// Matrix units, int8.
    #[serde(deserialize_with = "peak")]
    pub int8: Option<f64>,
}

/// Reads a number of multiprocessors, which is above 0.
fn multiprocessors<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    match u64::deserialize(input)? {
        0 => Err(de::Error::custom("a GPU has at least one multiprocessor")),
        sms => Ok(Some(sms)),
    }
}

/// Reads a peak, which is above 0.
fn peak<'de, D: Deserializer<'de>>(input: D) -> Result<Option<f64>, D::Error> {
    let peak = f64::deserialize(input)?;
    if peak.is_finite() && peak > 0.0 { Ok(Some(peak)) } else { Err(de::Error::custom("a peak is above 0")) }
}

impl UserGpu {
    /// The row of the table. Peaks that are not positive numbers count as unknown.
    #[must_use]
    pub fn row(&self, name: &str) -> PeakRow {
        let known = |peak: Option<f64>| peak.filter(|peak| peak.is_finite() && *peak > 0.0);
        PeakRow {
            name: name.to_owned(),
            compute_capability: None,
            sm_count: self.sms,
            peaks: Peaks {
                gb_per_s: known(self.gb_per_s),
                fp32: known(self.fp32),
                fp64: known(self.fp64),
                fp64_matrix: known(self.fp64_matrix),
                tf32: known(self.tf32),
                fp16: known(self.fp16),
                bf16: known(self.bf16),
                fp8: known(self.fp8),
                int8: known(self.int8),
            },
            grade: Grade::User,
            source: "settings".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::gpu::PeakTable;

    #[test]
    fn settings_add_a_gpu() {
        let gpu: UserGpu = serde_json::from_str(r#"{"fp32": 210.0, "gb_per_s": 4000}"#).expect("settings");
        let rows = [gpu.row("GeForce RTX 9999")];
        let table = PeakTable::with_user(&rows);
        let found = table.find("NVIDIA GeForce RTX 9999", Some(300)).expect("the row");
        assert_eq!((found.peaks.fp32, found.peaks.gb_per_s), (Some(210.0), Some(4000.0)));
        assert_eq!((found.peaks.fp8, found.grade), (None, Grade::User));
        assert!(serde_json::from_str::<UserGpu>(r#"{"fp31": 1}"#).is_err());
        assert!(serde_json::from_str::<UserGpu>(r#"{"fp32": -1}"#).is_err());
    }
}
