use super::*;
use crate::metrics::{Expert, Predictions};
use crate::problem::Problem;
use crate::run::event::{
    ClassPrediction, Command, ControlRequest, Event, NamedImage, Phase, Prediction, RunHeader,
    TaskReport,
};
use crate::session::Session;
use crate::session::backend::RecordedBackend;
use crate::session::run_view::tests as run_view;

fn session() -> (Session, RecordedBackend) {
    Session::for_test(RunConfig { data: String::new(), ..RunConfig::default() })
}

fn image(shade: u8) -> NamedImage {
    NamedImage { name: "drawing".into(), width: 1, height: 1, rgb: vec![shade; 3] }
}

fn header(folder: &str) -> RunHeader {
    let mut header = run_view::header();
    header.run = folder.into();
    header.folder = folder.into();
    header.method.title = "Baseline".into();
    header.method.experts = vec![Expert::ONLINE];
    header.class_order = [1, 2, 0, 3].map(|digit| digit.to_string()).into();
    header.tasks = vec![0..2, 2..4];
    header.train_images = vec![4; 2];
    header.test_images = vec![4; 2];
    header
}

/// Returns the report after a task in which `correct` of the four images of the first task are classified correctly.
fn report(task: usize, correct: usize) -> Event {
    let labels: Vec<usize> = (0..4 * (task + 1)).map(|i| i / 2).collect();
    let predict = |(i, label): (usize, &usize)| match i {
        i if i >= correct && i < 4 => 3 - label,
        _ => *label,
    };
    let predictions = labels.iter().enumerate().map(predict).collect();
    Event::TaskEvaluated {
        run: "run".into(),
        report: Box::new(TaskReport {
            answers: Predictions {
                samples: (0..labels.len()).collect(),
                labels,
                given: [(Expert::ONLINE, predictions)].into(),
                ..Predictions::default()
            },
            images_per_second: 100.0,
            ..run_view::report(task, &[])
        }),
    }
}

/// Answers every new request about an image. `score` is the score of the drawn class.
fn answer_requests(session: &mut Session, backend: &RecordedBackend, from: &mut usize, score: f32) {
    let commands = backend.commands();
    for command in &commands[*from..] {
        let Command::Predict(request) = command else {
            continue;
        };
        for &task in &request.tasks {
            let class = usize::from(request.about > 1);
            let mut probabilities = vec![(1.0 - score) / 3.0; 2 * (task + 1)];
            probabilities[class] = score;
            backend.push(Event::Predicted(Box::new(Prediction {
                ticket: request.ticket,
                run: request.run.clone(),
                task,
                classes: ["1", "2", "0", "3"][..2 * (task + 1)]
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
                opinions: vec![ClassPrediction {
                    expert: Expert::ONLINE,
                    class,
                    probabilities,
                    energy: None,
                }],
                decided_by: Expert::ONLINE,
                seen: Vec::new(),
                seen_size: 0,
            })));
        }
    }
    *from = commands.len();
    session.drain();
}

fn step(session: &Session) -> TourStep {
    session.learn.tour.as_ref().map_or(TourStep::Draw, |tour| tour.step)
}

fn draw_both(session: &mut Session) {
    session.begin_tour();
    session.pin_drawn(0, image(1).into());
    assert_eq!(step(session), TourStep::Draw);
    session.pin_drawn(1, image(2).into());
    assert_eq!(step(session), TourStep::First);
}

/// Trains a run of two tasks. `correct_counts` are the numbers of correct images of the first task (of four) after
/// each task.
fn learn(
    session: &mut Session,
    backend: &RecordedBackend,
    folder: &str,
    correct_counts: [usize; 2],
) {
    backend.push(Event::Started(Box::new(header(folder))));
    for (task, correct) in correct_counts.into_iter().enumerate() {
        backend.push(report(task, correct));
    }
    backend.push(Event::Finished { run: folder.into() });
    session.drain();
}

#[test]
fn tour_advances_through_steps_and_waits_for_guess() {
    let (mut session, backend) = session();
    let before = session.experiment.draft.clone();
    let mut handled = 0;
    draw_both(&mut session);
    session.train_tour_run();
    backend.push(Event::Started(Box::new(header("/fine-tuning"))));
    backend.push(report(0, 4));
    session.drain();
    assert_eq!((step(&session), backend.last_request()), (TourStep::First, ControlRequest::Pause));
    answer_requests(&mut session, &backend, &mut handled, 0.9);
    assert_eq!(step(&session), TourStep::Guess);
    // A changed drawing is predicted again.
    session.pin_drawn(0, image(3).into());
    answer_requests(&mut session, &backend, &mut handled, 0.95);
    let enter_phase = |session: &mut Session, phase: Phase| {
        backend.push(Event::Phase { run: "/fine-tuning".into(), phase });
        session.drain();
    };
    enter_phase(&mut session, Phase::Paused);
    session.guess_drawing_outcome(DrawingOutcome::Wrong);
    assert_eq!(
        (step(&session), backend.last_request()),
        (TourStep::FineTuning, ControlRequest::Run)
    );
    // A later pause is the user's.
    let was_resumed = |session: &Session| session.learn.tour.as_ref().unwrap().was_resumed;
    assert!(!was_resumed(&session));
    enter_phase(&mut session, Phase::Training { task: 1, epoch: 0, frozen: false });
    assert!(was_resumed(&session));
    backend.push(report(1, 0));
    let run = "/fine-tuning".into();
    backend.push(Event::Finished { run });
    session.drain();
    assert_eq!(step(&session), TourStep::FineTuning, "the drawings are not answered yet");
    answer_requests(&mut session, &backend, &mut handled, 0.1);
    assert_eq!(step(&session), TourStep::Pet);
    session.train_tour_run();
    learn(&mut session, &backend, "/pet", [4, 0]);
    answer_requests(&mut session, &backend, &mut handled, 0.2);
    assert_eq!(step(&session), TourStep::Lae);
    session.train_tour_run();
    learn(&mut session, &backend, "/lae", [4, 4]);
    answer_requests(&mut session, &backend, &mut handled, 0.7);
    assert_eq!(step(&session), TourStep::Compare);
    let tour = session.learn.tour.clone().unwrap();
    assert_eq!(tour.task, 1);
    assert_eq!(tour.verdict(), Some(std::cmp::Ordering::Greater));
    let change = |run| session.tour_drawing_change(0, run).unwrap();
    let outcomes = tour.runs.each_ref().map(|run| change(run)[1].outcome());
    let (wrong, uncertain) = (DrawingOutcome::Wrong, DrawingOutcome::Uncertain);
    assert_eq!(outcomes, [wrong, wrong, uncertain]);
    session.conclude_tour();
    assert_eq!(step(&session), TourStep::End);
    // The drawings are the same, but the runs are new.
    session.redraw_tour();
    session.drain();
    let redrawn = session.learn.tour.clone().unwrap();
    assert_eq!((redrawn.step, redrawn.pins), (TourStep::First, tour.pins));
    let [order, before_order] = [&redrawn, &tour].map(|tour| tour.run().config.order.clone());
    assert!(order != before_order && order.starts_with("1,2,"), "{order}");
    session.delete_tour_runs();
    assert!(session.learn.tour.is_none() && session.predict.pins.pins().is_empty());
    assert!(session.predict.pins.runs().is_empty());
    assert_eq!(session.experiment.draft, before);
}

#[test]
fn tour_waits_for_other_run_without_stopping_it() {
    let (mut session, backend) = session();
    let other = session.train(RunConfig::default());
    session.drain();
    draw_both(&mut session);
    session.train_tour_run();
    let state = |session: &Session| session.learn.tour.as_ref().unwrap().run().state.clone();
    assert_eq!(state(&session), TourRunState::Requested);
    backend.push(report(0, 4));
    session.drain();
    assert_eq!(backend.last_request(), ControlRequest::Run, "another run is not paused");
    session.leave_tour();
    assert_eq!(backend.last_request(), ControlRequest::Run);
    assert!(!backend.commands().iter().any(|c| matches!(c, Command::Stop(_))));
    // The run is queued behind the other run; leaving the tour removes it.
    draw_both(&mut session);
    session.train_tour_run();
    session.queue_tour_run();
    session.drain();
    assert_eq!(state(&session), TourRunState::Queued);
    let tour_job = session.learn.tour.as_ref().unwrap().run().job.unwrap();
    session.leave_tour();
    session.drain();
    let stopped = backend.commands().into_iter().rev().find_map(|c| match c {
        Command::Stop(job) => Some(job),
        _ => None,
    });
    assert_eq!(stopped, Some(tour_job));
    assert_eq!((session.running_job(), session.waiting().count()), (Some(other), 0));
    // Without queueing, the tour's run starts automatically when the other run ends.
    draw_both(&mut session);
    session.train_tour_run();
    backend.push(Event::Finished { run: "other".into() });
    session.drain();
    session.drain();
    assert_eq!(state(&session), TourRunState::Running);
    assert!(session.unfinished_run().is_none());
}

#[test]
fn leaving_stops_running_or_paused_tour_run() {
    for pause in [false, true] {
        let (mut session, backend) = session();
        draw_both(&mut session);
        session.train_tour_run();
        backend.push(Event::Started(Box::new(header("/fine-tuning"))));
        if pause {
            let run = "/base".into();
            backend.push(Event::Phase { run, phase: Phase::Paused });
        }
        session.drain();
        session.leave_tour();
        assert_eq!(backend.last_request(), ControlRequest::Stop);
        assert!(session.learn.tour.is_none() && session.predict.pins.runs().is_empty());
    }
}

#[test]
fn failed_tour_run_can_be_trained_again() {
    let (mut session, backend) = session();
    draw_both(&mut session);
    session.train_tour_run();
    backend.push(Event::Started(Box::new(header("/fine-tuning"))));
    let problem = Problem::new("the disk is full");
    let run = "/base".into();
    backend.push(Event::Failed { run, problem: problem.clone() });
    session.drain();
    let state = |session: &Session| session.learn.tour.as_ref().unwrap().run().state.clone();
    assert_eq!(state(&session), TourRunState::Ended(Some(problem)));
    session.retrain_tour_run();
    session.drain();
    assert_eq!((state(&session), step(&session)), (TourRunState::Running, TourStep::First));
    // The tour waits until a cleared drawing is drawn again.
    session.unpin_drawn(1);
    backend.push(Event::Started(Box::new(header("/again"))));
    backend.push(report(0, 4));
    session.drain();
    assert_eq!(step(&session), TourStep::First);
    assert!(!session.learn.tour.as_ref().unwrap().is_drawn());
}

#[test]
fn outcome_follows_scores_of_drawn_class_and_rival() {
    for (score, rival_score, outcome) in [
        (0.9, 0.1, DrawingOutcome::Certain),
        (0.4, 0.3, DrawingOutcome::Uncertain),
        (0.3, 0.4, DrawingOutcome::Wrong),
    ] {
        let prediction = DrawingPrediction { score, rival_score, rival: "4".into() };
        assert_eq!(prediction.outcome(), outcome);
    }
}
