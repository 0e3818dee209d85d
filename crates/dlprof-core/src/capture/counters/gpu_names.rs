//! Names of GPUs, as nsys, PyTorch and `ncu` write them.

use std::collections::BTreeSet;

/// The words of a name: those of the model, and those of its form and memory, which not every program writes.
struct Words {
    model: BTreeSet<String>,
    form: BTreeSet<String>,
}

impl Words {
    fn of(name: &str) -> Self {
        const MAKER: [&str; 4] = ["nvidia", "tesla", "geforce", "gpu"];
        let name = name.to_ascii_lowercase();
        let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let known = words.filter(|word| !MAKER.contains(word)).map(|word| {
            let is_socket =
                word.strip_prefix("sxm").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            if is_socket { "sxm" } else { word }
        });
        let (form, model) = known.map(str::to_owned).partition(|word| is_form(word));
        Self { model, form }
    }
}

/// Whether a word is about the form of a board or its memory, and not about the model.
fn is_form(word: &str) -> bool {
    let is_memory =
        word.strip_suffix("gb").is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()));
    is_memory || matches!(word, "sxm" | "pcie" | "nvl" | "hbm2" | "hbm2e" | "hbm3" | "hbm3e")
}

/// Whether two names may be those of the same GPU: the same model, and one of them says no more of form and memory than the other.
pub(super) fn is_same_gpu(one: &str, other: &str) -> bool {
    let (one, other) = (Words::of(one), Words::of(other));
    let names_model = !one.model.is_empty() && !other.model.is_empty();
    !names_model
        || one.model == other.model && (one.form.is_subset(&other.form) || other.form.is_subset(&one.form))
}

#[cfg(test)]
mod tests {
    use super::is_same_gpu;

    #[test]
    fn names_of_one_gpu_are_alike() {
        for (one, other) in [
            ("NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"),
            ("NVIDIA A100-SXM-80GB", "NVIDIA A100-SXM4-80GB"),
            ("Tesla T4", "NVIDIA T4"),
            ("NVIDIA H100 80GB HBM3", "NVIDIA H100"),
            ("NVIDIA H100 PCIe", "NVIDIA H100"),
            ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090"),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop"),
            ("NVIDIA", "NVIDIA L4"),
        ] {
            assert!(is_same_gpu(one, other) && is_same_gpu(other, one), "{one}, {other}");
        }
    }

    #[test]
    fn a_name_that_begins_like_another_is_another_gpu() {
        for (one, other) in [
            ("NVIDIA L4", "NVIDIA L40S"),
            ("Tesla T4", "NVIDIA T400"),
            ("NVIDIA GeForce GTX 1660", "NVIDIA GeForce GTX 1660 Ti"),
            ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU"),
            ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090 D"),
            ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"),
            ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-PCIE-40GB"),
            ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"),
        ] {
            assert!(!is_same_gpu(one, other) && !is_same_gpu(other, one), "{one}, {other}");
        }
    }
}
