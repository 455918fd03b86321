//! The page Start: its links, and classifying the user's images with the real engine, from a folder of classes to new
//! images by class.

use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::session::classify::ModelStep;
use lae_studio::session::file_dialog::DialogPurpose;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::{DroppedPath, recorded_window, save_screenshot, wait, wait_until_idle, window};
use crate::teach::letters;

fn drop_folder(window: &mut Harness<'_, StudioApp>, folder: &std::path::Path) {
    let dropped = Arc::new(DroppedPath(folder.to_path_buf()));
    window.input_mut().dropped_files.push(dropped);
    window.step();
    wait_until_idle(window);
}

#[test]
fn start_page_opens_experiment_and_learn() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    window.state_mut().welcome();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "start");
    for (open, page) in [("start-experiment-open", Page::Experiment), ("tour-start", Page::Learn)] {
        window.state_mut().page = Page::Start;
        wait_until_idle(&mut window);
        window.get_by_label(tr!(open)).click();
        wait_until_idle(&mut window);
        assert_eq!(window.state().page, page);
    }
    let file = runs.path().join("window.toml");
    assert!(Settings::is_first_start(Some(&file)));
    Settings::default().save(&file).unwrap();
    assert!(!Settings::is_first_start(Some(&file)) && !Settings::is_first_start(None));
}

#[test]
fn folder_chosen_on_overview_is_set_up_on_predict() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    window.state_mut().welcome();
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    let folder = runs.path().to_path_buf();
    let choice = UiCommand::UsePath(DialogPurpose::ImageFolder, folder);
    window.state_mut().execute(&ctx, choice);
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Predict);
}

#[test]
fn classifies_user_images_on_start_page() {
    let runs = tempfile::tempdir().unwrap();
    let root = runs.path().to_path_buf();
    let config = RunConfig { device: "cpu".into(), ..RunConfig::default() };
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        Session::open(root, config, Default::default(), wake).unwrap()
    });
    window.state_mut().welcome();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("start-classify-open")).click();
    wait_until_idle(&mut window);
    // The built-in digits are not shown here.
    assert_absent!(window, "classify-model");
    let known_images = letters("ABC", 12);
    drop_folder(&mut window, known_images.path());
    wait(&mut window, "the images are read", |app| {
        app.session.user_dataset().is_some() && app.session.is_planned()
    });
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Start);
    save_screenshot(&mut window, "classify-images");
    window.get_by_label(tr!("classify-make")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("classify-comparing"));
    wait(&mut window, "the model is ready", |app| {
        app.session.classify.step == ModelStep::Idle && app.session.model().is_some()
    });
    wait_until_idle(&mut window);
    assert!(window.state().session.classify.problem.is_none());
    let model = window.state().session.model().unwrap();
    assert!(model.figures.final_accuracy().unwrap() > 60.0);
    assert_eq!(model.header.as_ref().unwrap().tasks.len(), 1);
    window.get_by_label(tr!("classify-details")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "classify-model");
    // The second folder has new images.
    let new_images = letters("ABC", 3);
    drop_folder(&mut window, new_images.path());
    wait(&mut window, "the images are classified", |app| {
        app.session.predict.images_by_class.ready().is_some()
    });
    wait_until_idle(&mut window);
    let sorted = window.state().session.predict.images_by_class.ready().cloned();
    assert_eq!(sorted.unwrap().images.len(), 9);
    window.get_by_label(&tr!("predict-sorted-by-class", n = 9));
    window.get_by_label(tr!("predict-sorted-copy"));
    // The page does not mention runs.
    assert!(!shows!(window, "predict-sorted-back"));
    save_screenshot(&mut window, "classify-sorted");
    // In the overview, a dropped folder contains known classes again.
    window.get_by_label(tr!("classify-back")).click();
    wait_until_idle(&mut window);
    drop_folder(&mut window, known_images.path());
    window.get_by_label(tr!("classify-model"));
    let session = &window.state().session;
    let table = session.predict.prediction_table.as_ref().unwrap();
    assert_eq!(table.request.folder, new_images.path());
}

#[test]
fn refuses_new_images_without_model() {
    let runs = tempfile::tempdir().unwrap();
    let backend = lae_studio::session::backend::RecordedBackend::default();
    let root = runs.path().to_path_buf();
    let mut window = window([700.0, 600.0], ThemeChoice::Dark, move |wake| {
        Session::with_backend(Box::new(backend), Disk::new(root), RunConfig::default(), wake)
    });
    window.state_mut().welcome();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("start-classify-open")).click();
    wait_until_idle(&mut window);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.png");
    image::RgbImage::new(8, 8).save(&file).unwrap();
    drop_folder(&mut window, &file);
    wait(&mut window, "the image is rejected", |app| {
        let mut notices = app.session.notices.list.iter();
        notices.any(|notice| notice.problem.what == tr!("classify-no-model"))
    });
}

#[test]
fn newly_chosen_images_hide_earlier_error() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([700.0, 600.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let choices: [fn(&mut Session); 2] =
        [|session| session.choose_data("letters"), Session::reload_data];
    for choose in choices {
        let session = &mut window.state_mut().session;
        session.classify.problem = Some(Problem::new("the disk is full"));
        choose(session);
        assert!(session.classify.problem.is_none());
        wait_until_idle(&mut window);
    }
}
