//! Findings on real captures: which rules fire where, with which figures, and where nothing is wrong.

use dlprof_core::{
    Capture, Cause, DefaultRange, Finding, Judged, KeyNodeChoice, Measure, Question, RangeChoice,
    ReadOptions, RuleSettings, Saving, Selection, Severity, Table as _, Value as TableValue, View,
    definition, verdict_detail,
};
use dlprof_export::{RuleReport, TimeUnit, overview};
use dlprof_generate::corpus::{corpus, folder};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::path::Path;

/// The profile that the dashboard shows; none of a file that holds none.
fn try_profile(file: &Path) -> Option<Judged> {
    let capture = Capture::read(file, &ReadOptions::default()).ok()?;
    let index = capture.index(&KeyNodeChoice::Find).expect("an index");
    Some(
        index
            .profile(&RangeChoice { otherwise: DefaultRange::Auto, ..RangeChoice::default() })
            .expect("a profile")
            .into(),
    )
}

fn profile(file: &Path) -> Judged {
    try_profile(file).unwrap_or_else(|| panic!("{} holds no profile", file.display()))
}

fn finding<'a>(profile: &'a Judged, id: &str) -> Option<&'a Finding> {
    profile.findings().iter().find(|finding| finding.id == id)
}

fn figure(finding: &Finding, name: &str) -> f64 {
    let found = finding.figures.iter().find(|(own, _)| own == name);
    match found.map(|(_, measure)| measure) {
        Some(Measure::Number(number)) => *number,
        #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
        Some(Measure::Count(count)) => *count as f64,
        #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
        Some(Measure::Time(ns)) => *ns as f64,
        other => panic!("{}: figure `{name}` is {other:?}", finding.id),
    }
}

/// Where the specification says that each rule fires: files whose name begins so.
const FIRES: &[(&str, &[&str])] = &[
    ("input_bound", &["llmc-"]),
    ("launch_bound", &["dlprof-torch-relu-2070s-2022.1.3.", "openacc-", "abacus-"]),
    ("cpu_work_between", &["cupy-nvtx-", "torch-llama-demo-"]),
    ("sync_in_step", &["dlprof-torch-relu-2070s-2022.1.3."]),
    ("serialised_launches", &["openacc-"]),
    ("pageable_copies", &["cutlass-a100-"]),
    ("exposed_copies", &["torch-fastvideo-2gpu-h100-2026.2.1-1s."]),
    ("managed_memory", &["cuda-um-"]),
    ("tiny_kernels", &["dlprof-torch-relu-2070s-2022.1.3.", "torch-gpt-small-", "openacc-"]),
    (
        "fp32_matrix",
        &["torch-gpt-train-nvtx-", "torch-gpt-2.7b-", "torch-gpt-small-", "torch-gpt-nonvtx-h100-"],
    ),
    ("fp32_matrix_pre_ampere", &["dlprof-torch-relu-2070s-2022.1.3."]),
    ("fp64_math", &["cupy-nvtx-"]),
    ("layout_transposes", &["keras-"]),
    ("underfilled", &["dlprof-torch-relu-2070s-2022.1.3.", "mpi-cuda-saxpy-", "cuda-um-"]),
    ("autotuning_in_range", &["keras-"]),
    ("allocation_in_step", &["openacc-", "mpi-cuda-saxpy-"]),
    ("warm_up_in_range", &["keras-", "torch-llama-demo-"]),
    ("unfused_attention", &["torch-gpt-nonvtx-h100-", "torch-gpt-2.7b-"]),
    ("older_attention", &["torch-fastvideo-train-nccl-"]),
    ("elementwise_kernels", &["torch-fastvideo-train-nccl-", "torch-gpt-train-nvtx-"]),
    ("per_parameter_optimizer", &["torch-gpt-train-nvtx-"]),
    ("device_stall", &["torch-gpt-train-nvtx-"]),
    ("no_gpu_trace", &["llmc-", "jax-alpa-", "cufortran-"]),
    ("no_nvtx", &["abacus-"]),
    ("unexplained_idle", &["cuda-um-"]),
    ("graph_granularity", &["torch-gpt-compile-cudagraph-"]),
    ("kernel_hotspot", &["torch-gpt-2.7b-", "cupy-nvtx-"]),
];

#[test]
fn rules_fire_where_the_specification_says() {
    let all = corpus();
    if all.is_empty() {
        return;
    }
    let mut profiles: BTreeMap<&str, Judged> = BTreeMap::new();
    for (rule, files) in FIRES {
        for &begin in *files {
            let profile = profiles.entry(begin).or_insert_with(|| {
                let mut fitting = all.iter().filter(|file| {
                    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
                });
                profile(fitting.next().unwrap_or_else(|| panic!("no capture begins with {begin}")))
            });
            assert!(finding(profile, rule).is_some(), "{rule} is silent on {begin}");
        }
    }
}

/// The tails of these two take 10.6 and 12.5 % of the kernel time, but several blocks share an SM in the kernels that have them:
/// the same kernel with other grids takes at most 1.6 % less per block. The specification says that the rule fires here.
#[test]
fn tails_of_blocks_that_share_an_sm_are_no_loss() {
    let Some(corpus) = folder() else { return };
    for name in ["torch-gpt-nonvtx-h100-2023.4.4", "torch-gpt-2.7b-nvtx-a100-2024.6.2"] {
        let profile = profile(&corpus.join(format!("{name}.sqlite")));
        assert!(finding(&profile, "tail_heavy").is_none(), "{name}");
    }
}

/// Sums by cause are the idle time of the used GPUs, and the ranges of the host add up to their cause. A verdict never says that
/// nothing tells why where a cause that tells has more time.
#[test]
fn idle_time_adds_up_by_cause_and_by_range() {
    for file in corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        let totals = profile.idle_totals(Cause::words, |_| Default::default());
        let idle: i64 = totals.iter().map(|row| row.time_ns).sum();
        assert_eq!(idle, profile.used_gpu_time().idle_ns(), "{}", file.display());
        let of = |cause: Cause| totals.iter().find(|row| row.cause == cause).map_or(0, |row| row.time_ns);
        let ranges: i64 = profile.idle_range_totals().iter().map(|row| row.time_ns).sum();
        assert_eq!(ranges, of(Cause::HostRange), "{}", file.display());
        for finding in profile.findings() {
            let saving = finding.saving.as_ref().and_then(|saving| saving.upper_ns).unwrap_or(0);
            assert!(saving <= profile.used_gpu_time().length_ns, "{}: {}", file.display(), finding.id);
        }
    }
}

/// GPUs that the program does not use have rows in data, and in what people see where they ask for them.
#[test]
fn unused_gpus_are_shown_where_they_are_asked_for() {
    let Some(corpus) = folder() else { return };
    let profile = profile(&corpus.join("cupy-recon-a100-2023.1.2.sqlite"));
    let table = (definition("idle_causes").expect("a table").build)(&profile);
    let rows = |conditions: &[String]| {
        let selection = Selection { conditions, ..Selection::default() };
        View::new(table.as_ref(), &selection).expect("a view").rows()
    };
    let usual = table.layout().usual.to_owned();
    let unused = rows(&["cause = unused".to_owned()]);
    assert!(unused > 0 && rows(&[usual]) + unused == rows(&[]), "{unused}");
}

/// Captures where nothing is wrong that a program could change, and why.
const HEALTHY: &[(&str, &str)] = &[
    (
        "torch-gpt-compile-cudagraph-a100-2024.6.2",
        "compiled into one graph that keeps the GPU busy all the time",
    ),
    ("torch-h100-2026.1.1-stripped", "kernels follow each other without gaps"),
    ("torch-h100-2026.1.1-stripped-judged", "the same"),
    ("flux-2kernels-gtx1650-ex2020", "two kernels, too little to say anything"),
];

#[test]
fn healthy_captures_have_no_warnings() {
    let Some(corpus) = folder() else { return };
    for (name, why) in HEALTHY {
        let profile = profile(&corpus.join(format!("{name}.sqlite")));
        let warnings = profile.findings().iter().filter(|finding| finding.severity > Severity::Note);
        let ids: Vec<&str> = warnings.map(|finding| finding.id.as_ref()).collect();
        assert!(ids.is_empty(), "{name} is healthy ({why}), yet: {ids:?}");
    }
}

/// Rules of which two never speak of the same capture, because they would contradict each other.
const EITHER: &[(&str, &str)] = &[
    ("sync_in_step", "serialised_launches"),
    ("device_stall", "untraced_work"),
    ("fp32_matrix", "fp32_matrix_pre_ampere"),
    ("fp32_matrix", "no_gpu_trace"),
    ("kernel_hotspot", "no_gpu_trace"),
    ("iteration_range_detector", "unsteady_iterations"),
    ("no_iterations_detector", "unsteady_iterations"),
    ("unfused_attention", "no_gpu_trace"),
];

#[test]
fn findings_are_ranked_bounded_and_do_not_contradict() {
    for file in corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        let name = file.display();
        let has = |id: &str| finding(&profile, id).is_some();
        for (one, other) in EITHER {
            assert!(!(has(one) && has(other)), "{name}: {one} and {other}");
        }
        // Where no kernel was recorded, nobody knows what a change would save.
        let is_known = profile.has_kernel_records();
        let savings = profile.findings().iter().filter(|finding| finding.saving.is_some());
        assert!(is_known || savings.count() == 0, "{name} promises savings without kernel records");
        let mut before = (true, i64::MAX);
        let length = profile.summary.wall_clock_ns;
        for finding in profile.findings() {
            let saving = finding.saving.as_ref();
            // Hardly any saving counts as none.
            let worth = saving.filter(|saving| 100 * saving.upper_ns.unwrap_or(0) >= length);
            let rank = (finding.severity == Severity::Error, worth.map_or(0, Saving::ns));
            if let Some(cause) = finding.same_cause_as {
                assert!(saving.is_none() && has(cause), "{name}: {}", finding.id);
                continue;
            }
            assert!(
                rank.0 <= before.0 && (rank.0 != before.0 || rank.1 <= before.1),
                "{name}: {}",
                finding.id
            );
            // The finding that the verdict states comes first, whatever the others save.
            before = if before.1 == i64::MAX { (rank.0, i64::MAX - 1) } else { rank };
            assert!(finding.show.is_some(), "{name}: {} has no command", finding.id);
            if let Some(saving) = saving {
                let upper = saving.upper_ns.expect("every saving has a bound");
                assert!((0..=length).contains(&upper), "{name}: {} saves {upper} of {length}", finding.id);
                assert!(
                    saving.expected_ns.is_none_or(|expected| (0..=upper).contains(&expected)),
                    "{name}: {}",
                    finding.id
                );
            }
        }
        let verdict = verdict_detail(&profile).to_string();
        // What a program said when it died comes before the rest.
        let most = match () {
            () if verdict.starts_with("The program ended badly") => 600,
            // That of the whole run and that of its window are named.
            () if verdict.contains(": over the whole run") => 420,
            // Two limits are named.
            () if verdict.starts_with("GPU- and CPU-bound") => 420,
            () => 330,
        };
        assert!(!verdict.is_empty() && !verdict.contains("{}") && verdict.len() < most, "{name}: {verdict}");
    }
}

/// A share of the kernel time by plain SQL, over the kernels whose API calls start in the aggregated iterations.
fn kernel_share(connection: &Connection, profile: &Judged, condition: &str) -> f64 {
    let iterations = &profile.iterations;
    let [from, to] = [iterations.start, iterations.stop + 1].map(|at| iterations.boundaries[at as usize]);
    let shift = shift_of(connection, profile);
    // One process each: a correlation id is enough to find the API call.
    let sql = format!(
        "SELECT 100.0 * sum(CASE WHEN {condition} THEN k.end - k.start ELSE 0 END) / sum(k.end - k.start) \
         FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName \
         LEFT JOIN (SELECT correlationId, min(start) AS start FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY 1) r \
         ON r.correlationId = k.correlationId \
         WHERE coalesce(r.start, k.start) - ?3 >= ?1 AND coalesce(r.start, k.start) - ?3 < ?2"
    );
    let value = connection.query_row(&sql, [from, to, shift], |row| row.get::<_, Value>(0));
    match value.expect("an answer") {
        Value::Real(share) => share,
        other => panic!("{other:?}"),
    }
}

/// Newer exports may count time from the session's start; the tool starts at the same zero as its tables.
fn shift_of(connection: &Connection, profile: &Judged) -> i64 {
    let first: i64 = connection
        .query_row("SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL", [], |row| row.get(0))
        .expect("kernels");
    let kernels = profile.capture.counts().kernels;
    let own = profile.capture.work.span[..][..kernels].iter().map(|span| span.start).min().expect("kernels");
    first - own
}

/// Rule, its figure, a file, and the same figure as a condition of SQL on kernels.
const KERNEL_SHARES: &[(&str, &str, &str, &str)] = &[
    (
        "fp32_matrix",
        "fp32_matrix_percent",
        "torch-gpt-train-nvtx-a100-2024.2.3-fp32",
        "s.value LIKE 'ampere!_sgemm%' ESCAPE '!'",
    ),
    (
        "fp32_matrix",
        "fp32_matrix_percent",
        "torch-gpt-nonvtx-h100-2023.4.4",
        "s.value LIKE '%f32f32!_f32f32%' ESCAPE '!' OR s.value LIKE '%sgemm%'",
    ),
    ("fp64_math", "fp64_math_percent", "cupy-nvtx-step-t4-2025.3.1", "s.value LIKE '%gemv2T%double%'"),
    (
        "autotuning_in_range",
        "checks_percent",
        "keras-darknet19-gtx1650-ex2020",
        "s.value LIKE '%redzone_checker%'",
    ),
    ("tiny_kernels", "short_time_percent", "openacc-3080-2020.5.1", "k.end - k.start < 10000"),
    ("tiny_kernels", "short_time_percent", "dlprof-torch-relu-2070s-2022.1.3", "k.end - k.start < 10000"),
    (
        "unfused_attention",
        "softmax_percent",
        "torch-gpt-nonvtx-h100-2023.4.4",
        "s.value LIKE '%softmax_warp_forward%' OR s.value LIKE '%softmax_warp_backward%' OR s.value LIKE '%SoftMaxForward%' \
         OR s.value LIKE '%SoftMaxBackward%'",
    ),
];

#[test]
fn figures_of_kernels_are_those_of_plain_sql() {
    let Some(corpus) = folder() else { return };
    for (rule, name, file, condition) in KERNEL_SHARES {
        let path = corpus.join(format!("{file}.sqlite"));
        let profile = profile(&path);
        let found = finding(&profile, rule).unwrap_or_else(|| panic!("{rule} is silent on {file}"));
        let connection =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
        let expected = kernel_share(&connection, &profile, condition);
        let actual = figure(found, name);
        assert!((actual - expected).abs() < 1e-6, "{rule} on {file}: {actual}, by SQL {expected}");
    }
}

#[test]
fn figures_of_copies_are_those_of_plain_sql() {
    let Some(corpus) = folder() else { return };
    let path = corpus.join("cutlass-a100-a40-2023.2.3.sqlite");
    let profile = profile(&path);
    let found = finding(&profile, "pageable_copies").expect("its copies are pageable");
    let connection =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
    let window = profile.window();
    let shift = shift_of(&connection, &profile);
    let (bytes, time): (i64, i64) = connection
        .query_row(
            "SELECT sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE start - ?3 >= ?1 AND start - ?3 < ?2 \
             AND (copyKind = 1 AND srcKind = 0 OR copyKind = 2 AND dstKind = 0)",
            [window.start, window.end, shift],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("an answer");
    #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
    let (bytes, share) = (bytes as f64, 100.0 * time as f64 / window.length() as f64);
    assert!((figure(found, "bytes") - bytes).abs() < 0.5, "{:?}", found.figures);
    let used = profile.gpu_times().used_gpus();
    #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
    let share = share / used as f64;
    assert!((figure(found, "pageable_percent") - share).abs() < 1e-6, "{share}: {:?}", found.figures);
}

/// The rows that the command of a finding prints, a text each.
fn shown_rows(profile: &Judged, question: &Question) -> Vec<String> {
    let list = |keys: &[&str]| -> Vec<String> { keys.iter().map(|&key| key.to_owned()).collect() };
    let conditions: Vec<String> = question.condition.clone().into_iter().collect();
    let (columns, sort, top) = (list(&question.columns), list(&question.sort), question.top);
    let table = definition(question.table).expect("a table");
    let table = (table.build)(profile);
    let selection = Selection { columns: &columns, sort: &sort, conditions: &conditions, top };
    let view = View::new(table.as_ref(), &selection).expect("the command is right");
    let cell = |row: usize, column: usize| match view.value(row, column) {
        TableValue::Text(text) => text.into_owned(),
        TableValue::Int(number) => number.to_string(),
        _ => String::new(),
    };
    (0..view.rows())
        .flat_map(|row| (0..view.columns()).map(move |column| (row, column)))
        .map(|(row, column)| cell(row, column))
        .collect()
}

#[test]
fn commands_of_findings_list_their_evidence() {
    for file in corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        for finding in profile.findings() {
            let question = finding.show.as_ref().expect("a command");
            let shown = shown_rows(&profile, question);
            assert!(!shown.is_empty(), "{}: the command of {} prints nothing", file.display(), finding.id);
            for evidence in &finding.evidence {
                // Launches of kernels by another condition than their name have these names all the same.
                let lists_launches = question.table == "kernels" && evidence.table == "kernel_names";
                if lists_launches {
                    let by_name = Question { columns: vec!["long_kernel_name"], ..question.clone() };
                    let names = shown_rows(&profile, &by_name);
                    let is_listed = names.contains(&evidence.value);
                    assert!(is_listed, "{}: {} lists no {evidence:?}", file.display(), finding.id);
                    continue;
                }
                assert_eq!(question.table, evidence.table.as_ref());
                let is_listed = shown.contains(&evidence.value);
                assert!(is_listed, "{}: {} does not list {evidence:?}", file.display(), finding.id);
            }
        }
    }
}

/// Kernels that only PyTorch has.
const PYTORCH_KERNELS: [&str; 5] = ["at::native", "at::cuda", "c10::", "triton_", "fmha_cutlass"];

#[test]
fn advice_names_pytorch_only_where_the_capture_shows_it() {
    let mut others = 0;
    for file in corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        let capture = &profile.capture;
        let is_pytorch = |name: &str| PYTORCH_KERNELS.iter().any(|part| name.contains(part));
        let names = capture.kernels.long_name.iter().map(|&name| capture.strings.get(name));
        if capture.description.mode.is_pytorch() || names.into_iter().any(is_pytorch) {
            continue;
        }
        others += 1;
        for finding in profile.findings() {
            let advice = format!("{} {} {}", finding.problem, finding.recommendation, finding.link);
            let is_clean = !advice.to_lowercase().contains("torch");
            assert!(is_clean, "{}: {}: {advice}", file.display(), finding.id);
        }
    }
    assert!(others > 0 || corpus().is_empty(), "no capture of another framework");
}

#[test]
fn gpus_without_a_context_are_no_warning() {
    let Some(corpus) = folder() else { return };
    let name = "torch-gpt-train-nvtx-a100-2024.2.3-fp32";
    let busy = profile(&corpus.join(format!("{name}.sqlite")));
    let found = finding(&busy, "underutilized_gpu_detector").expect("GPUs without kernels");
    assert_eq!(found.severity, Severity::Note, "{name}: {}", found.problem);
    assert_eq!(busy.findings().last().map(|last| last.id.clone()), Some(found.id.clone()), "{name}");
    // The GPU that this program uses is idle nearly all of the time, which is a warning.
    let idle = profile(&corpus.join("nvfuser-h100-2024.6.2.sqlite"));
    let found = finding(&idle, "underutilized_gpu_detector").expect("GPUs without kernels");
    let words = found.problem.to_string();
    assert_eq!(found.severity, Severity::Warning, "{words}");
    assert!(
        words.starts_with("GPU kernels run for only 0.1%") && words.ends_with(": GPUs 1, 2, 3, 4, 5, 6, 7"),
        "{words}"
    );
}

/// The GPU of the training runs other work too, mostly inside kernels. What a launch takes longer is checked by SQL: the shortest
/// launch of the same kernel with the same grid at the same place of the iteration is what it takes alone.
#[test]
fn a_shared_gpu_is_found_inside_kernels_and_nowhere_else() {
    let Some(corpus) = folder() else { return };
    let shared = "torch-gpt-train-nvtx-a100-2024.2.3-fp32";
    for file in dlprof_generate::corpus::corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        let misleads = finding(&profile, "device_stall").is_some_and(|found| found.misleads);
        assert_eq!(misleads, file.file_stem().is_some_and(|name| name == shared), "{}", file.display());
    }
    let path = corpus.join(format!("{shared}.sqlite"));
    let profile = profile(&path);
    let found = &profile.findings()[0];
    assert_eq!((found.id.as_ref(), found.severity), ("device_stall", Severity::Error));
    assert!(profile.findings().iter().all(|finding| finding.saving.is_none()), "no saving is reliable");
    let said = verdict_detail(&profile).to_string();
    assert!(said.starts_with("This capture misleads: ") && said.contains("to share the GPU"), "{said}");
    let Some((_, Measure::Time(slices_ns))) = found.figures.iter().find(|(name, _)| name == "slices_ns")
    else {
        panic!("{:?}", found.figures)
    };
    let connection =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
    let (longer_ns, launches): (i64, f64) = connection
        .query_row(
            "WITH forward AS (SELECT e.start, row_number() OVER (ORDER BY e.start DESC) AS back FROM NVTX_EVENTS e \
               LEFT JOIN StringIds s ON s.id = e.textId WHERE coalesce(e.text, s.value) = 'forward'), \
             launch AS (SELECT k.*, (SELECT max(f.start) FROM forward f WHERE f.start <= r.start) AS iteration \
               FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId \
               WHERE r.start >= (SELECT start FROM forward WHERE back = 10)), \
             placed AS (SELECT *, row_number() OVER (PARTITION BY iteration, demangledName, gridX, gridY, gridZ, blockX, blockY, \
               blockZ ORDER BY start) AS place FROM launch), \
             compared AS (SELECT end - start - min(end - start) OVER (PARTITION BY demangledName, gridX, gridY, gridZ, blockX, \
               blockY, blockZ, place) AS longer FROM placed) \
             SELECT sum(longer), count(*) FROM compared WHERE longer >= 1000000",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("an answer");
    assert_eq!((*slices_ns, figure(found, "sliced_launches")), (longer_ns, launches));
    // 264 of 509 ms per iteration, which is 59 % of the kernel time; the stalls between kernels come on top.
    assert!((51.0..53.0).contains(&figure(found, "slices_percent")), "{:?}", found.figures);
    assert!((61.0..62.0).contains(&figure(found, "shared_percent")), "{:?}", found.figures);
}

/// What a finding says in all: problem, advice and what the saving comes from.
fn words(profile: &Judged, id: &str) -> String {
    let found = finding(profile, id).unwrap_or_else(|| panic!("{id} is silent"));
    let basis = found.saving.as_ref().map_or("", |saving| &saving.basis);
    format!("{} {} {basis}", found.problem, found.recommendation)
}

/// An iteration that the finder could not split holds eleven passes, and every figure per iteration counts them.
#[test]
fn figures_per_iteration_are_of_passes() {
    let Some(corpus) = folder() else { return };
    let path = corpus.join("abacus-torch-titanrtx-2020.3.2-b-ex2020.sqlite");
    let profile = profile(&path);
    assert_eq!((profile.iterations.aggregated(), profile.iterations.passes()), (38, 48));
    let launch_bound = words(&profile, "launch_bound");
    assert!(
        launch_bound.contains("These are 385 launches, 1 copy and 6 memsets per iteration"),
        "{launch_bound}"
    );
    let overview = overview(&profile, TimeUnit::Auto);
    let kernels: i64 = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .expect("a database")
        .query_row(
            "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call USING (correlationId) \
             WHERE call.start >= ?1 AND call.start < ?2",
            [profile.window().start, profile.window().end],
            |row| row.get(0),
        )
        .expect("an answer");
    assert_eq!((kernels, overview.tiles.kernels), (48 * 385, Some(385.0)));
    #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
    let mean = profile.window().length() as f64 / 48.0;
    assert!((overview.tiles.iteration_ns - mean).abs() < 1.0, "{:?}", overview.tiles);
    assert!(overview.tiles.deviation_ns.is_some_and(|ns| ns < 0.05 * mean), "{:?}", overview.tiles);
    assert!((overview.step.expect("kernels").length_ns - mean).abs() < 2.0);
    assert!(words(&profile, "unsteady_iterations").contains("each counted as an iteration"));
}

/// Copies from pageable memory wait for the kernels before them, which pinned memory would not make faster.
#[test]
fn copies_that_wait_for_kernels_are_said_to() {
    let Some(corpus) = folder() else { return };
    let path = corpus.join("cupy-nvtx-step-t4-2025.3.1.sqlite");
    let profile = profile(&path);
    let found = finding(&profile, "pageable_copies").expect("its copies are pageable");
    assert!(found.problem.to_string().contains("for kernels that run before them"), "{}", found.problem);
    let connection =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database");
    let window = profile.window();
    // Kernels of one stream do not overlap.
    let waits: i64 = connection
        .query_row(
            "SELECT sum(min(kernel.end, call.end, copy.start) - max(kernel.start, call.start)) \
             FROM CUPTI_ACTIVITY_KIND_MEMCPY AS copy JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call USING (correlationId) \
             JOIN CUPTI_ACTIVITY_KIND_KERNEL AS kernel \
             ON kernel.end > call.start AND kernel.start < min(call.end, copy.start) \
             WHERE copy.start - ?3 >= ?1 AND copy.start - ?3 < ?2 \
             AND (copy.copyKind = 1 AND copy.srcKind = 0 OR copy.copyKind = 2 AND copy.dstKind = 0)",
            [window.start, window.end, shift_of(&connection, &profile)],
            |row| row.get(0),
        )
        .expect("an answer");
    #[expect(clippy::cast_precision_loss, reason = "figures of tests are small")]
    let waits = waits as f64;
    assert!((figure(found, "waiting_for_kernels_ns") - waits).abs() < 0.5, "{waits}: {:?}", found.figures);
}

#[test]
fn advice_fits_the_capture() {
    let Some(corpus) = folder() else { return };
    let of = |name: &str| profile(&corpus.join(format!("{name}.sqlite")));
    // PyTorch of 2020 had no compiler.
    let old = of("abacus-torch-titanrtx-2020.3.2-b-ex2020");
    assert!(
        words(&old, "launch_bound").contains("needs PyTorch 2 or later"),
        "{}",
        words(&old, "launch_bound")
    );
    // Ranges around ops name no kernel inside a graph.
    let graph = of("torch-gpt-compile-cudagraph-a100-2024.6.2");
    assert!(!words(&graph, "no_nvtx").contains("emit_nvtx"), "{}", words(&graph, "no_nvtx"));
    // The saving and the advice are about one type.
    let plain = words(&of("torch-gpt-small-nonvtx-a100-2024.6.2"), "fp32_matrix");
    assert!(
        plain.contains("TF32 peak") && plain.contains("BF16 with `torch.autocast` may save more"),
        "{plain}"
    );
    // Half of the bytes of a product with a vector do not take all of its time away.
    let cupy = of("cupy-nvtx-step-t4-2025.3.1");
    let saving = finding(&cupy, "fp64_math").and_then(|found| found.saving.clone()).expect("a saving");
    let (likely, most) = (saving.expected_ns.expect("likely"), saving.upper_ns.expect("a bound"));
    assert!(10 * most <= 14 * likely && most > likely, "{saving:?}");
    // A kernel of one block that waits for unified memory: how long is not known, so that memory comes first.
    let one_block = of("cuda-um-4060laptop-2023.4.4");
    assert_eq!(one_block.findings().first().map(|first| first.id.as_ref()), Some("managed_memory"));
    assert!(finding(&one_block, "underfilled").is_some_and(|found| found.saving.is_none()));
    // A longer run does not repeat what is tried at the start.
    let keras = of("keras-darknet19-gtx1650-ex2020");
    let tuned = finding(&keras, "autotuning_in_range").expect("algorithms are tried");
    assert!(tuned.saving.is_none() && figure(tuned, "with_tried_percent") > 60.0, "{tuned:?}");
}

/// The list of rules says of each finding what its first line counts, and no sentence speaks of a saving that is not stated.
#[test]
fn severities_and_savings_of_sentences_are_those_of_the_findings() {
    let settings = RuleSettings::default();
    for file in corpus() {
        let Some(profile) = try_profile(&file) else { continue };
        let text = RuleReport::new(&profile, &settings, None, TimeUnit::Auto).text();
        let found = text.split("\nFound\n").nth(1).unwrap_or_default();
        let found = found.split("\n\n").next().unwrap_or_default();
        for finding in profile.findings() {
            let line = format!("  {:<7}  {} ", finding.severity.as_str(), finding.id);
            assert!(found.contains(&line), "{}: `{line}` in {found}", file.display());
            let advice = finding.recommendation.to_string();
            let speaks = advice.contains("the saving") || finding.problem.to_string().contains("the saving");
            assert!(finding.saving.is_some() || !speaks, "{}: {advice}", file.display());
        }
    }
}
