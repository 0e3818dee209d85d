//! The quick reader and the plain one read the same, and what JSON means is what another reader of JSON says.

use super::{CALL, KERNEL, count, op, read, read_by, texts, trace};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::time::Span;
use crate::columns::FactTable;
use crate::read::facts::Facts;
use crate::read::kineto::reading::EventReader;
use arrow_array::ArrayRef;
use proptest::prelude::*;
use serde_json::Value;
use std::path::PathBuf;

/// Everything that facts hold: columns, and the rest as texts.
fn contents(facts: &Facts) -> (Vec<ArrayRef>, Vec<String>) {
    let host = &facts.host;
    let columns = [
        facts.api_calls.to_arrays(),
        facts.syncs.to_arrays(),
        facts.work.to_arrays(),
        facts.kernels.to_arrays(),
        facts.copies.to_arrays(),
        facts.transfers.to_arrays(),
        facts.unsized_transfers.to_arrays(),
        facts.recorded.collectives.to_arrays(),
        facts.allocator.to_arrays(),
        host.overheads.to_arrays(),
        host.python.to_arrays(),
        facts.keys.syncs.to_arrays(),
        vec![facts.keys.api_calls.to_array(), facts.work.correlation.to_array()],
        facts.keys.sequences.iter().map(crate::columns::FactColumn::to_array).collect(),
        facts.ranges.lists().flat_map(FactTable::to_arrays).collect(),
    ];
    let strings =
        (0..facts.strings.len()).map(|at| facts.strings.get(crate::base::ids::StrId::new(at)).to_owned());
    let rest = [
        serde_json::to_string(&facts.recorded.about).expect("JSON"),
        format!("{:?}", facts.ranges.texts),
        format!("{:?}", facts.keys.operators),
    ];
    (columns.concat(), strings.chain(rest).collect())
}

/// Whether the plain reader finds nothing that is not JSON. Then both readers have read the same.
fn both_read_the_same(name: &str, bytes: &[u8]) -> bool {
    let by = |reader| read_by(reader, bytes, bytes.len() as u64);
    let (quick, plain) = (by(EventReader::Quick), by(EventReader::Plain));
    let (quick, plain) = match (quick, plain) {
        (Ok(quick), Ok(plain)) => (quick, plain),
        (quick, plain) => {
            let texts = [quick, plain].map(|facts| facts.map(drop).map_err(|error| error.to_string()));
            assert_eq!(texts[0], texts[1], "{name}");
            return true;
        }
    };
    if count(&plain, DiagnosticCode::UnreadableEvent) > count(&quick, DiagnosticCode::UnreadableEvent) {
        return false;
    }
    let ((quick, quick_texts), (plain, plain_texts)) = (contents(&quick), contents(&plain));
    assert!(quick == plain, "{name}: columns differ");
    assert_eq!(quick_texts, plain_texts, "{name}");
    true
}

/// Files below a folder.
fn files_of(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json" || extension == "gz"));
    files.sort_unstable();
    files
}

#[test]
fn both_readers_read_the_same_of_real_traces() {
    let Some(folder) = dlprof_generate::corpus::folder().map(|folder| folder.join("kineto")) else { return };
    let whole = [files_of(folder.join("nv-v100-dlrm-8rank")), files_of(folder.clone())].concat();
    assert!(whole.len() > 25, "the traces are complete");
    for path in whole {
        let bytes = std::fs::read(&path).expect("a trace");
        assert!(both_read_the_same(&path.display().to_string(), &bytes), "{}: it is JSON", path.display());
    }
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let is_no_json =
        |path: &PathBuf| !both_read_the_same(&name(path), &std::fs::read(path).expect("a trace"));
    let no_json: Vec<String> =
        files_of(folder.join("odd")).iter().filter(|path| is_no_json(path)).map(name).collect();
    assert_eq!(
        no_json,
        ["control-characters.json", "infinity.json", "windows-paths.json"],
        "what the quick reader alone reads"
    );
}

/// The quick reader compares words as they stand in the text, and follows lists to a depth. What goes beyond, the plain one reads.
#[test]
fn what_is_not_certain_is_read_plainly() {
    let add = op("aten::add", ["1", "2"], r#""Input Dims": [[2], []]"#);
    let escaped = [
        add.replace("\"cat\"", r#""c\u0061t""#),
        add.replace("cpu_op", r"cpu\u005fop"),
        add.replace("\"X\"", r#""\u0058""#),
        add.replace("\"Input Dims\"", r#""Input\u0020Dims""#),
        add.replace("\"args\"", r#""\u0061rgs""#),
        add.replace("aten::add", r"aten::\u0061dd").replace("\"name\"", r#""n\u0061me""#),
        add.replace("\"args\": {", &format!("\"args\": {{\"deep\": {}{}, ", "[".repeat(70), "]".repeat(70))),
    ];
    for event in escaped {
        assert!(
            event != add && both_read_the_same(&event, trace(&[&event, CALL, KERNEL]).as_bytes()),
            "{event}"
        );
        let facts = read(&trace(&[&event, CALL, KERNEL]));
        assert_eq!((texts(&facts), facts.kernels.len()), (vec!["aten::add"], 1), "{event}");
        assert_eq!(facts.strings.get(facts.ranges.texts[0].sizes), "[[2], []]", "{event}");
        assert_eq!(count(&facts, DiagnosticCode::UnreadableEvent), 0, "{event}");
    }
    let head = trace(&[&add]).replace("\"schemaVersion\": 1", r#""with\u005fstack": 1, "\u00e9": [[{}]]"#);
    let facts = read(&head.replace("traceEvents", r"trace\u0045vents"));
    assert!(facts.kineto.as_ref().is_some_and(|notes| notes.with_stack) && facts.ranges.len() == 1);
}

/// Any value of JSON, not very deep.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    /// What is JSON means what another reader of JSON says: names with any letters, values of any kind in any place.
    #[test]
    fn json_is_read_as_json(
        names in prop::collection::vec(any::<String>(), 1..5),
        value in json(),
        is_pretty in any::<bool>(),
        start in 0_i64..4_000_000_000_000_000_000,
    ) {
        // Two records that are equal would count once.
        let names: Vec<String> = (0..).zip(names).map(|(at, name): (u32, String)| format!("{name}{at}")).collect();
        let events: Vec<Value> = names
            .iter()
            .map(|name| {
                let time: Value = format!("{}.{:03}", start / 1000, start % 1000).into();
                serde_json::json!({
                    "ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": 8, "ts": time, "dur": 1, "id": value,
                    "args": {"Input Dims": {"of": value}, "unknown": value, "External id": value},
                })
            })
            .collect();
        let whole = serde_json::json!({"another": value, "traceEvents": events, "with_modules": value, "z": value});
        let text = if is_pretty { serde_json::to_string_pretty(&whole) } else { serde_json::to_string(&whole) };
        let text = text.expect("JSON");
        prop_assert!(both_read_the_same(&text, text.as_bytes()));
        let facts = read(&text);
        let list = &facts.ranges.by_thread[0];
        let found = list.text.iter().map(|text| facts.ranges.texts[text.index()]);
        for (says, name) in found.zip(&names) {
            prop_assert_eq!(facts.strings.get(says.text), name);
            let sizes: Value = serde_json::from_str(facts.strings.get(says.sizes)).expect("JSON");
            prop_assert_eq!(&sizes, &serde_json::json!({"of": value}));
        }
        prop_assert!(list.span.iter().all(|span| *span == Span::new(0, 1_000)));
        prop_assert_eq!(facts.diagnostics.counted(DiagnosticCode::UnreadableEvent), 0);
        prop_assert_eq!(list.span.len(), names.len());
    }
}
