//! A network with stages as a graph of operations.

use super::{Merging, StagedForm};
use crate::backbone::block::biases::{self, TABLE};
use crate::backbone::block::graph::{GraphBlock, QueryKeyTransform, gather_tokens};
use crate::backbone::block::windows::Windows;
use crate::backbone::block::{self, QueryKey};
use crate::backbone::graph::GraphParts;
use crate::backbone::patches::Neighbourhoods;
use crate::onnx::Value;
use crate::problem::Result;
use crate::tensors::get_tensor;

/// Normalised images (any number × 3 × side × side) → features (any number × width).
pub fn features(form: &StagedForm, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
    let epsilon = form.block.epsilon;
    let [embedding, norm] = form.embedding;
    let maps = parts.convolution(images, embedding, [form.patch, 1, 0])?;
    let tokens = parts.map_to_tokens(&maps, form.shapes[0].width);
    let mut x = parts.norm(&tokens, norm, epsilon)?;
    let (mut side, mut index) = (form.input_size / form.patch, 0);
    for (stage, shape) in form.shapes.iter().enumerate() {
        if stage > 0 {
            (x, side) = merge(form, parts, (stage, side), &x)?;
        }
        for block_index in 0..form.depths[stage] {
            let prefix = format!("{}.{stage}.blocks.{block_index}", form.stages);
            let query_key_transform = cosine_transform(form, parts, stage, &prefix)?;
            let windows = match &form.windows {
                Some(sides) => {
                    let windows = Windows::new((side, side), sides.full, block_index % 2 == 1);
                    let bias =
                        window_bias(form, parts, (sides.stages[stage], stage), &prefix, &windows)?;
                    Some((windows, bias))
                }
                None => None,
            };
            let mut ops = GraphBlock {
                parts,
                index,
                form: form.block,
                prefix,
                shape: shape.clone(),
                side,
                query_key_transform,
                windows,
            };
            x = block::run_block(&mut ops, &x)?;
            index += 1;
        }
    }
    let last = form.shapes[form.shapes.len() - 1].width;
    match form.norm {
        Some(norm) if form.norm_first => {
            let normed = parts.norm(&x, norm, epsilon)?;
            Ok(parts.mean_token(&normed, last))
        }
        Some(norm) => {
            let mean = parts.mean_token(&x, last);
            parts.norm(&mean, norm, epsilon)
        }
        None => Ok(parts.mean_token(&x, last)),
    }
}

/// Merges 2×2 neighbours; returns the tokens and the new side of the map.
fn merge(
    form: &StagedForm,
    parts: &mut GraphParts<'_>,
    (stage, side): (usize, usize),
    x: &Value,
) -> Result<(Value, usize)> {
    let epsilon = form.block.epsilon;
    let [norm, layer] = form.merging_names(stage);
    let width = form.shapes[stage - 1].width;
    let Merging::Linear { norm_after } = form.merging else {
        let normed = parts.norm(x, &norm, epsilon)?;
        let map = parts.tokens_to_map(&normed, [side, side, width]);
        let half = parts.convolution(&map, &layer, [2, 1, 0])?;
        let tokens = parts.map_to_tokens(&half, form.shapes[stage].width);
        return Ok((tokens, side / 2));
    };
    let graph = &mut *parts.graph;
    let neighbourhoods = Neighbourhoods::new((side, side), form.merging.order());
    let count = (neighbourhoods.map.0 * neighbourhoods.map.1) as i64;
    let gathered = gather_tokens(graph, x, &neighbourhoods.source_indices(), side * side);
    let joined = graph.reshape(&gathered, &[0, count, 4 * width as i64]);
    let merged = if norm_after {
        let reduced = parts.linear(&joined, &layer)?;
        parts.norm(&reduced, &norm, epsilon)?
    } else {
        let normed = parts.norm(&joined, &norm, epsilon)?;
        parts.linear(&normed, &layer)?
    };
    Ok((merged, neighbourhoods.map.0))
}

/// Returns the factor of the queries of each head in cosine attention; `None` for other attention.
fn cosine_transform(
    form: &StagedForm,
    parts: &mut GraphParts<'_>,
    stage: usize,
    prefix: &str,
) -> Result<Option<QueryKeyTransform>> {
    if form.block.query_key != QueryKey::Cosine {
        return Ok(None);
    }
    let shape = &form.shapes[stage];
    let scale = get_tensor(parts.weights, &format!("{prefix}.attn.logit_scale"))?;
    let root = ((shape.width / shape.heads) as f32).sqrt();
    let scales = || {
        let values = scale.values.iter();
        values.map(|v| v.min(100f32.ln()).exp() * root).collect()
    };
    let name = format!("{prefix}.cosine scale");
    let scale = parts.graph.weight(&name, &[shape.heads, 1, 1], scales);
    Ok(Some(QueryKeyTransform::Cosine(scale)))
}

/// Returns the bias of each pair of tokens: groups × heads × tokens × tokens.
fn window_bias(
    form: &StagedForm,
    parts: &mut GraphParts<'_>,
    (sides, stage): ([usize; 2], usize),
    prefix: &str,
    windows: &Windows,
) -> Result<Value> {
    let heads = form.shapes[stage].heads;
    let table = format!("{prefix}.{TABLE}");
    let (side, values) = if form.block.query_key == QueryKey::Cosine {
        let stored =
            |name: &str| get_tensor(parts.weights, &format!("{prefix}.attn.cpb_mlp.{name}"));
        let stored = [stored("0.weight")?, stored("0.bias")?, stored("2.weight")?];
        let weights = stored.map(|tensor| tensor.values.as_slice());
        (sides[0], biases::compute_table(weights, sides, heads))
    } else {
        let stored = get_tensor(parts.weights, &table)?;
        let cells = stored.shape.first().copied().unwrap_or_default();
        (biases::window_side(cells), stored.values.clone())
    };
    let (groups, tokens) = (windows.groups(), windows.tokens());
    let shape = [groups, heads, tokens, tokens];
    let expanded = || biases::expand_table(&values, side, heads, windows);
    let name = format!("{table} laid out");
    Ok(parts.graph.weight(&name, &shape, expanded))
}
