//! A ViT as a graph of operations.

use super::config::{Config, Pool};
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
    if !config.fc_norm {
        x = parts.norm(&x, "norm", config.epsilon)?;
    }
    let mut pooled = match config.pool() {
        Pool::Token => parts.graph.slice(&x, 1, 0, 1),
        Pool::Avg => {
            let side = config.input_size / config.patch;
            let patches = parts.graph.slice(&x, 1, -((side * side) as i64), i64::MAX);
            parts.graph.mean(&patches, 1)
        }
        Pool::Map => {
            if config.extra_tokens() > 0 && !config.pools_all_tokens() {
                let patches = (config.input_size / config.patch).pow(2) as i64;
                x = parts.graph.slice(&x, 1, -patches, i64::MAX);
            }
            attention_pool(config, parts, &x)?
        }
    };
    if config.fc_norm {
        pooled = parts.norm(&pooled, "fc_norm", config.epsilon)?;
    }
    Ok(parts.graph.reshape(&pooled, &[-1, config.width as i64]))
}

/// The query attends to all tokens; then an MLP.
fn attention_pool(config: &Config, parts: &mut GraphParts<'_>, x: &Value) -> Result<Value> {
    let (width, heads) = (config.width as i64, config.pool_heads as i64);
    let name = |rest: &str| format!("attn_pool.{rest}");
    let latent = parts.weight(&name("latent"))?;
    let latent = parts.graph.grown(&latent, x);
    let query = parts.linear(&latent, &name("q"))?;
    let packed = parts.linear(x, &name("kv"))?;
    let key = parts.graph.slice(&packed, -1, 0, width);
    let value = parts.graph.slice(&packed, -1, width, 2 * width);
    let [q, k, v] = [query, key, value].map(|h| parts.by_head(&h, heads, width));
    let mixed = parts.attend([&q, &k, &v], width / heads, &|_, scores| scores);
    let mixed = parts.joined_heads(&mixed, width);
    let x = parts.linear(&mixed, &name("proj"))?;
    let e = parts.norm(&x, &name("norm"), config.epsilon)?;
    let hidden = parts.linear(&e, &name("mlp.fc1"))?;
    let active = parts.active(&hidden, config.activation);
    let h = parts.linear(&active, &name("mlp.fc2"))?;
    Ok(parts.graph.pair("Add", &x, &h))
}

fn embed(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let maps = parts.convolution(images, "patch_embed.proj", [config.patch, 1, 0])?;
    let mut x = parts.tokens_of(&maps, config.width);
    let positions = match config.pos_embed {
        true => Some(parts.weight("pos_embed")?),
        false => None,
    };
    let [of_patches, of_all] = match config.no_embed_class {
        true => [positions, None],
        false => [None, positions],
    };
    if let Some(positions) = of_patches {
        x = parts.graph.pair("Add", &x, &positions);
    }
    let names = [
        (config.class_token, "cls_token"),
        (config.registers > 0, "reg_token"),
    ];
    for (_, name) in names.iter().rev().filter(|(there, _)| *there) {
        let token = parts.weight(name)?;
        let token = parts.graph.grown(&token, &x);
        x = parts.graph.join(&[&token, &x], 1);
    }
    if let Some(positions) = of_all {
        x = parts.graph.pair("Add", &x, &positions);
    }
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
    let mlp = (layer.as_str(), config.activation, config.epsilon);
    let h = parts.mlp(index, &e, mlp, scale.as_deref())?;
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
    let [mut q, mut k, v] = projections.map(|h| parts.by_head(&h, heads, width));
    if let Some(rope) = config.rope {
        let [side, learned] = [config.input_size, config.learned_size].map(|n| n / config.patch);
        let head = config.width / config.heads;
        let angles = rope.angles(side, side, learned, head);
        [q, k] = [q, k].map(|x| parts.rotate(&x, &angles, head / 2, rope.is_half()));
    }
    let at = (index, Site::Attend);
    let mixed = match parts.hooks.uses(at.0, at.1) {
        true => {
            let none = |_: &mut Graph| Ok(q.clone());
            parts.hooks.around(parts.graph, at, &[&q, &k, &v], &none)?
        }
        false => parts.attend([&q, &k, &v], width / heads, &|_, scores| scores),
    };
    let mut mixed = parts.joined_heads(&mixed, width);
    if config.attention_norm {
        mixed = parts.norm(&mixed, &name("attn.norm"), config.epsilon)?;
    }
    let scale = config.layer_scale.then(|| name("ls1.gamma"));
    let at = (index, Site::Proj);
    parts.scaled_linear(at, &mixed, &name("attn.proj"), scale.as_deref())
}
