//! Windows that move over a tensor: convolutions of any number of dimensions, and pooling.

use super::effort::{Effort, plus, size, size_of_all, times};
use super::parameters::OpParameters;

/// x (N, C, …), w (K, C ÷ groups, …) and perhaps a bias (K) → (N, K, …). Unknown parameters are taken as stride
/// 1, padding 0 and dilation 1; the groups follow from the channels.
pub(super) fn convolution(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let (x, w) = (inputs.first()?, inputs.get(1)?);
    let ([n, c, extents @ ..], [k, channels, window @ ..]) = (x.as_slice(), w.as_slice()) else {
        return None;
    };
    let groups = match parameters.groups {
        Some(groups) => groups,
        None => c.checked_div(*channels)?,
    };
    let fits = groups > 0 && groups.checked_mul(*channels) == Some(*c) && k.is_multiple_of(groups);
    if !fits || extents.len() != window.len() || extents.is_empty() {
        return None;
    }
    let positions = Steps::of(parameters, window.len())?.positions(extents, window)?;
    let output: Vec<u64> = [*n, *k].into_iter().chain(positions).collect();
    let multiplied = times(&[2, size(&output)?, *channels, size(window)?])?;
    with_bias(multiplied, inputs, output, parameters)
}

/// x (N, C, …), w (C, K ÷ groups, …) and perhaps a bias (K) → (N, K, …): every input element is multiplied with a window.
pub(super) fn transposed(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let (x, w) = (inputs.first()?, inputs.get(1)?);
    let ([n, c, extents @ ..], [own_c, channels, window @ ..]) = (x.as_slice(), w.as_slice()) else {
        return None;
    };
    if c != own_c || extents.len() != window.len() || extents.is_empty() {
        return None;
    }
    let k = channels.checked_mul(parameters.groups.unwrap_or(1))?;
    let steps = Steps::of(parameters, window.len())?;
    let sizes = extents.iter().zip(window).enumerate().map(|(at, (&extent, &window))| {
        let reach = extent.checked_sub(1)?.checked_mul(steps.stride[at])?;
        let dilated = steps.dilation[at].checked_mul(window.checked_sub(1)?)?.checked_add(1)?;
        reach.checked_add(dilated)?.checked_sub(steps.padding[at].checked_mul(2)?)
    });
    let output: Vec<u64> = [Some(*n), Some(k)].into_iter().chain(sizes).collect::<Option<_>>()?;
    let multiplied = times(&[2, size(x)?, *channels, size(window)?])?;
    with_bias(multiplied, inputs, output, parameters)
}

/// What a convolution of so many multiplications and additions does in all: a third input is a bias, added to each element of the
/// output.
fn with_bias(
    multiplied: u64,
    inputs: &[Vec<u64>],
    output: Vec<u64>,
    parameters: &OpParameters,
) -> Option<Effort> {
    let written = size(&output)?;
    let added = if inputs.len() > 2 { written } else { 0 };
    Some(Effort {
        flop: plus(&[multiplied, added])?,
        elements: plus(&[size_of_all(inputs)?, written])?,
        other_bytes: 0,
        output,
        assumed: is_assumed(parameters),
    })
}

/// x (N, C, …) → (N, C, …): an operation for each element of each window. Windows are next to each other if no stride is
/// known.
pub(super) fn pooling(inputs: &[Vec<u64>], parameters: &OpParameters) -> Option<Effort> {
    let [n, c, extents @ ..] = inputs.first()?.as_slice() else { return None };
    let window = each(parameters.kernel.as_ref(), extents.len())?;
    let stride = parameters.stride.as_ref().or(parameters.kernel.as_ref());
    let steps = Steps {
        stride: each(stride, extents.len())?,
        padding: each(parameters.padding.as_ref(), extents.len()).unwrap_or(vec![0; extents.len()]),
        dilation: each(parameters.dilation.as_ref(), extents.len()).unwrap_or(vec![1; extents.len()]),
    };
    let output: Vec<u64> = [*n, *c].into_iter().chain(steps.positions(extents, &window)?).collect();
    let written = size(&output)?;
    let read = size(inputs.first()?)?;
    Some(Effort::new(times(&[written, size(&window)?])?, plus(&[read, written])?, output))
}

/// How a window moves, by dimension.
struct Steps {
    stride: Vec<u64>,
    padding: Vec<u64>,
    dilation: Vec<u64>,
}

impl Steps {
    /// The window of a convolution, with defaults for unknown values; `None` if the number of dimensions does not
    /// fit.
    fn of(parameters: &OpParameters, rank: usize) -> Option<Self> {
        let or = |values: &Option<Vec<u64>>, default: u64| match values {
            Some(values) => each(Some(values), rank),
            None => Some(vec![default; rank]),
        };
        Some(Self {
            stride: or(&parameters.stride, 1)?,
            padding: or(&parameters.padding, 0)?,
            dilation: or(&parameters.dilation, 1)?,
        })
    }

    /// How many places the window has: ⌊(H + 2·padding − dilation·(R − 1) − 1) ÷ stride⌋ + 1.
    fn positions(&self, extents: &[u64], window: &[u64]) -> Option<Vec<u64>> {
        let place = |(at, (&extent, &window)): (usize, (&u64, &u64))| {
            let reach = self.dilation[at].checked_mul(window.checked_sub(1)?)?.checked_add(1)?;
            let padded = extent.checked_add(self.padding[at].checked_mul(2)?)?;
            padded.checked_sub(reach)?.checked_div(self.stride[at])?.checked_add(1)
        };
        extents.iter().zip(window).enumerate().map(place).collect()
    }
}

/// A value for each dimension: as given, or one for all; `None` if there are none or too few.
fn each(values: Option<&Vec<u64>>, rank: usize) -> Option<Vec<u64>> {
    match values?.as_slice() {
        &[one] => Some(vec![one; rank]),
        values if values.len() == rank => Some(values.to_vec()),
        _ => None,
    }
}

fn is_assumed(parameters: &OpParameters) -> bool {
    let OpParameters { stride, padding, dilation, groups, .. } = parameters;
    stride.is_none() || padding.is_none() || dilation.is_none() || groups.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parameters_are_marked() {
        let inputs = [vec![32, 3, 32, 32], vec![6, 3, 3, 3], vec![6]];
        let assumed = convolution(&inputs, &OpParameters::default()).expect("a convolution");
        assert_eq!((assumed.output, assumed.assumed), (vec![32, 6, 30, 30], true));
        let parameters = OpParameters::from_text("<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>");
        let known = convolution(&inputs, &parameters).expect("a convolution");
        assert_eq!((known.flop, known.assumed), (assumed.flop, false));
    }

    #[test]
    fn contradictions_have_no_figure() {
        // No number of groups fits the channels; the window is larger than the input; the stride is 0.
        let none = |x: &[u64], w: &[u64], parameters: &str| {
            assert_eq!(convolution(&[x.to_vec(), w.to_vec()], &OpParameters::from_text(parameters)), None);
        };
        none(&[4, 3, 8, 8], &[8, 4, 3, 3], "");
        none(&[4, 3, 2, 2], &[8, 3, 3, 3], "");
        none(&[4, 3, 8, 8], &[8, 3, 3, 3], "<SH:0, SW:0>");
        none(&[4, 3, 8, 8], &[8, 3, 3], "");
        assert_eq!(pooling(&[vec![4, 3, 8, 8]], &OpParameters::default()), None);
    }
}
