//! What the engine is asked and what it tells: `Command` and `Event`.
//!
//! Both front ends read the same stream. All of it is plain serde data, so the engine could be a
//! process of its own without touching a page.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use super::control::{Control, Wish};

use super::config::RunConfig;
use super::job::{Job, JobId};
use crate::data::Fingerprints;
use crate::metrics::{Answers, Expert, SlotCounts};
use crate::problem::Problem;

/// What the engine can be asked to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Train or continue a run; jobs wait in line.
    Queue(Box<Job>),
    /// Stop this job: at work, its run is saved and the next one begins; in line, it is taken out.
    Stop(JobId),
    /// Move a job that waits to another place in line, from 0.
    Move {
        /// Which.
        job: JobId,
        /// Where to.
        place: usize,
    },
    /// Hold every job that waits, or let them all go. Jobs asked for later are not held.
    Hold(bool),
    /// Show one picture to a run's experts after the given tasks. Served between two batches while
    /// another run trains. A newer request with the same `ticket` stream replaces older ones that
    /// have not begun.
    Predict(PredictRequest),
    /// Look at data sets anew when they are used next: their files may have changed.
    ForgetData,
    /// End the thread after the job in hand was stopped and saved; what waits is kept on disk.
    Shutdown,
}

/// One picture for a run's experts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictRequest {
    /// Comes back with the answer, so that late answers can be told apart.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The picture.
    pub picture: Picture,
    /// Snapshots to ask, tasks counted from 0; answered in this order, one event each.
    pub tasks: Vec<usize>,
}

/// A decoded picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// What to call it.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// height × width × 3, 8 bit sRGB.
    pub rgb: Vec<u8>,
}

/// What a run's method says of itself, kept with the run so that any reader can show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodFacts {
    /// The name people read.
    pub title: String,
    /// How its settings differ from the usual ones, in words: "no Learning".
    pub variant: Vec<String>,
    /// Who answers, in the order they are shown; the last one's answer is the run's.
    pub experts: Vec<Expert>,
    /// Whether a PET plugin is part of it.
    pub uses_pet: bool,
}

impl MethodFacts {
    /// Whose answer is the run's.
    pub fn answering(&self) -> Expert {
        self.experts.last().copied().unwrap_or(Expert::Answer)
    }

    /// A short name for lists: "digits · LAE · adapter 5".
    pub fn run_title(&self, config: &RunConfig) -> String {
        let mut title = format!("{} · {}", config.data_name(), self.title);
        if self.uses_pet {
            title += &format!(" · {} {}", config.pet, config.pet_size);
        }
        if config.measured_on() != "test" {
            title += " · on validation images";
        }
        title
    }
}

/// The constant facts of a run, known once data and backbone are open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Name of the run (its folder's name).
    pub run: String,
    /// The run's folder.
    pub folder: PathBuf,
    /// The settings.
    pub config: RunConfig,
    /// What the run's method says of itself.
    pub method: MethodFacts,
    /// Class names in the order they are taught; a class is its position here.
    pub class_order: Vec<String>,
    /// The classes of each task, as positions.
    pub tasks: Vec<Range<usize>>,
    /// Training images of each task.
    pub train_images: Vec<usize>,
    /// Test images of each task.
    pub test_images: Vec<usize>,
    /// The device's name.
    pub device: String,
    /// Side of the square that the network sees, in pixels.
    pub input_size: usize,
    /// Numbers that are trained, heads not counted (LAE: in the PETs of one expert).
    pub trained_parameters: usize,
    /// Frozen numbers of the backbone.
    pub frozen_parameters: usize,
    /// SHA-256 of the weight file, in hex.
    pub weights_sha256: String,
    /// The images it learns from and is tested on; none for runs of versions that did not note it.
    pub images: Option<Fingerprints>,
    /// RFC 3339 time at which the run began.
    pub started: String,
    /// Version of the program that began it.
    pub version: String,
}

impl RunHeader {
    /// A short name for lists: "digits · LAE · adapter 5".
    pub fn title(&self) -> String {
        self.method.run_title(&self.config)
    }

    /// Whose answer is the run's.
    pub fn answering(&self) -> Expert {
        self.method.answering()
    }
}

/// What is being done right now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Phase {
    /// Something that takes a moment before training: "opening the data set".
    Preparing(String),
    /// Training; with the PET frozen only the new head moves.
    Training {
        /// From 0.
        task: usize,
        /// From 0.
        epoch: usize,
        /// Whether the PET is frozen in this epoch.
        frozen: bool,
    },
    /// Looking at training images without learning by gradients (prototypes, statistics).
    Measuring {
        /// From 0.
        task: usize,
    },
    /// Testing on all classes seen so far.
    Evaluating {
        /// From 0.
        task: usize,
    },
    /// Waiting for the person.
    Paused,
}

/// Where a run is; sent at most 20 times a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// From 0.
    pub task: usize,
    /// Epoch within the task, from 0.
    pub epoch: usize,
    /// Batch within the epoch, from 0.
    pub batch: usize,
    /// Batches of this epoch.
    pub batches: usize,
    /// Share of the whole run that is done, 0..=1.
    pub done: f64,
    /// Latest loss values since the last report, oldest first (local cross-entropy).
    pub losses: Vec<f32>,
    /// Training speed of late.
    pub images_per_second: f64,
    /// Estimate of the rest of the run.
    pub seconds_left: Option<f64>,
    /// Whether the PET is frozen.
    pub frozen: bool,
}

/// What was measured after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// From 0.
    pub task: usize,
    /// Every test image of tasks 0..=task and what the experts took it for.
    pub answers: Answers,
    /// Per task so far, what its test images came to with each slot of prompts; empty where that was
    /// not studied.
    pub slots: Vec<SlotCounts>,
    /// Seconds spent training and testing this task.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Images of this task's training and testing that could not be read and were left out.
    pub unreadable: usize,
    /// What it cost, so that methods can be compared fairly.
    pub costs: Costs,
    /// Figures of the method's own by name, such as LAE's drift.
    pub gauges: BTreeMap<String, f64>,
}

/// What one task cost. Zero where a run of an older version did not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Training images shown to the network, each showing counted.
    pub images_seen: usize,
    /// Seconds of training, without testing.
    pub training_seconds: f64,
    /// Seconds to answer one image, on average.
    pub prediction_seconds: f64,
    /// Numbers kept for answering after this task.
    pub stored_parameters: usize,
    /// Bytes that are kept to learn the next task: what answers, and what else the method needs.
    pub kept_bytes: u64,
}

/// One expert's view of one picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// Whose it is.
    pub expert: Expert,
    /// The class it gives, by position.
    pub class: usize,
    /// Probability per class position (for LAE's ensemble the element-wise maximum of the two
    /// softmaxes, which need not sum to 1).
    pub probabilities: Vec<f32>,
    /// E(x) = −logsumexp(logits), where the scores are logits; for the ensemble the lower of the
    /// two.
    pub energy: Option<f32>,
}

impl Opinion {
    /// The position it gives, and its probability.
    pub fn best(&self) -> (usize, f32) {
        let probability = self.probabilities.get(self.class).copied();
        (self.class, probability.unwrap_or_default())
    }
}

/// The answer to a `PredictRequest`, for one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The request's ticket.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// Which snapshot, from 0.
    pub task: usize,
    /// Class names by position, as far as taught by then.
    pub classes: Vec<String>,
    /// What each expert says, in the order of the run's experts; the last one answers.
    pub opinions: Vec<Opinion>,
    /// The expert whose answer it is: for LAE's ensemble the one whose softmax holds the winning
    /// probability.
    pub decided_by: Expert,
    /// What the network sees: `seen_size`² × 3 pixels, 8 bit.
    pub seen: Vec<u8>,
    /// Side of the square the network sees.
    pub seen_size: usize,
}

impl Prediction {
    /// What one expert says, if the run has it.
    pub fn of(&self, expert: Expert) -> Option<&Opinion> {
        self.opinions
            .iter()
            .find(|opinion| opinion.expert == expert)
    }
}

/// What the engine tells. Milestones are never dropped; `Progress` is thinned at the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A job waits at this place in line (from 0): it is new there, was moved, held or let go.
    Queued {
        /// The job as it is now.
        job: Box<Job>,
        /// Its place.
        place: usize,
    },
    /// A job left the line and is at work. One of `Finished`, `Stopped`, `Failed` ends it.
    Began(JobId),
    /// A job was taken out of the line before it began.
    Removed(JobId),
    /// A run exists: data and backbone are open, the folder is made.
    Started(Box<RunHeader>),
    /// What is being done now.
    Phase {
        /// The run's name; empty before it has one.
        run: String,
        /// The phase.
        phase: Phase,
    },
    /// Where the run is.
    Progress {
        /// The run's name.
        run: String,
        /// Where it is.
        progress: Progress,
    },
    /// A task was learned and tested.
    TaskEvaluated {
        /// The run's name.
        run: String,
        /// What was measured.
        report: Box<TaskReport>,
    },
    /// A stopped or killed run goes on: what was measured before.
    TakenUp {
        /// The run's name.
        run: String,
        /// One report for each finished task.
        reports: Vec<TaskReport>,
    },
    /// Something was written.
    Saved {
        /// The run's name.
        run: String,
        /// "task 4" or the like.
        what: String,
        /// Size.
        bytes: u64,
    },
    /// What was assumed or left out while the run was prepared (sentences). A front end that shows
    /// the settings says so there.
    Assumed(Vec<String>),
    /// Something to know that does not end the run (an unreadable image, a device fallback).
    Remark {
        /// The run's name; empty when it concerns no run.
        run: String,
        /// What.
        problem: Problem,
    },
    /// A picture's answer for one snapshot.
    Predicted(Box<Prediction>),
    /// A request for a prediction could not be answered.
    NotPredicted {
        /// The request's ticket.
        ticket: u64,
        /// Why.
        problem: Problem,
    },
    /// The run reached its end.
    Finished {
        /// The run's name.
        run: String,
    },
    /// The run was stopped by the person and can be continued.
    Stopped {
        /// The run's name.
        run: String,
    },
    /// The job ended for a reason; what its run had saved stays and can be continued.
    Failed {
        /// The run's name; empty when the job failed before it had one.
        run: String,
        /// The reason.
        problem: Problem,
    },
}

/// Receives events; also the place where short jobs are served between two batches.
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: Event);

    /// Called between two batches: a chance to serve short jobs.
    fn between_batches(&mut self) {}
}

/// Collects events; for tests and for callers that only want the end.
impl Sink for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}
