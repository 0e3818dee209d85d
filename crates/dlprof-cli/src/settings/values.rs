//! Values of options as a user gives them.

use super::choices::{Clock, IterRange, Mode, TimeUnit};
use dlprof_core::{ChangedRules, NamePattern, OwnRuleTable, RankThresholds, Thresholds, UserGpu};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Values of options: what one file or the command line says of them, or all of these together.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct OptionValues {
    pub(crate) iter_start: Option<u32>,
    pub(crate) iter_stop: Option<u32>,
    pub(crate) iter_range: Option<IterRange>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) clock: Option<Clock>,
    pub(crate) batch_size: Option<BatchSize>,
    pub(crate) key_node: Option<String>,
    pub(crate) mode: Option<Mode>,
    pub(crate) profile_name: Option<String>,
    pub(crate) time_unit: Option<TimeUnit>,
    pub(crate) threads: Option<usize>,
    pub(crate) memory: Option<MemorySize>,
    pub(crate) no_cache: Option<bool>,
    pub(crate) nsys: Option<PathBuf>,
    /// Logs of Nsight Compute.
    pub(crate) ncu: Option<Vec<PathBuf>>,
    /// Whether they are of the capture's GPU even where they say otherwise.
    pub(crate) ncu_same_gpu: Option<bool>,
    /// Traces of the capture of graphs.
    pub(crate) capture_trace: Option<PathBuf>,
    /// Further GPUs by name.
    #[serde(default)]
    pub(crate) gpus: BTreeMap<String, UserGpu>,
    #[serde(default)]
    pub(crate) thresholds: Thresholds,
    #[serde(default)]
    pub(crate) kernels: Names,
    #[serde(default)]
    pub(crate) ranks: RankThresholds,
    /// Changed rules; empty once the files are merged, because [`SettingsFiles`](super::files::SettingsFiles) has them.
    #[serde(default)]
    pub(crate) rules: ChangedRules,
    /// Users' rules; empty once the files are merged.
    #[serde(default)]
    pub(crate) rule: Vec<OwnRuleTable>,
}

/// Items of an iteration.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct BatchSize(pub(crate) u32);

impl TryFrom<u32> for BatchSize {
    type Error = &'static str;

    fn try_from(size: u32) -> Result<Self, Self::Error> {
        if size == 0 { Err("a batch has at least one item") } else { Ok(Self(size)) }
    }
}

/// A number of bytes, such as `512M`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct MemorySize(pub(crate) usize);

impl TryFrom<String> for MemorySize {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse_size(&text).map(Self).map_err(|reason| format!("`memory = \"{text}\"`: {reason}"))
    }
}

/// Names beyond those that the program knows.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Names {
    pub(crate) communication: Vec<NamePattern>,
    pub(crate) data_loading: Vec<NamePattern>,
    pub(crate) tensor_cores: Vec<NamePattern>,
}

impl OptionValues {
    /// The names of those options that say how a capture is read.
    pub(super) fn reading_options(&self) -> Vec<&'static str> {
        let given = [
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("key-node", self.key_node.is_some()),
            ("mode", self.mode.is_some()),
            ("ncu", self.ncu.is_some()),
            ("capture-trace", self.capture_trace.is_some()),
        ];
        given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect()
    }

    /// These values; where there is none, that of the settings files. The command line has no tables.
    pub(crate) fn or(self, files: Self) -> Self {
        Self {
            iter_start: self.iter_start.or(files.iter_start),
            iter_stop: self.iter_stop.or(files.iter_stop),
            iter_range: self.iter_range.or(files.iter_range),
            from: self.from.or(files.from),
            to: self.to.or(files.to),
            clock: self.clock.or(files.clock),
            batch_size: self.batch_size.or(files.batch_size),
            key_node: self.key_node.or(files.key_node),
            mode: self.mode.or(files.mode),
            profile_name: self.profile_name.or(files.profile_name),
            time_unit: self.time_unit.or(files.time_unit),
            threads: self.threads.or(files.threads),
            memory: self.memory.or(files.memory),
            no_cache: self.no_cache.or(files.no_cache),
            nsys: self.nsys.or(files.nsys),
            ncu: self.ncu.or(files.ncu),
            ncu_same_gpu: self.ncu_same_gpu.or(files.ncu_same_gpu),
            capture_trace: self.capture_trace.or(files.capture_trace),
            ..files
        }
    }
}

/// A number of bytes, with `K`, `M`, `G` or `T` for powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("expected a whole number of bytes, or one with K, M, G or T, such as 512M".into()),
    };
    let number: usize = digits.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    number
        .checked_mul(1 << shift)
        .filter(|&size| size > 0)
        .ok_or_else(|| "expected at least 1 byte, and no more than this machine can address".into())
}

#[cfg(test)]
mod tests {
    use super::{MemorySize, OptionValues, parse_size};
    use std::path::PathBuf;

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in
            [("1", 1), ("512M", 512 << 20), ("2 GiB", 2 << 30), ("3kb", 3 << 10), ("1t", 1 << 40)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "M", "-1", "1.5G", "1X", "0", "99999999999999999T"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_has_precedence_value_by_value() {
        let given = OptionValues {
            iter_start: Some(3),
            no_cache: Some(true),
            memory: Some(MemorySize(7)),
            ..OptionValues::default()
        };
        let files: OptionValues = toml::from_str(
            "iter-start = 1\niter-stop = 9\nnsys = 'n'\nmemory = '2K'\n[kernels]\ncommunication = ['a']\n\
             [thresholds]\nsubmit_ns = 8\n",
        )
        .expect("a settings file");
        let both = given.or(files);
        assert_eq!((both.iter_start, both.iter_stop, both.no_cache), (Some(3), Some(9), Some(true)));
        assert_eq!((both.memory.map(|size| size.0), both.nsys), (Some(7), Some(PathBuf::from("n"))));
        assert_eq!((both.kernels.communication.len(), both.thresholds.submit_ns), (1, 8));
    }
}
