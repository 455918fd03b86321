//! Settings without effect for the chosen method or PET are disabled and explain why.

use std::sync::{Arc, RwLock};

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::method::find_method;
use lae_studio::problem::Result;
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::loads::DataRequest;
use lae_studio::session::progress::Progress;
use lae_studio::session::views::DataView;
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::{open_steps, recorded_window, save_screenshot, wait_until_idle};

fn open_window() -> Harness<'static, StudioApp> {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    open_steps(&mut window);
    window.get_by_label(tr!("experiment-more-settings")).click();
    wait_until_idle(&mut window);
    window
}

fn enabled(window: &Harness<'_, StudioApp>, role: egui::Role, name: &str) -> bool {
    let node = window.get_by_role_and_label(role, name);
    !node.accesskit_node().is_disabled()
}

/// Hovers over a field and asserts that its tooltip contains these words.
fn assert_tooltip(window: &mut Harness<'_, StudioApp>, role: egui::Role, name: &str, words: &str) {
    window.get_by_role_and_label(role, name).hover();
    window.run_steps(12);
    window.get_by_label_contains(words);
}

const NUMBER_FIELD: egui::Role = egui::Role::SpinButton;

#[test]
fn pet_without_size_disables_size_field() {
    let mut window = open_window();
    assert!(enabled(&window, NUMBER_FIELD, tr!("experiment-pet-size")));
    window.state_mut().session.experiment.draft.pet = "ssf".into();
    wait_until_idle(&mut window);
    assert!(!enabled(&window, NUMBER_FIELD, tr!("experiment-pet-size")));
    assert_tooltip(
        &mut window,
        NUMBER_FIELD,
        tr!("experiment-pet-size"),
        &tr!("unused-no-size", title = "SSF"),
    );
    save_screenshot(&mut window, "unused-ssf");
    assert!(window.state().session.experiment.plan.problems.is_empty());
    let (command, _) = window.state().session.shell_command();
    assert!(!command.contains("--pet-size"), "{command}");
    let session = &window.state().session;
    assert_eq!(session.title_of(&session.experiment.draft), "digits · LAE · ssf");
}

#[test]
fn settings_unused_by_method_are_disabled_with_reason() {
    let mut window = open_window();
    let choose_method = |window: &mut Harness<'_, StudioApp>, key: &str| {
        let spec = find_method(key).unwrap();
        window.state_mut().session.choose_method(spec);
        wait_until_idle(window);
    };
    let mirror = (egui::Role::CheckBox, "Mirror images at random");
    for name in ["Epochs", "Frozen epochs", "α", "Smallest crop"] {
        assert!(enabled(&window, NUMBER_FIELD, name), "{name}");
    }
    window.get_by_label("Learning").click();
    wait_until_idle(&mut window);
    assert!(
        !enabled(&window, NUMBER_FIELD, "Frozen epochs") && enabled(&window, NUMBER_FIELD, "α")
    );
    assert_tooltip(&mut window, NUMBER_FIELD, "Frozen epochs", tr!("unused-no-learning"));
    choose_method(&mut window, "baseline");
    assert!(window.query_by_label("Ensemble").is_none());
    save_screenshot(&mut window, "unused-baseline");
    choose_method(&mut window, "simplecil");
    window.get_by_label(&tr!("experiment-method-without-pet", method = "SimpleCIL"));
    for name in ["Epochs", "Smallest crop", "Largest crop"] {
        assert!(!enabled(&window, NUMBER_FIELD, name), "{name}");
    }
    assert!(!enabled(&window, mirror.0, mirror.1));
    assert_tooltip(
        &mut window,
        NUMBER_FIELD,
        "Epochs",
        &tr!("unused-no-epochs", title = "SimpleCIL"),
    );
    save_screenshot(&mut window, "unused-simplecil");
    let (command, _) = window.state().session.shell_command();
    for option in ["--pet", "--epochs", "--base-lr", "--flip", "--blocks"] {
        assert!(!command.contains(option), "{command}");
    }
    let sizes = (egui::Role::TextInput, tr!("data-classes-per-task"));
    assert!(enabled(&window, sizes.0, sizes.1));
    choose_method(&mut window, "joint-ft");
    assert!(!enabled(&window, sizes.0, sizes.1));
    assert!(enabled(&window, NUMBER_FIELD, "Epochs") && enabled(&window, mirror.0, mirror.1));
}

#[test]
fn run_with_only_frozen_epochs_cannot_start() {
    let mut window = open_window();
    let words = "all 3 epochs are frozen, so the PET learns nothing";
    assert!(window.query_by_label_contains(words).is_none());
    window.state_mut().session.experiment.draft.epochs = 3;
    wait_until_idle(&mut window);
    assert!(window.query_all_by_label_contains(words).next().is_some());
    assert!(!window.state().session.can_start());
    // Longer tasks have epochs in which the PET learns.
    window.state_mut().session.experiment.draft.min_steps = 1000;
    wait_until_idle(&mut window);
    assert!(window.state().session.can_start());
    window.state_mut().session.experiment.draft.min_steps = 0;
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "all-frozen");
    window.get_by_label("Freeze 1").click();
    wait_until_idle(&mut window);
    let freeze_epochs =
        window.state().session.experiment.draft.settings.get("freeze_epochs").cloned();
    assert_eq!(freeze_epochs, Some(Setting::Whole(1)));
    assert!(window.query_by_label_contains(words).is_none());
}

/// Opening the letters blocks while the lock is held.
struct SlowLetters(Disk, Arc<RwLock<()>>);

impl Sources for SlowLetters {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn open_data(&self, ask: &DataRequest, progress: &Progress) -> Result<DataView> {
        if ask.location == "letters" {
            drop(self.1.read());
        }
        self.0.open_data(ask, progress)
    }
}

#[test]
fn settings_follow_latest_method_while_dataset_opens() {
    let runs = tempfile::tempdir().unwrap();
    let lock = Arc::new(RwLock::new(()));
    let sources = SlowLetters(Disk::new(runs.path().to_path_buf()), lock.clone());
    let mut window = super::window([1280.0, 1100.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    open_steps(&mut window);
    let guard = lock.write().unwrap();
    window.state_mut().session.choose_data("letters");
    for (key, learns) in [("simplecil", false), ("lae", true), ("simplecil", false)] {
        let spec = find_method(key).unwrap();
        window.state_mut().session.choose_method(spec);
        window.run_steps(6);
        assert!(window.state().session.experiment.data.is_busy());
        assert_eq!(enabled(&window, NUMBER_FIELD, "Epochs"), learns, "{key}");
        let (command, _) = window.state().session.shell_command();
        assert_eq!(command.contains("--epochs"), learns, "{command}");
    }
    drop(guard);
    wait_until_idle(&mut window);
    assert!(!enabled(&window, NUMBER_FIELD, "Epochs"));
}
