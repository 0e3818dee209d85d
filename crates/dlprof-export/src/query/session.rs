//! A connection that knows the tables of captures, and can do nothing but read them.
//!
//! The database is in memory, and so is all that SQLite puts aside. SQLite asks [`Permissions`] for every action of a statement
//! before the statement runs, so that a query touches neither files nor settings.

use super::limits::Watch;
use super::source::Captures;
use super::{functions, virtual_table};
use dlprof_core::{Definition, TABLES};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::sync::{Arc, Mutex, PoisonError};

/// SQLite's instructions between two looks at the watch.
const INSTRUCTIONS: i32 = 1000;

/// The longest text that a query makes. One instruction can make one, and only then the watch looks at the memory.
const LONGEST_TEXT: i32 = 64 << 20;

/// Pragmas that describe tables.
const DESCRIBING: [&str; 4] = ["table_info", "table_xinfo", "table_list", "function_list"];

/// A connection, and what the statement that it prepared last does.
pub(super) struct Session {
    pub(super) db: Connection,
    permissions: Arc<Mutex<Permissions>>,
}

/// What a statement asked to do.
#[derive(Debug, Default)]
struct Permissions {
    /// Tables, and their columns by position, in the order in which the statement reads them first.
    reads: Vec<(&'static Definition, Vec<usize>)>,
    refused: Option<Refused>,
}

/// What a statement may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// Call this function.
    Function(String),
    /// Ask or set this.
    Pragma(String),
    /// Change something, or open something.
    Other,
}

impl Session {
    /// Opens a session over captures; there may be none yet.
    pub(super) fn open(captures: &Arc<Captures>, watch: &Watch) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_in_memory_with_flags(flags)?;
        virtual_table::register(&db, captures)?;
        functions::register(&db)?;
        db.pragma_update(None, "temp_store", "memory")?;
        // A misspelt "column" must not become a text.
        for (setting, value) in [
            (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
            (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        ] {
            db.set_db_config(setting, value)?;
        }
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_LENGTH, LONGEST_TEXT),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            db.set_limit(limit, value)?;
        }
        let permissions = Arc::new(Mutex::new(Permissions::default()));
        let asked = Arc::clone(&permissions);
        db.authorizer(Some(move |context: AuthContext<'_>| {
            asked.lock().unwrap_or_else(PoisonError::into_inner).judge(context.action)
        }))?;
        let watch = watch.clone();
        db.progress_handler(INSTRUCTIONS, Some(move || watch.stops(0)))?;
        Ok(Self { db, permissions })
    }

    /// Tables that the statement reads, each with its columns by position.
    pub(super) fn reads(&self) -> Vec<(&'static Definition, Vec<usize>)> {
        self.permissions.lock().unwrap_or_else(PoisonError::into_inner).reads.clone()
    }

    /// What the statement may not do.
    pub(super) fn refused(&self) -> Option<Refused> {
        self.permissions.lock().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }
}

impl Permissions {
    fn judge(&mut self, action: AuthAction<'_>) -> Authorization {
        let refused = match action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                self.read(table_name, column_name);
                return Authorization::Allow;
            }
            AuthAction::Function { function_name } if function_name != "load_extension" => {
                return Authorization::Allow;
            }
            AuthAction::Pragma { pragma_name, .. } if DESCRIBING.contains(&pragma_name) => {
                return Authorization::Allow;
            }
            AuthAction::Function { function_name } => Refused::Function(function_name.to_owned()),
            AuthAction::Pragma { pragma_name, .. } => Refused::Pragma(pragma_name.to_owned()),
            _ => Refused::Other,
        };
        self.refused.get_or_insert(refused);
        Authorization::Deny
    }

    fn read(&mut self, table: &str, column: &str) {
        let Some(definition) = TABLES.iter().find(|definition| definition.key == table) else { return };
        let known = self.reads.iter().position(|(known, _)| known.key == definition.key);
        let at = known.unwrap_or_else(|| {
            self.reads.push((definition, Vec::new()));
            self.reads.len() - 1
        });
        let columns = &mut self.reads[at].1;
        let place = definition.headers().iter().position(|header| header.key == column);
        columns.extend(place.filter(|place| !columns.contains(place)));
    }
}
