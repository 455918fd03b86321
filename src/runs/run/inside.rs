//! A look inside a run after a task: what is asked, and the plain numbers that come back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::prediction::Picture;
use crate::metrics::Expert;
use crate::problem::Problem;

/// What is looked at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Look {
    /// A fixed sample of the run's test images, and its PETs. The axes of the map are those of the
    /// snapshot after `anchor`.
    Run {
        /// From 0.
        anchor: usize,
    },
    /// What the network gathers from one image.
    Picture(Picture),
}

/// A look inside a run after some of its tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InsideRequest {
    /// Comes back with the answer.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// At what.
    pub look: Look,
    /// Snapshots to look at, from 0; answered in this order, one event each.
    pub tasks: Vec<usize>,
}

/// The answer to an `InsideRequest`, for one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Insight {
    /// The request's ticket.
    pub ticket: u64,
    /// The run's folder.
    pub run: PathBuf,
    /// Which snapshot, from 0.
    pub task: usize,
    /// What was seen.
    pub seen: Seen,
}

/// What was seen inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Seen {
    /// Of the run.
    Run(Box<RunInside>),
    /// Of an image.
    Picture(Box<PictureInside>),
}

/// A run after a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInside {
    /// The test images; `None` if the run's data set is not available.
    pub probe: Option<ProbeInside>,
    /// Why there is no probe set.
    pub problem: Option<Problem>,
    /// How far PETs have moved.
    pub movement: Movement,
}

/// Test images inside a run after a task. All lists go by image, in the same order after every
/// task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeInside {
    /// The place of each image: its source (0 the run's data set, k its k-th added task), and its index
    /// among the test images there.
    pub places: Vec<(usize, usize)>,
    /// The class of each, by position.
    pub labels: Vec<usize>,
    /// The class that the run answers for each.
    pub given: Vec<usize>,
    /// Classes known by then are those before this position.
    pub known: usize,
    /// The map of each expert that has features of its own.
    pub maps: Vec<FeatureMap>,
    /// The energies that each expert gives; empty for a method whose scores have none.
    pub energies: Vec<(Expert, Vec<f32>)>,
    /// How strange each image is to each expert; see [`super::refusal`].
    #[serde(default)]
    pub strangeness: Vec<(Expert, Vec<f32>)>,
}

/// Features in two dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureMap {
    /// Whose features.
    pub expert: Expert,
    /// The task whose features the axes are the two main directions of, from 0.
    pub anchor: usize,
    /// Of the variance of those features, the part along each axis.
    pub shares: [f32; 2],
    /// Each image's place.
    pub points: Vec<[f32; 2]>,
}

/// How far PETs have moved, relative to where they began, by block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// ‖θ − θ₀‖ / ‖θ₀‖ of each expert's PET since it was drawn; empty where no PET is trained.
    pub since_start: Vec<(Expert, Vec<(usize, f64)>)>,
    /// ‖offline − online‖ / ‖online‖, where there are both.
    #[serde(rename = "apart")]
    pub distance: Vec<(usize, f64)>,
}

/// What a network gathers from an image after a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureInside {
    /// For each expert that has features of its own.
    pub attention_maps: Vec<(Expert, AttentionMap)>,
    /// Of the network before the first task; reported with the first task only.
    pub before: Option<AttentionMap>,
    /// What the network sees: `seen_size`² × 3 bytes.
    pub seen: Vec<u8>,
    /// Side of the square the network sees.
    pub seen_size: usize,
}

/// What a map is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttentionKind {
    /// Shares of the class token's attention in the last block; with the rest they add up to 1.
    Attention,
    /// Lengths of the features at each place: the network has no class token.
    Length,
}

/// A number for each place of an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttentionMap {
    /// What the numbers are.
    pub kind: AttentionKind,
    /// Places down.
    pub rows: usize,
    /// Places across.
    pub columns: usize,
    /// Row by row.
    pub values: Vec<f32>,
    /// Of attention, what goes to no place: the class token itself, prompts, prefixes.
    pub rest: f32,
}

impl Movement {
    /// The numbers of one expert.
    pub fn of(&self, expert: Expert) -> Option<&[(usize, f64)]> {
        let mut all = self.since_start.iter();
        all.find(|(whose, _)| *whose == expert)
            .map(|(_, blocks)| blocks.as_slice())
    }
}

impl PictureInside {
    /// One expert's map, or that of the only one there is.
    pub fn of(&self, expert: Expert) -> Option<&AttentionMap> {
        of_expert(&self.attention_maps, expert)
    }
}

impl ProbeInside {
    /// One expert's map, or that of the only one there is.
    pub fn map_of(&self, expert: Expert) -> Option<&FeatureMap> {
        let mut maps = self.maps.iter();
        maps.find(|map| map.expert == expert).or(self.maps.first())
    }

    /// How strange the images are to an expert.
    pub fn strangeness_of(&self, expert: Expert) -> Option<&[f32]> {
        let mut all = self.strangeness.iter();
        all.find(|(whose, _)| *whose == expert)
            .map(|(_, values)| values.as_slice())
    }

    /// One expert's energies.
    pub fn energies_of(&self, expert: Expert) -> Option<&[f32]> {
        let mut all = self.energies.iter();
        all.find(|(whose, _)| *whose == expert)
            .map(|(_, energies)| energies.as_slice())
    }
}

fn of_expert<T>(all: &[(Expert, T)], expert: Expert) -> Option<&T> {
    let found = all.iter().find(|(whose, _)| *whose == expert);
    found.or(all.first()).map(|(_, one)| one)
}
