//! The answer in words. Every figure in them is a cell of the rows below, or of the verdict that they are about.

use super::envelope::{Envelope, Part, State};
use super::question::Question;
use crate::overview::Overview;
use dlprof_core::{Judged, verdict_class};
use serde_json::Value as Json;

pub(super) fn say(question: Question, judged: &Judged, view: &Overview, envelope: &mut Envelope) {
    envelope.class = Some(verdict_class(judged));
    envelope.cause = view.findings.first().map(|finding| finding.id.clone());
    let words = match (question, envelope.state) {
        (Question::WhySlow, _) => [Some(view.verdict.as_str()), view.verdict_detail.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        (Question::Suffices, _) => format!("{} kinds of figures are not known", envelope.cannot.len()),
        (_, State::Cannot) => "This cannot be answered from the capture".to_owned(),
        _ => envelope.parts.first().map(|part| of_part(question, part)).unwrap_or_default(),
    };
    envelope.say = words;
}

/// What the first part says.
fn of_part(question: Question, part: &Part) -> String {
    let word = |column: &str| match part.first(column) {
        None => "unknown".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    if part.total == 0 {
        return match question {
            Question::WhatFirst => "No rule found anything to change".to_owned(),
            _ => format!("There are no rows of {}", part.name.replace('_', " ")),
        };
    }
    match question {
        Question::WhatFirst => format!("{}. {}", word("problem"), word("recommendation")),
        Question::WhereTime if part.name == "totals" => {
            format!(
                "{} kernels take {} ns in all on {} of {} GPUs",
                word("kernels"),
                word("kernel_ns"),
                word("gpus_used"),
                word("gpus_present")
            )
        }
        Question::HostWhileIdle if part.name == "idle_causes" => {
            format!("{}% of the idle time: {}", word("idle_percent"), word("in_words"))
        }
        Question::Overlap if part.first("exposed_percent").is_none() => {
            "No kernel that exchanges data ran".to_owned()
        }
        Question::Overlap => format!(
            "Kernels that exchange data run {} ns; {}% of it is exposed, which is not the same as blocking",
            word("communication_ns"),
            word("exposed_percent")
        ),
        Question::Compare => String::new(),
        Question::TensorCores => format!("Tensor Cores, as names or counters tell: {}", word("tensor_cores")),
        Question::WhichRank if part.name == "most_kernel_time" => {
            format!(
                "Most kernel time: {}, {}% more than the least, of what this capture shows",
                word("most"),
                word("more_percent")
            )
        }
        Question::Steady => {
            format!("{}: median {} ns, longest {} ns", word("key"), word("median_ns"), word("max_ns"))
        }
        _ => String::new(),
    }
}
