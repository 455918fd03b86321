//! `--format peft`: what the library peft reads, for PETs that are LoRA. timm packs queries, keys and
//! values into one layer `attn.qkv`; the changes of these three become one of the sum of their ranks,
//! whose B has zeros where another projection's rows lie.

mod text;

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::model::{Files, Model};
use super::prepared;
use crate::backbone::torch::LayerName;
use crate::pet::low_rank::{Change, changes};
use crate::pet::{PetStack, Site};
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, to_bytes};

/// The changes of one layer of timm, each with the part of its outputs that it acts on.
type LayerChanges = BTreeMap<String, Vec<(LayerName, Change)>>;

/// All files of the folder: one adapter, or a folder for each of several.
pub fn files(model: &Model<'_>) -> Result<Files> {
    let entry = &model.predictor.backbone().entry;
    let mut files = Files::new();
    let mut adapters = Vec::new();
    for (name, stack) in &model.recipe.networks {
        if stack.spec().is_some() {
            adapters.push((name.as_str(), adapter(model, stack)?));
        }
    }
    if adapters.is_empty() {
        let what = "this run has no PET, so there is nothing for peft to load";
        return Err(Problem::new(what).advise("use --format torch"));
    }
    let alone = adapters.len() == 1;
    let folders: Vec<&str> = adapters.iter().map(|(name, _)| *name).collect();
    let readme = text::readme(model, if alone { &[] } else { &folders });
    for (name, layers) in &adapters {
        let path = |file: &str| match alone {
            true => file.to_owned(),
            false => format!("{name}/{file}"),
        };
        let config = prepared::json(&config(layers, &entry.name))?;
        files.push((path("adapter_config.json"), config));
        let tensors = to_bytes(
            &tensors(layers),
            HashMap::from([("format".into(), "pt".into())]),
        )?;
        files.push((path("adapter_model.safetensors"), tensors));
    }
    let mut backbone = Named::new();
    entry_weights(model, &mut backbone)?;
    files.push((
        "backbone.safetensors".into(),
        to_bytes(&backbone, HashMap::new())?,
    ));
    files.push(("network.py".into(), text::network(model)?.into_bytes()));
    files.push((
        "preprocessing.json".into(),
        prepared::preparation(model, false)?,
    ));
    files.push(("README.md".into(), readme.into_bytes()));
    Ok(files)
}

/// The backbone's weights under timm's names.
fn entry_weights(model: &Model<'_>, into: &mut Named) -> Result<()> {
    let weights = model.predictor.backbone().backbone.weights()?;
    let mut prefixed = Named::new();
    weights.write("network", &mut prefixed)?;
    for (name, values) in prefixed {
        into.insert(name.trim_start_matches("network.").to_owned(), values);
    }
    Ok(())
}

/// What a stack changes, layer by layer.
fn adapter(model: &Model<'_>, stack: &PetStack) -> Result<LayerChanges> {
    let architecture = &model.predictor.backbone().entry.architecture;
    let mut layers = LayerChanges::new();
    for block in stack.written() {
        for site in &block.sites {
            let found = changes(&block, site)?.ok_or_else(|| no_lora(stack, site.site))?;
            let names = architecture.layer_names(block.block, site.site);
            let layer = names
                .into_iter()
                .next()
                .ok_or_else(|| no_lora(stack, site.site))?;
            let own = layers.entry(layer.name.clone()).or_default();
            own.extend(found.into_iter().map(|change| (layer.clone(), change)));
        }
    }
    Ok(layers)
}

fn no_lora(stack: &PetStack, site: Site) -> Problem {
    let name = stack.spec().map_or("this PET", |spec| &spec.name);
    Problem::new(format!(
        "{name} is not a LoRA that peft could load: at `{}` it does more than add what matrices make of e, or \
         acts on no linear layer of timm's",
        site.name()
    ))
    .advise("use --format torch, which takes every PET")
}

/// `adapter_config.json`: of each layer's rank; scales are part of B.
fn config(layers: &LayerChanges, backbone: &str) -> serde_json::Value {
    let ranks: BTreeMap<&String, usize> = layers
        .iter()
        .map(|(name, changes)| (name, rank(changes)))
        .collect();
    let most = ranks.values().copied().max().unwrap_or(1);
    let others: BTreeMap<&String, usize> = ranks
        .iter()
        .filter(|(_, rank)| **rank != most)
        .map(|(name, rank)| (*name, *rank))
        .collect();
    json!({
        "peft_type": "LORA",
        "task_type": null,
        "base_model_name_or_path": backbone,
        "inference_mode": true,
        "r": most,
        "lora_alpha": most,
        "rank_pattern": others,
        "alpha_pattern": others,
        "target_modules": ranks.keys().collect::<Vec<_>>(),
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": false,
        "init_lora_weights": true,
        "modules_to_save": null,
        "use_rslora": false,
        "use_dora": false,
    })
}

fn rank(changes: &[(LayerName, Change)]) -> usize {
    changes.iter().map(|(_, change)| change.a.columns).sum()
}

/// A (rank × in) and B (out × rank) of each layer, as peft names them.
fn tensors(layers: &LayerChanges) -> Named {
    let mut named = Named::new();
    for (layer, changes) in layers {
        let rank = rank(changes);
        let inputs = changes.first().map_or(0, |(_, change)| change.a.rows);
        let outputs = changes
            .first()
            .map_or(0, |(own, change)| change.b.columns * own.parts);
        let (mut a, mut b) = (vec![0f32; rank * inputs], vec![0f32; outputs * rank]);
        let mut first = 0;
        for (own, change) in changes {
            let columns = change.a.columns;
            for inner in 0..columns {
                for input in 0..inputs {
                    a[(first + inner) * inputs + input] =
                        change.a.values[input * columns + inner] as f32;
                }
                let width = change.b.columns;
                for output in 0..width {
                    let row = own.part * width + output;
                    b[row * rank + first + inner] = change.b.values[inner * width + output] as f32;
                }
            }
            first += columns;
        }
        for (which, shape, values) in [("A", [rank, inputs], a), ("B", [outputs, rank], b)] {
            let tensor = HostTensor {
                shape: shape.to_vec(),
                values,
            };
            named.insert(
                format!("base_model.model.{layer}.lora_{which}.weight"),
                tensor,
            );
        }
    }
    named
}
