//! Kernels of logs without a capture.

use super::{MeasuredKernel, kernels_of_logs};
use crate::read::ncu::read_bytes;
use std::sync::Arc;

/// The kernels of a log with a launch a row: name, time, bytes read, and use of the SMs.
fn kernels(rows: &[[&str; 4]]) -> Vec<MeasuredKernel> {
    let head = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\
                \"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n\"\",\"\",\"ns\",\"byte\",\"byte\",\"%\"\n";
    let row = |[name, ns, read, percent]: &[&str; 4]| {
        format!("\"0\",\"{name}\",\"{ns}\",\"{read}\",\"0\",\"{percent}\"\n")
    };
    let rows: String = rows.iter().map(row).collect();
    kernels_of_logs(&[Arc::new(read_bytes(format!("{head}{rows}").as_bytes()).expect("a log"))])
}

#[test]
fn a_log_without_times_says_what_it_counts() {
    let found = kernels(&[["f", "", "1000", "30.00"], ["f", "", "500", "10.00"]]);
    let figures = &found[0].figures;
    assert_eq!((figures.dram_bytes, figures.sm_percent), (Some(1500.0), Some(20.0)));
    assert_eq!((figures.counted_percent, figures.gb_per_s), (100.0, None));
}

#[test]
fn launches_weigh_the_same_where_the_time_of_one_is_unknown() {
    let found = kernels(&[["f", "3000", "1000", "30.00"], ["f", "", "500", "10.00"]]);
    let figures = &found[0].figures;
    assert_eq!(
        (found[0].gpu_time_ns, figures.dram_bytes, figures.sm_percent),
        (Some(3000), Some(1500.0), Some(20.0))
    );
    // The rate is that of the launch with a time.
    assert!(figures.gb_per_s.is_some_and(|rate| (rate - 1.0 / 3.0).abs() < 1e-9), "{figures:?}");
    let timed = kernels(&[["f", "3000", "1000", "30.00"], ["f", "1000", "500", "10.00"]]);
    assert_eq!(timed[0].figures.sm_percent, Some(25.0));
}

#[test]
fn a_time_of_ages_is_unknown() {
    let found = kernels(&[["f", "9e30", "1000", "30.00"], ["g", "5000", "1000", "30.00"]]);
    let times: Vec<_> = found.iter().map(|kernel| (&*kernel.long_name, kernel.gpu_time_ns)).collect();
    assert_eq!(times, [("g", Some(5000)), ("f", None)]);
    assert_eq!(found[1].figures.dram_bytes, Some(1000.0));
}
