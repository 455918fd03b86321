//! `summary.json`: lists of runs read only this file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lae_studio::run::annotations::Annotations;
use lae_studio::session::Disk;
use lae_studio::session::run_row::{Rows, RunRow};
use lae_studio::store::groups::{GroupKey, groups, kinds};
use lae_studio::store::{self, ListedRun, RunFolder, RunSummary};

use crate::list_files;
use crate::skip::skip;
use crate::store::{header, report};

/// Creates a run with this seed and both tasks saved.
fn save_finished_run(root: &Path, seed: u64) -> PathBuf {
    let mut header = header();
    header.config.seed = seed;
    let folder = RunFolder::create(root, &mut header, "name = \"adapter\"\n").unwrap();
    for task in 0..2 {
        folder.save_task(&report(task), &Default::default()).unwrap();
    }
    header.folder
}

fn summary_file(run: &Path) -> PathBuf {
    run.join("summary.json")
}

/// Overwrites a file but keeps its length and modification time.
fn overwrite_keeping_metadata(path: &Path) {
    let file_metadata = fs::metadata(path).unwrap();
    fs::write(path, vec![b'#'; file_metadata.len() as usize]).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(file_metadata.modified().unwrap()).unwrap();
}

/// Returns all files of a run except the summary.
fn other_files(run: &Path) -> Vec<PathBuf> {
    let mut files = list_files(run);
    files.retain(|path| *path != summary_file(run));
    files
}

fn expect_summary(listed: &ListedRun) -> &RunSummary {
    listed.summary.as_ref().unwrap()
}

#[test]
fn list_reads_only_summaries_of_finished_runs() {
    let root = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..3).map(|seed| save_finished_run(root.path(), seed)).collect();
    let original = store::list_runs(root.path());
    for run in &runs {
        // The size does not depend on the number of images.
        assert!(fs::metadata(summary_file(run)).unwrap().len() < 8_000);
        other_files(run).iter().for_each(|path| overwrite_keeping_metadata(path));
        assert!(store::load_run(run).is_err());
    }
    let reread = store::list_runs(root.path());
    assert_eq!(reread.len(), 3);
    for (old, new) in original.iter().zip(&reread) {
        assert_eq!(expect_summary(old), expect_summary(new));
        assert_eq!(expect_summary(new).for_scripts().figures.final_accuracy(), Some(75.0));
    }
    let summaries: Vec<RunSummary> = reread.iter().map(|run| expect_summary(run).clone()).collect();
    assert_eq!(groups(&summaries)[0].orders.runs.len(), 3);
    assert_eq!(store::find_run(root.path(), "latest").unwrap(), reread[0].folder);
}

#[test]
fn incremental_summary_matches_full_summary() {
    let root = tempfile::tempdir().unwrap();
    let run = save_finished_run(root.path(), 0);
    let original = fs::read(summary_file(&run)).unwrap();
    let incremental = store::summarise(&run).unwrap();
    assert_eq!(incremental, RunSummary::from_run(&store::load_run(&run).unwrap()));
    fs::remove_file(summary_file(&run)).unwrap();
    store::summarise(&run).unwrap();
    assert_eq!(fs::read(summary_file(&run)).unwrap(), original);
    // Saving a task again replaces its report and those of later tasks, including their peak memory.
    let folder = RunFolder::open(&run).unwrap();
    drop(std::hint::black_box(vec![1u8; 256 << 20]));
    folder.save_task(&report(1), &Default::default()).unwrap();
    lae_studio::memory::begin_run();
    folder.save_task(&report(0), &Default::default()).unwrap();
    drop(folder);
    let rebuilt = store::summarise(&run).unwrap();
    assert_eq!(rebuilt.saved_tasks(), 1);
    assert_eq!(rebuilt, RunSummary::from_run(&store::load_run(&run).unwrap()));
}

#[test]
fn rebuilds_unusable_summary() {
    let root = tempfile::tempdir().unwrap();
    let run = save_finished_run(root.path(), 0);
    let file = summary_file(&run);
    let (text, expected) = (fs::read_to_string(&file).unwrap(), store::summarise(&run).unwrap());
    let marker = "\"right\":{\"online\":[1,0]";
    assert!(text.contains(marker), "{text}");
    for damaged in [
        String::new(),
        text[..text.len() / 2].to_string(),
        text.replace("{\"version\":", "{\"version\":9"),
        // More right answers than images.
        text.replace(marker, "\"right\":{\"online\":[9,0]"),
        text.replace("\"tasks\":[{\"start\":0,\"end\":2}", "\"tasks\":[{\"start\":0,\"end\":9}"),
        text.replace("\"latest\":{", "\"latest\":null,\"was\":{"),
    ] {
        assert_ne!(damaged, text);
        fs::write(&file, damaged).unwrap();
        assert_eq!(store::summarise(&run).unwrap(), expected);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    // A summary with other settings than `run.toml` is rebuilt, too.
    let run_file = run.join("run.toml");
    let settings = fs::read_to_string(&run_file).unwrap();
    fs::write(&run_file, settings.replace("epochs = 5", "epochs = 15")).unwrap();
    assert_eq!(store::summarise(&run).unwrap().header.config.epochs, 15);
    // Reading works if no summary can be written.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(store::summarise(&run).unwrap().saved_tasks(), 2);
}

#[test]
fn only_repetitions_share_experiment_key() {
    let root = tempfile::tempdir().unwrap();
    let key = |run: &Path| store::summarise(run).unwrap().key;
    let (first, second) =
        (key(&save_finished_run(root.path(), 0)), key(&save_finished_run(root.path(), 1)));
    assert_eq!(first.experiment, second.experiment);
    assert_ne!(first.repetition, second.repetition);
    let key_of_new_run = |change: &dyn Fn(&mut lae_studio::run::event::RunHeader)| {
        let mut header = header();
        change(&mut header);
        drop(RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap());
        key(&header.folder)
    };
    assert_eq!(key_of_new_run(&|_| {}), first, "the key must be known from the start");
    assert_eq!(key_of_new_run(&|header| header.config.device = "gpu".into()), first);
    assert_ne!(key_of_new_run(&|header| header.config.epochs += 1).experiment, first.experiment);
    let weights = key_of_new_run(&|header| header.weights_sha256 = "cd".repeat(32));
    assert_ne!(weights.experiment, first.experiment);
}

/// The runs as the window lists them.
fn rows(disk: &Disk) -> Rows {
    disk.runs(Vec::new()).rows
}

#[test]
fn second_list_rereads_only_changed_runs() {
    let root = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..4).map(|seed| save_finished_run(root.path(), seed)).collect();
    let disk = Disk::new(root.path().into());
    let first = rows(&disk);
    // A run was renamed, one was added, one was deleted.
    let about = Annotations { name: "mine".into(), ..Annotations::default() };
    store::set_annotations(&runs[1], &about).unwrap();
    let added = save_finished_run(root.path(), 4);
    fs::remove_dir_all(&runs[2]).unwrap();
    let second = rows(&disk);
    assert_eq!(second.len(), 4);
    assert!(second.iter().any(|row| row.folder == added));
    for row in second.iter() {
        let is_shared = first.iter().any(|old| Arc::ptr_eq(old, row));
        assert_eq!(is_shared, row.folder != runs[1] && row.folder != added);
    }
    assert_eq!(disk.run_row(&runs[1]).unwrap().title(), "mine");
    assert!(disk.run_row(&runs[2]).is_none());
    // A version without summaries may have added a task.
    fs::create_dir(runs[3].join("lessons")).unwrap();
    let previous = second.iter().find(|row| row.folder == runs[3]).unwrap();
    assert!(!Arc::ptr_eq(previous, &disk.run_row(&runs[3]).unwrap()));
    // A run outside the listed folder has no row.
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(disk.run_row(&save_finished_run(elsewhere.path(), 0)).is_none());
}

/// Copies a run `count` times with different names, seeds and one of a hundred learning rates.
pub fn create_copies(run: &Path, root: &Path, count: usize) {
    let settings = fs::read_to_string(run.join("run.toml")).unwrap();
    for number in 0..count {
        let copy = root.join(format!("2026-01-01_00-00-00_run-{number:05}"));
        crate::copy_folder(run, &copy);
        let rate = format!("base_lr = 0.{:03}", 1 + number % 100);
        let seed = format!("\nseed = {number}\n");
        let changed = settings.replace("base_lr = 0.01", &rate);
        fs::write(copy.join("run.toml"), changed.replace("\nseed = 0\n", &seed)).unwrap();
    }
}

/// Runs something and prints the seconds it takes.
fn time_operation<T>(label: &str, operation: impl FnOnce() -> T) -> T {
    let start = std::time::Instant::now();
    let result = operation();
    eprintln!("{label}: {:.3} s", start.elapsed().as_secs_f64());
    result
}

#[test]
#[ignore = "measurement: lists ten thousand copies of the finished run LAE_RUN"]
fn list_time_of_ten_thousand_runs_is_measured() {
    let Some(run) = std::env::var_os("LAE_RUN").map(PathBuf::from) else {
        skip("LAE_RUN is not set");
        return;
    };
    let root = tempfile::tempdir().unwrap();
    create_copies(&run, root.path(), 10_000);
    let without_summaries =
        time_operation("without summaries", || rows(&Disk::new(root.path().into())));
    let disk = Disk::new(root.path().into());
    let listed = time_operation("cold", || rows(&disk));
    assert_eq!((without_summaries.len(), listed.len()), (10_000, 10_000));
    let warm = time_operation("warm", || rows(&disk));
    assert!(Arc::ptr_eq(&listed[77], &warm[77]));
    let search =
        lae_studio::run::annotations::Search { text: "base-lr 0.017".into(), tags: Vec::new() };
    let find = || listed.iter().filter(|row| search.matches(&row.about, row.search_text()));
    assert_eq!(time_operation("first search", || find().count()), 100);
    assert_eq!(time_operation("second search", || find().count()), 100);
    let group = |row: &Arc<RunRow>| row.group.clone();
    let groups: Vec<Option<GroupKey>> = listed.iter().map(group).collect();
    let kinds = time_operation("grouped", || kinds(&groups, Option::as_ref).len());
    assert_eq!(kinds, 100);
    time_operation("one row", || disk.run_row(&listed[5_000].folder).unwrap());
    time_operation("latest", || store::find_run(root.path(), "latest").unwrap());
}
