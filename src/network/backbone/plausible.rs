//! Rejects implausible numbers, so that a damaged or hostile file cannot ask for
//! endless memory.

use super::{BlockShape, Length};
use crate::data::transform::LARGEST_INPUT;

/// Largest width, window, patch or number of heads taken seriously.
const LARGEST_DIMENSION: usize = 1 << 16;
/// Most channels of a block taken seriously; the largest known ViT has 6,144.
const WIDEST: usize = 1 << 13;
/// Most numbers that one image may need at a time inside one block (4 GB).
const MOST_PER_IMAGE: usize = 1 << 30;
/// Most weights taken seriously; the largest known ViT has 22 billion.
const MOST_WEIGHTS: usize = 1 << 35;
/// Most blocks taken seriously.
const MOST_BLOCKS: usize = 1024;
/// Most stages taken seriously.
const MOST_STAGES: usize = 8;

/// What is wrong with single numbers. `dimensions` holds all of them, `depths` the blocks of each
/// stage.
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

/// What is too large although no dimension alone is: the input, the weights, or what one image
/// takes inside one block.
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
            // Windows have a table of their pairs.
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
