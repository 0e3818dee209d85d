//! How the command line asks for the evidence of a finding: `dlprof-agg show …`.

use dlprof_core::{Question, TimeLimit, shell_word};

/// The command for a shell that asks a question of a file.
pub(crate) fn command(question: &Question, file: &str) -> String {
    let words = words(question);
    let words = words.iter().map(String::as_str).chain([file]);
    format!("dlprof-agg show {}", words.map(shell_word).collect::<Vec<_>>().join(" "))
}

/// The table and its options.
fn words(question: &Question) -> Vec<String> {
    let mut words = vec![question.table.replace('_', "-")];
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([format!("--{name}"), value]);
        }
    };
    let list = |keys: &[&str]| (!keys.is_empty()).then(|| keys.join(","));
    option("where", question.condition.clone());
    option("columns", list(&question.columns));
    option("sort", list(&question.sort));
    option("top", question.top.map(|rows| rows.to_string()));
    option("iter-start", question.iterations.as_ref().map(|range| range.start().to_string()));
    option("iter-stop", question.iterations.as_ref().map(|range| range.end().to_string()));
    option("key-node", question.key_node.clone());
    option("from", question.cut.from.as_ref().map(TimeLimit::text));
    option("to", question.cut.to.as_ref().map(TimeLimit::text));
    for log in &question.ncu {
        words.extend(["--ncu".to_owned(), log.display().to_string()]);
    }
    if let Some(place) = &question.capture_trace {
        words.extend(["--capture-trace".to_owned(), place.display().to_string()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::command;
    use dlprof_core::{Question, TimeCut};

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let condition = |text: &str| Question { condition: Some(text.into()), ..Question::of("kernels") };
        assert_eq!(
            command(&condition("op_name ~ 'it''s $1'"), "a b.sqlite"),
            r"dlprof-agg show kernels --where 'op_name ~ '\''it'\'''\''s $1'\''' 'a b.sqlite'"
        );
        assert_eq!(
            command(&condition("op_id = 'a b'"), "a.sqlite"),
            r#"dlprof-agg show kernels --where "op_id = 'a b'" a.sqlite"#
        );
    }

    #[test]
    fn a_command_asks_for_all_of_a_question() {
        let plain = Question::of("kernel_names");
        assert_eq!(command(&plain, "a.sqlite"), "dlprof-agg show kernel-names a.sqlite");
        let all = Question {
            condition: Some("calls > 3".into()),
            columns: vec!["calls", "gpu_time_ns"],
            sort: vec!["-calls"],
            top: Some(5),
            iterations: Some(3..=7),
            key_node: Some("/warm up/step".into()),
            cut: TimeCut::parse(Some("1s"), Some("start:eval")).expect("a cut"),
            ncu: vec!["a b.csv".into()],
            capture_trace: Some("captures".into()),
            ..plain
        };
        assert_eq!(
            command(&all, "a.sqlite"),
            "dlprof-agg show kernel-names --where 'calls > 3' --columns calls,gpu_time_ns --sort -calls --top 5 \
             --iter-start 3 --iter-stop 7 --key-node '/warm up/step' --from 1000000000ns --to start:eval --ncu 'a b.csv' \
             --capture-trace captures a.sqlite"
        );
    }
}
