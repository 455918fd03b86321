//! Resuming a stopped run on another device.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::event::Command;
use lae_studio::run::job::{Job, JobWork};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::{recorded_window, save_screenshot, wait_until_idle};
use crate::copy_folder;

/// Opens the menu and chooses the CPU; returns the requested run and device.
fn resume_on_cpu(
    window: &mut Harness<'_, StudioApp>,
    backend: &RecordedBackend,
) -> (PathBuf, Option<String>) {
    window.get_by_label(tr!("shell-resume-on")).click();
    window.run_steps(3);
    assert!(shows!(window, "shell-resume-trained-so-far"));
    save_screenshot(window, "resume-on");
    let title = window.state().session.inventory.devices[0].title.clone();
    window.get_by_role_and_label(egui::Role::Button, &title).click();
    window.run_steps(3);
    assert_eq!(window.state().page, Page::Train);
    let job = backend.commands().into_iter().rev().find_map(|command| match command {
        Command::Queue(job) => Some(*job),
        _ => None,
    });
    let Some(Job { work: JobWork::Resume(run), device, .. }) = job else {
        panic!("no run was queued");
    };
    (run, device)
}

#[test]
fn stopped_run_resumes_on_other_device() {
    let runs = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = runs.path().join("stopped");
    copy_folder(&root.join("tests/runs/stopped"), &run);
    let expected = (run.clone(), Some("cpu".to_string()));

    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Compare));
    wait_until_idle(&mut window);
    assert_eq!(resume_on_cpu(&mut window, &backend), expected);

    // Also from the opened run, in a new window.
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Open(run));
    wait_until_idle(&mut window);
    assert_eq!(resume_on_cpu(&mut window, &backend), expected);
}
