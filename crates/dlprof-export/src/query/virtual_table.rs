//! Tables of captures as virtual tables of SQLite.
//!
//! ```text
//! Captures ─► CaptureTable (a table of all captures) ─open─► Cursor (visits its rows) ─► SQLite
//! ```
//!
//! A cell is computed when SQLite asks for it, so columns and rows that a query does not need cost nothing. SQLite makes no
//! index of a virtual table by itself; to keep joins quick, a cursor that is asked for equal values again and again makes one.

use super::cursor::Cursor;
use super::declared;
use super::source::Captures;
use dlprof_core::{CellKind, Definition, TABLES};
use rusqlite::types::ValueRef;
use rusqlite::vtab::{
    CreateVTab, IndexConstraintOp, IndexInfo, Module, VTab, VTabConnection, VTabKind, sqlite3_vtab,
};
use rusqlite::{Connection, Error};
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

/// What a visit of all rows costs. The number of rows is not known before captures are read, and a query should be answered in
/// the same way for all captures.
const ALL_ROWS: (f64, i64) = (1e6, 100_000);

/// What a visit of rows with equal values costs.
const EQUAL_ROWS: (f64, i64) = (100.0, 10);

/// Makes the tables known to a connection.
pub(super) fn register(db: &Connection, captures: &Arc<Captures>) -> rusqlite::Result<()> {
    const MODULE: Module<'_, CaptureTable> = Module::read_only_module();
    db.create_module(c"captures", &MODULE, Some(Arc::clone(captures)))?;
    let statement =
        |definition: &Definition| format!("CREATE VIRTUAL TABLE {} USING captures;", definition.key);
    db.execute_batch(&TABLES.iter().map(statement).collect::<String>())
}

/// A table of all captures.
#[repr(C)]
struct CaptureTable {
    /// SQLite's own part.
    base: sqlite3_vtab,
    captures: Arc<Captures>,
    definition: &'static Definition,
}

// SAFETY: the type has the layout of C and begins with SQLite's part, as the trait requires.
#[expect(unsafe_code, reason = "the trait is how rusqlite declares virtual tables")]
unsafe impl<'vtab> VTab<'vtab> for CaptureTable {
    type Aux = Arc<Captures>;
    type Cursor = Cursor<'vtab>;

    fn connect(
        _: &mut VTabConnection,
        captures: Option<&Arc<Captures>>,
        _: &[u8],
        _: &[u8],
        name: &[u8],
        _: &[&[u8]],
    ) -> rusqlite::Result<(Cow<'static, CStr>, Self)> {
        let definition = TABLES.iter().find(|definition| definition.key.as_bytes() == name);
        let (Some(definition), Some(captures)) = (definition, captures) else {
            return Err(Error::ModuleError(format!("no such table: {}", String::from_utf8_lossy(name))));
        };
        let declaration = CString::new(declared::table(definition, captures.has_profile))?;
        let table = Self { base: sqlite3_vtab::default(), captures: Arc::clone(captures), definition };
        Ok((declaration.into(), table))
    }

    fn best_index(&self, info: &mut IndexInfo) -> rusqlite::Result<bool> {
        let mut equal: Vec<(usize, c_int)> = Vec::new();
        for (at, constraint) in info.constraints().enumerate() {
            self.check_flag(info, at, constraint.column(), &constraint.operator())?;
            let is_equal = constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
            // The rowid has no column. A constant is asked for once, so a look at all rows is as quick, and keeps their order,
            // which alternatives (`or`) and lists would not.
            let is_usable = is_equal
                && constraint.is_usable()
                && constraint.column() >= 0
                && info.rhs_value(at)?.is_none()
                && !info.is_in_constraint(at)?
                && info.collation(at)?.eq_ignore_ascii_case("binary");
            if is_usable && equal.iter().all(|(_, column)| *column != constraint.column()) {
                equal.push((at, constraint.column()));
            }
        }
        let (cost, rows) = if equal.is_empty() { ALL_ROWS } else { EQUAL_ROWS };
        info.set_estimated_cost(cost);
        info.set_estimated_rows(rows);
        for ((at, _), argument) in equal.iter().zip(1..) {
            // SQLite compares once more: equal values are looked up by a hash of them.
            info.constraint_usage(*at).set_argv_index(argument);
        }
        let columns: Vec<String> = equal.iter().map(|(_, column)| column.to_string()).collect();
        info.set_idx_str(&columns.join(","));
        Ok(true)
    }

    fn open(&'vtab mut self) -> rusqlite::Result<Cursor<'vtab>> {
        let captures: &'vtab Captures = &self.captures;
        Ok(Cursor::new(captures, self.definition))
    }
}

impl CaptureTable {
    /// Refuses a flag that is compared with a text: SQLite finds no row equal, and says nothing.
    fn check_flag(
        &self,
        info: &IndexInfo,
        constraint: usize,
        column: c_int,
        operator: &IndexConstraintOp,
    ) -> rusqlite::Result<()> {
        use IndexConstraintOp as Op;
        let at = usize::try_from(column).ok().and_then(|column| column.checked_sub(1));
        let headers = self.definition.headers();
        let Some(header) = at.and_then(|at| headers.get(at)).filter(|header| header.kind == CellKind::Flag)
        else {
            return Ok(());
        };
        let compares = matches!(
            operator,
            Op::SQLITE_INDEX_CONSTRAINT_EQ
                | Op::SQLITE_INDEX_CONSTRAINT_NE
                | Op::SQLITE_INDEX_CONSTRAINT_IS
                | Op::SQLITE_INDEX_CONSTRAINT_ISNOT
        );
        match info.rhs_value(constraint) {
            Ok(Some(ValueRef::Text(text))) if compares => {
                let (key, text) = (header.key, String::from_utf8_lossy(text));
                Err(Error::ModuleError(format!(
                    "`{key}` is true or false, never '{text}': write `{key}` or `not {key}`"
                )))
            }
            _ => Ok(()),
        }
    }
}

impl CreateVTab<'_> for CaptureTable {
    const KIND: VTabKind = VTabKind::Default;
}
