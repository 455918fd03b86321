//! The window shows the actual choice: pending file dialogs, pinned runs on Predict and
//! folders that cannot store runs.

use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::Recorded;
use lae_studio::session::chooser::{Choice, DialogPurpose};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::store::RunFolder;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{open_steps, recorded, settle, shot, window};

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
    let sources = CancelledDialog(Disk::at(runs.path().to_path_buf()));
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        Session::with(
            Box::new(Recorded::default()),
            sources,
            RunConfig::default(),
            wake,
        )
    });
    settle(&mut window);
    open_steps(&mut window);
    window.get_by_label("ConvNeXt").click();
    settle(&mut window);
    window.get_by_label_contains("input 224 × 224");
    window.get_by_label(tr!("experiment-weights-file")).click();
    window.run_steps(4);
    let still = tr!("experiment-no-file-chosen", now = "ConvNeXt");
    window.get_by_label_contains(still.trim_end_matches('.'));
    assert!(window.query_by_label_contains("input 224 × 224").is_none());
    let path = window
        .get_by_label(tr!("experiment-weights-name"))
        .accesskit_node()
        .value();
    assert_eq!(
        path.as_deref().unwrap_or_default(),
        "",
        "the field contains a network name"
    );
    shot(&mut window, "file-wished-for");
    // The dialog is cancelled: everything is as before.
    settle(&mut window);
    window.run_steps(3);
    window.get_by_label_contains("input 224 × 224");
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label(tr!("data-folder")).click();
    window.run_steps(4);
    window.get_by_label(&tr!("data-no-folder-chosen", now = "digits"));
    assert!(window.query_by_label_contains("10 classes, 32").is_none());
    settle(&mut window);
    window.run_steps(3);
    window.get_by_label_contains("10 classes, 32");
}

#[test]
fn predict_shows_pinned_run_and_can_unpin() {
    let runs = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for minute in 0..2 {
        let mut facts = header();
        facts.started = format!("2026-11-21T10:0{minute}:00Z");
        let folder = RunFolder::create(runs.path(), &mut facts, "").unwrap();
        folder.save_task(&report(0), &Default::default()).unwrap();
        folders.push(folder.path().to_path_buf());
    }
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    settle(&mut window);
    let newest = window.state().session.predict.run.clone().unwrap();
    assert_absent!(window, "predict-run-kept");
    let older = folders.iter().find(|folder| **folder != newest).unwrap();
    // A click on an image of that run sends this command.
    let ctx = window.ctx.clone();
    let command = lae_studio::ui::command::UiCommand::PredictWith(older.clone());
    window.state_mut().act(&ctx, command);
    settle(&mut window);
    window.get_by_label(tr!("predict-run-kept"));
    shot(&mut window, "pinned");
    window.get_by_label(tr!("predict-run-follow")).click();
    settle(&mut window);
    let predict = &window.state().session.predict;
    assert_eq!(
        (predict.run.as_ref(), predict.by_person),
        (Some(&newest), false)
    );
    assert_absent!(window, "predict-run-kept");
}

#[test]
fn unusable_runs_folder_is_reported_before_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "no folder").unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, &file.join("runs"));
    settle(&mut window);
    window.get_by_label(tr!("experiment-not-ready"));
    assert!(!window.state().session.can_start());
    let told = window
        .get_all_by_label_contains("Cannot save runs in this folder")
        .count();
    assert_eq!(
        told, 2,
        "the error is shown beside the start button and in the list"
    );
    let (mut fine, _) = recorded(
        [1280.0, 900.0],
        ThemeChoice::Dark,
        &folder.path().join("new"),
    );
    settle(&mut fine);
    fine.get_by_label(tr!("experiment-ready"));
}
