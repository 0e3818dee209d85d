//! Kept captures: equal to what a reading gives, and never used when they should not be.

use crate::kept::{Kept, content, files_in, folder, sample};
use crate::profiles::profile_of;
use dlprof_core::{
    ActivitySettings, Cache, Capture, DigestChoice, KeyNodeChoice, Memory, ModeChoice, ReadOptions,
    RowReader, SqliteOptions,
};
use dlprof_generate::corpus;
use rusqlite::Connection;
use std::path::PathBuf;

/// Larger exports are left out where every cell is compared.
const LARGEST: u64 = 3_000_000;

/// Compares all that captures hold.
fn assert_equal(kept: &Capture, fresh: &Capture, name: &str) {
    let about = |capture: &Capture| (capture.recorded.about.clone(), capture.description.clone());
    let description = |capture: &Capture| serde_json::to_value(about(capture)).expect("JSON");
    assert_eq!(description(kept), description(fresh), "{name}");
    assert!(kept.strings.iter().eq(fresh.strings.iter()), "{name}: texts");
    assert!(kept.names.iter().eq(fresh.names.iter()), "{name}: names");
    let is_equal = [
        kept.api_calls.span == fresh.api_calls.span,
        kept.api_calls.thread == fresh.api_calls.thread,
        kept.api_calls.name == fresh.api_calls.name,
        kept.call_roles.kind == fresh.call_roles.kind,
        kept.work.span == fresh.work.span,
        kept.work.device == fresh.work.device,
        kept.work.process == fresh.work.process,
        kept.launches.api == fresh.launches.api,
        kept.kernels.short_name == fresh.kernels.short_name,
        kept.kernels.long_name == fresh.kernels.long_name,
        kept.kernels.graph == fresh.kernels.graph,
        kept.kernels.config == fresh.kernels.config,
        kept.judged.tensor_cores == fresh.judged.tensor_cores,
        kept.copies.kind == fresh.copies.kind,
        kept.op_calls.span == fresh.op_calls.span,
        kept.op_calls.thread == fresh.op_calls.thread,
        kept.op_calls.label == fresh.op_calls.label,
        kept.op_calls.forward == fresh.op_calls.forward,
        kept.op_calls.times == fresh.op_calls.times,
        kept.ranges.texts == fresh.ranges.texts,
        kept.ranges.by_thread.len() == fresh.ranges.by_thread.len(),
    ];
    assert_eq!(
        is_equal.iter().position(|is_equal| !is_equal),
        None,
        "{name}: the column of this number differs"
    );
    let work_of_calls = |capture: &Capture| -> Vec<_> {
        capture.op_calls.ids().map(|call| capture.work_by_call.get(call.index()).to_vec()).collect()
    };
    assert_eq!(work_of_calls(kept), work_of_calls(fresh), "{name}");
    let lists = |capture: &Capture| {
        let ranges = capture.ranges.clone();
        ranges.by_thread.into_iter().chain([ranges.without_thread]).collect::<Vec<_>>()
    };
    for (kept, fresh) in lists(kept).iter().zip(&lists(fresh)) {
        assert!(kept.span == fresh.span && kept.text == fresh.text, "{name}: ranges");
    }
}

#[test]
fn what_is_kept_is_what_is_read() {
    let folder = folder();
    let mut files: Vec<PathBuf> = ["markers", "emit-nvtx", "ranges", "none"]
        .into_iter()
        .map(|style| {
            sample(folder.path(), &format!("{style}.sqlite"), &format!("--style {style} --backward"))
        })
        .collect();
    files.extend(corpus::corpus());
    for file in files {
        let name = file.display().to_string();
        let small = std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= LARGEST);
        let Some(fresh) = Capture::read(&file, &ReadOptions::default()).ok().filter(|_| small) else {
            continue;
        };
        for trusting_from in [u64::MAX, 0] {
            let place = tempfile::tempdir_in(folder.path()).expect("a folder");
            let cache = Cache::new(place.path().join("made when needed"), Cache::LIMIT_BYTES);
            let kept = Kept::new(cache.trusting_from(trusting_from));
            assert!(!kept.is_hit(&file), "{name}: nothing is kept yet");
            assert!(kept.is_hit(&file), "{name}: now it is");
            let capture = kept.read(&file, ModeChoice::Auto);
            assert_equal(&capture, &fresh, &name);
            assert!(content(&profile_of(&capture)) == content(&profile_of(&fresh)), "{name}");
            let [entry] = &kept.cache.entries().expect("entries")[..] else { panic!("one capture") };
            assert_eq!(entry.export, file.canonicalize().ok());
            assert!(entry.is_fresh);
            assert_eq!(kept.cache.clear().expect("cleared"), (1, entry.bytes));
            assert!(!kept.is_hit(&file), "{name}: nothing is kept any more");
        }
    }
}

/// Kept ids of one run fit the files of another run, whatever its options are.
#[test]
fn files_do_not_depend_on_how_the_export_was_read() {
    let folder = folder();
    for style in ["markers", "emit-nvtx", "ranges"] {
        let file =
            sample(folder.path(), &format!("{style}.sqlite"), &format!("--style {style} --processes 2"));
        let files = |number: usize, options: &ReadOptions<'_>| {
            let cache = Cache::new(folder.path().join(format!("{style}-{number}")), Cache::LIMIT_BYTES);
            let export = cache.export(&file, ModeChoice::Auto);
            let capture = export.capture(options).expect("a capture");
            export.index(&capture, &dlprof_core::KeyNodeChoice::Find).expect("an index");
            let files = files_in(cache.folder());
            let bytes = files.iter().map(|path| std::fs::read(path).expect("bytes"));
            let name =
                |path: &PathBuf| path.strip_prefix(cache.folder()).expect("a file of the cache").to_owned();
            files.iter().map(name).zip(bytes).collect::<Vec<_>>()
        };
        let first = files(0, &ReadOptions { threads: 1, ..ReadOptions::default() });
        let others = [
            ReadOptions { threads: 5, memory: Memory::within(0), ..ReadOptions::default() },
            ReadOptions {
                threads: 2,
                sqlite: SqliteOptions { reader: RowReader::Sqlite, ..SqliteOptions::default() },
                ..ReadOptions::default()
            },
        ];
        for (number, options) in (1..).zip(&others) {
            for (first, other) in first.iter().zip(files(number, options)) {
                assert!(*first == other, "{style} {number}: {} is {}", first.0.display(), other.0.display());
            }
        }
    }
}

#[test]
fn changed_exports_are_read_again() {
    let folder = folder();
    let kept = Kept::new(Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES));
    let file = sample(folder.path(), "a.sqlite", "");
    assert!(!kept.is_hit(&file));
    assert!(kept.is_hit(&file));
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 5";
    Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    assert!(!kept.cache.entries().expect("entries")[0].is_fresh);
    assert!(!kept.is_hit(&file), "changed");
    assert!(kept.is_hit(&file));
    // The same size, another seed, the old time of change.
    let modified = std::fs::metadata(&file).and_then(|metadata| metadata.modified()).expect("a time");
    let other = sample(folder.path(), "b.sqlite", "--seed 2");
    std::fs::rename(&other, &file).expect("renamed");
    let opened = std::fs::File::options().write(true).open(&file);
    opened.and_then(|file| file.set_modified(modified)).expect("a time");
    assert!(!kept.is_hit(&file), "replaced");
    assert!(!kept.is_hit_in(&file, ModeChoice::Nvtx), "another mode");
    assert!(kept.is_hit_in(&file, ModeChoice::Nvtx));
    assert!(kept.is_hit(&file), "the first mode is still there");
    assert_eq!(kept.cache.entries().expect("entries").len(), 2);
}

/// What jobs of many ranks need is kept apart from captures, by the same rules.
#[test]
fn digests_of_ranks_are_kept_while_the_export_is_the_same() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES);
    let file = sample(folder.path(), "a.sqlite", "");
    let options = ReadOptions::default();
    let (usual, other) = (ActivitySettings::default(), KeyNodeChoice::None);
    let choice = DigestChoice { key_node: &KeyNodeChoice::Find, activity: &usual };
    let kept = |choice| {
        let kept = cache.export_with(&file, &options).kept_digests("b.sqlite".as_ref(), choice, &options);
        kept.expect("the export is whole")
    };
    let make = |choice| {
        let export = cache.export_with(&file, &options);
        export.make_digests("b.sqlite".as_ref(), choice, &options).expect("digests")
    };
    assert!(cache.export_of_job(&file, &options).is_none(), "small exports are read");
    assert_eq!(kept(choice), None);
    let made = make(choice);
    assert!(made.iter().any(|rank| !rank.kernel_sums.is_empty()));
    assert_eq!(kept(choice).as_ref(), Some(&made));
    let entries = cache.entries().expect("entries");
    assert!(entries.len() == 1 && entries[0].is_fresh, "{entries:?}");
    assert_eq!(entries[0].export, file.canonicalize().ok());
    let mut settings = usual.clone();
    settings.thresholds.turnaround_ns += 1;
    let others =
        [DigestChoice { key_node: &other, ..choice }, DigestChoice { activity: &settings, ..choice }];
    for other in others {
        assert_eq!(kept(other), None, "{other:?}");
    }
    // A capture that is kept beside them changes nothing, and both are one entry.
    let capture = Kept::new(cache.clone());
    capture.read(&file, ModeChoice::Auto);
    assert_eq!(kept(choice).as_ref(), Some(&made));
    assert_eq!(cache.entries().expect("entries").len(), 1);
    let description = files_in(cache.folder())
        .into_iter()
        .find(|path| path.ends_with("description.json") && path.to_string_lossy().contains(".digests"));
    let description = description.expect("a file");
    let text = std::fs::read_to_string(&description).expect("text");
    std::fs::write(&description, text.replacen('1', "2", 1)).expect("written");
    assert_eq!(kept(choice), None, "damaged");
    make(choice);
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 5";
    Connection::open(&file).and_then(|database| database.execute_batch(sql)).expect("SQL");
    assert_eq!(kept(choice), None, "changed");
    // Nothing is removed while all is within the limit, and all where nothing is.
    cache.trim().expect("trimmed");
    assert_eq!(cache.entries().expect("entries").len(), 1);
    Cache::new(cache.folder().into(), 1).trim().expect("trimmed");
    assert_eq!(cache.entries().expect("entries").len(), 0);
}

#[test]
fn the_captures_used_longest_ago_make_room() {
    let folder = folder();
    let [a, b, c] = ["a.sqlite", "b.sqlite", "c.sqlite"].map(|name| sample(folder.path(), name, ""));
    let measure = Kept::new(Cache::new(folder.path().join("measure"), Cache::LIMIT_BYTES));
    measure.is_hit(&a);
    let bytes = measure.cache.entries().expect("entries")[0].bytes;

    let too_small = Kept::new(Cache::new(folder.path().join("too small"), bytes / 2));
    assert!(!too_small.is_hit(&a) && !too_small.is_hit(&a), "too large to be kept");
    assert_eq!(std::fs::read_dir(too_small.cache.folder()).expect("a folder").count(), 0);

    let two = Kept::new(Cache::new(folder.path().join("two"), bytes * 5 / 2));
    let pause = || std::thread::sleep(std::time::Duration::from_millis(20));
    for file in [&a, &b] {
        assert!(!two.is_hit(file));
        pause();
    }
    assert!(two.is_hit(&a));
    pause();
    assert!(!two.is_hit(&c));
    let entries = two.cache.entries().expect("entries");
    let kept: Vec<PathBuf> = entries.into_iter().filter_map(|one| one.export).collect();
    assert_eq!(kept, [c, a].map(|file| file.canonicalize().expect("a path")), "b was used longest ago");
}

/// A run that was killed leaves a folder that nobody ends. The next run removes it, unless another run is writing.
#[test]
fn unfinished_folders_go() {
    let folder = folder();
    let kept = Kept::new(Cache::new(folder.path().join("kept"), u64::MAX));
    let file = sample(folder.path(), "a.sqlite", "");
    let unfinished = |name: &str, hours: u64| {
        let path = kept.cache.folder().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("work.arrow"), "half").expect("a file");
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(hours);
        std::fs::File::open(&path).and_then(|folder| folder.set_modified(then)).expect("a time");
        path
    };
    let (old, young) = (unfinished("writing-old", 2), unfinished("writing-young", 0));
    let other_writer = std::fs::File::open(kept.cache.folder()).expect("a folder");
    other_writer.lock_shared().expect("a lock");
    assert!(!kept.is_hit(&file), "writers do not wait for each other");
    assert_eq!((old.exists(), young.exists()), (false, true), "the other writer may be at the young one");
    drop(other_writer);
    assert!(kept.is_hit(&file));
    assert!(!young.exists(), "nobody is writing");
    unfinished("writing-again", 0);
    kept.cache.clear().expect("all can be removed");
    assert_eq!(std::fs::read_dir(kept.cache.folder()).expect("a folder").count(), 0);
}

/// A reader that knows nothing of this library opens every table; unit and meaning stand in the schema.
#[test]
fn any_arrow_reader_opens_the_files() {
    let folder = folder();
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES);
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    let export = cache.export(&file, ModeChoice::Auto);
    let capture = export.capture(&ReadOptions::default()).expect("a capture");
    let index = export.index(&capture, &dlprof_core::KeyNodeChoice::Find).expect("an index");
    let files = files_in(cache.folder());
    let tables = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "arrow"));
    let mut rows = std::collections::BTreeMap::new();
    for path in tables {
        let file = std::fs::File::open(path).expect("a file");
        let reader = arrow_ipc::reader::FileReader::try_new(file, None).expect("an Arrow file");
        let schema = reader.schema();
        assert!(schema.metadata()["meaning"].ends_with('.'), "{}", path.display());
        for field in schema.fields() {
            let name = format!("{} {}", path.display(), field.name());
            assert!(field.metadata()["meaning"].ends_with('.'), "{name}");
            let is_span = field.metadata().get("parts").is_some_and(|parts| parts == "start end");
            assert!(!is_span || field.metadata()["unit"] == "ns", "{name}");
        }
        let batches = reader.map(|batch| batch.expect("a batch").num_rows());
        rows.insert(path.file_stem().expect("a name").to_string_lossy().into_owned(), batches.sum::<usize>());
    }
    assert_eq!(rows["work"], capture.work.span.len());
    assert_eq!(rows["op_calls"], capture.op_calls.len());
    assert_eq!(rows["strings"], capture.strings.len());
    assert_eq!(rows["ranges"], capture.ranges.len());
    assert_eq!(rows["iterations"], index.iterations.total() as usize);
    assert!(rows.len() > 15, "{rows:?}");
}
