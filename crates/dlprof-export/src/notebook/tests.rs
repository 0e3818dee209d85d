use super::{dashboard_html, escaped, table_html, timeline_html};
use crate::display::TimeUnit;
use dlprof_core::{Capture, Judged, OpenOptions, definition};

fn sample() -> Judged {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sample.sqlite");
    Capture::open(path.as_ref(), &OpenOptions::default(), None).expect("the sample")
}

#[test]
fn texts_cannot_become_markup_or_mathematics() {
    assert_eq!(escaped("a<b>\"$x$\" & \u{202E}c"), "a&lt;b&gt;&quot;&#36;x&#36;&quot; &amp;  c");
}

#[test]
fn a_dashboard_says_what_every_first_page_says_and_runs_nothing() {
    let judged = sample();
    let overview = crate::overview(&judged, TimeUnit::Auto);
    let html = dashboard_html(&judged, TimeUnit::Auto);
    assert!(html.contains(&escaped(&overview.verdict)), "{html}");
    for finding in overview.findings.iter().take(3) {
        assert!(html.contains(&escaped(&finding.problem)), "{}", finding.problem);
    }
    assert!(html.contains("<svg "));
    for active in ["<script", "http:", "https:", "onload", "url("] {
        assert!(!html.contains(active), "{active}");
    }
    assert_eq!(html, dashboard_html(&judged, TimeUnit::Auto));
}

#[test]
fn a_table_has_units_meanings_and_the_number_of_all_rows() {
    let judged = sample();
    let table = (definition("ops").expect("a table").build)(&judged);
    let html = table_html(table.as_ref(), 2, TimeUnit::Auto);
    assert_eq!(html.matches("<tr>").count(), 1 + 2);
    assert!(html.contains(&format!("2 of {} rows", table.rows())), "{html}");
    assert!(html.contains(&escaped(table.header(0).doc)));
}

#[test]
fn a_timeline_draws_every_kernel_of_a_small_iteration() {
    let judged = sample();
    let iteration = judged.iterations.start;
    let timeline = judged.timeline(iteration, 1500).expect("an iteration");
    let streams = timeline.lanes.iter().filter(|lane| lane.kind == dlprof_core::LaneKind::Stream);
    let kernels: usize = streams.map(|lane| lane.start_ns.len()).sum();
    let html = timeline_html(&judged, iteration).expect("an iteration");
    assert!(kernels > 0 && html.matches("<rect ").count() >= kernels);
    assert!(timeline_html(&judged, 1_000_000).is_none());
}
