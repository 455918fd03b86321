//! The text of each step: what the user does and why, then the results.

use std::cmp::Ordering;

use crate::session::Session;
use crate::session::formatting::{format_duration, format_number, format_percent};
use crate::session::tour::{
    DRAWN_CLASSES, DrawingOutcome, DrawingPrediction, Tour, TourRun, TourRunState, TourStep,
};
use crate::tr;

/// Returns the sentences of the current step.
pub fn sentences(session: &Session, tour: &Tour) -> Vec<String> {
    if let Some(obstacle) = obstacle(session, tour) {
        return vec![obstacle];
    }
    let run = tour.run();
    let is_pending = run.is_not_requested();
    let (key, extra) = match tour.step {
        TourStep::Draw => ("tour-draw-text", None),
        TourStep::First if is_pending => ("tour-first-text", time_estimate(session, run)),
        TourStep::First if run.measured_tasks() == 0 => ("tour-first-working", None),
        TourStep::First if !tour.is_drawn() => ("tour-first-draw-both", None),
        TourStep::First => ("tour-first-predicting", None),
        TourStep::Guess => match wrong_drawing_text(session, tour) {
            Some(sentence) => return vec![sentence],
            None => ("tour-guess-text", None),
        },
        TourStep::Pet if is_pending => return next_act(session, tour, 0, "tour-pet-text"),
        TourStep::Lae if is_pending => return next_act(session, tour, 1, "tour-lae-text"),
        TourStep::FineTuning | TourStep::Pet | TourStep::Lae => {
            let mut sentences = vec![learning_text(run)];
            sentences.extend(correct_drawings_text(session, tour, run.measured_tasks()));
            return sentences;
        }
        TourStep::Compare => {
            let drawings = correct_drawings_text(session, tour, tour.task + 1);
            ("tour-compare-text", drawings)
        }
        TourStep::End => return summary(session, tour),
    };
    let text = tr!(key, rate = rate(tour));
    vec![match extra {
        Some(more) => format!("{text} {more}"),
        None => text,
    }]
}

/// Returns what prevents the run of the step from continuing; `None` if nothing does.
fn obstacle(session: &Session, tour: &Tour) -> Option<String> {
    let live = session.train.live.as_ref();
    let title = live.map_or("", |live| live.title.as_str());
    match tour.run().state {
        TourRunState::Requested => Some(tr!("tour-busy-about", title)),
        TourRunState::Queued if session.is_training() => Some(tr!("tour-busy-queued", title)),
        TourRunState::Paused if is_paused_by_user(tour) => Some(tr!("tour-paused-about").into()),
        TourRunState::Ended(_) => Some(tr!("tour-ended-about").into()),
        _ => None,
    }
}

/// Returns whether the user paused the run of the step; the tour itself pauses the first run for the guess.
pub fn is_paused_by_user(tour: &Tour) -> bool {
    let run = tour.run();
    let for_the_guess =
        tour.step <= TourStep::FineTuning && run.measured_tasks() == 1 && !tour.was_resumed;
    run.state == TourRunState::Paused && !for_the_guess
}

/// Returns a sentence with the estimated time of a run, if it is known.
fn time_estimate(session: &Session, run: &TourRun) -> Option<String> {
    let (seconds, measured) = session.tour_seconds(run)?;
    let key = match measured {
        true => "tour-time-measured",
        false => "tour-time-assumed",
    };
    Some(tr!(key, time = format_duration(seconds.max(1.0))))
}

/// Returns the outcome of an act, followed by the text and the time of the next act.
fn next_act(session: &Session, tour: &Tour, act: usize, key: &'static str) -> Vec<String> {
    let run = &tour.runs[act];
    let drawings = (0..DRAWN_CLASSES.len()).filter_map(|index| {
        let change = session.tour_drawing_change(index, run)?;
        Some(drawing_text(index, &change))
    });
    let mut sentences = vec![drawings.collect::<Vec<_>>().join(" ")];
    sentences.extend(first_task_text(tour, run));
    sentences.retain(|sentence| !sentence.is_empty());
    let mut next = vec![tr!(key).to_string()];
    next.extend(time_estimate(session, tour.run()));
    sentences.push(next.join(" "));
    sentences
}

fn learning_text(run: &TourRun) -> String {
    let task = run.view.current_task().unwrap_or(run.measured_tasks());
    match run.view.class_names(task) {
        [] => tr!("tour-predicting").into(),
        classes => tr!("tour-learning", name = run.name(), classes = join_classes(classes)),
    }
}

fn drawing_text(index: usize, [first, last]: &[DrawingPrediction; 2]) -> String {
    let share = |share: f32| format_percent(f64::from(share), 0);
    let key = match last.outcome() {
        DrawingOutcome::Certain => "tour-drawing-kept",
        DrawingOutcome::Uncertain => "tour-drawing-kept-weakly",
        DrawingOutcome::Wrong => "tour-drawing-lost",
    };
    let (then, now) = (share(first.score), share(last.score));
    tr!(
        key,
        digit = DRAWN_CLASSES[index],
        then,
        now,
        other = last.rival.as_str(),
        certain = share(last.rival_score)
    )
}

/// Returns how many test images of the first task were classified correctly after the first task and at the end.
fn first_task_text(tour: &Tour, run: &TourRun) -> Option<String> {
    let shares: Vec<f64> = run.first_task_accuracies().collect();
    let (first, last) = (shares.first()?, shares.last()?);
    Some(tr!(
        "tour-test-images-correct",
        name = run.name(),
        classes = first_classes(tour),
        then = format_percent(*first, 0),
        now = format_percent(*last, 0)
    ))
}

/// Returns the text of the last step: the guess and the outcome, a comparison of the runs, and their set-up.
fn summary(session: &Session, tour: &Tour) -> Vec<String> {
    let mut sentences = Vec::new();
    if let (Some(guess), Some([_, last])) =
        (tour.guess, session.tour_drawing_change(0, &tour.runs[0]))
    {
        let key = match guess == last.outcome() {
            true => "tour-end-guessed-right",
            false => "tour-end-guessed-wrong",
        };
        let (guess, fate) =
            (tr!(drawing_outcome_key(guess)), tr!(drawing_outcome_key(last.outcome())));
        sentences.push(tr!(key, guess, fate));
    }
    sentences.extend(correct_drawings_text(session, tour, tour.run().measured_tasks()));
    let classes = first_classes(tour);
    let parts = tour.measured_runs().filter_map(|run| {
        let share = format_percent(run.first_task_accuracies().last()?, 0);
        Some(tr!("tour-share-of-run", name = run.name(), share))
    });
    let each = parts.collect::<Vec<_>>().join(", ");
    let first = tr!("tour-end-first-task", classes = &classes, each);
    let verdict = tour.verdict().map(|verdict| {
        let key = match verdict {
            Ordering::Greater => "tour-end-lae-remembers-more",
            Ordering::Equal => "tour-end-equally-well",
            Ordering::Less => "tour-end-baseline-remembers-more",
        };
        tr!(key, classes, n = tour.run().first_task_images())
    });
    sentences.push([Some(first), verdict].into_iter().flatten().collect::<Vec<_>>().join(" "));
    let order = match tour.draw {
        0 => "tour-end-order-chosen",
        _ => "tour-end-order-random",
    };
    let rate = tr!("tour-end-rate", rate = rate(tour));
    sentences.push(format!("{} {rate}", tr!(order)));
    sentences
}

/// Returns the learning rate of fine-tuning at its batch size.
fn rate(tour: &Tour) -> String {
    let config = &tour.runs[0].config;
    format_number(config.base_lr * config.batch as f64 / 256.0, 2)
}

/// Returns a sentence about a drawing that is already misclassified after the first task, so that the user can draw
/// it again; `None` if there is none.
fn wrong_drawing_text(session: &Session, tour: &Tour) -> Option<String> {
    (0..DRAWN_CLASSES.len()).find_map(|index| {
        let vote = session.tour_drawing_prediction(index, &tour.runs[0], 0)?;
        let (digit, other) = (DRAWN_CLASSES[index], vote.rival.as_str());
        let message = || tr!("tour-guess-already-wrong", digit, other);
        (!vote.is_correct()).then(message)
    })
}

/// Returns how many drawings each run predicts correctly after this number of tasks.
fn correct_drawings_text(session: &Session, tour: &Tour, tasks: usize) -> Option<String> {
    let parts = tour.measured_runs().filter_map(|run| {
        let task = tasks.min(run.measured_tasks()).checked_sub(1)?;
        let votes =
            (0..DRAWN_CLASSES.len()).map(|index| session.tour_drawing_prediction(index, run, task));
        let votes: Vec<_> = votes.collect::<Option<_>>()?;
        let right = votes.iter().filter(|vote| vote.is_correct()).count();
        let (name, all) = (run.name(), votes.len());
        Some(tr!("tour-drawings-of-run", name, right, all))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| tr!("tour-drawings-correct", each = parts.join(", ")))
}

/// Joins the classes of a task, such as "1 and 2".
pub fn join_classes(classes: &[String]) -> String {
    classes.join(&format!(" {} ", tr!("tour-and")))
}

/// Returns the classes of the first task.
pub fn first_classes(tour: &Tour) -> String {
    join_classes(tour.runs[0].view.class_names(0))
}

/// Returns the message id for the outcome of a drawing.
pub fn drawing_outcome_key(outcome: DrawingOutcome) -> &'static str {
    match outcome {
        DrawingOutcome::Certain => "tour-guess-kept",
        DrawingOutcome::Uncertain => "tour-guess-kept-weakly",
        DrawingOutcome::Wrong => "tour-guess-lost",
    }
}
