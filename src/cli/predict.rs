//! `predict`: classifies images with the experts of a run.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::End;
use super::output::{Json, Table, complain, tell};
use super::run_args::{RunArgs, snapshot};
use super::sheet::SheetPaths;
use crate::data::decode_picture_file;
use crate::experiment::ResourceCache;
use crate::experiment::inside::sample;
use crate::experiment::predict::Predictor;
use crate::experiment::sheet::Columns;
use crate::files::names::is_elsewhere;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::event::{ClassPrediction, Picture};
use crate::run::refusal::Refusal;
use crate::store;

/// Options of `predict`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub asked: RunArgs,
    /// Image files to classify
    #[arg(
        value_name = "IMAGE",
        required_unless_present = "folder",
        conflicts_with = "folder"
    )]
    images: Vec<PathBuf>,
    /// Classify all images in this folder and its subfolders, and write a table
    #[arg(long, value_name = "DIR", requires = "csv")]
    folder: Option<PathBuf>,
    /// Table to write, one row per image; - for standard output
    #[arg(long, value_name = "FILE|-", requires = "folder")]
    csv: Option<PathBuf>,
    /// Write all columns: also each expert's prediction, the out-of-distribution score and the top five classes
    #[arg(long, requires = "csv")]
    all_columns: bool,
    /// Also copy each image into a subfolder of this new folder, named after its class
    #[arg(long, value_name = "DIR", requires = "csv")]
    copy_to: Option<PathBuf>,
    /// Do not check whether an image belongs to none of the classes
    #[arg(long)]
    always_answer: bool,
    #[command(flatten)]
    json: Json,
}

/// The output of an expert in the JSON output.
#[derive(Serialize)]
struct View {
    class: String,
    /// Scores by class, as shares; those of LAE's ensemble may sum to more than 1. The key remains for scripts.
    #[serde(serialize_with = "as_object")]
    probabilities: Vec<(String, f32)>,
    energy: Option<f32>,
}

/// Serialises pairs as an object, in the order of the classes.
fn as_object<S: Serializer>(pairs: &[(String, f32)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// An image in the JSON output.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Answered {
        path: String,
        class: String,
        /// The score of the predicted class.
        confidence: f32,
        decided_by: &'static str,
        task: usize,
        /// Whether its out-of-distribution score exceeds that of 95 of 100 test images of known classes; `None` if
        /// unknown or not requested.
        none_of_these: Option<bool>,
        /// Its out-of-distribution score: the energy, or 1 − the score if there are no logits.
        strangeness: f32,
        /// Limit above which it is none of the classes.
        threshold: Option<f32>,
        /// The output of each expert: LAE's `online`, `offline`, `ensemble`.
        #[serde(flatten)]
        experts: ByExpert<View>,
    },
    Unreadable {
        path: String,
        problem: Problem,
    },
}

pub(super) fn run(args: &Args) -> Result<End> {
    args.json.check()?;
    let sheet = args.folder.as_deref().zip(args.csv.as_deref());
    let sheet = sheet.map(|(folder, csv)| SheetPaths {
        folder,
        csv,
        copy_to: args.copy_to.as_deref(),
    });
    if let Some(sheet) = &sheet {
        sheet.check(&args.json)?;
    }
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let device = args.asked.device.as_deref();
    let moved = &args.asked.moved;
    let cache = moved.cache(&store::load_facts(&folder)?.0.config);
    let predictor = Predictor::open(&folder, task, device, &cache, true)?;
    let refusal = match args.always_answer {
        true => None,
        false => refusal_of(&folder, &predictor, moved.data.is_some(), &cache),
    };
    if let Some(sheet) = &sheet {
        let threshold = refusal.map(|refusal| refusal.threshold);
        let columns = Columns::of(&predictor, threshold, args.all_columns);
        return sheet.run((&predictor, columns), &args.json);
    }
    let mut entries = Vec::new();
    let mut end = End::Done;
    for path in &args.images {
        entries.push(
            picture(path, &predictor)
                .and_then(|picture| answer(&predictor, path, &picture, refusal.as_ref()))
                .unwrap_or_else(|problem| {
                    complain(&problem);
                    end = End::Failed;
                    Entry::Unreadable {
                        path: path.display().to_string(),
                        problem,
                    }
                }),
        );
    }
    args.json.print_results(&entries, &text(&entries))?;
    Ok(end)
}

/// Reads an image in the same way as the run's training images.
pub(super) fn picture(path: &Path, predictor: &Predictor) -> Result<Picture> {
    let image = decode_picture_file(path, predictor.header().config.bit_depth)?;
    Ok(Picture::new(path.display().to_string(), image))
}

/// Returns the limit of the out-of-distribution score above which an image is none of the classes: the recorded
/// one, otherwise one computed from a sample of the run's test images. Returns `None` and reports it if neither is
/// available.
fn refusal_of(
    folder: &Path,
    predictor: &Predictor,
    data_is_named: bool,
    cache: &ResourceCache,
) -> Option<Refusal> {
    let (header, task) = (predictor.header(), predictor.task());
    let expert = header.answering();
    let reports = store::summarize(folder).ok()?.reports();
    let measurements = reports.get(task).map(|report| &report.measurements);
    let noted = Refusal::of(measurements, None, expert);
    if noted.is_some() {
        return noted;
    }
    if is_elsewhere(&header.config.data) && !data_is_named {
        tell(format!(
            "this run has no limit for \"none of these\", and its test images are on another computer, which is only \
             accessed on request: {}",
            header.config.data
        ));
        return None;
    }
    tell(
        "this run has no limit for \"none of these\"; computing one from a sample of its test images",
    );
    match sample(folder, predictor, cache) {
        Ok(probe) => Refusal::of(None, Some(&probe), expert),
        Err(problem) => {
            complain(&problem);
            None
        }
    }
}

fn answer(
    predictor: &Predictor,
    path: &Path,
    picture: &Picture,
    refusal: Option<&Refusal>,
) -> Result<Entry> {
    let (verdict, _) = predictor.predict(picture)?;
    let names = predictor.classes();
    let view = |opinion: &ClassPrediction| {
        let pairs = names
            .iter()
            .cloned()
            .zip(opinion.probabilities.iter().copied());
        View {
            class: name_of(names, opinion.best().0),
            probabilities: pairs.collect(),
            energy: opinion.energy,
        }
    };
    let answer = verdict.opinions.last();
    let (class, confidence) = answer.map_or((0, 0.0), ClassPrediction::best);
    Ok(Entry::Answered {
        path: path.display().to_string(),
        class: name_of(names, class),
        confidence,
        decided_by: verdict.decided_by.name(),
        task: predictor.task() + 1,
        none_of_these: answer.and_then(|o| Some(refusal?.refuses(o))),
        strangeness: answer.map_or(0.0, ClassPrediction::strangeness),
        threshold: refusal.map(|refusal| refusal.threshold),
        experts: verdict
            .opinions
            .iter()
            .map(|o| (o.expert, view(o)))
            .collect(),
    })
}

fn name_of(names: &[String], class: usize) -> String {
    names.get(class).cloned().unwrap_or_default()
}

fn text(entries: &[Entry]) -> String {
    let mut table = Table::new(&["image", "class", ">score", "decided by", ""]);
    for entry in entries {
        if let Entry::Answered {
            path,
            class,
            confidence,
            decided_by,
            none_of_these,
            ..
        } = entry
        {
            table.row([
                path.clone(),
                class.clone(),
                format!("{:.1} %", confidence * 100.0),
                (*decided_by).to_string(),
                match none_of_these {
                    Some(true) => "none of these".into(),
                    _ => String::new(),
                },
            ]);
        }
    }
    match entries
        .iter()
        .any(|entry| matches!(entry, Entry::Answered { .. }))
    {
        true => table.to_string(),
        false => String::new(),
    }
}
