//! The command line.

use crate::damage::{Damage, damage_choice};
use crate::hurt::{Hurt, hurt};
use crate::plant::choice::{PlantChoice, plant_choice};
use crate::plant::pairs::board::Board;
use crate::plant::pairs::windows::window_choice;
use crate::plant::pairs::{PairChoice, pair_choice};
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, ValueEnum};
use serde::Serialize;

/// Writes a synthetic Nsight Systems SQLite export of a training loop, and its known truth.
///
/// The same options give the same bytes.
#[derive(Parser, Clone, Debug, Serialize)]
#[command(name = "generate")]
pub struct Options {
    /// The SQLite file to write; an existing one is replaced
    #[serde(skip)]
    pub(crate) output: PathBuf,
    /// Where to write the truth [default: the output with the extension `.truth.json`]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) truth: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Approximate number of kernel launches; sets the number of steps unless --iterations does
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) kernels: usize,
    /// Number of training steps; the truth has one iteration more (the start-up, iteration 0)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) iterations: Option<u32>,
    /// What the NVTX ranges look like
    #[arg(long, value_enum, default_value_t = Style::Markers)]
    pub(crate) style: Style,
    /// Which exporter's tables to write
    #[arg(long, value_enum, default_value_t = Schema::V2024)]
    pub(crate) schema: Schema,
    /// Number of training processes
    #[arg(long, value_name = "P", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) processes: u16,
    /// Number of GPUs of the machine; process p uses GPU p modulo this number
    #[arg(long, value_name = "G", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) gpus: u16,
    /// Number of CUDA streams of a process
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) streams: u16,
    /// Number of layers of the model
    #[arg(long, value_name = "L", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) layers: u16,
    /// Largest number of kernels that a forward op launches
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=4))]
    pub(crate) max_launches: u16,
    /// Store range texts in the rows, or once in `StringIds`
    #[arg(long, value_enum, default_value_t = Texts::Inline)]
    pub(crate) texts: Texts,
    /// How many times slower than the others the first step runs on the CPU
    #[arg(long, value_name = "F", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) warm_up_factor: u16,
    /// This iteration (1 is the first step) has a key call and no GPU work
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) empty_iteration: Option<u32>,
    /// Put CUDA work outside every op (the default)
    #[arg(long, overrides_with = "no_loose_work")]
    #[serde(skip)]
    pub(crate) loose_work: bool,
    /// Put no CUDA work outside the ops
    #[arg(long, overrides_with = "loose_work")]
    pub(crate) no_loose_work: bool,
    /// Run a backward pass on an autograd thread (styles markers and emit-nvtx)
    /// [default: true for emit-nvtx, false for markers]
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = ArgAction::Set
    )]
    pub(crate) backward: Option<bool>,
    /// Every duration varies by up to this many percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u16).range(0..=50))]
    pub(crate) jitter: u16,
    /// How runs and steps differ from each other
    #[command(flatten)]
    pub(crate) noise: NoiseOptions,
    /// Lay out a schedule of known amounts instead of a training loop; may be given several times, `all` is all but `ahead`
    ///
    /// Each iteration of each GPU holds what is named, and the truth says so for every table. VALUE is in ns, of copies and
    /// memory in bytes, and grows a little from iteration to iteration and from GPU to GPU.
    ///
    /// Idle time of a cause: turnaround, launch, slow-launch, sync, copy, allocation, setup, api, data-loading, communication,
    /// input-wait, io, os-call, host-range, host-issue, dependency, stall, profiler, unknown, no-api-call, edge. Else: overlap
    /// (compute, communication and copies that overlap), copies (pinned, pageable, memsets), loose (launches of a thread without
    /// ranges), host (CPU samples, scheduling and OS calls while the GPU waits), memory, metrics, kernels (of known occupancy and
    /// waves), idle-gpu and unused-gpu (one GPU more), ahead (launches far ahead of the GPU; alone).
    ///
    /// Of the other options only --iterations, --schema and --gpus, the number of GPUs that work, count.
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = plant_choice)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) plant: Vec<PlantChoice>,
    /// Write one capture of the pair of a rule: `RULE=faulty`, the default, has the fault, `RULE=repaired` does not
    ///
    /// The repaired program does what the rule advises. The truth has the iterations of both, so that the time that was
    /// saved is known, and what the rule should say of the faulty one. Of the other options only --schema counts.
    #[arg(long, value_name = "RULE[=STATE]", value_parser = pair_choice, conflicts_with = "plant")]
    #[serde(skip)]
    pub(crate) pair: Option<PairChoice>,
    /// Write a capture that is deeper or larger than any program should be: `open-ranges=4000` has ranges that are never popped
    ///
    /// Also nested-ranges, named-ranges (each with a text of its own) and slashes (in the text of a range). Or it has too much
    /// of something: long-texts (of so many bytes), gpus, gpu-steps (as many GPUs as steps), far-gpus
    /// (with two kernels far from each other), threads, thread-steps (as many threads as steps), processes, kernel-names,
    /// overlapping-kernels (on one stream). The truth has totals. Of the other options only --schema and --texts count.
    #[arg(long, value_name = "NAME=N", value_parser = hurt, conflicts_with_all = ["plant", "pair"])]
    #[serde(skip)]
    pub(crate) hurt: Option<Hurt>,
    /// Write a capture whose windows are planted: `lost`, `outliers`, `alternating` or `ahead`
    #[arg(long, value_name = "NAME", value_parser = window_choice, conflicts_with_all = ["plant", "pair"])]
    #[serde(skip)]
    pub(crate) window: Option<&'static str>,
    /// Then damage the file: `view` makes kernels a view, `nulls` empties cells; may be given several times
    ///
    /// A name that does not exist lists all. The truth is that of the file before.
    #[arg(long, value_name = "NAME", value_parser = damage_choice)]
    #[serde(skip)]
    pub(crate) damage: Vec<Damage>,
    /// The type of all GPUs, if it is not that of the schema
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) board: Option<&'static Board>,
    /// Whether the first process made contexts on all GPUs
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) has_all_contexts: bool,
    /// Number the texts of the step ranges: `step 17` instead of `step`
    #[arg(long)]
    pub(crate) numbered_steps: bool,
    /// Write API calls process by process instead of by time
    #[arg(long)]
    pub(crate) interleave: bool,
    /// Write ranges and API calls thread by thread instead of by time
    #[arg(long, conflicts_with = "interleave")]
    #[serde(skip)]
    pub(crate) by_thread: bool,
    /// Write the figures by iteration and op even for more than 200,000 kernels
    #[arg(long)]
    #[serde(skip)]
    pub(crate) full_truth: bool,
}

impl Options {
    /// The file the truth goes to.
    pub(crate) fn truth_path(&self) -> PathBuf {
        self.truth.clone().unwrap_or_else(|| self.output.with_extension("truth.json"))
    }

    /// Whether the backward pass runs on a thread of its own.
    pub(crate) fn has_autograd_thread(&self) -> bool {
        match self.style {
            Style::Markers => self.backward.unwrap_or(false),
            Style::EmitNvtx => self.backward.unwrap_or(true),
            Style::Ranges | Style::None => false,
        }
    }
}

/// How runs and steps differ: noise that a regression gate must ignore, and changes that it must find.
#[derive(Args, Clone, Debug, Serialize)]
pub(crate) struct NoiseOptions {
    /// All durations of the run are longer by this many percent, such as with another clock
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) run_shift: f64,
    /// All durations of a step vary by one log-normal factor of this many percent; neighbouring steps are similar
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    pub(crate) step_noise: f64,
    /// Durations grow by this many percent from the first to the last step
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) drift: f64,
    /// Every Nth step takes 1.6 times as long
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) outlier_every: Option<u32>,
    /// All kernels take this many times as long
    #[arg(long, value_name = "F", default_value_t = 1.0)]
    pub(crate) kernel_factor: f64,
    /// Kernels of the ops of a type take this many times as long, for example `conv2d=1.3`; may be given several times
    #[arg(long, value_name = "TYPE=F", value_parser = factor_of_type)]
    pub(crate) op_factor: Vec<(String, f64)>,
    /// Copy this many additional bytes to the device in every step
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) extra_copy_bytes: i64,
    /// A step lasts at least this long, as if it waited for data
    #[arg(long, value_name = "NS", default_value_t = 0)]
    pub(crate) pace: i64,
}

fn factor_of_type(text: &str) -> Result<(String, f64), String> {
    let (op_type, factor) = text.split_once('=').ok_or("expected TYPE=FACTOR")?;
    let factor = factor.parse().map_err(|error| format!("`{factor}` is not a number: {error}"))?;
    Ok((op_type.to_owned(), factor))
}

/// What the NVTX ranges look like.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Style {
    /// DLProf's PyTorch markers: Python literals with function stacks
    Markers,
    /// PyTorch's `emit_nvtx`: operator ranges inside a few user ranges
    EmitNvtx,
    /// Plain nested user ranges
    Ranges,
    /// No NVTX at all
    None,
}

/// Whose tables and columns to write.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Schema {
    /// Nsight Systems 2022.1.3
    #[value(name = "2022")]
    #[serde(rename = "2022")]
    V2022,
    /// Nsight Systems 2024.6.2
    #[value(name = "2024")]
    #[serde(rename = "2024")]
    V2024,
}

/// Where range texts are stored.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Texts {
    /// In the column `text` of every range
    Inline,
    /// Once in `StringIds`, referred to by `textId`
    Interned,
}
