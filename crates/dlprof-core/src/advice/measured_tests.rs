//! What rules say of kernels and ops that Nsight Compute measured, and where they fall silent. Every log is drawn beside its capture.

use super::finding::Measure;
use super::{Finding, Judged};
use crate::base::time::Ns;
use crate::capture::correlate::TensorCores;
use crate::figures::measured::{measured_kernels, measured_ops};
use crate::pictures::roofline::{MemoryLevel, roofline_of_ops};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use crate::tests::drawn::Drawn;
use std::fmt::Write as _;

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const DRAM: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
const WAVES: &str = "launch__waves_per_multiprocessor";
const MATRIX_OPS: &str = "sm__ops_path_tensor_src_int8.sum";
const PIPE: &str = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
const USED_LD: &str = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
const USED_ST: &str = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct";
const SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const SECTORS_ST: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const REQUESTS: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";
const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ISSUE: &str = "smsp__issue_active.avg.pct_of_peak_sustained_active";
const LATENCY: &str = "smsp__average_warp_latency_per_inst_issued.ratio";
const LONG_SCOREBOARD: &str = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
const BARRIER: &str = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
const READ: &str = "dram__bytes_read.sum";
const WRITE: &str = "dram__bytes_write.sum";
const ADDS: &str = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
const MULS: &str = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
const FMAS: &str = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

/// Launches of each kernel of a drawing.
const LAUNCHES: usize = 10;
/// Time of a launch of each of the two kernels together.
const BOTH_NS: Ns = 100_000;
/// All the time of kernel `hot`, which has 90 % of the kernel time.
const HOT_NS: Ns = 900_000;

type Values<'a> = &'a [(&'a str, f64)];

/// Launches of a kernel as a log has them.
#[derive(Clone, Copy)]
struct Logged<'a> {
    kernel: &'a str,
    grid: &'a str,
    launches: usize,
    values: Values<'a>,
}

/// Ten launches of kernel `hot`, one for each of the capture.
fn hot(values: Values<'_>) -> Logged<'_> {
    Logged { kernel: "hot", grid: "(1, 1, 1)", launches: LAUNCHES, values }
}

/// A log of page raw, in base units; all launches have the metrics of the first.
fn log(launches: &[Logged<'_>]) -> String {
    let names: Vec<&str> = launches[0].values.iter().map(|(name, _)| *name).collect();
    let mut text = String::from(
        "==PROF== Connected to process 7\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\
         \"Block Size\",\"Grid Size\",\"Device\"",
    );
    names.iter().for_each(|name| _ = write!(text, ",\"{name}\""));
    text += "\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"";
    names.iter().for_each(|_| text += ",\"\"");
    text.push('\n');
    for (id, one) in launches.iter().flat_map(|one| std::iter::repeat_n(one, one.launches)).enumerate() {
        let Logged { kernel, grid, values, .. } = one;
        assert!(names.iter().copied().eq(values.iter().map(|(name, _)| *name)), "one header for all");
        _ = write!(
            text,
            "\"{id}\",\"7\",\"python\",\"host\",\"{kernel}\",\"1\",\"7\",\"(32, 1, 1)\",\"{grid}\",\"0\""
        );
        values.iter().for_each(|(_, value)| _ = write!(text, ",\"{value}\""));
        text.push('\n');
    }
    text
}

fn of_drawing(drawn: Drawn, log: &str) -> Judged {
    let index = drawn.capture_counted(log).index(&KeyNodeChoice::None).expect("an index");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// Ten launches of kernel `hot`, each so long, and ten of kernel `rest` for the rest of the time.
fn two_kernels(mut drawn: Drawn, hot_ns: Ns) -> Drawn {
    for launch in 0..10 {
        let start = 100_000 + launch * 2 * BOTH_NS;
        drawn.launch(start..start + 3_000, "hot", start + 5_000..start + 5_000 + hot_ns);
        let rest = start + 5_000 + hot_ns;
        drawn.launch(start + 3_000..start + 4_000, "rest", rest..start + 5_000 + BOTH_NS);
    }
    drawn
}

/// What a rule finds beside launches of a log.
fn found_in(id: &str, launches: &[Logged<'_>]) -> Option<Finding> {
    named(&of_drawing(two_kernels(Drawn::new(), 90_000), &log(launches)), id)
}

/// What a rule finds of kernel `hot`.
fn found(id: &str, values: Values<'_>) -> Option<Finding> {
    found_in(id, &[hot(values)])
}

fn named(judged: &Judged, id: &str) -> Option<Finding> {
    judged.findings().iter().find(|finding| finding.id == id).cloned()
}

/// The same values, some of them others.
fn but<'a>(values: Values<'a>, others: Values<'a>) -> Vec<(&'a str, f64)> {
    let other = |name: &str| others.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    assert!(others.iter().all(|(name, _)| values.iter().any(|(known, _)| known == name)), "{others:?}");
    values.iter().map(|(name, value)| (*name, other(name).unwrap_or(*value))).collect()
}

/// A rule falls silent where some values are others.
fn is_silent(id: &str, values: Values<'_>, others: Values<'_>) {
    assert_eq!(found(id, &but(values, others)), None, "{id}: {others:?}");
}

fn figure(finding: &Finding, name: &str) -> f64 {
    match finding.figures.iter().find(|(known, _)| known == name) {
        Some((_, Measure::Number(number))) => *number,
        other => panic!("{name}: {other:?}"),
    }
}

fn check_figures(finding: &Finding, wanted: Values<'_>) {
    for (name, value) in wanted {
        let found = figure(finding, name);
        assert!((found - value).abs() < 1e-9, "{name} is {found}, wanted {value}");
    }
}

/// At most this much is saved; nothing is promised.
fn check_saving(finding: &Finding, upper_ns: Option<Ns>) {
    let saving = finding.saving.as_ref();
    assert_eq!(saving.and_then(|saving| saving.expected_ns), None);
    assert_eq!(saving.and_then(|saving| saving.upper_ns), upper_ns, "{finding:?}");
}

/// The kernels that a finding is about, and where they are listed.
fn check_kernels(finding: &Finding, kernels: &[&str]) {
    let values: Vec<&str> = finding.evidence.iter().map(|evidence| evidence.value.as_str()).collect();
    assert_eq!(values, kernels);
    let is_place = |place: &super::finding::Evidence| {
        (&*place.table, &*place.column) == ("ncu_kernels", "long_kernel_name")
    };
    assert!(finding.evidence.iter().all(is_place), "{finding:?}");
}

fn check_words(finding: &Finding, words: &str) {
    assert_eq!(finding.problem.to_string(), words);
}

const IDLE_PIPE: Values<'_> = &[(SM, 40.0), (MEMORY, 30.0), (WAVES, 2.0), (MATRIX_OPS, 4096.0), (PIPE, 19.9)];

#[test]
fn tensor_cores_that_wait_are_named() {
    const ID: &str = "tensor_pipe_idle";
    let finding = found(ID, IDLE_PIPE).expect("it fires");
    check_words(
        &finding,
        "`hot`, 90.0% of the kernel time, runs on Tensor Cores, but their pipe works in 19.9% of its cycles",
    );
    check_figures(&finding, &[("kernel_percent", 90.0), ("tensor_active_percent", 19.9)]);
    check_kernels(&finding, &["hot"]);
    // 40 of 80 % are used.
    check_saving(&finding, Some(HOT_NS / 2));
    is_silent(ID, IDLE_PIPE, &[(PIPE, 20.0)]);
    is_silent(ID, IDLE_PIPE, &[(MATRIX_OPS, 0.0)]);
    is_silent(ID, IDLE_PIPE, &[(MEMORY, 80.0)]);
    is_silent(ID, IDLE_PIPE, &[(WAVES, 0.99)]);
    // Memory is at its limit from 80 % on; before, it may be the larger side and still not be what limits.
    let balanced = found(ID, &but(IDLE_PIPE, &[(SM, 60.0), (MEMORY, 64.0)])).expect("it is balanced");
    check_saving(&balanced, Some(HOT_NS / 5));
    is_silent(ID, IDLE_PIPE, &[(SM, 60.0), (MEMORY, 79.0)]);
}

/// Ten launches of a kernel whose name says that it runs on Tensor Cores, and whose pipe is in use to 4 %, which tells nothing.
#[test]
fn what_a_name_says_of_tensor_cores_is_not_measured() {
    const GEMM: &str = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn";
    let of = |values: Values<'_>| {
        let mut drawn = Drawn::new();
        for launch in 0..10 {
            let start = 100_000 + launch * 200_000;
            drawn.launch(start..start + 3_000, GEMM, start + 5_000..start + 95_000);
        }
        of_drawing(drawn, &log(&[Logged { kernel: GEMM, ..hot(values) }]))
    };
    let by_name = of(&[(SM, 40.0), (MEMORY, 30.0), (WAVES, 2.0), (PIPE, 4.0)]);
    let kernel = &measured_kernels(&by_name)[0];
    assert_eq!((kernel.tensor_cores, kernel.figures.tensor_cores), (Some(TensorCores::Used), None));
    assert_eq!(named(&by_name, "tensor_pipe_idle"), None);
    let measured = of(&[(SM, 40.0), (MEMORY, 30.0), (WAVES, 2.0), (PIPE, 4.0), (MATRIX_OPS, 4096.0)]);
    assert!(named(&measured, "tensor_pipe_idle").is_some());
}

#[test]
fn a_kernel_at_the_roof_of_dram_promises_nothing() {
    const ID: &str = "at_memory_roof";
    let finding = found(ID, &[(DRAM, 80.0)]).expect("it fires");
    check_words(&finding, "`hot`, 90.0% of the kernel time, uses 80.0% of what DRAM can do");
    check_figures(&finding, &[("kernel_percent", 90.0), ("dram_percent", 80.0)]);
    check_kernels(&finding, &["hot"]);
    assert_eq!(finding.saving, None);
    is_silent(ID, &[(DRAM, 80.0)], &[(DRAM, 79.99)]);
}

const SCATTERED: Values<'_> = &[(MEMORY, 60.0), (USED_LD, 100.0), (USED_ST, 49.0)];

#[test]
fn scattered_accesses_move_bytes_that_no_thread_asked_for() {
    const ID: &str = "uncoalesced";
    let finding = found(ID, SCATTERED).expect("stores are scattered");
    check_words(
        &finding,
        "`hot`, 90.0% of the kernel time: its stores use 49.0% of the bytes that they move",
    );
    check_figures(&finding, &[("kernel_percent", 90.0), ("sector_use_percent", 49.0)]);
    check_kernels(&finding, &["hot"]);
    check_saving(&finding, Some(HOT_NS * 51 / 100));
    is_silent(ID, SCATTERED, &[(USED_ST, 50.0)]);
    is_silent(ID, SCATTERED, &[(MEMORY, 59.9)]);
    let worse = found(ID, &but(SCATTERED, &[(USED_LD, 25.0)])).expect("loads are worse");
    check_saving(&worse, Some(HOT_NS * 3 / 4));
}

/// Loads and stores weigh as many sectors as they move.
#[test]
fn a_few_scattered_stores_are_no_scattered_accesses() {
    const ID: &str = "uncoalesced";
    let values = [(MEMORY, 90.0), (USED_LD, 100.0), (USED_ST, 25.0), (SECTORS, 1e6), (SECTORS_ST, 10.0)];
    assert_eq!(found(ID, &values), None);
    let many = found(ID, &but(&values, &[(SECTORS_ST, 9e6)])).expect("nine of ten sectors are stored");
    check_words(&many, "`hot`, 90.0% of the kernel time, uses 32.5% of the bytes that its accesses move");
    check_figures(&many, &[("sector_use_percent", 32.5)]);
    check_saving(&many, Some(HOT_NS * 675 / 1000));
    let none = but(&values, &[(SECTORS_ST, 0.0), (USED_LD, 40.0)]);
    check_figures(&found(ID, &none).expect("there are loads alone"), &[("sector_use_percent", 40.0)]);
}

/// A use of 0 is unknown: sectors for each request tell.
#[test]
fn sectors_of_a_request_tell_where_their_use_is_unknown() {
    const ID: &str = "uncoalesced";
    let values = [(MEMORY, 60.0), (USED_LD, 0.0), (SECTORS, 640.0), (REQUESTS, 20.0)];
    let finding = found(ID, &values).expect("32 sectors each");
    check_figures(&finding, &[("sectors_per_request", 32.0)]);
    assert!(!finding.figures.iter().any(|(name, _)| name == "sector_use_percent"), "it is unknown");
    check_words(
        &finding,
        "`hot`, 90.0% of the kernel time: its loads take 32.0 sectors for a request, so that threads use at most 50.0% of them",
    );
    check_saving(&finding, Some(HOT_NS / 2));
    is_silent(ID, &values, &[(SECTORS, 320.0)]);
    is_silent(ID, &values, &[(USED_LD, 50.0)]);
}

const FEW_WARPS: Values<'_> =
    &[(SM, 30.0), (MEMORY, 20.0), (WAVES, 2.0), (THEORETICAL, 100.0), (ACHIEVED, 89.5)];

#[test]
fn warps_that_fit_and_are_not_there_are_named() {
    const ID: &str = "occupancy_not_reached";
    let finding = found(ID, FEW_WARPS).expect("it fires");
    check_words(
        &finding,
        "`hot`, 90.0% of the kernel time, has 89.5% of the warps that fit, though 100.0% could be there",
    );
    check_figures(&finding, &[("kernel_percent", 90.0), ("occupancy_points", 10.5)]);
    check_kernels(&finding, &["hot"]);
    assert_eq!(finding.saving, None);
    is_silent(ID, FEW_WARPS, &[(ACHIEVED, 90.0)]);
    is_silent(ID, FEW_WARPS, &[(SM, 60.0)]);
    is_silent(ID, FEW_WARPS, &[(WAVES, 0.5)]);
}

/// `hot` has a block more than two for each of its 108 multiprocessors, if it is uneven, and `other` two.
fn uneven(is_uneven: bool) -> Judged {
    let mut drawn = Drawn::new();
    drawn.multiprocessors(108);
    for launch in 0..10 {
        let start = 100_000 + launch * 200_000;
        drawn.grid(if is_uneven { 217 } else { 216 }, 1024);
        drawn.launch(start..start + 3_000, "hot", start + 5_000..start + 65_000);
        drawn.grid(216, 1024);
        drawn.launch(start + 3_000..start + 4_000, "other", start + 65_000..start + 105_000);
    }
    let launches = [
        Logged {
            kernel: "hot",
            grid: if is_uneven { "(217, 1, 1)" } else { "(216, 1, 1)" },
            ..hot(FEW_WARPS)
        },
        Logged { kernel: "other", grid: "(216, 1, 1)", ..hot(FEW_WARPS) },
    ];
    of_drawing(drawn, &log(&launches).replace("(32, 1, 1)", "(1024, 1, 1)"))
}

#[test]
fn warps_that_uneven_grids_leave_out_are_not_named_twice() {
    let (even, uneven) = (uneven(false), uneven(true));
    let of = |judged: &Judged| named(judged, "occupancy_not_reached").expect("it fires");
    assert_eq!(named(&even, "tail_heavy"), None);
    check_kernels(&of(&even), &["hot", "other"]);
    assert!(named(&uneven, "tail_heavy").is_some());
    check_kernels(&of(&uneven), &["other"]);
}

const WAITING: Values<'_> =
    &[(SM, 30.0), (MEMORY, 20.0), (WAVES, 2.0), (ISSUE, 79.5), (LATENCY, 10.0), (LONG_SCOREBOARD, 3.5)];

#[test]
fn kernels_that_wait_say_for_what() {
    const ID: &str = "latency_bound";
    let finding = found(ID, WAITING).expect("it fires");
    check_words(
        &finding,
        "`hot`, 90.0% of the kernel time, waits: 35.0% of the time between two instructions for data from global or local memory \
         (`long_scoreboard`)",
    );
    check_figures(&finding, &[("kernel_percent", 90.0), ("top_stall_percent", 35.0)]);
    check_figures(&finding, &[("issue_active_percent", 79.5)]);
    check_kernels(&finding, &["hot"]);
    // 30 of 60 % are used.
    check_saving(&finding, Some(HOT_NS / 2));
    is_silent(ID, WAITING, &[(ISSUE, 80.0)]);
    is_silent(ID, WAITING, &[(LONG_SCOREBOARD, 3.0)]);
    is_silent(ID, WAITING, &[(MEMORY, 60.0)]);
    is_silent(ID, WAITING, &[(WAVES, 0.5)]);
}

/// Six launches wait for memory to 35 %, and four for a barrier to 95 %, which are 38 % of all: more than 21 %.
#[test]
fn the_wait_that_is_named_is_the_one_whose_share_is_said() {
    let both = |long_scoreboard, barrier| {
        let mut values = WAITING.to_vec();
        values.retain(|(name, _)| *name != LONG_SCOREBOARD);
        values.extend([(LONG_SCOREBOARD, long_scoreboard), (BARRIER, barrier)]);
        values
    };
    let (memory, barrier) = (both(3.5, 0.1), both(0.1, 9.5));
    let launches = [Logged { launches: 6, ..hot(&memory) }, Logged { launches: 4, ..hot(&barrier) }];
    let finding = found_in("latency_bound", &launches).expect("it fires");
    check_figures(&finding, &[("top_stall_percent", 38.0)]);
    let words = finding.problem.to_string();
    assert!(words.contains("waits: 38.0% of the time") && words.contains("(`barrier`)"), "{words}");
}

#[test]
fn several_kernels_are_one_finding_and_save_together() {
    let idle = hot(IDLE_PIPE);
    let rest = Logged { kernel: "rest", ..idle };
    let finding = found_in("tensor_pipe_idle", &[idle, rest]).expect("it fires");
    assert!(finding.problem.to_string().ends_with("of its cycles, and one other"), "{}", finding.problem);
    check_kernels(&finding, &["hot", "rest"]);
    check_saving(&finding, Some(10 * BOTH_NS / 2));
}

#[test]
fn kernels_of_less_than_a_twentieth_are_not_named() {
    let of = |hot_ns| {
        let judged = of_drawing(two_kernels(Drawn::new(), hot_ns), &log(&[hot(&[(DRAM, 90.0)])]));
        named(&judged, "at_memory_roof")
    };
    assert!(of(5_000).is_some());
    assert_eq!(of(4_990), None);
}

/// Launches that were not measured one by one count if they are alike; those of another size never do.
#[test]
fn counters_must_be_of_the_kernels_own_size() {
    let with_bytes = |bytes: f64| [(DRAM, 90.0), (READ, bytes), (WRITE, 0.0)];
    let spread = |most: f64| {
        let (few, many) = (with_bytes(100.0), with_bytes(most));
        let one = Logged { launches: 1, ..hot(&few) };
        found_in("at_memory_roof", &[one, Logged { values: &many, ..one }])
    };
    // 22 more than 100 are 19.8 % of the mean, 23 are 20.6 %.
    assert!(spread(122.0).is_some());
    assert_eq!(spread(123.0), None);
    let use_alone = |most: f64| {
        let (few, many) = ([(DRAM, 90.0), (SM, 10.0)], [(DRAM, 90.0), (SM, most)]);
        let one = Logged { launches: 1, ..hot(&few) };
        found_in("at_memory_roof", &[one, Logged { values: &many, ..one }])
    };
    assert!(use_alone(12.0).is_some());
    assert_eq!(use_alone(30.0), None, "nothing was counted, and the launches are not alike");
    let other_size = Logged { grid: "(2, 1, 1)", ..hot(&[(DRAM, 90.0)]) };
    assert_eq!(found_in("at_memory_roof", &[other_size]), None);
}

/// FLOP and bytes of a product of two matrices of 64 × 64 numbers in FP32.
const FLOP: f64 = 2.0 * 64.0 * 64.0 * 64.0;
const BYTES: f64 = 3.0 * 64.0 * 64.0 * 4.0;

const PRODUCT: &str = "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (64, 64), 'dtype': 'float32'}, \
                       {'name': '', 'type': 'tensor', 'shape': (64, 64), 'dtype': 'float32'}]}";

/// Ten such products in kernel `hot`, of which so much was counted for each.
fn products(flop: f64, bytes: f64) -> Option<Finding> {
    let mut drawn = Drawn::new();
    for call in 0..10 {
        let start = 100_000 + call * 200_000;
        drawn.range(PRODUCT, start..start + 50_000);
        drawn.launch(start + 10_000..start + 20_000, "hot", start + 60_000..start + 150_000);
    }
    let values = [
        (ADDS, 0.0),
        (MULS, 0.0),
        (FMAS, flop / 2.0),
        (READ, bytes / 2.0),
        (WRITE, bytes / 2.0),
        (PIPE, 0.0),
    ];
    let judged = of_drawing(drawn, &log(&[hot(&values)]));
    assert_eq!(judged.op_work().len(), 10, "the work of each call follows from its shapes");
    named(&judged, "more_work_than_shapes")
}

#[test]
fn ops_that_do_more_than_their_shapes_ask_for_are_named() {
    let finding = products(1.75 * FLOP, BYTES).expect("it computes more");
    check_figures(&finding, &[("flop_ratio", 1.75)]);
    assert!(
        finding.problem.to_string().ends_with("computes 1.8 times what its shapes ask for"),
        "{}",
        finding.problem
    );
    // Each call is an op of its own; the first five are named.
    assert_eq!(finding.evidence.len(), 5, "{finding:?}");
    assert_eq!((&*finding.evidence[0].table, &*finding.evidence[0].column), ("ncu_ops", "op_id"));
    assert_eq!(finding.saving, None);
    let bytes = products(FLOP, 3.25 * BYTES).expect("it moves more");
    check_figures(&bytes, &[("bytes_ratio", 3.25)]);
    assert!(
        bytes.problem.to_string().ends_with("moves 3.2 times the bytes that its shapes ask for"),
        "{}",
        bytes.problem
    );
    assert_eq!(products(1.5 * FLOP, 3.0 * BYTES), None);
}

/// Each product is kernel `hot` for 95 µs, of which only bytes were counted, and kernel `rest` for 5 µs. The FLOP of the latter are not
/// those of the op, and no figure has the FLOP of one and the bytes of the other.
#[test]
fn counts_of_a_part_of_an_op_are_not_scaled_to_all_of_it() {
    let mut drawn = Drawn::new();
    for call in 0..10 {
        let start = 100_000 + call * 200_000;
        drawn.range(PRODUCT, start..start + 50_000);
        drawn.launch(start + 10_000..start + 20_000, "hot", start + 60_000..start + 155_000);
        drawn.launch(start + 20_000..start + 30_000, "rest", start + 155_000..start + 160_000);
    }
    // `NaN` is no number of a log.
    let unknown =
        [(ADDS, f64::NAN), (MULS, f64::NAN), (FMAS, f64::NAN), (READ, 2e6), (WRITE, 0.0), (PIPE, 0.0)];
    let known = [(ADDS, 60_000.0), (MULS, 0.0), (FMAS, 0.0), (READ, 1e4), (WRITE, 2e4), (PIPE, 0.0)];
    let launches = [hot(&unknown), Logged { kernel: "rest", ..hot(&known) }];
    let judged = of_drawing(drawn, &log(&launches));
    let op = &measured_ops(&judged)[0];
    let figures = op.figures.as_ref().expect("all kernels are in the log");
    assert_eq!((op.gpu_time_ns, op.flop, op.flop_ratio()), (100_000, Some(60_000.0), None));
    assert_eq!((figures.flop_percent, figures.bytes_percent, figures.counted_percent), (5.0, 100.0, 5.0));
    assert_eq!((op.dram_bytes, op.bytes_ratio()), (Some(2.03e6), Some(2.03e6 / BYTES)));
    assert_eq!(figures.intensity, Some(2.0));
    let roofline = roofline_of_ops(&judged, &[MemoryLevel::Dram]).expect("counters");
    let point = &roofline.points[0];
    let per_byte =
        point.flop_per_s.expect("FLOP") / point.bytes_per_s[MemoryLevel::Dram as usize].expect("bytes");
    assert!((per_byte - 2.0).abs() < 1e-9, "{point:?}");
}
