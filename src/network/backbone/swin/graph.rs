//! A Swin as a graph of operations.

use super::biases::{self, TABLE};
use super::config::Config;
use super::windows::Windows;
use crate::backbone::graph::GraphParts;
use crate::backbone::mlp::Activation;
use crate::onnx::{Graph, Value};
use crate::pet::Site;
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
    let width = config.stage_width(stage);
    let name = |rest: &str| format!("layers.{stage}.blocks.{own}.{rest}");
    let e = match config.v2 {
        true => x.clone(),
        false => {
            let e = parts.norm(x, &name("norm1"), config.epsilon)?;
            parts.site((index, Site::Norm1), x, e)?
        }
    };
    let inside = partition(parts.graph, &e, windows, width as i64);
    let (heads, wide) = (config.heads[stage], width as i64);
    let projections = parts.projections(index, &inside, &name("attn.qkv"), width)?;
    let [mut q, mut k, v] = projections.map(|h| parts.by_head(&h, heads as i64, wide));
    if config.v2 {
        let scale = named(parts.weights, &name("attn.logit_scale"))?;
        let root = ((width / heads) as f32).sqrt();
        let scales = || {
            let values = scale.values.iter();
            values.map(|v| v.min(100f32.ln()).exp() * root).collect()
        };
        let scale = parts
            .graph
            .weight(&name("cosine scale"), &[heads, 1, 1], scales);
        q = unit(parts.graph, &q);
        q = parts.graph.pair("Mul", &q, &scale);
        k = unit(parts.graph, &k);
    }
    let bias = bias(
        config,
        parts,
        (stage, &name("attn.cpb_mlp"), &name(TABLE)),
        windows,
    )?;
    let mixed = parts.attend([&q, &k, &v], wide / heads as i64, &|graph, scores| {
        let [groups, tokens] = [windows.groups(), windows.tokens()].map(|n| n as i64);
        let by_group = [-1, groups, heads as i64, tokens, tokens];
        let apart = graph.reshape(&scores, &by_group);
        let biased = graph.pair("Add", &apart, &bias);
        graph.reshape(&biased, &[-1, heads as i64, tokens, tokens])
    });
    let mixed = parts.joined_heads(&mixed, wide);
    let h = parts.scaled_linear((index, Site::Proj), &mixed, &name("attn.proj"), None)?;
    let mut h = reverse(parts.graph, &h, windows, wide);
    if config.v2 {
        let normed = parts.norm(&h, &name("norm1"), config.epsilon)?;
        h = parts.site((index, Site::Norm1), &h, normed)?;
    }
    let h = parts.site((index, Site::Attention), &e, h)?;
    let middle = parts.graph.pair("Add", x, &h);
    let e = match config.v2 {
        true => middle.clone(),
        false => {
            let e = parts.norm(&middle, &name("norm2"), config.epsilon)?;
            parts.site((index, Site::Norm2), &middle, e)?
        }
    };
    let mlp = name("mlp");
    let mlp = (mlp.as_str(), Activation::Gelu, config.epsilon);
    let mut h = parts.mlp(index, &e, mlp, None)?;
    if config.v2 {
        let normed = parts.norm(&h, &name("norm2"), config.epsilon)?;
        h = parts.site((index, Site::Norm2), &h, normed)?;
    }
    let h = parts.site((index, Site::Mlp), &e, h)?;
    let h = parts.site((index, Site::Stream), &middle, h)?;
    let out = parts.graph.pair("Add", &middle, &h);
    let out = parts.site((index, Site::Block), x, out)?;
    parts.site((index, Site::Tokens), x, out)
}

/// Rows of length 1.
fn unit(graph: &mut Graph, x: &Value) -> Value {
    let squared = graph.pair("Mul", x, x);
    let summed = graph.sum(&squared, -1);
    let least = graph.number(1e-24);
    let summed = graph.op("Max", &[&summed, &least], &[]);
    let length = graph.op("Sqrt", &[&summed], &[]);
    graph.pair("Div", x, &length)
}

/// What is added to the scores of a block: groups × heads × tokens × tokens.
fn bias(
    config: &Config,
    parts: &mut GraphParts<'_>,
    (stage, layers, table): (usize, &str, &str),
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
            let stored = named(parts.weights, table)?;
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

/// As [`Windows::partition`].
fn partition(graph: &mut Graph, tokens: &Value, windows: &Windows, width: i64) -> Value {
    let (rows, columns) = windows.map;
    let mut map = graph.reshape(tokens, &[0, rows as i64, columns as i64, width]);
    let sides = [(1, rows, windows.shift.0), (2, columns, windows.shift.1)];
    for (axis, side, shift) in sides {
        map = rolled(graph, &map, (axis, side), shift);
    }
    let map = padded(graph, &map, windows.map, windows.whole());
    let [[down, across], [high, wide]] = windows.grid().map(|pair| pair.map(|n| n as i64));
    let apart = graph.reshape(&map, &[0, down, high, across, wide, width]);
    let together = graph.permute(&apart, &[0, 1, 3, 2, 4, 5]);
    graph.reshape(&together, &[-1, high * wide, width])
}

/// As [`Windows::reverse`].
fn reverse(graph: &mut Graph, values: &Value, windows: &Windows, width: i64) -> Value {
    let [[down, across], [high, wide]] = windows.grid().map(|pair| pair.map(|n| n as i64));
    let apart = graph.reshape(values, &[-1, down, across, high, wide, width]);
    let together = graph.permute(&apart, &[0, 1, 3, 2, 4, 5]);
    let mut map = graph.reshape(&together, &[0, down * high, across * wide, width]);
    let (rows, columns) = windows.map;
    let sides = [(1, rows, windows.shift.0), (2, columns, windows.shift.1)];
    for (axis, side, shift) in sides {
        map = graph.slice(&map, axis, 0, side as i64);
        map = rolled(graph, &map, (axis, side), (side - shift) % side);
    }
    graph.reshape(&map, &[0, (rows * columns) as i64, width])
}

/// A map rolled back along an axis: what leaves at the beginning enters at the end.
fn rolled(graph: &mut Graph, map: &Value, (axis, side): (i64, usize), by: usize) -> Value {
    if by == 0 {
        return map.clone();
    }
    let first = graph.slice(map, axis, 0, by as i64);
    let rest = graph.slice(map, axis, by as i64, side as i64);
    graph.join(&[&rest, &first], axis)
}

/// A map (any × rows × columns × channels) with zeros added below and to the right.
fn padded(graph: &mut Graph, map: &Value, from: (usize, usize), to: (usize, usize)) -> Value {
    if from == to {
        return map.clone();
    }
    let [below, right] = [to.0 - from.0, to.1 - from.1].map(|n| n as i64);
    let around = graph.ints(&[0, 0, 0, 0, 0, below, right, 0]);
    graph.op("Pad", &[map, &around], &[])
}
