//! Swin Transformer (Liu et al., 2021): attention within windows that shift by half a window in
//! every second block, a learned bias per relative position, and 2×2 patch merging between stages.
//! The feature is the mean over all positions after the final norm. Swin V2 (Liu et al., 2022) has
//! cosine attention, biases that a small MLP computes from relative positions, and norms after the
//! sub-layers.

mod family;
mod torch;

pub use family::FAMILY;

use super::block::{BlockForm, Mixing, QueryKey};
use super::staged::{Merging, StagedForm, WindowSides};
use crate::pet::{BlockKind, BlockShape};

/// The dimensions of a Swin.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Channels of the first stage; they double with each stage.
    pub width: usize,
    /// Number of blocks of each stage.
    pub depths: Vec<usize>,
    /// Number of attention heads of each stage.
    pub heads: Vec<usize>,
    /// Side of an attention window, in tokens.
    pub window: usize,
    /// Channels inside the MLP, as a multiple of the stage's width.
    pub mlp_ratio: f64,
    /// Value added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether it is a Swin V2, which has cosine attention, biases computed by a small MLP, and norms after the
    /// sub-layers.
    pub v2: bool,
    /// Side of the windows with which the biases of a Swin V2 were trained; `None` if it is `window`.
    pub trained_window: Option<usize>,
}

impl Config {
    /// Returns a Swin with these dimensions and an MLP of four times the width.
    pub fn new(
        (input_size, patch, window): (usize, usize, usize),
        width: usize,
        depths: Vec<usize>,
        heads: Vec<usize>,
    ) -> Self {
        Self {
            input_size,
            patch,
            width,
            depths,
            heads,
            window,
            mlp_ratio: 4.0,
            epsilon: 1e-5,
            v2: false,
            trained_window: None,
        }
    }

    /// Returns the shape of the blocks of a stage.
    fn shape(&self, stage: usize) -> BlockShape {
        let (width, hidden) = (self.stage_width(stage), self.hidden(stage));
        BlockKind::SWIN.block(width, hidden, self.heads[stage])
    }

    /// Returns the form of its blocks.
    fn form(&self) -> BlockForm {
        BlockForm {
            mixing: Mixing::Windows,
            epsilon: self.epsilon,
            norm_after: self.v2,
            query_key: match self.v2 {
                true => QueryKey::Cosine,
                false => QueryKey::Plain,
            },
            ..BlockForm::PLAIN
        }
    }

    /// Returns the form of the network.
    fn staged_form(&self) -> StagedForm {
        let stages = 0..self.depths.len();
        StagedForm {
            input_size: self.input_size,
            patch: self.patch,
            embedding: ["patch_embed.proj", "patch_embed.norm"],
            stages: "layers",
            depths: self.depths.clone(),
            shapes: stages.clone().map(|stage| self.shape(stage)).collect(),
            block: self.form(),
            merging: Merging::Linear { norm_after: self.v2 },
            windows: Some(WindowSides {
                full: self.window,
                stages: stages.map(|stage| self.bias_sides(stage)).collect(),
            }),
            norm: Some("norm"),
            norm_first: true,
        }
    }

    /// Returns the number of channels of a stage.
    fn stage_width(&self, stage: usize) -> usize {
        self.width << stage
    }

    /// Returns the number of channels inside the MLPs of a stage.
    fn hidden(&self, stage: usize) -> usize {
        (self.mlp_ratio * self.stage_width(stage) as f64) as usize
    }

    /// Returns the side of a stage's token map at the input size; patch merging rounds up.
    fn map_side(&self, stage: usize) -> usize {
        (self.input_size / self.patch).div_ceil(1 << stage)
    }

    /// Returns the sides of a stage's windows at the input size, and in training of a Swin V2's biases.
    fn bias_sides(&self, stage: usize) -> [usize; 2] {
        let current = self.stage_window(stage);
        // In training, the windows of the last stages were limited by the size of the map, too.
        let trained = self.trained_window.map(|window| {
            let smaller = self.map_side(stage) * window / self.window.max(1);
            window.min(smaller).max(1)
        });
        [current, trained.unwrap_or(current)]
    }

    /// Returns the side of a stage's windows at the input size.
    fn stage_window(&self, stage: usize) -> usize {
        self.window.min(self.map_side(stage))
    }
}
