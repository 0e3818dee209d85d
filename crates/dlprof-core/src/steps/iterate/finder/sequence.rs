//! The kernels of a stream, one after the other, as symbols.

use super::input::FinderInput;
use crate::base::ids::{Maybe, ProcessId, StrId, StreamId, ThreadId};
use crate::base::time::Ns;
use crate::columns::PerText;

/// The kernels and whole graph launches of one stream, in order of start.
pub(super) struct Sequence {
    pub(super) process: ProcessId,
    /// By place: the kernel.
    pub(super) kernels: Vec<u32>,
    /// By place: its name, as a number from 0.
    pub(super) symbols: Vec<u32>,
    /// Number of different symbols.
    pub(super) distinct: usize,
}

/// Which name of a kernel makes its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameForm {
    /// The demangled name with types and parameters.
    Exact,
    /// The short name.
    Short,
}

impl NameForm {
    /// By kernel: its name.
    pub(super) fn names<'a>(self, input: &FinderInput<'a>) -> &'a [StrId] {
        match self {
            Self::Exact => &input.recorded.kernels.long_name,
            Self::Short => &input.recorded.kernels.short_name,
        }
    }
}

/// By process: the stream with most kernels, and their number.
pub(super) fn busiest_streams(input: &FinderInput<'_>) -> Vec<Option<(StreamId, usize)>> {
    let mut counts: Vec<(usize, Maybe<ProcessId>)> = Vec::new();
    for (&process, stream) in input.process_of_kernels().iter().zip(&input.recorded.work.stream) {
        if counts.len() <= stream.index() {
            counts.resize(stream.index() + 1, (0, Maybe::NONE));
        }
        let count = &mut counts[stream.index()];
        *count = (count.0 + 1, process);
    }
    let mut busiest: Vec<Option<(StreamId, usize)>> = vec![None; input.processes()];
    for (stream, &(count, process)) in (0..).map(StreamId::new).zip(&counts) {
        let Some(process) = process.some() else { continue };
        let best = &mut busiest[process.index()];
        if best.is_none_or(|(_, most)| count > most) {
            *best = Some((stream, count));
        }
    }
    busiest
}

impl Sequence {
    /// The sequence of a stream.
    pub(super) fn new(input: &FinderInput<'_>, process: ProcessId, stream: StreamId, form: NameForm) -> Self {
        let streams = &input.recorded.work.stream[..][..input.recorded.kernels.len()];
        let rows = (0..).zip(streams).filter(|(_, other)| **other == stream);
        let mut kernels: Vec<u32> = rows.map(|(row, _)| row).collect();
        let order = |&row: &u32| input.kernel_span(row as usize);
        if !kernels.is_sorted_by_key(order) {
            kernels.sort_by_key(order);
        }
        let mut sequence = Self { process, kernels, symbols: Vec::new(), distinct: 0 };
        sequence.name(input, form);
        sequence
    }

    /// Makes symbols of names; equal names are equal symbols, numbered in order of appearance.
    pub(super) fn name(&mut self, input: &FinderInput<'_>, form: NameForm) {
        const UNKNOWN: u32 = u32::MAX;
        let names = form.names(input);
        let mut known = PerText::new(input.strings.len(), UNKNOWN);
        let mut next = 0;
        let mut symbol = |name: StrId| {
            let symbol = &mut known[name];
            if *symbol == UNKNOWN {
                *symbol = next;
                next += 1;
            }
            *symbol
        };
        self.symbols = self.kernels.iter().map(|&kernel| symbol(names[kernel as usize])).collect();
        self.distinct = next as usize;
    }

    /// Number of kernels.
    pub(super) fn len(&self) -> usize {
        self.kernels.len()
    }

    /// When the kernel at a place was asked for; where that is unknown, when it started.
    pub(super) fn call_start(&self, input: &FinderInput<'_>, place: usize) -> Ns {
        input.asked_for(self.kernels[place] as usize)
    }

    /// The thread that asked for the kernel at a place, or none.
    pub(super) fn thread(&self, input: &FinderInput<'_>, place: usize) -> Maybe<ThreadId> {
        let call = input.call_of_kernel(self.kernels[place] as usize);
        call.map_or(Maybe::NONE, |(_, thread)| thread)
    }
}

/// By name: whether such kernels exchange data between GPUs.
pub(super) struct Communication {
    known: PerText<Option<bool>>,
}

impl Communication {
    /// Nothing is looked up yet.
    pub(super) fn new(input: &FinderInput<'_>) -> Self {
        Self { known: PerText::new(input.strings.len(), None) }
    }

    /// GPU time of a kernel, 0 if it exchanges data.
    pub(super) fn compute_ns(&mut self, input: &FinderInput<'_>, kernel: usize) -> Ns {
        let name = input.recorded.kernels.long_name[kernel];
        let is_communication = *self.known[name].get_or_insert_with(|| {
            crate::capture::names::kernel_name_says(input.strings.get(name)).exchange.is_yes()
        });
        if is_communication { 0 } else { input.kernel_span(kernel).length() }
    }
}
