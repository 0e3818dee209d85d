//! A job of many ranks in files for people, read back.

use dlprof_core::{
    ActivitySettings, Capture, CaptureOfJob, JOB_TABLES, Job, JobRequest, KeyNodeChoice, ReadOptions,
    rank_digests,
};
use dlprof_export::{ExportOutput, Inputs, JobPlan, Overwrite, TimeUnit};
use dlprof_generate::{JobPlan as Drawn, write_job};
use lopdf::Document;
use std::path::Path;
use std::sync::Arc;

/// A job whose rank 2 has a slow GPU.
fn job(folder: &Path, ranks: i64) -> Arc<Job> {
    let plan = Drawn { ranks, slow: Some((2, 150)), ..Drawn::default() };
    let files = write_job(folder, &plan).expect("captures");
    let captures = files.into_iter().map(|file| {
        let capture = Capture::read(&file, &ReadOptions::default()).expect("a capture");
        let digests = rank_digests(&capture, &file, &KeyNodeChoice::Find, &ActivitySettings::default());
        CaptureOfJob { file, ranks: Ok(digests.expect("ranks")) }
    });
    Arc::new(Job::new(captures.collect(), &JobRequest::default()).expect("a job"))
}

/// The bytes of a file in the format of its ending.
fn written(job: &Arc<Job>, folder: &Path, name: &str) -> Vec<u8> {
    let path = folder.join(name);
    let tables: Vec<_> = JOB_TABLES.iter().collect();
    let outputs = [ExportOutput::new(&path, None, tables.len()).expect("a format")];
    let plan = JobPlan {
        tables: &tables,
        outputs: &outputs,
        name: "a job",
        most_rows: None,
        time_unit: TimeUnit::Auto,
        font: None,
        csv_safe: false,
        overwrite: Overwrite::Replace,
        inputs: &Inputs::default(),
    };
    plan.check().expect("a place");
    let files = plan.write(job).expect("a file");
    assert!(files.iter().all(|file| file.missing_characters.is_empty()), "{files:?}");
    std::fs::read(path).expect("the file")
}

/// The text of all pages, without line ends.
fn text(bytes: &[u8]) -> String {
    let document = Document::load_mem(bytes).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    document.extract_text(&pages).expect("text").replace('\n', " ")
}

#[test]
fn the_pdf_of_a_job_has_the_answer_ranks_collectives_and_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    for ranks in [4, 24, 136] {
        let captures = folder.path().join(ranks.to_string());
        std::fs::create_dir(&captures).expect("a folder");
        let job = job(&captures, ranks);
        let bytes = written(&job, folder.path(), "job.pdf");
        let text = text(&bytes);
        for words in [
            "Rank 2 holds the job back",
            "Where a step goes",
            "waiting for others",
            "What to change",
            "Kinds of Collectives",
            "AllReduce",
            "slow GPU",
            "Lag",
        ] {
            assert!(text.contains(words), "{ranks} ranks: {words} is not in: {text}");
        }
        let ranks_shown =
            if ranks <= 16 { "All ranks" } else { "The slowest ranks, the median and the fastest" };
        assert!(text.contains(ranks_shown), "{text}");
        assert_eq!(written(&job, folder.path(), "job.pdf"), bytes, "the same bytes every time");
    }
}

#[test]
fn the_page_of_a_job_says_what_it_leaves_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let captures = folder.path().join("captures");
    std::fs::create_dir(&captures).expect("a folder");
    let job = job(&captures, 4);
    let page = String::from_utf8(written(&job, folder.path(), "job.html")).expect("text");
    for table in JOB_TABLES {
        assert!(page.contains(&format!("id=\"table-{}\"", table.key)), "{}", table.key);
    }
    assert_eq!(page.matches("<script type=\"module\">").count(), 1);
}
