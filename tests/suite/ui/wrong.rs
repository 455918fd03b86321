//! Invalid input is reported clearly, and the window keeps working.

use lae_studio::problem::Problem;
use std::sync::Arc;

use egui_kittest::kittest::Queryable;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::events;
use super::{DroppedPath, recorded_window, save_screenshot, wait_until_idle};

#[test]
fn unusable_files_dropped_on_predict_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "no pixels here").unwrap();
    let (mut window, backend) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, folder.path());
    window.step();
    events(2).into_iter().for_each(|event| backend.push(event));
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    for path in [text.clone(), folder.path().to_path_buf(), folder.path().join("gone.png")] {
        window.input_mut().dropped_files.push(Arc::new(DroppedPath(path.clone())));
        window.step();
        wait_until_idle(&mut window);
        let problem = window.state().session.predict.problem.clone().unwrap();
        assert!(!problem.what.contains('\n'), "{problem}");
        assert!(!problem.remedy.is_empty(), "{problem}");
    }
    save_screenshot(&mut window, "wrong-predict");
}

#[test]
fn folder_without_classes_is_refused_with_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("readme.txt"), "nothing to see").unwrap();
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let path = folder.path().to_path_buf();
    window.input_mut().dropped_files.push(Arc::new(DroppedPath(path)));
    window.step();
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Experiment);
    let problem = window.state().session.experiment.data.problem().cloned().unwrap();
    assert!(!problem.what.contains('\n'), "{problem}");
    save_screenshot(&mut window, "wrong-data");
}

#[test]
fn huge_epoch_count_is_reported_without_crash() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    // "Duplicate" can load this value from the file of a run.
    window.state_mut().session.experiment.draft.epochs = usize::MAX;
    wait_until_idle(&mut window);
    // The value stays unchanged, and the page reports the problem.
    let session = &window.state().session;
    assert_eq!(session.experiment.draft.epochs, usize::MAX);
    let is_about_epochs = |problem: &&Problem| problem.place == "--epochs";
    let problem = session.experiment.plan.problems.iter().find(is_about_epochs).cloned();
    let words = lae_studio::session::explanation::sentence(&problem.unwrap().what);
    assert!(window.query_all_by_label_contains(&words).next().is_some());
}

#[test]
fn single_class_task_warns_and_offers_sizes() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    assert!(!shows!(window, "problem-single-class-task"));
    window.state_mut().session.experiment.draft.classes_per_task = "3".into();
    wait_until_idle(&mut window);
    assert!(shows!(window, "problem-single-class-task", task = 4));
    // The run can still be started.
    assert!(window.state().session.experiment.plan.problems.is_empty());
    window.get_by_label("Use 3,3,4").click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft.classes_per_task, "3,3,4");
    assert!(!shows!(window, "problem-single-class-task"));
}
