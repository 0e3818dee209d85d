//! What the pages know of tables before they ask for rows: columns with units, kinds and meanings.

use dlprof_core::{
    CAUSES, CauseDefinition, CellKind, Definition, Form, Header, Importance, JobTableDefinition, Judged,
    Layout, STEP_CLASSES, StepClassDefinition,
};
use serde::Serialize;
use std::borrow::Cow;

/// A table as the pages know it.
#[derive(Debug, Clone, Serialize)]
pub struct TableDefinition {
    /// Stable name, as in `show NAME`.
    pub key: &'static str,
    /// Title for people.
    pub title: Cow<'static, str>,
    /// What its rows are.
    pub doc: Cow<'static, str>,
    /// Its columns in order.
    pub columns: Vec<ColumnDefinition>,
    /// Keys of the columns that people see first, in their order; empty if all are equally important.
    pub first: Vec<&'static str>,
    /// Keys of the columns that rows are sorted by; `-` in front for the largest first.
    pub order: Vec<String>,
    /// Whether it is one row of many columns.
    pub is_record: bool,
}

/// A column as the pages know it.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnDefinition {
    /// Stable name, with the unit as suffix.
    pub key: &'static str,
    /// Title for people.
    pub title: Cow<'static, str>,
    /// Symbol of the unit; empty without one.
    pub unit: &'static str,
    /// `int`, `float`, `flag`, `answer` (the texts `true`, `false`, `unknown`) or `text`.
    pub kind: &'static str,
    /// Meaning in one sentence.
    pub doc: Cow<'static, str>,
    /// 1: always shown, 2: shown if there is room, 3: shown if there is much room.
    pub importance: u8,
    /// Whether cells are points in time.
    pub is_start: bool,
    /// Whether cells are sentences, and not names.
    pub is_sentence: bool,
    /// Whether a cell is a sum over the aggregated iterations, so that it can be shown per iteration.
    pub is_sum: bool,
}

/// The words and meanings of causes of idle time and of classes of a step, as core declares them.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Terms {
    /// Causes of idle time.
    pub causes: &'static [CauseDefinition],
    /// Classes of a step.
    pub classes: &'static [StepClassDefinition],
}

impl Terms {
    /// All terms.
    pub const ALL: Self = Self { causes: &CAUSES, classes: &STEP_CLASSES };
}

impl TableDefinition {
    /// What is known of a table of a capture.
    #[must_use]
    pub fn new(definition: &'static Definition, judged: &Judged) -> Self {
        let names = (definition.key, definition.title, definition.doc);
        let has_counters = judged.capture.counters.is_some();
        let mut found = Self::of(names, definition.headers_of(has_counters), definition.layout);
        let said = |text: &str| judged.capture.recorder.title_in_its_words(text).into_owned().into();
        (found.title, found.doc) = (said(&found.title), said(&found.doc));
        for column in &mut found.columns {
            (column.title, column.doc) = (said(&column.title), said(&column.doc));
        }
        found
    }

    /// What is known of a table of a job of many ranks.
    #[must_use]
    pub fn of_job(definition: &JobTableDefinition) -> Self {
        let names = (definition.key, definition.title, definition.doc);
        Self::of(names, definition.headers(), definition.layout)
    }

    fn of(
        (key, title, doc): (&'static str, &'static str, &'static str),
        headers: Vec<&'static Header<'static>>,
        layout: &Layout,
    ) -> Self {
        let column = |header: &'static Header<'static>| ColumnDefinition {
            key: header.key,
            title: header.title.into(),
            unit: header.unit.symbol(),
            kind: kind(header.kind),
            doc: header.doc.into(),
            importance: importance(layout.importance(header.key)),
            is_start: layout.starts.contains(&header.key),
            is_sentence: layout.is_sentence(header.key),
            is_sum: layout.sums.contains(&header.key),
        };
        Self {
            key,
            title: title.into(),
            doc: doc.into(),
            columns: headers.into_iter().map(column).collect(),
            first: layout.first.iter().chain(layout.second).copied().collect(),
            order: layout.sort(),
            is_record: layout.form == Form::Record,
        }
    }
}

fn importance(importance: Importance) -> u8 {
    match importance {
        Importance::Always => 1,
        Importance::Medium => 2,
        Importance::Low => 3,
    }
}

fn kind(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Int => "int",
        CellKind::Float => "float",
        CellKind::Flag => "flag",
        CellKind::Answer => "answer",
        CellKind::Text | CellKind::Json => "text",
    }
}
