//! What real names of kernels say, and what words inside of other words must not make them say.

use super::{Exchange, KernelNameSays, NamedKind, Precision, kernel_name_says};
use crate::capture::correlate::TensorCores;
use Exchange::{AllReduce, Combine, Dispatch, No, Notify, Pack, SendRecv};
use NamedKind::{
    Attention, AttentionHelper, Cache, Elementwise, Graph, Layout, Loss, Matrix, Normalisation, Optimizer,
    Preparation, Quantisation, Rearrangement, Recurrence, Reduction, Routing, Sampling, Softmax, Transform,
};
use Precision::{Bf16, F16, F32, F64, Fp4, Fp8, Mixed, Tf32};
use TensorCores::{NotUsed, Unknown, Used};

#[test]
fn what_kernels_compute() {
    for (name, kind) in [
        ("CUDA graph 12", Graph),
        ("void aiter::rmsnorm2d_fwd_kernel<__hip_bfloat16>(int)", Normalisation),
        ("_fused_rms_fp8_group_quant_kernel", Normalisation),
        ("void fastertransformer::generalLayerNorm<__half>(int)", Normalisation),
        ("void aiter::dynamic_per_token_scaled_quant_kernel<__hip_bfloat16, float>(int)", Quantisation),
        ("void kDequantizeBlockwise<__half, 512, 64, 8, 2>(float*, unsigned char*)", Quantisation),
        (
            "void transformer_engine::dispatch::mxfp8::quantize_kernel::quantize_mxfp8_kernel<true>(int)",
            Quantisation,
        ),
        ("void kgemm_4bit_inference_naive<__nv_bfloat16, 128, 16>(int, int)", Matrix),
        ("void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<int>>(int)", Matrix),
        ("void mul_mat_vec_q<(ggml_type)2, 1>(void const*)", Matrix),
        ("fused_NT_matmul_add_kernel", Matrix),
        ("void ck_tile::kentry<256, 1, ck_tile::FmhaFwdKernel<ck_tile::Pipeline<int>>>(int)", Attention),
        ("mla_a16w16_bf16_stage1", Attention),
        ("void flash_fwd_splitkv_mla_combine_kernel<cutlass::bfloat16_t, float>(int)", AttentionHelper),
        ("get_mla_metadata_kernel(Mla_metadata_params)", Preparation),
        ("void ck_tile::kentry<256, 2, ck_tile::MoeSortingKernel<ck_tile::Problem<int>>>(int)", Routing),
        ("set_mla_kv_buffer_kernel", Cache),
        (
            "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float, float, int>>(int)",
            Optimizer,
        ),
        ("void multi_tensor_apply_kernel<TensorListMetadata<1>, L2NormFunctor<float>>(int)", Reduction),
        (
            "void multi_tensor_apply_kernel<TensorListMetadata<2>, ScaleFunctor<float, float>>(int)",
            Elementwise,
        ),
        (
            "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<64, 16, 1, float>>(int)",
            Recurrence,
        ),
        ("chunk_gated_delta_rule_fwd_kernel_h_blockdim64", Recurrence),
        ("solve_tril_16x16_kernel", Recurrence),
        ("void RNN_blockPersist_fp_LSTM<float, float, float, 64>(int)", Recurrence),
        ("void lstm_cell<float, float, int>(int)", Elementwise),
        (
            "void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::GemmUniversal<int>>>(int)",
            Matrix,
        ),
        ("liger_cross_entropy_kernel", Loss),
        ("void scaled_masked_softmax_warp_forward<c10::Half, c10::Half, float, 9>(int)", Softmax),
        ("void spRadix0064B::kernel1Mem<unsigned int, float, (fftDirection_t)-1>(int)", Transform),
        ("void cudnn::winograd_nonfused::winogradWgradDelta4x4<float, float>(int)", Transform),
        ("void nhwcAddPaddingKernel<__half, __half, float, true, (cudnnKernelDataType_t)0>(int)", Layout),
        (
            "void at::native::elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::native::index_kernel_impl\
             <at::native::OpaqueType<4>>(at::TensorIteratorBase&)::{lambda(char*)#1}>(int)::{lambda(int)#1}>(int)",
            Rearrangement,
        ),
        (
            "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__reduce::ReduceAgent<float*>, float*>(int)",
            Reduction,
        ),
        ("void rope_norm<true>(float*)", Elementwise),
        ("void flashinfer::sampling::MinPSamplingFromProbKernel<1024u, float, int>(float*)", Sampling),
    ] {
        assert_eq!(kernel_name_says(name).kind, Some(kind), "{name}");
    }
}

#[test]
fn what_compilers_generate() {
    for (name, kind) in [
        ("triton_poi_fused_native_layer_norm_bmm_7", Some(Elementwise)),
        ("triton_red_fused_native_layer_norm_3", Some(Normalisation)),
        ("triton_per_fused__softmax_1", Some(Softmax)),
        ("triton_per_fused_sum_2", Some(Reduction)),
        ("triton_tem_fused_bmm_4", Some(Matrix)),
        ("<unnamed>::nvfuser_transpose_f0_c1_r0_g0(int)", Some(Layout)),
        ("input_reduce_fusion_3", Some(Reduction)),
        ("loop_multiply_fusion", Some(Elementwise)),
        ("wrapped_concatenate_1", Some(Rearrangement)),
        ("gemm_fusion_dot_42_0", Some(Matrix)),
        ("fusion_12", None),
    ] {
        assert_eq!(kernel_name_says(name).kind, kind, "{name}");
    }
    assert_eq!(kernel_name_says("triton_poi_fused_addmm_2").tensor_cores, NotUsed);
    assert_eq!(kernel_name_says("triton_tem_fused_mm_3").tensor_cores, Unknown);
}

#[test]
fn what_kernels_exchange() {
    for (name, exchange) in [
        ("ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Exchange::Some),
        ("mscclKernel_Sum_half_Simple_false(ncclDevComm*)", Exchange::Some),
        ("void allreduce7<__half>(int4*, mscclpp::DeviceHandle<mscclpp::MemoryChannel>*)", AllReduce),
        ("void deep_ep::internode_ll::dispatch<true, 3, 10, 4096>(void*)", Dispatch),
        ("void deep_ep::intranode::combine<__nv_bfloat16, 4, 768, 4096>(int)", Combine),
        ("void deep_ep::intranode::notify_dispatch<4>(int const*)", Notify),
        ("void deep_ep::elastic::combine_reduce_epilogue_impl<132>(void*)", Pack),
        ("void deep_ep::layout::get_dispatch_layout<256, 4, 8>(long const*)", No),
        ("void hybrid_ep::dispatch_kernel<hybrid_ep::Config<1>>(int)", Dispatch),
        ("mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(int)", Dispatch),
        ("EpCombineInterNodeKernel_bf16", Combine),
        ("kuserbuffers_pullrecv(int, int, int, int*)", SendRecv),
        ("nvshmemi_barrier_all_kernel", Notify),
        ("void quickreduce::allreduce_prototype_twoshot<int>(int)", AllReduce),
        ("void softmax_warpAllReduce<float>(float*)", No),
        ("void reduce_kernel(float*)", No),
        ("splitKreduce_kernel", No),
        ("my_nccl_like", Exchange::Unknown),
        ("saxpy", Exchange::Unknown),
        // Words of exchange mean nothing without a library for it.
        ("dispatch(float*)", Exchange::Unknown),
        ("void combine<128>(float*, int)", Exchange::Unknown),
        ("gather_and_notify_all(float*)", Exchange::Unknown),
        ("exchange_halo(double*, int)", Exchange::Unknown),
    ] {
        assert_eq!(kernel_name_says(name).exchange, exchange, "{name}");
    }
}

#[test]
fn parts_of_words_say_nothing() {
    for name in [
        "field_summary_kernel",
        "adamant_shader",
        "gemmini_sim",
        "conversion_factor_kernel",
        "attenuate_volume(float*)",
        "poolside",
        "silhouette_kernel",
        "recombine_cells(float*)",
        "index_of_refraction",
        "normal_map_kernel",
        "",
        "::",
        "<odd",
        "operator<",
        "_Z",
        "_ZN3",
    ] {
        let expected = KernelNameSays {
            kind: None,
            exchange: Exchange::Unknown,
            tensor_cores: Unknown,
            library: None,
            precision: None,
        };
        assert_eq!(kernel_name_says(name), expected, "{name}");
    }
    for (name, kind) in [
        ("void vllm::rotary_embedding_kernel<float, true>(long*)", Elementwise),
        ("void moe::topkGatingSoftmax<8, 64, 4>(float const*)", Routing),
        ("void (anonymous namespace)::elementwise_kernel_with_index<int, at::f(int)>(int)", Elementwise),
    ] {
        assert_eq!(kernel_name_says(name).kind, Some(kind), "{name}");
    }
    let hadamard = "void fast_hadamard_transform_kernel<fast_hadamard_transform_kernel_traits<128>>(int)";
    assert_eq!(kernel_name_says(hadamard).kind, None);
}

#[test]
fn which_kernels_use_tensor_cores() {
    let used = [
        "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
        "turing_h1688gemm_128x128_ldg8_stages_32x1_tn",
        "ampere_s1688tf32gemm_128x128",
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
        "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_warpgroupsize1x1x1_execute_kernel__5x_cublas",
        "nvjet_sm90_hss_320x128_64x3_1x2_h_bz_coopB_TNN",
        "void Kernel<cutlass_tensorop_h884fprop>()",
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, cutlass::half_t>>(Flash_fwd_params)",
        "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16",
        "bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et128x8_sm100a",
        "Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_MI32x32x8x1_SE_1LDSB0",
        "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_28G",
    ];
    let not_used = [
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4",
        "cutlass_80_simt_sgemm_128x32_8x5_nn_align1",
        "volta_scudnn_128x64_relu_interior_nn_v1",
        "volta_gcgemm_32x32_nt",
        "implicit_convolve_hhgemm",
        "void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, 0, 512>(int, int)",
        "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, 0, 1, 2>",
        "void gemvx::kernel<int, int, __half>",
        "void flash::flash_fwd_splitkv_combine_kernel<Traits<64, cutlass::half_t>, 4>(flash::Flash_fwd_params)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)",
        "SubTensorOpWithScalar1d",
    ];
    let unknown = [
        "fmha_cutlassF_f32_aligned_64x64_rf_sm80",
        "matmul_kernel",
        "_attn_fwd",
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<int>>>",
        "Cijk_Alik_Bljk_SB_MT64x64x16_SE_K1",
        "saxpy",
    ];
    for (names, expected) in [(&used[..], Used), (&not_used[..], NotUsed), (&unknown[..], Unknown)] {
        for name in names {
            assert_eq!(kernel_name_says(name).tensor_cores, expected, "{name}");
        }
    }
}

#[test]
fn the_format_and_the_library() {
    for (name, library, precision) in [
        ("ampere_sgemm_128x64_tn", Some("cuBLAS"), Some(F32)),
        ("volta_dgemm_64x64_nn", Some("cuBLAS"), Some(F64)),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize32x32x64", Some("cuBLASLt"), Some(Tf32)),
        ("nvjet_sm100_qqtst_128x256", Some("cuBLASLt"), Some(Fp8)),
        ("nvjet_hss_320x128_64x3", Some("cuBLASLt"), Some(F16)),
        ("void marlin::Marlin<__nv_bfloat16, 256, 1>(int4 const*)", Some("vLLM"), Some(Mixed)),
        ("gemm_Bfloat16_E4m3E4m3_Fp32_t128x8x128u2_sm100f", Some("TensorRT-LLM"), Some(Fp8)),
        (
            "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int, cute::tuple<cutlass::float_e2m1_t>>>(T1)",
            Some("CUTLASS"),
            Some(Fp4),
        ),
        (
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16>>(int)",
            Some("torch"),
            Some(Bf16),
        ),
        ("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", Some("NCCL"), None),
        (
            "void flash_fwd_splitkv_mla_kernel<Traits<576, cutlass::bfloat16_t>>(int)",
            Some("FlashMLA"),
            Some(Bf16),
        ),
        ("loop_add_fusion_12", Some("XLA"), None),
        ("jacobi_step(float*, float*, int)", None, None),
    ] {
        let says = kernel_name_says(name);
        assert_eq!((says.library, says.precision), (library, precision), "{name}");
    }
}

#[test]
fn a_name_that_is_cut_anywhere_is_read() {
    for name in [
        "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<cute::tuple<cute::C<1>>, (int)8>>>(T1::Params)",
        "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiEEENS_12float_e4m3_tEEEEEvNT_6ParamsE",
        "std::enable_if<(((8)>(0)))&&vllm::x<é>::exists, void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(long)",
    ] {
        for end in (0..=name.len()).filter(|&end| name.is_char_boundary(end)) {
            let _ = kernel_name_says(&name[..end]);
        }
    }
}
