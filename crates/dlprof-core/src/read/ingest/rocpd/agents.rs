//! Table `info_agent`: processors, of which the GPUs are of interest.

use super::super::columns::columns;
use super::source::Source;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::read::draft::Draft;
use crate::read::facts::Device;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// A processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agent {
    /// Its place among the GPUs of the draft; none if it is something else.
    pub(super) gpu: Option<u32>,
}

columns! {
    ID "id";
    NODE "nid";
    TYPE "type";
    ABSOLUTE "absolute_index";
    OF_TYPE "type_index";
    NAME "name";
    PRODUCT "product_name";
    EXTRA "extdata";
}

/// The processors by id. A GPU that several processes list is one.
pub(super) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<FxHashMap<i64, Agent>, Error> {
    let mut agents = FxHashMap::default();
    source.each("info_agent", COLUMNS, |row| {
        let int = |column| row.int(column, &mut Diagnostics::default());
        let Some(id) = int(ID) else { return };
        let is_gpu = row.text(TYPE).is_some_and(|kind| kind == "GPU");
        let gpu = is_gpu.then(|| {
            let number = int(OF_TYPE).unwrap_or(id);
            let key = (int(NODE).unwrap_or(0), int(ABSOLUTE).unwrap_or(id));
            let texts = [row.text(PRODUCT), row.text(NAME)];
            let extra = row.text(EXTRA).and_then(|text| serde_json::from_str(&text).ok());
            draft.device(key, || describe(number, texts, &extra.unwrap_or(Value::Null)))
        });
        agents.insert(id, Agent { gpu });
    })?;
    Ok(agents)
}

/// A GPU by its number, its product, its architecture (`gfx942`), and what else is said of it.
fn describe(number: i64, [product, architecture]: [Option<String>; 2], extra: &Value) -> Device {
    let value = |key: &str| extra.get(key).and_then(Value::as_i64).filter(|&value| value > 0);
    let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let architecture = filled(architecture);
    Device {
        device_id: number,
        name: filled(product).or_else(|| architecture.clone()),
        architecture,
        sm_count: value("cu_count"),
        clock_hz: value("max_engine_clk_fcompute").map(|mhz| mhz.saturating_mul(1_000_000)),
        memory_bytes: value("local_mem_size"),
        warps_per_sm: value("max_waves_per_cu")
            .or_else(|| Some(value("max_waves_per_simd")?.saturating_mul(value("simd_per_cu")?))),
        wave_size: value("wave_front_size"),
        simds_per_sm: value("simd_per_cu"),
        shared_bytes_per_sm: value("lds_size_in_kb").map(|kib| kib.saturating_mul(1024)),
        ..Device::default()
    }
}
