//! The kinds of rows that findings rest on.

/// What a finding rests on: rows of a table, named by the cells of one of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvidenceKind {
    /// Causes of idle time.
    Cause,
    /// Causes of idle time, iteration by iteration.
    CauseByIteration,
    /// Kinds of copies.
    CopyKind,
    /// What is odd in the capture.
    Diagnostic,
    /// GPUs.
    Gpu,
    /// GPUs, with what they did in each iteration.
    GpuByIteration,
    /// Iterations, with what GPUs did in them.
    GpuIteration,
    /// CUDA functions.
    HostCall,
    /// Copies by kind of host memory.
    HostMemory,
    /// Iterations with idle time.
    IdleIteration,
    /// Iterations.
    Iteration,
    /// Kernels by demangled name.
    Kernel,
    /// Launches with a call.
    Launches,
    /// Ops.
    Op,
    /// Calls of the operating system while GPUs idle.
    OsCall,
    /// Threads that launch.
    Thread,
}

impl EvidenceKind {
    /// Keys of the table and of the column.
    pub(super) const fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Cause => ("idle_totals", "cause"),
            Self::CauseByIteration => ("idle_causes", "cause"),
            Self::CopyKind => ("copies", "kind"),
            Self::Diagnostic => ("diagnostics", "code"),
            Self::Gpu => ("gpus", "device_id"),
            Self::GpuByIteration => ("gpu_time", "device_id"),
            Self::GpuIteration => ("gpu_time", "iteration"),
            Self::HostCall => ("host_calls", "api_function"),
            Self::HostMemory => ("copies", "host_memory"),
            Self::IdleIteration => ("idle_causes", "iteration"),
            Self::Iteration => ("iterations", "iteration"),
            Self::Kernel => ("kernel_names", "long_kernel_name"),
            Self::Launches => ("launch_stats", "with_call"),
            Self::Op => ("ops", "op_id"),
            Self::OsCall => ("idle_os_calls", "os_call"),
            Self::Thread => ("threads", "thread_id"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EvidenceKind;
    use crate::advice::tables::definition;

    #[test]
    fn every_kind_is_a_column_of_a_table() {
        use EvidenceKind::*;
        let all = [
            Cause,
            CauseByIteration,
            CopyKind,
            Diagnostic,
            Gpu,
            GpuByIteration,
            GpuIteration,
            HostCall,
            HostMemory,
            IdleIteration,
            Iteration,
            Kernel,
            Launches,
            Op,
            OsCall,
            Thread,
        ];
        for kind in all {
            let (table, column) = kind.place();
            let headers = definition(table).expect("a table").headers();
            assert!(headers.iter().any(|header| header.key == column), "{kind:?}: {table}.{column}");
        }
    }
}
