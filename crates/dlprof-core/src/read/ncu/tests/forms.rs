//! What each form of a log says, beside what the shared logs show.

use super::damaged::details;
use crate::base::NcuRefusal;
use crate::read::ncu::reading::Failure;
use crate::read::ncu::{NcuForm, NcuLog, read_bytes, read_from};

fn read(text: &str) -> NcuLog {
    read_bytes(text.as_bytes()).expect("a log")
}

fn refusal(text: &str) -> NcuRefusal {
    match read_from(text.as_bytes(), "", false) {
        Err(Failure::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_of_a_launch_become_its_figures() {
    let log = read(&details(2));
    assert_eq!((log.form, log.launches.len()), (NcuForm::Details, 2));
    let launch = &log.launches[1];
    assert_eq!(launch.figures.duration_ns, Some(1_234_500.0));
    assert_eq!(launch.figures.dram_read_bytes, Some(32770.0));
    assert_eq!(launch.figures.tensor_flop_sum(), Some(5.0 * 4096.0));
    assert_eq!(launch.figures.tensor_cores, Some(true));
    assert_eq!(launch.ranges[0].text.as_ref(), "step");
    assert_eq!((launch.grid, launch.threads, launch.blocks), (Some([1, 1, 1]), Some(128), Some(1)));
    assert_eq!((log.oddities.rules, log.oddities.prof_lines, log.oddities.other_lines), (2, 1, 1));
}

#[test]
fn launches_stand_beside_each_other_in_any_order() {
    let text = details(2);
    let (head, rows) = text.split_at(text.find("\"0\"").expect("rows"));
    let mut lines: Vec<&str> =
        rows.split_inclusive("\"\n").flat_map(|part| part.split_inclusive(",\n")).collect();
    lines.reverse();
    let turned = read(&format!("{head}{}", lines.concat()));
    let mut durations: Vec<_> =
        turned.launches.iter().map(|launch| (launch.id, launch.figures.duration_ns)).collect();
    durations.sort_by_key(|(id, _)| *id);
    assert_eq!(durations, [(Some(0), Some(1_234_500.0)), (Some(1), Some(1_234_500.0))]);
}

/// The first value of a metric counts, however far its launch stands from the second one.
#[test]
fn a_launch_is_known_when_the_log_comes_back_to_it() {
    let head = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let row = |id: u32, metric: &str, value: u32| format!("\"{id}\",\"f\",\"{metric}\",\"\",\"{value}\"\n");
    let (first, second) = ("dram__bytes_read.sum", "dram__bytes_write.sum");
    let rows = [
        row(0, first, 1),
        row(1, first, 2),
        row(0, second, 3),
        row(1, second, 4),
        row(0, first, 5),
        row(0, second, 3),
        row(1, second, 6),
    ];
    let log = read(&format!("{head}{}", rows.concat()));
    let bytes = |launch: usize| {
        let figures = &log.launches[launch].figures;
        (figures.dram_read_bytes, figures.dram_write_bytes)
    };
    assert_eq!((bytes(0), bytes(1)), ((Some(1.0), Some(3.0)), (Some(2.0), Some(4.0))));
    assert_eq!((log.launches[0].metrics.len(), log.oddities.conflicts), (2, 2));
}

#[test]
fn launches_of_a_row_may_have_groups_of_digits() {
    let head = "\"Kernel Name\",\"Device\",\"Invocations\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
    let row = |name: &str, count: &str| {
        format!("\"{name}\",\"0\",\"{count}\",\"gpu__time_duration.sum\",\"ns\",\"1\",\"1\",\"1\"\n")
    };
    let rows = [row("f", "1,200"), row("g", "1.200"), row("h", "600"), row("i", "several"), row("j", "")];
    let log = read(&format!("{head}{}", rows.concat()));
    let counts: Vec<u64> = log.launches.iter().map(|launch| launch.invocations).collect();
    assert_eq!(counts, [1200, 1200, 600, 1, 1]);
    assert_eq!(log.oddities.unread_counts, 1);
}

#[test]
fn matrix_instructions_that_never_ran_use_no_tensor_cores() {
    let log = read(&details(1).replace("8 (FFMA: 3; HMMA.16816.F32: 5)", "3 (FFMA: 3; HMMA.16816.F32: 0)"));
    let figures = &log.launches[0].figures;
    assert_eq!((figures.tensor_cores, figures.tensor_flop_sum()), (Some(false), Some(0.0)));
}

/// A name that extends another one counts a part of it, also where a third name stands between them in order.
#[test]
fn operations_of_parts_are_not_added_to_their_whole() {
    let head = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let row =
        |name: &str, value: u32| format!("\"0\",\"f\",\"sm__ops_path_tensor_{name}.sum\",\"\",\"{value}\"\n");
    let rows = [row("src_fp16", 8), row("src_fp16_dst_fp32", 6), row("src_fp16x", 1), row("src_int8", 4)];
    let log = read(&format!("{head}{}", rows.concat()));
    assert_eq!(log.launches[0].figures.tensor_flop_sum(), Some(13.0));
}

#[test]
fn a_second_table_numbers_its_launches_anew() {
    let log = read(&details(2).repeat(2));
    assert_eq!((log.blocks, log.launches.len()), (2, 4));
    assert_eq!(log.launches[2].block_number, 1);
}

#[test]
fn encodings_and_delimiters_make_no_difference() {
    let text = details(2);
    let plain = format!("{:?}", read(&text).launches);
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(format!("{:?}", read_bytes(&wide).expect("a log").launches), plain);
    let marked = read(&format!("\u{feff}{text}"));
    assert_eq!(format!("{:?}", marked.launches), plain);
    let windows = read(&text.replace('\n', "\r\n"));
    assert_eq!(format!("{:?}", windows.launches), plain);
}

#[test]
fn columns_may_stand_in_any_order() {
    let head = "\"Metric Value\",\"Metric Name\",\"Kernel Name\",\"Metric Unit\",\"ID\",\"Section Name\",\"Color\"\n";
    let log = read(&format!("{head}\"2\",\"gpu__time_duration.sum\",\"f\",\"us\",\"5\",\"S\",\"x\"\n"));
    assert_eq!((log.launches[0].id, log.launches[0].figures.duration_ns), (Some(5), Some(2000.0)));
}

#[test]
fn labels_of_sections_are_metrics() {
    let head = "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let row = |section: &str, label: &str, unit: &str, value: &str| {
        format!("\"0\",\"f\",\"{section}\",\"{label}\",\"{unit}\",\"{value}\"\n")
    };
    let rows = [
        row("GPU Speed Of Light", "SOL SM", "%", "81.5"),
        row("GPU Speed Of Light", "Memory Throughput", "%", "40"),
        row("Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "2"),
        row("GPU Speed Of Light", "Duration (gpu__time_duration.sum)", "us", "3"),
        row("My Section", "SOL Memory", "%", "99"),
    ];
    let log = read(&format!("{head}{}", rows.concat()));
    let figures = &log.launches[0].figures;
    assert_eq!((figures.sm_percent, figures.memory_percent), (Some(81.5), Some(40.0)));
    assert_eq!((figures.duration_ns, figures.dram_bytes), (Some(3000.0), Some(6000.0)));
    assert_eq!(figures.bound.map(crate::read::ncu::NcuBound::as_str), Some("compute"));
}

#[test]
fn what_is_no_table_is_refused_by_name() {
    let per_gpu = "\"Process ID\",\"Process Name\",\"Host Name\",\"Device\",\"Kernel Name\",\"Invocations\",\"Metric Name\",\
                   \"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n\"1\",\"a\"\n";
    for (text, wanted) in [
        (per_gpu, NcuRefusal::PerGpuRaw),
        ("\"Kernel Name\",\"f\"\n\"Address\",\"Source\"\n", NcuRefusal::SourcePage),
        ("Launch Settings\n\"Launch Attribute\",\"Value\"\n", NcuRefusal::SessionPage),
        (
            "==PROF== Connected\n  f(int) (1, 1, 1)x(2, 1, 1), Context 1\n    Section: Speed\n",
            NcuRefusal::NotCsv,
        ),
        ("==WARNING== No kernels were profiled.\n", NcuRefusal::NoKernels),
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", NcuRefusal::NoPermission),
        ("==PROF== Report: x.ncu-rep\n", NcuRefusal::NoTable),
        ("NVR\0\u{1}\u{2}", NcuRefusal::Report),
        ("hello\n", NcuRefusal::NotNcu),
        ("", NcuRefusal::NotNcu),
    ] {
        assert_eq!(refusal(text), wanted, "{text}");
    }
}

#[test]
fn a_header_alone_is_a_log_without_launches() {
    let log = read("\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n");
    assert!(log.launches.is_empty());
}

#[test]
fn a_launch_that_failed_is_known() {
    let log = read(
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"ns\"\n\
                    \"0\",\"f\",\"(0, 0, 0)\",\"(0, 0, 0)\",\"-nan\"\n",
    );
    assert!(log.launches[0].is_failed);
    assert_eq!((log.launches[0].figures.duration_ns, log.oddities.failed_launches), (None, 1));
}
