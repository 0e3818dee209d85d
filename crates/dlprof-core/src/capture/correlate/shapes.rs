//! Operand shapes of an op call, in DLProf's notation.
//!
//! ```text
//! <N:32, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>
//! ```
//!
//! If the format of the op type does not describe a tensor, or has another rank, its sizes have no letters.

use super::literal::Literal;
use crate::columns::long_text::cut_owned;
use serde::{Deserialize, Serialize};

/// Shapes of one call, as texts; empty if unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shapes {
    /// Input tensors.
    pub inputs: String,
    /// Parameters, such as the strides of a convolution.
    pub parameters: String,
    /// Output tensor.
    pub output: String,
    /// Keyword names of the input tensors, empty for positional ones; no list if none has a name.
    pub input_names: Vec<String>,
}

impl Shapes {
    /// The same with long texts cut.
    pub(super) fn cut(self) -> Self {
        let Self { inputs, parameters, output, input_names } = self;
        let [inputs, parameters, output] = [inputs, parameters, output].map(cut_owned);
        Self { inputs, parameters, output, input_names: input_names.into_iter().map(cut_owned).collect() }
    }
}

/// Letters of the dimensions: by operand for the inputs, then for parameters and output.
pub(super) struct Format {
    op_type: &'static str,
    pub(super) inputs: &'static [&'static [&'static str]],
    pub(super) output: &'static [&'static str],
    pub(super) parameters: &'static [&'static [&'static str]],
}

/// Letters of the parameters of a convolution: strides, paddings, dilations, groups.
const CONVOLUTION: &[&[&str]] = &[&["SH", "SW"], &["PH", "PW"], &["DH", "DW"], &["G"]];

const FORMATS: &[Format] = &[
    Format {
        op_type: "conv2d",
        inputs: &[&["N", "C", "H", "W"], &["K", "C", "R", "S"]],
        output: &["N", "K", "P", "Q"],
        parameters: CONVOLUTION,
    },
    Format { op_type: "linear", inputs: &[&["N", "K"], &["M", "K"]], output: &["N", "M"], parameters: &[] },
    Format { op_type: "MatMul", inputs: &[&["M", "K"], &["K", "N"]], output: &["M", "N"], parameters: &[] },
];

/// The shapes that an argument marker describes. `args` is its `args` list.
pub(super) fn from_arguments(op_type: &str, args: &[Literal]) -> Shapes {
    let tensors: Vec<Vec<i64>> = args.iter().filter_map(tensor_shape).collect();
    let convolution = (op_type == "conv2d").then(|| Convolution::from_arguments(args));
    Shapes {
        inputs: write_inputs(op_type, &tensors),
        parameters: convolution.as_ref().map_or(String::new(), Convolution::write),
        output: write_output(op_type, &tensors, &convolution.unwrap_or_default()),
        input_names: names_of_tensors(args),
    }
    .cut()
}

/// The shapes that an `emit_nvtx` text describes: `[[32, 3, 32, 32], [6, 3, 3, 3], [6]]`. Empty lists are
/// scalars and absent tensors, which have no shape.
pub(super) fn from_sizes(op_type: &str, sizes: &str) -> Shapes {
    let parsed = super::literal::parse(sizes);
    let operands = parsed.as_ref().and_then(Literal::as_list).unwrap_or_default();
    let tensors: Vec<Vec<i64>> =
        operands.iter().filter_map(dimensions).filter(|shape| !shape.is_empty()).collect();
    from_tensors(op_type, &tensors)
}

/// Parameters of a convolution of any number of dimensions, as far as they are known.
#[derive(Default)]
pub(super) struct WindowParameters {
    pub(super) stride: Option<Vec<i64>>,
    pub(super) padding: Option<Vec<i64>>,
    pub(super) dilation: Option<Vec<i64>>,
    pub(super) groups: Option<i64>,
}

impl WindowParameters {
    /// The parameters that are known: `<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>`.
    fn write(&self) -> String {
        let lists = [("S", &self.stride), ("P", &self.padding), ("D", &self.dilation)];
        let mut known: Vec<String> = lists
            .iter()
            .filter_map(|(letter, values)| {
                let values = values.as_ref()?;
                let axes = AXES.get(AXES.len().checked_sub(values.len())?..)?;
                let letters: Vec<String> = axes.iter().map(|axis| format!("{letter}{axis}")).collect();
                let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
                Some(write_tensor(&letters, values))
            })
            .collect();
        known.extend(self.groups.map(|groups| write_tensor(&["G"], &[groups])));
        known.join("; ")
    }
}

/// Letters of the axes of a window: depth, height, width.
const AXES: [&str; 3] = ["D", "H", "W"];

/// The shapes of an operator with these tensors and, of a convolution, these parameters.
pub(super) fn of_operator(op_type: &str, tensors: &[Vec<i64>], window: &WindowParameters) -> Shapes {
    let two = |values: &Option<Vec<i64>>| match values.as_deref() {
        Some(&[one]) => Some([one; 2]),
        Some(&[first, second]) => Some([first, second]),
        _ => None,
    };
    let (stride, padding, dilation) = (two(&window.stride), two(&window.padding), two(&window.dilation));
    let convolution = Convolution { stride, padding, dilation, groups: window.groups };
    let is_known = op_type != "conv2d" || stride.is_some() && padding.is_some() && dilation.is_some();
    let output = if is_known { write_output(op_type, tensors, &convolution) } else { String::new() };
    Shapes { parameters: window.write(), output, ..from_tensors(op_type, tensors) }.cut()
}

/// The shapes of operands without parameters.
pub(super) fn from_tensors(op_type: &str, tensors: &[Vec<i64>]) -> Shapes {
    Shapes { inputs: write_inputs(op_type, tensors), ..Shapes::default() }.cut()
}

/// The shape of an argument of type tensor.
fn tensor_shape(argument: &Literal) -> Option<Vec<i64>> {
    if argument.get("type")?.as_text()? != "tensor" {
        return None;
    }
    argument.get("shape").and_then(dimensions)
}

/// The keyword names of all tensors; nothing if none has one.
fn names_of_tensors(args: &[Literal]) -> Vec<String> {
    let tensors = args.iter().filter(|argument| tensor_shape(argument).is_some());
    let name =
        |argument: &Literal| argument.get("name").and_then(Literal::as_text).unwrap_or_default().to_owned();
    let names: Vec<String> = tensors.map(name).collect();
    if names.iter().all(String::is_empty) { Vec::new() } else { names }
}

fn dimensions(list: &Literal) -> Option<Vec<i64>> {
    list.as_list()?.iter().map(Literal::as_int).collect()
}

pub(super) fn format_of(op_type: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.op_type == op_type)
}

fn write_inputs(op_type: &str, tensors: &[Vec<i64>]) -> String {
    let letters = format_of(op_type).map_or(&[][..], |format| format.inputs);
    let operands = tensors.iter().enumerate();
    let texts: Vec<String> =
        operands.map(|(i, shape)| write_tensor(letters.get(i).copied().unwrap_or_default(), shape)).collect();
    texts.join("; ")
}

pub(super) fn write_tensor(letters: &[&str], shape: &[i64]) -> String {
    let named = letters.len() == shape.len();
    let dimension = |(i, size): (usize, &i64)| {
        if named { format!("{}:{size}", letters[i]) } else { size.to_string() }
    };
    let dimensions: Vec<String> = shape.iter().enumerate().map(dimension).collect();
    format!("<{}>", dimensions.join(", "))
}

fn write_output(op_type: &str, tensors: &[Vec<i64>], convolution: &Convolution) -> String {
    let shape = match (op_type, tensors) {
        ("conv2d", [input, weight, ..]) => convolution.output(input, weight),
        ("linear", [input, weight, ..]) => linear_output(input, weight),
        _ => None,
    };
    let letters = format_of(op_type).map_or(&[][..], |format| format.output);
    shape.map_or(String::new(), |shape| write_tensor(letters, &shape))
}

/// The input's shape with its last dimension replaced by the number of output features.
fn linear_output(input: &[i64], weight: &[i64]) -> Option<Vec<i64>> {
    let (_, leading) = input.split_last()?;
    Some(leading.iter().copied().chain([*weight.first()?]).collect())
}

/// Parameters of a two-dimensional convolution; `None` if the marker does not have them.
#[derive(Default)]
struct Convolution {
    stride: Option<[i64; 2]>,
    padding: Option<[i64; 2]>,
    dilation: Option<[i64; 2]>,
    groups: Option<i64>,
}

impl Convolution {
    /// `torch.nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups)`.
    fn from_arguments(args: &[Literal]) -> Self {
        let value = |name: &str, position: usize| {
            let is_named =
                |argument: &&Literal| argument.get("name").and_then(Literal::as_text) == Some(name);
            let positional = args
                .get(position)
                .filter(|argument| argument.get("name").and_then(Literal::as_text).is_none_or(str::is_empty));
            args.iter().find(is_named).or(positional)?.get("value")
        };
        Self {
            stride: value("stride", 3).and_then(pair),
            padding: value("padding", 4).and_then(pair),
            dilation: value("dilation", 5).and_then(pair),
            groups: value("groups", 6).and_then(Literal::as_int),
        }
    }

    /// The parameters that are known: `<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>`.
    fn write(&self) -> String {
        let pair = |values: Option<[i64; 2]>| values.map(Vec::from);
        let groups = self.groups.map(|groups| vec![groups]);
        let values = [pair(self.stride), pair(self.padding), pair(self.dilation), groups];
        let known = CONVOLUTION.iter().zip(values);
        let known = known.filter_map(|(letters, values)| Some(write_tensor(letters, &values?)));
        known.collect::<Vec<_>>().join("; ")
    }

    /// P = (H + 2·padding − dilation·(R − 1) − 1) / stride + 1, and the same for Q.
    fn output(&self, input: &[i64], weight: &[i64]) -> Option<Vec<i64>> {
        let (&[n, _, h, w], &[k, _, r, s]) = (input, weight) else { return None };
        let stride = self.stride.unwrap_or([1, 1]);
        let padding = self.padding.unwrap_or([0, 0]);
        let dilation = self.dilation.unwrap_or([1, 1]);
        let extent = |size: i64, kernel: i64, axis: usize| {
            let window = dilation[axis].checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
            let padded = size.checked_add(padding[axis].checked_mul(2)?)?;
            padded.checked_sub(window)?.checked_div(stride[axis])?.checked_add(1)
        };
        Some(vec![n, k, extent(h, r, 0)?, extent(w, s, 1)?])
    }
}

/// A scalar for both axes, or one value for each.
fn pair(value: &Literal) -> Option<[i64; 2]> {
    if let Some(scalar) = value.as_int() {
        return Some([scalar; 2]);
    }
    dimensions(value)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(op_type: &str, args: &str) -> Shapes {
        let args = super::super::literal::parse(args).expect("a literal");
        from_arguments(op_type, args.as_list().expect("a list"))
    }

    #[test]
    fn convolution_parameters_shape_the_output() {
        let args = "[{'name': '', 'type': 'tensor', 'shape': (8, 3, 32, 32), 'dtype': 'float32'}, \
                     {'name': '', 'type': 'tensor', 'shape': (6, 3, 5, 3), 'dtype': 'float32'}, \
                     {'name': '', 'type': 'NoneType', 'value': None}, \
                     {'name': '', 'type': 'tuple', 'value': (2, 1)}, \
                     {'name': 'padding', 'type': 'int', 'value': 1}]";
        let shapes = shapes("conv2d", args);
        assert_eq!(shapes.inputs, "<N:8, C:3, H:32, W:32>; <K:6, C:3, R:5, S:3>");
        assert_eq!(shapes.parameters, "<SH:2, SW:1>; <PH:1, PW:1>");
        assert_eq!(shapes.output, "<N:8, K:6, P:15, Q:32>");
    }

    #[test]
    fn other_ranks_have_bare_numbers() {
        let args = "[{'name': '', 'type': 'tensor', 'shape': (8, 16, 64), 'dtype': 'float16'}, \
                     {'name': '', 'type': 'tensor', 'shape': (32, 64), 'dtype': 'float16'}]";
        assert_eq!(shapes("linear", args).inputs, "<8, 16, 64>; <M:32, K:64>");
        assert_eq!(shapes("linear", args).output, "<8, 16, 32>");
        assert_eq!(shapes("relu", args).output, "");
    }

    #[test]
    fn emit_nvtx_sizes_skip_scalars() {
        assert_eq!(from_sizes("conv2d", "[[8, 3, 2, 2], [], [6]]").inputs, "<N:8, C:3, H:2, W:2>; <6>");
        assert_eq!(from_sizes("mm", "not a list").inputs, "");
    }
}
