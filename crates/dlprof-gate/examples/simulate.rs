//! How often the gate is wrong: false alarms and power on simulated runs, as `docs/gate.md` shows them.
//!
//! ```text
//! cargo run --release -p dlprof-gate --example simulate -- [PAIRS]
//! ```

#[path = "../tests/gate/simulated.rs"]
mod simulated;

use dlprof_gate::document::Document;
use dlprof_gate::gate::{Policy, Verdict, judge};
use dlprof_gate::statistics::Random;
use simulated::{Noise, PLAIN, REALISTIC, baseline, run};

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() {
    let pairs: u32 = std::env::args().nth(1).and_then(|pairs| pairs.parse().ok()).unwrap_or(2000);
    println!("Equal runs that fail, of {pairs} pairs each, by standard deviation between runs");
    println!("  runs in the baseline      0.4 %     1 %     2 %     3 %   1 to 3 %");
    for runs in [1, 2, 3, 5, 10] {
        let fixed = [0.4, 1.0, 2.0, 3.0]
            .map(|between| rate(pairs, runs, 1.0, |_| Noise { between_percent: between, ..REALISTIC }));
        let mixed = rate(pairs, runs, 1.0, |random| Noise {
            between_percent: 1.0 + 2.0 * random.unit(),
            ..REALISTIC
        });
        let cells: Vec<String> = fixed.iter().chain([&mixed]).map(|rate| format!("{rate:6.2} %")).collect();
        println!("  {runs:>20}    {}", cells.join(""));
    }
    println!("\nSlower runs that fail, 40 iterations of 1 % noise, 5 runs in the baseline");
    println!("  all times longer by       0.4 %     1 %     2 %     3 %");
    for percent in [1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0] {
        let cells = [0.4, 1.0, 2.0, 3.0].map(|between| {
            let noise = |_: &mut Random| Noise { between_percent: between, ..PLAIN };
            format!("{:6.1} %", rate(pairs, 5, 1.0 + percent / 100.0, noise))
        });
        println!("  {percent:>18} %    {}", cells.join(""));
    }
    println!("\nThe same with the noise of the first table inside runs");
    for (between, percent) in [(0.4, 3.0), (0.4, 4.0), (1.0, 8.0), (2.0, 15.0)] {
        let noise = |_: &mut Random| Noise { between_percent: between, ..REALISTIC };
        let rate = rate(pairs, 5, 1.0 + percent / 100.0, noise);
        println!("  {between} % between runs, {percent} % longer: {rate:.1} %");
    }
}

/// Percentage of pairs that fail.
fn rate(pairs: u32, runs: usize, factor: f64, noise: impl Fn(&mut Random) -> Noise) -> f64 {
    let mut random = Random::new(1);
    let policy = Policy::default();
    let mut failed = 0;
    for _ in 0..pairs {
        let noise = noise(&mut random);
        let base = baseline(runs, &noise, &mut random);
        let new = Document::new(vec![run(&noise, factor, &mut random)]);
        failed += u32::from(judge(&base, &new, &policy, &[]).verdict == Verdict::Fail);
    }
    f64::from(failed) / f64::from(pairs) * 100.0
}
