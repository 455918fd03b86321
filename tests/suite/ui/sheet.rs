//! Predicting a folder of images into a table, also during training.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::experiment::sheet::Sorted;
use lae_studio::run::event::{Command, Event};
use lae_studio::run::sheet::{SheetCount, SheetState};
use lae_studio::session::run_view::Stage;
use lae_studio::session::sheet::TableWanted;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::flow::after_one_task;
use super::keys::press_close;
use super::named::{fill, finished};
use super::{Dropped, recorded, settle, shot, wait};

/// Writes images of light strokes and one broken file.
fn write_images(folder: &Path, count: u32) {
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    for i in 0..count {
        let mut picture = image::RgbImage::new(40, 40);
        for at in 6..34 {
            picture.put_pixel(10 + i % 20, at, image::Rgb([255; 3]));
        }
        picture
            .save(folder.join(format!("inner/{i:03}.png")))
            .unwrap();
    }
    std::fs::write(folder.join("=broken.png"), "no picture").unwrap();
}

#[test]
fn dropped_folder_is_predicted_during_training() {
    let runs = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("birds");
    write_images(&folder, 40);
    let mut window = after_one_task(runs.path());
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-predict"))
        .click();
    window.run_steps(3);
    window
        .input_mut()
        .dropped_files
        .push(Arc::new(Dropped(folder.clone())));
    window.step();
    settle(&mut window);
    let csv = work.path().join("answers.csv");
    fill(
        &mut window,
        tr!("predict-many-table"),
        &csv.display().to_string(),
    );
    shot(&mut window, "sheet-set-up");
    window.get_by_label(tr!("predict-many-all")).click();
    wait(&mut window, "the table is written", |app| {
        let sheet = app.session.predict.sheet.as_ref();
        sheet.is_some_and(|sheet| !sheet.is_working())
    });
    let sheet = window.state().session.predict.sheet.clone().unwrap();
    let whole = SheetCount {
        done: 41,
        unreadable: 1,
        of: 41,
    };
    assert_eq!(sheet.state, SheetState::Done(whole));
    window.get_by_label(&tr!("predict-many-unreadable", count = "41 images", n = 1));
    shot(&mut window, "sheet-done");
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
    session.leave_sheet();
    session.predict_folder(TableWanted {
        folder: folder.clone(),
        csv: csv.clone(),
        ..TableWanted::default()
    });
    window.run_steps(2);
    window
        .get_by_role_and_label(egui::Role::Button, tr!("predict-many-stop"))
        .click();
    wait(&mut window, "the prediction stops", |app| {
        let sheet = app.session.predict.sheet.as_ref();
        sheet.is_some_and(|sheet| !sheet.is_working())
    });
    let sheet = window.state().session.predict.sheet.clone().unwrap();
    assert_eq!(sheet.state, SheetState::Stopped);
    window.get_by_label(tr!("predict-many-stopped"));
    assert!(!csv.exists() && !csv.with_extension("csv.partial").exists());
}

/// Checks the images by class, moves one and saves the table.
fn check_sorting(window: &mut Harness<'_, StudioApp>, csv: &Path) {
    wait(window, "the table is read", |app| {
        app.session.predict.sorted.ready().is_some()
    });
    settle(window);
    window.get_by_label(&tr!("predict-sorted-by-class", n = 41));
    window.get_by_label_contains("Cannot be read 1");
    shot(window, "sheet-sorted");
    let sorted = window
        .state()
        .session
        .predict
        .sorted
        .ready()
        .cloned()
        .unwrap();
    // An image that was assigned to a class, otherwise one of none of these.
    let of_class = |at: &usize| matches!(sorted.groups[*at], Sorted::As(_));
    let of_none = |at: &usize| sorted.groups[*at] == Sorted::NoneOfThese;
    let mut by_doubt = sorted.by_doubt.iter().copied();
    let (first, group) = match by_doubt.clone().find(of_class) {
        Some(first) => (first, Sorted::NoneOfThese),
        None => {
            let class = Sorted::As(sorted.classes[0].clone());
            (by_doubt.find(of_none).unwrap(), class)
        }
    };
    let session = &mut window.state_mut().session;
    session.move_sorted(first, group.clone());
    settle(window);
    window.get_by_label(&tr!("predict-sorted-images-moved", n = 1));
    check_unsaved_moves(window, csv);
    window
        .get_by_label(tr!("predict-sorted-save-table"))
        .click();
    wait(window, "the table is saved", |app| {
        let sorted = app.session.predict.sorted.ready();
        sorted.is_some_and(|sorted| sorted.is_kept)
    });
    let text = std::fs::read_to_string(csv).unwrap();
    let row: Vec<&str> = text.lines().nth(first + 1).unwrap().split(',').collect();
    // The table has the new group; predicted is not corrected.
    let moved_out = group == Sorted::NoneOfThese;
    assert_eq!(row[5], moved_out.to_string());
    match &group {
        Sorted::As(class) => assert_eq!(row[1], class),
        _ => assert_eq!(row[6], row[1]),
    }
    window.get_by_label(tr!("predict-sorted-back")).click();
    settle(window);
    window.get_by_label(tr!("predict-many-show-by-class"));
}

/// Checks that dropping another folder and closing the window ask about unsaved moves.
fn check_unsaved_moves(window: &mut Harness<'_, StudioApp>, csv: &Path) {
    let other = csv.with_file_name("others");
    write_images(&other, 2);
    let dropped = Arc::new(Dropped(other.clone()));
    window.input_mut().dropped_files.push(dropped);
    window.step();
    settle(window);
    let typed = window
        .get_by_label(tr!("predict-many-image-folder"))
        .accesskit_node()
        .value();
    assert_eq!(typed, Some(other.display().to_string()));
    shot(window, "sheet-second-folder");
    let asked = |window: &Harness<'_, StudioApp>| {
        let sheet = window.state().session.predict.sheet.clone();
        sheet.unwrap().request.csv
    };
    window.get_by_label(tr!("predict-many-all")).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-ask-discard"));
    shot(window, "sheet-discard");
    // Enter cancels the question.
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert_absent!(window, "shell-ask-discard");
    assert_eq!(asked(window), csv);
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
    window.state_mut().keep_drafts(drafts.clone());
    wait(window, "the drafts are written", |_| {
        drafts.join("drafts.json").exists()
    });
    // The window may still ask about the running run.
    press_close(window);
    assert!(!shows!(window, "shell-ask-close-moved"));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    let sorted = |window: &Harness<'_, StudioApp>| {
        let sorted = window.state().session.predict.sorted.ready().cloned();
        sorted.unwrap()
    };
    let run = window.state().session.predict.run.clone().unwrap();
    let runs = run.parent().unwrap();
    let (mut next, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs);
    next.state_mut().keep_drafts(drafts.clone());
    wait(&mut next, "the table is read", |app| {
        app.session.predict.sorted.ready().is_some()
    });
    let (before, after) = (sorted(window), sorted(&next));
    assert_eq!(before.groups, after.groups);
    assert_eq!(before.classes, after.classes);
    assert!(!after.is_kept && after.listed("").moved == 1);
    next.get_by_role_and_label(egui::Role::Tab, tr!("page-predict"))
        .click();
    settle(&mut next);
    next.get_by_label(tr!("predict-many-show-by-class")).click();
    settle(&mut next);
    next.get_by_label(&tr!("predict-sorted-images-moved", n = 1));
    shot(&mut next, "sheet-back");
    drop(next);
    // Moves are not restored if the table has changed.
    let csv = before.request.csv.clone();
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(1, 2);
    std::fs::write(&csv, lines.join("\n")).unwrap();
    let (mut next, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs);
    next.state_mut().keep_drafts(drafts);
    wait(&mut next, "the table is refused", |app| {
        let problem = app.session.predict.sorted.problem();
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
    finished(runs.path(), 1);
    let (mut window, backend) = recorded([1280.0, 1000.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-predict"))
        .click();
    settle(&mut window);
    for folder in [&first, &second] {
        let dropped = Arc::new(Dropped(folder.clone()));
        window.input_mut().dropped_files.push(dropped);
        window.step();
        settle(&mut window);
        if folder == &first {
            window.get_by_label(tr!("predict-many-all")).click();
            settle(&mut window);
        }
    }
    // The first table is in progress, and the second folder is set up below it.
    window.get_by_label(tr!("predict-many-preparing"));
    let typed = window
        .get_by_label(tr!("predict-many-image-folder"))
        .accesskit_node()
        .value();
    assert_eq!(typed, Some(second.display().to_string()));
    shot(&mut window, "sheet-waits");
    window.get_by_label(tr!("predict-many-all")).click();
    settle(&mut window);
    let asked = || {
        let asked = backend.asked();
        let sheets = asked.iter().filter(|c| matches!(c, Command::Sheet(_)));
        sheets.count()
    };
    assert_eq!(asked(), 1);
    // Closing the window would lose the unfinished table.
    assert!(!press_close(&mut window));
    assert!(shows!(window, "shell-ask-close-writing"));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    let sheet = window.state().session.predict.sheet.clone().unwrap();
    let (ticket, state) = (sheet.request.ticket, SheetState::Stopped);
    backend.push(Event::Sheet { ticket, state });
    settle(&mut window);
    window.get_by_label(tr!("predict-many-all")).click();
    settle(&mut window);
    assert_eq!(asked(), 2);
    let sheet = window.state().session.predict.sheet.clone().unwrap();
    assert_eq!(sheet.request.folder, second);
}

#[test]
fn dropped_images_become_one_prediction_table() {
    let runs = tempfile::tempdir().unwrap();
    let work = tempfile::tempdir().unwrap();
    write_images(work.path(), 3);
    finished(runs.path(), 1);
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    for name in ["inner/000.png", "inner/002.png"] {
        let file = Arc::new(Dropped(work.path().join(name)));
        window.input_mut().dropped_files.push(file);
    }
    window.step();
    settle(&mut window);
    assert!(shows!(window, "predict-many-images-of-folder", n = 2));
    window.get_by_label(tr!("predict-many-all")).click();
    settle(&mut window);
    let asked = backend.asked();
    let sheet = asked.iter().find_map(|command| match command {
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
    finished(runs.path(), 1);
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Light, runs.path());
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-predict"))
        .click();
    settle(&mut window);
    window
        .get_by_label(tr!("predict-many-choose-folder"))
        .click();
    window.run_steps(3);
    fill(&mut window, tr!("predict-many-image-folder"), "some/where");
    window.get_by_label(tr!("predict-many-all")).click();
    settle(&mut window);
    assert!(shows!(window, "predict-problem-paths-not-absolute"));
    fill(&mut window, tr!("predict-many-image-folder"), "/some/where");
    window.get_by_label(tr!("predict-many-all")).click();
    settle(&mut window);
    window.get_by_label(tr!("predict-many-preparing"));
    let ticket = window
        .state()
        .session
        .predict
        .sheet
        .clone()
        .unwrap()
        .request
        .ticket;
    let count = SheetCount {
        done: 1200,
        unreadable: 3,
        of: 5000,
    };
    let state = SheetState::Working(count);
    backend.push(Event::Sheet { ticket, state });
    settle(&mut window);
    window.get_by_label("1,200 of 5,000 images, 3 cannot be read");
    shot(&mut window, "sheet-working");
    let problem = lae_studio::problem::Problem::new("there is no image in this folder");
    let state = SheetState::Failed(problem);
    backend.push(Event::Sheet { ticket, state });
    settle(&mut window);
    window.get_by_label_contains("There is no image in this folder");
    window
        .get_by_label(tr!("predict-many-other-images"))
        .click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-many-all"));
}
