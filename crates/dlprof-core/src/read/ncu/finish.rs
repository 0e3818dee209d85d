//! The end of a log: how its numbers are written is known, and values become figures.

use super::draft::{Draft, Drafts};
use super::figures::figures_of;
use super::launch::{NcuForm, NcuLaunch, NcuLog, NcuMetric};
use super::numbers::Evidence;
use super::texts::Texts;
use super::values::Values;
use std::sync::Arc;

/// Makes the log.
pub(super) fn finish(drafts: Drafts, evidence: &Evidence, file: &str, form: NcuForm, blocks: u32) -> NcuLog {
    let Drafts { names, units, launches: made, mut oddities, keeps_all, mut texts, .. } = drafts;
    let mut values = Values::new(&names, evidence.foreign_mark());
    let mut launches = Vec::with_capacity(made.len());
    for mut draft in made {
        draft.become_mean(&names, |value, mark| values.settled(value, mark));
        values.fill(&draft);
        complete_identity(&mut draft, &values, &mut texts);
        let mut launch = draft.launch;
        *launch.figures = figures_of(&values, launch.compute_capability.as_deref());
        oddities.failed_launches += if launch.is_failed { launch.invocations } else { 0 };
        if keeps_all {
            let metric = |value: &super::metric::Value| -> Option<NcuMetric> {
                let name = names.get_index(value.metric as usize)?.clone();
                let settled = values.settled(value.value, value.mark);
                let extent = draft.extents.iter().find(|(metric, _)| *metric == value.metric);
                Some(NcuMetric {
                    instances: values.parts(&name).unwrap_or_default().to_vec(),
                    name,
                    value: (!settled.is_nan()).then_some(settled),
                    extent: extent.map(|(_, extent)| {
                        extent.map(|side| side.map(|(value, mark)| values.settled(value, mark)))
                    }),
                    unit: units.get_index(usize::from(value.unit)).cloned().unwrap_or_default(),
                })
            };
            launch.metrics = draft.values.iter().filter_map(metric).collect();
            launch.texts = draft.texts;
        }
        launches.push(launch);
    }
    NcuLog { file: file.into(), form, blocks, launches, oddities, numbers: evidence.summary() }
}

/// Adds what only metrics say about who a launch is.
fn complete_identity(draft: &mut Draft, values: &Values<'_>, texts: &mut Texts) {
    let text = |name: &str| -> Option<Arc<str>> {
        draft.texts.iter().find(|(known, _)| &**known == name).map(|(_, text)| text.clone())
    };
    let launch: &mut NcuLaunch = &mut draft.launch;
    let size = |prefix: &str| {
        let side = |axis: &str| values.get(&format!("{prefix}{axis}")).and_then(whole);
        Some([side("x")?, side("y")?, side("z")?])
    };
    let product = |size: [u64; 3]| size.iter().try_fold(1_u64, |product, side| product.checked_mul(*side));
    launch.block = launch.block.or_else(|| size("launch__block_dim_"));
    launch.grid = launch.grid.or_else(|| size("launch__grid_dim_"));
    let total = |size: Option<[u64; 3]>, name: &str| match size {
        Some(size) => product(size),
        None => values.get(name).and_then(whole),
    };
    launch.threads = launch.threads.or_else(|| total(launch.block, "launch__block_size"));
    launch.blocks = launch.blocks.or_else(|| total(launch.grid, "launch__grid_size"));
    launch.is_failed = launch.block == Some([0; 3]) && launch.grid == Some([0; 3]);
    if launch.compute_capability.is_none() {
        launch.compute_capability = text("device__attribute_compute_capability_major").map(|major| {
            let minor = text("device__attribute_compute_capability_minor");
            texts.shared(&format!("{}.{}", major.trim(), minor.as_deref().unwrap_or("0").trim()))
        });
    }
    launch.gpu_name = text("device__attribute_display_name").filter(|name| !name.trim().is_empty());
}

/// A count that a metric holds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn whole(value: f64) -> Option<u64> {
    (0.0..=9e15).contains(&value).then_some(value as u64)
}
