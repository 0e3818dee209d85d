//! Stalls of warps in words.

/// What a stall is, and what helps.
pub(super) fn stall_in_words(stall: &str) -> (&'static str, &'static str) {
    match stall {
        "long_scoreboard" => (
            "data from global or local memory",
            "keep more loads under way (more warps, several elements for each thread), and keep data in shared memory",
        ),
        "short_scoreboard" => {
            ("shared memory or special functions", "reduce bank conflicts and special functions")
        }
        "barrier" => {
            ("other warps at a barrier", "use smaller blocks, or even out the work before the barrier")
        }
        "math_pipe_throttle" => ("a busy arithmetic pipe", "spread the work over more kinds of instructions"),
        "mio_throttle" => {
            ("the queue of shared memory and special functions", "use fewer and wider accesses")
        }
        "lg_throttle" => ("the queue of global memory", "use fewer and wider accesses to global memory"),
        "tex_throttle" => ("the queue of textures", "use fewer and wider accesses"),
        "imc_miss" => {
            ("constants that are not in the cache", "access constants in the same order by all threads")
        }
        "no_instruction" | "no_instructions" => {
            ("instructions that are not in the cache", "make the code smaller, or the grid larger")
        }
        "wait" => ("a fixed delay between instructions", "keep more warps active, or unroll loops"),
        "dispatch" | "dispatch_stall" => {
            ("the dispatch of instructions", "spread the work over more kinds of instructions")
        }
        "drain" => ("stores at the end of the kernel", "store less, or earlier"),
        "membar" => ("a memory barrier", "use fewer or narrower fences"),
        "branch_resolving" => ("branches", "use fewer branches, and let a warp take the same one"),
        "sleeping" => ("threads that sleep", "wait less in the kernel"),
        _ => ("something else", "look at the stalls with Nsight Compute"),
    }
}
