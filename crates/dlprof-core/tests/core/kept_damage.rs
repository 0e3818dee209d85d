//! Damaged kept files: the right answer or a fresh read, never a wrong one and never a panic.

use crate::kept::{Kept, content, files_in, folder, sample};
use dlprof_core::{Cache, KeyNodeChoice, ModeChoice, RangeChoice, ReadOptions};
use proptest::prelude::*;
use std::path::Path;

/// What happens to a file.
#[derive(Debug, Clone)]
enum Damage {
    /// A bit is flipped.
    Flip(u8),
    /// The file ends here.
    Cut,
    /// A byte is added at the end.
    Longer,
    /// The file is gone.
    Removed,
    /// Another file of the folder is in its place.
    Exchanged,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        8 => (0u8..8).prop_map(Damage::Flip),
        4 => Just(Damage::Cut),
        1 => Just(Damage::Longer),
        1 => Just(Damage::Removed),
        1 => Just(Damage::Exchanged),
    ]
}

/// Damages a file at so many millionths of its length.
fn apply(damage: &Damage, file: &Path, millionths: usize, other: &Path) {
    let mut bytes = std::fs::read(file).expect("bytes");
    let at = bytes.len() * millionths / 1_000_000;
    match damage {
        Damage::Flip(bit) if !bytes.is_empty() => bytes[at] ^= 1 << bit,
        Damage::Flip(_) => {}
        Damage::Cut => bytes.truncate(at),
        Damage::Longer => bytes.push(0),
        Damage::Removed => return std::fs::remove_file(file).expect("removed"),
        Damage::Exchanged => bytes = std::fs::read(other).expect("bytes"),
    }
    overwrite(file, &bytes);
}

/// Writes to a file although it is sealed, and seals it again.
fn overwrite(file: &Path, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    let sealed = file.metadata().expect("a file").permissions();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("opened");
    std::fs::write(file, bytes).expect("written");
    std::fs::set_permissions(file, sealed).expect("sealed");
}

/// The whole content of a range, through a cache.
fn found(cache: &Cache, file: &Path) -> String {
    let export = cache.export(file, ModeChoice::Auto);
    let capture = export.capture(&ReadOptions::default()).expect("a capture");
    let index = export.index(&capture, &KeyNodeChoice::Find).expect("an index");
    content(&index.profile(&RangeChoice::from(2..=6)).expect("a profile"))
}

/// Damages files of a cache one by one, and reads through it after each.
fn check(trusting_from: u64, cases: u32) {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers --processes 2");
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES).trusting_from(trusting_from);
    let fresh = found(&cache, &file);
    let kept = Kept::new(cache);
    let files = files_in(kept.cache.folder());
    assert!(files.len() > 20, "{files:?}");
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases, ..ProptestConfig::default() });
    let strategy = (damage(), 0..files.len(), 0..1_000_000usize, 0..files.len());
    let outcome = runner.run(&strategy, |(damage, at, millionths, other)| {
        let bytes = |at: usize| std::fs::read(&files[at]).expect("bytes");
        let (before, folders) = (bytes(at), kept.folders());
        apply(&damage, &files[at], millionths, &files[other]);
        let is_changed = std::fs::read(&files[at]).ok().is_none_or(|after| after != before);
        prop_assert!(found(&kept.cache, &file) == fresh, "a wrong answer");
        let is_about_trust = files[at].ends_with("checked.json");
        let is_replaced = kept.folders() != folders;
        prop_assert_eq!(is_replaced, is_changed && !is_about_trust, "{}", files[at].display());
        let folders = kept.folders();
        prop_assert!(found(&kept.cache, &file) == fresh, "a wrong answer the second time");
        prop_assert_eq!(kept.folders(), folders, "kept anew");
        Ok(())
    });
    outcome.expect("the property holds");
}

#[test]
fn small_folders_are_checked_whole_every_time() {
    check(u64::MAX, 150);
}

#[test]
fn a_change_of_a_trusted_file_is_noticed() {
    check(0, 150);
}

/// Every byte of the smallest files, which say what the others are.
#[test]
fn every_byte_of_the_manifests() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--iterations 2");
    for trusting_from in [u64::MAX, 0] {
        let place = folder.path().join(trusting_from.to_string());
        let cache = Cache::new(place, Cache::LIMIT_BYTES).trusting_from(trusting_from);
        let read =
            || cache.export(&file, ModeChoice::Auto).capture(&ReadOptions::default()).expect("a capture");
        let fresh = read().counts();
        let files = files_in(cache.folder());
        for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
            let bytes = std::fs::read(path).expect("bytes");
            for at in (0..bytes.len()).step_by(bytes.len().div_ceil(40)) {
                let mut flipped = std::fs::read(path).expect("bytes");
                let at = at.min(flipped.len() - 1);
                flipped[at] ^= 0x11;
                overwrite(path, &flipped);
                assert_eq!(read().counts(), fresh, "byte {at} of {}", path.display());
            }
        }
    }
}

/// What is not mapped cannot be taken away: not by another machine that cuts the files on a network file system.
#[test]
fn files_that_are_cut_while_they_are_used_do_no_harm() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers --processes 2");
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES).trusting_from(u64::MAX);
    let fresh = found(&cache, &file);
    let export = cache.export(&file, ModeChoice::Auto);
    let options = ReadOptions::default();
    let capture = export.kept_capture(&options).expect("threads").expect("a kept capture");
    let index = export.kept_index(&capture, &KeyNodeChoice::Find).expect("a kept index");
    for path in files_in(cache.folder()) {
        overwrite(&path, b"");
    }
    assert!(content(&index.profile(&RangeChoice::from(2..=6)).expect("a profile")) == fresh);
    assert!(found(&cache, &file) == fresh, "and the next run reads the export again");
}

/// What is mapped is sealed.
#[test]
fn nobody_may_write_to_files_that_are_mapped() {
    let folder = folder();
    let file = sample(folder.path(), "a.sqlite", "--style markers");
    let cache = Cache::new(folder.path().join("cache"), Cache::LIMIT_BYTES).trusting_from(0);
    found(&cache, &file);
    let files = files_in(cache.folder());
    let tables: Vec<_> =
        files.iter().filter(|path| path.extension().is_some_and(|end| end == "arrow")).collect();
    assert!(tables.len() > 20);
    assert!(tables.iter().all(|path| path.metadata().is_ok_and(|file| file.permissions().readonly())));
}
