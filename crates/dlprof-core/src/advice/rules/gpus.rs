//! Several GPUs: exchange of data that nothing hides, and a GPU that is slower than the others.

use super::with_command;
use crate::advice::edits::Edits;
use crate::advice::exposed::{ExposedBy, WhyExposed};
use crate::advice::finding::{Confidence, EvidenceKind, Finding, Severity};
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Subject, Threshold, TimeOf};
use crate::advice::scene::Scene;
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::DeviceId;
use crate::base::ratios::{count_to_f64, percent};
use crate::base::time::{Ns, total};
use crate::capture::classified::Cause;
use crate::figures::activity::Verdict;
use crate::read::facts::Shows;
use crate::replay::Edit;

const COMMUNICATION: Threshold = Threshold {
    name: "exposed_communication_percent",
    default: 10.0,
    doc: "Least share of the time that exchange with other GPUs takes while no other kernel runs.",
};

const EXTRA: Threshold = Threshold {
    name: "extra_compute_percent",
    default: 10.0,
    doc: "Least difference of a GPU's compute time from the median of the GPUs, in percent of the median.",
};

const OFTEN: Threshold = Threshold {
    name: "iterations_percent",
    default: 75.0,
    doc: "Least share of the iterations in which the same GPU is the slowest by so much.",
};

/// Smaller messages take longer than their bytes say.
const LARGE_MESSAGE_BYTES: u64 = 1 << 20;

/// A link inside a node, or between nodes of a cluster for training, is faster.
const SLOW_GB_PER_S: f64 = 5.0;

pub(super) const EXPOSED_COMMUNICATION: Rule = Rule {
    id: "exposed_communication",
    title: "Communication that nothing hides",
    how: "The share of the time, averaged over the used GPUs, that kernels which exchange data take while no other kernel runs \
          (`exposed_communication_ns` of table `gpu_time`). It also holds waiting for the slowest GPU. Silent without such \
          kernels. The reason that has more than half of it is told: the work after it was queued on the \
          same stream; it was launched before the exchange ended, on another stream, and started after it; or nothing else was \
          launched in time. For the likely saving an exchange on the stream of other work runs on a stream of its own until the \
          optimizer or the next iteration needs it; of other exchange it is half of this time, but no more than that in which GPUs do \
          other work without it, because overlap hides no more. All of it is the most, by a faster exchange or less waiting. In each iteration the GPU with least of \
          this time is the one for which the others wait, if they have as much more of it as they compute less: where they wait \
          for half of it or more, this is said, and where it is the same GPU again and again (`straggler_gpu`) and two thirds of the \
          waiting lie in iterations in which this one computes longest, it is named, and the saving is of the time on that GPU \
          alone.",
    severity: Severity::Warning,
    confidence: Confidence::High,
    thresholds: &[COMMUNICATION],
    needs: &[Need::Kernels],
    subject: Subject::All(Verdict::Communication),
    saves_from: &[TimeOf::Exchange],
    is_replayed: true,
    check: exposed_communication,
    ..Rule::SILENT
};

/// GB/s of the fastest of the large messages, where the capture says what is exchanged and no link would be that slow.
fn slow_exchange(scene: &Scene<'_>) -> Option<f64> {
    let of_large =
        scene.profile.collectives().into_iter().filter(|row| row.bytes >= Some(LARGE_MESSAGE_BYTES));
    let fastest = of_large.filter_map(|row| row.bus_gb_per_s()).reduce(f64::max)?;
    (fastest < SLOW_GB_PER_S).then_some(fastest)
}

fn exposed_communication(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let time = scene.gpu_time();
    let exposed_ns = time.exposed_communication_ns;
    let share = scene.share(exposed_ns);
    if share < limits.of(&COMMUNICATION) {
        return None;
    }
    let hidden_ns = time.communication_ns - exposed_ns;
    let how = if scene.is_pytorch() {
        "with DistributedDataParallel bucket size (`bucket_cap_mb`) and gradient accumulation (`no_sync`), with FSDP prefetching; \
         then fewer, larger messages and a look at the links{}"
    } else {
        "exchange in parts, each as soon as it is there; then fewer, larger messages and a look at the links{}"
    };
    let how = Figure::Clause(Box::new(with_command(how, scene, Shows::Links)));
    let why = ExposedBy::of(scene).most();
    let is_on_same_stream = why.is_some_and(|(why, _)| why == WhyExposed::SameStream);
    let (problem, first) = match why.map(|(why, _)| why) {
        Some(WhyExposed::SameStream) => (
            "GPUs exchange data {} of the time while nothing else runs; for {} of that the work after it was queued on the \
             same stream",
            "Exchange data on a stream of its own, so that it can overlap with computing",
        ),
        Some(WhyExposed::Waiting) => (
            "GPUs exchange data {} of the time while nothing else runs; for {} of that the work after it was launched in time and \
             waited for the exchange",
            "Give GPUs work that does not need the result meanwhile",
        ),
        Some(WhyExposed::Nothing) => (
            "GPUs exchange data {} of the time while nothing else runs; for {} of that no other work was launched in time",
            "Start the exchange earlier, or launch independent work after it before waiting",
        ),
        None => (
            "GPUs exchange data {} of the time while nothing else runs",
            "Let the exchange overlap with computing",
        ),
    };
    let advice = Sentence::new("{}: {}", vec![Figure::Text(first.into()), how]);
    let advice = match slow_exchange(scene) {
        Some(gb_per_s) => Sentence::new(
            "Messages of 1 MiB and more cross the links at {} GB/s at best, so that much of this may be waiting for other ranks. \
             `dlprof-agg ranks` on the captures of all of them says which. Then {}",
            vec![Figure::Text(format!("{gb_per_s:.1}")), Figure::Clause(Box::new(advice))],
        ),
        None if scene.profile.is_one_rank_of_many() => Sentence::new(
            "Part of this may be waiting for other ranks, which are not in this capture: `dlprof-agg ranks` on those of all ranks \
             says which. Then {}",
            vec![Figure::Clause(Box::new(advice))],
        ),
        None => advice,
    };
    let figures = [Some(share), why.map(|(_, part)| part)].into_iter().flatten();
    let figures = figures.zip([1, 0]).map(|(share, decimals)| Figure::Percent(share, decimals)).collect();
    let waits = WaitsForSlow::of(scene);
    let advice = match &waits {
        Some(_) => Sentence::new(
            "Give all GPUs the same work in each iteration, such as inputs of equal size. Then {}",
            vec![Figure::Clause(Box::new(advice))],
        ),
        None => advice,
    };
    let problem = Sentence::new(problem, figures);
    let exposed_ns = scene.per_gpu(exposed_ns);
    // Overlap hides no more than the other work that runs without the exchange.
    let beside_ns = scene.per_gpu(time.busy_ns - time.communication_ns);
    let (problem, expected_ns, exposed_ns, basis) = match &waits {
        Some(WaitsForSlow { device: Some(device), own_ns }) => (
            Sentence::new(
                "{}; most of it they wait for GPU {}, which computes longer",
                vec![Figure::Clause(Box::new(problem)), Figure::Text(device.to_string())],
            ),
            own_ns / 2,
            *own_ns,
            "Half, at most all, of the exposed communication of the GPU for which the others wait",
        ),
        Some(WaitsForSlow { device: None, .. }) => (
            Sentence::new(
                "{}; most of it they wait for the one that computes longest in the iteration",
                vec![Figure::Clause(Box::new(problem))],
            ),
            exposed_ns / 2,
            exposed_ns,
            "Half, at most all, of the exposed communication, most of which is waiting for the GPU that computes longest",
        ),
        None if beside_ns < exposed_ns / 2 => (
            problem,
            beside_ns,
            exposed_ns,
            "The time in which GPUs do other work without the exchange, because overlap hides no more; at most all of the \
             exposed communication, by a faster exchange or less waiting for others",
        ),
        None => (problem, exposed_ns / 2, exposed_ns, "Half, at most all, of the exposed communication"),
    };
    let devices: Vec<String> =
        scene.used_devices().map(|device| scene.profile.device_number(device).to_string()).collect();
    let finding = Finding::new(problem, advice)
        .percent(COMMUNICATION.name, share)
        .time("hidden_communication_ns", scene.per_gpu(hidden_ns))
        .about(EvidenceKind::GpuByIteration, devices)
        .show(
            Question::of("gpu_time")
                .columns([
                    "iteration",
                    "device_id",
                    "length_ns",
                    "communication_ns",
                    "exposed_communication_ns",
                ])
                .sorted_by(["-exposed_communication_ns"]),
        )
        .saves(scene.gpu_saving(expected_ns), scene.gpu_saving(exposed_ns), scene.basis_of_most(basis))
        .replayed(Edits {
            // What others wait for is no time that overlap hides. On another stream overlap takes an exchange in parts, which no
            // replay knows.
            expected: match waits.is_none() && is_on_same_stream {
                true => vec![Edit::exchange_on_own_stream()],
                false => Vec::new(),
            },
            at_most: vec![Edit::exchange_in_no_time()],
            is_within_reckoned: true,
            basis: match waits {
                None if is_on_same_stream => {
                    "The exchange runs on a stream of its own, until the optimizer or the next iteration needs it; at most all of the \
                     exposed communication, by a faster exchange or less waiting for others"
                }
                _ => basis,
            }
            .into(),
        });
    Some(finding)
}

/// Exposed communication that is mostly waiting for a GPU that computes longer.
struct WaitsForSlow {
    /// The number of that GPU, if it is the same one again and again.
    device: Option<i64>,
    /// Exposed communication of the GPU that has least of it in each iteration.
    own_ns: Ns,
}

impl WaitsForSlow {
    /// Where GPUs have as much more exposed communication as they compute less than another one, and this is half of it or more.
    fn of(scene: &Scene<'_>) -> Option<Self> {
        let devices: Vec<DeviceId> = scene.used_devices().collect();
        if devices.len() < 2 {
            return None;
        }
        let times = scene.gpu_times();
        let (mut own_ns, mut unlike_ns) = (0, 0);
        // By GPU: how long the others wait in the iterations in which it computes longest.
        let mut waits_for: Vec<Ns> = vec![0; devices.len()];
        for place in scene.places.clone() {
            let of = |device: &DeviceId| {
                let time = times.at(device.index(), place);
                (time.exposed_communication_ns, time.compute_ns)
            };
            let least = devices.iter().map(|device| of(device).0).min()?;
            let (slowest, longest) =
                devices.iter().map(|device| of(device).1).enumerate().rev().max_by_key(|&(_, ns)| ns)?;
            own_ns += least;
            for (exposed_ns, compute_ns) in devices.iter().map(of) {
                waits_for[slowest] += exposed_ns - least;
                unlike_ns += ((exposed_ns - least) - (longest - compute_ns)).abs();
            }
        }
        let waits_ns = total(waits_for.iter().copied());
        let waits_for_it = scene.per_gpu(waits_ns) >= own_ns && 4 * unlike_ns <= waits_ns;
        let is_most = |device: &DeviceId| {
            let place = devices.iter().position(|one| one == device);
            place.is_some_and(|place| 3 * waits_for[place] >= 2 * waits_ns)
        };
        let slow = || SlowGpu::of(scene, &STRAGGLER_GPU.limits_in(scene)?);
        let device = || {
            let device = slow()?.device;
            is_most(&device).then(|| scene.profile.device_number(device))
        };
        (waits_ns > 0 && waits_for_it).then(|| Self { device: device(), own_ns })
    }
}

/// The GPU that computes longer than the others.
struct SlowGpu {
    device: DeviceId,
    /// The share of the iterations in which it does.
    often: f64,
    /// Its time beyond the median of the GPUs in these.
    extra_ns: Ns,
}

pub(super) const STRAGGLER_GPU: Rule = Rule {
    id: "straggler_gpu",
    title: "One GPU is slower than the others",
    how: "By iteration: the compute time of the slowest GPU less the median of all that compute, in percent of the median. The rule \
          fires where this is large for the same GPU in three quarters of the iterations: of two GPUs each may be the slowest in half of \
          them by chance. Silent where fewer than two \
          GPUs compute. The likely saving is that difference.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[EXTRA, OFTEN],
    needs: &[Need::GpuTime],
    subject: Subject::All(Verdict::Communication),
    check: straggler_gpu,
    ..Rule::SILENT
};

impl SlowGpu {
    fn of(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Self> {
        let times = scene.gpu_times();
        let computes = |device: &DeviceId| {
            scene.places.clone().any(|place| times.at(device.index(), place).compute_ns > 0)
        };
        // A GPU that only copies has no share of the work.
        let devices: Vec<DeviceId> = scene.used_devices().filter(computes).collect();
        if devices.len() < 2 || !scene.kernels_matter() {
            return None;
        }
        // By GPU: the iterations in which it is slow, and its time beyond the median in them.
        let mut slow = vec![(0_u64, 0); devices.len()];
        for place in scene.places.clone() {
            let compute: Vec<Ns> =
                devices.iter().map(|device| times.at(device.index(), place).compute_ns).collect();
            let mut sorted = compute.clone();
            sorted.sort_unstable();
            let middle = sorted[(sorted.len() - 1) / 2].midpoint(sorted[sorted.len() / 2]);
            let (slowest, &most) = compute.iter().enumerate().rev().max_by_key(|(_, ns)| **ns)?;
            if middle > 0 && percent(most - middle, middle) >= limits.of(&EXTRA) {
                slow[slowest].0 += 1;
                slow[slowest].1 += most - middle;
            }
        }
        let (at, &(iterations, extra_ns)) = slow.iter().enumerate().rev().max_by_key(|(_, slow)| **slow)?;
        let often = 100.0 * count_to_f64(iterations) / count_to_f64(scene.places.len() as u64);
        let is_slow = iterations > 0 && often >= limits.of(&OFTEN);
        is_slow.then_some(Self { device: devices[at], often, extra_ns })
    }
}

fn straggler_gpu(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let SlowGpu { device, often, extra_ns } = SlowGpu::of(scene, limits)?;
    let device = scene.profile.device_number(device);
    let finding = Finding::new(
        Sentence::new(
            "GPU {} computes longer than the others in {} of the iterations, by {} in all",
            vec![
                Figure::Text(device.to_string()),
                Figure::Percent(often, 0),
                Figure::Time(crate::base::ratios::to_f64(extra_ns)),
            ],
        ),
        with_command(
            "Give every GPU the same work, then compare clocks and temperatures of the GPUs{} and look for other programs on this one",
            scene,
            Shows::State,
        ),
    )
    .percent(OFTEN.name, often)
    .time("extra_compute_ns", extra_ns)
    .count("device_id", device.unsigned_abs())
    .about(EvidenceKind::GpuByIteration, [device.to_string()])
    .show(Question::of("gpu_time").columns(["iteration", "device_id", "length_ns", "compute_ns", "exposed_communication_ns"]).sorted_by(["iteration", "-compute_ns"]))
    .saves(extra_ns, extra_ns.max(scene.per_gpu(scene.idle(&[Cause::Communication]) + scene.gpu_time().exposed_communication_ns)),
        "Compute time of this GPU beyond the median of the used GPUs; at most all time in which GPUs wait for each other");
    Some(finding)
}
