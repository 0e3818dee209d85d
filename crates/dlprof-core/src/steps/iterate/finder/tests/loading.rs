//! Reads the columns of an export, by plain SQL.

use super::columns::{Columns, Items};
use crate::base::ids::{ApiCallId, ProcessId, ThreadId};
use crate::base::time::Span;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use rustc_hash::FxHashMap;
use std::path::Path;

/// The columns of an export.
pub(super) fn load(path: &Path) -> Columns {
    let uri = format!("file:{}?mode=ro&immutable=1", path.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags).expect("a database");
    let mut loading = Loading { connection, ..Loading::default() };
    for row in loading.rows("StringIds", "id value") {
        loading.strings.insert(number(&row[0]), text(&row[1]));
    }
    loading.read_calls();
    loading.read_kernels();
    for row in loading.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "start end globalPid correlationId copyKind") {
        loading.read_item(&row, |columns| &mut columns.copies);
        loading.columns.copy_kind.push(u8::try_from(number(&row[4])).unwrap_or(0));
    }
    for row in loading.rows("CUPTI_ACTIVITY_KIND_MEMSET", "start end globalPid correlationId") {
        loading.read_item(&row, |columns| &mut columns.memsets);
    }
    loading.read_ranges();
    loading.columns
}

struct Loading {
    connection: Connection,
    columns: Columns,
    strings: FxHashMap<i64, String>,
    threads: FxHashMap<i64, ThreadId>,
    processes: FxHashMap<i64, ProcessId>,
    streams: FxHashMap<[i64; 4], u32>,
    /// By process and correlation id: the first call.
    call_of: FxHashMap<(i64, i64), ApiCallId>,
    /// The process of items whose table names none: that of the API calls.
    only_process: i64,
}

impl Default for Loading {
    fn default() -> Self {
        Self {
            connection: Connection::open_in_memory().expect("a database"),
            columns: Columns::default(),
            strings: FxHashMap::default(),
            threads: FxHashMap::default(),
            processes: FxHashMap::default(),
            streams: FxHashMap::default(),
            call_of: FxHashMap::default(),
            only_process: 0,
        }
    }
}

impl Loading {
    /// Rows of a table, NULL in place of columns that it does not have; none where there is no table.
    fn rows(&self, table: &str, columns: &str) -> Vec<Vec<Value>> {
        let mut info = self.connection.prepare(&format!("PRAGMA table_info({table})")).expect("SQL");
        let has: Vec<String> =
            info.query_map([], |row| row.get(1)).expect("rows").map(|name| name.expect("a name")).collect();
        if has.is_empty() {
            return Vec::new();
        }
        let column = |name: &str| {
            if has.iter().any(|has| has == name) { format!("\"{name}\"") } else { "NULL".into() }
        };
        let list: Vec<String> = columns.split(' ').map(column).collect();
        let sql = format!("SELECT {} FROM {table}", list.join(", "));
        let mut rows = self.connection.prepare(&sql).expect("SQL");
        let rows = rows.query_map([], |row| (0..list.len()).map(|at| row.get(at)).collect());
        rows.expect("rows").map(|row| row.expect("a row")).collect()
    }

    fn process(&mut self, global_id: i64) -> ProcessId {
        let next = ProcessId::new(self.processes.len());
        *self.processes.entry(global_id >> 24).or_insert(next)
    }

    fn thread(&mut self, global_id: i64) -> ThreadId {
        let process = self.process(global_id);
        let next = ThreadId::new(self.threads.len());
        let id = *self.threads.entry(global_id).or_insert(next);
        if id == next {
            self.columns.process_of_thread.push(process);
        }
        id
    }

    fn name(&self, value: &Value) -> String {
        self.strings.get(&number(value)).cloned().unwrap_or_default()
    }

    fn read_calls(&mut self) {
        for row in
            self.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start end globalTid correlationId nameId eventClass")
        {
            if number(&row[5]) == 67 {
                continue;
            }
            let thread = self.thread(number(&row[2]));
            let name = self.name(&row[4]);
            let id = self.columns.call(thread, span(&row), &name);
            let process = number(&row[2]) >> 24;
            self.only_process = process << 24;
            let known = self.call_of.entry((process, number(&row[3]))).or_insert(id);
            if self.columns.calls.0[id.index()].start < self.columns.calls.0[known.index()].start {
                *known = id;
            }
        }
    }

    fn read_item(&mut self, row: &[Value], items: impl Fn(&mut Columns) -> &mut Items) {
        let global_id = if row[2] == Value::Null { self.only_process } else { number(&row[2]) };
        let process = self.process(global_id);
        let call = self.call_of.get(&(global_id >> 24, number(&row[3])));
        let call = call.copied().into();
        items(&mut self.columns).push(span(row), process, call);
    }

    fn read_kernels(&mut self) {
        let columns = "start end globalPid correlationId deviceId contextId streamId demangledName shortName";
        for row in self.rows("CUPTI_ACTIVITY_KIND_KERNEL", columns) {
            let (long_name, short_name) = (self.name(&row[7]), self.name(&row[8]));
            self.read_kernel(&row, &long_name, &short_name);
        }
        let columns = "start end globalPid correlationId deviceId contextId streamId graphId";
        let graphs = self.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns);
        self.columns.whole_graphs = graphs.len();
        for row in graphs {
            let name = format!("CUDA graph {}", number(&row[7]));
            self.read_kernel(&row, &name, &name);
        }
    }

    fn read_kernel(&mut self, row: &[Value], long_name: &str, short_name: &str) {
        self.read_item(row, |columns| &mut columns.kernels);
        let key = [number(&row[2]), number(&row[4]), number(&row[5]), number(&row[6])];
        let next = u32::try_from(self.streams.len()).expect("few streams");
        let stream = *self.streams.entry(key).or_insert(next);
        self.columns.kernel(stream, long_name, short_name);
    }

    fn read_ranges(&mut self) {
        let columns = "start end eventType text textId globalTid domainId";
        let rows = self.rows("NVTX_EVENTS", columns);
        let latest = rows.iter().map(|row| number(&row[1])).max().unwrap_or(0);
        for mut row in rows {
            if !matches!(number(&row[2]), 59 | 60) {
                continue;
            }
            if row[1] == Value::Null {
                row[1] = Value::Integer(latest);
            }
            let thread = self.thread(number(&row[5])).index();
            let says = if row[3] == Value::Null { self.name(&row[4]) } else { text(&row[3]) };
            self.columns.range(thread, span(&row), &says, number(&row[6]) == 0);
        }
    }
}

fn span(row: &[Value]) -> Span {
    Span::new(number(&row[0]), number(&row[1]))
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Integer(number) => *number,
        _ => 0,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}
