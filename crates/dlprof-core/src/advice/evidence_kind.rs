//! The kinds of rows that findings rest on.

/// Declares the kinds, each with its table and its column.
macro_rules! kinds {
    ($(#[doc = $doc:literal] $kind:ident: $table:ident.$column:ident,)*) => {
        /// What a finding rests on: rows of a table, named by the cells of one of its columns.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum EvidenceKind {
            $(#[doc = $doc] $kind,)*
        }

        impl EvidenceKind {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$kind),*];

            /// Keys of the table and of the column.
            pub(super) const fn place(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$kind => (stringify!($table), stringify!($column)),)*
                }
            }
        }
    };
}

kinds! {
    /// Causes of idle time.
    Cause: idle_totals.cause,
    /// Causes of idle time, iteration by iteration.
    CauseByIteration: idle_causes.cause,
    /// Kinds of copies.
    CopyKind: copies.kind,
    /// What is odd in the capture.
    Diagnostic: diagnostics.code,
    /// Modules of the model of a server.
    EngineModule: engine_modules.module,
    /// Phases of the steps of a server.
    EnginePhase: engine_phases.phase,
    /// GPUs.
    Gpu: gpus.device_id,
    /// GPUs, with what they did in each iteration.
    GpuByIteration: gpu_time.device_id,
    /// Iterations, with what GPUs did in them.
    GpuIteration: gpu_time.iteration,
    /// CUDA functions.
    HostCall: host_calls.api_function,
    /// Copies by kind of host memory.
    HostMemory: copies.host_memory,
    /// Iterations with idle time.
    IdleIteration: idle_causes.iteration,
    /// Iterations.
    Iteration: iterations.iteration,
    /// Kernels by demangled name.
    Kernel: kernel_names.long_kernel_name,
    /// Launches with a call.
    Launches: launch_stats.with_call,
    /// Kernels that were measured.
    MeasuredKernel: ncu_kernels.long_kernel_name,
    /// Ops whose kernels were measured.
    MeasuredOp: ncu_ops.op_id,
    /// Ops.
    Op: ops.op_id,
    /// Processes with what they launched.
    Process: records.process_id,
    /// Calls of the operating system while GPUs idle.
    OsCall: idle_os_calls.os_call,
    /// Threads that launch.
    Thread: threads.thread_id,
}

#[cfg(test)]
mod tests {
    use super::EvidenceKind;
    use crate::advice::tables::definition;

    #[test]
    fn every_kind_is_a_column_of_a_table() {
        for kind in EvidenceKind::ALL {
            let (table, column) = kind.place();
            let headers = definition(table).expect("a table").headers();
            assert!(headers.iter().any(|header| header.key == column), "{kind:?}: {table}.{column}");
        }
    }
}
