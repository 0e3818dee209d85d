//! What the profiler says in its own words of what it recorded.

use crate::read::facts::NsysMessage;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What the messages of nsys, or of CUPTI in a trace of torch.profiler, say about records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidByProfiler {
    /// The first message that says that records are missing; one line.
    pub missing: Option<String>,
    /// The version of the driver that this nsys does not know, and the newest one that it does; empty where it does not say.
    pub unknown_driver: Option<(String, String)>,
    /// Events that CUPTI produced; none where nsys does not say.
    pub produced: Option<u64>,
    /// Events that arrived; none where nsys does not say.
    pub arrived: Option<u64>,
    /// Whether it says that some may be missing.
    pub some_may_be_missing: bool,
}

static DROPPED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(dropped|lost|not all|incomplete)\b").expect("a constant"));
static DRIVER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"driver version \(([^)]*)\) is not supported.*?(?:driver version (\d+(?:\.\d+)*))?\.?$")
        .expect("a constant")
});
static PRODUCED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"CUPTI events produced:\s*([\d,]+)").expect("a constant"));
static ARRIVED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"CUDA events collected:\s*([\d,]+)").expect("a constant"));

impl SaidByProfiler {
    pub(super) fn of(messages: &[NsysMessage]) -> Self {
        let mut said = Self::default();
        for message in messages {
            let text = message.text.split_whitespace().collect::<Vec<_>>().join(" ");
            // "Might" stands in messages about complete captures, too.
            if said.missing.is_none() && DROPPED.is_match(&text) && !text.contains("might") {
                said.missing = Some(text.clone());
            }
            if let Some(found) = DRIVER.captures(&text) {
                let part = |at| found.get(at).map_or(String::new(), |part| part.as_str().to_owned());
                said.unknown_driver.get_or_insert((part(1), part(2)));
            }
            let number = |pattern: &Regex| -> Option<u64> {
                pattern.captures(&text)?.get(1)?.as_str().replace(',', "").parse().ok()
            };
            if let Some(number) = number(&PRODUCED) {
                said.produced = Some(said.produced.unwrap_or(0).saturating_add(number));
                said.some_may_be_missing |= text.contains("might be missing");
            }
            if let Some(number) = number(&ARRIVED) {
                said.arrived = Some(said.arrived.unwrap_or(0).saturating_add(number));
            }
        }
        said
    }

    /// Events that were produced, and the few of them that arrived, where nsys says that some may be missing and less than half
    /// arrived. Captures that are whole have more events than records, too, but then nsys does not say so.
    #[must_use]
    pub fn shortfall(&self) -> Option<(u64, u64)> {
        let (produced, arrived) = (self.produced?, self.arrived.unwrap_or(0));
        (self.some_may_be_missing && arrived.saturating_mul(2) < produced).then_some((produced, arrived))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[&str]) -> SaidByProfiler {
        let message = |text: &&str| NsysMessage { severity: 1, text: (*text).to_owned(), pid: None };
        SaidByProfiler::of(&texts.iter().map(message).collect::<Vec<_>>())
    }

    const DRIVER: &str = "Installed CUDA driver version (13.3) is not supported by this build of Nsight Systems. CUDA trace \
                          will be collected using libraries for driver version 12.9";

    #[test]
    fn nsys_says_how_many_events_arrived() {
        let produced = "Number of CUPTI events produced: \t31, CUPTI buffers: 49 of 50. Some CUPTI events might be missing.";
        let few = said(&[DRIVER, "Number of CUDA events collected: \t3.", produced]);
        assert_eq!(few.shortfall(), Some((31, 3)));
        assert_eq!(few.unknown_driver, Some(("13.3".into(), "12.9".into())));
        let whole = said(&[
            "Not all CUDA events might have been collected.",
            "Number of CUDA events collected: \t24.",
            "Number of CUPTI events produced: \t64, CUPTI buffers: 50.",
        ]);
        assert_eq!((whole.shortfall(), whole.missing), (None, None));
        let many =
            said(&["Number of CUDA events collected: 11,195.", "Number of CUPTI events produced: 11,296"]);
        assert_eq!((many.produced, many.arrived), (Some(11_296), Some(11_195)));
    }

    #[test]
    fn the_first_message_about_missing_records_is_kept() {
        assert_eq!(
            said(&["12 events were\nlost", "all dropped"]).missing.as_deref(),
            Some("12 events were lost")
        );
        assert_eq!(said(&[]), SaidByProfiler::default());
    }
}
