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
pub(super) const STYLES: &[Asset] = files![CSS; "vendor/tabulator.min.css" "vendor/uPlot.min.css" "css/base.css" "css/parts.css" "css/grid.css" "css/views.css"];

/// Scripts that are no modules, in the order in which they run.
pub(super) const LIBRARIES: &[Asset] = files![SCRIPT; "vendor/tabulator.min.js" "vendor/uPlot.iife.min.js"];

/// Modules; each imports only from those before it.
pub(super) const MODULES: &[Asset] = files![SCRIPT;
    "dom.js" "format.js" "state.js" "rows.js" "source-embedded.js" "source-http.js" "classes.js" "cut.js"
    "export.js" "table-filters.js" "table.js" "plain-table.js" "bars.js" "chart-canvas.js" "chart-iterations.js" "chart-spread.js"
    "timeline-model.js" "timeline-paint.js" "timeline.js" "flame-layout.js" "flame.js"
    "findings.js" "panes.js"
    "views/dashboard.js" "views/ops.js" "views/groups.js" "views/iteration-kernels.js" "views/tables.js" "views/iterations.js"
    "views/gpus.js" "views/timeline.js" "views/flame.js" "views/scatter.js" "views/compare.js"
    "search.js" "help.js" "frame.js" "main.js"];

/// All files of the front end.
pub fn assets() -> impl Iterator<Item = &'static Asset> {
    INDEX.iter().chain(STYLES).chain(LIBRARIES).chain(MODULES)
}

/// All modules as one: their imports left out, their exports plain declarations. Names are unique over all modules.
pub(super) fn bundle() -> String {
    let mut bundle = String::new();
    for module in MODULES {
        for line in module.text.lines().filter(|line| !line.starts_with("import ")) {
            bundle.push_str(line.strip_prefix("export ").unwrap_or(line));
            bundle.push('\n');
        }
    }
    bundle
}
