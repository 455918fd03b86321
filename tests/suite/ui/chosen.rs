//! The window shows the actual choice: pending file dialogs, pinned runs on Predict and
//! folders that cannot store runs.

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::file_dialog::{Choice, DialogPurpose};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store::RunFolder;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{open_steps, recorded_window, save_screenshot, wait_until_idle, window};

/// A desktop whose dialogs are cancelled.
struct CancelledDialog(Disk);

impl Sources for CancelledDialog {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn pick(&self, _: DialogPurpose, _: rfd::FileDialog) -> Choice {
        std::thread::sleep(std::time::Duration::from_millis(300));
        Choice::Cancelled
    }
}

#[test]
fn pending_file_choice_hides_previous_description() {
    let runs = tempfile::tempdir().unwrap();
    let sources = CancelledDialog(Disk::new(runs.path().to_path_buf()));
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        Session::with_backend(
            Box::new(RecordedBackend::default()),
            sources,
            RunConfig::default(),
            wake,
        )
    });
    wait_until_idle(&mut window);
    open_steps(&mut window);
    window.get_by_label("ConvNeXt").click();
    wait_until_idle(&mut window);
    window.get_by_label_contains("input 224 × 224");
    window.get_by_label(tr!("experiment-weights-file")).click();
    window.run_steps(4);
    let message = tr!("experiment-no-file-chosen", now = "ConvNeXt");
    window.get_by_label_contains(message.trim_end_matches('.'));
    assert!(window.query_by_label_contains("input 224 × 224").is_none());
    let path = window.get_by_label(tr!("experiment-weights-name")).accesskit_node().value();
    assert_eq!(path.as_deref().unwrap_or_default(), "", "the field contains a network name");
    save_screenshot(&mut window, "file-wished-for");
    // The dialog is cancelled: everything is as before.
    wait_until_idle(&mut window);
    window.run_steps(3);
    window.get_by_label_contains("input 224 × 224");
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    window.run_steps(4);
    window.get_by_label(&tr!("data-no-folder-chosen", now = "digits"));
    assert!(window.query_by_label_contains("10 classes, 32").is_none());
    wait_until_idle(&mut window);
    window.run_steps(3);
    window.get_by_label_contains("10 classes, 32");
}

#[test]
fn predict_shows_pinned_run_and_can_unpin() {
    let runs = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for minute in 0..2 {
        let mut header = header();
        header.started = format!("2026-11-21T10:0{minute}:00Z");
        let folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
        folder.save_task(&report(0), &Default::default()).unwrap();
        folders.push(folder.path().to_path_buf());
    }
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    let newest = window.state().session.predict.run.clone().unwrap();
    assert_absent!(window, "predict-run-kept");
    let older = folders.iter().find(|folder| **folder != newest).unwrap();
    // A click on an image of that run sends this command.
    let ctx = window.ctx.clone();
    let command = lae_studio::ui::command::UiCommand::PredictWith(older.clone());
    window.state_mut().execute(&ctx, command);
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-run-kept"));
    save_screenshot(&mut window, "pinned");
    window.get_by_label(tr!("predict-run-follow")).click();
    wait_until_idle(&mut window);
    let predict = &window.state().session.predict;
    assert_eq!((predict.run.as_ref(), predict.selected_by_user), (Some(&newest), false));
    assert_absent!(window, "predict-run-kept");
}

#[test]
fn unusable_runs_folder_is_reported_before_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "no folder").unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, &file.join("runs"));
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-not-ready"));
    assert!(!window.state().session.can_start());
    let error_count = window.get_all_by_label_contains("Cannot save runs in this folder").count();
    assert_eq!(error_count, 2, "the error is shown beside the start button and in the list");
    let (mut other_window, _) =
        recorded_window([1280.0, 900.0], ThemeChoice::Dark, &folder.path().join("new"));
    wait_until_idle(&mut other_window);
    other_window.get_by_label(tr!("experiment-ready"));
}
