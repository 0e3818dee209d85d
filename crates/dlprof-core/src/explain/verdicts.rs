//! What a step is bound by.

use super::{Entry, entry};

pub(super) const VERDICTS: &[Entry] = &[
    entry(
        "gpu_bound",
        "No class but gpu takes 20 % of the time, and shorter GPU work would shorten the step by more than a faster host (in a replay).",
        "Make the kernels faster: Tensor Cores, better occupancy, fewer bytes.",
    ),
    entry("input_bound", "Input is the largest class besides gpu, with at least 20 % of the time.", ""),
    entry(
        "communication_bound",
        "Communication is the largest class besides gpu, with at least 20 % of the time.",
        "",
    ),
    entry("copy_bound", "Copy is the largest class besides gpu, with at least 20 % of the time.", ""),
    entry(
        "cpu_bound",
        "Cpu or sync is the largest class besides gpu, with at least 20 % of the time, or a faster host would shorten the step by more \
         than shorter GPU work (in a replay).",
        "",
    ),
    entry(
        "set_up",
        "GPUs mostly wait for work that is done once, such as loading code, making streams or compiling kernels.",
        "Profile a longer run, and look at later passes.",
    ),
    entry(
        "waiting",
        "GPUs mostly wait for something that is known and no class of its own, or for a thread that sleeps or waits for another one.",
        "Look at the causes of idle time.",
    ),
    entry(
        "unexplained",
        "Other is the largest class besides gpu, with at least 20 % of the time.",
        "Look at the causes of idle time. A capture with more tracing may show more.",
    ),
];
