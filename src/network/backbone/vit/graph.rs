//! A ViT as a graph of operations.

use super::config::{Config, Pool};
use crate::backbone::block::graph::{GraphBlock, QueryKeyTransform};
use crate::backbone::block::{self, Sublayer};
use crate::backbone::graph::GraphParts;
use crate::onnx::Value;
use crate::problem::Result;

/// Normalised images (any number × 3 × side × side) → features (any number × width).
pub fn features(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let mut x = embed(config, parts, images)?;
    for index in 0..config.depth {
        x = block::run_block(&mut ops(config, parts, index), &x)?;
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

/// A learned query attends to the tokens; an MLP follows.
fn attention_pool(config: &Config, parts: &mut GraphParts<'_>, x: &Value) -> Result<Value> {
    let (width, heads) = (config.width as i64, config.pool_heads as i64);
    let name = |rest: &str| format!("attn_pool.{rest}");
    let latent = parts.weight(&name("latent"))?;
    let latent = parts.graph.expand_like(&latent, x);
    let query = parts.linear(&latent, &name("q"))?;
    let packed = parts.linear(x, &name("kv"))?;
    let key = parts.graph.slice(&packed, -1, 0, width);
    let value = parts.graph.slice(&packed, -1, width, 2 * width);
    let [q, k, v] = [query, key, value].map(|h| parts.split_heads(&h, heads, width));
    let mixed = parts.attend([&q, &k, &v], width / heads, &|_, scores| scores);
    let mixed = parts.join_heads(&mixed, width);
    let x = parts.linear(&mixed, &name("proj"))?;
    let mut ops = GraphBlock {
        form: config.pool_form(),
        prefix: "attn_pool".into(),
        // No PET acts after the last block.
        ..ops(config, parts, usize::MAX)
    };
    block::residual(&mut ops, Sublayer::Mlp, x)
}

fn embed(config: &Config, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let maps = parts.convolution(images, "patch_embed.proj", [config.patch, 1, 0])?;
    let mut x = parts.map_to_tokens(&maps, config.width);
    let positions = match config.pos_embed {
        true => Some(parts.weight("pos_embed")?),
        false => None,
    };
    let [patch_positions, token_positions] = match config.no_embed_class {
        true => [positions, None],
        false => [None, positions],
    };
    if let Some(positions) = patch_positions {
        x = parts.graph.binary("Add", &x, &positions);
    }
    let names = [(config.class_token, "cls_token"), (config.registers > 0, "reg_token")];
    for (_, name) in names.iter().rev().filter(|(enabled, _)| *enabled) {
        let token = parts.weight(name)?;
        let token = parts.graph.expand_like(&token, &x);
        x = parts.graph.concat(&[&token, &x], 1);
    }
    if let Some(positions) = token_positions {
        x = parts.graph.binary("Add", &x, &positions);
    }
    match config.pre_norm {
        true => parts.norm(&x, "norm_pre", config.epsilon),
        false => Ok(x),
    }
}

/// Returns the operations of block `index`.
fn ops<'a, 'b>(config: &Config, parts: &'a mut GraphParts<'b>, index: usize) -> GraphBlock<'a, 'b> {
    let head_dim = config.width / config.heads;
    let query_key_transform = config.rope.map(|rope| {
        let [side, learned] = [config.input_size, config.learned_size].map(|n| n / config.patch);
        QueryKeyTransform::Rotary {
            angles: rope.angles(side, side, learned, head_dim),
            rotate_half: rope.rotates_half(),
        }
    });
    GraphBlock {
        parts,
        index,
        form: config.form(),
        prefix: format!("blocks.{index}"),
        shape: config.shape(),
        side: config.input_size / config.patch,
        query_key_transform,
        windows: None,
    }
}
