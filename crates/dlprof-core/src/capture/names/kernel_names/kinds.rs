//! What kernels compute, by words of their function.
//!
//! Sources are the kernels in the public code of the libraries in [`super::libraries`].

use super::rule::{Rule, rule};

/// What a name says that a kernel computes. Exchange is told by [`super::exchange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NamedKind {
    /// A whole CUDA graph.
    Graph,
    /// Scores and values of attention in one kernel.
    Attention,
    /// What prepares, combines or converts for fused attention, and multiplies no matrices.
    AttentionHelper,
    /// Changes of the layout of a tensor.
    Layout,
    /// Transforms by which another kernel computes a convolution as products.
    Transform,
    /// Checks of algorithms that are tried.
    Check,
    /// Normalisation, whatever is fused with it.
    Normalisation,
    /// Softmax.
    Softmax,
    /// Products and convolutions.
    Matrix,
    /// Updates of parameters.
    Optimizer,
    /// Sums and other reductions.
    Reduction,
    /// Sorting, gathering, scattering, concatenation.
    Rearrangement,
    /// Element by element, copies included.
    Elementwise,
    /// Changes of the number format with scales.
    Quantisation,
    /// Which token goes to which expert, and the local order of tokens.
    Routing,
    /// Keys and values are written into a cache, or its pages moved.
    Cache,
    /// From logits to tokens.
    Sampling,
    /// Rows of a table by their numbers.
    Embedding,
    /// Scans of state spaces and linear attention.
    Recurrence,
    /// Pooling.
    Pooling,
    /// A loss.
    Loss,
    /// Addresses, descriptors, plans and positions for another kernel.
    Preparation,
}

use NamedKind::{
    Attention, AttentionHelper, Cache, Check, Elementwise, Embedding, Layout, Loss, Matrix, Normalisation,
    Optimizer, Pooling, Preparation, Quantisation, Rearrangement, Recurrence, Reduction, Routing, Sampling,
    Softmax, Transform,
};

impl NamedKind {
    /// Whether kernels of the kind may multiply matrices.
    pub(crate) fn may_multiply(self) -> bool {
        matches!(self, Self::Graph | Attention | Matrix | Recurrence)
    }
}

/// Words for products, which most other kinds exclude.
macro_rules! products {
    () => {
        "gemm sgemm dgemm hgemm cgemm zgemm igemm hhgemm gcgemm kgemm qgemm gemmv bgemm gemv gemvx gemvnsp gemmk gemmsn matmul mm bmm \
         addmm baddbmm mulmat nvjet marlin machete xmma cijk conv convolve convolution deconv wgrad dgrad fprop scudnn hcudnn icudnn \
         884cudnn 1688cudnn 8816cudnn 16816cudnn fusedmoe fmoe weightonly csrmv csrmm spmv spmm sddmm bsrmm einsum bgmv sgmv trsm trmm syrk herk wvsplitk"
    };
}

/// Words for products.
pub(super) const PRODUCTS: &str = products!();

/// Words for normalisation.
macro_rules! norms {
    () => {
        "layernorm rmsnorm rms batchnorm groupnorm instancenorm qknorm addnorm lnfwd lnbwd lnbwdfinalize bnfw bnbw bnfwd bnbwd \
         bnfinalize gammabeta rowwisemoments welford internalgradients computegradientfusedparams"
    };
}

/// Words for fused attention.
macro_rules! attention {
    () => {
        "attention attn fmha mha mmha sdpa mqa flashfwd flashbwd flashmla withkvcache withpagedkvcache withraggedkvcache splitkv \
         mergestates reducesegments lengthmergestates"
    };
}

/// Libraries of deep learning and of arrays, by their namespaces: in them a word means what it means there.
macro_rules! libraries {
    () => {
        "at native c10 vllm sglang sglkernel sglhip tensorflow functor torch flashinfer tensorrtllm transformerengine apex cudnn cublas \
         cublaslt aiter fastertransformer dpsk phi paddle onnxruntime moe cupy cupyx cudf raft thrust cub cudacub jax xla tvm mlc nvinfer \
         miopen ck cktile liger"
    };
}

/// Words for position by rotation.
const ROTARY: &str = "rotary rope mrope rotarypos";

/// The rules in their order.
pub(super) const KINDS: &[Rule<NamedKind>] = &[
    rule(Check, "redzonechecker"),
    rule(
        Routing,
        "getdispatchlayout routing topkgating topkgatingsoftmax groupedtopk moealign moesum expandinputrows permuteinputrows permuterows \
         unpermuterows duplicaterows finalizemoe expertprefixsum expertmaps expertoffsets unpermute bitmatrix finalizematmulscatter",
    ),
    rule(Routing, "gating").near(libraries!()),
    rule(Routing, "moe expert experts router")
        .unless(concat!(products!(), " quant quantize dequant activation silu gelu swiglu norm attention attn cache")),
    rule(Routing, "finalize permute unpermute").near("moe"),
    rule(Cache, "reqtotoken copyblocks swapblocks"),
    rule(
        Preparation,
        "metadata tensormap tensormaps kvindices kvindptr pageindices pageindptr pagetable blocktable blocktables worktile workmap \
         worklist tilescheduler batchplan",
    )
    .unless("cache attention attn"),
    rule(Preparation, "metadata kvindices pageindices pagetable"),
    rule(
        Preparation,
        "starts strides offsets pointers ptrs indptr descriptors descs problemsizes cuseqlens",
    )
    .near("compute get calc calculate prepare build create fill set init make update generate")
    .unless("embedding rotary rope sort gather scatter cache attention attn gemv"),
    rule(Preparation, "prepare").near("blocks varlen schedule scheduler inputs").unless(attention!()),
    rule(
        Sampling,
        "samplefromprob samplefromprobs samplingfromprob samplingfromlogits penalties penalty bitmask masklogits topktopp \
         topprenorm topkrenorm renormprob logitsprocessor speculativesampling rejectionsampler gumbel",
    ),
    rule(Sampling, "sampling").near(libraries!()),
    rule(
        Recurrence,
        "selectivescan selectivestate chunkscan chunkstate chunkfwd chunkbwd chunkcumsum chunkgated chunklocal chunkdelta chunkgla \
         chunksimple chunkscaled statepassing gateddelta deltarule fusedrecurrent recurrentgated recurrentfwd recurrentbwd solvetril causalconv causalconv1d linearattention linearattn \
         lightningattention lightningattn mamba wkv rwkv recomputewu kdagate shortconv",
    )
    .unless("metadata"),
    rule(Recurrence, "rnn lstm gru").unless("cell pointwise elementwise"),
    // Of attention, what multiplies nothing.
    rule(
        AttentionHelper,
        "combine preprocess postprocess convertdq convertdk convertdkv converttdq mergestates mergeattnstates lengthmergestates \
         reducesegments dotdo dotdoo cleardkvaccum reduce reduction sumlse zeroinit",
    )
    .near("attention attn fmha mha mmha sdpa mqa flashfwd flashbwd flashattn flashmla flash mla splitkv mergestates reducesegments lengthmergestates")
    .unless(concat!("cache ", products!())),
    rule(Cache, "cache kvcache kvbuffer").near(
        "append reshape concat store copy write transfer save insert scatter gather swap set quant",
    )
    .unless(concat!(norms!(), " ", attention!(), " cossincache")),
    rule(Attention, attention!()).unless(concat!(norms!(), " rope quantize quant mask")),
    rule(Attention, "attention attn fmha mha mqa").unless("mask"),
    rule(Attention, "flash").near("fwd bwd forward backward").unless("cache"),
    rule(Attention, "mla").near("paged splitkv decode prefill fwd bwd dec stage"),
    rule(Attention, "batchdecode batchprefill singledecode singleprefill"),
    rule(Loss, "crossentropy nllloss mseloss ctcloss").unless(products!()),
    rule(Loss, "loss nll").near(libraries!()).unless(products!()),
    // Norms of vectors are sums.
    rule(
        Reduction,
        "lpnorm l1norm l2norm maxnorm normtwo normops gradnorm normone splitkreduce splitkreduction reducesplitk splitkv dotkernel \
         reduce1block",
    ),
    rule(Normalisation, norms!()).unless(concat!(products!(), " ropenorm")),
    rule(Normalisation, "*norm normalize normalization moments").near(libraries!()).unless(products!()),
    rule(Layout, "repack preshuffle shuffleweight shuffleweights"),
    rule(
        Quantisation,
        "quant quantize quantise quantized quantization quantizer dequant dequantize dequantization requantize requant mxquant fp8quant \
         kquantize kdequantize reconstructgptq reconstructexllama scale1x128 quantizeblockwise casttranspose blockscaling",
    )
    .unless(concat!(products!(), " cache")),
    rule(Quantisation, "cast convert cvt castto").near("fp8 fp4 mxfp8 mxfp4 nvfp4 e4m3 e5m2 e2m1 ue8m0").unless(products!()),
    rule(Quantisation, "pack unpack scale").near("ue8m0 fp4 fp8 int4").unless(products!()),
    rule(Quantisation, "amax").near("transformerengine fp8"),
    rule(Softmax, "softmax logsoftmax"),
    rule(
        Optimizer,
        "adam adamw sgd lamb lars adagrad adadelta novograd adafactor rmsprop optimizer adamath fusedadam",
    ),
    rule(
        Layout,
        "nchwtonhwc nhwctonchw nchw2nhwc nhwc2nchw ncdhwtondhwc ndhwctoncdhw transpose transposed permute \
         tensortransform generictranspose swapdimension1and2intensor3 shuffleintensor3 swapdimension shuffleintensor addpadding nhwcaddpadding \
         converttensor nchwtonc32hw nchwtofold foldedtonhwc nhwctofolded transposereadwrite",
    )
    .unless(products!()),
    rule(
        Transform,
        "fft winograd im2col col2im vol2col col2vol flipfilter generatewinogradtiles spradix dpradix hpradix dft bluestein irfft rfft",
    )
    .unless(
        "scudnn hcudnn icudnn 884cudnn 1688cudnn 16816cudnn cudnn gemm sgemm hgemm cgemm gcgemm igemm xmma conv convolve fusedconv",
    ),
    rule(Matrix, products!()).unless("bias biasgrad"),
    rule(Matrix, products!()),
    rule(Rearrangement, "cat concat concatenate catarray").unless("quant"),
    rule(Elementwise, ROTARY),
    rule(Embedding, "embedding embeddings embeddingbag").unless("position"),
    rule(Embedding, "embed lookup").near(libraries!()),
    rule(Pooling, "pooling maxpool avgpool maxpooling avgpooling averagepool"),
    rule(Pooling, "pool").near(libraries!()),
    rule(
        Rearrangement,
        "sort argsort mergesort radixsort gather scatter indexing indexselect indexput indexadd indexcopy indexfill indexkernel indexelementwise \
         gpuindex getrows topk scan cumsum cumprod searchsorted nonzero dynamicslice dynamicupdateslice",
    )
    .unless("withindex"),
    rule(
        Rearrangement,
        "index select unique partition histogram roll flip take getitem diag compact radix segmentoffsets uniquebykey",
    )
    .near(libraries!())
    .unless("withindex reduce"),
    rule(
        Reduction,
        "reduce reduction reduceop segmentedreduce segmentreduce segreduce sum amax amin argmax argmin innerpersistent",
    ),
    rule(Reduction, "mean prod variance nansum nanmean nanprod").near(libraries!()),
    rule(Reduction, "max min nanmax nanmin all any countnonzero norm").near("cupy cupyx"),
    rule(
        Elementwise,
        "elementwise pointwise copy cpy memcpy memset fill relu gelu silu swiglu geglu swish mish sigmoid tanh dropout actandmul cast \
         unaryop binaryop axpby triu tril arange maskedfill upsample setzero packbits optensor subtensorop directcopy eigenmetakernel lstmcell \
         grucell gridsampler unarytransform binarytransform",
    ),
    rule(
        Elementwise,
        "add sub mul div scale bias convert addcmul lerp pow sqrt exp where mask masked pad padding reflectionpad activation distribution \
         interpolate linspace eye clamp clone zeros foreach exponential bernoulli randperm philox uniform normal transform cupy cupyx",
    )
    .near(concat!(libraries!(), " scalefunctor")),
    rule(Elementwise, "functor").near("fill transform uninitializedfill uninitializedcopy tabulate generate"),
    rule(Elementwise, "scalefunctor addfunctor mulfunctor addkernel addtensor biasadd addbias biasact"),
];

/// The kind of what a namespace holds, where its library does one thing in it and the function does not say.
pub(super) const BY_NAMESPACE: &[Rule<NamedKind>] = &[
    rule(Matrix, "gemvx gemv gemm weightonly cutlassgemm groupedgemm"),
    rule(Transform, "spradix dpradix hpradix winograd fft"),
    rule(Sampling, "sampling"),
    rule(Quantisation, "quantization quantize"),
    rule(Normalisation, "layernorm rmsnorm batchnorm norm normalization"),
    rule(Softmax, "softmax"),
    rule(Elementwise, "activation"),
    rule(Routing, "routing"),
];

/// What Inductor's and nvFuser's kernels are, by how their names begin; the ops in them are where they stand, not what they do.
pub(super) const COMPILERS: &[(&str, NamedKind)] = &[
    ("triton_poi_", Elementwise),
    ("triton_for_", Elementwise),
    ("triton_red_", Reduction),
    ("triton_per_", Reduction),
    ("triton_mix_", Reduction),
    ("triton_spl_", Rearrangement),
    ("triton_sort_", Rearrangement),
    ("triton_tem_", Matrix),
    ("nvfuser_pointwise", Elementwise),
    ("nvfuser_reduction", Reduction),
    ("nvfuser_inner_outer_persistent", Reduction),
    ("nvfuser_inner_persistent", Reduction),
    ("nvfuser_outer_persistent", Reduction),
    ("nvfuser_transpose", Layout),
    ("nvfuser_matmul", Matrix),
];

/// What a fused op makes of a reduction or a product that a compiler generated.
pub(super) const FUSED: &[(NamedKind, Rule<NamedKind>)] = &[
    (
        Reduction,
        rule(
            Normalisation,
            "layernorm rmsnorm batchnorm groupnorm nativelayernorm nativegroupnorm nativebatchnorm",
        ),
    ),
    (Reduction, rule(Softmax, "softmax logsoftmax")),
    (Matrix, rule(Attention, "attention flexattention")),
];

/// What XLA's fusions are, by the op that they wrap or have as their root.
pub(super) const XLA: &[Rule<NamedKind>] = &[
    rule(Matrix, "gemm dot convolution conv matmul"),
    rule(Softmax, "softmax"),
    rule(Rearrangement, "sort gather scatter concatenate dynamicslice dynamicupdateslice slice cumsum"),
    rule(Layout, "transpose"),
    rule(Reduction, "reduce reducewindow argmax"),
    rule(
        Elementwise,
        "add subtract multiply divide exponential convert select compare broadcast copy pad iota negate tanh log power maximum minimum \
         rsqrt sqrt and or xor clamp logistic bitcast constant reverse rng",
    ),
];
