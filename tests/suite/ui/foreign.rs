//! Viewing runs of other users does not open the paths stored in them.

use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Picture};
use lae_studio::session::loads::Lookup;
use lae_studio::store::RunFolder;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded, settle};
use crate::data::Made;

#[test]
fn data_set_of_stored_run_opens_on_request() {
    let made = Made::new();
    made.class("train/a", 4).class("train/b", 4);
    made.class("test/a", 3).class("test/b", 3);
    let place = made.path().to_string_lossy().into_owned();
    let runs = tempfile::tempdir().unwrap();
    let mut of_others = header();
    of_others.config = RunConfig {
        data: place.clone(),
        ..of_others.config
    };
    let folder = RunFolder::create(runs.path(), &mut of_others, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    window.state_mut().session.choose_predictor(path);
    window
        .get_by_role_and_label(egui::Role::Tab, tr!("page-predict"))
        .click();
    settle(&mut window);
    assert!(shows!(window, "shell-data-location"));
    assert!(!shows!(window, "predict-sample-of-class"));
    let session = &mut window.state_mut().session;
    let config = of_others.config.clone();
    assert!(session.asks_before_opening(&config));
    assert!(matches!(session.data_of(&config), Lookup::Absent));
    // Built-in data sets need no question.
    assert!(!session.asks_before_opening(&RunConfig::default()));
    window.get_by_label(tr!("shell-data-open")).click();
    settle(&mut window);
    settle(&mut window);
    let samples = window
        .query_all_by_label_contains(&tr!("predict-sample-of-class", class = ""))
        .count();
    assert_eq!(samples, 6);
}

#[test]
fn weights_on_network_share_need_user_choice() {
    let runs = tempfile::tempdir().unwrap();
    let mut of_others = header();
    let share = r"\\192.0.2.1\share\w.pth";
    of_others.config.backbone = share.into();
    let folder = RunFolder::create(runs.path(), &mut of_others, "").unwrap();
    folder.save_task(&report(0), &Default::default()).unwrap();
    let path = folder.path().to_path_buf();
    drop(folder);
    let (mut window, backend) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let asked = || {
        let all = backend.asked();
        all.iter()
            .any(|command| matches!(command, Command::Predict(_)))
    };
    let picture = Picture {
        name: "grey".into(),
        width: 1,
        height: 1,
        rgb: vec![90; 3],
    };
    let session = &mut window.state_mut().session;
    session.choose_predictor(path);
    session.predict_picture(picture.into(), None);
    let problem = session.predict.problem.clone().unwrap();
    assert!(problem.place.contains("192.0.2.1"), "{problem}");
    assert!(!asked());
    // Once the user has chosen the path, it is used.
    session.experiment.draft.backbone = share.into();
    session.predict_again();
    assert!(asked());
}

#[test]
fn loading_settings_asks_before_accessing_network_share() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    settle(&mut window);
    let share = r"\\192.0.2.1\birds";
    let foreign = RunConfig {
        data: share.into(),
        ..RunConfig::default()
    };
    assert_eq!(window.state().session.unvisited(&foreign), [share]);
    let ctx = window.ctx.clone();
    let again = || UiCommand::LoadSettings(Box::new(foreign.clone()));
    window.state_mut().act(&ctx, again());
    settle(&mut window);
    window.get_by_label_contains("This run refers to \\\\192.0.2.1\\birds");
    assert_ne!(window.state().session.experiment.draft.data, share);
    window.get_by_label(tr!("shell-cancel")).click();
    settle(&mut window);
    assert_ne!(window.state().session.experiment.draft.data, share);
    window.state_mut().act(&ctx, again());
    settle(&mut window);
    window.get_by_label(tr!("shell-ask-access-yes")).click();
    settle(&mut window);
    assert_eq!(window.state().session.experiment.draft.data, share);
}
