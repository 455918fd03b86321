//! `worst`: the test pictures that a run answered wrongly, the surest mistakes first.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::End;
use super::asked::Asked;
use super::output::{Json, Table, complain, tell};
use crate::counts::counted;
use crate::data::{Dataset, Sample};
use crate::experiment::Stock;
use crate::experiment::predict::Predictor;
use crate::metrics::{Answers, Expert, Wrong};
use crate::problem::{Problem, Result, listed};
use crate::run::event::{Picture, RunHeader};
use crate::store::{self, StoredRun};

/// Options of `worst`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub asked: Asked,
    /// Only pictures that are truly of this class
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,
    #[command(flatten)]
    json: Json,
}

/// What is told, as JSON.
#[derive(Serialize)]
struct Told {
    run: String,
    /// From 1.
    task: usize,
    /// Whose answers these are.
    expert: Expert,
    /// Test pictures that were asked.
    tested: usize,
    /// Those of them that were answered wrongly (of the class that was given).
    wrong: usize,
    /// Whether the run noted how certain it was; else its mistakes were asked once more.
    noted: bool,
    pictures: Vec<Mistake>,
}

/// A picture that was answered wrongly.
#[derive(Serialize)]
struct Mistake {
    /// Its path inside the data set; none where the pictures are not at hand.
    picture: Option<String>,
    /// 0 for the run's data set, k for its k-th lesson.
    source: usize,
    /// Among the test pictures there.
    index: usize,
    class: String,
    answer: String,
    certainty: Option<f32>,
}

/// Lists.
pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let folder = args.asked.folder()?;
    let task = args.asked.task(&folder)?;
    let stored = store::load(&folder)?;
    let (header, answers) = (&stored.header, &stored.reports[task].answers);
    let class = args.class.as_deref();
    let class = class.map(|name| class_of(header, task, name)).transpose()?;
    let expert = header.answering();
    let mut wrong = answers.wrong(expert, class);
    let tests = Tests::open(&stored);
    if let Err(problem) = &tests {
        complain(problem);
    }
    let noted = answers.has_certainty(expert);
    if !noted && !wrong.is_empty() {
        let tests = tests.as_ref().map_err(Clone::clone)?;
        ask_again(
            &folder,
            task,
            args.asked.device(),
            tests,
            answers,
            &mut wrong,
        )?;
    }
    Wrong::sort(&mut wrong);
    let mistake = |wrong: &Wrong| mistake(header, answers, tests.as_ref().ok(), wrong);
    let told = Told {
        run: header.run.clone(),
        task: task + 1,
        expert,
        tested: answers.labels.len(),
        wrong: wrong.len(),
        noted,
        pictures: wrong.iter().take(args.top).map(mistake).collect(),
    };
    args.json.give(&told, &text(&told))?;
    Ok(End::Done)
}

/// The position of a class that was taught by then.
fn class_of(header: &RunHeader, task: usize, name: &str) -> Result<usize> {
    let taught = header.tasks.get(task).map_or(0, |task| task.end);
    let names = &header.class_order[..taught.min(header.class_order.len())];
    names.iter().position(|known| known == name).ok_or_else(|| {
        Problem::new(format!(
            "no class \"{name}\" was taught by task {}",
            task + 1
        ))
        .at("--class")
        .advise(format!("one of {}", listed(names, 12)))
    })
}

/// The test pictures of a run.
struct Tests {
    own: Arc<Dataset>,
    lessons: Vec<Vec<Sample>>,
}

impl Tests {
    /// Opens them.
    fn open(stored: &StoredRun) -> Result<Self> {
        let header = &stored.header;
        let own = Stock::default().data(&header.config, &|| true)?;
        let images = header.images.as_ref();
        if images.is_some_and(|images| images.test != own.test_fingerprint(images.kind)) {
            return Err(Problem::new(
                "the images of this data set are no longer those this run was tested on",
            )
            .at(&header.config.data)
            .advise("put back what was there to see which they were"));
        }
        let first = header.own_tasks();
        let lessons = (first..).zip(&header.lessons);
        let lessons = lessons.map(|(task, lesson)| {
            let pictures = store::lesson_pictures(&header.folder, task, lesson)?;
            Ok(pictures.test())
        });
        Ok(Self {
            own,
            lessons: lessons.collect::<Result<_>>()?,
        })
    }

    fn at(&self, source: usize, index: usize) -> Option<&Sample> {
        match source.checked_sub(1) {
            None => self.own.test.get(index),
            Some(lesson) => self.lessons.get(lesson)?.get(index),
        }
    }
}

/// Asks about mistakes once more, to know how certain they are.
fn ask_again(
    folder: &Path,
    task: usize,
    device: Option<&str>,
    tests: &Tests,
    answers: &Answers,
    wrong: &mut [Wrong],
) -> Result<()> {
    tell(format!(
        "this run did not note how certain it was; {} asked once more",
        match wrong.len() {
            1 => "its mistake is".to_string(),
            n => format!("its {} are", counted(n, "mistake")),
        }
    ));
    let predictor = Predictor::open(folder, task, device, &Stock::default(), true)?;
    for wrong in wrong {
        let (source, index) = place(answers, wrong.at);
        let Some(Ok(image)) = tests.at(source, index).map(Sample::decode) else {
            continue;
        };
        let picture = Picture {
            name: String::new(),
            width: image.width() as usize,
            height: image.height() as usize,
            rgb: image.into_raw(),
        };
        let (verdict, _) = predictor.verdict(&picture)?;
        let answer = verdict.opinions.last();
        wrong.certainty = answer.and_then(|answer| answer.probabilities.get(wrong.given).copied());
    }
    Ok(())
}

fn place(answers: &Answers, at: usize) -> (usize, usize) {
    let index = answers.samples.get(at).copied().unwrap_or_default();
    (answers.source(at), index)
}

fn mistake(header: &RunHeader, answers: &Answers, tests: Option<&Tests>, wrong: &Wrong) -> Mistake {
    let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
    let (source, index) = place(answers, wrong.at);
    let sample = tests.and_then(|tests| tests.at(source, index));
    Mistake {
        picture: sample.map(Sample::name),
        source,
        index,
        class: name(wrong.label),
        answer: name(wrong.given),
        certainty: wrong.certainty,
    }
}

fn text(told: &Told) -> String {
    let mut table = Table::new(&[">certain", "is", "was answered", "picture"]);
    for mistake in &told.pictures {
        let sure = |certainty: f32| format!("{:.1} %", certainty * 100.0);
        let place = format!("test picture {}", mistake.index);
        table.row([
            mistake.certainty.map_or_else(|| "–".to_string(), sure),
            mistake.class.clone(),
            mistake.answer.clone(),
            mistake.picture.clone().unwrap_or(place),
        ]);
    }
    format!(
        "{} of {} {} answered wrongly after task {}\n{table}",
        told.wrong,
        counted(told.tested, "test picture"),
        if told.wrong == 1 { "was" } else { "were" },
        told.task
    )
}
