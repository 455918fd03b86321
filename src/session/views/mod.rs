//! The data that pages show: plain values without tensors, files or blocking calls.
//!
//! Helper threads create these values from datasets, plugins, backbones, devices and runs; pages only read them.

mod library;

use std::fmt;
use std::sync::Arc;

use crate::backbone::library::Description;
use crate::data::Listed;
use crate::data::image_kind::ImageKind;
use crate::data::scenario::Scenario;
use crate::data::summary::Sizes;
use crate::data::{Correction, Fingerprints};
use crate::experiment::estimate::over_passes;
use crate::method::{Chosen, SingleClassTasks};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::Picture;
use crate::texts::{Message, Words};

pub use self::library::{NumberView, PluginView};
pub use super::row::{Rows, RunRow, RunState};
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
            Self::Ready(thing) => Some(thing),
            _ => None,
        }
    }

    /// Returns the value for changes, once it is loaded.
    pub fn ready_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Ready(thing) => Some(thing),
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
    pub fn fill(&mut self, answer: Result<T>) {
        *self = Self::of(answer);
    }

    /// Converts the result of a helper thread.
    pub fn of(answer: Result<T>) -> Self {
        match answer {
            Ok(thing) => Self::Ready(thing),
            Err(problem) => Self::Failed(problem),
        }
    }
}

/// A small image with a caption.
#[derive(Clone, Debug)]
pub struct Thumb {
    /// Its class name or file name.
    pub caption: String,
    /// The pixels.
    pub picture: Arc<Picture>,
}

/// A split of an open dataset: the dataset's key and the split.
pub type SplitKey = (Arc<str>, Split);
/// An image of an open dataset: the dataset's key, the split and the index. The test images of an added task use a key
/// of the added task.
pub type PictureKey = (Arc<str>, Split, usize);

/// Decoded images of a split, by index. The session has two per open dataset; they are used only on helper threads.
pub trait Pictures: Send + Sync {
    /// Returns the image at this index of the split.
    ///
    /// # Errors
    /// Returns a Problem if the image cannot be read.
    fn picture(&self, index: usize) -> Result<Picture>;

    /// Returns an entry for the list of corrected labels that excludes the image at this index.
    ///
    /// # Errors
    /// Returns a Problem if the image cannot be read or its label cannot be corrected.
    fn entry(&self, index: usize) -> Result<Correction>;

    /// Returns whether the images of this split have these fingerprints. Reads the files.
    fn are(&self, _: &Fingerprints) -> bool {
        false
    }
}

impl fmt::Debug for dyn Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pictures").finish_non_exhaustive()
    }
}

/// An open dataset in the form that pages show.
#[derive(Clone, Debug)]
pub struct DataView {
    /// Its key, made of place, split and limits.
    pub key: Arc<str>,
    /// Its name in the settings: `digits`, `letters`, or a path.
    pub place: String,
    /// Its title.
    pub title: String,
    /// Source and licence, if known.
    pub credit: String,
    /// Class names, sorted.
    pub classes: Vec<String>,
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
    pub two_labels_told: Option<Message>,
    /// Sizes of the smallest and the largest image, if they were examined.
    pub sizes: Option<Sizes>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Whether the test images were drawn from all images because there was no test split.
    pub test_drawn: bool,
    /// The split by list files, if the lists named the test images.
    pub listed: Option<Listed>,
    /// Mean bytes of a decoded training image; `None` if the images are in memory anyway.
    pub picture_bytes: Option<u64>,
    /// Sentences about what was assumed about the dataset.
    pub assumed: Vec<Words>,
    /// One image per class, for a limited number of classes.
    pub thumbs: Vec<Thumb>,
    /// The look of its images. The drawing canvas uses the same background and stroke width.
    pub looks: ImageKind,
    /// Whether its classes are learned all at once; `None` if the user has not answered.
    pub all_at_once: Option<bool>,
    /// The class of every test image, as an index in `classes`.
    pub test_labels: Vec<usize>,
    /// The test images.
    pub testing: Arc<dyn Pictures>,
    /// The training images.
    pub training: Arc<dyn Pictures>,
}

impl DataView {
    /// Returns the images of a split.
    pub fn of(&self, split: Split) -> &Arc<dyn Pictures> {
        match split {
            Split::Train => &self.training,
            Split::Test => &self.testing,
        }
    }

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
    pub cache_need: Option<u64>,
    /// Number of trainable parameters in the PETs of one expert.
    pub trained: Option<usize>,
    /// The selected backbone, which can be a weight file.
    pub backbone: Option<Description>,
    /// Maximum bytes of memory of a training step.
    pub memory: Option<u64>,
    /// If `memory` exceeds the free memory of the selected GPU: the free memory, and the batch size that would fit.
    pub short: Option<(u64, Option<usize>)>,
    /// Plugins that the selected blocks do not support, each with the reason.
    pub misfits: Vec<(String, String)>,
    /// A warning about tasks of a single class, from which nothing would be learned.
    pub single_class: Option<SingleClassTasks>,
    /// All problems that prevent training.
    pub problems: Vec<Problem>,
}

impl PlanView {
    /// Sets the tasks and their numbers of images.
    pub fn set_tasks(&mut self, scenario: Scenario, data: &DataView, config: &RunConfig) {
        let limited =
            |count: usize, limit: Option<usize>| limit.map_or(count, |most| count.min(most));
        let per_task = |of: &[usize], limit| -> Vec<usize> {
            let sum = |range: &std::ops::Range<usize>| {
                let classes = &scenario.class_order[range.clone()];
                classes.iter().map(|&class| limited(of[class], limit)).sum()
            };
            scenario.tasks.iter().map(sum).collect()
        };
        let names = scenario.names(&data.classes);
        self.tasks = scenario
            .tasks
            .iter()
            .map(|range| names[range.clone()].to_vec())
            .collect();
        self.train_images = per_task(&data.train, config.train_limit);
        self.test_images = per_task(&data.test, config.test_limit);
        self.scenario = Some(Arc::new(scenario));
    }

    /// Returns the epochs of each task.
    pub fn epochs(&self, config: &RunConfig) -> Vec<usize> {
        let chosen = Chosen::of(config).ok();
        let tasks = 0..self.train_images.len();
        tasks
            .map(|task| {
                let of = |chosen: &Chosen<'_>| chosen.epochs(task, &self.train_images);
                chosen.as_ref().map_or(config.epochs, of)
            })
            .collect()
    }

    /// Returns the number of images that pass through the network in training, over all epochs and tasks.
    pub fn images_shown(&self, config: &RunConfig) -> usize {
        over_passes(config, &self.train_images, |_, _, shown| shown as f64) as usize
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
