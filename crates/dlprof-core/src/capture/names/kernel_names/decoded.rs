//! Names that the profiler left encoded, as the Itanium ABI for C++ has them, in the form of names that are decoded.
//!
//! `_ZN5flash3fwdI6TraitsLi4EEEvT_` becomes `flash::fwd<Traits, 4>`. What stands for a repeated part (`S1_`) is left out, as are
//! parameters: the words of a name are all that is asked for. A name that ends early, or has something that is not understood, gives
//! the words up to there, and after it every identifier.

/// A name without its encoding; `None` if it is not encoded.
pub(super) fn decoded(name: &str) -> Option<String> {
    let encoded = name.strip_prefix("_Z")?;
    let mut decoder = Decoder { rest: encoded, text: String::new(), depth: 0 };
    if decoder.name().is_none() {
        decoder.remaining_identifiers();
    }
    Some(decoder.text).filter(|text| !text.is_empty())
}

struct Decoder<'a> {
    rest: &'a str,
    text: String,
    depth: usize,
}

/// Deeper names are not followed.
const DEEPEST: usize = 200;

impl<'a> Decoder<'a> {
    fn next(&self) -> Option<u8> {
        self.rest.as_bytes().first().copied()
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// A name: nested in `N … E`, or one identifier, with template arguments.
    fn name(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        match self.next()? {
            b'N' => {
                self.skip(1)?;
                self.nested()?;
            }
            _ => {
                self.prefix()?;
                if self.next() == Some(b'I') {
                    self.arguments()?;
                }
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// The parts of a nested name, up to its end.
    fn nested(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches(['K', 'V', 'r', 'R', 'O']);
        let mut is_first = true;
        loop {
            match self.next()? {
                b'E' => return self.skip(1),
                b'I' => self.arguments()?,
                _ => {
                    let before = self.text.len();
                    if !is_first {
                        self.text.push_str("::");
                    }
                    let named = self.text.len();
                    self.prefix()?;
                    if self.text.len() == named {
                        self.text.truncate(before);
                    } else {
                        is_first = false;
                    }
                }
            }
        }
    }

    /// One identifier, or what stands for a repeated one.
    fn prefix(&mut self) -> Option<()> {
        match self.next()? {
            b'0'..=b'9' => self.identifier(),
            b'L' => {
                self.skip(1)?;
                self.prefix()
            }
            b'S' => self.repeated(),
            b'T' => self.parameter(),
            _ => None,
        }
    }

    /// An identifier with its length before it. One that is cut off gives what is there.
    fn identifier(&mut self) -> Option<()> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (length, behind) = self.rest.split_at(digits);
        let length: usize = length.parse().ok().filter(|length| *length > 0)?;
        let (word, rest) = behind.split_at_checked(length).unwrap_or((behind, ""));
        self.rest = rest;
        if !word.starts_with("_GLOBAL__N_") {
            self.text.push_str(word);
        }
        Some(())
    }

    fn repeated(&mut self) -> Option<()> {
        self.skip(1)?;
        match self.next()? {
            b'a'..=b'z' => self.skip(1),
            _ => self.skip(self.rest.find('_')? + 1),
        }
    }

    /// A template parameter by its number, `T_` or `T1_`, or what kind of parameter an argument is for.
    fn parameter(&mut self) -> Option<()> {
        match self.rest.as_bytes().get(1)? {
            b'n' | b'p' | b'y' | b't' => {
                self.skip(2)?;
                self.argument()
            }
            _ => self.skip(self.rest.find('_')? + 1),
        }
    }

    fn arguments(&mut self) -> Option<()> {
        self.skip(1)?;
        self.text.push('<');
        let mut is_first = true;
        while self.next()? != b'E' {
            if !is_first {
                self.text.push_str(", ");
            }
            is_first = false;
            self.argument()?;
        }
        self.text.push('>');
        self.skip(1)
    }

    /// A template argument: a type, a value, a pack of these.
    fn argument(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        match self.next()? {
            b'L' if self.rest.starts_with("L_Z") => {
                self.skip(3)?;
                self.name()?;
                self.up_to_end()?;
            }
            b'L' => self.value()?,
            b'J' | b'X' => {
                self.skip(1)?;
                while self.next()? != b'E' {
                    self.argument()?;
                    self.text.push(' ');
                }
                self.skip(1)?;
            }
            b'P' | b'R' | b'O' | b'K' | b'V' => {
                self.skip(1)?;
                self.argument()?;
            }
            b'D' => self.type_of_two_letters()?,
            b'F' => {
                self.skip(1)?;
                self.up_to_end()?;
            }
            letter if letter.is_ascii_lowercase() => {
                self.text.push_str(built_in(letter));
                self.skip(1)?;
            }
            _ => self.name()?,
        }
        self.depth -= 1;
        Some(())
    }

    fn type_of_two_letters(&mut self) -> Option<()> {
        for (code, word) in [("DF16b", "__bf16"), ("DF16_", "_Float16"), ("Dh", "half")] {
            if self.rest.starts_with(code) {
                self.text.push_str(word);
                return self.skip(code.len());
            }
        }
        self.skip(2)
    }

    /// A value such as `Li4E`, `Lb1E` or `LN2at4KindE2E`.
    fn value(&mut self) -> Option<()> {
        self.skip(1)?;
        let is_built_in = self.next()?.is_ascii_lowercase();
        if is_built_in {
            self.skip(1)?;
        } else {
            self.text.push('(');
            self.name()?;
            self.text.push(')');
        }
        let end = self.rest.find('E')?;
        self.text.push_str(&self.rest[..end]);
        self.skip(end + 1)
    }

    /// Skips to after the end of what is open.
    fn up_to_end(&mut self) -> Option<()> {
        while self.next()? != b'E' {
            self.argument()?;
        }
        self.skip(1)
    }

    /// Every identifier that is left, where template arguments are open; else the function is known, and parameters follow.
    fn remaining_identifiers(&mut self) {
        self.text.truncate(self.text.trim_end_matches(':').len());
        let count = |bracket: char| self.text.matches(bracket).count();
        if count('<') <= count('>') && !self.text.is_empty() {
            return;
        }
        while let Some(at) = self.rest.find(|letter: char| letter.is_ascii_digit()) {
            let (before, text) = (&self.rest[at..], self.text.len());
            self.rest = before;
            self.text.push_str(", ");
            let digits = before.bytes().take_while(u8::is_ascii_digit).count();
            let begins =
                before[digits..].starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
            let fits = before[..digits].parse().is_ok_and(|length: usize| length + digits <= before.len());
            if !(begins && fits && self.identifier().is_some()) {
                self.text.truncate(text);
                self.rest = &before[digits..];
            }
        }
    }
}

/// The words for the types that matter for precision.
fn built_in(letter: u8) -> &'static str {
    match letter {
        b'f' => "float",
        b'd' => "double",
        b'a' => "signed char",
        b't' => "unsigned short",
        b'b' => "bool",
        _ => "int",
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn encoded_names_say_the_same_as_others() {
        for (encoded, text) in [
            ("_Z3addPfi", "add"),
            ("_ZN5aiter9rms_quantIDF16bLi64ELb0EEEvPT0_", "aiter::rms_quant<__bf16, 64, 0>"),
            (
                "_ZN7cutlass13device_kernelINS_4gemm13GemmUniversalIN4cute5tupleIJiiEEENS_12float_e4m3_tEEEEEvNT_6ParamsE",
                "cutlass::device_kernel<gemm::GemmUniversal<cute::tuple<int int >, float_e4m3_t>>",
            ),
            ("_ZN2ck6deviceL4convEv", "ck::device::conv"),
            ("_ZN2ck12_GLOBAL__N_14convEv", "ck::conv"),
        ] {
            assert_eq!(decoded(encoded).as_deref(), Some(text), "{encoded}");
        }
        assert_eq!(decoded("add"), None);
        assert_eq!(decoded("_Z"), None);
    }

    #[test]
    fn a_name_that_ends_early_gives_its_words() {
        let cut = "_ZN2ck16tensor_operation6deviceL4convINS_25GridwiseGemm_xdl_cshuffleItttftNS_5Tup";
        let text = decoded(cut).expect("it is encoded");
        assert!(text.starts_with("ck::tensor_operation::device::conv<GridwiseGemm_xdl_cshuffle<"), "{text}");
        for length in 0..cut.len() {
            let _ = decoded(&cut[..length]);
        }
        // One end too few: what follows the function is left out.
        assert_eq!(decoded("_ZN1a3addI1bEvT_6Params").as_deref(), Some("a::add<b>"));
    }
}
