//! What the targets do with bytes. Each is a function, so that libFuzzer and the plain driver of stable toolchains call the same.

mod bases;
mod deeds;
mod texts;
mod whole;

pub use bases::seeds;
pub use texts::{baselines, conditions, ncu_logs, policies, settings, traces};
pub use whole::{dlprof_databases, kept_files, whole_exports};

/// A target.
pub type Target = fn(&[u8]);

/// The targets of this package's library, by name.
pub const TARGETS: [(&str, Target); 9] = [
    ("whole_exports", whole_exports),
    ("dlprof_databases", dlprof_databases),
    ("kept_files", kept_files),
    ("settings", settings),
    ("policies", policies),
    ("conditions", conditions),
    ("baselines", baselines),
    ("ncu_logs", ncu_logs),
    ("traces", traces),
];
