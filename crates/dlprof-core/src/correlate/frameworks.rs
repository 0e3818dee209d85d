//! Texts of TensorFlow's and XLA's (JAX's) ranges.
//!
//! ```text
//! MatMul: dense/MatMul                              TensorFlow, TF_ENABLE_NVTX_RANGES=1
//! {"op":"MatMul","name":"dense/MatMul","args":[…],"attrs":{…}}           …_DETAILED=1
//! XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=7#         XLA
//! Thunk:#name=dot_general,hlo_op=cublas-gemm.3#
//! ```
//!
//! A TensorFlow node is named by its node name, wherever it runs; an XLA thunk by its module, its place in the Python
//! program and its HLO op. Sources: TensorFlow `tensorflow/core/framework/nvtx_utils.cc` (NVIDIA's build), XLA
//! `xla/service/gpu/runtime/annotation.cc`.

use super::ModeChoice;
use super::labels::{Direction, Eligibility, Identity, Label, eligibility_of_type};
use super::shapes::{self, Shapes};
use crate::ids::StrId;
use crate::strings::StringPool;
use crate::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a framework's text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FrameworkText {
    /// A node of a TensorFlow graph.
    Node { name: String, op_type: String, data_type: String, shapes: Shapes },
    /// A range of XLA: a module, a thunk or a step of the runtime. `name` follows the path of the ranges around.
    Xla { name: String, op_type: String, direction: Direction },
}

/// The framework texts of a capture, each distinct one parsed once.
#[derive(Default)]
pub(super) struct FrameworkTexts {
    by_text: FxHashMap<StrId, FrameworkText>,
}

impl FrameworkTexts {
    pub(super) fn parse(trace: &Trace, choice: ModeChoice) -> Self {
        let mut texts = Self::default();
        if choice == ModeChoice::Nvtx {
            return texts;
        }
        // Of equal texts in several domains, the one met first counts.
        let mut seen = FxHashSet::default();
        for range in trace.ranges.texts.iter().filter(|range| seen.insert(range.text)) {
            let has_own_domain = !range.domain.is_none() || choice == ModeChoice::Tensorflow;
            if let Some(parsed) = parse(trace.strings.get(range.text), has_own_domain) {
                texts.by_text.insert(range.text, parsed);
            }
        }
        texts
    }

    pub(super) fn get(&self, text: StrId) -> Option<&FrameworkText> {
        self.by_text.get(&text)
    }

    pub(super) fn is_node(&self, text: StrId) -> bool {
        matches!(self.get(text), Some(FrameworkText::Node { .. }))
    }

    pub(super) fn is_xla(&self, text: StrId) -> bool {
        matches!(self.get(text), Some(FrameworkText::Xla { .. }))
    }
}

impl FrameworkText {
    /// The label of a range inside others, whose names `path` joins.
    pub(super) fn label(&self, path: StrId, names: &mut StringPool) -> Label {
        match self {
            Self::Node { name, op_type, data_type, shapes } => {
                let name = names.intern(name);
                let mut label = Label::plain(name, op_type, Identity::Name, eligibility_of_type(op_type));
                label.data_type.clone_from(data_type);
                label.shapes = shapes.clone();
                label
            }
            Self::Xla { name, op_type, direction } => {
                let name = format!("{}/{name}", names.get(path));
                let name = names.intern(&name);
                let mut label = Label::plain(name, op_type, Identity::Name, Eligibility::WhenUsed);
                label.direction = *direction;
                label
            }
        }
    }
}

/// Reads a text; the short form of TensorFlow only in a domain of its own, because people write `Stage: load` too.
pub(super) fn parse(text: &str, has_own_domain: bool) -> Option<FrameworkText> {
    if text.starts_with("{\"op\"") {
        return detailed_node(text);
    }
    if let Some(annotation) = annotation(text.strip_prefix("TSL:").unwrap_or(text)) {
        return Some(annotation);
    }
    has_own_domain.then(|| short_node(text)).flatten()
}

fn detailed_node(text: &str) -> Option<FrameworkText> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let (op_type, name) = (json["op"].as_str()?, json["name"].as_str()?);
    let shape = |argument: &serde_json::Value| -> Option<Vec<i64>> {
        argument["shape"].as_array()?.iter().map(serde_json::Value::as_i64).collect()
    };
    let operands = json["args"].as_array().map_or(&[][..], Vec::as_slice);
    let tensors: Vec<Vec<i64>> = operands.iter().filter_map(shape).collect();
    Some(FrameworkText::Node {
        name: name.to_owned(),
        op_type: op_type.to_owned(),
        data_type: json["attrs"]["T"].as_str().unwrap_or_default().to_owned(),
        shapes: shapes::from_tensors(op_type, &tensors),
    })
}

/// `Type: node/name`
fn short_node(text: &str) -> Option<FrameworkText> {
    let (op_type, name) = text.split_once(": ")?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_type =
        op_type.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && op_type.chars().all(is_word);
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_type && is_name).then(|| FrameworkText::Node {
        name: name.to_owned(),
        op_type: op_type.to_owned(),
        data_type: String::new(),
        shapes: Shapes::default(),
    })
}

/// `Kind:#key=value,key=value#`; values may hold commas inside brackets.
fn annotation(text: &str) -> Option<FrameworkText> {
    let (kind, fields) = text.split_once(":#")?;
    let fields = fields.strip_suffix('#').unwrap_or(fields);
    if kind.is_empty() || !fields.contains('=') {
        return None;
    }
    let value = |key: &str| {
        let at = split_fields(fields).find_map(|field| field.strip_prefix(key)?.strip_prefix('='))?;
        (!at.is_empty()).then_some(at)
    };
    let (name, op_type) = match (kind, value("hlo_module"), value("hlo_op")) {
        ("Thunk", _, Some(hlo_op)) => {
            let name = value("name").map_or_else(|| hlo_op.to_owned(), |name| format!("{name}/{hlo_op}"));
            (name, without_number(hlo_op))
        }
        ("XlaModule", Some(module), _) => (module.to_owned(), module),
        _ => (kind.to_owned(), kind),
    };
    let direction = match value("name") {
        Some(name) if name.contains("transpose(jvp(") => Direction::Backward,
        Some(name) if name.contains("jvp(") => Direction::Forward,
        _ => Direction::None,
    };
    Some(FrameworkText::Xla { op_type: op_type.to_owned(), name, direction })
}

/// The fields between commas outside brackets.
fn split_fields(fields: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    fields.split(move |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// `loop_add_fusion.12` → `loop_add_fusion`
fn without_number(hlo_op: &str) -> &str {
    match hlo_op.rsplit_once('.') {
        Some((start, number)) if !start.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            start
        }
        _ => hlo_op,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xla(name: &str, op_type: &str, direction: Direction) -> Option<FrameworkText> {
        Some(FrameworkText::Xla { name: name.into(), op_type: op_type.into(), direction })
    }

    #[test]
    fn xla_texts() {
        use Direction::{Backward, Forward, None as Neither};
        let cases = [
            ("Thunk:#hlo_op=fusion.3#", xla("fusion.3", "fusion", Neither)),
            ("TSL:Thunk:#name=a/dot_general,hlo_op=gemm.1#", xla("a/dot_general/gemm.1", "gemm", Neither)),
            ("Thunk:#name=jvp(Net)/add,hlo_op=f#", xla("jvp(Net)/add/f", "f", Forward)),
            (
                "Thunk:#name=transpose(jvp(a,b))/mul,hlo_op=f.2#",
                xla("transpose(jvp(a,b))/mul/f.2", "f", Backward),
            ),
            ("Thunk:#hlo_op=f.1,hlo_module=m,program_id=2#", xla("f.1", "f", Neither)),
            (
                "XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=7#",
                xla("jit_f", "jit_f", Neither),
            ),
            ("XlaModule:#hlo_module=jit_f", xla("jit_f", "jit_f", Neither)),
            ("XlaLauncher:#global=0,local=0#", xla("XlaLauncher", "XlaLauncher", Neither)),
            ("step:#3", None),
            (":#a=b#", None),
        ];
        for (text, parsed) in cases {
            assert_eq!(parse(text, true), parsed, "{text}");
        }
    }

    #[test]
    fn tensorflow_texts() {
        let node = |text: &str| match parse(text, true) {
            Some(FrameworkText::Node { name, op_type, data_type, shapes }) => {
                (name, op_type, data_type, shapes.inputs)
            }
            other => panic!("{other:?}"),
        };
        let detailed = r#"{"op":"MatMul","name":"dense/MatMul","args":[{"name":"x","shape":[8,4]},
            {"name":"w","shape":[4,2]},null],"attrs":{"T":"float16","transpose_a":false}}"#;
        let expected = ["dense/MatMul", "MatMul", "float16", "<M:8, K:4>; <K:4, N:2>"].map(str::to_owned);
        assert_eq!(<[String; 4]>::from(node(detailed)), expected);
        assert_eq!(node("_FusedConv2D: a/b").1, "_FusedConv2D");
        for text in ["Stage: load data", "stage: load", "MatMul:x", r#"{"op":"MatMul""#] {
            assert_eq!(parse(text, true), None, "{text}");
        }
        assert_eq!(parse("Stage: load", false), None, "no domain of its own");
    }
}
