//! What is costly of a scene: worked out when the first rule or sentence asks for it, and shared by all scenes of a judged profile.

use crate::advice::framework::Framework;
use crate::advice::kernels::KernelTimes;
use crate::advice::migrations::Migrations;
use crate::advice::once::Once;
use crate::advice::slices::Slices;
use crate::advice::small_copies::SmallCopies;
use crate::advice::step_waits::StepWaits;
use crate::advice::tried::Tried;
use crate::base::ids::StrId;
use crate::base::time::Ns;
use crate::figures::activity::{CopyGroup, FunctionCalls, GpuTime, StepClasses, WindowCalls};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::OnceLock;

/// Figures of the iterations that findings are about. Each follows from the profile alone, whatever a user changed about rules.
#[derive(Default)]
pub(in crate::advice) struct Seen {
    pub(super) gpu_time: OnceLock<GpuTime>,
    pub(super) kernels: OnceLock<KernelTimes>,
    pub(super) own_kernels: OnceLock<Option<KernelTimes>>,
    pub(super) copies: OnceLock<Vec<CopyGroup>>,
    pub(super) calls: OnceLock<WindowCalls>,
    pub(super) functions: OnceLock<Vec<FunctionCalls>>,
    pub(super) classes: OnceLock<Option<StepClasses>>,
    pub(super) framework: OnceLock<Framework>,
    pub(super) slices: OnceLock<Option<Slices>>,
    pub(super) small_copies: OnceLock<Option<SmallCopies>>,
    pub(super) tried: OnceLock<Tried>,
    pub(super) step_waits: OnceLock<StepWaits>,
    pub(super) markers_idle_ns: OnceLock<Ns>,
    pub(super) migrations: OnceLock<Migrations>,
    pub(super) once: OnceLock<Once>,
    pub(super) once_in_range: OnceLock<Once>,
    /// For savings.
    pub(in crate::advice) host_waits: OnceLock<Option<Ns>>,
    /// For savings.
    pub(in crate::advice) host_by_kernel: OnceLock<FxHashMap<StrId, Ns>>,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").finish_non_exhaustive()
    }
}
