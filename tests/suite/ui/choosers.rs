//! Choosing files and folders by path on a desktop without file dialogs.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::data::export::Form;
use lae_studio::export::Format;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Command;
use lae_studio::run::job::JobWork;
use lae_studio::session::backend::{Backend, Recorded};
use lae_studio::session::chooser::{Choice, DataExportKind, DialogPurpose};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::events;
use super::{settle, shot, wait, window};
use crate::data::Made;

/// A desktop whose dialogs return this choice after this number of milliseconds.
pub(super) struct Dialogs {
    disk: Disk,
    choice: Choice,
    after: u64,
}

impl Sources for Dialogs {
    fn disk(&self) -> &Disk {
        &self.disk
    }

    fn pick(&self, _: DialogPurpose, _: rfd::FileDialog) -> Choice {
        std::thread::sleep(std::time::Duration::from_millis(self.after));
        self.choice.clone()
    }
}

pub(super) fn dialogs(runs: &Path, choice: Choice, after: u64) -> Dialogs {
    let disk = Disk::at(runs.to_path_buf());
    Dialogs {
        disk,
        choice,
        after,
    }
}

pub(super) fn open_window(dialogs: Dialogs) -> (Harness<'static, StudioApp>, Recorded) {
    let backend = Recorded::default();
    let twin: Box<dyn Backend> = Box::new(backend.clone());
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::with(twin, dialogs, RunConfig::default(), wake)
    });
    settle(&mut window);
    (window, backend)
}

/// Types a path into a field and presses Enter.
fn submit_path(window: &mut Harness<'_, StudioApp>, field: &str, path: &Path) {
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
fn asks_for_path_when_file_dialog_is_missing() {
    let made = Made::new();
    made.class("my pictures 1.0/a", 6)
        .class("my pictures 1.0/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::NoDialog, 0));
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    settle(&mut window);
    settle(&mut window);
    window.get_by_label(tr!("choose-data-folder"));
    assert!(shows!(window, "shell-path-no-portal"));
    shot(&mut window, "path");
    // The dialog reports a missing file and stays open.
    submit_path(&mut window, tr!("shell-path"), &made.path().join("gone"));
    window.get_by_label_contains(&tr!("shell-path-missing", path = "gone"));
    submit_path(
        &mut window,
        tr!("shell-path"),
        &made.path().join("my pictures 1.0"),
    );
    let place = made.path().join("my pictures 1.0").display().to_string();
    assert_eq!(window.state().session.experiment.draft.data, place);
    assert_absent!(window, "shell-path-choose-folder");
    // The next dialog begins with that folder, and Escape changes nothing.
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    settle(&mut window);
    settle(&mut window);
    let field = window.get_by_label(tr!("shell-path"));
    assert_eq!(field.accesskit_node().value(), Some(place.clone()));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert_absent!(window, "shell-path-choose-folder");
    assert_eq!(window.state().session.experiment.draft.data, place);
}

#[test]
fn image_can_be_chosen_by_typed_path() {
    let made = Made::new();
    made.class("pictures", 2);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = open_window(dialogs(runs.path(), Choice::NoDialog, 0));
    events(2).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    settle(&mut window);
    window.get_by_label(tr!("predict-source-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-choose")).click();
    settle(&mut window);
    settle(&mut window);
    let name = |window: &Harness<'_, StudioApp>| {
        let picture = window.state().session.predict.picture.clone();
        picture.map(|picture| picture.name.clone())
    };
    for (field, file) in [
        (tr!("shell-path"), "001.png"),
        (tr!("predict-image-file"), "000.png"),
    ] {
        submit_path(&mut window, field, &made.path().join("pictures").join(file));
        assert_eq!(name(&window).as_deref(), Some(file));
    }
}

#[test]
fn unresponsive_file_dialog_can_be_replaced_by_path() {
    let runs = tempfile::tempdir().unwrap();
    let late = Choice::Path("/late".into());
    let (mut window, _) = open_window(dialogs(runs.path(), late, 2500));
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    let mut steps = 0;
    while window
        .query_by_label(tr!("shell-path-type-instead"))
        .is_none()
    {
        std::thread::sleep(std::time::Duration::from_millis(30));
        window.step();
        steps += 1;
        assert!(steps < 200, "the window never offered to type a path");
    }
    window.get_by_label(tr!("shell-path-type-instead")).click();
    window.run_steps(4);
    window.get_by_label(tr!("shell-path-choose-folder"));
    // The late choice of the dialog is ignored.
    wait(&mut window, "the dialog returns", |app| !app.session.busy());
    window.run_steps(3);
    assert_eq!(window.state().session.experiment.draft.data, "digits");
}

#[test]
fn existing_file_is_not_replaced_without_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old.zip"), "old").unwrap();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::NoDialog, 0));
    let ctx = window.ctx.clone();
    let wanted = DialogPurpose::DataExport(DataExportKind::Data, Form::Folder);
    window.state_mut().act(&ctx, UiCommand::TypePath(wanted));
    settle(&mut window);
    // With and without the typed extension.
    for name in ["old.zip", "old"] {
        window.get_by_label(tr!("shell-path-save-here"));
        submit_path(&mut window, tr!("shell-path"), &folder.path().join(name));
        window.get_by_label(tr!("shell-path-replace"));
        window.get_by_label(tr!("shell-path-file-exists"));
        window.get_by_label(tr!("shell-path")).focus();
        window.run_steps(2);
        window.get_by_label(tr!("shell-path")).type_text("x");
        window.run_steps(2);
    }
    shot(&mut window, "path-save");
    let new = folder.path().join("digits.zip");
    submit_path(&mut window, tr!("shell-path"), &new);
    let there = |app: &StudioApp| app.session.notices.list.last().is_some();
    wait(&mut window, "the file is written", there);
    assert!(new.exists() && window.query_by_label(tr!("shell-path-save-here")).is_none());
    let old = std::fs::read(folder.path().join("old.zip")).unwrap();
    assert_eq!(old, b"old");
    // In a folder, the file gets its default name.
    window.state_mut().act(&ctx, UiCommand::TypePath(wanted));
    settle(&mut window);
    submit_path(&mut window, tr!("shell-path"), folder.path());
    let there = |app: &StudioApp| app.session.notices.total > 1;
    wait(&mut window, "the second file is written", there);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn exports_run_as_zip_to_chosen_path() {
    let runs = tempfile::tempdir().unwrap();
    let run = runs.path().join("old");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    crate::copy_folder(&kept, &run);
    let to = tempfile::tempdir().unwrap();
    let chosen = Choice::Path(to.path().join("mine"));
    let (mut window, _) = open_window(dialogs(runs.path(), chosen, 0));
    let ctx = window.ctx.clone();
    let pack = UiCommand::change(|session| session.pick_pack(run));
    window.state_mut().act(&ctx, pack);
    settle(&mut window);
    settle(&mut window);
    let told = window.state().session.notices.list.last().unwrap().clone();
    assert!(!told.bad);
    assert_says!(told.problem.what, "story-run-packed");
    let packed = to.path().join("mine.laerun.zip");
    let other = to.path().join("runs");
    let unpacked = lae_studio::store::unpack(&packed, &other).unwrap();
    assert!(unpacked.folder.join("task_2.safetensors").exists());
}

/// Exports from the menu of the run on Predict.
#[test]
fn exports_model_to_chosen_folder() {
    let runs = tempfile::tempdir().unwrap();
    let run = runs.path().join("old");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    crate::copy_folder(&kept, &run);
    let to = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::Path(to.path().into()), 0));
    let ctx = window.ctx.clone();
    window.state_mut().act(&ctx, UiCommand::Show(Page::Predict));
    settle(&mut window);
    window.get_by_label(tr!("shell-export-model")).click();
    settle(&mut window);
    // Each format is described.
    for format in Format::ALL {
        window.get_by_label_contains(format.2);
    }
    shot(&mut window, "take-along");
    window.get_by_label(tr!("shell-export-model-torch")).click();
    let there = |app: &StudioApp| app.session.notices.list.last().is_some();
    wait(&mut window, "the model is written", there);
    let told = window.state().session.notices.list.last().unwrap().clone();
    assert!(
        !told.bad && says!(told.problem.what, "story-model-exported"),
        "{told:?}"
    );
    assert!(to.path().join("old-torch/model.py").exists());
}

/// Replaces the text of a field without pressing Enter.
fn type_without_enter(window: &mut Harness<'_, StudioApp>, field: &str, text: &str) {
    super::named::fill(window, field, text);
    let typed = window.get_by_label(field).accesskit_node().value();
    assert_eq!(typed.as_deref(), Some(text));
}

#[test]
fn typed_path_applies_on_blur_and_escape_reverts() {
    let made = Made::new();
    made.class("mine/a", 6).class("mine/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::Cancelled, 0));
    super::open_steps(&mut window);
    // The field exists only while the backbone is a file.
    let first = made.path().join("first.safetensors").display().to_string();
    window.state_mut().session.choose_weights(first);
    settle(&mut window);
    let data = made.path().join("mine").display().to_string();
    let weights = made.path().join("none.safetensors").display().to_string();
    type_without_enter(&mut window, tr!("data-folder-name"), &data);
    // A click on the next field leaves this one.
    window.get_by_label(tr!("experiment-weights-name")).click();
    settle(&mut window);
    let draft = |window: &Harness<'_, StudioApp>| window.state().session.experiment.draft.clone();
    assert_eq!(draft(&window).data, data);
    type_without_enter(&mut window, tr!("experiment-weights-name"), &weights);
    window.get_by_label(tr!("data-folder-name")).click();
    settle(&mut window);
    assert_eq!(draft(&window).backbone, weights);
    // Escape restores the previous value.
    type_without_enter(&mut window, tr!("data-folder-name"), "/somewhere/else");
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    assert_eq!(draft(&window).data, data);
    let shown = window
        .get_by_label(tr!("data-folder-name"))
        .accesskit_node();
    assert_eq!(shown.value(), Some(data));
}

#[test]
fn ctrl_enter_starts_run_with_current_settings() {
    let made = Made::new();
    made.class("mine/a", 6).class("mine/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = open_window(dialogs(runs.path(), Choice::Cancelled, 0));
    let start = |window: &mut Harness<'_, StudioApp>| {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
        settle(window);
        settle(window);
    };
    let queued = || {
        let asked = backend.asked();
        let jobs = asked.into_iter().filter_map(|command| match command {
            Command::Queue(job) => match job.work {
                JobWork::Train(config) => Some(config),
                _ => None,
            },
            _ => None,
        });
        jobs.collect::<Vec<_>>()
    };
    // The settings changed in this frame are invalid and not checked yet.
    window.state_mut().session.experiment.draft.order = "0,1".into();
    start(&mut window);
    assert!(queued().is_empty());
    assert_eq!(window.state().page, Page::Experiment);
    // The folder being typed is used for training.
    window.state_mut().session.experiment.draft.order = "natural".into();
    settle(&mut window);
    let data = made.path().join("mine").display().to_string();
    type_without_enter(&mut window, tr!("data-folder-name"), &data);
    start(&mut window);
    wait(&mut window, "the run is queued", |_| !queued().is_empty());
    assert_eq!(queued()[0].data, data);
}
