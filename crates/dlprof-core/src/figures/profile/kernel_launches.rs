//! Kernel launches of the aggregated iterations, sorted when they are looked at.

use super::Profile;
use crate::base::ids::{ApiCallId, Maybe, OpCallId, StrId, WorkId};
use crate::base::time::{Ns, Span};
use crate::columns::PerText;
use crate::read::facts::WorkKind;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// A kernel launch of the aggregated iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The iteration that it belongs to.
    pub iteration: u32,
    /// The op call.
    pub call: OpCallId,
    /// The kernel.
    pub kernel: WorkId,
    /// The API call, or none.
    pub api: Maybe<ApiCallId>,
}

/// All launches, ordered by iteration, op name, op ID, short kernel name and start of the API call. There may be very many,
/// so the launches of a block of iterations are found and sorted when the first of them is asked for.
#[derive(Debug)]
pub struct KernelLaunches {
    profile: Profile,
    /// Parts of the range, each inside one block of iterations.
    parts: Vec<Part>,
    ranks: OnceLock<Ranks>,
}

#[derive(Debug)]
struct Part {
    iterations: Range<u32>,
    /// Row after its last launch.
    end: usize,
    launches: OnceLock<Vec<KernelLaunch>>,
}

/// The order of names, so that launches are sorted by numbers.
#[derive(Debug)]
struct Ranks {
    /// By op: its place in the order of op name and op ID.
    of_op: Vec<u32>,
    /// By text: the place of the short name of a kernel in byte order.
    of_name: PerText<u32>,
}

impl KernelLaunches {
    pub(super) fn new(profile: &Profile) -> Self {
        let mut end = 0;
        let part = |iterations: Range<u32>| {
            let sums = &profile.index.kernels[..][iterations.start as usize..iterations.end as usize];
            end += sums.iter().map(|sums| usize::try_from(sums.launches).unwrap_or(0)).sum::<usize>();
            Part { iterations, end, launches: OnceLock::new() }
        };
        let parts = profile.index.blocks.parts(profile.iterations.range()).map(part).collect();
        Self { profile: profile.clone(), parts, ranks: OnceLock::new() }
    }

    /// Number of launches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A launch by its row.
    ///
    /// # Panics
    /// If there are not so many rows.
    #[must_use]
    pub fn get(&self, row: usize) -> &KernelLaunch {
        let at = self.parts.partition_point(|part| part.end <= row);
        let start = at.checked_sub(1).map_or(0, |before| self.parts[before].end);
        &self.launches_of(&self.parts[at])[row - start]
    }

    /// All launches in order.
    pub fn iter(&self) -> impl Iterator<Item = &KernelLaunch> {
        self.parts.iter().flat_map(|part| self.launches_of(part))
    }

    /// Sorts the launches of all blocks, on several threads.
    pub(crate) fn sort_all(&self) {
        self.profile.capture.pool.install(|| {
            self.parts.par_iter().for_each(|part| {
                self.launches_of(part);
            });
        });
    }

    /// The rows of each block of iterations, and the duration of the longest kernel of the whole block.
    pub(crate) fn parts_by_longest(&self) -> Vec<(Range<usize>, Ns)> {
        let index = &self.profile.index;
        let mut start = 0;
        let part = |part: &Part| {
            let rows = std::mem::replace(&mut start, part.end)..part.end;
            (rows, index.sums.longest_kernel(index.blocks.block_of(part.iterations.start)))
        };
        self.parts.iter().map(part).collect()
    }

    fn launches_of<'a>(&'a self, part: &'a Part) -> &'a [KernelLaunch] {
        part.launches.get_or_init(|| self.sorted(part.iterations.clone()))
    }

    fn sorted(&self, iterations: Range<u32>) -> Vec<KernelLaunch> {
        let index = &self.profile.index;
        let capture = &index.capture;
        let ranks = self.ranks.get_or_init(|| Ranks::new(&self.profile));
        let calls = index.blocks.calls(iterations.clone(), &index.calls.iteration);
        let launching = index.launching();
        let mut sorted = Vec::new();
        let mut launches: Vec<(SortKey, KernelLaunch)> = Vec::new();
        for (at, iteration) in iterations.enumerate() {
            let own = calls.get(at).iter().map(|&call| (call, launching.own(call)));
            let spilled = launching.spilled(iteration).map(|(call, work)| (call, Cow::Borrowed(work)));
            for (call, work) in own.chain(spilled) {
                let op = ranks.of_op[index.calls.op[call].index()];
                let kernels = work.iter().filter(|id| capture.work_kind(**id) == WorkKind::Kernel);
                launches.extend(kernels.map(|&kernel| {
                    let name = ranks.of_name[capture.kernels.short_name[kernel]];
                    let time = capture.launch(kernel);
                    let launch = KernelLaunch { iteration, call, kernel, api: capture.launches.api[kernel] };
                    ((op, name, time.start, time.span), launch)
                }));
            }
            let text = |launch: &KernelLaunch| capture.strings.get(capture.kernels.long_name[launch.kernel]);
            // Launches that are equal in all this differ in nothing that a table shows; their ids settle the order.
            let rest = |launch: &KernelLaunch| (launch.call, launch.kernel);
            launches.sort_unstable_by(|(a_key, a), (b_key, b)| {
                a_key.cmp(b_key).then_with(|| text(a).cmp(text(b))).then_with(|| rest(a).cmp(&rest(b)))
            });
            sorted.extend(launches.drain(..).map(|(_, launch)| launch));
        }
        sorted
    }
}

/// The order of launches of an iteration: ranks of op and name, start of the API call, time on the GPU.
type SortKey = (u32, u32, Ns, Span);

impl Ranks {
    fn new(profile: &Profile) -> Self {
        let index = &profile.index;
        let mut ops: Vec<usize> = (0..index.ops.len()).collect();
        ops.sort_by_key(|&op| (index.op_name(op.into()), op));
        let mut names: Vec<StrId> = profile.kernel_summaries.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        names.sort_by_key(|&name| index.capture.strings.get(name));
        let mut ranks =
            Self { of_op: vec![0; ops.len()], of_name: PerText::new(index.capture.strings.len(), 0) };
        for (rank, op) in (0..).zip(ops) {
            ranks.of_op[op] = rank;
        }
        for (rank, name) in (0..).zip(names) {
            ranks.of_name[name] = rank;
        }
        ranks
    }
}
