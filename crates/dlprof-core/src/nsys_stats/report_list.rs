//! The list of all reports.

use super::catalog::{NsysReportEntry, NsysReportKind, NsysReportTakes};
use super::form::NsysForm;

/// An entry of the list.
const fn report(
    kind: NsysReportKind,
    names: [&'static str; 3],
    title: &'static str,
    takes: NsysReportTakes,
) -> NsysReportEntry {
    const fn some(name: &'static str) -> Option<&'static str> {
        if name.is_empty() { None } else { Some(name) }
    }
    NsysReportEntry {
        kind,
        name: names[0],
        name_2022: some(names[1]),
        name_2020: some(names[2]),
        title,
        takes,
    }
}

/// All reports.
pub static REPORTS: &[NsysReportEntry] = &[
    report(
        NsysReportKind::ApiGpuSum,
        ["cuda_api_gpu_sum", "apigpusum", "apigpusum"],
        "CUDA Summary (API/Kernels/MemOps)",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::ApiSum,
        ["cuda_api_sum", "cudaapisum", "cudaapisum"],
        "CUDA API Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::ApiTrace,
        ["cuda_api_trace", "cudaapitrace", "cudaapitrace"],
        "CUDA API Trace",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::KernelGridSum,
        ["cuda_gpu_kern_gb_sum", "gpukernsum", ""],
        "CUDA GPU Kernel/Grid/Block Summary",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::KernelSum,
        ["cuda_gpu_kern_sum", "", "gpukernsum"],
        "CUDA GPU Kernel Summary",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::MemorySizeSum,
        ["cuda_gpu_mem_size_sum", "gpumemsizesum", "gpumemsizesum"],
        "CUDA GPU MemOps Summary (by Size)",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::MemoryTimeSum,
        ["cuda_gpu_mem_time_sum", "gpumemtimesum", "gpumemtimesum"],
        "CUDA GPU MemOps Summary (by Time)",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::GpuSum,
        ["cuda_gpu_sum", "gpusum", "gpusum"],
        "CUDA GPU Summary (Kernels/MemOps)",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::GpuTrace,
        ["cuda_gpu_trace", "gputrace", "gputrace"],
        "CUDA GPU Trace",
        NsysReportTakes::NewNamesAndRanges,
    ),
    report(
        NsysReportKind::ExecSum,
        ["cuda_kern_exec_sum", "kernexecsum", ""],
        "CUDA Kernel Launch & Exec Time Summary",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::ExecTrace,
        ["cuda_kern_exec_trace", "kernexectrace", ""],
        "CUDA Kernel Launch & Exec Time Trace",
        NsysReportTakes::NamesAndRanges,
    ),
    report(
        NsysReportKind::Graphics(0),
        ["dx11_pix_sum", "dx11pixsum", ""],
        "DX11 PIX Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(1),
        ["dx12_gpu_marker_sum", "dx12gpumarkersum", ""],
        "DX12 GPU Command List PIX Ranges Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(2),
        ["dx12_pix_sum", "dx12pixsum", ""],
        "DX12 PIX Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(NsysReportKind::MpiSum, ["mpi_event_sum", "", ""], "MPI Event Summary", NsysReportTakes::Nothing),
    report(
        NsysReportKind::MpiTrace,
        ["mpi_event_trace", "", ""],
        "MPI Event Trace",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxProjectionSum,
        ["nvtx_gpu_proj_sum", "", ""],
        "NVTX GPU Projection Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxProjectionTrace,
        ["nvtx_gpu_proj_trace", "nvtxgpuproj", ""],
        "NVTX GPU Projection Trace",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxKernelSum,
        ["nvtx_kern_sum", "nvtxkernsum", ""],
        "NVTX Range Kernel Summary",
        NsysReportTakes::Names,
    ),
    report(
        NsysReportKind::NvtxPushPopSum,
        ["nvtx_pushpop_sum", "nvtxppsum", "nvtxppsum"],
        "NVTX Push/Pop Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxPushPopTrace,
        ["nvtx_pushpop_trace", "nvtxpptrace", ""],
        "NVTX Push/Pop Range Trace",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxStartEndSum,
        ["nvtx_startend_sum", "nvtxsesum", ""],
        "NVTX Start/End Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::NvtxSum,
        ["nvtx_sum", "nvtxsum", ""],
        "NVTX Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::OpenAccSum,
        ["openacc_sum", "openaccsum", ""],
        "OpenACC Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(3),
        ["opengl_khr_gpu_range_sum", "khrdebuggpusum", ""],
        "OpenGL KHR_debug GPU Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(4),
        ["opengl_khr_range_sum", "khrdebugsum", ""],
        "OpenGL KHR_debug Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::OpenMpSum,
        ["openmp_sum", "openmpevtsum", "openmpevtsum"],
        "OpenMP Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::OsSum,
        ["osrt_sum", "osrtsum", "osrtsum"],
        "OS Runtime Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::ManagedFaults,
        ["um_cpu_page_faults_sum", "umcpupagefaults", ""],
        "Unified Memory CPU Page Faults Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::ManagedSum,
        ["um_sum", "unifiedmemory", ""],
        "Unified Memory Analysis Summary",
        NsysReportTakes::Rows,
    ),
    report(
        NsysReportKind::ManagedTotals,
        ["um_total_sum", "unifiedmemorytotals", ""],
        "Unified Memory Totals Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(5),
        ["vulkan_gpu_marker_sum", "vulkangpumarkersum", ""],
        "Vulkan GPU Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(6),
        ["vulkan_marker_sum", "vulkanmarkerssum", ""],
        "Vulkan Range Summary",
        NsysReportTakes::Nothing,
    ),
    report(
        NsysReportKind::Graphics(7),
        ["wddm_queue_sum", "wddmqueuesdetails", ""],
        "WDDM Queue Utilization Summary",
        NsysReportTakes::Nothing,
    ),
];

/// The report that a version knows under a name.
#[must_use]
pub(crate) fn find(form: NsysForm, name: &str) -> Option<&'static NsysReportEntry> {
    REPORTS.iter().find(|entry| entry.answers_to(form, name))
}

/// The reports that a version prints if none is named.
pub fn defaults(form: NsysForm) -> impl Iterator<Item = &'static NsysReportEntry> {
    let names: &[&str] = match form {
        NsysForm::V2020 => &[
            "cudaapisum",
            "gpukernsum",
            "gpumemtimesum",
            "gpumemsizesum",
            "osrtsum",
            "nvtxppsum",
            "openmpevtsum",
        ],
        NsysForm::V2022 => &[
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
