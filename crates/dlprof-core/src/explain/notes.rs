//! What the declaration of a column does not say: formulas, and how to read the number.

/// A formula and how to read the number; either may be empty.
pub(super) struct Note {
    key: &'static str,
    pub(super) formula: &'static str,
    pub(super) reading: &'static str,
}

const fn note(key: &'static str, formula: &'static str, reading: &'static str) -> Note {
    Note { key, formula, reading }
}

/// Notes by key of the column, sorted.
const NOTES: &[Note] = &[
    note("blocks_per_sm", "the smallest of what warps, registers, shared memory and blocks allow", ""),
    note("bound", "math if intensity > peak ÷ bandwidth, else memory", ""),
    note("busy_ns", "compute + exposed communication + exposed copies", ""),
    note("cpu_overhead_ns", "CPU time − API time", "Large values are Python and framework time."),
    note(
        "efficiency_percent",
        "FLOP/s ÷ min(peak, intensity × bandwidth)",
        "Below 30 % look for a better kernel.",
    ),
    note("gpu_idle_ns", "last GPU end − first GPU start − GPU time", "Gaps between the kernels of a call."),
    note("idle_ns", "length − busy", "Table idle_causes says why."),
    note("intensity", "FLOP ÷ bytes", "Low values are bound by memory; fuse such ops."),
    note(
        "launch_latency_ns",
        "kernel start − call start",
        "Large values mean that the host is ahead, which is good.",
    ),
    note("occupancy_percent", "blocks per SM × warps of a block ÷ warps of an SM", "See the term occupancy."),
    note("queue_ns", "kernel start − call end", "Large values mean that the host is ahead, which is good."),
    note("start_delay_ns", "kernel start − max(call start, end of the work before)", "A few µs are usual."),
    note(
        "tail_loss_ns",
        "duration × (1 − blocks ÷ (rounds × blocks at a time))",
        "An upper bound, far above what is lost where several blocks share a multiprocessor: see `uneven_loss_ns`.",
    ),
    note(
        "tc_eligible",
        "decided by the op type",
        "An eligible op that uses no Tensor Cores is the first candidate for mixed precision.",
    ),
    note("underfill_loss_ns", "duration × (1 − blocks ÷ SMs)", "An upper bound."),
    note(
        "uneven_loss_ns",
        "duration × (1 − b ÷ ⌈b⌉), b = blocks ÷ SMs, of launches of more than one round",
        "The figure of the finding `tail_heavy`. Where one block fits a multiprocessor it equals the tail.",
    ),
    note("waves", "blocks of the grid ÷ (blocks per SM × SMs)", "A little over a whole number is bad."),
];

/// The note about a column.
pub(super) fn of_column(key: &str) -> Option<&'static Note> {
    NOTES.binary_search_by_key(&key, |note| note.key).ok().map(|at| &NOTES[at])
}

/// The columns that have a note.
#[cfg(test)]
pub(super) fn keys() -> Vec<&'static str> {
    NOTES.iter().map(|note| note.key).collect()
}
