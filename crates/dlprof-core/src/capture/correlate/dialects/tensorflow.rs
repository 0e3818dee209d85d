//! TensorFlow's ranges: nodes of its graph.
//!
//! ```text
//! MatMul: dense/MatMul                                                   TF_ENABLE_NVTX_RANGES=1
//! {"op":"MatMul","name":"dense/MatMul","args":[…],"attrs":{…}}           …_DETAILED=1
//! ```
//!
//! The op has the name of the node, wherever the node runs. Source: TensorFlow
//! `tensorflow/core/framework/nvtx_utils.cc` (NVIDIA's build).

use crate::capture::correlate::labels::{Label, OpIdentity, eligibility_of_type};
use crate::capture::correlate::shapes::{self, Shapes};
use crate::columns::StringPool;

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::capture::correlate) struct Node {
    name: String,
    op_type: String,
    data_type: String,
    shapes: Shapes,
}

impl Node {
    /// The label of its range.
    pub(in crate::capture::correlate) fn label(&self, names: &mut StringPool) -> Label {
        let name = names.intern(&self.name);
        let mut label =
            Label::plain(name, &self.op_type, OpIdentity::Name, eligibility_of_type(&self.op_type));
        label.data_type.clone_from(&self.data_type);
        label.shapes = self.shapes.clone();
        label
    }
}

/// Reads a text. The short form is accepted only in TensorFlow's own domain, because users write texts like `Stage:
/// load`.
pub(in crate::capture::correlate) fn parse(text: &str, has_own_domain: bool) -> Option<Node> {
    if text.starts_with("{\"op\"") {
        return detailed_node(text);
    }
    has_own_domain.then(|| short_node(text)).flatten()
}

fn detailed_node(text: &str) -> Option<Node> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let (op_type, name) = (json["op"].as_str()?, json["name"].as_str()?);
    let shape = |argument: &serde_json::Value| -> Option<Vec<i64>> {
        argument["shape"].as_array()?.iter().map(serde_json::Value::as_i64).collect()
    };
    let operands = json["args"].as_array().map_or(&[][..], Vec::as_slice);
    let tensors: Vec<Vec<i64>> = operands.iter().filter_map(shape).collect();
    Some(Node {
        name: name.to_owned(),
        op_type: op_type.to_owned(),
        data_type: json["attrs"]["T"].as_str().unwrap_or_default().to_owned(),
        shapes: shapes::from_tensors(op_type, &tensors),
    })
}

/// `Type: node/name`
fn short_node(text: &str) -> Option<Node> {
    let (op_type, name) = text.split_once(": ")?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_type =
        op_type.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') && op_type.chars().all(is_word);
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_type && is_name).then(|| Node {
        name: name.to_owned(),
        op_type: op_type.to_owned(),
        data_type: String::new(),
        shapes: Shapes::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensorflow_texts() {
        let node = |text: &str| match parse(text, true) {
            Some(Node { name, op_type, data_type, shapes }) => (name, op_type, data_type, shapes.inputs),
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
