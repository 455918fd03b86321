//! The dimensions of a ViT.

/// Dimensions of a ViT.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Side of the input the position embedding was learned at, in pixels.
    pub learned_size: usize,
    /// Side of a patch, in pixels.
    pub patch: usize,
    /// Channels of a token.
    pub width: usize,
    /// Number of blocks.
    pub depth: usize,
    /// Attention heads.
    pub heads: usize,
    /// Channels inside the MLP.
    pub hidden: usize,
    /// Added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether a class token leads the sequence.
    pub class_token: bool,
    /// Whether each sub-layer's output has a learned scale per channel.
    pub layer_scale: bool,
    /// Whether there is a norm before the first block (and the patch embedding has no bias).
    pub pre_norm: bool,
    /// Whether the MLP uses x·σ(1.702·x) instead of GELU.
    pub quick_gelu: bool,
}

impl Config {
    /// A plain ViT of these dimensions.
    pub fn plain(
        input_size: usize,
        patch: usize,
        width: usize,
        depth: usize,
        heads: usize,
    ) -> Self {
        Self {
            input_size,
            learned_size: input_size,
            patch,
            width,
            depth,
            heads,
            hidden: width.saturating_mul(4),
            epsilon: 1e-6,
            class_token: true,
            layer_scale: false,
            pre_norm: false,
            quick_gelu: false,
        }
    }
}
