use crate::reference::{Row, rows};
use dlprof_core::{OpParameters, OpPass, work_of_call};

#[test]
fn every_reference_op_has_its_work() {
    let Some(rows) = rows("flop_cases.csv") else { return };
    assert!(rows.len() >= 43, "the file is complete");
    for row in rows {
        let inputs: Vec<Vec<u64>> = serde_json::from_str(&row["input_shapes"]).expect("a list of shapes");
        let parameters = parameters(&row);
        let work = |pass| work_of_call(&row["op"], &row["data_type"], &inputs, &parameters, pass);
        if row["flop"].is_empty() {
            assert_eq!(work(OpPass::Forward), None, "{row:?}");
            continue;
        }
        let (forward, backward) = (work(OpPass::Forward), work(OpPass::Backward));
        let forward = forward.unwrap_or_else(|| panic!("no work: {row:?}"));
        let bytes = forward.bytes.expect("a known data type");
        let output: Vec<u64> = serde_json::from_str(&row["output_shape"]).expect("a shape");
        assert_eq!(forward.output, output, "{row:?}");
        assert_eq!(forward.flop.to_string(), row["flop"], "{row:?}");
        assert_eq!(bytes.to_string(), row["bytes"], "{row:?}");
        let intensity: f64 = row["intensity"].parse().expect("a number");
        #[expect(clippy::cast_precision_loss, reason = "four digits are compared")]
        let found = forward.flop as f64 / bytes as f64;
        assert!((found - intensity).abs() < 1e-4, "{row:?}: {found}");
        let backward = backward.expect("a backward pass");
        assert_eq!(backward.flop.to_string(), row["backward_flop"], "{row:?}");
    }
}

/// `stride=2;padding=3`
fn parameters(row: &Row) -> OpParameters {
    let mut found = OpParameters::default();
    for (name, value) in row["parameters"].split(';').filter_map(|pair| pair.split_once('=')) {
        let list = || Some(vec![value.parse().expect("a number")]);
        match name {
            "stride" => found.stride = list(),
            "padding" => found.padding = list(),
            "dilation" => found.dilation = list(),
            "kernel" => found.kernel = list(),
            "groups" => found.groups = value.parse().ok(),
            "features" => found.features = value.parse().ok(),
            "training" => found.is_training = Some(value == "True"),
            "is_causal" => found.is_causal = Some(value == "True"),
            other => panic!("unknown parameter {other}"),
        }
    }
    found
}
