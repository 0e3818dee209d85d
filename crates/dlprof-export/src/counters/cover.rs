//! What counters of Nsight Compute are about: how much of the kernel time, and what they miss.

use super::limits::limits_in_words;
use dlprof_core::{Judged, NcuLevel, measured_kernels, ncu_cover};

/// How many names are listed.
const MOST_NAMES: usize = 5;

/// What counters cover, in sentences; none without counters.
pub(crate) fn cover_in_words(judged: &Judged) -> Vec<String> {
    let Some((cover, counters)) = ncu_cover(judged).zip(judged.capture.counters.as_ref()) else {
        return Vec::new();
    };
    let words = [
        (NcuLevel::Launch, "launch by launch"),
        (NcuLevel::Summary, "by summaries"),
        (NcuLevel::Signature, "by name and size"),
        (NcuLevel::Base, "by base name and size, in doubt"),
        (NcuLevel::Name, "by name alone"),
    ];
    let parts = words.into_iter().map(|(level, words)| (cover.percent(level), words));
    let parts: Vec<String> = parts
        .filter(|(percent, _)| *percent > 0.0)
        .map(|(percent, words)| format!("{percent:.1} % {words}"))
        .collect();
    let of = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let mut sentences =
        vec![format!("Counters cover {:.1} % of the kernel time{of}", cover.measured_percent())];
    if cover.other_gpu_ns > 0 {
        sentences.push(format!(
            "For {:.1} % of it logs of another GPU tell the use of Tensor Cores, and nothing else",
            cover.other_gpu_percent()
        ));
    }
    let kernels = measured_kernels(judged);
    sentences.extend(limits_in_words(&kernels, "time with counters"));
    sentences.extend(counters.time_ratio.map(|ratio| {
        format!(
            "Kernels took {ratio:.2} times as long under ncu (median); times here are those of the capture"
        )
    }));
    if !counters.only_in_logs.is_empty() {
        let names =
            counters.only_in_logs.iter().map(|(name, launches)| format!("`{}` ({launches})", short(name)));
        sentences.push(listed("Measured, but not in the capture", names.collect()));
    }
    let is_bare = |level: Option<NcuLevel>| level.is_none_or(|level| level == NcuLevel::None);
    let bare = kernels
        .iter()
        .filter(|kernel| is_bare(kernel.figures.level))
        .map(|kernel| format!("`{}`", short(&kernel.long_name)));
    let bare: Vec<String> = bare.collect();
    if !bare.is_empty() {
        sentences.push(listed("Most time without counters", bare));
    }
    if !counters.changed.is_empty() {
        let names = counters.changed.len();
        let of = if names == 1 { "1 name" } else { "names" };
        let count = if names == 1 { String::new() } else { format!("{names} ") };
        sentences.push(format!("Tensor Cores: the answer of {count}{of} was corrected by measurement"));
    }
    sentences
}

fn listed(what: &str, names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown = names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", ");
    let rest = if more > 0 { format!(", {more} more") } else { String::new() };
    format!("{what}: {shown}{rest}")
}

/// A name without its parameters, cut to what a line holds.
fn short(name: &str) -> String {
    const MOST: usize = 50;
    crate::text::shorten(dlprof_core::base_name(name), MOST)
}
