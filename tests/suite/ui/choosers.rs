//! Files and folders are chosen on a desktop that has no dialog to show.

use std::path::Path;
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::data::export::Form;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::{Backend, Recorded};
use lae_studio::session::chooser::{Choice, Wanted};
use lae_studio::session::export::Goods;
use lae_studio::session::jobs::{Ask, Found};
use lae_studio::session::{Answer, Session, errands};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::events;
use super::{settle, shot, wait, window};
use crate::data::Made;

/// Errands on a desktop whose dialogs end like this, after so many milliseconds.
fn dialogs(runs: &Path, choice: Choice, after: u64) -> Answer {
    let real = errands(runs.to_path_buf());
    Arc::new(move |ask| match ask {
        Ask::Pick(wanted) => {
            std::thread::sleep(std::time::Duration::from_millis(after));
            Found::Picked(wanted, choice.clone())
        }
        other => real(other),
    })
}

fn on(answer: Answer) -> (Harness<'static, StudioApp>, Recorded) {
    let backend = Recorded::default();
    let twin: Box<dyn Backend> = Box::new(backend.clone());
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::with(twin, answer, RunConfig::default(), wake)
    });
    settle(&mut window);
    (window, backend)
}

/// Types a path into the chooser's field.
fn go(window: &mut Harness<'_, StudioApp>, field: &str, path: &Path) {
    window.get_by_label(field).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(2);
    let text = path.display().to_string();
    window.get_by_label(field).type_text(&text);
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    settle(window);
}

#[test]
fn without_a_dialog_the_window_shows_folders_itself() {
    let made = Made::new();
    made.class("my pictures/a", 6).class("my pictures/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = on(dialogs(runs.path(), Choice::NoDialog, 0));
    window.get_by_label("Folder…").click();
    settle(&mut window);
    settle(&mut window);
    window.get_by_label("Choose a folder with one subfolder per class");
    go(&mut window, "Path", made.path());
    shot(&mut window, "chooser");
    window.get_by_label("my pictures/").click();
    settle(&mut window);
    window.get_by_label("a/");
    window.get_by_label("Choose this folder").click();
    settle(&mut window);
    let place = made.path().join("my pictures").display().to_string();
    assert_eq!(window.state().session.draft.data, place);
    assert!(window.query_by_label("Choose this folder").is_none());
    // What is not there is told in the chooser, which stays.
    window.get_by_label("Choose…").click();
    settle(&mut window);
    settle(&mut window);
    go(&mut window, "Path", &made.path().join("gone"));
    window.get_by_label_contains("Could not look into this folder");
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert!(window.query_by_label("Choose this folder").is_none());
}

#[test]
fn an_image_is_chosen_in_the_window_or_by_its_path() {
    let made = Made::new();
    made.class("pictures", 2);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = on(dialogs(runs.path(), Choice::NoDialog, 0));
    events(2).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    settle(&mut window);
    window.get_by_label("Drop").click();
    window.run_steps(3);
    window.get_by_label("Open…").click();
    settle(&mut window);
    settle(&mut window);
    go(&mut window, "Path", &made.path().join("pictures"));
    window.get_by_label("001.png").click();
    window.run_steps(3);
    window.get_by_label("Open").click();
    settle(&mut window);
    let name = |window: &Harness<'_, StudioApp>| {
        let picture = window.state().session.predict.picture.clone();
        picture.map(|picture| picture.name.clone())
    };
    assert_eq!(name(&window).as_deref(), Some("001.png"));
    go(
        &mut window,
        "Image file",
        &made.path().join("pictures/000.png"),
    );
    assert_eq!(name(&window).as_deref(), Some("000.png"));
}

#[test]
fn a_dialog_that_does_not_come_up_can_be_done_without() {
    let runs = tempfile::tempdir().unwrap();
    let late = Choice::Path("/late".into());
    let (mut window, _) = on(dialogs(runs.path(), late, 2500));
    window.get_by_label("Folder…").click();
    let mut steps = 0;
    while window
        .query_by_label("Choose in this window instead")
        .is_none()
    {
        std::thread::sleep(std::time::Duration::from_millis(30));
        window.step();
        steps += 1;
        assert!(steps < 200, "the way to do without never came");
    }
    window.get_by_label("Choose in this window instead").click();
    window.run_steps(4);
    window.get_by_label("Choose this folder");
    // Its late answer finds nobody.
    wait(&mut window, "the dialog answers", |app| !app.session.busy());
    window.run_steps(3);
    assert_eq!(window.state().session.draft.data, "digits");
}

#[test]
fn a_place_to_save_has_a_name_and_enter_saves() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old.zip"), "old").unwrap();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = on(dialogs(runs.path(), Choice::NoDialog, 0));
    let ctx = window.ctx.clone();
    let wanted = Wanted::Export(Goods::Data, Form::Folder);
    let open = |window: &mut Harness<'_, StudioApp>| {
        let app = window.state_mut();
        app.act(&ctx, UiCommand::ChooseHere(wanted));
        settle(window);
    };
    open(&mut window);
    window.get_by_label("Save here");
    // One that is there is replaced, and the button says so, whether or not its ending is typed.
    go(&mut window, "Path", folder.path());
    for name in ["old.zip", "old"] {
        let field = window.get_by_label("Name of the file");
        field.focus();
        window.run_steps(2);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.run_steps(2);
        window.get_by_label("Name of the file").type_text(name);
        window.run_steps(3);
        window.get_by_label("Replace");
    }
    shot(&mut window, "chooser-save");
    // A path that is not there yet is a folder and a name; the second Enter saves.
    let new = folder.path().join("digits.zip");
    go(&mut window, "Path", &new);
    window.get_by_label("Save here");
    assert!(!new.exists(), "the first Enter only goes there");
    window.key_press(egui::Key::Enter);
    let there = |app: &StudioApp| app.session.notices.last().is_some();
    wait(&mut window, "it is written", there);
    assert!(new.exists() && window.query_by_label("Save here").is_none());
    assert_eq!(
        std::fs::read(folder.path().join("old.zip")).unwrap(),
        b"old"
    );
    // Enter chooses a folder, too.
    window
        .state_mut()
        .act(&ctx, UiCommand::ChooseHere(Wanted::DataFolder));
    settle(&mut window);
    go(&mut window, "Path", folder.path());
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    let place = folder.path().display().to_string();
    assert_eq!(window.state().session.draft.data, place);
}
