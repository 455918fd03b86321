//! The figures of a run for scripts and tables; accuracies are in percent.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::figures::{FIGURES, FigureInputs, forgetting};
use super::load::{StoredRun, StoredState, total_seconds};
use super::summary::RunSummary;
use crate::metrics::{ByExpert, Expert, Histories, PromptStudy, mean, std_dev};
use crate::run::annotations::Annotations;
use crate::run::config::RunConfig;
use crate::run::event::{ACCURACY_ON_ORIGINAL_LABELS, AddedTask, Costs, TaskReport, total_costs};

/// The figures after one task, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskSummary {
    /// Names of the classes of the task.
    pub classes: Vec<String>,
    /// A_i of the run's predictions; NaN (`null`) if images of some tasks were not available.
    pub accuracy: f64,
    /// A_i of each named expert, by its key.
    #[serde(flatten)]
    pub by_expert: ByExpert<f64>,
    /// Accuracy of the run's predictions on the images of each task 1..=i.
    pub matrix_row: Vec<f64>,
    /// `accuracy` with the task of each image given (masked logits), which is an easier problem; `None` in runs of
    /// older versions.
    pub accuracy_task_given: Option<f64>,
    /// Number of unreadable images that were left out.
    pub unreadable_images: usize,
    /// Mean training loss of each epoch; empty in runs of older versions.
    pub losses: Vec<f64>,
    /// Additional measurements of the method.
    #[serde(rename = "gauges")]
    pub measurements: BTreeMap<String, f64>,
}

/// The figures by which runs are compared, in percent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The figures of the run's predictions, in the order of [`FIGURES`].
    values: [Option<f64>; FIGURES.len()],
    /// A_N, Ā_N and F_N of each expert other than the answering one, as `final_accuracy_KEY` and so on.
    pub by_expert: ByExpert<[Option<f64>; 3]>,
}

/// The names of the three figures of an expert; the expert's key is appended.
pub(super) const EXPERT_FIGURES: [&str; 3] = ["final_accuracy", "average_accuracy", "forgetting"];

/// Experts whose figures are in the JSON of every run; `null` if the run has no such expert.
const ALWAYS_INCLUDED: [Expert; 2] = [Expert::ONLINE, Expert::OFFLINE];

/// Indices in [`FIGURES`] in the order of the JSON; other figures follow.
const JSON_ORDER: [usize; 9] = [0, 1, 2, 3, 7, 6, 4, 5, 8];

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for index in JSON_ORDER.into_iter().chain(JSON_ORDER.len()..FIGURES.len()) {
            map.serialize_entry(FIGURES[index].key, &self.values[index])?;
        }
        for (expert, figures) in &self.by_expert {
            for (name, figure) in EXPERT_FIGURES.iter().zip(figures) {
                map.serialize_entry(&format!("{name}_{}", expert.key()), figure)?;
            }
        }
        map.end()
    }
}

impl TaskSummary {
    /// Returns A_i of one expert; `None` if the run does not have it or A_i is not finite.
    pub fn expert_accuracy(&self, expert: Expert) -> Option<f64> {
        let accuracy = Some(self.accuracy).filter(|_| expert == Expert::ANSWER);
        let value = self.by_expert.get(&expert).copied().or(accuracy);
        value.filter(|accuracy| accuracy.is_finite())
    }
}

impl Figures {
    /// Returns A_N, Ā_N and F_N of one expert.
    pub fn expert_figures(&self, expert: Expert) -> [Option<f64>; 3] {
        let figures = self.by_expert.get(&expert).copied();
        figures.unwrap_or_else(|| self.answer_figures())
    }

    /// Returns the figure with this key.
    pub fn get(&self, key: &str) -> Option<f64> {
        let index = FIGURES.iter().position(|figure| figure.key == key)?;
        self.values[index]
    }

    /// Returns A_N of the run's predictions (LAE: of the ensemble).
    pub fn final_accuracy(&self) -> Option<f64> {
        self.get(EXPERT_FIGURES[0])
    }

    /// Returns A_N, Ā_N and F_N of the run's predictions.
    pub fn answer_figures(&self) -> [Option<f64>; 3] {
        EXPERT_FIGURES.map(|key| self.get(key))
    }

    /// Returns mean and sample standard deviation (n − 1; `None` for a single run) of each figure.
    pub fn mean_and_std(all: &[&Self]) -> (Self, Self) {
        (Self::combine(all, mean), Self::combine(all, std_dev))
    }

    /// Combines each figure over several runs with `join`.
    fn combine(all: &[&Self], join: fn(&[f64]) -> Option<f64>) -> Self {
        let combine_at = |index: usize| {
            let values: Vec<f64> = all.iter().filter_map(|figures| figures.values[index]).collect();
            join(&values)
        };
        let mut by_expert: ByExpert<[Option<f64>; 3]> = ByExpert::default();
        for expert in all.iter().flat_map(|figures| figures.by_expert.keys()) {
            by_expert.or_insert_with(*expert, || {
                let expert_values = all.iter().filter_map(|f| f.by_expert.get(expert));
                let values = |index: usize| {
                    expert_values.clone().filter_map(move |f| f[index]).collect::<Vec<_>>()
                };
                [0, 1, 2].map(|index| join(&values(index)))
            });
        }
        Self { values: std::array::from_fn(combine_at), by_expert }
    }
}

/// Version of a run's JSON, described in `docs/run.schema.json`. Raised when a field is removed or changes its meaning.
pub const SCHEMA: u32 = 1;

/// A run for scripts: the JSON printed by `train`, `resume` and `runs`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Version of the JSON, [`SCHEMA`].
    pub schema: u32,
    /// The name of the run.
    pub run: String,
    /// `name`, `tags` and `note` given by the user; absent if empty.
    #[serde(flatten)]
    pub about: Annotations,
    /// The run's folder.
    pub folder: String,
    /// `finished`, `interrupted` or `running`.
    pub state: String,
    /// Finished epochs of the current task, if the run was interrupted.
    pub epochs_done: Option<usize>,
    /// Number of tasks of the whole run; `tasks` contains the saved ones.
    pub task_count: usize,
    /// The method's name on the command line.
    pub method: String,
    /// How the settings differ from the method's usual ones, in words, such as "no Learning".
    pub variant: Vec<String>,
    /// The experts; the predictions of the last one are those of the run.
    pub experts: Vec<Expert>,
    /// The PET plugin's name; `None` if the method trains no PET.
    pub pet: Option<String>,
    /// The size of the PET; `None` if it has none.
    pub pet_size: Option<usize>,
    /// The backbone's name.
    pub backbone: String,
    /// SHA-256 of the backbone's weights.
    pub weights_sha256: String,
    /// The device's name.
    pub device: String,
    /// The images on which accuracies are measured: `test` or `validation`.
    pub measured_on: String,
    /// Class names in the order in which they are learned.
    pub class_order: Vec<String>,
    /// Accuracy of the run's predictions on the test images of each class seen so far, in the order of `class_order`;
    /// `null` for a class without test images.
    pub class_accuracy: Vec<Option<f64>>,
    /// Tasks added after the training, which are the last ones in `tasks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "lessons")]
    pub added_tasks: Vec<AddedTask>,
    /// The figures after each saved task.
    pub tasks: Vec<TaskSummary>,
    /// The figures by which runs are compared.
    #[serde(flatten)]
    pub figures: Figures,
    /// Why there is no calibration error, as a sentence without a full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_no_calibration_error: Option<String>,
    /// Costs of all saved tasks: images and seconds are sums, other values are those after the last task.
    #[serde(flatten)]
    pub costs: Costs,
    /// Costs of each saved task.
    pub costs_by_task: Vec<Costs>,
    /// DualPrompt's prompt selections, and the accuracy with the prompts of a single task, in percent; `None` if they
    /// were not studied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_study: Option<PromptStudy>,
    /// A_N by the original labels, in percent, if a list of corrected labels changed the test split; images that the
    /// list excludes count as wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_accuracy_labels_as_they_came: Option<f64>,
    /// Number of unreadable images that were left out, summed over tasks.
    pub unreadable_images: usize,
    /// Epochs per task in the settings, for methods that train in epochs; with `min_steps`, small tasks take more.
    pub epochs: usize,
    /// Duration of all saved tasks in seconds.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Maximum resident memory of the process while it worked on the run, in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Number of trained parameters without heads (LAE: in the PETs of one expert).
    pub trained_parameters: usize,
    /// The time when the run began.
    pub started: String,
    /// The program version that began the run.
    pub version: String,
    /// All settings.
    pub config: RunConfig,
}

/// Returns the figures of a run for scripts.
pub fn summary(run: &StoredRun) -> Summary {
    RunSummary::from_run(run).for_scripts()
}

impl RunSummary {
    /// Returns the figures by which runs are compared, computed from the run's histories.
    pub fn figures(&self, histories: &Histories) -> Figures {
        let answering = self.header.answering_expert();
        let measured = FigureInputs {
            answer: histories.for_expert(answering),
            histories,
            latest: self.latest.as_ref(),
        };
        let others = histories.experts().filter(|expert| *expert != answering);
        let by_expert = ALWAYS_INCLUDED.into_iter().chain(others).map(|expert| {
            let history = histories.for_expert(expert);
            // A missing expert would have zero forgetting, which would be misleading.
            let existing = Some(history).filter(|history| !history.matrix.is_empty());
            let figures = [
                history.last_accuracy(),
                history.average_accuracy(),
                existing.and_then(forgetting),
            ];
            (expert, figures.map(|figure| figure.map(percent)))
        });
        Figures {
            values: std::array::from_fn(|index| (FIGURES[index].compute)(&measured).map(percent)),
            by_expert: by_expert.collect(),
        }
    }

    /// Returns why there is no calibration error; `None` if there is one.
    pub fn why_no_calibration_error(&self) -> Option<&'static str> {
        let Some(latest) = &self.latest else {
            return Some("no task has been measured yet");
        };
        let reason = self.header.method.uncalibrated_reason();
        let unknown = latest.calibration_error.is_none();
        reason.or_else(|| unknown.then_some("the run has no scores"))
    }

    /// Returns the figures after each saved task.
    fn task_summaries(&self, reports: &[TaskReport], histories: &Histories) -> Vec<TaskSummary> {
        let header = &self.header;
        let answer = histories.for_expert(header.answering_expert());
        let is_named = |expert: &Expert| *expert != Expert::ANSWER;
        let by_expert = |task: usize| -> ByExpert<f64> {
            let experts = histories.experts().filter(is_named);
            let accuracies =
                experts.filter_map(|e| Some((e, *histories.for_expert(e).accuracy.get(task)?)));
            let accuracies = accuracies.map(|(expert, value)| (expert, percent(value)));
            accuracies.filter(|(_, value)| value.is_finite()).collect()
        };
        let summary = |(i, report): (usize, &TaskReport)| TaskSummary {
            classes: header.class_order[header.tasks[i].clone()].to_vec(),
            accuracy: percent(answer.accuracy.get(i).copied().unwrap_or(f64::NAN)),
            by_expert: by_expert(i),
            matrix_row: answer.matrix.get(i).into_iter().flatten().copied().map(percent).collect(),
            accuracy_task_given: histories.task_given.get(i).copied().flatten().map(percent),
            unreadable_images: report.unreadable,
            losses: report.losses.clone(),
            measurements: report.measurements.clone(),
        };
        reports.iter().enumerate().map(summary).collect()
    }

    /// Returns all figures of the run for scripts.
    pub fn for_scripts(&self) -> Summary {
        let (header, reports, histories) = (&self.header, self.reports(), self.histories());
        let epochs_done = match self.state {
            StoredState::Interrupted { epoch, .. } => Some(epoch),
            StoredState::Finished | StoredState::Running => None,
        };
        let original_label_accuracy =
            reports.last().and_then(|last| last.measurements.get(ACCURACY_ON_ORIGINAL_LABELS));
        let classes = self.latest.iter().flat_map(|latest| latest.classes.accuracies());
        let unreadable = reports.iter().map(|report| report.unreadable);
        Summary {
            schema: SCHEMA,
            run: header.run.clone(),
            about: header.about.clone(),
            folder: header.folder.display().to_string(),
            state: self.state.name().to_string(),
            epochs_done,
            task_count: header.tasks.len(),
            method: header.config.method.clone(),
            variant: header.method.variant.clone(),
            experts: header.method.experts.clone(),
            pet: header.method.uses_pet.then(|| header.config.pet.clone()),
            pet_size: header.method.pet_size(&header.config),
            backbone: header.config.backbone.clone(),
            weights_sha256: header.weights_sha256.clone(),
            device: header.device.clone(),
            measured_on: header.config.evaluation_split().to_string(),
            class_order: header.class_order.clone(),
            class_accuracy: classes.map(|accuracy| accuracy.map(percent)).collect(),
            added_tasks: header.added_tasks.clone(),
            tasks: self.task_summaries(&reports, &histories),
            figures: self.figures(&histories),
            why_no_calibration_error: self.why_no_calibration_error().map(String::from),
            costs: total_costs(&reports),
            prompt_study: self.prompt_study.clone().map(PromptStudy::into_percent),
            costs_by_task: reports.iter().map(|report| report.costs).collect(),
            final_accuracy_labels_as_they_came: original_label_accuracy.copied().map(percent),
            unreadable_images: unreadable.fold(0, usize::saturating_add),
            epochs: header.config.epochs,
            seconds: total_seconds(&reports),
            images_per_second: self.images_per_second(&reports),
            peak_memory_bytes: self.peak_memory_bytes,
            trained_parameters: header.trained_parameters,
            started: header.started.clone(),
            version: header.version.clone(),
            config: header.config.clone(),
        }
    }

    /// Returns the number of images per second of training, averaged over all saved tasks.
    pub fn images_per_second(&self, reports: &[TaskReport]) -> f64 {
        let (mut images, mut seconds) = (0.0, 0.0);
        for (report, &count) in reports.iter().zip(&self.header.train_images) {
            if report.images_per_second > 0.0 {
                images += count as f64;
                seconds += count as f64 / report.images_per_second;
            }
        }
        if seconds > 0.0 { images / seconds } else { 0.0 }
    }
}

fn percent(share: f64) -> f64 {
    share * 100.0
}

/// Several runs that differ in class order or seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrdersSummary {
    /// The runs.
    pub runs: Vec<Summary>,
    /// Mean of their figures.
    pub mean: Figures,
    /// Sample standard deviation (n − 1) of their figures; empty for a single run.
    pub std: Figures,
}

/// Returns the figures of several runs with their mean and standard deviation.
pub fn summary_of_orders(runs: &[StoredRun]) -> OrdersSummary {
    OrdersSummary::new(runs.iter().map(summary).collect())
}

impl OrdersSummary {
    /// Computes mean and standard deviation of these runs.
    pub fn new(runs: Vec<Summary>) -> Self {
        let figures: Vec<&Figures> = runs.iter().map(|run| &run.figures).collect();
        let (mean, std) = Figures::mean_and_std(&figures);
        Self { runs, mean, std }
    }
}

/// Returns a figure as text, such as "93.4 ± 0.6", or the mean alone for a single run.
pub fn mean_and_spread(
    orders: &OrdersSummary,
    figure: impl Fn(&Figures) -> Option<f64>,
    plus_minus: &str,
) -> String {
    spread_text(figure(&orders.mean), figure(&orders.std), plus_minus)
}

/// Returns a mean and its standard deviation as text; "–" if there is no mean.
pub fn spread_text(mean: Option<f64>, std: Option<f64>, plus_minus: &str) -> String {
    match (mean, std) {
        (Some(mean), Some(std)) => format!("{mean:.1}{plus_minus}{std:.1}"),
        (Some(mean), None) => format!("{mean:.1}"),
        _ => "–".to_string(),
    }
}
