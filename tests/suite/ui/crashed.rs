//! After a crash the window begins with defaults and offers what was set up.

use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::Recorded;
use lae_studio::session::{Session, errands};
use lae_studio::ui::settings::Settings;

use super::{settle, shot, wait, window_with};

#[test]
fn the_set_up_of_a_window_that_crashed_comes_back_when_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("window.toml");
    let others = tempfile::tempdir().unwrap();
    let own = RunConfig {
        data: "letters".into(),
        seed: 9,
        ..RunConfig::default()
    };
    let crashed = Settings {
        setup: Some(own.clone()),
        folders: vec![others.path().to_path_buf()],
        ..Settings::default()
    };
    let settings = crashed.after_crash();
    let draft = settings.setup.clone().unwrap_or_default();
    let runs = folder.path().to_path_buf();
    let mut window = window_with([1280.0, 900.0], settings, Some(file.clone()), move |wake| {
        Session::with(Box::new(Recorded::default()), errands(runs), draft, wake)
    });
    settle(&mut window);
    assert_eq!(window.state().session.draft, RunConfig::default());
    window.get_by_label_contains("letters · LAE · adapter 5 and a folder of runs");
    assert!(window.state().session.folders.paths().is_empty());
    shot(&mut window, "after-a-crash");
    // It is kept on disk while nobody answers.
    wait(&mut window, "the settings are written", |_| file.exists());
    let kept = Settings::load(Some(&file));
    assert_eq!(kept.former.as_ref(), Some(&own));
    window.get_by_label("Set it up again").click();
    settle(&mut window);
    assert_eq!(window.state().session.draft, own);
    assert_eq!(window.state().session.folders.paths(), [others.path()]);
    assert!(window.query_by_label("Set it up again").is_none());
}
