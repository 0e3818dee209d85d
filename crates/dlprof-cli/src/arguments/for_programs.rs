//! Failures for programs: where a command line asks for JSON, its failure is JSON as well, whatever is wrong with the words.

use super::Cli;
use crate::answers::USUAL_TOKENS;
use crate::answers::brief::print_refused;
use crate::console;
use crate::exit::Failure;
use clap::CommandFactory;
use std::borrow::Cow;
use std::ffi::OsString;

/// Prints a failure: to standard error for people, unless a brief answer is asked for; to standard output for programs, if the
/// command line asks for JSON. Returns its exit code.
pub(crate) fn failed(failure: &Failure, words: &[OsString], brief: Option<usize>) -> u8 {
    if brief.is_none() {
        console::print_failure(failure);
    }
    also_for_programs(failure, words, brief);
    failure.code()
}

/// Prints a failure to standard output, if the command line asks for JSON.
pub(super) fn also_for_programs(failure: &Failure, words: &[OsString], brief: Option<usize>) {
    let words = own(words);
    if brief.is_some() || asks_for_json(&words) {
        print_refused(&command(&words), failure, brief.unwrap_or(USUAL_TOKENS as usize));
    }
}

/// The words of this program; those of a program that is profiled follow `--`.
fn own(words: &[OsString]) -> Vec<Cow<'_, str>> {
    words.iter().skip(1).take_while(|word| *word != "--").map(|word| word.to_string_lossy()).collect()
}

fn asks_for_json(words: &[Cow<'_, str>]) -> bool {
    let is_joined = |word: &Cow<'_, str>| ["--brief", "--format=json", "-fjson"].contains(&word.as_ref());
    let is_pair = |pair: &[Cow<'_, str>]| ["--format", "-f"].contains(&pair[0].as_ref()) && pair[1] == "json";
    words.iter().any(is_joined) || words.windows(2).any(is_pair)
}

/// The command that was meant; the program where there is none.
fn command(words: &[Cow<'_, str>]) -> String {
    let program = Cli::command();
    let named = words.iter().find(|word| program.find_subcommand(word.as_ref()).is_some());
    named.map_or_else(|| "dlprof-agg".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::{asks_for_json, command, own};
    use std::ffi::OsString;

    #[test]
    fn json_is_asked_for_before_the_words_of_a_profiled_program() {
        for (words, is_asked, name) in [
            ("dlprof-agg show ops a.sqlite --format json", true, "show"),
            ("dlprof-agg --format=json a.sqlite", true, "dlprof-agg"),
            ("dlprof-agg stats -f json a.sqlite", true, "stats"),
            ("dlprof-agg ask why_slow a.sqlite --brief --no-such-option", true, "ask"),
            ("dlprof-agg show ops a.sqlite --format csv", false, "show"),
            ("dlprof-agg profile -- train --format json", false, "profile"),
        ] {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let own = own(&words);
            assert_eq!((asks_for_json(&own), command(&own).as_str()), (is_asked, name), "{words:?}");
        }
    }
}
