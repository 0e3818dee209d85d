//! What data types mean for memory and for the units that compute with them.

use crate::figures::gpu::Peaks;

/// Which units of the GPU the kernels of an op ran on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MathUnit {
    /// Tensor Cores.
    Matrix,
    /// All others.
    Vector,
}

/// A family of data types with one peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Float64,
    Float32,
    Tf32,
    Half,
    BFloat16,
    Float8,
    Int64,
    Int32,
    Int16,
    Int8,
}

/// Names of data types: those of PyTorch, NumPy, C and TensorFlow (`DT_…` is taken off before).
const NAMES: &[(&str, Family)] = &[
    ("bfloat16", Family::BFloat16),
    ("bool", Family::Int8),
    ("double", Family::Float64),
    ("float", Family::Float32),
    ("float16", Family::Half),
    ("float32", Family::Float32),
    ("float64", Family::Float64),
    ("fp16", Family::Half),
    ("fp32", Family::Float32),
    ("fp64", Family::Float64),
    ("fp8", Family::Float8),
    ("half", Family::Half),
    ("int", Family::Int32),
    ("int16", Family::Int16),
    ("int32", Family::Int32),
    ("int64", Family::Int64),
    ("int8", Family::Int8),
    ("long", Family::Int64),
    ("short", Family::Int16),
    ("tf32", Family::Tf32),
    ("uint8", Family::Int8),
];

fn family(data_type: &str) -> Option<Family> {
    let name = data_type.trim().to_ascii_lowercase();
    let name = name.trim_start_matches("torch.").trim_start_matches("dt_");
    if name.starts_with("float8") {
        return Some(Family::Float8);
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, family)| *family)
}

/// Bytes of an element; `None` for an unknown data type.
#[must_use]
pub(crate) fn bytes_per_element(data_type: &str) -> Option<u64> {
    Some(match family(data_type)? {
        Family::Float64 | Family::Int64 => 8,
        Family::Float32 | Family::Tf32 | Family::Int32 => 4,
        Family::Half | Family::BFloat16 | Family::Int16 => 2,
        Family::Float8 | Family::Int8 => 1,
    })
}

/// The peak, in TFLOP/s, of the units that kernels of a data type ran on. Tensor Cores compute float32 as TF32. On
/// GPUs without TF32 they compute it as half, because mixed precision has converted the numbers. Vector units
/// compute 16 bits at the rate of float32, as PyTorch's kernels do. `None` if there is no such unit or the type is
/// unknown.
#[must_use]
pub(crate) fn math_peak(peaks: &Peaks, data_type: &str, unit: MathUnit) -> Option<f64> {
    match (unit, family(data_type)?) {
        (MathUnit::Matrix, Family::Float64) => peaks.fp64_matrix,
        (MathUnit::Matrix, Family::Float32 | Family::Tf32) => peaks.tf32.or(peaks.fp16),
        (MathUnit::Matrix, Family::Half) => peaks.fp16,
        (MathUnit::Matrix, Family::BFloat16) => peaks.bf16,
        (MathUnit::Matrix, Family::Float8) => peaks.fp8,
        (MathUnit::Matrix, Family::Int8) => peaks.int8,
        (MathUnit::Vector, Family::Float64) => peaks.fp64,
        (MathUnit::Vector, Family::Float32 | Family::Tf32 | Family::Half | Family::BFloat16) => peaks.fp32,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_frameworks() {
        for (name, bytes) in
            [("float32", 4), ("torch.float16", 2), ("DT_HALF", 2), ("float8_e4m3fn", 1), ("int64", 8)]
        {
            assert_eq!(bytes_per_element(name), Some(bytes), "{name}");
        }
        assert_eq!(bytes_per_element(""), None);
        assert_eq!(bytes_per_element("complex64"), None);
    }

    #[test]
    fn peaks_follow_the_units() {
        let peaks =
            Peaks { fp32: Some(1.0), tf32: Some(2.0), fp16: Some(4.0), bf16: Some(4.5), ..Peaks::default() };
        assert_eq!(math_peak(&peaks, "float32", MathUnit::Matrix), Some(2.0));
        assert_eq!(math_peak(&peaks, "float32", MathUnit::Vector), Some(1.0));
        assert_eq!(math_peak(&peaks, "half", MathUnit::Vector), Some(1.0));
        assert_eq!(math_peak(&peaks, "bfloat16", MathUnit::Matrix), Some(4.5));
        assert_eq!(math_peak(&peaks, "float64", MathUnit::Vector), None);
        let turing = Peaks { fp16: Some(65.0), ..Peaks::default() };
        assert_eq!(math_peak(&turing, "float32", MathUnit::Matrix), Some(65.0));
    }
}
