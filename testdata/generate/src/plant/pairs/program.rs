//! What a program of a pair does, act by act.

use super::board::Board;
use super::kernels::{ELEMENTWISE, Kernel};
use crate::trace::Ns;

/// Which of the two programs of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The one with the fault.
    Faulty,
    /// The one that follows the advice.
    Repaired,
}

impl State {
    /// The acts of the faulty program, or those of the repaired one.
    pub(super) fn pick<T>(self, faulty: T, repaired: T) -> T {
        match self {
            Self::Faulty => faulty,
            Self::Repaired => repaired,
        }
    }
}

/// Bytes on their way.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    /// CUPTI's kind of copy.
    pub(super) kind: i64,
    /// CUPTI's kind of memory of source and target.
    pub(super) memory: [i64; 2],
    /// Amount.
    pub(super) bytes: i64,
    /// Bytes in a thousand nanoseconds.
    pub(super) bytes_per_us: i64,
    /// Whether the call returns only when the copy is done, as from pageable memory.
    pub(super) is_waited_for: bool,
}

/// What a thread does next.
#[derive(Clone)]
pub(super) enum Act {
    /// Opens a range.
    Open(&'static str),
    /// Closes the range that was opened last.
    Close,
    /// All that follows goes to this stream.
    Stream(i64),
    /// All that follows happens on the thread of the backward pass, while the main thread waits for it.
    Backward,
    /// All that follows happens on the main thread again.
    Main,
    /// Launches a kernel that runs so long.
    Launch(Kernel, Ns),
    /// The same, but the record of the kernel is lost.
    Lost(Ns),
    /// The same, but neither call nor kernel is recorded.
    Unseen(Ns),
    /// Copies.
    Copy(Transfer),
    /// Pages of unified memory move, without a call; the thread that touched them waits.
    Migrate {
        /// CUPTI's kind of copy.
        kind: i64,
        /// Amount.
        bytes: i64,
        /// How long.
        ns: Ns,
    },
    /// Waits for the stream.
    Wait,
    /// Makes a call that takes so long.
    Call(&'static str, Ns),
    /// Makes a call that waits for the GPU and then takes so long.
    Drain(&'static str, Ns),
    /// Calls the operating system, which takes so long.
    Os(&'static str, Ns),
    /// Works on the CPU, which the capture does not show.
    Work(Ns),
    /// The profiler keeps the thread.
    Overhead(Ns),
    /// Somebody else has the GPU when the work in the stream is done.
    Taken(Ns),
    /// A function of the host runs in the stream.
    HostFunction(Ns),
    /// Work in a stream waits for what is in another one: from, to.
    Follow(i64, i64),
    /// The thread waits until the GPU is at most so far after, as it does when the queue of launches is full.
    Throttle(Ns),
    /// All GPUs exchange data.
    Reduce(Ns),
}

/// How quick the host is.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// From the start of a launch call to its end.
    pub(super) call: Ns,
    /// From the end of a call to what comes next.
    pub(super) between: Ns,
    /// Whether each launch returns when its kernel is done.
    pub(super) is_blocking: bool,
}

/// A host that is ahead of the GPU.
pub(super) const QUICK: Pace = Pace { call: 4_000, between: 4_000, is_blocking: false };

/// What a thread does in one iteration.
pub(super) type Step = Vec<Act>;

/// A program that trains.
pub(super) struct Program {
    /// The GPUs.
    pub(super) board: &'static Board,
    /// How many are used.
    pub(super) gpus: usize,
    /// How many more there are.
    pub(super) unused_gpus: usize,
    /// Whether the program made contexts on all of them.
    pub(super) has_all_contexts: bool,
    /// How quick the host is.
    pub(super) pace: Pace,
    /// What it does on each GPU before the first iteration, and again long after the last one.
    pub(super) around: Step,
    /// By iteration: what it does on a GPU. All GPUs exchange data in the same acts.
    pub(super) iterations: Vec<Vec<Step>>,
}

/// Iterations of a program whose steps are alike.
pub(super) const ITERATIONS: usize = 12;

impl Program {
    /// A program on one GPU that repeats a step.
    pub(super) fn of(step: Step) -> Self {
        Self::of_steps((0..ITERATIONS).map(|_| step.clone()).collect())
    }

    /// A program on one GPU with these steps.
    pub(super) fn of_steps(steps: Vec<Step>) -> Self {
        Self {
            board: &Board::A100,
            gpus: 1,
            unused_gpus: 0,
            has_all_contexts: false,
            pace: QUICK,
            around: vec![Act::Launch(ELEMENTWISE, 100_000), Act::Wait],
            iterations: steps.into_iter().map(|step| vec![step]).collect(),
        }
    }

    /// A program on several GPUs that repeats the step of each.
    pub(super) fn of_gpus(steps: Vec<Step>) -> Self {
        let gpus = steps.len();
        Self { gpus, iterations: vec![steps; ITERATIONS], ..Self::of_steps(Vec::new()) }
    }

    /// With other work before and after.
    pub(super) fn amid(self, around: Step) -> Self {
        Self { around, ..self }
    }

    /// On other GPUs.
    pub(super) fn on(self, board: &'static Board) -> Self {
        Self { board, ..self }
    }

    /// With a host of another pace.
    pub(super) fn paced(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }
}

/// A step: its range, and at its end the loss is waited for.
pub(super) fn step(acts: impl IntoIterator<Item = Act>) -> Step {
    let mut step = vec![Act::Open("step")];
    step.extend(acts);
    step.extend([Act::Wait, Act::Close]);
    step
}

/// A range around acts.
pub(super) fn range(name: &'static str, acts: impl IntoIterator<Item = Act>) -> Vec<Act> {
    let mut all = vec![Act::Open(name)];
    all.extend(acts);
    all.push(Act::Close);
    all
}

/// Acts several times.
pub(super) fn times(count: usize, acts: &[Act]) -> Vec<Act> {
    acts.iter().cycle().take(count * acts.len()).cloned().collect()
}

/// Lists of acts one after the other.
pub(super) fn chain<const N: usize>(parts: [Vec<Act>; N]) -> Vec<Act> {
    parts.into_iter().flatten().collect()
}
