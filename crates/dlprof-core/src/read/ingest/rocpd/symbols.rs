//! Table `info_kernel_symbol`: kernels as they were compiled.

use super::super::columns::columns;
use super::source::Source;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::function_name::function_name;
use crate::base::ids::StrId;
use crate::read::draft::Draft;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// A kernel as it was compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub(super) name: StrId,
    pub(super) short_name: StrId,
    /// Bytes of LDS that every workgroup has.
    pub(super) static_bytes: Option<i64>,
    /// Registers of a work-item: those of vectors, accumulators among them.
    pub(super) registers: Option<i64>,
}

/// What `extdata` says that is used.
#[derive(Deserialize)]
struct Extra {
    demangled_kernel_name: Option<String>,
}

columns! {
    ID "id";
    NAME "kernel_name";
    DISPLAY "display_name";
    STATIC "group_segment_size";
    VGPRS "arch_vgpr_count";
    ACCUMULATORS "accum_vgpr_count";
    EXTRA "extdata";
}

/// The kernels by id.
pub(super) fn read(source: &Source<'_>, draft: &mut Draft<'_>) -> Result<FxHashMap<i64, Symbol>, Error> {
    let mut symbols = FxHashMap::default();
    source.each("info_kernel_symbol", COLUMNS, |row| {
        let int = |column| row.int(column, &mut Diagnostics::default());
        let Some(id) = int(ID) else { return };
        let display = row.text(DISPLAY).or_else(|| row.text(NAME)).unwrap_or_default();
        let display = without_ending(&display);
        let extra = row.text_to_take_apart(EXTRA).and_then(|text| serde_json::from_str::<Extra>(&text).ok());
        let demangled = extra.and_then(|extra| extra.demangled_kernel_name).unwrap_or_default();
        // The name to display may have been cut.
        let whole = Some(without_ending(&demangled)).filter(|whole| whole.len() > display.len());
        let registers = [VGPRS, ACCUMULATORS].map(int).into_iter().flatten().reduce(i64::saturating_add);
        let symbol = Symbol {
            name: draft.name(whole.unwrap_or(display)),
            short_name: draft.name(function_name(display)),
            static_bytes: int(STATIC),
            registers: registers.filter(|&registers| registers > 0),
        };
        symbols.insert(id, symbol);
    })?;
    Ok(symbols)
}

/// A name without the ending of kernels' descriptors, as it is or demangled.
fn without_ending(name: &str) -> &str {
    name.strip_suffix(" [clone .kd]").or_else(|| name.strip_suffix(".kd")).unwrap_or(name)
}
