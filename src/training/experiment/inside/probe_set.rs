//! The probe set of a look inside: a few test images of each class, always the same ones, as network input.

use std::path::Path;

use crate::data::Sample;
use crate::data::loader::inputs_of;
use crate::data::transform::InputSpec;
use crate::experiment::ResourceCache;
use crate::experiment::images::{Images, TestImageIndex, evenly};
use crate::experiment::teach::own_images;
use crate::message;
use crate::problem::{Problem, Result};
use crate::store::{self, StoredRun};

/// Maximum number of images.
pub const MOST: usize = 300;

/// Test images of all classes of a run, including classes that are taught later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeSet {
    /// The place of each image.
    pub places: Vec<TestImageIndex>,
    /// The class of each image, by position; a class that is taught again counts as the class it repeats.
    pub labels: Vec<usize>,
    /// The network inputs, concatenated.
    pub pixels: Vec<u8>,
    /// Bytes per image.
    pub bytes: usize,
}

impl ProbeSet {
    /// Collects the probe set of the run in `folder`. Skips images that cannot be read.
    ///
    /// # Errors
    /// Returns a Problem if the run's test images are no longer available.
    pub fn gather(folder: &Path, input: InputSpec, cache: &ResourceCache) -> Result<Self> {
        let stored = store::load(folder)?;
        let images = images_of(&stored, cache)?;
        let header = &stored.header;
        let last = header.tasks.len().saturating_sub(1);
        let (places, samples) = images.tests_up_to(last);
        let labels = |at: usize| header.class_at(samples[at].1 as usize);
        let labels: Vec<usize> = (0..samples.len()).map(labels).collect();
        let chosen = evenly(&labels, header.class_order.len(), MOST);
        let pictures: Vec<Sample> = chosen.iter().map(|at| samples[*at].0.clone()).collect();
        let mut probe = Self {
            places: Vec::new(),
            labels: Vec::new(),
            pixels: Vec::new(),
            bytes: input.bytes(),
        };
        for (at, seen) in chosen.iter().zip(inputs_of(&pictures, input)) {
            if let Ok(seen) = seen {
                probe.places.push(places[*at]);
                probe.labels.push(labels[*at]);
                probe.pixels.extend(seen);
            }
        }
        if probe.labels.is_empty() {
            return Err(Problem::new(message!("problem-no-test-image-readable")));
        }
        Ok(probe)
    }
}

/// Returns the run's own images and those of its added tasks.
fn images_of(stored: &StoredRun, cache: &ResourceCache) -> Result<Images> {
    let header = &stored.header;
    let own = own_images(header, cache, &|| true)?;
    let (tasks, planned) = (header.own_tasks(), &header.tasks);
    let classes = planned[..tasks].last().map_or(0, |task| task.end);
    let mut images = Images::new(Some(own), tasks, classes);
    for (task, added_task) in (tasks..).zip(&header.added_tasks) {
        let (run, depth) = (&header.folder, header.config.bit_depth);
        let kept = store::added_task_pictures(run, task, added_task, depth)?;
        images.push(&kept, planned[task].start);
    }
    Ok(images)
}
