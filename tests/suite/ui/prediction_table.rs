//! Predicting a folder of images into a table, also during training.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::experiment::prediction_table::Assignment;
use lae_studio::run::event::{Command, Event};
use lae_studio::run::prediction_table::{PredictionTableCount, PredictionTableState};
use lae_studio::session::prediction_table::PredictionTableRequest;
use lae_studio::session::run_view::Stage;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::annotations::{fill, store_seeded_run};
use super::flow::window_after_one_task;
use super::keys::press_close;
use super::{DroppedPath, recorded_window, save_screenshot, wait, wait_until_idle};

/// Writes images of light strokes and one broken file.
fn write_images(folder: &Path, count: u32) {
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    for i in 0..count {
        let mut image = image::RgbImage::new(40, 40);
        for y in 6..34 {
            image.put_pixel(10 + i % 20, y, image::Rgb([255; 3]));
        }
        image.save(folder.join(format!("inner/{i:03}.png"))).unwrap();
    }
    std::fs::write(folder.join("=broken.png"), "no picture").unwrap();
}

#[test]
fn dropped_folder_is_predicted_during_training() {
    let runs = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("birds");
    write_images(&folder, 40);
    let mut window = window_after_one_task(runs.path());
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    window.run_steps(3);
    window.input_mut().dropped_files.push(Arc::new(DroppedPath(folder.clone())));
    window.step();
    wait_until_idle(&mut window);
    let csv = work.path().join("answers.csv");
    fill(&mut window, tr!("predict-many-table"), &csv.display().to_string());
    save_screenshot(&mut window, "sheet-set-up");
    window.get_by_label(tr!("predict-many-all")).click();
    wait(&mut window, "the table is written", |app| {
        let sheet = app.session.predict.prediction_table.as_ref();
        sheet.is_some_and(|sheet| !sheet.is_working())
    });
    let sheet = window.state().session.predict.prediction_table.clone().unwrap();
    let expected = PredictionTableCount { done: 41, unreadable: 1, of: 41 };
    assert_eq!(sheet.state, PredictionTableState::Done(expected));
    window.get_by_label(&tr!("predict-many-unreadable", count = "41 images", n = 1));
    save_screenshot(&mut window, "sheet-done");
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 42);
    assert!(rows[1].starts_with("'=broken.png,,"), "{}", rows[1]);
    assert_eq!(
        rows[0],
        "image,class,score,second_class,second_score,none_of_these,predicted,problem"
    );
    assert!(rows[2].starts_with("inner/000.png,"));
    window.get_by_label(tr!("predict-many-copy-path")).click();
    window.run_steps(2);
    check_sorting(&mut window, &csv);
    // Training continued in the meantime.
    wait(&mut window, "the run ends", |app| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| !run.stage.is_live())
    });
    let live = window.state().session.train.live.clone().unwrap();
    assert_eq!(live.stage, Stage::Finished, "{:?}", live.problem);
    // A stopped table leaves no file.
    let csv = work.path().join("stopped.csv");
    // Enough images that prediction is still running at the click.
    write_images(&folder, 16_000);
    let session = &mut window.state_mut().session;
    session.close_prediction_table();
    session.predict_folder(PredictionTableRequest {
        folder: folder.clone(),
        csv: csv.clone(),
        ..PredictionTableRequest::default()
    });
    window.run_steps(2);
    window.get_by_role_and_label(egui::Role::Button, tr!("predict-many-stop")).click();
    wait(&mut window, "the prediction stops", |app| {
        let sheet = app.session.predict.prediction_table.as_ref();
        sheet.is_some_and(|sheet| !sheet.is_working())
    });
    let sheet = window.state().session.predict.prediction_table.clone().unwrap();
    assert_eq!(sheet.state, PredictionTableState::Stopped);
    window.get_by_label(tr!("predict-many-stopped"));
    assert!(!csv.exists() && !csv.with_extension("csv.partial").exists());
}

/// Checks the images by class, moves one and saves the table.
fn check_sorting(window: &mut Harness<'_, StudioApp>, csv: &Path) {
    wait(window, "the table is read", |app| app.session.predict.images_by_class.ready().is_some());
    wait_until_idle(window);
    window.get_by_label(&tr!("predict-sorted-by-class", n = 41));
    window.get_by_label_contains("Cannot be read 1");
    save_screenshot(window, "sheet-sorted");
    let sorted = window.state().session.predict.images_by_class.ready().cloned().unwrap();
    // An image that was assigned to a class, otherwise an image rejected as "None of these".
    let is_class = |index: &usize| matches!(sorted.groups[*index], Assignment::As(_));
    let is_none_of_these = |index: &usize| sorted.groups[*index] == Assignment::NoneOfThese;
    let mut by_doubt = sorted.by_confidence.iter().copied();
    let (first, group) = match by_doubt.clone().find(is_class) {
        Some(first) => (first, Assignment::NoneOfThese),
        None => {
            let class = Assignment::As(sorted.classes[0].clone());
            (by_doubt.find(is_none_of_these).unwrap(), class)
        }
    };
    let session = &mut window.state_mut().session;
    session.move_image_to_class(first, group.clone());
    wait_until_idle(window);
    window.get_by_label(&tr!("predict-sorted-images-moved", n = 1));
    check_unsaved_moves(window, csv);
    window.get_by_label(tr!("predict-sorted-save-table")).click();
    wait(window, "the table is saved", |app| {
        let sorted = app.session.predict.images_by_class.ready();
        sorted.is_some_and(|sorted| sorted.is_saved)
    });
    let text = std::fs::read_to_string(csv).unwrap();
    let row: Vec<&str> = text.lines().nth(first + 1).unwrap().split(',').collect();
    // The table has the new group; predicted is not corrected.
    let moved_out = group == Assignment::NoneOfThese;
    assert_eq!(row[5], moved_out.to_string());
    match &group {
        Assignment::As(class) => assert_eq!(row[1], class),
        _ => assert_eq!(row[6], row[1]),
    }
    window.get_by_label(tr!("predict-sorted-back")).click();
    wait_until_idle(window);
    window.get_by_label(tr!("predict-many-show-by-class"));
}

/// Checks that dropping another folder and closing the window ask about unsaved moves.
fn check_unsaved_moves(window: &mut Harness<'_, StudioApp>, csv: &Path) {
    let other_folder = csv.with_file_name("others");
    write_images(&other_folder, 2);
    let dropped = Arc::new(DroppedPath(other_folder.clone()));
    window.input_mut().dropped_files.push(dropped);
    window.step();
    wait_until_idle(window);
    let typed = window.get_by_label(tr!("predict-many-image-folder")).accesskit_node().value();
    assert_eq!(typed, Some(other_folder.display().to_string()));
    save_screenshot(window, "sheet-second-folder");
    let requested_csv = |window: &Harness<'_, StudioApp>| {
        let sheet = window.state().session.predict.prediction_table.clone();
        sheet.unwrap().request.csv
    };
    window.get_by_label(tr!("predict-many-all")).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-ask-discard"));
    save_screenshot(window, "sheet-discard");
    // Enter cancels the question.
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-discard");
    assert_eq!(requested_csv(window), csv);
    // Cancelling the second folder shows the first table again.
    window.get_by_label(tr!("predict-many-image-folder"));
    window.get_by_label(tr!("predict-many-cancel")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-many-other-images"));
    window.get_by_label(&tr!("predict-sorted-images-moved", n = 1));
    assert!(!press_close(window));
    window.get_by_label_contains("moved to other classes");
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-close");
    assert!(!press_close(window), "the user did not agree to close");
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    check_restored_moves(window, csv.with_file_name("drafts"));
}

/// Checks that moves saved as drafts need no question and that the next window restores them.
fn check_restored_moves(window: &mut Harness<'_, StudioApp>, drafts: PathBuf) {
    window.state_mut().set_drafts_folder(drafts.clone());
    wait(window, "the drafts are written", |_| drafts.join("drafts.json").exists());
    // The window may still ask about the running run.
    press_close(window);
    assert!(!shows!(window, "shell-ask-close-moved"));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    let sorted_images = |window: &Harness<'_, StudioApp>| {
        let sorted = window.state().session.predict.images_by_class.ready().cloned();
        sorted.unwrap()
    };
    let run = window.state().session.predict.run.clone().unwrap();
    let runs = run.parent().unwrap();
    let (mut reopened, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    reopened.state_mut().set_drafts_folder(drafts.clone());
    wait(&mut reopened, "the table is read", |app| {
        app.session.predict.images_by_class.ready().is_some()
    });
    let (before, after) = (sorted_images(window), sorted_images(&reopened));
    assert_eq!(before.groups, after.groups);
    assert_eq!(before.classes, after.classes);
    assert!(!after.is_saved && after.displayed_groups("").moved == 1);
    reopened.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    wait_until_idle(&mut reopened);
    reopened.get_by_label(tr!("predict-many-show-by-class")).click();
    wait_until_idle(&mut reopened);
    reopened.get_by_label(&tr!("predict-sorted-images-moved", n = 1));
    save_screenshot(&mut reopened, "sheet-back");
    drop(reopened);
    // Moves are not restored if the table has changed.
    let csv = before.request.csv.clone();
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 2);
    std::fs::write(&csv, lines.join("\n")).unwrap();
    let (mut reopened, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs);
    reopened.state_mut().set_drafts_folder(drafts);
    wait(&mut reopened, "the table is refused", |app| {
        let problem = app.session.predict.images_by_class.problem();
        problem.is_some_and(|problem| says!(problem.what, "drafts-table-changed"))
    });
    std::fs::write(&csv, text).unwrap();
}

#[test]
fn second_folder_waits_for_running_prediction() {
    let runs = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| work.path().join(name));
    write_images(&first, 2);
    write_images(&second, 2);
    store_seeded_run(runs.path(), 1);
    let (mut window, backend) = recorded_window([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    wait_until_idle(&mut window);
    for folder in [&first, &second] {
        let dropped = Arc::new(DroppedPath(folder.clone()));
        window.input_mut().dropped_files.push(dropped);
        window.step();
        wait_until_idle(&mut window);
        if folder == &first {
            window.get_by_label(tr!("predict-many-all")).click();
            wait_until_idle(&mut window);
        }
    }
    // The first table is in progress, and the second folder is set up below it.
    window.get_by_label(tr!("predict-many-preparing"));
    let typed = window.get_by_label(tr!("predict-many-image-folder")).accesskit_node().value();
    assert_eq!(typed, Some(second.display().to_string()));
    save_screenshot(&mut window, "sheet-waits");
    window.get_by_label(tr!("predict-many-all")).click();
    wait_until_idle(&mut window);
    let sheet_count = || {
        let commands = backend.commands();
        let sheets = commands.iter().filter(|c| matches!(c, Command::Sheet(_)));
        sheets.count()
    };
    assert_eq!(sheet_count(), 1);
    // Closing the window would lose the unfinished table.
    assert!(!press_close(&mut window));
    assert!(shows!(window, "shell-ask-close-writing"));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    let sheet = window.state().session.predict.prediction_table.clone().unwrap();
    let (ticket, state) = (sheet.request.ticket, PredictionTableState::Stopped);
    backend.push(Event::Sheet { ticket, state });
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-many-all")).click();
    wait_until_idle(&mut window);
    assert_eq!(sheet_count(), 2);
    let sheet = window.state().session.predict.prediction_table.clone().unwrap();
    assert_eq!(sheet.request.folder, second);
}

#[test]
fn dropped_images_become_one_prediction_table() {
    let runs = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    write_images(work.path(), 3);
    store_seeded_run(runs.path(), 1);
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    for name in ["inner/000.png", "inner/002.png"] {
        let file = Arc::new(DroppedPath(work.path().join(name)));
        window.input_mut().dropped_files.push(file);
    }
    window.step();
    wait_until_idle(&mut window);
    assert!(shows!(window, "predict-many-images-of-folder", n = 2));
    window.get_by_label(tr!("predict-many-all")).click();
    wait_until_idle(&mut window);
    let commands = backend.commands();
    let sheet = commands.iter().find_map(|command| match command {
        Command::Sheet(request) => Some(request.clone()),
        _ => None,
    });
    let sheet = sheet.unwrap();
    assert_eq!(sheet.folder, work.path().join("inner"));
    assert_eq!(sheet.only, [Path::new("000.png"), Path::new("002.png")]);
}

#[test]
fn prediction_table_shows_progress_and_problems() {
    let runs = tempfile::tempdir().unwrap();
    store_seeded_run(runs.path(), 1);
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-many-choose-folder")).click();
    window.run_steps(3);
    fill(&mut window, tr!("predict-many-image-folder"), "some/where");
    window.get_by_label(tr!("predict-many-all")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "predict-problem-paths-not-absolute"));
    fill(&mut window, tr!("predict-many-image-folder"), "/some/where");
    window.get_by_label(tr!("predict-many-all")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-many-preparing"));
    let ticket = window.state().session.predict.prediction_table.clone().unwrap().request.ticket;
    let count = PredictionTableCount { done: 1200, unreadable: 3, of: 5000 };
    let state = PredictionTableState::Working(count);
    backend.push(Event::Sheet { ticket, state });
    wait_until_idle(&mut window);
    window.get_by_label("1,200 of 5,000 images, 3 cannot be read");
    save_screenshot(&mut window, "sheet-working");
    let problem = lae_studio::problem::Problem::new("there is no image in this folder");
    let state = PredictionTableState::Failed(problem);
    backend.push(Event::Sheet { ticket, state });
    wait_until_idle(&mut window);
    window.get_by_label_contains("There is no image in this folder");
    window.get_by_label(tr!("predict-many-other-images")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-many-all"));
}
