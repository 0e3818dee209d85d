//! What the texts of ranges say about ops.

use super::literal::{self, Literal};
use super::shapes::{self, Shapes};
use super::tensor_cores::op_type_is_eligible;
use crate::ids::StrId;
use crate::strings::StringPool;
use serde::{Deserialize, Serialize};

/// Forward or backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Not an op of a network, or not known.
    None,
    /// Forward pass.
    Forward,
    /// Backward pass.
    Backward,
}

impl Direction {
    /// DLProf's word: `fprop`, `bprop` or nothing.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Forward => "fprop",
            Self::Backward => "bprop",
        }
    }
}

/// Which calls of equal name and direction are one op.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Identity {
    /// All of them.
    Name,
    /// The n-th of each iteration: ten layers called from one line of code are ten ops.
    NameAndOrdinal,
}

/// Whether ops with a label could use Tensor Cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Eligibility {
    /// By the op type.
    Eligible,
    /// By the op type, or because no op claims the work.
    NotEligible,
    /// The type says nothing (a user's range): eligible exactly when a kernel uses Tensor Cores.
    WhenUsed,
}

/// What distinguishes op calls by their texts. Calls of one op may differ in data type and shapes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Label {
    /// Name of the op, an id of the correlation's own texts.
    pub name: StrId,
    /// Op type.
    pub op_type: String,
    /// Forward or backward.
    pub direction: Direction,
    /// Data type of the first tensor argument; empty if unknown.
    pub data_type: String,
    /// Source lines, outermost first, joined by line feeds; empty if unknown.
    pub stack_trace: String,
    /// Operand shapes.
    pub shapes: Shapes,
    /// Which calls make one op.
    pub identity: Identity,
    /// Whether it could use Tensor Cores.
    pub eligibility: Eligibility,
}

impl Label {
    /// A label with a name and a type and nothing else.
    pub(super) fn plain(name: StrId, op_type: &str, identity: Identity, eligibility: Eligibility) -> Self {
        Self {
            name,
            op_type: op_type.to_owned(),
            direction: Direction::None,
            data_type: String::new(),
            stack_trace: String::new(),
            shapes: Shapes::default(),
            identity,
            eligibility,
        }
    }
}

/// What a DLProf marker text is.
#[derive(Debug, Clone)]
pub(super) enum Marker {
    /// Not a marker.
    None,
    /// A marker that says nothing about ops (module markers).
    Other,
    /// Cut off or malformed.
    Malformed,
    /// `{'traceMarker': […], 'funcStack': '/…'}`.
    Trace { stack_trace: String, func_stack: Option<String> },
    /// `{'mod': …, 'op': …, 'args': […]}`: an op call.
    Op { op_type: String, data_type: String, shapes: Shapes },
    /// `{"model_config": {…}}`, as JSON.
    ModelConfig(serde_json::Value),
}

impl Marker {
    pub(super) fn parse(text: &str) -> Self {
        if text.starts_with("{\"model_config\"") {
            return match serde_json::from_str::<serde_json::Value>(text) {
                Ok(config) => Self::ModelConfig(config["model_config"].clone()),
                Err(_) => Self::Malformed,
            };
        }
        if !["{'mod'", "{'traceMarker'", "{'op'", "{'funcStack'"].iter().any(|start| text.starts_with(start))
        {
            return Self::None;
        }
        let Some(marker) = literal::parse(text) else { return Self::Malformed };
        if let Some(frames) = marker.get("traceMarker") {
            return Self::trace(frames, &marker);
        }
        match marker.get("op").and_then(Literal::as_text) {
            Some(op_type) => Self::op(op_type, &marker),
            None => Self::Other,
        }
    }

    fn trace(frames: &Literal, marker: &Literal) -> Self {
        let frames: Vec<&str> =
            frames.as_list().unwrap_or_default().iter().filter_map(Literal::as_text).collect();
        let func_stack = marker.get("funcStack").and_then(Literal::as_text).map(op_name_of_stack);
        Self::Trace { stack_trace: frames.join("\n"), func_stack }
    }

    fn op(op_type: &str, marker: &Literal) -> Self {
        let args = marker.get("args").and_then(Literal::as_list).unwrap_or_default();
        let is_tensor = |arg: &&Literal| arg.get("type").and_then(Literal::as_text) == Some("tensor");
        let data_type = args.iter().find(is_tensor).and_then(|arg| arg.get("dtype")?.as_text());
        Self::Op {
            op_type: op_type.to_owned(),
            data_type: data_type.unwrap_or_default().to_owned(),
            shapes: shapes::from_arguments(op_type, args),
        }
    }

    /// The label of an op call and of the trace marker around it.
    pub(super) fn label(&self, around: Option<&Self>, names: &mut StringPool) -> Option<Label> {
        let Self::Op { op_type, data_type, shapes } = self else { return None };
        let (stack_trace, func_stack) = match around {
            Some(Self::Trace { stack_trace, func_stack }) => (stack_trace.clone(), func_stack.as_deref()),
            _ => (String::new(), None),
        };
        Some(Label {
            name: names.intern(func_stack.unwrap_or(op_type)),
            op_type: op_type.clone(),
            direction: Direction::Forward,
            data_type: data_type.clone(),
            stack_trace,
            shapes: shapes.clone(),
            identity: Identity::NameAndOrdinal,
            eligibility: eligibility_of_type(op_type),
        })
    }
}

/// Eligibility of a framework op.
pub(super) fn eligibility_of_type(op_type: &str) -> Eligibility {
    if op_type_is_eligible(op_type) { Eligibility::Eligible } else { Eligibility::NotEligible }
}

/// DLProf's op name: angle brackets dropped, `(n)` written `[n]`.
///
/// `/<module>/net::forward/relu(2)` → `/module/net::forward/relu[2]`
fn op_name_of_stack(stack: &str) -> String {
    let stack = stack.replace(['<', '>'], "");
    let mut name = String::with_capacity(stack.len());
    let mut rest = stack.as_str();
    while let Some(open) = rest.find('(') {
        let (before, behind) = rest.split_at(open);
        name.push_str(before);
        let digits = behind[1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && behind[1 + digits..].starts_with(')') {
            name.push_str(&format!("[{}]", &behind[1..=digits]));
            rest = &behind[digits + 2..];
        } else {
            name.push('(');
            rest = &behind[1..];
        }
    }
    name + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stack_becomes_name() {
        let cases = [
            ("/<module>/net::forward/relu(2)", "/module/net::forward/relu[2]"),
            ("/a(12)/<lambda>/f(x)/g(3", "/a[12]/lambda/f(x)/g(3"),
        ];
        for (stack, name) in cases {
            assert_eq!(op_name_of_stack(stack), name);
        }
    }
}
