//! What torch.profiler recorded about the arguments of an operator: data types, shapes, and the parameters of convolutions.

use crate::capture::correlate::shapes::{self, Shapes, WindowParameters};
use serde_json::Value;

/// C++ names of the types of elements, and what PyTorch calls them.
const TYPES: &[(&str, &str)] = &[
    ("float", "float32"),
    ("double", "float64"),
    ("c10::Half", "float16"),
    ("c10::BFloat16", "bfloat16"),
    ("long int", "int64"),
    ("long", "int64"),
    ("int", "int32"),
    ("short", "int16"),
    ("short int", "int16"),
    ("signed char", "int8"),
    ("unsigned char", "uint8"),
    ("bool", "bool"),
    ("c10::complex<float>", "complex64"),
    ("c10::complex<double>", "complex128"),
];

/// The data type of the first tensor in a list of types; empty if there is none.
pub(super) fn data_type(types: &str) -> String {
    let types: Vec<Value> = serde_json::from_str(types).unwrap_or_default();
    let name = |value: &Value| name_of_type(value.as_str()?);
    types.iter().find_map(name).unwrap_or_default()
}

/// What PyTorch calls a type of elements; `None` where it is no tensor's.
pub(super) fn name_of_type(text: &str) -> Option<String> {
    let known = TYPES.iter().find(|(cpp, _)| *cpp == text).map(|(_, name)| (*name).to_owned());
    known.or_else(|| {
        text.strip_prefix("c10::").filter(|name| name.starts_with("Float")).map(str::to_lowercase)
    })
}

/// The shapes of an operator's tensors, and the parameters of a convolution.
pub(super) fn shapes_of(op_type: &str, dims: &str, concrete: &str) -> Shapes {
    let dims: Vec<Value> = serde_json::from_str(dims).unwrap_or_default();
    let mut tensors = Vec::new();
    dims.iter().for_each(|value| add_tensors(value, &mut tensors));
    shapes::of_operator(op_type, &tensors, &window_parameters(op_type, concrete))
}

/// A list of sizes is a tensor, an empty one a scalar or nothing, and a list of lists is a list of tensors.
fn add_tensors(value: &Value, tensors: &mut Vec<Vec<i64>>) {
    let Some(items) = value.as_array().filter(|items| !items.is_empty()) else { return };
    match items.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>() {
        Some(sizes) => tensors.push(sizes),
        None => {
            let lists = items.iter().filter_map(|item| item.as_array().filter(|sizes| !sizes.is_empty()));
            tensors.extend(lists.filter_map(|sizes| sizes.iter().map(Value::as_i64).collect::<Option<_>>()));
        }
    }
}

/// The parameters of a convolution: `conv2d(input, weight, bias, stride, padding, dilation, groups)`,
/// `convolution(…, stride, padding, dilation, transposed, output_padding, groups)`.
fn window_parameters(op_type: &str, concrete: &str) -> WindowParameters {
    let groups = match op_type {
        "conv1d" | "conv2d" | "conv3d" => 6,
        "convolution" | "_convolution" | "convolution_overrideable" => 8,
        _ => return WindowParameters::default(),
    };
    let values: Vec<String> = serde_json::from_str(concrete).unwrap_or_default();
    let value = |at: usize| values.get(at).and_then(|text| serde_json::from_str::<Value>(text).ok());
    // Of one that is transposed the formula is another, and this type does not name it.
    if groups == 8 && values.get(6).is_none_or(|transposed| transposed != "False") {
        return WindowParameters::default();
    }
    let sizes = |at: usize| match value(at)? {
        Value::Array(items) => items.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>(),
        one => one.as_i64().map(|one| vec![one]),
    };
    WindowParameters {
        stride: sizes(3),
        padding: sizes(4),
        dilation: sizes(5),
        groups: value(groups).and_then(|groups| groups.as_i64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tensor_decides_the_data_type() {
        for (types, wanted) in [
            (r#"["Scalar", "", "c10::BFloat16", "float"]"#, "bfloat16"),
            (r#"["long int", "float"]"#, "int64"),
            (r#"["c10::Float8_e4m3fn"]"#, "float8_e4m3fn"),
            (r#"["ScalarList", "TensorList", ""]"#, ""),
            ("", ""),
        ] {
            assert_eq!(data_type(types), wanted, "{types}");
        }
    }

    #[test]
    fn convolutions_have_all_their_parameters() {
        let dims = "[[8, 3, 32, 32], [6, 3, 5, 3], [], [], [], [], []]";
        let found = shapes_of("conv2d", dims, r#"["", "", "", "[2, 1]", "[1, 1]", "[1, 1]", "1"]"#);
        assert_eq!(found.inputs, "<N:8, C:3, H:32, W:32>; <K:6, C:3, R:5, S:3>");
        assert_eq!(found.parameters, "<SH:2, SW:1>; <PH:1, PW:1>; <DH:1, DW:1>; <G:1>");
        assert_eq!(found.output, "<N:8, K:6, P:15, Q:32>");
        let concrete = r#"["", "", "", "[2]", "[1]", "[1]", "False", "[0]", "4"]"#;
        let found = shapes_of("convolution", "[[8, 4, 32], [8, 1, 3]]", concrete);
        assert_eq!(found.parameters, "<SW:2>; <PW:1>; <DW:1>; <G:4>");
        let transposed = concrete.replace("False", "True");
        assert_eq!(shapes_of("convolution", "[[8, 4, 32], [8, 1, 3]]", &transposed).parameters, "");
    }

    #[test]
    fn lists_of_lists_are_lists_of_tensors() {
        assert_eq!(shapes_of("cat", "[[[2, 3], [4, 3], []], []]", "").inputs, "<2, 3>; <4, 3>");
        assert_eq!(shapes_of("add", "[[2, 3], [], [-1]]", "").inputs, "<2, 3>; <-1>");
        assert_eq!(shapes_of("add", "not a list", "").inputs, "");
    }
}
