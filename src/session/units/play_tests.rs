#![allow(clippy::unwrap_used)]

use super::super::library;
use super::*;
use crate::session::Disk;
use crate::session::backend::Recorded;

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
        session.learn.units.of(&name)[0].state,
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
    let is_under_way = |session: &Session| {
        let state = &session.learn.units.of(&name)[0].state;
        matches!(state, UnitRunState::Waiting | UnitRunState::Working { .. })
    };
    assert!(is_under_way(&session));
    session.drain();
    assert!(is_under_way(&session));
}

#[test]
fn the_runs_of_a_lesson_are_called_after_it_and_its_end_tells_what_is_done() {
    let (mut session, backend) = session();
    let unit = library::open("forgetting", Language::English).unwrap();
    session.open_unit(Some(unit.clone()));
    let is_runs = |part: &UnitPart| matches!(part, UnitPart::Runs(_));
    session.run_unit(unit.parts.iter().position(is_runs).unwrap());
    let named = backend
        .asked()
        .into_iter()
        .find_map(|command| match command {
            crate::run::event::Command::Queue(job) => Some((job.name.clone(), job.title.clone())),
            _ => None,
        });
    let name = "What is forgotten?: Baseline on the digits".to_string();
    assert_eq!(named, Some((name.clone(), name)));
    let done = session.learn.units.done(&unit);
    assert_eq!(done.answered, 0);
    assert!(done.questions >= 3 && !done.is_all());
    let given = GivenAnswer {
        choice: Some(1),
        ..GivenAnswer::default()
    };
    session.learn.units.answer("guess", given);
    assert_eq!(session.learn.units.done(&unit).answered, 1);
    session.learn.units.list = Fetch::Ready(Arc::new(library::entries()));
    let next = |unit: &Unit| session.learn.units.next(unit, Language::English);
    let second = next(&unit).unwrap();
    assert_eq!(second.name, "speed");
    let last = library::open("learn-or-remember", Language::English).unwrap();
    assert!(next(&last).is_none_or(|next| next.name != "forgetting"));
}

#[test]
fn answers_are_kept_over_languages_and_closing() {
    let (mut session, _) = session();
    let open = |language| library::open("forgetting", language).unwrap();
    session.open_unit(Some(open(Language::English)));
    let given = GivenAnswer {
        choice: Some(1),
        ..GivenAnswer::default()
    };
    session.learn.units.answer("guess", given.clone());
    session.open_unit(None);
    session.open_unit(Some(open(Language::German)));
    assert_eq!(session.learn.units.given("guess"), given);
    assert_eq!(session.learn.units.given("other"), GivenAnswer::default());
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
