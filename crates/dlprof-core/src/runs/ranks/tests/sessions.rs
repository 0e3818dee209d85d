//! Sessions, jobs and clocks.

use super::*;

/// The digests of captures that do not say which session of nsys they are, such as traces.
fn without_session(mut capture: CaptureOfJob) -> CaptureOfJob {
    let ranks = capture.ranks.as_mut().expect("digests");
    ranks.iter_mut().for_each(|digest| digest.who.session = None);
    capture
}

#[test]
fn a_copy_counts_once_whether_or_not_its_session_is_known() {
    let plan = Plan { clocks: vec![0, 7, 11], ..Plan::even(3, 8) };
    for is_known in [true, false] {
        let mut captures = plan.captures();
        let mut copy = plan.capture(1);
        copy.file = PathBuf::from("rank9.sqlite");
        copy.ranks.as_mut().expect("digests")[0].who.file = copy.file.clone();
        captures.push(copy);
        if !is_known {
            captures = captures.into_iter().map(without_session).collect();
        }
        let job = Job::new(captures, &JobRequest::default()).expect("a job");
        let ranks: Vec<i64> = job.ranks.iter().map(|rank| rank.rank).collect();
        assert_eq!((ranks, job.world, &job.absent.missing[..]), (vec![0, 1, 2], 3, &[][..]), "{is_known}");
        let status =
            &job.files.iter().find(|file| file.file == Path::new("rank9.sqlite")).expect("it").status;
        assert_eq!(*status, FileStatus::SameAs("rank1.sqlite".into()), "{is_known}");
    }
    let copies = vec![without_session(plan.capture(0)), without_session(plan.capture(0))];
    let error = Job::new(copies, &JobRequest::default()).expect_err("one rank");
    assert_eq!(error.to_string(), "fewer than two ranks: 1 in 2 captures; 1 of them is a copy of another");
}

/// The same ranks again, some time later.
fn again(captures: &[CaptureOfJob], later_ns: Ns) -> Vec<CaptureOfJob> {
    let later = |capture: &CaptureOfJob| {
        let mut later = capture.clone();
        later.file = Path::new("later").join(&capture.file);
        for digest in later.ranks.as_mut().expect("digests") {
            digest.who.file = later.file.clone();
            digest.who.session = digest.who.session.as_ref().map(|session| format!("{session}, later"));
            digest.who.captured_ns = digest.who.captured_ns.map(|ns| ns + later_ns);
        }
        later
    };
    captures.iter().map(later).collect()
}

fn at_time(mut captures: Vec<CaptureOfJob>) -> Vec<CaptureOfJob> {
    for digest in captures.iter_mut().flat_map(|capture| capture.ranks.as_mut().expect("digests")) {
        digest.who.captured_ns = Some(1_000_000_000_000);
    }
    captures
}

#[test]
fn the_same_ranks_twice_are_two_sessions_of_which_the_latest_is_judged() {
    let mut slow = Plan::even(4, 8);
    slow.kernels[2].iter_mut().for_each(|kernels| *kernels = kernels.map(|ns| ns * 5 / 4));
    let first = at_time(slow.captures());
    let second = again(&at_time(Plan::even(4, 8).captures()), 20_000_000_000);
    let both: Vec<CaptureOfJob> = first.into_iter().chain(second).collect();
    let judged = |captures: &[CaptureOfJob], session| {
        Job::new(captures.to_vec(), &JobRequest { session, ..JobRequest::default() })
    };
    let job = judged(&both, None).expect("a job");
    assert_eq!((job.session, job.ranks.len(), job.world), (JobSession { number: 2, of: 2 }, 4, 4));
    assert!(named(&job).is_empty(), "{:?}", job.findings);
    let other = job.files.iter().find(|file| file.file == Path::new("rank1.sqlite")).expect("it");
    assert_eq!(other.status, FileStatus::OtherSession { number: 1 });
    assert_eq!(named(&judged(&both, Some(1)).expect("a job")), [("slow_gpu", vec![2])]);
    let error = judged(&both, Some(3)).expect_err("no session");
    assert_eq!(error.to_string(), "there is no session 3: the captures are of 2 sessions");
    // A rank without a capture of the latest session has none of the other's.
    let fewer: Vec<CaptureOfJob> = both[..7].to_vec();
    let asked = judged(&fewer, Some(2)).expect("a job");
    assert_eq!((asked.ranks.len(), &asked.absent.missing[..]), (3, &[][..]));
}

/// Steps without numbers that are equally long on all ranks: any shift keeps the distance of their ends, and clocks tell which it is.
#[test]
fn perfectly_regular_steps_are_matched_by_clocks() {
    let job = |is_timed: bool| {
        let mut captures = at_time(Plan::even(3, 12).captures());
        for (rank, capture) in (0..).zip(&mut captures) {
            let digest = &mut capture.ranks.as_mut().expect("digests")[0];
            digest.who.captured_ns = digest.who.captured_ns.filter(|_| is_timed).map(|ns| ns + 2_000 * rank);
            digest.iterations.iter_mut().for_each(|iteration| iteration.label = None);
        }
        Job::new(captures, &JobRequest::default()).expect("a job")
    };
    let (timed, untimed) = (job(true), job(false));
    assert_eq!((timed.iteration_source, timed.steady.len()), (IterationSource::Collectives, 11));
    assert_eq!((untimed.iteration_source, untimed.steady.len()), (IterationSource::Order, 11));
}

#[test]
fn a_capture_of_several_processes_without_steps_is_as_long_as_the_work_of_each() {
    let mut drawn = Drawn::new();
    drawn.launch(10_000..12_000, "gemm", 20_000..40_000);
    drawn.on_gpu(1).launch(900_000..910_000, "gemm", 920_000..950_000);
    let (file, facts) = (PathBuf::from("both.sqlite"), JobFacts::default());
    let settings = ActivitySettings::default();
    let ranks =
        digests_with(&drawn.capture(), &file, &facts, &KeyNodeChoice::None, &settings).expect("digests");
    let spans: Vec<Span> = ranks.iter().flat_map(|digest| &digest.iterations).map(|one| one.span).collect();
    assert_eq!(spans, [Span::new(10_000, 40_000), Span::new(900_000, 950_000)]);
}

#[test]
fn jobs_that_lie_together_are_not_compared() {
    let mut captures = at_time(Plan::even(2, 8).captures());
    captures.extend(again(&at_time(Plan::even(3, 8).captures()), 0));
    for (at, digest) in
        captures.iter_mut().flat_map(|capture| capture.ranks.as_mut().expect("digests")).enumerate()
    {
        digest.who.environment_world = Some(if at < 2 { 2 } else { 3 });
    }
    let job = Job::new(captures.clone(), &JobRequest::default()).expect("a job");
    assert_eq!((job.ranks.len(), job.session.of, job.absent.is_any()), (3, 2, false));
    // Each is judged by itself: first the largest.
    let jobs = Job::each(captures.clone(), &JobRequest::default()).expect("jobs");
    let jobs: Vec<Job> = jobs.into_iter().map(|job| job.expect("a job")).collect();
    let sizes: Vec<usize> = jobs.iter().map(|job| job.ranks.len()).collect();
    assert_eq!((&jobs[0], &sizes[..]), (&job, &[3, 2][..]));
    assert!(
        jobs[1].files.iter().filter(|file| file.status == FileStatus::Read).count() == 2,
        "{:?}",
        jobs[1].files
    );
    // Without a world size the folders tell them apart, as both are there at the same time.
    for digest in captures.iter_mut().flat_map(|capture| capture.ranks.as_mut().expect("digests")) {
        digest.who.environment_world = None;
    }
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    assert_eq!((job.ranks.len(), job.session.of), (3, 2));
}

/// A rank whose capture began two steps later has the same steps of the server as the other.
#[test]
fn steps_of_a_server_are_matched_by_their_marks() {
    use super::super::common_iterations::number;
    let rank = |marks: &[u32]| {
        let mut digest = Plan::even(2, 4).capture(0).ranks.expect("digests").remove(0);
        // Nothing but marks tells.
        digest.collectives.clear();
        let step = |&mark: &u32| RankIteration { label: None, mark: Some(mark), span: Span::new(0, 1) };
        digest.iterations = marks.iter().map(step).collect();
        digest
    };
    let marks: Vec<u32> = [1, 2, 2, 3, 2, 2, 2, 4, 2, 2].into();
    let (numbers, source) = number(&[rank(&marks[..9]), rank(&marks[2..]), rank(&marks[1..8])]);
    assert_eq!(source, IterationSource::Marks);
    assert_eq!(numbers.iter().map(|of| of[0]).collect::<Vec<_>>(), [0, 2, 1]);
    // Nothing but equal steps: any shift is as good.
    let (numbers, source) = number(&[rank(&[2; 9]), rank(&[2; 8])]);
    assert_eq!((numbers[1][0], source), (0, IterationSource::Order));
}
