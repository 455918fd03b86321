//! What the pages show, as plain data: no tensors, no files, nothing that waits.
//!
//! Helper threads make these from the data, plugin, backbone, device and run modules; pages only
//! read them.

mod library;

use std::fmt;
use std::sync::Arc;

use crate::data::Listed;
use crate::data::card::Sizes;
use crate::data::scenario::Scenario;
use crate::data::{Correction, Fingerprints};
use crate::experiment::estimate::over_passes;
use crate::method::{Chosen, SingleClassTasks};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::Picture;
use crate::texts::{Message, Words};

pub use self::library::{BackboneView, NumberView, PluginView, WeightsPlace};
pub use super::row::{Rows, RunRow, RunState};
pub use crate::data::Split;

/// Something a helper thread is fetching.
#[derive(Clone, Debug, Default)]
pub enum Fetch<T> {
    /// Nobody asked yet.
    #[default]
    Nothing,
    /// Under way.
    Busy,
    /// Here it is.
    Ready(T),
    /// It could not be had.
    Failed(Problem),
}

impl<T> Fetch<T> {
    /// The thing, once it is there.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(thing) => Some(thing),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn ready_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Ready(thing) => Some(thing),
            _ => None,
        }
    }

    /// Why it is not there.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Failed(problem) => Some(problem),
            _ => None,
        }
    }

    /// Whether it is under way.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Busy)
    }

    /// Takes the answer of a helper thread.
    pub fn fill(&mut self, answer: Result<T>) {
        *self = Self::of(answer);
    }

    /// The answer of a helper thread.
    pub fn of(answer: Result<T>) -> Self {
        match answer {
            Ok(thing) => Self::Ready(thing),
            Err(problem) => Self::Failed(problem),
        }
    }
}

/// A small picture with what to call it.
#[derive(Clone, Debug)]
pub struct Thumb {
    /// Class name or file name.
    pub caption: String,
    /// The pixels.
    pub picture: Arc<Picture>,
}

/// A split of an open data set, by the data set's key.
pub type SplitKey = (Arc<str>, Split);
/// A picture of an open data set: the data set's key, the split and the index there. The test pictures of a lesson
/// have a key of their own.
pub type PictureKey = (Arc<str>, Split, usize);

/// Decoded images of a split by index; the session holds two per open data set and asks it on helper
/// threads only.
pub trait Pictures: Send + Sync {
    /// The image at this index of the split.
    ///
    /// # Errors
    /// A Problem for an image that cannot be read any more.
    fn picture(&self, index: usize) -> Result<Picture>;

    /// The image at this index as an entry of a list of corrected labels that leaves it out.
    ///
    /// # Errors
    /// A Problem for an image that cannot be read any more, or whose label cannot be corrected.
    fn entry(&self, index: usize) -> Result<Correction>;

    /// Whether these are the images of a split with these fingerprints; looks at the disk.
    fn are(&self, _: &Fingerprints) -> bool {
        false
    }
}

impl fmt::Debug for dyn Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pictures").finish_non_exhaustive()
    }
}

/// A scanned data set.
#[derive(Clone, Debug)]
pub struct DataView {
    /// What defines it: the place and how it is split and limited.
    pub key: Arc<str>,
    /// What the settings call it: `digits`, `letters` or a path.
    pub place: String,
    /// What people call it.
    pub title: String,
    /// Source and licence, where known.
    pub credit: String,
    /// Class names, sorted.
    pub classes: Vec<String>,
    /// Training images of each class.
    pub train: Vec<usize>,
    /// Test images of each class.
    pub test: Vec<usize>,
    /// Files left out, with the reason.
    pub skipped: Vec<(String, Words)>,
    /// Images that stand in training and test both: their names there.
    pub duplicates: Vec<(String, Words)>,
    /// Images that stand under two labels or more: a copy, and the first with another label.
    pub two_labels: Vec<(String, Words)>,
    /// What is to be said of them.
    pub two_labels_told: Option<Message>,
    /// Smallest and largest picture, where they were looked at.
    pub sizes: Option<Sizes>,
    /// The bit depth to suggest if 16-bit images look nearly black.
    pub better_depth: Option<usize>,
    /// Whether the test images were drawn from the others, because no test split was given.
    pub test_drawn: bool,
    /// What list files said of both splits, where they named the test images.
    pub listed: Option<Listed>,
    /// Bytes of a decoded training picture, on average; none where the pictures are in memory anyway.
    pub picture_bytes: Option<u64>,
    /// What was taken for granted, in sentences.
    pub assumed: Vec<Words>,
    /// One picture per class, as far as shown.
    pub thumbs: Vec<Thumb>,
    /// Whether the images are light strokes on a dark ground (so is the drawing canvas then).
    pub light_on_dark: bool,
    /// Share of the frame's side that a glyph's longer side covers, for data that looks like
    /// drawings.
    pub glyph_share: Option<f32>,
    /// Whether its classes are learned all at once; none where nobody said so.
    pub all_at_once: Option<bool>,
    /// Class (position in `classes`) of every test image, by index.
    pub test_labels: Vec<usize>,
    /// The test images.
    pub testing: Arc<dyn Pictures>,
    /// The training images.
    pub training: Arc<dyn Pictures>,
}

impl DataView {
    /// The images of a split.
    pub fn of(&self, split: Split) -> &Arc<dyn Pictures> {
        match split {
            Split::Train => &self.training,
            Split::Test => &self.testing,
        }
    }

    /// Training images of all classes.
    pub fn train_total(&self) -> usize {
        self.train.iter().sum()
    }

    /// Test images of all classes.
    pub fn test_total(&self) -> usize {
        self.test.iter().sum()
    }
}

/// What the settings come to with the data, backbone and plugin at hand.
#[derive(Clone, Debug, Default)]
pub struct PlanView {
    /// The class order and its cut into tasks; none while something is wrong with either.
    pub scenario: Option<Arc<Scenario>>,
    /// Class names of each task.
    pub tasks: Vec<Vec<String>>,
    /// Training images per epoch of each task.
    pub train_images: Vec<usize>,
    /// Test images of each task.
    pub test_images: Vec<usize>,
    /// Bytes of decoded pictures that training would keep, had it the room: those of the largest task, and the test
    /// inputs. None where the pictures are in memory anyway.
    pub cache_need: Option<u64>,
    /// Numbers that are trained in the PETs of one expert.
    pub trained: Option<usize>,
    /// The chosen backbone, also where it is a bare file.
    pub backbone: Option<BackboneView>,
    /// Bytes of memory a training step takes at most.
    pub memory: Option<u64>,
    /// Where that is more than the chosen card has free: what it has, and how many images at once would
    /// fit.
    pub short: Option<(u64, Option<usize>)>,
    /// Plugins that cannot sit in the chosen blocks, by name, with the reason.
    pub misfits: Vec<(String, String)>,
    /// Tasks from which nothing would be learned.
    pub single_class: Option<SingleClassTasks>,
    /// Everything that stands in the way.
    pub problems: Vec<Problem>,
}

impl PlanView {
    /// Puts tasks in, with the numbers of their images.
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

    /// Epochs of each task.
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

    /// Images that pass through the network in training, all passes of all tasks.
    pub fn images_shown(&self, config: &RunConfig) -> usize {
        over_passes(config, &self.train_images, |_, _, shown| shown as f64) as usize
    }
}

/// A compute device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceView {
    /// What the settings call it.
    pub key: String,
    /// What people call it.
    pub title: String,
    /// Integrated, discrete, software, processor.
    pub kind: String,
    /// Whether `auto` means this one.
    pub chosen_by_auto: bool,
    /// How many times as fast it multiplies with weights of bf16 as with f32; none where it does not do so itself.
    pub bf16_gain: Option<f64>,
}
