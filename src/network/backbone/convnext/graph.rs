//! A ConvNeXt as a graph of operations.

use super::{Config, STEM};
use crate::backbone::block;
use crate::backbone::block::graph::GraphBlock;
use crate::backbone::graph::GraphParts;
use crate::onnx::Value;
use crate::problem::Result;

/// Normalised images (any number × 3 × side × side) → features (any number × width).
pub fn features(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let stem = parts.convolution(images, "stem.0", [STEM, 1, 0])?;
    let mut width = config.widths[0];
    let tokens = parts.tokens_of(&stem, width);
    let mut x = parts.norm(&tokens, "stem.1", config.epsilon)?;
    let (mut side, mut index) = (config.input_size / STEM, 0);
    for (stage, depth) in config.depths.iter().enumerate() {
        if stage > 0 {
            let name = |rest: &str| format!("stages.{stage}.downsample.{rest}");
            let normed = parts.norm(&x, &name("0"), config.epsilon)?;
            let map = parts.map_of(&normed, [side, side, width]);
            // An odd last row or column is left out.
            let half = parts.convolution(&map, &name("1"), [2, 1, 0])?;
            (side, width) = (side / 2, config.widths[stage]);
            x = parts.tokens_of(&half, width);
        }
        for own in 0..*depth {
            let name = format!("stages.{stage}.blocks.{own}");
            x = block(config, parts, (index, name), [side, width], &x)?;
            index += 1;
        }
    }
    let mean = parts.mean_token(&x, width);
    match config.final_norm {
        true => parts.norm(&mean, "head.norm", config.epsilon),
        false => Ok(mean),
    }
}

fn block(
    config: &Config,
    parts: &mut GraphParts<'_>,
    (index, prefix): (usize, String),
    [side, width]: [usize; 2],
    x: &Value,
) -> Result<Value> {
    let mut ops = GraphBlock {
        parts,
        index,
        form: config.form(),
        prefix,
        shape: config.shape(width),
        epsilon: config.epsilon,
        side,
        change: None,
        windows: None,
    };
    block::run(&mut ops, x)
}
