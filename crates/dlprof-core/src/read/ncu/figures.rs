//! What follows from the metrics of a launch, each figure from the first metric that has a value.

use super::launch_figures::{FlopSource, NcuBound, NcuFigures, TensorPrecision};
use super::opcodes::{FP16, FP32, FP64, vector_flop};
use super::tensor::{precision_of, tensor_use};
use super::values::Values;

/// Bytes of a sector.
const SECTOR_BYTES: f64 = 32.0;
/// Bytes that L1 writes back in a cycle.
const WRITEBACK_BYTES: f64 = 128.0;
/// The longest launch that is read, nearly four months; a longer one is unknown.
const LONGEST_NS: f64 = 1e16;
/// DRAM use below this many percent is too inexact to tell what would be all of it.
const LEAST_PERCENT_FOR_ROOF: f64 = 1.0;
/// FLOP of an add, a mul and a fused one, of one thread; instructions of FP16 work on two halves.
const WEIGHTS: [(&str, [f64; 3]); 3] =
    [("f", [1.0, 1.0, 2.0]), ("d", [1.0, 1.0, 2.0]), ("h", [2.0, 2.0, 4.0])];

/// The figures of a launch.
pub(super) fn figures_of(values: &Values<'_>, capability: Option<&str>) -> NcuFigures {
    let mut figures = NcuFigures::default();
    times(values, &mut figures);
    bytes(values, &mut figures);
    flop(values, capability, &mut figures);
    roofs(values, &mut figures);
    shares(values, &mut figures);
    accesses(values, &mut figures);
    stalls(values, &mut figures);
    figures
}

fn times(values: &Values<'_>, figures: &mut NcuFigures) {
    let duration = values.first([
        "gpu__time_duration.sum",
        "gpu__time_duration.avg",
        "gpu__time_duration.max",
        "gpu__time_duration_measured_wallclock.sum",
    ]);
    let hz = values.first([
        "smsp__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.avg.per_second",
        "gpc__cycles_elapsed.avg.per_second",
    ]);
    let cycles =
        values.first(["sm__cycles_elapsed.max", "sm__cycles_elapsed.avg", "gpc__cycles_elapsed.max"]);
    let positive = |value: Option<f64>| value.filter(|value| *value > 0.0);
    let from_cycles = || Some(positive(cycles)? / positive(duration)? * 1e9);
    figures.sm_hz = hz.or_else(from_cycles);
    figures.duration_ns = (duration.or_else(|| Some(positive(cycles)? / positive(hz)? * 1e9)))
        .filter(|ns| (0.0..=LONGEST_NS).contains(ns));
    figures.sm_cycles = cycles;
    figures.sm_active_cycles = values.get("sm__cycles_active.avg");
}

/// Seconds of the launch.
fn seconds(figures: &NcuFigures) -> Option<f64> {
    figures.duration_ns.filter(|ns| *ns > 0.0).map(|ns| ns * 1e-9)
}

fn bytes(values: &Values<'_>, figures: &mut NcuFigures) {
    let seconds = seconds(figures);
    let rate = |name: &str| Some(values.get(name)? * seconds?);
    let read = values.first(["dram__bytes_read.sum", "dram__bytes_op_read.sum"]);
    let write = values.first(["dram__bytes_write.sum", "dram__bytes_op_write.sum"]);
    let read = read
        .or_else(|| rate("dram__bytes_read.sum.per_second"))
        .or_else(|| rate("dram__bytes_op_read.sum.per_second"));
    let write = write
        .or_else(|| rate("dram__bytes_write.sum.per_second"))
        .or_else(|| rate("dram__bytes_op_write.sum.per_second"));
    (figures.dram_read_bytes, figures.dram_write_bytes) = (read, write);
    figures.dram_bytes = (read.zip(write).map(|(read, write)| read + write))
        .or_else(|| values.get("dram__bytes.sum"))
        .or_else(|| rate("dram__bytes.sum.per_second"));
    let between = || {
        let read = values.get("l1tex__m_xbar2l1tex_read_bytes.sum")?;
        Some(read + values.get("l1tex__m_l1tex2xbar_write_bytes.sum")?)
    };
    figures.l2_bytes = (values.get("lts__t_bytes.sum"))
        .or_else(|| values.get("lts__t_sectors.sum").map(|sectors| SECTOR_BYTES * sectors))
        .or_else(|| rate("derived__lts__lts2xbar_bytes.sum.per_second"))
        .or_else(|| rate("lts__lts2xbar_cycles_active.sum.per_second").map(|cycles| SECTOR_BYTES * cycles))
        .or_else(between);
    let writeback = ["_mem_lgds", "_mem_lg", ""]
        .into_iter()
        .find_map(|suffix| rate(&format!("l1tex__lsu_writeback_active{suffix}.sum.per_second")));
    figures.l1_bytes =
        values.get("l1tex__t_bytes.sum").or_else(|| writeback.map(|cycles| WRITEBACK_BYTES * cycles));
}

fn flop(values: &Values<'_>, capability: Option<&str>, figures: &mut NcuFigures) {
    let mut vector = WEIGHTS.map(|(letter, weights)| instructions(values, figures, letter, weights));
    if let Some(parts) = values.parts("sass__thread_inst_executed_true_per_opcode") {
        for precision in [FP32, FP64, FP16] {
            if vector[precision].is_none() {
                let flop = parts.iter().filter_map(|(opcode, count)| {
                    let (of, weight) = vector_flop(opcode)?;
                    (of == precision).then_some(weight * count)
                });
                vector[precision] = Some((flop.sum(), FlopSource::Opcodes));
            }
        }
    }
    let flop_of = |precision: usize| vector[precision].map(|(flop, _)| flop);
    let source_of = |precision: usize| vector[precision].map(|(_, source)| source);
    (figures.fp32_flop, figures.fp32_flop_source) = (flop_of(FP32), source_of(FP32));
    (figures.fp64_flop, figures.fp64_flop_source) = (flop_of(FP64), source_of(FP64));
    (figures.fp16_flop, figures.fp16_flop_source) = (flop_of(FP16), source_of(FP16));
    let tensor = tensor_use(values, capability);
    figures.tensor_flop = tensor.flop;
    figures.tensor_flop_source = tensor.flop_source;
    figures.tensor_cores = tensor.is_used;
    figures.tensor_cores_evidence = tensor.evidence;
    figures.tensor_active_percent = tensor.active_percent;
    figures.tensor_elapsed_percent = tensor.elapsed_percent;
    let on_tensor_cores =
        figures.tensor_flop_sum().or_else(|| (figures.tensor_cores == Some(false)).then_some(0.0));
    figures.flop = figures.vector_flop().zip(on_tensor_cores).map(|(vector, tensor)| vector + tensor);
    if figures.flop.is_some() {
        let lacks = [("fp16", figures.fp16_flop), ("fp64", figures.fp64_flop)];
        figures.flop_lacks =
            lacks.iter().filter(|(_, flop)| flop.is_none()).map(|(name, _)| (*name).into()).collect();
    }
}

/// FLOP of a precision from the counters of its three instructions.
fn instructions(
    values: &Values<'_>,
    figures: &NcuFigures,
    letter: &str,
    weights: [f64; 3],
) -> Option<(f64, FlopSource)> {
    let cycles = figures.sm_hz.zip(seconds(figures));
    let mut flop = 0.0;
    let mut source: Option<FlopSource> = None;
    for (kind, weight) in ["add", "mul", "fma"].into_iter().zip(weights) {
        let of = |unit: &str, end: &str| {
            values.get(&format!("{unit}__sass_thread_inst_executed_op_{letter}{kind}_pred_on.sum{end}"))
        };
        let counted = of("smsp", "").or_else(|| of("sm", "")).map(|count| (count, FlopSource::Counters));
        let (count, from) = counted.or_else(|| {
            let rate = of("smsp", ".per_cycle_elapsed").or_else(|| of("sm", ".per_cycle_elapsed"))?;
            let (hz, seconds) = cycles?;
            Some((rate * hz * seconds, FlopSource::Rates))
        })?;
        flop += weight * count;
        source = Some(source.map_or(from, |source| source.with(from)));
    }
    source.map(|source| (flop, source))
}

fn roofs(values: &Values<'_>, figures: &mut NcuFigures) {
    figures.dram_percent = values.first([
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    ]);
    let positive = |name: &str| values.get(name).filter(|value| *value > 0.0);
    let by_peak = || {
        Some(positive("dram__bytes.sum.peak_sustained")? * positive("dram__cycles_elapsed.avg.per_second")?)
    };
    let by_share = || {
        let percent = figures.dram_percent.filter(|percent| *percent >= LEAST_PERCENT_FOR_ROOF)?;
        Some(figures.dram_bytes_per_s().filter(|rate| *rate > 0.0)? / percent * 100.0)
    };
    figures.dram_roof_bytes_per_s = by_peak().or_else(by_share);
    let hz = positive("sm__cycles_elapsed.avg.per_second").or(figures.sm_hz);
    let peak = |letter: &str, weight: f64| {
        let name = format!("sm__sass_thread_inst_executed_op_{letter}fma_pred_on.sum.peak_sustained");
        Some(weight * positive(&name)? * hz?)
    };
    figures.fp32_roof_flop_per_s = peak("f", 2.0);
    figures.fp64_roof_flop_per_s = peak("d", 2.0);
    figures.fp16_roof_flop_per_s = peak("h", 4.0);
    let mut tensor: Vec<(TensorPrecision, f64)> = Vec::new();
    for (name, peak) in values.between("sm__ops_path_tensor_", "_sparsity_off.sum.peak_sustained") {
        let Some((peak, hz)) = peak.filter(|peak| *peak > 0.0).zip(hz) else { continue };
        let precision = precision_of(name);
        match tensor.iter_mut().find(|(known, _)| *known == precision) {
            Some((_, known)) => *known = known.max(peak * hz),
            None => tensor.push((precision, peak * hz)),
        }
    }
    tensor.sort_by_key(|(precision, _)| *precision);
    figures.tensor_roofs_flop_per_s = tensor;
}

fn shares(values: &Values<'_>, figures: &mut NcuFigures) {
    figures.sm_percent = values.get("sm__throughput.avg.pct_of_peak_sustained_elapsed");
    figures.memory_percent = values.get("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
    figures.l2_percent = values.get("lts__throughput.avg.pct_of_peak_sustained_elapsed");
    figures.l1_percent = values.get("l1tex__throughput.avg.pct_of_peak_sustained_active");
    figures.achieved_occupancy_percent = values.get("sm__warps_active.avg.pct_of_peak_sustained_active");
    figures.theoretical_occupancy_percent = values.get("sm__maximum_warps_per_active_cycle_pct");
    figures.waves = values.get("launch__waves_per_multiprocessor");
    figures.issue_active_percent = (values.get("smsp__issue_active.avg.pct_of_peak_sustained_active"))
        .or_else(|| values.get("smsp__issue_active.avg.per_cycle_active").map(|share| 100.0 * share));
    figures.bound = NcuBound::of(figures.sm_percent, figures.memory_percent, figures.waves);
}

fn accesses(values: &Values<'_>, figures: &mut NcuFigures) {
    let of = |direction: &str| {
        let access = format!("pipe_lsu_mem_global_op_{direction}");
        let sectors = values.get(&format!("l1tex__t_sectors_{access}.sum"));
        let requests = values.get(&format!("l1tex__t_requests_{access}.sum")).filter(|count| *count > 0.0);
        let per_request = sectors
            .zip(requests)
            .map(|(sectors, requests)| sectors / requests)
            .or_else(|| values.get(&format!("l1tex__average_t_sectors_per_request_{access}.ratio")));
        let used = format!("smsp__sass_average_data_bytes_per_sector_mem_global_op_{direction}");
        let percent = match values.get(&format!("{used}.pct")) {
            Some(percent) => Some(percent),
            None => values.get(&format!("{used}.ratio")).map(|bytes| bytes / SECTOR_BYTES * 100.0),
        };
        (sectors, per_request, percent.filter(|percent| *percent > 0.0))
    };
    (figures.sectors_ld, figures.sectors_per_request_ld, figures.sector_use_percent_ld) = of("ld");
    (figures.sectors_st, figures.sectors_per_request_st, figures.sector_use_percent_st) = of("st");
}

fn stalls(values: &Values<'_>, figures: &mut NcuFigures) {
    let stalls = values.between("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");
    let known = stalls.into_iter().filter_map(|(reason, cycles)| Some((cycles?, reason)));
    let listed = known.filter(|(_, reason)| *reason != "selected" && !reason.contains("not_issued"));
    let top = listed.max_by(|(a, name_a), (b, name_b)| a.total_cmp(b).then(name_a.cmp(name_b)));
    let latency =
        values.get("smsp__average_warp_latency_per_inst_issued.ratio").filter(|cycles| *cycles > 0.0);
    figures.top_stall_percent = top.zip(latency).map(|((cycles, _), latency)| cycles / latency * 100.0);
    figures.top_stall = top.map(|(_, reason)| reason.to_owned());
}
