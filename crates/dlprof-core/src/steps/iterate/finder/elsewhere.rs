//! Passes of a period on other streams of its process, where no iteration begins.
//!
//! ```text
//! stream 14   a b c a b c                     a b c a b c      iterations begin here
//! stream 16               a b c a b c a b c                    three passes that nothing splits
//! iterations ├─1───├─2──────────────────────├─3───├─4───┤     2 holds them
//! ```

use super::input::FinderInput;
use crate::base::ids::{ProcessId, StrId, StreamId};
use crate::base::time::Ns;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A pass of the kernels of a period on another stream than the one whose period delimits iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassElsewhere {
    /// Position of the stream among the streams of the capture.
    pub stream: StreamId,
    /// When its first kernel was asked for; where that is unknown, when it started.
    pub start: Ns,
}

/// One kernel in so many may differ from the period.
const ONE_MAY_DIFFER_IN: usize = 20;

/// How many kernels are compared for each kernel of a stream, on average; a stream that needs more is left out.
const MOST_COMPARED: usize = 200;

/// The passes of a pattern on the streams of a process but one, in order of time.
pub(super) fn passes(
    input: &FinderInput<'_>,
    process: ProcessId,
    own_stream: StreamId,
    names: &[StrId],
    pattern: &[StrId],
) -> Vec<PassElsewhere> {
    let mut by_stream: BTreeMap<StreamId, Vec<u32>> = BTreeMap::new();
    let kernels = (0u32..).zip(input.process_of_kernels()).zip(&input.recorded.work.stream);
    for ((row, &of), &stream) in kernels {
        if stream != own_stream && of == process {
            by_stream.entry(stream).or_default().push(row);
        }
    }
    let mut found = Vec::new();
    for (stream, mut rows) in by_stream {
        rows.sort_by_key(|&row| (input.kernel_span(row as usize), row));
        let of_stream: Vec<StrId> = rows.iter().map(|&row| names[row as usize]).collect();
        let start = |place: usize| input.asked_for(rows[place] as usize);
        let places = places(&of_stream, pattern);
        found.extend(places.into_iter().map(|place| PassElsewhere { stream, start: start(place) }));
    }
    found.sort_by_key(|pass| (pass.start, pass.stream));
    found
}

/// Where a pattern begins in a sequence, one pass after the other.
fn places(sequence: &[StrId], pattern: &[StrId]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut left = sequence.len().saturating_mul(MOST_COMPARED);
    let mut at = 0;
    while !pattern.is_empty() && at + pattern.len() <= sequence.len() {
        let mut may_differ = pattern.len() / ONE_MAY_DIFFER_IN;
        let is_pass = sequence[at] == pattern[0]
            && sequence[at..].iter().zip(pattern).all(|(kernel, wanted)| {
                left = left.saturating_sub(1);
                kernel == wanted || {
                    let may = may_differ > 0;
                    may_differ = may_differ.saturating_sub(1);
                    may
                }
            });
        if left == 0 {
            return Vec::new();
        }
        if is_pass {
            places.push(at);
        }
        at += if is_pass { pattern.len() } else { 1 };
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{StrId, places};

    fn names(text: &str) -> Vec<StrId> {
        text.bytes().map(|byte| StrId::new(byte as usize)).collect()
    }

    #[test]
    fn passes_follow_each_other_and_may_differ_a_little() {
        let pattern = names("abcdefghijklmnopqrstuvwxyz");
        let nearly = names("abcdefghijklmnopqrstuvwxyY");
        let other = names("abcdefghijklmnopqrstuvXXXX");
        let sequence = [&names("__")[..], &pattern, &nearly, &names("_"), &other, &pattern].concat();
        assert_eq!(places(&sequence, &pattern), [2, 28, 81]);
        assert!(places(&[], &pattern).is_empty());
        assert!(places(&sequence, &[]).is_empty());
        assert!(places(&names("ab"), &names("ab"))[..] == [0]);
    }

    /// A sequence in which nearly every place begins as the pattern does costs no more than its length allows.
    #[test]
    fn a_hostile_sequence_is_left_out() {
        let pattern = [vec![StrId::new(1); 4000], vec![StrId::new(2); 1000]].concat();
        assert!(places(&vec![StrId::new(1); 40_000], &pattern).is_empty());
    }
}
