//! Launches beyond the most that are kept are added up by name and size.

use super::damaged::details;
use crate::base::ratios::count_to_f64;
use crate::read::ncu::{NcuLog, read_bytes, read_most};

/// Launches of `f` with one size and of `g` with two, in turn, with known FLOP.
fn raw(launches: u32) -> String {
    let mut text = String::from(
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\
         \"sass__thread_inst_executed_true_per_opcode\"\n\"\",\"\",\"\",\"\",\"ns\",\"byte\",\"inst\"\n",
    );
    for launch in 0..launches {
        let (name, grid) = match launch % 3 {
            0 => ("f", 1),
            1 => ("g", 1),
            _ => ("g", 2),
        };
        let bytes = if launch % 2 == 0 { String::from("nan") } else { format!("{}", 100 * launch) };
        text += &format!(
            "\"{launch}\",\"{name}\",\"(1, 1, 1)\",\"({grid}, 1, 1)\",\"{}\",\"{bytes}\",\"9 (FFMA: {launch}; FADD: 1)\"\n",
            launch + 1
        );
    }
    text
}

fn few(text: &str, most: usize) -> NcuLog {
    read_most(text.as_bytes(), "", true, most).expect("a log")
}

fn sum(log: &NcuLog, of: fn(&crate::read::ncu::NcuFigures) -> Option<f64>) -> f64 {
    let launches = log.launches.iter();
    launches.map(|launch| of(&launch.figures).unwrap_or(0.0) * count_to_f64(launch.invocations)).sum()
}

#[test]
fn sums_stay_the_same_however_many_launches_are_kept() {
    let text = raw(24);
    let all = read_bytes(text.as_bytes()).expect("a log");
    for most in [3, 4, 23] {
        let log = few(&text, most);
        let count: u64 = log.launches.iter().map(|launch| launch.invocations).sum();
        assert_eq!((count, log.oddities.dropped_launches), (24, 0), "{most} kept");
        assert!(log.launches.len() <= most + 3, "{most} kept: {}", log.launches.len());
        // An FFMA counts twice, and each launch has one FADD.
        let (flop, wanted) = (sum(&log, |figures| figures.fp32_flop), 576.0);
        assert!((flop - wanted).abs() < 1e-9 * wanted, "{most} kept: {flop}, {wanted}");
        let (ns, wanted) =
            (sum(&log, |figures| figures.duration_ns), sum(&all, |figures| figures.duration_ns));
        assert!((ns - wanted).abs() < 1e-9 * wanted, "{most} kept: {ns}, {wanted}");
    }
}

#[test]
fn the_mean_is_of_the_launches_that_have_a_value() {
    let log = few(&raw(24), 3);
    let mean = &log.launches[3];
    assert_eq!((&*mean.kernel_name, mean.is_summary, mean.id, mean.invocations), ("f", true, None, 7));
    // Launches 3, 9, 15 and 21 have bytes.
    assert_eq!(mean.figures.dram_bytes, Some(1200.0));
    assert_eq!(mean.grid, Some([1, 1, 1]));
    assert_eq!(log.launches.iter().filter(|launch| &*launch.kernel_name == "g").count(), 4);
}

#[test]
fn rows_of_one_metric_are_added_up_too() {
    let mut text = details(6);
    for launch in 0..6 {
        text = text.replace(&format!("\"({launch}, 1, 1)\""), "\"(5, 1, 1)\"");
    }
    let log = few(&text, 1);
    let whole = read_bytes(text.as_bytes()).expect("a log");
    assert_eq!(log.launches.iter().map(|launch| launch.invocations).sum::<u64>(), 6);
    let (ns, wanted) = (sum(&log, |figures| figures.duration_ns), sum(&whole, |figures| figures.duration_ns));
    assert!((ns - wanted).abs() < 1e-9 * wanted, "{ns}, {wanted}");
    assert_eq!(log.oddities.conflicts, 0);
}

#[test]
fn what_is_beyond_both_limits_is_counted() {
    let log = few(&details(6), 2);
    assert_eq!((log.launches.len(), log.oddities.dropped_launches), (4, 2));
}
