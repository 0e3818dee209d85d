//! The list of all reports.

use super::catalog::{Entry, Kind, Takes};
use super::form::Form;

/// An entry of the list.
const fn report(kind: Kind, names: [&'static str; 3], title: &'static str, takes: Takes) -> Entry {
    const fn some(name: &'static str) -> Option<&'static str> {
        if name.is_empty() { None } else { Some(name) }
    }
    Entry { kind, name: names[0], name_2022: some(names[1]), name_2020: some(names[2]), title, takes }
}

/// All reports.
pub static REPORTS: &[Entry] = &[
    report(
        Kind::ApiGpuSum,
        ["cuda_api_gpu_sum", "apigpusum", "apigpusum"],
        "CUDA Summary (API/Kernels/MemOps)",
        Takes::NamesAndRanges,
    ),
    report(Kind::ApiSum, ["cuda_api_sum", "cudaapisum", "cudaapisum"], "CUDA API Summary", Takes::Nothing),
    report(
        Kind::ApiTrace,
        ["cuda_api_trace", "cudaapitrace", "cudaapitrace"],
        "CUDA API Trace",
        Takes::Nothing,
    ),
    report(
        Kind::KernelGridSum,
        ["cuda_gpu_kern_gb_sum", "gpukernsum", ""],
        "CUDA GPU Kernel/Grid/Block Summary",
        Takes::NamesAndRanges,
    ),
    report(
        Kind::KernelSum,
        ["cuda_gpu_kern_sum", "", "gpukernsum"],
        "CUDA GPU Kernel Summary",
        Takes::NamesAndRanges,
    ),
    report(
        Kind::MemorySizeSum,
        ["cuda_gpu_mem_size_sum", "gpumemsizesum", "gpumemsizesum"],
        "CUDA GPU MemOps Summary (by Size)",
        Takes::Nothing,
    ),
    report(
        Kind::MemoryTimeSum,
        ["cuda_gpu_mem_time_sum", "gpumemtimesum", "gpumemtimesum"],
        "CUDA GPU MemOps Summary (by Time)",
        Takes::Nothing,
    ),
    report(
        Kind::GpuSum,
        ["cuda_gpu_sum", "gpusum", "gpusum"],
        "CUDA GPU Summary (Kernels/MemOps)",
        Takes::NamesAndRanges,
    ),
    report(
        Kind::GpuTrace,
        ["cuda_gpu_trace", "gputrace", "gputrace"],
        "CUDA GPU Trace",
        Takes::NewNamesAndRanges,
    ),
    report(
        Kind::ExecSum,
        ["cuda_kern_exec_sum", "kernexecsum", ""],
        "CUDA Kernel Launch & Exec Time Summary",
        Takes::NamesAndRanges,
    ),
    report(
        Kind::ExecTrace,
        ["cuda_kern_exec_trace", "kernexectrace", ""],
        "CUDA Kernel Launch & Exec Time Trace",
        Takes::NamesAndRanges,
    ),
    report(Kind::Graphics(0), ["dx11_pix_sum", "dx11pixsum", ""], "DX11 PIX Range Summary", Takes::Nothing),
    report(
        Kind::Graphics(1),
        ["dx12_gpu_marker_sum", "dx12gpumarkersum", ""],
        "DX12 GPU Command List PIX Ranges Summary",
        Takes::Nothing,
    ),
    report(Kind::Graphics(2), ["dx12_pix_sum", "dx12pixsum", ""], "DX12 PIX Range Summary", Takes::Nothing),
    report(Kind::MpiSum, ["mpi_event_sum", "", ""], "MPI Event Summary", Takes::Nothing),
    report(Kind::MpiTrace, ["mpi_event_trace", "", ""], "MPI Event Trace", Takes::Nothing),
    report(
        Kind::NvtxProjectionSum,
        ["nvtx_gpu_proj_sum", "", ""],
        "NVTX GPU Projection Summary",
        Takes::Nothing,
    ),
    report(
        Kind::NvtxProjectionTrace,
        ["nvtx_gpu_proj_trace", "nvtxgpuproj", ""],
        "NVTX GPU Projection Trace",
        Takes::Nothing,
    ),
    report(
        Kind::NvtxKernelSum,
        ["nvtx_kern_sum", "nvtxkernsum", ""],
        "NVTX Range Kernel Summary",
        Takes::Names,
    ),
    report(
        Kind::NvtxPushPopSum,
        ["nvtx_pushpop_sum", "nvtxppsum", "nvtxppsum"],
        "NVTX Push/Pop Range Summary",
        Takes::Nothing,
    ),
    report(
        Kind::NvtxPushPopTrace,
        ["nvtx_pushpop_trace", "nvtxpptrace", ""],
        "NVTX Push/Pop Range Trace",
        Takes::Nothing,
    ),
    report(
        Kind::NvtxStartEndSum,
        ["nvtx_startend_sum", "nvtxsesum", ""],
        "NVTX Start/End Range Summary",
        Takes::Nothing,
    ),
    report(Kind::NvtxSum, ["nvtx_sum", "nvtxsum", ""], "NVTX Range Summary", Takes::Nothing),
    report(Kind::OpenAccSum, ["openacc_sum", "openaccsum", ""], "OpenACC Summary", Takes::Nothing),
    report(
        Kind::Graphics(3),
        ["opengl_khr_gpu_range_sum", "khrdebuggpusum", ""],
        "OpenGL KHR_debug GPU Range Summary",
        Takes::Nothing,
    ),
    report(
        Kind::Graphics(4),
        ["opengl_khr_range_sum", "khrdebugsum", ""],
        "OpenGL KHR_debug Range Summary",
        Takes::Nothing,
    ),
    report(Kind::OpenMpSum, ["openmp_sum", "openmpevtsum", "openmpevtsum"], "OpenMP Summary", Takes::Nothing),
    report(Kind::OsSum, ["osrt_sum", "osrtsum", "osrtsum"], "OS Runtime Summary", Takes::Nothing),
    report(
        Kind::ManagedFaults,
        ["um_cpu_page_faults_sum", "umcpupagefaults", ""],
        "Unified Memory CPU Page Faults Summary",
        Takes::Nothing,
    ),
    report(Kind::ManagedSum, ["um_sum", "unifiedmemory", ""], "Unified Memory Analysis Summary", Takes::Rows),
    report(
        Kind::ManagedTotals,
        ["um_total_sum", "unifiedmemorytotals", ""],
        "Unified Memory Totals Summary",
        Takes::Nothing,
    ),
    report(
        Kind::Graphics(5),
        ["vulkan_gpu_marker_sum", "vulkangpumarkersum", ""],
        "Vulkan GPU Range Summary",
        Takes::Nothing,
    ),
    report(
        Kind::Graphics(6),
        ["vulkan_marker_sum", "vulkanmarkerssum", ""],
        "Vulkan Range Summary",
        Takes::Nothing,
    ),
    report(
        Kind::Graphics(7),
        ["wddm_queue_sum", "wddmqueuesdetails", ""],
        "WDDM Queue Utilization Summary",
        Takes::Nothing,
    ),
];

/// The report that a version knows under a name.
#[must_use]
pub(crate) fn find(form: Form, name: &str) -> Option<&'static Entry> {
    REPORTS.iter().find(|entry| entry.answers_to(form, name))
}

/// The reports that a version prints if none is named.
pub fn defaults(form: Form) -> impl Iterator<Item = &'static Entry> {
    let names: &[&str] = match form {
        Form::V2020 => &[
            "cudaapisum",
            "gpukernsum",
            "gpumemtimesum",
            "gpumemsizesum",
            "osrtsum",
            "nvtxppsum",
            "openmpevtsum",
        ],
        Form::V2022 => &[
            "nvtxsum",
            "osrtsum",
            "cudaapisum",
            "gpukernsum",
            "gpumemtimesum",
            "gpumemsizesum",
            "openmpevtsum",
            "khrdebugsum",
            "khrdebuggpusum",
            "vulkanmarkerssum",
            "vulkangpumarkersum",
            "dx11pixsum",
            "dx12gpumarkersum",
            "dx12pixsum",
            "wddmqueuesdetails",
            "unifiedmemory",
            "unifiedmemorytotals",
            "umcpupagefaults",
            "openaccsum",
        ],
        _ => &[
            "nvtx_sum",
            "osrt_sum",
            "cuda_api_sum",
            "cuda_gpu_kern_sum",
            "cuda_gpu_mem_time_sum",
            "cuda_gpu_mem_size_sum",
            "openmp_sum",
            "opengl_khr_range_sum",
            "opengl_khr_gpu_range_sum",
            "vulkan_marker_sum",
            "vulkan_gpu_marker_sum",
            "dx11_pix_sum",
            "dx12_gpu_marker_sum",
            "dx12_pix_sum",
            "wddm_queue_sum",
            "um_sum",
            "um_total_sum",
            "um_cpu_page_faults_sum",
            "openacc_sum",
        ],
    };
    names.iter().filter_map(move |name| REPORTS.iter().find(|entry| entry.name_in(form) == Some(name)))
}
