//! Databases of rocprofv3 and rocmProfileData, and XPlane profiles: what is read of them equals what independent programs count.

use dlprof_core::{Capture, ReadOptions, ThreadId, WorkId, WorkKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    dlprof_generate::corpus::folder()
}

fn read(path: &Path) -> Capture {
    Capture::read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn reference(folder: &Path, file: &str) -> Value {
    let path = folder.join("rocpd/reference").join(format!("{file}.json"));
    serde_json::from_slice(&std::fs::read(path).expect("a reference")).expect("JSON")
}

/// The rows of a capture that belong to one of its processes; all of them if it is `None`.
struct Of<'a> {
    capture: &'a Capture,
    pid: Option<i64>,
}

type Sums = BTreeMap<String, Vec<i64>>;

impl Of<'_> {
    fn is_own(&self, process: Option<usize>) -> bool {
        let pid = process.map(|process| self.capture.processes[process].pid());
        self.pid.is_none_or(|wanted| pid == Some(wanted))
    }

    fn works(&self) -> impl Iterator<Item = WorkId> + '_ {
        let process = |work: &WorkId| self.capture.work.process[*work].some().map(|process| process.index());
        (0..self.capture.work.len()).map(WorkId::new).filter(move |work| self.is_own(process(work)))
    }

    fn kernels(&self) -> Sums {
        let capture = self.capture;
        let kernels = self.works().filter(|&work| capture.work_kind(work) == WorkKind::Kernel);
        summed(kernels.map(|work| {
            let name = capture.strings.get(capture.kernels.long_name[work]);
            (name, vec![1, capture.work.span[work].length()])
        }))
    }

    fn copies(&self) -> Sums {
        let capture = self.capture;
        let copies = self.works().filter(|&work| capture.work_kind(work) == WorkKind::Copy);
        summed(copies.map(|work| {
            let bytes = capture.transfers.bytes[..][work.index() - capture.kernels.len()].cast_signed();
            (capture.copy_kind_name(work), vec![1, capture.work.span[work].length(), bytes])
        }))
    }

    fn calls(&self) -> Sums {
        let calls = &self.capture.api_calls;
        let rows = calls.span.iter().zip(&calls.thread).zip(&calls.name);
        let own = rows.filter(|((_, thread), _)| {
            let process = thread.some().map(|thread| self.capture.threads[thread.index()].process.index());
            self.is_own(process)
        });
        summed(own.map(|((span, _), &name)| (self.capture.strings.get(name), vec![1, span.length()])))
    }

    /// By text without numbers: ranges, kernels launched inside at any depth, their time.
    fn ops(&self) -> Sums {
        let capture = self.capture;
        let name = |text: dlprof_core::RangeTextId| {
            let text = capture.strings.get(capture.ranges.texts[text.index()].text);
            text.split(',').next().unwrap_or_default()
        };
        let threads = (0..capture.threads.len()).map(ThreadId::new);
        let own = |thread: &ThreadId| self.is_own(Some(capture.threads[thread.index()].process.index()));
        let of_thread = |thread: ThreadId| {
            let list = &capture.ranges.by_thread[thread.index()];
            list.span.iter().copied().zip(list.text.iter().map(|&text| name(text))).collect::<Vec<_>>()
        };
        let ranges: BTreeMap<usize, Vec<_>> =
            threads.filter(own).map(|thread| (thread.index(), of_thread(thread))).collect();
        let mut rows: Vec<(&str, Vec<i64>)> =
            ranges.values().flatten().map(|(_, name)| (*name, vec![1, 0, 0])).collect();
        for work in self.works().filter(|&work| capture.work_kind(work) == WorkKind::Kernel) {
            let Some(call) = capture.launches.api[work].some() else { continue };
            let (Some(thread), span) = (capture.api_calls.thread[call].some(), capture.api_calls.span[call])
            else {
                continue;
            };
            let of_thread = ranges.get(&thread.index()).map_or(&[][..], Vec::as_slice);
            let around = of_thread.iter().take_while(|(range, _)| range.start <= span.start);
            let around = around.filter(|(range, _)| range.end >= span.end && range.length() > 0);
            rows.extend(around.map(|(_, name)| (*name, vec![0, 1, capture.work.span[work].length()])));
        }
        summed(rows.into_iter())
    }

    /// By number of the GPU: pieces of work, busy and idle time.
    fn gpus(&self) -> BTreeMap<String, [i64; 3]> {
        let mut spans: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for work in self.works() {
            let device = self.capture.devices[self.capture.work.device[work].index()].device_id;
            let span = self.capture.work.span[work];
            spans.entry(device).or_default().push((span.start, span.end));
        }
        let row = |(device, mut spans): (i64, Vec<(i64, i64)>)| {
            spans.sort_unstable();
            let (mut busy, mut end) = (0, spans[0].0);
            for &(from, to) in &spans {
                busy += (to - from.max(end)).max(0);
                end = end.max(to);
            }
            (device.to_string(), [i64::try_from(spans.len()).expect("few"), busy, end - spans[0].0 - busy])
        };
        spans.into_iter().map(row).collect()
    }
}

fn summed<'a>(rows: impl Iterator<Item = (&'a str, Vec<i64>)>) -> Sums {
    let mut sums = Sums::new();
    for (name, row) in rows {
        let known = sums.entry(name.to_owned()).or_insert_with(|| vec![0; row.len()]);
        known.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sums
}

fn rows_of(value: &Value) -> Sums {
    let rows = value.as_object().into_iter().flatten();
    let numbers = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
    rows.map(|(name, row)| (name.clone(), numbers(row))).collect()
}

fn total(sums: &Sums, at: usize) -> i64 {
    sums.values().map(|row| row[at]).sum()
}

fn check_gpus(file: &str, own: &Of<'_>, expected: &Value) {
    let found = own.gpus();
    let gpus = expected["gpus"].as_object().expect("GPUs");
    assert_eq!(found.len(), gpus.len(), "{file}: GPUs");
    for (gpu, row) in gpus {
        assert_eq!(found[gpu][0], row["work"], "{file}: work of GPU {gpu}");
        assert_eq!(found[gpu][1], row["busy"], "{file}: busy time of GPU {gpu}");
        if !row["idle"].is_null() {
            assert_eq!(found[gpu][2], row["idle"], "{file}: idle time of GPU {gpu}");
        }
    }
}

#[test]
fn databases_of_rocprofv3_hold_what_an_independent_program_counts() {
    let Some(folder) = corpus() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder.join("rocpd")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !file.ends_with(".db") || file == "cut-off.db" {
            continue;
        }
        let expected = reference(&folder, &file);
        if file == "empty.db" {
            let error = Capture::read(&path, &ReadOptions::default()).expect_err("nothing was recorded");
            assert!(error.to_string().ends_with("in which nothing was recorded"), "{error}");
            continue;
        }
        let capture = read(&path);
        for process in expected["processes"].as_array().expect("processes") {
            let own = Of { capture: &capture, pid: process["pid"].as_i64() };
            let (kernels, calls) = (own.kernels(), own.calls());
            assert_eq!(kernels, rows_of(&process["kernels"]), "{file}: kernels by name");
            assert_eq!(total(&kernels, 1), process["kernel_sum"].as_i64().expect("a sum"), "{file}");
            assert_eq!(calls, rows_of(&process["api"]), "{file}: calls by name");
            let copies = rows_of(&process["copies"]);
            let of_gpu = |(name, row): (&String, &Vec<i64>)| {
                let known =
                    [("HOST_TO_DEVICE", "HtoD"), ("DEVICE_TO_HOST", "DtoH"), ("DEVICE_TO_DEVICE", "DtoD")];
                let name = known.iter().find(|(theirs, _)| theirs == name).map_or("", |(_, ours)| ours);
                (name.to_owned(), row.clone())
            };
            assert_eq!(own.copies(), copies.iter().map(of_gpu).collect(), "{file}: copies");
            assert_eq!(own.ops(), rows_of(&process["ops"]), "{file}: ops");
            check_gpus(&file, &own, process);
            let with_call = own.works().filter(|&work| {
                capture.work_kind(work) == WorkKind::Kernel && capture.launches.api[work].some().is_some()
            });
            assert_eq!(process["kernels_with_a_call"], with_call.count(), "{file}: kernels with a call");
        }
        compared += 1;
    }
    assert!(compared > 10, "the references are complete");
}

#[test]
fn databases_of_rocm_profile_data_hold_what_an_independent_program_counts() {
    let Some(folder) = corpus() else { return };
    let scratch = tempfile::tempdir().expect("a folder");
    let mut unpacked = Vec::new();
    let packed = std::fs::File::open(folder.join("rpd/mytrace.rpd.gz")).expect("a trace");
    flate2::read::GzDecoder::new(packed).read_to_end(&mut unpacked).expect("unpacks");
    let trace = scratch.path().join("mytrace.rpd");
    std::fs::write(&trace, unpacked).expect("writes");
    for path in [trace, folder.join("rpd/matmul_result.rpd"), folder.join("rpd/schema3-train.rpd")] {
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let (capture, expected) = (read(&path), reference(&folder, &file));
        let own = Of { capture: &capture, pid: None };
        let (kernels, calls, ops) = (own.kernels(), own.calls(), own.ops());
        let number = |key: &str| expected[key].as_i64().unwrap_or_else(|| panic!("{file}: {key}"));
        assert_eq!(
            [total(&kernels, 0), total(&kernels, 1)],
            ["kernel_count", "kernel_sum"].map(number),
            "{file}"
        );
        assert_eq!([total(&calls, 0), total(&calls, 1)], ["api_count", "api_sum"].map(number), "{file}");
        for (name, row) in rows_of(&expected["api"]) {
            assert_eq!(calls.get(&name), Some(&row), "{file}: {name}");
        }
        let overheads = i64::try_from(capture.host.overheads.span.len()).expect("few");
        // The other program counts vLLM's `run_to_completion` among them, which holds all launches of its thread.
        let of_program = i64::from(file == "mytrace.rpd");
        assert_eq!(overheads, number("tracer_rows") - of_program, "{file}: rows of the tracer");
        let texts = i64::try_from(ops.len()).expect("few");
        assert_eq!(texts, number("op_texts") + of_program, "{file}: texts of ops");
        for (name, row) in rows_of(&expected["ops"]) {
            assert_eq!(ops.get(&name), Some(&row), "{file}: {name}");
        }
        check_gpus(&file, &own, &expected);
    }
}

#[test]
fn ranges_with_texts_as_names_and_as_messages_are_the_same_ops() {
    let Some(folder) = corpus() else { return };
    let [names, messages] =
        ["train-op-names.db", "train-message-names.db"].map(|file| read(&folder.join("rocpd").join(file)));
    let of = |capture| Of { capture, pid: None }.ops();
    assert_eq!(of(&names), of(&messages));
    assert!(names.operators() > 0 && names.operators() == messages.operators());
}

#[test]
fn xplane_profiles_hold_what_an_independent_program_counts() {
    let Some(folder) = corpus() else { return };
    for file in
        ["amd-two-gpus", "inline-strings", "nvidia-two-gpus", "tracelens-conv-legacy", "tracelens-te-attn"]
    {
        let capture = read(&folder.join("xplane").join(format!("{file}.xplane.pb")));
        let expected = reference(&folder, &format!("{file}.xplane"));
        let own = Of { capture: &capture, pid: None };
        // Theirs are picoseconds; each time is rounded once.
        let is_near = |ns: i64, ps: i64, rounded: i64| (ns * 1000 - ps).abs() <= rounded.max(1) * 1000;
        let calls = own.calls();
        assert_eq!(total(&calls, 0), expected["api_calls"].as_i64().expect("calls"), "{file}: calls");
        assert!(
            is_near(total(&calls, 1), expected["api_sum_ps"].as_i64().expect("a sum"), total(&calls, 0)),
            "{file}"
        );
        let gpus = own.gpus();
        for (at, gpu) in expected["gpus"].as_array().expect("GPUs").iter().enumerate() {
            let works = || own.works().filter(|&work| capture.work.device[work].index() == at);
            for (key, kind) in
                [("kernel", WorkKind::Kernel), ("copy", WorkKind::Copy), ("memset", WorkKind::Memset)]
            {
                let of_kind = || works().filter(|&work| capture.work_kind(work) == kind);
                let count = i64::try_from(of_kind().count()).expect("few");
                assert_eq!(gpu[key]["count"], count, "{file}, GPU {at}: {key}");
                let sum: i64 = of_kind().map(|work| capture.work.span[work].length()).sum();
                assert!(
                    is_near(sum, gpu[key]["sum_ps"].as_i64().expect("a sum"), count),
                    "{file}, GPU {at}: {key}"
                );
            }
            if let Some(busy) = gpu["busy_ps"].as_i64() {
                let [works, found, _] = gpus[&at.to_string()];
                assert!(is_near(found, busy, works), "{file}, GPU {at}: {found} ns and {busy} ps are busy");
            }
        }
    }
}
