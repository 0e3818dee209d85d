//! A dashboard, a timeline and a table as pieces of HTML for notebooks: styles in place, no script, nothing from a network.
//!
//! A notebook puts a piece between others and keeps it in its file, so pieces are small, need nothing outside of themselves, and are
//! dark text on white wherever they are shown.

mod dashboard;
mod table;
mod timeline;

pub use dashboard::dashboard as dashboard_html;
pub use table::table as table_html;
pub use timeline::timeline as timeline_html;

use crate::display::plain;
use crate::palette;
use std::fmt::Write;

/// A text escaped so that it is shown unchanged, in attributes too.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            // Notebooks take text between these for mathematics.
            '$' => shown.push_str("&#36;"),
            c => shown.push(c),
        }
    }
    shown
}

/// A colour as CSS has it.
fn css(color: u32) -> String {
    format!("#{color:06x}")
}

/// The frame of a piece.
fn framed(content: &str) -> String {
    format!(
        "<div style=\"background:{};color:{};border:1px solid {};border-radius:6px;padding:12px 14px;max-width:1100px;\
         font:13px/1.45 system-ui,sans-serif;overflow-x:auto;\
         overflow-wrap:anywhere\">{content}</div>",
        css(palette::SURFACE),
        css(palette::TEXT),
        css(palette::LINE)
    )
}

/// A heading of a part.
fn heading(text: &str) -> String {
    format!("<div style=\"font-weight:600;margin:12px 0 4px\">{}</div>", escaped(text))
}

/// Text that matters less.
fn quiet(text: &str) -> String {
    format!("<span style=\"color:{}\">{}</span>", css(palette::TEXT_3), escaped(text))
}

/// What fills an area: the colour, or its stripes where a GPU waits.
fn fill(color: u32, is_waiting: bool) -> String {
    match is_waiting {
        false => css(color),
        true => format!(
            "repeating-linear-gradient(135deg,{0} 0 2px,{1} 2px 5px)",
            css(color),
            css(palette::paler(color))
        ),
    }
}

/// Appends a formatted text. Texts take all that is written to them.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok());
}

#[cfg(test)]
mod tests;
