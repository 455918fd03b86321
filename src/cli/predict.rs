//! `predict`: classifies images with the experts of a run.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_message, print_problem};
use super::predict_folder::TablePaths;
use super::run_args::{RunArgs, snapshot};
use crate::data::decode_image_file;
use crate::experiment::ResourceCache;
use crate::experiment::inside::predict_sample;
use crate::experiment::predict::Predictor;
use crate::experiment::prediction_table::Columns;
use crate::files::names::is_remote;
use crate::metrics::ByExpert;
use crate::problem::{Problem, Result};
use crate::run::event::{ClassPrediction, NamedImage};
use crate::run::rejection::RejectionThreshold;
use crate::store;

/// Options of `predict`.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub asked: RunArgs,
    /// Image files to classify
    #[arg(value_name = "IMAGE", required_unless_present = "folder", conflicts_with = "folder")]
    images: Vec<PathBuf>,
    /// Classify all images in this folder and its subfolders, and write a table
    #[arg(long, value_name = "DIR", requires = "csv")]
    folder: Option<PathBuf>,
    /// Table to write, one row per image; - for standard output
    #[arg(long, value_name = "FILE|-", requires = "folder", conflicts_with = "images")]
    csv: Option<PathBuf>,
    /// Write all columns: also each expert's prediction, the out-of-distribution score and the top five classes
    #[arg(long, requires = "csv", conflicts_with = "images")]
    all_columns: bool,
    /// Also copy each image into a subfolder of this new folder, named after its class
    #[arg(long, value_name = "DIR", requires = "csv", conflicts_with = "images")]
    copy_to: Option<PathBuf>,
    /// Do not check whether an image belongs to none of the classes
    #[arg(long)]
    always_answer: bool,
    #[command(flatten)]
    json: JsonOutput,
}

/// The output of an expert in the JSON output.
#[derive(Serialize)]
struct ExpertOutput {
    class: String,
    /// Scores by class, as shares; those of LAE's ensemble may sum to more than 1. The key remains for scripts.
    #[serde(serialize_with = "as_object")]
    probabilities: Vec<(String, f32)>,
    energy: Option<f32>,
}

/// Serialises pairs as an object, in the order of the classes.
fn as_object<S: Serializer>(pairs: &[(String, f32)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// An image in the JSON output.
#[derive(Serialize)]
#[serde(untagged)]
enum PredictionEntry {
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
        experts: ByExpert<ExpertOutput>,
    },
    Unreadable {
        path: String,
        problem: Problem,
    },
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    let table = args.folder.as_deref().zip(args.csv.as_deref());
    let table =
        table.map(|(folder, csv)| TablePaths { folder, csv, copy_to: args.copy_to.as_deref() });
    if let Some(table) = &table {
        table.check(&args.json)?;
    }
    let folder = args.asked.folder()?;
    let task = snapshot(&folder, args.asked.task)?;
    let device = args.asked.device.as_deref();
    let moved = &args.asked.moved;
    let cache = moved.cache(&store::load_facts(&folder)?.0.config);
    let predictor = Predictor::open(&folder, task, device, &cache, true)?;
    let rejection_limit = match args.always_answer {
        true => None,
        false => find_rejection_limit(&folder, &predictor, moved.data.is_some(), &cache),
    };
    if let Some(table) = &table {
        let threshold = rejection_limit.map(|threshold| threshold.threshold);
        let columns = Columns::new(&predictor, threshold, args.all_columns);
        return table.run((&predictor, columns), &args.json);
    }
    let mut entries = Vec::new();
    let mut end = CommandOutcome::Done;
    for path in &args.images {
        entries.push(
            read_image(path, &predictor)
                .and_then(|image| predict_image(&predictor, path, &image, rejection_limit.as_ref()))
                .unwrap_or_else(|problem| {
                    print_problem(&problem);
                    end = CommandOutcome::Failed;
                    PredictionEntry::Unreadable { path: path.display().to_string(), problem }
                }),
        );
    }
    args.json.print_results(&entries, &text(&entries))?;
    Ok(end)
}

/// Reads an image in the same way as the run's training images.
pub(super) fn read_image(path: &Path, predictor: &Predictor) -> Result<NamedImage> {
    let image = decode_image_file(path, predictor.header().config.bit_depth)?;
    Ok(NamedImage::new(path.display().to_string(), image))
}

/// Returns the limit of the out-of-distribution score above which an image is none of the classes: the recorded
/// one, otherwise one computed from a sample of the run's test images. Returns `None` and reports it if neither is
/// available.
fn find_rejection_limit(
    folder: &Path,
    predictor: &Predictor,
    has_data_path: bool,
    cache: &ResourceCache,
) -> Option<RejectionThreshold> {
    let (header, task) = (predictor.header(), predictor.task());
    let expert = header.answering_expert();
    let reports = store::summarise(folder).ok()?.reports();
    let measurements = reports.get(task).map(|report| &report.measurements);
    let recorded = RejectionThreshold::from_measurements(measurements, None, expert);
    if recorded.is_some() {
        return recorded;
    }
    if is_remote(&header.config.data) && !has_data_path {
        print_message(format!(
            "this run has no limit for \"none of these\", and its test images are on another computer, which is only \
             accessed on request: {}",
            header.config.data
        ));
        return None;
    }
    print_message(
        "this run has no limit for \"none of these\"; computing one from a sample of its test images",
    );
    match predict_sample(folder, predictor, cache) {
        Ok(probe) => {
            let computed = RejectionThreshold::from_measurements(None, Some(&probe), expert);
            if computed.is_none() {
                print_message("too few test images for a limit: every image is assigned a class");
            }
            computed
        }
        Err(problem) => {
            print_problem(&problem);
            None
        }
    }
}

fn predict_image(
    predictor: &Predictor,
    path: &Path,
    image: &NamedImage,
    threshold: Option<&RejectionThreshold>,
) -> Result<PredictionEntry> {
    let (verdict, _) = predictor.predict(image)?;
    let names = predictor.classes();
    let expert_output = |prediction: &ClassPrediction| {
        let pairs = names.iter().cloned().zip(prediction.probabilities.iter().copied());
        ExpertOutput {
            class: class_name(names, prediction.best().0),
            probabilities: pairs.collect(),
            energy: prediction.energy,
        }
    };
    let final_prediction = verdict.predictions.last();
    let (class, confidence) = final_prediction.map_or((0, 0.0), ClassPrediction::best);
    Ok(PredictionEntry::Answered {
        path: path.display().to_string(),
        class: class_name(names, class),
        confidence,
        decided_by: verdict.decided_by.key(),
        task: predictor.task() + 1,
        none_of_these: final_prediction.and_then(|o| Some(threshold?.rejects(o))),
        strangeness: final_prediction.map_or(0.0, ClassPrediction::strangeness),
        threshold: threshold.map(|threshold| threshold.threshold),
        experts: verdict.predictions.iter().map(|o| (o.expert, expert_output(o))).collect(),
    })
}

fn class_name(names: &[String], class: usize) -> String {
    names.get(class).cloned().unwrap_or_default()
}

fn text(entries: &[PredictionEntry]) -> String {
    let mut table = Table::new(&["image", "class", ">score", "decided by", ""]);
    for entry in entries {
        if let PredictionEntry::Answered {
            path,
            class,
            confidence,
            decided_by,
            none_of_these,
            ..
        } = entry
        {
            table.add_row([
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
    match entries.iter().any(|entry| matches!(entry, PredictionEntry::Answered { .. })) {
        true => table.to_string(),
        false => String::new(),
    }
}
