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
