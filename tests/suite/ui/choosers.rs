//! Choosing files and folders by path on a desktop without file dialogs.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::data::export::ExportFormat;
use lae_studio::export::Format;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Command;
use lae_studio::run::job::JobWork;
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::file_dialog::{Choice, DataExportKind, DialogPurpose};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::events;
use super::{save_screenshot, wait, wait_until_idle, window};
use crate::data::DatasetFixture;

/// A desktop whose dialogs return this choice after this number of milliseconds.
pub(super) struct Dialogs {
    disk: Disk,
    choice: Choice,
    delay_ms: u64,
}

impl Sources for Dialogs {
    fn disk(&self) -> &Disk {
        &self.disk
    }

    fn pick(&self, _: DialogPurpose, _: rfd::FileDialog) -> Choice {
        std::thread::sleep(std::time::Duration::from_millis(self.delay_ms));
        self.choice.clone()
    }
}

pub(super) fn dialogs(runs: &Path, choice: Choice, delay_ms: u64) -> Dialogs {
    let disk = Disk::new(runs.to_path_buf());
    Dialogs { disk, choice, delay_ms }
}

pub(super) fn open_window(dialogs: Dialogs) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let backend = RecordedBackend::default();
    let backend_clone: Box<dyn Backend> = Box::new(backend.clone());
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        Session::with_backend(backend_clone, dialogs, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
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
    wait_until_idle(window);
}

#[test]
fn asks_for_path_when_file_dialog_is_missing() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("my pictures 1.0/a", 6).write_class("my pictures 1.0/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::NoDialog, 0));
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("choose-data-folder"));
    assert!(shows!(window, "shell-path-no-portal"));
    save_screenshot(&mut window, "path");
    // The dialog reports a missing file, stays open and focuses the field again.
    submit_path(&mut window, tr!("shell-path"), &image_folder.path().join("gone"));
    window.get_by_label_contains(&tr!("shell-path-missing", path = "gone"));
    window.run_steps(2);
    assert!(window.get_by_label(tr!("shell-path")).accesskit_node().is_focused());
    submit_path(&mut window, tr!("shell-path"), &image_folder.path().join("my pictures 1.0"));
    let data_path = image_folder.path().join("my pictures 1.0").display().to_string();
    assert_eq!(window.state().session.experiment.draft.data, data_path);
    assert_absent!(window, "shell-path-choose-folder");
    // The next dialog begins with that folder, and Escape changes nothing.
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let field = window.get_by_label(tr!("shell-path"));
    assert_eq!(field.accesskit_node().value(), Some(data_path.clone()));
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    assert_absent!(window, "shell-path-choose-folder");
    assert_eq!(window.state().session.experiment.draft.data, data_path);
}

#[test]
fn image_can_be_chosen_by_typed_path() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("pictures", 2);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = open_window(dialogs(runs.path(), Choice::NoDialog, 0));
    events(2).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-source-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("predict-choose")).click();
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let name = |window: &Harness<'_, StudioApp>| {
        let picture = window.state().session.predict.image.clone();
        picture.map(|picture| picture.name.clone())
    };
    for (field, file) in [(tr!("shell-path"), "001.png"), (tr!("predict-image-file"), "000.png")] {
        submit_path(&mut window, field, &image_folder.path().join("pictures").join(file));
        assert_eq!(name(&window).as_deref(), Some(file));
    }
}

#[test]
fn unresponsive_file_dialog_can_be_replaced_by_path() {
    let runs = tempfile::tempdir().unwrap();
    let late_choice = Choice::Path("/late".into());
    let (mut window, _) = open_window(dialogs(runs.path(), late_choice, 2500));
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    let mut steps = 0;
    while window.query_by_label(tr!("shell-path-type-instead")).is_none() {
        std::thread::sleep(std::time::Duration::from_millis(30));
        window.step();
        steps += 1;
        assert!(steps < 200, "the window never offered to type a path");
    }
    window.get_by_label(tr!("shell-path-type-instead")).click();
    window.run_steps(4);
    window.get_by_label(tr!("shell-path-choose-folder"));
    // The late choice of the dialog is ignored.
    wait(&mut window, "the dialog returns", |app| !app.session.is_busy());
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
    let purpose = DialogPurpose::DataExport(DataExportKind::Data, ExportFormat::Folder);
    window.state_mut().execute(&ctx, UiCommand::TypePath(purpose));
    wait_until_idle(&mut window);
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
        // The warning was about the previous path.
        assert_absent!(window, "shell-path-file-exists");
    }
    save_screenshot(&mut window, "path-save");
    let new_file = folder.path().join("digits.zip");
    submit_path(&mut window, tr!("shell-path"), &new_file);
    let has_notice = |app: &StudioApp| app.session.notices.list.last().is_some();
    wait(&mut window, "the file is written", has_notice);
    assert!(new_file.exists() && window.query_by_label(tr!("shell-path-save-here")).is_none());
    let old_content = std::fs::read(folder.path().join("old.zip")).unwrap();
    assert_eq!(old_content, b"old");
    // In a folder, the file gets its default name.
    window.state_mut().execute(&ctx, UiCommand::TypePath(purpose));
    wait_until_idle(&mut window);
    submit_path(&mut window, tr!("shell-path"), folder.path());
    let has_second_notice = |app: &StudioApp| app.session.notices.total > 1;
    wait(&mut window, "the second file is written", has_second_notice);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn exports_run_as_zip_to_chosen_path() {
    let runs = tempfile::tempdir().unwrap();
    let run = runs.path().join("old");
    let source_run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    crate::copy_folder(&source_run, &run);
    let target = tempfile::tempdir().unwrap();
    let choice = Choice::Path(target.path().join("mine"));
    let (mut window, _) = open_window(dialogs(runs.path(), choice, 0));
    let ctx = window.ctx.clone();
    let command = UiCommand::change(|session| session.pick_pack(run));
    window.state_mut().execute(&ctx, command);
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert!(!notice.is_error);
    assert_says!(notice.problem.what, "session-run-packed");
    let packed = target.path().join("mine.laerun.zip");
    let other_runs = target.path().join("runs");
    let unpacked = lae_studio::store::unpack(&packed, &other_runs).unwrap();
    assert!(unpacked.folder.join("task_2.safetensors").exists());
}

/// Exports from the menu of the run on Predict.
#[test]
fn exports_model_to_chosen_folder() {
    let runs = tempfile::tempdir().unwrap();
    let run = runs.path().join("old");
    let source_run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/stopped");
    crate::copy_folder(&source_run, &run);
    let target = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::Path(target.path().into()), 0));
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Predict));
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-export-model")).click();
    wait_until_idle(&mut window);
    // Each format is described.
    for format in Format::ALL {
        window.get_by_label_contains(format.2);
    }
    save_screenshot(&mut window, "take-along");
    window.get_by_label(tr!("shell-export-model-torch")).click();
    let has_notice = |app: &StudioApp| app.session.notices.list.last().is_some();
    wait(&mut window, "the model is written", has_notice);
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert!(!notice.is_error && says!(notice.problem.what, "session-model-exported"), "{notice:?}");
    assert!(target.path().join("old-torch/model.py").exists());
}

/// Replaces the text of a field without pressing Enter.
fn type_without_enter(window: &mut Harness<'_, StudioApp>, field: &str, text: &str) {
    super::annotations::fill(window, field, text);
    let value = window.get_by_label(field).accesskit_node().value();
    assert_eq!(value.as_deref(), Some(text));
}

#[test]
fn typed_path_applies_on_blur_and_escape_reverts() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("mine/a", 6).write_class("mine/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = open_window(dialogs(runs.path(), Choice::Cancelled, 0));
    super::open_steps(&mut window);
    // The field exists only while the backbone is a file.
    let first_weights = image_folder.path().join("first.safetensors").display().to_string();
    window.state_mut().session.choose_weights(first_weights);
    wait_until_idle(&mut window);
    let data = image_folder.path().join("mine").display().to_string();
    let weights = image_folder.path().join("none.safetensors").display().to_string();
    type_without_enter(&mut window, tr!("data-folder-name"), &data);
    // A click on the next field leaves this one.
    window.get_by_label(tr!("experiment-weights-name")).click();
    wait_until_idle(&mut window);
    let draft = |window: &Harness<'_, StudioApp>| window.state().session.experiment.draft.clone();
    assert_eq!(draft(&window).data, data);
    type_without_enter(&mut window, tr!("experiment-weights-name"), &weights);
    window.get_by_label(tr!("data-folder-name")).click();
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).backbone, weights);
    // Escape restores the previous value.
    type_without_enter(&mut window, tr!("data-folder-name"), "/somewhere/else");
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    assert_eq!(draft(&window).data, data);
    let field = window.get_by_label(tr!("data-folder-name")).accesskit_node();
    assert_eq!(field.value(), Some(data));
}

#[test]
fn ctrl_enter_starts_run_with_current_settings() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("mine/a", 6).write_class("mine/b", 6);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = open_window(dialogs(runs.path(), Choice::Cancelled, 0));
    let start = |window: &mut Harness<'_, StudioApp>| {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Enter);
        wait_until_idle(window);
        wait_until_idle(window);
    };
    let queued = || {
        let commands = backend.commands();
        let jobs = commands.into_iter().filter_map(|command| match command {
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
    wait_until_idle(&mut window);
    let data = image_folder.path().join("mine").display().to_string();
    type_without_enter(&mut window, tr!("data-folder-name"), &data);
    start(&mut window);
    wait(&mut window, "the run is queued", |_| !queued().is_empty());
    assert_eq!(queued()[0].data, data);
}
