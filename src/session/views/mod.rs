//! The data that pages show: plain values without tensors, files or blocking calls.
//!
//! Helper threads create these values from datasets, plugins, backbones, devices and runs; pages only read them.

mod library;

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use crate::backbone::library::Description;
use crate::data::image_kind::{ImageKind, load_preview, load_thumbnail};
use crate::data::scenario::Scenario;
use crate::data::{Dataset, Sample};
use crate::experiment::estimate::sum_over_passes;
use crate::method::{ConfiguredMethod, SingleClassTasks};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{AddedTask, NamedImage};
use crate::store;
use crate::texts::{Message, Words};
use crate::tr;

pub use self::library::{NumberView, PluginView};
pub use super::run_row::{Rows, RunRow, RunState};
pub use crate::data::Split;

/// A value that a helper thread loads.
#[derive(Clone, Debug, Default)]
pub enum Fetch<T> {
    /// Not requested.
    #[default]
    Nothing,
    /// In progress.
    Busy,
    /// Loaded.
    Ready(T),
    /// Loading failed.
    Failed(Problem),
}

impl<T> Fetch<T> {
    /// Returns the value, once it is loaded.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value for changes, once it is loaded.
    pub fn ready_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }

    /// Returns why loading failed.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Failed(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns whether loading is in progress.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy)
    }

    /// Stores the result of a helper thread.
    pub fn fill(&mut self, result: Result<T>) {
        *self = Self::from_result(result);
    }

    /// Converts the result of a helper thread.
    pub fn from_result(result: Result<T>) -> Self {
        match result {
            Ok(value) => Self::Ready(value),
            Err(problem) => Self::Failed(problem),
        }
    }
}

/// A split of an open dataset: the dataset's key and the split.
pub type SplitKey = (Arc<str>, Split);
/// An image of an open dataset: the dataset's key, the split and the index. The test images of an added task use a key
/// of the added task.
pub type ImageKey = (Arc<str>, Split, usize);

/// The source of an image that pages show; the image's key has the split and the index.
#[derive(Clone, Debug)]
pub enum DisplayedImageSource {
    /// An open dataset.
    Data(Arc<Dataset>),
    /// The test images of a task that was added to a run.
    AddedTask {
        /// The run's folder.
        run: PathBuf,
        /// The task, from 0.
        task: usize,
        /// The added task.
        added_task: Box<AddedTask>,
        /// The bit depth of the images.
        bit_depth: usize,
    },
    /// An image file with its bit depth.
    File(PathBuf, usize),
}

impl DisplayedImageSource {
    /// Reads the image with this key.
    ///
    /// # Errors
    /// Returns a Problem if the image cannot be read.
    pub fn read(&self, (_, split, index): &ImageKey) -> Result<NamedImage> {
        match self {
            Self::Data(data) => load_preview(sample_of(data, *split, *index)?),
            Self::AddedTask { run, task, added_task, bit_depth } => {
                store::added_task_images(run, *task, added_task, *bit_depth)?.test_image(*index)
            }
            Self::File(path, bit_depth) => load_thumbnail(path, *bit_depth),
        }
    }
}

/// Returns an image of a dataset.
///
/// # Errors
/// Returns a Problem if there is no such image.
pub fn sample_of(data: &Dataset, split: Split, index: usize) -> Result<&Sample> {
    let (samples, missing_id) = match split {
        Split::Train => (&data.train, "notices-training-image-gone"),
        Split::Test => (&data.test, "notices-test-image-gone"),
    };
    let sample = samples.get(index);
    sample.ok_or_else(|| Problem::new(tr!(missing_id, n = index)).at(&data.name))
}

/// An open dataset in the form that pages show.
#[derive(Clone, Debug)]
pub struct DataView {
    /// Its key, made of location, split and limits.
    pub key: Arc<str>,
    /// Its name in the settings: `digits`, `letters`, or a path.
    pub location: String,
    /// The dataset.
    pub dataset: Arc<Dataset>,
    /// Number of training images of each class.
    pub train: Vec<usize>,
    /// Number of test images of each class.
    pub test: Vec<usize>,
    /// Skipped files, with the reason.
    pub skipped: Vec<(String, Words)>,
    /// Images that are in both the training and the test split: their names there.
    pub duplicates: Vec<(String, Words)>,
    /// Images that have several labels: the copy, and the first image with another label.
    pub two_labels: Vec<(String, Words)>,
    /// The remark about images with several labels.
    pub two_labels_note: Option<Message>,
    /// Mean bytes of a decoded training image; `None` if the images are in memory anyway.
    pub image_bytes: Option<u64>,
    /// One small image per class with the class's name, for a limited number of classes.
    pub thumbs: Vec<(String, Arc<NamedImage>)>,
    /// The look of its images. The drawing canvas uses the same background and stroke width.
    pub image_kind: ImageKind,
    /// Whether its classes are learned all at once; `None` if the user has not answered.
    pub all_at_once: Option<bool>,
}

impl Deref for DataView {
    type Target = Dataset;

    fn deref(&self) -> &Dataset {
        &self.dataset
    }
}

impl DataView {
    /// Returns the number of training images of all classes.
    pub fn train_total(&self) -> usize {
        self.train.iter().sum()
    }

    /// Returns the number of test images of all classes.
    pub fn test_total(&self) -> usize {
        self.test.iter().sum()
    }
}

/// The plan of the settings with the available data, backbone and plugin.
#[derive(Clone, Debug, Default)]
pub struct PlanView {
    /// The class order and its division into tasks; `None` if either is invalid.
    pub scenario: Option<Arc<Scenario>>,
    /// Class names of each task.
    pub tasks: Vec<Vec<String>>,
    /// Number of training images per epoch of each task.
    pub train_images: Vec<usize>,
    /// Number of test images of each task.
    pub test_images: Vec<usize>,
    /// Bytes of decoded images that training would cache without a limit: the images of the largest task, and all test
    /// inputs. `None` if the images are in memory anyway.
    pub cache_bytes: Option<u64>,
    /// Number of trainable parameters in the PETs of one expert.
    pub trained_parameters: Option<usize>,
    /// The selected backbone, which can be a weight file.
    pub backbone: Option<Description>,
    /// Maximum bytes of memory of a training step.
    pub memory: Option<u64>,
    /// If `memory` exceeds the free memory of the selected GPU: the free memory, and the batch size that would fit.
    pub memory_shortage: Option<(u64, Option<usize>)>,
    /// Plugins that the selected blocks do not support, each with the reason.
    pub incompatible_plugins: Vec<(String, String)>,
    /// A warning about tasks of a single class, from which nothing would be learned.
    pub single_class: Option<SingleClassTasks>,
    /// All problems that prevent training.
    pub problems: Vec<Problem>,
}

impl PlanView {
    /// Sets the tasks and their numbers of images.
    pub fn set_tasks(&mut self, scenario: Scenario, data: &DataView, config: &RunConfig) {
        let limit_count =
            |count: usize, limit: Option<usize>| limit.map_or(count, |max| count.min(max));
        let per_task = |counts: &[usize], limit| -> Vec<usize> {
            let sum = |range: &std::ops::Range<usize>| {
                let classes = &scenario.class_order[range.clone()];
                classes.iter().map(|&class| limit_count(counts[class], limit)).sum()
            };
            scenario.tasks.iter().map(sum).collect()
        };
        let names = scenario.class_names(&data.classes);
        self.tasks = scenario.tasks.iter().map(|range| names[range.clone()].to_vec()).collect();
        self.train_images = per_task(&data.train, config.train_limit);
        self.test_images = per_task(&data.test, config.test_limit);
        self.scenario = Some(Arc::new(scenario));
    }

    /// Returns the epochs of each task.
    pub fn epochs(&self, config: &RunConfig) -> Vec<usize> {
        let chosen = ConfiguredMethod::from_config(config).ok();
        let tasks = 0..self.train_images.len();
        tasks
            .map(|task| {
                let epochs =
                    |chosen: &ConfiguredMethod<'_>| chosen.epochs(task, &self.train_images);
                chosen.as_ref().map_or(config.epochs, epochs)
            })
            .collect()
    }

    /// Returns the number of images that pass through the network in training, over all epochs and tasks.
    pub fn total_training_images(&self, config: &RunConfig) -> usize {
        sum_over_passes(config, &self.train_images, |_, _, shown| shown as f64) as usize
    }
}

/// A compute device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceView {
    /// Its name in the settings.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its kind: integrated, discrete, software or processor.
    pub kind: String,
    /// Whether `auto` selects it.
    pub chosen_by_auto: bool,
    /// The speed of matrix products with bf16 weights relative to f32; `None` if bf16 is not supported.
    pub bf16_gain: Option<f64>,
}

impl DeviceView {
    /// Returns whether this is the CPU and the setting `device` selects it.
    pub fn is_cpu_selected_by(&self, device: &str) -> bool {
        self.key == "cpu" && (device == "cpu" || device == "auto" && self.chosen_by_auto)
    }
}
