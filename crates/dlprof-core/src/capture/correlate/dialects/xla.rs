//! XLA's (JAX's) ranges: modules, thunks and steps of the runtime.
//!
//! ```text
//! XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=7#
//! Thunk:#name=dot_general,hlo_op=cublas-gemm.3#
//! ```
//!
//! A thunk is named by its module, its place in the Python program and its HLO op. Source: XLA
//! `xla/service/gpu/runtime/annotation.cc`.

use crate::base::ids::StrId;
use crate::capture::correlate::labels::{Direction, Eligibility, Label, OpIdentity};
use crate::columns::StringPool;

/// The contents of a text. The name of the op also depends on the ranges around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::capture::correlate) struct Annotation {
    name: String,
    op_type: String,
    direction: Direction,
}

impl Annotation {
    /// The label of a range inside others, whose names `path` joins.
    pub(in crate::capture::correlate) fn label(&self, path: StrId, names: &mut StringPool) -> Label {
        let name = format!("{}/{}", names.get(path), self.name);
        let name = names.intern(&name);
        let mut label = Label::plain(name, &self.op_type, OpIdentity::Name, Eligibility::WhenUsed);
        label.direction = self.direction;
        label
    }
}

/// Reads `Kind:#key=value,key=value#`, with `TSL:` in front or not; values may hold commas inside brackets.
pub(in crate::capture::correlate) fn parse(text: &str) -> Option<Annotation> {
    let (kind, fields) = text.strip_prefix("TSL:").unwrap_or(text).split_once(":#")?;
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
    Some(Annotation { op_type: op_type.to_owned(), name, direction })
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

    fn xla(name: &str, op_type: &str, direction: Direction) -> Option<Annotation> {
        Some(Annotation { name: name.into(), op_type: op_type.into(), direction })
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
            assert_eq!(parse(text), parsed, "{text}");
        }
    }
}
