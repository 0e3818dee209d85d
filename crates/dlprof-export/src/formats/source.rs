//! Which capture a data file was made from, and which part of it: one object for JSON, Parquet, Arrow and `export.json`.

use crate::dates;
use dlprof_core::{Ns, Profile, open_regular_file};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The capture and the window that figures are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportSource {
    /// Absolute path of the export that was read.
    pub path: String,
    /// Its size.
    pub size_bytes: u64,
    /// SHA-256 of its first MiB in hexadecimal digits; none if the file is gone or has another size now.
    pub sha256_first_mib: Option<String>,
    /// SHA-256 of its last MiB; of a shorter file both are of the whole file.
    pub sha256_last_mib: Option<String>,
    /// When the capture began, in UTC by RFC 3339; none if the export does not say.
    pub captured_at: Option<String>,
    /// The nsys version that made the export; empty before nsys 2022.
    pub nsys_version: String,
    /// The version of the export's tables; empty before nsys 2022.
    pub schema_version: String,
    /// The command that nsys ran, as a POSIX shell reads it back; none if the export does not say.
    pub command: Option<String>,
    /// How ranges were read.
    pub mode: &'static str,
    /// Why in this mode.
    pub mode_reason: String,
    /// The part of the capture that is aggregated.
    pub window: ExportWindow,
    /// `dlprof-agg`.
    pub tool: &'static str,
    /// Its version.
    pub tool_version: &'static str,
}

/// The part of a capture that is aggregated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportWindow {
    /// Start in nanoseconds since the start of the capture, on the clock in force.
    pub start_ns: Ns,
    /// End, exclusive.
    pub end_ns: Ns,
    /// The clock in force: `cpu` or `gpu`.
    pub clock: &'static str,
    /// First aggregated iteration.
    pub iter_start: u32,
    /// Last aggregated iteration, inclusive.
    pub iter_stop: u32,
    /// How often the step runs in them: sums over it are per iteration. None without iterations.
    pub passes: Option<u32>,
    /// The op that delimits iterations; none if the whole capture is one iteration.
    pub key_node: Option<String>,
    /// Where `--from` and `--to` cut the capture: begin in nanoseconds since its start; none if it is whole.
    pub cut_start_ns: Option<Ns>,
    /// Its end, exclusive; none if it is whole.
    pub cut_end_ns: Option<Ns>,
}

impl ExportSource {
    /// The source of a profile. Reads at most two MiB of the export.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let source = &profile.capture.source;
        let iterations = &profile.iterations;
        let path = std::path::absolute(&source.path).unwrap_or_else(|_| source.path.clone());
        let [first, last] = ends(&path, source.size_bytes).ok().map_or([None, None], |sums| sums.map(Some));
        let span = iterations.aggregated_span();
        let cut = profile.capture.description.cut.as_ref();
        Self {
            path: path.to_string_lossy().into_owned(),
            size_bytes: source.size_bytes,
            sha256_first_mib: first,
            sha256_last_mib: last,
            captured_at: source.captured_ns.map(dates::rfc3339),
            nsys_version: source.product_version.clone(),
            schema_version: source.schema_version.clone(),
            command: crate::origin::command(profile),
            mode: profile.capture.description.mode.as_str(),
            mode_reason: profile.capture.description.mode_reason.clone(),
            window: ExportWindow {
                start_ns: span.start,
                end_ns: span.end,
                clock: profile.summary.clock.as_str(),
                iter_start: iterations.start,
                iter_stop: iterations.stop,
                passes: iterations.key_node.as_ref().map(|_| iterations.passes()),
                key_node: iterations.key_node.as_ref().map(|key_node| key_node.name.clone()),
                cut_start_ns: cut.map(|cut| cut.span.start),
                cut_end_ns: cut.map(|cut| cut.span.end),
            },
            tool: "dlprof-agg",
            tool_version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// The object as JSON text, for the metadata of Parquet and Arrow files.
    pub(super) fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}

/// The JSON Schema of [`ExportSource`].
pub(super) fn schema() -> serde_json::Value {
    let text = |doc: &str| json!({ "type": "string", "description": doc });
    let maybe = |doc: &str| json!({ "type": ["string", "null"], "description": doc });
    let whole = |doc: &str| json!({ "type": "integer", "description": doc });
    let maybe_whole = |doc: &str| json!({ "type": ["integer", "null"], "description": doc });
    let object = |properties: serde_json::Value| {
        let keys: Vec<&String> = properties.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
        json!({ "type": "object", "required": keys, "properties": properties })
    };
    let window = object(json!({
        "start_ns": whole("Start in nanoseconds since the start of the capture, on the clock in force."),
        "end_ns": whole("End, exclusive."),
        "clock": text("The clock in force: `cpu` or `gpu`."),
        "iter_start": whole("First aggregated iteration."),
        "iter_stop": whole("Last aggregated iteration, inclusive."),
        "passes": maybe_whole(
            "How often the step runs in them, an unsplit iteration counted as the passes that it holds: sums divided by it are per \
             iteration. Null without iterations."
        ),
        "key_node": maybe("The op that delimits iterations; null if the whole capture is one iteration."),
        "cut_start_ns": maybe_whole(
            "Where `--from` and `--to` cut the capture: begin in nanoseconds since its start; null if it is whole."
        ),
        "cut_end_ns": maybe_whole("Its end, exclusive; null if it is whole."),
    }));
    object(json!({
        "path": text("Absolute path of the export that was read."),
        "size_bytes": whole("Its size."),
        "sha256_first_mib": maybe("SHA-256 of its first MiB; null if the file is gone or has another size now."),
        "sha256_last_mib": maybe("SHA-256 of its last MiB; of a shorter file both are of the whole file."),
        "captured_at": maybe("When the capture began, in UTC by RFC 3339; null if the export does not say."),
        "nsys_version": text("The nsys version that made the export; empty before nsys 2022."),
        "schema_version": text("The version of the export's tables; empty before nsys 2022."),
        "command": maybe("The command that nsys ran, as a POSIX shell reads it back; null if the export does not say."),
        "mode": text("How ranges were read."),
        "mode_reason": text("Why in this mode."),
        "window": window,
        "tool": json!({ "const": "dlprof-agg" }),
        "tool_version": text("Version of dlprof-agg."),
    }))
}

/// SHA-256 of the first and of the last MiB of a file of a given size.
fn ends(path: &Path, size_bytes: u64) -> io::Result<[String; 2]> {
    const MIB: u64 = 1 << 20;
    let mut file = open_regular_file(path)?;
    if file.metadata()?.len() != size_bytes {
        return Err(io::Error::other("the file has changed"));
    }
    let mut sum_from = |start: u64| -> io::Result<String> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.by_ref().take(MIB).read_to_end(&mut bytes)?;
        Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
    };
    Ok([sum_from(0)?, sum_from(size_bytes.saturating_sub(MIB))?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ends_of_a_file_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large");
        let mut bytes = vec![1; 3 << 20];
        let mut sums = |change: &dyn Fn(&mut Vec<u8>)| {
            change(&mut bytes);
            std::fs::write(&path, &bytes).expect("a file");
            ends(&path, bytes.len() as u64).expect("sums")
        };
        let plain = sums(&|_| {});
        assert_eq!(plain[0], plain[1]);
        assert_eq!(sums(&|bytes| bytes[3 << 19] = 2), plain, "the middle is not read");
        let last = sums(&|bytes| bytes[(3 << 20) - 1] = 2);
        assert!(last[0] == plain[0] && last[1] != plain[1]);
        std::fs::write(&path, b"abc").expect("a file");
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ends(&path, 3).expect("sums"), [abc, abc]);
        assert!(ends(&path, 4).is_err(), "another size");
    }
}
