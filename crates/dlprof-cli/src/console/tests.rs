use super::*;
use dlprof_core::DiagnosticCode;
use std::path::PathBuf;

/// What is said about a failure.
fn said(failure: &Failure) -> String {
    recorded(|| print_failure(failure)).1.aside
}

#[test]
fn a_failure_has_its_cause_and_what_to_do() {
    let settings = Failure::Settings {
        path: "own.toml".into(),
        message: "line 1: odd".into(),
        hint: Some("write it anew".into()),
    };
    assert_eq!(
        said(&settings),
        "error: cannot use settings file `own.toml`: line 1: odd\nhint: write it anew\n"
    );
    let nsys = Failure::Input { message: "`nsys` failed".into(), cause: Some("a\nb".into()), hint: None };
    assert_eq!(said(&nsys), "error: `nsys` failed\ncause: a\n  b\n");
    let source = io::Error::other("no room");
    let kept = Failure::Cache { folder: "kept".into(), source };
    assert_eq!(said(&kept), "error: cannot list or clear the kept captures in `kept`\ncause: no room\n");
}

#[test]
fn what_others_wrote_cannot_change_the_terminal() {
    let odd = Failure::Usage { message: "`a\u{1b}[2Jb`".into(), hint: None };
    assert!(!said(&odd).contains('\u{1b}'), "{}", said(&odd));
    let mut shown = Vec::new();
    let mut lines = PlainLines::new(&mut shown);
    // The bytes of a character may come in two parts.
    lines.write_all(b"a\x1b]0;t\x07b\n\xc3").and_then(|()| lines.write_all(b"\xa4\n")).expect("lines");
    lines.flush().expect("lines");
    let text = String::from_utf8(shown).expect("text");
    assert!(text.ends_with("ä\n") && !text.contains(['\u{1b}', '\u{7}']), "{text:?}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let closed = io::Error::from(io::ErrorKind::BrokenPipe);
    assert!(print_with(|_| Err(closed)).is_ok());
    let full = io::Error::from(io::ErrorKind::StorageFull);
    assert!(matches!(print_with(|_| Err(full)), Err(Failure::Print(_))));
}

#[test]
fn quiet_is_silent_and_v_has_notes() {
    let diagnostic = |severity| {
        let code = DiagnosticCode::ALL.iter().copied().find(|code| code.severity() == severity);
        let code = code.expect("a code of each severity");
        Diagnostic { code, count: 2, examples: vec!["the first".into()] }
    };
    let diagnostics = [diagnostic(Severity::Note), diagnostic(Severity::Warning)];
    let said = |verbosity| recorded(|| print_diagnostics(verbosity, &diagnostics, None)).1.aside;
    assert_eq!(said(Verbosity::Quiet), "");
    let usual = said(Verbosity::Normal);
    assert!(
        usual.starts_with("warning[") && usual.contains("]: 2 × ") && !usual.contains("note["),
        "{usual}"
    );
    assert!(usual.contains("\n  the first\n"), "{usual}");
    assert!(said(Verbosity::Notes).starts_with("note["), "{}", said(Verbosity::Notes));
}

#[test]
fn times_of_stages_need_two_v() {
    let said = |verbosity| {
        let say = || {
            print_stage(verbosity, "index", Duration::from_micros(1500));
            print_scratch(verbosity, 1_000_001);
            print_rule_not_judged(verbosity, "own", "no rows");
            print_settings_files(verbosity, &["a.toml".into(), "b.toml".into()]);
        };
        recorded(say).1.aside
    };
    assert_eq!(said(Verbosity::Normal), "");
    let notes = "rule `own` was not judged: no rows\nsettings files read: `a.toml`, `b.toml`, the first has precedence\n";
    assert_eq!(said(Verbosity::Notes), notes);
    assert_eq!(
        said(Verbosity::Stages),
        format!("index: 1.5 ms\nput into scratch files because of --memory: 2 MB\n{notes}")
    );
}

#[test]
fn characters_without_a_font_are_named() {
    let file = |missing: &str| Written {
        path: PathBuf::from("a.pdf"),
        is_stream: false,
        missing_characters: missing.chars().collect(),
    };
    let said = |missing: &str| recorded(|| print_missing_characters(&file(missing))).1.aside;
    assert_eq!(said(""), "");
    let few = said("中文");
    assert!(
        few.starts_with("warning[missing-glyph]: `a.pdf` shows \u{FFFD} for 2 ")
            && few.contains("\n  中文\n")
    );
    assert!(said(&"中".repeat(21)).contains("中 …\n"));
}
