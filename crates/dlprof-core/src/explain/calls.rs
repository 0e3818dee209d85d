//! Classes of API calls, and how GPU work is assigned to a range.

use super::{Entry, entry};

pub(super) const CLASSES: &[Entry] = &[
    entry(
        "sync",
        "Calls that wait for the GPU: synchronisation of a device, context, stream or event.",
        "The last wait of a step is harmless if no launch follows it. Other waits empty the queue.",
    ),
    entry(
        "launch",
        "Calls that start kernels or graphs, and calls of the same names that start host functions.",
        "Their number per second shows how fast the host launches; 100,000 to 300,000 are usual.",
    ),
    entry(
        "copy",
        "Calls that copy, set or prefetch memory.",
        "Calls without `Async` in their name wait for the GPU.",
    ),
    entry(
        "allocation",
        "Calls that allocate, free, register or map GPU or pinned memory.",
        "In a steady step there should be none.",
    ),
    entry(
        "setup",
        "Calls that load modules, look up functions, create contexts or streams, or build graphs.",
        "In a steady step there should be none.",
    ),
    entry("api", "All other API calls: events, queries, attributes.", ""),
];

pub(super) const ATTRIBUTIONS: &[Entry] = &[
    entry(
        "own",
        "The thread that launched the work had a range open, and the innermost one owns the work.",
        "",
    ),
    entry(
        "by_time",
        "The thread that launched the work had no range open; another thread of the process waited inside a range, and that \
         range owns the work.",
        "PyTorch's backward pass gets its range this way. It is inferred from times, not recorded in the capture.",
    ),
    entry("none", "No range of the process can own the work.", "Add ranges to the program."),
    entry("no_call", "The work has no API call in the capture.", "Capture from the start of the process."),
];
