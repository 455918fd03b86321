//! `worst`: lists misclassified test images, or training images that look like another class than their label; the
//! most confident first.

use std::path::Path;
use std::sync::Arc;

use clap::builder::TypedValueParser;
use serde::Serialize;

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_message, print_problem};
use super::run_args::{RunArgs, snapshot};
use super::settings::keyed;
use super::signals::{progress_reporter, stop_on_ctrl_c};
use crate::counts::{count_with_noun, format_count};
use crate::data::{Dataset, Sample, Split};
use crate::experiment::predict::Predictor;
use crate::experiment::{ResourceCache, label_noise, restore_advice};
use crate::metrics::{Expert, Misclassification, Predictions};
use crate::names::is_same_name;
use crate::problem::{Problem, Result, join_some};
use crate::run::event::{NamedImage, RunHeader};
use crate::session::label_noise::suspicious_labels;
use crate::store::{self, StoredRun};

/// Options of `worst`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub asked: RunArgs,
    /// Misclassified test images, or training images whose label the other images contradict
    #[arg(long, value_name = "test|train", value_parser = split(), default_value = "test")]
    split: Split,
    /// Only images of this class (for training images: with this label)
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Maximum number of images
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,
    #[command(flatten)]
    json: JsonOutput,
}

/// Returns the parser of a split.
pub(super) fn split() -> impl TypedValueParser<Value = Split> {
    keyed([(Split::Train, "train"), (Split::Test, "test")])
}

/// The JSON output.
#[derive(Serialize)]
struct MistakesReport {
    run: String,
    /// The split of the images.
    split: Split,
    /// Number of the task, from 1.
    task: usize,
    /// The expert that predicted.
    expert: Expert,
    /// The only class that is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// Number of predicted images (of that class).
    tested: usize,
    /// Number of incorrect predictions among them.
    wrong: usize,
    /// Whether the run recorded its scores; otherwise its mistakes were predicted again. `None` for training images.
    #[serde(skip_serializing_if = "Option::is_none")]
    noted: Option<bool>,
    pictures: Vec<Mistake>,
}

/// An incorrectly predicted image.
#[derive(Serialize)]
struct Mistake {
    /// Its path in the dataset; `None` if the images are not available.
    picture: Option<String>,
    /// 0 for the run's own dataset, k for its k-th added task.
    source: usize,
    /// Its index in the split of that source.
    index: usize,
    class: String,
    answer: String,
    certainty: Option<f32>,
}

impl MistakesReport {
    /// Returns the mistakes to list, without the names of their images.
    fn new(
        args: &Args,
        header: &RunHeader,
        task: usize,
        class: Option<usize>,
        answers: &Predictions,
        wrong: &[Misclassification],
    ) -> Self {
        let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
        let mistake = |wrong: &Misclassification| {
            let (source, index) = image_position(answers, wrong.index);
            Mistake {
                picture: None,
                source,
                index,
                class: name(wrong.label),
                answer: name(wrong.predicted),
                certainty: wrong.certainty,
            }
        };
        let tested = |label: &&usize| class.is_none_or(|class| class == **label);
        Self {
            run: header.run.clone(),
            split: args.split,
            task: task + 1,
            expert: Expert::ANSWER,
            class: args.class.clone(),
            tested: answers.labels.iter().filter(tested).count(),
            wrong: wrong.len(),
            noted: None,
            pictures: wrong.iter().take(args.top).map(mistake).collect(),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let stored = store::load_run(&folder)?;
    let cache = args.asked.moved.cache(&stored.header.config);
    let header = &stored.header;
    let class = args.class.as_deref();
    let class = class.map(|name| class_index(header, task, name)).transpose()?;
    if args.split == Split::Train {
        return list_training_images(args, (&folder, task), header, class, &cache);
    }
    let answers = &stored.reports[task].answers;
    let expert = header.answering_expert();
    let mut wrong = answers.misclassified(expert, class);
    let test_images = TestImages::open(&stored, &cache);
    if let Err(problem) = &test_images {
        print_problem(problem);
    }
    let noted = answers.has_certainty(expert);
    if !noted && !wrong.is_empty() {
        let test_images = test_images.as_ref().map_err(Clone::clone)?;
        predict_again(
            &folder,
            task,
            (args.asked.device.as_deref(), &cache),
            test_images,
            answers,
            &mut wrong,
        )?;
    }
    Misclassification::sort_by_certainty(&mut wrong);
    let mut report = MistakesReport::new(args, header, task, class, answers, &wrong);
    report.expert = expert;
    report.noted = Some(noted);
    for mistake in &mut report.pictures {
        let sample = test_images.as_ref().ok();
        let sample = sample.and_then(|tests| tests.sample(mistake.source, mistake.index));
        mistake.picture = sample.map(Sample::name);
    }
    args.json.print_results(&report, &text(&report))?;
    Ok(CommandOutcome::from_success(test_images.is_ok()))
}

/// Lists training images that look like another class according to the other images.
fn list_training_images(
    args: &Args,
    (folder, task): (&Path, usize),
    header: &RunHeader,
    class: Option<usize>,
    cache: &ResourceCache,
) -> Result<CommandOutcome> {
    if let Some(class) = class {
        check_own_class(header, class)?;
    }
    let control = stop_on_ctrl_c()?;
    let predictor = Predictor::open(folder, task, args.asked.device.as_deref(), cache, true)?;
    let mut step = progress_reporter(&control);
    let mut compute_features = |pixels: Vec<u8>| predictor.backbone_features(&pixels);
    let (run_snapshot, input) = ((folder, task), predictor.input());
    let should_continue = || control.should_continue();
    let found = label_noise::cross_validate(
        run_snapshot,
        input,
        cache,
        &mut compute_features,
        &mut step,
        &should_continue,
    )?;
    let Some(answers) = found else {
        print_message("stopped; nothing is listed");
        return Ok(CommandOutcome::Stopped);
    };
    let wrong = suspicious_labels(&answers, class);
    let data = cache.data(&header.config, &|| true)?;
    let mut report = MistakesReport::new(args, header, task, class, &answers, &wrong);
    for mistake in &mut report.pictures {
        mistake.picture = data.train.get(mistake.index).map(Sample::name);
    }
    args.json.finish(&report, &text(&report))
}

/// Returns the position of a class that is learned by the end of this task.
fn class_index(header: &RunHeader, task: usize, name: &str) -> Result<usize> {
    let learned_count = header.tasks.get(task).map_or(0, |task| task.end);
    let names = &header.class_order[..learned_count.min(header.class_order.len())];
    let index = names.iter().position(|class| is_same_name(class, name));
    index.ok_or_else(|| {
        Problem::new(format!("no class `{name}` has been learned by task {}", task + 1))
            .at("--class")
            .advise(format!("choose one of {}", join_some(names, 12)))
    })
}

/// Checks that a class does not belong to an added task, whose training images are not checked.
fn check_own_class(header: &RunHeader, class: usize) -> Result<()> {
    let own_classes = header.original_classes();
    if class < own_classes.len() {
        return Ok(());
    }
    let name = &header.class_order[class];
    let why = format!(
        "`{name}` belongs to an added task, and training images of added tasks are not checked"
    );
    let remedy = format!("choose one of {}", join_some(own_classes, 12));
    Err(Problem::new(why).at("--class").advise(remedy))
}

/// The test images of a run.
struct TestImages {
    dataset: Arc<Dataset>,
    added_tasks: Vec<Vec<Sample>>,
}

impl TestImages {
    /// Opens the test images.
    fn open(stored: &StoredRun, cache: &ResourceCache) -> Result<Self> {
        let header = &stored.header;
        let dataset = cache.data(&header.config, &|| true)?;
        let images = header.images.as_ref();
        if images.is_some_and(|images| !dataset.split_matches_fingerprints(Split::Test, images)) {
            return Err(Problem::new(
                "the images of this dataset differ from those this run was tested on",
            )
            .at(&header.config.data)
            .advise(restore_advice(&dataset, "advice-restore-images-or-train")));
        }
        let first = header.original_task_count();
        let added_tasks = (first..).zip(&header.added_tasks);
        let added_tasks = added_tasks.map(|(task, added_task)| {
            let depth = header.config.bit_depth;
            let pictures = store::added_task_images(&header.folder, task, added_task, depth)?;
            Ok(pictures.test())
        });
        Ok(Self { dataset, added_tasks: added_tasks.collect::<Result<_>>()? })
    }

    fn sample(&self, source: usize, index: usize) -> Option<&Sample> {
        match source.checked_sub(1) {
            None => self.dataset.test.get(index),
            Some(added_task) => self.added_tasks.get(added_task)?.get(index),
        }
    }
}

/// Predicts the mistakes again to get their scores.
fn predict_again(
    folder: &Path,
    task: usize,
    (device, cache): (Option<&str>, &ResourceCache),
    test_images: &TestImages,
    answers: &Predictions,
    wrong: &mut [Misclassification],
) -> Result<()> {
    print_message(format!(
        "this run did not store the confidence of its predictions; {} classified again",
        match wrong.len() {
            1 => "its mistake is".to_string(),
            n => format!("its {} are", count_with_noun(n, "mistake")),
        }
    ));
    let predictor = Predictor::open(folder, task, device, cache, true)?;
    for wrong in wrong {
        let (source, index) = image_position(answers, wrong.index);
        let Some(Ok(image)) = test_images.sample(source, index).map(Sample::decode) else {
            continue;
        };
        let (verdict, _) = predictor.predict(&NamedImage::new("", image))?;
        let answer = verdict.predictions.last();
        wrong.certainty =
            answer.and_then(|answer| answer.probabilities.get(wrong.predicted).copied());
    }
    Ok(())
}

fn image_position(answers: &Predictions, position: usize) -> (usize, usize) {
    let index = answers.samples.get(position).copied().unwrap_or_default();
    (answers.source(position), index)
}

fn text(report: &MistakesReport) -> String {
    let (columns, name) = match report.split {
        Split::Test => (["class", "predicted"], "test"),
        Split::Train => (["label", "looks like"], "training"),
    };
    let mut table = Table::new(&[">confidence", columns[0], columns[1], "image"]);
    for mistake in &report.pictures {
        let format_confidence = |certainty: f32| format!("{:.1} %", certainty * 100.0);
        let fallback_name = format!("{name} image {}", mistake.index);
        table.add_row([
            mistake.certainty.map_or_else(|| "–".to_string(), format_confidence),
            mistake.class.clone(),
            mistake.answer.clone(),
            mistake.picture.clone().unwrap_or(fallback_name),
        ]);
    }
    let total = count_with_noun(report.tested, &format!("{name} image"));
    let class = report.class.as_ref();
    let class = class.map_or_else(String::new, |class| format!(" of `{class}`"));
    let is_single = report.wrong == 1;
    let description = match report.split {
        Split::Test => {
            let verb = if is_single { "was" } else { "were" };
            format!("{verb} misclassified after task {}", report.task)
        }
        Split::Train => {
            let verb = if is_single { "looks" } else { "look" };
            format!("{verb} like another class according to the other images")
        }
    };
    format!("{} of {total}{class} {description}\n{table}", format_count(report.wrong))
}
