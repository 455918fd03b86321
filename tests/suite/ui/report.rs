//! Reporting a problem: the user can read all files before saving.

use egui_kittest::kittest::Queryable;
use lae_studio::logging::Level;
use lae_studio::session::backend::Recorded;
use lae_studio::session::{Disk, Session};
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::Settings;

use super::named::fill;
use super::{settle, shot, wait, window_with};

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
        Session::with(Box::new(Recorded::default()), Disk::at(runs), draft, wake)
    });
    settle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().act(&ctx, UiCommand::Notices);
    window.run_steps(3);
    window.get_by_label(tr!("shell-report-problem")).click();
    wait(&mut window, "the report is gathered", |app| {
        app.session.bug_report.ready().is_some()
    });
    // The dialog grows with its content; wait until it is stable before clicking.
    window.run_steps(6);
    shot(&mut window, "report-versions");
    window.get_by_label_contains("settings.toml · ").click();
    window.run_steps(3);
    window.get_by_label_contains("theme = \"system\"");
    window.get_by_label_contains("lae-studio.log · ").click();
    window.run_steps(3);
    // Only the visible lines of a long file are laid out.
    let lines = window.get_all_by_label("the engine said something").count();
    assert!((5..200).contains(&lines), "{lines}");
    shot(&mut window, "report-log");

    window
        .state_mut()
        .act(&ctx, UiCommand::LogLevel(Level::Debug));
    wait(&mut window, "the log level is saved", |_| {
        Settings::load(Some(&file)).log == Level::Debug
    });

    // A file blocks the folder: the dialog reports it, and another path works.
    let in_the_way = file.join("report.zip");
    fill(
        &mut window,
        tr!("shell-report-save-as"),
        in_the_way.to_str().unwrap(),
    );
    window.get_by_label(tr!("shell-report-save")).click();
    wait(&mut window, "saving the report fails", |app| {
        app.session.saving_report.problem().is_some()
    });
    settle(&mut window);
    window.get_by_label(in_the_way.to_str().unwrap());
    shot(&mut window, "report-not-written");
    let place = folder.path().join("given-away.zip");
    fill(
        &mut window,
        tr!("shell-report-save-as"),
        place.to_str().unwrap(),
    );
    window.get_by_label(tr!("shell-report-save")).click();
    wait(&mut window, "the report is saved", |_| place.exists());
    settle(&mut window);
    assert!(
        window.query_by_label(tr!("shell-report-save")).is_none(),
        "closed"
    );
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&place).unwrap()).unwrap();
    let last = std::io::read_to_string(archive.by_name("lae-studio.log").unwrap()).unwrap();
    assert!(last.ends_with("\\u{1b}[2J the last line\n"));
}
