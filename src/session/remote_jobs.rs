//! Other machines that train runs: the list of machines, their state, and the jobs there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::backend::Backend;
use super::formatting::{format_duration, format_percent};
use super::grid_progress::GridProgress;
use super::run_view::{RunView, Stage};
use super::views::Fetch;
use crate::problem::Problem;
use crate::remote::{RemoteStatus, check};
use crate::run::event::{Command, ControlRequest, Event, Phase};
use crate::run::job::{Job, JobId};
use crate::run::queue::{JobEvent, Queue};
use crate::run::remote_machines::RemoteMachine;
use crate::texts::Words;
use crate::tr;

/// How long the state of a machine remains valid.
const STATE_LIFETIME: Duration = Duration::from_secs(60);

/// A machine that the user can select.
#[derive(Clone, Debug)]
pub struct MachineView {
    /// The machine's entry in the file of places.
    pub machine: RemoteMachine,
    /// The result of querying the machine.
    pub answers: Fetch<RemoteStatus>,
}

impl MachineView {
    /// Returns a summary of the system and devices of the machine, or why it cannot be used.
    pub fn summary(&self) -> String {
        match &self.answers {
            Fetch::Nothing | Fetch::Busy => tr!("train-place-connecting").into(),
            Fetch::Failed(problem) => problem.translated_what(),
            Fetch::Ready(RemoteStatus { hello, missing_runs: not_here }) => {
                let device = match self.machine.device.as_deref() {
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

/// The list of remote machines.
#[derive(Default)]
pub struct Machines {
    /// All machines, by name.
    pub list: Vec<MachineView>,
    /// The clusters. The cluster of this machine has no name.
    pub clusters: Vec<RemoteMachine>,
    /// When the machines were last queried.
    queried_at: Option<Instant>,
}

impl Machines {
    /// Returns whether the machines must be queried again.
    pub fn need_query(&self) -> bool {
        let is_busy = self.list.iter().any(|view| view.answers.is_busy());
        let is_outdated =
            self.queried_at.is_none_or(|queried_at| queried_at.elapsed() > STATE_LIFETIME);
        !self.list.is_empty() && is_outdated && !is_busy
    }

    /// Returns the machine with this name.
    pub fn get(&self, name: &str) -> Option<&MachineView> {
        self.list.iter().find(|view| view.machine.name == name)
    }
}

/// The jobs on one machine.
pub struct MachineJobs {
    backend: Box<dyn Backend>,
    /// The jobs that wait there or are being sent.
    pub queue: Queue,
    /// The run in progress, or the last run.
    pub live: Option<Arc<RunView>>,
    /// The run in progress while `live` is another job that ended before it started, or whose run was copied back.
    interrupted: Option<Arc<RunView>>,
    /// The grid in progress, or the last grid.
    pub grid: Option<Arc<GridProgress>>,
    /// The progress of sending each job that is being sent.
    pub uploads: HashMap<JobId, Words>,
}

impl MachineJobs {
    fn new(backend: Box<dyn Backend>) -> Self {
        Self {
            backend,
            queue: Queue::default(),
            live: None,
            interrupted: None,
            grid: None,
            uploads: HashMap::new(),
        }
    }

    /// Returns the run in progress.
    pub fn running(&self) -> Option<&Arc<RunView>> {
        self.live.as_ref().filter(|run| run.stage.is_live())
    }

    /// Returns the grid in progress.
    pub fn running_grid(&self) -> Option<&Arc<GridProgress>> {
        self.grid.as_ref().filter(|grid| grid.is_live)
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

    /// Returns why the machine cannot be reached at the moment; `None` if it can be reached.
    pub fn connection_problem(&self) -> Option<Problem> {
        self.backend.connection_problem()
    }
}

/// Returns a short description of the state of a run in progress.
pub fn run_status(run: &RunView) -> String {
    let mut parts = Vec::new();
    match (&run.phase, &run.progress) {
        (Some(Phase::Preparing(step)), _) => parts.push(step.translated()),
        (_, Some(progress)) => {
            parts.push(tr!("train-place-task-of-tasks", n = progress.task + 1, of = run.tasks()));
            parts.push(format_percent(run.finished_share(), 0));
            if let Some(seconds) = progress.seconds_left.filter(|_| run.stage == Stage::Running) {
                parts.push(tr!("count-time-left", time = format_duration(seconds)));
            }
        }
        (_, None) => parts.push(tr!("train-place-starting").into()),
    }
    if run.stage == Stage::Paused {
        parts.push(run.stage.label().into());
    }
    parts.join(" · ")
}

impl Session {
    /// Reads the file of places, and follows the jobs again that an earlier window left on them.
    pub(super) fn load_machines(&mut self) {
        self.task_or_notify(
            |sources| sources.machines(),
            |session, (entries, unfinished)| {
                let (clusters, others) =
                    entries.into_iter().partition(|machine| machine.slurm.is_some());
                session.machines.clusters = clusters;
                let machines = Vec::into_iter(others).filter(RemoteMachine::is_ssh_machine);
                let view = |machine| MachineView { machine, answers: Fetch::Nothing };
                session.machines.list = machines.map(view).collect();
                let selected = session.experiment.machine.as_deref();
                if selected.is_some_and(|name| session.machines.get(name).is_none()) {
                    session.experiment.machine = None;
                }
                unfinished.iter().for_each(|name| session.reconnect_machine(name));
                session.watch_clusters();
            },
        );
    }

    fn reconnect_machine(&mut self, name: &str) {
        let result = match self.machines.get(name) {
            Some(_) => self.connect_machine(name),
            None => Err(Problem::new(tr!("train-place-removed-with-runs", place = name))
                .advise(tr!("train-place-removed-with-runs-advice"))),
        };
        if let Err(problem) = result {
            self.notify(problem, true);
        }
    }

    /// Queries all machines whose state is outdated.
    pub fn query_machines(&mut self) {
        if !self.machines.need_query() {
            return;
        }
        self.machines.queried_at = Some(Instant::now());
        let start_query = |view: &mut MachineView| {
            view.answers = Fetch::Busy;
            view.machine.clone()
        };
        let machines: Vec<RemoteMachine> = self.machines.list.iter_mut().map(start_query).collect();
        for machine in machines {
            let name = machine.name.clone();
            self.task(
                move |sources| check(&machine, &sources.disk().runs_root),
                move |session, answers| {
                    let mut list = session.machines.list.iter_mut();
                    if let Some(view) = list.find(|view| view.machine.name == name) {
                        view.answers.fill(answers);
                    }
                },
            );
        }
    }

    /// Selects the machine that trains new runs; `None` for this computer.
    pub fn select_machine(&mut self, name: Option<String>) {
        self.experiment.machine = name;
    }

    fn connect_machine(&mut self, name: &str) -> crate::problem::Result<()> {
        if self.train.machines.contains_key(name) {
            return Ok(());
        }
        let machine = self.machines.get(name).map(|view| view.machine.clone());
        let machine =
            machine.ok_or_else(|| Problem::new(tr!("train-place-unknown", place = name)))?;
        let jobs = MachineJobs::new(self.tasks.connect_machine(&machine)?);
        self.train.machines.insert(name.to_string(), jobs);
        Ok(())
    }

    /// Queues a job on a remote machine. If nothing runs on this computer, the page Train shows it.
    pub(super) fn queue_on_machine(&mut self, name: &str, job: Job) {
        if let Err(problem) = self.connect_machine(name) {
            return self.notify(problem, true);
        }
        if !self.is_training() {
            self.close_opened_run();
            self.train.watched_machine = Some(name.to_string());
        }
        self.send_to_machine(name, Command::Queue(Box::new(job)));
    }

    fn send_to_machine(&mut self, name: &str, command: Command) {
        if let Some(machine) = self.train.machines.get_mut(name) {
            machine.backend.send(command);
        }
    }

    /// Stops the running job on a remote machine. Its run is saved there and copied back.
    pub fn stop_on_machine(&mut self, name: &str, job: JobId) {
        if let Some(machine) = self.train.machines.get_mut(name)
            && machine.job() == Some(job)
        {
            machine.backend.send(Command::Stop(job));
            machine.backend.control_job(job, ControlRequest::Stop);
        }
    }

    /// Pauses or resumes the run in progress on a remote machine.
    pub fn control_machine_run(&mut self, name: &str, request: ControlRequest) {
        if let Some(machine) = self.train.machines.get(name)
            && let Some(job) = machine.running().and_then(|run| run.job)
        {
            machine.backend.control_job(job, request);
        }
    }

    /// Removes a job that waits on a remote machine or is being sent there.
    pub fn remove_machine_job(&mut self, name: &str, job: JobId) {
        self.send_to_machine(name, Command::Stop(job));
    }

    /// Releases the held jobs on a remote machine.
    pub fn release_machine_jobs(&mut self, name: &str) {
        if let Some(machine) = self.train.machines.get_mut(name) {
            for job in machine.queue.jobs().filter(|job| job.held) {
                machine.backend.send(Command::Release(job.id));
            }
        }
    }

    /// Shows the run in progress on a remote machine on the page Train.
    pub fn watch(&mut self, name: String) {
        self.close_opened_run();
        self.train.watched_machine = Some(name);
    }

    /// Processes the events of all machines. Returns whether there were any.
    pub(super) fn drain_machines(&mut self) -> bool {
        let names: Vec<String> = self.train.machines.keys().cloned().collect();
        let mut changed = false;
        for name in names {
            while let Some(machine) = self.train.machines.get_mut(&name)
                && let Some(event) = machine.backend.try_recv()
            {
                self.handle_machine_event(&name, event);
                changed = true;
            }
        }
        changed
    }

    fn handle_machine_event(&mut self, name: &str, job_event: JobEvent) {
        let Some(id) = job_event.job else {
            if let Event::Remark { problem, .. } = job_event.event {
                self.notify(problem, true);
            }
            return;
        };
        self.follow_comparison(id, &job_event.event);
        let train = &mut self.train;
        let nothing_shown =
            train.live.is_none() && train.opened.is_none() && train.watched_machine.is_none();
        if nothing_shown && matches!(job_event.event, Event::Began(_)) {
            // The job was submitted by an earlier window.
            train.watched_machine = Some(name.to_string());
        }
        let Some(machine) = self.train.machines.get_mut(name) else {
            return;
        };
        match job_event.event {
            Event::Queued { job, place } => {
                // A job is queued again if the program there ended before the job had a run.
                machine.live.take_if(|run| run.job == Some(id));
                machine.interrupted.take_if(|run| run.job == Some(id));
                machine.grid.take_if(|grid| grid.job == id);
                machine.queue.insert(*job, place);
            }
            Event::Removed(_) => {
                machine.uploads.remove(&id);
                let title = machine.queue.remove(id).map_or_else(String::new, |job| job.title);
                let text = tr!("train-place-run-unqueued", title, place = name);
                let problem = Problem::new(text);
                self.notify(problem.advise(tr!("session-start-again-advice")), false);
            }
            Event::Phase { phase: Phase::Preparing(words), .. }
                if machine.queue.position(id).is_some() =>
            {
                drop(machine.uploads.insert(id, words));
            }
            event => {
                machine.uploads.remove(&id);
                let job = machine.queue.remove(id);
                if machine.live.as_ref().is_none_or(|run| run.job != Some(id)) {
                    let title = job.map_or_else(String::new, |job| job.title);
                    let previous = machine.live.replace(Arc::new(RunView::for_job(id, title)));
                    machine.interrupted = previous.filter(|run| run.stage.is_live());
                }
                let ends = event.ends_job();
                let event = (!matches!(event, Event::Began(_))).then_some(event);
                let event = event.and_then(|event| self.handle_grid_event(Some(name), id, event));
                if let Some(event) = event {
                    self.handle_run_event(Some(name), event);
                }
                if ends
                    && let Some(machine) = self.train.machines.get_mut(name)
                    && let Some(run) = machine.interrupted.take()
                {
                    machine.live = Some(run);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use crate::session::run_view::tests::header;

    #[test]
    fn job_that_does_not_start_keeps_the_run_in_progress() {
        let (mut session, backend) = Session::for_test(RunConfig::default());
        session.train.machines.insert("lab".into(), MachineJobs::new(Box::new(backend)));
        let [first, second] = [JobId::generate(), JobId::generate()];
        let run = String::new();
        let events = [
            (first, Event::Began(first)),
            (first, Event::Started(Box::new(header()))),
            (second, Event::Began(second)),
            (second, Event::Failed { run, problem: Problem::new("no such folder") }),
        ];
        for (job, event) in events {
            session.handle_machine_event("lab", JobEvent { job: Some(job), event });
        }
        let running = session.train.machines["lab"].running().unwrap();
        assert!(running.job == Some(first) && running.header.is_some());
    }
}
