//! The figures of a run as scripts and tables read them: accuracies in percent.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::load::{StoredRun, StoredState, seconds};
use super::summary::RunSummary;
use crate::metrics::{ByExpert, Expert, Histories, History, PromptStudy, mean, std_dev};
use crate::run::about::About;
use crate::run::config::RunConfig;
use crate::run::event::{AS_THEY_CAME, AddedTask, Costs, TaskReport, costs};

/// One task's figures, in percent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskSummary {
    /// Names of the classes it taught.
    pub classes: Vec<String>,
    /// A_i of the run's answer; not a number (`null`) if images of earlier tasks were not
    /// available.
    pub accuracy: f64,
    /// A_i of each expert by its key, where the method names them.
    #[serde(flatten)]
    pub by_expert: ByExpert<f64>,
    /// Accuracy of the answer on the images of tasks 1..=i.
    pub matrix_row: Vec<f64>,
    /// The same accuracy as `accuracy` with the task of each image given (masked logits): an easier
    /// question. None in runs of older versions.
    pub accuracy_task_given: Option<f64>,
    /// Images that could not be read and were left out.
    pub unreadable_images: usize,
    /// Mean training loss of each pass over the images; empty in runs of older versions.
    pub losses: Vec<f64>,
    /// Figures of the method's own.
    #[serde(rename = "gauges")]
    pub measurements: BTreeMap<String, f64>,
}

/// The figures a run is compared by, in percent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// A_N of the run's answer (LAE: the ensemble's).
    pub final_accuracy: Option<f64>,
    /// Ā_N of the run's answer; none after a single task.
    pub average_accuracy: Option<f64>,
    /// Mean over tasks of the answer's accuracy at the end.
    pub task_averaged_accuracy: Option<f64>,
    /// F_N of the run's answer.
    pub forgetting: Option<f64>,
    /// Accuracy at the end with the task of each image given (masked logits).
    pub final_accuracy_task_given: Option<f64>,
    /// Balanced accuracy of the run's answer at the end: mean over classes.
    pub balanced_accuracy: Option<f64>,
    /// Backward transfer of the run's answer; none after a single task.
    pub backward_transfer: Option<f64>,
    /// Mean over tasks of the accuracy right after each was learned.
    pub learning_accuracy: Option<f64>,
    /// Expected calibration error of the run's answer at the end; `None` where its scores are no probabilities.
    pub calibration_error: Option<f64>,
    /// A_N, Ā_N and F_N of each expert beside the one that answers, as `final_accuracy_KEY` and so on.
    #[serde(flatten, serialize_with = "by_key")]
    pub by_expert: ByExpert<[Option<f64>; 3]>,
}

/// What the three are called; an expert's key follows.
pub(super) const OF_EXPERT: [&str; 3] = ["final_accuracy", "average_accuracy", "forgetting"];

/// Experts that all runs have these figures of in JSON, `null` if there is no such expert.
const ALWAYS_THERE: [Expert; 2] = [Expert::ONLINE, Expert::OFFLINE];

fn by_key<S: Serializer>(
    all: &ByExpert<[Option<f64>; 3]>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    for (expert, figures) in all {
        for (name, figure) in OF_EXPERT.iter().zip(figures) {
            map.serialize_entry(&format!("{name}_{}", expert.name()), figure)?;
        }
    }
    map.end()
}

impl TaskSummary {
    /// A_i of one expert, if the run has it.
    pub fn of(&self, expert: Expert) -> Option<f64> {
        let accuracy = Some(self.accuracy).filter(|_| expert == Expert::ANSWER);
        let own = self.by_expert.get(&expert).copied().or(accuracy);
        own.filter(|accuracy| accuracy.is_finite())
    }
}

impl Figures {
    /// A_N, Ā_N and F_N of one expert.
    pub fn of(&self, expert: Expert) -> [Option<f64>; 3] {
        let own = self.by_expert.get(&expert).copied();
        own.unwrap_or_else(|| self.of_answer())
    }

    /// A_N, Ā_N and F_N of the run's answer.
    pub fn of_answer(&self) -> [Option<f64>; 3] {
        [self.final_accuracy, self.average_accuracy, self.forgetting]
    }

    /// Mean and sample standard deviation (n − 1; no deviation for one run) of each figure.
    pub fn mean_and_std(all: &[&Self]) -> (Self, Self) {
        (Self::combine(all, mean), Self::combine(all, std_dev))
    }

    /// Combines the same figure of several runs.
    fn combine(all: &[&Self], join: fn(&[f64]) -> Option<f64>) -> Self {
        let over = |figure: fn(&Self) -> Option<f64>| {
            let values: Vec<f64> = all.iter().copied().filter_map(figure).collect();
            join(&values)
        };
        let mut by_expert: ByExpert<[Option<f64>; 3]> = ByExpert::default();
        for expert in all.iter().flat_map(|figures| figures.by_expert.keys()) {
            by_expert.or_insert_with(*expert, || {
                let of = all.iter().filter_map(|f| f.by_expert.get(expert));
                let values = |at: usize| of.clone().filter_map(move |f| f[at]).collect::<Vec<_>>();
                [0, 1, 2].map(|at| join(&values(at)))
            });
        }
        Self {
            final_accuracy: over(|f| f.final_accuracy),
            average_accuracy: over(|f| f.average_accuracy),
            task_averaged_accuracy: over(|f| f.task_averaged_accuracy),
            forgetting: over(|f| f.forgetting),
            final_accuracy_task_given: over(|f| f.final_accuracy_task_given),
            balanced_accuracy: over(|f| f.balanced_accuracy),
            backward_transfer: over(|f| f.backward_transfer),
            learning_accuracy: over(|f| f.learning_accuracy),
            calibration_error: over(|f| f.calibration_error),
            by_expert,
        }
    }
}

/// Version of the JSON of a run, which `docs/run.schema.json` describes. Raised when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// A run for scripts: the JSON that `train`, `resume` and `runs` give.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Version of these fields, [`SCHEMA`].
    pub schema: u32,
    /// Its name.
    pub run: String,
    /// What people say of it: `name`, `tags` and `note`, as far as they said something.
    #[serde(flatten)]
    pub about: About,
    /// Its folder.
    pub folder: String,
    /// `finished`, `interrupted` or `running`.
    pub state: String,
    /// Finished epochs of the current task, where the run was interrupted.
    pub epochs_done: Option<usize>,
    /// Tasks of the whole run; `tasks` holds those that are saved.
    pub task_count: usize,
    /// The method's name on the command line.
    pub method: String,
    /// How its settings differ from the method's usual ones, in words: "no Learning".
    pub variant: Vec<String>,
    /// Who answers; the last one's answer is the run's.
    pub experts: Vec<Expert>,
    /// The PET plugin's name; `None` if the method trains no PET.
    pub pet: Option<String>,
    /// Its size; `None` for one that has none.
    pub pet_size: Option<usize>,
    /// The backbone's name.
    pub backbone: String,
    /// Hash of its weights.
    pub weights_sha256: String,
    /// The device's name.
    pub device: String,
    /// What accuracies are measured on: `test` or `validation`.
    pub measured_on: String,
    /// Class names in the order they are taught.
    pub class_order: Vec<String>,
    /// Accuracy of the run's answer on the test images of each class seen so far, in the order of `class_order`; `null`
    /// for a class without any.
    pub class_accuracy: Vec<Option<f64>>,
    /// What it was taught after its training, one task each, those at the end of `tasks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "lessons")]
    pub added_tasks: Vec<AddedTask>,
    /// Per saved task.
    pub tasks: Vec<TaskSummary>,
    /// What runs are compared by.
    #[serde(flatten)]
    pub figures: Figures,
    /// Why there is no calibration error, in a sentence without a full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_no_calibration_error: Option<String>,
    /// What all saved tasks cost: images and seconds summed, the rest as after the last one.
    #[serde(flatten)]
    pub costs: Costs,
    /// The same for each saved task.
    pub costs_by_task: Vec<Costs>,
    /// DualPrompt's choice of prompts and the accuracy with each task's prompts alone, in percent;
    /// `None` if it was not studied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_study: Option<PromptStudy>,
    /// A_N by the labels as they came in the data, in percent, where a list of corrected labels changed the test split;
    /// images it left out count as wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_accuracy_labels_as_they_came: Option<f64>,
    /// Images that could not be read and were left out, task by task summed.
    pub unreadable_images: usize,
    /// Epochs per task as the settings have them, for methods that train in epochs; with `min_steps` a small task had more.
    pub epochs: usize,
    /// Seconds spent on all saved tasks.
    pub seconds: f64,
    /// Images per second while training.
    pub images_per_second: f64,
    /// Highest resident memory of the process while it worked on the run, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// Numbers that are trained, heads not counted (LAE: in the PETs of one expert).
    pub trained_parameters: usize,
    /// When it began.
    pub started: String,
    /// The version that began it.
    pub version: String,
    /// All settings.
    pub config: RunConfig,
}

/// The figures of a run.
pub fn summary(run: &StoredRun) -> Summary {
    RunSummary::of(run).for_scripts()
}

impl RunSummary {
    /// The figures that runs are compared by, from its histories.
    pub fn figures(&self, histories: &Histories) -> Figures {
        // After one task nothing can have been forgotten yet.
        let forgetting = |history: &History| {
            let told = self.saved() > 1;
            history.forgetting().filter(|_| told).map(percent)
        };
        let last = |history: &History| history.last().map(percent);
        let average = |history: &History| history.average().map(percent);
        let answer = histories.of(self.header.answering());
        let answering = self.header.answering();
        let others = histories.experts().filter(|expert| *expert != answering);
        let by_expert = ALWAYS_THERE.into_iter().chain(others).map(|expert| {
            let of = histories.of(expert);
            // An expert that the run does not have forgets nothing, which is no figure.
            let here = Some(of).filter(|of| !of.matrix.is_empty());
            (expert, [last(of), average(of), here.and_then(forgetting)])
        });
        let task_given = histories.task_given.last().copied().flatten();
        let latest = self.latest.as_ref();
        Figures {
            final_accuracy: last(answer),
            average_accuracy: average(answer),
            task_averaged_accuracy: answer.task_averaged().map(percent),
            forgetting: forgetting(answer),
            final_accuracy_task_given: task_given.map(percent),
            balanced_accuracy: latest.and_then(|l| l.classes.balanced()).map(percent),
            backward_transfer: answer.backward_transfer().map(percent),
            learning_accuracy: answer.learning().map(percent),
            calibration_error: latest.and_then(|l| l.calibration_error).map(percent),
            by_expert: by_expert.collect(),
        }
    }

    /// Returns why there is no calibration error; `None` where there is one.
    pub fn why_no_calibration_error(&self) -> Option<&'static str> {
        let Some(latest) = &self.latest else {
            return Some("no task has been measured yet");
        };
        let why = self.header.method.why_uncalibrated();
        let unknown = latest.calibration_error.is_none();
        why.or_else(|| unknown.then_some("the run has no scores"))
    }

    /// The same per saved task.
    fn task_summaries(&self, reports: &[TaskReport], histories: &Histories) -> Vec<TaskSummary> {
        let header = &self.header;
        let answer = histories.of(header.answering());
        let named = |expert: &Expert| *expert != Expert::ANSWER;
        let by_expert = |task: usize| -> ByExpert<f64> {
            let experts = histories.experts().filter(named);
            let all = experts.filter_map(|e| Some((e, *histories.of(e).accuracy.get(task)?)));
            let all = all.map(|(expert, value)| (expert, percent(value)));
            all.filter(|(_, value)| value.is_finite()).collect()
        };
        let summary = |(i, report): (usize, &TaskReport)| TaskSummary {
            classes: header.class_order[header.tasks[i].clone()].to_vec(),
            accuracy: percent(answer.accuracy[i]),
            by_expert: by_expert(i),
            matrix_row: answer.matrix[i].iter().copied().map(percent).collect(),
            accuracy_task_given: histories.task_given[i].map(percent),
            unreadable_images: report.unreadable,
            losses: report.losses.clone(),
            measurements: report.measurements.clone(),
        };
        reports.iter().enumerate().map(summary).collect()
    }

    /// All of it as scripts read it.
    pub fn for_scripts(&self) -> Summary {
        let (header, reports, histories) = (&self.header, self.reports(), self.histories());
        let (state, epochs_done) = match self.state {
            StoredState::Finished => ("finished", None),
            StoredState::Interrupted { epoch, .. } => ("interrupted", Some(epoch)),
            StoredState::Running => ("running", None),
        };
        let pet = header.method.uses_pet.then_some(&header.config);
        let as_they_came = reports
            .last()
            .and_then(|last| last.measurements.get(AS_THEY_CAME));
        let classes = self
            .latest
            .iter()
            .flat_map(|latest| latest.classes.accuracies());
        let unreadable = reports.iter().map(|report| report.unreadable);
        Summary {
            schema: SCHEMA,
            run: header.run.clone(),
            about: header.about.clone(),
            folder: header.folder.display().to_string(),
            state: state.to_string(),
            epochs_done,
            task_count: header.tasks.len(),
            method: header.config.method.clone(),
            variant: header.method.variant.clone(),
            experts: header.method.experts.clone(),
            pet: pet.map(|config| config.pet.clone()),
            pet_size: pet
                .filter(|_| header.method.pet_sized != Some(false))
                .map(|config| config.pet_size),
            backbone: header.config.backbone.clone(),
            weights_sha256: header.weights_sha256.clone(),
            device: header.device.clone(),
            measured_on: header.config.measured_on().to_string(),
            class_order: header.class_order.clone(),
            class_accuracy: classes.map(|accuracy| accuracy.map(percent)).collect(),
            added_tasks: header.added_tasks.clone(),
            tasks: self.task_summaries(&reports, &histories),
            figures: self.figures(&histories),
            why_no_calibration_error: self.why_no_calibration_error().map(String::from),
            costs: costs(&reports),
            prompt_study: self.prompt_study.clone().map(PromptStudy::percent),
            costs_by_task: reports.iter().map(|report| report.costs).collect(),
            final_accuracy_labels_as_they_came: as_they_came.copied().map(percent),
            unreadable_images: unreadable.fold(0, usize::saturating_add),
            epochs: header.config.epochs,
            seconds: seconds(&reports),
            images_per_second: self.images_per_second(&reports),
            peak_memory_bytes: self.peak_memory_bytes,
            trained_parameters: header.trained_parameters,
            started: header.started.clone(),
            version: header.version.clone(),
            config: header.config.clone(),
        }
    }

    /// Images per second while training, over all saved tasks, from their reports.
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

/// Several runs that differ in their class order or seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrdersSummary {
    /// Each of them.
    pub runs: Vec<Summary>,
    /// Mean of their figures.
    pub mean: Figures,
    /// Sample standard deviation (n − 1) of their figures; empty for one run.
    pub std: Figures,
}

/// The figures of several runs with their mean and standard deviation.
pub fn summary_of_orders(runs: &[StoredRun]) -> OrdersSummary {
    OrdersSummary::of(runs.iter().map(summary).collect())
}

impl OrdersSummary {
    /// Those of these runs.
    pub fn of(runs: Vec<Summary>) -> Self {
        let figures: Vec<&Figures> = runs.iter().map(|run| &run.figures).collect();
        let (mean, std) = Figures::mean_and_std(&figures);
        Self { runs, mean, std }
    }
}
