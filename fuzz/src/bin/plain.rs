//! Runs a target without libFuzzer, on any toolchain: mutated seeds, for some seconds, without a measure of coverage.
//!
//! ```text
//! cargo run --release --no-default-features --bin plain -- TARGET SECONDS [SEED]
//! cargo run --release --no-default-features --bin plain -- TARGET FILE        # one input again
//! ```
//!
//! An input on which a target panics is written to `artifacts/TARGET`.

use dlprof_fuzz::{TARGETS, Target, seeds};
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fs;
use std::hash::{Hash, Hasher};
use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(name), Some(what)) = (arguments.first(), arguments.get(1)) else {
        return Err("usage: plain TARGET SECONDS [SEED] | plain TARGET FILE".into());
    };
    let found = TARGETS.iter().find(|(known, _)| known == name);
    let &(_, target) = found.ok_or_else(|| format!("there is no target `{name}`"))?;
    let Ok(seconds) = what.parse() else {
        target(&fs::read(what)?);
        return Ok(ExitCode::SUCCESS);
    };
    let seed = arguments.get(2).map_or(Ok(1), |seed| seed.parse())?;
    let (runs, panics) = run(name, target, Duration::from_secs(seconds), seed)?;
    println!("{name}: {runs} runs, {panics} panics");
    Ok(if panics == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(name: &str, target: Target, time: Duration, seed: u64) -> Result<(u64, u64), Box<dyn Error>> {
    let seeds = seeds(name)?;
    let (mut random, mut runs, mut panics) = (Random(seed), 0, 0);
    let started = Instant::now();
    while started.elapsed() < time {
        let input = mutated(&seeds, &mut random);
        runs += 1;
        if catch_unwind(|| target(&input)).is_err() {
            panics += 1;
            let mut hasher = DefaultHasher::new();
            input.hash(&mut hasher);
            let folder = Path::new("artifacts").join(name);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("crash-{:016x}", hasher.finish())), &input)?;
        }
    }
    Ok((runs, panics))
}

/// A seed with some changes.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 << random.below(6) {
        let at = random.below(input.len() + 1);
        match random.below(8) {
            0 => input.truncate(at),
            1 => input.insert(at, random.byte()),
            2 if at < input.len() => drop(input.remove(at)),
            3 => {
                // A piece of a seed in another place.
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(40)).min(other.len());
                input.splice(at..at, other[from..to].iter().copied());
            }
            4 => input.splice(at..at, TELLING[random.below(TELLING.len())].bytes()).for_each(drop),
            _ if at < input.len() => input[at] = random.byte(),
            _ => input.push(random.byte()),
        }
    }
    input
}

/// Pieces that often matter in texts.
const TELLING: [&str; 16] = [
    "0",
    "-1",
    "9223372036854775807",
    "18446744073709551616",
    "1e999",
    "nan",
    "null",
    "[]",
    "{}",
    "((((",
    "\"",
    "'",
    "re:(",
    "not ",
    "\u{202e}",
    "1..5",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}
