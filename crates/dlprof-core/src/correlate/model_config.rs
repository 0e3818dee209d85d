//! Settings of the training run, as DLProf's markers record them.

use super::dialects::dlprof::{Marker, Markers};
use crate::facts::Facts;
use serde::{Deserialize, Serialize};

/// Settings of the training run, as DLProf's `model_config` markers record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// Worker processes of the data loader.
    pub num_workers: i64,
    /// Whether the data loader pins memory.
    pub pin_memory: bool,
    /// Whether a convolution ran with cuDNN's benchmark mode off.
    pub cudnn_benchmark_disabled: bool,
    /// Whether automatic mixed precision was on.
    pub amp_enabled: bool,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self { num_workers: 0, pin_memory: true, cudnn_benchmark_disabled: false, amp_enabled: false }
    }
}

impl ModelConfig {
    fn merge(&mut self, json: &serde_json::Value) {
        let flag = |key: &str| {
            json.get(key).and_then(|value| value.as_bool().or_else(|| value.as_i64().map(|value| value != 0)))
        };
        if let Some(workers) = json.get("num_workers").and_then(serde_json::Value::as_i64) {
            self.num_workers = workers;
        }
        self.pin_memory = flag("pin_memory").unwrap_or(self.pin_memory);
        self.cudnn_benchmark_disabled =
            flag("cudnn_benchmark_disabled").unwrap_or(self.cudnn_benchmark_disabled);
        self.amp_enabled = flag("amp_enabled").unwrap_or(self.amp_enabled);
    }
}

/// All `model_config` markers of the capture, in order of time.
pub(super) fn model_config(markers: &Markers, facts: &Facts) -> ModelConfig {
    let mut config = ModelConfig::default();
    if !markers.by_text.iter().any(|marker| matches!(marker, Marker::ModelConfig(_))) {
        return config;
    }
    let ranges = facts.ranges.lists().flat_map(|list| list.span.iter().zip(&list.text));
    let settings = ranges.filter_map(|(span, text)| match &markers.by_text[text.index()] {
        Marker::ModelConfig(json) => Some((span, json)),
        _ => None,
    });
    let mut settings: Vec<_> = settings.collect();
    settings.sort_by_key(|(span, _)| *span);
    settings.into_iter().for_each(|(_, json)| config.merge(json));
    config
}
