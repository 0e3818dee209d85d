//! What the names of a kernel say, judged once per name with the user's settings. Everything that tells kernels apart asks here.

use super::KernelKind;
use super::kernel_class::KernelClasses;
use crate::base::ids::{StrId, WorkId};
use crate::capture::classified::{Activity, exchanging_names};
use crate::capture::correlate::TensorCores;
use crate::capture::names::{Exchange, Precision, kernel_name_says};
use crate::figures::profile::ProfileContents;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What the names of a kernel say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelJudgement {
    /// Whether it exchanges data between GPUs, and how.
    pub exchange: Exchange,
    /// Whether it uses Tensor Cores.
    pub tensor_cores: TensorCores,
    /// What it computes.
    pub kind: KernelKind,
    /// The library that it is of; `None` if the name does not tell.
    pub library: Option<&'static str>,
    /// The format of its operands; `None` if the name does not tell.
    pub precision: Option<Precision>,
    /// What rules ask about it.
    pub(crate) classes: KernelClasses,
}

impl KernelJudgement {
    /// Whether it is known to exchange data between GPUs.
    #[must_use]
    pub fn is_communication(&self) -> bool {
        self.exchange.is_yes()
    }
}

/// The names of a kernel, and its use of Tensor Cores, which a DLProf database or counters may know better than the names.
type Names = (StrId, StrId, TensorCores);

/// The judgements made so far.
#[derive(Debug, Default)]
pub(crate) struct KernelJudgements {
    made: Mutex<FxHashMap<Names, KernelJudgement>>,
    /// Names that do not tell, of kernels that collectives launch.
    exchanging: OnceLock<FxHashSet<StrId>>,
}

impl ProfileContents {
    /// What the names of a kernel say; where they do not tell whether it exchanges data, what launches it says that.
    #[must_use]
    pub fn judge_kernel(&self, kernel: WorkId) -> KernelJudgement {
        let kernels = &self.capture.kernels;
        let (long_name, short_name) = (kernels.long_name[kernel], kernels.short_name[kernel]);
        let tensor_cores = self.capture.judged.tensor_cores[kernel];
        let judge = || {
            let (long, short) = (self.capture.strings.get(long_name), self.capture.strings.get(short_name));
            let says = kernel_name_says(long);
            let exchange = match self.settings().activity.told_exchange(says.exchange, long, short) {
                Exchange::Unknown if self.is_launched_by_collectives(long_name) => Exchange::Some,
                told => told,
            };
            let classes = KernelClasses::of(long, short, says.kind.filter(|_| !exchange.is_yes()));
            let kind = KernelKind::of(says.kind, exchange, classes, tensor_cores);
            let (library, precision) = (says.library, says.precision);
            KernelJudgement { exchange, tensor_cores, kind, library, precision, classes }
        };
        let mut judged = self.kernel_judgements.made.lock().unwrap_or_else(PoisonError::into_inner);
        *judged.entry((long_name, short_name, tensor_cores)).or_insert_with(judge)
    }

    fn is_launched_by_collectives(&self, long_name: StrId) -> bool {
        let find = || exchanging_names(&Activity::of(&self.capture), &self.settings().activity);
        self.kernel_judgements.exchanging.get_or_init(find).contains(&long_name)
    }
}
