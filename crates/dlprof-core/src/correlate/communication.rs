//! Which kernels move data between GPUs.

/// What the short names of communication kernels begin with: NCCL, its AMD twin, NVSHMEM.
const PREFIXES: [&str; 3] = ["nccl", "rccl", "nvshmem"];

/// Parts of names of the kernels by which serving engines exchange data themselves (vLLM, TensorRT-LLM).
const PARTS: [&str; 4] =
    ["cross_device_reduce", "multimem_all_reduce", "allReduceKernel", "one_shot_all_reduce"];

/// Whether a kernel exchanges data between GPUs, by its short name.
#[must_use]
pub fn is_communication_kernel(short_name: &str) -> bool {
    PREFIXES.iter().any(|prefix| short_name.starts_with(prefix))
        || PARTS.iter().any(|part| short_name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_communication_kernel;

    #[test]
    fn names_of_libraries_tell() {
        for name in
            ["ncclDevKernel_AllReduce_Sum_f16_RING_LL", "ncclKernel_SendRecv", "cross_device_reduce_1stage"]
        {
            assert!(is_communication_kernel(name), "{name}");
        }
        for name in ["reduce_kernel", "splitKreduce_kernel", "my_nccl_like", ""] {
            assert!(!is_communication_kernel(name), "{name}");
        }
    }
}
