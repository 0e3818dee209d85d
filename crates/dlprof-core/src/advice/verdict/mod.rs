//! The verdict: where the time goes and what would change it, in few words and in sentences.

mod headline;
mod meaning;
mod opening;
mod other_idle;
mod said;
mod spoken;

pub use headline::{Changes, Headline, MOST_WORDS, verdict};
pub use meaning::{cause_in_words, class_in_words, computing_percent, verdict_meaning, what_would_tell};
pub(super) use opening::{WORTH_PERCENT, is_cold_pass};
pub(super) use said::said_by_verdict;
pub use spoken::verdict_detail;
