//! The menu *Settings*: choices apply immediately and after a restart.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::logging::Level;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::{Disk, Session};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::{save_screenshot, wait_until_idle, window_with};

fn click(window: &mut Harness<'_, StudioApp>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(4);
}

#[test]
fn settings_menu_choices_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, file) = (folder.path().join("runs"), folder.path().join("window.toml"));
    let settings_file = file.clone();
    let settings = Settings::default();
    let mut window = window_with([1280.0, 800.0], settings, Some(settings_file), move |wake| {
        let draft = RunConfig::default();
        Session::with_backend(Box::new(RecordedBackend::default()), Disk::new(runs), draft, wake)
    });
    wait_until_idle(&mut window);
    click(&mut window, tr!("settings-title"));
    save_screenshot(&mut window, "settings-english");
    click(&mut window, tr!("settings-theme-light"));
    click(&mut window, tr!("settings-larger"));
    assert!((window.ctx.zoom_factor() - 1.1).abs() < 1e-6);
    click(&mut window, tr!("settings-reset-size"));
    click(&mut window, tr!("settings-larger"));
    click(&mut window, tr!("settings-reduce-motion"));
    // The menu stays open and switches its language immediately.
    click(&mut window, "Deutsch");
    save_screenshot(&mut window, "settings-german");
    window.get_by_label("Einstellungen");
    click(&mut window, "Protokollstufe");
    click(&mut window, "Alle Einzelheiten");
    // The settings are saved before the window closes.
    drop(window);
    let saved = Settings::load(Some(&file));
    assert_eq!(
        (saved.theme, saved.language, saved.log),
        (ThemeChoice::Light, Language::German, Level::Debug)
    );
    assert!(saved.reduce_motion && (saved.zoom - 1.1).abs() < 1e-6);
    lae_studio::logging::set_level(Level::default());
    Language::English.speak();
}
