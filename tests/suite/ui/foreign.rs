//! Viewing runs of other users does not open the paths stored in them.

use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, NamedImage};
use lae_studio::session::loads::Lookup;
use lae_studio::store::RunFolder;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, wait_until_idle};
use crate::data::DatasetFixture;

#[test]
fn dataset_of_stored_run_opens_on_request() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("train/a", 4).write_class("train/b", 4);
    image_folder.write_class("test/a", 3).write_class("test/b", 3);
    let data_path = image_folder.path().to_string_lossy().into_owned();
    let runs = tempfile::tempdir().unwrap();
    let mut foreign_header = header();
    foreign_header.config = RunConfig { data: data_path.clone(), ..foreign_header.config };
    let folder = RunFolder::create(runs.path(), &mut foreign_header, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().session.choose_predictor(path);
    window.get_by_role_and_label(egui::Role::Tab, tr!("page-predict")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "shell-data-location"));
    assert!(!shows!(window, "predict-sample-of-class"));
    let session = &mut window.state_mut().session;
    let config = foreign_header.config.clone();
    assert!(session.needs_permission(&config));
    assert!(matches!(session.data_of(&config), Lookup::Absent));
    // Built-in data sets need no question.
    assert!(!session.needs_permission(&RunConfig::default()));
    window.get_by_label(tr!("shell-data-open")).click();
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let samples =
        window.query_all_by_label_contains(&tr!("predict-sample-of-class", class = "")).count();
    assert_eq!(samples, 6);
}

#[test]
fn weights_on_network_share_need_user_choice() {
    let runs = tempfile::tempdir().unwrap();
    let mut foreign_header = header();
    let share = r"\\192.0.2.1\share\w.pth";
    foreign_header.config.backbone = share.into();
    let folder = RunFolder::create(runs.path(), &mut foreign_header, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let has_predict_command = || {
        let commands = backend.commands();
        commands.iter().any(|command| matches!(command, Command::Predict(_)))
    };
    let image = NamedImage { name: "grey".into(), width: 1, height: 1, rgb: vec![90; 3] };
    let session = &mut window.state_mut().session;
    session.choose_predictor(path);
    session.predict_image(image.into(), None);
    let problem = session.predict.problem.clone().unwrap();
    assert!(problem.place.contains("192.0.2.1"), "{problem}");
    assert!(!has_predict_command());
    // Once the user has chosen the path, it is used.
    session.experiment.draft.backbone = share.into();
    session.predict_again();
    assert!(has_predict_command());
}

#[test]
fn loading_settings_asks_before_accessing_network_share() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let share = r"\\192.0.2.1\birds";
    let foreign = RunConfig { data: share.into(), ..RunConfig::default() };
    assert_eq!(window.state().session.unapproved_locations(&foreign), [share]);
    let ctx = window.ctx.clone();
    let load_settings = || UiCommand::LoadSettings(Box::new(foreign.clone()));
    window.state_mut().execute(&ctx, load_settings());
    wait_until_idle(&mut window);
    window.get_by_label_contains("This run refers to \\\\192.0.2.1\\birds");
    assert_ne!(window.state().session.experiment.draft.data, share);
    window.get_by_label(tr!("shell-cancel")).click();
    wait_until_idle(&mut window);
    assert_ne!(window.state().session.experiment.draft.data, share);
    window.state_mut().execute(&ctx, load_settings());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-ask-access-yes")).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft.data, share);
}
