//! `summary.json`: lists of runs read only this file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lae_studio::run::about::About;
use lae_studio::session::Disk;
use lae_studio::session::row::{Rows, RunRow};
use lae_studio::store::groups::{GroupKey, groups, kinds};
use lae_studio::store::{self, ListedRun, RunFolder, RunSummary};

use crate::files_at;
use crate::skip::skip;
use crate::store::{header, report};

/// Creates a run with this seed and both tasks saved.
fn saved(root: &Path, seed: u64) -> PathBuf {
    let mut header = header();
    header.config.seed = seed;
    let folder = RunFolder::create(root, &mut header, "name = \"adapter\"\n").unwrap();
    for task in 0..2 {
        folder
            .save_task(&report(task), &Default::default())
            .unwrap();
    }
    header.folder
}

fn summary_file(run: &Path) -> PathBuf {
    run.join("summary.json")
}

/// Overwrites a file but keeps its length and modification time.
fn overwrite_keeping_metadata(path: &Path) {
    let about = fs::metadata(path).unwrap();
    fs::write(path, vec![b'#'; about.len() as usize]).unwrap();
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(about.modified().unwrap()).unwrap();
}

/// Returns all files of a run except the summary.
fn other_files(run: &Path) -> Vec<PathBuf> {
    let mut files = files_at(run);
    files.retain(|path| *path != summary_file(run));
    files
}

fn summary_of(listed: &ListedRun) -> &RunSummary {
    listed.summary.as_ref().unwrap()
}

#[test]
fn list_reads_only_summaries_of_finished_runs() {
    let root = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..3).map(|seed| saved(root.path(), seed)).collect();
    let before = store::list(root.path());
    for run in &runs {
        // The size does not depend on the number of images.
        assert!(fs::metadata(summary_file(run)).unwrap().len() < 8_000);
        other_files(run)
            .iter()
            .for_each(|path| overwrite_keeping_metadata(path));
        assert!(store::load(run).is_err());
    }
    let after = store::list(root.path());
    assert_eq!(after.len(), 3);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(summary_of(before), summary_of(after));
        assert_eq!(
            summary_of(after).for_scripts().figures.final_accuracy(),
            Some(75.0)
        );
    }
    let all: Vec<RunSummary> = after.iter().map(|run| summary_of(run).clone()).collect();
    assert_eq!(groups(&all)[0].orders.runs.len(), 3);
    assert_eq!(store::find(root.path(), "latest").unwrap(), after[0].folder);
}

#[test]
fn incremental_summary_matches_full_summary() {
    let root = tempfile::tempdir().unwrap();
    let run = saved(root.path(), 0);
    let written = fs::read(summary_file(&run)).unwrap();
    let by_task = store::summarize(&run).unwrap();
    assert_eq!(by_task, RunSummary::of(&store::load(&run).unwrap()));
    fs::remove_file(summary_file(&run)).unwrap();
    store::summarize(&run).unwrap();
    assert_eq!(fs::read(summary_file(&run)).unwrap(), written);
    // Saving a task again replaces its report and those of later tasks, including their peak memory.
    let folder = RunFolder::open(&run).unwrap();
    drop(std::hint::black_box(vec![1u8; 256 << 20]));
    folder.save_task(&report(1), &Default::default()).unwrap();
    lae_studio::memory::begin_run();
    folder.save_task(&report(0), &Default::default()).unwrap();
    drop(folder);
    let again = store::summarize(&run).unwrap();
    assert_eq!(again.saved(), 1);
    assert_eq!(again, RunSummary::of(&store::load(&run).unwrap()));
}

#[test]
fn rebuilds_unusable_summary() {
    let root = tempfile::tempdir().unwrap();
    let run = saved(root.path(), 0);
    let file = summary_file(&run);
    let (text, known) = (
        fs::read_to_string(&file).unwrap(),
        store::summarize(&run).unwrap(),
    );
    let right = "\"right\":{\"online\":[1,0]";
    assert!(text.contains(right), "{text}");
    for bad in [
        String::new(),
        text[..text.len() / 2].to_string(),
        text.replace("{\"version\":", "{\"version\":9"),
        // More right answers than images.
        text.replace(right, "\"right\":{\"online\":[9,0]"),
        text.replace(
            "\"tasks\":[{\"start\":0,\"end\":2}",
            "\"tasks\":[{\"start\":0,\"end\":9}",
        ),
        text.replace("\"latest\":{", "\"latest\":null,\"was\":{"),
    ] {
        assert_ne!(bad, text);
        fs::write(&file, bad).unwrap();
        assert_eq!(store::summarize(&run).unwrap(), known);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    // A summary with other settings than `run.toml` is rebuilt, too.
    let record = run.join("run.toml");
    let settings = fs::read_to_string(&record).unwrap();
    fs::write(&record, settings.replace("epochs = 5", "epochs = 15")).unwrap();
    assert_eq!(store::summarize(&run).unwrap().header.config.epochs, 15);
    // Reading works if no summary can be written.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(store::summarize(&run).unwrap().saved(), 2);
}

#[test]
fn only_repetitions_share_experiment_key() {
    let root = tempfile::tempdir().unwrap();
    let key = |run: &Path| store::summarize(run).unwrap().key;
    let (one, other) = (key(&saved(root.path(), 0)), key(&saved(root.path(), 1)));
    assert_eq!(one.experiment, other.experiment);
    assert_ne!(one.repetition, other.repetition);
    let begun = |change: &dyn Fn(&mut lae_studio::run::event::RunHeader)| {
        let mut header = header();
        change(&mut header);
        drop(RunFolder::create(root.path(), &mut header, "name = \"adapter\"\n").unwrap());
        key(&header.folder)
    };
    assert_eq!(begun(&|_| {}), one, "the key must be known from the start");
    assert_eq!(begun(&|header| header.config.device = "gpu".into()), one);
    assert_ne!(
        begun(&|header| header.config.epochs += 1).experiment,
        one.experiment
    );
    let weights = begun(&|header| header.weights_sha256 = "cd".repeat(32));
    assert_ne!(weights.experiment, one.experiment);
}

/// The runs as the window lists them.
fn rows(disk: &Disk) -> Rows {
    disk.runs(Vec::new()).rows
}

#[test]
fn second_list_rereads_only_changed_runs() {
    let root = tempfile::tempdir().unwrap();
    let runs: Vec<PathBuf> = (0..4).map(|seed| saved(root.path(), seed)).collect();
    let disk = Disk::at(root.path().into());
    let first = rows(&disk);
    // A run was renamed, one was added, one was deleted.
    let about = About {
        name: "mine".into(),
        ..About::default()
    };
    store::set_about(&runs[1], &about).unwrap();
    let added = saved(root.path(), 4);
    fs::remove_dir_all(&runs[2]).unwrap();
    let second = rows(&disk);
    assert_eq!(second.len(), 4);
    assert!(second.iter().any(|row| row.folder == added));
    for row in second.iter() {
        let same = first.iter().any(|known| Arc::ptr_eq(known, row));
        assert_eq!(same, row.folder != runs[1] && row.folder != added);
    }
    assert_eq!(disk.run_row(&runs[1]).unwrap().title(), "mine");
    assert!(disk.run_row(&runs[2]).is_none());
    // A version without summaries may have added a task.
    fs::create_dir(runs[3].join("lessons")).unwrap();
    let known = second.iter().find(|row| row.folder == runs[3]).unwrap();
    assert!(!Arc::ptr_eq(known, &disk.run_row(&runs[3]).unwrap()));
    // A run outside the listed folder has no row.
    let away = tempfile::tempdir().unwrap();
    assert!(disk.run_row(&saved(away.path(), 0)).is_none());
}

/// Copies a run `count` times with different names, seeds and one of a hundred learning rates.
pub fn copies(run: &Path, root: &Path, count: usize) {
    let settings = fs::read_to_string(run.join("run.toml")).unwrap();
    for number in 0..count {
        let copy = root.join(format!("2026-01-01_00-00-00_run-{number:05}"));
        crate::copy_folder(run, &copy);
        let rate = format!("base_lr = 0.{:03}", 1 + number % 100);
        let seed = format!("\nseed = {number}\n");
        let own = settings.replace("base_lr = 0.01", &rate);
        fs::write(copy.join("run.toml"), own.replace("\nseed = 0\n", &seed)).unwrap();
    }
}

/// Runs something and prints the seconds it takes.
fn seconds<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let began = std::time::Instant::now();
    let done = act();
    eprintln!("{what}: {:.3} s", began.elapsed().as_secs_f64());
    done
}

#[test]
#[ignore = "measurement: lists ten thousand copies of the finished run LAE_RUN"]
fn list_time_of_ten_thousand_runs_is_measured() {
    let Some(run) = std::env::var_os("LAE_RUN").map(PathBuf::from) else {
        skip("LAE_RUN is not set");
        return;
    };
    let root = tempfile::tempdir().unwrap();
    copies(&run, root.path(), 10_000);
    let old = seconds("without summaries", || rows(&Disk::at(root.path().into())));
    let disk = Disk::at(root.path().into());
    let listed = seconds("cold", || rows(&disk));
    assert_eq!((old.len(), listed.len()), (10_000, 10_000));
    let again = seconds("warm", || rows(&disk));
    assert!(Arc::ptr_eq(&listed[77], &again[77]));
    let search = lae_studio::run::about::Search {
        text: "base-lr 0.017".into(),
        tags: Vec::new(),
    };
    let find = || {
        listed
            .iter()
            .filter(|row| search.finds(&row.about, row.made_of()))
    };
    assert_eq!(seconds("first search", || find().count()), 100);
    assert_eq!(seconds("second search", || find().count()), 100);
    let group = |row: &Arc<RunRow>| row.group.clone();
    let groups: Vec<Option<GroupKey>> = listed.iter().map(group).collect();
    let kinds = seconds("grouped", || kinds(&groups, Option::as_ref).len());
    assert_eq!(kinds, 100);
    seconds("one row", || disk.run_row(&listed[5_000].folder).unwrap());
    seconds("latest", || store::find(root.path(), "latest").unwrap());
}
