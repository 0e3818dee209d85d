//! The command line as clap knows it: the types of this room, with examples, and with errors in plain words.

use super::general::Color;
use super::{Cli, examples, for_programs};
use crate::exit::{self, Failure};
use crate::process::programs;
use crate::{console, nsys};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, ValueEnum};
use dlprof_core::{definition, job_table, shell_word};
use dlprof_export::{brief, plain_lines, wrap};
use std::ffi::OsString;
use std::path::Path;

/// Reads the command line. Help, the version and mistakes are printed here; then the exit code is returned.
pub(crate) fn read(words: &[OsString]) -> Result<Cli, u8> {
    console::set_color(color(words).into());
    let matches = by_task(command()).try_get_matches_from(words).map_err(|error| answer(error, words))?;
    let cli = misplaced(&matches).map_or_else(|| Ok(Cli::from_arg_matches(&matches)), Err);
    let failed = |failure: Failure| for_programs::failed(&failure, words, None);
    let cli = cli.map_err(failed)?.map_err(|error| answer(error, words))?;
    let general = &cli.analysis.options.general;
    if general.quiet && general.verbose > 0 {
        return Err(failed(Failure::Usage {
            message: "`--quiet` and `--verbose` contradict each other".into(),
            hint: Some("leave one of them out".into()),
        }));
    }
    console::set_color(general.color.into());
    Ok(cli)
}

/// The definition of the command line, for parsing, completions and the manual page.
pub(crate) fn command() -> Command {
    let mut command = Cli::command();
    if cfg!(not(feature = "view")) {
        command = command.mut_subcommand("view", |one| {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            one.about(format!("{about} (not in this build)"))
        });
    }
    // From here on, every command has the options that may come before or after it.
    command.build();
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names {
        let place = examples::place(&name);
        command = command
            .mut_subcommand(&name, |one| with_examples(without_unused(one), &name).display_order(place));
    }
    // Old command lines of DLProf keep their options; `reports` describes them.
    let hides_old = |argument: clap::Arg| {
        let is_old = argument.get_help_heading() == Some("Reports");
        if is_old { argument.hide(true) } else { argument }
    };
    with_examples(command.mut_args(hides_old), "")
}

/// Commands by task in the help of the program, and commands without the options of all commands in their long help.
fn by_task(mut command: Command) -> Command {
    let line = |one: &Command| {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {:12}{}", one.get_name(), wrap(&about, 86).join(&format!("\n{:14}", "")))
    };
    let tasks = examples::BY_TASK.iter().map(|(task, names)| {
        let lines: Vec<String> =
            names.iter().filter_map(|name| command.find_subcommand(name)).map(line).collect();
        format!("{task}:\n{}", lines.join("\n"))
    });
    let others = command.get_subcommands().filter(|one| !is_of_task(one.get_name())).map(line);
    let others: Vec<String> = others.collect();
    let rest = (!others.is_empty()).then(|| format!("More:\n{}", others.join("\n")));
    let tasks: Vec<String> = tasks.chain(rest).collect();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n       dlprof-agg [OPTIONS] COMMAND …\n\n{}\n\n{{all-args}}{{after-help}}",
        tasks.join("\n\n")
    );
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(&name, |one| without_common(one).hide(true));
    }
    command.help_template(template)
}

/// Whether a command is listed under a task.
fn is_of_task(name: &str) -> bool {
    name == "help" || examples::BY_TASK.iter().any(|(_, names)| names.contains(&name))
}

/// Without the options of all commands in the long help of one, which says where they are.
fn without_common(command: Command) -> Command {
    let is_common =
        |argument: &clap::Arg| matches!(argument.get_help_heading(), Some("Analysis" | "General"));
    if !command.get_arguments().any(is_common) {
        return command;
    }
    let below = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let below = format!(
        "Iterations, key node, units, settings and the like are options of every command that reads captures:\n`dlprof-agg {} -h` lists \
         them, and `dlprof-agg --help` describes them.\n\n{below}",
        command.get_name()
    );
    let hidden = |argument: clap::Arg| {
        let hides = is_common(&argument);
        if hides { argument.hide_long_help(true) } else { argument }
    };
    command.mut_args(hidden).after_long_help(below)
}

/// Without options in the help text of a command that has no use for them.
fn without_unused(command: Command) -> Command {
    let names_captures = |id: &str| ["file", "files", "logs"].contains(&id);
    let reads_captures = command.get_arguments().any(|argument| names_captures(argument.get_id().as_str()));
    if reads_captures {
        return command;
    }
    let measures = command.get_name() == "profile";
    let is_used = |id: &str| ["color", "quiet", "verbose"].contains(&id) || (measures && id == "ncu");
    command.mut_args(|argument| {
        let hides = argument.is_global_set() && !is_used(argument.get_id().as_str());
        if hides { argument.hide(true) } else { argument }
    })
}

fn with_examples(command: Command, name: &str) -> Command {
    let examples = examples::of(name);
    let heading = if examples.is_empty() { String::new() } else { format!("Examples:\n{examples}\n\n") };
    let short =
        if name.is_empty() { "`dlprof-agg COMMAND --help` has more options, and examples." } else { "" };
    command.after_help(short.to_owned()).after_long_help(format!("{heading}{}", exit::HELP))
}

/// What `--color` says, whatever else is wrong with the command line: help and errors have colours too.
fn color(words: &[OsString]) -> Color {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let next = |at: usize| words.get(at + 1).map(AsRef::as_ref);
    let values = words.iter().enumerate().filter_map(|(at, word)| match word.strip_prefix("--color") {
        Some("") => next(at),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    values.filter_map(|value| Color::from_str(value, true).ok()).next_back().unwrap_or_default()
}

/// Prints what clap has to say and returns the exit code. A closed pipe is not a failure.
fn answer(error: clap::Error, words: &[OsString]) -> u8 {
    if matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand)
        && let Some(failure) = command_left_out(words)
    {
        return for_programs::failed(&failure, words, None);
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(failure) = several_captures(words).or_else(|| details_of_command(words))
    {
        return for_programs::failed(&failure, words, None);
    }
    let error = match nearest_first_word(words) {
        Some(name) if error.kind() == ErrorKind::UnknownArgument => return mistyped(&name, words),
        None if error.kind() == ErrorKind::UnknownArgument => match program_to_profile(words) {
            Some(place) => return unprofiled(words, place),
            None => error,
        },
        _ => error,
    };
    if !error.use_stderr() {
        return match console::ended(error.print()) {
            Ok(()) => exit::DONE,
            Err(failure) => {
                console::print_failure(&failure);
                failure.code()
            }
        };
    }
    let said = error.render().to_string();
    for_programs::also_for_programs(&of_words(&said), words, None);
    if said == plain_lines(&brief(&said)) {
        // If standard error is closed, nothing can be printed about it either.
        drop(error.print());
    } else {
        console::print_wrong_words(&said);
    }
    exit::USAGE
}

/// What clap says, as a failure: the first line is what was found, and the rest what to do.
fn of_words(said: &str) -> Failure {
    let (message, rest) = said.split_once('\n').unwrap_or((said, ""));
    let lines: Vec<&str> = rest.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let hint = (!lines.is_empty()).then(|| lines.join("; "));
    Failure::Usage { message: message.trim_start_matches("error: ").to_owned(), hint }
}

/// Several files without a command.
fn several_captures(words: &[OsString]) -> Option<Failure> {
    let plain = words.iter().skip(1).map(|word| word.to_string_lossy());
    let plain: Vec<_> = plain.filter(|word| !word.starts_with('-')).collect();
    let [first, second, ..] = plain.as_slice() else { return None };
    plain.iter().all(|word| Path::new(&**word).exists()).then(|| Failure::Usage {
        message: format!("the dashboard shows one capture, and {} were named", plain.len()),
        hint: Some(format!(
            "to compare two: `dlprof-agg compare {0} {1}`; for ranks of one job: `dlprof-agg ranks {0} {1}`; to explore them: \
             `dlprof-agg view {0} {1}`",
            shell_word(first),
            shell_word(second)
        )),
    })
}

/// A table or SQL without its command, before or after the file, as in `dlprof-agg ops run.sqlite`.
fn command_left_out(words: &[OsString]) -> Option<Failure> {
    let plain = words.iter().skip(1).map(|word| word.to_string_lossy());
    let plain: Vec<_> = plain.filter(|word| !word.starts_with('-')).collect();
    let is_table = |word: &str| definition(word).is_some() || job_table(word).is_some();
    let is_command = |word: &str| Cli::command().get_subcommands().any(|one| one.get_name() == word);
    let is_meant = |word: &str| (is_table(word) && !is_command(word)) || is_sql(word);
    let at = plain.iter().take(2).position(|word| is_meant(word) && !Path::new(&**word).exists())?;
    let (word, file) = (&*plain[at], plain.get(1 - at));
    let file = file.map_or_else(|| "FILE".to_owned(), |file| shell_word(file).into_owned());
    Some(match is_sql(word) {
        true => Failure::Usage {
            message: "SQL needs the command `query`".into(),
            hint: Some(format!("`dlprof-agg query {file} {}`", shell_word(word))),
        },
        false => Failure::Usage {
            message: format!("`{word}` is a table, not a command"),
            hint: Some(format!("`dlprof-agg show {word} {file}`")),
        },
    })
}

/// Whether a word of a command line is a query.
fn is_sql(word: &str) -> bool {
    let first = word.split_whitespace().next().unwrap_or_default();
    word.trim().contains(' ') && ["select", "with"].iter().any(|begin| first.eq_ignore_ascii_case(begin))
}

/// `--details`, which the dashboard alone has, after a command.
fn details_of_command(words: &[OsString]) -> Option<Failure> {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let is_command = |word: &str| Cli::command().get_subcommands().any(|one| one.get_name() == word);
    let command = words.iter().find(|word| is_command(word))?;
    let file = words.iter().find(|word| Path::new(&***word).is_file());
    let file = file.map_or_else(|| "FILE".to_owned(), |file| shell_word(file).into_owned());
    words.iter().any(|word| word == "--details").then(|| Failure::Usage {
        message: format!("`--details` is an option of the dashboard, not of `{command}`"),
        hint: Some(match &**command {
            "show" => format!("leave it out: `--wide` shows all columns; or `dlprof-agg {file} --details`"),
            _ => format!("leave it out, or `dlprof-agg {file} --details`"),
        }),
    })
}

/// Where the first word is that is neither a command nor an option, but a program, as in `dlprof python train.py`.
fn program_to_profile(words: &[OsString]) -> Option<usize> {
    let commands = Cli::command();
    let is_command = |word: &str| commands.get_subcommands().any(|one| one.get_name() == word);
    let mut plain = (1..words.len()).filter(|&at| !words[at].to_string_lossy().starts_with('-'));
    if plain.clone().any(|at| is_command(&words[at].to_string_lossy())) {
        return None;
    }
    plain.find(|&at| programs::find(&words[at]).is_some())
}

fn unprofiled(words: &[OsString], place: usize) -> u8 {
    let typed = |words: &[OsString]| nsys::typed(words.iter().map(AsRef::as_ref));
    let (options, program) = words.split_at(place);
    let command = ["dlprof-agg profile".to_owned(), typed(&options[1..]), "--".to_owned(), typed(program)];
    let command: Vec<String> = command.into_iter().filter(|part| !part.is_empty()).collect();
    let failure = Failure::Usage {
        message: format!("`{}` is a program, not a capture", program[0].to_string_lossy()),
        hint: Some(format!("to profile it: `{}`", command.join(" "))),
    };
    for_programs::failed(&failure, words, None)
}

fn mistyped(name: &str, words: &[OsString]) -> u8 {
    let failure = no_command(&first_word(words).unwrap_or_default(), name);
    for_programs::failed(&failure, words, None)
}

/// The failure about a word that is neither a command nor a file.
fn no_command(word: &str, nearest: &str) -> Failure {
    Failure::Usage {
        message: format!("there is neither a command nor a file `{word}`"),
        hint: Some(format!("did you mean `dlprof-agg {nearest}`?")),
    }
}

/// A file that does not exist and looks like a command.
pub(crate) fn misspelt(failure: Failure) -> Failure {
    let Failure::Analysis(dlprof_core::Error::NotFound { path }) = &failure else { return failure };
    let word = path.to_string_lossy();
    if let Some(left_out) = command_left_out(&["".into(), path.into()]) {
        return left_out;
    }
    match nearest_command(&word) {
        Some(name) => no_command(&word, &name),
        None => failure,
    }
}

/// The first word that is neither an option nor a file.
fn first_word(words: &[OsString]) -> Option<String> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    words.find(|word| !word.starts_with('-') && !Path::new(word).exists())
}

/// The command that the first word looks like, if it is none.
fn nearest_first_word(words: &[OsString]) -> Option<String> {
    let word = first_word(words)?;
    nearest_command(&word).filter(|name| *name != word)
}

/// The command whose name is most similar to a word.
fn nearest_command(word: &str) -> Option<String> {
    let likeness = |name: &str| strsim::jaro_winkler(name, word);
    let commands = Cli::command();
    let names = commands.get_subcommands().map(Command::get_name);
    let nearest = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(nearest) > 0.8).then(|| nearest.to_owned())
}

/// What comes before a command although only options of all commands may.
fn misplaced(matches: &ArgMatches) -> Option<Failure> {
    let (name, _) = matches.subcommand()?;
    let command = Cli::command();
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut own = command.get_arguments().filter(|argument| !argument.is_global_set());
    let first = own.find(|argument| is_given(argument.get_id().as_str()))?;
    let (what, rest) = match first.get_long() {
        Some(long) => (
            format!("`--{long}` is before the command `{name}`, but it is not an option of all commands"),
            format!(" --{long}"),
        ),
        None => {
            let file = matches.get_raw(first.get_id().as_str()).and_then(|mut values| values.next());
            let file = file.map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            (format!("`{file}` is before the command `{name}`"), format!(" … {file}"))
        }
    };
    Some(Failure::Usage {
        message: what,
        hint: Some(format!("put it after the command: `dlprof-agg {name}{rest}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::{
        Color, color, command, command_left_out, details_of_command, misplaced, misspelt, nearest_first_word,
        no_command, program_to_profile, several_captures,
    };
    use crate::exit::Failure;
    use std::ffi::OsString;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn tables_and_sql_without_a_command_are_understood() {
        let hint = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            match command_left_out(&words) {
                Some(Failure::Usage { hint, .. }) => hint.unwrap_or_default(),
                _ => String::new(),
            }
        };
        assert_eq!(hint(&["x", "ops", "Cargo.toml"]), "`dlprof-agg show ops Cargo.toml`");
        assert_eq!(hint(&["x", "Cargo.toml", "ops"]), "`dlprof-agg show ops Cargo.toml`");
        assert_eq!(hint(&["x", "ops"]), "`dlprof-agg show ops FILE`");
        let query = hint(&["x", "select 1 from ops", "Cargo.toml"]);
        assert_eq!(query, "`dlprof-agg query Cargo.toml 'select 1 from ops'`");
        assert_eq!(
            hint(&["x", "Cargo.toml", "WITH a as (select 1) select * from a"]).matches("query").count(),
            1
        );
        assert_eq!(hint(&["x", "Cargo.toml", "selected"]), "");
        assert_eq!(hint(&["x", "ranks", "Cargo.toml"]), "", "a command as well as a table of jobs");
    }

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_last_color_counts_whatever_else_is_wrong() {
        for (line, expected) in [
            ("x --no-such-option", Color::Auto),
            ("x --color never --color=always --odd", Color::Always),
            ("x --color", Color::Auto),
            ("x --color=odd", Color::Auto),
        ] {
            assert_eq!(color(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn words_that_look_like_a_command_are_no_file() {
        assert_eq!(nearest_first_word(&words("x shwo ops")).as_deref(), Some("show"));
        assert_eq!(nearest_first_word(&words("x show ops")), None);
        assert_eq!(nearest_first_word(&words("x quite-different")), None);
        let missing = |path: &str| Failure::Analysis(dlprof_core::Error::NotFound { path: path.into() });
        let Failure::Usage { message, .. } = misspelt(missing("exprot")) else {
            panic!("a command is meant")
        };
        assert_eq!(message, "there is neither a command nor a file `exprot`");
        assert!(matches!(misspelt(missing("run.sqlite")), Failure::Analysis(_)));
        let Failure::Usage { hint, .. } = no_command("shwo", "show") else { panic!("a mistake in use") };
        assert_eq!(hint.as_deref(), Some("did you mean `dlprof-agg show`?"));
    }

    #[test]
    fn several_captures_and_details_of_commands_have_hints() {
        let hint = |failure: Option<Failure>| match failure {
            Some(Failure::Usage { hint, .. }) => hint.unwrap_or_default(),
            _ => String::new(),
        };
        assert!(hint(several_captures(&words("x Cargo.toml src"))).contains("compare Cargo.toml src"));
        assert_eq!(hint(several_captures(&words("x show ops Cargo.toml --no-such-option"))), "");
        assert!(hint(details_of_command(&words("x show findings --details Cargo.toml"))).contains("--wide"));
        assert!(
            hint(details_of_command(&words("x check --details"))).contains("`dlprof-agg FILE --details`")
        );
        assert_eq!(hint(details_of_command(&words("x --details Cargo.toml"))), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_in_place_of_a_capture_is_to_be_profiled() {
        assert_eq!(program_to_profile(&words("x --no-such-option sh train.sh")), Some(2));
        assert_eq!(program_to_profile(&words("x show sh")), None, "a command has words of its own");
        assert_eq!(program_to_profile(&words("x --no-such-option run.sqlite")), None);
    }

    #[test]
    fn options_of_one_command_come_behind_it() {
        let message = |line: &str| {
            let matches = command().try_get_matches_from(words(line)).expect("words");
            misplaced(&matches).map(|failure| match failure {
                Failure::Usage { message, .. } => message,
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(
            message("x --details show ops a").as_deref(),
            Some("`--details` is before the command `show`, but it is not an option of all commands")
        );
        assert_eq!(message("x --iter-start 3 show ops a"), None);
    }
}
