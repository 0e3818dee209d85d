//! What a trace says of itself, in the keys around its events.

use super::devices;
use super::numbers::whole_number;
use super::text::unescaped;
use crate::base::time::Ns;
use crate::read::facts::{Device, KinetoNotes, NsysMessage, Vendor};
use serde_json::Value;

/// The keys around the events.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) notes: KinetoNotes,
    pub(super) devices: Vec<Device>,
    /// Whose GPUs they are, if the head tells.
    pub(super) vendor: Option<Vendor>,
    pub(super) cuda_version: Option<String>,
    /// Messages of the profiler.
    pub(super) messages: Vec<NsysMessage>,
    /// The number of the format, if it is not the one that is known.
    pub(super) unknown_schema: Option<String>,
}

/// Longer values are not read: no key that is read has such a value.
const LONGEST_VALUE: usize = 4 << 20;

/// Messages that are kept.
const MOST_MESSAGES: usize = 1000;

/// The keys that are read. `metadata` is not among them, and never will be: it may hold the environment of a program with all its
/// secrets.
const WANTED: [&[u8]; 17] = [
    b"schemaVersion",
    b"deviceProperties",
    b"computeProperties",
    b"distributedInfo",
    b"record_shapes",
    b"profile_memory",
    b"with_stack",
    b"with_flops",
    b"with_modules",
    b"cupti_version",
    b"cuda_runtime_version",
    b"cuda_driver_version",
    b"hip_runtime_version",
    b"baseTimeNanoseconds",
    b"INFO",
    b"WARNING",
    b"ERROR",
];

impl Head {
    /// Whether the value of a key is read.
    pub(super) fn wants(key: &[u8]) -> bool {
        WANTED.contains(&key) || is_of_rocm(key)
    }

    /// Takes a key and its value, as they stand in the file.
    pub(super) fn take(&mut self, key: &[u8], value: &[u8]) {
        if is_of_rocm(key) {
            self.vendor = Some(Vendor::Amd);
        }
        if value.len() > LONGEST_VALUE {
            return;
        }
        // A value that is not JSON, such as `inf`, is unknown.
        let Ok(value) = serde_json::from_str::<Value>(&String::from_utf8_lossy(value)) else { return };
        match key {
            b"schemaVersion" if whole_number(&value) != Some(1) => {
                self.unknown_schema = Some(value.to_string())
            }
            b"deviceProperties" | b"computeProperties" => {
                self.devices = devices::read(&value, &mut self.vendor);
            }
            b"distributedInfo" => self.take_job(&value),
            b"record_shapes" => self.notes.record_shapes = is_set(&value),
            b"profile_memory" => self.notes.profile_memory = is_set(&value),
            b"with_stack" => self.notes.with_stack = is_set(&value),
            b"with_flops" => self.notes.with_flops = is_set(&value),
            b"with_modules" => self.notes.with_modules = is_set(&value),
            b"cupti_version" => self.notes.cupti_version = whole_number(&value),
            b"cuda_runtime_version" => self.cuda_version = whole_number(&value).and_then(cuda_version),
            b"cuda_driver_version" => self.notes.cuda_of_driver = whole_number(&value).and_then(cuda_version),
            b"hip_runtime_version" => self.notes.hip_version = whole_number(&value).and_then(hip_version),
            b"baseTimeNanoseconds" => {
                self.notes.base_ns = whole_number(&value).and_then(|ns| Ns::try_from(ns).ok());
            }
            b"INFO" => self.take_messages(&value, 1),
            b"WARNING" => self.take_messages(&value, 2),
            b"ERROR" => self.take_messages(&value, 3),
            _ => {}
        }
    }

    fn take_job(&mut self, value: &Value) {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        self.notes.rank = value.get("rank").and_then(whole_number);
        self.notes.world_size = value.get("world_size").and_then(whole_number);
        self.notes.backend = text("backend").filter(|backend| !backend.is_empty());
        self.notes.nccl_version = text("nccl_version").filter(|version| !version.is_empty());
    }

    fn take_messages(&mut self, value: &Value, severity: i64) {
        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        let room = MOST_MESSAGES.saturating_sub(self.messages.len());
        self.messages.extend(texts.take(room).map(|text| NsysMessage {
            severity,
            text: text.to_owned(),
            pid: None,
        }));
    }
}

/// Whether only a profiler of AMD's GPUs writes a key.
fn is_of_rocm(key: &[u8]) -> bool {
    key.starts_with(b"hip_") || key.starts_with(b"roctracer")
}

fn is_set(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| whole_number(value).is_some_and(|number| number != 0))
}

/// 12040 is 12.4.
fn cuda_version(number: u64) -> Option<String> {
    (number >= 1000).then(|| format!("{}.{}", number / 1000, number % 1000 / 10))
}

/// 60443483 is 6.4.43483.
fn hip_version(number: u64) -> Option<String> {
    const MAJOR: u64 = 10_000_000;
    const MINOR: u64 = 100_000;
    (number >= MAJOR).then(|| format!("{}.{}.{}", number / MAJOR, number % MAJOR / MINOR, number % MINOR))
}

/// The name of a thread or process in the arguments of an event that names it.
pub(super) fn given_name(token: &[u8]) -> Option<String> {
    Some(unescaped(token).trim().to_owned()).filter(|name| !name.is_empty())
}
