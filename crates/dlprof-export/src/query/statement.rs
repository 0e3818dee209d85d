//! Reads a query, refuses everything except a `SELECT` over tables, and names its columns.

use super::error::QueryError;
use dlprof_core::tables::{Definition, TABLES};
use sqlparser::ast::{
    self, Expr, Ident, ObjectName, OrderByKind, SelectItem, SetExpr, TableFactor, Visit, VisitMut, Visitor,
    VisitorMut,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// A query over known tables.
pub(super) struct Statement {
    /// The query in the form for the engine.
    pub(super) sql: String,
    /// Its tables, in the order in which the query first names them.
    pub(super) tables: Vec<&'static Definition>,
    /// All names in it: columns, tables and functions.
    words: BTreeSet<String>,
    has_wildcard: bool,
}

impl Statement {
    /// Whether a name is anywhere in the query.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// Whether the query may use a column of this name.
    pub(super) fn reads(&self, column: &str) -> bool {
        self.has_wildcard || self.words.contains(column)
    }
}

/// Reads a query.
pub(super) fn parse(sql: &str) -> Result<Statement, QueryError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        QueryError::new(
            format!("cannot read the query: {}", error.to_string().replace("sql parser error: ", "")),
            "for example \"select op_type, sum(gpu_time_ns) from ops group by op_type\"",
        )
    };
    let statements = Parser::parse_sql(&GenericDialect {}, sql).map_err(|error| unreadable(&error))?;
    let mut query = match <[ast::Statement; 1]>::try_from(statements) {
        Ok([ast::Statement::Query(query)]) => query,
        Ok([other]) => {
            let word = other.to_string().split_whitespace().next().unwrap_or_default().to_owned();
            return Err(only_select(&format!("`{word}`")));
        }
        Err(statements) if statements.is_empty() => return Err(only_select("an empty text")),
        Err(statements) => return Err(only_select(&format!("{} statements", statements.len()))),
    };
    let mut found = Found::default();
    if let ControlFlow::Break(error) = Visit::visit(&query, &mut found) {
        return Err(error);
    }
    let tables = found.tables()?;
    if let ControlFlow::Break(error) = VisitMut::visit(&mut query, &mut Namer) {
        return Err(error);
    }
    let words = words(sql).map_err(|error| unreadable(&error))?;
    // `COLUMNS('…')` and names that are patterns choose columns too, and a natural join compares all columns.
    let chooses =
        |word: &String| word.starts_with('^') || matches!(&*word.to_lowercase(), "columns" | "natural");
    let has_wildcard = found.has_wildcard || words.iter().any(chooses);
    Ok(Statement { sql: query.to_string(), tables, words, has_wildcard })
}

fn only_select(found: &str) -> QueryError {
    QueryError::new(
        format!("a query must be one `SELECT`, with or without `WITH`, but this is {found}"),
        "queries read the tables of captures; they change nothing",
    )
}

fn words(sql: &str) -> Result<BTreeSet<String>, sqlparser::tokenizer::TokenizerError> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize()?;
    Ok(tokens
        .into_iter()
        .filter_map(|token| if let Token::Word(word) = token { Some(word.value) } else { None })
        .collect())
}

/// What a query reads.
#[derive(Default)]
struct Found {
    relations: Vec<String>,
    /// Names that `WITH` defines.
    given: BTreeSet<String>,
    has_wildcard: bool,
}

impl Found {
    /// The tables, once each.
    fn tables(&self) -> Result<Vec<&'static Definition>, QueryError> {
        let known = |name: &str| TABLES.iter().find(|definition| definition.key == name);
        // The engine would use the table and ignore `WITH`.
        if let Some(name) = self.given.iter().find(|name| known(name).is_some()) {
            return Err(QueryError::new(
                format!("`WITH {name}` uses the name of a table"),
                format!("choose another name, such as `my_{name}`"),
            ));
        }
        let mut tables: Vec<&'static Definition> = Vec::new();
        for name in self.relations.iter().filter(|name| !self.given.contains(*name)) {
            let table = known(name).ok_or_else(|| QueryError::no_table(name))?;
            if tables.iter().all(|other| other.key != table.key) {
                tables.push(table);
            }
        }
        Ok(tables)
    }
}

impl Visitor for Found {
    type Break = QueryError;

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<QueryError> {
        if let Some(with) = &query.with {
            self.given.extend(with.cte_tables.iter().map(|table| table.alias.name.value.clone()));
        }
        match only_reads(&query.body) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<QueryError> {
        let is_wildcard =
            |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        self.has_wildcard |= select.projection.iter().any(is_wildcard);
        if select.into.is_some() {
            return ControlFlow::Break(only_select("`SELECT … INTO`"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<QueryError> {
        match factor {
            TableFactor::Table { args: None, .. }
            | TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. } => ControlFlow::Continue(()),
            other => ControlFlow::Break(QueryError::new(
                format!("`{other}` is not a table"),
                "queries read the tables of captures, neither files nor functions; \
                 `dlprof-agg show --list` describes them",
            )),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<QueryError> {
        let name = match relation.0.as_slice() {
            [part] => part.as_ident().map(|ident| ident.value.clone()),
            _ => None,
        };
        self.relations.push(name.unwrap_or_else(|| relation.to_string()));
        ControlFlow::Continue(())
    }
}

/// Refuses query bodies that are neither a `SELECT` nor a combination of several.
fn only_reads(body: &SetExpr) -> Result<(), QueryError> {
    match body {
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => Ok(()),
        SetExpr::SetOperation { left, right, .. } => only_reads(left).and_then(|()| only_reads(right)),
        SetExpr::Table(_) => Err(only_select("`TABLE`")),
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
            Err(only_select("a change of a table"))
        }
    }
}

/// Gives computed columns their own text as name. The engine would name both `min(calls)` and `max(calls)` `calls`,
/// and would read `order by sum(calls)` as a sum of the sums.
struct Namer;

impl VisitorMut for Namer {
    type Break = QueryError;

    fn post_visit_query(&mut self, query: &mut ast::Query) -> ControlFlow<QueryError> {
        let SetExpr::Select(select) = query.body.as_ref() else {
            return ControlFlow::Continue(());
        };
        let mut names: BTreeMap<String, &Ident> = BTreeMap::new();
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr, alias } = item {
                names.insert(expr.to_string(), alias);
            }
        }
        let Some(OrderByKind::Expressions(keys)) = query.order_by.as_mut().map(|order| &mut order.kind)
        else {
            return ControlFlow::Continue(());
        };
        for key in keys.iter_mut().filter(|key| is_computed(&key.expr)) {
            if let Some(&name) = names.get(&key.expr.to_string()) {
                key.expr = Expr::Identifier(name.clone());
            } else if has_aggregate(&key.expr) {
                return ControlFlow::Break(QueryError::new(
                    format!("`ORDER BY {}` is an aggregate that is not selected", key.expr),
                    format!("select it, with a name: `{} as key … order by key`", key.expr),
                ));
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<QueryError> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && is_computed(expr)
                && !is_call_of(expr, &["columns"])
            {
                let alias = Ident::with_quote('"', expr.to_string());
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }
}

fn is_computed(expr: &Expr) -> bool {
    !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

fn is_call_of(expr: &Expr, names: &[&str]) -> bool {
    matches!(expr, Expr::Function(call) if call.over.is_none()
        && names.contains(&call.name.to_string().to_ascii_lowercase().as_str()))
}

/// Whether an expression contains an aggregate function.
fn has_aggregate(expr: &Expr) -> bool {
    const AGGREGATES: [&str; 12] = [
        "avg",
        "count",
        "first",
        "last",
        "max",
        "mean",
        "median",
        "min",
        "stddev",
        "sum",
        "variance",
        "quantile_cont",
    ];
    ast::visit_expressions(expr, |part| {
        if is_call_of(part, &AGGREGATES) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .is_break()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_named_tables_and_columns_are_read() {
        let read = |sql: &str| {
            let statement = parse(sql).expect("a query");
            let tables: Vec<&str> = statement.tables.iter().map(|table| table.key).collect();
            (tables.join(" "), ["op_id", "calls"].map(|column| statement.reads(column)))
        };
        for (sql, tables, columns) in [
            ("select count(*) from kernels", "kernels", [false, false]),
            ("select sum(calls) as n from ops where 'op_id' = 'x'", "ops", [false, true]),
            ("select * from ops", "ops", [true, true]),
            ("select o.* from ops o", "ops", [true, true]),
            ("select 1 from ops natural join kernels", "ops kernels", [true, true]),
            ("select 1 from gpus join ops using (op_id)", "gpus ops", [true, false]),
            ("select columns('op.*') from ops", "ops", [true, true]),
            ("select \"^op.*$\" from ops", "ops", [true, true]),
            (
                "with t as (select calls from ops) select calls from t union select 1 from gpus",
                "ops gpus",
                [false, true],
            ),
            ("select 1 from gpus where 1 in (select calls from top_ops)", "gpus top_ops", [false, true]),
        ] {
            assert_eq!(read(sql), (tables.to_owned(), columns), "{sql}");
        }
    }
}
