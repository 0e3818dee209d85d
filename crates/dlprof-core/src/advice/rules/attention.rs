//! Attention: in separate kernels, or in kernels of an older generation than the GPU.

use super::{short_of, show_kernels};
use crate::advice::edits::Edits;
use crate::advice::finding::{Confidence, Finding, Severity};
use crate::advice::kernels::Kernel;
use crate::advice::question::Question;
use crate::advice::rule::{Limits, Need, Rule, Threshold, TimeOf};
use crate::advice::savings::LikelyAndMost;
use crate::advice::scene::{Scene, part};
use crate::advice::sentence::{Figure, Sentence};
use crate::base::ids::{DeviceId, OpId, StrId};
use crate::base::time::{Ns, total};
use crate::capture::correlate::UNASSOCIATED;
use crate::figures::kernel_kinds::kernel_class::KernelClass;
use crate::read::facts::{ComputeCapability, LaunchConfig};
use crate::replay::{Edit, KernelsOf};
use crate::steps::index::LaunchGroup;
use regex::Regex;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const SOFTMAX: Threshold =
    Threshold { name: "softmax_percent", default: 1.0, doc: "Least share of the kernel time of softmax." };

const OLDER: Threshold = Threshold {
    name: "older_attention_percent",
    default: 10.0,
    doc: "Least share of the kernel time of attention kernels of an older generation.",
};

pub(super) const UNFUSED_ATTENTION: Rule = Rule {
    id: "unfused_attention",
    title: "Attention is not fused",
    how: "The share of the kernel time of softmax kernels, by name, where batched matrix products run as well and no kernel \
        fuses attention. A softmax that the program writes itself counts, too: kernels for the greatest value, `exp` and the \
        sum that are launched equally often, and so is one that masks (`where`, `masked_fill`); where ops without products of matrices \
        hold its `exp`, all of their kernels are counted. Silent while kernels take under \
        5 % of the time. For the likely saving softmax, masking and dropout take half of their time, a tenth where products compute in FP16 or BF16, \
        because a fused kernel \
        computes them as well and only reads and writes less, and nothing launches them; for the most they take no time. Kernels that multiply or divide by one number, in the op that \
        masks or computes `exp`, as often as the softmax runs and on as many elements, scale the scores, and count with them. FlashAttention is advised where \
        products compute in FP16 or BF16, by name; it has no kernels for FP32.",
    severity: Severity::Note,
    confidence: Confidence::Medium,
    thresholds: &[SOFTMAX],
    link: "https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels, TimeOf::Launching, TimeOf::Between],
    is_replayed: true,
    check: unfused_attention,
    ..Rule::SILENT
};

fn unfused_attention(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let is_fused = times.of(KernelClass::FusedAttention).next().is_some();
    let has_products = times.of(KernelClass::Matrix).next().is_some();
    if is_fused || !has_products || !scene.kernels_matter() {
        return None;
    }
    let by_name: Vec<&Kernel> = times.of(KernelClass::Softmax).collect();
    let is_own = by_name.is_empty();
    let (kernels, condition) = match is_own {
        false => (by_name, "long_kernel_name ~ '(?i)softmax'".to_owned()),
        true => (own_softmax(scene)?, format!("long_kernel_name ~ '{}'", OWN_SOFTMAX.join("|"))),
    };
    let named_ns = total(kernels.iter().map(|kernel| kernel.time_ns));
    // The range of a softmax holds parts of it whose names do not tell, too.
    let in_ops = if is_own { time_with_ops(scene, &kernels) } else { None };
    let softmax_ns = in_ops.as_ref().map_or(named_ns, |(ns, _)| *ns);
    let share = times.share(softmax_ns);
    if share < limits.of(&SOFTMAX) {
        return None;
    }
    let removed: Vec<&Kernel> = kernels.iter().copied().chain(times.of(KernelClass::Dropout)).collect();
    let softmaxes = match is_own {
        true => launches_of_part(scene, &kernels, OWN_SOFTMAX[0]),
        false => kernels.iter().map(|kernel| kernel.launches).sum(),
    };
    let groups = scene.profile.launch_groups_of(scene.places.clone());
    let scaling = scaling(scene, &groups, &removed, softmaxes);
    // What the ops of the softmax hold is in its time already.
    let is_in_ops = |group: &LaunchGroup| in_ops.as_ref().is_some_and(|(_, ops)| ops.contains(&group.key.op));
    let scaling_ns = total(scaling.iter().filter(|group| !is_in_ops(group)).map(|group| group.gpu.sum));
    let time_ns = softmax_ns + times.time_of(KernelClass::Dropout) + scaling_ns;
    let late = scene.late_launches_of(removed.iter().copied());
    let is_16_bit = computes_in_16_bits(scene);
    let (likely, in_words) = if is_16_bit { LIKELY_OF_16_BITS } else { LIKELY };
    let advice = match (scene.is_pytorch(), is_16_bit) {
        (true, true) => {
            "Compute attention with `torch.nn.functional.scaled_dot_product_attention` or FlashAttention"
        }
        (true, false) => {
            "Compute attention with `torch.nn.functional.scaled_dot_product_attention`, whose memory-efficient kernel takes \
             FP32; FlashAttention needs FP16 or BF16, so that mixed precision (`torch.autocast`) comes first"
        }
        (false, true) => "Compute attention with one fused kernel, such as FlashAttention",
        (false, false) => {
            "Compute attention with one fused kernel; FlashAttention needs FP16 or BF16, so that mixed precision comes first"
        }
    };
    let finding = Finding::new(
        Sentence::new(
            match is_own {
                false => "Attention runs in separate kernels: softmax takes {} of the kernel time, and no fused attention \
                    kernel ran",
                true if in_ops.is_some() => {
                    "Attention runs in separate kernels, none of them fused: a softmax that the program writes itself, with its mask, \
                     takes {} of the kernel time"
                }
                // Names do not tell its subtraction and its division from others.
                true => {
                    "Attention runs in separate kernels, none of them fused: a softmax that the program writes itself takes at \
                     least {} of the kernel time"
                }
            },
            vec![Figure::Percent(share, 1)],
        ),
        advice,
    )
    .percent(SOFTMAX.name, share)
    .saves(
        scene.saving_without(part(time_ns, likely), late.likely_ns),
        scene.saving_without(time_ns, late.most_ns),
        format!(
            "{}; {in_words} of these kernels' time is expected, because a fused kernel computes softmax, too",
            scene.basis_without(
                match scaling.is_empty() {
                    true => "softmax, masking and dropout",
                    false => "softmax, masking, dropout and scaling",
                },
                late
            )
        ),
    )
    .replayed({
        let names: BTreeSet<StrId> = removed.iter().map(|kernel| kernel.long_name).collect();
        let is_removed = |group: &&LaunchGroup| names.contains(&group.key.long_name) || is_in_ops(group);
        let keys = groups.iter().filter(is_removed).chain(scaling.iter().copied()).map(|group| group.key);
        fused(KernelsOf { groups: keys.map(|key| (key.op, key.long_name)).collect(), ..scene.named([]) }, likely, in_words)
    });
    let finding = show_kernels(scene, finding, &kernels, &condition);
    Some(match in_ops {
        // Names alone do not list what runs in these ops.
        Some((_, ops)) if ops.len() <= MOST_OPS => {
            let in_op = |&op: &OpId| format!("op_id = '{}'", scene.profile.op_id(op).replace('\'', "''"));
            let all: Vec<String> = ops.iter().map(in_op).chain([condition]).collect();
            finding.show(Question::of("kernels").rows_where(all.join(" or ")).sorted_by(["-gpu_time_ns"]))
        }
        _ => finding,
    })
}

/// A fused kernel computes softmax, masking and dropout as well, but neither reads nor writes all scores for each: this part of their
/// time is likely saved, in words as well. Where Tensor Cores compute the products, other units have room for the exponentials.
const LIKELY: (f64, &str) = (0.5, "half");
const LIKELY_OF_16_BITS: (f64, &str) = (0.9, "nine tenths");

/// One kernel computes what runs between the products of matrices as well, and likely saves this part of its time, in words as well.
fn fused(of: KernelsOf, likely: f64, in_words: &str) -> Edits {
    Edits {
        expected: vec![Edit::absorbed_kernels(of.clone(), 1.0 - likely)],
        at_most: vec![Edit::without_kernels(of)],
        is_within_reckoned: false,
        basis: format!(
            "Kernels between the products of attention, such as softmax, are parts of the fused one and take {in_words} less; at most \
             they take no time"
        )
        .into(),
    }
}

/// The launches that scale the scores between product and mask, which a fused kernel does as well: kernels that multiply or divide by
/// one number, launched as often as the softmax, in an op that also masks them or computes `exp`, on as many elements.
fn scaling<'a>(
    scene: &Scene<'_>,
    groups: &'a [LaunchGroup],
    removed: &[&Kernel],
    softmaxes: u64,
) -> Vec<&'a LaunchGroup> {
    let text = |group: &LaunchGroup| scene.profile.capture.strings.get(group.key.long_name);
    let place = |group: &LaunchGroup| {
        let config = scene.profile.capture.launch_config(group.example);
        Some((group.key.op, elements(text(group), &config)?))
    };
    let names: BTreeSet<StrId> = removed.iter().map(|kernel| kernel.long_name).collect();
    let scores: BTreeSet<(OpId, u64)> =
        groups.iter().filter(|group| names.contains(&group.key.long_name)).filter_map(place).collect();
    let scales = |group: &&LaunchGroup| {
        SCALES.is_match(text(group)) && place(group).is_some_and(|place| scores.contains(&place))
    };
    let mut by_name: BTreeMap<StrId, (u64, Vec<&LaunchGroup>)> = BTreeMap::new();
    for group in groups.iter().filter(scales) {
        let (launches, groups) = by_name.entry(group.key.long_name).or_default();
        *launches += group.gpu.count;
        groups.push(group);
    }
    by_name
        .into_values()
        .filter(|(launches, _)| *launches == softmaxes)
        .flat_map(|(_, groups)| groups)
        .collect()
}

/// Kernels of PyTorch that multiply or divide each element by one number.
static SCALES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"elementwise_kernel<.*UnaryFunctor<.*(Mul|Div)Functor").expect("a constant")
});

/// How many elements an elementwise kernel of PyTorch has room for: its template says how many each thread takes.
fn elements(name: &str, config: &LaunchConfig) -> Option<u64> {
    static PER_THREAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"elementwise_kernel<(?:(?:\(int\))?\d+, ?)??(?:\(int\))?(\d+), ?[^\d( ]")
            .expect("a constant")
    });
    let per_thread: u64 = PER_THREAD.captures(name)?[1].parse().ok()?;
    let threads = config.grid.iter().chain(&config.block).map(|side| side.unsigned_abs());
    Some(threads.fold(per_thread, u64::saturating_mul))
}

/// How many ops are listed one by one.
const MOST_OPS: usize = 8;

/// Names of kernels that multiply matrices of FP16 or BF16, or narrower ones: in front of cuBLAS's shapes an `h` means half
/// (`turing_h1688gemm`), and so does the first letter after `nvjet_`, where `t` means BF16 and `q` FP8.
static OF_16_BITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)half|bf16|bfloat|f16|fp16|fp8|e4m3|hgemm|h(884|1688|16816)|nvjet_(sm\d+_)?[htq]")
        .expect("a constant")
});

/// Whether products of matrices compute in FP16 or BF16, by name: kernels with a tenth of their time or more.
fn computes_in_16_bits(scene: &Scene<'_>) -> bool {
    let strings = &scene.profile.capture.strings;
    let products = || scene.kernels().of(KernelClass::Matrix);
    let is_16_bit = |kernel: &&Kernel| OF_16_BITS.is_match(strings.get(kernel.long_name));
    let of_16_bits = total(products().filter(is_16_bit).map(|kernel| kernel.time_ns));
    10 * of_16_bits >= total(products().map(|kernel| kernel.time_ns))
}

/// Parts of a softmax that a program writes itself, with the mask that makes it one of attention: what names of their kernels
/// contain.
const OWN_SOFTMAX: [&str; 4] = ["exp_kernel", "MaxOps", "sum_functor", "where_kernel|masked_fill"];

/// The kernels of a softmax that the program writes itself; none where one part is missing or launched more or less often than
/// others.
fn own_softmax<'a>(scene: &'a Scene<'_>) -> Option<Vec<&'a Kernel>> {
    let times = scene.kernels();
    let named = |parts: &str| {
        let has = |kernel: &&'a Kernel| {
            let name = scene.profile.capture.strings.get(kernel.long_name);
            parts.split('|').any(|part| name.contains(part))
        };
        times.kernels.iter().filter(has).collect::<Vec<&'a Kernel>>()
    };
    let parts = OWN_SOFTMAX.map(named);
    let launches = parts.each_ref().map(|kernels| kernels.iter().map(|kernel| kernel.launches).sum::<u64>());
    let is_one = launches[0] > 0 && launches.iter().all(|&part| part == launches[0]);
    is_one.then(|| parts.concat())
}

/// Launches of those kernels whose name has a part.
fn launches_of_part(scene: &Scene<'_>, kernels: &[&Kernel], part: &str) -> u64 {
    let has = |kernel: &&&Kernel| scene.profile.capture.strings.get(kernel.long_name).contains(part);
    kernels.iter().filter(has).map(|kernel| kernel.launches).sum()
}

/// The time of the kernels of a softmax that the program writes itself, with all kernels of the ops that hold its `exp` and no
/// product of matrices, and these ops; `None` where an `exp` runs elsewhere.
fn time_with_ops(scene: &Scene<'_>, kernels: &[&Kernel]) -> Option<(Ns, BTreeSet<OpId>)> {
    let groups = scene.profile.launch_groups_of(scene.places.clone());
    let has = |name: StrId, part: &str| scene.profile.capture.strings.get(name).contains(part);
    let products: BTreeSet<StrId> =
        scene.kernels().of(KernelClass::Matrix).map(|kernel| kernel.long_name).collect();
    let of_products: BTreeSet<OpId> = groups
        .iter()
        .filter(|group| products.contains(&group.key.long_name))
        .map(|group| group.key.op)
        .collect();
    let softmax: BTreeSet<OpId> = groups
        .iter()
        .filter(|group| has(group.key.long_name, OWN_SOFTMAX[0]))
        .map(|group| group.key.op)
        .collect();
    let is_unnamed = |&op: &OpId| scene.profile.op_name(op).starts_with(UNASSOCIATED);
    if softmax.iter().any(|op| of_products.contains(op) || is_unnamed(op)) {
        return None;
    }
    let named: BTreeSet<StrId> = kernels.iter().map(|kernel| kernel.long_name).collect();
    let is_part =
        |group: &&LaunchGroup| softmax.contains(&group.key.op) || named.contains(&group.key.long_name);
    let time_ns = total(groups.iter().filter(is_part).map(|group| group.gpu.sum));
    Some((time_ns, softmax))
}

pub(super) const OLDER_ATTENTION: Rule = Rule {
    id: "older_attention",
    title: "Attention kernels of an older generation than the GPU",
    how: "The share of the kernel time, on GPUs of compute capability 9.x to 11.x, of attention kernels that were written for \
        GPUs before Hopper, by name: FlashAttention-2 (`flash_fwd_kernel`, `flash_bwd…kernel`), `fmha_cutlass…sm80`, cuDNN's \
        `sdpa_sm80`. Where the capability is unknown, kernels for Hopper or later (`nvjet`, `sm90`, `sm100`) tell. Kernels that \
        read a KV cache (`splitkv`) are left out, because memory limits them. Silent while kernels take under 5 % of the time. \
        FlashAttention-3 was published as 1.5 to 2 times as fast on H100, so a third of their time is the likely saving, and \
        half of it the most.",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    thresholds: &[OLDER],
    link: "https://pytorch.org/blog/flashattention-3/",
    needs: &[Need::Kernels],
    saves_from: &[TimeOf::Kernels],
    is_replayed: true,
    check: older_attention,
    ..Rule::SILENT
};

/// The GPUs whose matrix units these kernels do not use. GPUs of 12.x have the units of those before Hopper.
fn has_newer_units((major, _): ComputeCapability) -> bool {
    (9..=11).contains(&major)
}

/// Whether other kernels are made for Hopper or later, by name.
fn runs_newer_kernels(scene: &Scene<'_>) -> bool {
    let strings = &scene.profile.capture.strings;
    let mut names = scene.kernels().kernels.iter().map(|kernel| strings.get(kernel.long_name));
    names.any(|name| ["nvjet_", "sm90", "sm100"].iter().any(|part| name.contains(part)))
}

fn older_attention(scene: &Scene<'_>, limits: &Limits<'_>) -> Option<Finding> {
    let times = scene.kernels();
    let capability = |device: DeviceId| scene.profile.device_facts(device).compute_capability;
    let runs_newer = LazyCell::new(|| runs_newer_kernels(scene));
    let is_newer = |device: DeviceId| capability(device).map_or_else(|| *runs_newer, has_newer_units);
    let kernels: Vec<&Kernel> = times.of(KernelClass::OlderAttention).collect();
    let grids = kernels.iter().flat_map(|kernel| &kernel.grids);
    let newer: Vec<_> = grids.filter(|grid| is_newer(grid.device)).collect();
    let time_ns = total(newer.iter().map(|grid| grid.time_ns));
    let share = times.share(time_ns);
    let (device, first) = (newer.first()?.device, kernels.first()?);
    if share < limits.of(&OLDER) || !scene.kernels_matter() {
        return None;
    }
    let advice = match (capability(device), scene.is_pytorch()) {
        (Some((9, _)) | None, true) => {
            "Compute attention with FlashAttention-3 (package `flash_attn_interface`), or with cuDNN: \
             `torch.nn.attention.sdpa_kernel(SDPBackend.CUDNN_ATTENTION)`"
        }
        (_, true) => {
            "Compute attention with cuDNN: `torch.nn.attention.sdpa_kernel(SDPBackend.CUDNN_ATTENTION)`"
        }
        (Some((9, _)) | None, false) => {
            "Compute attention with FlashAttention-3 or with cuDNN's fused attention"
        }
        (_, false) => "Compute attention with cuDNN's fused attention, which has kernels for this GPU",
    };
    let gpu = match capability(device) {
        Some((major, minor)) => format!("a GPU of compute capability {major}.{minor}"),
        None => "a GPU that also runs kernels for Hopper or later".to_owned(),
    };
    let finding = Finding::new(
        Sentence::new(
            "{} of the kernel time is attention in kernels for GPUs before Hopper, mostly `{}`; they run on {}",
            vec![Figure::Percent(share, 1), Figure::Text(short_of(scene, first)), Figure::Text(gpu)],
        ),
        advice,
    )
    .percent(OLDER.name, share)
    .count("launches", newer.iter().map(|grid| grid.launches).sum());
    let saved =
        LikelyAndMost { likely_ns: part(time_ns, 1.0 / 3.0), most_ns: part(time_ns, 0.5), pauses_ns: 0 };
    let basis =
        "A third, at most half, of the time of these kernels: the newer ones are 1.5 to 2 times as fast";
    let finding = scene.saves_kernel_time(finding, &kernels, saved, basis);
    Some(show_kernels(
        scene,
        finding,
        &kernels,
        "long_kernel_name ~ '(?i)flash_(fwd|bwd)|fmha_cutlass|sdpa_sm8'",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_tells_the_elements_of_a_thread() {
        let config = LaunchConfig { grid: [10, 1, 1], block: [128, 1, 1], ..LaunchConfig::default() };
        let names = [
            (
                "void at::native::vectorized_elementwise_kernel<(int)4, at::native::BUnaryFunctor<float>>",
                Some(5120),
            ),
            (
                "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl<a>>",
                Some(2560),
            ),
            ("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<a>>", Some(5120)),
            ("void at::native::vectorized_elementwise_kernel<4, at::native::exp_kernel_cuda>", Some(5120)),
            ("ampere_sgemm_128x64_tn", None),
        ];
        for (name, expected) in names {
            assert_eq!(elements(name, &config), expected, "{name}");
        }
    }

    #[test]
    fn names_say_that_a_product_is_of_16_bits() {
        for name in [
            "turing_h1688gemm_128x128_ldg8_stages_32x1_tn",
            "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
            "ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x6_tn",
            "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x64x32_stage4",
            "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
            "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNN",
            "void cutlass::Kernel<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16>",
        ] {
            assert!(OF_16_BITS.is_match(name), "{name}");
        }
        for name in ["ampere_sgemm_128x64_tn", "ampere_s1688tf32gemm_128x128", "nvjet_sm90_sss_320x128"] {
            assert!(!OF_16_BITS.is_match(name), "{name}");
        }
    }
}
