//! What limits kernels, in a sentence.

use crate::display::percentage;
use crate::roofline::bound_in_words;
use dlprof_core::{MeasuredKernel, NcuBound, NcuLevel, percent};

/// What limits kernels by their time, most first: `memory 64.1 %, latency 20.0 %`.
pub(super) fn limits_in_words(kernels: &[MeasuredKernel], whole: &str) -> Option<String> {
    let mut by_bound: Vec<(&str, i64, usize)> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.figures.level != Some(NcuLevel::None)) {
        let Some(time_ns) = kernel.gpu_time_ns else { continue };
        let bound = kernel.figures.bound.map_or("", NcuBound::as_str);
        match by_bound.iter_mut().find(|(known, ..)| *known == bound) {
            Some((_, ns, names)) => (*ns, *names) = (*ns + time_ns, *names + 1),
            None => by_bound.push((bound, time_ns, 1)),
        }
    }
    if by_bound.iter().all(|(bound, ..)| bound.is_empty()) {
        return None;
    }
    by_bound.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let total: i64 = by_bound.iter().map(|(_, ns, _)| ns).sum();
    let part = |(bound, ns, names): &(&str, i64, usize)| {
        let kernels = if *names == 1 { "kernel" } else { "kernels" };
        format!("{} {} ({names} {kernels})", bound_in_words(bound), percentage(percent(*ns, total)))
    };
    let parts: Vec<String> = by_bound.iter().map(part).collect();
    Some(format!("What limits kernels, by {whole}: {}", parts.join(", ")))
}
