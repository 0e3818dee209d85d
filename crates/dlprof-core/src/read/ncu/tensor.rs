//! Tensor Cores, measured: what they computed, and whether they ran at all.

use super::launch_figures::{FlopSource, TensorEvidence, TensorPrecision};
use super::opcodes::matrix_op;
use super::values::Values;
use rustc_hash::FxHashSet;

/// What the counters of a launch say about Tensor Cores.
pub(super) struct TensorUse {
    pub(super) flop: Option<Vec<(TensorPrecision, f64)>>,
    pub(super) flop_source: Option<FlopSource>,
    pub(super) is_used: Option<bool>,
    pub(super) evidence: Option<TensorEvidence>,
    pub(super) active_percent: Option<f64>,
    pub(super) elapsed_percent: Option<f64>,
}

/// FLOP of an instruction on compute capability 7.0 that adds in FP32.
const FLOP_ON_7_0: f64 = 512.0;
/// An MMA holds the pipe for several cycles, an HFMA2.MMA for one.
const LEAST_CYCLES_OF_MMA: f64 = 1.5;
/// Below this use of the pipe in percent the cycles of an instruction are not known well enough.
const LEAST_PIPE_PERCENT: f64 = 0.05;
/// HFMA2.MMA alone never uses the pipe this much.
const SURE_PIPE_PERCENT: f64 = 5.0;

/// Reads the counters of a launch.
pub(super) fn tensor_use(values: &Values<'_>, capability: Option<&str>) -> TensorUse {
    let (mut flop, mut flop_source, mut is_used, mut evidence) = (None, None, None, None);
    if let Some(of_ops) = by_operations(values) {
        is_used = Some(of_ops.iter().map(|(_, flop)| flop).sum::<f64>() > 0.0);
        (flop, flop_source, evidence) = (Some(of_ops), Some(FlopSource::Ops), Some(TensorEvidence::Ops));
    }
    let opcodes = [
        "sass__inst_executed_per_opcode_with_modifier_all",
        "sass__inst_executed_per_opcode_with_modifier_selective",
        "sass__inst_executed_per_opcode",
    ];
    if let Some(parts) = opcodes.into_iter().find_map(|name| values.parts(name)) {
        let mut by_precision = Vec::new();
        let (mut has_any, mut lacks_shape) = (false, false);
        for (opcode, count) in parts {
            let Some(op) = matrix_op(opcode) else { continue };
            has_any |= *count > 0.0;
            match op.flop {
                Some(flop) => add(&mut by_precision, op.precision, flop * count),
                None => lacks_shape |= *count > 0.0,
            }
        }
        if is_used.is_none() {
            (is_used, evidence) = (Some(has_any), Some(TensorEvidence::Opcodes));
        }
        if flop.is_none() && !lacks_shape {
            (flop, flop_source) = (Some(by_precision), Some(FlopSource::Opcodes));
        }
    }
    if flop.is_none() && capability == Some("7.0") {
        let count =
            values.first(["sm__inst_executed_pipe_tensor.sum", "smsp__inst_executed_pipe_tensor.sum"]);
        if let Some(count) = count {
            flop = Some(vec![(TensorPrecision::Fp16, FLOP_ON_7_0 * count)]);
            flop_source = Some(FlopSource::Assumed);
        }
    }
    if is_used.is_none() {
        is_used = by_pipe(values, capability);
        evidence = is_used.map(|_| TensorEvidence::Pipe);
    }
    let pipe = |unit: &str, per: &str| {
        values.get(&format!("sm__pipe_tensor{unit}_cycles_active.avg.pct_of_peak_sustained_{per}"))
    };
    const UNITS: [&str; 7] =
        ["_op_hmma", "_op_imma", "_op_dmma", "_op_gmma", "_subpipe_hmma", "_subpipe_imma", "_subpipe_dmma"];
    let of_units = || UNITS.iter().filter_map(|unit| pipe(unit, "active")).reduce(f64::max);
    TensorUse {
        flop,
        flop_source,
        is_used,
        evidence,
        active_percent: pipe("", "active").or_else(of_units),
        elapsed_percent: pipe("", "elapsed"),
    }
}

fn add(by_precision: &mut Vec<(TensorPrecision, f64)>, precision: TensorPrecision, flop: f64) {
    match by_precision.iter_mut().find(|(known, _)| *known == precision) {
        Some((_, known)) => *known += flop,
        None => by_precision.push((precision, flop)),
    }
    by_precision.sort_by_key(|(precision, _)| *precision);
}

const PRECISIONS: [(&str, TensorPrecision); 11] = [
    ("bf16", TensorPrecision::Bf16),
    ("fp16", TensorPrecision::Fp16),
    ("tf32", TensorPrecision::Tf32),
    ("fp64", TensorPrecision::Fp64),
    ("fp8", TensorPrecision::Fp8),
    ("fp6", TensorPrecision::Fp6),
    ("fp4", TensorPrecision::Fp4),
    ("mxf", TensorPrecision::Fp8),
    ("int8", TensorPrecision::Int8),
    ("int4", TensorPrecision::Int4),
    ("int1", TensorPrecision::Int1),
];

/// The precision of a counter of operations, from what its name has after `sm__ops_path_tensor_`.
pub(super) fn precision_of(name: &str) -> TensorPrecision {
    let has = |word: &str| {
        name.strip_prefix("src_").is_some_and(|rest| rest.starts_with(word))
            || name.contains(&format!("_src_{word}"))
    };
    PRECISIONS.iter().find(|(word, _)| has(word)).map_or(TensorPrecision::Other, |(_, precision)| *precision)
}

/// FLOP from counters of operations; a name that extends another one counts a part of it.
fn by_operations(values: &Values<'_>) -> Option<Vec<(TensorPrecision, f64)>> {
    let all = values.between("sm__ops_path_tensor_", ".sum");
    let by_source: Vec<_> = all.iter().filter(|(name, _)| name.starts_with("src_")).copied().collect();
    let family = if by_source.is_empty() { all } else { by_source };
    let names: FxHashSet<&str> = family.iter().map(|(name, _)| *name).collect();
    let is_part = |name: &str| name.match_indices('_').any(|(at, _)| names.contains(&name[..at]));
    let whole: Vec<_> = family.iter().filter(|(name, _)| !is_part(name)).collect();
    let is_known = !whole.is_empty() && whole.iter().all(|(_, flop)| flop.is_some());
    if !is_known && !whole.iter().any(|(_, flop)| flop.is_some_and(|flop| flop > 0.0)) {
        return None;
    }
    let mut by_precision = Vec::new();
    for (name, flop) in whole {
        add(&mut by_precision, precision_of(name), flop.unwrap_or(0.0));
    }
    Some(by_precision)
}

/// Whether matrix instructions ran, from the counters of the pipe. HFMA2.MMA, a vector instruction, runs on it too on compute
/// capabilities 8.0 and 9.0: hence the doubt.
fn by_pipe(values: &Values<'_>, capability: Option<&str>) -> Option<bool> {
    let instructions = |unit: &str| {
        let of_sm = [
            ".sum",
            ".avg.pct_of_peak_sustained_active",
            ".avg.pct_of_peak_sustained_elapsed",
            ".sum.per_cycle_elapsed",
        ];
        let of_sm =
            of_sm.iter().filter_map(|end| values.get(&format!("sm__inst_executed_pipe_tensor{unit}{end}")));
        let of_smsp = values.get(&format!("smsp__inst_executed_pipe_tensor{unit}.sum.per_cycle_elapsed"));
        of_sm.chain(of_smsp).reduce(f64::max)
    };
    const SURE: [&str; 9] = [
        "_op_imma",
        "_op_dmma",
        "_op_gmma",
        "_op_bmma",
        "_op_qmma",
        "_subpipe_imma",
        "_subpipe_dmma",
        "_op_gmma_v2",
        "_op_imma_v2",
    ];
    if SURE.iter().filter_map(|unit| instructions(unit)).any(|count| count > 0.0) {
        return Some(true);
    }
    let cycles = values.first([
        "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_subpipe_hmma_cycles_active.avg.pct_of_peak_sustained_active",
    ]);
    let issued = values.first([
        "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_tensor_subpipe_hmma.avg.pct_of_peak_sustained_active",
    ]);
    let half = ["_op_hmma", "_op_hmma_v2", "_subpipe_hmma", ""].into_iter().filter_map(instructions);
    let half = half.chain(cycles).reduce(f64::max);
    let pipe = values.first([
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    ]);
    let is_idle = match pipe {
        Some(percent) => percent <= 0.0,
        None => half? <= 0.0,
    };
    if is_idle {
        return Some(false);
    }
    let is_before_8 = capability.and_then(|text| text.parse::<f64>().ok()).is_some_and(|number| number < 8.0);
    if half.is_some_and(|half| half > 0.0) && is_before_8 {
        return Some(true);
    }
    let ratio = match (cycles, issued) {
        (Some(cycles), Some(issued)) if cycles > 0.0 && issued > 0.0 => Some((cycles / issued, issued)),
        _ => None,
    };
    let is_long =
        |(cycles, issued): (f64, f64)| issued >= LEAST_PIPE_PERCENT && cycles >= LEAST_CYCLES_OF_MMA;
    let is_short = |(cycles, _): (f64, f64)| cycles < LEAST_CYCLES_OF_MMA;
    let is_busy = pipe.is_some_and(|percent| percent >= SURE_PIPE_PERCENT);
    (ratio.is_some_and(is_long) || is_busy && !ratio.is_some_and(is_short)).then_some(true)
}
