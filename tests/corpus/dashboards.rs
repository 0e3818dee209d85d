//! Dashboards of real captures: they fit a screen, and nothing is wider than the terminal.

use dlprof_core::{Capture, DefaultRange, KeyNodeChoice, RangeChoice, ReadOptions, RuleSettings, judge};
use dlprof_export::{
    DashboardDetails, DashboardLook, Letters, Overview, TimeUnit, overview, write_dashboard,
};
use dlprof_generate::corpus::corpus;
use unicode_width::UnicodeWidthStr;

fn drawn(overview: &Overview, look: &DashboardLook<'_>) -> String {
    let mut text = Vec::new();
    write_dashboard(overview, look, &mut text).expect("memory takes everything");
    String::from_utf8(text).expect("UTF-8")
}

fn overviews() -> impl Iterator<Item = (String, Overview)> {
    overviews_of("")
}

/// The overviews of captures whose file has this in its name.
fn overviews_of(name: &str) -> impl Iterator<Item = (String, Overview)> {
    let files = corpus().into_iter().filter(move |file| file.to_string_lossy().contains(name));
    files.filter_map(|file| {
        let capture = Capture::read(&file, &ReadOptions::default()).ok()?;
        let index = capture.index(&KeyNodeChoice::Find).expect("an index");
        let range = RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() };
        let mut rules = RuleSettings::default();
        rules.wording = Some(|question, file| format!("evidence: {question:?} of {file}"));
        let judged = judge(&index.profile(&range).expect("a profile"), &rules);
        Some((file.display().to_string(), overview(&judged, TimeUnit::Auto)))
    })
}

#[test]
fn dashboards_fit_the_terminal() {
    for (file, overview) in overviews() {
        for columns in (60..=250).step_by(38).chain([80, 100, 139, 140, 160, 200]) {
            for letters in [Letters::Unicode, Letters::Ascii] {
                let text = drawn(&overview, &DashboardLook { columns, letters, ..DashboardLook::plain() });
                for line in text.lines() {
                    assert!(line.width() <= columns, "{file} at {columns}: {line}");
                    assert!(letters == Letters::Unicode || line.is_ascii(), "{file}: {line}");
                }
                assert!(!text.contains("NaN") && !text.contains(" inf"), "{file}: {text}");
            }
        }
        let text = drawn(&overview, &DashboardLook::plain());
        assert!(text.lines().count() <= 50, "{file}: {} lines\n{text}", text.lines().count());
    }
}

#[test]
fn parts_of_overviews_add_up() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) + 10.0;
    for (file, overview) in overviews() {
        if let Some(step) = &overview.step {
            let classes: f64 = step.classes.iter().map(|part| part.ns).sum();
            assert!(near(classes, step.length_ns), "{file}: {classes} of {}", step.length_ns);
            assert!(near(step.length_ns, overview.tiles.iteration_ns), "{file}");
            let idle: f64 = step.idle.iter().map(|row| row.ns).sum();
            assert!(near(idle, step.idle_ns), "{file}: {idle} of {}", step.idle_ns);
            let waiting: f64 = step.classes.iter().map(|part| part.ns - part.working_ns).sum();
            assert!(near(waiting, step.idle_ns), "{file}: {waiting} of {}", step.idle_ns);
        }
        if let Some(kernels) = &overview.kernels {
            let kinds: f64 = kernels.kinds.iter().map(|row| row.ns).sum();
            assert!(near(kinds, kernels.total_ns), "{file}: {kinds} of {}", kernels.total_ns);
            let mut labels: Vec<&str> = kernels.rows.iter().map(|row| row.label.as_str()).collect();
            labels.sort_unstable();
            assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{file}: {labels:?}");
        }
        for row in &overview.ops.rows {
            let members: f64 = row.members.iter().map(|member| member.ns).sum();
            assert!(near(members, row.ns), "{file}: {}", row.name);
        }
        let all =
            drawn(&overview, &DashboardLook { details: DashboardDetails::All, ..DashboardLook::plain() });
        for finding in &overview.findings {
            assert!(all.contains(&format!("rule {}", finding.id)), "{file}: {}", finding.id);
            assert!(finding.command.as_ref().is_some_and(|command| all.contains(command.as_str())), "{file}");
        }
    }
}

/// Figures of a page are of all aggregated iterations; where the verdict is about fewer of them, it says so. By default start-up
/// is in no figure.
#[test]
fn a_verdict_without_start_up_names_its_iterations() {
    let is_it = |file: &std::path::PathBuf| file.to_string_lossy().contains("torch-gpt-2.7b-nvtx-a100");
    let Some(file) = corpus().into_iter().find(is_it) else { return };
    let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    let verdict = |otherwise: DefaultRange| {
        let range = RangeChoice { otherwise, ..RangeChoice::default() };
        let overview = overview(&index.profile(&range).expect("a profile").into(), TimeUnit::Auto);
        assert!(overview.verdict.starts_with("GPU-bound: "), "{}", overview.verdict);
        overview.verdict_detail.expect("what it rests on")
    };
    let (all, default) = (verdict(DefaultRange::All), verdict(DefaultRange::Auto));
    assert!(all.starts_with("GPU-bound after start-up (iterations 2 to 4): "), "{all}");
    assert!(!default.contains("after start-up"), "{default}");
}

/// The dashboard of a capture, with all details, in one line.
fn words_of(name: &str) -> Option<String> {
    let (_, overview) = overviews_of(name).next()?;
    let text = drawn(
        &overview,
        &DashboardLook { details: DashboardDetails::All, columns: 250, ..DashboardLook::plain() },
    );
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Sentences that were false or missing, each on the capture on which a reader found it.
#[test]
fn sentences_that_readers_checked_are_true() {
    let expected: [(&str, &[&str]); 7] = [
        (
            "abacus-torch-titanrtx",
            &[
                "37 steady, 1 unsplit",
                "20 more passes of these kernels on stream 16 are not split; they are in 9, 39 and outside of \
                 iterations; means are of 48 passes",
                "mean 27.1 ms ± 0.8 per iteration",
                "27.11 = mean of 48 passes",
            ],
        ),
        (
            "torch-gpt-compile-cudagraph",
            &[
                "What happens inside the graphs",
                "Kernels using Tensor Cores – –",
                "Copies and memsets – –",
                "All GPU work 7.81 s 40",
            ],
        ),
        (
            "torch-centerformer-nvtxonly",
            &["Copies and memsets – –", "Top ops by time of their ranges", "305"],
        ),
        ("torch-fastvideo-train-nccl", &["of 119.443 s captured (0.3 %)"]),
        (
            "openacc-3080",
            &[
                "1934 HtoD copies of 1024 bytes each take 85.400 ms",
                "With them come 1934 launches of `__pgi_uacc_cuda_fill_42_gpu`, 1933 allocations, 1933 waits",
                "GPUs wait for the next launch, copy or memset 67.2% of the time, in gaps under 1 ms. These are 1935 launches, 1944 copies and 1 memset",
            ],
        ),
        (
            "mpi-openacc-4gpu",
            &["The gaps after these waits and after those that end a step take 25.0% of the time"],
        ),
        (
            "keras-darknet19",
            &["are in the domain `Forward`, most often `Model` (runs: 2)", "--key-node Model --iter-start 2"],
        ),
    ];
    for (name, parts) in expected {
        let Some(text) = words_of(name) else { continue };
        for part in parts {
            assert!(text.contains(part), "{name}: `{part}`\n{text}");
        }
    }
}

/// Waiting for input is denied only where calls of the operating system were recorded, and one kernel is no kernels.
#[test]
fn dashboards_deny_nothing_that_was_not_recorded() {
    for (file, recorded) in [("cuda-um-4060laptop", false), ("torch-gpt-2.7b-nvtx", true)] {
        for (file, overview) in overviews_of(file) {
            let text = drawn(&overview, &DashboardLook { columns: 160, ..DashboardLook::plain() });
            assert_eq!(text.contains("no waiting for input"), recorded, "{file}: {text}");
            assert_eq!(text.contains("waiting for input not recorded"), !recorded, "{file}: {text}");
            assert!(!text.contains("   1 kernels   "), "{file}: {text}");
        }
    }
}

/// The sentences of a text, in which a name in backticks is a word, and so is what a program printed, in quotation marks.
fn sentences(text: &str) -> Vec<String> {
    let text = text.replace(['“', '”'], "`");
    let parts = text.split('`').enumerate();
    let plain: String = parts.map(|(at, part)| if at % 2 == 1 { "N" } else { part }).collect();
    plain.split_inclusive(". ").map(|sentence| sentence.trim().to_owned()).collect()
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Captures, and the traces beside them.
#[test]
fn verdicts_and_sentences_of_first_pages_are_short() {
    let mut read = 0;
    for (file, overview) in overviews() {
        let said = &overview.verdict;
        assert!(words(said) <= dlprof_core::MOST_WORDS, "{file}: {} words: {said}", words(said));
        assert!(said.ends_with('.') && said.len() < 140, "{file}: {said}");
        for sentence in sentences(said) {
            assert!(words(&sentence) <= dlprof_core::MOST_WORDS, "{file}: {sentence}");
        }
        if let (Some(class), Some(percent)) =
            (overview.verdict_parts.step_class, overview.verdict_parts.percent)
        {
            assert!(said.contains(&format!("{percent:.1} %")), "{file}: {percent} {class:?} in: {said}");
        }
        let meaning = overview.verdict_meaning.map(str::to_owned);
        let of_findings = overview.findings.into_iter().flat_map(|row| [row.problem, row.advice]);
        for text in overview.verdict_detail.into_iter().chain(meaning).chain(of_findings) {
            for sentence in sentences(&text) {
                assert!(
                    words(&sentence) <= MOST_OF_SENTENCE,
                    "{file}: {} words: {sentence}",
                    words(&sentence)
                );
            }
        }
        read += 1;
    }
    assert!(read > 0 || corpus().is_empty(), "captures were read");
}

/// A sentence of a first page holds no more words.
const MOST_OF_SENTENCE: usize = 25;
