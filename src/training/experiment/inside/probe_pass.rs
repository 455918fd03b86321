//! The probe set of a look inside: a few test images of each class, always the same ones. It is processed in small
//! batches: predictions, energies and features of every image.

use std::path::Path;
use std::sync::Arc;

use super::axes::{Axes, Features};
use crate::data::Sample;
use crate::data::loader::inputs_of;
use crate::data::transform::InputSpec;
use crate::experiment::ResourceCache;
use crate::experiment::images::{Images, TestImageIndex, evenly};
use crate::experiment::predict::Predictor;
use crate::experiment::teach::own_images;
use crate::message;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::inside::{FeatureMap, ProbeInside};
use crate::store::{self, StoredRun};
use crate::tensors::HostTensor;

/// Maximum number of images.
pub const MOST: usize = 300;
/// Images per batch, no more than in a training batch.
const PIECE: usize = 24;

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

/// The results of a snapshot on a probe set, as far as it has been processed.
#[derive(Clone, Debug)]
pub struct ProbePass {
    probe: Arc<ProbeSet>,
    /// Number of classes known after the task of the snapshot.
    known: usize,
    given: Vec<usize>,
    energies: ByExpert<Vec<f32>>,
    strangeness: ByExpert<Vec<f32>>,
    features: ByExpert<Features>,
}

impl ProbePass {
    /// Begins before the first image.
    pub fn new(probe: Arc<ProbeSet>) -> Self {
        Self {
            probe,
            known: 0,
            given: Vec::new(),
            energies: ByExpert::default(),
            strangeness: ByExpert::default(),
            features: ByExpert::default(),
        }
    }

    /// Returns the probe set.
    pub fn probe(&self) -> &Arc<ProbeSet> {
        &self.probe
    }

    /// Returns whether every image has been processed.
    pub fn is_complete(&self) -> bool {
        self.given.len() == self.probe.labels.len()
    }

    /// Returns the number of stored feature values, which the caller limits.
    pub fn size(&self) -> usize {
        self.features.values().map(|f| f.values.len()).sum()
    }

    /// Processes the next batch of images.
    ///
    /// # Errors
    /// Returns a Problem if the device failed or a prediction is not finite.
    pub fn step(&mut self, predictor: &Predictor) -> Result<()> {
        let bytes = self.probe.bytes;
        let pictures = self.probe.pixels.chunks_exact(bytes);
        let piece: Vec<u8> = pictures
            .skip(self.given.len())
            .take(PIECE)
            .flatten()
            .copied()
            .collect();
        self.known = predictor.classes().len();
        let images = predictor.images(&piece);
        let features = predictor.method.features(images)?;
        for verdict in predictor.method.classify(&features)? {
            let verdict = verdict
                .checked()?
                .merge_repeated_classes(&predictor.repeated_classes);
            // The last of several opinions combines the others, so its energy is that of one of them.
            let own = verdict.opinions.len().saturating_sub(1).max(1);
            for (at, opinion) in verdict.opinions.iter().enumerate() {
                let strange = self.strangeness.or_default(opinion.expert);
                strange.push(opinion.strangeness());
                if let Some(energy) = opinion.energy.filter(|_| at < own) {
                    self.energies.or_default(opinion.expert).push(energy);
                }
            }
            let answer = verdict.opinions.last();
            let answer = answer.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
            self.given.push(answer.class);
        }
        for expert in features.experts() {
            let HostTensor { shape, values } = HostTensor::read(&features.of(expert)?)?;
            let width = shape.last().copied().unwrap_or_default();
            let none = || Features {
                width,
                values: Vec::new(),
            };
            let own = self.features.or_insert_with(expert, none);
            own.values.extend(values);
        }
        Ok(())
    }

    /// Returns the principal components of each expert's features.
    ///
    /// # Errors
    /// Returns a Problem if features are not finite.
    pub fn axes(&self) -> Result<ByExpert<Axes>> {
        let each = self.features.iter();
        each.map(|(expert, features)| Ok((*expert, Axes::from_features(features)?)))
            .collect()
    }
}

/// Returns the results of a finished probe pass, with feature maps along the axes of the snapshot after `anchor`. An
/// expert without axes in that snapshot uses those of the first expert.
pub fn probe_inside(probe_pass: &ProbePass, axes: &ByExpert<Axes>, anchor: usize) -> ProbeInside {
    let map = |(expert, features): &(Expert, Features)| {
        let axes = axes.get(expert).or_else(|| axes.values().next())?;
        Some(FeatureMap {
            expert: *expert,
            anchor,
            shares: axes.shares,
            points: axes.project(features),
        })
    };
    ProbeInside {
        places: probe_pass.probe.places.clone(),
        labels: probe_pass.probe.labels.clone(),
        given: probe_pass.given.clone(),
        known: probe_pass.known,
        maps: probe_pass.features.iter().filter_map(map).collect(),
        energies: probe_pass.energies.iter().cloned().collect(),
        strangeness: probe_pass.strangeness.iter().cloned().collect(),
    }
}
