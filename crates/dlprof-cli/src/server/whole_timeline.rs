//! The timeline of the whole capture: its lanes, tiles of them, and single items.

use super::question::Parameters;
use super::refusal::Refusal;
use super::shared::{Answer, App, json};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use dlprof_core::{CaptureLanes, CounterHead, ItemPlace, LaneHead, Ns, Span, TileAddress};
use dlprof_export::TimeRangeSums;
use serde::Serialize;

/// The lanes, and the time that they cover.
#[derive(Serialize)]
struct Lanes {
    start_ns: i64,
    end_ns: i64,
    lanes: Vec<LaneHead>,
    /// They are numbered after the lanes.
    counters: Vec<CounterHead>,
}

pub(super) async fn lanes(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let answer = shared.answer(uri, headers, |shared, aggregation, _| {
        let lanes = shared.held.capture_of(aggregation).lanes(&shared.held.work);
        let span = lanes.span();
        let (lanes, counters) = (lanes.heads(), lanes.counter_heads());
        json(&Lanes { start_ns: span.start, end_ns: span.end, lanes, counters })
    });
    answer.await
}

/// `/api/tile/LEVEL/NUMBER/LANE,LANE…`
pub(super) async fn tile(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let [level, number, wanted] = last_parts(&uri);
    let unknown = || {
        Refusal::not_found(
            format!("there is no tile `{level}/{number}/{wanted}`"),
            "send a level, the number of a tile and those of lanes, such as `20/0/0,1,2`",
        )
    };
    let address =
        level.parse().ok().zip(number.parse().ok()).map(|(level, number)| TileAddress { level, number });
    let address = address.filter(|address| address.span().is_some()).ok_or_else(unknown)?;
    let wanted: Option<Vec<usize>> = wanted.split(',').map(|lane| lane.parse().ok()).collect();
    let wanted = wanted.ok_or_else(unknown)?;
    let answer = shared.answer(uri.clone(), headers, move |shared, aggregation, judged| {
        let lanes = shared.held.capture_of(aggregation).lanes(&shared.held.work);
        json(&judged.tile(lanes, address, &wanted))
    });
    answer.await
}

/// `/api/item/LANE/ROW/ITEM`
pub(super) async fn item(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let parts = last_parts(&uri);
    let unknown = {
        let said = parts.join("/");
        move || {
            Refusal::not_found(
                format!("there is no item `{said}`"),
                "send a lane, its row and a place in the row",
            )
        }
    };
    let [Ok(lane), Ok(row), Ok(item)] = parts.map(str::parse) else { return Err(unknown()) };
    let answer = shared.answer(uri.clone(), headers, move |shared, aggregation, judged| {
        let lanes: &CaptureLanes = shared.held.capture_of(aggregation).lanes(&shared.held.work);
        json(&judged.lane_item(lanes, ItemPlace { lane, row, item }).ok_or_else(unknown)?)
    });
    answer.await
}

/// `/api/time-range/FROM/TO`, in nanoseconds of the capture.
pub(super) async fn time_range(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let [from, to] = last_parts(&uri);
    let span = from.parse().ok().zip(to.parse().ok()).filter(|(from, to)| from < to);
    let (from, to): (Ns, Ns) = span.ok_or_else(|| {
        Refusal::not_found(
            format!("there is no range `{from}/{to}`"),
            "send two times in nanoseconds, the earlier one first",
        )
    })?;
    let answer = shared.answer(uri.clone(), headers, move |shared, _, judged| {
        let _running = shared.held.work.begin("what the range holds", None);
        json(&TimeRangeSums::new(judged, &judged.time_range(Span::new(from, to))))
    });
    answer.await
}

/// `/api/find/TIME?search=TEXT`
pub(super) async fn find(State(shared): App, uri: Uri, headers: HeaderMap) -> Answer {
    let text = Parameters::of(&uri)?.table.search;
    let [time] = last_parts(&uri);
    let time: Ns = time.parse().map_err(|_| {
        Refusal::not_found(format!("`{time}` is not a time"), "send a time in nanoseconds, such as `0`")
    })?;
    let answer = shared.answer(uri.clone(), headers, move |shared, aggregation, judged| {
        let _running = shared.held.work.begin("searching the timeline", None);
        let lanes = shared.held.capture_of(aggregation).lanes(&shared.held.work);
        json(&judged.find_items(lanes, &text, time))
    });
    answer.await
}

/// The last parts of a path.
fn last_parts<const N: usize>(uri: &Uri) -> [&str; N] {
    let mut parts = uri.path().rsplit('/');
    let mut last = [""; N];
    for part in last.iter_mut().rev() {
        *part = parts.next().unwrap_or_default();
    }
    last
}
