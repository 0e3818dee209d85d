//! What the name of a binary says of a CPU sample in it.

/// Whose code a binary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    /// The program, or a library that computes for it.
    Program,
    /// Code in which threads wait, or work for the GPU: CUDA's driver and runtime, libraries for communication, the profiler.
    Other,
    /// Code that each of these calls, such as the kernel and the C library: the caller says whose work it is.
    Shared,
}

const SHARED: [&str; 7] = ["[", "libc.", "libc-", "ld-", "libpthread", "libstdc++", "libgcc"];

const OTHER: [&str; 16] = [
    "libcuda",
    "libcupti",
    "libnvidia",
    "libToolsInjection",
    "libnccl",
    "libmpi",
    "libopen-pal",
    "libopen-rte",
    "libfabric",
    "libucp",
    "libuct",
    "libucs",
    "libucm",
    "libpsm",
    "libibverbs",
    "libmlx",
];

impl Binary {
    /// Of a path or name.
    #[must_use]
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| name.starts_with(begin));
        match name {
            "" => Self::Shared,
            _ if begins(&SHARED) => Self::Shared,
            _ if begins(&OTHER) => Self::Other,
            _ => Self::Program,
        }
    }
}

/// Whether a function of a library makes its handle, as `cublasLtCreate` of `libcublasLt.so.12` does. Programs call it once; what
/// makes a descriptor, such as `cublasLtMatmulDescCreate`, is called again and again.
#[must_use]
pub(crate) fn creates_library(function: &str, path: &str) -> bool {
    /// As `cusolverDnCreate` of `libcusolver` has it.
    const LONGEST_KIND: usize = 2;
    let name = path.rsplit('/').next().unwrap_or_default();
    let library = name.strip_prefix("lib").and_then(|name| name.split('.').next()).unwrap_or_default();
    let function = function.split_once("_v").map_or(function, |(name, _)| name);
    let kind = function.strip_suffix("Create").and_then(|name| name.strip_prefix(library));
    !library.is_empty() && kind.is_some_and(|kind| kind.len() <= LONGEST_KIND)
}

#[cfg(test)]
mod tests {
    use super::{Binary, creates_library};

    #[test]
    fn handles_of_libraries_are_told_from_descriptors() {
        for (function, path) in [
            ("cublasLtCreate", "/usr/local/cuda/lib64/libcublasLt.so.12.0.2.224"),
            ("cublasCreate_v2", "libcublas.so.11"),
            ("cudnnCreate", "libcudnn.so.8"),
            ("cusolverDnCreate", "libcusolver.so.11"),
        ] {
            assert!(creates_library(function, path), "{function}");
        }
        for (function, path) in [
            ("cublasLtMatmulDescCreate", "libcublasLt.so.12"),
            ("cudnnCreateTensorDescriptor", "libcudnn.so.8"),
            ("cudaStreamCreate", "libcudart.so.12"),
            ("cublasLtCreate", "my_gemm"),
            ("Create", ""),
        ] {
            assert!(!creates_library(function, path), "{function}");
        }
    }

    #[test]
    fn binaries_that_wait_are_told_from_the_program() {
        for path in ["saxpy-mpi-cuda", "/usr/lib/libpython3.11.so.1.0", "libtorch_cpu.so", "/lib/libm.so.6"] {
            assert_eq!(Binary::of(path), Binary::Program, "{path}");
        }
        for path in ["/usr/lib/libcuda.so.1", "libcudart.so.12", "libmpi_nvidia.so.12", "libcupti.so.12.0"] {
            assert_eq!(Binary::of(path), Binary::Other, "{path}");
        }
        for path in ["[kernel.kallsyms]", "[vdso]", "", "/usr/lib/libc.so.6", "libc-2.31.so"] {
            assert_eq!(Binary::of(path), Binary::Shared, "{path}");
        }
    }
}
