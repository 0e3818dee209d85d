//! What is said of inference servers: sentences to read first, and rules of their own.

mod rules;
#[cfg(test)]
mod tests;
mod words;

pub(super) use rules::{RULES, is_not_of_servers};
pub use words::serving_in_words;
pub(super) use words::verdict_of_server;
