//! The answer in words. Every figure in them is a cell of the rows below, or of the verdict that they are about.

use super::envelope::{Envelope, Part, State};
use super::plans::{ALL_KERNELS, COULD_USE, MATRIX_ADVICE};
use super::question::Question;
use crate::display::{TimeUnit, counted, time};
use crate::overview::Overview;
use dlprof_core::{Judged, STEP_CLASSES, StepClass, Vendor};
use serde_json::Value as Json;

/// Below this difference in percent, no GPU has clearly more to do than another.
const EQUAL_PERCENT: f64 = 5.0;

/// What the rows do not say: what keeps an absence from being known, and in whose words it is said.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Records of GPU work are missing.
    lacks_records: bool,
    /// Collectives were called.
    calls_collectives: bool,
    /// What people call the units of the GPUs that multiply matrices.
    matrix_units: &'static str,
    /// Whether a GPU with work has these: known of some of NVIDIA's.
    has_matrix_units: Option<bool>,
    /// Whether the capability of the GPUs would tell that.
    is_of_nvidia: bool,
}

impl Seen {
    fn no_matrix_units(self) -> String {
        match self.has_matrix_units {
            Some(false) => format!("; the GPUs have no {}", self.matrix_units),
            None if self.is_of_nvidia => format!(
                "; whether the GPUs have {} is not known, because their compute capability is not recorded",
                self.matrix_units
            ),
            Some(true) | None => String::new(),
        }
    }
}

/// Says the answer to a question about a capture, or about several of which this is the last.
pub(super) fn say(question: Question, view: &Overview, judged: &Judged, envelope: &mut Envelope) {
    envelope.class = Some(view.verdict_parts.class);
    envelope.cause = view.verdict_parts.cause.clone();
    envelope.say = match (question, envelope.state) {
        (Question::WhySlow, _) => of_verdict(view),
        (Question::Suffices, _) => format!("{} kinds of figures are not known", envelope.cannot.len()),
        (_, State::Cannot) => "This cannot be answered from the capture".to_owned(),
        _ => {
            let lacks_records = envelope.cannot.iter().any(|cannot| cannot.because == "lost_records");
            let seen = Seen {
                lacks_records,
                calls_collectives: judged.capture.calls_collectives(),
                matrix_units: judged.capture.recorder.vendor.matrix_units(),
                has_matrix_units: judged.has_tensor_cores(),
                is_of_nvidia: judged.capture.recorder.vendor == Vendor::Nvidia,
            };
            let said = envelope.parts.first().map(|part| of_parts(question, part, &envelope.parts, seen));
            said.unwrap_or_default()
        }
    };
}

/// The verdict and what it rests on, which may begin with the same words.
fn of_verdict(view: &Overview) -> String {
    let verdict = view.verdict.as_str();
    match view.verdict_detail.as_deref() {
        Some(detail) if detail.starts_with(verdict.trim_end_matches('.')) => detail.to_owned(),
        Some(detail) => format!("{verdict} {detail}"),
        None => verdict.to_owned(),
    }
}

/// The cell of the first row in a column, as text.
fn word(part: &Part, column: &str) -> String {
    part.first(column).map_or_else(|| "unknown".to_owned(), as_text)
}

/// The same of a time.
fn duration(part: &Part, column: &str) -> String {
    part.first(column).map_or_else(|| "unknown".to_owned(), in_unit)
}

fn in_unit(cell: &Json) -> String {
    cell.as_f64().map_or_else(|| "unknown".to_owned(), |ns| time(ns, TimeUnit::Auto))
}

fn as_text(cell: &Json) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_owned)
}

/// What parts say, of which this is the first.
fn of_parts(question: Question, part: &Part, parts: &[Part], seen: Seen) -> String {
    let word = |column: &str| word(part, column);
    if part.total == 0 {
        return match question {
            Question::Overlap if seen.lacks_records => {
                "Not known: no kernel that exchanges data was recorded, and records are missing".to_owned()
            }
            Question::Overlap if seen.calls_collectives => {
                "Not known: collectives were called, and no kernel that exchanges data was recorded"
                    .to_owned()
            }
            Question::Overlap => match parts.iter().find(|one| one.name == "exchange_of_host") {
                None => format!("No kernel that exchanges data ran{}", of_copies(parts)),
                Some(host) => format!(
                    "No kernel that exchanges data ran; GPUs idle {}% of the time while the host does",
                    self::word(host, "percent")
                ),
            },
            Question::WhatFirst => "No rule found anything to change".to_owned(),
            _ => format!("There are no rows of {}", part.name.replace('_', " ")),
        };
    }
    match (question, part.name) {
        (Question::WhatFirst, _) => format!("{}. {}", word("problem"), word("recommendation")),
        (Question::WhereTime, "totals") => format!(
            "{} kernels{} take {}{} in all on {} of {} GPUs",
            part.first("kernels").map_or_else(|| "0".to_owned(), as_text),
            part.first("whole_graphs")
                .map_or_else(String::new, |graphs| format!(" and {graphs} whole graphs")),
            duration(part, "kernel_ns"),
            part.first("copy_ns")
                .map_or_else(String::new, |copies| format!(", copies and memsets {}", in_unit(copies))),
            word("gpus_used"),
            word("gpus_present")
        ),
        (Question::HostWhileIdle, "idle_causes") => {
            format!("{}% of the idle time: {}{}", word("idle_percent"), word("in_words"), of_idle_host(parts))
        }
        (Question::Overlap, "exchange") => of_exchange(part, parts),
        (Question::Overlap, "exchange_of_host") => format!(
            "GPUs idle {}% of the time while the host exchanges data; whether kernels exchange data is not known",
            word("percent")
        ),
        (Question::Compare, "environment") => of_comparison(part, parts),
        (Question::TensorCores, "kernels") => {
            let told = word("tensor_cores");
            format!("{}, as the name or counters tell: {told}{}", seen.matrix_units, seen.no_matrix_units())
        }
        (Question::TensorCores, _) => of_matrix_units(part, parts, seen),
        (Question::WhichRank, "most_kernel_time") => of_ranks(part, parts),
        (Question::Steady, "iterations") => {
            let slowest = parts.iter().find(|one| one.name == "slowest");
            format!("{}{}", of_iterations(part), slowest.and_then(of_slowest).unwrap_or_default())
        }
        (Question::Steady, _) => {
            let figure = |column: &str| part.first(column).and_then(Json::as_f64);
            let [median, longest] = ["median_ns", "max_ns"].map(|column| duration(part, column));
            // No run is as long as the median of two.
            match (figure("runs"), figure("time_ns"), figure("max_ns")) {
                (Some(2.0), Some(both), Some(one)) => {
                    format!("{}: two runs, {longest} and {}", word("key"), time(both - one, TimeUnit::Auto))
                }
                _ => format!("{}: median {median}, longest {longest}", word("key")),
            }
        }
        _ => {
            let known = parts.iter().filter(|part| part.total > 0);
            let names: Vec<String> = known.map(|part| part.name.replace('_', " ")).collect();
            format!("Not all of it is known; what is: {}", names.join(", "))
        }
    }
}

/// After the first cause of idle time: in which range it is, in which Python function and in which call of the operating system. Time for which the CPU is waited for is
/// known by range; of other causes the range of the longest gap is.
fn of_idle_host(parts: &[Part]) -> String {
    let first = |name: &str| parts.iter().find(|part| part.name == name && part.total > 0);
    let causes = first("idle_causes");
    let key = causes.map_or_else(String::new, |part| word(part, "key"));
    let is_of_cpu = StepClass::Cpu.causes().any(|cause| key == format!("cause:{}", cause.as_str()));
    let in_words = causes.map(|part| word(part, "in_words"));
    let of_ranges = first("idle_ranges").filter(|_| is_of_cpu);
    let of_gap = first("longest_gaps").filter(|part| !is_of_cpu && Some(word(part, "in_words")) == in_words);
    let range = match (of_ranges, of_gap.and_then(|part| part.first("range"))) {
        (Some(part), _) => {
            let range = word(part, "key");
            let range = range.trim_start_matches("range:");
            format!("; of all ranges most, {}%, in `{range}`", word(part, "idle_percent"))
        }
        (None, Some(Json::String(range))) => format!("; its longest gap lies in `{range}`"),
        (None, _) => String::new(),
    };
    let of_threads =
        [("idle_python", "Python functions"), ("idle_os_calls", "calls of the operating system")];
    let of_threads = of_threads.into_iter().filter_map(|(name, what)| {
        let part = first(name)?;
        Some(format!("; of all {what} most, {}, in `{}`", duration(part, "time_ns"), word(part, "key")))
    });
    // Where it mostly runs, samples say what it does.
    let asleep = first("idle_threads").and_then(|part| part.first("asleep_percent")?.as_f64());
    let asleep = asleep.filter(|percent| *percent >= 50.0);
    let asleep = asleep.map_or_else(String::new, |percent| {
        format!("; while GPUs wait for it, the thread sleeps {percent:.1}% of the time")
    });
    range + &asleep + &of_threads.collect::<String>()
}

/// How much of the copies nothing hides.
fn of_copies(parts: &[Part]) -> String {
    let copies = parts.iter().find(|part| part.name == "copies" && part.total > 0);
    copies.map_or_else(String::new, |part| {
        let [all, exposed] = ["copy_ns", "exposed_copy_ns"].map(|column| duration(part, column));
        format!("; copies and memsets take {all}, {exposed} of it while no kernel runs")
    })
}

fn of_exchange(part: &Part, parts: &[Part]) -> String {
    let of_host = parts.iter().find(|one| one.name == "exchange_of_host");
    let waits = of_host.map_or_else(String::new, |host| {
        format!("; GPUs idle {}% of the time while the host exchanges data", word(host, "percent"))
    });
    format!(
        "Kernels that exchange data run {}; {}% of it is exposed: no other kernel runs meanwhile{waits}{}",
        duration(part, "communication_ns"),
        word(part, "exposed_percent"),
        of_copies(parts)
    )
}

/// What differs between two captures, besides the program.
const ENVIRONMENT: [&str; 6] =
    ["gpu_names", "gpus_used", "driver_version", "cuda_version", "framework", "nsys_version"];

/// What differs in the environment comes before what changed.
fn of_comparison(environment: &Part, parts: &[Part]) -> String {
    let [base, new] = environment.rows.as_slice() else { return "The captures have one name".to_owned() };
    let at = |name: &str| environment.columns.iter().position(|column| column.name == name);
    let pair = |name| at(name).and_then(|at| Some((base.get(at)?, new.get(at)?)));
    let differs = ENVIRONMENT.into_iter().filter(|name| pair(name).is_some_and(|(base, new)| base != new));
    let differs: Vec<&str> = differs.collect();
    let mut said = match differs.as_slice() {
        [] => String::new(),
        names => format!("The environment differs ({}). ", names.join(", ")),
    };
    let have_steps = pair("key_node").is_some_and(|(base, new)| base.is_string() && new.is_string());
    if let Some((base, new)) =
        pair("avg_iteration_ns").filter(|(base, new)| have_steps && base.is_number() && new.is_number())
    {
        let [base, new] = [base, new].map(in_unit);
        said += &format!("An iteration takes {base} on average in the first, {new} in the second. ");
    }
    let Some(kernels) = parts.iter().find(|part| part.name == "kernel_time") else {
        return said + "Kernels are not known";
    };
    let number = |column| kernels.first(column).and_then(Json::as_f64);
    let [base, new] = ["base_ns", "new_ns"].map(|column| duration(kernels, column));
    let change = number("change_percent").map_or_else(String::new, |percent| format!(" ({percent:+.1}%)"));
    let launched = |kernels, graphs| match (number(kernels), number(graphs)) {
        (Some(kernels), Some(graphs)) if graphs > 0.0 => {
            format!("{} and {} whole graphs", counted(kernels), counted(graphs))
        }
        (kernels, _) => kernels.map_or_else(|| "unknown".to_owned(), counted),
    };
    let there_are = format!(
        "there are {}, then {}",
        launched("base_kernels", "base_whole_graphs"),
        launched("new_kernels", "new_whole_graphs")
    );
    match word(kernels, "key") == "per:iteration" {
        true => {
            said + &format!("Kernels of all GPUs take {base} per iteration, then {new}{change}; {there_are}")
        }
        false => {
            said + &format!(
                "Without a repeating step in both, only sums can be compared: kernels of all GPUs take {base}, then {new}{change}; {there_are}"
            )
        }
    }
}

fn of_matrix_units(part: &Part, parts: &[Part], seen: Seen) -> String {
    let that_use_them = format!("in kernels that use {}", seen.matrix_units);
    let share = |row: &Vec<Json>| {
        let words = match row.first().and_then(Json::as_str)? {
            "tensor_cores:true" => that_use_them.as_str(),
            "tensor_cores:false" => "in kernels that do not",
            _ => "in kernels whose names do not tell",
        };
        Some(format!("{}% {words}", row.last()?))
    };
    let shares: Vec<String> = part.rows.iter().filter_map(share).collect();
    let is_told = |row: &Vec<Json>| row.first().and_then(Json::as_str) != Some("tensor_cores:unknown");
    let could = match parts.iter().find(|one| one.name == COULD_USE) {
        _ if seen.has_matrix_units != Some(true) => String::new(),
        _ if let Some(advice) = parts.iter().find(|one| one.name == MATRIX_ADVICE) => {
            format!("; {}. {}", word(advice, "problem"), word(advice, "recommendation"))
        }
        Some(could) => format!(
            "; {}% is {}, of which some could use them with another data type, shape or layout",
            word(could, "percent"),
            word(could, "key").trim_start_matches("kind:")
        ),
        None if part.name == ALL_KERNELS && part.rows.iter().all(is_told) => {
            "; there is no matrix math that could use them with another data type".to_owned()
        }
        None => String::new(),
    };
    let uses_them = part.rows.iter().any(|row| row.first().is_some_and(|key| key == "tensor_cores:true"));
    let no_units = if uses_them { String::new() } else { seen.no_matrix_units() };
    format!("Of the kernel time {}{could}{no_units}", shares.join(", "))
}

fn of_ranks(part: &Part, parts: &[Part]) -> String {
    let (most, exchanges) = (
        word(part, "most"),
        parts.iter().any(|part| {
            part.name == "gpus"
                && part.first("communication_ns").and_then(Json::as_i64).is_some_and(|ns| ns > 0)
        }),
    );
    let waits = if exchanges {
        "; time in exchange is also waiting for others: `dlprof-agg ranks` tells who waits for whom"
    } else {
        ""
    };
    match part.first("more_percent") {
        None => format!("Only {most} ran kernels: there is no other to compare it with"),
        Some(more) if more.as_f64().is_some_and(|more| more < EQUAL_PERCENT) => {
            format!("All compute for about as long: the most, {most}, {more}% more than the least{waits}")
        }
        Some(more) => format!("{most} computes for longest, {more}% more than the least{waits}"),
    }
}

/// By how much the longest of the aggregated iterations is longer than the others, and the classes of its time that take at least half of
/// that more or less; none where nothing says it.
fn of_slowest(part: &Part) -> Option<String> {
    let figure = |row: &[Json], name: &str| {
        let at = part.columns.iter().position(|column| column.name == name)?;
        row.get(at)?.as_f64()
    };
    let row = part.rows.iter().find(|row| figure(row, "more_ns").is_some())?;
    let more_ns = figure(row, "more_ns").filter(|&ns| ns > 0.0)?;
    let classes = part.columns.iter().zip(row).filter_map(|(column, cell)| {
        let class = column.name.strip_suffix("_more_ns")?;
        Some((cell.as_f64()?, class))
    });
    let mut most: Vec<(f64, &str)> = classes.filter(|(ns, _)| 2.0 * ns.abs() >= more_ns).collect();
    most.sort_by(|one, other| other.0.total_cmp(&one.0));
    let each = |&(ns, class): &(f64, &str)| {
        let sign = if ns < 0.0 { "less" } else { "more" };
        format!("{} takes {} {sign}", class_words(class), time(ns.abs(), TimeUnit::Auto))
    };
    let why = match most.is_empty() {
        true => "no class of its time takes half of that".to_owned(),
        false => most.iter().map(each).collect::<Vec<String>>().join(", "),
    };
    let number = row.first().map(as_text)?;
    let number = number.trim_start_matches("iter:");
    let more = time(more_ns, TimeUnit::Auto);
    Some(format!(
        "; of those that are aggregated, {number} is the longest, {more} more than the others: {why}"
    ))
}

/// The words for a class of a step, by the word that columns begin with.
fn class_words(key: &str) -> &str {
    STEP_CLASSES.iter().find(|known| known.class.as_str() == key).map_or(key, |known| known.words)
}

/// How many iterations are in which state, with the times of the steady ones where there are any.
fn of_iterations(part: &Part) -> String {
    let at = |name: &str| part.columns.iter().position(|column| column.name == name);
    let cell =
        |row: &[Json], name: &str| at(name).and_then(|at| row.get(at)).map(as_text).unwrap_or_default();
    let state = |row: &[Json]| cell(row, "key").trim_start_matches("state:").to_owned();
    let counts: Vec<String> =
        part.rows.iter().map(|row| format!("{} {}", cell(row, "iterations"), state(row))).collect();
    let steady = part.rows.iter().find(|row| state(row) == "steady").or(part.rows.first());
    let times = steady.map_or_else(String::new, |row| {
        let figure = |name: &str| at(name).and_then(|at| row.get(at)).and_then(Json::as_f64);
        let of = |name| figure(name).map_or_else(|| "unknown".to_owned(), |ns| time(ns, TimeUnit::Auto));
        format!(
            "; {}: median {}, longest {}, standard deviation {}",
            state(row),
            of("median_ns"),
            of("max_ns"),
            of("deviation_ns")
        )
    });
    format!("Iterations by state: {}{times}", counts.join(", "))
}
