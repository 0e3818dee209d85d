//! In which words the commands of the two sides differ.

use crate::base::shell_word::shell_word;
use crate::runs::document::BaselineRun;

/// The words of either side without those that both begin and end with; `None` where the commands are equal, or not known of all
/// runs, or the runs of a side have several.
pub(super) fn commands(base: &[BaselineRun], new: &[BaselineRun]) -> Option<(String, String)> {
    let (base, new) = (command_of(base)?, command_of(new)?);
    let start = equal(base.iter().zip(new));
    let (base, new) = (&base[start..], &new[start..]);
    let end = equal(base.iter().rev().zip(new.iter().rev()));
    let words = |side: &[String]| {
        let own = side[..side.len() - end].iter().map(|word| shell_word(word));
        own.collect::<Vec<_>>().join(" ")
    };
    Some((words(base), words(new))).filter(|(base, new)| base != new)
}

/// How many of the first pairs are equal.
fn equal<'a>(pairs: impl Iterator<Item = (&'a String, &'a String)>) -> usize {
    pairs.take_while(|(base, new)| base == new).count()
}

fn command_of(runs: &[BaselineRun]) -> Option<&[String]> {
    let mut commands = runs.iter().map(|run| run.environment.command.as_slice());
    let first = commands.next().filter(|words| !words.is_empty())?;
    commands.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn run(command: &str) -> BaselineRun {
        let mut run = BaselineRun::of_metrics("", BTreeMap::new());
        run.environment.command = command.split_whitespace().map(str::to_owned).collect();
        run
    }

    #[test]
    fn only_words_that_differ_are_told() {
        let told = |base: &str, new: &str| commands(&[run(base)], &[run(new)]);
        let pair = |base: &str, new: &str| Some((base.to_owned(), new.to_owned()));
        assert_eq!(
            told("python t.py --dtype fp32 -b 8", "python t.py --dtype bf16 -b 8"),
            pair("fp32", "bf16")
        );
        assert_eq!(told("python t.py -b 8", "python t.py --compile -b 8"), pair("", "--compile"));
        assert_eq!(told("python a a", "python a"), pair("a", ""));
        assert_eq!(told("python t.py", "python t.py"), None);
        assert_eq!(told("", "python t.py"), None);
        assert_eq!(commands(&[run("a b"), run("a c")], &[run("a d")]), None);
    }
}
