//! Functions of the rows of a table.

use crate::base::ratios::{count_to_f64, to_f64};
use crate::tables::filter::Condition;
use crate::tables::{CellKind, Columns, Table, Value};

/// A function of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Sum,
    Min,
    Max,
    Mean,
    Median,
    Percentile,
    Share,
}

/// How functions are written.
const FUNCTIONS: [(&str, Function); 8] = [
    ("count", Function::Count),
    ("sum", Function::Sum),
    ("min", Function::Min),
    ("max", Function::Max),
    ("mean", Function::Mean),
    ("median", Function::Median),
    ("percentile", Function::Percentile),
    ("share", Function::Share),
];

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        let wanted = name.to_ascii_lowercase();
        FUNCTIONS.iter().find(|(name, _)| *name == wanted).map(|&(_, function)| function)
    }

    fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    /// All of them, for hints.
    pub(super) fn list() -> &'static str {
        "functions are count(), count(COLUMN), sum, min, max, mean, median, percentile(COLUMN, 90), share(CONDITION)"
    }
}

/// A function with what it is applied to.
#[derive(Debug, Clone)]
pub(super) struct Call {
    function: Function,
    column: Option<usize>,
    /// Which percentile, from 0 to 1.
    part: f64,
    condition: Option<Condition>,
}

impl Call {
    /// The share of rows for which a condition holds.
    pub(super) fn share(condition: Condition) -> Self {
        Self { function: Function::Share, column: None, part: 0.0, condition: Some(condition) }
    }

    /// A function of a column; `inside` is what stands between the parentheses.
    pub(super) fn new(function: Function, inside: &str, columns: &Columns<'_>) -> Result<Self, String> {
        let mut words = inside.split(',').map(str::trim);
        let name = words.next().filter(|name| !name.is_empty());
        let more: Vec<&str> = words.collect();
        let part = match (function, more.as_slice()) {
            (Function::Percentile, [part]) => percentile(part)?,
            (Function::Percentile, _) => {
                return Err(
                    "`percentile` needs a column and a number, such as `percentile(duration_ns, 90)`".into(),
                );
            }
            (_, []) => 0.5,
            _ => return Err(format!("`{}` takes one column, `{inside}` found", function.name())),
        };
        let column = match name {
            None if function == Function::Count => None,
            None => return Err(format!("`{}` needs a column", function.name())),
            Some(name) => Some(column(function, name, columns)?),
        };
        Ok(Self { function, column, part, condition: None })
    }

    /// What it comes to over some rows; empty where it is not defined, such as a mean without values.
    pub(super) fn of(&self, table: &dyn Table, rows: &[usize]) -> Value<'static> {
        if let Some(condition) = &self.condition {
            let held = rows.iter().filter(|&&row| condition.holds(table, row)).count();
            return share(held, rows.len()).into();
        }
        let Some(column) = self.column else { return Value::Float(count(rows.len())) };
        if self.function == Function::Count {
            let is_known = |row: &&usize| table.value(**row, column) != Value::Null;
            return Value::Float(count(rows.iter().filter(is_known).count()));
        }
        let values = rows.iter().filter_map(|&row| number(&table.value(row, column)));
        match self.function {
            Function::Sum => Value::Float(values.sum()),
            Function::Min => values.reduce(f64::min).into(),
            Function::Max => values.reduce(f64::max).into(),
            Function::Mean => {
                let (count, sum) =
                    values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
                share_of(sum, self::count(count)).into()
            }
            _ => percentile_of(values.collect(), self.part).into(),
        }
    }
}

fn percentile(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    let number =
        number.ok_or_else(|| format!("`{text}` is no percentile; expected a number from 0 to 100"))?;
    Ok(number / 100.0)
}

fn column(function: Function, name: &str, columns: &Columns<'_>) -> Result<usize, String> {
    let at = columns.position(name).map_err(|error| error.to_string())?;
    let kind = columns.headers[at].kind;
    if function != Function::Count && !matches!(kind, CellKind::Int | CellKind::Float) {
        let has = match kind {
            CellKind::Flag => "yes or no",
            CellKind::Answer => "yes, no or unknown",
            CellKind::Text | CellKind::Int | CellKind::Float => "texts",
        };
        return Err(format!("`{}` needs a column of numbers, `{name}` has {has}", function.name()));
    }
    Ok(at)
}

fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Int(number) => Some(to_f64(*number)),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn count(rows: usize) -> f64 {
    count_to_f64(u64::try_from(rows).unwrap_or(u64::MAX))
}

/// A part of a whole, from 0 to 1; `None` without a whole.
fn share(part: usize, whole: usize) -> Option<f64> {
    share_of(count(part), count(whole))
}

fn share_of(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// A percentile, between two values in proportion to its distance from them; `None` without values.
fn percentile_of(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let place = count(last) * part;
    let below = usize::try_from(crate::base::ratios::whole(place.floor())).ok()?.min(last);
    let (low, high) = (values[below], values[(below + 1).min(last)]);
    Some(low + (high - low) * (place - count(below)))
}

#[cfg(test)]
mod tests {
    use super::{percentile_of, share};

    #[test]
    fn percentiles_lie_between_values() {
        let is = |found: Option<f64>, wanted: f64| (found.expect("values") - wanted).abs() < 1e-9;
        assert!(is(percentile_of(vec![4.0, 1.0, 2.0], 0.5), 2.0));
        assert!(is(percentile_of(vec![1.0, 2.0], 0.5), 1.5));
        assert!(is(percentile_of(vec![1.0, 2.0, 3.0], 1.0), 3.0));
        assert!(is(percentile_of(vec![1.0, 11.0], 0.9), 10.0));
        assert_eq!(percentile_of(Vec::new(), 0.5), None);
        assert!(is(share(1, 4), 0.25) && share(0, 0).is_none());
    }
}
