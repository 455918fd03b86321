//! Deleting runs, restoring them by undo or from the list, and erasing them.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::event::Event;
use lae_studio::run::job::Job;
use lae_studio::session::views::Fetch;
use lae_studio::store;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::annotations::{open_compare, store_seeded_run};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// Clicks the title of the run with this seed, with these keys held.
fn click_run(window: &mut Harness<'_, StudioApp>, seed: u64, keys: Modifiers) {
    let title = format!("seed {seed}");
    let is_button =
        |node: &egui_kittest::Node<'_>| node.accesskit_node().role() == egui::Role::Button;
    let titles: Vec<_> = window.get_all_by_label_contains(&title).collect();
    let button = titles.iter().find(|node| is_button(node)).unwrap();
    button.click_modifiers(keys);
    window.run_steps(3);
}

#[test]
fn deletes_selected_runs_and_undoes_from_notice() {
    let runs = tempfile::tempdir().unwrap();
    let folders: Vec<_> = (1..=4).map(|seed| store_seeded_run(runs.path(), seed)).collect();
    let mut window = open_compare(runs.path());
    click_run(&mut window, 1, Modifiers::NONE);
    click_run(&mut window, 3, Modifiers::COMMAND);
    window.get_by_label(&tr!("compare-selected", n = 2));
    save_screenshot(&mut window, "chosen");
    window.key_press(Key::Delete);
    wait_until_idle(&mut window);
    assert!(!folders[0].exists() && !folders[2].exists());
    assert!(folders[1].exists() && folders[3].exists());
    window.get_by_label_contains(&tr!("notices-runs-deleted", n = 2));
    save_screenshot(&mut window, "deleted");
    window.get_by_label(tr!("shell-undo")).click();
    wait_until_idle(&mut window);
    assert!(folders.iter().all(|folder| folder.exists()));
    assert_absent!(window, "shell-undo");
    assert_eq!(window.state().session.compare.runs.ready().unwrap().len(), 4);
}

#[test]
fn deleted_runs_dialog_restores_and_erases_after_confirmation() {
    let runs = tempfile::tempdir().unwrap();
    let folders: Vec<_> = (1..=2).map(|seed| store_seeded_run(runs.path(), seed)).collect();
    let mut window = open_compare(runs.path());
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(3);
    window.get_by_label(tr!("compare-delete")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("compare-none"));
    window.get_by_label(tr!("compare-deleted")).click();
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "deleted-runs");
    window.get_all_by_label(tr!("shell-deleted-restore")).next_back().unwrap().click();
    wait_until_idle(&mut window);
    assert_eq!(folders.iter().filter(|folder| folder.exists()).count(), 1);
    window.get_by_label(tr!("shell-deleted-delete")).click();
    window.run_steps(3);
    assert!(shows!(window, "shell-ask-delete-what", n = 1));
    save_screenshot(&mut window, "erase");
    // Both Escape and Enter cancel, because erasing cannot be undone.
    for key in [Key::Escape, Key::Enter] {
        window.key_press(key);
        wait_until_idle(&mut window);
        assert!(!shows!(window, "shell-ask-delete-what", n = 1));
        assert_eq!(store::list_deleted(runs.path()).len(), 1);
        window.get_by_label(tr!("shell-deleted-delete")).click();
        window.run_steps(3);
    }
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.get_by_label(tr!("shell-deleted-delete")).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-ask-delete-yes")).click();
    wait_until_idle(&mut window);
    assert!(store::list_deleted(runs.path()).is_empty());
    window.get_by_label(tr!("shell-deleted-none"));
    window.get_by_label(tr!("shell-close")).click();
    window.run_steps(3);
    assert!(matches!(window.state().session.compare.deleted, Fetch::Ready(_)));
}

#[test]
fn running_and_queued_runs_cannot_be_deleted() {
    let runs = tempfile::tempdir().unwrap();
    let (running, queued) = (store_seeded_run(runs.path(), 1), store_seeded_run(runs.path(), 2));
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let header = store::load_run(&running).unwrap().header;
    backend.push(Event::Started(Box::new(header)));
    let job = Job::resume(queued.clone(), None, "next".into());
    backend.push(Event::Queued { job: Box::new(job), place: 0 });
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    assert!(session.is_in_use(&running) && session.is_in_use(&queued));
    session.delete(vec![running.clone(), queued.clone()]);
    wait_until_idle(&mut window);
    assert!(running.exists() && queued.exists());
    window.get_by_label_contains(&tr!("notices-trash-run-active", n = 2));
}
