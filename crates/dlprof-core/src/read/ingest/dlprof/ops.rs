//! Tables `read_only_ops` and `read_only_domains`.

use super::super::columns::columns;
use super::super::row::Row;
use super::checked::Checked;
use super::dictionary::Dictionary;
use super::source::Source;
use super::table_names::{DICTIONARY, DOMAINS, OPS, SUB_OPS};
use crate::base::Error;
use crate::base::diagnostics::{DiagnosticCode, Diagnostics};
use crate::base::time::Ns;
use crate::read::facts::{DlprofOp, StoredOp, StoredOperands};
use rustc_hash::{FxHashMap, FxHashSet};

/// The domain of markers, which all captures have.
const DEFAULT_DOMAIN: &str = "default-domain";

columns! {
    ID "id";
    DOMAIN "domain_id";
    OP_ID_ID "op_id_id";
    OP_ID "op_id";
    OP_NAME "op_name";
    OP_TYPE "op_type_id";
    DEVICE "device_id";
    TC_SUPPORT "tc_support_status";
    DATA_TYPE "data_type_id";
    DATA_FORMAT "data_format_id";
    OUTPUT_FORMAT "output_format_id";
    PARAMETERS_FORMAT "parameters_format_id";
    DIRECTION "direction_id";
    STACK_TRACE "stack_trace";
}

/// The ops of the domain that is read.
#[derive(Default)]
pub(super) struct Ops {
    pub(super) domain: String,
    pub(super) ops: Vec<DlprofOp>,
    pub(super) stored: Vec<StoredOp>,
    /// By op: letters of the dimensions.
    pub(super) formats: Vec<StoredOperands>,
    pub(super) sub_ops: Vec<(u32, [Ns; 2])>,
    /// By id: the position; ops of other domains have none.
    by_id: FxHashMap<i64, Option<u32>>,
}

impl Ops {
    /// The op with an id: none if there is none with it, and no position if it is of another domain.
    pub(super) fn find(&self, id: i64) -> Option<Option<u32>> {
        self.by_id.get(&id).copied()
    }
}

/// Reads the ops of the default domain, or of the first if there is no default one.
pub(super) fn read(
    source: &Source<'_>,
    dictionary: &Dictionary,
    diagnostics: &mut Diagnostics,
) -> Result<Ops, Error> {
    let domains = domains(source, dictionary)?;
    let default = domains.iter().position(|(_, name)| name == DEFAULT_DOMAIN).unwrap_or(0);
    let domain = domains.get(default).cloned().unwrap_or((1, DEFAULT_DOMAIN.into()));
    diagnostics.count_cases(DiagnosticCode::OtherDomains, domains.len().saturating_sub(1) as u64, || {
        format!("`{}` is read", domain.1)
    });
    let has_domains = source.database.has_column(OPS, COLUMNS[DOMAIN]) && !domains.is_empty();
    let mut checked = Checked::default();
    let mut ops = Ops { domain: domain.1, ..Ops::default() };
    let has_direction = source.database.has_column(OPS, COLUMNS[DIRECTION]);
    source.database.read(OPS, COLUMNS, |row| {
        checked.next_row();
        let id = checked.int(row, ID);
        let is_wanted = !has_domains || is_in_domain(row, domain.0, &domains, &mut checked);
        let position = u32::try_from(ops.ops.len()).ok().filter(|_| is_wanted);
        if ops.by_id.insert(id, position).is_some() {
            checked.note(|| format!("id {id} occurs again"));
        }
        if is_wanted {
            ops.push(row, dictionary, &mut checked, has_direction);
        }
    })?;
    checked.finish(source.database, OPS)?;
    read_sub_ops(source, &mut ops)?;
    Ok(ops)
}

/// Whether an op is of the domain that is read.
fn is_in_domain(row: &Row<'_>, wanted: i64, domains: &[(i64, String)], checked: &mut Checked) -> bool {
    let id = checked.int(row, DOMAIN);
    let known = domains.iter().any(|(domain, _)| *domain == id).then_some(id);
    checked.found(known, row, DOMAIN, DOMAINS) == wanted
}

impl Ops {
    fn push(&mut self, row: &Row<'_>, dictionary: &Dictionary, checked: &mut Checked, has_direction: bool) {
        let mut needed = |column| {
            let text = dictionary.find(checked.int(row, column));
            let text = checked.found(text, row, column, DICTIONARY);
            dictionary.text(text).to_owned()
        };
        let op_type = needed(OP_TYPE);
        let direction = if has_direction { needed(DIRECTION) } else { String::new() };
        // Older databases may lack these columns.
        let optional = |column| {
            let text = row.plain_int(column).flatten().and_then(|id| dictionary.find(id));
            text.map_or("", |text| dictionary.text(text)).to_owned()
        };
        let name = row.text(OP_NAME).unwrap_or_default();
        let id = row.text(OP_ID).unwrap_or_else(|| optional(OP_ID_ID));
        if id.is_empty() {
            checked.note(|| format!("op `{name}` has no ID"));
        }
        self.stored.push(StoredOp {
            id,
            tc_support_status: row.plain_int(TC_SUPPORT).flatten().unwrap_or(3),
            device: optional(DEVICE),
        });
        self.formats.push(StoredOperands {
            data_format: optional(DATA_FORMAT),
            output_format: optional(OUTPUT_FORMAT),
            parameters_format: optional(PARAMETERS_FORMAT),
            ..StoredOperands::default()
        });
        self.ops.push(DlprofOp {
            name,
            op_type,
            direction,
            data_type: optional(DATA_TYPE),
            stack_trace: row.text(STACK_TRACE).unwrap_or_default(),
        });
    }
}

/// Ids and names of the domains.
fn domains(source: &Source<'_>, dictionary: &Dictionary) -> Result<Vec<(i64, String)>, Error> {
    let mut domains = Vec::new();
    let mut checked = Checked::default();
    source.database.read(DOMAINS, &["id", "domain_name_id"], |row| {
        checked.next_row();
        let name = dictionary.find(checked.int(row, 1));
        let name = checked.found(name, row, 1, DICTIONARY);
        domains.push((checked.int(row, 0), dictionary.text(name).to_owned()));
    })?;
    checked.finish(source.database, DOMAINS)?;
    let mut known = FxHashSet::default();
    domains.retain(|(id, _)| known.insert(*id));
    Ok(domains)
}

fn read_sub_ops(source: &Source<'_>, ops: &mut Ops) -> Result<(), Error> {
    let mut checked = Checked::default();
    let mut found = Vec::new();
    source.database.read(SUB_OPS, &["op_id", "start_time", "stop_time"], |row| {
        checked.next_row();
        let op = ops.find(checked.int(row, 0));
        let span = checked.span(row, 1, 2);
        if let Some(op) = checked.found(op, row, 0, OPS) {
            found.push((op, [span.start, span.end]));
        }
    })?;
    checked.finish(source.database, SUB_OPS)?;
    ops.sub_ops = found;
    Ok(())
}
