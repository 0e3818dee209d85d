//! Captures that nsys did not record: a database of rocprofv3 and an XPlane profile, of one process on one GPU.

use crate::Result;
use crate::captures::folder;
use rusqlite::Connection;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// A capture of about so many kernels, which are those of steps of 16; made once.
pub(crate) fn made(name: &str, kernels: usize, write: fn(&Path, usize) -> Result<()>) -> Result<PathBuf> {
    let file = folder().join(format!("{kernels}-{name}"));
    if !file.exists() {
        write(&file, kernels)?;
    }
    Ok(file)
}

/// Kernels of a step.
const STEP: usize = 16;

/// Each step of the host and of the GPU takes so many nanoseconds for each of its kernels.
const PACE: usize = 20_000;

/// A database of rocprofv3: an operator, a call and a kernel after another, a range of the program around 16 of them. Numbers of
/// events are 3 for each kernel, and those of the steps.
pub(crate) fn rocpd(file: &Path, kernels: usize) -> Result<()> {
    let database = Connection::open(file)?;
    database.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;")?;
    database.execute_batch(ROCPD_TABLES)?;
    let fill = format!(
        "INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i FROM n;",
        kernels.saturating_sub(1)
    );
    database.execute_batch(&fill)?;
    let rows = ROCPD_ROWS.replace("PACE", &PACE.to_string()).replace("STEP", &STEP.to_string());
    database.execute_batch(&rows)?;
    Ok(())
}

/// The tables of schema 3.0.2, as far as they are read, and the rows that do not depend on the number of kernels.
const ROCPD_TABLES: &str = r#"
CREATE TEMP TABLE numbers (i INTEGER PRIMARY KEY);
CREATE TABLE rocpd_metadata_b1 (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO rocpd_metadata_b1 VALUES (1, 'schema_version', '3.0.2');
CREATE TABLE rocpd_string_b1 (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
INSERT INTO rocpd_string_b1 (id, string) VALUES
    (1, 'HIP_RUNTIME_API_EXT'), (2, 'MARKER_CORE_RANGE_API'), (3, 'KERNEL_DISPATCH'),
    (4, 'hipLaunchKernel'), (5, 'roctxThreadRangeA'), (6, '');
CREATE TABLE rocpd_info_process_b1 (id INTEGER PRIMARY KEY, nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT);
INSERT INTO rocpd_info_process_b1 VALUES (4242, 7, 1, 4242, 'python train.py');
CREATE TABLE rocpd_info_thread_b1 (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT);
INSERT INTO rocpd_info_thread_b1 VALUES (4242, 7, 4242, 4242, 'main');
CREATE TABLE rocpd_info_agent_b1
    (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, type_index INTEGER, name TEXT,
     product_name TEXT, extdata JSONB);
INSERT INTO rocpd_info_agent_b1 VALUES (2, 7, 4242, 'GPU', 1, 0, 'gfx942', 'AMD Instinct MI300X',
    '{"cu_count": 304, "simd_per_cu": 4, "max_waves_per_cu": 32, "wave_front_size": 64, "lds_size_in_kb": 64}');
CREATE TABLE rocpd_info_kernel_symbol_b1
    (id INTEGER PRIMARY KEY, pid INTEGER, kernel_name TEXT, display_name TEXT, group_segment_size INTEGER,
     arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, extdata JSONB);
INSERT INTO rocpd_info_kernel_symbol_b1 VALUES
    (0, 4242, 'a.kd', 'Cijk_Ailk_Bljk_BBS_BH_MT256x256x64_MI16x16x1_SN', 65536, 256, 256, '{}'),
    (1, 4242, 'b.kd', 'void at::native::vectorized_elementwise_kernel<4>(int, float*)', 0, 40, 0, '{}'),
    (2, 4242, 'c.kd', 'void at::native::vectorized_layer_norm_kernel<float>(int, float const*)', 0, 40, 0, '{}');
CREATE TABLE rocpd_event_b1
    (id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'b1', category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,
     correlation_id INTEGER, call_stack JSONB DEFAULT '{}', line_info JSONB DEFAULT '{}', extdata JSONB DEFAULT '{}');
CREATE TABLE rocpd_region_b1
    (id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'b1', nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER,
     name_id INTEGER, event_id INTEGER, extdata JSONB DEFAULT '{}');
CREATE TABLE rocpd_kernel_dispatch_b1
    (id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'b1', nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,
     dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start INTEGER, end INTEGER, private_segment_size INTEGER,
     group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
     grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER, extdata JSONB DEFAULT '{}');
"#;

/// The rows for each kernel, as the recorder writes them: a range when it ends.
const ROCPD_ROWS: &str = r#"
INSERT INTO rocpd_event_b1 (id, category_id, stack_id, parent_stack_id, correlation_id, extdata)
    SELECT 4 * i + part, part, 4 * i + part, 4 * i + part, 0, CASE part WHEN 2 THEN
        CASE i % 3 WHEN 0 THEN '{"message":"aten::linear, seq = ' || i || ', op_id = ' || (i + 1) || ', sizes = [[64, 1024], [1024, 1024]]"}'
            WHEN 1 THEN '{"message":"aten::add, seq = ' || i || ', op_id = ' || (i + 1) || ', sizes = [[64, 1024], [64, 1024]]"}'
            ELSE '{"message":"aten::layer_norm, seq = ' || i || ', op_id = ' || (i + 1) || ', sizes = [[64, 1024]]"}' END
        WHEN 4 THEN '{"message":"step"}' ELSE '{}' END
    FROM (SELECT i, 1 AS part FROM numbers UNION ALL SELECT i, 2 FROM numbers UNION ALL SELECT i, 3 FROM numbers
          UNION ALL SELECT i, 4 FROM numbers WHERE i % STEP = STEP - 1) ORDER BY 1;
UPDATE rocpd_event_b1 SET stack_id = id - 2 WHERE id % 4 = 3;
UPDATE rocpd_event_b1 SET category_id = 2 WHERE category_id = 4;
INSERT INTO rocpd_region_b1 (nid, pid, tid, start, end, name_id, event_id)
    SELECT 7, 4242, 4242, 8306017000000000 + start, 8306017000000000 + end, name_id, event_id FROM (
        SELECT i, i * PACE + 2000 AS start, i * PACE + 9000 AS end, 4 AS name_id, 4 * i + 1 AS event_id FROM numbers
        UNION ALL SELECT i, i * PACE, i * PACE + 11000, 5, 4 * i + 2 FROM numbers
        UNION ALL SELECT i, (i - STEP + 1) * PACE, i * PACE + 12000, 5, 4 * i + 4 FROM numbers WHERE i % STEP = STEP - 1) ORDER BY end;
INSERT INTO rocpd_kernel_dispatch_b1 (nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end,
        private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y,
        grid_size_z, region_name_id, event_id)
    SELECT 7, 4242, 4242, 2, i % 3, i, 1, 0, 8306017000000000 + i * PACE + 8000, 8306017000000000 + i * PACE + 20000 + i % 5 * 1000,
        0, CASE i % 3 WHEN 0 THEN 65536 ELSE 0 END, 256, 1, 1, 77824, 1, 1, 6, 4 * i + 3 FROM numbers;
COMMIT;
"#;

/// Numbers of texts of an XPlane profile: names of stats, texts that stats refer to, and names of events.
const XPLANE_TEXTS: [&str; 17] = [
    "correlation_id",
    "kernel_details",
    "hlo_op",
    "hlo_module",
    "program_id",
    "name",
    "step_num",
    "device_vendor",
    "regs:64 static_shared:0 dynamic_shared:49152 grid:132,1,1 block:256,1,1 occ_pct:50",
    "jit_train_step",
    "gemm_fusion_dot.7",
    "jit(train_step)/transformer/layer/dot_general",
    "loop_add_fusion",
    "jit(train_step)/transformer/layer/add",
    "cuLaunchKernelEx",
    "train",
    "context_id",
];

/// An XPlane profile of JAX: a launch and a kernel after another, and a step around 16 of them. Names stand after the events.
pub(crate) fn xplane(file: &Path, kernels: usize) -> Result<()> {
    let place = |text: &str| XPLANE_TEXTS.iter().position(|known| *known == text).map_or(0, |at| at as u64);
    let number =
        |key: &str, value: u64| of_bytes(4, &[of_number(1, place(key)), of_number(4, value)].concat());
    let text =
        |key: &str, text: &str| of_bytes(4, &[of_number(1, place(key)), of_number(7, place(text))].concat());
    let (mut gpu, mut calls, mut steps) =
        (line(13, "Stream #13(Kernel)"), line(1, "Host Threads/42"), line(2, "python3"));
    for at in 0..kernels {
        let start = (at * PACE) as u64 * 1000;
        let (op, path) = match at % 2 {
            0 => (XPLANE_TEXTS[10], XPLANE_TEXTS[11]),
            _ => (XPLANE_TEXTS[12], XPLANE_TEXTS[13]),
        };
        let of_op = [
            number("correlation_id", at as u64 + 1),
            text("hlo_op", op),
            text("hlo_module", "jit_train_step"),
            number("program_id", 17),
            text("name", path),
        ];
        let of_kernel = [text("kernel_details", XPLANE_TEXTS[8]), number("context_id", 1)];
        gpu.extend(event(place(op), start + 8_000_000, 12_000_000, &[&of_kernel[..], &of_op].concat()));
        calls.extend(event(place("cuLaunchKernelEx"), start + 2_000_000, 5_000_000, &of_op));
        if at % STEP == STEP - 1 {
            let from = ((at + 1 - STEP) * PACE) as u64 * 1000;
            let step = [number("step_num", (at / STEP) as u64)];
            steps.extend(event(place("train"), from, start + 19_000_000 - from, &step));
        }
    }
    let maker = of_bytes(6, &[of_number(1, place("device_vendor")), of_bytes(5, b"Nvidia")].concat());
    let planes = [("/device:GPU:0", vec![gpu], maker), ("/host:CPU", vec![calls, steps], Vec::new())];
    let mut out = BufWriter::new(File::create(file)?);
    for (name, lines, stats) in planes {
        let lines = lines.iter().flat_map(|line| of_bytes(3, line));
        let body = of_bytes(2, name.as_bytes()).into_iter().chain(lines).chain(names()).chain(stats);
        out.write_all(&of_bytes(1, &body.collect::<Vec<u8>>()))?;
    }
    Ok(out.flush()?)
}

/// The maps of names of events and of stats.
fn names() -> Vec<u8> {
    let entry = |field, at: usize, text: &str| {
        let named = [of_number(1, at as u64), of_bytes(2, text.as_bytes())].concat();
        of_bytes(field, &[of_number(1, at as u64), of_bytes(2, &named)].concat())
    };
    let of = |field| XPLANE_TEXTS.iter().enumerate().flat_map(move |(at, text)| entry(field, at, text));
    of(4).chain(of(5)).collect()
}

fn line(id: u64, name: &str) -> Vec<u8> {
    [of_number(1, id), of_bytes(2, name.as_bytes()), of_number(3, 5000)].concat()
}

/// An event: the number of its name, start and length in picoseconds.
fn event(name: u64, start: u64, length: u64, stats: &[Vec<u8>]) -> Vec<u8> {
    let own = [of_number(1, name), of_number(2, start), of_number(3, length), stats.concat()].concat();
    of_bytes(4, &own)
}

/// A number in the wire format of protobuf.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(u8::try_from(value & 0x7f).unwrap_or(0) | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap_or(0));
    bytes
}

fn of_number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn of_bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}
