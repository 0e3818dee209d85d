//! Collapsed stacks, a line each: `frame;frame;frame N`, where N is GPU time in nanoseconds. `flamegraph.pl`, inferno and
//! speedscope read them.
//!
//! What a name may not hold is escaped, so that two names never become one: `\x3b` for a semicolon, `\x` and two digits for
//! control characters, `\\` for a backslash. A kernel whose name ends with a space and a number has `\x20` for that space,
//! because readers take a second number at the end of a line for a second sample.

use super::stacks::stacks;
use dlprof_core::Profile;
use std::io::{self, Write};

/// Writes the stacks of a profile, in order of their frames.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    for (frames, gpu_ns) in stacks(profile) {
        let mut frames: Vec<String> = frames.iter().map(|frame| escaped(frame)).collect();
        if let Some(last) = frames.last_mut() {
            *last = without_number(last);
        }
        writeln!(out, "{} {gpu_ns}", frames.join(";"))?;
    }
    Ok(())
}

/// A name without the characters that mean something in a line.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            ';' => text.push_str("\\x3b"),
            letter if u32::from(letter) < 0x20 || letter == '\u{7f}' => {
                text.push_str(&format!("\\x{:02x}", u32::from(letter)));
            }
            letter => text.push(letter),
        }
    }
    text
}

/// A name whose last word is not a number of its own.
fn without_number(name: &str) -> String {
    let is_number =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match name.rsplit_once(' ') {
        Some((rest, word)) if is_number(word) => format!("{rest}\\x20{word}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("void gemm<float, 4>(int)"), "void gemm<float, 4>(int)");
        assert_eq!(escaped("a;b\\c\nd\re\tf"), "a\\x3bb\\\\c\\x0ad\\x0de\\x09f");
        assert_eq!(escaped("核 é"), "核 é");
    }

    #[test]
    fn a_number_at_the_end_is_no_sample() {
        assert_eq!(without_number("gemm 128"), "gemm\\x20128");
        assert_eq!(without_number("gemm 1.5"), "gemm\\x201.5");
        assert_eq!(without_number("gemm128"), "gemm128");
        assert_eq!(without_number("gemm 128x"), "gemm 128x");
        assert_eq!(without_number("gemm "), "gemm ");
    }
}
