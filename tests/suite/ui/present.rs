//! The presenter's view: a guess before each task, then the result.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::event::RunHeader;
use lae_studio::session::companion::Beside;
use lae_studio::store::RunFolder;
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{events, header, report};
use super::{recorded, settle, shot};

fn press(window: &mut Harness<'_, StudioApp>, key: egui::Key) {
    window.key_press(key);
    window.run_steps(4);
}

#[test]
fn a_run_is_told_task_by_task_with_a_guess_before_each() {
    let runs = tempfile::tempdir().unwrap();
    for size in [[1920.0, 1080.0], [900.0, 600.0]] {
        let (mut window, backend) = recorded(size, ThemeChoice::Light, runs.path());
        press(&mut window, egui::Key::F11);
        window.get_by_label(tr!("present-no-run"));
        press(&mut window, egui::Key::F11);
        events(3).into_iter().for_each(|event| backend.push(event));
        settle(&mut window);
        press(&mut window, egui::Key::F11);
        assert!(
            window
                .query_by_role_and_label(egui::Role::Tab, tr!("page-train"))
                .is_none()
        );
        assert!(shows!(window, "present-guess-first-task", next = "0, 1"));
        press(&mut window, egui::Key::ArrowRight);
        window.get_by_label_contains("Correct for 0, 1: LAE 100\u{a0}%.");
        window.get_by_label(tr!("present-next")).click();
        window.run_steps(3);
        assert!(shows!(window, "present-guess", next = "2, 3"));
        shot(&mut window, &format!("present-guess-{}", size[0]));
        press(&mut window, egui::Key::PageDown);
        assert!(shows!(window, "present-still-correct", first = "0, 1"));
        shot(&mut window, &format!("present-told-{}", size[0]));
        // Task 4 is being learned: the view waits there.
        for _ in 0..6 {
            press(&mut window, egui::Key::Space);
        }
        assert!(shows!(window, "present-guess-learning"));
        press(&mut window, egui::Key::ArrowLeft);
        assert!(shows!(window, "present-task-of-tasks", task = 3, tasks = 5));
        press(&mut window, egui::Key::Escape);
        window.get_by_role_and_label(egui::Role::Tab, tr!("page-train"));
    }
}

#[test]
fn another_method_with_the_same_tasks_stands_beside_the_run_in_the_chosen_language() {
    let runs = tempfile::tempdir().unwrap();
    let stored = |change: &dyn Fn(&mut RunHeader)| {
        let mut header = header();
        header.config.method = "baseline".into();
        header.method.title = "Baseline".into();
        change(&mut header);
        let folder = RunFolder::create(runs.path(), &mut header, "").unwrap();
        for task in 0..5 {
            folder
                .save_task(&report(task), &Default::default())
                .unwrap();
        }
        folder.finish(false).unwrap();
        header.folder
    };
    let same = stored(&|_| {});
    stored(&|header| header.class_order.reverse());
    let (mut window, backend) = recorded([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    events(5).into_iter().for_each(|event| backend.push(event));
    settle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.opposite().map(|other| other.folder), Some(same));
    assert_eq!(session.opposites().count(), 1, "not the other order");
    let ctx = window.ctx.clone();
    window
        .state_mut()
        .act(&ctx, UiCommand::SetLanguage(Language::German));
    press(&mut window, egui::Key::F11);
    press(&mut window, egui::Key::ArrowRight);
    window.get_by_label_contains("Richtig bei 0, 1: LAE 100\u{a0}%, Baseline 100\u{a0}%.");
    for _ in 0..8 {
        press(&mut window, egui::Key::ArrowRight);
    }
    shot(&mut window, "present-two");
    window.get_by_label_contains("am stärksten vergessen");
    window.get_by_label("Lauf wählen");
    window.state_mut().session.train.beside = Beside::Nothing;
    settle(&mut window);
    assert!(window.state().session.opposite().is_none());
    // A dialog above the view, or a list that is open, has the keys.
    window.state_mut().act(&ctx, UiCommand::Help);
    window.run_steps(4);
    let title = |window: &Harness<'_, StudioApp>| {
        let title = window.query_by_label_contains("am stärksten vergessen");
        title.is_some()
    };
    assert!(title(&window));
    press(&mut window, egui::Key::ArrowLeft);
    assert!(title(&window), "the arrow was for the dialog");
    press(&mut window, egui::Key::Escape);
    assert!(
        window
            .query_by_role_and_label(egui::Role::Tab, "Training")
            .is_none()
    );
    window.get_by_label("Lauf wählen").click();
    window.run_steps(4);
    press(&mut window, egui::Key::Escape);
    assert!(
        window
            .query_by_role_and_label(egui::Role::Tab, "Training")
            .is_none()
    );
    press(&mut window, egui::Key::Escape);
    window.get_by_role_and_label(egui::Role::Tab, "Training");
    // With nothing to show, too.
    let empty = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([900.0, 600.0], ThemeChoice::Light, empty.path());
    settle(&mut window);
    press(&mut window, egui::Key::F11);
    press(&mut window, egui::Key::Escape);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-train"));
}
