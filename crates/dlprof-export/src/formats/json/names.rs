//! Long names of a document, each once.

use crate::cells;
use dlprof_core::tables::{Table, Value};
use std::collections::HashMap;

/// The member of the document with the long names.
pub(super) const NAMES: &str = "names";

/// Columns whose cells are long and repeat: one name may be that of every launch. Short names stay in the rows, so that scripts
/// read them without a look-up.
const LONG: [&str; 1] = ["long_kernel_name"];

/// Whether the cells of a column are positions in [`NAMES`].
pub(super) fn is_long(key: &str) -> bool {
    LONG.contains(&key)
}

/// Long names in order of first use.
pub(super) struct Names {
    list: Vec<String>,
    places: HashMap<String, i64>,
}

impl Names {
    /// The long names of some tables.
    pub(super) fn of(tables: &[Box<dyn Table + '_>]) -> Self {
        let mut names = Self { list: Vec::new(), places: HashMap::new() };
        for table in tables {
            let columns = (0..table.columns()).filter(|&column| is_long(table.header(column).key));
            for column in columns {
                for name in cells::texts(table.as_ref(), column, 0..table.rows()).flatten() {
                    names.add(&name);
                }
            }
        }
        names
    }

    fn add(&mut self, name: &str) {
        if !self.places.contains_key(name) {
            self.places.insert(name.to_owned(), i64::try_from(self.list.len()).unwrap_or(i64::MAX));
            self.list.push(name.to_owned());
        }
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// The position of a name.
    pub(super) fn place(&self, name: &str) -> Value<'static> {
        self.places.get(name).copied().into()
    }
}
