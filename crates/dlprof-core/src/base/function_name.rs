//! The bare name of a function of C++, which nsys exports of kernels beside the demangled name.

mod mangled;

/// The function without return type, namespaces, template arguments and parameters.
pub(crate) fn function_name(name: &str) -> &str {
    if let Some(function) = mangled::function(name) {
        return function;
    }
    if !name.contains(['(', '<', ':']) {
        return name.strip_prefix("void ").unwrap_or(name);
    }
    let text = name.strip_prefix("void ").unwrap_or(name);
    let (mut depth, mut start, mut end) = (0_usize, 0, text.len());
    // Brackets around an expression among template arguments, in which `>` compares.
    let mut in_brackets = 0_usize;
    // Where the bare name ends: before its template arguments.
    let mut stem_end = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match bytes[at] {
            b'o' if depth == 0 && is_operator(bytes, at) => {
                // What follows may be a bracket that is part of the name.
                stem_end = None;
                at += OPERATOR.len();
                while at < bytes.len() && bytes[at] != b'(' {
                    at += 1;
                }
                at += if bytes[at..].starts_with(b"()") { 2 } else { 0 };
                continue;
            }
            b'(' if depth > 0 => in_brackets += 1,
            b')' if depth > 0 => in_brackets = in_brackets.saturating_sub(1),
            b'<' | b'>' if in_brackets > 0 => {}
            b'<' => {
                if depth == 0 && stem_end.is_none() {
                    stem_end = Some(at);
                }
                depth += 1;
            }
            b'>' => depth = depth.saturating_sub(1),
            b'(' if depth == 0 => {
                if rest.starts_with(ANONYMOUS) {
                    at += ANONYMOUS.len();
                    continue;
                }
                end = at;
                break;
            }
            b':' if depth == 0 && rest.starts_with(b"::") => {
                (start, stem_end) = (at + 2, None);
                at += 2;
                continue;
            }
            b' ' if depth == 0 => (start, stem_end) = (at + 1, None),
            _ => {}
        }
        at += 1;
    }
    let bare = text.get(start..stem_end.unwrap_or(end).min(end)).map_or("", str::trim);
    if bare.is_empty() { name } else { bare }
}

const OPERATOR: &[u8] = b"operator";
const ANONYMOUS: &[u8] = b"(anonymous namespace)";

/// Whether the name of an operator such as `operator()` begins here, and not a word that contains it.
fn is_operator(bytes: &[u8], at: usize) -> bool {
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    bytes[at..].starts_with(OPERATOR)
        && !is_letter(at.checked_sub(1).and_then(|before| bytes.get(before)))
        && !is_letter(bytes.get(at + OPERATOR.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_what_is_left() {
        let cases = [
            ("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"),
            ("void add(float*, int)", "add"),
            ("void plain", "plain"),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char*, 3> >(int, float)",
                "vectorized_elementwise_kernel",
            ),
            (
                "void (anonymous namespace)::elementwise_kernel_with_index<int, x::y(z)>(int)",
                "elementwise_kernel_with_index",
            ),
            ("void at::native::(anonymous namespace)::cat<f>(x)", "cat"),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            ),
            ("Cijk_Ailk_Bljk_SB_MT64x32x8_SE_K1", "Cijk_Ailk_Bljk_SB_MT64x32x8_SE_K1"),
            ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(x)", "kernel"),
            (
                "std::enable_if<(((8)>(0)))&&vllm::x<y>::exists, void>::type vllm::add<c10::BFloat16, 8>(long)",
                "add",
            ),
            ("void f(a::b)", "f"),
            ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi64EEEvPT0_", "add_rmsnorm_quant_kernel"),
            ("_Zunlike", "_Zunlike"),
            ("X::operator()(int)", "operator()"),
            ("a<b", "a"),
            ("::", "::"),
            ("(x)", "(x)"),
        ];
        for (name, expected) in cases {
            assert_eq!(function_name(name), expected, "{name}");
        }
    }
}
