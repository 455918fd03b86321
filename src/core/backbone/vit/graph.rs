//! A ViT as a graph of operations.

use super::config::Config;
use crate::backbone::graph::{GraphParts, turned_weight};
use crate::onnx::{Attribute, Graph, Value};
use crate::pet::Site;
use crate::problem::Result;

/// Normalised images (any number × 3 × side × side) → features (any number × width).
pub fn features(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let mut x = embed(config, parts, images)?;
    for index in 0..config.depth {
        x = block(config, parts, index, &x)?;
    }
    let normed = parts.norm(&x, "norm", config.epsilon)?;
    let pooled = match config.class_token {
        true => parts.graph.slice(&normed, 1, 0, 1),
        false => parts.graph.mean(&normed, 1),
    };
    Ok(parts.graph.reshape(&pooled, &[-1, config.width as i64]))
}

fn embed(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let patch = config.patch as i64;
    let weight = parts.weight("patch_embed.proj.weight")?;
    let strides = [("strides", Attribute::Ints(&[patch, patch]))];
    let maps = match config.pre_norm {
        true => parts.graph.op("Conv", &[images, &weight], &strides),
        false => {
            let bias = parts.weight("patch_embed.proj.bias")?;
            parts.graph.op("Conv", &[images, &weight, &bias], &strides)
        }
    };
    let rows = parts.graph.reshape(&maps, &[0, config.width as i64, -1]);
    let mut x = parts.graph.permute(&rows, &[0, 2, 1]);
    if config.class_token {
        let token = parts.weight("cls_token")?;
        let token = parts.graph.grown(&token, &x);
        x = parts.graph.join(&[&token, &x], 1);
    }
    let positions = parts.weight("pos_embed")?;
    x = parts.graph.pair("Add", &x, &positions);
    match config.pre_norm {
        true => parts.norm(&x, "norm_pre", config.epsilon),
        false => Ok(x),
    }
}

fn block(
    config: &Config,
    parts: &mut GraphParts<'_>,
    index: usize,
    given: &Value,
) -> Result<Value> {
    let name = |rest: &str| format!("blocks.{index}.{rest}");
    let before = &parts.input(index, given)?;
    let e = parts.norm(before, &name("norm1"), config.epsilon)?;
    let e = parts.site((index, Site::Norm1), before, e)?;
    let h = attention(config, parts, index, &e)?;
    let h = parts.site((index, Site::Attention), &e, h)?;
    let x = parts.graph.pair("Add", before, &h);
    let e = parts.norm(&x, &name("norm2"), config.epsilon)?;
    let e = parts.site((index, Site::Norm2), &x, e)?;
    let h = mlp(config, parts, index, &e)?;
    let h = parts.site((index, Site::Mlp), &e, h)?;
    let h = parts.site((index, Site::Stream), &x, h)?;
    let x = parts.graph.pair("Add", &x, &h);
    let x = parts.site((index, Site::Block), before, x)?;
    parts.site((index, Site::Tokens), given, x)
}

fn attention(
    config: &Config,
    parts: &mut GraphParts<'_>,
    index: usize,
    e: &Value,
) -> Result<Value> {
    let (width, heads) = (config.width as i64, config.heads as i64);
    let layer = format!("blocks.{index}.attn.qkv");
    let packed = parts.linear(e, &layer)?;
    let weights = parts.weights;
    let mut split = Vec::new();
    for (at, site) in (0..).zip([Site::Query, Site::Key, Site::Value]) {
        let own = (at * width, (at + 1) * width);
        let h = parts.graph.slice(&packed, -1, own.0, own.1);
        let weight = |graph: &mut Graph| {
            let whole = turned_weight(graph, weights, &layer)?;
            Ok(graph.slice(&whole, -1, own.0, own.1))
        };
        let h = parts.linear_site((index, site), e, h, &weight)?;
        let by_head = parts.graph.reshape(&h, &[0, 0, heads, width / heads]);
        split.push(parts.graph.permute(&by_head, &[0, 2, 1, 3]));
    }
    let [q, k, v] = [&split[0], &split[1], &split[2]];
    let at = (index, Site::Attend);
    let mixed = match parts.hooks.uses(at.0, at.1) {
        true => {
            let none = |_: &mut Graph| Ok(q.clone());
            parts.hooks.around(parts.graph, at, &[q, k, v], &none)?
        }
        false => {
            let graph = &mut *parts.graph;
            let scale = graph.number(((width / heads) as f64).powf(-0.5));
            let scaled = graph.pair("Mul", q, &scale);
            let turned = graph.permute(k, &[0, 1, 3, 2]);
            let scores = graph.pair("MatMul", &scaled, &turned);
            let shares = graph.softmax(&scores);
            graph.pair("MatMul", &shares, v)
        }
    };
    let mixed = parts.graph.permute(&mixed, &[0, 2, 1, 3]);
    let mixed = parts.graph.reshape(&mixed, &[0, 0, width]);
    scaled_linear(
        config,
        parts,
        (index, Site::Proj),
        &mixed,
        ["attn.proj", "ls1"],
    )
}

fn mlp(config: &Config, parts: &mut GraphParts<'_>, index: usize, e: &Value) -> Result<Value> {
    let layer = format!("blocks.{index}.mlp.fc1");
    let weights = parts.weights;
    let hidden = parts.linear(e, &layer)?;
    let weight = |graph: &mut Graph| turned_weight(graph, weights, &layer);
    let hidden = parts.linear_site((index, Site::Fc1), e, hidden, &weight)?;
    let active = match config.quick_gelu {
        true => {
            let graph = &mut *parts.graph;
            let factor = graph.number(1.702);
            let scaled = graph.pair("Mul", &hidden, &factor);
            let share = graph.op("Sigmoid", &[&scaled], &[]);
            graph.pair("Mul", &hidden, &share)
        }
        false => parts.graph.gelu(&hidden),
    };
    let active = parts.site((index, Site::Activation), &hidden, active)?;
    scaled_linear(
        config,
        parts,
        (index, Site::Fc2),
        &active,
        ["mlp.fc2", "ls2"],
    )
}

/// A linear layer with the scale behind it, and what acts there.
fn scaled_linear(
    config: &Config,
    parts: &mut GraphParts<'_>,
    at: (usize, Site),
    e: &Value,
    [layer, scale]: [&str; 2],
) -> Result<Value> {
    let [layer, scale] = [layer, scale].map(|name| format!("blocks.{}.{name}", at.0));
    let mut h = parts.linear(e, &layer)?;
    let scale = match config.layer_scale {
        true => Some(parts.weight(&format!("{scale}.gamma"))?),
        false => None,
    };
    if let Some(scale) = &scale {
        h = parts.graph.pair("Mul", &h, scale);
    }
    let weights = parts.weights;
    let weight = |graph: &mut Graph| {
        let weight = turned_weight(graph, weights, &layer)?;
        Ok(match &scale {
            Some(scale) => graph.pair("Mul", &weight, scale),
            None => weight,
        })
    };
    parts.linear_site(at, e, h, &weight)
}
