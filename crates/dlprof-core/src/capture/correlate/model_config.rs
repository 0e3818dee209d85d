//! Settings of the training run, as DLProf's markers record them.

use super::dialects::dlprof::{Marker, Markers};
use crate::read::facts::Facts;
pub(crate) use crate::read::facts::ModelConfig;

/// Takes over what a marker says.
fn merge(config: &mut ModelConfig, json: &serde_json::Value) {
    if let Some(workers) = json.get("num_workers").and_then(serde_json::Value::as_i64) {
        config.num_workers = workers;
    }
    let flags = [
        ("pin_memory", &mut config.pin_memory),
        ("cudnn_benchmark_disabled", &mut config.cudnn_benchmark_disabled),
        ("detect_anomaly", &mut config.detect_anomaly),
        ("gradcheck", &mut config.gradcheck),
        ("gradgradcheck", &mut config.gradgradcheck),
        ("profile", &mut config.autograd_profile),
        ("set_detect_anomaly", &mut config.autograd_set_detect_anomaly),
        ("emit_nvtx", &mut config.emit_nvtx),
        ("amp_enabled", &mut config.amp_enabled),
    ];
    for (key, flag) in flags {
        let said =
            |value: &serde_json::Value| value.as_bool().or_else(|| value.as_i64().map(|value| value != 0));
        *flag = json.get(key).and_then(said).unwrap_or(*flag);
    }
}

/// All `model_config` markers of the capture, in order of time.
pub(super) fn model_config(markers: &Markers, facts: &Facts) -> ModelConfig {
    let mut config = ModelConfig::default();
    if !markers.all().any(|marker| matches!(marker, Marker::ModelConfig(_))) {
        return config;
    }
    let ranges = facts.ranges.lists().flat_map(|list| list.span.iter().zip(&list.text));
    let settings = ranges.filter_map(|(span, text)| match markers.get(*text) {
        Marker::ModelConfig(json) => Some((span, json)),
        _ => None,
    });
    let mut settings: Vec<_> = settings.collect();
    settings.sort_by_key(|(span, _)| *span);
    settings.into_iter().for_each(|(_, json)| merge(&mut config, json));
    config
}
