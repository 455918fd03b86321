//! Other machines that train runs: the list of places, their state, and the jobs there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::backend::Backend;
use super::grid_at_work::GridAtWork;
use super::run_view::{RunView, Stage};
use super::views::Fetch;
use super::words::{duration_text, percent};
use crate::problem::Problem;
use crate::remote::{RemoteAnswers, check};
use crate::run::event::{Command, ControlRequest, Event, Phase};
use crate::run::job::{Job, JobId};
use crate::run::places::RemoteMachine;
use crate::run::queue::{JobEvent, Queue};
use crate::texts::Words;
use crate::tr;

/// How long the state of a place remains valid.
const FRESH: Duration = Duration::from_secs(60);

/// A place that the user can select.
#[derive(Clone, Debug)]
pub struct PlaceView {
    /// The place's entry in the file of places.
    pub place: RemoteMachine,
    /// The result of querying the place.
    pub answers: Fetch<RemoteAnswers>,
}

impl PlaceView {
    /// Returns a line that describes the system and devices of the place, or why it cannot be used.
    pub fn line(&self) -> String {
        match &self.answers {
            Fetch::Nothing | Fetch::Busy => tr!("train-place-connecting").into(),
            Fetch::Failed(problem) => problem.what_said(),
            Fetch::Ready(RemoteAnswers { hello, not_here }) => {
                let device = match self.place.device.as_deref() {
                    None | Some("auto") => tr!("train-place-best-device").to_string(),
                    Some(device) => tr!("train-place-device", device),
                };
                tr!(
                    "train-place-about",
                    system = hello.system.as_str(),
                    processor = hello.processor.as_str(),
                    device,
                    folder = hello.folder.display().to_string(),
                    n = *not_here
                )
            }
        }
    }
}

/// The list of places.
#[derive(Default)]
pub struct Places {
    /// All places, by name.
    pub list: Vec<PlaceView>,
    /// The clusters. The cluster of this machine has no name.
    pub clusters: Vec<RemoteMachine>,
    /// When the places were last queried.
    asked: Option<Instant>,
}

impl Places {
    /// Returns whether the places must be queried again.
    pub fn are_due(&self) -> bool {
        let busy = self.list.iter().any(|view| view.answers.is_busy());
        let old = self.asked.is_none_or(|asked| asked.elapsed() > FRESH);
        !self.list.is_empty() && old && !busy
    }

    /// Returns the place with this name.
    pub fn get(&self, name: &str) -> Option<&PlaceView> {
        self.list.iter().find(|view| view.place.name == name)
    }
}

/// The jobs at one place.
pub struct AtPlace {
    backend: Box<dyn Backend>,
    /// The jobs that wait there or are being sent.
    pub queue: Queue,
    /// The run in progress, or the last run.
    pub live: Option<Arc<RunView>>,
    /// The grid in progress, or the last grid.
    pub grid: Option<Arc<GridAtWork>>,
    /// The progress of sending each job that is being sent.
    pub on_the_way: HashMap<JobId, Words>,
}

impl AtPlace {
    /// Returns the run in progress.
    pub fn running(&self) -> Option<&Arc<RunView>> {
        self.live.as_ref().filter(|run| run.stage.is_live())
    }

    /// Returns the grid in progress.
    pub fn running_grid(&self) -> Option<&Arc<GridAtWork>> {
        self.grid.as_ref().filter(|grid| grid.live)
    }

    /// Returns the job in progress: a run or a grid, even between two runs of the grid.
    pub fn job(&self) -> Option<JobId> {
        let grid = self.running_grid().map(|grid| grid.job);
        grid.or_else(|| self.running()?.job)
    }

    /// Returns whether no job is running or waiting there.
    pub fn is_idle(&self) -> bool {
        self.running().is_none() && self.queue.jobs().len() == 0
    }

    /// Returns why the place cannot be reached at the moment; `None` if it can be reached.
    pub fn trouble(&self) -> Option<Problem> {
        self.backend.trouble()
    }
}

/// Returns a short description of the state of a run in progress.
pub fn doing(run: &RunView) -> String {
    let mut words = Vec::new();
    match (&run.phase, &run.progress) {
        (Some(Phase::Preparing(what)), _) => words.push(what.said()),
        (_, Some(now)) => {
            words.push(tr!(
                "train-place-task-of-tasks",
                n = now.task + 1,
                of = run.tasks()
            ));
            words.push(percent(run.done(), 0));
            if let Some(left) = now.seconds_left.filter(|_| run.stage == Stage::Running) {
                words.push(tr!("count-time-left", time = duration_text(left)));
            }
        }
        (_, None) => words.push(tr!("train-place-starting").into()),
    }
    if run.stage == Stage::Paused {
        words.push(run.stage.word().into());
    }
    words.join(" · ")
}

impl Session {
    /// Reads the file of places, and follows the jobs again that an earlier window left at them.
    pub(super) fn read_places(&mut self) {
        self.task_or_notify(
            |sources| sources.places(),
            |session, (places, left)| {
                let (clusters, others) =
                    places.into_iter().partition(|place| place.slurm.is_some());
                session.places.clusters = clusters;
                let machines = Vec::into_iter(others).filter(RemoteMachine::is_machine);
                let view = |place| PlaceView {
                    place,
                    answers: Fetch::Nothing,
                };
                session.places.list = machines.map(view).collect();
                let chosen = session.experiment.place.as_deref();
                if chosen.is_some_and(|name| session.places.get(name).is_none()) {
                    session.experiment.place = None;
                }
                left.iter().for_each(|name| session.take_up_place(name));
                session.watch_clusters();
            },
        );
    }

    fn take_up_place(&mut self, name: &str) {
        let reached = match self.places.get(name) {
            Some(_) => self.reach_place(name),
            None => Err(
                Problem::new(tr!("train-place-removed-with-runs", place = name))
                    .advise(tr!("train-place-removed-with-runs-advice")),
            ),
        };
        if let Err(problem) = reached {
            self.notify(problem, true);
        }
    }

    /// Queries all places whose state is outdated.
    pub fn request_places(&mut self) {
        if !self.places.are_due() {
            return;
        }
        self.places.asked = Some(Instant::now());
        let fetch = |view: &mut PlaceView| {
            view.answers = Fetch::Busy;
            view.place.clone()
        };
        let places: Vec<RemoteMachine> = self.places.list.iter_mut().map(fetch).collect();
        for place in places {
            let name = place.name.clone();
            self.task(
                move |sources| check(&place, &sources.disk().runs_root),
                move |session, answers| {
                    let mut list = session.places.list.iter_mut();
                    if let Some(view) = list.find(|view| view.place.name == name) {
                        view.answers.fill(answers);
                    }
                },
            );
        }
    }

    /// Selects the place that trains new runs; `None` for this computer.
    pub fn choose_place(&mut self, name: Option<String>) {
        self.experiment.place = name;
    }

    fn reach_place(&mut self, name: &str) -> crate::problem::Result<()> {
        if self.train.places.contains_key(name) {
            return Ok(());
        }
        let place = self.places.get(name).map(|view| view.place.clone());
        let place = place.ok_or_else(|| Problem::new(tr!("train-place-unknown", place = name)))?;
        let at = AtPlace {
            backend: self.tasks.place(&place)?,
            queue: Queue::default(),
            live: None,
            grid: None,
            on_the_way: HashMap::new(),
        };
        self.train.places.insert(name.to_string(), at);
        Ok(())
    }

    /// Queues a job at a place. If nothing runs on this computer, the page Train shows the place.
    pub(super) fn queue_at(&mut self, name: &str, job: Job) {
        if let Err(problem) = self.reach_place(name) {
            return self.notify(problem, true);
        }
        if !self.is_training() {
            self.close_opened();
            self.train.watched = Some(name.to_string());
        }
        self.say_to(name, Command::Queue(Box::new(job)));
    }

    fn say_to(&mut self, name: &str, command: Command) {
        if let Some(at) = self.train.places.get_mut(name) {
            at.backend.send(command);
        }
    }

    /// Stops the running job at a place. Its run is saved there and copied back.
    pub fn stop_at(&mut self, name: &str, job: JobId) {
        if let Some(at) = self.train.places.get_mut(name)
            && at.job() == Some(job)
        {
            at.backend.send(Command::Stop(job));
            at.backend.control_job(job, ControlRequest::Stop);
        }
    }

    /// Pauses or resumes the run in progress at a place.
    pub fn wish_at(&mut self, name: &str, wish: ControlRequest) {
        if let Some(at) = self.train.places.get(name)
            && let Some(job) = at.running().and_then(|run| run.job)
        {
            at.backend.control_job(job, wish);
        }
    }

    /// Removes a job that waits at a place or is being sent there.
    pub fn remove_job_at(&mut self, name: &str, job: JobId) {
        self.say_to(name, Command::Stop(job));
    }

    /// Releases the held jobs at a place.
    pub fn release_held_at(&mut self, name: &str) {
        if let Some(at) = self.train.places.get_mut(name) {
            for job in at.queue.jobs().filter(|job| job.held) {
                at.backend.send(Command::Release(job.id));
            }
        }
    }

    /// Shows the run in progress at a place on the page Train.
    pub fn watch(&mut self, name: String) {
        self.close_opened();
        self.train.watched = Some(name);
    }

    /// Processes the events of all places. Returns whether there were any.
    pub(super) fn drain_places(&mut self) -> bool {
        let names: Vec<String> = self.train.places.keys().cloned().collect();
        let mut changed = false;
        for name in names {
            while let Some(at) = self.train.places.get_mut(&name)
                && let Some(told) = at.backend.try_recv()
            {
                self.handle_place_event(&name, told);
                changed = true;
            }
        }
        changed
    }

    fn handle_place_event(&mut self, name: &str, told: JobEvent) {
        let Some(id) = told.job else {
            if let Event::Remark { problem, .. } = told.event {
                self.notify(problem, true);
            }
            return;
        };
        self.follow_comparison(id, &told.event);
        let train = &mut self.train;
        let nothing = train.live.is_none() && train.opened.is_none() && train.watched.is_none();
        if nothing && matches!(told.event, Event::Began(_)) {
            // The job was submitted by an earlier window.
            train.watched = Some(name.to_string());
        }
        let Some(at) = self.train.places.get_mut(name) else {
            return;
        };
        match told.event {
            Event::Queued { job, place } => {
                // A job is queued again if the program there ended before the job had a run.
                at.live.take_if(|run| run.job == Some(id));
                at.grid.take_if(|grid| grid.job == id);
                at.queue.put(*job, place);
            }
            Event::Removed(_) => {
                at.on_the_way.remove(&id);
                let title = at.queue.take(id).map_or_else(String::new, |job| job.title);
                let told = tr!("train-place-run-unqueued", title, place = name);
                let told = Problem::new(told);
                self.notify(told.advise(tr!("story-start-again-advice")), false);
            }
            Event::Phase {
                phase: Phase::Preparing(words),
                ..
            } if at.queue.place(id).is_some() => drop(at.on_the_way.insert(id, words)),
            event => {
                at.on_the_way.remove(&id);
                let waited = at.queue.take(id);
                if at.live.as_ref().is_none_or(|run| run.job != Some(id)) {
                    let title = waited.map_or_else(String::new, |job| job.title);
                    at.live = Some(Arc::new(RunView::of_job(id, title)));
                }
                let event = (!matches!(event, Event::Began(_))).then_some(event);
                let event = event.and_then(|event| self.handle_grid_event(Some(name), id, event));
                if let Some(event) = event {
                    self.handle_run_event(Some(name), event);
                }
            }
        }
    }
}
