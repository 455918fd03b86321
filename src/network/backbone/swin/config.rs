//! The dimensions of a Swin.

use crate::backbone::block::{BlockForm, QueryKey};

/// Dimensions of a Swin.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Channels of the first stage; they double from stage to stage.
    pub width: usize,
    /// Blocks of each stage.
    pub depths: Vec<usize>,
    /// Attention heads of each stage.
    pub heads: Vec<usize>,
    /// Side of an attention window, in tokens.
    pub window: usize,
    /// Channels inside the MLP, as a multiple of the stage's width.
    pub mlp_ratio: f64,
    /// Added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether it is a Swin V2: cosine attention, biases that a small MLP computes, norms after the sub-layers.
    pub v2: bool,
    /// Side of the windows that the biases of a Swin V2 were trained with; `None` for `window`.
    pub trained_window: Option<usize>,
}

impl Config {
    /// A Swin of these dimensions, with an MLP of four times the width.
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

    /// Returns the form of its blocks.
    pub(super) fn form(&self) -> BlockForm {
        BlockForm {
            windows: true,
            norm_after: self.v2,
            query_key: match self.v2 {
                true => QueryKey::Cosine,
                false => QueryKey::Plain,
            },
            ..BlockForm::default()
        }
    }

    /// Channels of a stage.
    pub(super) fn stage_width(&self, stage: usize) -> usize {
        self.width << stage
    }

    /// Channels inside the MLPs of a stage.
    pub(super) fn hidden(&self, stage: usize) -> usize {
        (self.mlp_ratio * self.stage_width(stage) as f64) as usize
    }

    /// Side of a stage's token map at the input size; patch merging rounds up.
    pub(super) fn map_side(&self, stage: usize) -> usize {
        (self.input_size / self.patch).div_ceil(1 << stage)
    }

    /// Sides of a stage's windows: at the input size, and when the biases of a Swin V2 were trained.
    pub(super) fn bias_sides(&self, stage: usize) -> [usize; 2] {
        let own = self.stage_window(stage);
        // The last maps were smaller than the windows.
        let trained = self.trained_window.map(|window| {
            let smaller = self.map_side(stage) * window / self.window.max(1);
            window.min(smaller).max(1)
        });
        [own, trained.unwrap_or(own)]
    }

    /// Side of a stage's windows at the input size.
    pub(super) fn stage_window(&self, stage: usize) -> usize {
        self.window.min(self.map_side(stage))
    }
}
