//! What the loop of an inference server does between steps, as the names of its ranges and functions say.

use regex::Regex;
use std::sync::LazyLock;

/// A part of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LoopPart {
    /// It chooses the requests of the next step.
    Schedule,
    /// It prepares the inputs of the step.
    Prepare,
    /// It chooses the next tokens.
    Sample,
    /// It hands tokens on to those who asked.
    Output,
    /// It looks for new requests.
    Poll,
}

impl LoopPart {
    /// The part that the text of a range, or the name of a Python function, belongs to.
    pub(crate) fn of(text: &str) -> Option<Self> {
        PATTERNS.iter().find(|(pattern, _)| pattern.is_match(text)).map(|(_, part)| *part)
    }
}

/// Ranges of vLLM and TensorRT-LLM by their begin, Python functions of SGLang by their name.
static PATTERNS: LazyLock<[(Regex, LoopPart); 5]> = LazyLock::new(|| {
    let of = |pattern: &str, part| {
        (Regex::new(pattern).expect("the pattern is a constant, and a test compiles it"), part)
    };
    [
        of(
            r"^schedule: |^_?(?:prepare_and_)?schedule(?:_batch)?$|get_next_batch_to_run|get_new_batch_prefill|core step: schedule",
            LoopPart::Schedule,
        ),
        of(
            r"^gpu_model_runner: preprocess|^_prepare_(?:tp_)?inputs|ForwardBatch.*init_new|forward_batch_info\.py\([0-9]+\): init_new",
            LoopPart::Prepare,
        ),
        of(
            r"^gpu_model_runner: (?:sample|postprocess|draft)|^_sample_async|^_setup_sampler_step|model_runner\.py\([0-9]+\): sample$",
            LoopPart::Sample,
        ),
        of(
            r"^gpu_model_runner: (?:bookkeep|ModelRunnerOutput|set_async|async)|^llm_engine step: (?:process_outputs|abort|record)|^_update_request|^_handle_|^_enqueue_responses|process_batch_result|stream_output|send_to_detokenizer",
            LoopPart::Output,
        ),
        of(r"^_fetch_new_requests|recv_requests", LoopPart::Poll),
    ]
});

#[cfg(test)]
mod tests {
    use super::LoopPart;

    #[test]
    fn names_tell_the_part() {
        for (text, part) in [
            ("schedule: allocate_slots", Some(LoopPart::Schedule)),
            ("_schedule", Some(LoopPart::Schedule)),
            ("gpu_model_runner: preprocess", Some(LoopPart::Prepare)),
            ("sglang/srt/model_executor/model_runner.py(2112): sample", Some(LoopPart::Sample)),
            ("llm_engine step: process_outputs", Some(LoopPart::Output)),
            ("_fetch_new_requests", Some(LoopPart::Poll)),
            ("gpu_model_runner: forward", None),
            ("llm_engine step: get_output", None),
        ] {
            assert_eq!(LoopPart::of(text), part, "{text}");
        }
    }
}
