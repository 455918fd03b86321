//! `--format torch`: `weights.safetensors`, and `model.py`, which builds timm's network, applies the PETs by their
//! equations and predicts like the run.

mod answers;
mod equations;
mod file;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::model::{Files, Model};
use super::preprocessing;
use super::text::one_line;
use crate::backbone::torch::{ActiveSites, TorchSource};
use crate::problem::Result;
use crate::tensors::{NamedTensors, to_bytes};

/// The PETs of the model as Python code.
struct PetText {
    /// The functions used in the equations, and one class for each kind of block.
    text: String,
    /// The class of each block.
    classes: BTreeMap<usize, String>,
}

/// Returns all files of the folder.
pub fn files(model: &Model<'_>) -> Result<Files> {
    let pets = write_pets(model);
    let network = write_network(model)?;
    let text = file::model_text(model, &network, &pets);
    let weights =
        to_bytes(&collect_tensors(model)?, HashMap::from([("format".into(), "pt".into())]))?;
    Ok(vec![
        ("weights.safetensors".into(), weights),
        ("model.py".into(), text.into_bytes()),
        ("preprocessing.json".into(), preprocessing::preprocessing_json(model, true)?),
        ("classes.json".into(), preprocessing::classes_json(model)?),
        ("README.md".into(), file::readme(model).into_bytes()),
    ])
}

/// Returns the backbone as Python code, with the sites of the model's PETs.
fn write_network(model: &Model<'_>) -> Result<TorchSource> {
    let mut acting = ActiveSites::new();
    for (_, stack) in &model.recipe.networks {
        for site in stack.exported_blocks().iter().flat_map(|block| &block.sites) {
            *acting.entry(site.site).or_default() |= site.reads_weight();
        }
    }
    let entry = &model.predictor.backbone().entry;
    entry.architecture.to_torch(&one_line(&entry.name), &acting)
}

/// Returns the PETs as Python code. All networks with PETs use the same plugin in the same blocks.
fn write_pets(model: &Model<'_>) -> PetText {
    let stacks = model.recipe.networks.iter().map(|(_, stack)| stack);
    let Some(stack) = stacks.into_iter().find(|stack| stack.spec().is_some()) else {
        return PetText { text: String::new(), classes: BTreeMap::new() };
    };
    let name = stack.spec().map_or(String::new(), |spec| one_line(&spec.name));
    let mut written_classes: Vec<(String, String)> = Vec::new();
    let (mut calls, mut classes) = (BTreeSet::new(), BTreeMap::new());
    for block in stack.exported_blocks() {
        let docstring = format!("{name} in one block, by the equations of its plugin.");
        // Blocks of the same kind share a class.
        let (body, called) = equations::write_class("Pet", &block, &docstring);
        calls.extend(called);
        let at = written_classes.iter().position(|(_, other)| *other == body);
        let at = at.unwrap_or_else(|| {
            let class = match written_classes.len() {
                0 => "Pet".to_owned(),
                n => format!("Pet{}", n + 1),
            };
            written_classes.push((class, body));
            written_classes.len() - 1
        });
        classes.insert(block.block, written_classes[at].0.clone());
    }
    let mut text = equations::python_functions(&calls);
    for (class, body) in written_classes {
        text += &body.replacen("class Pet(", &format!("class {class}("), 1);
        text += "\n\n";
    }
    PetText { text, classes }
}

/// Returns all tensors by their names in `model.py`.
fn collect_tensors(model: &Model<'_>) -> Result<NamedTensors> {
    let mut named = NamedTensors::new();
    model.weights()?.write("network", &mut named)?;
    for (network, stack) in &model.recipe.networks {
        for block in stack.exported_blocks() {
            for (name, values) in equations::parameter_values(&block)? {
                named.insert(format!("pets.{network}.{}.{name}", block.block), values);
            }
        }
    }
    answers::add_tensors(&model.recipe.answer_rule, &mut named);
    Ok(named)
}
