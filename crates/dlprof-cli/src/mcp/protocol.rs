//! Methods of the protocol, in three revisions: two that begin with `initialize`, and one in which every request says its revision.

use super::call::Call;
use super::outcome::Outcome;
use super::{Server, tools, words};
use serde_json::{Map, Value as Json, json};
use std::io::Write;

/// The revision without `initialize`.
const STATELESS: &str = "2026-07-28";
/// Revisions that begin with `initialize`, the newest first.
const WITH_HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

const NO_SUCH_METHOD: i64 = -32601;
const WRONG_PARAMETERS: i64 = -32602;
const UNSUPPORTED_REVISION: i64 = -32022;

/// Answers a request.
pub(super) fn answer<W: Write + Send>(server: &Server<'_, W>, message: &Json, call: &Call) -> Outcome {
    let method = message.get("method").and_then(Json::as_str).unwrap_or_default();
    let empty = json!({});
    let params = message.get("params").unwrap_or(&empty);
    let revision = params.pointer("/_meta/io.modelcontextprotocol~1protocolVersion").and_then(Json::as_str);
    if let Some(other) =
        revision.filter(|revision| *revision != STATELESS && !WITH_HANDSHAKE.contains(revision))
    {
        let supported: Vec<&str> = std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect();
        let data = json!({"supported": supported, "requested": other});
        return error(UNSUPPORTED_REVISION, "unsupported protocol version", data);
    }
    match of_method(server, method, params, call) {
        Outcome::Result(Json::Object(result))
            if revision == Some(STATELESS) || method == "server/discover" =>
        {
            Outcome::Result(stateless(result, method))
        }
        outcome => outcome,
    }
}

fn of_method<W: Write + Send>(server: &Server<'_, W>, method: &str, params: &Json, call: &Call) -> Outcome {
    let text = |key: &str| params.get(key).and_then(Json::as_str).unwrap_or_default();
    match method {
        "initialize" => Outcome::Result(initialized(text("protocolVersion"))),
        "server/discover" => Outcome::Result(json!({
            "supportedVersions": std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect::<Vec<_>>(),
            "capabilities": capabilities(), "instructions": words::INSTRUCTIONS,
        })),
        "ping" => Outcome::Result(json!({})),
        "tools/list" => Outcome::Result(json!({"tools": tools::list(server.settings.is_structured)})),
        "tools/call" => {
            let arguments = params.get("arguments").and_then(Json::as_object).cloned().unwrap_or_default();
            tools::call(server, text("name"), arguments, call).unwrap_or_else(|| {
                error(WRONG_PARAMETERS, "there is no such tool", json!({"name": text("name")}))
            })
        }
        "prompts/list" => Outcome::Result(json!({"prompts": words::prompts()})),
        "prompts/get" => found(words::prompt(text("name"), params.get("arguments")), "prompt"),
        "resources/list" => Outcome::Result(json!({"resources": words::resources()})),
        "resources/templates/list" => Outcome::Result(json!({"resourceTemplates": words::templates()})),
        "resources/read" => found(words::resource(text("uri")), "resource"),
        _ => error(NO_SUCH_METHOD, "there is no such method", Json::Null),
    }
}

fn found(result: Option<Json>, what: &str) -> Outcome {
    let missing = || error(WRONG_PARAMETERS, &format!("there is no such {what}"), Json::Null);
    result.map_or_else(missing, Outcome::Result)
}

fn error(code: i64, message: &str, data: Json) -> Outcome {
    Outcome::Error { code, message: message.to_owned(), data }
}

fn initialized(wanted: &str) -> Json {
    let revision = WITH_HANDSHAKE.into_iter().find(|known| *known == wanted).unwrap_or(WITH_HANDSHAKE[0]);
    json!({
        "protocolVersion": revision, "capabilities": capabilities(), "serverInfo": server_info(),
        "instructions": words::INSTRUCTIONS,
    })
}

fn capabilities() -> Json {
    json!({"tools": {}, "prompts": {}, "resources": {}})
}

fn server_info() -> Json {
    json!({"name": "dlprof-agg", "version": env!("CARGO_PKG_VERSION")})
}

/// A result as the stateless revision wants it. Lists never change while the program runs.
fn stateless(mut result: Map<String, Json>, method: &str) -> Json {
    result.insert("resultType".into(), "complete".into());
    result.insert("_meta".into(), json!({"io.modelcontextprotocol/serverInfo": server_info()}));
    if method.ends_with("/list") || ["server/discover", "resources/read"].contains(&method) {
        result.insert("ttlMs".into(), 3_600_000.into());
        result.insert("cacheScope".into(), "public".into());
    }
    Json::Object(result)
}
