//! `explain`: what a column, a cause, a class or a term means, and how a rule decides.

use crate::console;
use crate::exit::Failure;
use dlprof_core::{Answer, Explanation, Topic, explain, explain_all};
use dlprof_export::wrap;

/// Width of the text in columns.
const WIDTH: usize = 100;

pub(crate) fn run(names: &[String]) -> Result<(), Failure> {
    console::print(&text_of(names)?)
}

/// All meanings of names; without names the list of all.
pub(crate) fn text_of(names: &[String]) -> Result<String, Failure> {
    if names.is_empty() {
        return Ok(list());
    }
    let texts: Vec<String> = names.iter().map(|name| text(name)).collect::<Result<_, _>>()?;
    Ok(texts.join("\n"))
}

/// All meanings of a name.
fn text(name: &str) -> Result<String, Failure> {
    match explain(name) {
        Answer::Found(found) => Ok(found.iter().map(paragraph).collect::<Vec<_>>().join("\n")),
        Answer::Unknown(nearest) => Err(Failure::Usage {
            message: format!("`{name}` is not a name that `explain` knows"),
            hint: Some(match nearest.as_slice() {
                [] => "`dlprof-agg explain` without a name lists all names".to_owned(),
                names => format!("did you mean `{}`?", names.join("`, `")),
            }),
        }),
    }
}

fn paragraph(one: &Explanation) -> String {
    let tables = match one.tables.as_slice() {
        [] => String::new(),
        tables => format!(" of {}", tables.join(", ")),
    };
    let mut text = format!("{} ({}{tables})\n", one.name, one.topic.as_str());
    push_block(&mut text, "  ", one.definition);
    let more = [("formula", one.formula), ("unit", one.unit), ("reading", one.reading)];
    for (label, more) in more {
        if let Some(more) = more {
            push_block(&mut text, &format!("  {label:<9}"), more);
        }
    }
    for (label, more) in &one.details {
        push_block(&mut text, &format!("  {label:<12}"), more);
    }
    text
}

/// Adds wrapped lines. The first line begins with `start`, the others with as many spaces.
fn push_block(text: &mut String, start: &str, words: &str) {
    let indent = " ".repeat(start.len());
    for (at, line) in wrap(words, WIDTH - start.len()).iter().enumerate() {
        text.push_str(&format!("{}{line}\n", if at == 0 { start } else { &indent }));
    }
}

/// All names, by topic.
fn list() -> String {
    let mut text = String::new();
    for topic in Topic::ALL {
        let mut names: Vec<&str> =
            explain_all().filter(|one| one.topic == topic).map(|one| one.name).collect();
        if topic.is_of_columns() {
            names.sort_unstable();
            names.dedup();
        }
        text.push_str(&format!("{}:\n", topic.as_str()));
        push_block(&mut text, "  ", &names.join(", "));
    }
    text
}
