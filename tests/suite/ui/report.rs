//! Reporting a problem: the user can read all files before saving.

use egui_kittest::kittest::Queryable;
use lae_studio::logging::Level;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::Settings;

use super::annotations::fill;
use super::{save_screenshot, wait, wait_until_idle, window_with};

#[test]
fn bug_report_lists_files_and_saves_to_chosen_path() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    std::fs::create_dir_all(runs.join("log")).unwrap();
    let log = "the engine said something\n".repeat(3000) + "\u{1b}[2J the last line\n";
    std::fs::write(runs.join("log/lae-studio.log"), log).unwrap();
    let file = folder.path().join("window.toml");
    let settings = Settings::default();
    settings.save(&file).unwrap();
    let mut window = window_with([1280.0, 800.0], settings, Some(file.clone()), move |wake| {
        let draft = lae_studio::run::config::RunConfig::default();
        Session::with_backend(Box::new(RecordedBackend::default()), Disk::new(runs), draft, wake)
    });
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Notices);
    window.run_steps(3);
    window.get_by_label(tr!("shell-report-problem")).click();
    wait(&mut window, "the report is gathered", |app| app.session.bug_report.ready().is_some());
    // The dialog grows with its content; wait until it is stable before clicking.
    window.run_steps(6);
    save_screenshot(&mut window, "report-versions");
    window.get_by_label_contains("settings.toml · ").click();
    window.run_steps(3);
    window.get_by_label_contains("theme = \"system\"");
    window.get_by_label_contains("lae-studio.log · ").click();
    window.run_steps(3);
    // Only the visible lines of a long file are laid out.
    let lines = window.get_all_by_label("the engine said something").count();
    assert!((5..200).contains(&lines), "{lines}");
    save_screenshot(&mut window, "report-log");

    window.state_mut().execute(&ctx, UiCommand::LogLevel(Level::Debug));
    wait(&mut window, "the log level is saved", |_| {
        Settings::load(Some(&file)).log == Level::Debug
    });

    // A file blocks the folder: the dialog reports it, and another path works.
    let blocked_path = file.join("report.zip");
    fill(&mut window, tr!("shell-report-save-as"), blocked_path.to_str().unwrap());
    window.get_by_label(tr!("shell-report-save")).click();
    wait(&mut window, "saving the report fails", |app| {
        app.session.saving_report.problem().is_some()
    });
    wait_until_idle(&mut window);
    window.get_by_label(blocked_path.to_str().unwrap());
    save_screenshot(&mut window, "report-not-written");
    let path = folder.path().join("given-away.zip");
    fill(&mut window, tr!("shell-report-save-as"), path.to_str().unwrap());
    window.get_by_label(tr!("shell-report-save")).click();
    wait(&mut window, "the report is saved", |_| path.exists());
    wait_until_idle(&mut window);
    assert!(window.query_by_label(tr!("shell-report-save")).is_none(), "closed");
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
    let log_text = std::io::read_to_string(archive.by_name("lae-studio.log").unwrap()).unwrap();
    assert!(log_text.ends_with("\\u{1b}[2J the last line\n"));
}
