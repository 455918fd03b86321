//! What became of a drawing and of the first task: told from the figures alone.

use super::{DRAWN, OwnRun, Tour};
use crate::run::event::Prediction;
use crate::session::Session;

/// From this score on an answer counts as sure.
pub const SURE: f32 = 0.8;
/// Shares of the first task that differ by less than this are called equal.
const EQUAL: f64 = 0.01;

/// What a run says to a drawing: how probable its class is, and the strongest of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    /// Score of the class that was drawn.
    pub own: f32,
    /// The strongest other class.
    pub rival: String,
    /// Its score.
    pub against: f32,
}

impl Vote {
    /// What an answer says to a drawing of `class`; none where that class is not taught.
    pub fn of(answer: &Prediction, class: &str) -> Option<Self> {
        let shares = &answer.opinions.last()?.probabilities;
        let place = answer.classes.iter().position(|known| known == class)?;
        let others = answer.classes.iter().zip(shares).enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let (_, (rival, against)) = others.max_by(|a, b| a.1.1.total_cmp(b.1.1))?;
        Some(Self {
            own: *shares.get(place)?,
            rival: rival.clone(),
            against: *against,
        })
    }

    /// Whether it is taken for what it is.
    pub fn is_right(&self) -> bool {
        self.own >= self.against
    }
}

/// What becomes of a drawing: what a person may guess, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is still taken for what it is, and surely so.
    Kept,
    /// It is still taken for what it is, but no longer surely.
    Between,
    /// It is taken for something else.
    Lost,
}

impl Fate {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Kept, Self::Between, Self::Lost];

    /// What a vote comes to.
    pub fn of(vote: &Vote) -> Self {
        match vote.is_right() {
            false => Self::Lost,
            true if vote.own < SURE => Self::Between,
            true => Self::Kept,
        }
    }
}

/// What became of a drawing between the first and the last task.
#[derive(Clone, Debug, PartialEq)]
pub struct Became {
    /// After the first task.
    pub first: Vote,
    /// After the last one.
    pub last: Vote,
    /// What that comes to.
    pub fate: Fate,
}

/// How the two runs compare in what they still know of the first task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourVerdict {
    /// LAE remembers more.
    Lae,
    /// Both remember about as much.
    Equal,
    /// Baseline remembers more.
    Baseline,
}

impl Tour {
    /// How the runs compare; none before both are measured.
    pub fn verdict(&self) -> Option<TourVerdict> {
        let end = |run: &OwnRun| run.of_first_task().last();
        let ahead = end(&self.lae)? - end(&self.baseline)?;
        Some(match ahead {
            ahead if ahead > EQUAL => TourVerdict::Lae,
            ahead if ahead < -EQUAL => TourVerdict::Baseline,
            _ => TourVerdict::Equal,
        })
    }
}

impl Session {
    /// What a run of the tour says to one of the drawings after a task, from 0.
    pub fn tour_vote(&self, which: usize, run: &OwnRun, task: usize) -> Option<Vote> {
        let pin = self.learn.tour.as_ref()?.pins[which]?;
        let answer = self.predict.pins.answer(pin, run.folder.as_ref()?, task)?;
        Vote::of(answer, DRAWN[which])
    }

    /// What became of one of the drawings; none before the run's last task answered it.
    pub fn tour_became(&self, which: usize, run: &OwnRun) -> Option<Became> {
        let end = run.tasks.len().checked_sub(1)?;
        let last = self.tour_vote(which, run, end)?;
        Some(Became {
            first: self.tour_vote(which, run, 0)?,
            fate: Fate::of(&last),
            last,
        })
    }
}
