//! Cuts of drawn captures, and what is asked for.

use super::*;
use crate::read::facts::{Facts, OverheadKind};
use crate::tests::drawn::Drawn;

fn cut(from: Option<&str>, to: Option<&str>) -> TimeCut {
    TimeCut::parse(from, to).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_limit_says_the_text_that_asks_for_it() {
    for (from, to) in [(Some("29.8s"), Some("31s")), (Some("warm up"), None), (None, Some("end:step 3"))] {
        let asked = cut(from, to);
        let [from, to] = [&asked.from, &asked.to].map(|limit| limit.as_ref().map(TimeLimit::text));
        assert_eq!(cut(from.as_deref(), to.as_deref()), asked, "{from:?} {to:?}");
    }
}

#[test]
fn times_and_ranges_are_told_apart() {
    let from = |text: &str| TimeCut::parse(Some(text), None).map(|cut| cut.from.expect("a limit"));
    for (text, ns) in [
        ("29.8s", 29_800_000_000),
        ("300ms", 300_000_000),
        ("1.5 us", 1_500),
        ("12ns", 12),
        ("2min", 120_000_000_000),
        ("1e3us", 1_000_000),
        ("0s", 0),
    ] {
        assert!(matches!(from(text), Ok(TimeLimit::At(at)) if at == ns), "{text}");
    }
    let range = |text: &str, edge| TimeLimit::Range { text: text.into(), edge };
    for (text, expected) in [
        ("warm up", range("warm up", CutEdge::End)),
        ("3D_backbone", range("3D_backbone", CutEdge::End)),
        ("start:17", range("17", CutEdge::Start)),
        ("end:step 3", range("step 3", CutEdge::End)),
    ] {
        assert_eq!(from(text).expect("a range"), expected, "{text}");
    }
    assert_eq!(cut(None, Some("eval")).to, Some(range("eval", CutEdge::Start)));
    for text in ["17", "1.2.3s", "29.8x", "", "999999999999min", "1,5s", "-5s", "10-20s", "3D"] {
        assert!(matches!(from(text), Err(Error::BadTime { .. })), "{text}");
    }
    assert!(matches!(TimeCut::parse(Some("2s"), Some("2s")), Err(Error::ReversedCut { .. })));
}

/// ```text
///               0        100       200       300       400
/// ranges        ├─ warm up ┤├─ step ────────┤├─ eval ──┤
///                 ├─ a ┤      ├ op ┤                        (`outer` is around all)
/// calls           l1     l2    l3       l4     l5
/// GPU                ▒l1▒▒▒▒▒▒▒▒▒l2▒  ▒▒l3▒    ▒▒▒l4▒▒ l5
/// ```
fn drawn() -> Facts {
    let mut drawn = Drawn::new();
    drawn.range("outer", 0..500).range("warm up", 0..100).range("a", 10..60);
    drawn.range("step", 110..290).range("op", 120..160).range("eval", 300..400);
    drawn.launch(20..25, "l1", 40..140).launch(95..105, "l2", 140..180);
    drawn.launch(130..135, "l3", 190..220).launch(250..255, "l4", 280..340).launch(310..315, "l5", 350..360);
    drawn.facts()
}

fn named(facts: &Facts) -> Vec<(String, Ns, Ns)> {
    let names = facts.kernels.short_name.iter().map(|name| facts.strings.get(*name).to_owned());
    names.zip(&facts.work.span).map(|(name, span)| (name, span.start, span.end)).collect()
}

fn ranges(facts: &Facts) -> Vec<(String, Ns, Ns)> {
    let list = &facts.ranges.by_thread[0];
    let text = |text: &crate::base::ids::RangeTextId| {
        facts.strings.get(facts.ranges.texts[text.index()].text).to_owned()
    };
    list.text.iter().map(text).zip(&list.span).map(|(text, span)| (text, span.start, span.end)).collect()
}

#[test]
fn what_is_outside_is_gone_and_the_rest_ends_at_the_limits() {
    let (facts, window) = drawn().cut(&cut(Some("100ns"), Some("300ns"))).expect("a window");
    assert_eq!(window.expect("a window").span, Span::new(100, 300));
    let expected = [("l1", 100, 140), ("l2", 140, 180), ("l3", 190, 220), ("l4", 280, 300)];
    assert_eq!(named(&facts), expected.map(|(name, start, end)| (name.to_owned(), start, end)));
    let calls: Vec<(Ns, Ns)> = facts.api_calls.span.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(calls, [(100, 105), (130, 135), (250, 255)], "the call of l2 is open at the cut");
    let expected = [("outer", 100, 300), ("step", 110, 290), ("op", 120, 160)];
    assert_eq!(ranges(&facts), expected.map(|(text, start, end)| (text.to_owned(), start, end)));
    assert_eq!(
        facts.diagnostics.counted(crate::base::diagnostics::DiagnosticCode::LaunchedBeforeCut),
        1,
        "l1"
    );
}

#[test]
fn ranges_are_limits() {
    let window = |from, to| drawn().cut(&cut(from, to)).map(|(_, window)| window.expect("a window").span);
    let span = |from, to| window(from, to).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(span(Some("warm up"), Some("eval")), Span::new(100, 300));
    assert_eq!(span(Some("start:step"), Some("end:step")), Span::new(110, 290));
    assert_eq!(span(None, Some("200ns")), Span::new(0, 200));
    assert_eq!(span(Some("200ns"), None), Span::new(200, 500));
    let error = |from, to| window(from, to).expect_err("no such window");
    let Error::UnknownCutRange { nearest, .. } = error(Some("warmup"), None) else { panic!("no such range") };
    assert_eq!(nearest, ["warm up"]);
    assert!(matches!(error(Some("500ns"), None), Error::OutsideCapture { .. }));
    assert!(matches!(error(None, Some("501ns")), Error::OutsideCapture { .. }));
    assert!(matches!(error(Some("eval"), Some("step")), Error::ReversedCut { .. }));
}

/// One figure for the length of a capture, whether it is cut or not: as nsys says, or up to the last record if that is later.
#[test]
fn a_capture_has_one_length() {
    let lengths = |traced_ns| {
        let drawn = || {
            let mut drawn = Drawn::new();
            drawn.launch(120..125, "k", 130..140).overhead(OverheadKind::Profiler, 300..500);
            drawn.traced(traced_ns);
            drawn.facts()
        };
        let (whole, none) = drawn().cut(&TimeCut::default()).expect("nothing to cut");
        let (_, window) = drawn().cut(&cut(Some("125ns"), None)).expect("a window");
        assert_eq!(none, None);
        (whole.about.notes.captured_ns, window.expect("a window").whole.end)
    };
    assert_eq!([None, Some(400), Some(900)].map(lengths), [(500, 500), (500, 500), (900, 900)]);
}

/// Ranges that are open at both limits are equal once they are cut, and still lie in each other as before.
#[test]
fn nesting_survives_where_ranges_become_equal() {
    let mut drawn = Drawn::new();
    // In the order in which nsys writes ranges: the inner one ends first.
    drawn.range("inner", 20..280).range("outer", 0..300);
    drawn.launch(120..125, "k", 130..140);
    let (facts, _) = drawn.facts().cut(&cut(Some("100ns"), Some("200ns"))).expect("a window");
    let expected = [("outer", 100, 200), ("inner", 100, 200)];
    assert_eq!(ranges(&facts), expected.map(|(text, start, end)| (text.to_owned(), start, end)));
}

#[test]
fn iterations_are_looked_for_in_the_window() {
    let steps = || {
        let mut drawn = Drawn::new();
        for step in 0..12 {
            let at = step * 100;
            drawn.range("step", at..at + 90).launch(at + 10..at + 12, "gemm", at + 20..at + 80);
        }
        drawn
    };
    let capture = steps().capture_cut(&cut(Some("295ns"), Some("905ns")));
    let index = capture.index(&crate::steps::iterate::KeyNodeChoice::Named("step".into())).expect("it ran");
    assert_eq!(index.iterations.boundaries, [295, 300, 400, 500, 600, 700, 800, 900, 905]);
    let none = capture.index(&crate::steps::iterate::KeyNodeChoice::None).expect("always one");
    assert_eq!(none.iterations.boundaries, [295, 905]);
    let text = capture.description.cut.as_ref().map(ToString::to_string);
    assert_eq!(text.as_deref(), Some("from 0.000000295 s to 0.000000905 s of 0.00000119 s captured"));
}
