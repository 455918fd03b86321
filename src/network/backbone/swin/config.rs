//! The dimensions of a Swin.

use crate::backbone::block::{BlockForm, QueryKey};
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
    pub fn plain(
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
    pub(super) fn shape(&self, stage: usize) -> BlockShape {
        BlockShape {
            width: self.stage_width(stage),
            hidden: self.hidden(stage),
            fc1_outputs: self.hidden(stage),
            heads: self.heads[stage],
            sites: BlockKind::SWIN.sites,
        }
    }

    /// Returns the form of its blocks.
    pub(super) fn form(&self) -> BlockForm {
        BlockForm {
            windows: true,
            norm_after: self.v2,
            query_key: match self.v2 {
                true => QueryKey::Cosine,
                false => QueryKey::Plain,
            },
            ..BlockForm::PLAIN
        }
    }

    /// Returns the number of channels of a stage.
    pub(super) fn stage_width(&self, stage: usize) -> usize {
        self.width << stage
    }

    /// Returns the number of channels inside the MLPs of a stage.
    pub(super) fn hidden(&self, stage: usize) -> usize {
        (self.mlp_ratio * self.stage_width(stage) as f64) as usize
    }

    /// Returns the side of a stage's token map at the input size; patch merging rounds up.
    pub(super) fn map_side(&self, stage: usize) -> usize {
        (self.input_size / self.patch).div_ceil(1 << stage)
    }

    /// Returns the sides of a stage's windows at the input size, and in training of a Swin V2's biases.
    pub(super) fn bias_sides(&self, stage: usize) -> [usize; 2] {
        let own = self.stage_window(stage);
        // In training, the windows of the last stages were limited by the size of the map, too.
        let trained = self.trained_window.map(|window| {
            let smaller = self.map_side(stage) * window / self.window.max(1);
            window.min(smaller).max(1)
        });
        [own, trained.unwrap_or(own)]
    }

    /// Returns the side of a stage's windows at the input size.
    pub(super) fn stage_window(&self, stage: usize) -> usize {
        self.window.min(self.map_side(stage))
    }
}
