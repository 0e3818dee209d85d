//! Captures drawn in code that must come out right: those in which kernels decide.

use super::super::Confidence::{High, Medium};
use super::drawing::{Drawing, done, in_short};
use super::scenes::{assert_found, assert_none, bare_step, layer, micro_batch, pass};

#[test]
fn micro_batches_without_ranges() {
    let mut d = Drawing::new();
    for _ in 0..6 {
        (0..4).for_each(|_| micro_batch(&mut d));
        d.kernels("adam", 5, 20).copy_out(2).wait(50);
    }
    assert_found(&d.find(), &[6], "337 kernels", High);
}

/// Not decidable from names of kernels: ten steps and a little logging look like ten layers and an end.
#[test]
fn a_few_kernels_more_in_every_tenth_step() {
    let mut d = Drawing::new();
    for number in 1..=50 {
        bare_step(&mut d);
        if number % 10 == 0 {
            d.kernels("log", 4, 10).copy_out(2);
        }
    }
    let found = d.find();
    assert_found(&found, &[5], "1164 kernels", High);
    let inner = found.delimiter.expect("a delimiter").inner_rhythm.expect("the steps");
    assert_eq!(inner.to_string(), "each holds 10.0 × 116 kernels (0.92)");
}

#[test]
fn kernels_that_vary_in_their_exact_name_only() {
    let mut d = Drawing::new();
    for number in 0..20 {
        for at in 0..100 {
            let (layer, place) = (at / 20, at % 20);
            let long = format!("gemm<{number}, {layer}, {place}>");
            d.kernel_named(&long, &format!("gemm{place}"), 20);
        }
        d.kernels("adam", 3, 20).copy_out(2);
    }
    assert_found(&d.find(), &[20], "103 kernels", Medium);
}

#[test]
fn ranges_for_layers_only() {
    for is_numbered in [false, true] {
        let mut d = Drawing::new();
        for _ in 0..10 {
            d.kernels("embed", 2, 10);
            for number in 0..12 {
                let text = if is_numbered { format!("layer_{number}") } else { "layer".to_owned() };
                d.range(&text, layer);
            }
            d.kernels("head", 3, 30).copy_out(2);
        }
        assert_found(&d.find(), &[10], "149 kernels", High);
    }
}

#[test]
fn passes_that_begin_inside_their_first_layer() {
    let mut d = Drawing::new();
    for _ in 0..10 {
        (0..12).for_each(|_| done(d.range("layer", layer)));
        d.kernels("head", 3, 30).copy_out(2);
    }
    assert_found(&d.find(), &[10], "147 kernels", High);
}

#[test]
fn twelve_attentions_per_pass() {
    let mut d = Drawing::new();
    for _ in 0..10 {
        d.kernels("embed", 2, 10);
        (0..12).for_each(|_| done(d.range("attention", layer)));
        d.kernels("head", 3, 30).copy_out(2);
    }
    assert_found(&d.find(), &[10], "149 kernels", High);
}

#[test]
fn graph_replays() {
    let mut d = Drawing::new();
    (0..30).for_each(|_| done(d.copy_in(5).graph(3_000)));
    let (counts, ..) = in_short(&d.find());
    assert_eq!(counts, [30], "whole");
    let mut d = Drawing::new();
    (0..30).for_each(|_| done(d.copy_in(5).graph_by_node("node", 80, 20)));
    let found = d.find();
    assert_eq!(in_short(&found).0, [30], "by node: {found:#?}");
}

/// Kernels before the steps that repeat themselves, more than the steps have, but for a shorter time.
#[test]
fn repeated_kernels_before_steps() {
    for configurations in [1, 100] {
        let mut d = Drawing::new();
        for at in 0..1_500 {
            d.kernel(&format!("tune{}", at * configurations / 1_500), 5);
        }
        for _ in 0..12 {
            bare_step(&mut d);
            d.wait(20);
        }
        let found = d.find();
        assert_eq!(in_short(&found).0, [12], "{configurations}: {:#?}", found.candidates);
    }
}

#[test]
fn autotuning_before_steps() {
    let mut d = Drawing::new();
    for _ in 0..1_500 {
        let at = d.random(40);
        d.kernel(&format!("tune{at}"), 5);
    }
    (0..12).for_each(|_| {
        done({
            bare_step(&mut d);
            d.wait(20)
        })
    });
    let found = d.find();
    assert_eq!(in_short(&found).0, [12], "{:#?}", found.candidates);
}

#[test]
fn a_capture_cut_at_both_ends() {
    let mut d = Drawing::new();
    d.kernels("grad", 14, 30).kernels("adam", 5, 20).copy_out(2).wait(30);
    (0..8).for_each(|_| {
        done({
            bare_step(&mut d);
            d.wait(30)
        })
    });
    pass(&mut d, 2);
    let found = d.find();
    assert_eq!(in_short(&found).0, [8], "{:#?}", found.candidates);
}

#[test]
fn what_holds_no_steps() {
    let mut d = Drawing::new();
    pass(&mut d, 24);
    d.copy_out(2);
    assert_none(&d.find());

    let mut d = Drawing::new();
    d.kernels("layer", 5, 20);
    (0..17).for_each(|_| layer(&mut d));
    d.kernels("layer", 7, 20);
    assert_none(&d.find());

    let mut d = Drawing::new();
    for layers in [7, 11, 5, 13, 8, 6, 12, 9] {
        pass(&mut d, layers);
        d.copy_out(2);
    }
    assert_none(&d.find());

    let mut d = Drawing::new();
    for _ in 0..3_000 {
        let at = d.random(30);
        d.kernel(&format!("kernel{at}"), 20);
    }
    assert_none(&d.find());
}

#[test]
fn operators_only() {
    let mut d = Drawing::new();
    let mut number = 0;
    for _ in 0..10 {
        for _ in 0..12 {
            for name in ["aten::mm", "aten::relu", "NativeLayerNorm"] {
                number += 1;
                d.range(&format!("{name}, seq = {number}, op_id = {number}"), |d| {
                    d.kernels(name, 4, 20);
                });
            }
        }
        d.kernels("adam", 3, 20).copy_out(2);
    }
    assert_found(&d.find(), &[10], "147 kernels", High);
}
