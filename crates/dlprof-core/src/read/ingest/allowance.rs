//! How much SQLite may do for one file.
//!
//! Plain rows are in the file, so reading them takes work in proportion to its size. A view or a generated column can ask
//! for anything: rows without end, texts of a gigabyte, sorting that fills the memory. SQLite is stopped where it has done more
//! than any file of this size can need. Steps are counted for each reading of a table, so a view ends at the same step on
//! every machine; processor time and memory are bounded for the whole file.

use super::sqlite_memory::held_bytes;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Instructions of SQLite between two looks at the clock.
const INSTRUCTIONS: i32 = 1000;

/// The same where one instruction can take milliseconds.
const FEW_INSTRUCTIONS: i32 = 100;

/// The longest text that an expression of a file may make.
const LONGEST_COMPUTED: i32 = 16 << 20;

/// The longest text of the schema.
const LONGEST_STATEMENT: i32 = 1_000_000;

/// What a row of a view counts for, in steps: we keep it, which takes longer than making it.
const STEPS_OF_ROW: u64 = 64;

/// What one file may take.
pub(super) struct Allowance {
    steps_of_table: u64,
    processor: Duration,
    memory_bytes: u64,
    processor_used_ns: AtomicU64,
    /// What SQLite held before.
    held: i64,
}

impl Allowance {
    /// What a file of some size may take.
    pub(super) fn new(size_bytes: u64) -> Self {
        Self {
            steps_of_table: size_bytes.saturating_mul(8).saturating_add(50_000_000),
            processor: Duration::from_secs(10 + size_bytes / 20_000_000),
            memory_bytes: size_bytes.saturating_mul(2).saturating_add(256 << 20),
            processor_used_ns: AtomicU64::new(0),
            held: held_bytes(),
        }
    }
}

/// What was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Steps(u64),
    Processor(Duration),
    Memory(u64),
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) => write!(f, "more than {} million steps of SQLite", steps / 1_000_000),
            Self::Processor(time) => write!(f, "more than {} s of processor time", time.as_secs()),
            Self::Memory(bytes) => write!(f, "more than {} MB of memory", bytes / 1_000_000),
        }
    }
}

/// Watches one reading of one table.
pub(super) struct Meter {
    allowance: Arc<Allowance>,
    is_computed: bool,
    steps: AtomicU64,
    /// Processor time of the thread at the last look.
    seen_ns: AtomicU64,
    spent: OnceLock<Spent>,
}

impl Meter {
    /// Begins to watch a connection.
    pub(super) fn watch(
        allowance: &Arc<Allowance>,
        connection: &mut Connection,
        is_computed: bool,
    ) -> rusqlite::Result<Arc<Self>> {
        let meter = Arc::new(Self {
            allowance: Arc::clone(allowance),
            is_computed,
            steps: AtomicU64::new(0),
            seen_ns: AtomicU64::new(processor_time_ns()),
            spent: OnceLock::new(),
        });
        let length = if is_computed { LONGEST_COMPUTED } else { i32::MAX };
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, length)?;
        let instructions = if is_computed { FEW_INSTRUCTIONS } else { INSTRUCTIONS };
        let watching = Arc::clone(&meter);
        connection.progress_handler(
            instructions,
            Some(move || watching.spend(u64::from(instructions.unsigned_abs())) || watching.is_late()),
        )?;
        Ok(meter)
    }

    /// Counts a row of which the texts have so many bytes. Returns whether reading must stop.
    #[inline]
    pub(super) fn row(&self, text_bytes: usize) -> bool {
        let steps = if self.is_computed { STEPS_OF_ROW } else { 0 };
        self.spend(steps + text_bytes as u64)
    }

    /// What was used up, if anything was.
    pub(super) fn spent(&self) -> Option<Spent> {
        self.spent.get().copied()
    }

    fn spend(&self, steps: u64) -> bool {
        // Only one thread counts.
        let used = self.steps.load(Ordering::Relaxed).saturating_add(steps);
        self.steps.store(used, Ordering::Relaxed);
        let most = self.allowance.steps_of_table;
        used > most && self.stop(Spent::Steps(most))
    }

    /// Whether the file took too much time or memory.
    fn is_late(&self) -> bool {
        let allowance = &self.allowance;
        let now = processor_time_ns();
        let more = now.saturating_sub(self.seen_ns.swap(now, Ordering::Relaxed));
        let used = allowance.processor_used_ns.fetch_add(more, Ordering::Relaxed) + more;
        if u128::from(used) > allowance.processor.as_nanos() {
            return self.stop(Spent::Processor(allowance.processor));
        }
        let held = u64::try_from(held_bytes() - allowance.held).unwrap_or(0);
        held > allowance.memory_bytes && self.stop(Spent::Memory(allowance.memory_bytes))
    }

    fn stop(&self, spent: Spent) -> bool {
        self.spent.get_or_init(|| spent);
        true
    }
}

/// Processor time of this thread.
#[cfg(unix)]
fn processor_time_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    seconds.unwrap_or(0) * 1_000_000_000 + nanoseconds.unwrap_or(0)
}

#[cfg(not(unix))]
fn processor_time_ns() -> u64 {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Functions that views and generated columns may call: their time is in proportion to their texts.
const FUNCTIONS: [&str; 32] = [
    "abs",
    "avg",
    "coalesce",
    "count",
    "cume_dist",
    "dense_rank",
    "first_value",
    "iif",
    "if",
    "ifnull",
    "lag",
    "last_value",
    "lead",
    "length",
    "lower",
    "ltrim",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "rank",
    "round",
    "row_number",
    "rtrim",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "upper",
];

/// Functions whose time can grow far beyond the length of their texts, with the number of their arguments. SQLite asks nobody
/// about the functions of generated columns, so these are taken away.
const SLOW_FUNCTIONS: [(&str, i32); 5] =
    [("like", 2), ("like", 3), ("glob", 2), ("instr", 2), ("replace", 3)];

/// How SQLite's message about a function begins that may not be called.
const REFUSED: &str = "not authorized to use function: ";

/// Takes the slow functions away.
fn refuse_slow_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    SLOW_FUNCTIONS.into_iter().try_for_each(|(name, arguments)| {
        connection.create_scalar_function(name, arguments, flags, move |_| -> rusqlite::Result<bool> {
            Err(rusqlite::Error::UserFunctionError(format!("{REFUSED}{name}").into()))
        })
    })
}

/// What any statement may do: read, and call functions of the list.
fn judge(context: AuthContext<'_>) -> Authorization {
    let is_allowed = match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => FUNCTIONS.contains(&function_name),
        AuthAction::Pragma { pragma_name, .. } => pragma_name == "table_xinfo",
        _ => false,
    };
    if is_allowed { Authorization::Allow } else { Authorization::Deny }
}

/// The function that SQLite refused to call, by its message.
pub(super) fn refused_function(message: &str) -> Option<&str> {
    let unsafe_use = || message.strip_prefix("unsafe use of ")?.strip_suffix("()");
    message.split_once(REFUSED).map(|(_, name)| name).or_else(unsafe_use)
}

/// Opens a file of which nothing is trusted.
pub(super) fn open(uri: &str) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(uri, flags)?;
    for (setting, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(setting, value)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    // Without this a damaged row may reach over the end of its page, into memory that differs from run to run.
    connection.pragma_update(None, "cell_size_check", true)?;
    // What is sorted is never put into files.
    connection.pragma_update(None, "temp_store", "memory")?;
    refuse_slow_functions(&connection)?;
    connection.authorizer(Some(judge))?;
    Ok(connection)
}
