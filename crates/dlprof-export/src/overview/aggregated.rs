//! Which iterations the figures are of, and what is left out and why, in words.

use crate::display::{TimeUnit, percentage, time};
use dlprof_core::{
    DefaultRange, IterationState, PassElsewhere, Profile, ProfiledIterations, count_to_f64, to_f64,
};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// States in the order in which they are counted.
const COUNTED: [(IterationState, &str, &str); 8] = [
    (IterationState::Steady, "steady", "steady"),
    (IterationState::Outlier, "outlier", "outliers"),
    (IterationState::Unsplit, "unsplit", "unsplit"),
    (IterationState::Empty, "empty", "empty"),
    (IterationState::WarmUp, "warm-up", "warm-up"),
    (IterationState::Cut, "last one with less", "last ones with less"),
    (IterationState::Untraced, "untraced", "untraced"),
    (IterationState::Outside, "outside", "outside"),
];

/// The aggregated iterations: `iterations 1 to 999 of 0 to 1000 (988 steady, 11 outliers)`.
pub(super) fn range_in_words(profile: &Profile) -> String {
    let iterations = &profile.iterations;
    let (first, last) = (iterations.start, iterations.stop);
    let range =
        if first == last { format!("iteration {first}") } else { format!("iterations {first} to {last}") };
    let of = iterations.last_iteration().max(last);
    match inside(profile) {
        states if states.is_empty() => format!("{range} of 0 to {of}"),
        states => format!("{range} of 0 to {of} ({states})"),
    }
}

/// What has to be known of the range: which iterations are left out and why, in one part, and what is odd about those inside.
pub(super) fn about_range(profile: &Profile) -> Vec<String> {
    let iterations = &profile.iterations;
    let mut parts = Vec::new();
    let left_out = if is_default(iterations) { left_out(profile) } else { Vec::new() };
    if !left_out.is_empty() {
        let remarks = left_out.into_iter().chain(smaller_part(profile));
        let remarks: Vec<String> = remarks.chain(["all: --iter-range all".to_owned()]).collect();
        parts.push(format!("not in it: {}", remarks.join("; ")));
    }
    if (iterations.start..=iterations.stop).contains(&0) && iterations.last_iteration() > 0 {
        parts.push(BEFORE.to_owned());
    }
    parts.extend(start_up_goes_on(profile));
    parts.extend(unsplit(profile));
    parts.extend(one_way(iterations));
    parts
}

const BEFORE: &str = "0 is what comes before the first";

/// Whether nobody chose the range.
fn is_default(iterations: &ProfiledIterations) -> bool {
    let choice = &iterations.choice;
    let is_open = choice.iter_start.is_none() && choice.iter_stop.is_none();
    is_open && choice.otherwise != DefaultRange::All && iterations.stored_range.is_none()
}

/// What the aggregated iterations are like: `steady`, or how many are in which state.
pub(crate) fn inside(profile: &Profile) -> String {
    let iterations = &profile.iterations;
    let summary = &profile.summary;
    // The spread is larger than what it is around.
    let varies =
        summary.iteration_deviation_ns.is_some_and(|deviation| deviation > summary.average_iteration_ns);
    let states = || iterations.range().map(|number| iterations.states[number as usize]);
    // Of iterations that take longer from one to the next, none is like the others.
    let changing = iterations.going_one_way();
    let is_changing = |number: u32| changing.binary_search(&number).is_ok();
    if !changing.is_empty() && iterations.range().all(is_changing) {
        return "of no usual length".to_owned();
    }
    if states().all(|state| state == IterationState::Steady) {
        return if varies { "of very different lengths" } else { "steady" }.to_owned();
    }
    let counted = COUNTED.iter().filter_map(|&(state, one, many)| {
        let count = states().filter(|&other| other == state).count();
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// The iterations that are not aggregated, by state; pieces that are not iterations are not missed.
fn left_out(profile: &Profile) -> Vec<String> {
    let iterations = &profile.iterations;
    let runs = |state: IterationState| {
        let is_left_out =
            |&number: &u32| !iterations.is_aggregated(number) && iterations.states[number as usize] == state;
        runs((0..iterations.total()).filter(is_left_out))
    };
    let verb = |runs: &[RangeInclusive<u32>], one: &str, many: &str| match runs {
        [run] if run.start() == run.end() => one.to_owned(),
        _ => many.to_owned(),
    };
    let mut words = Vec::new();
    if !runs(IterationState::Before).is_empty() {
        words.push(BEFORE.to_owned());
    }
    // What is known of the last iteration, if it is not like the others; the capture, or the program's loop, may end in it.
    let mean_ns = profile.summary.average_iteration_ns;
    let is_shorter = |number: u32| to_f64(iterations.windows.span(number).length()) < 0.9 * mean_ns;
    let is_longer = |number: u32| to_f64(iterations.windows.span(number).length()) > 1.1 * mean_ns;
    let cut = match (0..iterations.total())
        .find(|&number| iterations.states[number as usize] == IterationState::Cut)
    {
        Some(last) if is_followed(profile, last) => "is the last, and GPU work after it is not counted to it",
        Some(last) if is_shorter(last) && has_all_kernels(profile, last) => {
            "is the last, and ends with its GPU work"
        }
        Some(last) if is_shorter(last) => "is the last, and shorter",
        Some(last) if is_longer(last) => "is the last, and lasts until its GPU work ends",
        _ => "is the last, and launches less work",
    };
    let changes = !iterations.going_one_way().is_empty();
    let (outlier, outliers) = match changes {
        true => ("is far from the others", "are far from the others"),
        false => ("is an outlier", "are outliers"),
    };
    // Of kernels, the first iteration holds what is copied before the first one, such as a model.
    let from = match iterations.key_node.as_ref().is_some_and(|key_node| key_node.is_launches) {
        true => " from the first copy on",
        false => "",
    };
    let copies = profile
        .copies_of_warm_up_ns()
        .map_or_else(String::new, |ns| format!("{from}, {} of it copies", time(to_f64(ns), TimeUnit::Auto)));
    let [warms, warm] = ["warms up", "warm up"].map(|words| format!("{words}{copies}"));
    let said = [
        (IterationState::WarmUp, warms.as_str(), warm.as_str()),
        (IterationState::Outlier, outlier, outliers),
        (IterationState::Steady, "is steady, but far from the others", "are steady, but far from the others"),
        (IterationState::Unsplit, "is unsplit", "are unsplit"),
        (IterationState::Empty, "is empty", "are empty"),
        (IterationState::Cut, cut, cut),
    ];
    for (state, one, many) in said {
        let runs = runs(state);
        if !runs.is_empty() {
            words.push(format!("{} {}", numbers(&runs), verb(&runs, one, many)));
        }
    }
    for lost in &iterations.lost {
        let runs = [lost.iterations()];
        let verb = verb(&runs, "is untraced", "are untraced");
        words.push(format!("{} {verb}: {}", numbers(&runs), lost.in_words(&profile.capture)));
    }
    words
}

/// Whether an iteration launches no fewer kernels than the aggregated ones do, and they take about as long.
fn has_all_kernels(profile: &Profile, number: u32) -> bool {
    let rows = profile.iteration_stats.iter();
    let (count, launches, gpu_ns) =
        rows.filter(|row| row.is_aggregated).fold((0, 0, 0), |(count, launches, gpu_ns), row| {
            (count + 1, launches + row.kernels.launches, gpu_ns + row.kernels.gpu_ns)
        });
    profile.iteration_stats.get(number as usize).is_some_and(|row| {
        launches > 0
            && row.kernels.launches * count >= launches
            && to_f64(row.kernels.gpu_ns) * count_to_f64(count) >= 0.9 * to_f64(gpu_ns)
    })
}

/// Whether a kernel is launched after an iteration, before another one begins: the last one ends there though its step may go on.
fn is_followed(profile: &Profile, last: u32) -> bool {
    let behind = profile.iteration_stats.get(last as usize + 1);
    behind.is_some_and(|row| profile.iterations.is_outside(row.iteration) && row.kernels.launches > 0)
}

/// `in iteration 1 GPUs still work 37.165 ms for what comes before it`, where that is a twentieth of the first aggregated iteration or more.
fn start_up_goes_on(profile: &Profile) -> Option<String> {
    let first = profile.iterations.start;
    let ns = profile.work_of_start_up_ns();
    let is_much = ns.saturating_mul(20) >= profile.iterations.windows.span(first).length() && ns > 0;
    is_much.then(|| {
        format!(
            "in iteration {first} GPUs still work {} for what comes before it",
            time(to_f64(ns), TimeUnit::Auto)
        )
    })
}

/// `the aggregated ones are 41.3 % of the 12.979 s from 1 to the last GPU work`, where the aggregated iterations are the smaller part of the run
/// after start-up.
fn smaller_part(profile: &Profile) -> Option<String> {
    let run = profile.run_beyond(profile.window())?;
    let length = time(to_f64(run.span.length()), TimeUnit::Auto);
    let share = percentage(run.window_percent);
    Some(format!("the aggregated ones are {share} of the {length} from {} to the last GPU work", run.first))
}

/// `1 to 21 take longer from one to the next: means say little of any`, where nearly all do, or take less long.
fn one_way(iterations: &ProfiledIterations) -> Option<String> {
    let changing = iterations.going_one_way();
    let (&first, &last) = (changing.first()?, changing.last()?);
    let length = |number: u32| iterations.windows.span(number).length();
    let compared = if length(last) > length(first) { "longer" } else { "less long" };
    Some(format!("{first} to {last} take {compared} from one to the next: means say little of any"))
}

/// `20 more passes of these kernels on stream 16 are not split; they are in 9, 39 and outside of iterations; means
/// are of 48 passes`; nothing where no piece is unsplit.
fn unsplit(profile: &Profile) -> Option<String> {
    let iterations = &profile.iterations;
    if !iterations.states.contains(&IterationState::Unsplit) {
        return None;
    }
    let passes = iterations.passes_elsewhere();
    let (outside, holding): (Vec<u32>, Vec<u32>) = (0..iterations.total())
        .filter(|&number| passes[number as usize] > 0)
        .partition(|&number| iterations.is_outside(number));
    let mut places = numbers(&runs(holding.into_iter()));
    if !outside.is_empty() {
        places += " and outside of iterations";
    }
    let streams = &profile.capture.streams;
    let number = |pass: &PassElsewhere| streams.get(pass.stream.index()).map_or(0, |stream| stream.number);
    let streams: BTreeSet<i64> = iterations.elsewhere.iter().map(number).collect();
    let on = match streams.iter().collect::<Vec<_>>().as_slice() {
        [only] => format!("stream {only}"),
        several => format!("{} other streams", several.len()),
    };
    let count = iterations.elsewhere.len();
    let passes = iterations.passes();
    let means = if passes == iterations.aggregated() {
        String::new()
    } else {
        format!("; means are of {passes} passes")
    };
    Some(match count {
        1 => format!("1 more pass of these kernels on {on} is not split off; it is in {places}{means}"),
        _ => {
            format!("{count} more passes of these kernels on {on} are not split; they are in {places}{means}")
        }
    })
}

/// Numbers in a row, together.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<RangeInclusive<u32>> {
    let mut runs: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if *run.end() + 1 == number => *run = *run.start()..=number,
            _ => runs.push(number..=number),
        }
    }
    runs
}

/// Numbers in words: `3`, `3 to 7`, `3 and 9 to 12`, or how many there are.
fn numbers(runs: &[RangeInclusive<u32>]) -> String {
    const MOST: usize = 3;
    let run = |run: &RangeInclusive<u32>| match run.end() - run.start() {
        0 => run.start().to_string(),
        1 => format!("{} and {}", run.start(), run.end()),
        _ => format!("{} to {}", run.start(), run.end()),
    };
    match runs {
        [] => String::new(),
        [only] => run(only),
        _ if runs.len() > MOST => runs.iter().map(|run| run.end() - run.start() + 1).sum::<u32>().to_string(),
        _ => runs.iter().map(run).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::{numbers, runs};

    #[test]
    fn numbers_in_a_row_are_said_together() {
        let words = |list: &[u32]| numbers(&runs(list.iter().copied()));
        assert_eq!(words(&[]), "");
        assert_eq!(words(&[4]), "4");
        assert_eq!(words(&[4, 5]), "4 and 5");
        assert_eq!(words(&[1, 4, 5, 6]), "1, 4 to 6");
        assert_eq!(words(&[1, 3, 5, 7, 8]), "5");
    }
}
