//! Captures of AMD's tools through every door: their words, and what must not come out.

use crate::run::{command, database, run_with_cache, temporary_folder};
use dlprof_export::StandingQuestion;
use std::path::{Path, PathBuf};

/// The value of a variable of the environment in `rocpd.sql`, as a token would be.
const SECRET: &str = "planted-secret-value";

/// What no output about GPUs of AMD says.
const OF_NVIDIA: [&str; 10] =
    ["nsys", "NVTX", "CUPTI", "CUDA", "Tensor Core", "Tensor Cores", "warp", "warps", "SM", "SMs"];

/// The words of a text that are whole words: not part of a name such as `CUDAFunctor_add`.
fn of_nvidia(text: &str) -> Vec<String> {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut found = Vec::new();
    for line in text.lines() {
        for word in OF_NVIDIA {
            for (at, _) in line.match_indices(word) {
                let before = line[..at].chars().next_back().is_some_and(is_of_name);
                let behind =
                    line[at + word.len()..].chars().next().is_some_and(|c| c != ':' && is_of_name(c));
                if !before && !behind {
                    found.push(format!("`{word}` in: {line}"));
                }
            }
        }
        if line.contains("cudaMalloc") {
            found.push(format!("`cudaMalloc` in: {line}"));
        }
    }
    found
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Every table, and commands with texts of their own.
fn commands() -> Vec<String> {
    let tables = dlprof_core::TABLES.iter().map(|table| format!("show --quiet {}", table.key));
    let others = ["", "check", "rules", "show findings --wide", "show diagnostics --wide"];
    // For programs the SQL of this answer stays as the tables have it, where whole graphs have a kind of this name.
    let asked = questions().filter(|words| words.as_str() != "ask --brief where_time");
    others.iter().map(|words| (*words).to_owned()).chain(asked).chain(tables).collect()
}

/// Every question about one capture, answered for people and for programs.
fn questions() -> impl Iterator<Item = String> {
    let of_one = |question: &StandingQuestion| *question != StandingQuestion::Compare;
    let words = StandingQuestion::ALL.into_iter().filter(of_one).map(|question| question.words()[0]);
    words.flat_map(|question| [format!("ask {question}"), format!("ask --brief {question}")])
}

#[test]
fn no_output_speaks_of_nvidia_or_shows_the_environment() {
    let folder = temporary_folder();
    let input = database(folder.path(), "rocpd.sql");
    let cache = folder.path().join("cache");
    let mut found = Vec::new();
    for words in commands() {
        let (words, table) = match words.strip_prefix("show --quiet ") {
            Some(table) => ("show --quiet".to_owned(), Some(PathBuf::from(table))),
            None => (words, None),
        };
        let paths: Vec<&Path> = [Some(input.as_path()), table.as_deref()].into_iter().flatten().collect();
        let run = run_with_cache(&cache, &words, &paths);
        assert!(run.code == 0, "{words} {table:?}: {run:?}");
        let said = run.stdout + &run.stderr;
        assert!(!said.contains(SECRET), "{words} {table:?} shows the environment");
        found.extend(of_nvidia(&said).into_iter().map(|line| format!("{words} {table:?}: {line}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Traces of torch.profiler of AMD's GPUs. PyTorch itself says CUDA there.
#[test]
fn no_answer_about_a_trace_speaks_of_nvidia() {
    let Some(corpus) = dlprof_generate::corpus::folder() else { return };
    let folder = temporary_folder();
    let mut found = Vec::new();
    for name in
        ["amd-mi210-gpu-only", "amd-mi250-minitoy", "amd-mi300-resnet-ckpt", "amd-mi300-sglang-decode"]
    {
        let input = corpus.join("kineto").join(name).with_extension("json.gz");
        for words in questions() {
            let run = run_with_cache(folder.path(), &words, &[&input]);
            assert_eq!(run.code, 0, "{run:?}");
            let lines = of_nvidia(&(run.stdout + &run.stderr)).into_iter();
            let lines = lines.filter(|line| !line.starts_with("`CUDA`"));
            found.extend(lines.map(|line| format!("{name}, {words}: {line}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Databases of the corpus beside the project, where it is, and the one that is made here.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut inputs = vec![database(folder, "rocpd.sql")];
    let corpus = dlprof_generate::corpus::folder();
    let names =
        ["rocpd/graphs.db", "rocpd/counters.db", "rocpd/train-op-names.db", "xplane/amd-two-gpus.xplane.pb"];
    inputs.extend(corpus.iter().flat_map(|corpus| names.map(|name| corpus.join(name))));
    inputs
}

#[test]
fn no_export_speaks_of_nvidia() {
    let folder = temporary_folder();
    let mut found = Vec::new();
    for (at, input) in inputs(folder.path()).iter().enumerate() {
        let out = folder.path().join(format!("out-{at}"));
        std::fs::create_dir(&out).expect("a folder");
        for form in ["csv", "tsv", "ndjson", "md"] {
            let to = format!("{}/", out.join(form).display());
            let run = run_with_cache(
                folder.path(),
                &format!("export --format {form} -o"),
                &[Path::new(&to), input],
            );
            assert_eq!(run.code, 0, "{run:?}");
        }
        for name in ["all.json", "page.html", "run.prom", "run.folded", "run.trace.json", "run.firefox.json"]
        {
            let run = run_with_cache(folder.path(), "export -o", &[&out.join(name), input]);
            assert_eq!(run.code, 0, "{run:?}");
        }
        let written = files(&out);
        assert!(written.len() > 100, "{} files", written.len());
        for path in written {
            let text = std::fs::read(&path).expect("a file");
            let lines = of_nvidia(&String::from_utf8_lossy(&text)).into_iter();
            let short = |line: String| line.chars().take(300).collect::<String>();
            found.extend(lines.map(|line| format!("{}: {}", path.display(), short(line))));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn neither_exports_nor_kept_files_have_the_environment() {
    let folder = temporary_folder();
    let input = database(folder.path(), "rocpd.sql");
    let cache = folder.path().join("cache");
    let [json, page] = ["all.json", "report.html"].map(|name| folder.path().join(name));
    for output in [&json, &page] {
        let run = run_with_cache(&cache, "export -o", &[output, &input]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let written = files(folder.path()).into_iter().filter(|path| *path != input);
    let mut looked_at = 0;
    for path in written {
        let bytes = std::fs::read(&path).expect("a file");
        let has = |text: &str| holds(&bytes, text.as_bytes());
        assert!(!has(SECRET) && !has("HF_TOKEN"), "{} has the environment", path.display());
        looked_at += 1;
    }
    assert!(looked_at > 1, "{looked_at} files were written");
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

#[test]
fn the_dashboard_shows_operators_kernels_and_steps() {
    let folder = temporary_folder();
    let input = database(folder.path(), "rocpd.sql");
    let shown = run_with_cache(folder.path(), "", &[&input]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for text in ["MI300X", "aten::linear", "Cijk_Ailk_Bljk_BBS"] {
        assert!(shown.stdout.contains(text), "`{text}` is missing in {}", shown.stdout);
    }
    let ranks = run_with_cache(folder.path(), "compare", &[&input, &input]);
    assert_eq!(ranks.code, 0, "{ranks:?}");
}

#[test]
fn every_line_of_the_page_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-rocprof.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let folder = temporary_folder();
    let input = database(folder.path(), "rocpd.sql");
    std::fs::copy(&input, folder.path().join("other.db")).expect("a copy");
    std::fs::rename(&input, folder.path().join("run.db")).expect("another name");
    let cells = page.lines().filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"));
    let lines: Vec<&str> = cells.filter_map(|(_, line)| line.strip_prefix("dlprof-agg ")).collect();
    assert!(lines.len() > 12, "{} lines", lines.len());
    for line in lines.iter().filter(|line| !line.starts_with("view")) {
        let mut program = command(folder.path(), line, &[]);
        let output = program.current_dir(folder.path()).output().expect("it runs");
        assert!(output.status.success() && !output.stdout.is_empty(), "{line}: {output:?}");
    }
}
