//! What limits kernels, in a sentence.

use crate::display::percentage;
use crate::roofline::bound_in_words;
use dlprof_core::{MeasuredKernel, NcuBound, NcuLevel, count_to_f64, to_f64};

/// What limits kernels by their time, most first: `memory 64.1 %, latency 20.0 %`.
pub(super) fn limits_in_words(kernels: &[MeasuredKernel], whole: &str) -> Option<String> {
    // Times of logs may be anything, so they are added up as floats; without them launches count.
    let is_timed = kernels.iter().all(|kernel| kernel.gpu_time_ns.is_some());
    let weight = |kernel: &MeasuredKernel| match kernel.gpu_time_ns {
        Some(ns) if is_timed => to_f64(ns),
        _ => count_to_f64(kernel.calls),
    };
    let whole = if is_timed { whole } else { "launches" };
    let mut by_bound: Vec<(&str, f64, usize)> = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.figures.level != Some(NcuLevel::None)) {
        let bound = kernel.figures.bound.map_or("", NcuBound::as_str);
        match by_bound.iter_mut().find(|(known, ..)| *known == bound) {
            Some((_, sum, names)) => (*sum, *names) = (*sum + weight(kernel), *names + 1),
            None => by_bound.push((bound, weight(kernel), 1)),
        }
    }
    if by_bound.iter().all(|(bound, ..)| bound.is_empty()) {
        return None;
    }
    by_bound.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let total: f64 = by_bound.iter().map(|(_, sum, _)| sum).sum();
    let part = |(bound, sum, names): &(&str, f64, usize)| {
        let kernels = if *names == 1 { "kernel" } else { "kernels" };
        format!(
            "{} {} ({names} {kernels})",
            bound_in_words(bound),
            percentage(if total > 0.0 { 100.0 * sum / total } else { 0.0 })
        )
    };
    let parts: Vec<String> = by_bound.iter().map(part).collect();
    Some(format!("What limits kernels, by {whole}: {}", parts.join(", ")))
}
