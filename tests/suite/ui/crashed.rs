//! After a crash the window starts with defaults and offers the previous settings.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::{Disk, Session};
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::Settings;

use super::synthetic::{header, report};
use super::{save_screenshot, wait, wait_until_idle, window_with};

#[test]
fn settings_of_crashed_window_are_restored_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("window.toml");
    let other_runs = tempfile::tempdir().unwrap();
    let config = RunConfig { data: "letters".into(), seed: 9, ..RunConfig::default() };
    let crashed = Settings {
        setup: Some(config.clone()),
        folders: vec![other_runs.path().to_path_buf()],
        ..Settings::default()
    };
    let settings = crashed.after_crash();
    let draft = settings.setup.clone().unwrap_or_default();
    let runs = folder.path().to_path_buf();
    let mut window = window_with([1280.0, 900.0], settings, Some(file.clone()), move |wake| {
        Session::with_backend(Box::new(RecordedBackend::default()), Disk::new(runs), draft, wake)
    });
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft, RunConfig::default());
    window.get_by_label_contains("letters · LAE · adapter 5 and one folder of runs");
    assert!(window.state().session.compare.folders.paths().is_empty());
    save_screenshot(&mut window, "after-a-crash");
    // The offer is stored on disk until the user answers.
    wait(&mut window, "the settings are written", |_| file.exists());
    let saved = Settings::load(Some(&file));
    assert_eq!(saved.former.as_ref(), Some(&config));
    window.get_by_label(tr!("experiment-earlier-restore")).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft, config);
    assert_eq!(window.state().session.compare.folders.paths(), [other_runs.path()]);
    assert_absent!(window, "experiment-earlier-restore");
}

/// Stores a run that was stopped after its first task; returns its folder and settings.
fn store_stopped_run(runs: &Path) -> (PathBuf, RunConfig) {
    let mut header = header();
    header.config.seed = 3;
    let folder = RunFolder::create(runs, &mut header, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    (folder.path().to_path_buf(), header.config)
}

fn open_window(runs: &Path, settings: Settings) -> Harness<'static, StudioApp> {
    let runs = runs.to_path_buf();
    let draft = settings.setup.clone().unwrap_or_default();
    let mut window = window_with([1280.0, 900.0], settings, None, move |wake| {
        Session::with_backend(Box::new(RecordedBackend::default()), Disk::new(runs), draft, wake)
    });
    wait_until_idle(&mut window);
    window
}

const CRASHED: &str = "experiment-last-crashed";
const CLOSED: &str = "experiment-last-run-in-progress";

#[test]
fn crash_notice_offers_run_and_settings_once() {
    let runs = tempfile::tempdir().unwrap();
    let (run, config) = store_stopped_run(runs.path());
    let settings_with = |setup: &RunConfig| Settings {
        setup: Some(setup.clone()),
        unfinished: Some(run.clone()),
        ..Settings::default()
    };
    // The settings are those of the run, so only resuming is offered.
    let window = open_window(runs.path(), settings_with(&config).after_crash());
    window.get_by_label(tr!(CRASHED));
    window.get_by_label(tr!("experiment-last-run-resume"));
    assert_absent!(window, CLOSED);
    assert_absent!(window, "experiment-earlier-restore");
    // Other settings are offered in the same notice.
    let other_config = RunConfig { data: "letters".into(), ..RunConfig::default() };
    let mut window = open_window(runs.path(), settings_with(&other_config).after_crash());
    window.get_by_label(tr!(CRASHED));
    window.get_by_label(tr!("experiment-last-run-resume"));
    assert_absent!(window, CLOSED);
    save_screenshot(&mut window, "after-a-crash-both");
    window.get_by_label(tr!("experiment-earlier-discard")).click();
    wait_until_idle(&mut window);
    // The offer of the run remains.
    assert_absent!(window, "experiment-earlier-restore");
    window.get_by_label(tr!("experiment-last-run-resume"));
    window.get_by_label(tr!("experiment-last-not-now")).click();
    wait_until_idle(&mut window);
    for label in [tr!(CRASHED), tr!("experiment-last-run-resume")] {
        assert!(window.query_by_label(label).is_none(), "{label}");
    }
    assert!(run.exists());
    // The other order works as well.
    let mut window = open_window(runs.path(), settings_with(&other_config).after_crash());
    window.get_by_label(tr!("experiment-last-not-now")).click();
    wait_until_idle(&mut window);
    assert_absent!(window, "experiment-last-run-resume");
    window.get_by_label(tr!("experiment-earlier-restore"));
    // After a normal exit, the notice does not mention a crash.
    let window = open_window(runs.path(), settings_with(&RunConfig::default()));
    window.get_by_label(tr!(CLOSED));
    assert_absent!(window, CRASHED);
}

#[test]
fn folders_of_crashed_window_open_once() {
    let runs = tempfile::tempdir().unwrap();
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [one, two, three] = folders.each_ref().map(|folder| folder.path().to_path_buf());
    let crashed = Settings {
        folders: vec![one.clone(), two.clone(), one.clone(), three.clone()],
        ..Settings::default()
    };
    let mut window = open_window(runs.path(), crashed.after_crash());
    let session = &mut window.state_mut().session;
    session.open_folders(&[three.clone(), two.clone()]);
    session.open_former_folders();
    assert_eq!(session.compare.folders.paths(), [three, two, one]);
}

#[test]
fn settings_from_older_crash_do_not_report_crash() {
    let runs = tempfile::tempdir().unwrap();
    let config = RunConfig { data: "letters".into(), ..RunConfig::default() };
    let settings = Settings { former: Some(config.clone()), ..Settings::default() };
    let mut window = open_window(runs.path(), settings);
    assert_absent!(window, CRASHED);
    window.get_by_label(tr!("experiment-earlier-settings-saved"));
    let message = tr!("experiment-earlier-crash-settings", kept = "letters");
    window.get_by_label_contains(message.trim_end_matches('.'));
    // The offer disappears once the settings are equal.
    window.state_mut().session.experiment.draft = config;
    wait_until_idle(&mut window);
    assert_absent!(window, "experiment-earlier-restore");
    assert_eq!(window.state().session.former.config, None);
}
