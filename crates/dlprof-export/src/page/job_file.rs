//! The page of a job of many ranks: one file, or blocks for the local server.

use super::document::write_document;
use super::report_file::Contents;
use super::table_json::Columns;
use super::{TableDefinition, Terms, block};
use crate::display::TimeUnit;
use crate::formats::report::{Section, Tables, sections};
use crate::job::JobFacts;
use dlprof_core::{JOB_TABLES, Job, Table, limits};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// Maximum number of rows of a table, if the user sets no other number.
const MOST_ROWS: usize = limits::PAGE_ROWS.most;

/// The same for single collectives, of which large jobs have millions.
const MOST_COLLECTIVES: usize = 10_000;

/// What the page reads first.
#[derive(Serialize)]
struct Manifest<'a> {
    /// Present in pages of jobs only.
    job: JobFacts,
    window: JobWindow<'a>,
    tables: Vec<TableDefinition>,
    terms: Terms,
    /// By table: its number of rows, and what is left out.
    contents: BTreeMap<String, Contents>,
    opens: &'static str,
}

/// What the server says first.
#[derive(Serialize)]
struct Served<'a> {
    #[serde(flatten)]
    manifest: Manifest<'a>,
    /// Whether texts of CSV files are made safe for spreadsheets.
    csv_safe: bool,
}

/// What the frame of every page needs.
#[derive(Serialize)]
struct JobWindow<'a> {
    profile_name: &'a str,
    /// Figures are means per step; nothing is divided.
    key_node: Option<&'a str>,
    tool_version: &'static str,
}

/// The tables of a job, as its page reads them.
pub struct JobBlocks {
    facts: JobFacts,
    name: String,
    tables: Vec<Box<dyn Table>>,
    /// Most rows of a table; 0 for all, `None` for what is usual.
    most_rows: Option<usize>,
}

impl fmt::Debug for JobBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobBlocks").field("name", &self.name).finish_non_exhaustive()
    }
}

impl JobBlocks {
    /// All tables of a job.
    #[must_use]
    pub fn new(job: &Arc<Job>, name: &str, most_rows: Option<usize>) -> Self {
        Self {
            facts: JobFacts::new(job, TimeUnit::Auto),
            name: name.to_owned(),
            tables: JOB_TABLES.iter().map(|table| (table.build)(job)).collect(),
            most_rows,
        }
    }

    fn most_rows(&self, table: &dyn Table) -> usize {
        let usual = if table.key() == "collectives" { MOST_COLLECTIVES } else { MOST_ROWS };
        self.most_rows.unwrap_or(usual)
    }

    fn sections(&self) -> io::Result<Vec<Section<'_>>> {
        let mut all = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            all.extend(sections(&self.tables[at..=at], Tables::Chosen, self.most_rows(table.as_ref()))?);
        }
        Ok(all)
    }

    fn manifest(&self, sections: &[Section<'_>]) -> Manifest<'_> {
        Manifest {
            job: self.facts.clone(),
            window: JobWindow {
                profile_name: &self.name,
                key_node: None,
                tool_version: env!("CARGO_PKG_VERSION"),
            },
            tables: JOB_TABLES.iter().map(TableDefinition::of_job).collect(),
            terms: Terms::ALL,
            contents: Contents::of(sections, &std::collections::BTreeMap::new()),
            opens: "ranks",
        }
    }
}

impl JobBlocks {
    /// What the page reads first, as JSON.
    ///
    /// # Errors
    /// If a table cannot be written, which does not happen.
    pub fn manifest_json(&self, csv_safe: bool) -> io::Result<Vec<u8>> {
        let sections = self.sections()?;
        Ok(serde_json::to_vec(&Served { manifest: self.manifest(&sections), csv_safe })?)
    }

    /// A block as JSON; none without one of this name.
    ///
    /// # Errors
    /// If a table cannot be written, which does not happen.
    pub fn block_json(&self, id: &str) -> io::Result<Option<Vec<u8>>> {
        let wanted = id.strip_prefix("table-").unwrap_or_default();
        let Some(at) = self.tables.iter().position(|table| table.key() == wanted) else { return Ok(None) };
        let table = &self.tables[at..=at];
        let sections = sections(table, Tables::Chosen, self.most_rows(table[0].as_ref()))?;
        let Some(section) = sections.first() else { return Ok(None) };
        Ok(Some(serde_json::to_vec(&Columns(&section.view))?))
    }
}

/// Writes the page of a job as one file.
///
/// # Errors
/// If the system refuses to write.
pub fn write_job(blocks: &JobBlocks, out: &mut dyn Write) -> io::Result<()> {
    let sections = blocks.sections()?;
    write_document(&blocks.name, out, |out| {
        block::write("manifest", &blocks.manifest(&sections), out)?;
        for section in &sections {
            block::write(&format!("table-{}", section.view.key()), &Columns(&section.view), out)?;
        }
        Ok(())
    })
}
