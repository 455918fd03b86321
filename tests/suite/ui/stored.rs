//! Stored runs, handled by mouse with the real engine: stopped, resumed, opened,
//! repeated with the Baseline, moved to the trash; dropped and pasted files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::session::backend::Recorded;
use lae_studio::session::run_view::{RunView, Stage};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store::RunFolder;
use lae_studio::tensors::Named;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::flow::{after_one_task, small};
use super::synthetic::{header, report};
use super::{Dropped, open_steps, recorded, settle, wait, window};

fn open_page(window: &mut Harness<'_, StudioApp>, title: &str) {
    window.get_by_role_and_label(egui::Role::Tab, title).click();
    settle(window);
}

fn is_idle(app: &StudioApp) -> bool {
    let live = app.session.train.live.as_ref();
    live.is_some_and(|run| !run.stage.is_live())
}

fn stage(window: &Harness<'_, StudioApp>) -> Option<Stage> {
    window
        .state()
        .session
        .train
        .live
        .as_ref()
        .map(|run| run.stage)
}

#[test]
fn stopped_run_resumes_opens_and_moves_to_trash() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = after_one_task(runs.path());
    window
        .get_by_role_and_label(egui::Role::Button, tr!("train-stop-run"))
        .click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-ask-stop-yes")).click();
    wait(&mut window, "the run stops", is_idle);
    assert_eq!(stage(&window), Some(Stage::Stopped));

    open_page(&mut window, tr!("page-compare"));
    assert!(shows!(window, "compare-stopped-after"));
    window.get_by_label(tr!("train-resume-run")).click();
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Train);
    wait(&mut window, "the run ends", is_idle);
    assert_eq!(stage(&window), Some(Stage::Finished));
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!(live.reports.len(), 3);

    open_page(&mut window, tr!("page-compare"));
    window.get_by_label_contains("finished ·");
    window.get_by_label(tr!("compare-open")).click();
    settle(&mut window);
    let opened = window.state().session.train.opened.clone().unwrap();
    assert_eq!(opened.reports.len(), 3);
    assert_eq!(opened.header, live.header);

    open_page(&mut window, tr!("page-compare"));
    window.get_by_label(tr!("compare-delete")).click();
    wait(&mut window, "the run is deleted", |app| {
        let rows = app.session.compare.runs.ready();
        rows.is_some_and(|rows| rows.is_empty())
    });
    window.get_by_label(tr!("compare-none"));
    let bin = runs.path().join(".trash");
    assert_eq!(std::fs::read_dir(bin).unwrap().count(), 1);
}

#[test]
fn trains_pair_and_accepts_dropped_and_pasted_files() {
    let runs = tempfile::tempdir().unwrap();
    let root = runs.path().to_path_buf();
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        let mut config = small();
        config.epochs = 1;
        config.settings = crate::frozen_epochs(0);
        Session::open(root, config, Default::default(), wake).unwrap()
    });
    settle(&mut window);
    window
        .get_by_label(tr!("experiment-train-baseline-too"))
        .click();
    window.run_steps(2);
    window.get_by_label(tr!("experiment-start-both")).click();
    wait(&mut window, "both runs are listed as finished", |app| {
        let finished = |row: &&lae_studio::session::views::RunRow| {
            row.state == lae_studio::session::views::RunState::Finished
        };
        app.session.rows().filter(finished).count() == 2
    });
    let rows = window.state().session.compare.runs.ready().unwrap().clone();
    let methods: Vec<_> = rows
        .iter()
        .map(|row| row.header.as_ref().unwrap().config.method.clone())
        .collect();
    assert_eq!(methods, vec!["baseline", "lae"]);
    // Who watched both is shown what became of the first task, and no other run.
    wait(&mut window, "the comparison is shown", |app| {
        app.page == Page::Compare
    });
    settle(&mut window);
    window.get_by_label(tr!("compare-first-task-over-time"));
    window.get_by_label_contains("% of task 1");

    // An image dropped on another page is predicted and does not replace the data.
    let picture = runs.path().join("seven.png");
    let mut pixels = image::RgbImage::new(40, 40);
    for i in 8..32 {
        pixels.put_pixel(i, 8, image::Rgb([255; 3]));
        pixels.put_pixel(32 - i / 3, i, image::Rgb([255; 3]));
    }
    pixels.save(&picture).unwrap();
    open_page(&mut window, tr!("page-experiment"));
    let data = window.state().session.experiment.draft.data.clone();
    window
        .input_mut()
        .dropped_files
        .push(std::sync::Arc::new(Dropped(picture.clone())));
    window.step();
    wait(&mut window, "three snapshots predict", |app| {
        app.session.predict.answers.iter().flatten().count() == 3
    });
    assert_eq!(window.state().page, Page::Predict);
    assert_eq!(window.state().session.experiment.draft.data, data);

    // Images pasted as pixels and as a path are predicted as well.
    let ticket = window.state().session.predict.ticket;
    let image = egui::ColorImage::filled([40, 40], egui::Color32::BLACK);
    window.event(egui::Event::PasteImage(image.into()));
    wait(&mut window, "the pasted image is predicted", |app| {
        let predict = &app.session.predict;
        predict.ticket > ticket && predict.answers.iter().flatten().count() == 3
    });
    let ticket = window.state().session.predict.ticket;
    window.event(egui::Event::Paste(format!("file://{}", picture.display())));
    wait(&mut window, "the pasted file is predicted", |app| {
        let predict = &app.session.predict;
        predict.ticket > ticket && predict.answers.iter().flatten().count() == 3
    });

    // Dropped weights become the backbone; an invalid file is reported.
    let weights = runs.path().join("net.safetensors");
    std::fs::write(&weights, "no weights").unwrap();
    open_page(&mut window, tr!("page-experiment"));
    window
        .input_mut()
        .dropped_files
        .push(std::sync::Arc::new(Dropped(weights.clone())));
    window.step();
    settle(&mut window);
    let session = &window.state().session;
    assert_eq!(
        session.experiment.draft.backbone,
        weights.display().to_string()
    );
    assert!(!session.experiment.plan.problems.is_empty());

    // A dropped peft adapter initialises the PET until the user resets it; a missing one is reported.
    let adapter = runs.path().join("adapter");
    std::fs::create_dir(&adapter).unwrap();
    for name in ["adapter_config.json", "adapter_model.safetensors"] {
        std::fs::write(adapter.join(name), "{}").unwrap();
    }
    let dropped = std::sync::Arc::new(Dropped(adapter.clone()));
    window.input_mut().dropped_files.push(dropped);
    window.step();
    settle(&mut window);
    let told = |window: &Harness<'_, StudioApp>| {
        let problems = &window.state().session.experiment.plan.problems;
        problems
            .iter()
            .any(|problem| problem.place == "--pet-start")
    };
    let chosen = |window: &Harness<'_, StudioApp>| {
        let draft = &window.state().session.experiment.draft;
        draft.pet_start.clone()
    };
    assert_eq!(chosen(&window), Some(adapter.display().to_string()));
    assert!(!told(&window));
    open_steps(&mut window);
    window
        .get_by_label(tr!("experiment-pet-start-fresh"))
        .click();
    settle(&mut window);
    assert_eq!(chosen(&window), None);
    std::fs::remove_dir_all(&adapter).unwrap();
    let gone = Setting::Text(adapter.display().to_string().into());
    window.state_mut().session.set("pet_start", Some(gone));
    settle(&mut window);
    assert!(told(&window));
}

#[test]
fn opened_run_reloads_when_window_gets_focus() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    let other = RunFolder::create(runs.path(), &mut header, "").unwrap();
    for task in 0..2 {
        other.save_task(&report(task), &Named::new()).unwrap();
    }
    let (mut window, _) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.state_mut().session.open_run(header.folder.clone());
    open_page(&mut window, tr!("page-train"));
    let opened = |window: &Harness<'_, StudioApp>| {
        let opened = window.state().session.train.opened.clone();
        opened.map(|run| run.reports.len())
    };
    assert_eq!(opened(&window), Some(2));
    other.save_task(&report(2), &Named::new()).unwrap();
    other.finish(false).unwrap();
    let events = &mut window.input_mut().events;
    events.push(egui::Event::WindowFocused(true));
    settle(&mut window);
    assert_eq!(opened(&window), Some(3));
}

/// A run that can be read only once, with the number of attempts.
struct DamagedAfterFirstRead(Disk, Arc<AtomicUsize>);

impl Sources for DamagedAfterFirstRead {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn run(&self, folder: &Path) -> Result<RunView> {
        if self.1.fetch_add(1, Ordering::Relaxed) > 0 {
            return Err(Problem::new("the answers of this run are damaged").at_path(folder));
        }
        let run = lae_studio::store::load(folder)?;
        Ok(RunView::stored(run.header, run.reports))
    }
}

#[test]
fn unreadable_run_is_retried_once_per_folder_change() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    let other = RunFolder::create(runs.path(), &mut header, "").unwrap();
    other.save_task(&report(0), &Named::new()).unwrap();
    let read = Arc::new(AtomicUsize::new(0));
    let sources = DamagedAfterFirstRead(Disk::at(runs.path().to_path_buf()), read.clone());
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(Recorded::default());
        Session::with(backend, sources, RunConfig::default(), wake)
    });
    settle(&mut window);
    window.state_mut().session.open_run(header.folder.clone());
    open_page(&mut window, tr!("page-train"));
    let tries = || read.load(Ordering::Relaxed);
    assert_eq!(tries(), 1);
    for (task, tried) in [(1, 2), (2, 3)] {
        other.save_task(&report(task), &Named::new()).unwrap();
        // Each focus of the window checks the folder.
        for _ in 0..3 {
            let events = &mut window.input_mut().events;
            events.push(egui::Event::WindowFocused(true));
            settle(&mut window);
        }
        assert_eq!(tries(), tried);
    }
    let shown = window.state().session.train.opened.clone().unwrap();
    assert_eq!(shown.reports.len(), 1);
}
