//! A ViT as a graph of operations.

use super::config::Config;
use crate::backbone::graph::GraphParts;
use crate::onnx::{Graph, Value};
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
    let maps = parts.convolution(images, "patch_embed.proj", [config.patch, 1, 0])?;
    let mut x = parts.tokens_of(&maps, config.width);
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
    let scale = config.layer_scale.then(|| name("ls2.gamma"));
    let layer = name("mlp");
    let h = parts.mlp(index, &e, (&layer, config.quick_gelu), scale.as_deref())?;
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
    let name = |rest: &str| format!("blocks.{index}.{rest}");
    let projections = parts.projections(index, e, &name("attn.qkv"), config.width)?;
    let [q, k, v] = projections.map(|h| parts.by_head(&h, heads, width));
    let at = (index, Site::Attend);
    let mixed = match parts.hooks.uses(at.0, at.1) {
        true => {
            let none = |_: &mut Graph| Ok(q.clone());
            parts.hooks.around(parts.graph, at, &[&q, &k, &v], &none)?
        }
        false => parts.attend([&q, &k, &v], width / heads, &|_, scores| scores),
    };
    let mixed = parts.joined_heads(&mixed, width);
    let scale = config.layer_scale.then(|| name("ls1.gamma"));
    let at = (index, Site::Proj);
    parts.scaled_linear(at, &mixed, &name("attn.proj"), scale.as_deref())
}
