//! Names, types and operands of op calls.

use super::arguments::{data_type, shapes_of};
use super::frames::{ListId, Lists, Place, module_name};
use super::names;
use super::owning::{Kind, Role};
use crate::base::diagnostics::DiagnosticCode;
use crate::base::ids::{LabelId, RangeTextId, StrId};
use crate::base::op_path::{LONGEST_PATH, is_deeper, part_of};
use crate::capture::correlate::Builder;
use crate::capture::correlate::dialects::emit_nvtx;
use crate::capture::correlate::families;
use crate::capture::correlate::labels::{Direction, Eligibility, Label, OpIdentity, eligibility_of_type};
use crate::capture::names::profiler_step;
use crate::columns::long_text::cut_owned;
use crate::read::facts::Vendor;
use crate::read::facts::{Facts, OperatorKeys};
use rustc_hash::FxHashMap;

/// What decides the label of an op call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LabelKey {
    /// The annotations around, as a path.
    pub(super) path: StrId,
    pub(super) place: Place,
    pub(super) text: RangeTextId,
    /// Of a collective: the text that names its operation.
    pub(super) collective: StrId,
    pub(super) is_backward: bool,
}

/// Makes the labels of op calls, each distinct one once.
pub(super) struct Labels<'a> {
    facts: &'a Facts,
    pub(super) lists: Lists,
    known: FxHashMap<LabelKey, LabelId>,
    /// Names of annotations whose texts carry instance numbers.
    shared_names: FxHashMap<StrId, String>,
    /// Paths by path around and annotation.
    paths: FxHashMap<(StrId, StrId), StrId>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(facts: &'a Facts) -> Self {
        Self {
            facts,
            lists: Lists::default(),
            known: FxHashMap::default(),
            shared_names: families::shared_names(facts),
            paths: FxHashMap::default(),
        }
    }

    /// The path inside an annotation. Steps are no part of it, so that the ops of all steps have one name.
    pub(super) fn path_inside(&mut self, builder: &mut Builder, path: StrId, text: RangeTextId) -> StrId {
        let text = self.facts.ranges.texts[text.index()].text;
        if let Some(&inside) = self.paths.get(&(path, text)) {
            return inside;
        }
        let words = self.facts.strings.get(text);
        let around = builder.names.get(path);
        let inside = if profiler_step(words).is_some() {
            path
        } else if around.len() >= LONGEST_PATH {
            builder.diagnostics.count(DiagnosticCode::DeepNesting, || format!("`{words}`"));
            path
        } else {
            let longer = format!("{around}/{}", part_of(&self.annotation(text)));
            builder.names.intern(&longer)
        };
        self.paths.insert((path, text), inside);
        inside
    }

    fn annotation(&self, text: StrId) -> String {
        match self.shared_names.get(&text) {
            Some(name) => name.clone(),
            None => names::annotation(self.facts.strings.get(text)).into_owned(),
        }
    }

    pub(super) fn label(&mut self, builder: &mut Builder, key: LabelKey, role: Role) -> LabelId {
        if let Some(&label) = self.known.get(&key) {
            return label;
        }
        let says = self.facts.ranges.texts[key.text.index()];
        let keys = self.facts.keys.operators.get(key.text.index()).copied().unwrap_or_default();
        let text = self.facts.strings.get(says.text);
        let own = match role.kind {
            Kind::Collective => self.collective(key.collective, &keys, text),
            Kind::Annotation => self.annotation(says.text),
            Kind::Operator | Kind::Wrapper => emit_nvtx::unwrapped(text).to_owned(),
        };
        let mut path = builder.names.get(key.path).to_owned();
        for module in self.lists.names(key.place.modules, &self.facts.strings) {
            path.push('/');
            path.push_str(&part_of(module_name(module)));
        }
        let name = format!("{path}/{}", part_of(&own));
        if is_deeper(&name) {
            builder.diagnostics.count(DiagnosticCode::DeepNesting, || format!("`{own}`"));
        }
        let name = builder.names.intern(&name);
        let is_operator = matches!(role.kind, Kind::Operator | Kind::Wrapper);
        let op_type = if is_operator { own.rsplit("::").next().unwrap_or(&own) } else { &own };
        let eligibility = match role.kind {
            // What uses the matrix units of other makers is not known, and CPUs have none.
            _ if self.has_no_tensor_cores() => Eligibility::WhenUsed,
            Kind::Annotation => Eligibility::WhenUsed,
            Kind::Collective => Eligibility::NotEligible,
            Kind::Operator | Kind::Wrapper => eligibility_of_type(op_type),
        };
        let mut label = Label::plain(name, op_type, OpIdentity::NameAndOrdinal, eligibility);
        if is_operator {
            label.direction = if key.is_backward { Direction::Backward } else { Direction::Forward };
            let written = |text: StrId| text.some().map_or("", |text| self.facts.strings.get(text));
            label.data_type = data_type(written(keys.types));
            label.shapes = shapes_of(op_type, written(says.sizes), written(keys.concrete));
        }
        label.stack_trace = self.stack_trace(key.place.stack, keys.stack);
        let label = builder.add_label(label);
        self.known.insert(key, label);
        label
    }

    fn has_no_tensor_cores(&self) -> bool {
        self.facts.kernels.is_empty() || self.facts.recorder.vendor != Vendor::Nvidia
    }

    /// The name of a collective: its operation, if anything inside names it.
    fn collective(&self, operation: StrId, keys: &OperatorKeys, own: &str) -> String {
        let recorded = keys.collective.and_then(|at| self.facts.about.collectives.get(at as usize));
        match (operation.some(), recorded) {
            (Some(text), _) => self.facts.strings.get(text).to_owned(),
            (None, Some(collective)) => format!("nccl:{}", collective.name),
            (None, None) => own.to_owned(),
        }
    }

    /// The frames around, or the stack that old versions wrote beside the operator, innermost first.
    fn stack_trace(&self, frames: ListId, written: StrId) -> String {
        let lines: Vec<&str> = match written.some() {
            Some(text) if frames.is_empty() => {
                let lines = self.facts.strings.get(text).split(';').map(str::trim);
                lines.filter(|line| !line.is_empty()).rev().collect()
            }
            _ => self.lists.names(frames, &self.facts.strings),
        };
        cut_owned(lines.join("\n"))
    }
}
