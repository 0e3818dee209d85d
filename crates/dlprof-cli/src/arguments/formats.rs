//! Names of formats as values of arguments, from the list of the export crate.

use crate::commands::show::Printed;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dlprof_export::{FORMATS, FileFormat, Together, format_endings};

/// `table`, and the formats of one table that are text.
pub(crate) fn printed() -> impl TypedValueParser<Value = Printed> {
    let table = PossibleValue::new("table").help("Text for people");
    let formats = FORMATS.iter().filter(|format| format.is_text && format.table.is_some()).map(value);
    let of_name = |name: String| FileFormat::named(&name).and_then(|format| format.table);
    PossibleValuesParser::new(std::iter::once(table).chain(formats))
        .map(move |name| of_name(name).map_or(Printed::Table, Printed::As))
}

/// All formats.
pub(crate) fn of_files() -> impl TypedValueParser<Value = &'static FileFormat> {
    PossibleValuesParser::new(FORMATS.iter().map(value))
        .map(|name| FileFormat::named(&name).expect("the values are names of formats"))
}

fn value(format: &'static FileFormat) -> PossibleValue {
    PossibleValue::new(format.ending).help(format.doc).aliases(format.other_names)
}

/// What `export --output` takes.
pub(crate) fn output_help() -> String {
    format!(
        "File, whose ending sets the format ({} for one table; {} for all tables; {} for other tools), or folder for a file \
         per table. The name of a folder ends with `/`, unless the folder exists. May be given several times: either all \
         files are written or none",
        format_endings(|format| format.together.is_none()),
        format_endings(|format| format.together.is_some_and(Together::has_tables)),
        format_endings(|format| format.together.is_some_and(|together| !together.has_tables()))
    )
}

/// What `export --format` takes.
pub(crate) fn format_help() -> String {
    let line = |format: &FileFormat| format!("\n- {}: {}", format.ending, format.doc);
    format!(
        "Format of the file, whatever its ending is, or of the files in a folder [default: csv]\n\nValues:{}",
        FORMATS.iter().map(line).collect::<String>()
    )
}

/// What `--format` of a command that prints a table takes.
pub(crate) fn printed_help() -> String {
    format!(
        "table, or {} [default: table]",
        format_endings(|format| format.is_text && format.table.is_some())
    )
}

/// What `query --output` takes.
pub(crate) fn answer_help() -> String {
    let endings = format_endings(|format| format.table.is_some());
    format!("Write the answer to a file instead, whose ending sets the format: {endings}")
}
