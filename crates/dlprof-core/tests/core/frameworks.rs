//! TensorFlow's and XLA's ranges, as their sources write them: no public export with them and kernels is known.

use crate::profiles::profile_of;
use crate::script::Script;
use dlprof_core::{Capture, ModeChoice, ReadOptions};

/// Names of the ops with their types, directions and GPU times.
fn ops(capture: &Capture) -> Vec<(String, String, &'static str, i64)> {
    let profile = profile_of(capture);
    let mut rows: Vec<_> = profile
        .op_stats
        .iter()
        .map(|op| {
            let label = profile.label(op.op);
            let name = profile.op_name(op.op).to_owned();
            (name, label.op_type.clone(), label.direction.as_str(), op.kernels.gpu_ns)
        })
        .filter(|row| row.3 > 0)
        .collect();
    rows.sort();
    rows
}

#[test]
fn xla_thunks_are_ops_below_their_module() {
    let mut script = Script::default();
    for _ in 0..12 {
        script.range(
            "TSL:XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_train_step,program_id=7#",
            |script| {
                script.range("TSL:Thunk:#name=jvp(Dense)/dot_general,hlo_op=cublas-gemm.3#", |script| {
                    script.launch("gemm", 50);
                });
                script.range(
                    "TSL:Thunk:#name=transpose(jvp(Dense))/dot_general,hlo_op=cublas-gemm.4#",
                    |script| {
                        script.launch("gemm", 70);
                    },
                );
                script.range("TSL:Thunk:#hlo_op=loop_add_fusion.1#", |script| {
                    script.launch("loop_add_fusion_1", 10);
                });
            },
        );
        script.wait(40);
    }
    let capture = script.read();
    let module = "/jit_train_step";
    let row = |name: &str, op_type: &str, direction, gpu_ns| {
        (format!("{module}/{name}"), op_type.to_owned(), direction, gpu_ns)
    };
    let expected = [
        row("jvp(Dense)/dot_general/cublas-gemm.3", "cublas-gemm", "fprop", 600),
        row("loop_add_fusion.1", "loop_add_fusion", "", 120),
        row("transpose(jvp(Dense))/dot_general/cublas-gemm.4", "cublas-gemm", "bprop", 840),
    ];
    assert_eq!(ops(&capture), expected);
    let profile = profile_of(&capture);
    assert_eq!(profile.capture.description.mode.as_str(), "jax");
    assert_eq!(profile.iterations.total(), 13, "the module is the step");
}

#[test]
fn tensorflow_nodes_are_ops_by_node_name() {
    let mut script = Script::default();
    let detailed = r#"{"op":"Conv2D","name":"conv1/Conv2D","args":[{"name":"x","shape":[8,32,32,3]}],"attrs":{"T":"float16"}}"#;
    for step in 0..12 {
        script.range(&format!("step {step}"), |script| {
            script.range(r#"{"op":"MatMul","name":"dense/MatMul","args":[],"attrs":{}}"#, |script| {
                script.launch("gemm", 50);
            });
            script.range(detailed, |script| {
                script.launch("conv", 70);
            });
        });
    }
    let capture = script.read();
    let expected = [
        ("conv1/Conv2D".to_owned(), "Conv2D".to_owned(), "", 840),
        ("dense/MatMul".to_owned(), "MatMul".to_owned(), "", 600),
    ];
    assert_eq!(ops(&capture), expected);
    let profile = profile_of(&capture);
    assert_eq!(profile.capture.description.mode.as_str(), "tensorflow");
    assert_eq!(profile.iterations.total(), 13);
    let conv = profile.op_stats.iter().find(|op| profile.op_name(op.op) == "conv1/Conv2D").expect("the op");
    assert!(conv.tc_eligible);
    assert_eq!(profile.label(conv.op).data_type, "float16");
    assert_eq!(profile.label(conv.op).shapes.inputs, "<8, 32, 32, 3>");
    assert!(profile.findings().iter().any(|finding| finding.id == "no_fusion_detector"));
}

#[test]
fn short_texts_of_tensorflow_need_the_mode_in_the_default_domain() {
    let mut script = Script::default();
    script.range("MatMul: dense/MatMul", |script| {
        script.launch("gemm", 50);
    });
    assert_eq!(ops(&script.read())[0].0, "/MatMul: dense/MatMul");
    let options = ReadOptions { mode: ModeChoice::Tensorflow, ..ReadOptions::default() };
    assert_eq!(ops(&script.read_with(&options))[0].0, "dense/MatMul");
}
