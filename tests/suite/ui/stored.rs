//! Stored runs, handled by mouse with the real engine: stopped, resumed, opened,
//! repeated with the Baseline, moved to the trash; dropped and pasted files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::run_view::{RunView, Stage};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store::RunFolder;
use lae_studio::tensors::NamedTensors;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::flow::{small_run_config, window_after_one_task};
use super::synthetic::{header, report};
use super::{DroppedPath, open_steps, recorded_window, wait, wait_until_idle, window};

fn open_page(window: &mut Harness<'_, StudioApp>, title: &str) {
    window.get_by_role_and_label(egui::Role::Tab, title).click();
    wait_until_idle(window);
}

fn is_idle(app: &StudioApp) -> bool {
    let live = app.session.train.live.as_ref();
    live.is_some_and(|run| !run.stage.is_live())
}

fn stage(window: &Harness<'_, StudioApp>) -> Option<Stage> {
    window.state().session.train.live.as_ref().map(|run| run.stage)
}

#[test]
fn stopped_run_resumes_opens_and_moves_to_trash() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = window_after_one_task(runs.path());
    window.get_by_role_and_label(egui::Role::Button, tr!("train-stop-run")).click();
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
    wait_until_idle(&mut window);
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
    let trash = runs.path().join(".trash");
    assert_eq!(std::fs::read_dir(trash).unwrap().count(), 1);
}

#[test]
fn trains_pair_and_accepts_dropped_and_pasted_files() {
    let runs = tempfile::tempdir().unwrap();
    let root = runs.path().to_path_buf();
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        let mut config = small_run_config();
        config.epochs = 1;
        config.settings = crate::frozen_epochs(0);
        Session::open(root, config, Default::default(), wake).unwrap()
    });
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-train-baseline-too")).click();
    window.run_steps(2);
    window.get_by_label(tr!("experiment-start-both")).click();
    wait(&mut window, "both runs are listed as finished", |app| {
        let finished = |row: &&lae_studio::session::views::RunRow| {
            row.state == lae_studio::session::views::RunState::Finished
        };
        app.session.rows().filter(finished).count() == 2
    });
    let rows = window.state().session.compare.runs.ready().unwrap().clone();
    let methods: Vec<_> =
        rows.iter().map(|row| row.header.as_ref().unwrap().config.method.clone()).collect();
    assert_eq!(methods, vec!["baseline", "lae"]);
    // After both runs, Compare shows how the accuracy on the first task changed.
    wait(&mut window, "the comparison is shown", |app| app.page == Page::Compare);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-first-task-over-time"));
    window.get_by_label_contains("% of task 1");

    // An image dropped on another page is predicted and does not replace the data.
    let image_path = runs.path().join("seven.png");
    let mut pixels = image::RgbImage::new(40, 40);
    for i in 8..32 {
        pixels.put_pixel(i, 8, image::Rgb([255; 3]));
        pixels.put_pixel(32 - i / 3, i, image::Rgb([255; 3]));
    }
    pixels.save(&image_path).unwrap();
    open_page(&mut window, tr!("page-experiment"));
    let data = window.state().session.experiment.draft.data.clone();
    window.input_mut().dropped_files.push(std::sync::Arc::new(DroppedPath(image_path.clone())));
    window.step();
    wait(&mut window, "three snapshots predict", |app| {
        app.session.predict.predictions.iter().flatten().count() == 3
    });
    assert_eq!(window.state().page, Page::Predict);
    assert_eq!(window.state().session.experiment.draft.data, data);

    // Images pasted as pixels and as a path are predicted as well.
    let ticket = window.state().session.predict.ticket;
    let image = egui::ColorImage::filled([40, 40], egui::Color32::BLACK);
    window.event(egui::Event::PasteImage(image.into()));
    wait(&mut window, "the pasted image is predicted", |app| {
        let predict = &app.session.predict;
        predict.ticket > ticket && predict.predictions.iter().flatten().count() == 3
    });
    let ticket = window.state().session.predict.ticket;
    window.event(egui::Event::Paste(format!("file://{}", image_path.display())));
    wait(&mut window, "the pasted file is predicted", |app| {
        let predict = &app.session.predict;
        predict.ticket > ticket && predict.predictions.iter().flatten().count() == 3
    });

    // Dropped weights become the backbone; an invalid file is reported.
    let weights = runs.path().join("net.safetensors");
    std::fs::write(&weights, "no weights").unwrap();
    open_page(&mut window, tr!("page-experiment"));
    window.input_mut().dropped_files.push(std::sync::Arc::new(DroppedPath(weights.clone())));
    window.step();
    wait_until_idle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.experiment.draft.backbone, weights.display().to_string());
    assert!(!session.experiment.plan.problems.is_empty());

    // A dropped peft adapter initialises the PET until the user resets it; a missing one is reported.
    let adapter = runs.path().join("adapter");
    std::fs::create_dir(&adapter).unwrap();
    for name in ["adapter_config.json", "adapter_model.safetensors"] {
        std::fs::write(adapter.join(name), "{}").unwrap();
    }
    let dropped = std::sync::Arc::new(DroppedPath(adapter.clone()));
    window.input_mut().dropped_files.push(dropped);
    window.step();
    wait_until_idle(&mut window);
    let reports_pet_start = |window: &Harness<'_, StudioApp>| {
        let problems = &window.state().session.experiment.plan.problems;
        problems.iter().any(|problem| problem.place == "--pet-start")
    };
    let selected_pet_start = |window: &Harness<'_, StudioApp>| {
        let draft = &window.state().session.experiment.draft;
        draft.pet_start.clone()
    };
    assert_eq!(selected_pet_start(&window), Some(adapter.display().to_string()));
    assert!(!reports_pet_start(&window));
    open_steps(&mut window);
    window.get_by_label(tr!("experiment-pet-start-fresh")).click();
    wait_until_idle(&mut window);
    assert_eq!(selected_pet_start(&window), None);
    std::fs::remove_dir_all(&adapter).unwrap();
    let missing = Setting::Text(adapter.display().to_string().into());
    window.state_mut().session.set("pet_start", Some(missing));
    wait_until_idle(&mut window);
    assert!(reports_pet_start(&window));
}

#[test]
fn opened_run_reloads_when_window_gets_focus() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    let run_folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
    for task in 0..2 {
        run_folder.save_task(&report(task), &NamedTensors::new()).unwrap();
    }
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().session.open_run(header.folder.clone());
    open_page(&mut window, tr!("page-train"));
    let opened_reports = |window: &Harness<'_, StudioApp>| {
        let opened = window.state().session.train.opened.clone();
        opened.map(|run| run.reports.len())
    };
    assert_eq!(opened_reports(&window), Some(2));
    run_folder.save_task(&report(2), &NamedTensors::new()).unwrap();
    run_folder.finish(false).unwrap();
    let events = &mut window.input_mut().events;
    events.push(egui::Event::WindowFocused(true));
    wait_until_idle(&mut window);
    assert_eq!(opened_reports(&window), Some(3));
}

/// Sources that can read a run only once; counts the attempts.
struct DamagedAfterFirstRead(Disk, Arc<AtomicUsize>);

impl Sources for DamagedAfterFirstRead {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn load_run(&self, folder: &Path) -> Result<RunView> {
        if self.1.fetch_add(1, Ordering::Relaxed) > 0 {
            return Err(Problem::new("the answers of this run are damaged").at_path(folder));
        }
        let run = lae_studio::store::load_run(folder)?;
        Ok(RunView::from_stored(run.header, run.reports))
    }
}

#[test]
fn unreadable_run_is_retried_once_per_folder_change() {
    let runs = tempfile::tempdir().unwrap();
    let mut header = header();
    let run_folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
    run_folder.save_task(&report(0), &NamedTensors::new()).unwrap();
    let read_count = Arc::new(AtomicUsize::new(0));
    let sources = DamagedAfterFirstRead(Disk::new(runs.path().to_path_buf()), read_count.clone());
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    window.state_mut().session.open_run(header.folder.clone());
    open_page(&mut window, tr!("page-train"));
    let attempts = || read_count.load(Ordering::Relaxed);
    assert_eq!(attempts(), 1);
    for (task, expected) in [(1, 2), (2, 3)] {
        run_folder.save_task(&report(task), &NamedTensors::new()).unwrap();
        // Each focus of the window checks the folder.
        for _ in 0..3 {
            let events = &mut window.input_mut().events;
            events.push(egui::Event::WindowFocused(true));
            wait_until_idle(&mut window);
        }
        assert_eq!(attempts(), expected);
    }
    let opened = window.state().session.train.opened.clone().unwrap();
    assert_eq!(opened.reports.len(), 1);
}
