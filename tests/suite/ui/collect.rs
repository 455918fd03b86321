//! Images drawn or dropped in the window are taught to a finished run or become a data
//! set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Key, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::NamedImage;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::collection::Purpose;
use lae_studio::session::run_view::Stage;
use lae_studio::session::{Disk, Session};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::annotations::store_seeded_run;
use super::flow::small_run_config;
use super::keys::press_close;
use super::{
    DroppedPath, recorded_window, save_screenshot, wait, wait_until_idle, window, window_with,
};
use crate::assert_is;
use crate::teach::letters;

fn open_window(runs: PathBuf) -> Harness<'static, StudioApp> {
    window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::open(runs, small_run_config(), Default::default(), wake).unwrap()
    })
}

/// Draws a stroke through these points, in fractions of the canvas, and adds it with Enter.
fn draw_stroke(window: &mut Harness<'_, StudioApp>, points: &[[f32; 2]]) {
    let canvas = window.get_by_label(tr!("shell-drawing-canvas")).rect();
    let position = |p: &[f32; 2]| canvas.min + egui::vec2(p[0], p[1]) * canvas.width();
    window.drag_at(position(&points[0]));
    window.step();
    for pair in points.windows(2) {
        for i in 1..=4 {
            window.hover_at(position(&pair[0]).lerp(position(&pair[1]), i as f32 / 4.0));
            window.step();
        }
    }
    window.drop_at(position(&points[points.len() - 1]));
    window.step();
    window.key_press(Key::Enter);
    window.step();
}

/// Renames the class at this index.
fn name_class(window: &mut Harness<'_, StudioApp>, index: usize, name: &str) {
    let text_input = || Role::TextInput;
    let field = window
        .query_all_by_role_and_label(text_input(), tr!("shell-collect-class-name"))
        .nth(index)
        .unwrap();
    field.focus();
    window.step();
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
    window.step();
    let field = window
        .query_all_by_role_and_label(text_input(), tr!("shell-collect-class-name"))
        .nth(index)
        .unwrap();
    field.type_text(name);
    window.step();
    window.key_press(Key::Enter);
    window.step();
}

fn drop_file(window: &mut Harness<'_, StudioApp>, path: PathBuf) {
    let files = &mut window.input_mut().dropped_files;
    files.push(Arc::new(DroppedPath(path)));
    window.step();
}

#[test]
fn drawn_classes_are_taught_to_finished_run() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path().to_path_buf());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-start")).click();
    let ended = |app: &StudioApp| {
        let live = app.session.train.live.as_ref();
        live.is_some_and(|run| run.stage == Stage::Finished)
    };
    wait(&mut window, "the run ends", ended);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("train-teach-classes")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-teach-collect")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "shell-collect-about"));
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(
            &mut window,
            &[[0.2 + shift, 0.2], [0.8, 0.8 - shift], [0.2, 0.8], [0.8, 0.2 + shift]],
        );
    }
    window.get_by_label(tr!("shell-collect-add-class")).click();
    wait_until_idle(&mut window);
    // The dialog reports missing images.
    window.get_by_label(&tr!("predict-collect-two-images", name = "Class 2"));
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(&mut window, &[[0.5, 0.1 + shift], [0.5, 0.9]]);
    }
    window.get_by_label("Image 4 of Class 2").click();
    wait_until_idle(&mut window);
    let groups = window.state().session.collection.classes.clone();
    let counts: Vec<usize> = groups.iter().map(|group| group.images.len()).collect();
    assert_eq!(counts, [4, 3]);
    // Drawings have the colours of the run's images: light on dark.
    let image = &groups[0].images[0].image;
    assert!(lae_studio::data::image_kind::is_light_on_dark(image));
    save_screenshot(&mut window, "collect-two");
    window.get_by_label(tr!("shell-collect-teach")).click();
    wait(&mut window, "the added task begins", |app| {
        let live = app.session.train.live.as_ref();
        let header = live.and_then(|run| run.header.as_ref());
        header.is_some_and(|header| header.added_tasks.len() == 1)
    });
    wait(&mut window, "the added task ends", ended);
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Train);
    let run = window.state().session.train.live.clone().unwrap();
    let header = run.header.clone().unwrap();
    assert_eq!(header.added_tasks[0].classes, ["Class 1", "Class 2"]);
    assert!(runs.path().join("made/My images/Class 2/0003.png").exists());
    assert!(window.state().session.collection.is_empty());
    save_screenshot(&mut window, "collect-taught");
}

#[test]
fn unteachable_images_stay_in_dialog_with_error() {
    let runs = tempfile::tempdir().unwrap();
    let run = store_seeded_run(runs.path(), 1);
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    let collect = UiCommand::Collect(Purpose::AddedTask(run));
    window.state_mut().execute(&ctx, collect);
    wait_until_idle(&mut window);
    // The name of a known class is reported at once.
    assert_absent!(window, "shell-collect-class-known", class = "3");
    name_class(&mut window, 0, "3");
    window.get_by_label(&tr!("shell-collect-class-known", class = "3"));
    save_screenshot(&mut window, "collect-known");
    name_class(&mut window, 0, "cat");
    assert_absent!(window, "shell-collect-class-known", class = "3");
    for i in 0..4 {
        let shift = i as f32 * 0.02;
        draw_stroke(&mut window, &[[0.5, 0.1 + shift], [0.5, 0.9]]);
    }
    let notice_count = window.state().session.notices.total;
    window.get_by_label(tr!("shell-collect-teach")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "collect-failed");
    // Teaching a single class needs the images of the run, which are missing.
    let session = &window.state().session;
    let problem = session.saving_collection.problem().unwrap().clone();
    assert_is(&problem, "problem-single-class-needs-dataset");
    assert_eq!(session.collection.image_count(), 4);
    assert_eq!(session.notices.total, notice_count);
    assert!(backend.commands().is_empty());
    assert_eq!(std::fs::read_dir(runs.path().join("made")).unwrap().count(), 0);
    window.get_by_label(tr!("shell-collect-teach"));
}

#[test]
fn dropped_images_become_dataset_of_named_classes() {
    let runs = tempfile::tempdir().unwrap();
    let source = letters("AB", 6);
    let mut window = open_window(runs.path().to_path_buf());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-create")).click();
    wait_until_idle(&mut window);
    name_class(&mut window, 0, "first letter");
    drop_file(&mut window, source.path().join("A"));
    drop_file(&mut window, source.path().join("nothing.png"));
    wait_until_idle(&mut window);
    wait(&mut window, "the images are read", |app| {
        app.session.collection.classes[0].images.len() == 6
    });
    assert!(window.state().session.notices.list.iter().any(|notice| notice.is_error));
    window.get_by_label(tr!("shell-collect-add-class")).click();
    wait_until_idle(&mut window);
    drop_file(&mut window, source.path().join("B"));
    wait_until_idle(&mut window);
    wait(&mut window, "the images are read", |app| {
        app.session.collection.classes[1].images.len() == 6
    });
    save_screenshot(&mut window, "collect-data");
    window.get_by_label(tr!("shell-collect-use-as-dataset")).click();
    wait(&mut window, "the data set is opened", |app| {
        let view = app.session.experiment.data.ready();
        view.is_some_and(|view| view.classes == ["Class 2", "first letter"])
    });
    assert_eq!(window.state().page, Page::Experiment);
    let folder = runs.path().join("made/My images");
    assert_eq!(window.state().session.experiment.draft.data, folder.display().to_string());
}

#[test]
fn closing_warns_about_collected_images_and_removal_undoes() {
    let runs = tempfile::tempdir().unwrap();
    let source = letters("A", 3);
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    let collect = UiCommand::Collect(Purpose::Data);
    window.state_mut().execute(&ctx, collect);
    wait_until_idle(&mut window);
    assert!(press_close(&mut window), "nothing is collected, so the window closes");
    drop_file(&mut window, source.path().join("A"));
    wait(&mut window, "the images are read", |app| app.session.collection.image_count() == 3);
    let before = window.state().session.collection.classes.clone();
    assert!(!press_close(&mut window));
    window.get_by_label_contains(&tr!("drafts-collected-images", n = 3));
    save_screenshot(&mut window, "collect-close");
    window.key_press(Key::Escape);
    window.run_steps(3);
    // Saved drafts are not lost when the window closes.
    let drafts = runs.path().join("drafts");
    window.state_mut().set_drafts_folder(drafts.clone());
    wait(&mut window, "the drafts are written", |_| drafts.join("drafts.json").exists());
    assert!(press_close(&mut window));
    // Removes an image and then the class, and undoes both.
    window.get_by_label("Image 2 of Class 1").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-collect-remove-images")).click();
    wait_until_idle(&mut window);
    assert!(window.state().session.collection.is_empty());
    save_screenshot(&mut window, "collect-put-back");
    window.get_by_label(tr!("shell-collect-undo-remove")).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.collection.image_count(), 2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, Key::Z);
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.collection.classes, before);
    assert_absent!(window, "shell-collect-undo-remove");
}

fn test_image(shade: u8) -> Arc<NamedImage> {
    Arc::new(NamedImage {
        name: format!("drawing {shade}"),
        width: 3,
        height: 2,
        rgb: (0..18).map(|i| i * shade).collect(),
    })
}

#[test]
fn collected_and_pinned_images_survive_restart() {
    let runs = tempfile::tempdir().unwrap();
    let drafts = runs.path().join("config/drafts");
    let list = drafts.join("drafts.json");
    let source = letters("A", 3);
    let open_with_drafts = || {
        let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
        window.state_mut().set_drafts_folder(drafts.clone());
        wait_until_idle(&mut window);
        window
    };
    let mut window = open_with_drafts();
    assert!(!drafts.exists(), "no drafts exist yet");
    let session = &mut window.state_mut().session;
    session.pin(test_image(1), Some("7".into()));
    session.pin(test_image(2), None);
    session.add_run_to_board("/nowhere/run".into());
    session.collection.rename(0, "birds".into());
    session.collect_image(test_image(3));
    session.collection.add_class();
    session.collect_file(source.path().join("A"));
    wait_until_idle(&mut window);
    // The window is dropped without saving, as in a crash.
    wait(&mut window, "the drafts are written", |_| {
        std::fs::read_to_string(&list).is_ok_and(|list| list.matches("\"image\":").count() == 6)
    });
    let pins = |window: &Harness<'_, StudioApp>| -> Vec<_> {
        let pins = window.state().session.predict.pins.pins().iter();
        pins.map(|pin| (pin.image.clone(), pin.truth.clone())).collect()
    };
    let before = (pins(&window), window.state().session.collection.clone());
    drop(window);
    let mut reopened = open_with_drafts();
    reopened.get_by_label_contains("2 pinned images, 4 collected images");
    save_screenshot(&mut reopened, "drafts-back");
    let session = &reopened.state().session;
    assert_eq!((pins(&reopened), session.collection.clone()), before);
    assert_eq!(session.predict.pins.runs(), [Path::new("/nowhere/run")]);
    // After a crash, pins are not shown to any run automatically.
    let crashed = Settings::default().after_crash();
    let root = runs.path().to_path_buf();
    let mut after_crash = window_with([1280.0, 800.0], crashed, None, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, Disk::new(root), RunConfig::default(), wake)
    });
    after_crash.state_mut().set_drafts_folder(drafts.clone());
    wait_until_idle(&mut after_crash);
    assert_eq!(pins(&after_crash), before.0);
    assert!(after_crash.state().session.predict.pins.runs().is_empty());
    drop(after_crash);
    // An unreadable image is reported, and the others are restored.
    let images = || std::fs::read_dir(&drafts).unwrap().flatten().map(|entry| entry.path());
    assert_eq!(images().count(), 7, "expected six images and the list");
    drop(reopened);
    let image_path = images().find(|path| path.extension().is_some_and(|ending| ending == "png"));
    std::fs::write(image_path.unwrap(), "no image").unwrap();
    let mut reopened = open_with_drafts();
    reopened.get_by_label_contains(&tr!("drafts-images-unreadable", n = 1));
    let session = &mut reopened.state_mut().session;
    assert_eq!(session.predict.pins.pins().len() + session.collection.image_count(), 5);
    // The folder is removed with the last draft.
    for pin in session.predict.pins.pins().to_vec() {
        session.unpin(pin.id);
    }
    session.collection = Default::default();
    wait(&mut reopened, "the drafts are removed", |_| !drafts.exists());
    drop(reopened);
    // An unreadable list is moved to another folder.
    std::fs::create_dir_all(&drafts).unwrap();
    std::fs::write(&list, "no list").unwrap();
    let reopened = open_with_drafts();
    assert!(shows!(reopened, "drafts-unreadable"));
    let entries = std::fs::read_dir(drafts.parent().unwrap()).unwrap().flatten();
    let moved_lists: Vec<_> = entries.map(|entry| entry.path().join("drafts.json")).collect();
    assert_eq!(moved_lists.len(), 1);
    assert_eq!(std::fs::read_to_string(&moved_lists[0]).unwrap(), "no list");
}

#[test]
fn unchanged_collection_has_names_in_selected_language() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_window(runs.path().to_path_buf());
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::SetLanguage(Language::German));
    let collection = &window.state().session.collection;
    assert_eq!(collection.name, Language::German.text("predict-collect-name"));
}
