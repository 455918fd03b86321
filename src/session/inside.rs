//! Results of Look inside for runs after each of their tasks, cached so that a slider over the tasks responds
//! immediately.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use crate::metrics::Expert;
use crate::problem::Problem;
use crate::run::event::{Command, NamedImage};
use crate::run::inside::{
    ImageInspection, Inspection, InspectionContent, InspectionRequest, InspectionTarget, Movement,
    ProbeInspection, RunInspection,
};
use crate::tr;

/// Maximum number of runs whose results are kept.
const MAX_RUNS: usize = 16;

/// The results of successive requests, by task.
#[derive(Debug)]
pub(super) struct TaskResults<T> {
    /// The ticket of the latest request; `u64::MAX` before the first one.
    pub ticket: u64,
    /// Number of tasks requested so far.
    pub requested: usize,
    pub results: Vec<Option<Arc<T>>>,
    pub problem: Option<Problem>,
}

impl<T> Default for TaskResults<T> {
    fn default() -> Self {
        Self { ticket: u64::MAX, requested: 0, results: Vec::new(), problem: None }
    }
}

impl<T> TaskResults<T> {
    pub fn insert(&mut self, task: usize, result: T) {
        if task >= self.results.len() {
            self.results.resize_with(task + 1, || None);
        }
        self.results[task] = Some(Arc::new(result));
    }

    pub fn get(&self, task: usize) -> Option<&Arc<T>> {
        self.results.get(task)?.as_ref()
    }
}

/// Results of Look inside.
#[derive(Debug, Default)]
pub struct InsideResults {
    runs: HashMap<PathBuf, TaskResults<RunInspection>>,
    /// Results for the image on Predict in the selected run.
    image: TaskResults<ImageInspection>,
    image_request: Option<(PathBuf, Arc<NamedImage>)>,
    /// The image on Predict as the network receives it.
    pub network_input: Option<Arc<NamedImage>>,
}

impl InsideResults {
    /// Returns the result for a run after `task` (from 0); `None` if it is not computed yet.
    pub fn run(&self, run: &Path, task: usize) -> Option<&Arc<RunInspection>> {
        self.runs.get(run)?.get(task)
    }

    /// Returns all results of a run, by task.
    pub fn run_results(&self, run: &Path) -> impl Iterator<Item = &Arc<RunInspection>> {
        self.runs.get(run).into_iter().flat_map(|results| results.results.iter().flatten())
    }

    /// Returns the result for the image on Predict after `task`.
    pub fn image(&self, task: usize) -> Option<&Arc<ImageInspection>> {
        self.image.get(task)
    }

    /// Returns whether results of a run are being computed.
    pub fn is_computing(&self, run: &Path) -> bool {
        let results = self.runs.get(run);
        results.is_some_and(|results| {
            results.problem.is_none()
                && results.results.iter().flatten().count() < results.requested
        })
    }

    /// Returns why the results of a run could not be computed.
    pub fn problem(&self, run: &Path) -> Option<&Problem> {
        self.runs.get(run)?.problem.as_ref()
    }

    /// Returns why the result for the image could not be computed.
    pub fn image_problem(&self) -> Option<&Problem> {
        self.image.problem.as_ref()
    }

    /// Returns whether the results for an image are about this image in this run.
    fn matches(&self, run: &Path, image: &Arc<NamedImage>) -> bool {
        let request = self.image_request.as_ref();
        request.is_some_and(|(requested_run, requested_image)| {
            requested_run == run && Arc::ptr_eq(requested_image, image)
        })
    }

    /// Drops all results of a run.
    pub(super) fn remove_run(&mut self, run: &Path) {
        self.runs.remove(run);
        if self.image_request.as_ref().is_some_and(|(requested_run, _)| requested_run == run) {
            (self.image, self.image_request) = (TaskResults::default(), None);
        }
    }

    /// Drops the results of runs whose images could not be read, so that they are requested again.
    pub(super) fn remove_failed(&mut self) {
        let is_failed = |result: &Arc<RunInspection>| result.problem.is_some();
        self.runs.retain(|_, results| {
            results.problem.is_none() && !results.results.iter().flatten().any(is_failed)
        });
    }

    pub(super) fn accept(&mut self, inspection: Inspection) {
        match inspection.seen {
            InspectionContent::Run(result) => {
                let results = self.runs.get_mut(&inspection.run);
                if let Some(results) = results.filter(|results| results.ticket == inspection.ticket)
                {
                    results.insert(inspection.task, *result);
                }
            }
            InspectionContent::Picture(result) if self.image.ticket == inspection.ticket => {
                self.update_network_input(&result);
                self.image.insert(inspection.task, *result);
            }
            InspectionContent::Picture(_) => {}
        }
    }

    fn update_network_input(&mut self, inside: &ImageInspection) {
        let is_same = |input: &Arc<NamedImage>| input.rgb == inside.seen;
        if !self.network_input.as_ref().is_some_and(is_same) {
            self.network_input = Some(Arc::new(NamedImage {
                name: tr!("predict-network-input").into(),
                width: inside.seen_size,
                height: inside.seen_size,
                rgb: inside.seen.clone(),
            }));
        }
    }

    pub(super) fn fail(&mut self, ticket: u64, problem: &Problem) {
        let mut runs = self.runs.values_mut();
        if self.image.ticket == ticket {
            self.image.problem = Some(problem.clone());
        } else if let Some(results) = runs.find(|results| results.ticket == ticket) {
            results.problem = Some(problem.clone());
        }
    }
}

/// Returns the snapshots of a run in the order in which they are computed: the selected one, the one before it, then
/// the others from the newest on.
fn task_order(selected: usize, count: usize) -> Vec<usize> {
    let first = selected.min(count.saturating_sub(1));
    let previous = first.checked_sub(1);
    let mut tasks: Vec<usize> = std::iter::once(first).chain(previous).collect();
    let others = (0..count).rev().filter(|task| !tasks.contains(task));
    let others: Vec<usize> = others.collect();
    tasks.extend(others);
    tasks
}

impl Session {
    /// Returns whether a result for the run or the image on Predict still needs to be requested.
    pub fn needs_inside(&self) -> bool {
        let Some(run) = &self.predict.run else {
            return false;
        };
        let task_count = self.finished_tasks(run);
        let inside = &self.predict.inside;
        let is_outdated = |results: &TaskResults<RunInspection>| results.requested != task_count;
        let needs_run = inside.runs.get(run).is_none_or(is_outdated) && self.can_look_inside(run);
        let image = self.predict.image.as_ref();
        let needs_image = image.is_some_and(|image| {
            !inside.matches(run, image) || inside.image.requested != task_count
        });
        task_count > 0 && (needs_run || needs_image) && self.remote_weights_problem(run).is_none()
    }

    /// Returns whether a run's settings are known and its dataset can be opened without asking the user.
    fn can_look_inside(&self, run: &Path) -> bool {
        let config = self.header_of(run).map(|header| &header.config);
        config.is_some_and(|config| !self.needs_permission(config))
    }

    /// Requests Look inside for the run and the image on Predict, for every task that was not requested yet.
    pub fn request_inside(&mut self) {
        let Some(run) = self.predict.run.clone() else {
            return;
        };
        let task_count = self.finished_tasks(&run);
        if task_count == 0 || self.remote_weights_problem(&run).is_some() {
            return;
        }
        self.request_run_inside(&run, task_count);
        if let Some(image) = self.predict.image.clone() {
            self.request_image_inside(&run, image, task_count);
        }
    }

    pub(super) fn request_run_inside(&mut self, run: &Path, task_count: usize) {
        if !self.can_look_inside(run) {
            return;
        }
        let runs = &mut self.predict.inside.runs;
        if runs.len() >= MAX_RUNS && !runs.contains_key(run) {
            runs.clear();
        }
        let results = runs.entry(run.to_path_buf()).or_default();
        if results.requested == task_count {
            return;
        }
        // An added task was undone, so the results of later tasks are invalid.
        results.results.truncate(task_count);
        self.tickets += 1;
        (results.ticket, results.requested, results.problem) = (self.tickets, task_count, None);
        let target = InspectionTarget::Run { anchor: task_count - 1 };
        self.send_inside_request(run, target, task_count);
    }

    fn request_image_inside(&mut self, run: &Path, image: Arc<NamedImage>, task_count: usize) {
        let is_same_image = self.predict.inside.matches(run, &image);
        if is_same_image && self.predict.inside.image.requested == task_count {
            return;
        }
        self.tickets += 1;
        let results = &mut self.predict.inside.image;
        if !is_same_image {
            *results = TaskResults::default();
        }
        results.results.truncate(task_count);
        (results.ticket, results.requested, results.problem) = (self.tickets, task_count, None);
        let target = InspectionTarget::Picture(NamedImage::clone(&image));
        self.predict.inside.image_request = Some((run.to_path_buf(), image));
        self.send_inside_request(run, target, task_count);
    }

    fn send_inside_request(&mut self, run: &Path, target: InspectionTarget, task_count: usize) {
        self.backend.send(Command::Inside(InspectionRequest {
            ticket: self.tickets,
            run: run.to_path_buf(),
            look: target,
            tasks: task_order(self.predict.task, task_count),
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
    probe: &ProbeInspection,
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
    let histogram = |values: &Vec<f32>| {
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
        newest: histogram(&sorted[0]),
        older: histogram(&sorted[1]),
        medians: sorted.each_mut().map(median),
    })
}

/// Returns the largest movement in these snapshots, which scales the bars of all tasks equally.
pub fn max_movement<'a>(movements: impl Iterator<Item = &'a Movement>) -> f64 {
    let values = movements.flat_map(|movement| {
        let since_start = movement.since_start.iter().flat_map(|(_, blocks)| blocks);
        since_start.chain(&movement.distance).map(|(_, value)| *value)
    });
    values.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_order_starts_with_selected_then_previous_task() {
        assert_eq!(task_order(2, 5), [2, 1, 4, 3, 0]);
        assert_eq!(task_order(9, 3), [2, 1, 0]);
        assert_eq!(task_order(0, 1), [0]);
    }

    #[test]
    fn separates_energies_by_task_and_ignores_unknown_classes() {
        let probe = ProbeInspection {
            places: Vec::new(),
            labels: vec![0, 1, 2, 3, 4],
            given: Vec::new(),
            known: 4,
            maps: Vec::new(),
            energies: vec![(Expert::ONLINE, vec![-4.0, -3.0, -1.0, -2.0, 9.0])],
            strangeness: Vec::new(),
        };
        let histogram = energies(&probe, Expert::ONLINE, 2, (-4.0, 0.0), 4);
        let expected = Energies {
            newest: vec![0, 0, 1, 1],
            older: vec![1, 1, 0, 0],
            medians: [Some(-1.0), Some(-3.0)],
        };
        assert_eq!(histogram, Some(expected));
        assert_eq!(energies(&probe, Expert::OFFLINE, 2, (-4.0, 0.0), 4), None);
    }
}
