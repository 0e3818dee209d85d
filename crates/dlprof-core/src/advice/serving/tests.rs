//! What is said of servers, on the generated captures of the shared corpus.

use super::serving_in_words;
use crate::advice::{Judged, verdict, verdict_detail, verdict_meaning};
use crate::capture::{Capture, ReadOptions};
use crate::serving::Workload;
use crate::serving::tests::{folder, generated};
use crate::steps::iterate::{KeyNodeChoice, RangeChoice};
use std::path::Path;

fn judged(path: &Path) -> Judged {
    let capture = Capture::read(path, &ReadOptions::default()).expect("a capture");
    let index = capture.index(&KeyNodeChoice::Find).expect("iterations");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

/// All that is said of a capture.
fn said(judged: &Judged) -> String {
    let findings =
        judged.findings().iter().map(|found| format!("{}\n{}", found.problem, found.recommendation));
    let words = serving_in_words(judged).into_iter().map(|sentence| sentence.to_string());
    let meaning = verdict_meaning(judged).unwrap_or_default().to_owned();
    findings
        .chain(words)
        .chain([verdict(judged).sentence.to_string(), verdict_detail(judged).to_string(), meaning])
        .collect::<Vec<_>>()
        .join("\n")
}

/// Words of advice that exists in training only.
const OF_TRAINING: [&str; 16] = [
    "bucket",
    "no_sync",
    "accumulation",
    "FSDP",
    "DataLoader",
    "num_workers",
    "ptimizer",
    "checkpoint",
    "logging",
    "zero_grad",
    "recompute",
    "training",
    "loss",
    "outlier",
    "backward",
    "Use CUDA graphs",
];

#[test]
fn nothing_is_said_of_training_where_a_server_is_seen() {
    let Some(folder) = generated() else { return };
    let mut servers = 0;
    let files = std::fs::read_dir(folder).expect("the corpus").flatten().map(|file| file.path());
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "sqlite" || end == "gz")) {
        let judged = judged(&path);
        if judged.serving().workload != Workload::Inference {
            continue;
        }
        servers += 1;
        let said = said(&judged);
        for words in OF_TRAINING {
            assert!(!said.contains(words), "{}: `{words}` in\n{said}", path.display());
        }
        assert_eq!(judged.iterations.key_node.as_ref().map(|node| node.name.as_str()), Some("engine step"));
    }
    assert!(servers >= 19, "{servers}");
}

#[test]
fn the_causes_of_the_generated_cases_are_found() {
    let Some(folder) = generated() else { return };
    for (file, words) in [
        ("vllm_decode_graph_node.sqlite", "takes 3.0 times as long in layer 5 as in the other"),
        ("vllm_mixed_chunked.sqlite", "Prefill of other requests makes 49% of the time between tokens"),
        (
            "sglang_extend_interrupts.json.gz",
            "Prefill of other requests makes 57% of the time between tokens",
        ),
        ("quiet_server.sqlite", "The server had no requests for 80"),
        ("gap_sampling_sync.json.gz", "waits for sampling on the host"),
        ("gap_scheduler.sqlite", "`--async-scheduling`"),
        ("trtllm_gap_responses.sqlite", "waits for the host to hand tokens on"),
        ("vllm_graph_level.sqlite", "`--cuda-graph-trace=node`"),
        ("sglang_eager_layerwise.sqlite", "work of the host that no range names"),
    ] {
        let said = said(&judged(&folder.join(file)));
        assert!(said.contains(words), "{file}: {said}");
    }
}

#[test]
fn rules_of_servers_are_told_of_where_one_is_seen() {
    let Some(folder) = generated() else { return };
    let tells = |file: &str, id: &str| judged(&folder.join(file)).tells_of_rule(id);
    assert!(tells("gap_scheduler.sqlite", "engine_scheduling"));
    assert!(
        !tells("training_ddp.sqlite", "engine_scheduling") && tells("training_ddp.sqlite", "launch_bound")
    );
}

#[test]
fn waiting_for_work_from_before_the_recording_is_no_set_up() {
    let Some(folder) = folder("real") else { return };
    for trace in [
        "sglang_decode/sglang_Qwen3-8B_decode.json.gz",
        "sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz",
    ] {
        let said = said(&judged(&folder.join(trace)));
        assert!(said.contains("most of it before the first recorded work of a stream"), "{trace}: {said}");
        assert!(!said.contains("done once") && !said.contains("reserve"), "{trace}: {said}");
    }
}
