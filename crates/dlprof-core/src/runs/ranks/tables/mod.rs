//! The tables of a job, each declared once.

mod collective_kinds;
mod collectives;
mod communicators;
mod declaration;
mod dimensions;
mod files;
mod findings;
mod groups;
mod job;
mod ops;
mod rank_iterations;
mod ranks;
mod shared;

pub use declaration::JobTableDefinition;

macro_rules! definitions {
    ($($module:ident)*) => {
        &[$(JobTableDefinition {
            key: $module::TABLE.key,
            title: $module::TABLE.title,
            doc: $module::TABLE.doc,
            build: |job| Box::new($module::TABLE.with(job, $module::rows(job))),
            layout: &$module::TABLE.layout,
            headers: || $module::TABLE.headers(),
        },)*]
    };
}

/// All tables of a job.
pub static JOB_TABLES: &[JobTableDefinition] = definitions! {
    job ranks rank_iterations collectives collective_kinds communicators dimensions groups ops findings files
};

/// The definition of a table of a job. Case does not matter; `-`, `_` and a space are the same.
#[must_use]
pub fn job_table(name: &str) -> Option<&'static JobTableDefinition> {
    let wanted = crate::tables::near::folded(name);
    JOB_TABLES.iter().find(|table| crate::tables::near::folded(table.key) == wanted)
}
