//! Deeds on a database, drawn from bytes: cells, rows, columns, tables.

use arbitrary::{Result, Unstructured};
use rusqlite::Connection;
use rusqlite::types::Value;

/// Most deeds on one database.
const MOST: usize = 20;

const NUMBERS: [i64; 12] =
    [0, -1, 1, 59, 255, i32::MAX as i64, 1 << 32, (1 << 53) + 1, 1 << 62, i64::MAX, i64::MIN, -(1 << 31)];
const TEXTS: [&str; 7] = [
    "",
    "step 3",
    "aten::mm, seq = 1",
    "MmBackward0, seq = 1",
    "{'mod': 'x', 'op': 'mm', 'args': []}",
    "a/b/c",
    "\u{1b}[31m\u{202e}\0",
];

/// Damages a database. What SQLite refuses is left out.
pub(crate) fn damage(database: &Connection, input: &mut Unstructured<'_>) -> Result<()> {
    let tables = tables(database);
    for _ in 0..MOST {
        if input.is_empty() {
            break;
        }
        let (table, columns) = input.choose(&tables)?;
        let column = if columns.is_empty() { "rowid" } else { input.choose(columns)? };
        let statement = match input.int_in_range(0..=15u8)? {
            0..=5 => {
                let which = rows(input)?;
                let value = value(input)?;
                let set = format!("UPDATE \"{table}\" SET \"{column}\" = ?1 WHERE {which}");
                drop(database.execute(&set, [value]));
                continue;
            }
            6 | 7 => {
                let other = input.choose(columns).map_or("rowid", String::as_str).to_owned();
                let change = *input.choose(&[
                    "+ 1",
                    "- 1000000000000",
                    "* -1",
                    "* 1000",
                    "|| ''",
                    "+ 0.5",
                    "<< 24",
                ])?;
                format!("UPDATE \"{table}\" SET \"{column}\" = \"{other}\" {change} WHERE {}", rows(input)?)
            }
            8 | 9 => format!("DELETE FROM \"{table}\" WHERE {}", rows(input)?),
            10 | 11 => format!("INSERT INTO \"{table}\" SELECT * FROM \"{table}\" WHERE {}", rows(input)?),
            12 => format!("ALTER TABLE \"{table}\" DROP COLUMN \"{column}\""),
            13 => format!("DROP TABLE \"{table}\""),
            14 => format!(
                "ALTER TABLE \"{table}\" RENAME TO aside; CREATE VIEW \"{table}\" AS SELECT * FROM aside WHERE {}",
                rows(input)?
            ),
            _ => format!(
                "ALTER TABLE \"{table}\" RENAME COLUMN \"{column}\" TO was;
                 ALTER TABLE \"{table}\" ADD COLUMN \"{column}\" AS (was) VIRTUAL"
            ),
        };
        drop(database.execute_batch(&statement));
    }
    Ok(())
}

/// The tables with their columns.
fn tables(database: &Connection) -> Vec<(String, Vec<String>)> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid";
    let mut names = database.prepare(names).expect("the schema");
    let names = names.query_map([], |row| row.get(0)).expect("the schema");
    let columns = |table: String| {
        let mut columns = database.prepare("SELECT name FROM pragma_table_info(?1)").expect("the schema");
        let found = columns.query_map([&table], |row| row.get(0)).expect("the columns");
        let found = found.collect::<rusqlite::Result<_>>().expect("names");
        (table, found)
    };
    names.map(|name| columns(name.expect("a name"))).collect()
}

fn rows(input: &mut Unstructured<'_>) -> Result<String> {
    let number = input.int_in_range(1..=60u8)?;
    Ok(match input.int_in_range(0..=3u8)? {
        0 => format!("rowid = {number}"),
        1 => format!("rowid % {number} = 0"),
        2 => format!("rowid < {number}"),
        _ => "1".to_owned(),
    })
}

fn value(input: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match input.int_in_range(0..=7u8)? {
        0 => Value::Null,
        1 | 2 => Value::Integer(*input.choose(&NUMBERS)?),
        3 => Value::Integer(input.arbitrary()?),
        4 => Value::Real(input.arbitrary()?),
        5 => Value::Blob(input.arbitrary()?),
        6 => Value::Text((*input.choose(&TEXTS)?).to_owned()),
        _ => Value::Text(input.arbitrary()?),
    })
}
