//! How to record a capture again: what was recorded before is recorded again, in words of what recorded it.

use crate::base::diagnostics::DiagnosticCode;
use crate::capture::CaptureContents;

impl CaptureContents {
    /// The option of nsys that records CUDA and ranges, and all that the capture was recorded with; with calls of the operating
    /// system, or with these only where it has them.
    #[must_use]
    pub fn trace_option(&self, with_os_calls: bool) -> String {
        let also = self.notes.also_traced.iter().map(String::as_str);
        let os_calls = (with_os_calls || self.host.os_calls.is_some()).then_some("osrt");
        let kinds: Vec<&str> = ["cuda", "nvtx"].into_iter().chain(also).chain(os_calls).collect();
        format!("--trace={}", kinds.join(","))
    }

    /// The command of nsys with this option.
    #[must_use]
    pub fn nsys_command(&self, with_os_calls: bool) -> String {
        format!("nsys profile {}", self.trace_option(with_os_calls))
    }
}

/// What to do about what was met; of a capture, with all that it was recorded with, and in words of what recorded it.
#[must_use]
pub fn hint_in(code: DiagnosticCode, capture: Option<&CaptureContents>) -> Option<String> {
    let hint = code.hint()?;
    let trace = capture.map_or_else(|| "--trace=cuda,nvtx".to_owned(), |capture| capture.trace_option(false));
    if code == DiagnosticCode::NoRanges
        && let Some(events) = capture.and_then(|capture| capture.notes.ranges_left_out)
    {
        return Some(format!("export again without `--tables`: nsys collected {events} events of NVTX"));
    }
    let were_traced = capture.is_some_and(|capture| capture.notes.nvtx_traced == Some(true));
    let ranges = match were_traced {
        true => "; they were traced, and there were none".to_owned(),
        false => format!(", and capture with `{trace}`"),
    };
    let vendor = capture.map(|capture| capture.recorder.vendor).unwrap_or_default();
    let places = [("{trace}", trace.as_str()), ("{ranges}", &ranges), ("{activities}", vendor.activities())];
    Some(places.into_iter().fold(hint.to_owned(), |hint, (place, words)| hint.replace(place, words)))
}

#[cfg(test)]
mod tests {
    use super::hint_in;
    use crate::base::diagnostics::DiagnosticCode;
    use crate::read::facts::Vendor;
    use crate::tests::drawn::Drawn;

    #[test]
    fn options_keep_what_was_recorded() {
        let options = |also: &[&str], os_calls: bool| {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000).also_traced(also);
            if os_calls {
                drawn.os_call("read", 10..20);
            }
            let capture = drawn.capture();
            [false, true].map(|with_os_calls| capture.trace_option(with_os_calls))
        };
        assert_eq!(options(&[], false), ["--trace=cuda,nvtx", "--trace=cuda,nvtx,osrt"]);
        assert_eq!(options(&[], true), ["--trace=cuda,nvtx,osrt"; 2]);
        let of_mpi = ["--trace=cuda,nvtx,mpi,openacc", "--trace=cuda,nvtx,mpi,openacc,osrt"];
        assert_eq!(options(&["mpi", "openacc"], false), of_mpi);
        assert_eq!(options(&["mpi", "openacc"], true), [of_mpi[1]; 2]);
    }

    #[test]
    fn ranges_that_were_traced_are_not_asked_for_again() {
        let hint = |traced: Option<bool>| {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000).nvtx_traced(traced);
            hint_in(DiagnosticCode::NoRanges, Some(&drawn.capture())).expect("a hint")
        };
        assert_eq!(hint(Some(true)), "add NVTX ranges to the program; they were traced, and there were none");
        for traced in [None, Some(false)] {
            assert!(hint(traced).ends_with("capture with `--trace=cuda,nvtx`"), "{traced:?}");
        }
    }

    #[test]
    fn ranges_that_the_export_lacks_are_exported_again() {
        let mut drawn = Drawn::new();
        drawn.launch(0..1_000, "saxpy", 2_000..3_000).nvtx_traced(Some(true)).ranges_left_out(166);
        let hint = hint_in(DiagnosticCode::NoRanges, Some(&drawn.capture())).expect("a hint");
        assert_eq!(hint, "export again without `--tables`: nsys collected 166 events of NVTX");
    }

    #[test]
    fn hints_fill_every_place_and_name_the_activity_of_the_gpu() {
        for vendor in [Vendor::Nvidia, Vendor::Intel, Vendor::Other] {
            let mut drawn = Drawn::new();
            drawn.launch(0..1_000, "saxpy", 2_000..3_000).of_torch_profiler().of_vendor(vendor);
            let capture = drawn.capture();
            let hints: Vec<String> =
                DiagnosticCode::ALL.iter().filter_map(|&code| hint_in(code, Some(&capture))).collect();
            assert!(hints.iter().all(|hint| !hint.contains('{')), "{hints:?}");
            let named = hints.iter().filter(|hint| hint.contains(vendor.activities())).count();
            assert_eq!(named, 2, "{vendor:?}");
        }
    }
}
