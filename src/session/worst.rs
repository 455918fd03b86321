//! How certain a run was of its mistakes, where it did not note it: the pictures answered wrongly are
//! asked once more, one after the other, as any picture on Predict.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::loads::Lookup;
use super::run_view::RunView;
use super::views::Split;
use crate::metrics::{Expert, Wrong};
use crate::problem::{Problem, Result};
use crate::run::event::{Command, Picture, PredictRequest, Prediction, RunHeader};
use crate::tr;

/// Pictures asked once more at most.
const MOST: usize = 200;
/// What these requests are about, so that none takes the place of another page's.
const ABOUT: u64 = u64::MAX;

/// A run and a task of it, from 0.
type Of = (PathBuf, usize);

/// A picture that is to be asked: its place among the answers, and where it lies.
type Place = (usize, (usize, usize));

/// What was asked once more.
#[derive(Default)]
pub(super) struct Certainties {
    /// By place among the answers what the experts say now.
    found: HashMap<Of, HashMap<usize, Prediction>>,
    asking: Option<Asking>,
    problem: Option<(Of, Problem)>,
}

/// What is asked now.
struct Asking {
    of: Of,
    header: Box<RunHeader>,
    left: VecDeque<Place>,
    all: usize,
    /// The picture under way, once it is sent: its place, and the ticket.
    sent: Option<(usize, u64)>,
}

impl Certainties {
    /// Nothing that was found about this run holds any more.
    pub fn forget(&mut self, run: &Path) {
        self.found.retain(|(known, _), _| known != run);
        self.asking.take_if(|asking| asking.of.0 == run);
    }

    /// Takes an answer; gives back what belongs to nobody here.
    pub fn take(&mut self, mut answer: Prediction) -> Option<Prediction> {
        let Some(asking) = self.asking.as_mut() else {
            return Some(answer);
        };
        let Some((at, _)) = asking.sent.filter(|(_, ticket)| *ticket == answer.ticket) else {
            return Some(answer);
        };
        asking.sent = None;
        answer.seen.clear();
        let found = self.found.entry(asking.of.clone()).or_default();
        found.insert(at, answer);
        None
    }

    /// Takes a refusal; true when it belongs here. What cannot be asked once cannot be asked again.
    pub fn refuse(&mut self, ticket: u64, problem: &Problem) -> bool {
        let mine = |asking: &Asking| asking.sent.is_some_and(|(_, known)| known == ticket);
        let Some(asking) = self.asking.take_if(|asking| mine(asking)) else {
            return false;
        };
        self.problem = Some((asking.of, problem.clone()));
        true
    }
}

impl Session {
    /// What an expert answered wrongly after a task, the surest first; `class` keeps what is truly of
    /// that class. Certainties that were found since are filled in.
    pub fn worst(
        &self,
        run: &RunView,
        task: usize,
        expert: Expert,
        class: Option<usize>,
    ) -> Vec<Wrong> {
        let Some(report) = run.reports.get(task) else {
            return Vec::new();
        };
        let mut list = report.answers.wrong(expert, class);
        let folder = run.header.as_ref().map(|header| header.folder.clone());
        let found = folder.and_then(|folder| self.train.worst.found.get(&(folder, task)));
        for wrong in list.iter_mut().filter(|wrong| wrong.certainty.is_none()) {
            let answer = found.and_then(|found| found.get(&wrong.at)?.of(expert));
            wrong.certainty =
                answer.and_then(|opinion| opinion.probabilities.get(wrong.given).copied());
        }
        Wrong::sort(&mut list);
        list
    }

    /// Asks those once more that were answered wrongly by the run's answer after a task.
    pub fn look_again(&mut self, run: &RunView, task: usize) {
        let (Some(header), Some(report)) = (&run.header, run.reports.get(task)) else {
            return;
        };
        let of = (header.folder.clone(), task);
        let answers = &report.answers;
        let wrong = answers.wrong(header.answering(), None);
        let known = self.train.worst.found.get(&of);
        let wanted = |wrong: &&Wrong| known.is_none_or(|known| !known.contains_key(&wrong.at));
        let place = |wrong: &Wrong| {
            let index = answers.samples.get(wrong.at).copied().unwrap_or_default();
            (wrong.at, (answers.source(wrong.at), index))
        };
        let left: VecDeque<Place> = wrong.iter().filter(wanted).take(MOST).map(place).collect();
        if let Some(problem) = self.weights_elsewhere(&of.0) {
            self.train.worst.problem = Some((of, problem));
            return;
        }
        self.train.worst.problem = None;
        self.train.worst.asking = Some(Asking {
            of,
            header: Box::new(header.clone()),
            all: left.len(),
            left,
            sent: None,
        });
        self.look_on();
    }

    /// Pictures of this task that were asked once more.
    pub fn looked_again(&self, run: &Path, task: usize) -> usize {
        let found = self.train.worst.found.get(&(run.to_path_buf(), task));
        found.map_or(0, HashMap::len)
    }

    /// How many pictures of this task are asked once more, and how many of them are done.
    pub fn looking_again(&self, run: &Path, task: usize) -> Option<(usize, usize)> {
        let asking = self.train.worst.asking.as_ref()?;
        let same = (asking.of.0.as_path(), asking.of.1) == (run, task);
        let under_way = usize::from(asking.sent.is_some());
        same.then(|| (asking.all - asking.left.len() - under_way, asking.all))
    }

    /// Why they could not be asked.
    pub fn look_again_problem(&self, run: &Path, task: usize) -> Option<&Problem> {
        let (of, problem) = self.train.worst.problem.as_ref()?;
        ((of.0.as_path(), of.1) == (run, task)).then_some(problem)
    }

    /// Sends the next picture as soon as it is read.
    pub(super) fn look_on(&mut self) {
        let Some(mut asking) = self.train.worst.asking.take() else {
            return;
        };
        while asking.sent.is_none() {
            let Some(&(at, place)) = asking.left.front() else {
                // All are asked.
                return;
            };
            let picture = self.picture_at(&asking.header, place);
            match self.look_up(picture) {
                None => break,
                // One that cannot be read is left out.
                Some(Err(_)) => drop(asking.left.pop_front()),
                Some(Ok(picture)) => {
                    asking.left.pop_front();
                    self.tickets += 1;
                    asking.sent = Some((at, self.tickets));
                    self.backend.send(Command::Predict(PredictRequest {
                        ticket: self.tickets,
                        about: ABOUT,
                        run: asking.of.0.clone(),
                        picture: Picture::clone(&picture),
                        tasks: vec![asking.of.1],
                    }));
                }
            }
        }
        self.train.worst.asking = Some(asking);
    }

    /// A test picture of a run.
    fn picture_at(
        &self,
        header: &RunHeader,
        (source, index): (usize, usize),
    ) -> Lookup<Result<Arc<Picture>>> {
        if source > 0 {
            return self.added_task_picture(header, source, index);
        }
        if self.data_is_missing(&header.config) {
            let gone = Problem::new(tr!("story-data-missing"));
            return Lookup::Found(Err(gone));
        }
        let data = self.data_of(&header.config);
        data.and_then(|data| self.picture_of(&data, Split::Test, index))
    }
}
