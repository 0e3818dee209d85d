//! What a step's time went to, in seven classes that add up to its length, and the one that limits it.

use super::gpu_in_window::GpuTime;
use super::step_class::StepClass;
use crate::base::ratios::{count_to_f64, to_f64};
use crate::base::time::Ns;

/// Time of a step by class, averaged over the used GPUs. The classes add up to the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepClasses {
    /// Length of the step.
    pub length_ns: Ns,
    /// Kernels ran, or the GPU changed from one queued item to the next.
    pub gpu_ns: Ns,
    /// Exchange with other GPUs or processes that nothing hid.
    pub communication_ns: Ns,
    /// Copies that nothing hid.
    pub copy_ns: Ns,
    /// The GPU waited for input.
    pub input_ns: Ns,
    /// The GPU waited for the CPU to launch, allocate, set up or compute.
    pub cpu_ns: Ns,
    /// The GPU waited because the CPU had waited for it.
    pub sync_ns: Ns,
    /// The rest.
    pub other_ns: Ns,
}

/// The class that limits a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The GPU was kept busy; not that it was used well.
    Gpu,
    /// It waited for input.
    Input,
    /// It waited for other GPUs or processes.
    Communication,
    /// It waited for copies.
    Copy,
    /// It waited for the CPU.
    Cpu,
    /// It idled, and nothing tells why.
    Unexplained,
}

impl Verdict {
    /// The words for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Gpu => "GPU-bound",
            Self::Input => "Input-bound",
            Self::Communication => "Communication-bound",
            Self::Copy => "Copy-bound",
            Self::Cpu => "CPU-bound",
            Self::Unexplained => "Unexplained",
        }
    }

    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Input => "input",
            Self::Communication => "communication",
            Self::Copy => "copy",
            Self::Cpu => "cpu",
            Self::Unexplained => "unexplained",
        }
    }
}

/// A class limits a step from this share of its length on.
const LIMIT_PERCENT: i128 = 20;

impl StepClasses {
    /// The classes of a step by what the used GPUs did in it together, and their number; `None` without a used GPU.
    #[must_use]
    pub fn of(used: &GpuTime, gpus: usize) -> Option<Self> {
        let gpus = Ns::try_from(gpus).ok().filter(|&gpus| gpus > 0)?;
        let length_ns = used.length_ns / gpus;
        // What the GPUs work at, and the idle time of the class.
        let class = |class: StepClass, working_ns: Ns| (working_ns + used.idle.of_class(class)) / gpus;
        let mut step = Self {
            length_ns,
            gpu_ns: class(StepClass::Gpu, used.compute_ns),
            communication_ns: class(StepClass::Communication, used.exposed_communication_ns),
            copy_ns: class(StepClass::Copy, used.exposed_copy_ns),
            input_ns: class(StepClass::Input, 0),
            cpu_ns: class(StepClass::Cpu, 0),
            sync_ns: class(StepClass::Sync, 0),
            other_ns: 0,
        };
        let known =
            [step.gpu_ns, step.communication_ns, step.copy_ns, step.input_ns, step.cpu_ns, step.sync_ns];
        step.other_ns = length_ns - known.iter().sum::<Ns>();
        Some(step)
    }

    /// The time of a class.
    #[must_use]
    pub fn of_class(&self, class: StepClass) -> Ns {
        match class {
            StepClass::Gpu => self.gpu_ns,
            StepClass::Communication => self.communication_ns,
            StepClass::Copy => self.copy_ns,
            StepClass::Input => self.input_ns,
            StepClass::Cpu => self.cpu_ns,
            StepClass::Sync => self.sync_ns,
            StepClass::Other => self.other_ns,
        }
    }

    /// Adds another step.
    pub fn merge(&mut self, other: &Self) {
        self.length_ns += other.length_ns;
        self.gpu_ns += other.gpu_ns;
        self.communication_ns += other.communication_ns;
        self.copy_ns += other.copy_ns;
        self.input_ns += other.input_ns;
        self.cpu_ns += other.cpu_ns;
        self.sync_ns += other.sync_ns;
        self.other_ns += other.other_ns;
    }

    /// The largest class besides the GPU's, if it is large enough to limit the step.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let (ns, largest) = self.largest();
        let limits = self.length_ns > 0 && 100 * i128::from(ns) >= LIMIT_PERCENT * i128::from(self.length_ns);
        if limits { largest } else { Verdict::Gpu }
    }

    /// What GPUs mostly wait for, of classes in which they do nothing; the GPU itself if they wait for nothing.
    #[must_use]
    pub(crate) fn largest_wait(&self) -> Verdict {
        let waits = Self { communication_ns: 0, copy_ns: 0, ..*self };
        let (ns, largest) = waits.largest();
        if ns > 0 { largest } else { Verdict::Gpu }
    }

    /// The largest class besides the GPU's with its time; of equally large ones the first.
    fn largest(&self) -> (Ns, Verdict) {
        let classes = [
            (self.input_ns, Verdict::Input),
            (self.communication_ns, Verdict::Communication),
            (self.copy_ns, Verdict::Copy),
            (self.cpu_ns, Verdict::Cpu),
            (self.sync_ns, Verdict::Cpu),
            (self.other_ns, Verdict::Unexplained),
        ];
        classes.into_iter().rev().max_by_key(|&(ns, _)| ns).unwrap_or((0, Verdict::Gpu))
    }
}

/// How many per second, of a count in a time; `None` if the time is not positive.
#[must_use]
pub(crate) fn per_second(count: u64, time_ns: Ns) -> Option<f64> {
    (time_ns > 0).then(|| count_to_f64(count) * 1e9 / to_f64(time_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_classes_limits_from_a_fifth_on() {
        let step =
            StepClasses { length_ns: 100, gpu_ns: 60, copy_ns: 20, cpu_ns: 20, ..StepClasses::default() };
        assert_eq!(step.verdict(), Verdict::Copy);
        let step =
            StepClasses { length_ns: 100, gpu_ns: 60, input_ns: 19, sync_ns: 21, ..StepClasses::default() };
        assert_eq!(step.verdict(), Verdict::Cpu);
        let step = StepClasses { length_ns: 101, gpu_ns: 81, other_ns: 20, ..StepClasses::default() };
        assert_eq!(step.verdict(), Verdict::Gpu);
        assert_eq!(StepClasses::default().verdict(), Verdict::Gpu);
    }

    #[test]
    fn what_dividing_loses_goes_to_other() {
        let gpu =
            |compute_ns| GpuTime { length_ns: 10, compute_ns, busy_ns: compute_ns, ..GpuTime::default() };
        let mut both = gpu(4);
        both.merge(&gpu(5));
        let step = StepClasses::of(&both, 2).expect("GPUs");
        assert_eq!((step.gpu_ns, step.other_ns), (4, 6));
        assert_eq!(StepClasses::of(&GpuTime::default(), 0), None);
        assert_eq!(per_second(3, 2_000_000_000), Some(1.5));
        assert_eq!(per_second(3, 0), None);
    }
}
