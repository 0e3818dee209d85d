//! Frames, roofs and points of small rooflines, worked out by hand.

use super::*;

fn point(name: &str, time_ns: f64, flop: f64, dram_bytes: f64) -> RooflinePoint {
    RooflinePoint {
        name: name.into(),
        time_ns,
        flop_per_s: Some(flop / (time_ns * 1e-9)),
        bytes_per_s: [None, None, Some(dram_bytes / (time_ns * 1e-9))],
        bound: "memory",
        dram_percent: Some(50.0),
        is_exact: true,
    }
}

/// 1 TB/s, 10 TFLOP/s of FP32, 100 TFLOP/s of Tensor Cores.
fn roofs() -> RooflineRoofs {
    RooflineRoofs {
        gpu: None,
        bytes_per_s: vec![(MemoryLevel::Dram, 1e12)],
        flop_per_s: vec![("fp32".into(), 1e13), ("tensor fp16".into(), 1e14)],
        unknown: Vec::new(),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn axes_are_whole_decades_at_least_three() {
    assert_eq!(Decades::holding([0.5, 20.0]), Decades { first: -1, last: 2 });
    assert_eq!(Decades::holding([5.0]), Decades { first: -1, last: 2 });
    assert_eq!(Decades::holding([]), Decades { first: -1, last: 2 });
    // A power of ten alone has an edge on itself.
    assert_eq!(Decades::holding([100.0]), Decades { first: 1, last: 4 });
    assert_eq!(Decades::holding([f64::NAN, 0.0, -1.0, 1e300, 1.0]).last, 24);
}

#[test]
fn ridges_are_where_roofs_meet() {
    // 1 ms, 1 GFLOP, 1 GB: 1 FLOP/byte, 1 TFLOP/s.
    let points = vec![point("a", 1e6, 1e9, 1e9)];
    let roofline = Roofline::new(&RooflineSource { points, roofs: roofs(), levels: Vec::new() });
    assert_eq!((roofline.x, roofline.y), (Decades { first: 0, last: 3 }, Decades { first: 12, last: 15 }));
    let ridges: Vec<(&str, f64)> =
        roofline.ridges.iter().map(|ridge| (ridge.name.as_str(), ridge.flop_per_byte)).collect();
    assert_eq!(ridges, [("tensor fp16", 100.0), ("fp32", 10.0)]);
    let only = &roofline.points[0];
    assert!(near(only.flop_per_byte, 1.0) && near(only.flop_per_s, 1e12), "{only:?}");
    assert!(near(only.at[0], 0.0) && near(only.at[1], 0.0), "{only:?}");
    let slope = &roofline.sloped[0];
    // It enters at the lower left corner and ends at the highest roof.
    assert!(near(slope.from[0], 0.0) && near(slope.from[1], 0.0), "{slope:?}");
    assert!(near(slope.to[0], 2.0 / 3.0) && near(slope.to[1], 2.0 / 3.0), "{slope:?}");
    let lower = &roofline.flat[1];
    assert!(near(lower.from_x, 1.0 / 3.0) && near(lower.y, 1.0 / 3.0), "{lower:?}");
}

#[test]
fn points_lie_below_the_roofs_that_hold_for_them() {
    let points = vec![point("a", 1e6, 2e9, 8e8), point("b", 4e6, 1e10, 1e9)];
    let roofline = Roofline::new(&RooflineSource { points, roofs: roofs(), levels: Vec::new() });
    // The longest comes first, and its area is four times that of the other.
    let names: Vec<(&str, char)> =
        roofline.points.iter().map(|point| (point.name.as_str(), point.letter)).collect();
    assert_eq!(names, [("b", 'A'), ("a", 'B')]);
    assert!(near(roofline.points[0].radius, 2.0 * roofline.points[1].radius));
    assert!(near(roofline.points[0].time_percent, 80.0));
    for point in &roofline.points {
        assert!(point.at.iter().all(|share| (0.0..=1.0).contains(share)), "{point:?}");
    }
}

#[test]
fn kernels_without_flop_or_bytes_stand_aside() {
    let points = vec![
        point("copy", 3e6, 0.0, 1e9),
        point("registers", 2e6, 1e9, 0.0),
        RooflinePoint { flop_per_s: None, ..point("unknown", 1e6, 0.0, 1e9) },
        RooflinePoint { bytes_per_s: [None; 3], ..point("no bytes", 1e6, 1e9, 0.0) },
        RooflinePoint { time_ns: 0.0, ..point("gone", 1e6, 1e9, 1e9) },
    ];
    let roofline = Roofline::new(&RooflineSource { points, roofs: roofs(), levels: Vec::new() });
    let strip: Vec<(&str, bool)> =
        roofline.strip.iter().map(|point| (point.name.as_str(), point.has_flop)).collect();
    assert_eq!(strip, [("copy", false), ("registers", true)]);
    assert_eq!((roofline.points.len(), roofline.unknown), (0, 3));
    assert!(!roofline.is_empty());
}

#[test]
fn memories_give_a_point_each_at_one_height() {
    let points = vec![RooflinePoint {
        bytes_per_s: [Some(4e12), Some(2e12), Some(1e12)],
        ..point("a", 1e6, 4e9, 1e9)
    }];
    let levels = vec![MemoryLevel::Dram, MemoryLevel::L1, MemoryLevel::L2];
    let mut roofs = roofs();
    roofs.bytes_per_s.push((MemoryLevel::L2, 4e12));
    let roofline = Roofline::new(&RooflineSource { points, roofs, levels });
    let found: Vec<(&str, f64, bool)> = roofline
        .points
        .iter()
        .map(|point| (point.level.as_str(), point.flop_per_byte, point.is_labelled))
        .collect();
    assert_eq!(found, [("l1", 1.0, false), ("l2", 2.0, false), ("dram", 4.0, true)]);
    assert!(roofline.points.iter().all(|point| near(point.flop_per_s, 4e12)));
    // Roofs of L2 and DRAM; ridges are those of DRAM.
    assert_eq!(roofline.sloped.len(), 2);
    assert!(near(roofline.ridges[1].flop_per_byte, 10.0));
}

#[test]
fn without_roofs_there_are_still_points() {
    let points = vec![point("a", 1e6, 2e9, 8e8)];
    let roofline = Roofline::new(&RooflineSource { points, ..RooflineSource::default() });
    assert!(roofline.sloped.is_empty() && roofline.flat.is_empty() && roofline.ridges.is_empty());
    assert_eq!(roofline.points.len(), 1);
    assert!(Roofline::new(&RooflineSource::default()).is_empty());
}

/// A log of integers on Tensor Cores that tells the roofs of FP32 and DRAM, and not theirs.
#[test]
fn roofs_that_nothing_tells_are_named() {
    const LOG: &str = "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\
        \"dram__bytes_write.sum\",\"sm__ops_path_tensor_src_int8.sum\",\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\",\
        \"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\",\
        \"sm__cycles_elapsed.avg.per_second\",\"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained\"\n\
        \"\",\"\",\"\",\"\",\"\",\"ns\",\"byte\",\"byte\",\"\",\"inst\",\"inst\",\"inst\",\"cycle/s\",\"inst/cycle\"\n\
        \"0\",\"7\",\"gemm_s8\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"1000000\",\"500000\",\"500000\",\"80000000000\",\"0\",\"0\",\"0\",\
        \"1000000000\",\"6912\"\n";
    let roofline = |log: &str| {
        let log = crate::read::ncu::read_bytes(log.as_bytes()).expect("a log");
        Roofline::new(&roofline_of_logs(&[std::sync::Arc::new(log)], &[]))
    };
    let found = roofline(LOG);
    assert_eq!(found.unknown_roofs, ["DRAM", "tensor int8"]);
    let flat: Vec<(&str, f64)> =
        found.flat.iter().map(|roof| (roof.name.as_str(), roof.flop_per_s)).collect();
    assert_eq!(flat, [("fp32", 2.0 * 6912.0 * 1e9)]);
    // The point lies above the only roof there is.
    assert!(found.points[0].flop_per_s > flat[0].1, "{found:?}");
    // Tensor Cores that computed nothing have no roof that could be missing.
    assert_eq!(roofline(&LOG.replace("80000000000", "0")).unknown_roofs, ["DRAM"]);
}
