//! Iterations without any range: from the repetition of the sequence of kernels.
//!
//! ```text
//! launches   w w a b c c d   a b c c d   a b c c d   a b c
//! from `a`       │◄───────►│ │◄───────►│ │◄───────►│ │◄──►     three equal sequences, and one cut off
//! from `c`               two of three differ
//! ```
//!
//! A kernel that begins an iteration has the same sequence of launches behind each of its executions. The kernel
//! whose equal sequences cover most GPU time wins; of equals the one that runs most often, then the earliest.

use super::candidate::{Candidate, CandidateKind};
use super::finder::{Measured, intervals};
use super::key_node::{Found, KeyNode};
use crate::correlate::Correlation;
use crate::ids::{OpCallId, StrId, ThreadId};
use crate::ratios::{count_to_f64, median, share_near, to_f64};
use crate::time::Ns;
use crate::trace::{Trace, WorkKind};
use rustc_hash::FxHashMap;

/// Fewer repetitions prove nothing.
const FEWEST: usize = 3;

/// What a thread asked of the GPU, in order.
struct Sequence {
    thread: ThreadId,
    /// What was launched: the kernel's long name, or the API function.
    tokens: Vec<StrId>,
    /// What to call it: the kernel's short name, or the API function.
    names: Vec<StrId>,
    starts: Vec<Ns>,
    /// GPU time before each token; one more than tokens.
    gpu_before: Vec<Ns>,
    /// Polynomial hash before each token, and the powers of its base: equal sequences have equal hashes.
    hash_before: Vec<u64>,
    powers: Vec<u64>,
}

/// Candidates from the launches of the thread that owns most GPU time.
pub(super) fn candidates(trace: &Trace, correlation: &Correlation) -> Vec<Measured> {
    if trace.gpu_work.kernels == 0 {
        return Vec::new();
    }
    let Some(sequence) = Sequence::new(trace, correlation) else { return Vec::new() };
    let mut positions: FxHashMap<StrId, Vec<usize>> = FxHashMap::default();
    for (at, &token) in sequence.tokens.iter().enumerate() {
        positions.entry(token).or_default().push(at);
    }
    let anchors = positions.into_iter().filter(|(_, positions)| positions.len() >= FEWEST);
    anchors.map(|(_, positions)| sequence.candidate(trace, &positions)).collect()
}

impl Sequence {
    fn new(trace: &Trace, correlation: &Correlation) -> Option<Self> {
        let calls = &correlation.calls;
        let gpu_ns = super::key_node::gpu_time_by_thread(trace, correlation);
        let busiest = (0..gpu_ns.len()).max_by_key(|&thread| (gpu_ns[thread], std::cmp::Reverse(thread)))?;
        let thread = ThreadId::new(busiest);
        let mut launches: Vec<(Ns, Launched, Ns)> = calls
            .ids()
            .filter(|call| calls.thread[call.index()] == thread)
            .filter_map(|call| {
                let launched = launched(trace, correlation, call)?;
                Some((calls.span[call.index()].start, launched, correlation.times[call.index()].gpu_ns))
            })
            .collect();
        launches.sort();
        let mut sequence = Self {
            thread,
            tokens: Vec::new(),
            names: Vec::new(),
            starts: Vec::new(),
            gpu_before: vec![0],
            hash_before: vec![0],
            powers: vec![1],
        };
        for (start, launched, gpu_ns) in launches {
            sequence.push(start, launched, gpu_ns);
        }
        Some(sequence)
    }

    fn push(&mut self, start: Ns, launched: Launched, gpu_ns: Ns) {
        /// A large odd number; collisions would need texts made for it.
        const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
        let at = self.tokens.len();
        self.tokens.push(launched.token);
        self.names.push(launched.name);
        self.starts.push(start);
        self.gpu_before.push(self.gpu_before[at] + gpu_ns);
        let mixed = (launched.token.index() as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        self.hash_before.push(self.hash_before[at].wrapping_mul(BASE).wrapping_add(mixed ^ (mixed >> 32)));
        self.powers.push(self.powers[at].wrapping_mul(BASE));
    }

    fn hash(&self, from: usize, to: usize) -> u64 {
        self.hash_before[to].wrapping_sub(self.hash_before[from].wrapping_mul(self.powers[to - from]))
    }

    fn candidate(&self, trace: &Trace, positions: &[usize]) -> Measured {
        let starts: Vec<Ns> = positions.iter().map(|&at| self.starts[at]).collect();
        let intervals = intervals(&starts);
        let interval_ns = median(intervals.clone());
        let (equal, covered) = self.equal_sequences(positions);
        let total = self.gpu_before[self.tokens.len()];
        let coverage = if total == 0 { 0.0 } else { to_f64(covered) / to_f64(total) };
        let name = trace.strings.get(self.names[positions[0]]).to_owned();
        let candidate = Candidate {
            name: name.clone(),
            executions: starts.len(),
            kind: CandidateKind::KernelSequence,
            interval_ns,
            steadiness: share_near(&intervals, interval_ns, 35),
            coverage,
            regularity: equal,
            score: coverage * equal,
        };
        let key_node = KeyNode {
            name,
            thread: self.thread,
            starts,
            executions_elsewhere: 0,
            by_process: Vec::new(),
            found: Found::ByFinder,
        };
        Measured { candidate, key_node }
    }

    /// Share of the sequences from one position to the next that recur, and the GPU time in them. The last one
    /// counts as far as the capture goes.
    fn equal_sequences(&self, positions: &[usize]) -> (f64, Ns) {
        let recurring = self.recurring(positions);
        let gpu_ns = |from: usize, to: usize| self.gpu_before[to] - self.gpu_before[from];
        let is_recurring = |pair: &&[usize]| recurring.contains_key(&self.hash(pair[0], pair[1]));
        let equal: Vec<&[usize]> = positions.windows(2).filter(is_recurring).collect();
        let mut covered: Ns = equal.iter().map(|pair| gpu_ns(pair[0], pair[1])).sum();
        let last = positions[positions.len() - 1];
        let rest = self.tokens.len() - last;
        let cut = |&(from, to): &(usize, usize)| {
            let rest = rest.min(to - from);
            (self.hash(last, last + rest) == self.hash(from, from + rest)).then(|| gpu_ns(last, last + rest))
        };
        covered += recurring.values().filter_map(cut).max().unwrap_or(0);
        (count_to_f64(equal.len() as u64) / count_to_f64(positions.len() as u64 - 1), covered)
    }

    /// Sequences that recur, by hash, each with its first occurrence: the most frequent one, and others of nearly its
    /// length with at least a tenth of all (every second step may do a little more).
    fn recurring(&self, positions: &[usize]) -> FxHashMap<u64, (usize, usize)> {
        let mut counts: FxHashMap<u64, (usize, (usize, usize))> = FxHashMap::default();
        for pair in positions.windows(2) {
            counts.entry(self.hash(pair[0], pair[1])).or_insert((0, (pair[0], pair[1]))).0 += 1;
        }
        let most =
            counts.values().max_by_key(|(count, (first, _))| (*count, std::cmp::Reverse(*first))).copied();
        let Some((_, (from, to))) = most else { return FxHashMap::default() };
        let length = to - from;
        counts.retain(|_, (count, (from, to))| {
            *count * 10 >= positions.len() - 1 && (*to - *from).abs_diff(length) * 5 <= length
        });
        counts.into_iter().map(|(hash, (_, first))| (hash, first)).collect()
    }
}

/// What an API call launched first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Launched {
    token: StrId,
    name: StrId,
}

/// None for calls that only wait.
fn launched(trace: &Trace, correlation: &Correlation, call: OpCallId) -> Option<Launched> {
    let work = correlation.work_by_call.get(call.index());
    if let Some(kernel) = work.iter().find(|id| trace.gpu_work.kind(**id) == WorkKind::Kernel) {
        let name = trace.gpu_work.short_name[kernel.index()];
        return Some(Launched { token: trace.gpu_work.long_name[kernel.index()], name });
    }
    let api = correlation.launches.work_api[work.first()?.index()].some()?;
    let name = trace.api_calls.name[api.index()];
    Some(Launched { token: name, name })
}
