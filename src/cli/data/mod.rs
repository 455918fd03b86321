//! `data`: shows the content of a dataset, its skipped files, and the network's input.

mod export;
mod text;

use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::ArgAction;
use clap::builder::TypedValueParser;
use indicatif::{ProgressBar, ProgressStyle};

use super::CommandOutcome;
use super::output::{JsonOutput, print_message};
use super::settings::{bit_depth, keyed, load_corrections, on_off};
use super::worst::split;
use crate::backbone::library::describe;
use crate::counts::count_with_noun;
use crate::data::export::{self as exports, CropBoxes};
use crate::data::loader::{ImageLoader, LoaderOptions};
use crate::data::transform::{Augment, InputSpec};
use crate::data::{
    Check, Dataset, OpenOptions, PixelCache, ProgressReporter, Sample, Split, published,
};
use crate::problem::{Problem, Result, join_some};
use crate::store;
use crate::texts::Message;

/// Options of `data`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    #[command(subcommand)]
    export_to: Option<DataCommand>,
    /// digits, letters, a published dataset (cifar-10, cifar-100, imagenet-r), a folder, or a zip or tar archive
    #[arg(value_name = "PATH", required = true)]
    data: Option<String>,
    /// Download the published dataset first, resuming an interrupted download
    #[arg(long)]
    download: bool,
    /// Share of each class's images held out for testing, if the data has no test split
    #[arg(long, value_name = "SHARE", default_value_t = OpenOptions::default().test_share)]
    test_share: f64,
    /// Seed for random test and validation splits
    #[arg(long, value_name = "N", default_value_t = 0)]
    split_seed: u64,
    /// Keep all copies of an image on the same side of a random split
    #[arg(long, value_name = "on|off", value_parser = on_off(), default_value = "on", action = ArgAction::Set)]
    copies_together: bool,
    /// Treat near copies, such as the frames of a burst, as copies
    #[arg(long, value_name = "on|off", value_parser = on_off(), default_value = "on", action = ArgAction::Set)]
    near_copies_together: bool,
    /// For tuning: share of the training images that replaces the test images
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    validation_share: f64,
    /// Maximum number of training images per class
    #[arg(long, value_name = "N")]
    train_limit: Option<usize>,
    /// Maximum number of test images per class
    #[arg(long, value_name = "N")]
    test_limit: Option<usize>,
    /// Significant bits of the values in 16-bit images: 12 for most 12-bit cameras; larger values become white
    #[arg(long, value_name = "N", value_parser = bit_depth(), default_value = "16")]
    bit_depth: usize,
    /// Labels corrected by hand: a list, or none to use the labels in the data [default: the dataset's own list, stored
    /// with the runs]
    #[arg(long, alias = "mended", value_name = "FILE|none")]
    corrected: Option<String>,
    /// Look for the lists of corrected labels in this folder of runs
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Decode every image to find damaged ones and duplicates; auto: for up to 20,000 files
    #[arg(long, value_name = "WHEN", value_parser = decode_when(), default_value = "auto")]
    check: Check,
    #[command(flatten)]
    export: ExportArgs,
    /// Measure the decoding and augmentation speed in images per second, over this many epochs
    #[arg(long, value_name = "EPOCHS")]
    measure: Option<u64>,
    /// Threads for the measurement; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, requires = "measure")]
    threads: usize,
    /// Memory for decoded images during the measurement, in MB
    #[arg(long, value_name = "MB", default_value_t = 0, requires = "measure")]
    cache: usize,
    #[command(flatten)]
    json: JsonOutput,
}

/// Subcommands of `data`.
#[derive(clap::Subcommand)]
enum DataCommand {
    /// Write a dataset as one file: a Teachable Machine project (.tm) or an image folder (.zip)
    Export(export::Args),
}

/// Returns the parser of `--check`.
fn decode_when() -> impl TypedValueParser<Value = Check> {
    keyed([(Check::Auto, "auto"), (Check::Always, "always"), (Check::Never, "never")])
}

/// Options of exports.
#[derive(clap::Args)]
#[command(next_help_heading = "Export")]
struct ExportArgs {
    /// Write the network's input: images N×3×H×W in [0, 1], with their names in the metadata
    #[arg(long, value_name = "FILE.safetensors")]
    export_inputs: Option<PathBuf>,
    /// The split to export
    #[arg(
        long,
        value_name = "train|test",
        value_parser = split(),
        default_value = "test",
        requires = "export_inputs"
    )]
    split: Split,
    /// Input size of the network in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 224)]
    input_size: usize,
    /// Resize the shorter side to input size / crop ratio, then crop the centre
    #[arg(long, value_name = "RATIO", default_value_t = 0.875)]
    crop_ratio: f32,
    /// Prepare the images as in this backbone's pre-training
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["input_size", "crop_ratio"])]
    backbone: Option<String>,
    /// Export only the first N images
    #[arg(long, value_name = "N", requires = "export_inputs")]
    limit: Option<usize>,
    /// Crop and resize as in training, with these boxes instead of the centre crop
    #[arg(long, value_name = "FILE.json", requires = "export_inputs")]
    boxes: Option<PathBuf>,
    /// Write the whole dataset as an image folder of PNG files
    #[arg(long, value_name = "DIR")]
    export_folder: Option<PathBuf>,
}

impl ExportArgs {
    fn input_spec(&self) -> Result<InputSpec> {
        match &self.backbone {
            Some(name) => Ok(describe(name)?.entry.input_spec()),
            None => Ok(InputSpec::new(self.input_size, self.crop_ratio)),
        }
    }
}

impl Args {
    fn open_options(&self) -> OpenOptions {
        OpenOptions {
            test_share: self.test_share,
            split_seed: self.split_seed,
            copies_together: self.copies_together,
            near_copies_together: self.near_copies_together,
            validation_share: self.validation_share,
            train_limit: self.train_limit,
            test_limit: self.test_limit,
            bit_depth: self.bit_depth,
            // A single class can be exported, but not learned.
            min_classes: if self.export.export_inputs.is_some() { 1 } else { 2 },
            check: self.check,
            ..OpenOptions::default()
        }
    }
}

pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    if let Some(DataCommand::Export(export)) = &args.export_to {
        return export::run(export);
    }
    args.json.check()?;
    let name = args.data.as_deref().unwrap_or_default();
    if args.download {
        download(name)?;
    }
    let progress = StatusLine::new();
    let step = |activity: Message, done: usize, total: Option<usize>| {
        progress.step(&activity, done, total)
    };
    let watch = ProgressReporter::new(&step);
    let root = store::runs_root(args.out.as_deref());
    let options = OpenOptions {
        corrected: load_corrections(args.corrected.as_deref(), &root, name)?,
        ..args.open_options()
    };
    let mut data = Dataset::open_with_progress(name, &options, &watch)?;
    let exported = write_exports(&mut data, &args.export, &watch);
    progress.bar.finish_and_clear();
    for sentence in exported? {
        print_message(sentence);
    }
    measure_loader(&data, args)?;
    let summary = data.summary();
    args.json.finish(&summary, &text::format_summary(&data, &summary))
}

/// Writes the requested exports; returns remarks.
fn write_exports(
    data: &mut Dataset,
    export: &ExportArgs,
    watch: &ProgressReporter,
) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    if let Some(to) = &export.export_inputs {
        let samples = match export.split {
            Split::Train => &data.train,
            Split::Test => &data.test,
        };
        let samples = &samples[..export.limit.unwrap_or(usize::MAX).min(samples.len())];
        let spec = export.input_spec()?;
        let boxes = export.boxes.as_deref().map(CropBoxes::from_file).transpose()?;
        let skipped = exports::write_inputs(samples, spec, boxes.as_ref(), to, watch)?;
        remarks.push(format!(
            "{} written to {}",
            count_with_noun(samples.len() - skipped.len(), "image"),
            to.display()
        ));
        data.skipped.extend(skipped);
    }
    if let Some(to) = &export.export_folder {
        let renamed = exports::write_folder(data, to, watch)?;
        remarks.push(format!("image folder written to {}", to.display()));
        if !renamed.is_empty() {
            remarks.push(renamed_note(&renamed));
        }
    }
    Ok(remarks)
}

/// Returns the classes that were renamed in an export.
fn renamed_note(classes: &[(String, String)]) -> String {
    let pairs: Vec<String> = classes.iter().map(|(a, b)| format!("{a} as {b}")).collect();
    format!(
        "some class names are not valid folder names on every system, so their folders were renamed: {}",
        join_some(&pairs, 8)
    )
}

/// Measures the loader as it is used in training, without a device.
fn measure_loader(data: &Dataset, args: &Args) -> Result<()> {
    let samples: Vec<(Sample, i64)> =
        data.train.iter().map(|sample| (sample.clone(), i64::from(sample.class))).collect();
    let samples = Arc::new(samples);
    let cache = Arc::new(PixelCache::new(args.cache.saturating_mul(1 << 20)));
    for epoch in 0..args.measure.unwrap_or(0) {
        let options = LoaderOptions {
            augment: Some(Augment::default()),
            shuffle: true,
            epoch,
            threads: args.threads,
            cache: Some(Arc::clone(&cache)),
            ..LoaderOptions::inference(args.export.input_spec()?, 24)
        };
        let start = Instant::now();
        let images: usize =
            ImageLoader::new(Arc::clone(&samples), options)?.map(|batch| batch.len()).sum();
        let rate = images as f64 / start.elapsed().as_secs_f64();
        let usage = cache.usage();
        print_message(format_args!(
            "epoch {}: {}, {rate:.0} images/s, {} MB of images cached",
            epoch + 1,
            count_with_noun(images, "image"),
            usage.bytes >> 20
        ));
    }
    Ok(())
}

fn download(name: &str) -> Result<()> {
    let set = published::find_published(name).ok_or_else(|| {
        let names: Vec<&str> = published::PUBLISHED.iter().map(|set| set.name).collect();
        Problem::new(format!("there is no published dataset named `{name}`"))
            .at("--download")
            .advise(format!("choose one of {}", join_some(&names, 9)))
    })?;
    if set.is_downloaded() {
        return Ok(());
    }
    print_message(format_args!(
        "{}\n{} MB from {}\nlicence: {}",
        set.description, set.megabytes, set.url, set.licence
    ));
    let progress = StatusLine::new();
    let megabytes = |bytes: u64| (bytes >> 20) as usize;
    let done = set.download(&mut |status| {
        progress.step(&"downloading (MB)", megabytes(status.done), status.total.map(megabytes))
    });
    progress.bar.finish_and_clear();
    done.map(drop)
}

/// A line on the terminal that shows the current step; nothing if the output is not a terminal.
struct StatusLine {
    bar: ProgressBar,
}

impl StatusLine {
    fn new() -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        // The template is a constant, so an error would occur in every run.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    fn step(&self, activity: &dyn Display, done: usize, total: Option<usize>) -> bool {
        self.bar.tick();
        self.bar.set_message(match total {
            Some(total) => format!("{activity}: {done} of {total}"),
            None => format!("{activity}: {done}"),
        });
        true
    }
}
