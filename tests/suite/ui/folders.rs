//! Additional folders of runs: adding, listing, remembering, missing and removing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::{Backend, Recorded};
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::named::{compare, fill, finished};
use super::{Dropped, settle, shot, window_with};

/// A window that remembers these folders and keeps its settings in a file.
fn with_folders(runs: &Path, folders: Vec<PathBuf>, file: PathBuf) -> Harness<'static, StudioApp> {
    let settings = Settings {
        theme: ThemeChoice::Dark,
        folders,
        ..Settings::default()
    };
    let runs = runs.to_path_buf();
    let mut window = window_with([1280.0, 900.0], settings, Some(file), move |wake| {
        let backend: Box<dyn Backend> = Box::new(Recorded::default());
        Session::with(backend, Disk::at(runs), RunConfig::default(), wake)
    });
    settle(&mut window);
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-compare"))
        .click();
    settle(&mut window);
    window
}

fn titles(window: &Harness<'_, StudioApp>) -> Vec<String> {
    let rows = window.state().session.compare.runs.ready().unwrap();
    rows.iter().map(|row| row.line()).collect()
}

#[test]
fn run_folders_can_be_added_and_removed() {
    let (runs, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shared = others.path().join("shared runs");
    let empty = others.path().join("empty");
    for folder in [&shared, &empty] {
        std::fs::create_dir(folder).unwrap();
    }
    finished(runs.path(), 1);
    let theirs = finished(&shared, 2);
    let mut window = compare(runs.path());
    window.get_by_label(tr!("compare-folders")).click();
    window.run_steps(3);
    fill(
        &mut window,
        tr!("shell-folders-path"),
        &empty.display().to_string(),
    );
    window.get_by_label(tr!("shell-folders-add")).click();
    settle(&mut window);
    assert!(shows!(window, "notices-run-folder-empty"));
    fill(
        &mut window,
        tr!("shell-folders-path"),
        &shared.display().to_string(),
    );
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    window.get_by_label("1 run");
    shot(&mut window, "folders");
    window.get_by_label(tr!("shell-close")).click();
    settle(&mut window);
    let listed = titles(&window);
    assert_eq!(listed.len(), 2);
    let marked = listed
        .iter()
        .filter(|title| title.ends_with("in shared runs"));
    assert_eq!(marked.count(), 1, "{listed:?}");
    window.get_by_label_contains("· in shared runs");
    shot(&mut window, "folders-listed");
    // Runs deleted there go to the trash of that folder and can be restored.
    window.state_mut().session.delete(vec![theirs.clone()]);
    settle(&mut window);
    assert!(shared.join(".trash").is_dir() && !theirs.exists());
    window.get_by_label(tr!("shell-undo")).click();
    settle(&mut window);
    assert!(theirs.is_dir());
    window
        .get_by_label(&tr!("compare-folders-of", n = 1))
        .click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-folders-remove")).click();
    settle(&mut window);
    assert_eq!(titles(&window).len(), 1);
    assert!(theirs.is_dir());
    window.get_by_label(tr!("shell-close")).click();
    settle(&mut window);
    // Dropping the folder of a run adds its parent folder.
    let drop = Arc::new(Dropped(theirs));
    window.input_mut().dropped_files.push(drop);
    window.step();
    settle(&mut window);
    settle(&mut window);
    assert_eq!(titles(&window).len(), 2);
}

#[test]
fn remembers_run_folders_and_reports_missing_one_once() {
    let (runs, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    finished(runs.path(), 1);
    finished(others.path(), 2);
    let file = runs.path().join("window.toml");
    let gone = others.path().join("gone");
    let folders = vec![others.path().to_path_buf(), gone.clone()];
    let mut window = with_folders(runs.path(), folders.clone(), file.clone());
    assert_eq!(titles(&window).len(), 2);
    let told = |window: &Harness<'_, StudioApp>| {
        let notices = window.state().session.notices.list.iter();
        let missing = |what: &str| what.contains(tr!("shell-folders-missing"));
        notices
            .filter(|notice| missing(&notice.problem.what))
            .count()
    };
    assert_eq!(told(&window), 1);
    // It is reported only once.
    window.get_by_label(tr!("compare-reload")).click();
    settle(&mut window);
    assert_eq!(told(&window), 1);
    window
        .get_by_label(&tr!("compare-folders-of", n = 2))
        .click();
    window.run_steps(3);
    window.get_by_label(tr!("shell-folders-missing"));
    window
        .get_all_by_label(tr!("shell-folders-remove"))
        .next_back()
        .unwrap()
        .click();
    settle(&mut window);
    window.get_by_label(tr!("shell-close")).click();
    window.run_steps(3);
    eframe::App::on_exit(window.state_mut());
    assert_eq!(Settings::load(Some(&file)).folders, folders[..1]);
}

#[cfg(unix)]
#[test]
fn read_only_folder_opens_runs_but_disables_changes() {
    use egui_kittest::kittest::NodeT;
    use std::os::unix::fs::PermissionsExt;
    let (runs, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    finished(others.path(), 2);
    let mode = |mode| {
        let may = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(others.path(), may).unwrap();
    };
    mode(0o555);
    let file = runs.path().join("window.toml");
    let mut window = with_folders(runs.path(), vec![others.path().to_path_buf()], file);
    window.get_by_label_contains("(read-only)");
    shot(&mut window, "folders-read-only");
    for change in [tr!("compare-name-run"), tr!("compare-delete")] {
        assert!(window.get_by_label(change).accesskit_node().is_disabled());
    }
    window.get_by_label(tr!("compare-open")).click();
    settle(&mut window);
    assert!(window.state().session.train.opened.is_some());
    mode(0o755);
}

#[test]
fn dropped_packed_run_is_added_only_once() {
    let (runs, others) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let theirs = finished(others.path(), 2);
    let file = others.path().join("theirs.laerun.zip");
    lae_studio::store::pack(&theirs, &file).unwrap();
    let settings = runs.path().join("window.toml");
    let mut window = with_folders(runs.path(), Vec::new(), settings);
    for _ in 0..2 {
        let drop = Arc::new(Dropped(file.clone()));
        window.input_mut().dropped_files.push(drop);
        window.step();
        settle(&mut window);
        settle(&mut window);
        assert_eq!(titles(&window).len(), 1);
    }
    let told: Vec<&str> = window
        .state()
        .session
        .notices
        .list
        .iter()
        .map(|notice| notice.problem.what.as_str())
        .collect();
    assert_says!(told[0], "story-run-unpacked");
    assert_says!(told[1], "problem-run-exists");
}

#[test]
fn revealing_missing_folder_reports_error() {
    let runs = tempfile::tempdir().unwrap();
    let mut window = compare(runs.path());
    let gone = runs.path().join("gone/table.csv");
    window.state_mut().session.reveal(&gone);
    settle(&mut window);
    let notices = &window.state().session.notices.list;
    let told: Vec<_> = notices.iter().map(|told| (told.bad, told.good)).collect();
    assert_eq!(told, [(true, false)]);
    assert!(shows!(window, "notices-folder-missing"));
}
