//! The text of each step: what to do and why, then the results.

use crate::session::Session;
use crate::session::forgotten::most_lost;
use crate::session::tour::{
    Became, DRAWN, Fate, OwnRun, Tour, TourRunState, TourStep, TourVerdict,
};
use crate::session::words::{duration_text, percent};
use crate::tr;

/// Returns the sentences of the current step.
pub fn of_step(session: &Session, tour: &Tour) -> Vec<String> {
    let say = |key| vec![tr!(key).to_string()];
    if let Some(note) = in_the_way(session, tour) {
        return vec![note];
    }
    let run = tour.run();
    match tour.step {
        TourStep::Draw => say("tour-draw-text"),
        TourStep::First if run.is_unasked() => timed(session, run, "tour-first-text"),
        TourStep::First if run.measured() == 0 => say("tour-first-working"),
        TourStep::First if !tour.is_drawn() => say("tour-first-draw-both"),
        TourStep::First => say("tour-first-predicting"),
        TourStep::Guess => {
            let unread = unread(session, tour);
            unread.map_or_else(|| say("tour-guess-text"), |words| vec![words])
        }
        TourStep::Forget => {
            let mut words = vec![learning(run)];
            words.extend(count(session, tour, run.measured()));
            words
        }
        TourStep::Switch if run.is_unasked() => {
            let mut words = became(session, tour, &tour.baseline);
            words.extend(timed(session, run, "tour-switch-text"));
            words
        }
        TourStep::Switch => {
            let mut words = say("tour-switch-working");
            words.extend(count(session, tour, run.measured()));
            words
        }
        TourStep::Compare => {
            let mut words = say("tour-compare-text");
            words.extend(count(session, tour, tour.task + 1));
            words
        }
        TourStep::End => end(session, tour),
    }
}

/// Returns what prevents the step's run from continuing, if anything.
fn in_the_way(session: &Session, tour: &Tour) -> Option<String> {
    let other = session
        .train
        .live
        .as_ref()
        .map_or("", |live| live.title.as_str());
    match tour.run().standing {
        TourRunState::Wanted => Some(tr!("tour-busy-about", title = other)),
        TourRunState::InQueue if session.is_training() => {
            Some(tr!("tour-busy-queued", title = other))
        }
        TourRunState::Paused if paused_by_user(tour) => Some(tr!("tour-paused-about").into()),
        TourRunState::Ended(_) => Some(tr!("tour-ended-about").into()),
        _ => None,
    }
}

/// Returns whether the step's run was paused by the user rather than for the guess.
pub fn paused_by_user(tour: &Tour) -> bool {
    let run = tour.run();
    let for_the_guess = tour.step <= TourStep::Forget && run.measured() == 1;
    run.standing == TourRunState::Paused && !for_the_guess
}

/// Returns a step's text with the estimated time of its run, if known.
fn timed(session: &Session, run: &OwnRun, key: &'static str) -> Vec<String> {
    let mut text = tr!(key).to_string();
    if let Some((seconds, measured)) = session.tour_seconds(run) {
        let time = duration_text(seconds.max(1.0));
        let key = if measured {
            "tour-time-measured"
        } else {
            "tour-time-assumed"
        };
        text = format!("{text} {}", tr!(key, time = time));
    }
    vec![text]
}

/// Returns what is being learned.
fn learning(run: &OwnRun) -> String {
    let task = run.task_now.unwrap_or(run.measured());
    let classes = run
        .tasks
        .get(task)
        .map_or_else(String::new, |classes| pair(classes));
    match classes.is_empty() {
        true => tr!("tour-forget-predicting").into(),
        false => tr!("tour-forget-text", classes = classes),
    }
}

/// Returns the outcome for both drawings and for the test images of the first task.
pub fn became(session: &Session, tour: &Tour, run: &OwnRun) -> Vec<String> {
    let drawings = (0..DRAWN.len()).filter_map(|which| {
        let became = session.tour_became(which, run)?;
        Some(of_drawing(which, &became))
    });
    let mut words = vec![drawings.collect::<Vec<_>>().join(" ")];
    words.extend(of_first_task(tour, run));
    words.retain(|words| !words.is_empty());
    words
}

fn of_drawing(which: usize, became: &Became) -> String {
    let share = |share: f32| percent(f64::from(share), 0);
    let key = match became.fate {
        Fate::Kept => "tour-drawing-kept",
        Fate::Between => "tour-drawing-kept-weakly",
        Fate::Lost => "tour-drawing-lost",
    };
    let (then, now) = (share(became.first.own), share(became.last.own));
    tr!(
        key,
        digit = DRAWN[which],
        then = then,
        now = now,
        other = became.last.rival.as_str(),
        certain = share(became.last.against)
    )
}

/// Returns how many test images of the first task were correct at first, and are at the end.
fn of_first_task(tour: &Tour, run: &OwnRun) -> Option<String> {
    let shares: Vec<f64> = run.of_first_task().collect();
    let (first, last) = (shares.first()?, shares.last()?);
    let names = pair(tour.baseline.tasks.first()?);
    Some(tr!(
        "tour-test-images-correct",
        classes = names,
        then = percent(*first, 0),
        now = percent(*last, 0)
    ))
}

/// Returns the last step: the guess compared with the outcome, and both runs compared.
fn end(session: &Session, tour: &Tour) -> Vec<String> {
    let mut words = Vec::new();
    if let (Some(guess), Some(became)) = (tour.guess, session.tour_became(0, &tour.baseline)) {
        let key = match guess == became.fate {
            true => "tour-end-guessed-right",
            false => "tour-end-guessed-wrong",
        };
        let guess = tr!(fate_key(guess));
        let fate = tr!(fate_key(became.fate));
        words.push(tr!(key, guess = guess, fate = fate));
    }
    if let Some(became) = session.tour_became(0, &tour.lae) {
        let told = of_drawing(0, &became);
        words.push(tr!("tour-end-with-lae", told = told));
    }
    words.extend(count(session, tour, tour.baseline.measured()));
    words.extend(verdict(tour));
    words.extend(most_lost_of(tour));
    words.push(tr!("tour-end-order-chosen").into());
    words
}

/// Returns the wrong prediction for a drawing right after the first task, if there is one: then it can be drawn again.
fn unread(session: &Session, tour: &Tour) -> Option<String> {
    (0..DRAWN.len()).find_map(|which| {
        let vote = session.tour_vote(which, &tour.baseline, 0)?;
        (!vote.is_right()).then(|| {
            tr!(
                "tour-guess-already-wrong",
                digit = DRAWN[which],
                other = vote.rival.as_str()
            )
        })
    })
}

/// Returns the number of correctly classified drawings of each run after this number of tasks.
fn count(session: &Session, tour: &Tour, tasks: usize) -> Option<String> {
    let each = [
        ("tour-baseline-name", &tour.baseline),
        ("tour-lae-name", &tour.lae),
    ];
    let each = each.into_iter().filter_map(|(name, run)| {
        let task = tasks.min(run.measured()).checked_sub(1)?;
        let votes = (0..DRAWN.len()).map(|which| session.tour_vote(which, run, task));
        let votes: Vec<_> = votes.collect::<Option<_>>()?;
        let right = votes.iter().filter(|vote| vote.is_right()).count();
        Some(tr!(
            "tour-drawings-of-run",
            name = tr!(name),
            right = right,
            all = votes.len()
        ))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| tr!("tour-drawings-correct", each = each.join(", ")))
}

/// Returns the task that Baseline forgot most.
fn most_lost_of(tour: &Tour) -> Option<String> {
    let run = &tour.baseline;
    let lost = most_lost(&run.history, run.measured().checked_sub(1)?)?;
    let classes = pair(run.tasks.get(lost.task)?);
    Some(tr!(
        "tour-end-most-lost",
        classes = classes,
        best = percent(lost.best, 0),
        now = percent(lost.now, 0)
    ))
}

/// Returns one sentence on the result of both runs.
fn verdict(tour: &Tour) -> Option<String> {
    let key = match tour.verdict()? {
        TourVerdict::Lae => "tour-end-lae-remembers-more",
        TourVerdict::Equal => "tour-end-equally-well",
        TourVerdict::Baseline => "tour-end-baseline-remembers-more",
    };
    let end = |run: &OwnRun| run.of_first_task().last().map(|share| percent(share, 0));
    let classes = tour.baseline.tasks.first()?;
    Some(tr!(
        key,
        classes = pair(classes),
        lae = end(&tour.lae)?,
        baseline = end(&tour.baseline)?
    ))
}

/// Returns the classes of a task: "1 and 2".
pub fn pair(classes: &[String]) -> String {
    classes.join(&format!(" {} ", tr!("tour-and")))
}

/// Returns the message of an outcome of a drawing.
pub fn fate_key(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "tour-guess-kept",
        Fate::Between => "tour-guess-kept-weakly",
        Fate::Lost => "tour-guess-lost",
    }
}
