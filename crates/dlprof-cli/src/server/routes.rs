//! What is answered: a function per address.

use super::aggregation::{Aggregation, Listed, Request as AggregationRequest};
use super::download::{self, Download};
use super::encoding::Encoding;
use super::guard::{Guard, guard};
use super::held::Held;
use super::question::Parameters;
use super::refusal::Refusal;
use super::shared::{Answer, App, Shared, json};
use super::whole_timeline;
use crate::settings::iteration_pair::parse_iterations;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::get;
use dlprof_core::{Definition, Judged, TABLES, definition, limits};
use dlprof_export::{
    FORMATS, FileFormat, FlameKey, PageCounters, PageTerms, PageWindow, PageWords, RangeSums, RangesCompared,
    TableDefinition, flame_graph, overview, page_assets,
};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Bytes of the body of a POST.
const MOST_BODY_BYTES: usize = 4 << 10;

/// A body that takes longer to come is not waited for.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// Items of a timeline.
const MOST_ITEMS: usize = limits::VIEWER_TIMELINE_ITEMS.most;

/// The addresses. At most `turns` requests are computed at a time; the others wait.
pub(super) fn routes(held: Held, guarded_by: Arc<Guard>, turns: usize) -> Router {
    let shared = Shared::new(held, turns);
    Router::new()
        .route("/api/manifest", get(manifest))
        .route("/api/overview", get(whole_overview))
        .route("/api/ranges", get(ranges))
        .route("/api/tables/{key}", get(rows))
        .route("/api/export/{file}", get(export))
        .route("/api/timeline/{iteration}", get(timeline))
        .route("/api/lanes", get(whole_timeline::lanes))
        .route("/api/tile/{level}/{number}/{lanes}", get(whole_timeline::tile))
        .route("/api/item/{lane}/{row}/{item}", get(whole_timeline::item))
        .route("/api/time-range/{from}/{to}", get(whole_timeline::time_range))
        .route("/api/find/{time}", get(whole_timeline::find))
        .route("/api/flame/{key}", get(flame_tree))
        .route("/api/ncu", get(counters))
        .route("/api/comparison", get(comparison))
        .route("/api/compared-timeline/{side}", get(compared_timeline))
        .route("/api/iterations-compared/{pair}", get(iterations_compared))
        .route("/api/progress", get(progress))
        .route("/api/aggregations", get(aggregations).post(aggregate))
        .fallback(asset)
        .with_state(Arc::new(shared))
        .layer(from_fn_with_state(guarded_by, guard))
}

pub(super) async fn asset(uri: Uri, headers: HeaderMap) -> Answer {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(asset) = page_assets().find(|asset| asset.path == path) else {
        return Err(Refusal::not_found("there is no such page", "the pages begin at `/`"));
    };
    let (text, encoding) = Encoding::of(&headers).encode(asset.text.as_bytes());
    let mut response = ([(header::CONTENT_TYPE, asset.content_type)], text).into_response();
    encoding.say(response.headers_mut());
    Ok(response)
}

async fn manifest(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    #[derive(Serialize)]
    struct Manifest {
        window: PageWindow,
        words: PageWords,
        tables: Vec<TableDefinition>,
        terms: PageTerms,
        has_comparison: bool,
        csv_safe: bool,
    }
    let make = |shared: &Shared, aggregation: &Aggregation, judged: &Judged| {
        json(&Manifest {
            window: PageWindow::new(judged, &shared.held.capture_of(aggregation).name),
            words: PageWords::of(judged.capture.recorder),
            tables: TABLES
                .iter()
                .filter(|table| table.is_of(judged))
                .map(|table| TableDefinition::new(table, judged))
                .collect(),
            terms: PageTerms::ALL,
            has_comparison: shared.held.has_comparison(),
            csv_safe: shared.held.csv_safe,
        })
    };
    shared.answer(uri, headers, make).await
}

async fn whole_overview(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let make = |shared: &Shared, aggregation: &Aggregation, judged: &Judged| {
        let _running = shared.held.work.begin("the dashboard", None);
        let capture = shared.held.capture_of(aggregation);
        let page = json(&overview(judged, capture.time_unit));
        capture.keep_figures();
        page
    };
    shared.answer(uri, headers, make).await
}

async fn ranges(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    shared.answer(uri, headers, |_, _, judged| json(&RangeSums::new(judged))).await
}

async fn timeline(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let iteration = last_part(&uri).to_owned();
    let unknown = |last: Option<u32>| {
        let hint = last.map_or_else(String::new, |last| format!("iterations are 0 to {last}"));
        Refusal::not_found(format!("there is no iteration `{iteration}`"), hint)
    };
    let number: u32 = iteration.parse().map_err(|_| unknown(None))?;
    let make = move |shared: &Shared, _: &Aggregation, judged: &Judged| {
        let _running = shared.held.work.begin(format!("the timeline of iteration {number}"), None);
        let timeline = judged.timeline(number, MOST_ITEMS).ok_or_else(|| {
            let last = judged.iterations.last_iteration();
            Refusal::not_found(
                format!("there is no iteration `{number}`"),
                format!("iterations are 0 to {last}"),
            )
        })?;
        json(&timeline)
    };
    shared.answer(uri, headers, make).await
}

async fn flame_tree(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let key = last_part(&uri);
    let known = FlameKey::ALL.into_iter().find(|known| known.as_str() == key);
    let key = known.ok_or_else(|| {
        let known = FlameKey::ALL.map(FlameKey::as_str).join(", ");
        Refusal::not_found(format!("there is no flame graph by `{key}`"), format!("there are {known}"))
    })?;
    let make = move |_: &Shared, _: &Aggregation, judged: &Judged| json(&flame_graph(judged, key));
    shared.answer(uri, headers, make).await
}

/// The command that measures kernels, and what counters say.
async fn counters(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let make = |shared: &Shared, _: &Aggregation, judged: &Judged| {
        let _running = shared.held.work.begin("the counters of kernels", None);
        json(&PageCounters::with_command(judged))
    };
    shared.answer(uri, headers, make).await
}

async fn comparison(State(shared): App, headers: HeaderMap) -> Answer {
    let encoding = Encoding::of(&headers);
    shared.respond(move |shared| Ok(encoding.encode(shared.held.comparison()?.to_owned()))).await
}

/// `/api/compared-timeline/0` of the baseline, `/1` of the new capture: its iteration of median duration.
async fn compared_timeline(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let side = last_part(&uri).to_owned();
    let encoding = Encoding::of(&headers);
    let make = move |shared: &Shared| {
        let capture = side.parse().ok().and_then(|side: usize| shared.held.side(side));
        let capture = capture.ok_or_else(|| {
            Refusal::not_found(format!("there is no capture `{side}` to compare"), "send 0 or 1")
        })?;
        let _running = shared.held.work.begin("the timelines of both captures", None);
        let (median, _) = capture.judged.median_and_slowest_iteration();
        Ok(encoding.encode(json(&capture.judged.timeline(median, MOST_ITEMS))?))
    };
    shared.respond(make).await
}

async fn iterations_compared(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let pair = last_part(&uri).replace("%2C", ",");
    let pair = parse_iterations(&pair).map_err(|expected| {
        Refusal::bad_request(format!("`{pair}` does not name two iterations or ranges"), expected)
    })?;
    let make = move |shared: &Shared, _: &Aggregation, judged: &Judged| {
        let _running = shared.held.work.begin("comparing two ranges", None);
        json(&RangesCompared::new(&pair.compare(judged)?))
    };
    shared.answer(uri, headers, make).await
}

async fn progress(State(shared): App) -> Answer {
    let answer = json(&serde_json::json!({ "running": shared.held.work.shown() }))?;
    shared.send((answer.into(), Encoding::Identity)).await
}

async fn rows(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let parameters = Parameters::of(&uri)?;
    let definition = table(last_part(&uri))?;
    let aggregation = shared.held.aggregation(parameters.aggregation.as_deref())?;
    let asked = Arc::clone(&shared).run(move |shared| {
        let judged = shared.held.judged(&aggregation)?;
        shared.held.tables.ask(&aggregation.id, definition, &judged, parameters.table)
    });
    let asked = asked.await?;
    let running = shared.held.work.begin(format!("table `{}`", definition.key), None);
    let answer =
        asked.await.map_err(|_| Refusal::internal(format!("table `{}` failed", definition.key)))??;
    drop(running);
    let encoding = Encoding::of(&headers);
    shared.respond(move |_| Ok(encoding.encode(answer))).await
}

/// The last part of a path, as it was sent: names of tables and numbers have no characters that need escapes.
fn last_part(uri: &Uri) -> &str {
    uri.path().rsplit('/').next().unwrap_or_default()
}

fn table(key: &str) -> Result<&'static Definition, Refusal> {
    definition(key).ok_or_else(|| {
        let known: Vec<&str> = TABLES.iter().map(|table| table.key).collect();
        Refusal::not_found(format!("there is no table `{key}`"), format!("tables are {}", known.join(", ")))
    })
}

async fn export(State(shared): App, uri: Uri) -> Answer {
    let parameters = Parameters::of(&uri)?;
    let file = last_part(&uri);
    let (key, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let definition = table(key)?;
    let format =
        FileFormat::named(ending).filter(|format| download::can_be_sent(format)).ok_or_else(|| {
            let sent =
                FORMATS.iter().filter(|format| download::can_be_sent(format)).map(|format| format.ending);
            let hint = format!("formats are {}", sent.collect::<Vec<_>>().join(", "));
            Refusal::not_found(format!("there is no format `{ending}`"), hint)
        })?;
    let aggregation = shared.held.aggregation(parameters.aggregation.as_deref())?;
    let turn = shared.download_turn().await?;
    let download = Arc::clone(&shared).run(move |shared| {
        let capture = shared.held.capture_of(&aggregation);
        Ok(Download {
            judged: shared.held.judged(&aggregation)?,
            profile_name: capture.name.clone(),
            time_unit: capture.time_unit,
            definition,
            format,
            question: parameters.table,
            csv_safe: shared.held.csv_safe,
        })
    });
    let download = download.await?;
    let head = [
        (header::CONTENT_TYPE, download.content_type()),
        (header::CONTENT_DISPOSITION, download.disposition()),
    ];
    let (chunks, body) = download::chunks();
    let (ready, is_ready) = oneshot::channel();
    spawn_blocking(move || {
        download.write(ready, chunks);
        drop(turn);
    });
    let failed = |_| Refusal::internal("the file could not be written");
    is_ready.await.map_err(failed)??;
    Ok((head, body).into_response())
}

async fn aggregations(State(shared): App, uri: Uri) -> Answer {
    let parameters = Parameters::of(&uri)?;
    let current = shared.held.aggregation(parameters.aggregation.as_deref())?;
    let all = shared.held.aggregations();
    let listed = all.iter().map(|one| one.listed(shared.held.capture_of(one), &current.id));
    let answer = json(&listed.collect::<Vec<Listed<'_>>>())?;
    shared.send((answer.into(), Encoding::Identity)).await
}

async fn aggregate(State(shared): App, uri: Uri, body: Body) -> Answer {
    let parameters = Parameters::of(&uri)?;
    let from = shared.held.aggregation(parameters.aggregation.as_deref())?;
    let body = timeout(BODY_PATIENCE, to_bytes(body, MOST_BODY_BYTES)).await;
    let body = body.map_err(|_| {
        Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request body did not arrive within 10 s", "try again")
    })?;
    let body = body.map_err(|_| {
        Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is incomplete or has more than {MOST_BODY_BYTES} bytes"),
            "send only start, stop, key_node and clock",
        )
    })?;
    let request: AggregationRequest = serde_json::from_slice(&body).map_err(|error| {
        Refusal::bad_request(
            format!("the body cannot be read: {error}"),
            r#"send {"start": 3, "stop": 9, "key_node": null, "clock": "auto"}"#,
        )
    })?;
    let make = move |shared: &Shared| {
        let made = shared.held.aggregate(&from, &request)?;
        Ok((json(&made.listed(shared.held.capture_of(&made), &made.id))?.into(), Encoding::Identity))
    };
    shared.respond(make).await
}
