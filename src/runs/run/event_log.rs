//! Logs commands and events. The log contains only numbers and words of this program, never a name that somebody chose:
//! datasets, weight files, class orders and runs are described by their kind.

use std::path::Path;

use super::config::RunConfig;
use super::event::{Command, Event, Phase, Sink};
use super::job::{JobId, JobWork};
use super::prediction_table::WorkState;
use crate::backbone::weights::EXTENSIONS as WEIGHTS;
use crate::data::{builtin, published};
use crate::logging::{describe_problem, redact};
use crate::problem::Problem;

/// Number of characters of a run's name that contain its start time.
const TIMESTAMP_LENGTH: usize = 19;

/// Logs a command to the engine.
pub fn log_command(command: &Command) {
    match command {
        Command::Queue(job) => {
            let job_id = job.id.number();
            match &job.work {
                JobWork::Train(config) => {
                    tracing::info!(job_id, "request to train: {}", describe_settings(config));
                }
                JobWork::Grid(grid) => {
                    redact([&grid.name]);
                    tracing::info!(job_id, runs = grid.runs, "request to run a grid");
                }
                JobWork::Try(config) => {
                    tracing::info!(
                        job_id,
                        "request to compare methods: {}",
                        describe_settings(config)
                    );
                }
                JobWork::TryBackbones(config, others) => {
                    let (others, config) = (others.len(), describe_settings(config));
                    tracing::info!(job_id, others, "request to compare backbones: {config}");
                }
                JobWork::TryPet(_) => {
                    tracing::info!(job_id, "request to compare a PET with Adapter");
                }
                JobWork::Check { train, .. } => {
                    tracing::info!(job_id, train, "request to check a run");
                }
                JobWork::Resume(_) => tracing::info!(job_id, "request to resume a run"),
                JobWork::Teach { source, .. } => {
                    redact([source]);
                    tracing::info!(job_id, "request to teach a run");
                }
            }
        }
        Command::Stop(job) => tracing::info!(job_id = job.number(), "request to stop"),
        Command::Move { job, place } => {
            let job_id = job.number();
            tracing::info!(job_id, place, "request to move a job in the queue");
        }
        Command::Release(job) => {
            tracing::info!(job_id = job.number(), "request to start a held job");
        }
        Command::Hold(held) => tracing::info!(held, "request to pause or resume the queue"),
        Command::Predict(request) => {
            let (ticket, tasks) = (request.ticket, request.tasks.len());
            tracing::debug!(ticket, tasks, "request to predict");
        }
        Command::Inside(request) => {
            let (ticket, tasks) = (request.ticket, request.tasks.len());
            tracing::debug!(ticket, tasks, "request to inspect");
        }
        Command::Sheet(request) => {
            let (ticket, task) = (request.ticket, request.task);
            tracing::info!(ticket, task, "request to write a table of a folder");
        }
        Command::Doubts(request) => {
            let (ticket, task) = (request.ticket, request.task);
            tracing::info!(ticket, task, "request to find doubtful labels");
        }
        Command::StopSheet(ticket) => {
            tracing::info!(ticket, "request to stop a table or a label check");
        }
        Command::ForgetData => tracing::debug!("request to reload the dataset"),
        Command::Shutdown => tracing::info!("request to shut down"),
    }
}

/// Logs the engine's events, except the events of runs.
pub fn log_engine_event(job: Option<JobId>, event: &Event) {
    let job_id = job.map_or(0, JobId::number);
    match event {
        Event::Began(_) => tracing::info!(job_id, "job started"),
        Event::Removed(_) => tracing::info!(job_id, "job removed from the queue"),
        Event::Finished { .. } => tracing::info!(job_id, "job finished"),
        Event::Stopped { .. } => tracing::info!(job_id, "job stopped"),
        Event::Failed { problem, .. } => {
            tracing::error!(job_id, "job failed: {}", describe_problem(problem));
        }
        Event::NotPredicted { ticket, problem } => {
            tracing::warn!(ticket, "prediction failed: {}", describe_problem(problem));
        }
        Event::Sheet { ticket, state } => log_work(*ticket, "table", state, |count| count.of),
        Event::Doubts { ticket, state } => {
            log_work(*ticket, "label check", state, |answers| answers.labels.len());
        }
        Event::NotInside { ticket, problem } => {
            tracing::warn!(ticket, "inspection failed: {}", describe_problem(problem));
        }
        _ => {}
    }
}

/// Logs the state of work on many images; `count_images` returns their number.
fn log_work<P, D>(
    ticket: u64,
    what: &str,
    state: &WorkState<P, D>,
    count_images: impl Fn(&D) -> usize,
) {
    match state {
        WorkState::Working(_) => {}
        WorkState::Done(result) => {
            let pictures = count_images(result);
            tracing::info!(ticket, pictures, "{what} finished");
        }
        WorkState::Stopped => tracing::info!(ticket, "{what} stopped"),
        WorkState::Failed(problem) => {
            tracing::warn!(ticket, "{what} failed: {}", describe_problem(problem));
        }
    }
}

/// Logs a Problem that ended a request of the user.
pub fn log_failure(problem: &Problem) {
    tracing::error!("{}", describe_problem(problem));
}

/// A sink that logs the events of a run and passes them on.
pub struct LoggedSink<'a>(pub &'a mut dyn Sink);

impl LoggedSink<'_> {
    /// Logs that a run with these settings is being prepared.
    pub fn log_preparation(&self, action: &str, config: &RunConfig) {
        let paths = [&config.data, &config.backbone, &config.order];
        let paths = paths.into_iter().chain(&config.pet_start);
        let paths = paths.filter(|text| text.contains(['/', '\\']));
        redact(paths);
        tracing::info!("{action}: {}", describe_settings(config));
    }

    /// Logs that a run with these settings is about to learn the dataset at `source`.
    pub fn log_added_task(&self, source: &str, config: &RunConfig) {
        redact([source]);
        self.log_preparation("an added task is prepared", config);
    }
}

impl Sink for LoggedSink<'_> {
    fn event(&mut self, event: Event) {
        log_run_event(&event);
        self.0.event(event);
    }

    fn between_batches(&mut self) {
        self.0.between_batches();
    }
}

/// Logs the events of a run.
fn log_run_event(event: &Event) {
    match event {
        Event::Started(header) => {
            redact(&header.class_order);
            let (classes, tasks) = (header.class_order.len(), header.tasks.len());
            let images: usize = header.train_images.iter().sum();
            let tested: usize = header.test_images.iter().sum();
            // The name of the dataset follows the start time.
            let run: String = header.run.chars().take(TIMESTAMP_LENGTH).collect();
            let device = &header.device;
            let trained = header.trained_parameters;
            let input = header.input_size;
            tracing::info!(
                classes, tasks, images, tested, input, trained, %device,
                "run {run} started"
            );
        }
        Event::Phase { phase, .. } => match phase {
            Phase::Training { task, epoch, frozen } => {
                tracing::debug!(task, epoch, frozen, "training");
            }
            Phase::Measuring { task } => tracing::debug!(task, "measuring"),
            Phase::Evaluating { task } => tracing::debug!(task, "testing"),
            Phase::Paused => tracing::info!("paused"),
            Phase::Preparing(_) => {}
        },
        Event::TaskEvaluated { report, .. } => {
            let (task, seconds) = (report.task, report.seconds);
            let speed = report.images_per_second;
            tracing::info!(task, "task finished in {seconds:.1} s, {speed:.0} images/s");
        }
        Event::TakenUp { reports, .. } => {
            tracing::info!(finished = reports.len(), "run resumed");
        }
        Event::Saved { bytes, .. } => tracing::debug!(bytes, "saved"),
        Event::Remark { problem, .. } => tracing::warn!("remark: {}", describe_problem(problem)),
        _ => {}
    }
}

/// Returns settings in one line, without names and paths chosen by the user.
fn describe_settings(config: &RunConfig) -> String {
    let data = &config.data;
    let data =
        match builtin::names().any(|n| n == data) || published::find_published(data).is_some() {
            true => data.as_str(),
            false => "own",
        };
    let is_file = |text: &str| {
        let extension = Path::new(text).extension().unwrap_or_default().to_ascii_lowercase();
        let mut extensions = WEIGHTS.iter().chain(&["json"]);
        text.contains(['/', '\\']) || extensions.any(|other| extension == *other)
    };
    let [backbone, order] = [&config.backbone, &config.order].map(|text| match is_file(text) {
        true => "a file",
        false => text.as_str(),
    });
    let method_settings = config.settings.iter();
    let method_settings: Vec<String> = method_settings.map(|(k, v)| format!("{k}={v}")).collect();
    format!(
        "data={data} corrected={} limits={:?}/{:?} tasks={} order={order} method={} {} pet={} size={} blocks={} \
         backbone={backbone} precision={} epochs={} batch={} lr={} seed={} device={}",
        config.corrected.len(),
        config.train_limit,
        config.test_limit,
        config.classes_per_task,
        config.method,
        method_settings.join(" "),
        config.pet,
        config.pet_size,
        config.blocks,
        config.precision.key(),
        config.epochs,
        config.batch,
        config.base_lr,
        config.seed,
        config.device,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_logged_without_user_names() {
        let config = RunConfig {
            data: "/home/ada/birds".into(),
            backbone: "my/net.safetensors".into(),
            order: "orders/mine.json".into(),
            ..RunConfig::default()
        };
        let text = describe_settings(&config);
        assert!(text.contains("data=own ") && text.contains("backbone=a file "), "{text}");
        assert!(text.contains("order=a file ") && !text.contains("mine"), "{text}");
        let defaults = describe_settings(&RunConfig::default());
        assert!(
            defaults.contains("data=digits ") && defaults.contains("backbone=lae-nano "),
            "{defaults}"
        );
    }
}
