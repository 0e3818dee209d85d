//! Findings: what is wrong, how sure that is, how much time it costs, and what to change.
//!
//! A [`Rule`] is a function from the figures of a profile to at most one [`Finding`], with its thresholds and a text that says
//! how it decides. DLProf's detectors are rules with DLProf's ids, conditions and figures; its reports hold them alone, in its
//! order. Everywhere else all rules speak: findings of severity error come first, then what the verdict says, then what saves most time.
//!
//! [`RuleSettings`] are what settings files say: rules silenced, raised or tuned, and users' own rules (`own/`), which read
//! tables instead of the profile and are ranked with the others. How findings are shown is not known here, nor is SQL: an engine
//! of another crate answers queries.

mod advised;
mod because;
mod between_calls;
mod buffer_broadcasts;
#[cfg(test)]
mod cause_tests;
#[cfg(test)]
mod checked_tests;
mod detect;
mod edits;
mod evidence_kind;
#[cfg(test)]
mod exchange_tests;
mod exposed;
#[cfg(test)]
mod figure_tests;
mod finding;
pub(crate) mod findings_table;
mod framework;
mod idle;
mod idle_scene;
#[cfg(test)]
mod idle_tests;
mod idle_totals;
#[cfg(test)]
mod iteration_tests;
mod judge;
mod judged;
mod kernels;
mod list;
mod markers;
#[cfg(test)]
mod measured_tests;
mod migrations;
mod needs;
#[cfg(test)]
mod next_limit_tests;
mod no_ranges;
mod of_recorders;
mod of_torch;
mod once;
mod once_named;
#[cfg(test)]
mod once_tests;
mod order;
mod overlap;
mod own;
mod own_result;
mod problems;
#[cfg(test)]
mod program_tests;
mod question;
mod ranks;
#[cfg(test)]
mod ranks_tests;
mod replayed;
#[cfg(test)]
mod replayed_tests;
mod rule;
mod rule_setting;
mod rules;
#[cfg(test)]
mod saving_tests;
mod savings;
mod scene;
mod sentence;
mod serving;
mod settings;
mod shown_range;
mod slices;
mod small_copies;
mod step_waits;
pub(crate) mod tables;
mod timed_trials;
mod timer;
#[cfg(test)]
mod trace_tests;
mod training;
mod trend;
#[cfg(test)]
mod trend_tests;
mod trial_spans;
mod tried;
#[cfg(test)]
mod truth_tests;
mod unexplained;
mod untold;
mod verdict;
mod why_empty;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
#[cfg(test)]
mod waiting_tests;
#[cfg(test)]
mod words_tests;
#[cfg(test)]
mod worth_tests;

pub use advised::{AskedChange, NotAdvised};
pub use because::{BECAUSE, Because};
pub(crate) use detect::iterations;
pub use detect::{passes, rules};
pub(crate) use finding::{Confidence, Severity};
pub use finding::{Evidence, Finding, Measure, Saving};
pub use judge::judge;
pub use judged::{Judged, RuleState};
pub use list::{ListedRule, ListedThreshold, listed_rules};
pub use needs::Need;
pub use no_ranges::{no_ranges, what_would_name_ops};
pub use overlap::savings_overlap;
pub use own::{
    OwnRule, OwnRuleTable, QueryAnswer, QueryColumns, QueryEngine, QueryMistake, QueryTime, RuleError,
};
pub use own_result::{OwnOutcome, OwnResult};
pub use problems::Problem;
pub use question::{Question, Wording};
pub(crate) use rule::REPLAYED_SAVING;
pub use rule::{Rule, Subject, Threshold, TimeOf};
pub use rule_setting::{Level, RuleChanges, RuleSetting};
pub(crate) use rules::DLPROF_RULES;
pub use sentence::{Figure, Sentence};
pub use serving::serving_in_words;
pub use settings::{ChangedRules, RuleSettings, SettingsText};
pub use verdict::{
    Changes, Headline, MOST_WORDS, cause_in_words, class_in_words, computing_percent, verdict,
    verdict_detail, verdict_meaning, what_would_tell,
};
pub use why_empty::{why_empty, why_no_row};
