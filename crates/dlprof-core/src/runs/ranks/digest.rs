//! What is kept of a rank: all that is said of a job is computed from this, so the capture is not needed any more.
//!
//! ```text
//! capture ─extract─► digests of its ranks ─┐
//! capture ─extract─► digests of its ranks ─┼─► Job
//! capture ─extract─► digests of its ranks ─┘
//! ```
//!
//! Which windows count is known only when all ranks are. So the time line of a rank is cut into pieces wherever a window may begin
//! or end, and each piece has its sums. They add up exactly.

use crate::base::time::{Ns, Span};
use crate::capture::names::CollectiveKind;
use crate::read::facts::Recorder;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is kept of a rank: a process of a capture on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankDigest {
    /// Who it is.
    pub who: RankIdentity,
    /// Its iterations in order.
    pub iterations: Vec<RankIteration>,
    /// What its collectives ran on: communicators where the export names them, else streams; in order of first call.
    pub channels: Vec<ChannelKey>,
    /// Short names of the kernels of its collectives.
    pub names: Vec<String>,
    /// Its collectives by call, then by start.
    pub collectives: Vec<RankCollective>,
    /// Communication that no compute hides, cut where one collective follows another, as far as a collective ends it; by end.
    pub gates: Vec<Gate>,
    /// Where the pieces of its time line begin, and where the last one ends.
    pub cuts: Vec<Ns>,
    /// By piece: what the GPU did.
    pub pieces: Vec<PieceSums>,
    /// Its compute kernels by name and shape.
    pub kernels: Vec<KernelKey>,
    /// By piece and kernel: how often it began, and its time.
    pub kernel_sums: Vec<WorkSum>,
    /// The paths of user ranges in which its compute kernels were launched, without the numbers of steps.
    pub ops: Vec<String>,
    /// By piece and op: how many compute kernels began, and their time.
    pub op_sums: Vec<WorkSum>,
}

/// What kind of file a capture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CaptureKind {
    /// An export of Nsight Systems.
    Export,
    /// A trace of torch.profiler.
    Trace,
    /// A database of DLProf.
    DlprofDatabase,
}

impl CaptureKind {
    /// Several of them in words.
    #[must_use]
    pub fn several(self) -> &'static str {
        match self {
            Self::Export => "nsys exports",
            Self::Trace => "traces of torch.profiler",
            Self::DlprofDatabase => "DLProf databases",
        }
    }
}

/// Who a rank is, as far as its capture says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankIdentity {
    /// The capture, as it was named.
    pub file: PathBuf,
    /// What kind of file that is.
    pub kind: CaptureKind,
    /// Name of the host; empty if the export does not say.
    pub node: String,
    /// nsys's global id of the process; none if the export does not name it.
    pub global_pid: Option<i64>,
    /// Number of the GPU on the machine.
    pub device_id: i64,
    /// Name of the GPU; empty if the export does not say.
    pub gpu_name: String,
    /// When the capture began: nanoseconds since 1970, UTC.
    pub captured_ns: Option<Ns>,
    /// From the start of its first GPU item to the end of its last.
    pub span: Span,
    /// The number that nsys gave the capture.
    pub session: Option<String>,
    /// The report that was exported; empty if the export does not say.
    pub report: String,
    /// How many ranks the capture has.
    pub ranks_of_capture: usize,
    /// Its rank by the trace of torch.profiler.
    pub traced_rank: Option<i64>,
    /// The number of ranks by the trace of torch.profiler.
    pub traced_world: Option<i64>,
    /// Its rank by the environment of the first process.
    pub environment_rank: Option<i64>,
    /// The number of ranks by the environment of the first process.
    pub environment_world: Option<i64>,
    /// Its rank by MPI.
    pub mpi_rank: Option<i64>,
    /// The communicators that it made.
    pub communicators: Vec<KnownCommunicator>,
    /// By threads of NCCL, which are named after it: number of ranks and rank.
    pub progress_threads: Vec<(i64, i64)>,
    /// GPU driver; empty if the export does not say.
    pub driver: String,
    /// CPU model; empty if the export does not say.
    pub cpu: String,
    /// Version of nsys; empty if the export does not say.
    pub nsys_version: String,
    /// Whether communicators are missing only because the export was made without `--include-blobs=true`.
    pub lacks_payloads: bool,
    /// Whether its trace ends early, so that what it did last is missing.
    pub is_cut: bool,
    /// Who recorded its capture, and of whose GPUs.
    #[serde(default)]
    pub recorder: Recorder,
    /// Why figures of its capture mislead; none where nothing says that they do.
    #[serde(default)]
    pub misleads: Option<String>,
    /// Its rank by the user, who said it when the capture was put into a lake.
    pub given_rank: Option<i64>,
}

/// A communicator that a process made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownCommunicator {
    /// Its number.
    pub id: u64,
    /// How many members it has.
    pub size: Option<i64>,
    /// Which of them the process is.
    pub rank: Option<i64>,
}

/// An iteration of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankIteration {
    /// The number in the text of its range (`step 12`).
    pub label: Option<i64>,
    /// Of a step of an inference server: the checksum of its mark, which says phase, requests and tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<u32>,
    /// Where it is on the CPU.
    pub span: Span,
}

/// What a collective ran on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ChannelKey {
    /// A communicator.
    Communicator(u64),
    /// A stream, where the export names no communicator.
    Stream {
        /// Number of the CUDA context.
        context: i64,
        /// Number of the stream in it.
        number: i64,
    },
}

/// A kernel that exchanges data with other ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RankCollective {
    /// Start and end on the GPU.
    pub span: Span,
    /// Start of its API call; of the kernel, where that is not known.
    pub call: Ns,
    /// The iteration in which it was called, by its place in the list.
    pub iteration: Option<u32>,
    /// What it does.
    pub kind: CollectiveKind,
    /// Bytes of the message, of one member.
    pub bytes: Option<u64>,
    /// What it ran on, by its place in the list.
    pub channel: u32,
    /// Its name, by its place in the list.
    pub name: u32,
    /// Width of its grid.
    pub grid_x: i64,
    /// When the rank could have begun it.
    pub ready: Ns,
    /// The collective before it on its stream, by its place in the list.
    pub before: Option<u32>,
}

impl RankCollective {
    /// How long it ran.
    #[must_use]
    pub fn length(&self) -> Ns {
        self.span.length()
    }
}

/// A time in which a rank exchanges data and computes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Gate {
    /// Start and end.
    pub span: Span,
    /// The collective whose end ends it, by its place in the list.
    pub opener: u32,
}

/// What a GPU did in a piece of the time line. All that is left of its length is time that nothing explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct PieceSums {
    /// Compute, and the turnaround between kernels.
    pub compute_ns: Ns,
    /// Communication that no compute hides.
    pub exposed_ns: Ns,
    /// Idle time in which the host exchanged data.
    pub exchange_idle_ns: Ns,
    /// Copies that nothing hides, and waiting for them.
    pub copy_ns: Ns,
    /// Waiting for input.
    pub input_ns: Ns,
    /// Waiting for the host.
    pub cpu_ns: Ns,
    /// Waiting after the host had waited.
    pub sync_ns: Ns,
    /// All communication, hidden or not.
    pub communication_ns: Ns,
}

impl PieceSums {
    /// Adds another piece.
    pub(super) fn add(&mut self, other: &Self) {
        self.compute_ns += other.compute_ns;
        self.exposed_ns += other.exposed_ns;
        self.exchange_idle_ns += other.exchange_idle_ns;
        self.copy_ns += other.copy_ns;
        self.input_ns += other.input_ns;
        self.cpu_ns += other.cpu_ns;
        self.sync_ns += other.sync_ns;
        self.communication_ns += other.communication_ns;
    }
}

/// Kernels of one name and shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KernelKey {
    /// Short name.
    pub name: String,
    /// Grid.
    pub grid: [i64; 3],
    /// Block.
    pub block: [i64; 3],
}

/// Kernels that began in a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct WorkSum {
    /// The piece.
    pub piece: u32,
    /// What they are, by its place in a list.
    pub what: u32,
    /// How many.
    pub count: u32,
    /// Their time.
    pub time_ns: Ns,
}

impl RankDigest {
    /// Which of its ranges of pieces a window is.
    pub(super) fn pieces_of(&self, window: Span) -> std::ops::Range<usize> {
        let place = |time: Ns| self.cuts.partition_point(|&cut| cut < time).min(self.pieces.len());
        place(window.start)..place(window.end)
    }
}
