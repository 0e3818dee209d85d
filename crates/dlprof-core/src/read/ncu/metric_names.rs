//! Names of metrics: labels of the details page become names, and which of them figures need.

/// What the details page calls a metric, for the sections that figures use, from the section files of 2019.5 to 2025.
const LABELS: [(&str, &str); 36] = [
    ("Duration", "gpu__time_duration.sum"),
    ("Elapsed Cycles", "gpc__cycles_elapsed.max"),
    ("SM Active Cycles", "sm__cycles_active.avg"),
    ("Total SM Elapsed Cycles", "sm__cycles_elapsed.sum"),
    ("Total DRAM Elapsed Cycles", "dram__cycles_elapsed.sum"),
    ("SM Frequency", "gpc__cycles_elapsed.avg.per_second"),
    ("DRAM Frequency", "dram__cycles_elapsed.avg.per_second"),
    ("Memory Frequency", "dram__cycles_elapsed.avg.per_second"),
    ("SM [%]", SM),
    ("SOL SM", SM),
    ("Compute (SM) [%]", SM),
    ("Compute (SM) Throughput", SM),
    ("Memory [%]", MEMORY),
    ("SOL Memory", MEMORY),
    ("SOL FB", DRAM),
    ("SOL DRAM", DRAM),
    ("DRAM Throughput", DRAM),
    ("SOL L2", L2),
    ("SOL L2 Cache", L2),
    ("L2 Cache Throughput", L2),
    ("SOL TEX", L1),
    ("SOL L1/TEX Cache", L1),
    ("L1/TEX Cache Throughput", L1),
    ("Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    ("Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"),
    ("Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"),
    ("Waves Per SM", "launch__waves_per_multiprocessor"),
    ("Block Size", "launch__block_size"),
    ("Grid Size", "launch__grid_size"),
    ("Threads", "launch__thread_count"),
    ("Registers Per Thread", "launch__registers_per_thread"),
    ("# SMs", "launch__sm_count"),
    ("L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"),
    ("L2 Hit Rate", "lts__t_sector_hit_rate.pct"),
    ("Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"),
    ("One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"),
];

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const DRAM: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
const L1: &str = "l1tex__throughput.avg.pct_of_peak_sustained_active";

/// The sections whose labels are known.
const SECTIONS: [&str; 6] =
    ["Launch", "Occupancy", "GPU Speed", "Memory Workload Analysis", "Warp", "Scheduler"];

/// The name of the metric of a cell of the details page. Labels of other sections are told apart by section and body item.
pub(super) fn metric_name(label: &str, section: &str, body_item: &str, base_unit: &str) -> String {
    if let Some(name) = behind_label(label) {
        return name.into();
    }
    if label.contains("__") {
        return label.into();
    }
    if label == "Memory Throughput" {
        return if base_unit == "byte/s" { "dram__bytes.sum.per_second" } else { MEMORY }.into();
    }
    let known = LABELS.iter().find(|(known, _)| *known == label);
    match known.filter(|_| SECTIONS.iter().any(|known| section.starts_with(known))) {
        Some((_, name)) => (*name).into(),
        None if body_item.is_empty() => format!("{section}/{label}"),
        None => {
            let all = format!("{section}/{label}");
            all.replacen('/', &format!("/{body_item}/"), 1)
        }
    }
}

/// The metric of `Label (metric)`.
fn behind_label(label: &str) -> Option<&str> {
    let inner = label.strip_suffix(')')?;
    let (_, name) = inner.split_at_checked(inner.rfind(" (")?)?;
    let name = &name[2..];
    let (stem, rest) = name.split_once("__")?;
    let is_stem = |extra: &str| {
        !stem.is_empty() && stem.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || extra.contains(c))
    };
    let is_word = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    let plain = is_stem(":") && !rest.is_empty() && rest.chars().all(is_word);
    let lower = is_stem("") && !stem.chars().any(|c| c.is_ascii_uppercase()) && !rest.contains(['(', ')']);
    (plain || lower).then_some(name)
}

/// Whether figures need a metric.
pub(super) fn is_needed(name: &str) -> bool {
    NEEDED.contains(&name) || NEEDED_STARTS.iter().any(|start| name.starts_with(start))
}

/// Metrics that figures use, where they have no common start.
const NEEDED: [&str; 23] = [
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__maximum_warps_per_active_cycle_pct",
    "lts__t_bytes.sum",
    "lts__t_sectors.sum",
    "derived__lts__lts2xbar_bytes.sum.per_second",
    "lts__lts2xbar_cycles_active.sum.per_second",
    "l1tex__m_xbar2l1tex_read_bytes.sum",
    "l1tex__m_l1tex2xbar_write_bytes.sum",
    "l1tex__t_bytes.sum",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "smsp__issue_active.avg.per_cycle_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sass__thread_inst_executed_true_per_opcode",
    "sass__inst_executed_per_opcode_with_modifier_all",
    "sass__inst_executed_per_opcode_with_modifier_selective",
    "sass__inst_executed_per_opcode",
    "sm__cycles_active.avg",
];

/// How the names of the other metrics begin that figures use.
const NEEDED_STARTS: [&str; 23] = [
    "gpu__time_duration",
    "smsp__cycles_elapsed.",
    "sm__cycles_elapsed.",
    "gpc__cycles_elapsed.",
    "dram__cycles_elapsed.",
    "dram__bytes",
    "l1tex__lsu_writeback_active",
    "smsp__sass_thread_inst_executed_op_",
    "sm__sass_thread_inst_executed_op_",
    "sm__ops_path_tensor_",
    "sm__inst_executed_pipe_tensor",
    "smsp__inst_executed_pipe_tensor",
    "sm__pipe_tensor",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st",
    "smsp__average_warps_issue_stalled_",
    "launch__",
];
