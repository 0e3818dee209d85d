//! What the time of a step is divided into: the one place for the key, the words and the meaning of each class.

use serde::Serialize;

/// A class of a step's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepClass {
    /// Kernels ran, or the GPU changed from one queued item to the next.
    Gpu,
    /// Exchange with other GPUs or processes that nothing hid.
    Communication,
    /// Copies that nothing hid.
    Copy,
    /// The GPU waited for input.
    Input,
    /// The GPU waited for the CPU.
    Cpu,
    /// The GPU waited because the CPU had waited for it.
    Sync,
    /// The rest.
    Other,
}

/// What people and files are told of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StepClassDefinition {
    /// The word in tables and files.
    #[serde(rename = "key")]
    pub class: StepClass,
    /// The words for people.
    pub words: &'static str,
    /// Of a part in which the GPU waits, in charts.
    #[serde(skip)]
    pub waits: &'static str,
    /// What it means, in whole sentences.
    pub meaning: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// What to do about it, in whole sentences.
    pub advice: &'static str,
}

/// All classes, in the order of [`StepClass::ALL`].
pub static STEP_CLASSES: [StepClassDefinition; StepClass::ALL.len()] = [
    StepClassDefinition {
        class: StepClass::Gpu,
        words: "GPU compute",
        waits: "turnaround between kernels",
        meaning: "The GPU computes, or needs the time between two queued pieces of work.",
        formula: "compute + idle turnaround, averaged over the used GPUs",
        advice: "A large share is good. Whether the GPU is used well is another question: see occupancy and efficiency_percent.",
    },
    StepClassDefinition {
        class: StepClass::Communication,
        words: "communication",
        waits: "waiting for communication",
        meaning: "GPUs exchange data while nothing computes, or the host is in a call that exchanges data.",
        formula: "exposed communication + idle communication, averaged over the used GPUs",
        advice: "It includes waiting for the slowest rank. Overlap it with computation.",
    },
    StepClassDefinition {
        class: StepClass::Copy,
        words: "copy",
        waits: "waiting for a copy",
        meaning: "Memory is copied or set while nothing computes or communicates, or the host is in a call that copies.",
        formula: "exposed copies + idle copy, averaged over the used GPUs",
        advice: "Copy from pinned memory on a stream of its own, while the GPU computes.",
    },
    StepClassDefinition {
        class: StepClass::Input,
        words: "waiting for input",
        waits: "waiting for input",
        meaning: "The GPU is idle because the next batch is not ready.",
        formula: "idle data_loading + input_wait + io, averaged over the used GPUs",
        advice: "Use more data-loader workers, prefetching, or cheaper preparation.",
    },
    StepClassDefinition {
        class: StepClass::Cpu,
        words: "waiting for the CPU",
        waits: "waiting for the CPU",
        meaning: "The GPU is idle because the host has not launched the next work yet.",
        formula: "idle allocation + setup + slow_launch + launch + api + host_range + host_issue, averaged over the used GPUs",
        advice: "Use CUDA graphs, fused kernels or larger batches; move CPU work to another thread.",
    },
    StepClassDefinition {
        class: StepClass::Sync,
        words: "waiting after a sync",
        waits: "waiting after a sync",
        meaning: "The GPU is idle because the host waited for it and had queued nothing.",
        formula: "idle sync, averaged over the used GPUs",
        advice: "Remove waits inside the step.",
    },
    StepClassDefinition {
        class: StepClass::Other,
        words: "other",
        waits: "waiting, other causes",
        meaning: "All the time that no other class explains.",
        formula: "length − all other classes",
        advice: "The causes are edge, no_api_call, dependency, stall, profiler, os_call and unknown.",
    },
];

impl StepClass {
    /// All classes in the order of tables and bars.
    pub const ALL: [Self; 7] =
        [Self::Gpu, Self::Communication, Self::Copy, Self::Input, Self::Cpu, Self::Sync, Self::Other];

    /// What people and files are told of it.
    #[must_use]
    pub fn definition(self) -> &'static StepClassDefinition {
        &STEP_CLASSES[self as usize]
    }

    /// The words for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        self.definition().words
    }

    /// The word in tables and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Communication => "communication",
            Self::Copy => "copy",
            Self::Input => "input",
            Self::Cpu => "cpu",
            Self::Sync => "sync",
            Self::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::classified::Cause;

    #[test]
    fn every_class_is_declared_in_its_place_and_names_its_causes() {
        assert!(STEP_CLASSES.iter().zip(StepClass::ALL).all(|(definition, class)| definition.class == class));
        for class in [StepClass::Input, StepClass::Cpu, StepClass::Sync] {
            let causes: Vec<&str> = class.causes().map(Cause::as_str).collect();
            let formula = format!("idle {}, averaged over the used GPUs", causes.join(" + "));
            assert_eq!(class.definition().formula, formula);
        }
        for cause in StepClass::Other.causes().filter(|&cause| cause != Cause::Unused) {
            assert!(StepClass::Other.definition().advice.contains(cause.as_str()), "{cause:?}");
        }
    }
}
