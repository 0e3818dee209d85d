//! The number format of a kernel's operands.

use super::words::{Found, Vocabulary};

/// The number format of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Double.
    F64,
    /// Single.
    F32,
    /// Single, multiplied as TF32.
    Tf32,
    /// Half.
    F16,
    /// Brain float.
    Bf16,
    /// 8 bits with an exponent.
    Fp8,
    /// 4 bits with an exponent.
    Fp4,
    /// Integers of 8 bits.
    Int8,
    /// Integers of 4 bits.
    Int4,
    /// Two formats.
    Mixed,
}

use Precision::{Bf16, F16, F32, F64, Fp4, Fp8, Int4, Int8, Mixed, Tf32};

impl Precision {
    /// The word for tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            F64 => "f64",
            F32 => "f32",
            Tf32 => "tf32",
            F16 => "f16",
            Bf16 => "bf16",
            Fp8 => "fp8",
            Fp4 => "fp4",
            Int8 => "int8",
            Int4 => "int4",
            Mixed => "mixed",
        }
    }

    /// That of operands of a data type, as frameworks write it. Products of singles may be computed as TF32.
    #[must_use]
    pub(crate) fn of_inputs(data_type: &str, is_matrix: bool) -> Option<Self> {
        match data_type {
            "float64" | "double" => Some(F64),
            "float32" | "float" if !is_matrix => Some(F32),
            "float16" | "half" => Some(F16),
            "bfloat16" => Some(Bf16),
            "int8" => Some(Int8),
            narrow if narrow.starts_with("float8") => Some(Fp8),
            _ => None,
        }
    }

    /// Whether it has 16 bits or less, as operands of Tensor Cores have.
    pub(super) fn is_narrow(self) -> bool {
        !matches!(self, F64 | F32 | Tf32)
    }

    /// Whether numbers of it have 8 bits or less.
    pub(super) fn is_narrow_storage(self) -> bool {
        matches!(self, Fp8 | Fp4 | Int8 | Int4)
    }
}

/// Words of functions and types, narrow formats first: a type of 8 bits may have `float` in its name.
const FORMATS: [(Precision, &str); 9] = [
    (Fp4, "fp4 nvfp4 mxfp4 e2m1 mxe2m1 float4t"),
    (Fp8, "fp8 mxfp8 e4m3 e5m2 mxe4m3 f8 e4m3fn"),
    (Bf16, "bf16 bfloat16 bfloat nvbfloat16 bbs bf16bf16"),
    (Tf32, "tf32"),
    (F16, "fp16 f16 half float16 hgemm hhgemm hhs"),
    (F64, "f64 fp64 =double dgemm zgemm"),
    (F32, "f32 fp32 =float sgemm scudnn cgemm gcgemm"),
    (Int8, "int8 s8 i8 igemm"),
    (Int4, "int4 uint4b8"),
];

/// The formats in the numbers of a vocabulary.
#[derive(Debug)]
pub(super) struct Formats(Vec<(Precision, Found)>);

impl Formats {
    pub(super) fn new(vocabulary: &mut Vocabulary) -> Self {
        Self(FORMATS.iter().map(|&(format, words)| (format, vocabulary.numbers(words))).collect())
    }

    /// The format that the words of a function say. Products name the format of what they write too, which is wider.
    pub(super) fn of_function(&self, function: &Found) -> Option<Precision> {
        let has = |format: Precision| {
            self.0.iter().any(|(known, words)| *known == format && function.has_any(words))
        };
        if has(Fp4) && has(Fp8) {
            return Some(Mixed);
        }
        self.of_identifier(function)
    }

    /// The format of an identifier such as a type.
    pub(super) fn of_identifier(&self, identifier: &Found) -> Option<Precision> {
        self.0.iter().find(|(_, words)| identifier.has_any(words)).map(|(format, _)| *format)
    }

    /// The first format among the types of template arguments.
    pub(super) fn first_of_types(&self, vocabulary: &Vocabulary, types: &str) -> Option<Precision> {
        identifiers(types).find_map(|identifier| self.of_type(vocabulary, identifier))
    }

    fn of_type(&self, vocabulary: &Vocabulary, identifier: &str) -> Option<Precision> {
        match identifier {
            "float" => return Some(F32),
            "double" => return Some(F64),
            // So some libraries hand over halves.
            "short" => return Some(F16),
            // Of `signed char`.
            "signed" => return Some(Int8),
            _ => {}
        }
        let mut found = Found::default();
        vocabulary.find(identifier, &mut found);
        self.of_identifier(&found)
            .filter(|format| !matches!(format, F32 | F64) || !identifier.contains("float"))
    }

    /// Whether a format stands among types.
    pub(super) fn narrowest_of_types(&self, vocabulary: &Vocabulary, types: &str) -> Option<Precision> {
        let formats = identifiers(types).filter_map(|identifier| self.of_type(vocabulary, identifier));
        formats.into_iter().find(|format| format.is_narrow_storage())
    }
}

/// The format that the letters after `nvjet_` and the generation of GPUs say: those of both operands, of sums, and of the result.
pub(super) fn of_nvjet(function: &str) -> Option<Precision> {
    let behind = function.strip_prefix("nvjet_")?;
    let letters = behind.split('_').find(|word| !word.starts_with("sm"))?;
    match letters.as_bytes().first()? {
        b'q' => Some(Fp8),
        b't' => Some(Bf16),
        b'h' => Some(F16),
        b'd' => Some(F64),
        _ => None,
    }
}

/// The identifiers of types, in order.
fn identifiers(types: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = types.split(move |letter: char| !is_part(letter));
    words.filter(|word| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_types_of_inputs_tell_but_for_products_of_singles() {
        let known = [("bfloat16", Bf16), ("half", F16), ("float64", F64), ("float8_e4m3fn", Fp8)];
        for (data_type, precision) in known {
            for is_matrix in [true, false] {
                assert_eq!(Precision::of_inputs(data_type, is_matrix), Some(precision), "{data_type}");
            }
        }
        assert_eq!(Precision::of_inputs("float32", false), Some(F32));
        assert_eq!(Precision::of_inputs("float32", true), None, "TF32 or not");
        assert_eq!((Precision::of_inputs("", false), Precision::of_inputs("int64", false)), (None, None));
    }
}
