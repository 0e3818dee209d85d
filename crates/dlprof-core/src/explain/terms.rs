//! Terms of the field.

use super::{Entry, entry, measure};

pub(super) const TERMS: &[Entry] = &[
    entry(
        "op",
        "A framework operation by name, such as one `conv2d` of a network. Ten layers called from one line of code are \
         ten ops.",
        "",
    ),
    entry("op_call", "One execution of an op on the CPU: a range on one thread.", ""),
    entry("kernel", "One execution of a function on the GPU. Many kernels share a name.", ""),
    entry(
        "key_node",
        "The op whose executions delimit iterations.",
        "Choose another with `--key-node`; `show key-nodes` lists the candidates.",
    ),
    entry(
        "iteration",
        "The time from one execution of the key node to the next. Iteration 0 is the time before the first one.",
        "",
    ),
    entry(
        "state",
        "What an iteration is like, compared with the others on the clock in force: `before` the first, `warm-up`, `steady`, \
         `outlier`, `unsplit` \
         (it holds several passes), `empty` (no GPU work), `cut` (the last one, shorter or launching less work than the others: the capture or the loop may end in \
         it), `untraced` (the tracer lost records), or `outside` (no iteration: what lies between runs of them, or after the \
         last one).",
        "`show iterations` has the state of each.",
    ),
    entry(
        "stretch",
        "A part of the capture that begins and ends with a steady iteration and has at most three others in a row. The one \
         with most steady iterations is aggregated by default, if it has three.",
        "Choose others with `--iter-start` and `--iter-stop`, or all with `--iter-range all`.",
    ),
    entry(
        "outlier",
        "An iteration whose time lies beyond Tukey's fences, which are never narrower than a quarter of the median, or whose \
         number of launches is more than a quarter away from the median number.",
        "The finding `unsteady_iterations` says what outliers cost and what only they have.",
    ),
    entry(
        "untraced",
        "An iteration in which the tracer lost records: the CUDA records of a thread end before it, while the program goes on. \
         Nothing about the GPU is known there.",
        "`check` names the thread. Capture a shorter part of the run, or fewer kinds of records.",
    ),
    entry(
        "ncu",
        "NVIDIA Nsight Compute: it runs a program again, repeats each kernel that it measures, and reads counters of the GPU: \
         operations, bytes, use of Tensor Cores, reasons of stalls.",
        "`dlprof-agg ncu --suggest CAPTURE` prints the command that measures the kernels with most time of a capture.",
    ),
    entry(
        "overlap",
        "Exchange between GPUs, or copies, that run while kernels compute: this time costs nothing. What runs while no kernel \
         computes is exposed, and the step waits for it.",
        "`show gpu_time` has the whole and the exposed part of each iteration; `ask overlap` answers in a sentence.",
    ),
    entry(
        "memory_growth",
        "More GPU memory in use at the end of an iteration than at the end of the first: `growth_bytes` of table `gpu_memory`.",
        "Growth in every iteration is a leak, or a cache that fills. Allocations must be recorded: `dlprof-agg profile \
         --memory-usage`, `nsys profile --cuda-memory-usage=true`, or torch.profiler with `profile_memory=True`.",
    ),
    entry(
        "forward",
        "The part of a step that computes outputs from inputs: column `direction` of table `ops` is `fprop`. Ranges of a program \
         count if their name has the word `forward`, or if they lie in such a range.",
        "`query FILE \"select direction, sum(gpu_time_ns) from ops group by direction\"` compares it with the backward pass.",
    ),
    entry(
        "backward",
        "The part of a step that computes gradients: column `direction` of table `ops` is `bprop`.",
        "Work of autograd's threads has no range of its own; it counts for the op that waits for it.",
    ),
    entry("group", "A prefix of op names that ends in `/`.", ""),
    entry(
        "unassociated",
        "GPU work and API calls that no op claims. They have a row of their own, so that every table adds up.",
        "Add ranges to the program if their share is large.",
    ),
    entry(
        "tensor_cores",
        "Units of the GPU that multiply small matrices, in 16-bit, TF32, 8-bit and, on some GPUs, 64-bit numbers.",
        "Matrix work outside them is several times slower. Use mixed precision, and sizes that are multiples of 8.",
    ),
    measure(
        "gpu_time",
        "nanoseconds",
        "Time that the GPU worked for an op. For one call it is the time covered by its kernels, copies and \
         memsets, whenever they run. For a single kernel it is the duration.",
        "length of the union of a call's GPU work, summed over calls",
        "Sort tables by it to see what costs most.",
    ),
    measure(
        "occupancy",
        "percent, from 0 to 100",
        "Warps that fit a multiprocessor at a time, in percent of the most that it could hold. Registers, shared memory, warps \
         and blocks limit it.",
        "blocks per SM × warps of a block ÷ warps of an SM",
        "Low occupancy hides little memory latency. Matrix kernels with large tiles are fast with 12 to 25 %; for all \
         others less than 25 % is suspicious. It is an upper bound. Grid occupancy (`grid_occupancy_percent`) counts no more warps than \
         the blocks of the grid have: with few blocks it is lower.",
    ),
    measure(
        "waves",
        "",
        "Number of rounds in which the GPU runs the blocks of a launch.",
        "blocks of the grid ÷ (blocks per SM × SMs)",
        "A little over a whole number is bad: the last round is nearly empty. Above ten it does not matter.",
    ),
    measure(
        "tail_loss",
        "nanoseconds",
        "Time that a launch loses because its last round of blocks does not fill the GPU. An upper bound: blocks are taken to be \
         equally long.",
        "duration × (1 − blocks ÷ (rounds × blocks at a time))",
        "Choose a grid that is a multiple of what runs at a time, or a larger batch.",
    ),
    measure(
        "underfill_loss",
        "nanoseconds",
        "Time that a launch loses because it has fewer blocks than the GPU has multiprocessors.",
        "duration × (1 − blocks ÷ SMs)",
        "Use larger batches, fuse small kernels, or run them at the same time on several streams.",
    ),
    measure(
        "flop",
        "operations",
        "Operations that an op has to do, from its type and shapes. A multiplication and an addition are two.",
        "for example 2·N·M·K of a product of matrices; twice that in the backward pass",
        "Algorithms may do more or fewer.",
    ),
    measure(
        "intensity",
        "FLOP per byte",
        "Operations of an op per byte that it has to move: each input read once, the output written once.",
        "FLOP ÷ bytes",
        "Below peak ÷ bandwidth the memory limits the op; fuse it with its neighbours. Above, the math units do.",
    ),
    measure(
        "attainable",
        "TFLOP/s",
        "The most that an op of its intensity can reach on a GPU.",
        "min(peak, intensity × bandwidth)",
        "",
    ),
    measure(
        "efficiency",
        "percent, from 0 to 100",
        "The speed of an op, in percent of the speed that it can reach.",
        "FLOP ÷ GPU time ÷ attainable",
        "Above 100 %, caches helped, or the op did less than the formula says. Below 30 %, find a better kernel.",
    ),
    measure(
        "launch_latency",
        "nanoseconds",
        "Time from the start of a launch call to the start of its kernel.",
        "kernel start − call start",
        "Large values are healthy: the host is ahead of the GPU. It is never a problem by itself; see start_delay and \
         starved.",
    ),
    measure(
        "queue_time",
        "nanoseconds",
        "Time from the end of a launch call to the start of its kernel; empty if the kernel started before.",
        "kernel start − call end",
        "Large values are healthy: the host is ahead of the GPU.",
    ),
    measure(
        "start_delay",
        "nanoseconds",
        "Time that only the launch cost: from the launch call, or from the end of the earlier work of the stream if that is \
         later, to the start of the kernel.",
        "kernel start − max(call start, end of the work before)",
        "A few microseconds per kernel are the cost of a launch.",
    ),
    entry(
        "starved",
        "A launch is starved if its stream was empty at the call, because the GPU had finished all earlier work.",
        "Many starved launches mean that the host is too slow.",
    ),
    measure(
        "exposed_communication",
        "nanoseconds",
        "Time in which kernels exchange data between GPUs while nothing computes.",
        "time covered by communication kernels and by no other kernel",
        "It includes waiting for the slowest rank. The hidden part costs little.",
    ),
    measure(
        "exposed_copy",
        "nanoseconds",
        "Time in which memory is copied or set and no kernel runs.",
        "time covered by copies and memsets and by no kernel",
        "",
    ),
    measure(
        "reader_cost",
        "nanoseconds",
        "Time of an iteration that data-loading ranges of one thread cover.",
        "union of the ranges inside the iteration, on the thread with most of it",
        "Near zero is healthy: batches are ready when they are needed.",
    ),
    measure(
        "batch_cost",
        "nanoseconds",
        "The whole time of a batch: the length of the iteration.",
        "end − start of the iteration",
        "",
    ),
    measure(
        "items_per_s",
        "1/s",
        "Items, such as images or sequences, per second.",
        "batch size × 10⁹ ÷ length of the iteration",
        "Needs `--batch-size`.",
    ),
    entry(
        "peak_source",
        "Where the peaks of a GPU come from: `export` if they follow from its clock and multiprocessors, `table` if our \
         table or the settings have them, `none` if nobody knows.",
        "Add a GPU that is not known to `[gpus]` in the file of `--config`, such as `[gpus.\"RTX 9999\"]` with `fp32 = 210` and \
         `gb_per_s = 4000`.",
    ),
];
