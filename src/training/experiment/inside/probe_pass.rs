//! The probe set of a look inside: a few test images of each class, always the same ones. It is processed in small
//! batches: predictions, energies and features of every image.

use std::path::Path;
use std::sync::Arc;

use super::axes::{Axes, Features};
use crate::data::Sample;
use crate::data::loader::inference_inputs;
use crate::data::transform::InputSpec;
use crate::experiment::ResourceCache;
use crate::experiment::images::{Images, TestImageIndex, sample_evenly};
use crate::experiment::predict::Predictor;
use crate::experiment::teach::open_run_dataset;
use crate::message;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::inside::{FeatureMap, ProbeInspection};
use crate::store::{self, StoredRun};
use crate::tensors::HostTensor;

/// Maximum number of images.
pub const MAX_PROBE_IMAGES: usize = 300;
/// Images per batch, no more than in a training batch.
const BATCH_SIZE: usize = 24;

/// Test images of all classes of a run, including classes that are taught later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeSet {
    /// The index of each image.
    pub indices: Vec<TestImageIndex>,
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
        let stored_run = store::load_run(folder)?;
        let images = load_images(&stored_run, cache)?;
        let header = &stored_run.header;
        let last = header.tasks.len().saturating_sub(1);
        let (indices, samples) = images.test_samples_up_to(last);
        let labels = |at: usize| header.class_at(samples[at].1 as usize);
        let labels: Vec<usize> = (0..samples.len()).map(labels).collect();
        let chosen = sample_evenly(&labels, header.class_order.len(), MAX_PROBE_IMAGES);
        let chosen_samples: Vec<Sample> = chosen.iter().map(|at| samples[*at].0.clone()).collect();
        let mut probe = Self {
            indices: Vec::new(),
            labels: Vec::new(),
            pixels: Vec::new(),
            bytes: input.bytes(),
        };
        for (at, result) in chosen.iter().zip(inference_inputs(&chosen_samples, input)) {
            if let Ok(pixels) = result {
                probe.indices.push(indices[*at]);
                probe.labels.push(labels[*at]);
                probe.pixels.extend(pixels);
            }
        }
        if probe.labels.is_empty() {
            return Err(Problem::new(message!("problem-no-test-image-readable")));
        }
        Ok(probe)
    }
}

/// Returns the run's own images and those of its added tasks.
fn load_images(stored_run: &StoredRun, cache: &ResourceCache) -> Result<Images> {
    let header = &stored_run.header;
    let dataset = open_run_dataset(header, cache, &|| true)?;
    let tasks = header.original_task_count();
    let mut images = Images::new(Some(dataset), tasks, header.original_classes().len());
    for (task, added_task) in (tasks..).zip(&header.added_tasks) {
        let (run, depth) = (&header.folder, header.config.bit_depth);
        let added_images = store::added_task_images(run, task, added_task, depth)?;
        images.push(&added_images, header.tasks[task].start);
    }
    Ok(images)
}

/// The results of a snapshot on a probe set, as far as it has been processed.
#[derive(Clone, Debug)]
pub struct ProbePass {
    probe: Arc<ProbeSet>,
    /// Number of classes known after the task of the snapshot.
    known_classes: usize,
    predictions: Vec<usize>,
    energies: ByExpert<Vec<f32>>,
    strangeness: ByExpert<Vec<f32>>,
    features: ByExpert<Features>,
}

impl ProbePass {
    /// Begins before the first image.
    pub fn new(probe: Arc<ProbeSet>) -> Self {
        Self {
            probe,
            known_classes: 0,
            predictions: Vec::new(),
            energies: ByExpert::default(),
            strangeness: ByExpert::default(),
            features: ByExpert::default(),
        }
    }

    /// Processes all images.
    ///
    /// # Errors
    /// See [`ProbePass::step`].
    pub fn run(probe: Arc<ProbeSet>, predictor: &Predictor) -> Result<Self> {
        let mut probe_pass = Self::new(probe);
        while !probe_pass.is_complete() {
            probe_pass.step(predictor)?;
        }
        Ok(probe_pass)
    }

    /// Returns the probe set.
    pub fn probe(&self) -> &Arc<ProbeSet> {
        &self.probe
    }

    /// Returns whether every image has been processed.
    pub fn is_complete(&self) -> bool {
        self.predictions.len() == self.probe.labels.len()
    }

    /// Returns the number of stored feature values, which the caller limits.
    pub fn feature_value_count(&self) -> usize {
        self.features.values().map(|f| f.values.len()).sum()
    }

    /// Processes the next batch of images.
    ///
    /// # Errors
    /// Returns a Problem if the device failed or a prediction is not finite.
    pub fn step(&mut self, predictor: &Predictor) -> Result<()> {
        let bytes = self.probe.bytes;
        let chunks = self.probe.pixels.chunks_exact(bytes);
        let batch: Vec<u8> =
            chunks.skip(self.predictions.len()).take(BATCH_SIZE).flatten().copied().collect();
        self.known_classes = predictor.classes().len();
        let images = predictor.images(&batch);
        let features = predictor.method.features(images)?;
        for verdict in predictor.method.classify(&features)? {
            let verdict =
                verdict.ensure_finite()?.merge_repeated_classes(&predictor.repeated_classes);
            // The last of several opinions combines the others, so its energy is that of one of them.
            let expert_count = verdict.predictions.len().saturating_sub(1).max(1);
            for (at, prediction) in verdict.predictions.iter().enumerate() {
                let values = self.strangeness.or_default(prediction.expert);
                values.push(prediction.strangeness());
                if let Some(energy) = prediction.energy.filter(|_| at < expert_count) {
                    self.energies.or_default(prediction.expert).push(energy);
                }
            }
            let answer = verdict.predictions.last();
            let answer = answer.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
            self.predictions.push(answer.class);
        }
        for expert in features.experts() {
            let HostTensor { shape, values } = HostTensor::read(&features.concatenated(expert)?)?;
            let width = shape.last().copied().unwrap_or_default();
            let none = || Features { width, values: Vec::new() };
            let stored = self.features.or_insert_with(expert, none);
            stored.values.extend(values);
        }
        Ok(())
    }

    /// Returns the principal components of each expert's features.
    ///
    /// # Errors
    /// Returns a Problem if features are not finite.
    pub fn axes(&self) -> Result<ByExpert<Axes>> {
        let by_expert = self.features.iter();
        by_expert.map(|(expert, features)| Ok((*expert, Axes::from_features(features)?))).collect()
    }
}

/// Returns the results of a finished probe pass, with feature maps along the axes of the snapshot after `anchor`. An
/// expert without axes in that snapshot uses those of the first expert.
pub fn probe_inside(
    probe_pass: &ProbePass,
    axes: &ByExpert<Axes>,
    anchor: usize,
) -> ProbeInspection {
    let map = |(expert, features): &(Expert, Features)| {
        let axes = axes.get(expert).or_else(|| axes.values().next())?;
        Some(FeatureMap {
            expert: *expert,
            anchor,
            shares: axes.shares,
            points: axes.project(features),
        })
    };
    ProbeInspection {
        places: probe_pass.probe.indices.clone(),
        labels: probe_pass.probe.labels.clone(),
        given: probe_pass.predictions.clone(),
        known: probe_pass.known_classes,
        maps: probe_pass.features.iter().filter_map(map).collect(),
        energies: probe_pass.energies.iter().cloned().collect(),
        strangeness: probe_pass.strangeness.iter().cloned().collect(),
    }
}
