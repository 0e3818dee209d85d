//! Answers that were made before, so that many browsers cost as much as one.

use super::encoding::Encoding;
use axum::body::Bytes;
use std::sync::{Mutex, PoisonError};

/// How many bytes of answers are kept.
const MOST_BYTES: usize = 64 << 20;

/// An answer, and how it is encoded.
pub(super) type Encoded = (Bytes, Encoding);

/// The last answers, by aggregation, encoding and path, the last used first.
#[derive(Debug, Default)]
pub(super) struct KeptAnswers {
    answers: Mutex<Vec<(String, Encoded)>>,
}

impl KeptAnswers {
    pub(super) fn get(&self, name: &str) -> Option<Encoded> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let at = answers.iter().position(|(known, _)| known == name)?;
        answers[..=at].rotate_right(1);
        Some(answers[0].1.clone())
    }

    pub(super) fn keep(&self, name: String, answer: &Encoded) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|(known, _)| *known != name);
        answers.insert(0, (name, answer.clone()));
        let mut bytes = 0;
        answers.retain(|(name, answer)| {
            bytes += name.len() + answer.0.len();
            bytes <= MOST_BYTES
        });
    }
}
