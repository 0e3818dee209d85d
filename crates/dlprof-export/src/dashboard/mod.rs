//! The dashboard as text: drawn from an [`Overview`] and from nothing else, for a terminal of 60 to 250 columns.
//!
//! The order is that of every first page: verdict, window, figures, where a step's time goes, iterations, kernels, ops, what to
//! change, the system. From 140 columns on, blocks stand beside each other. Names take what room is left, columns go by
//! importance, and only sentences wrap. A full block is a GPU that works, `░` one that waits.

mod cut;
mod details;
mod findings;
mod header;
mod iterations;
mod letters;
mod line;
mod lists;
mod look;
pub(crate) mod markdown;
mod numbers;
mod page;
mod paper;
mod ranked_rows;
mod step;

pub use letters::Letters;
pub use look::{COLUMNS, Colour, Details, Look};
pub use markdown::markdown;

use crate::overview::Overview;
use line::Line;
use page::{Amounts, first_screen, page};
use paper::Paper;
use std::io::{self, Write};

/// The dashboard is drawn for no less and no more columns than these.
const LEAST_COLUMNS: usize = 60;
const MOST_COLUMNS: usize = 250;

/// Writes the dashboard.
///
/// # Errors
/// Only those of writing.
pub fn write(overview: &Overview, look: &Look<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paper = Paper { columns: look.columns.clamp(LEAST_COLUMNS, MOST_COLUMNS), letters: look.letters };
    let blocks = match look.details {
        Details::Best => first_screen(overview, look, paper),
        Details::All => {
            let mut blocks = page(overview, look, Amounts::ALL, paper);
            let last = blocks.pop();
            blocks.extend(details::blocks(overview, look, paper));
            blocks.extend(last);
            blocks
        }
    };
    let shown: Vec<String> = blocks
        .into_iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.iter().map(Line::finished).collect::<Vec<_>>().join("\n"))
        .collect();
    let text = format!("{}\n", shown.join("\n\n"));
    match look.colour {
        Colour::Ansi => out.write_all(text.as_bytes()),
        Colour::Plain => write!(out, "{}", anstream::adapter::strip_str(&text)),
    }
}

/// The dashboard as JSON: the overview with its version.
///
/// # Errors
/// Only those of writing.
pub fn write_json(overview: &Overview, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, overview)?;
    writeln!(out)
}
