//! A Swin as a graph of operations.

use super::biases::{self, TABLE};
use super::config::Config;
use crate::backbone::block;
use crate::backbone::block::graph::{Change, GraphBlock, padded};
use crate::backbone::block::windows::Windows;
use crate::backbone::graph::GraphParts;
use crate::onnx::Value;
use crate::problem::Result;
use crate::tensors::named;

/// Normalised images (any number × 3 × side × side) → features (any number × width).
pub fn features(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let maps = parts.convolution(images, "patch_embed.proj", [config.patch, 1, 0])?;
    let tokens = parts.tokens_of(&maps, config.width);
    let mut x = parts.norm(&tokens, "patch_embed.norm", config.epsilon)?;
    let (mut side, mut index) = (config.input_size / config.patch, 0);
    for (stage, depth) in config.depths.iter().enumerate() {
        if stage > 0 {
            x = merged(config, parts, (stage, side), &x)?;
            side = side.div_ceil(2);
        }
        for own in 0..*depth {
            let windows = Windows::of((side, side), config.window, own % 2 == 1);
            x = block(config, parts, [index, stage, own], &windows, &x)?;
            index += 1;
        }
    }
    let last = config.stage_width(config.depths.len() - 1);
    let normed = parts.norm(&x, "norm", config.epsilon)?;
    Ok(parts.mean_token(&normed, last))
}

/// Joins 2×2 neighbours; an odd map gets a row or column of zeros first.
fn merged(
    config: &Config,
    parts: &mut GraphParts<'_>,
    (stage, side): (usize, usize),
    x: &Value,
) -> Result<Value> {
    let width = config.stage_width(stage - 1) as i64;
    let half = side.div_ceil(2) as i64;
    let graph = &mut *parts.graph;
    let map = graph.reshape(x, &[0, side as i64, side as i64, width]);
    let map = padded(
        graph,
        &map,
        (side, side),
        (2 * half as usize, 2 * half as usize),
    );
    let apart = graph.reshape(&map, &[0, half, 2, half, 2, width]);
    // Column by column within the square, as timm has them.
    let together = graph.permute(&apart, &[0, 1, 3, 4, 2, 5]);
    let joined = graph.reshape(&together, &[0, half * half, 4 * width]);
    let name = |rest: &str| format!("layers.{stage}.downsample.{rest}");
    let (norm, reduction) = (name("norm"), name("reduction"));
    if config.v2 {
        let reduced = parts.linear(&joined, &reduction)?;
        return parts.norm(&reduced, &norm, config.epsilon);
    }
    let normed = parts.norm(&joined, &norm, config.epsilon)?;
    parts.linear(&normed, &reduction)
}

fn block(
    config: &Config,
    parts: &mut GraphParts<'_>,
    [index, stage, own]: [usize; 3],
    windows: &Windows,
    x: &Value,
) -> Result<Value> {
    let prefix = format!("layers.{stage}.blocks.{own}");
    let name = |rest: &str| format!("{prefix}.{rest}");
    let (width, heads) = (config.stage_width(stage), config.heads[stage]);
    let change = match config.v2 {
        true => {
            let scale = named(parts.weights, &name("attn.logit_scale"))?;
            let root = ((width / heads) as f32).sqrt();
            let scales = || {
                let values = scale.values.iter();
                values.map(|v| v.min(100f32.ln()).exp() * root).collect()
            };
            let shape = [heads, 1, 1];
            let scale = parts.graph.weight(&name("cosine scale"), &shape, scales);
            Some(Change::Cosine(scale))
        }
        false => None,
    };
    let tables = (stage, name("attn.cpb_mlp"), name(TABLE));
    let bias = bias(config, parts, tables, windows)?;
    let mut ops = GraphBlock {
        parts,
        index,
        form: config.form(),
        prefix,
        shape: config.shape(stage),
        epsilon: config.epsilon,
        side: windows.map.0,
        change,
        windows: Some((*windows, bias)),
    };
    block::run(&mut ops, x)
}

/// Returns the bias of each pair of tokens: groups × heads × tokens × tokens.
fn bias(
    config: &Config,
    parts: &mut GraphParts<'_>,
    (stage, layers, table): (usize, String, String),
    windows: &Windows,
) -> Result<Value> {
    let heads = config.heads[stage];
    let (side, values) = match config.v2 {
        true => {
            let stored = |name: &str| named(parts.weights, &format!("{layers}.{name}"));
            let stored = [stored("0.weight")?, stored("0.bias")?, stored("2.weight")?];
            let weights = stored.map(|tensor| tensor.values.as_slice());
            let sides = config.bias_sides(stage);
            (sides[0], biases::computed_table(weights, sides, heads))
        }
        false => {
            let stored = named(parts.weights, &table)?;
            let cells = stored.shape.first().copied().unwrap_or_default();
            (biases::side_of(cells), stored.values.clone())
        }
    };
    let (groups, tokens) = (windows.groups(), windows.tokens());
    let shape = [groups, heads, tokens, tokens];
    let laid_out = || biases::laid_out(&values, side, heads, windows);
    let name = format!("{table} laid out");
    Ok(parts.graph.weight(&name, &shape, laid_out))
}
