//! The plugin editor: errors and fixes, saving and using, restarts, changes by
//! other programs, and installing dropped plugins.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::pet::library::BUILT_IN;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::editor::{OpenPlugin, StoredText};
use lae_studio::session::{Disk, Session};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::{DroppedPath, save_screenshot, wait, wait_until_idle, window_with};

const SIZE: [f32; 2] = [1440.0, 1000.0];

/// AdaptFormer as in its paper, with two errors: an unknown function and a transposed matrix.
const INVALID_PLUGIN: &str = r#"name = "My AdaptFormer"
description = "A bottleneck beside the MLP."
reference = "Chen et al., NeurIPS 2022"

sites = ["mlp"]

[sizes]
size = { symbol = "r", default = 16, max = 64 }

[parameters]
down = { shape = ["d", "r"], init = "kaiming_uniform" }
up   = { shape = ["d", "r"], init = "zeros" }
s    = { shape = [1, 1], init = "constant(0.1)", fixed = true }

[equations]
mlp = "h + s * (rellu(e @ down) @ up)"
"#;

/// Opens the page Plugins with the user's plugins in this folder.
fn open_plugins(folder: &Path, settings: Settings) -> Harness<'static, StudioApp> {
    open_plugins_with(folder, settings, None)
}

fn open_plugins_with(
    folder: &Path,
    settings: Settings,
    file: Option<std::path::PathBuf>,
) -> Harness<'static, StudioApp> {
    let disk = Disk::new(folder.join("runs")).with_plugins(folder.join("plugins"));
    let mut window = window_with(SIZE, settings, file, move |wake| {
        let backend: Box<dyn Backend> = Box::new(RecordedBackend::default());
        Session::with_backend(backend, disk, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Plugins));
    wait_until_idle(&mut window);
    window
}

fn current_plugin(window: &Harness<'_, StudioApp>) -> OpenPlugin {
    window.state().session.editor.open.clone().unwrap()
}

/// Replaces the whole text and waits until it is checked.
fn replace_text(window: &mut Harness<'_, StudioApp>, text: &str) {
    window.get_by_label(tr!("editor-plugin-text")).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Paste(text.to_string()));
    window.run_steps(2);
    wait_until_checked(window);
    assert_eq!(current_plugin(window).text, text);
}

fn wait_until_checked(window: &mut Harness<'_, StudioApp>) {
    wait(window, "the text is checked", |app| {
        let open = app.session.editor.open.as_ref();
        open.is_some_and(|open| open.checked_version == open.version)
    });
}

#[test]
fn editor_reports_and_fixes_errors_of_new_plugin() {
    let folder = tempfile::tempdir().unwrap();
    let dark = Settings { theme: ThemeChoice::Dark, ..Settings::default() };
    let mut window = open_plugins(folder.path(), dark);
    save_screenshot(&mut window, "editor-0-list");
    window.get_by_label(tr!("plugins-new")).click();
    wait_until_idle(&mut window);
    wait_until_checked(&mut window);
    assert!(current_plugin(&window).is_valid());
    window.get_by_label(tr!("editor-no-errors"));
    replace_text(&mut window, INVALID_PLUGIN);
    // The results of the last valid version stay visible.
    window.get_by_label(&tr!("editor-errors", n = 1));
    window.get_by_label(&tr!("editor-error-place", line = 16, column = 17));
    assert!(shows!(window, "problem-function-unknown", name = "rellu"));
    window.get_by_label(tr!("editor-last-valid-version"));
    save_screenshot(&mut window, "editor-1-name");
    window.get_by_label(&tr!("editor-error-fix", text = "relu")).click();
    window.run_steps(3);
    wait_until_checked(&mut window);
    window.get_by_label(&tr!("editor-errors", n = 1));
    let reason = tr!("problem-product-inner-sizes", a = "16", b = "192");
    let why = tr!("problem-product-shapes-differ", a = "2×17×16", b = "192×16", reason);
    let part = "relu(e @ down) @ up";
    window.get_by_label_contains(&tr!("problem-equation-part", part, why));
    assert_eq!(current_plugin(&window).errors[0].0.0, 16);
    save_screenshot(&mut window, "editor-2-shape");
    let corrected = current_plugin(&window)
        .text
        .replace("up   = { shape = [\"d\", \"r\"]", "up   = { shape = [\"r\", \"d\"]");
    replace_text(&mut window, &corrected);
    window.get_by_label(tr!("editor-no-errors"));
    assert!(shows!(window, "editor-on-starts-identity"));
    assert!(shows!(window, "experiment-trainable-parameters", n = 30_720));
    wait(&mut window, "the plugin is measured", |app| {
        let open = app.session.editor.open.as_ref();
        open.is_some_and(|open| open.measurements.ready().is_some() && !open.is_measuring)
    });
    assert!(shows!(window, "editor-measured-times"));
    window.get_by_label_contains(tr!("editor-parameter-learns-second-step"));
    save_screenshot(&mut window, "editor-3-sound");
    window.get_by_label(tr!("editor-save")).click();
    wait_until_idle(&mut window);
    let file = folder.path().join("plugins/my-adaptformer.toml");
    assert_eq!(fs::read_to_string(&file).unwrap(), corrected);
    window.get_by_label(tr!("plugins-use")).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().page, Page::Experiment);
    let draft = &window.state().session.experiment.draft;
    assert_eq!((draft.pet.as_str(), draft.pet_size), ("my adaptformer", 16));
    assert!(window.state().session.experiment.plan.problems.is_empty());
    save_screenshot(&mut window, "editor-4-used");
}

#[test]
fn editor_completes_undoes_and_reopens_unsaved_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_plugins(folder.path(), Settings::default());
    window.get_by_label(tr!("plugins-copy-edit")).click();
    wait_until_idle(&mut window);
    assert!(current_plugin(&window).text.contains("name = \"My Adapter\""));
    replace_text(
        &mut window,
        "[parameters]\ndown = { shape = [\"d\", \"r\"], init = \"zeros\" }\n[equations]\nmlp = \"h + e @ d",
    );
    window.event(egui::Event::Text("o".into()));
    window.run_steps(3);
    wait_until_checked(&mut window);
    window.run_steps(3);
    save_screenshot(&mut window, "editor-5-names");
    window.key_press(egui::Key::Tab);
    window.run_steps(3);
    assert!(
        current_plugin(&window).text.ends_with("h + e @ down"),
        "{}",
        current_plugin(&window).text
    );
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    window.run_steps(3);
    assert!(
        current_plugin(&window).text.ends_with("h + e @ do"),
        "{}",
        current_plugin(&window).text
    );
    // Text closed without saving can be edited again.
    window.get_by_label(tr!("editor-close")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("plugins-continue-editing")).click();
    wait_until_idle(&mut window);
    assert!(current_plugin(&window).text.ends_with("h + e @ do"));
    window.get_by_label(tr!("editor-plugin-text")).focus();
    window.run_steps(2);
    // Find and replace.
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::F);
    window.run_steps(3);
    window.event(egui::Event::Text("down".into()));
    window.run_steps(3);
    window.get_by_label(&tr!("editor-find-count", n = 1));
    window.get_by_label(tr!("editor-replace-with"));
    wait_until_idle(&mut window);
}

#[test]
fn replace_skips_text_it_has_inserted() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_plugins(folder.path(), Settings::default());
    window.get_by_label(tr!("plugins-new")).click();
    wait_until_idle(&mut window);
    replace_text(&mut window, "# aaaa b aa\n");
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Home);
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::F);
    window.run_steps(3);
    window.event(egui::Event::Text("aa".into()));
    window.run_steps(3);
    window.get_by_label(&tr!("editor-find-count", n = 3));
    let press = |window: &mut Harness<'_, StudioApp>, label: &str| {
        window.get_by_label(label).click();
        window.run_steps(3);
        current_plugin(window).text
    };
    // Enter moves to the next match and inserts nothing.
    for _ in 0..2 {
        window.key_press(egui::Key::Enter);
        window.run_steps(3);
    }
    assert_eq!(current_plugin(&window).text, "# aaaa b aa\n");
    window.get_by_label(tr!("editor-replace-with")).focus();
    window.run_steps(2);
    window.event(egui::Event::Text("aaa".into()));
    window.run_steps(2);
    // The selected match is the second one, which touches the first.
    assert_eq!(press(&mut window, tr!("editor-replace")), "# aaaaa b aa\n");
    assert_eq!(press(&mut window, tr!("editor-replace")), "# aaaaa b aaa\n");
    // After the last match, the search starts again.
    assert_eq!(press(&mut window, tr!("editor-find-next")), "# aaaaa b aaa\n");
    assert_eq!(press(&mut window, tr!("editor-replace-all")), "# aaaaaaa b aaaa\n");
    window.get_by_label(tr!("editor-plugin-text")).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    window.run_steps(3);
    assert_eq!(current_plugin(&window).text, "# aaaaa b aaa\n");
}

#[test]
fn unsaved_text_survives_restart_and_external_changes_load() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("window.toml");
    let mut window = open_plugins_with(folder.path(), Settings::default(), Some(file.clone()));
    window.get_by_label(tr!("plugins-new")).click();
    wait_until_idle(&mut window);
    replace_text(&mut window, INVALID_PLUGIN);
    eframe::App::on_exit(window.state_mut());
    drop(window);
    let settings = Settings::load(Some(&file));
    assert_eq!(
        settings.writing.as_ref().map(|unsaved| unsaved.text.as_str()),
        Some(INVALID_PLUGIN)
    );

    let plugins = folder.path().join("plugins");
    fs::create_dir_all(&plugins).unwrap();
    let plugin_file = plugins.join("mine.toml");
    fs::write(&plugin_file, BUILT_IN[0].replace("\"Adapter\"", "\"Mine\"")).unwrap();
    let settings = Settings {
        writing: Some(StoredText {
            text: fs::read_to_string(&plugin_file).unwrap(),
            file: Some(plugin_file.clone()),
            ..StoredText::default()
        }),
        ..settings
    };
    let mut window = open_plugins_with(folder.path(), settings, Some(file));
    wait(&mut window, "the file is read", |app| {
        app.session.editor.open.as_ref().is_some_and(|open| !open.has_unsaved_changes())
    });
    let external_text = fs::read_to_string(&plugin_file).unwrap().replace("gelu", "relu");
    std::thread::sleep(Duration::from_millis(20));
    fs::write(&plugin_file, &external_text).unwrap();
    wait(&mut window, "external changes appear", |app| {
        app.session.editor.open.as_ref().is_some_and(|open| open.text == external_text)
    });
    // With unsaved changes, the editor asks first.
    wait_until_checked(&mut window);
    let unsaved_text = format!("{external_text}\n# mine\n");
    replace_text(&mut window, &unsaved_text);
    fs::write(&plugin_file, external_text.replace("relu", "tanh")).unwrap();
    wait(&mut window, "reloading is offered", |app| {
        app.session.editor.open.as_ref().is_some_and(|open| open.disk_text.is_some())
    });
    window.run_steps(3);
    window.get_by_label(tr!("editor-changed-on-disk"));
    window.get_by_label(tr!("editor-reload-file")).click();
    window.run_steps(3);
    assert!(current_plugin(&window).text.contains("tanh"));
    wait_until_idle(&mut window);
}

#[test]
fn dropped_plugin_needs_consent_to_override_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let mail = folder.path().join("mail");
    fs::create_dir_all(&mail).unwrap();
    let source_file = mail.join("adapter.toml");
    fs::write(&source_file, BUILT_IN[0].replace("gelu", "relu")).unwrap();
    let mut window = open_plugins(folder.path(), Settings::default());
    let dropped = Arc::new(DroppedPath(source_file.clone()));
    window.input_mut().dropped_files.push(dropped);
    window.run_steps(2);
    wait_until_idle(&mut window);
    wait_until_checked(&mut window);
    window.get_by_label(tr!("editor-not-installed"));
    window.get_by_label(&tr!("editor-overrides-built-in", name = "Adapter"));
    save_screenshot(&mut window, "editor-6-dropped");
    window.get_by_label(tr!("editor-install")).click();
    wait_until_idle(&mut window);
    assert!(!folder.path().join("plugins/adapter.toml").exists());
    assert!(shows!(window, "problem-built-in-plugin-name", name = "Adapter"));
    window.get_by_label("Override Adapter").click();
    wait_until_idle(&mut window);
    assert!(folder.path().join("plugins/adapter.toml").exists());
    window.get_by_label(tr!("editor-close")).click();
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("plugins-overrides-built-in", name = "Adapter"));
    window.get_by_label_contains("Installed on");
    save_screenshot(&mut window, "editor-7-installed");

    // A plugin copied into the folder is rejected until the user allows it.
    let lora = folder.path().join("plugins/lora.toml");
    fs::write(&lora, format!("{}# theirs\n", BUILT_IN[1])).unwrap();
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::change(Session::read_plugins));
    wait_until_idle(&mut window);
    let lora_state = |window: &Harness<'_, StudioApp>| {
        let session = &window.state().session;
        let plugin = session.inventory.plugins.iter().find(|plugin| plugin.name == "lora");
        plugin.map(|plugin| (plugin.hides, plugin.problem.is_some())).unwrap()
    };
    assert_eq!(lora_state(&window), (Some(false), true));
    let allow = UiCommand::change(|session| session.allow_plugin(lora));
    window.state_mut().execute(&ctx, allow);
    wait_until_idle(&mut window);
    assert_eq!(lora_state(&window), (Some(true), false));
}
