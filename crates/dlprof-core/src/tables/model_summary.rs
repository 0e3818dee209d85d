//! Table `model_summary`: how far the ops use Tensor Cores, as tab *Model Summary* of DLProf's plugin for TensorBoard had it.

use super::declaration::{Declaration, RowTable};
use super::layout::Layout;
use super::table::{Column, Unit};
use crate::base::ratios::percent;
use crate::figures::profile::Profile;

/// Columns of table `model_summary`.
static COLUMNS: &[Column<ModelSummaryRow>] = &[
    Column::int(
        "nodes",
        "Nodes in Graph",
        Unit::None,
        "Ops with a call in the aggregated iterations.",
        |p, _| p.categories.all.ops.into(),
    ),
    Column::int(
        "compatible_nodes",
        "Compatible Nodes",
        Unit::None,
        "Ops that could use Tensor Cores or use them.",
        |p, _| (p.categories.eligible.ops + p.categories.using_tc.ops).into(),
    ),
    Column::int(
        "compatible_nodes_using_tc",
        "Compatible Nodes using Tensor Cores",
        Unit::None,
        "Ops with a kernel that uses Tensor Cores.",
        |p, _| p.categories.using_tc.ops.into(),
    ),
    Column::int(
        "gpu_time_ns",
        "Total GPU Time",
        Unit::Nanoseconds,
        "GPU time of all ops; sum over calls.",
        |p, _| p.categories.all.gpu_ns.into(),
    ),
    Column::float(
        "compatible_gpu_time_percent",
        "% of time in TC compatible nodes",
        Unit::Percent,
        "GPU time of the compatible ops, as a share of all; empty without GPU time.",
        |p, _| {
            let categories = &p.categories;
            let compatible_ns = categories.eligible.gpu_ns + categories.using_tc.gpu_ns;
            (categories.all.gpu_ns > 0).then(|| percent(compatible_ns, categories.all.gpu_ns)).into()
        },
    ),
];

/// Table `model_summary`.
pub(crate) static TABLE: Declaration<ModelSummaryRow> = Declaration {
    key: "model_summary",
    title: "Model Summary",
    doc: "One row: how far the ops use Tensor Cores.",
    columns: || COLUMNS,
    layout: Layout::RECORD,
};

/// Table `model_summary` of a profile.
#[must_use]
pub(crate) fn build(profile: &Profile) -> RowTable<ModelSummaryRow> {
    TABLE.with(profile, vec![ModelSummaryRow])
}

/// The one row; all cells come from the profile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelSummaryRow;
