//! Jobs of few ranks, drawn: what must hold whatever the job.
//!
//! ```text
//! rank 0   ├ gemm ┤├ attn ┤├─── AllReduce ───┤
//! rank 1   ├─── gemm ──┤├── attn ──┤├ AllRed ┤     both end together
//! ```

mod laggards;
mod sessions;

use super::extract::digests_with;
use super::*;
use crate::base::time::{Ns, Span};
use crate::capture::names::ActivitySettings;
use crate::capture::names::CollectiveKind;
use crate::columns::Memory;
use crate::read::facts::JobFacts;
use crate::steps::iterate::KeyNodeChoice;
use crate::tests::drawn::Drawn;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const TRANSFER_NS: Ns = 150_000;
const LAUNCH_NS: Ns = 20_000;

/// A job to be drawn.
#[derive(Debug, Clone)]
struct Plan {
    /// By rank and step: how long each of two kernels takes.
    kernels: Vec<Vec<[Ns; 2]>>,
    /// By rank: what its clock shows at the start of the job.
    clocks: Vec<Ns>,
}

impl Plan {
    /// All ranks compute equally long in every step.
    fn even(ranks: usize, steps: usize) -> Self {
        Self { kernels: vec![vec![[1_000_000, 600_000]; steps]; ranks], clocks: vec![0; ranks] }
    }

    fn captures(&self) -> Vec<CaptureOfJob> {
        (0..self.kernels.len()).map(|rank| self.capture(rank)).collect()
    }

    /// When the AllReduce of each step ends, from the start of the job.
    fn ends(&self) -> Vec<Ns> {
        let mut end = 0;
        let steps = self.kernels[0].len();
        (0..steps)
            .map(|step| {
                let longest = self.kernels.iter().map(|of| of[step].iter().sum::<Ns>()).max().expect("ranks");
                end += 2 * LAUNCH_NS + longest + TRANSFER_NS;
                end
            })
            .collect()
    }

    fn capture(&self, rank: usize) -> CaptureOfJob {
        let mut drawn = Drawn::new();
        let mut start = self.clocks[rank];
        for (step, (&end, kernels)) in self.ends().iter().zip(&self.kernels[rank]).enumerate() {
            let end = end + self.clocks[rank];
            let call = start + LAUNCH_NS;
            let [first, second] = *kernels;
            let (one, two) = (start + 2 * LAUNCH_NS, start + 2 * LAUNCH_NS + first);
            drawn
                .range(&format!("step {step}"), start..end)
                .launch(call..call + 3_000, "gemm", one..two)
                .launch(call + 4_000..call + 7_000, "attn", two..two + second)
                .launch(call + 8_000..call + 11_000, "ncclDevKernel_AllReduce_Sum", two + second..end);
            start = end;
        }
        let file = PathBuf::from(format!("rank{rank}.sqlite"));
        let host = format!("node{}", rank / 8);
        let facts = JobFacts { host, session: Some(format!("session {rank}")), ..JobFacts::default() };
        let (key_node, settings) = (KeyNodeChoice::Find, ActivitySettings::default());
        let ranks = digests_with(&drawn.capture(), &file, &facts, &key_node, &settings).expect("digests");
        CaptureOfJob { file, ranks: Ok(ranks) }
    }

    fn job(&self) -> Job {
        Job::new(self.captures(), &JobRequest::default()).expect("a job")
    }
}

fn named(job: &Job) -> Vec<(&'static str, Vec<i64>)> {
    let ignored = ["clocks_not_aligned", "exposed_transfer"];
    let findings = job.findings.iter().map(|finding| (finding.rule.key(), finding.ranks.clone()));
    findings.filter(|(rule, _)| !ignored.contains(rule)).collect()
}

/// A time of a sentence.
fn in_ms(ns: f64) -> String {
    format!("{:.2} ms", ns / 1e6)
}

#[test]
fn exchange_of_all_with_all_is_not_taken_for_that_of_two() {
    let kind_in = |range: &str| {
        let mut drawn = Drawn::new();
        drawn.range(range, 0..40_000).launch(5_000..8_000, "ncclDevKernel_SendRecv", 10_000..30_000);
        let (facts, file) = (JobFacts::default(), PathBuf::from("rank0.sqlite"));
        let (key_node, settings) = (KeyNodeChoice::Find, ActivitySettings::default());
        let ranks = digests_with(&drawn.capture(), &file, &facts, &key_node, &settings).expect("digests");
        ranks[0].collectives[0].kind
    };
    assert_eq!(kind_in("nccl:all_to_all"), CollectiveKind::AllToAll);
    assert_eq!(kind_in("nccl:send 0->1"), CollectiveKind::SendRecv);
}

#[test]
fn equal_ranks_lag_by_nothing() {
    let job = Plan::even(4, 8).job();
    assert_eq!((job.rank_source, job.iteration_source), (RankSource::FileName, IterationSource::Labels));
    assert_eq!(job.communicators.len(), 1);
    assert_eq!(job.steady, (1..8).collect::<Vec<_>>());
    assert!(job.ranks.iter().all(|rank| rank.lag.lag_ns == 0 && rank.steps.mean.wait_ns.abs() < 1e-9));
    assert!(named(&job).is_empty(), "{:?}", job.findings);
    assert!(job.verdict(in_ms).starts_with("The ranks are even"), "{}", job.verdict(in_ms));
}

#[test]
fn iterations_that_are_not_there_are_no_zeros() {
    let job = |first, last| {
        let request = JobRequest { first_iteration: first, last_iteration: last, ..JobRequest::default() };
        Job::new(Plan::even(3, 8).captures(), &request)
    };
    assert_eq!(job(Some(2), Some(4)).expect("a job").steady, [2, 3, 4]);
    for (first, last, found) in [
        (Some(50), Some(60), "the ranks have no common iteration from 50 to 60: they have 1 to 7"),
        (Some(9), None, "the ranks have no common iteration from 9 on: they have 1 to 7"),
        (None, Some(0), "the ranks have no common iteration up to 0: they have 1 to 7"),
    ] {
        let error = job(first, last).expect_err("no iteration");
        assert_eq!((error.to_string().as_str(), error.kind()), (found, crate::base::ErrorKind::Request));
    }
}

/// One collective of all is data parallelism; a pair that sends is a pipeline.
#[test]
fn dimensions_have_names_where_what_they_carry_tells() {
    let job = Plan::even(4, 8).job();
    let [only] = &job.dimensions[..] else { panic!("{:?}", job.dimensions) };
    assert_eq!((only.dimension, only.size, only.communicators), (Dimension::Data, 4, 1));
    assert_eq!((&only.kinds[..], only.per_step), (&[CollectiveKind::AllReduce][..], 1.0));
    // Nothing hides it.
    let transfer = crate::base::ratios::to_f64(TRANSFER_NS);
    assert!(only.exposed_ns.iter().all(|ns| (ns - transfer).abs() < 1.0), "{:?}", only.exposed_ns);
    let mut captures = Plan::even(4, 8).captures();
    for digest in captures.iter_mut().flat_map(|capture| capture.ranks.as_mut().expect("digests")) {
        digest.collectives.iter_mut().for_each(|one| one.kind = CollectiveKind::SendRecv);
    }
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    let named: Vec<Dimension> = job.dimensions.iter().map(|one| one.dimension).collect();
    assert_eq!(named, [Dimension::Pipeline]);
}

#[test]
fn nobody_is_last_where_all_arrive_together() {
    let last = |plan: &Plan| {
        let job = plan.job();
        let of_ranks: Vec<Option<f64>> = job.ranks.iter().map(|rank| rank.last_percent).collect();
        let of_kinds: Vec<_> = job.collective_kinds().iter().map(|kind| kind.last).collect();
        (of_ranks, of_kinds)
    };
    let mut plan = Plan::even(3, 8);
    assert_eq!(last(&plan), (vec![Some(0.0); 3], vec![None]));
    plan.kernels[1].iter_mut().for_each(|kernels| kernels[0] += 1);
    assert_eq!(last(&plan), (vec![Some(0.0), Some(100.0), Some(0.0)], vec![Some((1, 100.0))]));
}

#[test]
fn what_was_captured_is_no_step_where_nothing_repeats() {
    let job = |name: Option<&str>| {
        let capture = |rank: usize| {
            let mut drawn = Drawn::new();
            if let Some(name) = name {
                drawn.range(name, 100_000..220_000);
            }
            drawn
                .launch(10_000..12_000, "gemm", 20_000..40_000)
                .launch(110_000..112_000, "gemm", 120_000..140_000)
                .launch(113_000..115_000, "ncclDevKernel_AllReduce_Sum", 140_000..200_000);
            let (file, facts) = (PathBuf::from(format!("rank{rank}.sqlite")), JobFacts::default());
            let facts = JobFacts { session: Some(format!("{rank}")), ..facts };
            let key_node = name.map_or(KeyNodeChoice::None, |_| KeyNodeChoice::Named("step".into()));
            let settings = ActivitySettings::default();
            let ranks = digests_with(&drawn.capture(), &file, &facts, &key_node, &settings);
            CaptureOfJob { file, ranks: Ok(ranks.expect("digests")) }
        };
        Job::new(vec![capture(0), capture(1)], &JobRequest::default()).expect("a job")
    };
    let whole = job(None);
    assert_eq!((whole.has_steps, whole.per_step(), whole.steady.len()), (false, "in all", 1));
    assert!(whole.verdict(in_ms).contains("no step repeats in the captures"), "{}", whole.verdict(in_ms));
    let step = job(Some("step 4"));
    assert_eq!((step.has_steps, step.per_step()), (true, "per step"));
}

#[test]
fn ranks_of_a_capture_get_numbers_from_the_lowest() {
    let with = |traced: [Option<i64>; 3]| {
        let captures = Plan::even(3, 4).captures().into_iter();
        let mut ranks: Vec<RankDigest> =
            captures.flat_map(|capture| capture.ranks.expect("digests")).collect();
        for ((at, digest), traced) in (0..).zip(&mut ranks).zip(traced) {
            digest.who.device_id = 2 - at;
            (digest.who.ranks_of_capture, digest.who.traced_rank) = (3, traced);
            digest.who.file = "node1.sqlite".into();
        }
        give_ranks(&mut ranks, 8);
        ranks.iter().map(|digest| digest.who.given_rank).collect::<Vec<_>>()
    };
    // By GPU.
    assert_eq!(with([None; 3]), [Some(10), Some(9), Some(8)]);
    assert_eq!(with([Some(4), Some(0), Some(2)]), [Some(12), Some(8), Some(10)]);
}

#[test]
fn a_rank_is_known_again_whatever_part_of_its_capture_is_read() {
    let plan = Plan::even(2, 4);
    let [one, other] = [0, 1].map(|rank| plan.capture(rank).ranks.expect("digests"));
    let mut part = one.clone();
    part[0].who.file = "moved.sqlite".into();
    part[0].who.span = Span::new(5, 6);
    part[0].who.given_rank = Some(7);
    assert!(has_rank(&part, &one[0].who) && !has_rank(&other, &one[0].who));
}

#[test]
fn a_slow_gpu_is_named_with_its_speed_and_what_it_costs() {
    let mut plan = Plan::even(4, 8);
    for kernels in &mut plan.kernels[2] {
        *kernels = kernels.map(|ns| ns * 5 / 4);
    }
    let job = plan.job();
    let rank = &job.ranks[2];
    assert_eq!((rank.rank, rank.cause), (2, Some(LagCause::SlowGpu)));
    assert_eq!(rank.lag.lag_ns, 400_000);
    let speed = rank.work.speed_percent.expect("a speed");
    assert!((speed - 80.0).abs() < 1e-9, "{speed}");
    assert_eq!(named(&job), [("slow_gpu", vec![2])]);
    // Without it the others arrive together, 0.4 ms earlier.
    assert!((job.saving_ns.expect("a saving") - 400_000.0).abs() < 1.0, "{:?}", job.saving_ns);
    assert!(
        job.verdict(in_ms).starts_with("Rank 2 holds the job back: its GPU runs at 80 %"),
        "{}",
        job.verdict(in_ms)
    );
    let waits: Vec<Ns> = job.ranks.iter().map(|rank| arithmetic::whole_ns(rank.steps.mean.wait_ns)).collect();
    assert_eq!(waits, [400_000, 400_000, 0, 400_000]);
}

/// A job may have millions of collectives: what is kept of each counts.
#[test]
fn what_stays_of_a_collective_is_small() {
    assert!(size_of::<Instance>() <= 152, "{}", size_of::<Instance>());
    assert!(size_of::<RankCollective>() <= 88, "{}", size_of::<RankCollective>());
    assert!(size_of::<Gate>() <= 24, "{}", size_of::<Gate>());
}

#[test]
fn captures_that_cannot_be_read_are_rows() {
    let mut captures = Plan::even(3, 6).captures();
    captures[1].ranks = Err(NotRead::unusable("it is damaged".into()));
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    assert_eq!(job.absent.missing, [1]);
    assert_eq!(named(&job), [("missing_ranks", vec![1])]);
    let status: Vec<String> = job.files.iter().map(|file| file.status.in_words()).collect();
    assert_eq!(status, ["read", "unreadable: it is damaged", "read"]);
    let one = Plan::even(1, 6).captures();
    let error = Job::new(one, &JobRequest::default()).expect_err("one rank");
    assert!(matches!(error, RanksError::FewerThanTwo { ranks: 1, files: 1, unreadable: 0, .. }), "{error}");
    // What is sound and lacks what was asked for is another mistake than what is damaged.
    let lacks = || CaptureOfJob {
        file: "a.sqlite".into(),
        ranks: Err(NotRead { reason: "no such key node".into(), is_request: true }),
    };
    let damaged =
        CaptureOfJob { file: "b.sqlite".into(), ranks: Err(NotRead::unusable("it is damaged".into())) };
    let kind = |captures| Job::new(captures, &JobRequest::default()).expect_err("no rank").kind();
    assert_eq!(kind(vec![lacks(), lacks()]), crate::base::ErrorKind::Request);
    assert_eq!(kind(vec![lacks(), damaged]), crate::base::ErrorKind::Input);
}

#[test]
fn a_capture_without_gpu_work_is_no_rank() {
    let mut captures = Plan::even(3, 6).captures();
    captures[1].ranks = Ok(Vec::new());
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    let status: Vec<String> = job.files.iter().map(|file| file.status.in_words()).collect();
    assert_eq!(status, ["read", "has no GPU work", "read"]);
}

#[test]
fn a_rank_whose_trace_ends_early_says_so() {
    let is_cut = |ends_early: bool| {
        let mut drawn = Drawn::new();
        drawn.of_torch_profiler().launch(5_000..8_000, "gemm", 10_000..30_000);
        if ends_early {
            drawn.cut_off();
        }
        let (facts, file) = (JobFacts::default(), PathBuf::from("rank0.json"));
        let (key_node, settings) = (KeyNodeChoice::Find, ActivitySettings::default());
        digests_with(&drawn.capture(), &file, &facts, &key_node, &settings).expect("digests")[0].who.is_cut
    };
    assert!(is_cut(true) && !is_cut(false));
}

/// With two steps, twice the work of one rank may be chance, or a capture that was cut.
#[test]
fn few_steps_tell_neither_lag_nor_stages() {
    let plan = |steps: usize| {
        let mut plan = Plan::even(4, steps);
        plan.kernels[3].iter_mut().for_each(|kernels| kernels[0] *= 3);
        plan.job()
    };
    let (few, many) = (plan(3), plan(8));
    assert!(!few.has_lag() && many.has_lag(), "{:?}", few.steady);
    assert!(named(&few).is_empty(), "{:?}", few.findings);
    assert!(!named(&many).is_empty());
}

#[test]
fn every_table_has_unique_keys_and_reads_every_cell() {
    let job = std::sync::Arc::new(Plan::even(3, 6).job());
    for definition in JOB_TABLES {
        let table = (definition.build)(&job);
        let keys: std::collections::BTreeSet<&str> =
            definition.headers().iter().map(|header| header.key).collect();
        assert_eq!(keys.len(), table.columns(), "{}", definition.key);
        assert!(definition.headers().iter().all(|header| header.doc.ends_with('.')), "{}", definition.key);
        for row in 0..table.rows() {
            (0..table.columns()).for_each(|column| drop(table.value(row, column)));
        }
        assert_eq!(job_table(&definition.key.replace('_', "-")).map(|found| found.key), Some(definition.key));
    }
}

/// Jobs of two to five ranks with kernels of any length.
fn plans() -> impl Strategy<Value = Plan> {
    let kernels = prop::array::uniform2(800_000i64..1_200_000);
    (2usize..6, 4usize..9).prop_flat_map(move |(ranks, steps)| {
        let of_rank = prop::collection::vec(kernels.clone(), steps);
        let clocks = prop::collection::vec(0i64..5_000_000_000, ranks);
        (prop::collection::vec(of_rank, ranks), clocks).prop_map(|(kernels, clocks)| Plan { kernels, clocks })
    })
}

/// What must not depend on clocks or names.
fn figures(job: &Job) -> Vec<(Vec<Ns>, Ns, Ns)> {
    let of = |rank: &JobRank| {
        let steps = rank.steps.of.values();
        let times = steps.flat_map(|step| [step.length_ns, step.wait_ns].into_iter().chain(step.classes));
        (times.collect(), rank.lag.lag_ns, rank.caused_wait_ns)
    };
    job.ranks.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn classes_add_up_and_somebody_never_waits(plan in plans()) {
        let job = plan.job();
        for rank in &job.ranks {
            for step in rank.steps.of.values() {
                prop_assert_eq!(step.classes.iter().sum::<Ns>() + step.wait_ns, step.length_ns);
                prop_assert!(step.classes.iter().all(|&ns| ns >= 0) && step.wait_ns >= 0, "{:?}", step);
            }
        }
        prop_assert_eq!(job.instances.len(), job.steady.len());
        for (instance, _) in &job.instances {
            prop_assert_eq!(instance.transfer_ns, TRANSFER_NS);
            prop_assert_eq!(instance.ranks(), plan.kernels.len());
        }
    }

    #[test]
    fn clocks_change_nothing_but_offsets(plan in plans()) {
        let still = Plan { clocks: vec![0; plan.clocks.len()], ..plan.clone() };
        let (job, other) = (plan.job(), still.job());
        prop_assert_eq!(figures(&job), figures(&other));
        prop_assert_eq!(job.saving_ns, other.saving_ns);
        // The ends of all agree on the common clock, as they do in truth.
        for (_, end) in &job.instances {
            prop_assert_eq!(end.skew_ns, Some(0));
        }
    }

    #[test]
    fn the_order_of_captures_changes_nothing(plan in plans(), turn in 1usize..5) {
        let mut captures = plan.captures();
        let middle = turn % captures.len();
        captures.rotate_left(middle);
        let turned = Job::new(captures, &JobRequest::default()).expect("a job");
        prop_assert_eq!(turned, plan.job());
    }

    #[test]
    fn what_was_recorded_is_replayed_and_no_saving_is_more_than_a_step(plan in plans()) {
        let job = plan.job();
        let replayed = job.replay_ns.expect("a replay");
        prop_assert!((replayed - job.means.mean.length_ns).abs() <= 1.0, "{replayed}");
        for finding in &job.findings {
            let saving = finding.saving_ns.unwrap_or(0.0);
            prop_assert!((0.0..=replayed).contains(&saving), "{finding:?}");
        }
    }

    #[test]
    fn a_rank_that_is_never_last_can_be_left_out(plan in plans()) {
        let job = plan.job();
        let is_never_last = |rank: &usize| job.instances.iter().all(|(one, _)| one.last != *rank);
        let never_last = (0..job.ranks.len()).find(is_never_last);
        prop_assume!(job.ranks.len() > 2);
        let Some(out) = never_last else { return Ok(()) };
        let mut captures = plan.captures();
        captures.remove(out);
        let fewer = Job::new(captures, &JobRequest::default()).expect("a job");
        let waits = |job: &Job| -> Vec<(i64, Vec<Ns>)> {
            let others = job.ranks.iter().filter(|rank| usize::try_from(rank.rank) != Ok(out));
            others.map(|rank| (rank.rank, rank.steps.of.values().map(|step| step.wait_ns).collect())).collect()
        };
        prop_assert_eq!(waits(&fewer), waits(&job));
    }

    #[test]
    fn a_job_of_equal_captures_has_no_lag_and_no_finding(
        kernels in prop::array::uniform2(400_000i64..3_000_000),
        (ranks, steps) in (2usize..9, 4usize..9),
    ) {
        let plan = Plan { kernels: vec![vec![kernels; steps]; ranks], clocks: vec![0; ranks] };
        let job = plan.job();
        prop_assert!(job.ranks.iter().all(|rank| rank.lag.lag_ns == 0 && !rank.lag.is_lagging()));
        prop_assert!(named(&job).is_empty(), "{:?}", job.findings);
    }

    /// A factor on all compute kernels of a rank is the speed of its GPU, however uneven its steps are.
    #[test]
    fn a_factor_on_all_kernels_is_the_speed_of_the_gpu(
        kernels in prop::collection::vec(prop::array::uniform2(900_000i64..1_000_000), 5..9),
        (ranks, slow, percent) in (3usize..8, 0usize..3, 110i64..180),
    ) {
        let mut plan = Plan { kernels: vec![kernels; ranks], clocks: vec![0; ranks] };
        plan.kernels[slow].iter_mut().flatten().for_each(|ns| *ns = *ns * percent / 100);
        let job = plan.job();
        prop_assert_eq!(named(&job), vec![("slow_gpu", vec![i64::try_from(slow).expect("few")])]);
        let speed = job.ranks[slow].work.speed_percent.expect("a speed");
        let expected = 1e4 / crate::base::ratios::to_f64(percent);
        prop_assert!((speed / expected - 1.0).abs() < 0.03, "{speed}, not {expected}");
    }

    /// A further rank that nobody waits for makes the job no longer.
    #[test]
    fn more_ranks_that_nobody_waits_for_do_not_make_it_longer(
        mut plan in plans(), slow in prop::array::uniform2(110i64..200),
    ) {
        for (kernels, percent) in plan.kernels.iter_mut().zip(slow) {
            kernels.iter_mut().flatten().for_each(|ns| *ns = *ns * percent / 100);
        }
        let job = plan.job();
        let all = job.saving_ns.expect("a saving");
        let is_lagging = |rank: &i64| job.ranks.iter().any(|one| one.rank == *rank && one.lag.is_lagging());
        let of_lagging = job.findings.iter().filter(|finding| finding.ranks.len() == 1 && finding.ranks.iter().all(is_lagging));
        for one in of_lagging.filter_map(|finding| finding.saving_ns) {
            prop_assert!(one <= all + 0.001 * job.means.mean.length_ns, "{one} of {all}");
        }
    }

    #[test]
    fn digests_in_a_file_are_what_they_were(plan in plans()) {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = |capture: CaptureOfJob| {
            let ranks = capture.ranks.expect("digests");
            let file = std::fs::File::create(folder.path().join(DIGEST_FILE)).expect("a file");
            write_digests(&ranks, file).expect("a digest");
            let read = read_digests(folder.path(), &Memory::default()).expect("digests");
            assert_eq!(read, ranks);
            assert_eq!(same_capture(&read, &ranks), SameCapture::Whole);
            CaptureOfJob { file: capture.file, ranks: Ok(read) }
        };
        let job = Job::new(plan.captures().into_iter().map(kept).collect(), &JobRequest::default());
        prop_assert_eq!(job.expect("a job"), plan.job());
    }

    /// What a digest says is checked, so that nothing of it leads astray: an error, or a job.
    #[test]
    fn digests_that_were_changed_end_in_errors_or_jobs(at in 0usize..100_000, digit in b'0'..=b'9') {
        let folder = tempfile::tempdir().expect("a folder");
        let mut captures = Plan::even(3, 5).captures();
        let mut packed = Vec::new();
        write_digests(captures[1].ranks.as_ref().expect("digests"), &mut packed).expect("a digest");
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut text).expect("text");
        // Another digit in place of one, somewhere.
        let digits: Vec<usize> = (0..text.len()).filter(|&at| text[at].is_ascii_digit()).collect();
        text[digits[at % digits.len()]] = digit;
        let mut changed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut changed, &text).expect("bytes");
        std::fs::write(folder.path().join(DIGEST_FILE), changed.finish().expect("bytes")).expect("a file");
        captures[1].ranks = read_digests(folder.path(), &Memory::default()).map_err(|error| NotRead::unusable(error.to_string()));
        if let Ok(job) = Job::new(captures, &JobRequest::default()) {
            for definition in JOB_TABLES {
                let job = std::sync::Arc::new(job.clone());
                let table = (definition.build)(&job);
                (0..table.rows()).for_each(|row| {
                    (0..table.columns()).for_each(|column| drop(table.value(row, column)));
                });
            }
        }
    }
}
