//! What a request asks: the parameters of its address.

use super::refusal::Refusal;
use axum::extract::Query;
use axum::http::Uri;

/// Conditions, columns to sort by and columns to show: more than that nobody types.
const MOST_REPEATED: usize = 100;

/// What a request asks of an aggregation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// The aggregation; the first one if not given.
    pub(super) aggregation: Option<String>,
    /// What it asks of a table.
    pub(super) table: TableQuestion,
}

/// Which rows and columns of a table are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableQuestion {
    /// As for `--where`; all must hold.
    pub(super) conditions: Vec<String>,
    /// As for `--sort`.
    pub(super) sort: Vec<String>,
    /// Words, each of which some text of the row has, ignoring case.
    pub(super) search: String,
    /// Keys of the columns; all if empty.
    pub(super) columns: Vec<String>,
    /// The first row, counted from 0 among those that match.
    pub(super) from: usize,
    /// Number of rows; all if not given.
    pub(super) count: Option<usize>,
}

impl Parameters {
    /// The parameters of an address.
    pub(super) fn of(uri: &Uri) -> Result<Self, Refusal> {
        let unreadable =
            |error: String| Refusal::bad_request(error, "send parameters as `name=value`, in UTF-8");
        let Query(pairs): Query<Vec<(String, String)>> =
            Query::try_from_uri(uri).map_err(|error| unreadable(error.to_string()))?;
        let mut parameters = Self::default();
        let table = &mut parameters.table;
        for (name, value) in pairs {
            match name.as_str() {
                // The guard has checked it.
                "token" => {}
                "aggregation" => parameters.aggregation = Some(value),
                "where" => table.conditions.push(value),
                "sort" => table.sort.push(value),
                "search" => table.search = value,
                "columns" => table.columns.extend(value.split(',').map(str::to_owned)),
                "from" => table.from = number(&name, &value)?,
                "count" => table.count = Some(number(&name, &value)?),
                _ => {
                    return Err(Refusal::bad_request(
                        format!("there is no parameter `{name}`"),
                        "parameters are aggregation, where, sort, search, columns, from, count, token",
                    ));
                }
            }
        }
        let most = table.conditions.len().max(table.sort.len()).max(table.columns.len());
        if most > MOST_REPEATED {
            return Err(Refusal::bad_request(
                format!("{most} conditions or columns are too many"),
                format!("send at most {MOST_REPEATED}"),
            ));
        }
        Ok(parameters)
    }
}

fn number(name: &str, value: &str) -> Result<usize, Refusal> {
    value.parse().map_err(|_| {
        Refusal::bad_request(
            format!("`{name}={value}` is not a number of rows"),
            format!("send a whole number, such as `{name}=200`"),
        )
    })
}
