//! What a profile says about itself.

use super::markers;
use crate::formats::ExportSource;
use dlprof_core::{Ns, Profile, RecorderKind};
use serde_json::{Value, json};

/// The version of the format that browsers write, which the processed format follows.
const GECKO_VERSION: u32 = 31;

/// The version of the processed format.
const PROCESSED_VERSION: u32 = 57;

/// The head of a profile whose time 0 is `origin`.
pub(super) fn meta(profile: &Profile, profile_name: &str, source: &ExportSource, origin: Ns) -> Value {
    let entry = |label: &str, value: &str| json!({ "label": label, "format": "string", "value": value });
    let window = &source.window;
    let iterations = format!("{} to {}", window.iter_start, window.iter_stop);
    // Milliseconds since 1970; 0 if the export does not say.
    let start_ms =
        profile.capture.source.captured_ns.map_or(0, |began| began.saturating_add(origin) / 1_000_000);
    let recorder = match profile.capture.recorder.kind {
        RecorderKind::Nsys | RecorderKind::Dlprof => "Nsight Systems",
        kind => kind.name(),
    };
    json!({
        "interval": 1,
        "startTime": start_ms,
        "processType": 0,
        "product": profile_name,
        "importedFrom": recorder,
        "stackwalk": 1,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": PROCESSED_VERSION,
        "symbolicated": true,
        "symbolicationNotSupported": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "keepProfileThreadOrder": true,
        "categories": markers::categories(),
        "markerSchema": markers::schemas(profile.capture.recorder),
        "extra": [{
            "label": "Capture",
            "entries": [
                entry("Export", &source.path),
                entry(recorder, &source.nsys_version),
                entry("Iterations", &iterations),
                entry("Key node", window.key_node.as_deref().unwrap_or("none")),
                entry("Mode", source.mode),
                entry("Written by", &format!("{} {}", source.tool, source.tool_version)),
            ],
        }],
    })
}
