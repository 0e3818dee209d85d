//! How long the search takes; run with `--ignored` and optimisation.

use super::super::distances;
use super::super::shortest_period;
use super::columns::Columns;
use crate::ids::{ProcessId, ThreadId};
use crate::time::{Ns, Span};
use std::time::Instant;

/// Steps of `layers` layers of 57 kernels with a beginning and an end, in which one place of `noise` is another kernel.
fn symbols(count: usize, layers: usize, noise: usize) -> Vec<u32> {
    let mut step: Vec<u32> = (0..80).collect();
    step.extend((0..57 * layers).map(|at| 100 + u32::try_from(at % 57 * 7 % 25).expect("small")));
    step.extend(200..280);
    let mut symbols: Vec<u32> = step.iter().copied().cycle().take(count).collect();
    if noise == 0 {
        return symbols;
    }
    let mut random = 1_u64;
    let mut place = 0;
    loop {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        place += 1 + usize::try_from(random >> 33).expect("31 bits") % (2 * noise);
        let Some(symbol) = symbols.get_mut(place) else { return symbols };
        *symbol = 300 + u32::try_from(random >> 60).expect("4 bits");
    }
}

fn say(what: &str, since: Instant) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{what}: {:.3} s", since.elapsed().as_secs_f64()).expect("standard error");
}

#[test]
#[ignore = "takes long without optimisation"]
fn the_period_of_ten_million_kernels() {
    for (layers, noise) in [(12, 0), (12, 1000), (12, 60), (12, 25), (96, 200), (1, 0)] {
        let symbols = symbols(10_000_000, layers, noise);
        let start = Instant::now();
        let tried = distances::worth_testing(&symbols, 320).len();
        say("  distances", start);
        let found = shortest_period::period(&symbols, 320, |_| true);
        say(&format!("{layers} layers, noise {noise}, {tried} tested: {found:?}"), start);
    }
    let mut random = 1_u64;
    let mut next = |_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(random >> 59).expect("5 bits")
    };
    let symbols: Vec<u32> = (0..10_000_000).map(&mut next).collect();
    let start = Instant::now();
    let found = shortest_period::period(&symbols, 320, |_| true);
    say(&format!("random: {found:?}"), start);
}

#[test]
#[ignore = "takes long without optimisation"]
fn a_capture_of_five_million_kernels() {
    let mut columns = Columns::default();
    columns.process_of_thread.push(ProcessId::new(0));
    let symbols = symbols(5_000_000, 12, 1000);
    let names: Vec<String> = (0..320).map(|symbol| format!("kernel{symbol}")).collect();
    let step = 160 + 57 * 12;
    for (at, &symbol) in symbols.iter().enumerate() {
        let start = Ns::try_from(at).expect("small") * 10_000;
        let call = columns.call(ThreadId::new(0), Span::new(start, start + 2_000), "cudaLaunchKernel_v7000");
        columns.kernels.push(Span::new(start + 3_000, start + 11_000), ProcessId::new(0), call);
        columns.kernel(0, &names[symbol as usize], &names[symbol as usize]);
        if at % step == 0 {
            columns.range(0, Span::new(start - 1, start + 8_000_000), "my_part", true);
        }
        if at % step > 80 && at % 57 == 0 {
            columns.range(0, Span::new(start - 1, start + 300_000), "piece", true);
        }
    }
    let start = Instant::now();
    let found = columns.find();
    say(&format!("{:?}", super::drawing::in_short(&found)), start);
}

#[test]
#[ignore = "takes long without optimisation"]
fn three_million_ranges() {
    for distinct_parents in [1, 3_000] {
        let mut columns = Columns::default();
        columns.process_of_thread.push(ProcessId::new(0));
        let mut at = 0;
        for step in 0..3_000 {
            let start = at;
            for inner in 0..1_000 {
                let span = Span::new(at + 10, at + 900);
                columns.range(0, span, &format!("part {}", inner % 40), true);
                let call = columns.call(ThreadId::new(0), Span::new(at + 20, at + 60), "cudaLaunchKernel");
                columns.kernels.push(Span::new(at + 100, at + 800), ProcessId::new(0), call);
                columns.kernel(0, "kernel", "kernel");
                at += 1_000;
            }
            let parent = step % distinct_parents;
            columns.range(0, Span::new(start, at), &format!("parent{parent}x"), true);
        }
        let start = Instant::now();
        let found = columns.find();
        say(&format!("{:?}", super::drawing::in_short(&found)), start);
    }
}
