//! Images drawn or dropped in the window are taught to a finished run or become a data
//! set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Picture;
use lae_studio::session::backend::Recorded;
use lae_studio::session::collection::Purpose;
use lae_studio::session::run_view::Stage;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::flow::small;
use super::keys::press_close;
use super::named::finished;
use super::{Dropped, recorded, settle, shot, wait, window, window_with};
use crate::assert_is;
use crate::teach::letters;

fn open_window(runs: PathBuf) -> Harness<'static, StudioApp> {
    window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::open(runs, small(), Default::default(), wake).unwrap()
    })
}

/// Draws a stroke through these points, in fractions of the canvas, and adds it with Enter.
fn draw_stroke(window: &mut Harness<'_, StudioApp>, points: &[[f32; 2]]) {
    let canvas = window.get_by_label(tr!("shell-drawing-canvas")).rect();
    let at = |p: &[f32; 2]| canvas.min + egui::vec2(p[0], p[1]) * canvas.width();
    window.drag_at(at(&points[0]));
    window.step();
    for pair in points.windows(2) {
        for i in 1..=4 {
            window.hover_at(at(&pair[0]).lerp(at(&pair[1]), i as f32 / 4.0));
            window.step();
        }
    }
    window.drop_at(at(&points[points.len() - 1]));
    window.step();
    window.key_press(Key::Enter);
    window.step();
}

/// Renames the class at this index.
fn name_class(window: &mut Harness<'_, StudioApp>, place: usize, name: &str) {
    let fields = || Role::TextInput;
    let field = window
        .query_all_by_role_and_label(fields(), tr!("shell-collect-class-name"))
        .nth(place)
        .unwrap();
    field.focus();
    window.step();
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    window.step();
    let field = window
        .query_all_by_role_and_label(fields(), tr!("shell-collect-class-name"))
        .nth(place)
        .unwrap();
    field.type_text(name);
    window.step();
    window.key_press(Key::Enter);
    window.step();
}

fn drop_file(window: &mut Harness<'_, StudioApp>, path: PathBuf) {
    let files = &mut window.input_mut().dropped_files;
    files.push(Arc::new(Dropped(path)));
    window.step();
}

#[test]
fn drawn_classes_are_taught_to_finished_run() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path().to_path_buf());
    settle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    let ended = |app: &StudioApp| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.stage == Stage::Finished)
    };
    wait(&mut window, "the run ends", ended);
    settle(&mut window);
    window.get_by_label(tr!("train-teach-classes")).click();
    settle(&mut window);
    window.get_by_label(tr!("shell-teach-collect")).click();
    settle(&mut window);
    assert!(shows!(window, "shell-collect-about"));
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(
            &mut window,
            &[
                [0.2 + shift, 0.2],
                [0.8, 0.8 - shift],
                [0.2, 0.8],
                [0.8, 0.2 + shift],
            ],
        );
    }
    window.get_by_label(tr!("shell-collect-add-class")).click();
    settle(&mut window);
    // The dialog reports missing images.
    window.get_by_label(&tr!("predict-collect-two-images", name = "Class 2"));
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(&mut window, &[[0.5, 0.1 + shift], [0.5, 0.9]]);
    }
    window.get_by_label("Image 4 of Class 2").click();
    settle(&mut window);
    let groups = window.state().session.collection.groups.clone();
    let counts: Vec<usize> = groups.iter().map(|group| group.pieces.len()).collect();
    assert_eq!(counts, [4, 3]);
    // Drawings have the colours of the run's images: light on dark.
    let picture = &groups[0].pieces[0].picture;
    assert!(lae_studio::data::image_kind::is_light_on_dark(picture));
    shot(&mut window, "collect-two");
    window.get_by_label(tr!("shell-collect-teach")).click();
    wait(&mut window, "the added task begins", |app| {
        let live = app.session.train.live.as_ref();
        let header = live.and_then(|run| run.header.as_ref());
        header.is_some_and(|header| header.added_tasks.len() == 1)
    });
    wait(&mut window, "the added task ends", ended);
    settle(&mut window);
    assert_eq!(window.state().page, Page::Train);
    let run = window.state().session.train.live.clone().unwrap();
    let header = run.header.clone().unwrap();
    assert_eq!(header.added_tasks[0].classes, ["Class 1", "Class 2"]);
    assert!(runs.path().join("made/My images/Class 2/0003.png").exists());
    assert!(window.state().session.collection.is_empty());
    shot(&mut window, "collect-taught");
}

#[test]
fn unteachable_images_stay_in_dialog_with_error() {
    let runs = tempfile::tempdir().unwrap();
    let run = finished(runs.path(), 1);
    let (mut window, backend) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let ctx = window.ctx.clone();
    let collect = UiCommand::Collect(Purpose::AddedTask(run));
    window.state_mut().act(&ctx, collect);
    settle(&mut window);
    // The name of a known class is reported at once.
    assert_absent!(window, "shell-collect-class-known", class = "3");
    name_class(&mut window, 0, "3");
    window.get_by_label(&tr!("shell-collect-class-known", class = "3"));
    shot(&mut window, "collect-known");
    name_class(&mut window, 0, "cat");
    assert_absent!(window, "shell-collect-class-known", class = "3");
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(&mut window, &[[0.5, 0.1 + shift], [0.5, 0.9]]);
    }
    let told = window.state().session.notices.total;
    window.get_by_label(tr!("shell-collect-teach")).click();
    settle(&mut window);
    shot(&mut window, "collect-failed");
    // Teaching a single class needs the images of the run, which are missing.
    let session = &window.state().session;
    let problem = session.saving_collection.problem().unwrap().clone();
    assert_is(&problem, "problem-single-class-needs-dataset");
    assert_eq!(session.collection.count(), 4);
    assert_eq!(session.notices.total, told);
    assert!(backend.asked().is_empty());
    assert_eq!(
        std::fs::read_dir(runs.path().join("made")).unwrap().count(),
        0
    );
    window.get_by_label(tr!("shell-collect-teach"));
}

#[test]
fn dropped_images_become_data_set_of_named_classes() {
    let runs = tempfile::tempdir().unwrap();
    let source = letters("AB", 6);
    let mut window = open_window(runs.path().to_path_buf());
    settle(&mut window);
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-create")).click();
    settle(&mut window);
    name_class(&mut window, 0, "first letter");
    drop_file(&mut window, source.path().join("A"));
    drop_file(&mut window, source.path().join("nothing.png"));
    settle(&mut window);
    wait(&mut window, "the images are read", |app| {
        app.session.collection.groups[0].pieces.len() == 6
    });
    assert!(
        window
            .state()
            .session
            .notices
            .list
            .iter()
            .any(|notice| notice.bad)
    );
    window.get_by_label(tr!("shell-collect-add-class")).click();
    settle(&mut window);
    drop_file(&mut window, source.path().join("B"));
    settle(&mut window);
    wait(&mut window, "the images are read", |app| {
        app.session.collection.groups[1].pieces.len() == 6
    });
    shot(&mut window, "collect-data");
    window
        .get_by_label(tr!("shell-collect-use-as-dataset"))
        .click();
    wait(&mut window, "the data set is opened", |app| {
        let view = app.session.experiment.data.ready();
        view.is_some_and(|view| view.classes == ["Class 2", "first letter"])
    });
    assert_eq!(window.state().page, Page::Experiment);
    let place = runs.path().join("made/My images");
    assert_eq!(
        window.state().session.experiment.draft.data,
        place.display().to_string()
    );
}

#[test]
fn closing_warns_about_collected_images_and_removal_undoes() {
    let runs = tempfile::tempdir().unwrap();
    let source = letters("A", 3);
    let (mut window, _) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let ctx = window.ctx.clone();
    let collect = UiCommand::Collect(Purpose::Data);
    window.state_mut().act(&ctx, collect);
    settle(&mut window);
    assert!(
        press_close(&mut window),
        "nothing is collected, so the window closes"
    );
    drop_file(&mut window, source.path().join("A"));
    wait(&mut window, "the images are read", |app| {
        app.session.collection.count() == 3
    });
    let before = window.state().session.collection.groups.clone();
    assert!(!press_close(&mut window));
    window.get_by_label_contains(&tr!("drafts-collected-images", n = 3));
    shot(&mut window, "collect-close");
    window.key_press(Key::Escape);
    window.run_steps(3);
    // Saved drafts are not lost when the window closes.
    let drafts = runs.path().join("drafts");
    window.state_mut().keep_drafts(drafts.clone());
    wait(&mut window, "the drafts are written", |_| {
        drafts.join("drafts.json").exists()
    });
    assert!(press_close(&mut window));
    // Removes an image and then the whole class, and undoes both.
    window.get_by_label("Image 2 of Class 1").click();
    settle(&mut window);
    window
        .get_by_label(tr!("shell-collect-remove-images"))
        .click();
    settle(&mut window);
    assert!(window.state().session.collection.is_empty());
    shot(&mut window, "collect-put-back");
    window
        .get_by_label(tr!("shell-collect-undo-remove"))
        .click();
    settle(&mut window);
    assert_eq!(window.state().session.collection.count(), 2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(window.state().session.collection.groups, before);
    assert_absent!(window, "shell-collect-undo-remove");
}

fn test_image(shade: u8) -> Arc<Picture> {
    Arc::new(Picture {
        name: format!("drawing {shade}"),
        width: 3,
        height: 2,
        rgb: (0..18).map(|at| at * shade).collect(),
    })
}

#[test]
fn collected_and_pinned_images_survive_restart() {
    let runs = tempfile::tempdir().unwrap();
    let drafts = runs.path().join("config/drafts");
    let list = drafts.join("drafts.json");
    let source = letters("A", 3);
    let opened = || {
        let (mut window, _) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
        window.state_mut().keep_drafts(drafts.clone());
        settle(&mut window);
        window
    };
    let mut window = opened();
    assert!(!drafts.exists(), "no drafts exist yet");
    let session = &mut window.state_mut().session;
    session.pin(test_image(1), Some("7".into()));
    session.pin(test_image(2), None);
    session.show_pins_to("/nowhere/run".into());
    session.collection.rename(0, "birds".into());
    session.collect(test_image(3));
    session.collection.add_group();
    session.collect_file(source.path().join("A"));
    settle(&mut window);
    // The window is dropped without saving, as in a crash.
    wait(&mut window, "the drafts are written", |_| {
        std::fs::read_to_string(&list).is_ok_and(|list| list.matches("\"image\":").count() == 6)
    });
    let pins = |window: &Harness<'_, StudioApp>| -> Vec<_> {
        let pins = window.state().session.predict.pins.pictures().iter();
        pins.map(|pin| (pin.picture.clone(), pin.truth.clone()))
            .collect()
    };
    let before = (pins(&window), window.state().session.collection.clone());
    drop(window);
    let mut next = opened();
    next.get_by_label_contains("2 pinned images, 4 collected images");
    shot(&mut next, "drafts-back");
    let session = &next.state().session;
    assert_eq!((pins(&next), session.collection.clone()), before);
    assert_eq!(session.predict.pins.runs(), [Path::new("/nowhere/run")]);
    // After a crash, pins are not shown to any run automatically.
    let crashed = Settings::default().after_crash();
    let place = runs.path().to_path_buf();
    let mut after_crash = window_with([1280.0, 800.0], crashed, None, move |wake| {
        let backend = Box::new(Recorded::default());
        Session::with(backend, Disk::at(place), RunConfig::default(), wake)
    });
    after_crash.state_mut().keep_drafts(drafts.clone());
    settle(&mut after_crash);
    assert_eq!(pins(&after_crash), before.0);
    assert!(after_crash.state().session.predict.pins.runs().is_empty());
    drop(after_crash);
    // An unreadable image is reported, and the others are restored.
    let images = || {
        std::fs::read_dir(&drafts)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
    };
    assert_eq!(images().count(), 7, "expected six images and the list");
    drop(next);
    let one = images().find(|path| path.extension().is_some_and(|ending| ending == "png"));
    std::fs::write(one.unwrap(), "no image").unwrap();
    let mut next = opened();
    next.get_by_label_contains(&tr!("drafts-images-unreadable", n = 1));
    let session = &mut next.state_mut().session;
    assert_eq!(
        session.predict.pins.pictures().len() + session.collection.count(),
        5
    );
    // The folder is removed with the last draft.
    for pin in session.predict.pins.pictures().to_vec() {
        session.unpin(pin.id);
    }
    session.collection = Default::default();
    wait(&mut next, "the drafts are removed", |_| !drafts.exists());
    drop(next);
    // An unreadable list is moved to another folder.
    std::fs::create_dir_all(&drafts).unwrap();
    std::fs::write(&list, "no list").unwrap();
    let next = opened();
    assert!(shows!(next, "drafts-unreadable"));
    let aside = std::fs::read_dir(drafts.parent().unwrap())
        .unwrap()
        .flatten();
    let aside: Vec<_> = aside
        .map(|entry| entry.path().join("drafts.json"))
        .collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(std::fs::read_to_string(&aside[0]).unwrap(), "no list");
}
