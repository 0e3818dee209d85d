//! How often the gate is wrong, on simulated runs. `docs/gate.md` shows the numbers of `examples/simulate`.

use crate::simulated::{Noise, PLAIN, REALISTIC, baseline, run};
use dlprof_gate::document::Document;
use dlprof_gate::gate::{Policy, Verdict, judge};
use dlprof_gate::statistics::Random;

/// How many of `pairs` fail when every time of the new run is `factor` times as long.
fn failures(pairs: usize, noise: impl Fn(&mut Random) -> Noise, factor: f64, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let policy = Policy::default();
    let fails = |_: &usize| {
        let noise = noise(&mut random);
        let base = baseline(5, &noise, &mut random);
        let new = Document::new(vec![run(&noise, factor, &mut random)]);
        judge(&base, &new, &policy, &[]).verdict == Verdict::Fail
    };
    (0..pairs).filter(fails).count()
}

#[test]
fn equal_runs_fail_in_at_most_one_percent() {
    let noise = |random: &mut Random| Noise { between_percent: 1.0 + 2.0 * random.unit(), ..REALISTIC };
    let failed = failures(1000, noise, 1.0, 20_261_121);
    assert!(failed <= 10, "{failed} of 1000 pairs of equal runs fail");
}

#[test]
fn real_regressions_fail_in_at_least_95_percent() {
    for (between_percent, percent) in [(0.4, 3.0), (1.0, 8.0), (2.0, 15.0)] {
        let failed = failures(400, |_| Noise { between_percent, ..PLAIN }, 1.0 + percent / 100.0, 20_261_122);
        assert!(failed >= 380, "+{percent} % with {between_percent} % between runs: {failed} of 400 fail");
    }
}

#[test]
fn improvements_never_fail() {
    for factor in [0.99, 0.97, 0.9, 0.5] {
        assert_eq!(failures(100, |_| Noise { between_percent: 0.4, ..REALISTIC }, factor, 3), 0, "{factor}");
    }
}
