//! Views inside a run after a task: the request, and the numbers that are returned.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::prediction::NamedImage;
use crate::metrics::Expert;
use crate::problem::Problem;

/// The subject of a view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum InspectionTarget {
    /// A fixed sample of the run's test images, and its PETs. The axes of the feature map are those of the snapshot
    /// after `anchor`.
    Run {
        /// The task that defines the axes, from 0.
        anchor: usize,
    },
    /// The attention of the network to an image.
    Picture(NamedImage),
}

/// A request to look inside a run after some of its tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InspectionRequest {
    /// Returned with the answer.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The subject.
    pub look: InspectionTarget,
    /// Tasks whose snapshots are used, from 0. They are answered in this order, with one event each.
    pub tasks: Vec<usize>,
}

/// The answer to an [`InspectionRequest`] for one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The request's ticket.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// The task of the snapshot, from 0.
    pub task: usize,
    /// The content of the view.
    pub seen: InspectionContent,
}

/// The content of a view inside a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum InspectionContent {
    /// The run.
    Run(Box<RunInspection>),
    /// The attention to an image.
    Picture(Box<ImageInspection>),
}

/// A view of a run after a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInspection {
    /// The test images; `None` if the run's dataset is not available.
    pub probe: Option<ProbeInspection>,
    /// Why the test images are not available.
    pub problem: Option<Problem>,
    /// How far the PETs have moved.
    pub movement: Movement,
}

/// A view of test images after a task. All lists have one entry per image, in the same order after every task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeInspection {
    /// The source of each image (0 is the run's dataset, k its k-th added task), and its index among the test images of
    /// that source.
    pub places: Vec<(usize, usize)>,
    /// The class of each image, by position.
    pub labels: Vec<usize>,
    /// The run's prediction for each image.
    pub given: Vec<usize>,
    /// Number of classes learned so far; they have the positions below it.
    pub known: usize,
    /// The feature map of each expert that has its own features.
    pub maps: Vec<FeatureMap>,
    /// The energies of each expert; empty if the scores of the method have no energy.
    pub energies: Vec<(Expert, Vec<f32>)>,
    /// The strangeness of each image to each expert; see [`super::rejection`].
    #[serde(default)]
    pub strangeness: Vec<(Expert, Vec<f32>)>,
}

/// Features, projected onto two dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureMap {
    /// The expert whose features are shown.
    pub expert: Expert,
    /// The task, from 0, whose features define the axes as their first two principal components.
    pub anchor: usize,
    /// Share of the variance of those features along each axis.
    pub shares: [f32; 2],
    /// The coordinates of each image.
    pub points: Vec<[f32; 2]>,
}

/// How far PETs have moved, relative to their initial values, by block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// ‖θ − θ₀‖ / ‖θ₀‖ of each expert's PET since its initialisation, by block; empty if no PET is trained.
    pub since_start: Vec<(Expert, Vec<(usize, f64)>)>,
    /// ‖offline − online‖ / ‖online‖ by block; empty if there are not both experts.
    #[serde(rename = "apart")]
    pub distance: Vec<(usize, f64)>,
}

/// The attention of a network to an image after a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageInspection {
    /// The map of each expert that has its own features.
    pub attention_maps: Vec<(Expert, AttentionMap)>,
    /// The map of the network before the first task; only with the first requested task.
    pub before: Option<AttentionMap>,
    /// The input of the network: `seen_size`² × 3 bytes.
    pub seen: Vec<u8>,
    /// Side of the network's square input in pixels.
    pub seen_size: usize,
}

/// The kind of values of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttentionKind {
    /// Shares of the class token's attention in the last block; with the rest they sum to 1.
    Attention,
    /// Norms of the features at each position, if the feature is not a class token.
    Length,
}

/// A map with one value per position of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttentionMap {
    /// The kind of values.
    pub kind: AttentionKind,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The values, row by row.
    pub values: Vec<f32>,
    /// Share of the attention to other tokens: the class token, prompts and prefixes.
    pub rest: f32,
}

impl Movement {
    /// Returns the movement of one expert's PET, by block.
    pub fn expert_movement(&self, expert: Expert) -> Option<&[(usize, f64)]> {
        find_values(&self.since_start, expert)
    }
}

impl ImageInspection {
    /// Returns the map of an expert, or the first map if the expert has none.
    pub fn map_of(&self, expert: Expert) -> Option<&AttentionMap> {
        let maps = &self.attention_maps;
        let found = maps.iter().find(|(other, _)| *other == expert);
        found.or(maps.first()).map(|(_, map)| map)
    }
}

impl ProbeInspection {
    /// Returns the map of an expert, or the first map if the expert has none.
    pub fn map_of(&self, expert: Expert) -> Option<&FeatureMap> {
        let mut maps = self.maps.iter();
        maps.find(|map| map.expert == expert).or(self.maps.first())
    }

    /// Returns the strangeness of the images to an expert.
    pub fn strangeness_of(&self, expert: Expert) -> Option<&[f32]> {
        find_values(&self.strangeness, expert)
    }

    /// Returns the energies of one expert.
    pub fn energies_of(&self, expert: Expert) -> Option<&[f32]> {
        find_values(&self.energies, expert)
    }
}

fn find_values<T>(all: &[(Expert, Vec<T>)], expert: Expert) -> Option<&[T]> {
    let mut all = all.iter();
    all.find(|(other, _)| *other == expert).map(|(_, values)| values.as_slice())
}
