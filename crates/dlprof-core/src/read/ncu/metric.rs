//! Values of metrics, while the rows of a launch are read.

use super::numbers::Mark;
use std::sync::Arc;

/// A metric that is kept.
pub(super) type MetricId = u32;

/// A value of a launch; not a number if the log has none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) metric: MetricId,
    pub(super) unit: u16,
    pub(super) mark: Option<Mark>,
    pub(super) value: f64,
}

/// The smallest and the largest of a summary.
pub(super) type Extent = [Option<(f64, Option<Mark>)>; 2];

/// The parts of a value.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) metric: MetricId,
    pub(super) parts: Vec<(Arc<str>, f64, Option<Mark>)>,
}
