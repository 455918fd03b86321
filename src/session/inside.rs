//! Results of Look inside for runs after each of their tasks, cached so that a slider over the tasks responds
//! immediately.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use crate::metrics::Expert;
use crate::problem::Problem;
use crate::run::event::{Command, Picture};
use crate::run::inside::{
    InsideContent, InsideRequest, InsideTarget, Insight, Movement, PictureInside, ProbeInside,
    RunInside,
};
use crate::tr;

/// Maximum number of runs whose results are kept.
const MOST: usize = 16;

/// The results of successive requests, by task.
#[derive(Debug)]
pub(super) struct Views<T> {
    /// The ticket of the latest request.
    pub ticket: u64,
    /// Number of tasks requested so far.
    pub asked: usize,
    pub given: Vec<Option<Arc<T>>>,
    pub problem: Option<Problem>,
}

/// Returns views without requests.
impl<T> Default for Views<T> {
    fn default() -> Self {
        Self {
            ticket: u64::MAX,
            asked: 0,
            given: Vec::new(),
            problem: None,
        }
    }
}

impl<T> Views<T> {
    pub fn take(&mut self, task: usize, seen: T) {
        if task >= self.given.len() {
            self.given.resize_with(task + 1, || None);
        }
        self.given[task] = Some(Arc::new(seen));
    }

    pub fn at(&self, task: usize) -> Option<&Arc<T>> {
        self.given.get(task)?.as_ref()
    }
}

/// Results of Look inside.
#[derive(Debug, Default)]
pub struct Insides {
    runs: HashMap<PathBuf, Views<RunInside>>,
    /// Results for the image on Predict in the selected run.
    picture: Views<PictureInside>,
    about: Option<(PathBuf, Arc<Picture>)>,
    /// The image on Predict as the network receives it.
    pub seen: Option<Arc<Picture>>,
}

impl Insides {
    /// Returns the result for a run after `task` (from 0); `None` if it is not computed yet.
    pub fn run(&self, run: &Path, task: usize) -> Option<&Arc<RunInside>> {
        self.runs.get(run)?.at(task)
    }

    /// Returns all results of a run, by task.
    pub fn tasks_of(&self, run: &Path) -> impl Iterator<Item = &Arc<RunInside>> {
        let views = self.runs.get(run).into_iter();
        views.flat_map(|views| views.given.iter().flatten())
    }

    /// Returns the result for the image on Predict after `task`.
    pub fn picture(&self, task: usize) -> Option<&Arc<PictureInside>> {
        self.picture.at(task)
    }

    /// Returns whether results of a run are being computed.
    pub fn is_looking(&self, run: &Path) -> bool {
        let views = self.runs.get(run);
        views.is_some_and(|views| {
            views.problem.is_none() && views.given.iter().flatten().count() < views.asked
        })
    }

    /// Returns why the results of a run could not be computed.
    pub fn problem(&self, run: &Path) -> Option<&Problem> {
        self.runs.get(run)?.problem.as_ref()
    }

    /// Returns why the result for the image could not be computed.
    pub fn picture_problem(&self) -> Option<&Problem> {
        self.picture.problem.as_ref()
    }

    /// Returns whether the results for an image are about this image in this run.
    fn is_about(&self, run: &Path, picture: &Arc<Picture>) -> bool {
        let about = self.about.as_ref();
        about.is_some_and(|(of, known)| of == run && Arc::ptr_eq(known, picture))
    }

    /// Drops all results of a run.
    pub(super) fn forget(&mut self, run: &Path) {
        self.runs.remove(run);
        if self.about.as_ref().is_some_and(|(of, _)| of == run) {
            (self.picture, self.about) = (Views::default(), None);
        }
    }

    pub(super) fn take(&mut self, insight: Insight) {
        match insight.seen {
            InsideContent::Run(seen) => {
                let views = self.runs.get_mut(&insight.run);
                if let Some(views) = views.filter(|views| views.ticket == insight.ticket) {
                    views.take(insight.task, *seen);
                }
            }
            InsideContent::Picture(seen) if self.picture.ticket == insight.ticket => {
                self.note_seen(&seen);
                self.picture.take(insight.task, *seen);
            }
            InsideContent::Picture(_) => {}
        }
    }

    fn note_seen(&mut self, inside: &PictureInside) {
        let same = |known: &Arc<Picture>| known.rgb == inside.seen;
        if !self.seen.as_ref().is_some_and(same) {
            self.seen = Some(Arc::new(Picture {
                name: tr!("predict-network-input").into(),
                width: inside.seen_size,
                height: inside.seen_size,
                rgb: inside.seen.clone(),
            }));
        }
    }

    pub(super) fn refuse(&mut self, ticket: u64, problem: &Problem) {
        let mut runs = self.runs.values_mut();
        if self.picture.ticket == ticket {
            self.picture.problem = Some(problem.clone());
        } else if let Some(views) = runs.find(|views| views.ticket == ticket) {
            views.problem = Some(problem.clone());
        }
    }
}

/// Returns the snapshots of a run in the order in which they are computed: the selected one, the one before it, then
/// the others from the newest on.
fn order(looked_at: usize, count: usize) -> Vec<usize> {
    let first = looked_at.min(count.saturating_sub(1));
    let before = first.checked_sub(1);
    let mut tasks: Vec<usize> = std::iter::once(first).chain(before).collect();
    let others = (0..count).rev().filter(|task| !tasks.contains(task));
    let others: Vec<usize> = others.collect();
    tasks.extend(others);
    tasks
}

impl Session {
    /// Returns whether a result for the run or the image on Predict still needs to be requested.
    pub fn lacks_inside(&self) -> bool {
        let Some(run) = &self.predict.run else {
            return false;
        };
        let done = self.finished_tasks(run);
        let insides = &self.predict.insides;
        let run_is_new = |views: &Views<RunInside>| views.asked != done;
        let of_run = insides.runs.get(run).is_none_or(run_is_new) && self.is_run_open_to_look(run);
        let picture = self.predict.picture.as_ref();
        let of_picture = picture.is_some_and(|picture| {
            !insides.is_about(run, picture) || insides.picture.asked != done
        });
        done > 0 && (of_run || of_picture) && self.weights_elsewhere(run).is_none()
    }

    /// Returns whether a run's settings are known and its dataset can be opened without asking the user.
    fn is_run_open_to_look(&self, run: &Path) -> bool {
        let config = self.header_of(run).map(|header| &header.config);
        config.is_some_and(|config| !self.asks_before_opening(config))
    }

    /// Requests Look inside for the run and the image on Predict, for every task that was not requested yet.
    pub fn request_inside(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let done = self.finished_tasks(&run);
        if done == 0 || self.weights_elsewhere(&run).is_some() {
            return;
        }
        self.request_run_inside(&run, done);
        if let Some(picture) = self.predict.picture.clone() {
            self.request_picture_inside(&run, picture, done);
        }
    }

    pub(super) fn request_run_inside(&mut self, run: &Path, done: usize) {
        if !self.is_run_open_to_look(run) {
            return;
        }
        let runs = &mut self.predict.insides.runs;
        if runs.len() >= MOST && !runs.contains_key(run) {
            runs.clear();
        }
        let views = runs.entry(run.to_path_buf()).or_default();
        if views.asked == done {
            return;
        }
        // An added task was undone, so the results of later tasks are invalid.
        views.given.truncate(done);
        self.tickets += 1;
        (views.ticket, views.asked, views.problem) = (self.tickets, done, None);
        let look = InsideTarget::Run { anchor: done - 1 };
        self.send_inside_request(run, look, done);
    }

    fn request_picture_inside(&mut self, run: &Path, picture: Arc<Picture>, done: usize) {
        let same = self.predict.insides.is_about(run, &picture);
        if same && self.predict.insides.picture.asked == done {
            return;
        }
        self.tickets += 1;
        let views = &mut self.predict.insides.picture;
        if !same {
            *views = Views::default();
        }
        views.given.truncate(done);
        (views.ticket, views.asked, views.problem) = (self.tickets, done, None);
        let look = InsideTarget::Picture(Picture::clone(&picture));
        self.predict.insides.about = Some((run.to_path_buf(), picture));
        self.send_inside_request(run, look, done);
    }

    fn send_inside_request(&mut self, run: &Path, look: InsideTarget, done: usize) {
        self.backend.send(Command::Inside(InsideRequest {
            ticket: self.tickets,
            run: run.to_path_buf(),
            look,
            tasks: order(self.predict.task, done),
        }));
    }
}

/// A histogram of energies for the classes of the newest task and for those of earlier tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energies {
    /// Number of images of the newest task's classes in each bin.
    pub newest: Vec<usize>,
    /// Number of images of older tasks' classes in each bin.
    pub older: Vec<usize>,
    /// The median energy of newest and older classes; `None` if there are no images.
    pub medians: [Option<f32>; 2],
}

/// Returns a histogram of an expert's energies with bins from `low` to `high`. Images of classes that are not learned
/// yet are ignored. `first` is the first class of the newest task.
pub fn energies(
    probe: &ProbeInside,
    expert: Expert,
    first: usize,
    (low, high): (f32, f32),
    bins: usize,
) -> Option<Energies> {
    let values = probe.energies_of(expert)?;
    let mut sorted = [Vec::new(), Vec::new()];
    for (energy, label) in values.iter().zip(&probe.labels) {
        if *label < probe.known {
            sorted[usize::from(*label < first)].push(*energy);
        }
    }
    let width = ((high - low) / bins as f32).max(f32::MIN_POSITIVE);
    let counted = |values: &Vec<f32>| {
        let mut counts = vec![0; bins];
        for value in values {
            let bin = ((value - low) / width).max(0.0) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        counts
    };
    let median = |values: &mut Vec<f32>| {
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some(Energies {
        newest: counted(&sorted[0]),
        older: counted(&sorted[1]),
        medians: sorted.each_mut().map(median),
    })
}

/// Returns the largest movement in these snapshots, which scales the bars of all tasks equally.
pub fn farthest<'a>(movements: impl Iterator<Item = &'a Movement>) -> f64 {
    let each = movements.flat_map(|movement| {
        let since = movement.since_start.iter().flat_map(|(_, blocks)| blocks);
        since.chain(&movement.distance).map(|(_, value)| *value)
    });
    each.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_at_comes_first_and_what_was_before_it_next() {
        assert_eq!(order(2, 5), [2, 1, 4, 3, 0]);
        assert_eq!(order(9, 3), [2, 1, 0]);
        assert_eq!(order(0, 1), [0]);
    }

    #[test]
    fn energies_are_told_apart_by_task_and_unknown_classes_left_out() {
        let probe = ProbeInside {
            places: Vec::new(),
            labels: vec![0, 1, 2, 3, 4],
            given: Vec::new(),
            known: 4,
            maps: Vec::new(),
            energies: vec![(Expert::ONLINE, vec![-4.0, -3.0, -1.0, -2.0, 9.0])],
            strangeness: Vec::new(),
        };
        let told = energies(&probe, Expert::ONLINE, 2, (-4.0, 0.0), 4);
        let wanted = Energies {
            newest: vec![0, 0, 1, 1],
            older: vec![1, 1, 0, 0],
            medians: [Some(-1.0), Some(-3.0)],
        };
        assert_eq!(told, Some(wanted));
        assert_eq!(energies(&probe, Expert::OFFLINE, 2, (-4.0, 0.0), 4), None);
    }
}
