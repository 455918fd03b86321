//! Where the views come from: errands done with the data, device and run modules (those
//! with plugins and backbones in [`network`]). Everything here runs on helper threads; only plain views leave this file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::backend::Backend;
use super::drawing::{glyph_share, is_light_on_dark};
use super::jobs::{Answer, Ask, Found, Wake, Wanted};
use super::network;
use super::views::{DataView, DeviceView, OpenedRun, Pictures, Plan, RunRow, RunState, Thumb};
use crate::data::card::counts;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::{Dataset, OpenOptions, Sample, decode_picture_file};
use crate::engine::Engine;
use crate::metrics::Expert;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Command, Event, Picture, Wish};
use crate::{device, store};

/// Thumbnails made of one data set.
const THUMBS: usize = 24;
/// Longer side of a kept picture, in pixels; larger ones are scaled down for the window.
const LARGEST: u32 = 512;

impl Backend for Engine {
    fn send(&mut self, command: Command) {
        Engine::send(self, command);
    }

    fn try_recv(&mut self) -> Option<Event> {
        Engine::try_recv(self)
    }

    fn wish(&self, wish: Wish) {
        self.control.set(wish);
    }
}

/// The real engine.
pub fn engine(runs_root: PathBuf, wake: Wake) -> Result<Box<dyn Backend>> {
    Ok(Box::new(Engine::start(runs_root, wake)?))
}

/// Does errands with the real modules.
pub fn answer(runs_root: PathBuf) -> Answer {
    Arc::new(move |ask| match ask {
        Ask::Data(key, share) => {
            let view = open_data(&key, share);
            Found::Data(key, view.map(Arc::new))
        }
        Ask::Plan(config, data) => {
            let plan = plan(&config, data.as_deref());
            Found::Plan(config, Box::new(plan))
        }
        Ask::Plugins => Found::Plugins(network::plugins()),
        Ask::Backbones => {
            let (list, problems) = network::backbones();
            Found::Backbones(list, problems)
        }
        Ask::Devices => Found::Devices(devices()),
        Ask::Runs => Found::Runs(Ok(runs(&runs_root))),
        Ask::Open(folder) => {
            let run = store::load(&folder).map(|run| {
                Box::new(OpenedRun {
                    header: run.header,
                    reports: run.reports,
                })
            });
            Found::Opened(folder, run)
        }
        Ask::Trash(folder) => {
            let done = trash(&runs_root, &folder);
            Found::Trashed(folder, done)
        }
        Ask::Picture(path) => Found::Picture(read_picture(&path)),
        Ask::TestPictures(key, pictures, indices) => {
            let one = |index| (index, pictures.test_picture(index));
            Found::TestPictures(key, indices.into_iter().map(one).collect())
        }
        Ask::Pick(wanted) => Found::Picked(wanted, pick(wanted)),
        Ask::Download(download) => {
            let done = network::fetch_weights(&download);
            Found::Downloaded(download.backbone.clone(), done)
        }
    })
}

/// The test images of an open data set.
struct TestImages(Arc<Dataset>);

impl Pictures for TestImages {
    fn test_picture(&self, index: usize) -> Result<Picture> {
        let sample = self.0.test.get(index).ok_or_else(|| {
            Problem::new(format!("the data set has no test image {index} any more"))
                .at(&self.0.name)
        })?;
        picture_of(sample)
    }
}

fn picture_of(sample: &Sample) -> Result<Picture> {
    Ok(plain(sample.name(), sample.decode()?))
}

/// A decoded image as plain pixels, no larger than the window needs for a thumbnail.
fn plain(name: String, image: image::RgbImage) -> Picture {
    let (width, height) = image.dimensions();
    let image = if width.max(height) > LARGEST {
        let scale = f64::from(LARGEST) / f64::from(width.max(height));
        let side = |n: u32| ((f64::from(n) * scale).round() as u32).max(1);
        image::imageops::thumbnail(&image, side(width), side(height))
    } else {
        image
    };
    Picture {
        name,
        width: image.width() as usize,
        height: image.height() as usize,
        rgb: image.into_raw(),
    }
}

/// An image file for Predict, in full size: the network must see what testing would show it.
fn read_picture(path: &Path) -> Result<Picture> {
    if path.is_dir() {
        return Err(Problem::new("this is a folder, not an image")
            .at_path(path)
            .advise("drop a folder on Experiment to train on it; drop one image here"));
    }
    let image = decode_picture_file(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(Picture {
        name: name.into_owned(),
        width: image.width() as usize,
        height: image.height() as usize,
        rgb: image.into_raw(),
    })
}

fn open_data(key: &str, test_share: f64) -> Result<DataView> {
    let options = OpenOptions {
        test_share,
        ..OpenOptions::default()
    };
    let data = Arc::new(Dataset::open(key, &options)?);
    let thumbs = thumbs(&data);
    let light = thumbs
        .iter()
        .filter(|thumb| is_light_on_dark(&thumb.picture))
        .count();
    let light_on_dark = 2 * light > thumbs.len();
    Ok(DataView {
        key: key.to_string(),
        title: data.name.clone(),
        credit: data.note.clone(),
        classes: data.classes.clone(),
        train: counts(&data.train, data.classes.len()),
        test: counts(&data.test, data.classes.len()),
        skipped: data
            .skipped
            .iter()
            .map(|file| (file.path.display().to_string(), file.reason.clone()))
            .collect(),
        duplicates: data.duplicates.len(),
        assumed: data.assumed.clone(),
        glyph_share: shared_glyph(&thumbs, light_on_dark),
        light_on_dark,
        thumbs,
        test_labels: data
            .test
            .iter()
            .map(|sample| sample.class as usize)
            .collect(),
        pictures: Arc::new(TestImages(data)),
    })
}

/// The first image of each class, as far as shown.
fn thumbs(data: &Dataset) -> Vec<Thumb> {
    let first = |class: usize| data.train.iter().find(|s| s.class as usize == class);
    (0..data.classes.len())
        .filter_map(|class| {
            let picture = picture_of(first(class)?).ok()?;
            Some(Thumb {
                caption: data.classes[class].clone(),
                picture: Arc::new(picture),
            })
        })
        .take(THUMBS)
        .collect()
}

/// The mean share of the frame that glyphs cover; none if any image is no drawing.
fn shared_glyph(thumbs: &[Thumb], light_on_dark: bool) -> Option<f32> {
    let shares: Option<Vec<f32>> = thumbs
        .iter()
        .map(|thumb| glyph_share(&thumb.picture, light_on_dark))
        .collect();
    let shares = shares.filter(|shares| !shares.is_empty())?;
    Some(shares.iter().sum::<f32>() / shares.len() as f32)
}

/// What the settings come to, with everything that stands in the way.
fn plan(config: &RunConfig, data: Option<&DataView>) -> Plan {
    let mut plan = Plan {
        problems: config.validate(),
        ..Plan::default()
    };
    if let Some(data) = data {
        match scenario(config, data) {
            Ok(scenario) => fill_tasks(&mut plan, config, data, &scenario),
            Err(problem) => plan.problems.push(problem),
        }
    }
    if let Err(problem) = network::fill(&mut plan, config) {
        plan.problems.push(problem);
    }
    if let Err(problem) = device::choose(&config.device) {
        plan.problems.push(problem);
    }
    plan
}

fn scenario(config: &RunConfig, data: &DataView) -> Result<Scenario> {
    let order = ClassOrder::parse(&config.order)?;
    let sizes = TaskSizes::parse(&config.classes_per_task)?;
    Scenario::new(&data.classes, &order, &sizes)
}

fn fill_tasks(plan: &mut Plan, config: &RunConfig, data: &DataView, scenario: &Scenario) {
    let limited = |count: usize, limit: Option<usize>| limit.map_or(count, |most| count.min(most));
    for range in &scenario.tasks {
        let classes = &scenario.class_order[range.clone()];
        let name = |&class: &usize| data.classes[class].clone();
        plan.tasks.push(classes.iter().map(name).collect());
        let sum =
            |of: &[usize], limit| classes.iter().map(|&class| limited(of[class], limit)).sum();
        plan.train_images.push(sum(&data.train, config.train_limit));
        plan.test_images.push(sum(&data.test, config.test_limit));
    }
    let least = plan.train_images.iter().copied().min().unwrap_or(0);
    if least < config.batch {
        plan.problems.push(
            Problem::new(format!(
                "a task has only {least} training images, less than one batch of {}",
                config.batch
            ))
            .at("--batch")
            .advise("make the batch smaller, or put more classes into a task"),
        );
    }
    if plan.test_images.contains(&0) {
        plan.problems.push(
            Problem::new("a task has no test images")
                .at("--data")
                .advise("add test images of its classes, or choose a folder without a test split"),
        );
    }
}

fn devices() -> Vec<DeviceView> {
    let auto = device::choose("auto").map(|info| info.index).ok();
    device::list()
        .iter()
        .map(|info| DeviceView {
            key: if info.is_cpu() {
                "cpu".into()
            } else {
                info.selector()
            },
            title: if info.is_cpu() {
                format!("CPU · {}", info.name)
            } else {
                format!("GPU · {}", info.name)
            },
            kind: format!("{}, {}", info.kind.title(), info.api.title()),
            chosen_by_auto: Some(info.index) == auto,
        })
        .collect()
}

fn runs(root: &Path) -> Vec<RunRow> {
    store::list(root).into_iter().map(run_row).collect()
}

fn run_row(listed: store::Listed) -> RunRow {
    let mut row = RunRow {
        name: listed.run,
        folder: listed.folder,
        header: None,
        state: RunState::Finished,
        history: Default::default(),
        images_per_second: 0.0,
        drift: Vec::new(),
    };
    match listed.stored {
        Err(problem) => row.state = RunState::Damaged(problem),
        Ok(run) => {
            row.history = Expert::ALL.map(|expert| run.history(expert));
            row.images_per_second = run.images_per_second();
            row.drift = run
                .reports
                .iter()
                .map(|report| (report.online_drift, report.offline_drift))
                .collect();
            row.state = match run.state {
                store::RunState::Finished => RunState::Finished,
                store::RunState::Interrupted { task, .. } => RunState::Unfinished(task),
                store::RunState::Running => RunState::Busy,
            };
            row.header = Some(run.header);
        }
    }
    row
}

/// Moves a run's folder into the folder `trash` beside the runs; nothing is erased.
fn trash(runs_root: &Path, folder: &Path) -> Result<()> {
    if folder.parent() != Some(runs_root) {
        return Err(
            Problem::new("only runs of the runs folder can be moved to the trash")
                .at_path(folder)
                .advise("delete this folder yourself if you want to"),
        );
    }
    let bin = runs_root.join(".trash");
    std::fs::create_dir_all(&bin)
        .map_err(|error| Problem::io("make the trash folder", &bin, &error))?;
    let name = folder.file_name().unwrap_or_default();
    let mut place = bin.join(name);
    let mut again = 2;
    while place.exists() {
        place = bin.join(format!("{}-{again}", name.to_string_lossy()));
        again += 1;
    }
    std::fs::rename(folder, &place)
        .map_err(|error| Problem::io("move the run to the trash", folder, &error))
}

/// Shows the system's file dialog.
fn pick(wanted: Wanted) -> Option<PathBuf> {
    let dialog = rfd::FileDialog::new();
    match wanted {
        Wanted::DataFolder => dialog
            .set_title("Choose a folder with one subfolder per class")
            .pick_folder(),
        Wanted::Weights => dialog
            .set_title("Choose a weight file")
            .add_filter("Weights", &["safetensors", "npz", "pth", "bin"])
            .pick_file(),
        Wanted::Image => dialog
            .set_title("Choose an image")
            .add_filter(
                "Images",
                &["png", "jpg", "jpeg", "webp", "bmp", "gif", "tif", "tiff"],
            )
            .pick_file(),
        Wanted::Order => dialog
            .set_title("Choose a class order")
            .add_filter("JSON", &["json"])
            .pick_file(),
    }
}
