//! `--format peft`: adapters for the peft library, from PETs that are LoRA. timm packs queries, keys and values into
//! one layer `attn.qkv`; their changes are merged into one, whose rank is the sum of their ranks and whose B is zero in
//! the rows of the other projections.

use std::collections::{BTreeMap, HashMap};

use burn::tensor::Tensor;
use serde_json::json;

use super::model::{Files, Model};
use super::preprocessing;
use super::text::{one_line, title};
use crate::backbone::torch::{ActiveSites, LayerName};
use crate::message;
use crate::pet::low_rank::{LowRankUpdate, low_rank_update};
use crate::pet::{PetStack, Site};
use crate::problem::{Problem, Result};
use crate::store::{ADAPTER_CONFIG, ADAPTER_VALUES};
use crate::tensors::{HostTensor, NamedTensors, to_bytes};

/// The folder with the same adapter for the layer names of transformers.
const TRANSFORMERS: &str = "transformers/";

/// The changes of each layer, each with the range of outputs that it applies to.
type LayerChanges = BTreeMap<String, Vec<(LayerName, LowRankUpdate)>>;

/// Returns all files of the folder: one adapter, or a folder for each of several.
pub fn files(model: &Model<'_>) -> Result<Files> {
    let entry = &model.predictor.backbone().entry;
    let mut files = Files::new();
    let mut adapters = Vec::new();
    for (name, stack) in &model.recipe.networks {
        if stack.spec().is_some() {
            adapters.push((name.as_str(), adapter_layers(model, stack)?));
        }
    }
    let has_transformers_forms = adapters.iter().all(|(_, layers)| !layers[1].is_empty());
    if adapters.is_empty() {
        return Err(Problem::new(message!("problem-export-without-pet"))
            .advise(message!("advice-use-torch-format")));
    }
    let alone = adapters.len() == 1;
    let folders: Vec<&str> = adapters.iter().map(|(name, _)| *name).collect();
    let several = if alone { &[] } else { &folders[..] };
    let text = readme(model, several, has_transformers_forms);
    for (name, forms) in &adapters {
        let prefix = match alone {
            true => String::new(),
            false => format!("{name}/"),
        };
        let layouts = forms.iter().zip(["", TRANSFORMERS]);
        for (layers, subfolder) in layouts.filter(|(layers, _)| !layers.is_empty()) {
            let config = preprocessing::to_json(&adapter_config(layers, &entry.name))?;
            files.push((format!("{prefix}{subfolder}{ADAPTER_CONFIG}"), config));
            let format = HashMap::from([("format".into(), "pt".into())]);
            let tensors = to_bytes(&lora_tensors(layers)?, format)?;
            files.push((format!("{prefix}{subfolder}{ADAPTER_VALUES}"), tensors));
        }
    }
    let backbone = model.predictor.backbone().backbone.weights()?.into_named()?;
    files.push(("backbone.safetensors".into(), to_bytes(&backbone, HashMap::new())?));
    files.push(("network.py".into(), network(model)?.into_bytes()));
    files.push(("preprocessing.json".into(), preprocessing::preprocessing_json(model, false)?));
    files.push(("prepare.py".into(), preprocessing::prepare_module()));
    files.push(("README.md".into(), text.into_bytes()));
    Ok(files)
}

/// Returns the changes of a stack by layer: of timm's network, and of that of transformers, if it has such layers.
fn adapter_layers(model: &Model<'_>, stack: &PetStack) -> Result<[LayerChanges; 2]> {
    let architecture = &model.predictor.backbone().entry.architecture;
    let shapes = architecture.blocks();
    let mut forms = [LayerChanges::new(), LayerChanges::new()];
    for block in stack.exported_blocks() {
        for site in &block.sites {
            let (_, outputs) = site.site.channels(&shapes[block.block]);
            // The equation would repeat a product of one column.
            let found = low_rank_update(&block, site)?
                .filter(|update| update.b.dims()[1] == outputs)
                .ok_or_else(|| not_lora_problem(stack, site.site))?;
            let names = architecture.layer_names(block.block, site.site);
            if names.is_empty() {
                return Err(not_lora_problem(stack, site.site));
            }
            for (layers, layer) in forms.iter_mut().zip(&names) {
                let changes = layers.entry(layer.name.clone()).or_default();
                changes.push((layer.clone(), found.clone()));
            }
        }
    }
    Ok(forms)
}

fn not_lora_problem(stack: &PetStack, site: Site) -> Problem {
    let pet = stack.spec().map_or("PET", |spec| spec.name.as_str());
    let what = message!("problem-export-not-lora", pet, site = site.name());
    Problem::new(what).advise(message!("advice-use-torch-format"))
}

/// Returns `adapter_config.json`, with the rank of each layer; scales are multiplied into B.
fn adapter_config(layers: &LayerChanges, backbone: &str) -> serde_json::Value {
    let ranks: BTreeMap<&String, usize> =
        layers.iter().map(|(name, changes)| (name, total_rank(changes))).collect();
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

fn total_rank(changes: &[(LayerName, LowRankUpdate)]) -> usize {
    changes.iter().map(|(_, change)| change.a.dims()[1]).sum()
}

/// Returns A (rank × in) and B (out × rank) of each layer, with peft's names.
fn lora_tensors(layers: &LayerChanges) -> Result<NamedTensors> {
    let mut named = NamedTensors::new();
    for (layer, changes) in layers {
        let mut b: Option<Tensor<2>> = None;
        let mut offset = 0;
        for (layer_name, change) in changes {
            let [inner, width] = change.b.dims();
            let shape = [width * layer_name.parts, total_rank(changes)];
            let merged = b.unwrap_or_else(|| Tensor::zeros(shape, &change.b.device()));
            let rows = layer_name.part * width..(layer_name.part + 1) * width;
            let part = change.b.clone().transpose();
            b = Some(merged.slice_assign([rows, offset..offset + inner], part));
            offset += inner;
        }
        let a = changes.iter().map(|(_, change)| change.a.clone());
        let a = b.as_ref().map(|_| Tensor::cat(a.collect(), 1).transpose());
        for (which, tensor) in [("A", a), ("B", b)] {
            if let Some(tensor) = tensor {
                let name = format!("base_model.model.{layer}.lora_{which}.weight");
                named.insert(name, HostTensor::read(&tensor)?);
            }
        }
    }
    Ok(named)
}

/// Returns `network.py`, which builds the backbone of the adapter.
fn network(model: &Model<'_>) -> Result<String> {
    let entry = &model.predictor.backbone().entry;
    let text = entry.architecture.to_torch(&one_line(&entry.name), &ActiveSites::new())?;
    let scale = model.predictor.backbone().normalisation;
    let mut file = format!(
        "\"\"\"The backbone of {}.\"\"\"\n\nfrom functools import partial  # noqa: F401\nfrom pathlib import Path\n\n\
         import torch\nfrom safetensors.torch import load_file\nfrom torch import nn  # noqa: F401\n",
        title(model)
    );
    for line in text.imports.iter().filter(|line| !line.contains("functools")) {
        file += &format!("{line}\n");
    }
    file += &format!(
        "\nHERE = Path(__file__).resolve().parent\n\n\ndef normalised(images):\n    \
         \"\"\"Pixels in [0, 1] (N × 3 × size × size) → input of the network.\"\"\"\n    \
         mean, std = torch.tensor({:?}), torch.tensor({:?})\n    \
         return (images - mean.view(3, 1, 1)) / std.view(3, 1, 1)\n\n\n",
        scale.mean, scale.std
    );
    file += &text.network;
    file += "def load():\n    \"\"\"The backbone with its weights, to load an adapter into.\"\"\"\n    \
             network = make_network()\n    network.load_state_dict(load_file(HERE / \"backbone.safetensors\"))\n    \
             return network.eval()\n";
    Ok(file)
}

/// Returns `README.md`. `folders` are those of the adapters if there are several; `has_transformers_forms` says whether
/// each also has a version for transformers.
fn readme(model: &Model<'_>, folders: &[&str], has_transformers_forms: bool) -> String {
    let first = folders.first().copied().unwrap_or(".");
    let which = match folders {
        [] => "The adapter is in this folder.".to_owned(),
        several => format!("There is one adapter for each expert: `{}`.", several.join("`, `")),
    };
    let others = match has_transformers_forms {
        true => {
            "\nThe same adapter for the `ViTModel` of transformers (version 5) is in its subfolder `transformers`. The network \
             must have the same weights; the feature is then `last_hidden_state[:, 0]`.\n"
        }
        false => "",
    };
    format!(
        "# {}\n\n{which} Each is a LoRA in peft's format for the layers of timm's network; scales are multiplied into B.\n\n\
         ```\npip install torch timm peft safetensors numpy pillow\n```\n\n```python\nimport torch\nfrom peft import PeftModel\n\
         from network import load, normalised\nfrom prepare import prepare\n\
         model = PeftModel.from_pretrained(load(), \"{first}\")\nimages = torch.from_numpy(prepare(\"image.png\"))[None]\n\
         features = model(normalised(images))\n```\n\n`features` is the input of the run's heads; `--format torch` includes the heads. \
         `check.safetensors` contains two noise images and LAE Studio's features for them (`features.NAME`).\n{others}",
        title(model)
    )
}
