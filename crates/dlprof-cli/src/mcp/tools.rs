//! The eight tools: what they are called with, and what they do. All of them only read.

use super::Server;
use super::call::Call;
use super::outcome::Outcome;
use crate::answers::ask::TIME_OF_QUERY;
use crate::answers::{self, OpenFile, refused};
use crate::commands::ranks::JobOfCaptures;
use crate::commands::show::{ColumnsAndOrder, find};
use crate::console::said::Said;
use crate::exit::Failure;
use crate::library::Asked;
use crate::nsys;
use dlprof_core::{DefaultRange, Error, Judged, TABLES, job_table, near_names};
use dlprof_export::{AnswerState, Envelope, Part, QueryLimits, StandingQuestion};
use serde_json::{Map, Value as Json, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Names of the tools, in the order of the list.
pub(super) const NAMES: [&str; 8] =
    ["open", "ask", "findings", "table", "query", "compare", "explain", "ranks"];

/// What each is for, and for what not.
const DESCRIPTIONS: [&str; 8] = [
    "Says what captures hold, what limits the program, and what is not known. Call it first; other tools do not need it.",
    "Answers one of ten standing questions about a capture, with figures and the SQL that shows them. For anything else use `query`.",
    "What rules found: problem, advice, expected and greatest saving. Savings do not add up.",
    "Rows of a table; without `table` the list of tables, with `describe` its columns. For sums use `query`.",
    "Answers one SELECT of SQLite over the tables of captures. With several captures each table has a column `profile`.",
    "What changed between two captures: environment first, then kernel time and kernels.",
    "What a column, rule, cause, class or term means. Not for figures of a capture.",
    "Which rank of a distributed job holds it back. Takes a folder or the captures of the ranks.",
];

/// The list of tools.
pub(super) fn list(is_structured: bool) -> Vec<Json> {
    let tool = |(name, description): (&str, &str)| {
        let mut tool = json!({
            "name": name, "description": description, "inputSchema": schema(name),
            "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        });
        if is_structured {
            tool["outputSchema"] = json!({"type": "object", "required": ["v", "tool", "state"]});
        }
        tool
    };
    NAMES.into_iter().zip(DESCRIPTIONS).map(tool).collect()
}

/// What a tool is called with.
fn schema(name: &str) -> Json {
    let text = || json!({"type": "string"});
    let texts =
        |most: u32| json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most});
    let count = |least: u32, most: u32| json!({"type": "integer", "minimum": least, "maximum": most});
    let capture = || json!({"type": "string", "description": "key from `open`, or a path below a root"});
    let questions: Vec<&str> = StandingQuestion::ALL.iter().map(|question| question.words()[0]).collect();
    let (required, mut own) = match name {
        "open" => {
            (vec!["paths"], json!({"paths": texts(64), "key_node": text(), "batch_size": count(1, 1 << 30)}))
        }
        "ask" => (
            vec!["capture", "question"],
            json!({
                "capture": capture(), "question": {"enum": questions},
                "about": {"type": "string", "description": "key or name of a kernel (tensor_cores) or range (steady)"},
                "base": {"type": "string", "description": "for compare: the older capture"}, "cursor": text(),
            }),
        ),
        "findings" => (
            vec!["capture"],
            json!({"capture": capture(), "severity": {"enum": ["note", "warning", "error"]}, "rule": text()}),
        ),
        "table" => (
            vec!["capture"],
            json!({
                "capture": capture(), "table": text(), "columns": texts(64), "where": text(), "sort": texts(8),
                "top": count(1, 2_000), "describe": {"type": "boolean"},
            }),
        ),
        "query" => (
            vec!["captures", "sql"],
            json!({"captures": texts(16), "sql": text(), "time_limit_s": count(1, 60)}),
        ),
        "compare" => (vec!["base", "new"], json!({"base": capture(), "new": capture()})),
        "explain" => (vec!["name"], json!({"name": text()})),
        _ => (vec!["paths"], json!({"paths": texts(64)})),
    };
    if !["explain", "ranks"].contains(&name) {
        own["window"] = json!({"type": "string", "description": "`steady`, `all`, `capture` (all of it), or iterations `5-10`"});
    }
    own["max_tokens"] = count(200, 20_000);
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": own})
}

/// Calls a tool; `None` if there is none of this name.
pub(super) fn call<W: Write + Send>(
    server: &Server<'_, W>,
    name: &str,
    arguments: Map<String, Json>,
    call: &Call,
) -> Option<Outcome> {
    let name = NAMES.into_iter().find(|known| *known == name)?;
    let asked = Arguments { tool: name, values: arguments };
    let envelope = asked.check().and_then(|()| answer(server, &asked, call));
    let envelope = envelope.unwrap_or_else(|failure| refused(name, &failure));
    let envelope = Envelope { tool: name.to_owned(), ..envelope };
    let text = envelope.to_json(asked.count("max_tokens").unwrap_or(server.settings.most_tokens as usize));
    let mut result = json!({"isError": envelope.state == AnswerState::Error});
    if server.settings.is_structured {
        result["structuredContent"] = serde_json::from_str(&text).unwrap_or_default();
    }
    result["content"] = json!([{"type": "text", "text": text}]);
    Some(Outcome::Result(result))
}

fn answer<W: Write + Send>(
    server: &Server<'_, W>,
    asked: &Arguments,
    call: &Call,
) -> Result<Envelope, Failure> {
    let limits = QueryLimits {
        time: Duration::from_secs(asked.count("time_limit_s").unwrap_or(10) as u64),
        memory_bytes: server.settings.asked.memory_bytes.unwrap_or(1 << 30),
    };
    let open = |named: &str| server.open(named, asked, call);
    match asked.tool {
        "open" => open_all(server, asked, call),
        "ask" => {
            let question = StandingQuestion::named(&asked.text("question"))
                .ok_or_else(|| wrong("there is no such question"))?;
            let named = [
                asked.given("base").filter(|_| question == StandingQuestion::Compare),
                Some(asked.text("capture")),
            ];
            asking(
                question,
                asked,
                &named.into_iter().flatten().map(|one| open(&one)).collect::<Result<Vec<_>, _>>()?,
                limits,
            )
        }
        "compare" => {
            let named = ["base", "new"].map(|side| asked.text(side));
            let open = named.iter().map(|one| open(one)).collect::<Result<Vec<_>, _>>()?;
            asking(StandingQuestion::Compare, asked, &open, limits)
        }
        "findings" => findings(asked, &open(&asked.text("capture"))?),
        "table" => table(asked, &open),
        "query" => {
            let open = asked.texts("captures").iter().map(|one| open(one)).collect::<Result<Vec<_>, _>>()?;
            answers::queried(&asked.text("sql"), &files(&open), limits)
        }
        "explain" => answers::explained(&[asked.text("name")]),
        _ => ranks(server, asked, call),
    }
}

type Open = (PathBuf, Judged);

fn files(open: &[Open]) -> Vec<OpenFile<'_>> {
    open.iter().map(|(path, judged)| OpenFile { path, judged }).collect()
}

fn asking(
    question: StandingQuestion,
    asked: &Arguments,
    open: &[Open],
    limits: QueryLimits,
) -> Result<Envelope, Failure> {
    let (about, cursor) = (asked.given("about"), asked.given("cursor"));
    let (about, cursor) = (about.as_deref(), cursor.as_deref());
    answers::answer(&answers::Asked { question, about, cursor, limits }, &files(open))
}

/// What captures hold: of one all that is not known, of several a row each.
fn open_all<W: Write + Send>(
    server: &Server<'_, W>,
    asked: &Arguments,
    call: &Call,
) -> Result<Envelope, Failure> {
    let limits = QueryLimits { time: TIME_OF_QUERY, memory_bytes: 1 << 30 };
    let of = |named: &String| {
        let open = [server.open(named, asked, call)?];
        asking(StandingQuestion::Suffices, asked, &open, limits).map(|envelope| (envelope, open))
    };
    let paths = asked.texts("paths");
    if let [one] = &paths[..] {
        let (mut envelope, [(_, judged)]) = of(one)?;
        envelope.say = dlprof_core::verdict(&judged).sentence.to_string();
        return Ok(envelope);
    }
    let mut rows = Vec::new();
    for named in &paths {
        rows.push(match of(named) {
            Ok((envelope, [(_, judged)])) => {
                let (id, name) = envelope.capture.map(|capture| (capture.id, capture.name)).unzip();
                json!([
                    id,
                    name,
                    envelope.class,
                    envelope.cause,
                    brief(&dlprof_core::verdict(&judged).sentence.to_string())
                ])
            }
            Err(failure) => json!([null, named, null, null, brief(&Said::from(&failure).message)]),
        });
    }
    let rows = rows.into_iter().filter_map(|row| row.as_array().cloned()).collect();
    let part = Part::of_rows("captures", &["key", "name", "class", "cause", "say"], rows);
    Ok(Envelope { parts: vec![part], ..Envelope::new("open", AnswerState::Answer) })
}

fn brief(text: &str) -> String {
    text.chars().take(300).collect()
}

fn findings(asked: &Arguments, (path, judged): &Open) -> Result<Envelope, Failure> {
    let condition = |column: &str, key: &str| {
        asked.given(key).map(|value| format!("{column} = '{}'", value.replace('\'', "''")))
    };
    let rule = asked
        .given("rule")
        .map(|rule| rule.trim_start_matches("rule:").trim_start_matches("finding:").to_owned());
    let rule = rule.map(|rule| format!("finding_id = '{}'", rule.replace('\'', "''")));
    let conditions: Vec<String> = condition("severity", "severity").into_iter().chain(rule).collect();
    let columns = [
        "finding_id",
        "severity",
        "confidence",
        "problem",
        "recommendation",
        "saving_per_iteration_ns",
        "saving_kind",
        "saving_basis",
    ];
    let order =
        ColumnsAndOrder { columns: columns.map(str::to_owned).to_vec(), ..ColumnsAndOrder::default() };
    let table = (find("findings")?.build)(judged).into();
    answers::shown(table, &order, &conditions, OpenFile { path, judged })
}

fn table(asked: &Arguments, open: &dyn Fn(&str) -> Result<Open, Failure>) -> Result<Envelope, Failure> {
    let rows = |rows: Vec<Json>| rows.into_iter().filter_map(|row| row.as_array().cloned()).collect();
    let Some(name) = asked.given("table") else {
        let tables = TABLES.iter().map(|table| json!([table.key, table.title])).collect();
        let part = Part::of_rows("tables", &["key", "title"], rows(tables));
        return Ok(Envelope { parts: vec![part], ..Envelope::new("table", AnswerState::Answer) });
    };
    let definition = find(name.trim_start_matches("table:"))?;
    if asked.values.get("describe").and_then(Json::as_bool) == Some(true) {
        let columns = definition.headers().into_iter();
        let columns = columns.map(|header| json!([header.key, header.unit.symbol(), header.doc])).collect();
        let part = Part::of_rows("columns", &["key", "unit_of_it", "meaning"], rows(columns));
        return Ok(Envelope {
            parts: vec![part],
            say: definition.doc.to_owned(),
            ..Envelope::new("table", AnswerState::Answer)
        });
    }
    let (path, judged) = open(&asked.text("capture"))?;
    let order = ColumnsAndOrder {
        columns: asked.texts("columns"),
        sort: asked.texts("sort"),
        top: Some(asked.count("top").unwrap_or(20)),
    };
    let conditions: Vec<String> = asked.given("where").into_iter().collect();
    let table = (definition.build)(&judged).into();
    answers::shown(table, &order, &conditions, OpenFile { path: &path, judged: &judged })
}

/// What a job says, limited to the ranks that are given.
fn ranks<W: Write + Send>(
    server: &Server<'_, W>,
    asked: &Arguments,
    call: &Call,
) -> Result<Envelope, Failure> {
    let paths =
        asked.texts("paths").iter().map(|named| server.roots.find(named)).collect::<Result<Vec<_>, _>>()?;
    let paths: Vec<&PathBuf> = paths.iter().collect();
    let captures = JobOfCaptures::of_paths(&paths, server.settings.asked.checked(DefaultRange::Auto)?)?;
    for file in &captures.files {
        server.roots.find(&file.display().to_string())?;
    }
    let job = captures.open_watched(&|_, _| call.goes_on())?;
    let part = |name: &'static str, most: usize| {
        job_table(name).map(|table| Part::of(name, (table.build)(&job).as_ref(), 0, most, None))
    };
    let say = job.verdict(|ns| format!("{:.3} ms", ns / 1e6));
    let parts = [part("job_findings", 3), part("ranks", 16)].into_iter().flatten().collect();
    Ok(Envelope { say, parts, ..Envelope::new("ranks", AnswerState::Answer) })
}

impl<W: Write + Send> Server<'_, W> {
    /// Opens a capture by its key or its path, and tells how far it is.
    fn open(&self, named: &str, asked: &Arguments, call: &Call) -> Result<Open, Failure> {
        let path = match self.held.path_of(named) {
            Some(path) => path,
            None if named.starts_with("c-") && !named.contains('.') => {
                return Err(Failure::Analysis(Error::NotFound { path: named.into() }));
            }
            None => self.roots.find(named)?,
        };
        if nsys::is_report(&path) && !self.settings.may_export {
            return Err(Failure::Usage {
                message: format!("`{named}` is a report that must be exported first"),
                hint: Some(format!("nsys export --type sqlite {named}")),
            });
        }
        let on_rows = |done, total| call.progress(done, total).iter().for_each(|told| self.send(told));
        let judged = self.held.open(&path, &asked.window(&self.settings.asked)?, call, &on_rows)?;
        Ok((path, judged))
    }
}

/// The arguments of a call.
struct Arguments {
    tool: &'static str,
    values: Map<String, Json>,
}

impl Arguments {
    /// That there are no unknown ones, none is missing, and each is of its type.
    fn check(&self) -> Result<(), Failure> {
        let schema = schema(self.tool);
        for (name, value) in &self.values {
            let Some(wanted) = schema["properties"].get(name) else {
                let keys =
                    schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
                return Err(wrong(&format!(
                    "there is no argument `{}`; near: {}",
                    brief(name),
                    near_names(name, keys).join(", ")
                )));
            };
            let is_right = match wanted.get("type").and_then(Json::as_str) {
                Some("integer") => value.as_u64().is_some_and(|number| {
                    let bound = |key: &str, or: u64| wanted[key].as_u64().unwrap_or(or);
                    (bound("minimum", 0)..=bound("maximum", u64::MAX)).contains(&number)
                }),
                Some("boolean") => value.is_boolean(),
                Some("array") => value.as_array().is_some_and(|list| {
                    list.iter().all(Json::is_string)
                        && (1..=wanted["maxItems"].as_u64().unwrap_or(64)).contains(&(list.len() as u64))
                }),
                _ => {
                    value.is_string()
                        && wanted.get("enum").and_then(Json::as_array).is_none_or(|all| all.contains(value))
                }
            };
            if !is_right {
                return Err(wrong(&format!("`{name}` does not fit its schema: {wanted}")));
            }
        }
        let missing = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|key| !self.values.contains_key(key.as_str().unwrap_or_default()));
        missing.map_or(Ok(()), |key| Err(wrong(&format!("the argument {key} is missing"))))
    }

    fn given(&self, name: &str) -> Option<String> {
        self.values.get(name).and_then(Json::as_str).map(str::to_owned)
    }

    fn text(&self, name: &str) -> String {
        self.given(name).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let list = self.values.get(name).and_then(Json::as_array);
        list.into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    }

    fn count(&self, name: &str) -> Option<usize> {
        self.values.get(name).and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok())
    }

    /// What is asked of a capture: as of all captures, over the window of this call.
    fn window(&self, usual: &Asked) -> Result<Asked, Failure> {
        let batch_size = self.count("batch_size").and_then(|size| u32::try_from(size).ok());
        let key_node = self.given("key_node").or(usual.key_node.clone());
        let asked = Asked { batch_size: batch_size.or(usual.batch_size), key_node, ..usual.clone() };
        let Some(window) = self.given("window") else { return Ok(asked) };
        let numbers = window.split_once('-').unwrap_or((&window, &window));
        let numbers = numbers.0.parse().ok().zip(numbers.1.parse().ok());
        match (window.as_str(), numbers) {
            ("steady" | "all", _) => Ok(Asked { iter_range: Some(window), ..asked }),
            ("capture", _) => Ok(Asked { key_node: Some(String::new()), ..asked }),
            (_, Some((first, last))) => Ok(Asked { iter_start: Some(first), iter_stop: Some(last), ..asked }),
            _ => Err(wrong("`window` is `steady`, `all`, `capture`, or iterations such as `5-10`")),
        }
    }
}

fn wrong(message: &str) -> Failure {
    Failure::Usage { message: message.to_owned(), hint: None }
}
