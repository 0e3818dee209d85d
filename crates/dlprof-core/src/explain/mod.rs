//! What a name means: columns, tables, causes of idle time, classes of steps and calls, rules, and terms of the field.
//!
//! The texts for columns, tables, rules, causes and classes come from their declarations ([`crate::tables`], [`crate::advice`],
//! [`crate::figures::activity`], [`crate::replay`], [`crate::runs::ranks`]). All other texts are declared here. It must not know how they are shown.

mod calls;
mod jobs;
mod notes;
mod rules;
mod terms;
mod verdicts;

use crate::advice::tables::TABLES;
use crate::figures::activity::{CAUSES, STEP_CLASSES};
use crate::replay::PathClass;
use crate::tables::{Header, Unit};

/// What kind of name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// A term of the field.
    Term,
    /// A cause of idle GPU time.
    IdleCause,
    /// A class that the time of a step is divided into.
    StepClass,
    /// A class of the critical path.
    PathClass,
    /// What a step is bound by.
    Verdict,
    /// A class of API calls.
    CallClass,
    /// How GPU work came to its range.
    Attribution,
    /// A rule of the expert system.
    Rule,
    /// A table.
    Table,
    /// A column of one or several tables.
    Column,
    /// A rule about jobs of many ranks.
    JobRule,
    /// A table of a job.
    JobTable,
    /// A column of one or several tables of a job.
    JobColumn,
}

impl Topic {
    /// All topics, in the order in which they are listed.
    pub const ALL: [Self; 13] = [
        Self::Term,
        Self::IdleCause,
        Self::StepClass,
        Self::PathClass,
        Self::Verdict,
        Self::CallClass,
        Self::Attribution,
        Self::Rule,
        Self::Table,
        Self::Column,
        Self::JobRule,
        Self::JobTable,
        Self::JobColumn,
    ];

    /// Whether it is of columns.
    #[must_use]
    pub fn is_of_columns(self) -> bool {
        matches!(self, Self::Column | Self::JobColumn)
    }

    /// The words for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::IdleCause => "cause of idle time",
            Self::StepClass => "step class",
            Self::PathClass => "class of the critical path",
            Self::Verdict => "verdict",
            Self::CallClass => "API call class",
            Self::Attribution => "attribution",
            Self::Rule => "rule",
            Self::Table => "table",
            Self::Column => "column",
            Self::JobRule => "job rule",
            Self::JobTable => "job table",
            Self::JobColumn => "job column",
        }
    }
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The name.
    pub name: &'static str,
    /// What kind of name it is.
    pub topic: Topic,
    /// Tables that have the column; empty if it is not a column.
    pub tables: Vec<&'static str>,
    /// The definition in whole sentences.
    pub definition: &'static str,
    /// How it is computed; `None` if the definition says all.
    pub formula: Option<&'static str>,
    /// The unit; `None` if it is not a number.
    pub unit: Option<&'static str>,
    /// What a large or small value means, and what to do; `None` if there is nothing to say.
    pub reading: Option<&'static str>,
    /// Of a rule: its title, severity, confidence, thresholds and link; of a cause and a class: the words for people. Each has a
    /// label.
    pub details: Vec<(&'static str, String)>,
}

/// The answer to a question for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Its meanings, in the order of [`Topic::ALL`]; at least one.
    Found(Vec<Explanation>),
    /// The name is unknown. Similar names follow, the most similar first.
    Unknown(Vec<&'static str>),
}

/// A declared meaning.
struct Entry {
    name: &'static str,
    definition: &'static str,
    formula: &'static str,
    unit: &'static str,
    reading: &'static str,
}

/// A meaning without a formula or a unit.
const fn entry(name: &'static str, definition: &'static str, reading: &'static str) -> Entry {
    Entry { name, definition, formula: "", unit: "", reading }
}

/// A meaning with a formula and a unit; either may be empty.
const fn measure(
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    formula: &'static str,
    reading: &'static str,
) -> Entry {
    Entry { name, definition, formula, unit, reading }
}

/// The meanings that are declared here, by topic.
const DECLARED: &[(Topic, &[Entry])] = &[
    (Topic::Term, terms::TERMS),
    (Topic::Verdict, verdicts::VERDICTS),
    (Topic::CallClass, calls::CLASSES),
    (Topic::Attribution, calls::ATTRIBUTIONS),
];

/// The meanings of a name. Capital letters are the same as small ones, and `-` or a space is the same as `_`.
/// `TABLE.COLUMN` is the column of one table.
#[must_use]
pub fn explain(name: &str) -> Answer {
    let wanted = normal(name);
    let found: Vec<Explanation> = match wanted.split_once('.') {
        Some((table, column)) => {
            columns().chain(jobs::columns()).filter(|one| is_in(one, table, column)).collect()
        }
        None => all().filter(|one| names(one).any(|name| normal(name) == wanted)).collect(),
    };
    if found.is_empty() { Answer::Unknown(nearest(&wanted)) } else { Answer::Found(found) }
}

/// All explanations: topics in the order of [`Topic::ALL`], names as declared.
pub fn all() -> impl Iterator<Item = Explanation> {
    declared().chain(rules::all()).chain(tables()).chain(columns()).chain(jobs::all())
}

fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

fn is_in(explanation: &Explanation, table: &str, column: &str) -> bool {
    explanation.name == column && explanation.tables.contains(&table)
}

/// The name of an explanation, and the words by which people see it.
fn names(explanation: &Explanation) -> impl Iterator<Item = &'static str> {
    let cause =
        CAUSES.iter().find(|one| explanation.topic == Topic::IdleCause && one.key == explanation.name);
    [explanation.name].into_iter().chain(cause.map(|cause| cause.words))
}

/// What is declared for its name alone, in the order of topics.
fn declared() -> impl Iterator<Item = Explanation> {
    let (terms, others) = DECLARED.split_at(1);
    written(terms).chain(causes()).chain(step_classes()).chain(path_classes()).chain(written(others))
}

fn causes() -> impl Iterator<Item = Explanation> {
    CAUSES.iter().map(|cause| Explanation {
        name: cause.key,
        topic: Topic::IdleCause,
        tables: Vec::new(),
        definition: cause.meaning,
        formula: None,
        unit: None,
        reading: Some(cause.advice),
        details: vec![("in words", cause.words.to_owned()), ("step class", cause.class.as_str().to_owned())],
    })
}

fn step_classes() -> impl Iterator<Item = Explanation> {
    STEP_CLASSES.iter().map(|class| Explanation {
        name: class.class.as_str(),
        topic: Topic::StepClass,
        tables: Vec::new(),
        definition: class.meaning,
        formula: Some(class.formula),
        unit: Some("nanoseconds"),
        reading: Some(class.advice),
        details: vec![("in words", class.words.to_owned())],
    })
}

fn path_classes() -> impl Iterator<Item = Explanation> {
    PathClass::ALL.into_iter().map(|class| defined(Topic::PathClass, class.as_str(), class.meaning()))
}

fn written(declared: &'static [(Topic, &'static [Entry])]) -> impl Iterator<Item = Explanation> {
    let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    let explain = move |topic, entry: &Entry| Explanation {
        name: entry.name,
        topic,
        tables: Vec::new(),
        definition: entry.definition,
        formula: some(entry.formula),
        unit: some(entry.unit),
        reading: some(entry.reading),
        details: Vec::new(),
    };
    declared.iter().flat_map(move |&(topic, entries)| entries.iter().map(move |entry| explain(topic, entry)))
}

fn tables() -> impl Iterator<Item = Explanation> {
    TABLES.iter().map(|table| defined(Topic::Table, table.key, table.doc))
}

/// A meaning that is a definition and nothing else.
fn defined(topic: Topic, name: &'static str, definition: &'static str) -> Explanation {
    Explanation {
        name,
        topic,
        tables: Vec::new(),
        definition,
        formula: None,
        unit: None,
        reading: None,
        details: Vec::new(),
    }
}

/// The columns of all tables of captures.
fn columns() -> impl Iterator<Item = Explanation> {
    of_columns(Topic::Column, TABLES.iter().map(|table| (table.key, table.headers())))
}

/// The columns of tables. Those with the same key and meaning are listed once.
fn of_columns(
    topic: Topic,
    tables: impl Iterator<Item = (&'static str, Vec<&'static Header<'static>>)>,
) -> impl Iterator<Item = Explanation> {
    let mut found: Vec<Explanation> = Vec::new();
    let written = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    for (table, headers) in tables {
        for header in headers {
            let is_known = |one: &&mut Explanation| one.name == header.key && one.definition == header.doc;
            // Notes are on columns of captures.
            let note = notes::of_column(header.key).filter(|_| topic == Topic::Column);
            match found.iter_mut().find(is_known) {
                Some(known) => known.tables.push(table),
                None => found.push(Explanation {
                    name: header.key,
                    topic,
                    tables: vec![table],
                    definition: header.doc,
                    formula: note.and_then(|note| written(note.formula)),
                    unit: unit_in_words(header.unit),
                    reading: note.and_then(|note| written(note.reading)),
                    details: Vec::new(),
                }),
            }
        }
    }
    found.into_iter()
}

fn unit_in_words(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::None => None,
        Unit::Nanoseconds => Some("nanoseconds"),
        Unit::Percent => Some("percent, from 0 to 100"),
        Unit::Flop => Some("operations"),
        Unit::FlopPerByte => Some("operations per byte"),
        Unit::TeraflopPerSecond => Some("10¹² operations per second (TFLOP/s)"),
        Unit::GigabytesPerSecond => Some("10⁹ bytes per second (GB/s)"),
        unit => Some(unit.symbol()),
    }
}

/// At most five names that are similar to a name or contain it, the most similar first.
fn nearest(wanted: &str) -> Vec<&'static str> {
    /// Names with a smaller similarity are not shown.
    const LIKE: f64 = 0.8;
    const MOST: usize = 5;
    let column = wanted.rsplit('.').next().unwrap_or(wanted);
    let likeness = |name: &str| {
        let contains = column.len() >= 3 && name.contains(column);
        strsim::jaro_winkler(name, column).max(if contains { LIKE } else { 0.0 })
    };
    let mut names: Vec<(f64, &'static str)> =
        all().map(|one| (likeness(&normal(one.name)), one.name)).filter(|(like, _)| *like >= LIKE).collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut nearest: Vec<&'static str> = Vec::new();
    for (_, name) in names {
        if !nearest.contains(&name) && nearest.len() < MOST {
            nearest.push(name);
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::classified::Cause;
    use crate::capture::names::ApiClass;
    use crate::runs::ranks::{JOB_TABLES, JobRule};

    fn found(name: &str) -> Vec<Explanation> {
        match explain(name) {
            Answer::Found(found) => found,
            Answer::Unknown(nearest) => panic!("`{name}` is unknown; nearest: {nearest:?}"),
        }
    }

    #[test]
    fn every_column_and_table_is_explained() {
        for table in TABLES {
            assert!(found(table.key).iter().any(|one| one.topic == Topic::Table), "{}", table.key);
            for header in table.headers() {
                let own = found(&format!("{}.{}", table.key, header.key));
                let own: Vec<_> = own.iter().filter(|one| one.topic == Topic::Column).collect();
                assert_eq!(own.len(), 1, "{}.{}", table.key, header.key);
                assert_eq!(own[0].definition, header.doc);
            }
        }
    }

    #[test]
    fn every_rule_table_and_column_of_jobs_is_explained() {
        for rule in JobRule::ALL {
            let own = found(rule.key()).into_iter().find(|one| one.topic == Topic::JobRule).expect("a rule");
            assert_eq!((own.definition, own.reading), (rule.meaning(), Some(rule.advice())));
        }
        for table in JOB_TABLES {
            assert!(found(table.key).iter().any(|one| one.topic == Topic::JobTable), "{}", table.key);
            for header in table.headers() {
                let own = found(&format!("{}.{}", table.key, header.key));
                let own = own.iter().find(|one| one.topic == Topic::JobColumn).expect("a column");
                assert_eq!(own.definition, header.doc, "{}.{}", table.key, header.key);
                assert!(found(header.key).contains(own), "{}", header.key);
            }
        }
        assert_eq!(found("lag_ns")[0].unit, Some("nanoseconds"));
    }

    #[test]
    fn declarations_are_whole_sentences() {
        for one in declared() {
            for text in [Some(one.definition), one.reading].into_iter().flatten() {
                assert!(
                    text.ends_with('.') && text.len() > 20 && !text.contains("  "),
                    "{}: {text}",
                    one.name
                );
                assert!(text.starts_with(|c: char| c.is_uppercase() || c == '`'), "{}: {text}", one.name);
            }
            assert_eq!(one.name, one.name.to_lowercase(), "names are lower case");
        }
        for (topic, entries) in DECLARED {
            let mut names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{topic:?} has a name twice");
        }
    }

    /// What tables say in a word is explained.
    #[test]
    fn every_word_of_a_table_is_explained() {
        let has = |name: &str, topic| found(name).iter().any(|one| one.topic == topic);
        for cause in Cause::ALL {
            assert!(has(cause.as_str(), Topic::IdleCause), "{cause:?}");
        }
        for class in PathClass::ALL {
            assert!(has(class.as_str(), Topic::PathClass), "{class:?}");
        }
        for class in ApiClass::ALL {
            assert!(has(class.as_str(), Topic::CallClass), "{class:?}");
        }
        for attribution in ["own", "by_time", "none", "no_call"] {
            assert!(has(attribution, Topic::Attribution), "{attribution}");
        }
        assert_eq!(declared().filter(|one| one.topic == Topic::IdleCause).count(), Cause::ALL.len());
        // The words that the dashboard shows lead to the same.
        assert!(has("CPU: between launches", Topic::IdleCause) && has("CPU: set-up", Topic::IdleCause));
    }

    #[test]
    fn every_rule_is_explained() {
        for rule in crate::advice::rules() {
            let own = found(rule.id).into_iter().find(|one| one.topic == Topic::Rule).expect(rule.id);
            assert_eq!(own.definition, rule.how);
            let thresholds = own.details.iter().filter(|(_, text)| text.contains("(default ")).count();
            assert_eq!(thresholds, rule.thresholds.len(), "{}", rule.id);
        }
        let Answer::Unknown(names) = explain("inpt_bound") else { panic!("it is misspelt") };
        assert_eq!(names.first(), Some(&"input_bound"));
    }

    #[test]
    fn notes_are_sorted() {
        assert!(notes::keys().is_sorted(), "notes are sorted by column");
    }

    #[test]
    fn a_name_may_mean_several_things() {
        let topics: Vec<Topic> = found("launch").iter().map(|one| one.topic).collect();
        assert_eq!(topics, [Topic::IdleCause, Topic::CallClass]);
        assert_eq!(found("Key-Node")[0].topic, Topic::Term);
        assert_eq!(found("GPU_TIME_NS")[0].unit, Some("nanoseconds"));
    }

    #[test]
    fn near_misses_are_suggested() {
        let Answer::Unknown(names) = explain("occupency") else { panic!("it is misspelt") };
        assert_eq!(names.first(), Some(&"occupancy"));
        let Answer::Unknown(names) = explain("ops.gpu_tim_ns") else { panic!("it is misspelt") };
        assert_eq!(names.first(), Some(&"gpu_time_ns"));
        assert_eq!(explain("qqqqqq"), Answer::Unknown(Vec::new()));
        assert!(matches!(explain(""), Answer::Unknown(_)));
    }
}
