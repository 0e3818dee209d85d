//! The files of the front end. The local server serves them as they are; a report file holds them all.

/// A file of the front end.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its path below the root of the server, with `/` between folders.
    pub path: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    /// Its contents.
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($content_type:expr; $($path:literal)*) => {
        &[$(Asset {
            path: $path,
            content_type: $content_type,
            text: include_str!(concat!("../../assets/page/", $path)),
        },)*]
    };
}

/// The page that the server sends for `/`.
pub(super) const INDEX: &[Asset] = files![HTML; "index.html"];

/// Style sheets in the order in which they apply.
pub(super) const STYLES: &[Asset] = files![CSS;
    "vendor/uPlot.min.css" "css/base.css" "css/parts.css" "css/grid.css" "css/views.css" "css/ranks.css" "css/print.css"
];

/// Scripts that are not modules, in the order in which they run.
pub(super) const LIBRARIES: &[Asset] = files![SCRIPT; "vendor/uPlot.iife.min.js"];

/// Modules; each imports only from those before it.
pub(super) const MODULES: &[Asset] = files![SCRIPT;
    "dom.js" "format.js" "state.js" "basis.js" "rows.js" "source-blocks.js" "source-embedded.js" "source-http.js" "classes.js" "cut.js" "bars.js"
    "export.js" "table-filters.js" "menu.js" "grid-columns.js" "grid-store.js" "grid-scroll.js" "grid-cells.js"
    "grid-body.js" "grid-row.js" "grid-keys.js" "grid-print.js" "grid-chrome.js" "in-timeline.js" "table.js" "plain-table.js"
    "group-tree.js" "group-heads.js" "progress.js" "chart-canvas.js"
    "iteration-model.js" "chart-iterations-paint.js" "chart-iterations.js" "chart-spread.js"
    "flame-layout.js" "flame.js" "time-address.js" "timeline-model.js" "timeline-paint.js" "timeline-legend.js" "timeline.js"
    "run-tiles.js" "run-lanes.js" "run-counters.js" "run-hover.js" "run-paint.js" "run-timeline.js" "findings.js" "panes.js"
    "views/dashboard/rows-as-objects.js" "views/dashboard/not-recorded.js" "views/dashboard/verdict.js"
    "views/dashboard/serving.js" "views/dashboard/step.js" "views/dashboard/evidence.js" "views/dashboard/top.js" "views/dashboard/figures.js"
    "views/dashboard/system.js" "views/dashboard.js" "views/ops.js" "views/groups.js" "views/iteration-kernels.js"
    "views/tables.js"
    "views/range-panel.js" "views/iterations.js" "views/gpus.js" "views/run-item.js" "views/run-range.js" "views/run-search.js"
    "views/whole-run.js"
    "views/timeline-item.js" "views/timeline.js" "views/flame.js" "views/scatter.js" "views/counters.js"
    "views/compare-timelines.js" "views/compare-ranges.js" "views/compare-verdict.js" "views/compare.js"
    "views/ranks/head.js" "views/ranks/rows.js" "views/ranks/cells.js" "views/ranks/shades.js" "views/ranks/heat.js"
    "views/ranks/one.js" "views/ranks.js"
    "frame.js" "search.js" "help.js" "main.js"];

/// All files of the front end.
pub fn assets() -> impl Iterator<Item = &'static Asset> {
    INDEX.iter().chain(STYLES).chain(LIBRARIES).chain(MODULES)
}

/// All modules as one: each in a scope of its own that hands out what it exports. Exports have names that are unique over all
/// modules, and each import and each export begins a line.
pub(super) fn bundle() -> String {
    let mut bundle = String::new();
    for module in MODULES {
        let exports = exports(module.text).join(", ");
        if !exports.is_empty() {
            bundle.push_str(&format!("const {{ {exports} }} = "));
        }
        bundle.push_str("(() => {\n");
        for line in without_imports(module.text) {
            bundle.push_str(line.strip_prefix("export ").unwrap_or(line));
            bundle.push('\n');
        }
        if !exports.is_empty() {
            bundle.push_str(&format!("return {{ {exports} }};\n"));
        }
        bundle.push_str("})();\n");
    }
    bundle
}

/// The lines of a module after its imports. An import may have several lines; the last one ends with a semicolon.
fn without_imports(module: &str) -> impl Iterator<Item = &str> {
    let mut is_import = false;
    module.lines().filter(move |line| {
        is_import |= line.starts_with("import ");
        let is_kept = !is_import;
        is_import &= !line.ends_with(';');
        is_kept
    })
}

/// The names that a module exports.
fn exports(module: &str) -> Vec<&str> {
    let declared = |line: &str| -> Option<usize> {
        ["async function ", "function ", "const "]
            .iter()
            .find_map(|word| line.starts_with(word).then_some(word.len()))
    };
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let from = declared(line)?;
        let length = line[from..].find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some((from, from + length))
    };
    let lines = module.lines().filter_map(|line| line.strip_prefix("export "));
    lines.filter_map(|line| name(line).map(|(from, to)| &line[from..to])).collect()
}

#[cfg(test)]
mod tests {
    use super::{LIBRARIES, MODULES, STYLES, exports};
    use std::collections::BTreeSet;

    #[test]
    fn modules_import_what_earlier_ones_export_and_no_name_is_exported_twice() {
        let mut known = BTreeSet::new();
        for module in MODULES {
            let text = format!("\n{}", module.text);
            for import in text.split("\nimport ").skip(1) {
                let names = import.split(['{', '}']).nth(1).expect("names in braces");
                for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    assert!(known.contains(name), "{}: {name} is not exported before", module.path);
                }
            }
            let all = module.text.lines().filter(|line| line.starts_with("export ")).count();
            let own = exports(module.text);
            assert_eq!(own.len(), all, "{}: an export that the bundle cannot read", module.path);
            for name in own {
                assert!(known.insert(name), "{}: {name} is exported twice", module.path);
            }
        }
    }

    #[test]
    fn no_asset_ends_the_element_that_holds_it() {
        for asset in LIBRARIES.iter().chain(MODULES) {
            assert!(!asset.text.contains("</script") && !asset.text.contains("<!--"), "{}", asset.path);
        }
        assert!(STYLES.iter().all(|asset| !asset.text.contains("</style")));
    }

    #[test]
    fn assets_ask_for_nothing_outside() {
        for asset in STYLES.iter().filter(|asset| !asset.path.starts_with("vendor/")) {
            assert!(!asset.text.contains("url(") && !asset.text.contains("@import"), "{}", asset.path);
        }
        for asset in MODULES {
            assert!(!asset.text.contains("innerHTML") && !asset.text.contains("eval("), "{}", asset.path);
        }
    }
}
