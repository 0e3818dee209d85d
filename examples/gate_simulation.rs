//! How often the gate is wrong: false alarms and power on simulated runs, as `docs/gate.md` shows them.
//!
//! ```text
//! cargo run --release -p dlprof-core --example gate_simulation -- [PAIRS]
//! ```

use dlprof_core::{BaselineRun, Document, GateVerdict, Policy, judge_gate};
use dlprof_generate::runs::{Machine, Noise, PLAIN, REALISTIC};

/// Standard deviations between runs, in percent.
const BETWEEN: [f64; 5] = [0.4, 1.0, 1.5, 2.0, 3.0];

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() {
    let pairs: u32 = std::env::args().nth(1).and_then(|pairs| pairs.parse().ok()).unwrap_or(2000);
    println!("Percentage of {pairs} pairs that fail, by standard deviation between runs");
    println!("{:30}{}", "", BETWEEN.map(|between| format!("{between:6.1} %")).join(""));
    for (name, noise) in [("heavy tails, drift", REALISTIC), ("normal", PLAIN)] {
        println!("\nFalse alarms, {name}: runs in the baseline and new runs");
        for (runs, new) in [(1, 1), (2, 1), (3, 1), (5, 1), (10, 1), (10, 3)] {
            print_row(&format!("{runs}, {new}"), |between| rate(pairs, runs, new, 1.0, noise, between));
        }
        println!("\nPower, {name}: all times are 5 % longer");
        for (runs, new) in [(1, 1), (3, 1), (5, 1), (10, 1), (10, 3), (5, 5)] {
            print_row(&format!("{runs}, {new}"), |between| rate(pairs, runs, new, 1.05, noise, between));
        }
        println!("\nPower, {name}: five runs in the baseline, one new run; all times are longer by");
        for percent in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0] {
            let factor = 1.0 + percent / 100.0;
            print_row(&format!("{percent} %"), |between| rate(pairs, 5, 1, factor, noise, between));
        }
    }
}

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn print_row(title: &str, rate: impl Fn(f64) -> f64) {
    println!("{title:>30}{}", BETWEEN.map(|between| format!("{:6.2} %", rate(between))).join(""));
}

/// Percentage of pairs that fail.
fn rate(pairs: u32, runs: usize, new: usize, factor: f64, noise: Noise, between_percent: f64) -> f64 {
    let policy = Policy::default();
    let fails = |seed: &u32| {
        let mut machine = Machine::new(Noise { between_percent, ..noise }, u64::from(*seed));
        let mut side = |count: usize, factor: f64| {
            let run = |_| BaselineRun::of_metrics("simulated", machine.run(factor));
            Document::new((0..count).map(run).collect())
        };
        let (base, new) = (side(runs, 1.0), side(new, factor));
        judge_gate(&base, &new, &policy, &[]).verdict == GateVerdict::Fail
    };
    let failed = (0..pairs).filter(fails).count();
    100.0 * f64::from(u32::try_from(failed).unwrap_or(u32::MAX)) / f64::from(pairs)
}
