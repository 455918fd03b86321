//! `worst`: lists misclassified test images, or training images that look like another class than their label; the
//! most confident first.

use std::path::Path;
use std::sync::Arc;

use clap::builder::TypedValueParser;
use serde::Serialize;

use super::End;
use super::output::{Json, Table, complain, tell};
use super::run_args::{RunArgs, snapshot};
use super::settings::keyed;
use super::signals::{step_of, stop_on_ctrl_c};
use crate::counts::{count_text, counted};
use crate::data::{Dataset, Sample, Split};
use crate::experiment::predict::Predictor;
use crate::experiment::{ResourceCache, doubt, restore_advice};
use crate::metrics::{Answers, Expert, Misclassification};
use crate::names::look_alike;
use crate::problem::{Problem, Result, listed};
use crate::run::event::{ControlRequest, Picture, RunHeader};
use crate::session::label_noise::doubtful;
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
    json: Json,
}

/// Returns the parser of a split.
pub(super) fn split() -> impl TypedValueParser<Value = Split> {
    keyed([(Split::Train, "train"), (Split::Test, "test")])
}

/// The JSON output.
#[derive(Serialize)]
struct MistakesOutput {
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

impl MistakesOutput {
    /// Returns the mistakes to list, without the names of their images.
    fn new(
        args: &Args,
        header: &RunHeader,
        task: usize,
        class: Option<usize>,
        answers: &Answers,
        wrong: &[Misclassification],
    ) -> Self {
        let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
        let mistake = |wrong: &Misclassification| {
            let (source, index) = place(answers, wrong.at);
            Mistake {
                picture: None,
                source,
                index,
                class: name(wrong.label),
                answer: name(wrong.given),
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

pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let stored = store::load(&folder)?;
    let cache = args.asked.moved.cache(&stored.header.config);
    let header = &stored.header;
    let class = args.class.as_deref();
    let class = class.map(|name| class_of(header, task, name)).transpose()?;
    if args.split == Split::Train {
        return training(args, (&folder, task), header, class, &cache);
    }
    let answers = &stored.reports[task].answers;
    let expert = header.answering();
    let mut wrong = answers.wrong(expert, class);
    let tests = Tests::open(&stored, &cache);
    if let Err(problem) = &tests {
        complain(problem);
    }
    let noted = answers.has_certainty(expert);
    if !noted && !wrong.is_empty() {
        let tests = tests.as_ref().map_err(Clone::clone)?;
        ask_again(
            &folder,
            task,
            (args.asked.device.as_deref(), &cache),
            tests,
            answers,
            &mut wrong,
        )?;
    }
    Misclassification::sort(&mut wrong);
    let mut told = MistakesOutput::new(args, header, task, class, answers, &wrong);
    told.expert = expert;
    told.noted = Some(noted);
    for mistake in &mut told.pictures {
        let sample = tests.as_ref().ok();
        let sample = sample.and_then(|tests| tests.at(mistake.source, mistake.index));
        mistake.picture = sample.map(Sample::name);
    }
    args.json.finish(&told, &text(&told))
}

/// Lists training images that look like another class according to the other images.
fn training(
    args: &Args,
    (folder, task): (&Path, usize),
    header: &RunHeader,
    class: Option<usize>,
    cache: &ResourceCache,
) -> Result<End> {
    if let Some(class) = class {
        not_by_added_task(header, class)?;
    }
    let control = stop_on_ctrl_c()?;
    let predictor = Predictor::open(folder, task, args.asked.device.as_deref(), cache, true)?;
    let mut step = step_of(&control);
    let mut ask = |seen: Vec<u8>| predictor.backbone_features(&seen);
    let (of, input) = ((folder, task), predictor.input());
    let go_on = || control.request() != ControlRequest::Stop;
    let found = doubt::look(of, input, cache, &mut ask, &mut step, &go_on)?;
    let Some(answers) = found else {
        tell("stopped; nothing is listed");
        return Ok(End::Stopped);
    };
    let wrong = doubtful(&answers, class);
    let data = cache.data(&header.config, &|| true)?;
    let mut told = MistakesOutput::new(args, header, task, class, &answers, &wrong);
    for mistake in &mut told.pictures {
        mistake.picture = data.train.get(mistake.index).map(Sample::name);
    }
    args.json.finish(&told, &text(&told))
}

/// Returns the position of a class that was taught by the end of this task.
fn class_of(header: &RunHeader, task: usize, name: &str) -> Result<usize> {
    let taught = header.tasks.get(task).map_or(0, |task| task.end);
    let names = &header.class_order[..taught.min(header.class_order.len())];
    let known = names.iter().position(|known| look_alike(known, name));
    known.ok_or_else(|| {
        Problem::new(format!(
            "no class \"{name}\" has been learned by task {}",
            task + 1
        ))
        .at("--class")
        .advise(format!("choose one of {}", listed(names, 12)))
    })
}

/// Checks that a class does not belong to an added task, whose training images are not checked.
fn not_by_added_task(header: &RunHeader, class: usize) -> Result<()> {
    let own = header.tasks[..header.own_tasks()].last();
    let own = &header.class_order[..own.map_or(0, |task| task.end)];
    if class < own.len() {
        return Ok(());
    }
    let name = &header.class_order[class];
    let why = format!(
        "\"{name}\" belongs to an added task, and training images of added tasks are not checked"
    );
    let remedy = format!("choose one of {}", listed(own, 12));
    Err(Problem::new(why).at("--class").advise(remedy))
}

/// The test images of a run.
struct Tests {
    own: Arc<Dataset>,
    added_tasks: Vec<Vec<Sample>>,
}

impl Tests {
    /// Opens the test images.
    fn open(stored: &StoredRun, cache: &ResourceCache) -> Result<Self> {
        let header = &stored.header;
        let own = cache.data(&header.config, &|| true)?;
        let images = header.images.as_ref();
        if images.is_some_and(|images| !own.has_images_of(Split::Test, images)) {
            return Err(Problem::new(
                "the images of this dataset differ from those this run was tested on",
            )
            .at(&header.config.data)
            .advise(restore_advice(&own, "advice-restore-images-or-train")));
        }
        let first = header.own_tasks();
        let added_tasks = (first..).zip(&header.added_tasks);
        let added_tasks = added_tasks.map(|(task, added_task)| {
            let depth = header.config.bit_depth;
            let pictures = store::added_task_pictures(&header.folder, task, added_task, depth)?;
            Ok(pictures.test())
        });
        Ok(Self {
            own,
            added_tasks: added_tasks.collect::<Result<_>>()?,
        })
    }

    fn at(&self, source: usize, index: usize) -> Option<&Sample> {
        match source.checked_sub(1) {
            None => self.own.test.get(index),
            Some(added_task) => self.added_tasks.get(added_task)?.get(index),
        }
    }
}

/// Predicts the mistakes again to get their scores.
fn ask_again(
    folder: &Path,
    task: usize,
    (device, cache): (Option<&str>, &ResourceCache),
    tests: &Tests,
    answers: &Answers,
    wrong: &mut [Misclassification],
) -> Result<()> {
    tell(format!(
        "this run did not store the confidence of its predictions; {} classified again",
        match wrong.len() {
            1 => "its mistake is".to_string(),
            n => format!("its {} are", counted(n, "mistake")),
        }
    ));
    let predictor = Predictor::open(folder, task, device, cache, true)?;
    for wrong in wrong {
        let (source, index) = place(answers, wrong.at);
        let Some(Ok(image)) = tests.at(source, index).map(Sample::decode) else {
            continue;
        };
        let (verdict, _) = predictor.predict(&Picture::new("", image))?;
        let answer = verdict.opinions.last();
        wrong.certainty = answer.and_then(|answer| answer.probabilities.get(wrong.given).copied());
    }
    Ok(())
}

fn place(answers: &Answers, at: usize) -> (usize, usize) {
    let index = answers.samples.get(at).copied().unwrap_or_default();
    (answers.source(at), index)
}

fn text(told: &MistakesOutput) -> String {
    let (columns, name) = match told.split {
        Split::Test => (["class", "predicted"], "test"),
        Split::Train => (["label", "looks like"], "training"),
    };
    let mut table = Table::new(&[">confidence", columns[0], columns[1], "image"]);
    for mistake in &told.pictures {
        let sure = |certainty: f32| format!("{:.1} %", certainty * 100.0);
        let place = format!("{name} image {}", mistake.index);
        table.row([
            mistake.certainty.map_or_else(|| "–".to_string(), sure),
            mistake.class.clone(),
            mistake.answer.clone(),
            mistake.picture.clone().unwrap_or(place),
        ]);
    }
    let of = counted(told.tested, &format!("{name} image"));
    let class = told.class.as_ref();
    let class = class.map_or_else(String::new, |class| format!(" of \"{class}\""));
    let one = told.wrong == 1;
    let so = match told.split {
        Split::Test => {
            let were = if one { "was" } else { "were" };
            format!("{were} misclassified after task {}", told.task)
        }
        Split::Train => {
            let look = if one { "looks" } else { "look" };
            format!("{look} like another class according to the other images")
        }
    };
    format!("{} of {of}{class} {so}\n{table}", count_text(told.wrong))
}
