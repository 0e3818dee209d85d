//! Opcodes of the GPU's own instructions: what one of them computes.

use super::launch_figures::TensorPrecision;

/// A matrix instruction of a warp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MatrixOp {
    /// FLOP of one; none if the opcode does not tell its shape.
    pub(super) flop: Option<f64>,
    pub(super) precision: TensorPrecision,
}

const MATRIX: [&str; 11] =
    ["HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA", "DGMMA"];

/// Shapes as opcodes write them: m, n and k.
const SHAPES: [(&str, [f64; 3]); 11] = [
    ("884", [8.0, 8.0, 4.0]),
    ("1684", [16.0, 8.0, 4.0]),
    ("1688", [16.0, 8.0, 8.0]),
    ("16816", [16.0, 8.0, 16.0]),
    ("16832", [16.0, 8.0, 32.0]),
    ("16864", [16.0, 8.0, 64.0]),
    ("8816", [8.0, 8.0, 16.0]),
    ("8832", [8.0, 8.0, 32.0]),
    ("88128", [8.0, 8.0, 128.0]),
    ("168128", [16.0, 8.0, 128.0]),
    ("168256", [16.0, 8.0, 256.0]),
];

/// What an opcode with its modifiers is, if it is a matrix instruction. `HFMA2.MMA` is none.
pub(super) fn matrix_op(opcode: &str) -> Option<MatrixOp> {
    let mut parts = opcode.split('.');
    let head = parts.next()?;
    let of_fifth = head.strip_prefix("UTC").and_then(|rest| rest.strip_suffix("MMA"));
    let is_fifth = of_fifth.is_some_and(|kind| matches!(kind, "" | "H" | "I" | "Q" | "O"));
    if !MATRIX.contains(&head) && !is_fifth {
        return None;
    }
    let modifiers: Vec<&str> = parts.collect();
    let has = |wanted: &str| modifiers.contains(&wanted);
    let kind = if is_fifth { head.chars().nth(3) } else { head.chars().next() };
    let precision = match kind {
        _ if has("S4") || has("U4") => TensorPrecision::Int4,
        Some('D') => TensorPrecision::Fp64,
        Some('I') => TensorPrecision::Int8,
        Some('B') => TensorPrecision::Int1,
        Some('Q') => TensorPrecision::Fp8,
        Some('O') => TensorPrecision::Fp4,
        _ if has("TF32") => TensorPrecision::Tf32,
        _ if has("BF16") => TensorPrecision::Bf16,
        _ => TensorPrecision::Fp16,
    };
    let warps = if head.contains("GMMA") { 4.0 } else { 1.0 };
    // On compute capability 7.0 a product takes four instructions, or two where it is added up in FP16.
    let flop = match opcode.starts_with("HMMA.884.F16.F16") {
        true => Some(1024.0),
        false => modifiers.iter().find_map(|part| Some(2.0 * volume(part)? / warps)),
    };
    // Instructions of the fifth generation carry no shape.
    let flop = if is_fifth { modifiers.iter().find_map(|part| Some(2.0 * written_out(part)?)) } else { flop };
    Some(MatrixOp { flop, precision })
}

/// m · n · k.
fn volume(shape: &str) -> Option<f64> {
    written_out(shape)
        .or_else(|| SHAPES.iter().find(|(known, _)| *known == shape).map(|(_, sides)| sides.iter().product()))
}

/// The volume of `64x128x16`.
fn written_out(shape: &str) -> Option<f64> {
    let sides: Vec<f64> = shape
        .split('x')
        .map(|side| side.bytes().all(|byte| byte.is_ascii_digit()).then(|| side.parse().ok()).flatten())
        .collect::<Option<_>>()?;
    (sides.len() == 3).then(|| sides.iter().product())
}

/// The precision and the FLOP of a thread's vector instruction; the opcode has no modifiers.
pub(super) fn vector_flop(opcode: &str) -> Option<(usize, f64)> {
    Some(match opcode {
        "FADD" | "FMUL" => (FP32, 1.0),
        "FFMA" => (FP32, 2.0),
        "DADD" | "DMUL" => (FP64, 1.0),
        "DFMA" => (FP64, 2.0),
        "HADD2" | "HMUL2" => (FP16, 2.0),
        "HFMA2" => (FP16, 4.0),
        _ => return None,
    })
}

pub(super) const FP32: usize = 0;
pub(super) const FP64: usize = 1;
pub(super) const FP16: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_instructions_have_the_flop_of_their_shape() {
        for (opcode, flop, precision) in [
            ("HMMA.1688.F32", 2048.0, "fp16"),
            ("HMMA.16816.F32.BF16", 4096.0, "bf16"),
            ("HMMA.1688.F32.TF32", 2048.0, "tf32"),
            ("IMMA.16832.S8.S8", 8192.0, "int8"),
            ("IMMA.16864.S4.S4", 16384.0, "int4"),
            ("IMMA.8816.S8.S8", 2048.0, "int8"),
            ("DMMA.884", 512.0, "fp64"),
            ("HMMA.884.F32.F32.STEP0", 512.0, "fp16"),
            ("HMMA.884.F16.F16.STEP0", 1024.0, "fp16"),
            ("HGMMA.64x128x16.F32.BF16", 65536.0, "bf16"),
            ("QGMMA.64x128x32.F32.E4M3.E4M3", 131_072.0, "fp8"),
        ] {
            let found = matrix_op(opcode).expect(opcode);
            assert_eq!((found.flop, found.precision.as_str()), (Some(flop), precision), "{opcode}");
        }
        assert_eq!(matrix_op("UTCHMMA.2CTA").and_then(|op| op.flop), None);
        assert!(matrix_op("UTCHMMA.2CTA").is_some());
        for other in ["HFMA2.MMA", "FFMA", "UTCBAR", "LDSM.16.MT88.4", ""] {
            assert_eq!(matrix_op(other), None, "{other}");
        }
    }
}
