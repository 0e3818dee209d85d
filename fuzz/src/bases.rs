//! Captures of the generator, made once per process, and seeds made of them.

use dlprof_core::{Capture, Document, Judged, KeyNodeChoice, RangeChoice, ReadOptions, baseline_json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};
use tempfile::TempDir;

/// Arguments of the generator.
const EXPORTS: [&str; 4] = [
    "--style markers --iterations 6 --layers 1 --max-launches 2",
    "--style emit-nvtx --schema 2022 --texts interned --iterations 4 --layers 1",
    "--plant all --iterations 3",
    "--hurt named-ranges=40",
];

/// Further exports for targets that begin with the bytes of a file.
const FILES: [&str; 3] = [
    "--style ranges --iterations 4 --layers 1 --damage small-pages",
    "--style none --iterations 4 --layers 1 --damage large-pages",
    "--style ranges --iterations 4 --layers 1 --damage nulls",
];

/// The folder of this process; it stays until the system removes it, as a fuzzer ends its processes anyhow.
pub(crate) fn scratch() -> &'static Path {
    static SCRATCH: OnceLock<TempDir> = OnceLock::new();
    SCRATCH.get_or_init(|| tempfile::tempdir().expect("a folder")).path()
}

/// How captures are read.
pub(crate) fn options() -> ReadOptions<'static> {
    ReadOptions { threads: 1, ..ReadOptions::default() }
}

/// Small exports.
pub(crate) fn exports() -> &'static [PathBuf] {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| written(scratch(), "export", &EXPORTS))
}

/// DLProf databases of the first three.
pub(crate) fn databases() -> &'static [PathBuf] {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| {
        let write = |(at, export): (usize, &PathBuf)| {
            let path = scratch().join(format!("database{at}.sqlite"));
            dlprof_export::write_dlprof_database(&profile_of(export), None, &path).expect("a database");
            path
        };
        exports()[..3].iter().enumerate().map(write).collect()
    })
}

/// The profile of the first export.
pub(crate) fn profile() -> &'static Judged {
    static MADE: OnceLock<Judged> = OnceLock::new();
    MADE.get_or_init(|| profile_of(&exports()[0]))
}

/// A baseline of it.
pub(crate) fn baseline() -> &'static Document {
    static MADE: OnceLock<Document> = OnceLock::new();
    MADE.get_or_init(|| Document::of(profile()))
}

fn profile_of(export: &Path) -> Judged {
    let capture = Capture::read(export, &options()).expect("an export");
    let index = capture.index(&KeyNodeChoice::Find).expect("iterations");
    index.profile(&RangeChoice::default()).expect("a profile").into()
}

fn written(folder: &Path, name: &str, arguments: &[&str]) -> Vec<PathBuf> {
    let write = |(at, arguments): (usize, &&str)| {
        let path = folder.join(format!("{name}{at}.sqlite"));
        dlprof_generate::write_export(&path, arguments).expect("an export");
        path
    };
    arguments.iter().enumerate().map(write).collect()
}

/// Seeds of a target: what its corpus begins with.
///
/// # Errors
/// If files of the repository cannot be read.
pub fn seeds(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    Ok(match target {
        "database_file" | "readers" => {
            let files = written(scratch(), "file", &FILES);
            let files = files.iter().chain(exports()).chain(databases());
            files.map(fs::read).collect::<io::Result<_>>()?
        }
        "baselines" => vec![baseline_json(baseline()).into_bytes()],
        "settings" => {
            toml_blocks("../docs/settings.md")?.into_iter().chain(toml_blocks("../docs/rules.md")?).collect()
        }
        "traces" => texts(&[
            r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "warpSize": 64}],
                "with_stack": 1, "traceEvents": [
                {"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 7, "tid": 8, "ts": 1712170304123456.789, "dur": 5,
                "args": {"External id": 3, "Sequence number": 9, "Fwd thread id": 0, "Input Dims": [[8, 3], []],
                "Input type": ["float", ""], "Concrete Inputs": ["", "[1, 1]"]}},
                {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 7, "tid": 8, "ts": 1712170304123457.5,
                "dur": 1, "args": {"correlation": 5, "grid": [4, 1, 1], "block": [64, 1, 1]}},
                {"ph": "s", "id": 5, "pid": 7, "tid": 8, "ts": 2, "cat": "ac2g", "name": "ac2g"},
                {"ph": "X", "cat": "kernel", "name": "void f<a::b>(int)", "pid": 0, "tid": 7, "ts": 1712170304123459.001,
                "dur": 3.25, "args": {"device": 0, "stream": 7, "correlation": 5, "blocks per SM": inf}}],
                "traceName": "run.json", "baseTimeNanoseconds": 1}"#,
            r#"[{"args": {"Python id": 1, "Python parent id": null}, "dur": "1e-3", "ts": "12.0", "tid": -3, "pid": "x",
                "name": "torch\cuda\u00e9 "quoted"", "cat": "python_function", "ph": "X"},
                {"ph": "i", "name": "[memory]", "ts": 4, "args": {"Device Type": 1, "Device Id": 0, "Bytes": -512}},
                {"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "thread 8 (python3)"}}"#,
        ]),
        "ncu_logs" => texts(&[
            "==PROF== Connected\nstep 1\n\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\
             \"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\"\n\
             \"0\",\"9\",\"void f<(int)4>(float *)\",\"(128, 1, 1)\",\"(2, 1, 1)\",\"0\",\"8.0\",\"GPU Speed Of Light\",\"SOL SM\",\"%\",\
             \"1.234,50\",\n\"0\",\"9\",\"void f<(int)4>(float *)\",\"(128, 1, 1)\",\"(2, 1, 1)\",\"0\",\"8.0\",\"\",\"\",\"\",\"\",\"a\nb\"\n",
            "\"ID\",\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\",\
             \"gpu__time_duration.sum\",\"sass__inst_executed_per_opcode\"\n\"\",\"\",\"\",\"us\",\"inst\"\n\
             \"0\",\"1 \"\"a:b:c:none:none:none:none:none:none\"\" \",\"f\",\"0.125\",\"8 (FFMA: 3; HMMA.16816.F32: 5)\"\n",
            "Kernel Name;Block Size;Grid Size;Device Id;Invocations;Metric Name;Metric Unit;Minimum;Maximum;Average\n\
             f(int);512;4 096;0;2;dram__bytes.sum;Kbyte;1,00;3,00;2,00\n",
        ]),
        "policies" => vec![fs::read("../examples/ci/gate.toml")?],
        "conditions" => texts(&[
            "\u{5}gpu_time > 1ms and op_type in (conv2d, matmul)",
            "\u{7}kernel_name like \"%gemm%\" and not tensor_cores = yes",
            "\u{8}duration between 1us and 2.5 ms or state ~ '^st' or iteration in 1..5",
            "\u{0}profile_name is not null",
        ]),
        "range_texts" => texts(&[
            "{'mod': 'torch', 'op': 'rand_like', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 64), 'dtype': \
             'float16'}]}",
            "{'traceMarker': ['train.py:37'], 'funcStack': '/<module>/train_step/item'}",
            "aten::convolution, seq = 6, op_id = 17",
            "step 17",
        ]),
        // Which deeds, in which order: any bytes are as good.
        _ => (0..16)
            .map(|seed: u8| {
                (0..160).map(|at: u8| at.wrapping_mul(37).wrapping_add(seed.wrapping_mul(31))).collect()
            })
            .collect(),
    })
}

/// The examples of a page.
fn toml_blocks(page: &str) -> io::Result<Vec<Vec<u8>>> {
    let text = fs::read_to_string(page)?;
    let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    Ok(blocks.map(|block| block.as_bytes().to_vec()).collect())
}
