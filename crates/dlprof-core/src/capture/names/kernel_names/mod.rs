//! What the name of a kernel says: what it computes, whether and how it exchanges data, whether it uses Tensor Cores, its library, and
//! the format of its operands. What a name does not say is unknown.
//!
//! The function decides before the namespace, and the namespace before template arguments; parameters are looked at only for types of
//! handles. Wrappers say nothing: of these the first template argument that says something is the function. All words stand in tables,
//! a file each.

mod decoded;
mod exchange;
mod kinds;
mod libraries;
mod parts;
mod precision;
mod reading;
mod rule;
mod tables;
mod tensor_marks;
mod words;

#[cfg(test)]
mod tests;

pub use exchange::Exchange;
pub(crate) use kinds::NamedKind;
pub use precision::Precision;

use crate::capture::correlate::TensorCores;
use libraries::{LIBRARIES, Place};
use parts::Parts;
use reading::Reading;
use tables::{TABLES, Tables};

/// What the name of a kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelNameSays {
    /// What it computes; `None` if the name does not say. Kernels that exchange data may compute as well.
    pub(crate) kind: Option<NamedKind>,
    /// Whether it exchanges data, and how.
    pub(crate) exchange: Exchange,
    /// Whether it uses Tensor Cores.
    pub(crate) tensor_cores: TensorCores,
    /// The library that it is of.
    pub(crate) library: Option<&'static str>,
    /// The format of its operands.
    pub(crate) precision: Option<Precision>,
}

/// What a name says.
pub(crate) fn kernel_name_says(name: &str) -> KernelNameSays {
    let decoded = decoded::decoded(name);
    let tables = &*TABLES;
    let reading = tables.read(decoded.as_deref().unwrap_or(name));
    let library = tables.library(&reading);
    let kind = tables.kind(&reading);
    let exchange = tables.exchange(&reading, kind);
    // What may be exchange is not told by a weak word.
    let kind = kind.filter(|_| exchange != Exchange::Unknown || kind == Some(NamedKind::Graph));
    let precision = tables.precision(&reading, kind, exchange);
    let tensor_cores = match exchange.is_yes() {
        // What exchanges data may multiply it on the way.
        true if reading.function.has_any(&tables.marks.products) => TensorCores::Unknown,
        true => TensorCores::NotUsed,
        false => tables.tensor_cores(&reading, kind, library, precision),
    };
    KernelNameSays { kind, exchange, tensor_cores, library, precision }
}

impl Tables {
    fn library(&self, reading: &Reading<'_>) -> Option<&'static str> {
        let Reading { parts, outer_namespaces, outer_function, function, types, .. } = reading;
        if is_of_xla(parts) {
            return Some("XLA");
        }
        let namespaces = || parts.namespaces.iter().chain(outer_namespaces);
        let starts = |text: &str| {
            let begin = parts.function.get(..text.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(text)) || outer_function.starts_with(text)
        };
        let fits = |&(&(place, text, _), words): &(&(Place, &str, &str), &words::Found)| match place {
            Place::Namespace => namespaces().any(|namespace| *namespace == text),
            Place::NamespaceStart => namespaces().any(|namespace| namespace.starts_with(text)),
            Place::Start => starts(text),
            Place::StartWithArch => starts(text) && parts.function.contains("_sm"),
            Place::Words => function.has_any(words),
            Place::BareWords => parts.is_bare() && function.has_any(words),
            Place::Types => types.contains(text) || parts.parameters.contains(text),
        };
        LIBRARIES.iter().zip(&self.libraries).find(fits).map(|(&(.., library), _)| library)
    }

    fn kind(&self, reading: &Reading<'_>) -> Option<NamedKind> {
        let function = reading.parts.function;
        if function.starts_with("CUDA graph ") {
            return Some(NamedKind::Graph);
        }
        if let Some(&(_, kind)) = kinds::COMPILERS.iter().find(|(begin, _)| function.starts_with(begin)) {
            let of_ops = |(of, table): &(_, rule::Table<_>)| {
                (*of == kind).then(|| table.first(&reading.function, &reading.namespaces)).flatten()
            };
            return self.fused.iter().find_map(of_ops).or(Some(kind));
        }
        if is_of_xla(&reading.parts) {
            return self.xla.first(&reading.function, &reading.namespaces);
        }
        let by_namespace = || self.by_namespace.first(&reading.innermost, &reading.namespaces);
        let by_function = self.kinds.first(&reading.function, &reading.namespaces);
        by_function.or(reading.of_wrapper).or_else(by_namespace)
    }

    fn exchange(&self, reading: &Reading<'_>, kind: Option<NamedKind>) -> Exchange {
        if self.exchanges(reading) {
            let of_namespaces = || self.operations.first(&reading.namespaces, &reading.namespaces);
            let operation = self.operations.first(&reading.function, &reading.namespaces);
            return operation.or_else(of_namespaces).unwrap_or(Exchange::Some);
        }
        let is_weak = |kind| {
            use NamedKind::{Elementwise, Preparation, Rearrangement, Reduction, Routing};
            matches!(kind, Elementwise | Preparation | Rearrangement | Reduction | Routing)
        };
        let may_exchange = reading.function.has_any(&self.exchange.ambiguous);
        let outermost = reading.parts.namespaces.first();
        let is_local = outermost.is_some_and(|namespace| exchange::LOCAL_NAMESPACES.contains(namespace));
        match kind {
            None if is_local && !may_exchange => Exchange::No,
            None | Some(NamedKind::Graph) => Exchange::Unknown,
            Some(kind) if may_exchange && is_weak(kind) => Exchange::Unknown,
            Some(_) => Exchange::No,
        }
    }

    /// Whether a kernel is known to exchange data, or to be a part of a library for it.
    fn exchanges(&self, reading: &Reading<'_>) -> bool {
        let Reading { parts, function, namespaces, types, .. } = reading;
        let name = parts.function;
        let begins =
            |prefix: &&str| name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix));
        let is_of_exchange = |(depth, namespace): (usize, &&str)| {
            let is_known = exchange::NAMESPACES.iter().any(|known| namespace.eq_ignore_ascii_case(known));
            is_known || depth > 0 && *namespace == exchange::INNER_NAMESPACE
        };
        let has_handle = |handle: &&str| parts.parameters.contains(handle) || types.contains(handle);
        exchange::PREFIXES.iter().any(begins)
            || parts.namespaces.iter().enumerate().any(is_of_exchange)
            || namespaces.has_any(&self.exchange.namespace)
            || function.has_any(&self.exchange.function) && !function.has_any(&self.exchange.local)
            || exchange::HANDLES.iter().any(has_handle)
    }

    fn tensor_cores(
        &self,
        reading: &Reading<'_>,
        kind: Option<NamedKind>,
        library: Option<&str>,
        precision: Option<Precision>,
    ) -> TensorCores {
        let Reading { function, namespaces, innermost, arguments, parts, .. } = reading;
        let marks = &self.marks;
        if function.with(arguments).has_any(&marks.not_used) || kind.is_some_and(|kind| !kind.may_multiply())
        {
            return TensorCores::NotUsed;
        }
        if function.with(namespaces).with(arguments).has_any(&marks.used) {
            return TensorCores::Used;
        }
        if function.with(innermost).has_any(&marks.not_used_without_shape) {
            return TensorCores::NotUsed;
        }
        let is_attention = kind == Some(NamedKind::Attention);
        let is_product = kind == Some(NamedKind::Matrix);
        let is_of = |libraries: &[&str]| library.is_some_and(|library| libraries.contains(&library));
        let of_library = (is_product || is_attention)
            && (function.with(namespaces).has_any(&marks.used_by_library)
                || is_of(&["DeepGEMM"])
                || is_of(&["TensorRT-LLM"]) && parts.function.contains("_sm1"));
        let is_narrow = function.with(innermost).has_any(&marks.narrow)
            || is_of(&["CUTLASS"]) && arguments.has_any(&marks.narrow);
        let of_family = is_attention
            && is_of(tensor_marks::ATTENTION_LIBRARIES)
            && function.has_any(&marks.attention_families)
            && !function.has_any(&marks.decode)
            && precision.is_none_or(Precision::is_narrow);
        let is_old = is_product
            && is_of(&["cuDNN"])
            && function.has_any(&marks.old_engines)
            && precision == Some(Precision::F32);
        match (of_library || is_product && is_narrow || of_family, is_old) {
            (true, _) => TensorCores::Used,
            (false, true) => TensorCores::NotUsed,
            (false, false) => TensorCores::Unknown,
        }
    }

    fn precision(
        &self,
        reading: &Reading<'_>,
        kind: Option<NamedKind>,
        exchange: Exchange,
    ) -> Option<Precision> {
        let Reading { function, namespaces, innermost, types, parts, .. } = reading;
        // NCCL moves bytes where nothing is summed, whatever the name says.
        let sums = matches!(exchange, Exchange::AllReduce | Exchange::ReduceScatter | Exchange::Combine);
        if exchange.is_yes() && !sums {
            return None;
        }
        let by_words = || self.formats.of_function(function);
        if kind == Some(NamedKind::Quantisation) {
            let of_function = by_words().filter(|format| format.is_narrow_storage());
            return of_function.or_else(|| self.formats.narrowest_of_types(&self.vocabulary, types));
        }
        let is_mixed = || {
            kind == Some(NamedKind::Matrix)
                && function.with(namespaces).has_any(&self.marks.used_by_library)
                && !parts.namespaces.is_empty()
        };
        precision::of_nvjet(parts.function)
            .or_else(|| is_mixed().then_some(Precision::Mixed))
            .or_else(by_words)
            .or_else(|| self.formats.of_identifier(innermost))
            .or_else(|| self.formats.first_of_types(&self.vocabulary, types))
    }
}

/// Whether XLA made a kernel: it calls them fusions, or what they wrap.
fn is_of_xla(parts: &Parts<'_>) -> bool {
    let is_fusion = || parts.function.split('_').any(|word| word.starts_with("fusion"));
    let is_named = || is_fusion() && !parts.function.starts_with("triton_");
    parts.is_bare() && (parts.function.starts_with("wrapped_") || is_named())
}
