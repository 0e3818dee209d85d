//! An answer as text for people.

use super::envelope::{Envelope, Part};
use crate::display::{TimeUnit, time};
use serde_json::Value as Json;
use std::fmt::Write;

impl Envelope {
    /// Text for people, at most so many tokens long.
    #[must_use]
    pub fn to_text(&self, most_tokens: usize) -> String {
        self.fitted(most_tokens, text)
    }
}

/// The answer in lines.
fn text(envelope: &Envelope) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(words.trim_end());
        text.push('\n');
    };
    for warning in &envelope.warn {
        line(format!("warning[{}]: {}", warning.code, warning.say));
    }
    if let Some(error) = &envelope.error {
        line(format!("error[{}]: {}", error.code, error.say));
    }
    if !envelope.say.is_empty() {
        line(envelope.say.clone());
    }
    for cannot in &envelope.cannot {
        line(format!("not known: {} ({})", cannot.say, cannot.because));
        line(format!("  to know it: {}", cannot.record.join("; or ")));
    }
    if let Some(scope) = &envelope.scope {
        line(format!("about: {}", scope.text));
    }
    envelope.parts.iter().for_each(|part| line(format!("\n{}", of_part(part))));
    if envelope.parts.iter().any(|part| part.sql.is_some()) {
        line("\n`--brief` has the SQL of these rows".to_owned());
    }
    text
}

fn of_part(part: &Part) -> String {
    let mut text = format!("{} ({} of {})\n", part.name.replace('_', " "), part.shown, part.total);
    for row in &part.rows {
        let cells = part.columns.iter().zip(row).map(|(column, cell)| match cell {
            Json::Null => String::new(),
            Json::Number(number) if column.unit == "ns" => {
                format!(
                    "{} {}",
                    column.name.trim_end_matches("_ns"),
                    time(number.as_f64().unwrap_or(0.0), TimeUnit::Auto)
                )
            }
            Json::Number(number) => format!("{} {number} {}", column.name, column.unit).trim_end().to_owned(),
            Json::String(text) => text.clone(),
            other => format!("{} {other}", column.name),
        });
        let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        let _ = writeln!(text, "  {}", cells.join(" · "));
    }
    if part.rows.is_empty() {
        text.push_str("  none\n");
    }
    text
}
