#![allow(clippy::unwrap_used)]

use super::super::library;
use super::*;
use crate::session::Disk;
use crate::session::backend::Recorded;
use crate::texts::Language;

fn session() -> (Session, Recorded) {
    let backend = Recorded::default();
    let session = Session::with(
        Box::new(backend.clone()),
        Disk::nowhere(),
        RunConfig::default(),
        Arc::new(|| {}),
    );
    (session, backend)
}

#[test]
fn a_block_asks_for_its_runs_once_and_leaves_the_persons_settings_alone() {
    let (mut session, backend) = session();
    let unit = library::open("forgetting", Language::German).unwrap();
    let part = unit
        .parts
        .iter()
        .position(|part| matches!(part, UnitPart::Runs(_)));
    let part = part.unwrap();
    session.open_unit(Some(unit.clone()));
    let name = unit.plans().next().unwrap().name.clone();
    assert_eq!(
        session.learn.units.of(&name)[0].standing,
        UnitRunState::Missing
    );
    let draft = session.experiment.draft.clone();
    session.run_unit(part);
    session.run_unit(part);
    assert_eq!(session.experiment.draft, draft);
    let trained = backend
        .asked()
        .into_iter()
        .filter(|command| matches!(command, crate::run::event::Command::Queue(_)));
    let UnitPart::Runs(block) = &unit.parts[part] else {
        panic!("no runs");
    };
    let wanted: usize = block.runs.iter().map(|plan| plan.configs.len()).sum();
    assert_eq!(trained.count(), wanted);
    assert!(session.learn.units.of(&name)[0].is_under_way());
    session.drain();
    assert!(session.learn.units.of(&name)[0].is_under_way());
}

#[test]
fn answers_are_kept_over_languages_and_closing() {
    let (mut session, _) = session();
    let open = |language| library::open("forgetting", language).unwrap();
    session.open_unit(Some(open(Language::English)));
    let given = Given {
        choice: Some(1),
        ..Given::default()
    };
    session.learn.units.answer("guess", given.clone());
    session.open_unit(None);
    session.open_unit(Some(open(Language::German)));
    assert_eq!(session.learn.units.given("guess"), given);
    assert_eq!(session.learn.units.given("other"), Given::default());
}

#[test]
fn settings_are_the_same_wherever_they_are_trained() {
    let usual = RunConfig::default();
    let elsewhere = RunConfig {
        device: "cpu".into(),
        cache_mb: 1,
        settings: [("ema".to_string(), crate::run::config::Setting::Real(0.999))].into(),
        ..usual.clone()
    };
    assert!(same_settings(&usual, &elsewhere));
    let other = RunConfig {
        epochs: 9,
        ..usual.clone()
    };
    assert!(!same_settings(&usual, &other));
}
