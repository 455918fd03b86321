//! A LoRA in the format of the library peft as the initial values of a PET. A and B are identified by their positions
//! in the plugin's equations, layers by their names in timm and transformers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use burn::tensor::{Tensor, TensorData};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::backbone::Backbone;
use crate::backbone::torch::LayerName;
use crate::backbone::weights::{self, Tensors};
use crate::message;
use crate::names::truncated_name;
use crate::pet::low_rank::{Factors, factors};
use crate::pet::{BlockPet, PetStack, Site, SitePet};
use crate::problem::{Problem, Result};
use crate::store::{ADAPTER_CONFIG, ADAPTER_VALUES, PetStart};
use crate::tensors::HostTensor;
use crate::texts::Message;

/// Fields of peft's `LoraConfig` that follow from A and B, or that affect only their training.
const WITHOUT_EFFECT: [&str; 17] = [
    "auto_mapping",
    "base_model_name_or_path",
    "eva_config",
    "exclude_modules",
    "inference_mode",
    "layers_pattern",
    "layers_to_transform",
    "lora_dropout",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "r",
    "rank_pattern",
    "revision",
    "runtime_config",
    "target_modules",
    "task_type",
];
/// Initialisations of A and B that leave the backbone's weights unchanged. Others (PiSSA, OLoRA, CorDA, LoftQ) subtract
/// the initial B · A from the weights.
const PLAIN_INIT: [&str; 3] = ["gaussian", "eva", "orthogonal"];
/// Names of classifiers in timm and transformers. A run replaces them by its heads.
const CLASSIFIERS: [&str; 5] = ["classifier", "head", "head.fc", "fc", "score"];

/// The contents of `adapter_config.json`.
#[derive(Deserialize)]
struct LoraConfig {
    peft_type: String,
    lora_alpha: f64,
    alpha_pattern: Option<Map<String, Value>>,
    #[serde(default)]
    use_rslora: bool,
    #[serde(default)]
    use_dora: bool,
    #[serde(default)]
    lora_bias: bool,
    bias: Option<String>,
    #[serde(default)]
    init_lora_weights: Value,
    modules_to_save: Option<Vec<String>>,
    /// All fields that are not listed above.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// The change of one layer: scale · B · A.
struct LoraLayer {
    /// rank × inputs.
    a: HostTensor,
    /// outputs × rank.
    b: HostTensor,
    /// The parts of its outputs that this run uses, and the number of equal parts of the outputs.
    used_parts: (BTreeSet<usize>, usize),
}

/// Replaces the initial values of the stack by those of the adapter. If a layer's rank is smaller than the plugin's,
/// the rest of A keeps its random values and the rest of B is 0. The scale alpha / rank is multiplied into B.
///
/// # Errors
/// Returns a Problem for another kind of adapter, layers without LoRA in this run, and incompatible shapes or ranks.
pub fn apply_start(
    mut stack: PetStack,
    start: &PetStart,
    backbone: &dyn Backbone,
) -> Result<PetStack> {
    let config = LoraConfig::read(&start.file_path(ADAPTER_CONFIG))?;
    let alphas = config.alpha_patterns().unwrap_or_default();
    let tensors = weights::open(&start.file_path(ADAPTER_VALUES))?;
    let mut layers = read_layers(&tensors)?;
    let mut values: BTreeMap<String, HostTensor> = BTreeMap::new();
    for block in stack.exported_blocks() {
        for site in &block.sites {
            let names = backbone.layer_names(block.block, site.site);
            let found = names.iter().find_map(|name| {
                let path = layers.keys().find(|module| ends_with_name(module, &name.name))?;
                Some((path.clone(), name))
            });
            let Some((module, name)) = found else {
                continue;
            };
            let Some(layer) = layers.get_mut(&module) else {
                continue;
            };
            let custom_alpha = alphas.iter().find(|(pattern, _)| pattern.is_match(&module));
            let alpha = custom_alpha.map_or(config.lora_alpha, |(_, alpha)| *alpha);
            let scale = config.scale(alpha, layer.a.shape[0]);
            let pet_factors =
                factors(&block, site)?.filter(|factors_of_pet| factors_of_pet.b.len() == 1);
            let pet_factors = pet_factors.ok_or_else(|| no_lora_problem(&stack, site))?;
            for (key, value) in pet_values((&module, scale), name, (&block, &pet_factors), layer)? {
                if let Some(other) = values.insert(key.clone(), value)
                    && values.get(&key) != Some(&other)
                {
                    let what = message!("problem-adapter-shared-parameter", parameter = key);
                    return Err(start_problem(what).advise(message!("advice-use-per-site-plugin")));
                }
            }
            layer.used_parts.0.insert(name.part);
            layer.used_parts.1 = name.parts;
        }
    }
    check_all_used(&layers)?;
    for (key, value) in values {
        let shape = [value.shape[0], value.shape[1]];
        let tensor = Tensor::from_data(TensorData::new(value.values, shape), &backbone.device());
        stack.set(&key, tensor)?;
    }
    Ok(stack)
}

fn start_problem(what: Message) -> Problem {
    Problem::new(what).at("--pet-start")
}

fn no_lora_problem(stack: &PetStack, site: &SitePet<'_>) -> Problem {
    let pet = stack.spec().map_or("PET", |spec| spec.name.as_str());
    let site = site.site.name();
    start_problem(message!("problem-adapter-no-matching-lora", pet, site))
        .advise(message!("advice-choose-lora-plugin"))
}

/// Checks that the adapter in a folder is a plain LoRA, which changes only B · A, scaled by alpha and rank.
///
/// # Errors
/// Returns a Problem with the first field of its configuration that is incompatible or unknown.
pub fn check_start(folder: &Path) -> Result<()> {
    let path = folder.join(ADAPTER_CONFIG);
    let config = LoraConfig::read(&path)?;
    match config.incompatibility() {
        None => Ok(()),
        Some(what) => {
            Err(Problem::new(what).at_path(&path).advise(message!("advice-train-plain-lora")))
        }
    }
}

impl LoraConfig {
    fn read(path: &Path) -> Result<Self> {
        serde_json::from_slice(&PetStart::read(path)?).map_err(|error| {
            Problem::new(message!(
                "problem-adapter-unreadable",
                file = ADAPTER_CONFIG,
                error = error.to_string()
            ))
            .at_path(path)
            .advise(message!("advice-choose-peft-folder"))
        })
    }

    /// Returns the reason why the adapter is not a plain LoRA; `None` if it is one.
    fn incompatibility(&self) -> Option<Message> {
        let kind = |kind: &str| Some(message!("problem-adapter-kind", kind = truncated_name(kind)));
        let field = |name: &str, value: &dyn Display| {
            let value = value.to_string();
            let value = truncated_name(&value);
            message!("problem-adapter-field", field = truncated_name(name), value)
        };
        let trains_bias = self.bias.as_deref().is_some_and(|bias| bias != "none");
        let plain_init = match &self.init_lora_weights {
            Value::Null | Value::Bool(_) => true,
            Value::String(method) => PLAIN_INIT.contains(&method.to_lowercase().as_str()),
            _ => false,
        };
        let saved = self.modules_to_save.iter().flatten();
        let mut saved = saved.filter(|module| !CLASSIFIERS.contains(&module.as_str()));
        if self.peft_type != "LORA" {
            return kind(&self.peft_type);
        }
        if self.use_dora {
            return kind("DoRA");
        }
        if self.lora_bias || trains_bias {
            return Some(message!("problem-adapter-trains-biases"));
        }
        if !plain_init {
            return Some(field("init_lora_weights", &self.init_lora_weights));
        }
        if let Some(module) = saved.next() {
            return Some(field("modules_to_save", module));
        }
        if let Err(pattern) = self.alpha_patterns() {
            return Some(field("alpha_pattern", &pattern));
        }
        let is_empty = |value: &Value| match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        let mut others = self.others.iter();
        let unknown = others
            .find(|(name, value)| !WITHOUT_EFFECT.contains(&name.as_str()) && !is_empty(value));
        unknown.map(|(name, value)| field(name, value))
    }

    /// Returns the values of `alpha_pattern` with their regular expressions, which peft matches against the end of a
    /// module's name, in file order.
    ///
    /// # Errors
    /// Returns the first invalid regular expression, or the first whose value is not a number.
    fn alpha_patterns(&self) -> Result<Vec<(Regex, f64)>, String> {
        let compile = |(pattern, alpha): (&String, &Value)| {
            let regex = Regex::new(&format!(r"^(.*\.)?({pattern})$")).ok();
            regex.zip(alpha.as_f64()).ok_or_else(|| pattern.clone())
        };
        self.alpha_pattern.iter().flatten().map(compile).collect()
    }

    /// Returns the factor of B · A for a layer of this rank.
    fn scale(&self, alpha: f64, rank: usize) -> f64 {
        let rank = rank.max(1) as f64;
        match self.use_rslora {
            true => alpha / rank.sqrt(),
            false => alpha / rank,
        }
    }
}

/// Returns whether the module's path ends with this name.
fn ends_with_name(module: &str, name: &str) -> bool {
    let parent = module.strip_suffix(name);
    parent.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Returns A and B of each module by its path. Other content of the file, such as a classifier, is ignored.
fn read_layers(tensors: &Tensors) -> Result<BTreeMap<String, LoraLayer>> {
    let mut found = BTreeMap::new();
    let suffixes = [".lora_A.weight", ".lora_A.default.weight"];
    for name in tensors.names() {
        let Some(module) = suffixes.iter().find_map(|ending| name.strip_suffix(ending)) else {
            continue;
        };
        let read = |name: &str| -> Result<HostTensor> {
            let shape = tensors.shape(name).unwrap_or_default().to_vec();
            if shape.len() != 2 {
                let what = message!("problem-adapter-no-matrix", name = truncated_name(name));
                return Err(Problem::new(what).at(tensors.origin()));
            }
            let values = tensors.read(name)?;
            Ok(HostTensor { shape, values })
        };
        let (a, b) = (read(name)?, read(&name.replacen(".lora_A.", ".lora_B.", 1))?);
        if a.shape[0] != b.shape[1] {
            let what = message!(
                "problem-adapter-ranks-differ",
                layer = truncated_name(module),
                a = a.shape[0],
                b = b.shape[1]
            );
            return Err(Problem::new(what).at(tensors.origin()));
        }
        let values = a.values.iter().chain(&b.values);
        if !values.clone().all(|value| value.is_finite()) {
            let what = message!("problem-adapter-not-finite", layer = truncated_name(module));
            return Err(Problem::new(what).at(tensors.origin()));
        }
        let module = module.trim_start_matches("base_model.model.");
        let used_parts = (BTreeSet::new(), 1);
        found.insert(module.to_owned(), LoraLayer { a, b, used_parts });
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(Problem::new(message!("problem-adapter-changes-nothing"))
            .at(tensors.origin())
            .advise(message!("advice-choose-peft-folder"))),
    }
}

/// Returns the parameters A and B of the block's PET, by their names in the stack, for a layer of the adapter with this
/// scale.
fn pet_values(
    (module, scale): (&str, f64),
    name: &LayerName,
    (block, pet_factors): (&BlockPet<'_>, &Factors),
    layer: &LoraLayer,
) -> Result<[(String, HostTensor); 2]> {
    let module = truncated_name(module);
    let [a, b] = [pet_factors.a, pet_factors.b[0]].map(|at| &block.parameters[at]);
    let ([inputs, size], [_, width]) = (a.tensor.dims(), b.tensor.dims());
    let (rank, columns) = (layer.a.shape[0], layer.a.shape[1]);
    let (rows, expected_rows) = (layer.b.shape[0], width * name.parts);
    if (columns, rows) != (inputs, expected_rows) {
        let what = message!(
            "problem-adapter-channels",
            layer = module,
            from = columns,
            to = rows,
            inputs,
            outputs = expected_rows
        );
        return Err(start_problem(what).advise(message!("advice-choose-adapter-backbone")));
    }
    let b_at = |row: usize, inner: usize| layer.b.values[(name.part * width + row) * rank + inner];
    let is_nonzero = |inner: &usize| (0..width).any(|row| b_at(row, *inner) != 0.0);
    // In a packed layer, a part can use its own share of the rank.
    let used: Vec<usize> = match rank <= size {
        true => (0..rank).collect(),
        false => (0..rank).filter(is_nonzero).collect(),
    };
    if used.len() > size {
        let what = message!("problem-adapter-rank", layer = module, rank = used.len(), size);
        return Err(
            start_problem(what).advise(message!("advice-use-adapter-rank", rank = used.len()))
        );
    }
    if pet_factors.scale == 0.0 {
        let what = message!("problem-pet-scale-zero", layer = module);
        return Err(start_problem(what).advise(message!("advice-choose-other-scale")));
    }
    let scale = scale / pet_factors.scale;
    let mut pet_a = HostTensor::read(a.tensor)?;
    let mut pet_b = HostTensor::read(b.tensor)?;
    pet_b.values.fill(0.0);
    for (to, &from) in used.iter().enumerate() {
        for input in 0..inputs {
            pet_a.values[input * size + to] = layer.a.values[from * columns + input];
        }
        for row in 0..width {
            pet_b.values[to * width + row] = (f64::from(b_at(row, from)) * scale) as f32;
        }
    }
    Ok([(a.key.to_owned(), pet_a), (b.key.to_owned(), pet_b)])
}

/// Returns a Problem if the adapter has changes that this run's PET cannot represent.
fn check_all_used(layers: &BTreeMap<String, LoraLayer>) -> Result<()> {
    for (module, layer) in layers {
        let (used_parts, parts) = (&layer.used_parts.0, layer.used_parts.1);
        let short_name = truncated_name(module);
        if used_parts.is_empty() {
            let what = message!("problem-adapter-layer-without-pet", layer = short_name);
            return Err(start_problem(what).advise(message!("advice-choose-blocks-and-pet")));
        }
        let part_len = layer.b.values.len() / parts.max(1);
        let is_zero = |part: usize| {
            layer.b.values[part * part_len..(part + 1) * part_len].iter().all(|value| *value == 0.0)
        };
        if let Some(part) = (0..parts).find(|part| !used_parts.contains(part) && !is_zero(*part)) {
            let site = Site::PACKED.get(part).map_or("part", |site| site.name());
            let what = message!("problem-adapter-site-without-pet", site, layer = short_name);
            return Err(start_problem(what).advise(message!("advice-use-lora-all")));
        }
    }
    Ok(())
}
