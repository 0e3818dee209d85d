//! How people see a table: which columns matter most, and which rows come first.
//!
//! Beside its columns, each table declares two lists of keys: the columns that are always shown, first, and those
//! shown next, in this order. All other columns come last, in the order of their declaration. Data files do not use
//! the layout: they have all columns, in the order of their declaration, and the rows in the order of the table, so
//! that the files of two captures can be compared line by line.

/// How people see a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Keys of the columns that are always shown; the name first, then the figure that people sort by.
    pub first: &'static [&'static str],
    /// Keys of the columns that are shown next.
    pub second: &'static [&'static str],
    /// Keys of the columns that rows are sorted by; `-` in front for the largest first. Empty if the table already has
    /// its rows in the order that people want.
    pub order: &'static [&'static str],
    /// Keys of columns with sentences, which may be wrapped; other texts are names.
    pub sentences: &'static [&'static str],
    /// Keys of columns with points in time. People see them from the start of the aggregated iterations.
    pub starts: &'static [&'static str],
    /// Keys of columns with sums over the aggregated iterations, which people can see per iteration.
    pub sums: &'static [&'static str],
    /// Whether these are sums over the used GPUs as well.
    pub over_gpus: bool,
    /// Keys of columns whose sums were divided by the number of iterations; a declared table has none.
    pub means: &'static [&'static str],
    /// Keys of columns that are parts of a whole, in the order of charts, each with what charts call it.
    pub parts: &'static [(&'static str, &'static str)],
    /// Keys of the columns in a report of the usual tables, in order; all if empty.
    pub report: &'static [&'static str],
    /// Views of the viewer whose columns are others than the first ones of the layout: the name of each, and the keys of its
    /// columns in order.
    pub views: &'static [(&'static str, &'static [&'static str])],
    /// The condition for rows that people see if they set none; empty if they see all.
    pub usual: &'static str,
    /// How a row is shown.
    pub form: Form,
}

/// How a row is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line.
    Line,
    /// A line per column: for tables with one row and many columns.
    Record,
}

/// How important a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Importance {
    /// It is always shown; on pages, at every width.
    Always,
    /// It is shown if there is room; on pages, from 560 px.
    Medium,
    /// It is shown if there is much room; on pages, from 900 px.
    Low,
}

impl Layout {
    /// All columns in the order of their declaration.
    pub const PLAIN: Self = Self {
        first: &[],
        second: &[],
        order: &[],
        sentences: &[],
        starts: &[],
        sums: &[],
        over_gpus: false,
        means: &[],
        parts: &[],
        report: &[],
        views: &[],
        usual: "",
        form: Form::Line,
    };

    /// One row, with its columns below each other.
    pub const RECORD: Self = Self { form: Form::Record, ..Self::PLAIN };

    /// How important the column with a key is. Without a list of columns, all are always shown.
    #[must_use]
    pub fn importance(&self, key: &str) -> Importance {
        if self.first.is_empty() || self.first.contains(&key) {
            Importance::Always
        } else if self.second.contains(&key) {
            Importance::Medium
        } else {
            Importance::Low
        }
    }

    /// The place of the column with a key among those that people see. Columns of equal rank keep their order.
    pub(super) fn rank(&self, key: &str) -> usize {
        let named = self.first.iter().chain(self.second);
        named.clone().position(|name| *name == key).unwrap_or(named.count())
    }

    /// Whether the column with a key holds sentences.
    #[must_use]
    pub fn is_sentence(&self, key: &str) -> bool {
        self.sentences.contains(&key)
    }

    /// The keys that rows are sorted by, as a [`Selection`](super::Selection) takes them.
    #[must_use]
    pub fn sort(&self) -> Vec<String> {
        self.order.iter().map(|&key| key.to_owned()).collect()
    }
}
