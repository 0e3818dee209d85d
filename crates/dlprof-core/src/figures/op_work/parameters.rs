//! Shapes and parameters of an op call, read from the notation of op tables: `<N:32, C:3>; <K:6, C:3>`.

/// The arguments of an op call other than its tensors; `None` if the capture does not have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpParameters {
    /// Steps of a convolution or a pooling window, by dimension; one value counts for all.
    pub stride: Option<Vec<u64>>,
    /// Padding on either side, by dimension; one value counts for all.
    pub padding: Option<Vec<u64>>,
    /// Distance of the weights of a convolution, by dimension; one value counts for all.
    pub dilation: Option<Vec<u64>>,
    /// Groups of a convolution.
    pub groups: Option<u64>,
    /// Size of a pooling window, by dimension; one value counts for all.
    pub kernel: Option<Vec<u64>>,
    /// Number of scales of a normalisation.
    pub features: Option<u64>,
    /// Whether a normalisation updates its statistics.
    pub is_training: Option<bool>,
    /// Whether attention is causal: each position uses only earlier ones.
    pub is_causal: Option<bool>,
}

impl OpParameters {
    /// The parameters of a convolution in the notation of op tables: `<SH:2, SW:2>; <PH:3, PW:3>; <DH:1, DW:1>; <G:1>`.
    #[must_use]
    pub(crate) fn from_text(text: &str) -> Self {
        let mut found = Self::default();
        for group in text.split(';') {
            let Some(values) = dimensions(group) else { continue };
            let letters = group.trim().trim_start_matches('<');
            match letters.chars().next() {
                Some('S') => found.stride = Some(values),
                Some('P') => found.padding = Some(values),
                Some('D') => found.dilation = Some(values),
                Some('G') => found.groups = values.first().copied(),
                _ => {}
            }
        }
        found
    }
}

/// The shapes of tensors in the notation of op tables: `<N:32, C:3, H:32, W:32>; <6>`. Empty if the text is not in
/// this notation, or if a size is negative.
#[must_use]
pub(crate) fn shapes_from_text(text: &str) -> Vec<Vec<u64>> {
    let shapes: Option<Vec<_>> =
        text.split(';').filter(|part| !part.trim().is_empty()).map(dimensions).collect();
    shapes.unwrap_or_default()
}

/// The numbers of `<N:32, C:3>`.
fn dimensions(text: &str) -> Option<Vec<u64>> {
    let inside = text.trim().strip_prefix('<')?.strip_suffix('>')?;
    let cells = inside.split(',').filter(|cell| !cell.trim().is_empty());
    cells.map(|cell| cell.rsplit(':').next()?.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_op_tables() {
        let shapes = shapes_from_text("<N:32, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>");
        assert_eq!(shapes, [vec![32, 3, 32, 32], vec![6, 3, 3, 3], vec![6]]);
        let found = OpParameters::from_text("<SH:2, SW:1>; <PH:1, PW:0>; <G:4>");
        assert_eq!((found.stride, found.padding), (Some(vec![2, 1]), Some(vec![1, 0])));
        assert_eq!((found.dilation, found.groups), (None, Some(4)));
        assert!(shapes_from_text("").is_empty());
        assert!(shapes_from_text("<N:-1>; <3>").is_empty());
        assert!(shapes_from_text("[[1, 2]]").is_empty());
    }
}
