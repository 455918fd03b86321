//! Additional folders of runs: adding, listing, remembering, missing and removing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::{Settings, ThemeChoice};
#[cfg(unix)]
use lae_studio::ui::widgets::input::is_dialog_open;

use super::annotations::{fill, open_compare, store_seeded_run};
use super::{DroppedPath, save_screenshot, wait_until_idle, window_with};

/// A window that remembers these folders and keeps its settings in a file.
fn open_window_with_folders(
    runs: &Path,
    folders: Vec<PathBuf>,
    file: PathBuf,
) -> Harness<'static, StudioApp> {
    let settings = Settings { theme: ThemeChoice::Dark, folders, ..Settings::default() };
    let runs = runs.to_path_buf();
    let mut window = window_with([1280.0, 900.0], settings, Some(file), move |wake| {
        let backend: Box<dyn Backend> = Box::new(RecordedBackend::default());
        Session::with_backend(backend, Disk::new(runs), RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-compare")).click();
    wait_until_idle(&mut window);
    window
}

fn titles(window: &Harness<'_, StudioApp>) -> Vec<String> {
    let rows = window.state().session.compare.runs.ready().unwrap();
    rows.iter().map(|row| row.list_label()).collect()
}

#[test]
fn run_folders_can_be_added_and_removed() {
    let (runs, other_runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = other_runs.path().join("shared runs");
    let empty = other_runs.path().join("empty");
    for folder in [&shared, &empty] {
        std::fs::create_dir(folder).unwrap();
    }
    store_seeded_run(runs.path(), 1);
    let other_run = store_seeded_run(&shared, 2);
    let mut window = open_compare(runs.path());
    window.get_by_label(tr!("compare-folders")).click();
    window.run_steps(3);
    fill(&mut window, tr!("shell-folders-path"), &empty.display().to_string());
    window.get_by_label(tr!("shell-folders-add")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "notices-run-folder-empty"));
    // A path is kept until its folder is added.
    let typed = |window: &Harness<'_, StudioApp>| {
        window.get_by_label(tr!("shell-folders-path")).accesskit_node().value()
    };
    assert_eq!(typed(&window), Some(empty.display().to_string()));
    fill(&mut window, tr!("shell-folders-path"), &shared.display().to_string());
    window.key_press(egui::Key::Enter);
    wait_until_idle(&mut window);
    window.get_by_label("1 run");
    assert_eq!(typed(&window).unwrap_or_default(), "");
    save_screenshot(&mut window, "folders");
    window.get_by_label(tr!("shell-close")).click();
    wait_until_idle(&mut window);
    let listed = titles(&window);
    assert_eq!(listed.len(), 2);
    let marked = listed.iter().filter(|title| title.ends_with("in shared runs"));
    assert_eq!(marked.count(), 1, "{listed:?}");
    window.get_by_label_contains("· in shared runs");
    save_screenshot(&mut window, "folders-listed");
    // Runs deleted there go to the trash of that folder and can be restored.
    window.state_mut().session.delete(vec![other_run.clone()]);
    wait_until_idle(&mut window);
    assert!(shared.join(".trash").is_dir() && !other_run.exists());
    window.get_by_label(tr!("shell-undo")).click();
    wait_until_idle(&mut window);
    assert!(other_run.is_dir());
    window.get_by_label(&tr!("compare-folders-of", n = 1)).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-folders-remove")).click();
    wait_until_idle(&mut window);
    assert_eq!(titles(&window).len(), 1);
    assert!(other_run.is_dir());
    window.get_by_label(tr!("shell-close")).click();
    wait_until_idle(&mut window);
    // Dropping the folders of runs adds their parent folder once.
    let second_run = store_seeded_run(&shared, 3);
    for run in [other_run, second_run] {
        window.input_mut().dropped_files.push(Arc::new(DroppedPath(run)));
    }
    window.step();
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    assert_eq!(titles(&window).len(), 3);
}

#[test]
fn remembers_run_folders_and_reports_missing_one_once() {
    let (runs, other_runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store_seeded_run(runs.path(), 1);
    store_seeded_run(other_runs.path(), 2);
    let file = runs.path().join("window.toml");
    let missing_folder = other_runs.path().join("gone");
    let folders = vec![other_runs.path().to_path_buf(), missing_folder.clone()];
    let mut window = open_window_with_folders(runs.path(), folders.clone(), file.clone());
    assert_eq!(titles(&window).len(), 2);
    let missing_notice_count = |window: &Harness<'_, StudioApp>| {
        let notices = window.state().session.notices.list.iter();
        let reports_missing = |what: &str| what.contains(tr!("shell-folders-missing"));
        notices.filter(|notice| reports_missing(&notice.problem.what)).count()
    };
    assert_eq!(missing_notice_count(&window), 1);
    // It is reported only once.
    window.get_by_label(tr!("compare-reload")).click();
    wait_until_idle(&mut window);
    assert_eq!(missing_notice_count(&window), 1);
    window.get_by_label(&tr!("compare-folders-of", n = 2)).click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-folders-missing"));
    window.get_all_by_label(tr!("shell-folders-remove")).next_back().unwrap().click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-close")).click();
    window.run_steps(3);
    eframe::App::on_exit(window.state_mut());
    assert_eq!(Settings::load(Some(&file)).folders, folders[..1]);
}

#[cfg(unix)]
fn set_mode(folder: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder, permissions).unwrap();
}

#[cfg(unix)]
#[test]
fn selected_read_only_runs_cannot_be_tagged_or_deleted() {
    let (runs, other_runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store_seeded_run(other_runs.path(), 2);
    store_seeded_run(other_runs.path(), 3);
    set_mode(other_runs.path(), 0o555);
    let file = runs.path().join("window.toml");
    let mut window =
        open_window_with_folders(runs.path(), vec![other_runs.path().to_path_buf()], file);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    wait_until_idle(&mut window);
    for change in [tr!("compare-selected-tags"), tr!("compare-selected-delete")] {
        assert!(window.get_by_label(change).accesskit_node().is_disabled());
    }
    for key in [egui::Key::Delete, egui::Key::F2] {
        window.key_press(key);
        wait_until_idle(&mut window);
        assert!(!is_dialog_open(&window.ctx));
    }
    assert!(window.state().session.notices.list.is_empty());
    set_mode(other_runs.path(), 0o755);
}

#[cfg(unix)]
#[test]
fn read_only_folder_opens_runs_but_disables_changes() {
    use egui_kittest::kittest::NodeT;
    let (runs, other_runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store_seeded_run(other_runs.path(), 2);
    set_mode(other_runs.path(), 0o555);
    let file = runs.path().join("window.toml");
    let mut window =
        open_window_with_folders(runs.path(), vec![other_runs.path().to_path_buf()], file);
    window.get_by_label_contains("(read-only)");
    save_screenshot(&mut window, "folders-read-only");
    for change in [tr!("compare-name-run"), tr!("compare-delete")] {
        assert!(window.get_by_label(change).accesskit_node().is_disabled());
    }
    window.get_by_label(tr!("compare-open")).click();
    wait_until_idle(&mut window);
    assert!(window.state().session.train.opened.is_some());
    assert!(window.get_by_label(tr!("train-teach-classes")).accesskit_node().is_disabled());
    set_mode(other_runs.path(), 0o755);
}

#[test]
fn dropped_packed_run_is_added_only_once() {
    let (runs, other_runs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let other_run = store_seeded_run(other_runs.path(), 2);
    let file = other_runs.path().join("theirs.laerun.zip");
    lae_studio::store::pack(&other_run, &file).unwrap();
    let settings = runs.path().join("window.toml");
    let mut window = open_window_with_folders(runs.path(), Vec::new(), settings);
    for _ in 0..2 {
        let dropped = Arc::new(DroppedPath(file.clone()));
        window.input_mut().dropped_files.push(dropped);
        window.step();
        wait_until_idle(&mut window);
        wait_until_idle(&mut window);
        assert_eq!(titles(&window).len(), 1);
    }
    let messages: Vec<&str> = window
        .state()
        .session
        .notices
        .list
        .iter()
        .map(|notice| notice.problem.what.as_str())
        .collect();
    assert_says!(messages[0], "session-run-unpacked");
    assert_says!(messages[1], "problem-run-exists");
}

#[test]
fn revealing_missing_folder_reports_error() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = open_compare(runs.path());
    let missing_file = runs.path().join("gone/table.csv");
    window.state_mut().session.reveal(&missing_file);
    wait_until_idle(&mut window);
    let notices = &window.state().session.notices.list;
    let flags: Vec<_> = notices.iter().map(|notice| (notice.is_error, notice.is_success)).collect();
    assert_eq!(flags, [(true, false)]);
    assert!(shows!(window, "notices-folder-missing"));
}
