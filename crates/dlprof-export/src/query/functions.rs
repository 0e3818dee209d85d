//! Functions that SQLite does not have: those that people ask for about durations.

use dlprof_core::to_f64;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};

type OfNumber = fn(f64) -> f64;

/// Functions of a number, by name.
const OF_NUMBERS: [(&str, OfNumber); 6] = [
    ("sqrt", f64::sqrt),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
];

/// Makes the functions known to a connection.
pub(super) fn register(db: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, function) in OF_NUMBERS {
        db.create_scalar_function(
            name,
            1,
            flags,
            move |context| Ok(number(name, context, 0)?.map(function)),
        )?;
    }
    db.create_scalar_function("pow", 2, flags, |context| {
        let (base, exponent) = (number("pow", context, 0)?, number("pow", context, 1)?);
        Ok(base.zip(exponent).map(|(base, exponent)| base.powf(exponent)))
    })?;
    db.create_scalar_function("name_key", 1, flags, |context| {
        let text = context.get_raw(0).as_str_or_null()?;
        Ok(text.map(|text| format!("{:08x}", name_hash(text))))
    })?;
    db.create_aggregate_function("median", 1, flags, Percentile { name: "median", percent: Some(50.0) })?;
    db.create_aggregate_function("percentile", 2, flags, Percentile { name: "percentile", percent: None })?;
    db.create_aggregate_function("stddev", 1, flags, Deviation)
}

/// A short number for a name, the same everywhere: FNV-1a with 32 bits.
#[must_use]
pub fn name_hash(name: impl AsRef<[u8]>) -> u32 {
    name.as_ref().iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// An argument as a number; `None` if it is undefined.
fn number(function: &str, context: &Context<'_>, argument: usize) -> Result<Option<f64>> {
    match context.get_raw(argument) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(number) => Ok(Some(to_f64(number))),
        ValueRef::Real(number) => Ok(Some(number)),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            Err(Error::UserFunctionError(format!("`{function}` needs numbers, not texts").into()))
        }
    }
}

/// `percentile(x, p)`, and `median(x)`: between two values in proportion.
struct Percentile {
    name: &'static str,
    /// Percent; `None` if it is the second argument.
    percent: Option<f64>,
}

/// The values of a group, and the percent asked for.
struct Group {
    values: Vec<f64>,
    percent: f64,
}

impl Aggregate<Group, Option<f64>> for Percentile {
    fn init(&self, context: &mut Context<'_>) -> Result<Group> {
        let percent = match self.percent {
            Some(percent) => percent,
            None => number(self.name, context, 1)?.unwrap_or(f64::NAN),
        };
        if !(0.0..=100.0).contains(&percent) {
            let message = format!("`{}` needs a percentage from 0 to 100, such as 90", self.name);
            return Err(Error::UserFunctionError(message.into()));
        }
        Ok(Group { values: Vec::new(), percent })
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Group) -> Result<()> {
        group.values.extend(number(self.name, context, 0)?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<Group>) -> Result<Option<f64>> {
        Ok(group.and_then(|mut group| {
            group.values.sort_unstable_by(f64::total_cmp);
            between(&group.values, group.percent)
        }))
    }
}

/// The value at a percentage of sorted values; `None` if there are no values.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the number of values"
)]
fn between(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = percent / 100.0 * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below + (above - below) * place.fract())
}

/// `stddev(x)`: the standard deviation of a sample.
struct Deviation;

/// Sums of Welford's method.
#[derive(Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Aggregate<Spread, Option<f64>> for Deviation {
    fn init(&self, _: &mut Context<'_>) -> Result<Spread> {
        Ok(Spread::default())
    }

    fn step(&self, context: &mut Context<'_>, spread: &mut Spread) -> Result<()> {
        if let Some(value) = number("stddev", context, 0)? {
            spread.count += 1.0;
            let before = value - spread.mean;
            spread.mean += before / spread.count;
            spread.squares += before * (value - spread.mean);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, spread: Option<Spread>) -> Result<Option<f64>> {
        let spread = spread.filter(|spread| spread.count > 1.0);
        Ok(spread.map(|spread| (spread.squares / (spread.count - 1.0)).sqrt()))
    }
}
