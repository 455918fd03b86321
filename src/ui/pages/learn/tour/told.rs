//! What is told in each step: what to do and why, then what came of it, from the figures.

use crate::session::Session;
use crate::session::forgotten::most_lost;
use crate::session::tour::{
    Became, DRAWN, Fate, OwnRun, Tour, TourRunState, TourStep, TourVerdict,
};
use crate::session::words::{duration_text, percent};
use crate::texts::Language;

/// The sentences of the step as it stands.
pub fn of_step(session: &Session, tour: &Tour) -> Vec<String> {
    let language = session.learn.language;
    let say = |key| vec![language.say(key).to_string()];
    if let Some(note) = in_the_way(session, tour) {
        return vec![note];
    }
    let run = tour.run();
    match tour.step {
        TourStep::Draw => say("tour.draw.text"),
        TourStep::First if run.is_unasked() => timed(session, run, "tour.first.text"),
        TourStep::First if run.measured() == 0 => say("tour.first.working"),
        TourStep::First if !tour.is_drawn() => say("tour.first.missing"),
        TourStep::First => say("tour.first.asking"),
        TourStep::Guess => {
            let unread = unread(session, tour);
            unread.map_or_else(|| say("tour.guess.text"), |words| vec![words])
        }
        TourStep::Forget => {
            let mut words = vec![learning(language, run)];
            words.extend(count(session, tour, run.measured()));
            words
        }
        TourStep::Switch if run.is_unasked() => {
            let mut words = became(session, tour, &tour.baseline);
            words.extend(timed(session, run, "tour.switch.text"));
            words
        }
        TourStep::Switch => {
            let mut words = say("tour.switch.working");
            words.extend(count(session, tour, run.measured()));
            words
        }
        TourStep::Compare => {
            let mut words = say("tour.compare.text");
            words.extend(count(session, tour, tour.task + 1));
            words
        }
        TourStep::End => end(session, tour),
    }
}

/// What keeps the step's run from going on, if something does.
fn in_the_way(session: &Session, tour: &Tour) -> Option<String> {
    let language = session.learn.language;
    let other = session.train.live.as_ref().map_or("", |live| &live.title);
    let other = [("title", other)];
    match tour.run().standing {
        TourRunState::Wanted => Some(language.fill("tour.busy.text", &other)),
        TourRunState::InQueue if session.is_training() => {
            Some(language.fill("tour.busy.in_line", &other))
        }
        TourRunState::Paused if paused_by_person(tour) => {
            Some(language.say("tour.paused.text").into())
        }
        TourRunState::Ended(_) => Some(language.say("tour.ended.text").into()),
        _ => None,
    }
}

/// Whether the step's run stands because the person paused it, and not for the guess.
pub fn paused_by_person(tour: &Tour) -> bool {
    let run = tour.run();
    let for_the_guess = tour.step <= TourStep::Forget && run.measured() == 1;
    run.standing == TourRunState::Paused && !for_the_guess
}

/// A step's text with the time its run will take, where that is known.
fn timed(session: &Session, run: &OwnRun, key: &'static str) -> Vec<String> {
    let language = session.learn.language;
    let mut text = language.say(key).to_string();
    if let Some((seconds, measured)) = session.tour_seconds(run) {
        let time = duration_text(seconds.max(1.0));
        let key = if measured {
            "tour.time"
        } else {
            "tour.time_assumed"
        };
        text = format!("{text} {}", language.fill(key, &[("time", &time)]));
    }
    vec![text]
}

/// What is being learned now.
fn learning(language: Language, run: &OwnRun) -> String {
    let task = run.task_now.unwrap_or(run.measured());
    let classes = run
        .tasks
        .get(task)
        .map_or_else(String::new, |classes| pair(language, classes));
    match classes.is_empty() {
        true => language.say("tour.forget.asking").into(),
        false => language.fill("tour.forget.text", &[("classes", &classes)]),
    }
}

/// What became of both drawings and of the test pictures of the first task.
pub fn became(session: &Session, tour: &Tour, run: &OwnRun) -> Vec<String> {
    let language = session.learn.language;
    let drawings = (0..DRAWN.len()).filter_map(|which| {
        let became = session.tour_became(which, run)?;
        Some(of_drawing(language, which, &became))
    });
    let mut words = vec![drawings.collect::<Vec<_>>().join(" ")];
    words.extend(of_first_task(language, tour, run));
    words.retain(|words| !words.is_empty());
    words
}

fn of_drawing(language: Language, which: usize, became: &Became) -> String {
    let share = |share: f32| percent(f64::from(share), 0);
    let key = match became.fate {
        Fate::Kept => "tour.became.kept",
        Fate::Between => "tour.became.between",
        Fate::Lost => "tour.became.lost",
    };
    let (then, now) = (share(became.first.own), share(became.last.own));
    let values = [
        ("digit", DRAWN[which]),
        ("then", &then),
        ("now", &now),
        ("other", &became.last.rival),
        ("certain", &share(became.last.against)),
    ];
    language.fill(key, &values)
}

/// How many test pictures of the first task were right at first, and are at the end.
fn of_first_task(language: Language, tour: &Tour, run: &OwnRun) -> Option<String> {
    let shares: Vec<f64> = run.of_first_task().collect();
    let (first, last) = (shares.first()?, shares.last()?);
    let names = pair(language, tour.baseline.tasks.first()?);
    let values = [
        ("classes", &*names),
        ("then", &*percent(*first, 0)),
        ("now", &*percent(*last, 0)),
    ];
    Some(language.fill("tour.became.pictures", &values))
}

/// The last step: the guess beside what happened, and both runs beside each other.
fn end(session: &Session, tour: &Tour) -> Vec<String> {
    let language = session.learn.language;
    let mut words = Vec::new();
    if let (Some(guess), Some(became)) = (tour.guess, session.tour_became(0, &tour.baseline)) {
        let key = match guess == became.fate {
            true => "tour.end.guessed_right",
            false => "tour.end.guessed_wrong",
        };
        let guess = language.say(fate_key(guess));
        let fate = language.say(fate_key(became.fate));
        words.push(language.fill(key, &[("guess", guess), ("fate", fate)]));
    }
    if let Some(became) = session.tour_became(0, &tour.lae) {
        let told = of_drawing(language, 0, &became);
        words.push(language.fill("tour.end.with_lae", &[("told", &told)]));
    }
    words.extend(count(session, tour, tour.baseline.measured()));
    words.extend(verdict(language, tour));
    words.extend(most_lost_of(language, tour));
    words.push(language.say("tour.end.chosen").into());
    words
}

/// What it takes a drawing for right after the first task, where it already misreads it: then it can be drawn again.
fn unread(session: &Session, tour: &Tour) -> Option<String> {
    let language = session.learn.language;
    (0..DRAWN.len()).find_map(|which| {
        let vote = session.tour_vote(which, &tour.baseline, 0)?;
        let values = [("digit", DRAWN[which]), ("other", &*vote.rival)];
        (!vote.is_right()).then(|| language.fill("tour.guess.unread", &values))
    })
}

/// How many of the drawings each run still takes for what they are after so many tasks.
fn count(session: &Session, tour: &Tour, tasks: usize) -> Option<String> {
    let language = session.learn.language;
    let each = [("tour.baseline", &tour.baseline), ("tour.lae", &tour.lae)];
    let each = each.into_iter().filter_map(|(name, run)| {
        let task = tasks.min(run.measured()).checked_sub(1)?;
        let votes = (0..DRAWN.len()).map(|which| session.tour_vote(which, run, task));
        let votes: Vec<_> = votes.collect::<Option<_>>()?;
        let right = votes.iter().filter(|vote| vote.is_right()).count();
        let values = [
            ("name", language.say(name)),
            ("right", &*right.to_string()),
            ("all", &*votes.len().to_string()),
        ];
        Some(language.fill("tour.count.of_run", &values))
    });
    let each: Vec<String> = each.collect();
    let values = [("each", &*each.join(", "))];
    (!each.is_empty()).then(|| language.fill("tour.count.told", &values))
}

/// The task of which Baseline lost most.
fn most_lost_of(language: Language, tour: &Tour) -> Option<String> {
    let run = &tour.baseline;
    let lost = most_lost(&run.history, run.measured().checked_sub(1)?)?;
    let classes = pair(language, run.tasks.get(lost.task)?);
    let values = [
        ("classes", &*classes),
        ("best", &*percent(lost.best, 0)),
        ("now", &*percent(lost.now, 0)),
    ];
    Some(language.fill("tour.end.most_lost", &values))
}

/// One sentence of what the two runs show.
fn verdict(language: Language, tour: &Tour) -> Option<String> {
    let key = match tour.verdict()? {
        TourVerdict::Lae => "tour.end.lae",
        TourVerdict::Equal => "tour.end.equal",
        TourVerdict::Baseline => "tour.end.baseline",
    };
    let end = |run: &OwnRun| run.of_first_task().last().map(|share| percent(share, 0));
    let classes = tour.baseline.tasks.first()?;
    let values = [
        ("classes", &*pair(language, classes)),
        ("lae", &*end(&tour.lae)?),
        ("baseline", &*end(&tour.baseline)?),
    ];
    Some(language.fill(key, &values))
}

/// The classes of a task: "1 and 2".
pub fn pair(language: Language, classes: &[String]) -> String {
    classes.join(&format!(" {} ", language.say("tour.and")))
}

/// The words for what a drawing may become.
pub fn fate_key(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "tour.guess.kept",
        Fate::Between => "tour.guess.between",
        Fate::Lost => "tour.guess.lost",
    }
}
