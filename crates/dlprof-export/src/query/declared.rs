//! How columns of tables are declared to SQLite, so that the declaration of a column that an answer passes on says its kind
//! and its unit.

use super::PROFILE;
use dlprof_core::{CellKind, Definition, Header, Unit};

/// The declaration of a table. The column [`PROFILE`] comes first, and `select *` leaves it out if it is hidden.
pub(super) fn table(definition: &Definition, has_profile: bool) -> String {
    let hidden = if has_profile { "" } else { " HIDDEN" };
    let columns = definition.headers().into_iter().map(|header| {
        let Header { key, .. } = header;
        format!(", \"{key}\" {}", column(header.kind, header.unit))
    });
    format!("CREATE TABLE {}(\"{PROFILE}\" TEXT{hidden}{})", definition.key, columns.collect::<String>())
}

/// The declared type of a column, such as `INTEGER ns`.
fn column(kind: CellKind, unit: Unit) -> String {
    match word(unit) {
        "" => kind_word(kind).to_owned(),
        unit => format!("{} {unit}", kind_word(kind)),
    }
}

/// What a declared type says; `None` if it is not one of ours.
pub(super) fn read(declared: &str) -> Option<(CellKind, Unit)> {
    let units = || std::iter::once(Unit::None).chain(Unit::ALL);
    let all = KINDS.into_iter().flat_map(|kind| units().map(move |unit| (kind, unit)));
    all.into_iter().find(|(kind, unit)| column(*kind, *unit) == declared)
}

const KINDS: [CellKind; 6] =
    [CellKind::Int, CellKind::Float, CellKind::Flag, CellKind::Answer, CellKind::Json, CellKind::Text];

fn kind_word(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Int => "INTEGER",
        CellKind::Float => "REAL",
        CellKind::Flag => "BOOLEAN",
        CellKind::Answer => "TEXT answer",
        CellKind::Json => "TEXT json",
        CellKind::Text => "TEXT",
    }
}

/// A unit as a word of a declaration. No word may contain `int`, `char`, `blob` or another word in which SQLite sees a type.
fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::None => "",
        Unit::Nanoseconds => "ns",
        Unit::Percent => "percent",
        Unit::Bytes => "bytes",
        Unit::PerSecond => "per_s",
        Unit::GigabytesPerSecond => "gb_per_s",
        Unit::BytesPerSecond => "bytes_per_s",
        Unit::Hertz => "hz",
        Unit::Flop => "flop",
        Unit::TeraflopPerSecond => "tflop_per_s",
        Unit::FlopPerByte => "flop_per_byte",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlprof_core::TABLES;

    #[test]
    fn every_declaration_is_read_back() {
        for header in TABLES.iter().flat_map(Definition::headers) {
            assert_eq!(
                read(&column(header.kind, header.unit)),
                Some((header.kind, header.unit)),
                "{header:?}"
            );
        }
        assert_eq!(read("INT"), None);
    }

    #[test]
    fn sqlite_sees_the_type_that_is_meant() {
        for unit in Unit::ALL {
            let word = word(unit);
            assert!(
                !["int", "char", "clob", "text", "blob", "real", "floa", "doub"]
                    .iter()
                    .any(|it| word.contains(it))
            );
        }
    }
}
