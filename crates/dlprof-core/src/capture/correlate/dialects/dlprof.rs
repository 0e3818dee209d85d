//! DLProf's PyTorch markers: dictionaries as Python writes them.
//!
//! ```text
//! {'traceMarker': ['train.py:12', …], 'funcStack': '/module/net::forward/conv2d'}
//! {'mod': 'torch', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', 'shape': (8, 3, 32, 32), 'dtype': 'float16'}, …]}
//! {"model_config": {…}}
//! ```

use crate::base::ids::{RangeTextId, StrId};
use crate::capture::correlate::labels::{Direction, Label, OpIdentity, eligibility_of_type};
use crate::capture::correlate::literal::{self, Literal};
use crate::capture::correlate::shapes::{self, Shapes};
use crate::columns::StringPool;
use crate::columns::long_text::{cut, cut_owned};
use crate::read::facts::{Facts, RangeText};

/// Marker texts of a capture, each distinct one parsed once.
pub(in crate::capture::correlate) struct Markers {
    /// By range text; most texts are not markers, which are large.
    by_text: Vec<Option<Box<Marker>>>,
    pub(in crate::capture::correlate) empty_text: StrId,
}

impl Markers {
    pub(in crate::capture::correlate) fn parse(facts: &Facts) -> Self {
        let parse = |text: &RangeText| {
            let content = facts.strings.get(text.text);
            content.starts_with('{').then(|| Box::new(Marker::parse(content)))
        };
        Self {
            by_text: facts.ranges.texts.iter().map(parse).collect(),
            empty_text: facts.strings.find("").unwrap_or(StrId::NONE),
        }
    }

    /// What a range text is.
    pub(in crate::capture::correlate) fn get(&self, text: RangeTextId) -> &Marker {
        self.by_text[text.index()].as_deref().unwrap_or(&Marker::None)
    }

    /// All that are markers, or begin as markers do.
    pub(in crate::capture::correlate) fn all(&self) -> impl Iterator<Item = &Marker> {
        self.by_text.iter().flatten().map(|marker| &**marker)
    }
}

/// What a DLProf marker text is.
#[derive(Debug, Clone)]
pub(in crate::capture::correlate) enum Marker {
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
    pub(in crate::capture::correlate) fn parse(text: &str) -> Self {
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
        Self::Trace { stack_trace: cut_owned(frames.join("\n")), func_stack: func_stack.map(cut_owned) }
    }

    fn op(op_type: &str, marker: &Literal) -> Self {
        let args = marker.get("args").and_then(Literal::as_list).unwrap_or_default();
        let is_tensor = |arg: &&Literal| arg.get("type").and_then(Literal::as_text) == Some("tensor");
        let data_type = args.iter().find(is_tensor).and_then(|arg| arg.get("dtype")?.as_text());
        Self::Op {
            op_type: cut(op_type).into_owned(),
            data_type: cut(data_type.unwrap_or_default()).into_owned(),
            shapes: shapes::from_arguments(op_type, args),
        }
    }

    /// The label of an op call and of the trace marker around it.
    pub(in crate::capture::correlate) fn label(
        &self,
        around: Option<&Self>,
        names: &mut StringPool,
    ) -> Option<Label> {
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
            identity: OpIdentity::NameAndOrdinal,
            eligibility: eligibility_of_type(op_type),
        })
    }
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
