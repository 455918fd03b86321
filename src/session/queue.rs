//! Jobs of this window: requested, waiting in the engine's queue, and running. The queue here only reflects the
//! engine's events.

use std::iter::repeat;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Session;
use super::formatting::non_default_suffix;
use super::run_view::RunView;
use super::views::RunRow;
use crate::data::scenario::ClassOrder;
use crate::method::run_title;
use crate::problem::Problem;
use crate::run::check_result::{CheckReport, Verdict};
use crate::run::config::RunConfig;
use crate::run::event::{Command, ControlRequest, Event};
use crate::run::job::{Job, JobId, JobWork};
use crate::store;
use crate::tr;

/// Maximum number of lines of a check in a notice. The job's log has all lines.
const MAX_LINES: usize = 4;

impl Session {
    /// Queues a run with these settings on the selected machine.
    pub fn train(&mut self, config: RunConfig) -> JobId {
        let title = self.title_of(&config) + non_default_suffix(&config).as_str();
        let job = Job::train(config, title);
        let id = job.id;
        match self.experiment.machine.clone() {
            Some(machine) => self.queue_on_machine(&machine, job),
            None => self.queue(job),
        }
        id
    }

    /// Queues a run on this computer, whatever machine is selected. The run has this name from the start.
    pub(super) fn train_named(&mut self, config: RunConfig, name: String) -> JobId {
        let job = Job::train_named(config, name);
        let id = job.id;
        self.queue(job);
        id
    }

    /// Returns a short name for a run with these settings.
    pub fn title_of(&self, config: &RunConfig) -> String {
        let plugin = self.inventory.plugin_of(config);
        run_title(config, plugin.is_none_or(|plugin| plugin.size().is_some()))
    }

    /// Queues several runs, which are compared when all have ended. If the open dataset does not fit one of them, none
    /// is queued, so that the error is not reported after the others have run. Returns whether they were queued.
    pub fn train_all(&mut self, configs: Vec<RunConfig>) -> bool {
        self.train_together(configs, Vec::new()).is_some()
    }

    /// Queues several runs as [`Session::train_all`] does, but returns the jobs. The first runs get these names.
    pub(super) fn train_together(
        &mut self,
        configs: Vec<RunConfig>,
        names: Vec<Option<String>>,
    ) -> Option<Vec<JobId>> {
        let data = self.experiment.data.ready().cloned();
        let check_order = |config: &RunConfig| {
            let Some(data) = data.as_ref().filter(|data| data.location == config.data) else {
                return Ok(()); // It is checked when its turn comes.
            };
            let order = ClassOrder::parse(&config.order)?;
            order.resolve(&data.classes).map(drop)
        };
        if let Some(problem) = configs.iter().find_map(|config| check_order(config).err()) {
            self.notify(problem, true);
            return None;
        }
        let names = names.into_iter().chain(repeat(None));
        let jobs = configs.into_iter().zip(names);
        let jobs = jobs.map(|(config, name)| match name {
            Some(name) => self.train_named(config, name),
            None => self.train(config),
        });
        let jobs: Vec<JobId> = jobs.collect();
        self.compare_when_done(jobs.clone());
        Some(jobs)
    }

    /// Resumes a stopped or killed run where it was trained, or on a device of this computer if a device is given.
    pub fn resume(&mut self, folder: &Path, device: Option<String>) {
        let is_same_run =
            |job: &&Job| matches!(&job.work, JobWork::Resume(other) if other == folder);
        let remote_jobs = self.train.machines.values().flat_map(|at| at.queue.jobs());
        let queued = self.waiting().chain(remote_jobs).find(is_same_run);
        if let Some(title) = queued.map(|job| job.title.clone()) {
            let text = tr!("session-already-queued", title);
            self.notify(Problem::new(text), false);
            return;
        }
        let row = self.row(folder);
        let title = row.map_or_else(|| folder.display().to_string(), RunRow::title);
        let machine = self.resume_machine(folder).filter(|_| device.is_none());
        let job = Job::resume(folder.to_path_buf(), device, title);
        match machine {
            Some(machine) => self.queue_on_machine(&machine, job),
            None => self.queue(job),
        }
    }

    /// Returns the machine where a run was trained and will be resumed; `None` for this computer or a machine that no
    /// longer exists.
    pub fn resume_machine(&self, folder: &Path) -> Option<String> {
        let machine = &self.header_of(folder)?.about.place;
        self.machines.get(machine).map(|_| machine.clone())
    }

    pub(super) fn queue(&mut self, job: Job) {
        if !self.is_training() {
            self.train.live = Some(Arc::new(RunView::for_job(job.id, job.title.clone())));
            self.close_opened_run();
            self.backend.control_running(ControlRequest::Run);
        }
        self.backend.send(Command::Queue(Box::new(job)));
    }

    /// Queues a check of a run or a packed run: its files by their hashes, its predictions from its snapshots, and with
    /// `train` by training it again. The check is a job like a run, because it needs tensors.
    pub fn check(&mut self, path: PathBuf, train: bool) {
        let name = match self.row(&path) {
            Some(row) => row.title(),
            None => store::run_name(&path),
        };
        let title = match train {
            true => tr!("session-retraining-run", name),
            false => tr!("session-check-of-run", name),
        };
        self.queue(Job::new(JobWork::Check { run: path, train }, title));
    }

    /// Reports the result of a check.
    pub(super) fn notify_check_result(&mut self, report: &CheckReport) {
        let lines = report.lines().into_iter().take(MAX_LINES);
        let list: Vec<String> = lines.map(|(_, line)| line).collect();
        let problem = Problem::new(report.sentence()).advise(list.join("; "));
        self.notify(problem, report.verdict() == Verdict::Differs);
    }

    /// Returns the waiting jobs, the next one first.
    pub fn waiting(&self) -> impl Iterator<Item = &Job> {
        // The engine's process queues a job again that failed because the process died.
        let running = self.running_job();
        let jobs = self.train.queue.jobs();
        jobs.filter(move |job| Some(job.id) != running)
    }

    /// Pauses or resumes the current run.
    pub fn control_run(&mut self, request: ControlRequest) {
        self.backend.control_running(request);
    }

    /// Stops the current run, which is saved. The next job in the queue starts unless `hold` is set, which also holds
    /// the queue.
    pub fn stop(&mut self, hold: bool) {
        let Some(job) = self.running_job() else {
            return;
        };
        if hold {
            self.hold_queue(true);
        }
        self.backend.send(Command::Stop(job));
        self.backend.control_job(job, ControlRequest::Stop);
    }

    /// Removes a job from the queue.
    pub fn remove_job(&mut self, job: JobId) {
        self.backend.send(Command::Stop(job));
    }

    /// Moves a waiting job to another position in the queue, from 0.
    pub fn move_in_queue(&mut self, job: JobId, position: usize) {
        self.backend.send(Command::Move { job, place: position });
    }

    /// Holds all jobs in the queue, or releases them.
    pub fn hold_queue(&mut self, held: bool) {
        self.backend.send(Command::Hold(held));
    }

    /// Processes an event of a job. Returns the event if it must be applied to the current run.
    pub(super) fn handle_job_event(&mut self, id: JobId, event: Event) -> Option<Event> {
        let live = self.train.live.as_ref();
        let is_current = live.is_some_and(|run| run.job == Some(id) && run.stage.is_live());
        self.follow_comparison(id, &event);
        match event {
            Event::Queued { job, place } => {
                if job.held && self.train.queue.position(id).is_none() {
                    self.notify_queue_state();
                }
                self.train.queue.insert(*job, place);
                None
            }
            Event::Removed(_) => {
                let job = self.train.queue.remove(id);
                if is_current {
                    let run = String::new();
                    return Some(Event::Stopped { run });
                }
                let title = job.map_or_else(String::new, |job| job.title);
                let problem = Problem::new(tr!("session-removed-from-queue", title));
                self.notify(problem.advise(tr!("session-start-again-advice")), false);
                None
            }
            event => {
                let job = self.train.queue.remove(id);
                if !is_current {
                    let title = job.map_or_else(String::new, |job| job.title);
                    self.retain_compared_run();
                    self.train.live = Some(Arc::new(RunView::for_job(id, title)));
                }
                (!matches!(event, Event::Began(_))).then_some(event)
            }
        }
    }

    /// Notifies the user once of held jobs, which an earlier window left in the queue.
    fn notify_queue_state(&mut self) {
        let text = tr!("session-runs-still-queued");
        let mut notices = self.notices.list.iter();
        if !notices.any(|notice| notice.problem.what == text) {
            let problem = Problem::new(text);
            let advice = tr!("session-runs-still-queued-advice");
            self.notify(problem.advise(advice), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::queue::JobEvent;

    #[test]
    fn failed_job_that_is_queued_again_is_listed_and_can_start() {
        let (mut session, _) = Session::for_test(RunConfig::default());
        let job = Job { held: true, ..Job::train(RunConfig::default(), "first".into()) };
        let id = job.id;
        let problem = Problem::new("the process ended");
        let failed = Event::Failed { run: String::new(), problem };
        let queued = Event::Queued { job: Box::new(job), place: 0 };
        for event in [Event::Began(id), failed, queued] {
            session.handle_event(JobEvent { job: Some(id), event });
        }
        assert_eq!(session.waiting().count(), 1);
        session.handle_event(JobEvent { job: Some(id), event: Event::Began(id) });
        let live = session.train.running().unwrap();
        assert!(live.title == "first" && live.problem.is_none());
        assert_eq!(session.waiting().count(), 0);
    }
}
