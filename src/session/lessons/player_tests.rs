use super::super::library;
use super::*;

#[test]
fn lesson_runs_start_once_without_changing_draft() {
    let (mut session, backend) = Session::for_test(RunConfig::default());
    let lesson = library::open("forgetting", Language::German).unwrap();
    let part = lesson.parts.iter().position(|part| matches!(part, LessonPart::Runs(_)));
    let part = part.unwrap();
    session.open_lesson(Some(lesson.clone()));
    let name = lesson.plans().next().unwrap().name.clone();
    assert_eq!(session.learn.lessons.run_repetitions(&name)[0].state, LessonRunState::Missing);
    let draft = session.experiment.draft.clone();
    session.train_lesson_runs(part);
    session.train_lesson_runs(part);
    assert_eq!(session.experiment.draft, draft);
    let trained = backend
        .commands()
        .into_iter()
        .filter(|command| matches!(command, crate::run::event::Command::Queue(_)));
    let LessonPart::Runs(block) = &lesson.parts[part] else {
        panic!("no runs");
    };
    let expected: usize = block.runs.iter().map(|plan| plan.configs.len()).sum();
    assert_eq!(trained.count(), expected);
    let is_active = |session: &Session| {
        let state = &session.learn.lessons.run_repetitions(&name)[0].state;
        matches!(state, LessonRunState::Waiting | LessonRunState::Working { .. })
    };
    assert!(is_active(&session));
    session.drain();
    assert!(is_active(&session));
}

#[test]
fn lesson_runs_are_named_after_lesson() {
    let (mut session, backend) = Session::for_test(RunConfig::default());
    let lesson = library::open("forgetting", Language::English).unwrap();
    session.open_lesson(Some(lesson.clone()));
    let is_runs = |part: &LessonPart| matches!(part, LessonPart::Runs(_));
    session.train_lesson_runs(lesson.parts.iter().position(is_runs).unwrap());
    let job_names = backend.commands().into_iter().find_map(|command| match command {
        crate::run::event::Command::Queue(job) => Some((job.name.clone(), job.title.clone())),
        _ => None,
    });
    let name = "What is forgotten?: Baseline on the digits".to_string();
    assert_eq!(job_names, Some((name.clone(), name)));
    let progress = session.learn.lessons.progress(&lesson);
    assert_eq!(progress.answered, 0);
    assert!(progress.questions >= 3 && !progress.is_complete());
    let answer = GivenAnswer { choice: Some(1), ..GivenAnswer::default() };
    session.learn.lessons.set_answer("guess", answer);
    assert_eq!(session.learn.lessons.progress(&lesson).answered, 1);
    session.learn.lessons.list = Fetch::Ready(Arc::new(library::read_entries()));
    let next = |lesson: &Lesson| session.learn.lessons.next_lesson(lesson, Language::English);
    let second = next(&lesson).unwrap();
    assert_eq!(second.name, "speed");
    let last = library::open("learn-or-remember", Language::English).unwrap();
    assert!(next(&last).is_none_or(|next| next.name != "forgetting"));
}

#[test]
fn answers_survive_closing_and_language_change() {
    let (mut session, _) = Session::for_test(RunConfig::default());
    let open = |language| library::open("forgetting", language).unwrap();
    session.open_lesson(Some(open(Language::English)));
    let answer = GivenAnswer { choice: Some(1), ..GivenAnswer::default() };
    session.learn.lessons.set_answer("guess", answer.clone());
    session.open_lesson(None);
    session.open_lesson(Some(open(Language::German)));
    assert_eq!(session.learn.lessons.user_answer("guess"), answer);
    assert_eq!(session.learn.lessons.user_answer("other"), GivenAnswer::default());
}

#[test]
fn same_settings_ignores_device_cache_and_defaults() {
    let default = RunConfig::default();
    let other_device = RunConfig {
        device: "cpu".into(),
        cache_mb: 1,
        settings: [("ema".to_string(), crate::run::config::Setting::Real(0.999))].into(),
        ..default.clone()
    };
    assert!(same_settings(&default, &other_device));
    let other = RunConfig { epochs: 9, ..default.clone() };
    assert!(!same_settings(&default, &other));
}
