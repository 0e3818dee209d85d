//! Measures, cuts, pads and wraps texts for columns, and draws bars with characters.

use crate::display::plain;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that the dashboard takes at most.
pub(crate) const COLUMNS: usize = 100;

/// Columns that a text takes on a terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text of at most `columns`. It is shortened in the middle, because the start and the end of a name say most.
#[must_use]
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    let text = plain(text);
    if width(&text) <= columns {
        return text;
    }
    let room = columns.saturating_sub(1);
    let head = take_columns(text.chars(), room / 3);
    let tail = take_columns(text.chars().rev(), room - width(&head));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// A name of at most `columns`. It loses its middle and keeps its leaf, what is after the last `/`, or else its last
/// characters: names differ at their ends.
#[must_use]
pub(crate) fn shorten_name(name: &str, columns: usize) -> String {
    /// Characters at the end that are kept.
    const END: usize = 11;
    let name = plain(name);
    if width(&name) <= columns {
        return name;
    }
    let name = without_parameters(&name);
    if width(name) <= columns {
        return name.to_owned();
    }
    let room = columns.saturating_sub(1);
    let leaf = name.rfind('/').map_or(0, |at| width(&name[at..]));
    let end = if (1..=room * 5 / 6).contains(&leaf) { leaf } else { 0 };
    let tail = take_columns(name.chars().rev(), end.max(room / 2).max(END).min(room));
    let head = take_columns(name.chars(), room - width(&tail));
    format!("{head}…{}", tail.chars().rev().collect::<String>())
}

/// The name of a C++ function without its return type and its parameters; any other name unchanged.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0_usize;
    let opens = |(_, c): &(usize, char)| {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    let start = match name.ends_with(')') {
        true => name.char_indices().rev().find(opens).map_or(0, |(at, _)| at),
        false => 0,
    };
    let is_function = name[..start].ends_with(|c: char| c.is_alphanumeric() || "_>".contains(c));
    let name = if is_function { &name[..start] } else { name };
    name.strip_prefix("void ").unwrap_or(name)
}

/// The first letters, as many as fit into `columns`.
pub(crate) fn take_columns(chars: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    chars.take_while(fits).collect()
}

/// A text padded with spaces to `columns`.
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text with spaces in front, so that it fills `columns`.
#[must_use]
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The longest part of a message without a space that is shown whole, in characters.
pub(crate) const LONGEST_WORD: usize = 300;

/// The longest message, in characters.
pub(crate) const LONGEST_MESSAGE: usize = 4000;

/// A message in which what somebody typed or wrote into a file is not repeated at length: words and quoted texts beyond
/// `LONGEST_WORD` characters lose their middle, and so does a message beyond `LONGEST_MESSAGE`.
#[must_use]
pub fn brief(message: &str) -> String {
    let by_word: Vec<String> = message.split(' ').map(|word| without_middle(word, LONGEST_WORD)).collect();
    let by_quote: Vec<String> =
        by_word.join(" ").split('`').map(|part| without_middle(part, LONGEST_MESSAGE / 4)).collect();
    without_middle(&by_quote.join("`"), LONGEST_MESSAGE)
}

/// A text of at most `most` characters, of which the middle is left out and counted.
fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(40) / 2;
    let byte_of = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..byte_of(kept)], &text[byte_of(length - kept)..]);
    format!("{head}…({} characters left out)…{tail}", length - 2 * kept)
}

/// Wraps a text at spaces into lines of at most `columns`.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The bar of a sparkline for a share from 0 to 1, rounded to the nearest eighth of a line. It is never empty.
#[must_use]
pub(crate) fn bar_of(share: f64) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let reaches = |at: &usize| share * 8.0 >= dlprof_core::count_to_f64(*at as u64) + 0.5;
    BARS[(1..8).rev().find(reaches).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_message_keeps_its_start_and_its_end() {
        let plain = "key node `global_step` never ran";
        assert_eq!(brief(plain), plain);
        let long = "é".repeat(100_000);
        for message in [
            format!("key node `{long}` never ran"),
            format!("key node `{}` never ran", "é ".repeat(100_000)),
            format!("key node {} never ran", "é ` ".repeat(100_000)),
        ] {
            let brief = brief(&message);
            assert!(brief.chars().count() <= LONGEST_MESSAGE, "{}", brief.chars().count());
            assert!(brief.starts_with("key node ") && brief.ends_with(" never ran"), "{brief}");
            assert!(brief.contains(" characters left out)"), "{brief}");
        }
    }

    #[test]
    fn bars_are_as_high_as_the_share() {
        let bars: String =
            [0.0, 0.1, 0.5, 0.56, 0.57, 0.93, 0.94, 1.0, 7.0].map(bar_of).into_iter().collect();
        assert_eq!(bars, "▁▁▄▄▅▇███");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("short", 10), "short");
        assert_eq!(shorten("/module/net/forward/conv2d", 13), "/mod…d/conv2d");
        assert!(width(&shorten("模块模块模块模块", 7)) <= 7);
        assert_eq!(shorten("a\nb", 5), "a b");
    }

    #[test]
    fn names_keep_their_end() {
        assert_eq!(shorten_name("short", 10), "short");
        assert_eq!(shorten_name("/module/net/layer4/conv2d", 16), "/mod…yer4/conv2d");
        assert_eq!(shorten_name("ampere_sgemm_128x64_nt_align4", 20), "ampere_s…4_nt_align4");
        assert_eq!(shorten_name("void at::add<(bool)0>(int, f(*)(int))", 20), "at::add<(bool)0>");
        assert_eq!(shorten_name("a_very_long_name_end", 12), "…ng_name_end");
        assert!(width(&shorten_name("模块模块模块模块", 7)) <= 7);
    }
}
