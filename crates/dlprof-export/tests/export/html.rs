//! The report file, read back: its blocks of data hold every cell, and its markup holds nothing of the capture.

use crate::formats::for_each_profile;
use dlprof_core::{ClockChoice, Judged, RangeChoice, Table, Value, to_f64};
use dlprof_export::{
    FlameKey, FlameNode, RangeSums, ReportOptions, ReportTables, TimeUnit, flame_graph, write_page,
};
use serde_json::Value as Json;

const OPTIONS: ReportOptions<'_> =
    ReportOptions { tables: ReportTables::Chosen, most_rows: Some(0), time_unit: TimeUnit::Auto, font: None };

fn written(
    profile: &Judged,
    tables: &[Box<dyn Table + '_>],
    title: &str,
    options: &ReportOptions<'_>,
) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    write_page(profile, title, tables, options, &path).expect("a page");
    std::fs::read_to_string(path).expect("UTF-8")
}

/// A block of data.
fn block(page: &str, id: &str) -> Json {
    let start = format!("<script type=\"text/plain\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no block {id}"));
    let (text, _) = rest.split_once("</script>").expect("its end");
    let packed = decoded(text);
    let json = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).expect("compressed data");
    serde_json::from_slice(&json).expect("JSON")
}

/// Bytes of base64 text.
fn decoded(text: &str) -> Vec<u8> {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for sign in text.bytes().filter(|&sign| sign != b'=') {
        let place = SIGNS.iter().position(|&known| known == sign).expect("base64");
        bits = bits << 6 | u32::try_from(place).expect("small");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).expect("a byte"));
        }
    }
    bytes
}

/// A cell of a block.
fn cell(column: &Json, row: usize) -> Json {
    match column {
        Json::Array(cells) => cells[row].clone(),
        column => match column["at"][row].as_i64().expect("a place") {
            -1 => Json::Null,
            place => column["texts"][usize::try_from(place).expect("a place")].clone(),
        },
    }
}

fn expected(value: &Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Int(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Text(text) => text.to_string().into(),
    }
}

#[test]
fn every_cell_is_there_and_exact() {
    for_each_profile(|profile, tables| {
        let page = written(profile, tables, "run", &OPTIONS);
        let manifest = block(&page, "manifest");
        assert_eq!(manifest["tables"].as_array().expect("tables").len(), tables.len());
        for table in tables {
            let found = block(&page, &format!("table-{}", table.key()));
            assert_eq!(found["rows"], table.rows(), "{}", table.key());
            assert_eq!(manifest["contents"][table.key()]["rows"], table.rows());
            for column in 0..table.columns() {
                for row in 0..table.rows() {
                    let at = format!("{} {row} {}", table.key(), table.header(column).key);
                    assert_eq!(
                        cell(&found["columns"][column], row),
                        expected(&table.value(row, column)),
                        "{at}"
                    );
                }
            }
        }
    });
}

#[test]
fn names_cannot_become_markup() {
    for_each_profile(|profile, tables| {
        let title = "</title><script>alert(\"1\")</script> 'x' \u{202E}";
        let page = written(profile, tables, title, &OPTIONS);
        let (markup, scripts) = page.split_once("<body>").expect("a body");
        assert!(!markup.contains("alert(\"1\")</script>") && !page.contains('\u{202E}'));
        assert!(markup.contains("&lt;/title&gt;&lt;script&gt;"));
        let (blocks, programs) = scripts.split_once("<script>").expect("libraries");
        let of_data = blocks.matches("<script type=\"text/plain\" id=\"").count();
        assert_eq!(of_data, blocks.matches("<script").count(), "blocks of data only");
        assert_eq!(programs.matches("</script>").count(), 2, "one library and our own");
        for outside in [" src=", "<link", "<img", "@import", "url("] {
            assert!(!markup.contains(outside) && !blocks.contains(outside), "{outside}");
        }
    });
}

#[test]
fn the_policy_permits_what_is_in_the_file_and_nothing_else() {
    for_each_profile(|profile, tables| {
        let page = written(profile, tables, "run", &OPTIONS);
        let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").expect("a policy");
        let (policy, _) = policy.split_once('"').expect("its end");
        assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(policy.matches("'sha256-").count(), page.matches("<style>").count() + 2);
        assert!(policy.contains("base-uri 'none'; form-action 'none'"));
    });
}

#[test]
fn cut_tables_say_so() {
    for_each_profile(|profile, tables| {
        let options = ReportOptions { most_rows: Some(2), ..OPTIONS };
        let page = written(profile, tables, "run", &options);
        let kernels = tables.iter().find(|table| table.key() == "kernels").expect("the table");
        let said = format!("2 of {} rows are shown, those with most GPU time.", kernels.rows());
        let notes = &block(&page, "manifest")["contents"]["kernels"]["notes"];
        assert!(notes[0].as_str().expect("a note").starts_with(&said), "{notes}");
        assert_eq!(block(&page, "table-kernels")["rows"], 2);
    });
}

#[test]
fn flame_graphs_hold_all_gpu_work() {
    for_each_profile(|profile, _| {
        let all = profile.kernel_totals.all();
        for key in FlameKey::ALL {
            let root = flame_graph(profile, key);
            assert_eq!((root.time_ns, root.launches), (all.gpu_ns, all.launches));
            assert_sums(&root);
        }
    });
}

#[test]
fn flame_graphs_by_class_have_each_name_of_a_class_once() {
    for_each_profile(|profile, _| {
        let root = flame_graph(profile, FlameKey::Kernels);
        let copies = root.children.iter().find(|class| class.name == "copies and memsets");
        assert_eq!(copies.map_or(0, |copies| copies.time_ns), profile.kernel_totals.memory.gpu_ns);
        for class in root.children {
            let mut names: Vec<&str> = class.children.iter().map(|leaf| leaf.name.as_str()).collect();
            names.sort_unstable();
            assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
            assert!(class.children.iter().all(|leaf| leaf.children.is_empty()));
        }
    });
}

/// The mean and the deviation of a range from sums over the iterations before.
fn mean_and_deviation(sums: &RangeSums, start: usize, stop: usize) -> (f64, f64) {
    let count = f64::from(sums.counted[stop + 1] - sums.counted[start]);
    let above = to_f64(sums.sum_ns[stop + 1] - sums.sum_ns[start]);
    let squares = sums.squares[stop + 1] - sums.squares[start];
    let deviation =
        if count > 1.0 { ((squares - above * above / count).max(0.0) / (count - 1.0)).sqrt() } else { 0.0 };
    (to_f64(sums.center_ns) + above / count, deviation)
}

#[test]
fn sums_over_iterations_tell_the_mean_and_deviation_of_any_range() {
    for_each_profile(|profile, _| {
        let sums = RangeSums::new(profile);
        let last = profile.iterations.last_iteration();
        // A range may have another clock, unless one is chosen.
        let clock = if profile.summary.clock.as_str() == "gpu" { ClockChoice::Gpu } else { ClockChoice::Cpu };
        assert_eq!(sums.counted.len(), profile.iterations.total() as usize + 1);
        for (start, stop) in
            [(0, last), (1.min(last), last), (last / 2, last), (last, last), (0, 3.min(last))]
        {
            let (iter_start, iter_stop) = (Some(start), Some(stop));
            let range = RangeChoice { iter_start, iter_stop, clock, ..RangeChoice::default() };
            let summary = profile.index.profile(&range).expect("a range").summary.clone();
            let (mean, deviation) = mean_and_deviation(&sums, start as usize, stop as usize);
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
            assert!(near(mean, summary.average_iteration_ns), "{start} to {stop}: {mean}");
            let known = summary.iteration_deviation_ns.unwrap_or(0.0);
            assert!(near(deviation, known), "{start} to {stop}: {deviation}");
        }
    });
}

fn assert_sums(node: &FlameNode) {
    if node.children.is_empty() {
        return;
    }
    assert_eq!(node.children.iter().map(|child| child.time_ns).sum::<i64>(), node.time_ns, "{}", node.name);
    assert!(node.children.is_sorted_by(|a, b| a.time_ns >= b.time_ns));
    node.children.iter().for_each(assert_sums);
}
