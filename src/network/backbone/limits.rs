//! Rejects implausible dimensions, so that a damaged or malicious file cannot exhaust the memory.

use super::{BlockShape, TokenCounts};
use crate::data::transform::MAX_INPUT_SIZE;

/// Largest plausible width, window, patch or number of heads.
const MAX_DIMENSION: usize = 1 << 16;
/// Largest plausible number of channels of a block; the largest known ViT has 6,144.
const MAX_WIDTH: usize = 1 << 13;
/// Largest number of values of one image inside a block (4 GB).
const MAX_VALUES_PER_IMAGE: usize = 1 << 30;
/// Largest plausible number of weights; the largest known ViT has 22 billion.
const MAX_WEIGHTS: usize = 1 << 35;
/// Largest plausible number of blocks.
const MAX_BLOCKS: usize = 1024;
/// Largest plausible number of stages.
const MAX_STAGES: usize = 8;

/// Returns a description of an implausible number; `None` if all are plausible. `dimensions` are all dimensions,
/// `depths` the numbers of blocks of each stage.
pub(super) fn find_implausible(dimensions: &[usize], depths: &[usize]) -> Option<String> {
    if dimensions.iter().chain(depths).any(|number| *number == 0) {
        return Some("every dimension must be at least 1".into());
    }
    let too_large = |number: &&usize| **number > MAX_DIMENSION;
    if let Some(number) = dimensions.iter().find(too_large) {
        return Some(format!("{number} is too large for a dimension"));
    }
    let blocks = depths.iter().fold(0usize, |sum, depth| sum.saturating_add(*depth));
    let stages = depths.len();
    (blocks > MAX_BLOCKS || stages > MAX_STAGES)
        .then(|| format!("{blocks} blocks in {stages} stages are too many"))
}

/// Returns a description of what is too large although each dimension is plausible: the input, the weights, or the
/// values of one image inside a block. `None` if nothing is.
pub(super) fn find_oversized(
    size: usize,
    blocks: &[BlockShape],
    lengths: &[TokenCounts],
) -> Option<String> {
    if size > MAX_INPUT_SIZE {
        return Some(format!("an input of {size} pixels is more than {MAX_INPUT_SIZE}"));
    }
    let mut weights = 0usize;
    for (block, length) in blocks.iter().zip(lengths) {
        let (width, hidden) = (block.width, block.fc1_outputs);
        if width > MAX_WIDTH {
            return Some(format!("{width} channels are too many"));
        }
        let widest = width.saturating_mul(4).max(hidden);
        weights = weights.saturating_add(widest.saturating_mul(width).saturating_mul(2));
        let pairs = length.tokens.saturating_mul(length.attended);
        let counts = [
            length.tokens.saturating_mul(widest),
            pairs.saturating_mul(block.heads),
            // Swin has a table with an entry for each pair of positions in a window.
            length.attended.saturating_mul(length.attended),
        ];
        if counts.iter().any(|numbers| *numbers > MAX_VALUES_PER_IMAGE) {
            let tokens = length.tokens;
            return Some(format!("{tokens} tokens of {width} channels need too much memory"));
        }
    }
    (weights > MAX_WEIGHTS).then(|| format!("about {weights} weights are too many"))
}
