//! One spelling for the names of kernels, as nsys and every version of `ncu` write them.

use crate::base::function_name::function_name;
use crate::read::ncu::NcuRange;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Casts of numbers among template arguments: `(int)4`, `(unsigned long)8`, `(bool)1`, `(ns::Kind)2`.
static CASTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"\((?:(?:un)?signed )?(?:(?:long )?long|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)\)(-?\d)")
});

static NAMESPACES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b(?:[A-Za-z_]\w*::)+"));

/// What newer versions write for a namespace without a name.
const UNNAMED: &str = "<unnamed>::";

/// The name without return type, namespaces, casts of numbers and spaces. Kernels that differ in namespaces alone have one
/// in common: `a::f(int)` and `b::f(int)`.
#[must_use]
pub(crate) fn normal_name(name: &str) -> String {
    let name = name.trim();
    // Newer versions write `ns::<unnamed>::f` as `unnamed>::f`; inside of template arguments the `<` before it is another one.
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find(UNNAMED) {
        text.push_str(&rest[..at]);
        if text.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            text.push('<');
        }
        rest = &rest[at + UNNAMED.len()..];
    }
    text.push_str(rest);
    for without in ["unnamed>::", "(anonymous namespace)::", "{anonymous}::"] {
        if text.contains(without) {
            text = text.replace(without, "");
        }
    }
    let text = replaced(&CASTS, &text, "$1");
    let text = replaced(&NAMESPACES, &text, "");
    let name = &text[behind_return_type(&text)..];
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

fn replaced<'a>(pattern: &LazyLock<Option<Regex>>, text: &'a str, by: &str) -> Cow<'a, str> {
    pattern.as_ref().map_or(Cow::Borrowed(text), |pattern| pattern.replace_all(text, by))
}

/// Where the name begins: after the last space outside of template arguments before the parameters.
fn behind_return_type(text: &str) -> usize {
    let (mut depth, mut start) = (0_i64, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b'(' if depth == 0 => break,
            b' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    start
}

/// The function's own name.
#[must_use]
pub(crate) fn base_of(normal: &str) -> &str {
    normal.find(['<', '(']).map_or(normal, |at| &normal[..at])
}

/// Whether a log gives the function's own name alone, or one that is still mangled.
#[must_use]
pub(crate) fn is_bare(name: &str) -> bool {
    !name.contains(['<', '('])
}

/// The name of a kernel of a log, bare if it is mangled.
#[must_use]
pub(crate) fn name_in_log<'a>(name: &'a str, ranges: &[NcuRange]) -> &'a str {
    let plain = without_ranges(name, ranges);
    if plain.starts_with("_Z") { function_name(plain) } else { plain }
}

/// The name of a kernel of a log without the range in front that `--print-nvtx-rename kernel` puts there.
#[must_use]
pub(crate) fn without_ranges<'a>(name: &'a str, ranges: &[NcuRange]) -> &'a str {
    let plain = ranges
        .iter()
        .filter(|range| !range.text.is_empty())
        .find_map(|range| name.strip_prefix(&*range.text)?.strip_prefix('/'));
    plain.unwrap_or_else(|| &name[behind_ranges(name)..])
}

/// Behind the last `/` outside of brackets, which is no operator.
fn behind_ranges(name: &str) -> usize {
    let (mut depth, mut start) = (0_i64, 0);
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth -= 1,
            b'/' if depth <= 0 && !name[..at].ends_with("operator") => start = at + 1,
            _ => {}
        }
    }
    start
}

/// A part of an op's name, or a range, without its numbers.
#[must_use]
pub(crate) fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_number = false;
    for c in text.chars() {
        let is_digit = c.is_numeric();
        match (is_digit, in_number) {
            (true, false) => plain.push('#'),
            (true, true) => {}
            (false, _) => plain.push(c),
        }
        in_number = is_digit;
    }
    let end = plain.trim_end_matches(|c: char| c.is_whitespace() || c == '#').len();
    plain.truncate(end);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_become_one() {
        let wanted = "f<4,float,g<1>>(int,float*)";
        for name in [
            "void a::b::f<4, float, c::g<1> >(int, float *)",
            "void f<(int)4, float, g<(bool)1>>(int, float *)",
            "f<4,float,g<1>>(int,float*)",
            "void a::<unnamed>::f<(unsigned long)4, float, unnamed>::g<1>>(int, float *)",
            "void a::(anonymous namespace)::f<4, float, (anonymous namespace)::g<1>>(int, float *)",
        ] {
            assert_eq!(normal_name(name), wanted, "{name}");
        }
        assert_eq!(normal_name("h<a<unnamed>::b>(int)"), "h<a<b>(int)");
        assert_eq!(normal_name("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
        assert_eq!(base_of("f<4>(int)"), "f");
        assert_eq!(normal_name("f<(int)-1>(int)"), "f<-1>(int)");
        assert_eq!(normal_name(""), "");
    }

    #[test]
    fn ranges_before_a_name_are_taken_off() {
        let range = |text: &str| NcuRange { domain: "d".into(), text: text.into() };
        assert_eq!(name_in_log("a/b/void f(int)", &[range("a/b")]), "void f(int)");
        assert_eq!(name_in_log("step/1/f<a/b>(int)", &[]), "f<a/b>(int)");
        assert_eq!(name_in_log("operator/(int)", &[]), "operator/(int)");
        assert_eq!(name_in_log("_Z3addPfS_", &[]), "add");
    }

    #[test]
    fn numbers_do_not_count() {
        assert_eq!(without_numbers("step 12"), "step");
        assert_eq!(without_numbers("layer3.conv12 x"), "layer#.conv# x");
    }

    proptest::proptest! {
        #[test]
        fn a_normal_name_stays_as_it_is(name in "[a-z]{1,5}(<[a-z0-9, ]{0,6}>)?(\\([a-z ,*]{0,9}\\))?") {
            let normal = normal_name(&name);
            proptest::prop_assert_eq!(normal_name(&normal), normal);
        }

        #[test]
        fn any_text_has_a_normal_name(name in "\\PC{0,60}") {
            let _ = normal_name(&name);
            let _ = name_in_log(&name, &[]);
        }
    }
}
