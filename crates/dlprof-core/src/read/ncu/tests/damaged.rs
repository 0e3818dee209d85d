//! Damaged logs: cut at any byte, with a line lost, with bytes changed. What is whole is read, and nothing panics.

use crate::read::ncu::{NcuLaunch, NcuLog, read_bytes};
use std::fmt::Write;

/// A log of single launches with ranges, parts of values, rules, messages and a cell of several lines.
pub(super) fn details(launches: usize) -> String {
    let mut log = String::from(
        "==PROF== Connected to process 9\nepoch 1\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\
         \"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\",\"Context\",\"Stream\",\
         \"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\
         \"Rule Name\",\"Rule Description\"\n",
    );
    for launch in 0..launches {
        let mut row = |metric: &str, unit: &str, value: &str, rule: &str| {
            let _ = writeln!(
                log,
                "\"{launch}\",\"9\",\"a.out\",\"127.0.0.1\",\"9 \"\"<default domain>:step:none:none:none:none:none:none\"\" \",\
                 \"void f<(int)4>(float *)\",\"1\",\"7\",\"(128, 1, 1)\",\"({launch}, 1, 1)\",\"0\",\"8.0\",\"Command line profiler \
                 metrics\",\"{metric}\",\"{unit}\",\"{value}\",{rule}"
            );
        };
        row("gpu__time_duration.sum", "usecond", "1,234.50", "");
        row("dram__bytes_read.sum", "Kbyte", "32.77", "");
        row("sass__inst_executed_per_opcode", "inst", "8 (FFMA: 3; HMMA.16816.F32: 5)", "");
        row("", "", "", "\"Rule\",\"two\nlines\"");
    }
    log
}

fn raw() -> String {
    let head = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n";
    let rows = "\"0\",\"f\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"7.5\",\"100\"\n\"1\",\"g\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"8.5\",\"nan\"\n";
    format!("{head}\"\",\"\",\"\",\"\",\"us\",\"Kbyte\"\n{rows}")
}

fn summary() -> String {
    let head = "\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Metric Name\",\"Metric Unit\",\
                \"Minimum\",\"Maximum\",\"Average\"\n";
    let row = "\"f(int)\",\"512\",\"4096\",\"0\",\"8.6\",\"2\",\"dram__bytes.sum\",\"byte\",\"1,00\",\"3,00\",\"2,00\"\n";
    format!("{head}{row}{}", row.replace("f(int)", "g(int)"))
}

#[test]
fn a_log_cut_anywhere_keeps_its_whole_records() {
    let log = details(3);
    let whole = read_bytes(log.as_bytes()).expect("a log");
    assert_eq!(whole.launches.len(), 3);
    let mut most_values = 0;
    for end in 0..log.len() {
        let Some(cut) = read_bytes(&log.as_bytes()[..end]) else { continue };
        let values = count_values(&cut);
        assert!(values >= most_values, "a longer part says more: {end}");
        most_values = values;
        for (launch, wanted) in cut.launches.iter().zip(&whole.launches) {
            let known = launch.figures.duration_ns;
            assert!(known.is_none() || known == wanted.figures.duration_ns, "cut at {end}");
        }
    }
    assert_eq!(most_values, 9);
    for text in [raw(), summary()] {
        for end in 0..text.len() {
            read_bytes(&text.as_bytes()[..end]);
        }
    }
}

fn count_values(log: &NcuLog) -> usize {
    let known = |launch: &NcuLaunch| launch.metrics.iter().filter(|metric| metric.value.is_some()).count();
    log.launches.iter().map(known).sum()
}

/// A quote more or less does not cost the last record, if the file does not end inside a cell.
#[test]
fn a_quote_in_the_middle_costs_no_other_record() {
    let text = raw();
    let last = text.rfind("\"1\"").expect("the last row");
    for at in text[..last].match_indices("\"f\"").map(|(at, _)| at) {
        for damaged in
            [format!("{}{}", &text[..at], &text[at + 1..]), format!("{}\"{}", &text[..at], &text[at..])]
        {
            let log = read_bytes(damaged.as_bytes()).expect("a log");
            let of_last = log.launches.last().map(|launch| (launch.id, launch.figures.duration_ns));
            assert_eq!((of_last, log.oddities.truncated), (Some((Some(1), Some(8500.0))), 0), "{damaged}");
        }
    }
}

#[test]
fn any_line_may_be_lost() {
    for text in [details(3), raw(), summary()] {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for lost in 0..lines.len() {
            let left: String =
                lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
            read_bytes(left.as_bytes());
        }
    }
}

#[test]
fn any_byte_may_be_wrong() {
    for text in [details(1), raw(), summary()] {
        for at in 0..text.len() {
            for byte in [b'"', b',', b'\n', b'\r', b'9', b';', 0, 0xff] {
                let mut damaged = text.clone().into_bytes();
                damaged[at] = byte;
                read_bytes(&damaged);
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn nothing_that_looks_like_a_log_panics(text in "(\"|,|;|\n|\r|=|Kernel Name|ID|Process ID|__|[0-9.,' ]|Metric Name|Metric Value|\\PC){0,200}") {
        read_bytes(text.as_bytes());
        let mut with_head = raw().into_bytes();
        with_head.extend_from_slice(text.as_bytes());
        read_bytes(&with_head);
    }
}
