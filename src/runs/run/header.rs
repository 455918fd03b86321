//! The constant facts of a run, known before its first batch, and the measurements after every task.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::annotations::{Annotations, SearchText};
use super::config::RunConfig;
use crate::counts::count_with_noun;
use crate::data::Fingerprints;
use crate::metrics::{Expert, Predictions, SlotCounts};
use crate::nn::WeightType;
use crate::pet::StreamScheme;
use crate::texts::{Words, all_in_english};

/// The kind of scores of a run's predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreKind {
    /// Probabilities: a softmax over the logits of all classes seen.
    Probabilities,
    /// For each class the larger probability of two experts. They sum to more than 1.
    Maximum,
    /// Cosine similarities of a feature and each class's prototype.
    Cosines,
    /// Outputs of a regression.
    Regression,
    /// Probabilities within the classes of a task, and votes for the task.
    Votes,
}

impl ScoreKind {
    /// Returns why no calibration error of them is defined; `None` for probabilities.
    pub fn uncalibrated_reason(self) -> Option<&'static str> {
        match self {
            Self::Probabilities => None,
            Self::Maximum => {
                Some("its scores are the larger of two probabilities and do not sum to 1")
            }
            Self::Cosines => Some("its scores are cosine similarities, not probabilities"),
            Self::Regression => Some("its scores are outputs of a regression, not probabilities"),
            Self::Votes => Some("its answers are decided by votes, which are not probabilities"),
        }
    }
}

/// Facts about a run's method, stored with the run so that any reader can show them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodFacts {
    /// The display name.
    pub title: String,
    /// Differences of its settings from the defaults, in words: "no Learning".
    pub variant: Vec<String>,
    /// The experts in display order; the predictions of the last one are the run's.
    pub experts: Vec<Expert>,
    /// Whether it uses a PET plugin.
    pub uses_pet: bool,
    /// Whether that plugin has a size; `None` for runs of versions that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pet_sized: Option<bool>,
    /// Whether the seed has an effect; `None` only for runs of versions that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeded: Option<bool>,
    /// The kind of scores of its predictions; `None` only for runs of versions that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreKind>,
}

impl MethodFacts {
    /// Returns why no calibration error of its predictions is defined; `None` if they are probabilities.
    pub fn uncalibrated_reason(&self) -> Option<&'static str> {
        match self.scores {
            Some(scores) => scores.uncalibrated_reason(),
            None => Some("it is unknown whether its scores are probabilities"),
        }
    }

    /// Returns the expert whose predictions are the run's.
    pub fn answering_expert(&self) -> Expert {
        self.experts.last().copied().unwrap_or(Expert::ANSWER)
    }

    /// Returns the seed if it has an effect: without random numbers, runs with several seeds are one run.
    pub fn seed(&self, config: &RunConfig) -> Option<u64> {
        (self.seeded != Some(false)).then_some(config.seed)
    }

    /// Returns the PET with its size, if it has one: "adapter 5", "ssf"; `None` if none is trained.
    pub fn pet(&self, config: &RunConfig) -> Option<String> {
        let pet = match self.pet_size(config) {
            Some(size) => format!("{} {size}", config.pet),
            None => config.pet.clone(),
        };
        self.uses_pet.then_some(pet)
    }

    /// Returns the size of the PET, if one is trained that has a size.
    pub fn pet_size(&self, config: &RunConfig) -> Option<usize> {
        let sized = self.uses_pet && self.pet_sized != Some(false);
        sized.then_some(config.pet_size)
    }

    /// Returns a short name for lists: "digits · LAE · adapter 5".
    pub fn run_title(&self, config: &RunConfig) -> String {
        format!("{} · {}", config.dataset_name(), self.title_without_dataset(config))
    }

    /// Returns the same without the dataset, for runs that all have the same one: "LAE · adapter 5".
    fn title_without_dataset(&self, config: &RunConfig) -> String {
        let mut title = self.title.clone();
        if let Some(pet) = self.pet(config) {
            title += &format!(" · {pet}");
        }
        if config.evaluation_split() != "test" {
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
    /// Name, tags and note given by the user.
    #[serde(default)]
    pub about: Annotations,
    /// The run's folder.
    pub folder: PathBuf,
    /// The settings.
    pub config: RunConfig,
    /// Facts about the run's method.
    pub method: MethodFacts,
    /// Class names in the order they are learned, those of added tasks last; a class is its position here.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub class_order: Vec<String>,
    /// The classes of each task, as positions.
    pub tasks: Vec<Range<usize>>,
    /// Training images of each task.
    pub train_images: Vec<usize>,
    /// Test images of each task.
    pub test_images: Vec<usize>,
    /// The device's name.
    pub device: String,
    /// Number format of the weights on a GPU; on the CPU only f32 instead of a requested f16. `None` otherwise, and for
    /// runs of older versions that did not record it.
    #[serde(default, alias = "card_variant")]
    pub gpu_weights: Option<WeightType>,
    /// How the random draws of its PET are separated.
    #[serde(default = "StreamScheme::for_older_runs")]
    pub drawing: StreamScheme,
    /// Side of the network's square input in pixels.
    pub input_size: usize,
    /// Number of trainable parameters without heads (LAE: in the PETs of one expert).
    pub trained_parameters: usize,
    /// Number of frozen parameters of the backbone.
    pub frozen_parameters: usize,
    /// SHA-256 of the weight file, in hex.
    pub weights_sha256: String,
    /// SHA-256, in hex, of the adapter that its PET starts from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_sha256: Option<String>,
    /// Fingerprints of the training and test images; `None` for runs of versions that did not record them.
    pub images: Option<Fingerprints>,
    /// The tasks added after its training.
    #[serde(default)]
    #[serde(rename = "lessons")]
    pub added_tasks: Vec<AddedTask>,
    /// RFC 3339 time at which the run started.
    pub started: String,
    /// Version of the program that started it.
    pub version: String,
}

impl RunHeader {
    /// Returns a short name for lists: "digits · LAE · adapter 5".
    pub fn title(&self) -> String {
        self.append_added_task_count(self.method.run_title(&self.config))
    }

    /// Returns the same without the dataset: "LAE · adapter 5".
    pub fn title_without_dataset(&self) -> String {
        self.append_added_task_count(self.method.title_without_dataset(&self.config))
    }

    fn append_added_task_count(&self, title: String) -> String {
        match self.added_tasks.len() {
            0 => title,
            n => format!("{title} · {}", count_with_noun(n, "added task")),
        }
    }

    /// Returns the key of cached images of its results: its folder and its last added task, since one can be undone and
    /// another one added.
    pub fn cache_key(&self) -> String {
        let added_task = self.added_tasks.last();
        let added_task = added_task.map_or("", |added_task| &added_task.fingerprint);
        format!("{} {added_task}", self.folder.display())
    }

    /// Returns the name given by the user, else the title.
    pub fn name_or_title(&self) -> String {
        match self.about.name.as_str() {
            "" => self.title(),
            name => name.to_string(),
        }
    }

    /// Returns a short name: the one given by the user, else the method's.
    pub fn short_name(&self) -> &str {
        match self.about.name.as_str() {
            "" => &self.method.title,
            name => name,
        }
    }

    /// Returns the text of the run for searches: method and data in words, and all settings as options.
    pub fn search_text(&self) -> SearchText {
        let (config, title) = (&self.config, self.title());
        let words = format!("{title} {} {} {}", self.run, config.method, config.data);
        // Flags as on the command line: "no-learning".
        let switches = self.method.variant.iter();
        let switches = switches.map(|words| (words.replace(' ', "-"), None));
        let mut options = config.as_options(&[], &[]);
        options.extend(switches);
        SearchText::new(&words, options)
    }

    /// Returns the class names of a task; empty if it does not have the task.
    pub fn class_names(&self, task: usize) -> &[String] {
        let range = self.tasks.get(task).cloned().unwrap_or_default();
        self.class_order.get(range).unwrap_or_default()
    }

    /// Returns the device, with the number format of the weights unless it is f32: "GeForce (f16)".
    pub fn device_label(&self) -> String {
        match (self.weight_type(), self.gpu_weights) {
            // The CPU uses f32 weights if f16 is requested, which older versions did not record.
            (WeightType::F32, _) | (WeightType::F16, None) => self.device.clone(),
            (weights, _) => format!("{} ({})", self.device, weights.title()),
        }
    }

    /// Returns the number format of its frozen weights. If none is recorded, it is the requested one.
    pub fn weight_type(&self) -> WeightType {
        self.gpu_weights.unwrap_or(self.config.precision.weight_type())
    }

    /// Returns the expert whose predictions are the run's.
    pub fn answering_expert(&self) -> Expert {
        self.method.answering_expert()
    }
}

/// How added tasks change a run.
impl RunHeader {
    /// Returns the run with one more added task after its first `after` tasks.
    #[must_use]
    pub fn with_added_task(mut self, after: usize, added_task: AddedTask) -> Self {
        self.tasks.truncate(after);
        self.train_images.truncate(after);
        self.test_images.truncate(after);
        let first = self.tasks.last().map_or(0, |task| task.end);
        self.class_order.truncate(first);
        self.tasks.push(first..first + added_task.classes.len());
        self.class_order.extend(added_task.classes.iter().cloned());
        self.train_images.push(added_task.train_images.iter().sum());
        self.test_images.push(added_task.test_images.iter().sum());
        self.added_tasks.push(added_task);
        self
    }

    /// Removes the last added task. If the run was stopped before it, only the tasks before the added one remain.
    pub fn remove_last_added_task(&mut self) {
        if self.added_tasks.pop().is_none() {
            return;
        }
        let removed = self.tasks.pop();
        self.class_order.truncate(removed.map_or(0, |task| task.start));
        self.train_images.truncate(self.tasks.len());
        self.test_images.truncate(self.tasks.len());
    }

    /// Returns the number of tasks of the run's own dataset that it has learned or will learn.
    pub fn original_task_count(&self) -> usize {
        self.tasks.len().saturating_sub(self.added_tasks.len())
    }

    /// Returns whether the method trains weights; otherwise it processes each image once.
    pub fn trains_weights(&self) -> bool {
        self.trained_parameters > 0
    }

    /// Returns the classes of the run's own dataset that it has learned or will learn, in order.
    pub fn original_classes(&self) -> &[String] {
        let last = self.tasks[..self.original_task_count()].last();
        &self.class_order[..last.map_or(0, |task| task.end)]
    }

    /// Returns the number of tasks of the run's settings.
    pub fn planned_tasks(&self) -> usize {
        let first = self.added_tasks.first();
        first.map_or(self.tasks.len(), |added_task| added_task.planned_tasks)
    }

    /// Returns the tasks that exist while this one (from 0) is learned: all of the run's own, and the added tasks up to
    /// this one.
    pub fn tasks_during(&self, task: usize) -> &[Range<usize>] {
        let count = self.original_task_count().max(task + 1).min(self.tasks.len());
        &self.tasks[..count]
    }

    /// Returns the positions that count for another class, each with the position of that class.
    pub fn repeated_classes(&self) -> Vec<(usize, usize)> {
        let added_tasks = self.added_tasks.iter().zip(&self.tasks[self.original_task_count()..]);
        let repeated = added_tasks.flat_map(|(added_task, task)| {
            let repeats = added_task.again.iter();
            repeats.map(move |repeat| (task.start + repeat.class, repeat.of))
        });
        repeated.collect()
    }

    /// Returns the position of the class for which this position counts.
    pub fn class_at(&self, position: usize) -> usize {
        let repeated_classes = self.repeated_classes();
        let found = repeated_classes.iter().find(|(repeated, _)| *repeated == position);
        found.map_or(position, |(_, original)| *original)
    }
}

/// A class of an added task that the run already knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedClass {
    /// Index of the class in the added task.
    pub class: usize,
    /// Position of the known class of which it has more examples.
    pub of: usize,
}

/// The description of an added task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedTask {
    /// The source of the images, as entered by the user.
    pub source: String,
    /// The class names in the order of their positions.
    #[serde(deserialize_with = "crate::names::read_all_composed")]
    pub classes: Vec<String>,
    /// The classes that the run already knew. Each has its own position; predictions of it count for the known class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<RepeatedClass>,
    /// Number of training images of each class.
    pub train_images: Vec<usize>,
    /// Number of test images of each class.
    pub test_images: Vec<usize>,
    /// SHA-256 of the list of its images, which contains the SHA-256 of each image, in hex.
    pub fingerprint: String,
    /// Share of its test images that were classified correctly before the task; `None` without test images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Number of tasks of the run's settings. If the run was stopped early, the added task follows its last complete
    /// task.
    pub planned_tasks: usize,
    /// Number of images per step.
    pub batch: usize,
    /// How often each training image is used per epoch.
    pub repeats: usize,
    /// Learning rate for a batch of 256.
    pub base_lr: f64,
    /// Assumptions and omissions, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(serialize_with = "all_in_english")]
    pub notes: Vec<Words>,
    /// The time at which it was learned, in RFC 3339 format.
    pub taught: String,
    /// Version of the program that learned it.
    pub version: String,
}

impl AddedTask {
    /// Returns the position of the known class that class `class` of this task belongs to; `None` for a new class.
    pub fn known_class(&self, class: usize) -> Option<usize> {
        let repeat = self.again.iter().find(|repeat| repeat.class == class);
        repeat.map(|repeat| repeat.of)
    }
}

/// The measurements after one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The task, from 0.
    pub task: usize,
    /// Every test image of tasks 0..=task with the predictions of the experts.
    pub answers: Predictions,
    /// For each task so far, how its test images used the prompt slots of the method; empty if that was not studied.
    pub slots: Vec<SlotCounts>,
    /// Seconds of training and testing this task, without pauses and other requests served meanwhile.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Number of unreadable images of this task's training and testing, which were left out.
    pub unreadable: usize,
    /// The costs of the task, for a fair comparison of methods.
    pub costs: Costs,
    /// Mean training loss of each epoch, without epochs that only measure; empty in runs of older versions.
    #[serde(default)]
    pub losses: Vec<f64>,
    /// Measurements of the method, and of testing, by name.
    #[serde(rename = "gauges")]
    pub measurements: BTreeMap<String, f64>,
}

/// The accuracy (0..=1) of a nearest class mean on the features of the frozen backbone, measured after the last task of
/// a run with poor predictions.
pub const NEAREST_MEAN: &str = "nearest_mean";

/// The accuracy (0..=1) by the original labels, if a list of corrected labels changed the test split; images that the
/// list excludes count as wrong.
pub const ACCURACY_ON_ORIGINAL_LABELS: &str = "as_they_came";

/// Returns the values that a method measured under this name after each epoch of a task; empty if it measured none.
pub fn values_by_epoch(measurements: &BTreeMap<String, f64>, name: &str) -> Vec<f64> {
    let value = |epoch: usize| measurements.get(&format!("{name}_{epoch}")).copied();
    (1..).map_while(value).collect()
}

/// Returns the costs of these tasks: images and seconds of training are sums, other values are those after the last
/// task.
pub fn total_costs(reports: &[TaskReport]) -> Costs {
    let all = reports.iter().map(|report| report.costs);
    all.fold(Costs::default(), |sum, task| Costs {
        // Saturating, because a damaged table may contain any number.
        images_seen: sum.images_seen.saturating_add(task.images_seen),
        training_seconds: sum.training_seconds + task.training_seconds,
        ..task
    })
}

/// The costs of one task; a value is zero if an older version did not measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Number of training images shown to the network; an image shown twice counts twice.
    pub images_seen: usize,
    /// Seconds of training, without testing and pauses.
    pub training_seconds: f64,
    /// Mean time to predict one image, in seconds.
    pub prediction_seconds: f64,
    /// Number of parameters stored for predictions after this task.
    pub stored_parameters: usize,
    /// Bytes stored to learn the next task: everything needed for predictions, and what else the method needs.
    pub kept_bytes: u64,
}
