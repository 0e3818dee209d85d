//! What distinguishes op calls by their texts.

use super::shapes::Shapes;
use super::tensor_cores::op_type_is_eligible;
use crate::base::ids::StrId;
use crate::columns::long_text::cut;
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
    /// What the innermost part of a path of ranges says that has the word `forward` or `backward`, but not both.
    #[must_use]
    pub(crate) fn of_path(path: &str) -> Self {
        let said = |part: &str| {
            let has = |word: &str| {
                part.split(|char: char| !char.is_alphanumeric()).any(|own| own.eq_ignore_ascii_case(word))
            };
            match [has("forward"), has("backward")] {
                [true, false] => Some(Self::Forward),
                [false, true] => Some(Self::Backward),
                _ => None,
            }
        };
        path.rsplit('/').find_map(said).unwrap_or(Self::None)
    }

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

/// Which calls with the same name and direction are one op.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OpIdentity {
    /// All of them.
    Name,
    /// The n-th of each iteration: ten layers called from one line of code are ten ops.
    NameAndOrdinal,
    /// The op with this number, as the DLProf database has it.
    Given(u32),
}

/// Whether ops with a label could use Tensor Cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Eligibility {
    /// By the op type.
    Eligible,
    /// By the op type, or because no op claims the work.
    NotEligible,
    /// The type says nothing, as for a user's range. The op is eligible exactly if one of its kernels uses Tensor
    /// Cores.
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
    pub identity: OpIdentity,
    /// Whether it could use Tensor Cores.
    pub eligibility: Eligibility,
}

impl Label {
    /// A label that has only a name and a type.
    pub(super) fn plain(name: StrId, op_type: &str, identity: OpIdentity, eligibility: Eligibility) -> Self {
        Self {
            name,
            op_type: cut(op_type).into_owned(),
            direction: Direction::None,
            data_type: String::new(),
            stack_trace: String::new(),
            shapes: Shapes::default(),
            identity,
            eligibility,
        }
    }
}

/// Eligibility of a framework op.
pub(super) fn eligibility_of_type(op_type: &str) -> Eligibility {
    if op_type_is_eligible(op_type) { Eligibility::Eligible } else { Eligibility::NotEligible }
}

#[cfg(test)]
mod tests {
    use super::Direction::{self, Backward, Forward, None as Neither};

    #[test]
    fn the_innermost_part_of_a_path_says_the_direction() {
        for (path, expected) in [
            ("/forward", Forward),
            ("/step/Backward/gemm", Backward),
            ("/backward/forward/recompute", Forward),
            ("/layer_3_forward/gemm", Forward),
            ("/BACKWARD pass/gemm", Backward),
            ("/forward_backward/gemm", Neither),
            ("/forwarding/gemm", Neither),
            ("", Neither),
        ] {
            assert_eq!(Direction::of_path(path), expected, "{path}");
        }
    }
}
