//! The terminal that standard output is, if it is one.

use super::streams;

/// A narrower terminal is taken as this wide.
const NARROWEST: usize = 40;

/// The width that texts for people have to fit. `None` if there is no limit: standard output is no terminal, and the
/// environment has no `COLUMNS`.
pub(crate) fn width() -> Option<usize> {
    let of_environment = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse::<usize>().ok());
    let of_terminal = || size().map(|(columns, _)| columns);
    of_environment.filter(|&columns| columns > 0).or_else(of_terminal).map(|columns| columns.max(NARROWEST))
}

/// The number of lines; `None` if standard output is not a terminal.
pub(crate) fn height() -> Option<usize> {
    size().map(|(_, lines)| lines)
}

/// Columns and lines. A terminal that does not tell has 80 × 24.
fn size() -> Option<(usize, usize)> {
    if !streams::is_terminal() {
        return None;
    }
    let told = terminal_size::terminal_size_of(std::io::stdout());
    let told = told.map(|(columns, lines)| (usize::from(columns.0), usize::from(lines.0)));
    Some(told.filter(|&(columns, lines)| columns > 0 && lines > 0).unwrap_or((80, 24)))
}
