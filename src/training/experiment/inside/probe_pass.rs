//! Processes a probe set in small batches: predictions, energies and features of every image.

use std::sync::Arc;

use super::axes::{Axes, Features};
use super::probe_set::ProbeSet;
use crate::experiment::predict::Predictor;
use crate::message;
use crate::metrics::{ByExpert, Expert};
use crate::problem::{Problem, Result};
use crate::run::inside::{FeatureMap, ProbeInside};
use crate::tensors::HostTensor;

/// Images per batch, no more than in a training batch.
const PIECE: usize = 24;

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
        each.map(|(expert, features)| Ok((*expert, Axes::of(features)?)))
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
