//! Columns of cells in memory: answers.

use dlprof_core::{CellKind, StrId, StringPool, Value, to_f64};
use rusqlite::types::ValueRef;

/// A cell in 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Null,
    Int(i64),
    Float(f64),
    Text(StrId),
}

/// Columns of cells. Equal texts are stored once.
#[derive(Debug, Default)]
pub(super) struct Cells {
    columns: Vec<Vec<Cell>>,
    texts: StringPool,
    bytes: usize,
}

impl Cells {
    /// A number of columns without rows.
    pub(super) fn new(columns: usize) -> Self {
        Self { columns: vec![Vec::new(); columns], ..Self::default() }
    }

    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a value of SQLite to a column. Numbers that are not finite are undefined.
    pub(super) fn push_sql(&mut self, column: usize, value: ValueRef<'_>) {
        let cell = match value {
            ValueRef::Integer(number) => Cell::Int(number),
            ValueRef::Real(number) if number.is_finite() => Cell::Float(number),
            ValueRef::Null | ValueRef::Real(_) => Cell::Null,
            ValueRef::Text(text) => self.text(&String::from_utf8_lossy(text)),
            ValueRef::Blob(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                self.text(&digits)
            }
        };
        self.add(column, cell);
    }

    fn text(&mut self, text: &str) -> Cell {
        let known = self.texts.len();
        let id = self.texts.intern(text);
        if self.texts.len() > known {
            // The text, its pointer, its hash and its place in the pool.
            self.bytes += text.len() + 40;
        }
        Cell::Text(id)
    }

    fn add(&mut self, column: usize, cell: Cell) {
        self.columns[column].push(cell);
        self.bytes += size_of::<Cell>();
    }

    /// A cell as a value of a kind that the column has; undefined in columns that were not filled.
    pub(super) fn value(&self, row: usize, column: usize, kind: CellKind) -> Value<'_> {
        let cell = self.columns[column].get(row).copied().unwrap_or(Cell::Null);
        match (cell, kind) {
            (Cell::Null, _) => Value::Null,
            (Cell::Text(id), _) => self.texts.get(id).into(),
            (Cell::Int(number), CellKind::Flag) => Value::Flag(number != 0),
            (Cell::Int(number), CellKind::Float) => Value::Float(to_f64(number)),
            (Cell::Int(number), CellKind::Int) => Value::Int(number),
            (Cell::Int(number), CellKind::Text | CellKind::Answer | CellKind::Json) => {
                number.to_string().into()
            }
            (Cell::Float(number), CellKind::Text | CellKind::Answer | CellKind::Json) => {
                number.to_string().into()
            }
            (Cell::Float(number), _) => Value::Float(number),
        }
    }

    /// The declared kind of a column, if all of its cells fit it; otherwise the kind that fits them.
    pub(super) fn kind(&self, column: usize, declared: Option<CellKind>) -> CellKind {
        let cells = &self.columns[column];
        let all_fit = |kind: CellKind| cells.iter().all(|cell| fits(*cell, kind));
        let is_undefined = cells.iter().all(|cell| *cell == Cell::Null);
        match declared {
            Some(declared) if all_fit(declared) => declared,
            _ if is_undefined => CellKind::Text,
            _ => {
                let kinds = [CellKind::Int, CellKind::Float];
                kinds.into_iter().find(|kind| all_fit(*kind)).unwrap_or(CellKind::Text)
            }
        }
    }
}

fn fits(cell: Cell, kind: CellKind) -> bool {
    match cell {
        Cell::Null => true,
        Cell::Int(number) => match kind {
            CellKind::Int | CellKind::Float => true,
            CellKind::Flag => (0..=1).contains(&number),
            CellKind::Text | CellKind::Answer | CellKind::Json => false,
        },
        Cell::Float(_) => kind == CellKind::Float,
        Cell::Text(_) => kind.is_text(),
    }
}
