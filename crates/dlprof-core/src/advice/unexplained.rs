//! What else tells about idle time that no call and no range explains: CPU samples, code that is loaded, and files that are read.

use super::between_calls::calls_around_most;
use super::of_torch::waits_for_earlier_work;
use super::scene::{Scene, part};
use super::sentence::{Figure, Sentence};
use crate::base::ids::StrId;
use crate::base::ratios::{count_to_f64, percent, to_f64};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::capture::names::OsCallKind;
use crate::figures::activity::{
    IdleFunction, IdleHost, IdleThread, OsCallSum, SampleRole, SampledCode, StepClasses, UnexplainedHost,
    Verdict,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What threads that launch do while GPUs idle for them and neither a call nor a range says so.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unexplained {
    /// They compute: the function with most CPU samples of the program, and the samples that are the program's.
    Computes(String, PartOfSamples),
    /// They make a library ready, which is done once.
    Creates(CreatedLibrary),
    /// They load code, which is done once: how often, and the calls that read files meanwhile.
    LoadsCode(u64, Vec<OsCallSum>),
    /// They have samples, but not mostly in code of the program: the function or binary with most of them, and these.
    Sampled(String, PartOfSamples),
    /// They have a processor, as their scheduling says, for so large a share of it; nothing says what they run.
    Runs(f64),
    /// They are between the same two calls nearly all of the time, and nothing says what they do there.
    Between([String; 2]),
    /// They read files, and nothing says what for: functions of the operating system, most calls first.
    ReadsFiles(Vec<OsCallSum>),
    /// Streams may wait for work that was started before the recording.
    EarlierWork,
    /// Nothing tells.
    Nothing,
}

/// A library that is made ready.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CreatedLibrary {
    /// Its binary.
    module: String,
    /// The function that makes it ready.
    function: String,
    /// The samples in its calls.
    of_samples: PartOfSamples,
}

/// Some of the samples of threads that launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PartOfSamples {
    /// These.
    pub(super) part: u64,
    /// All of them.
    pub(super) all: u64,
}

/// A share of fewer samples is none.
const FEWEST_FOR_SHARES: u64 = 100;

impl PartOfSamples {
    /// `92% of the 1345`, `12 of the 13`
    pub(super) fn in_words(self) -> String {
        match self.all < FEWEST_FOR_SHARES {
            true => format!("{} of the {}", self.part, self.all),
            false => {
                let share = 100.0 * count_to_f64(self.part) / count_to_f64(self.all);
                let figures = vec![Figure::Percent(share, 0), Figure::Count(self.all)];
                Sentence::new("{} of the {}", figures).to_string()
            }
        }
    }
}

impl Unexplained {
    /// What is said of a share of the time; `None` where nothing tells more.
    pub(super) fn said(&self, scene: &Scene<'_>, share: Figure) -> Option<Sentence> {
        let sampled = |of_samples: PartOfSamples, name: &str| {
            vec![Figure::Text(of_samples.in_words()), Figure::Text(name.to_owned())]
        };
        let with_share = |figures: Vec<Figure>| [share.clone()].into_iter().chain(figures).collect();
        match self {
            Self::Computes(function, of_samples) => Some(Sentence::new(
                "GPUs idle {} of the time while the program computes on the CPU; so say {} samples of its threads, most in `{}`",
                with_share(sampled(*of_samples, function)),
            )),
            Self::Creates(CreatedLibrary { module, function, of_samples }) => Some(Sentence::new(
                "GPUs idle {} of the time while a library gets ready, which is done once; {} CPU samples of launching \
                 threads there are in calls of `{}`, such as `{}`",
                with_share([sampled(*of_samples, module), vec![Figure::Text(function.clone())]].concat()),
            )),
            Self::LoadsCode(loads, reads) => Some(Sentence::new(
                "GPUs idle {} of the time while the program loads code, which is done once; there the threads that launch load \
                 libraries or modules {} times, and call {}",
                with_share(vec![Figure::Count(*loads), Figure::Text(scene.reads_in_words(reads))]),
            )),
            Self::Sampled(name, of_samples) => Some(Sentence::new(
                "GPUs idle {} of the time without a range or call that says why; {} CPU samples of launching threads there \
                 are in `{}`",
                with_share(sampled(*of_samples, name)),
            )),
            Self::ReadsFiles(reads) => Some(Sentence::new(
                "GPUs idle {} of the time without a range or call that says why; there the threads that launch call {}, which \
                 takes {} in all",
                with_share(vec![
                    Figure::Text(scene.reads_in_words(reads)),
                    Figure::Time(to_f64(total(reads.iter().map(|read| read.time_ns)))),
                ]),
            )),
            Self::Runs(percent) => Some(Sentence::new(
                "GPUs idle {} of the time without a range or call that says why; for {} of it the threads that launch run on the CPU, as \
                 their scheduling says",
                with_share(vec![Figure::Percent(*percent, 0)]),
            )),
            Self::Between(calls) => Some(Sentence::new(
                "GPUs idle {} of the time, nearly all of it between the calls `{}` and `{}`; what the host does there was not \
                 recorded",
                with_share(calls.clone().map(Figure::Text).into()),
            )),
            Self::EarlierWork => Some(Sentence::new(
                "GPUs idle {} of the time without a reason that the trace shows, most of it before the first recorded work of a \
                 stream; the stream may wait for work that was started before the recording",
                with_share(Vec::new()),
            )),
            Self::Nothing => None,
        }
    }

    /// What threads do while GPUs idle, in few words; `None` where nothing tells.
    pub(super) fn title(&self) -> Option<&'static str> {
        match self {
            Self::Computes(..) => Some("The program computes on the CPU while GPUs idle"),
            Self::Runs(..) => Some("The program runs on the CPU while GPUs idle"),
            Self::Creates(..) => Some("A library gets ready while GPUs idle"),
            Self::LoadsCode(..) => Some("The program loads code while GPUs idle"),
            _ => None,
        }
    }

    /// Whether it is work that is done once.
    pub(super) fn is_done_once(&self) -> bool {
        matches!(self, Self::Creates(..) | Self::LoadsCode(..))
    }
}

/// How many samples say where a thread is.
const FEWEST_SAMPLES: u64 = 10;

/// From so many calls that read files on, and at least one in so long a time, reading says what a thread does.
const FEWEST_READS: u64 = 50;
const MOST_BETWEEN_READS_NS: Ns = 2_000_000;

/// Code is loaded from so many loads on, and at least one in so long a time, if files are read all along: modules of Python that
/// are files of their own lie between those that are libraries.
const FEWEST_LOADS: u64 = 3;
const MOST_BETWEEN_LOADS_NS: Ns = 200_000_000;

impl Scene<'_> {
    /// What else tells about idle time of the cause `unknown`.
    pub(super) fn unexplained(&self) -> Unexplained {
        if waits_for_earlier_work(self) {
            return Unexplained::EarlierWork;
        }
        let UnexplainedHost { host, os_calls, loads } = self.profile.unexplained_host();
        if let Some(told) = creates(host).or_else(|| computes(host)) {
            return told;
        }
        let reads = self.reads(os_calls);
        let number: u64 = reads.iter().map(|read| read.calls).sum();
        let is_often = |number: u64, fewest: u64, most_between_ns: Ns| {
            number >= fewest && number >= u64::try_from(host.waiting_ns / most_between_ns).unwrap_or(0)
        };
        let reads_files = is_often(number, FEWEST_READS, MOST_BETWEEN_READS_NS);
        if reads_files && is_often(*loads, FEWEST_LOADS, MOST_BETWEEN_LOADS_NS) {
            return Unexplained::LoadsCode(*loads, reads);
        }
        match sampled(host) {
            Some(sampled) => sampled,
            None if reads_files => Unexplained::ReadsFiles(reads),
            None if let Some(percent) = runs(host) => Unexplained::Runs(percent),
            None => {
                calls_around_most(self, Cause::Unknown).map_or(Unexplained::Nothing, Unexplained::Between)
            }
        }
    }

    /// Idle time of the used GPUs of the cause `unknown` in which the threads that launch compute: as much of it as CPU samples
    /// or, without them, records of scheduling say. None where it is too little to be looked at, or other things tell about it.
    pub(super) fn computing_ns(&self) -> Ns {
        let unknown_ns = self.idle(&[Cause::Unknown]);
        if self.share(unknown_ns) < WORTH_TELLING_PERCENT {
            return 0;
        }
        match self.unexplained() {
            Unexplained::Computes(_, PartOfSamples { part: computing, all }) => {
                part(unknown_ns, count_to_f64(computing) / count_to_f64(all))
            }
            Unexplained::Runs(percent) => part(unknown_ns, percent / 100.0),
            _ => 0,
        }
    }

    /// How the time divides into step classes for people: time that no call and no range names, but in which the thread that
    /// launches is known to compute, is time in which GPUs wait for the CPU. Where it alone limits the steps, what tells about it
    /// is said instead.
    pub(super) fn told_classes(&self) -> Option<StepClasses> {
        let classes = *self.classes()?;
        let computing_ns = self.per_gpu(self.computing_ns());
        let told = StepClasses {
            cpu_ns: classes.cpu_ns + computing_ns,
            other_ns: classes.other_ns - computing_ns,
            ..classes
        };
        let is_alone = classes.verdict() == Verdict::Unexplained && computing_ns > classes.cpu_ns;
        Some(if is_alone { classes } else { told })
    }

    /// The functions with most CPU samples of threads that GPUs wait for, in words after a sentence; empty where there are few
    /// samples.
    pub(super) fn sampled_while_idle(&self) -> Sentence {
        let host = self.profile.idle_host();
        let figures = |function: &IdleFunction| {
            [Figure::Text(function.function.clone()), Figure::Count(function.samples)]
        };
        // A module in brackets is none.
        let named = issuing(host).filter(|function| !function.function.starts_with('['));
        let most = named.take(2).flat_map(figures);
        let most: Vec<Figure> = [Figure::Count(samples(host))].into_iter().chain(most).collect();
        match most.len() {
            _ if samples(host) < FEWEST_SAMPLES => "".into(),
            1 => "".into(),
            3 => Sentence::new(
                "; of its {} CPU samples while GPUs wait for it, the most frequent function with a name is `{}` ({})",
                most,
            ),
            _ => Sentence::new(
                "; of its {} CPU samples while GPUs wait for it, the most frequent functions with a name are `{}` ({}) and `{}` ({})",
                most,
            ),
        }
    }

    /// The calls that read files, most calls first.
    fn reads(&self, calls: &[OsCallSum]) -> Vec<OsCallSum> {
        let text = |function: StrId| self.profile.capture.strings.get(function);
        let is_read = |call: &&OsCallSum| OsCallKind::of(text(call.function)) == OsCallKind::Read;
        let mut reads: Vec<OsCallSum> = calls.iter().filter(is_read).copied().collect();
        reads.sort_by_key(|call| (Reverse(call.calls), text(call.function)));
        reads
    }

    /// The calls that read files in words: the two with most calls.
    fn reads_in_words(&self, reads: &[OsCallSum]) -> String {
        let word = |call: &OsCallSum| {
            format!("`{}` {} times", self.profile.capture.strings.get(call.function), call.calls)
        };
        reads.iter().take(2).map(word).collect::<Vec<_>>().join(" and ")
    }

    /// What a new capture should record to tell about idle time of which nothing recorded says what the host does; `None` where such time
    /// is little, or something tells.
    pub(super) fn what_would_tell(&self) -> Option<String> {
        let is_told = || {
            !matches!(
                self.unexplained(),
                Unexplained::Nothing | Unexplained::Between(_) | Unexplained::Runs(_)
            )
        };
        // Nothing but its place says of the rest that it is done once.
        let is_much = self.share(self.lasting_idle(Cause::Unknown)) >= WORTH_TELLING_PERCENT
            || self.share(self.idle(&[Cause::Unknown])) >= 2.0 * WORTH_TELLING_PERCENT;
        if !is_much || is_told() {
            return None;
        }
        let capture = &self.profile.capture;
        let lacks_samples = capture.host.samples.time.is_empty();
        let lacks_os_calls = capture.host.os_calls.is_none();
        let options = [
            lacks_samples.then(|| " --sample=process-tree".to_owned()),
            (lacks_samples && self.is_python()).then(|| " --python-sampling=true".to_owned()),
            lacks_os_calls.then(|| format!(" {}", capture.trace_option(true))),
        ];
        let options: String = options.into_iter().flatten().collect();
        Some(match (capture.recorder.is_torch_profiler(), options.is_empty()) {
            (true, _) => {
                "profile(with_stack=True), or torch.profiler.record_function around the parts of a step"
                    .to_owned()
            }
            (false, true) => "NVTX ranges around the parts of a step".to_owned(),
            (false, false) => format!("nsys profile{options}"),
        })
    }
}

/// Idle time that nothing tells about is worth a line from this share on.
const WORTH_TELLING_PERCENT: f64 = 5.0;

/// Number of samples of threads that launch.
fn samples(host: &IdleHost) -> u64 {
    host.samples[SampleRole::Issuing as usize]
}

/// A part of these samples.
fn share(host: &IdleHost, part: u64) -> PartOfSamples {
    PartOfSamples { part, all: samples(host) }
}

fn issuing(host: &IdleHost) -> impl DoubleEndedIterator<Item = &IdleFunction> {
    host.functions.iter().filter(|function| function.role == SampleRole::Issuing)
}

/// Whether threads compute.
fn computes(host: &IdleHost) -> Option<Unexplained> {
    let of_program: u64 = issuing(host).map(|function| function.of_program).sum();
    let with_most = issuing(host).filter(|function| function.of_program > 0);
    // Of equal ones the first, which has most samples of all.
    let most = with_most.rev().max_by_key(|function| function.of_program)?;
    let sum = |of: fn(&IdleThread) -> Ns| host.threads.iter().map(of).sum::<Ns>();
    let runs = sum(|thread| thread.on_cpu_ns) >= sum(|thread| thread.off_cpu_ns);
    let is_most = samples(host) >= FEWEST_SAMPLES && 2 * of_program >= samples(host);
    (is_most && runs).then(|| Unexplained::Computes(most.function.clone(), share(host, of_program)))
}

/// The share of the time in which threads have a processor, if records of their scheduling say so of half of it or more.
fn runs(host: &IdleHost) -> Option<f64> {
    let on_cpu_ns = total(host.threads.iter().map(|thread| thread.on_cpu_ns));
    (host.waiting_ns > 0 && 2 * on_cpu_ns >= host.waiting_ns).then(|| percent(on_cpu_ns, host.waiting_ns))
}

/// Code with how many of its samples are meant.
type Sampled<'a> = Vec<(&'a SampledCode, u64)>;

/// The binary from which most samples come, with its functions, most samples first, and all of its samples.
fn most_sampled(host: &IdleHost) -> Option<(&str, Sampled<'_>, u64)> {
    let mut binaries: BTreeMap<&str, (Sampled<'_>, u64)> = BTreeMap::new();
    for (code, samples) in &host.sampled_code {
        let (codes, sum) = binaries.entry(&code.module).or_default();
        codes.push((code, *samples));
        *sum += samples;
    }
    let (module, (mut codes, sum)) = binaries.into_iter().rev().max_by_key(|(_, (_, sum))| *sum)?;
    codes.sort_by_key(|(_, samples)| Reverse(*samples));
    Some((module, codes, sum))
}

/// Whether threads make a library ready: half of the samples or more are in its calls, and where the stacks of these name a
/// function of it, this is mostly one that makes its handle.
fn creates(host: &IdleHost) -> Option<Unexplained> {
    let (module, codes, of_module) = most_sampled(host)?;
    let named = codes.iter().filter(|(code, _)| !code.function.is_empty());
    let (code, most) = named.clone().find(|(code, _)| code.creates_library)?;
    let of_named: u64 = named.map(|(_, samples)| samples).sum();
    let is_most = samples(host) >= FEWEST_SAMPLES && 2 * of_module >= samples(host) && 2 * most > of_named;
    is_most.then(|| {
        let (module, function) = (module.to_owned(), code.function.clone());
        Unexplained::Creates(CreatedLibrary { module, function, of_samples: share(host, of_module) })
    })
}

/// The function that calls the driver in half of the samples or more, else the binary that does; else the function that has most.
fn sampled(host: &IdleHost) -> Option<Unexplained> {
    if let Some((module, codes, of_module)) = most_sampled(host)
        && 2 * of_module >= samples(host)
    {
        let most =
            codes.first().filter(|(code, most)| !code.function.is_empty() && 2 * most >= samples(host));
        return Some(match most {
            Some((code, most)) => Unexplained::Sampled(code.function.clone(), share(host, *most)),
            None => Unexplained::Sampled(module.to_owned(), share(host, of_module)),
        });
    }
    let most = issuing(host).next()?;
    Some(Unexplained::Sampled(most.function.clone(), share(host, most.samples)))
}
