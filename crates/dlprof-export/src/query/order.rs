//! Fixes the order of rows wherever SQL sets none.
//!
//! Without this, groups would be in the order of a hash table whose seed is new in every process, and `limit`
//! without
//! `order by` would take other rows every time. Here groups, joins, unions and distinct rows keep the order of
//! their input, and rows that compare equal keep their order.

use polars::lazy::dsl::{DslPlan, Expr, SpecialEq};
use polars::prelude::{LazyFrame, MaintainOrderJoin, UniqueKeepStrategy};
use std::sync::Arc;

/// The same frame with a fixed order of rows.
pub(super) fn settle(frame: LazyFrame) -> LazyFrame {
    LazyFrame::from(settled(frame.logical_plan))
}

fn input(plan: Arc<DslPlan>) -> Arc<DslPlan> {
    Arc::new(settled(Arc::unwrap_or_clone(plan)))
}

fn inputs(plans: Vec<DslPlan>) -> Vec<DslPlan> {
    plans.into_iter().map(settled).collect()
}

/// Queries within an expression, such as `(select max(calls) from ops)`.
fn expression(expression: Expr) -> Expr {
    expression.map_expr(|part| match part {
        Expr::SubPlan(plan, names) => Expr::SubPlan(SpecialEq::new(input(plan.into_inner())), names),
        part => part,
    })
}

fn expressions(list: Vec<Expr>) -> Vec<Expr> {
    list.into_iter().map(expression).collect()
}

fn settled(plan: DslPlan) -> DslPlan {
    use DslPlan as P;
    match plan {
        // This node wraps a plan whose schema is known; use the plan inside.
        P::IR { dsl, .. } => settled(Arc::unwrap_or_clone(dsl)),
        P::GroupBy { input: from, keys, predicates, aggs, maintain_order: _, options, apply } => P::GroupBy {
            input: input(from),
            keys: expressions(keys),
            predicates: expressions(predicates),
            aggs: expressions(aggs),
            maintain_order: true,
            options,
            apply,
        },
        P::Join { input_left, input_right, left_on, right_on, predicates, options } => {
            let mut options = Arc::unwrap_or_clone(options);
            options.args.maintain_order = MaintainOrderJoin::LeftRight;
            P::Join {
                input_left: input(input_left),
                input_right: input(input_right),
                left_on: expressions(left_on),
                right_on: expressions(right_on),
                predicates: expressions(predicates),
                options: Arc::new(options),
            }
        }
        P::Distinct { input: from, mut options } => {
            options.maintain_order = true;
            if options.keep_strategy == UniqueKeepStrategy::Any {
                options.keep_strategy = UniqueKeepStrategy::First;
            }
            P::Distinct { input: input(from), options }
        }
        P::Sort { input: from, by_column, slice, mut sort_options } => {
            sort_options.maintain_order = true;
            P::Sort { input: input(from), by_column: expressions(by_column), slice, sort_options }
        }
        P::Union { inputs: from, mut args } => {
            args.maintain_order = true;
            P::Union { inputs: inputs(from), args }
        }
        P::Filter { input: from, predicate } => {
            P::Filter { input: input(from), predicate: expression(predicate) }
        }
        P::Select { expr, input: from, options } => {
            P::Select { expr: expressions(expr), input: input(from), options }
        }
        P::HStack { input: from, exprs, options } => {
            P::HStack { input: input(from), exprs: expressions(exprs), options }
        }
        P::Gather { input: from, idxs, null_on_oob } => {
            P::Gather { input: input(from), idxs: input(idxs), null_on_oob }
        }
        P::Slice { input: from, offset, len } => P::Slice { input: input(from), offset, len },
        P::Cache { input: from, id } => P::Cache { input: input(from), id },
        P::MapFunction { input: from, function } => P::MapFunction { input: input(from), function },
        P::HConcat { inputs: from, options } => P::HConcat { inputs: inputs(from), options },
        P::ExtContext { input: from, contexts } => {
            P::ExtContext { input: input(from), contexts: inputs(contexts) }
        }
        P::PipeWithSchema { input: from, callback } => {
            P::PipeWithSchema { input: from.iter().cloned().map(settled).collect(), callback }
        }
        // SQL cannot put other plans below these nodes.
        plan => plan,
    }
}
