//! Operands in the form of DLProf's databases, from a label and back.
//!
//! ```text
//! label                                     database
//! <N:32, C:3, H:32, W:32>; <6>       ◄──►   [[32,3,32,32],[6]]   letters N,C,H,W;K,C,R,S
//! ```

use super::labels::Label;
use super::shapes::{Format, Shapes, format_of, write_tensor};
use crate::read::facts::StoredOperands;

/// What a database has where a list is missing.
const NOTHING: &str = "null\n";

/// The operands of a label as DLProf stores them.
#[must_use]
pub fn stored_operands(label: &Label) -> StoredOperands {
    let Shapes { inputs, parameters, output, input_names } = &label.shapes;
    let (inputs, output) = (sizes(inputs), sizes(output));
    let names: Vec<&str> = match input_names.is_empty() {
        true => vec![""; inputs.len()],
        false => input_names.iter().map(String::as_str).collect(),
    };
    let format = format_of(&label.op_type);
    let letters = |list: fn(&Format) -> Vec<&'static [&'static str]>| {
        let texts: Vec<String> =
            format.map(list).unwrap_or_default().iter().map(|one| one.join(",")).collect();
        texts.join(";")
    };
    StoredOperands {
        input_names: json(&names),
        input_shapes: json(&inputs),
        output_names: json(&vec![""; output.len()]),
        output_shapes: json(&output),
        parameters: json(&in_order(parameters, format.map_or(&[][..], |format| format.parameters))),
        data_format: letters(|format| format.inputs.to_vec()),
        output_format: letters(|format| vec![format.output]),
        parameters_format: letters(|format| format.parameters.to_vec()),
    }
}

/// The shapes that a database stores.
pub(super) fn shapes(stored: &StoredOperands) -> Shapes {
    let texts = |sizes: &str, format: &str| {
        let letters: Vec<Vec<&str>> = format
            .split(';')
            .map(|one| one.split(',').filter(|letter| !letter.is_empty()).collect())
            .collect();
        let sizes: Option<Vec<Vec<i64>>> = serde_json::from_str(sizes).unwrap_or_default();
        let operands = sizes.unwrap_or_default().into_iter().enumerate();
        let text = |(at, sizes): (usize, Vec<i64>)| {
            write_tensor(letters.get(at).map_or(&[][..], Vec::as_slice), &sizes)
        };
        operands.map(text).collect::<Vec<_>>()
    };
    let names: Option<Vec<String>> = serde_json::from_str(&stored.input_names).unwrap_or_default();
    let names = names.filter(|names| names.iter().any(|name| !name.is_empty()));
    let mut parameters = texts(&stored.parameters, &stored.parameters_format);
    parameters.retain(|text| text != UNKNOWN);
    Shapes {
        inputs: texts(&stored.input_shapes, &stored.data_format).join("; "),
        parameters: parameters.join("; "),
        output: texts(&stored.output_shapes, &stored.output_format).join("; "),
        input_names: names.unwrap_or_default(),
    }
    .cut()
}

/// The text of an operand without sizes: an unknown parameter among known ones.
const UNKNOWN: &str = "<>";

fn json<T: serde::Serialize>(list: &[T]) -> String {
    match list {
        [] => NOTHING.into(),
        list => serde_json::to_string(list).map_or_else(|_| NOTHING.into(), |text| text + "\n"),
    }
}

/// The sizes in a text: `<N:32, C:3>; <6>`.
fn sizes(text: &str) -> Vec<Vec<i64>> {
    let operands = text.split("; ").filter(|operand| !operand.is_empty());
    operands.map(|operand| dimensions(operand).map(|(_, size)| size).collect()).collect()
}

/// Letters and sizes of an operand.
fn dimensions(operand: &str) -> impl Iterator<Item = (&str, i64)> {
    let inner = operand.trim_start_matches('<').trim_end_matches('>');
    inner.split(", ").filter_map(|dimension| {
        let (letter, size) = dimension.rsplit_once(':').unwrap_or(("", dimension));
        Some((letter, size.parse().ok()?))
    })
}

/// Known parameters in the places that the letters give them; unknown ones before them are empty.
fn in_order(text: &str, letters: &[&[&str]]) -> Vec<Vec<i64>> {
    let known: Vec<Vec<(&str, i64)>> =
        text.split("; ").filter(|one| !one.is_empty()).map(|one| dimensions(one).collect()).collect();
    let place = |letters: &&[&str]| {
        let is_it =
            |one: &&Vec<(&str, i64)>| one.iter().map(|(letter, _)| *letter).eq(letters.iter().copied());
        known.iter().find(is_it).map(|one| one.iter().map(|(_, size)| *size).collect()).unwrap_or_default()
    };
    let mut values: Vec<Vec<i64>> = letters.iter().map(place).collect();
    let last = values.iter().rposition(|value| !value.is_empty()).map_or(0, |at| at + 1);
    values.truncate(last);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::StrId;
    use crate::capture::correlate::{Eligibility, OpIdentity};

    fn label(op_type: &str, shapes: Shapes) -> Label {
        Label { shapes, ..Label::plain(StrId::NONE, op_type, OpIdentity::Name, Eligibility::Eligible) }
    }

    #[test]
    fn operands_come_back() {
        let cases = [
            (
                "conv2d",
                "<N:8, C:3, H:32, W:32>; <K:6, C:3, R:5, S:3>; <6>",
                "<PH:1, PW:1>",
                "<N:8, K:6, P:15, Q:32>",
            ),
            ("linear", "<8, 16, 64>; <M:32, K:64>", "", "<8, 16, 32>"),
            ("relu", "", "", ""),
            ("add", "<8, 2>; <8, 2>", "", ""),
        ];
        for (op_type, inputs, parameters, output) in cases {
            let names = if op_type == "add" { vec![String::new(), "other".to_owned()] } else { Vec::new() };
            let shapes_of = Shapes {
                inputs: inputs.into(),
                parameters: parameters.into(),
                output: output.into(),
                input_names: names,
            };
            let stored = stored_operands(&label(op_type, shapes_of.clone()));
            assert_eq!(shapes(&stored), shapes_of, "{stored:?}");
        }
    }

    #[test]
    fn operands_have_the_form_of_dlprof() {
        let shapes_of = Shapes {
            inputs: "<N:32, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>".into(),
            output: "<N:32, K:6, P:30, Q:30>".into(),
            ..Shapes::default()
        };
        let stored = stored_operands(&label("conv2d", shapes_of));
        assert_eq!(stored.input_names, "[\"\",\"\",\"\"]\n");
        assert_eq!(stored.input_shapes, "[[32,3,32,32],[6,3,3,3],[6]]\n");
        assert_eq!(stored.output_names, "[\"\"]\n");
        assert_eq!(stored.output_shapes, "[[32,6,30,30]]\n");
        assert_eq!(stored.parameters, "null\n");
        assert_eq!(stored.data_format, "N,C,H,W;K,C,R,S");
        assert_eq!(stored.output_format, "N,K,P,Q");
        assert_eq!(stored.parameters_format, "SH,SW;PH,PW;DH,DW;G");
    }
}
