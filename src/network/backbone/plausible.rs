//! Rejects implausible dimensions, so that a damaged or malicious file cannot exhaust the memory.

use super::{BlockShape, Length};
use crate::data::transform::LARGEST_INPUT;

/// Largest plausible width, window, patch or number of heads.
const LARGEST_DIMENSION: usize = 1 << 16;
/// Largest plausible number of channels of a block; the largest known ViT has 6,144.
const WIDEST: usize = 1 << 13;
/// Largest number of values of one image inside a block (4 GB).
const MOST_PER_IMAGE: usize = 1 << 30;
/// Largest plausible number of weights; the largest known ViT has 22 billion.
const MOST_WEIGHTS: usize = 1 << 35;
/// Largest plausible number of blocks.
const MOST_BLOCKS: usize = 1024;
/// Largest plausible number of stages.
const MOST_STAGES: usize = 8;

/// Returns a description of an implausible number; `None` if all are plausible. `dimensions` are all dimensions,
/// `depths` the numbers of blocks of each stage.
pub(super) fn implausible(dimensions: &[usize], depths: &[usize]) -> Option<String> {
    if dimensions.iter().chain(depths).any(|number| *number == 0) {
        return Some("every dimension must be at least 1".into());
    }
    let too_large = |number: &&usize| **number > LARGEST_DIMENSION;
    if let Some(number) = dimensions.iter().find(too_large) {
        return Some(format!("{number} is too large for a dimension"));
    }
    let blocks = depths
        .iter()
        .fold(0usize, |sum, depth| sum.saturating_add(*depth));
    let stages = depths.len();
    (blocks > MOST_BLOCKS || stages > MOST_STAGES)
        .then(|| format!("{blocks} blocks in {stages} stages are too many"))
}

/// Returns a description of what is too large although each dimension is plausible: the input, the weights, or the
/// values of one image inside a block. `None` if nothing is.
pub(super) fn too_large(size: usize, blocks: &[BlockShape], lengths: &[Length]) -> Option<String> {
    if size > LARGEST_INPUT {
        return Some(format!(
            "an input of {size} pixels is more than {LARGEST_INPUT}"
        ));
    }
    let mut weights = 0usize;
    for (block, length) in blocks.iter().zip(lengths) {
        let (width, hidden) = (block.width, block.fc1_outputs);
        if width > WIDEST {
            return Some(format!("{width} channels are too many"));
        }
        let wide = width.saturating_mul(4).max(hidden);
        weights = weights.saturating_add(wide.saturating_mul(width).saturating_mul(2));
        let pairs = length.tokens.saturating_mul(length.attended);
        let inside = [
            length.tokens.saturating_mul(wide),
            pairs.saturating_mul(block.heads),
            // Swin has a table with an entry for each pair of positions in a window.
            length.attended.saturating_mul(length.attended),
        ];
        if inside.iter().any(|numbers| *numbers > MOST_PER_IMAGE) {
            let tokens = length.tokens;
            return Some(format!(
                "{tokens} tokens of {width} channels need too much memory"
            ));
        }
    }
    (weights > MOST_WEIGHTS).then(|| format!("about {weights} weights are too many"))
}
