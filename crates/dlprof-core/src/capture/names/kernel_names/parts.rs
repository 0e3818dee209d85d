//! The parts of the name of a kernel: namespaces, function, template arguments, parameters.
//!
//! ```text
//! void flash::flash_fwd_kernel<Traits<128, cutlass::bfloat16_t>, false>(flash::Flash_fwd_params)
//!      namespace   function      template arguments                     parameters
//! ```

/// A name in parts. What is missing is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// Namespaces and classes around the function, outermost first.
    pub(super) namespaces: Vec<&'a str>,
    /// The function.
    pub(super) function: &'a str,
    /// Its template arguments, without the brackets.
    pub(super) arguments: &'a str,
    /// Template arguments of the classes around it.
    pub(super) of_classes: Vec<&'a str>,
    /// Its parameters, without the brackets.
    pub(super) parameters: &'a str,
}

/// What stands for a namespace without a name.
const UNNAMED: [&str; 4] =
    ["(anonymous namespace)::", "<unnamed>::", "(anonymous namespace)", "_GLOBAL__N_1::"];

impl<'a> Parts<'a> {
    /// The parts of a name that is not encoded.
    pub(super) fn of(name: &'a str) -> Self {
        let name = without_suffix(name.trim());
        if !name.contains(['(', '<', ':']) {
            return Self { function: name.strip_prefix("void ").unwrap_or(name), ..Self::default() };
        }
        let mut parts = Self::default();
        let mut rest = name;
        // One part of the path for each round.
        while !rest.is_empty() {
            if let Some(behind) = UNNAMED.iter().find_map(|unnamed| rest.strip_prefix(unnamed)) {
                rest = behind;
                continue;
            }
            let end = identifier_end(rest);
            let (identifier, behind) = rest.split_at(end);
            if !identifier.is_empty() {
                parts.enter(identifier);
            }
            rest = parts.behind(behind, !identifier.is_empty());
        }
        parts
    }

    /// Makes an identifier the function, and what was the function a namespace.
    fn enter(&mut self, identifier: &'a str) {
        if !self.function.is_empty() {
            self.namespaces.push(self.function);
        }
        if !self.arguments.is_empty() {
            self.of_classes.push(self.arguments);
        }
        (self.function, self.arguments, self.parameters) = (identifier, "", "");
    }

    /// Takes what stands after an identifier, and returns what follows.
    fn behind(&mut self, rest: &'a str, is_named: bool) -> &'a str {
        match rest.as_bytes().first() {
            Some(b'<') => {
                let end = closing(rest);
                if is_named && self.arguments.is_empty() {
                    self.arguments = inner(rest, end);
                }
                &rest[end..]
            }
            Some(b'(') => {
                let end = closing(rest);
                let behind = &rest[end..];
                self.parameters = inner(rest, end);
                // Of a function in a function, the inner one counts; what has no name does not.
                let goes_on =
                    behind.starts_with("::") && !behind.starts_with("::{") && !behind.starts_with("::[");
                if goes_on || self.function.is_empty() { behind } else { "" }
            }
            // A return type came before.
            Some(b' ') => {
                let behind = rest.trim_start();
                let goes_on = behind.is_empty() || behind.starts_with(['(', '<', '[', '&', '*', '{']);
                if !goes_on || UNNAMED.iter().any(|unnamed| behind.starts_with(unnamed)) {
                    *self = Self::default();
                }
                behind
            }
            Some(_) => rest.get(1..).unwrap_or_default(),
            None => rest,
        }
    }

    /// The parts of a template argument that is a type or a function; `None` of numbers and built-in types.
    pub(super) fn of_argument(argument: &'a str) -> Option<Self> {
        let parts = Self::of(argument.trim().trim_start_matches('&'));
        let begins_with_letter =
            parts.function.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        (begins_with_letter && argument.contains(['_', ':', '<'])).then_some(parts)
    }

    /// Whether there is nothing but a function.
    pub(super) fn is_bare(&self) -> bool {
        self.namespaces.is_empty() && self.arguments.is_empty() && self.parameters.is_empty()
    }

    /// The template arguments one by one.
    pub(super) fn each_argument(&self) -> impl Iterator<Item = &'a str> {
        split_arguments(self.arguments)
    }
}

/// The name without what AMD's compiler appends.
fn without_suffix(name: &str) -> &str {
    let name = name.split_once(" [clone").map_or(name, |(name, _)| name);
    name.strip_suffix(".kd").unwrap_or(name)
}

/// Where an identifier at the start ends. Some tools write names of instances with dots and dashes.
fn identifier_end(text: &str) -> usize {
    let is_part = |letter: char| !matches!(letter, '<' | '(' | ':' | ' ' | ',' | '>' | ')' | '&' | '*');
    text.find(|letter| !is_part(letter)).unwrap_or(text.len())
}

/// Behind the bracket that closes the one at the start. Inside of round brackets `<` and `>` may compare.
fn closing(text: &str) -> usize {
    let (mut angles, mut rounds) = (0_usize, 0_usize);
    let opens_round = text.starts_with('(');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => rounds += 1,
            b')' => {
                rounds = rounds.saturating_sub(1);
                if opens_round && rounds == 0 {
                    return at + 1;
                }
            }
            b'<' if rounds == 0 => angles += 1,
            b'>' if rounds == 0 && !text[..at].ends_with('-') => {
                angles = angles.saturating_sub(1);
                if angles == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// What stands between the brackets of a text that begins with one.
fn inner(text: &str, end: usize) -> &str {
    let is_closed = text[..end].ends_with(['>', ')']);
    text.get(1..end - usize::from(is_closed && end > 1)).unwrap_or_default()
}

/// A list of arguments one by one.
fn split_arguments(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list).filter(|list| !list.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let end = argument_end(text);
        rest = text.get(end + 1..);
        Some(text[..end].trim())
    })
}

/// Where the first argument of a list ends.
fn argument_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, namespaces, function, arguments, parameters) in [
            ("void a::b::f<int, g<2>>(x*, int)", &["a", "b"][..], "f", "int, g<2>", "x*, int"),
            ("void (anonymous namespace)::f<(a::Mode)1>(x)", &[], "f", "(a::Mode)1", "x"),
            ("<unnamed>::f(<unnamed>::T<float>)", &[], "f", "", "<unnamed>::T<float>"),
            ("std::enable_if<((8)>(0))&&a<b>::c, void>::type n::f<t, 8>(t*)", &["n"], "f", "t, 8", "t*"),
            ("void c<x<y>>::operator()(int)", &["c"], "operator", "", ""),
            ("a::f(int) [clone .kd]", &["a"], "f", "", "int"),
            ("CUDA graph 3", &[], "CUDA graph 3", "", ""),
            ("void plain", &[], "plain", "", ""),
            ("f<cut::short<int", &[], "f", "cut::short<int", ""),
            ("", &[], "", "", ""),
            ("::", &[], "", "", ""),
        ] {
            let parts = Parts::of(name);
            assert_eq!(
                (&parts.namespaces[..], parts.function, parts.arguments, parts.parameters),
                (namespaces, function, arguments, parameters),
                "{name}"
            );
        }
    }

    #[test]
    fn arguments_are_split_outside_of_brackets() {
        let parts = Parts::of("f<a<b, c>, (d)1, x(y, z)::{lambda(int, int)#1}>()");
        let arguments: Vec<&str> = parts.each_argument().collect();
        assert_eq!(arguments, ["a<b, c>", "(d)1", "x(y, z)::{lambda(int, int)#1}"]);
        assert!(Parts::of_argument("128").is_none() && Parts::of_argument("float").is_none());
        assert_eq!(Parts::of_argument("flash::Fwd<2>").map(|parts| parts.function), Some("Fwd"));
    }
}
