//! Ranks that are slow or not there.

use super::*;

/// If the slow rank has no capture, the others' waiting for it looks like exchange.
#[test]
fn nothing_is_said_to_be_even_or_to_need_overlap_where_ranks_are_missing() {
    let mut plan = Plan::even(4, 8);
    for kernels in &mut plan.kernels[2] {
        *kernels = kernels.map(|ns| ns * 5 / 4);
    }
    let mut captures = plan.captures();
    captures.remove(2);
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    let exchange = job.findings.iter().find(|finding| finding.rule == JobRule::ExposedTransfer);
    let exchange = exchange.expect("waiting that looks like exchange");
    assert!(
        exchange.title.to_string().contains("may be waiting for the rank without a capture"),
        "{}",
        exchange.title
    );
    assert!(!exchange.advice.contains("verlap") && exchange.advice.contains("Capture all ranks"));
    assert_eq!(exchange.confidence, crate::steps::iterate::Confidence::Low);
    let verdict = job.verdict(in_ms);
    assert!(
        verdict.starts_with("Rank 2 is missing, and all groups that it belongs to wait: it, or what"),
        "{verdict}"
    );
    assert!(
        !verdict.contains("even") && verdict.ends_with("none of the 3 that were captured stands out"),
        "{verdict}"
    );
    // With all captures, exchange is exchange.
    let whole = Plan { kernels: vec![vec![[500_000, 300_000]; 8]; 4], ..plan }.job();
    assert!(whole.verdict(in_ms).contains("even") && whole.verdict(in_ms).contains("data is exchanged"));
    assert!(whole.findings.iter().any(|finding| finding.advice.contains("Overlap it")));
}

/// Where a rank is missing, exchange says nothing; computing does, but not what it would save.
#[test]
fn who_is_slow_is_named_beside_a_missing_rank_without_a_saving() {
    let mut plan = Plan::even(5, 8);
    for kernels in &mut plan.kernels[2] {
        *kernels = kernels.map(|ns| ns * 5 / 4);
    }
    let mut captures = plan.captures();
    captures.remove(1);
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    assert_eq!((job.findings[0].rule, &job.findings[0].ranks[..]), (JobRule::MissingRanks, &[1][..]));
    assert_eq!(named(&job)[1..], [("slow_gpu", vec![2])]);
    assert!(job.saving_ns.is_none() && job.findings.iter().all(|finding| finding.saving_ns.is_none()));
    let verdict = job.verdict(in_ms);
    let others = "; of those that were captured, rank 2 lags by 0.40 ms (18.3 %): slow GPU";
    assert!(verdict.starts_with("Rank 1 is missing") && verdict.ends_with(others), "{verdict}");
}

#[test]
fn exchange_of_a_rank_with_one_that_is_missing_accuses_nobody() {
    let mut plan = Plan::even(4, 8);
    plan.kernels[0].iter_mut().for_each(|kernels| kernels[0] += 400_000);
    let mut captures = plan.captures();
    // What it needs more is exchange, perhaps with the rank that will be missing.
    let digest = &mut captures[0].ranks.as_mut().expect("digests")[0];
    for piece in &mut digest.pieces {
        let moved = piece.compute_ns / 5;
        piece.compute_ns -= moved;
        piece.exchange_idle_ns += moved;
    }
    digest.who.environment_world = Some(4);
    let accused =
        |captures: Vec<CaptureOfJob>| named(&Job::new(captures, &JobRequest::default()).expect("a job"));
    assert_eq!(accused(captures.clone()), [("slow_transfer", vec![0])]);
    captures.remove(3);
    assert_eq!(accused(captures), [("missing_ranks", vec![3])]);
}

#[test]
fn what_saves_nothing_says_so() {
    let mut plan = Plan::even(5, 8);
    for kernels in &mut plan.kernels[2] {
        *kernels = kernels.map(|ns| ns * 5 / 4);
    }
    let mut job = plan.job();
    job.findings[0].saving_ns = Some(900.0);
    assert!(!job.findings[0].saves_something(job.scale()));
    let verdict = job.verdict(in_ms);
    assert!(verdict.starts_with("Rank 2 lags by 0.40 ms") && !verdict.contains("holds"), "{verdict}");
    assert!(verdict.ends_with("no step would be shorter without it") && !verdict.contains('−'), "{verdict}");
}

/// Two ranks that are equally slow: mending one saves nothing, mending both saves all.
#[test]
fn equally_slow_ranks_are_judged_together() {
    for slow in [&[1, 4][..], &[0, 3, 5]] {
        let mut plan = Plan::even(7, 8);
        for &rank in slow {
            plan.kernels[rank].iter_mut().for_each(|kernels| *kernels = kernels.map(|ns| ns * 5 / 4));
        }
        let job = plan.job();
        let first = &job.findings[0];
        let ranks: Vec<i64> = slow.iter().map(|&rank| i64::try_from(rank).expect("few")).collect();
        assert_eq!((first.rule, &first.ranks), (JobRule::SlowRanks, &ranks));
        assert!((first.saving_ns.expect("a saving") - 400_000.0).abs() < 100.0, "{first:?}");
        let alone = job.findings.iter().filter(|finding| finding.rule == JobRule::SlowGpu);
        assert!(
            alone.clone().count() == slow.len()
                && alone.clone().all(|finding| finding.saving_ns == Some(0.0))
        );
        let verdict = job.verdict(in_ms);
        let end = "together hold the job back: their GPUs run at 80 % of the others' speed (mending one alone saves at most 0.00 ms, \
                   because the others hold it back as well); without them −0.40 ms per step (18.3 %)";
        assert!(verdict.ends_with(end), "{verdict}");
    }
}

/// A rank that lags less than another holds nobody back that the other does not.
#[test]
fn a_lesser_laggard_counts_as_far_as_it_saves_more() {
    let mut plan = Plan::even(7, 8);
    for (rank, quarter) in [(1, 4), (4, 2)] {
        plan.kernels[rank].iter_mut().for_each(|kernels| kernels[0] += 100_000 * quarter);
    }
    let job = plan.job();
    let savings: Vec<(&str, f64)> =
        job.findings.iter().filter_map(|finding| Some((finding.rule.key(), finding.saving_ns?))).collect();
    let rounded: Vec<(&str, f64)> =
        savings.iter().map(|(rule, ns)| (*rule, (ns / 100.0).round() * 100.0)).collect();
    assert_eq!(rounded, [("slow_ranks", 400_000.0), ("slow_kernels", 200_000.0), ("slow_kernels", 0.0)]);
    assert!(job.verdict(in_ms).contains("mending one alone saves at most 0.20 ms"), "{}", job.verdict(in_ms));
}

#[test]
fn which_ranks_are_missing_is_not_said_where_ranks_are_numbered_by_order() {
    let mut captures = Plan::even(3, 6).captures();
    captures.remove(1);
    for ranks in captures.iter_mut().filter_map(|capture| capture.ranks.as_mut().ok()) {
        ranks[0].who.file = format!("host-{}.sqlite", ranks[0].who.file.display()).replace("rank", "").into();
        ranks[0].who.report = String::new();
        ranks[0].who.environment_world = Some(3);
    }
    let job = Job::new(captures, &JobRequest::default()).expect("a job");
    assert_eq!((job.rank_source, job.absent.missing.len()), (RankSource::Order, 1));
    assert!(job.known_missing().is_empty());
    assert_eq!(named(&job), [("missing_ranks", vec![])]);
    let missing = job.findings.iter().find(|finding| finding.rule == JobRule::MissingRanks);
    let title = missing.expect("a finding").title.to_string();
    assert!(title.starts_with("1 of 3 ranks has no capture, and which is not known"), "{title}");
}
