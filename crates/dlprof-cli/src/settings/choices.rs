//! Values of options that are words, on the command line and in settings files.

use clap::ValueEnum;
use dlprof_core::{ClockChoice, DefaultRange, ModeChoice};

/// Which iterations are aggregated if no numbers are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IterRange {
    /// The stretch with most steady iterations, at least three; if there is none, all but start-up and what is untraced
    Auto,
    /// As auto, and a warning if there are no steady iterations
    Steady,
    /// All iterations, and the time between them
    All,
}

/// The clock of durations and shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Clock {
    /// The GPU's clock if more work is launched than fits into the iterations on the CPU, else the CPU's
    Auto,
    /// An iteration begins when its calls do
    Cpu,
    /// An iteration begins when its GPU work does
    Gpu,
}

/// How ranges become ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// What fits the ranges of the capture
    Auto,
    /// PyTorch: a trace of torch.profiler, DLProf's markers or `emit_nvtx`
    Pytorch,
    /// TensorFlow's node ranges: the innermost node is the op
    #[value(alias = "tensorflow1", alias = "tensorflow2")]
    Tensorflow,
    /// XLA's ranges: the innermost thunk is the op, below its module
    Jax,
    /// Plain ranges: the innermost one is the op
    Nvtx,
    /// One op for all work
    #[value(alias = "tensorrt")]
    Simple,
}

/// Unit of times in text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TimeUnit {
    /// The unit that fits each time
    Auto,
    /// Nanoseconds
    Ns,
    /// Microseconds
    Us,
    /// Milliseconds
    Ms,
    /// Seconds
    S,
}

impl From<IterRange> for DefaultRange {
    fn from(range: IterRange) -> Self {
        match range {
            IterRange::Auto => Self::Auto,
            IterRange::Steady => Self::Steady,
            IterRange::All => Self::All,
        }
    }
}

impl From<Clock> for ClockChoice {
    fn from(clock: Clock) -> Self {
        match clock {
            Clock::Auto => Self::Auto,
            Clock::Cpu => Self::Cpu,
            Clock::Gpu => Self::Gpu,
        }
    }
}

impl From<Mode> for ModeChoice {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::Pytorch => Self::Pytorch,
            Mode::Tensorflow => Self::Tensorflow,
            Mode::Jax => Self::Jax,
            Mode::Nvtx => Self::Nvtx,
            Mode::Simple => Self::Simple,
        }
    }
}

impl From<TimeUnit> for dlprof_export::TimeUnit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Auto => Self::Auto,
            TimeUnit::Ns => Self::Ns,
            TimeUnit::Us => Self::Us,
            TimeUnit::Ms => Self::Ms,
            TimeUnit::S => Self::S,
        }
    }
}
