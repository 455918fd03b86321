//! Adding a task to a finished run by dropping a folder, and undoing it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{AddedTask, NamedImage, RunHeader};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::run_view::{RunView, Stage};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::flow::small_run_config;
use super::{DroppedPath, save_screenshot, wait, wait_until_idle, window};
use crate::teach::letters;

fn wait_until_finished(window: &mut Harness<'_, StudioApp>) {
    wait(window, "the run finishes", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.stage == Stage::Finished)
    });
    wait_until_idle(window);
}

/// Stores a stopped run that began after all others.
fn store_newer_run(runs: &Path) {
    let run = runs.join("2099-01-01_00-00-00_stopped");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    crate::copy_folder(&source, &run);
    let file = run.join("run.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = text.lines().map(|line| match line.starts_with("started = ") {
        true => "started = \"2099-01-01T00:00:00+00:00\"",
        false => line,
    });
    let text: Vec<&str> = lines.collect();
    std::fs::write(&file, text.join("\n")).unwrap();
}

fn grey_image() -> NamedImage {
    NamedImage { name: "grey".into(), width: 8, height: 8, rgb: vec![90; 192] }
}

#[test]
fn dropped_folder_adds_task_that_can_be_undone() {
    let runs = tempfile::tempdir().unwrap();
    let root = runs.path().to_path_buf();
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        Session::open(root, small_run_config(), Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    wait_until_finished(&mut window);
    let run = window.state().session.train.live.clone().unwrap();
    let folder = run.header.clone().unwrap().folder;

    let tab = Page::Compare.title();
    window.get_by_role_and_label(egui::Role::Tab, tab).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-teach-classes")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "shell-teach-about"));
    assert!(window.query_by_label_contains(&tr!("shell-teach-undo", classes = "")).is_none());
    save_screenshot(&mut window, "teach-question");
    let added_task = letters("AB", 10);
    let path = added_task.path().to_path_buf();
    window.input_mut().dropped_files.push(Arc::new(DroppedPath(path)));
    window.step();
    // The classes of the folder are shown before training starts.
    wait(&mut window, "the folder is read", |app| {
        let preview = app.session.task_preview(&folder);
        preview.is_some_and(|(_, found)| found.ready().is_some())
    });
    wait_until_idle(&mut window);
    window.get_by_label_contains("2 classes: ");
    assert!(!window.state().session.is_training());
    save_screenshot(&mut window, "teach-found");
    window.get_by_label(&tr!("shell-teach-classes", n = 2)).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Train);
    wait(&mut window, "the added task begins", |app| {
        let live = app.session.train.live.as_ref();
        let header = live.and_then(|run| run.header.as_ref());
        header.is_some_and(|header| header.added_tasks.len() == 1)
    });
    wait_until_finished(&mut window);
    assert!(shows!(window, "session-added-task", names = "A, B"));
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!((live.reports.len(), live.tasks()), (4, 4));
    save_screenshot(&mut window, "teach-done");

    // The confusion matrix covers the added task.
    window.get_by_label(tr!("train-confusion-by-tasks")).click();
    wait_until_idle(&mut window);
    let has_confusions = shows!(window, "train-confused-with");
    assert!(has_confusions || live.answer_history().last_accuracy() == Some(1.0));

    // Predict asks all snapshots of this run although a newer run exists.
    store_newer_run(runs.path());
    window.state_mut().session.list_runs();
    wait_until_idle(&mut window);
    let image = grey_image();
    let session = &mut window.state_mut().session;
    session.pin_predictor(folder.clone());
    session.predict_image(Arc::new(image), None);
    wait(&mut window, "all snapshots predict", |app| {
        let answers = &app.session.predict.predictions;
        answers.len() == 4 && answers.iter().all(Option::is_some)
    });
    window.get_by_label(tr!("train-teach-classes")).click();
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("shell-teach-undo", classes = "A, B")).click();
    wait_until_idle(&mut window);
    wait(&mut window, "the added task is removed", |app| {
        let opened = app.session.train.opened.as_ref();
        opened.is_some_and(|run| run.tasks() == 3)
    });
    assert!(store::load_run(&folder).unwrap().header.added_tasks.is_empty());
    // Predict keeps the run, which now has one task less.
    wait(&mut window, "the run predicts again", |app| {
        let answers = &app.session.predict.predictions;
        answers.len() == 3 && answers.iter().all(Option::is_some)
    });
    let tab = Page::Predict.title();
    window.get_by_role_and_label(egui::Role::Tab, tab).click();
    wait_until_idle(&mut window);
    let predict = &window.state().session.predict;
    assert_eq!(predict.run.as_ref(), Some(&folder));
    assert_eq!((predict.task, &predict.problem), (2, &None));
    save_screenshot(&mut window, "teach-undone");
}

/// An added task of one class.
pub fn added_task() -> AddedTask {
    AddedTask {
        source: "c".into(),
        classes: vec!["c".into()],
        again: Vec::new(),
        train_images: vec![4],
        test_images: vec![3],
        fingerprint: "0".repeat(64),
        before: None,
        planned_tasks: 1,
        batch: 8,
        repeats: 1,
        base_lr: 0.03,
        notes: Vec::new(),
        taught: "2026-11-22T10:00:00Z".into(),
        version: "0.1.0".into(),
    }
}

/// A run that can be opened until its added task is undone.
struct UnreadableAfterUndo {
    disk: Disk,
    header: RunHeader,
    undone: AtomicBool,
}

impl Sources for UnreadableAfterUndo {
    fn disk(&self) -> &Disk {
        &self.disk
    }

    fn load_run(&self, _: &Path) -> Result<RunView> {
        if self.undone.load(Ordering::SeqCst) {
            return Err(Problem::new("the disk is gone"));
        }
        let reports = (0..5).map(super::synthetic::report).collect();
        Ok(RunView::from_stored(self.header.clone(), reports))
    }

    fn undo_added_task(&self, _: &Path) -> Result<AddedTask> {
        self.undone.store(true, Ordering::SeqCst);
        Ok(added_task())
    }
}

#[test]
fn predict_reports_run_unreadable_after_undoing_task() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = super::synthetic::header();
    header.folder = runs.path().join("taught");
    let folder = header.folder.clone();
    let sources = UnreadableAfterUndo {
        disk: Disk::new(runs.path().to_path_buf()),
        header,
        undone: AtomicBool::new(false),
    };
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    window.state_mut().session.open_run(folder.clone());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    session.pin_predictor(folder.clone());
    session.predict_image(Arc::new(grey_image()), None);
    assert_eq!(session.predict.problem, None);
    session.undo_added_task(&folder);
    wait_until_idle(&mut window);
    let problem = window.state().session.predict.problem.clone();
    assert_eq!(problem.unwrap().what, "the disk is gone");
}
