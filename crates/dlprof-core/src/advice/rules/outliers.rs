//! Iterations that take other times than the rest, and what they have that the rest has not.

use super::range::ALLOCATION_IN_STEP;
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::of_torch;
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::advice::trend::in_iterations;
use crate::base::ordered::Cursor;
use crate::base::ratios::{count_to_f64, median, to_f64};
use crate::base::time::{Ns, Span, total};
use crate::capture::classified::Cause;
use crate::capture::correlate::UNASSOCIATED;
use crate::figures::activity::{StepClass, StepClasses};
use crate::figures::profile::{ProfileContents, standard_deviation};
use crate::steps::iterate::IterationState;
use std::collections::{BTreeMap, BTreeSet};

const VARIATION: Threshold = Threshold {
    name: "variation_percent",
    default: 10.0,
    doc: "The standard deviation of the iteration times is above this share of their mean.",
};

const OUTLIERS: Threshold = Threshold {
    name: "outliers_percent",
    default: 5.0,
    doc: "Least share of iterations in state `outlier`.",
};

pub(super) const UNSTEADY_ITERATIONS: Rule = Rule {
    id: "unsteady_iterations",
    title: "Iterations take different times",
    how: "Of the iterations that findings are about: the standard deviation of their times over their mean, or the share of \
          outliers. Silent under five iterations, and where outliers take no longer than the middle. Where iterations take longer from one to the next, or less long, in nine of \
          ten steps and by more than a quarter in either half of them, this is said instead. The finding names what at least half of the outliers have and no steady iteration \
          has, up to two of each kind, most time first: ops, API calls, and calls of the operating system of threads that launch, calls \
          where they take a twentieth of what outliers take beyond the middle. Where there are none it says how many launches \
          both have in the middle, if these differ. Without outliers it names the class of a step that makes most of the deviation: without its time \
          iterations deviate less than half as much. An iteration in state `unsplit` is several passes: it is always said, \
          counts neither to the deviation nor to the middle nor to the outliers. The saving is what the outliers \
          take beyond the median. Below `allocation_in_step` where GPUs idle for four fifths of that while memory is taken, beyond what they do in the iteration \
          in the middle.",
    severity: Severity::Note,
    confidence: Confidence::High,
    thresholds: &[VARIATION, OUTLIERS],
    needs: &[Need::Iterations(5)],
    check: unsteady_iterations,
    ..Rule::SILENT
};

/// The median as the page has it beside the chart of iterations: of an even number the mean of the two in the middle.
fn middle(mut lengths: Vec<Ns>) -> Ns {
    lengths.sort_unstable();
    let upper = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    let lower = lengths.get(lengths.len().saturating_sub(1) / 2).copied().unwrap_or(0);
    lower + (upper - lower) / 2
}

fn unsteady_iterations(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let iterations = &scene.profile.iterations;
    let numbers: Vec<u32> = scene
        .places
        .clone()
        .map(|place| scene.iteration(place))
        .filter(|&number| number > 0 && !iterations.is_outside(number))
        .collect();
    let length = |number: u32| iterations.windows.span(number).length();
    let durations: Vec<Ns> = numbers.iter().map(|&number| length(number)).collect();
    if iterations.key_node.is_none() || durations.len() < 5 {
        return None;
    }
    let passes = iterations.pass_durations_of(numbers.iter().copied());
    let mean = to_f64(total(passes.iter().copied())) / count_to_f64(passes.len() as u64);
    let variation = 100.0 * standard_deviation(&passes) / mean.max(1.0);
    let is_in = |state: IterationState| move |number: &u32| iterations.states[*number as usize] == state;
    let is_unsplit = is_in(IterationState::Unsplit);
    let single: Vec<u32> = numbers.iter().copied().filter(|number| !is_unsplit(number)).collect();
    let middle = middle(single.iter().map(|&number| length(number)).collect());
    let changing = iterations.going_one_way();
    let is_outlier = is_in(IterationState::Outlier);
    let mut outliers: Vec<u32> =
        numbers.iter().copied().filter(|number| changing.is_empty() && is_outlier(number)).collect();
    let share = 100.0 * count_to_f64(outliers.len() as u64) / count_to_f64(durations.len() as u64);
    let unsplit = unsplit_in_words(scene.profile, &numbers);
    if variation <= limits.of(&VARIATION) && share < limits.of(&OUTLIERS) && unsplit.is_empty() {
        return None;
    }
    outliers.sort_by_key(|&number| (std::cmp::Reverse(length(number)), number));
    let excess_ns = total(outliers.iter().map(|&number| (length(number) - middle).max(0)));
    // Outliers that take no longer than the others cost nothing.
    if changing.is_empty() && unsplit.is_empty() && !outliers.is_empty() && excess_ns == 0 {
        return None;
    }
    let told = if changing.is_empty() { &numbers } else { &changing };
    let (first, last) = (told[0], told[told.len() - 1]);
    let others = iterations.states.iter().filter(|&&state| state == IterationState::Outlier).count();
    let elsewhere = match others - outliers.len() {
        _ if !changing.is_empty() => String::new(),
        0 => String::new(),
        1 => "; 1 more outlier is not among these iterations".to_owned(),
        more => format!("; {more} more outliers are not among these iterations"),
    };
    let varying = if outliers.is_empty() { VaryingClass::of(scene, &single) } else { None };
    let problem = match changing.as_slice() {
        [from, .., to] => Sentence::new(
            "Iterations take {} from one to the next, {} in iteration {} and {} in iteration {}, so that none is usual; means \
             say little of any of them{}",
            vec![
                Figure::Text(if length(*to) > length(*from) { "longer" } else { "less long" }.into()),
                Figure::Time(to_f64(length(*from))),
                Figure::Count((*from).into()),
                Figure::Time(to_f64(length(*to))),
                Figure::Count((*to).into()),
                Figure::Text(match scene.left_out_of_trend().and_then(|_| scene.judged_iterations()) {
                    Some(judged) => {
                        format!("; findings and savings hold only{}", in_iterations(&judged))
                    }
                    None => String::new(),
                }),
            ],
        ),
        _ if let Some(varying) = &varying => Sentence::new(
            "Iterations {} to {} take {} in the middle, with a standard deviation of {} of the mean; most of that is {}, without \
             which they take {} to {}{}",
            vec![
                Figure::Count(first.into()),
                Figure::Count(last.into()),
                Figure::Time(to_f64(middle)),
                Figure::Percent(variation, 0),
                Figure::Text(varying.class.words().to_owned()),
                Figure::Time(to_f64(varying.others_ns.0)),
                Figure::Time(to_f64(varying.others_ns.1)),
                Figure::Text(format!("{unsplit}{elsewhere}")),
            ],
        ),
        _ if outliers.is_empty() => Sentence::new(
            "Iterations {} to {} take {} in the middle, with a standard deviation of {} of the mean; none of these {} is an \
             outlier{}",
            vec![
                Figure::Count(first.into()),
                Figure::Count(last.into()),
                Figure::Time(to_f64(middle)),
                Figure::Percent(variation, 0),
                Figure::Count(durations.len() as u64),
                Figure::Text(format!("{unsplit}{elsewhere}")),
            ],
        ),
        _ => Sentence::new(
            "{} of iterations {} to {} {} in the middle; the middle of all {} is {}, the standard deviation {} of the mean{}",
            vec![
                Figure::Count(outliers.len() as u64),
                Figure::Count(first.into()),
                Figure::Count(last.into()),
                Figure::Clause(Box::new(Sentence::new(
                    if outliers.len() == 1 {
                        "is an outlier and takes {}"
                    } else {
                        "are outliers and take {}"
                    },
                    vec![Figure::Time(to_f64(self::middle(
                        outliers.iter().map(|&number| length(number)).collect(),
                    )))],
                ))),
                Figure::Count(durations.len() as u64),
                Figure::Time(to_f64(middle)),
                Figure::Percent(variation, 0),
                Figure::Text(
                    what_only_outliers_have(scene.profile, &outliers, excess_ns) + &unsplit + &elsewhere,
                ),
            ],
        ),
    };
    let advice = if !changing.is_empty() {
        "If the program tries sizes, look at one by itself with `--iter-start` and `--iter-stop`, or at two with `dlprof-agg \
         compare FILE --iterations`. Else look for what grows: inputs, or memory that is not given back"
    } else if outliers.is_empty() && !unsplit.is_empty() {
        scene.profile.capture.recorder.words(
            "Mark each step with an NVTX range, which `--key-node` takes; or choose iterations without these passes with \
             `--iter-start` and `--iter-stop`",
            of_torch::steps(&scene.profile.capture),
        )
    } else if varying.is_some() {
        "See what findings say of that first; `dlprof-agg compare FILE --iterations slowest` says what else differs"
    } else if outliers.is_empty() {
        "Look at the slowest ones first: what they do that others do not"
    } else {
        "Look at the outliers first: do what only they do less often, or beside the others"
    };
    // The iterations of which the sentence speaks, which the command lists.
    let (mut telling, state) = match (outliers.is_empty(), unsplit.is_empty()) {
        (false, _) => (outliers.clone(), " and state = outlier"),
        (true, false) => (numbers.into_iter().filter(is_unsplit).collect(), " and state = unsplit"),
        (true, true) => (told.clone(), " and state != outside"),
    };
    telling.sort_by_key(|&number| (std::cmp::Reverse(length(number)), number));
    telling.truncate(3);
    let condition = format!("iteration between {first} and {last}{state}");
    let finding = Finding::new(problem, advice)
        .percent(VARIATION.name, variation)
        .percent(OUTLIERS.name, share)
        .time("median_ns", middle)
        .time("excess_ns", excess_ns)
        .about(EvidenceKind::Iteration, telling.iter().map(u32::to_string).collect::<Vec<_>>())
        .show(Question::of("iterations").rows_where(condition).sorted_by(["-duration_ns"]).top(3));
    if excess_ns == 0 {
        return Some(finding);
    }
    // Where outliers are longer because memory is taken, the finding that says so comes first.
    let is_allocation = 5 * allocating_beyond_usual_ns(scene, &outliers, &single) >= 4 * excess_ns;
    let finding = finding.saves_at_most(excess_ns, "Time of the outliers beyond the median");
    Some(finding.same_cause_as(is_allocation.then_some(ALLOCATION_IN_STEP.id)))
}

/// The part of a step in which iterations differ.
struct VaryingClass {
    class: StepClass,
    /// The shortest and the longest iteration without it.
    others_ns: (Ns, Ns),
}

impl VaryingClass {
    /// The class without which iterations differ least, where that is less than half as much as with it.
    fn of(scene: &Scene<'_>, numbers: &[u32]) -> Option<Self> {
        let numbers: BTreeSet<u32> = numbers.iter().copied().collect();
        let places = scene.places.clone().filter(|&place| numbers.contains(&scene.iteration(place)));
        let steps: Vec<StepClasses> = places.filter_map(|place| scene.gpu_times().classes(place)).collect();
        let whole: Vec<Ns> = steps.iter().map(|step| step.length_ns).collect();
        let without = |class: StepClass| -> Vec<Ns> {
            steps.iter().map(|step| step.length_ns - step.of_class(class)).collect()
        };
        let rests = StepClass::ALL.map(|class| (class, without(class)));
        let rests = rests.into_iter().map(|(class, rest)| (standard_deviation(&rest), class, rest));
        let (deviation, class, rest) = rests.min_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
        let others_ns = (rest.iter().copied().min()?, rest.iter().copied().max()?);
        (2.0 * deviation < standard_deviation(&whole)).then_some(Self { class, others_ns })
    }
}

/// How much longer GPUs idle in outliers while memory is taken than in a usual iteration, on average over the GPUs.
fn allocating_beyond_usual_ns(scene: &Scene<'_>, outliers: &[u32], single: &[u32]) -> Ns {
    let allocating = |numbers: &[u32]| -> Vec<Ns> {
        let numbers: BTreeSet<u32> = numbers.iter().copied().collect();
        let places = scene.places.clone().filter(|&place| numbers.contains(&scene.iteration(place)));
        let idle = places.map(|place| scene.sum_over(place..place + 1).idle.of(Cause::Allocation));
        idle.map(|ns| scene.per_gpu(ns)).collect()
    };
    let usual = middle(allocating(single));
    total(allocating(outliers).into_iter().map(|ns| (ns - usual).max(0)))
}

/// `; iteration 9 holds 10 more passes of the same kernels on another stream, each counted as an iteration`; nothing where there
/// are none.
fn unsplit_in_words(profile: &ProfileContents, numbers: &[u32]) -> String {
    let iterations = &profile.iterations;
    let is_unsplit = |number: &&u32| iterations.states[**number as usize] == IterationState::Unsplit;
    let unsplit: Vec<u32> = numbers.iter().filter(is_unsplit).copied().collect();
    let more = iterations.further_passes(unsplit.iter().copied());
    match unsplit.as_slice() {
        [] => String::new(),
        [only] => {
            format!(
                "; iteration {only} holds {more} more passes of the same kernels on another stream, each counted as an iteration"
            )
        }
        several => {
            let count = several.len();
            format!(
                "; {count} iterations hold {more} more passes of the same kernels on another stream, each counted as an iteration"
            )
        }
    }
}

/// `; only outliers have ...`, or what else tells outliers from the others; nothing without outliers.
fn what_only_outliers_have(profile: &ProfileContents, outliers: &[u32], excess_ns: Ns) -> String {
    if outliers.is_empty() {
        return String::new();
    }
    let sides = Sides::new(profile, outliers);
    let least_ns = excess_ns / 20;
    let mut names: Vec<String> = Vec::new();
    for of_kind in [sides.ops(), sides.api_calls(least_ns), sides.os_calls(least_ns)] {
        names.extend(of_kind.into_iter().take(MOST_NAMES).map(|name| format!("`{name}`")));
    }
    if !names.is_empty() {
        return format!("; only outliers have {}", names.join(", "));
    }
    let launches = |numbers: &mut dyn Iterator<Item = u32>| {
        let launches = &profile.index.launched.launches[..];
        median(numbers.map(|at| Ns::try_from(launches[at as usize]).unwrap_or(Ns::MAX)).collect())
    };
    let theirs = launches(&mut outliers.iter().copied());
    let others = launches(&mut sides.steady());
    if theirs != others {
        return format!("; outliers have {theirs} launches in the middle, steady ones {others}");
    }
    String::new()
}

/// How many names of a kind are said.
const MOST_NAMES: usize = 2;

/// Which iterations are compared with which.
struct Sides<'a> {
    profile: &'a ProfileContents,
    /// By iteration: whether it is an outlier that is looked at, or a steady one; nothing for others.
    is_outlier: Vec<Option<bool>>,
    outliers: usize,
}

/// What is known of a name.
#[derive(Default)]
struct Uses {
    outliers: BTreeSet<u32>,
    ns: Ns,
    has_steady: bool,
}

impl<'a> Sides<'a> {
    fn new(profile: &'a ProfileContents, outliers: &[u32]) -> Self {
        let iterations = &profile.iterations;
        let is_steady = |state: &IterationState| (*state == IterationState::Steady).then_some(false);
        let mut is_outlier: Vec<Option<bool>> = iterations.states.iter().map(is_steady).collect();
        outliers.iter().for_each(|&number| is_outlier[number as usize] = Some(true));
        Self { profile, is_outlier, outliers: outliers.len() }
    }

    fn steady(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.is_outlier).filter(|(_, side)| **side == Some(false)).map(|(number, _)| number)
    }

    /// Of things with a name, an iteration and a duration: the names that half of the outliers have and no steady iteration has,
    /// most time first, and that time.
    fn only_in_outliers(&self, things: impl Iterator<Item = (u32, u32, Ns)>) -> Vec<(u32, Ns)> {
        let mut uses: BTreeMap<u32, Uses> = BTreeMap::new();
        for (name, iteration, ns) in things {
            let Some(Some(is_outlier)) = self.is_outlier.get(iteration as usize) else { continue };
            let uses = uses.entry(name).or_default();
            if *is_outlier {
                uses.outliers.insert(iteration);
                uses.ns = uses.ns.saturating_add(ns);
            } else {
                uses.has_steady = true;
            }
        }
        let is_theirs = |uses: &Uses| !uses.has_steady && uses.outliers.len() * 2 >= self.outliers;
        let mut only: Vec<(u32, Ns)> = uses
            .into_iter()
            .filter(|(_, uses)| is_theirs(uses))
            .map(|(name, uses)| (name, uses.ns))
            .collect();
        only.sort_by_key(|&(name, ns)| (std::cmp::Reverse(ns), name));
        only
    }

    fn ops(&self) -> Vec<String> {
        let index = &self.profile.index;
        let calls = index.calls.iteration.iter().zip(&index.calls.op).enumerate();
        let spans = &self.profile.capture.op_calls.span[..];
        let things = calls.map(|(at, (&iteration, &op))| (number(op.index()), iteration, spans[at].length()));
        // An op stands there once for each of its shapes.
        let mut names: Vec<String> = Vec::new();
        for (op, _) in self.only_in_outliers(things) {
            let name = index.op_name(crate::base::ids::OpId::new(op as usize));
            if !name.starts_with(UNASSOCIATED) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    fn api_calls(&self, least_ns: Ns) -> Vec<String> {
        let calls = &self.profile.capture.api_calls;
        let rows =
            calls.span.iter().zip(&calls.name).filter_map(|(span, name)| Some((*span, name.position()?)));
        self.names(rows, least_ns)
    }

    /// Calls of threads that launch: what others wait for tells nothing of the iteration.
    fn os_calls(&self, least_ns: Ns) -> Vec<String> {
        let capture = &self.profile.capture;
        let Some(calls) = &capture.host.os_calls else { return Vec::new() };
        let mut launches = vec![false; capture.threads.len()];
        for thread in &capture.api_calls.thread {
            if let Some(thread) = thread.some() {
                launches[thread.index()] = true;
            }
        }
        let is_theirs =
            |at: usize| calls.thread[..][at].some().is_some_and(|thread| launches[thread.index()]);
        let rows = calls.span.iter().zip(&calls.name).enumerate().filter(|(at, _)| is_theirs(*at));
        self.names(rows.filter_map(|(_, (span, name))| Some((*span, name.position()?))), least_ns)
    }

    /// The names of calls that only outliers have, which take at least some time.
    fn names(&self, calls: impl Iterator<Item = (Span, usize)>, least_ns: Ns) -> Vec<String> {
        let mut iteration = Cursor::new(self.profile.iterations.inner_boundaries());
        let things = calls
            .map(|(span, name)| (number(name), number(iteration.at_or_before(span.start)), span.length()));
        let only = self.only_in_outliers(things).into_iter().filter(|&(_, ns)| ns >= least_ns);
        let strings = &self.profile.capture.strings;
        let text = |name: u32| strings.get(crate::base::ids::StrId::new(name as usize)).to_owned();
        only.filter(|&(name, _)| (name as usize) < strings.len()).map(|(name, _)| text(name)).collect()
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
