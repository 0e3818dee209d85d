//! `--iteration` and `--op` of `show`: which rows are meant, and what to say if there are none.

use crate::exit::Failure;
use dlprof_core::{Definition, Profile, TABLES, Table, Value, near_names};

/// The rows of one iteration, of one op.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) iteration: Option<u32>,
    /// An ID or a name.
    pub(crate) op: Option<String>,
}

const ITERATION: &str = "iteration";
const OP: &str = "op_id";

impl Rows {
    /// Checks that a table has such rows at all.
    pub(super) fn check(&self, table: &Definition) -> Result<(), Failure> {
        let needed = [(self.iteration.is_some(), "--iteration", ITERATION), (self.op.is_some(), "--op", OP)];
        for (is_given, option, key) in needed {
            let has = |table: &Definition| table.headers().iter().any(|header| header.key == key);
            if is_given && !has(table) {
                let tables = TABLES.iter().filter(|table| has(table)).map(|table| table.key);
                return Err(Failure::Usage {
                    message: format!(
                        "`{option}` does not fit table `{}`: it has no column `{key}`",
                        table.key
                    ),
                    hint: Some(format!("tables with it: {}", tables.collect::<Vec<_>>().join(", "))),
                });
            }
        }
        Ok(())
    }

    /// The conditions that the rows meet.
    pub(crate) fn conditions(&self, profile: &Profile, table: &dyn Table) -> Result<Vec<String>, Failure> {
        let mut conditions = Vec::new();
        if let Some(number) = self.iteration {
            iteration(profile, table, number)?;
            conditions.push(format!("{ITERATION} = {number}"));
        }
        if let Some(op) = &self.op {
            let ids: Vec<String> = ops(profile, op)?.iter().map(|id| quoted(id)).collect();
            conditions.push(format!("{OP} in ({})", ids.join(", ")));
        }
        Ok(conditions)
    }
}

/// A text as conditions have it. IDs of ops have no quotes.
fn quoted(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}

/// Checks that a table has rows of an iteration.
fn iteration(profile: &Profile, table: &dyn Table, number: u32) -> Result<(), Failure> {
    let column = (0..table.columns()).find(|&column| table.header(column).key == ITERATION);
    let is_it = |row: usize| column.is_some_and(|column| table.value(row, column) == Value::from(number));
    if (0..table.rows()).any(is_it) {
        return Ok(());
    }
    let iterations = &profile.iterations;
    let Some(last) = iterations.count().checked_sub(1) else {
        return Err(Failure::Request {
            message: format!("there is no iteration {number}: the capture has no iterations"),
            hint: Some("name what delimits them with `--key-node NAME`".into()),
        });
    };
    let (start, stop) = (iterations.start, iterations.stop);
    if number > last {
        let message = format!("there is no iteration {number}: the capture has iterations 0 to {last}");
        return Err(Failure::Request { message, hint: None });
    }
    if !(start..=stop).contains(&number) {
        return Err(Failure::Request {
            message: format!(
                "table `{}` has no rows of iteration {number}: iterations {start} to {stop} are aggregated",
                table.key()
            ),
            hint: Some(format!("aggregate it: `--iter-start {number} --iter-stop {number}`")),
        });
    }
    Err(Failure::Request {
        message: format!("table `{}` has no rows of iteration {number}", table.key()),
        hint: Some(format!(
            "`dlprof-agg show iterations --where 'iteration = {number}' FILE` shows what it has"
        )),
    })
}

/// The last part of the name of an op.
fn leaf(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// IDs of the ops with an ID, a name, or the last part of a name.
fn ops<'a>(profile: &'a Profile, wanted: &str) -> Result<Vec<&'a str>, Failure> {
    let ops = || profile.op_stats.iter().map(|row| (profile.op_id(row.op), profile.op_name(row.op)));
    let ids_where = |is_it: &dyn Fn(&str, &str) -> bool| -> Vec<&'a str> {
        ops().filter(|&(id, name)| is_it(id, name)).map(|(id, _)| id).collect()
    };
    let exact = ids_where(&|id, name| id == wanted || name == wanted);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let same = ids_where(&|id, name| id.eq_ignore_ascii_case(wanted) || name.eq_ignore_ascii_case(wanted));
    if !same.is_empty() {
        return Ok(same);
    }
    let by_leaf = ids_where(&|_, name| leaf(name).eq_ignore_ascii_case(wanted));
    if !by_leaf.is_empty() {
        return Ok(by_leaf);
    }
    let names = ops().flat_map(|(id, name)| [id, leaf(name), name]);
    let near = near_names(wanted, names);
    let hint = match alternatives(&near) {
        Some(names) => format!("did you mean {names}? "),
        None => String::new(),
    };
    Err(Failure::Request {
        message: format!("no aggregated op has the ID or name `{wanted}`"),
        hint: Some(format!("{hint}`dlprof-agg show ops FILE` lists the ops")),
    })
}

/// Names in words: `a`, `b` or `c`; `None` without any.
pub(super) fn alternatives(names: &[&str]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = quoted.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
}
