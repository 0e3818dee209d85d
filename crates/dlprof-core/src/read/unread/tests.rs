//! Every kind is told by made-up bytes, tables or names; what can be read is never taken for one.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

/// What a file of a name with these bytes is.
fn told(name: &str, bytes: &[u8]) -> Option<UnreadFile> {
    of_sample(&Sample::of(Path::new(name), bytes.into()))
}

fn found(name: &str, bytes: &[u8]) -> String {
    told(name, bytes).map_or_else(|| "nothing".into(), |found| found.found)
}

#[test]
fn bytes_tell_and_names_do_not() {
    const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 48123904\n";
    let sqlite = packed(b"SQLite format 3\0rest");
    let twice = packed(&packed(b"{\"traceEvents\": []}"));
    let jax = packed(
        br#"{"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": [{"ph": "M", "name": "process_name", "args": {"name": "/host:CPU"}}]}"#,
    );
    let mangled = "\n\u{fffd}\u{fffd}\u{6}\u{8}".repeat(8);
    let snapshot = b"\x80\x04\x95\0}\x94(\x8c\x08segments\x94]\x8c\x0ddevice_traces\x94u.";
    let cases: &[(&[u8], &str)] = &[
        (LFS, "a Git LFS pointer: the file itself (48 MB) was not downloaded"),
        (b"/annex/objects/SHA256E-s4--ab.sqlite\n", "a git-annex pointer"),
        (
            b"\n <!doctype HTML>\n<title>404 Not\n Found</title>",
            "a web page (\"404 Not Found\"), not a capture",
        ),
        (b"<html><body>", "a web page, not a capture"),
        (b"<!-- saved -->\n<!-- today --> <html><body>", "a web page, not a capture"),
        (b"<?xml version='1.0'?>\n<Error> <Code>AccessDenied</Code>", "storage service (AccessDenied), not"),
        (br#"{"error": {"code": 404, "message": "gone\nfor good"}}"#, "of a server (gone for good), not"),
        (br#"{"message": "Bad credentials"}"#, "of a server (Bad credentials), not"),
        (mangled.as_bytes(), "damaged: it was copied as text"),
        (b"\x37\x7f\x06\x82\0\0", "a side file of an SQLite database"),
        (b"\xff\xfe{\0\"\0", "a text of UTF-16"),
        (b"{\0\"\0", "a text of UTF-16"),
        (&twice, "packed more than once with gzip"),
        (&sqlite, "a packed SQLite database"),
        (b"\x28\xb5\x2f\xfd\0", "packed with zstd"),
        (b"PK\x03\x04\x14", "packed with zip, and only gzip is unpacked here"),
        (b"NVIDIA Tegra Profiler Report 2025@6@1@190-25613v0.\n\0", "an nsys report (made by nsys 2025.6.1)"),
        (b"NVIDIA Tegra Profiler Report 1.\n\0", "an nsys report"),
        (b"PAR1\0", "one table in Parquet form"),
        (b"ARROW1\0\0", "one table in Arrow form"),
        (b"{\"Type\": 80, \"CudaEvent\": {}}\n{\"Type\": 59}\n", "a JSON-lines export of nsys"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"NVR\0\0", "a report of Nsight Compute"),
        (b"Time (%),Total Time (ns),Instances\n1,2,3\n", "a report of `nsys stats`"),
        (br#"{"rocprofiler-sdk-tool": [{"metadata": {}}]}"#, "JSON of rocprofv3"),
        (b"\"Kind\",\"Agent_Id\",\"Queue_Id\"\n", "one table of rocprofv3's CSV output"),
        (b"OTF2", "an OTF2 archive"),
        (b"\x0a\x04\x50\x01\x58\x00\x0a\x04\x50\x01\x58\x01", "a Perfetto trace"),
        (&jax, "the viewer's copy of a JAX profile"),
        (snapshot, "a memory snapshot of PyTorch"),
        (b"\x80\x04\x95\x02\0\0\0\0\0\0\0K\x01.", "a Python pickle"),
        (
            br#"{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 2}]}"#,
            "an execution trace of PyTorch (Chakra)",
        ),
        (b"\x07\x0a\x050.0.4\x10\x08", "an execution trace of PyTorch (Chakra)"),
        (b"[[[1, 2], [[0, 1]]]]", "a memory timeline of torch.profiler"),
        (b"-----  ----\n Name  Self CPU %  \n-----  ----\n", "a printed table of torch.profiler"),
        (b"\x18\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\xf0?\x1a\x0dbrain.Event:2", "a TensorBoard log"),
        (
            br#"[{"name": "process_name", "ph": "M", "args": {"name": "Ascend Hardware"}}]"#,
            "a profile of Huawei's Ascend NPUs",
        ),
        (b"Step Id,Device_id,Model ID,Task ID,Stream ID\n", "a profile of Huawei's Ascend NPUs"),
        (br#"{"$schema": "https://www.speedscope.app/x.json"}"#, "a speedscope profile"),
        (b"main;step;gemm 120\nmain;step 5\n", "a text of folded stacks"),
        (b"PERFILE2\0", "a recording of Linux perf"),
        (&packed(b"\x0a\x04\x08\x01\x10\x02\x32\x00"), "a pprof profile"),
        (b"\x0a\x02\x80\x01\x12\x02\x08\x01", "a protobuf file of an unknown kind"),
    ];
    for (bytes, wanted) in cases {
        for name in ["run", "run.sqlite", "run.json.gz"] {
            let found = found(name, bytes);
            assert!(found.contains(wanted), "{name}: `{wanted}` in `{found}`");
        }
    }
}

#[test]
fn names_tell_where_bytes_do_not() {
    for (name, bytes, wanted) in [
        ("run.QDSTRM", &b"\0\0\0\0"[..], "a raw recording of nsys"),
        ("run.nsys-rep", b"\0\x01report", "an nsys report"),
        ("run.qdrep", b"\0\x01report", "an nsys report"),
        ("run.ncu-rep", b"\0\x01", "a report of Nsight Compute"),
        ("run.sqlite-shm", b"\0\0", "a side file"),
        ("run.pftrace", b"\x0a\x02\x08\x01", "a Perfetto trace"),
        ("jit_step.hlo_proto.pb", b"\x0a\x02\x08\x01", "a compiled program of XLA"),
        ("host.op_stats.pb", b"\x0a\x02\x08\x01", "a cache of XProf"),
        ("run.otf2", b"\x01", "an OTF2 archive"),
        ("rank.0.et", b"\x01\x02", "an execution trace"),
        ("run.prof", b"c\0\0\0{", "a profile of Python's cProfile"),
        ("run.pprof", b"\x0a\x04\x08\x01\x10\x02", "a pprof profile"),
        ("run=a/rank=0/kernels.parquet", b"PAR1", "a table of a lake"),
    ] {
        let found = found(name, bytes);
        assert!(found.starts_with(wanted), "{name}: `{wanted}` in `{found}`");
    }
}

#[test]
fn what_is_read_or_unknown_is_no_such_file() {
    let trace =
        br#"{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add"}]}"#;
    let unicode = format!("{{\"traceEvents\": [{{\"name\": \"{}\"}}]}}", "\u{fffd}".repeat(40));
    let list = b"[{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"[[1\"}]";
    for bytes in [
        &trace[..],
        &packed(trace),
        unicode.as_bytes(),
        list,
        b"",
        b"\n",
        b"hello",
        b"\x1f\x8b",
        b"Dear diary, today",
    ] {
        for name in ["run.json", "run.nsys-rep", "run.prof"] {
            // Of a report that bytes do not tell the name counts.
            let is_text =
                !bytes.is_empty() && !bytes.starts_with(b"{") && !bytes.starts_with(b"[") && bytes[0] != 0x1f;
            let expected = if is_text && name == "run.nsys-rep" { "an nsys report" } else { "nothing" };
            assert_eq!(found(name, bytes), expected, "{name}: {bytes:?}");
        }
    }
}

/// A message of protobuf may begin with the bytes of an empty line and a bracket, and JSON does as well, whatever its texts hold.
#[test]
fn an_empty_line_before_json_is_no_message() {
    let traces: [&[u8]; 3] = [
        b"\n{\"traceEvents\": [{\"name\": \"a\x01b\"}]}",
        b"\n [{\"name\": \"\xff\"}]",
        b"\n{\n  \"a\xff\": 1}",
    ];
    for start in traces {
        for name in ["run.json", "run.xplane.pb", "run.pb.gz", "run.pftrace"] {
            assert_eq!(found(name, start), "nothing", "{name}: {start:?}");
        }
    }
    assert!(found("run", b"\n{\x08\x80\x01").starts_with("a protobuf file"));
}

#[test]
fn tables_and_folders_tell() {
    let of =
        |tables: &[&str]| of_tables(Path::new("run.db"), tables.iter().copied()).map(|found| found.found);
    let starts = |found: Option<String>, wanted: &str| {
        assert!(found.as_deref().unwrap_or("").starts_with(wanted), "{found:?}")
    };
    for read in [&["rocpd_kernel_dispatch_0000"][..], &["rocpd_op", "rocpd_api"]] {
        assert_eq!(of(read), None, "databases of rocprofv3 and rocmProfileData are read");
    }
    starts(of(&["compute_kernel", "compute_workload"]), "an analysis of rocprof-compute");
    starts(of(&["CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "StringTable"]), "a database of nvprof");
    assert_eq!(of(&["StringIds", "notes"]), None);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    assert_eq!(of_folder(folder.path()), None);
    std::fs::create_dir(at("host_1_ascend_pt")).expect("a folder");
    starts(of_folder(&at("host_1_ascend_pt")).map(|found| found.found), "a profile of Huawei's");
    for (name, wanted) in
        [("CUPTI_ACTIVITY_KIND_KERNEL.arrow", "an Arrow export"), ("StringIds.parquet", "a Parquet export")]
    {
        std::fs::write(at(name), "").expect("a file");
        starts(unread_file(folder.path()).map(|found| found.found), wanted);
    }
}

#[test]
fn the_most_frequent_kind_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<_> = (0..5_u8)
        .map(|at| {
            let file = folder.path().join(format!("{at}"));
            std::fs::write(&file, if at < 2 { &b"OTF2"[..] } else { b"PERFILE2" }).expect("a file");
            file
        })
        .collect();
    let most = |files: &[std::path::PathBuf]| {
        let (count, file, found) = most_frequent_unread(files.iter().map(std::path::PathBuf::as_path))?;
        Some((count, file.to_owned(), found.several))
    };
    assert_eq!(most(&files), Some((3, files[2].clone(), "recordings of Linux perf")));
    assert_eq!(most(&files[..4]), Some((2, files[0].clone(), "OTF2 archives")), "of equals the first");
    assert_eq!(most(&[]), None);
}

/// A hint is one command at most, with the names of the file in their places.
#[test]
fn hints_name_one_command_and_the_file() {
    for kind in kinds() {
        let commands = kind.hint.matches('`').count() / 2;
        assert!(commands <= 1, "{}: {}", kind.one, kind.hint);
        assert!(
            !kind.hint.contains("nsys")
                || !["rocm", "rocp", "JAX", "XPlane"].iter().any(|of| kind.one.contains(of))
        );
    }
    let hint = |name: &str, bytes: &[u8]| told(name, bytes).and_then(|found| found.hint).unwrap_or_default();
    let report = hint("my runs/{file}.nsys-rep", b"NVIDIA Tegra Profiler Report 1.");
    assert!(report.contains("--output 'my runs/{file}.sqlite' 'my runs/{file}.nsys-rep'"), "{report}");
    assert!(
        hint("a/run.sqlite", b"version https://git-lfs.github.com/spec/v1\n")
            .contains("--include run.sqlite`")
    );
    assert!(hint("run.db-wal", b"\x37\x7f\x06\x82").ends_with("itself: run.db"));
    assert!(hint("run.json.gz", &packed(&packed(b"{}"))).contains("`gzip -dc run.json.gz > run.json`"));
    assert!(hint("run", b"\x28\xb5\x2f\xfd").contains("`zstd -dc run > run.unpacked`"));
    assert_eq!(told("x", b"\x80\x02K\x01.").expect("a pickle").hint, None);
}

/// Of a file that is longer than what is looked at the last byte counts.
#[test]
fn long_files_are_looked_at_from_both_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long");
    let mut bytes = vec![b'K'; 200_000];
    bytes[..2].copy_from_slice(b"\x80\x04");
    for (last, wanted) in [(b'.', true), (b'K', false)] {
        *bytes.last_mut().expect("bytes") = last;
        std::fs::write(&path, &bytes).expect("a file");
        assert_eq!(unread_file(&path).is_some(), wanted);
    }
}
