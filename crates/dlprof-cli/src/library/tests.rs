use super::{
    Asked, Hears, RefusalKind, ReportFile, RowsAsked, Run, gate, open, open_job, pool, size_in_bytes,
};
use crate::console::recorded;
use crate::generated::{capture, folder};
use dlprof_core::{GateVerdict, Table};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Hears nothing, or ends the work.
struct Listener(ControlFlow<()>);

impl Hears for Listener {
    fn rows(&self, _: u64, _: u64) -> ControlFlow<()> {
        self.0
    }

    fn stage(&self) -> ControlFlow<()> {
        self.0
    }
}

const HEARS: Listener = Listener(ControlFlow::Continue(()));

fn asked() -> Asked {
    Asked { no_cache: true, ..Asked::default() }
}

#[test]
fn a_capture_is_opened_ranged_and_written_without_a_word() {
    let folder = folder();
    let file = capture(folder.path(), "run.sqlite", "");
    let (opened, said) = recorded(|| {
        let opened = open(&file, &asked(), &HEARS).expect("a capture");
        let part = opened.range(2, 3).expect("a range");
        let rows = RowsAsked { columns: vec!["iteration".into()], ..RowsAsked::default() };
        let table = part.table("iterations", rows).expect("a table");
        assert_eq!((part.judged.iterations.aggregated(), table.columns()), (2, 1));
        let report = ReportFile { path: folder.path().join("a.json"), ..ReportFile::default() };
        assert_eq!(report.write(&opened).expect("a file"), [folder.path().join("a.json")]);
        assert_eq!(report.write(&opened).expect_err("a refusal").kind, RefusalKind::Output);
        opened
    });
    assert_eq!((said.out.as_str(), said.aside.as_str()), ("", ""));
    assert_eq!(opened.name(), "run");
}

#[test]
fn refusals_have_the_codes_and_hints_of_the_program() {
    let folder = folder();
    let file = capture(folder.path(), "run.sqlite", "");
    let refused = |asked: Asked| open(&file, &asked, &HEARS).err().expect("a refusal");
    let missing = open(&folder.path().join("none.sqlite"), &asked(), &HEARS).err().expect("a refusal");
    assert_eq!((missing.kind, missing.code), (RefusalKind::Input, 3));
    let unknown = refused(Asked { key_node: Some("none such".into()), ..asked() });
    assert_eq!((unknown.kind, unknown.code, unknown.hint.is_some()), (RefusalKind::Request, 5, true));
    let reversed = refused(Asked { iter_start: Some(3), iter_stop: Some(2), ..asked() });
    assert_eq!((reversed.kind, reversed.code), (RefusalKind::Usage, 2));
    for wrong in [
        Asked { iter_range: Some("some".into()), ..asked() },
        Asked { batch_size: Some(0), ..asked() },
        Asked { from: Some("5 parsecs".into()), to: Some("soon".into()), ..asked() },
    ] {
        assert!(matches!(refused(wrong).code, 2 | 5));
    }
    assert_eq!(size_in_bytes("2K").ok(), Some(2048));
    assert!(size_in_bytes("much").is_err());
    assert!(
        open_job(std::slice::from_ref(&file), &asked(), None, &|_, _| ControlFlow::Continue(())).is_err()
    );
}

#[test]
fn who_hears_can_end_the_work() {
    let folder = folder();
    let file = capture(folder.path(), "run.sqlite", "");
    let ended = open(&file, &asked(), &Listener(ControlFlow::Break(()))).err().expect("a refusal");
    assert_eq!(ended.kind, RefusalKind::Request);
    let files = [file, capture(folder.path(), "other.sqlite", "")];
    let told = AtomicU64::new(0);
    let ended = open_job(&files, &asked(), None, &|done, _| {
        told.fetch_max(done, Ordering::Relaxed);
        ControlFlow::Break(())
    });
    let ended = ended.err().expect("a refusal");
    assert!(ended.kind == RefusalKind::Request && ended.message.contains("stopped"), "{}", ended.message);
    assert!(told.into_inner() < 2, "the second capture was read");
}

#[test]
fn kept_runs_are_judged_as_their_files_are() {
    let folder = folder();
    let file = Run::File(capture(folder.path(), "run.sqlite", ""));
    let kept = Run::Kept(pool(std::slice::from_ref(&file), &asked()).expect("a document"));
    let verdict = |new: &Run, base: &Run| {
        gate(new, std::slice::from_ref(base), None, None, &asked()).expect("a report").verdict
    };
    assert_ne!(verdict(&file, &file), GateVerdict::Fail);
    assert_eq!(verdict(&file, &kept), verdict(&kept, &file));
    assert!(gate(&file, &[], None, None, &asked()).is_err());
}
