//! What the names of a kernel say, judged once per name with the user's settings. Everything that tells kernels apart asks here.

use super::KernelKind;
use super::kernel_class::KernelClasses;
use crate::base::ids::{StrId, WorkId};
use crate::capture::correlate::TensorCores;
use crate::figures::profile::ProfileContents;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// What the names of a kernel say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelJudgement {
    /// Whether it exchanges data between GPUs.
    pub is_communication: bool,
    /// Whether it uses Tensor Cores.
    pub tensor_cores: TensorCores,
    /// What it computes.
    pub kind: KernelKind,
    /// What rules ask about it.
    pub(crate) classes: KernelClasses,
}

/// The judgements made so far.
#[derive(Debug, Default)]
pub(crate) struct KernelJudgements {
    /// By short name: whether such kernels exchange data.
    communication: Known<StrId, bool>,
    /// By long name, short name, and use of Tensor Cores, which a DLProf database may know better than the names.
    kernels: Known<(StrId, StrId, TensorCores), KernelJudgement>,
}

#[derive(Debug)]
struct Known<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Copy> Known<K, V> {
    fn get(&self, key: K, judge: impl FnOnce() -> V) -> V {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert_with(judge)
    }
}

impl ProfileContents {
    /// Whether kernels with a short name exchange data between GPUs.
    #[must_use]
    pub fn is_communication_kernel(&self, short_name: StrId) -> bool {
        let judge = || self.settings().activity.is_communication_kernel(self.capture.strings.get(short_name));
        self.kernel_judgements.communication.get(short_name, judge)
    }

    /// What the names of a kernel say.
    #[must_use]
    pub fn judge_kernel(&self, kernel: WorkId) -> KernelJudgement {
        let kernels = &self.capture.kernels;
        let (long_name, short_name) = (kernels.long_name[kernel], kernels.short_name[kernel]);
        let tensor_cores = self.capture.judged.tensor_cores[kernel];
        self.kernel_judgements.kernels.get((long_name, short_name, tensor_cores), || {
            let (long, short) = (self.capture.strings.get(long_name), self.capture.strings.get(short_name));
            let is_communication = self.is_communication_kernel(short_name);
            let classes = KernelClasses::of(long, short);
            let kind = KernelKind::of(long, classes, is_communication, tensor_cores);
            KernelJudgement { is_communication, tensor_cores, kind, classes }
        })
    }
}
