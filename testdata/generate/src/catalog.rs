//! What the synthetic model is made of: its GPU kernels and its operations.

/// A GPU kernel that can be launched.
pub(crate) struct Kernel {
    /// Function name without template arguments.
    pub(crate) short_name: &'static str,
    /// Function name with template arguments and parameters.
    pub(crate) long_name: &'static str,
    /// Whether it runs on Tensor Cores. This is set here, not derived from the name.
    pub(crate) uses_tensor_cores: bool,
    /// Usual duration in ns.
    pub(crate) duration: i64,
    /// Grid size.
    pub(crate) grid: [i64; 3],
    /// Block size.
    pub(crate) block: [i64; 3],
    /// Registers per thread.
    pub(crate) registers: i64,
}

/// Index of the all-reduce kernel in [`KERNELS`].
pub(crate) const ALL_REDUCE: usize = 9;
/// Index of the kernel launched outside every op in [`KERNELS`].
pub(crate) const LOOSE_KERNEL: usize = 13;

/// All kernels; the rest of the program refers to them by index.
pub(crate) const KERNELS: &[Kernel] = &[
    Kernel {
        short_name: "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
        long_name: "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn",
        uses_tensor_cores: true,
        duration: 31_000,
        grid: [64, 4, 1],
        block: [256, 1, 1],
        registers: 118,
    },
    Kernel {
        short_name: "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
        long_name: "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
        uses_tensor_cores: true,
        duration: 24_000,
        grid: [48, 8, 1],
        block: [128, 1, 1],
        registers: 156,
    },
    Kernel {
        short_name: "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
        long_name: "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
        uses_tensor_cores: true,
        duration: 19_000,
        grid: [132, 1, 1],
        block: [384, 1, 1],
        registers: 168,
    },
    Kernel {
        short_name: "Kernel2",
        long_name: "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_64x64_64x5_nn_align8>(T1::Params)",
        uses_tensor_cores: true,
        duration: 22_000,
        grid: [32, 16, 1],
        block: [128, 1, 1],
        registers: 122,
    },
    Kernel {
        short_name: "Kernel2",
        long_name: "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(T1::Params)",
        uses_tensor_cores: false,
        duration: 27_000,
        grid: [16, 16, 1],
        block: [128, 1, 1],
        registers: 202,
    },
    Kernel {
        short_name: "volta_sgemm_32x32_sliced1x4_tn",
        long_name: "volta_sgemm_32x32_sliced1x4_tn",
        uses_tensor_cores: false,
        duration: 29_000,
        grid: [4, 32, 1],
        block: [128, 1, 1],
        registers: 86,
    },
    Kernel {
        short_name: "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8\
            _stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__51_cublas",
        long_name: "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8\
            _stage3_warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__51_cublas",
        uses_tensor_cores: false,
        duration: 26_000,
        grid: [8, 32, 1],
        block: [64, 1, 1],
        registers: 90,
    },
    Kernel {
        short_name: "vectorized_elementwise_kernel",
        long_name: "void at::native::vectorized_elementwise_kernel<(int)4, at::native::AddFunctor<c10::Half>, \
            at::detail::Array<char *, (int)3>>(int, T2, T3)",
        uses_tensor_cores: false,
        duration: 6_500,
        grid: [2_304, 1, 1],
        block: [128, 1, 1],
        registers: 18,
    },
    Kernel {
        short_name: "splitKreduce_kernel",
        long_name: "void splitKreduce_kernel<float, __half, float>(cublasSplitKParams<T3>, const T1 *, const T2 *, T2 *, const \
            T3 *, const T3 *)",
        uses_tensor_cores: false,
        duration: 4_200,
        grid: [64, 1, 1],
        block: [32, 16, 1],
        registers: 32,
    },
    Kernel {
        short_name: "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
        long_name: "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
        uses_tensor_cores: false,
        duration: 140_000,
        grid: [24, 1, 1],
        block: [544, 1, 1],
        registers: 96,
    },
    Kernel {
        short_name: "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32\
            _stage4_warpsize2x2x1_g1_tensor16x8x16_alignc8_execute_kernel__5x_cudnn",
        long_name: "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32\
            _stage4_warpsize2x2x1_g1_tensor16x8x16_alignc8_execute_kernel__5x_cudnn",
        uses_tensor_cores: true,
        duration: 38_000,
        grid: [72, 3, 1],
        block: [128, 1, 1],
        registers: 230,
    },
    Kernel {
        short_name: "distribution_elementwise_grid_stride_kernel",
        long_name: "void at::native::<unnamed>::distribution_elementwise_grid_stride_kernel<float, (int)4>(int, \
            at::PhiloxCudaState, T3, T4)",
        uses_tensor_cores: false,
        duration: 5_100,
        grid: [864, 1, 1],
        block: [256, 1, 1],
        registers: 56,
    },
    Kernel {
        short_name: "multi_tensor_apply_kernel",
        long_name: "void \
            at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::TensorListMetadata<(int)2>>(T1, T2, T3...)",
        uses_tensor_cores: false,
        duration: 58_000,
        grid: [320, 1, 1],
        block: [512, 1, 1],
        registers: 64,
    },
    Kernel {
        short_name: "reduce_kernel",
        long_name: "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<c10::Half, unsigned int, c10::Half, \
            (int)4>>(T3)",
        uses_tensor_cores: false,
        duration: 7_300,
        grid: [1, 48, 1],
        block: [32, 16, 1],
        registers: 32,
    },
];

/// What an operation does on its thread.
pub(crate) enum Work {
    /// Launches one to four of these kernels.
    Launch(&'static [usize]),
    /// Launches the all-reduce kernel on the last stream.
    AllReduce,
    /// Reads a scalar back: a copy to the host, then a wait for the stream.
    ReadBack,
    /// Allocates and copies to the device, then waits for the stream.
    Upload,
    /// Sets memory.
    Fill,
    /// Only records an event.
    RecordEvent,
}

/// A node of the backward graph that an operation creates.
pub(crate) struct Node {
    /// Operator range of the forward pass that carries the sequence number.
    pub(crate) forward: &'static str,
    /// Name of the backward node.
    pub(crate) backward: &'static str,
    /// Operator range inside the backward node, if any.
    pub(crate) nested: Option<&'static str>,
    /// Kernels of the backward node.
    pub(crate) kernels: &'static [usize],
    /// Whether the operation launches its forward kernels in this node's range.
    pub(crate) launches: bool,
}

/// One operation of the training loop.
pub(crate) struct Operation {
    /// Module and function in DLProf's marker; the function is the op type there.
    pub(crate) marker: (&'static str, &'static str),
    /// Arguments in DLProf's marker.
    pub(crate) arguments: &'static str,
    /// Trace in DLProf's marker.
    pub(crate) trace: &'static str,
    /// Function stack in DLProf's marker; `#` means the call counter of the layer.
    pub(crate) stack: &'static str,
    /// Whether the marker's op range holds another op range.
    pub(crate) inner_marker: bool,
    /// Outermost operator range.
    pub(crate) operator: &'static str,
    /// Argument shapes, which every second layer's outermost operator range carries.
    pub(crate) sizes: &'static str,
    /// Whether the operator range has a sequence number although the op creates no backward node.
    pub(crate) peeks_sequence: bool,
    /// Backward nodes, in forward order.
    pub(crate) nodes: &'static [Node],
    /// What it does.
    pub(crate) work: Work,
}

/// An operation without backward nodes, arguments or a trace of its own.
const PLAIN: Operation = Operation {
    marker: ("torch", ""),
    arguments: "[]",
    trace: "['train.py:52', 'train.py:34']",
    stack: "",
    inner_marker: false,
    operator: "",
    sizes: "",
    peeks_sequence: false,
    nodes: &[],
    work: Work::RecordEvent,
};

/// Copies the weights of a layer to the GPU before the loop.
pub(crate) const UPLOAD: Operation = Operation {
    marker: ("Tensor", "cuda"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (64, 64, 3, 3), 'dtype': 'float16'}]",
    trace: "['train.py:21', 'torch/nn/modules/module.py:680']",
    stack: "/<module>/Net::cuda/Net::_apply/cuda",
    operator: "aten::to",
    work: Work::Upload,
    ..PLAIN
};

/// The key op of the marker style: starts an iteration.
pub(crate) const ZERO_GRAD: Operation = Operation {
    marker: ("torch.optim.Optimizer", "zero_grad"),
    trace: "['train.py:52', 'train.py:30']",
    stack: "/<module>/train_step",
    operator: "aten::zero_",
    work: Work::RecordEvent,
    ..PLAIN
};

/// A convolution; its two backward nodes make two backward calls.
pub(crate) const CONVOLUTION: Operation = Operation {
    marker: ("torch.nn.functional", "conv2d"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (32, 64, 32, 32), 'dtype': 'float16'}, \
                {'name': '', 'type': 'tensor', 'shape': (64, 64, 3, 3), 'dtype': 'float16'}, \
                {'name': '', 'type': 'tensor', 'shape': (64,), 'dtype': 'float16'}]",
    trace: "['train.py:34', 'model.py:17', 'torch/nn/modules/conv.py:446']",
    stack: "/<module>/Net::_call_impl/Net::forward/Conv2d::_call_impl#/Conv2d::forward/conv2d",
    operator: "aten::conv2d",
    sizes: ", sizes = [[32, 64, 32, 32], [64, 64, 3, 3], [64]]",
    nodes: &[
        Node {
            forward: "aten::convolution",
            backward: "ConvolutionBackward0",
            nested: Some("aten::convolution_backward"),
            kernels: &[10, 8],
            launches: true,
        },
        Node {
            forward: "aten::add_",
            backward: "AddBackward0",
            nested: None,
            kernels: &[13],
            launches: false,
        },
    ],
    work: Work::Launch(&[10, 5, 7, 3]),
    ..PLAIN
};

/// An op without gradient whose range shows the sequence number that the next op will use.
pub(crate) const RANDOM: Operation = Operation {
    marker: ("torch", "rand_like"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (32, 64, 32, 32), 'dtype': 'float16'}]",
    trace: "['train.py:34', 'model.py:19']",
    stack: "/<module>/Net::_call_impl/Net::forward/rand_like",
    operator: "aten::rand_like",
    peeks_sequence: true,
    work: Work::Launch(&[11]),
    ..PLAIN
};

/// An activation, called from one place for all layers: equal names within an iteration.
pub(crate) const ACTIVATION: Operation = Operation {
    marker: ("torch.nn.functional", "relu"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (32, 64, 32, 32), 'dtype': 'float16'}]",
    trace: "['train.py:34', 'model.py:20']",
    stack: "/<module>/Net::_call_impl/Net::forward/relu",
    inner_marker: true,
    operator: "aten::relu",
    sizes: ", sizes = [[32, 64, 32, 32]]",
    nodes: &[Node {
        forward: "aten::clamp_min",
        backward: "ReluBackward0",
        nested: Some("aten::threshold_backward"),
        kernels: &[7],
        launches: true,
    }],
    work: Work::Launch(&[7]),
    ..PLAIN
};

/// A linear layer.
pub(crate) const LINEAR: Operation = Operation {
    marker: ("torch.nn.functional", "linear"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (32, 4096), 'dtype': 'float16'}, \
                {'name': '', 'type': 'tensor', 'shape': (1024, 4096), 'dtype': 'float16'}, \
                {'name': '', 'type': 'tensor', 'shape': (1024,), 'dtype': 'float16'}]",
    trace: "['train.py:34', 'model.py:22', 'torch/nn/modules/linear.py:103']",
    stack: "/<module>/Net::_call_impl/Net::forward/Linear::_call_impl#/Linear::forward/linear",
    operator: "aten::linear",
    sizes: ", sizes = [[32, 4096], [1024, 4096], [1024]]",
    nodes: &[
        Node { forward: "aten::t", backward: "TBackward0", nested: None, kernels: &[], launches: false },
        Node {
            forward: "aten::addmm",
            backward: "AddmmBackward0",
            nested: Some("aten::mm"),
            kernels: &[0, 6],
            launches: true,
        },
    ],
    work: Work::Launch(&[0, 1, 4, 2, 6, 8]),
    ..PLAIN
};

/// The loss.
pub(crate) const LOSS: Operation = Operation {
    marker: ("torch.nn.functional", "cross_entropy"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (32, 1024), 'dtype': 'float16'}]",
    trace: "['train.py:36', 'torch/nn/modules/loss.py:1150']",
    stack: "/<module>/CrossEntropyLoss::_call_impl/CrossEntropyLoss::forward/cross_entropy",
    operator: "aten::cross_entropy_loss",
    nodes: &[Node {
        forward: "aten::log_softmax",
        backward: "LogSoftmaxBackward0",
        nested: None,
        kernels: &[13],
        launches: true,
    }],
    work: Work::Launch(&[13, 7]),
    ..PLAIN
};

/// Reads the loss back to the host.
pub(crate) const READ_BACK: Operation = Operation {
    marker: ("Tensor", "item"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (), 'dtype': 'float16'}]",
    trace: "['train.py:37']",
    stack: "/<module>/train_step/item",
    operator: "aten::item",
    work: Work::ReadBack,
    ..PLAIN
};

/// Sums the gradients of all processes.
pub(crate) const REDUCE_GRADIENTS: Operation = Operation {
    marker: ("torch.distributed", "all_reduce"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (4194304,), 'dtype': 'float16'}]",
    trace: "['train.py:39']",
    stack: "/<module>/train_step/all_reduce",
    operator: "c10d::allreduce_",
    work: Work::AllReduce,
    ..PLAIN
};

/// Updates the weights.
pub(crate) const UPDATE: Operation = Operation {
    marker: ("Tensor", "add_"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (4194304,), 'dtype': 'float16'}]",
    trace: "['train.py:40', 'torch/optim/sgd.py:110']",
    stack: "/<module>/train_step/SGD::step/add_",
    operator: "aten::_foreach_add_",
    work: Work::Launch(&[12, 7]),
    ..PLAIN
};

/// Clears the gradients.
pub(crate) const CLEAR: Operation = Operation {
    marker: ("Tensor", "zero_"),
    arguments: "[{'name': '', 'type': 'tensor', 'shape': (4194304,), 'dtype': 'float16'}]",
    trace: "['train.py:41']",
    stack: "/<module>/train_step/SGD::step/zero_",
    operator: "aten::zero_",
    work: Work::Fill,
    ..PLAIN
};
