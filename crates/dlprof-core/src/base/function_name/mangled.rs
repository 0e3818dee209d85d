//! Names that the profiler left mangled, as the Itanium ABI for C++ has them: `_ZN2at3addIfEEvPT_` is `at::add<float>(float*)`.
//!
//! Only the bare name of the function is looked for. Whatever is not understood on the way to it leaves the name as it is.

/// The bare name of the function of a mangled name; `None` if the name is not mangled, or not understood.
pub(super) fn function(name: &str) -> Option<&str> {
    let encoded = name.strip_prefix("_Z")?;
    match encoded.strip_prefix('N') {
        Some(nested) => last_of_nested(nested),
        None => source_name(encoded.trim_start_matches('L')).map(|(name, _)| name),
    }
}

/// A name with its length before it, and what follows.
fn source_name(encoded: &str) -> Option<(&str, &str)> {
    let digits = encoded.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = encoded.split_at(digits);
    rest.split_at_checked(length.parse().ok().filter(|length| *length > 0)?)
}

/// The last name of `at::native::add<…>`, given what stands after the `N`.
fn last_of_nested(encoded: &str) -> Option<&str> {
    let mut rest = encoded.trim_start_matches(['K', 'V', 'r', 'R', 'O']);
    let mut last = None;
    loop {
        rest = match rest.as_bytes().first()? {
            b'E' => return last,
            b'0'..=b'9' => {
                let (name, behind) = source_name(rest)?;
                last = Some(name);
                behind
            }
            b'I' => arguments_end(rest)?,
            b'S' => substitution_end(rest)?,
            // Of this file alone.
            b'L' => &rest[1..],
            // Operators, constructors and functions in functions.
            _ => return None,
        };
    }
}

/// What stands after `S_`, `S1_` or `St`.
fn substitution_end(encoded: &str) -> Option<&str> {
    let behind = &encoded[1..];
    match behind.as_bytes().first()? {
        b'a'..=b'z' => Some(&behind[1..]),
        _ => behind.find('_').map(|at| &behind[at + 1..]),
    }
}

/// What stands after the template arguments that begin with `I`. Names are passed over by their lengths; every other letter that
/// opens something has its `E`.
fn arguments_end(encoded: &str) -> Option<&str> {
    let (mut rest, mut depth) = (encoded, 0_usize);
    loop {
        rest = match rest.as_bytes().first()? {
            b'E' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&rest[1..]);
                }
                &rest[1..]
            }
            b'L' if rest.starts_with("L_Z") => {
                depth += 1;
                &rest[3..]
            }
            b'L' => literal_end(rest)?,
            b'I' | b'N' | b'J' | b'X' | b'F' => {
                depth += 1;
                &rest[1..]
            }
            b'0'..=b'9' => source_name(rest)?.1,
            b'S' => substitution_end(rest)?,
            // Half floats, `DF16_` and `DF16b`, and other types of two letters.
            b'D' => match rest.strip_prefix("DF16") {
                Some(behind) => behind.get(1..)?,
                None => rest.get(2..)?,
            },
            // What kind of parameter an argument is for, or a parameter by its number: `T_`, `T1_`.
            b'T' => match rest.as_bytes().get(1)? {
                b'n' | b'p' | b'y' => &rest[2..],
                b'0'..=b'9' | b'_' => &rest[rest.find('_')? + 1..],
                _ => return None,
            },
            letter if letter.is_ascii_lowercase() || matches!(letter, b'P' | b'R' | b'O' | b'K' | b'V') => {
                &rest[1..]
            }
            _ => return None,
        };
    }
}

/// What stands after a value such as `Li4E`, `Lb1E` or `LN2at4KindE2E`.
fn literal_end(encoded: &str) -> Option<&str> {
    let of_type = &encoded[1..];
    let value = match of_type.as_bytes().first()? {
        b'N' => {
            let mut rest = &of_type[1..];
            loop {
                rest = match rest.as_bytes().first()? {
                    b'E' => break &rest[1..],
                    b'0'..=b'9' => source_name(rest)?.1,
                    b'S' => substitution_end(rest)?,
                    // Of a class with arguments of its own: too rare to be followed.
                    _ => return None,
                };
            }
        }
        b'0'..=b'9' => source_name(of_type)?.1,
        b'S' => substitution_end(of_type)?,
        b'a'..=b'z' => &of_type[1..],
        _ => return None,
    };
    let is_digit = |letter: char| letter.is_ascii_digit() || matches!(letter, 'a'..='f');
    value.trim_start_matches('n').trim_start_matches(is_digit).strip_prefix('E')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_the_last_name() {
        let cases = [
            ("_Z3addPfi", Some("add")),
            (
                "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0EEEvPT0_PT_PfS4_ib",
                Some("add_rmsnorm_quant_kernel"),
            ),
            (
                "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i",
                Some("act_and_mul_kernel"),
            ),
            (
                "_ZN2ck16tensor_operation6device12_GLOBAL__N_14convINS_34GridwiseGemmMultipleD_xdl_cshuffleItttftNS_5TupleIJEEES8_LNS_25InMemoryDataOperationEnumE0ELi1EEELi256EEEvT_",
                Some("conv"),
            ),
            ("_ZN1aIXsr1b1cEE3addEv", Some("add")),
            ("_ZN1aC1Ev", None),
            ("_ZN3", None),
            ("_ZN999999999999999999999add", None),
            ("_ZN1aI", None),
            ("_Z", None),
            ("_ZN1é", None),
            ("add", None),
        ];
        for (name, expected) in cases {
            assert_eq!(function(name), expected, "{name}");
        }
    }
}
