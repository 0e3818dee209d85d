//! What ran when in one iteration, as a drawing: a row per thread or stream, items as bars.

use super::{css, escaped, framed, heading, push, quiet};
use crate::display::{TimeUnit, grouped, short_time};
use crate::palette;
use dlprof_core::{Judged, Lane, LaneItemClass, LaneKind, LaneOwner, Timeline, to_f64};

/// How many items are drawn at most, so that a notebook stays small.
const MOST_ITEMS: usize = 1500;

/// How many rows are drawn at most.
const MOST_ROWS: usize = 14;

/// The width of the drawing and of what stands before a row, in its own units.
const WIDTH: f64 = 1000.0;
const NAMES: f64 = 150.0;

/// The height of a level of a row, the space below a row, and the height of the axis.
const LEVEL: f64 = 13.0;
const GAP: f64 = 5.0;
const AXIS: f64 = 16.0;

/// Items whose name has room for so many units are named.
const LEAST_NAMED: f64 = 46.0;
const LETTER: f64 = 5.6;

/// Levels of nested ranges that are drawn.
const DEEPEST: u8 = 5;

/// What ran when in an iteration; `None` if there is no such iteration.
#[must_use]
pub fn timeline(judged: &Judged, iteration: u32) -> Option<String> {
    let drawing = drawing(judged, iteration)?;
    Some(framed(&format!("{}{drawing}", heading(&format!("Iteration {iteration}")))))
}

/// The drawing without a frame.
pub(super) fn drawing(judged: &Judged, iteration: u32) -> Option<String> {
    let timeline = judged.timeline(iteration, MOST_ITEMS)?;
    if timeline.length_ns <= 0 {
        return None;
    }
    let is_drawn = |lane: &&Lane| {
        let kinds = [LaneKind::Ranges, LaneKind::Ops, LaneKind::ApiCalls, LaneKind::Idle, LaneKind::Stream];
        kinds.contains(&lane.kind) && !lane.start_ns.is_empty()
    };
    let lanes: Vec<&Lane> = timeline.lanes.iter().filter(is_drawn).collect();
    let (shown, hidden) = lanes.split_at(lanes.len().min(MOST_ROWS));
    let height: f64 = AXIS + shown.iter().map(|lane| levels(lane) * LEVEL + GAP).sum::<f64>();
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" style=\"width:100%;height:auto;display:block;font:9px system-ui,sans-serif\" \
         role=\"img\" aria-label=\"What ran when in iteration {iteration}\">"
    );
    axis(&timeline, height, &mut out);
    let mut top = AXIS;
    for lane in shown {
        push(
            &mut out,
            format_args!(
                "<text x=\"0\" y=\"{:.1}\" fill=\"{}\">{}</text>",
                top + LEVEL * 0.75,
                css(palette::TEXT_2),
                escaped(&name(lane))
            ),
        );
        items(&timeline, lane, top, &mut out);
        top += levels(lane) * LEVEL + GAP;
    }
    out.push_str("</svg>");
    let mut left_out = Vec::new();
    if !hidden.is_empty() {
        left_out.push(format!("{} more rows", hidden.len()));
    }
    if timeline.left_out > 0 {
        let time = short_time(to_f64(timeline.left_out_ns), TimeUnit::Auto);
        left_out.push(format!("the {} shortest items ({time})", grouped(&timeline.left_out.to_string())));
    }
    if !left_out.is_empty() {
        out.push_str(&quiet(&format!("Not drawn: {}.", left_out.join(", "))));
    }
    Some(out)
}

/// Times at round places.
fn axis(timeline: &Timeline, height: f64, out: &mut String) {
    let length = to_f64(timeline.length_ns);
    let rough = length / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|by| by * power).find(|&step| step >= rough).unwrap_or(rough);
    let mut at = 0.0;
    while at <= length {
        let x = NAMES + at / length * (WIDTH - NAMES);
        push(
            out,
            format_args!(
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"11\" y2=\"{height:.1}\" stroke=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"9\" fill=\"{}\">{}</text>",
                css(palette::LINE),
                x + 2.0,
                css(palette::TEXT_3),
                escaped(&short_time(at, TimeUnit::Auto))
            ),
        );
        at += step;
    }
}

fn items(timeline: &Timeline, lane: &Lane, top: f64, out: &mut String) {
    let scale = (WIDTH - NAMES) / to_f64(timeline.length_ns);
    for (at, (&start, &length)) in lane.start_ns.iter().zip(&lane.length_ns).enumerate() {
        let depth = lane.depth.get(at).copied().unwrap_or(0);
        if depth >= DEEPEST {
            continue;
        }
        let x = NAMES + to_f64(start) * scale;
        let width = (to_f64(length) * scale).max(0.4);
        let y = top + f64::from(depth) * LEVEL;
        let (color, is_waiting) = color(lane.class[at]);
        let name = usize::try_from(lane.name[at]).ok().and_then(|place| timeline.names.get(place));
        let name = name.map_or("", String::as_str);
        let fill = if is_waiting { palette::paler(color) } else { color };
        push(
            out,
            format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{} {}</title></rect>",
                LEVEL - 1.5,
                css(fill),
                escaped(name),
                escaped(&short_time(to_f64(length), TimeUnit::Auto))
            ),
        );
        if width >= LEAST_NAMED {
            push(
                out,
                format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\" pointer-events=\"none\">{}</text>",
                    x + 3.0,
                    y + LEVEL * 0.68,
                    css(palette::on(fill)),
                    escaped(&crate::text::shorten_name(name, fitting(width)))
                ),
            );
        }
    }
}

/// How many letters fit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a width of at most 1,000")]
fn fitting(width: f64) -> usize {
    ((width - 6.0) / LETTER).max(1.0) as usize
}

fn levels(lane: &Lane) -> f64 {
    f64::from(lane.depth.iter().copied().max().unwrap_or(0).min(DEEPEST - 1)) + 1.0
}

/// The colour of an item, and whether the GPU waits in it.
fn color(class: LaneItemClass) -> (u32, bool) {
    match class {
        LaneItemClass::Tc => (palette::TC, false),
        LaneItemClass::Kernel => (palette::KERNEL, false),
        LaneItemClass::Communication => (palette::COMM, false),
        LaneItemClass::Memory => (palette::MEMORY, false),
        LaneItemClass::Range => (palette::LINE_2, false),
        LaneItemClass::Call(_) | LaneItemClass::Host => (palette::SYNC, true),
        LaneItemClass::Idle(cause) => (palette::of_class(cause.class()), true),
        LaneItemClass::Gap => (palette::OTHER, true),
    }
}

/// What stands before a row.
fn name(lane: &Lane) -> String {
    let what = match lane.kind {
        LaneKind::Ranges => "ranges",
        LaneKind::Ops => "ops",
        LaneKind::ApiCalls => "CUDA calls",
        LaneKind::Idle => "idle",
        _ => "",
    };
    let owner = match &lane.owner {
        LaneOwner::Thread { name: Some(name), .. } => crate::text::shorten_name(name, 14),
        LaneOwner::Thread { tid, .. } => format!("thread {tid}"),
        LaneOwner::Stream { device_id, stream: Some(stream), .. } => {
            format!("GPU {device_id} stream {stream}")
        }
        LaneOwner::Gpu { device_id } | LaneOwner::Stream { device_id, stream: None, .. } => {
            format!("GPU {device_id}")
        }
    };
    if what.is_empty() { owner } else { format!("{owner}: {what}") }
}
