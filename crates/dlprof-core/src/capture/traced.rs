//! How to record a capture again: what was recorded before is recorded again.

use crate::base::diagnostics::DiagnosticCode;
use crate::capture::CaptureContents;

/// What a command records that names no more.
const USUAL: &str = "--trace=cuda,nvtx";

/// The same with calls of the operating system.
const WITH_OS_CALLS: &str = "--trace=cuda,nvtx,osrt";

/// What a hint on ranges says of recording, which was done where ranges were traced.
const AND_RECORD: &str = ", and capture with `--trace=cuda,nvtx`";

/// Words of hints on how to record, and what stands in their place so that nothing is lost that the capture has: replaced one
/// after the other. Empty where hints keep all.
pub(crate) fn replacements(capture: &CaptureContents) -> Vec<(&'static str, String)> {
    let has_os_calls = capture.host.os_calls.is_some();
    let mut kinds: Vec<&str> = capture.notes.also_traced.iter().map(String::as_str).collect();
    kinds.extend(has_os_calls.then_some("osrt"));
    let traced = capture.notes.nvtx_traced == Some(true);
    let recorded = traced.then(|| (AND_RECORD, "; they were traced, and there were none".to_owned()));
    if kinds.is_empty() {
        return recorded.into_iter().collect();
    }
    let all = (USUAL, format!("{USUAL},{}", kinds.join(",")));
    let without_os_calls = has_os_calls.then(|| (WITH_OS_CALLS, USUAL.to_owned()));
    recorded.into_iter().chain(without_os_calls).chain([all]).collect()
}

/// A hint on how to record, such as `nsys profile --trace=cuda,nvtx`, with all that the capture was recorded with.
#[must_use]
pub fn with_all_traced(hint: &str, capture: &CaptureContents) -> String {
    let replaced = |hint: String, (old, new): (&str, String)| hint.replace(old, &new);
    let hint = replacements(capture).into_iter().fold(hint.to_owned(), replaced);
    capture.recorder.in_its_words(&hint).into_owned()
}

/// What to do about what was met; of a capture, with all that it was recorded with.
#[must_use]
pub fn hint_in(code: DiagnosticCode, capture: Option<&CaptureContents>) -> Option<String> {
    let hint = code.hint()?;
    Some(capture.map_or_else(|| hint.to_owned(), |capture| with_all_traced(hint, capture)))
}

#[cfg(test)]
mod tests {
    use super::with_all_traced;
    use crate::base::diagnostics::DiagnosticCode;
    use crate::base::time::Ns;
    use crate::tests::drawn::Drawn;

    #[test]
    fn hints_keep_what_was_recorded() {
        let hints = |also: &[&str], os_calls: bool| {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000).also_traced(also);
            let calls: &[Ns] = if os_calls { &[10] } else { &[] };
            calls.iter().for_each(|&at| _ = drawn.os_call("read", at..at + 10));
            let capture = drawn.capture();
            [
                "nsys profile --trace=cuda,nvtx",
                "`--trace=cuda,nvtx,osrt`, CPU samples",
                "--cuda-graph-trace=node",
            ]
            .map(|hint| with_all_traced(hint, &capture))
        };
        let graphs = "--cuda-graph-trace=node";
        let usual = ["nsys profile --trace=cuda,nvtx", "`--trace=cuda,nvtx,osrt`, CPU samples", graphs];
        assert_eq!(hints(&[], false), usual);
        let with_os_calls = ["nsys profile --trace=cuda,nvtx,osrt", usual[1], graphs];
        assert_eq!(hints(&[], true), with_os_calls);
        let of_mpi = [
            "nsys profile --trace=cuda,nvtx,mpi,openacc",
            "`--trace=cuda,nvtx,mpi,openacc,osrt`, CPU samples",
            graphs,
        ];
        assert_eq!(hints(&["mpi", "openacc"], false), of_mpi);
        assert_eq!(hints(&["mpi", "openacc"], true)[1], of_mpi[1]);
        assert_eq!(hints(&["mpi"], true)[0], "nsys profile --trace=cuda,nvtx,mpi,osrt");
    }

    #[test]
    fn ranges_that_were_traced_are_not_asked_for_again() {
        let hint = |traced: Option<bool>| {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000).nvtx_traced(traced);
            let hint = DiagnosticCode::NoRanges.hint().expect("a hint");
            with_all_traced(hint, &drawn.capture())
        };
        assert_eq!(hint(Some(true)), "add NVTX ranges to the program; they were traced, and there were none");
        for traced in [None, Some(false)] {
            assert!(hint(traced).ends_with("capture with `--trace=cuda,nvtx`"), "{traced:?}");
        }
    }
}
