//! `--format onnx`: the whole network as one file, from pixels in [0, 1] to scores and probabilities.

mod equations;

use std::collections::BTreeMap;

use super::model::{Files, Model};
use super::prepared;
use super::words::title;
use crate::backbone::graph::{GraphHooks, GraphParts};
use crate::message;
use crate::method::{AnswerRule, CosinePart, LogitSource, TEMPERATURE};
use crate::onnx::{Attribute, Graph, Length, OPSET, Value};
use crate::pet::{BlockPet, PetStack, Site};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Largest size of a file in this format.
const MOST_BYTES: usize = 2_000_000_000;

/// The PETs in one of the model's networks.
struct Pets<'a> {
    network: &'a str,
    blocks: BTreeMap<usize, BlockPet<'a>>,
}

impl<'a> Pets<'a> {
    fn new(network: &'a str, stack: &'a PetStack) -> Self {
        let blocks = stack.exported_blocks().into_iter();
        Self {
            network,
            blocks: blocks.map(|block| (block.block, block)).collect(),
        }
    }
}

impl GraphHooks for Pets<'_> {
    fn uses(&self, block: usize, site: Site) -> bool {
        let sites = self.blocks.get(&block).map(|block| &block.sites);
        sites.is_some_and(|sites| sites.iter().any(|own| own.site == site))
    }

    fn around(
        &self,
        graph: &mut Graph,
        (block, site): (usize, Site),
        inputs: &[&Value],
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value> {
        let pet = self.blocks.get(&block);
        let found = pet.and_then(|pet| Some((pet, pet.sites.iter().find(|own| own.site == site)?)));
        let (pet, own) = found.ok_or_else(|| Problem::new("no PET acts at this site"))?;
        let mut inputs = inputs.to_vec();
        let weight = own.reads_weight().then(|| weight(graph)).transpose()?;
        inputs.extend(&weight);
        equations::written(graph, self.network, pet, own, &inputs)
    }
}

/// Returns all files of the folder.
pub fn files(model: &Model<'_>) -> Result<Files> {
    let weights = model.weights()?.into_named()?;
    let bytes: usize = weights.values().map(|tensor| 4 * tensor.values.len()).sum();
    if bytes > MOST_BYTES {
        return Err(Problem::new(message!("problem-export-onnx-too-large"))
            .advise(message!("advice-use-torch-format")));
    }
    let mut graph = Graph::default();
    let side = model.predictor.input_size();
    let classes = model.predictor.classes().len();
    let images = [
        Length::Any("N"),
        Length::Is(3),
        Length::Is(side),
        Length::Is(side),
    ];
    let images = graph.input("images", &images);
    let images = normalised(model, &mut graph, &images);
    let mut features = Vec::new();
    for (name, stack) in &model.recipe.networks {
        let pets = Pets::new(name, stack);
        let mut parts = GraphParts {
            graph: &mut graph,
            weights: &weights,
            hooks: &pets,
        };
        let architecture = &model.predictor.backbone().entry.architecture;
        features.push(architecture.graph(&mut parts, &images)?);
    }
    // The graph has its own copy.
    drop(weights);
    let (scores, shares) = read(&mut graph, &model.recipe.reading, &features, classes);
    let shares = merge_repeated_classes(&mut graph, &shares, &model.repeated_classes(), classes);
    let outputs = [Length::Any("N"), Length::Is(classes)];
    graph.output(&scores, "scores", &outputs);
    graph.output(&shares, "probabilities", &outputs);
    Ok(vec![
        ("model.onnx".into(), graph.file("LAE Studio", &title(model))),
        (
            "preprocessing.json".into(),
            prepared::preparation(model, true)?,
        ),
        ("prepare.py".into(), prepared::module()),
        ("classes.json".into(), prepared::classes(model)?),
        ("README.md".into(), readme(model).into_bytes()),
    ])
}

fn normalised(model: &Model<'_>, graph: &mut Graph, images: &Value) -> Value {
    let scale = model.predictor.backbone().normalisation;
    let mean = graph.weight("mean", &[1, 3, 1, 1], || scale.mean.to_vec());
    let std = graph.weight("std", &[1, 3, 1, 1], || scale.std.to_vec());
    let moved = graph.pair("Sub", images, &mean);
    graph.pair("Div", &moved, &std)
}

fn stored(graph: &mut Graph, name: &str, tensor: &HostTensor) -> Value {
    graph.weight(name, &tensor.shape, || tensor.values.clone())
}

/// Adds the operations from features to scores and probabilities.
fn read(
    graph: &mut Graph,
    reading: &AnswerRule,
    features: &[Value],
    classes: usize,
) -> (Value, Value) {
    match reading {
        AnswerRule::Linear {
            weight,
            bias,
            experts,
        } => {
            let weight = stored(graph, "head.weight", weight);
            let bias = stored(graph, "head.bias", bias);
            let mut logits = Vec::new();
            for features in features {
                let product = graph.pair("MatMul", features, &weight);
                logits.push(graph.pair("Add", &product, &bias));
            }
            match experts
                .last()
                .map_or(LogitSource::Of(0), |(_, voice)| *voice)
            {
                LogitSource::Of(at) => (logits[at].clone(), graph.softmax(&logits[at])),
                LogitSource::Larger(both) => {
                    let mut larger = |operator: &str| {
                        let told = [("axis", Attribute::Int(-1))];
                        let [a, b] = both.map(|at| graph.op(operator, &[&logits[at]], &told));
                        graph.pair("Max", &a, &b)
                    };
                    (larger("LogSoftmax"), larger("Softmax"))
                }
            }
        }
        AnswerRule::Cosine { parts, absent } => {
            let scores = cosines(graph, parts, features);
            let scores = masked(graph, &scores, absent, -1.0, classes);
            let shares = temperature_softmax(graph, &scores);
            (scores, shares)
        }
        AnswerRule::Projected {
            projection,
            weight,
            empty,
        } => {
            let projection = stored(graph, "projection", projection);
            let weight = stored(graph, "ridge", &weight.transposed());
            let hidden = graph.pair("MatMul", &features[0], &projection);
            let hidden = graph.op("Relu", &[&hidden], &[]);
            let scores = graph.pair("MatMul", &hidden, &weight);
            let own: Vec<usize> = empty.iter().map(|(own, _)| *own).collect();
            let hidden = masked(graph, &scores, &own, f32::NEG_INFINITY, classes);
            let shares = temperature_softmax(graph, &hidden);
            let of = |class: usize| {
                empty
                    .iter()
                    .find(|(own, _)| *own == class)
                    .map_or(class, |(_, of)| *of)
            };
            (
                columns(graph, &hidden, &(0..classes).map(of).collect::<Vec<_>>()),
                shares,
            )
        }
    }
}

fn cosines(graph: &mut Graph, parts: &[CosinePart], features: &[Value]) -> Value {
    let mut sum: Option<Value> = None;
    for (at, part) in parts.iter().enumerate() {
        let own: Vec<&Value> = part
            .networks
            .iter()
            .map(|network| &features[*network])
            .collect();
        let own = graph.join(&own, -1);
        let told = [
            ("axes", Attribute::Ints(&[-1])),
            ("keepdims", Attribute::Int(1)),
        ];
        let length = graph.op("ReduceL2", &[&own], &told);
        let least = graph.number(1e-12);
        let length = graph.pair("Max", &length, &least);
        let unit = graph.pair("Div", &own, &length);
        let rows = stored(graph, &format!("prototypes {at}"), &part.rows.transposed());
        let cosines = graph.pair("MatMul", &unit, &rows);
        sum = Some(match sum {
            Some(sum) => graph.pair("Add", &sum, &cosines),
            None => cosines,
        });
    }
    sum.unwrap_or_else(|| graph.number(0.0))
}

/// Adds a number to the scores of some classes.
fn masked(graph: &mut Graph, scores: &Value, of: &[usize], number: f32, classes: usize) -> Value {
    if of.is_empty() {
        return scores.clone();
    }
    let value = |class: usize| if of.contains(&class) { number } else { 0.0 };
    let mask = graph.weight("mask", &[1, classes], || (0..classes).map(value).collect());
    graph.pair("Add", scores, &mask)
}

/// Adds the softmax that LAE Studio shows for scores that are not logits.
fn temperature_softmax(graph: &mut Graph, scores: &Value) -> Value {
    let temperature = graph.number(f64::from(TEMPERATURE));
    let sharpened = graph.pair("Div", scores, &temperature);
    graph.softmax(&sharpened)
}

/// Selects columns.
fn columns(graph: &mut Graph, x: &Value, places: &[usize]) -> Value {
    if places.iter().enumerate().all(|(at, place)| at == *place) {
        return x.clone();
    }
    let places: Vec<i64> = places.iter().map(|place| *place as i64).collect();
    let places = graph.ints(&places);
    graph.op("Gather", &[x, &places], &[("axis", Attribute::Int(-1))])
}

/// Adds the operations that give a class learned twice the higher of its two scores.
fn merge_repeated_classes(
    graph: &mut Graph,
    shares: &Value,
    again: &[(usize, usize)],
    classes: usize,
) -> Value {
    let mut shares = shares.clone();
    for (own, of) in again {
        // Each class with itself, but a known class with its second output.
        let places: Vec<usize> = (0..classes)
            .map(|class| if class == *of { *own } else { class })
            .collect();
        let other = columns(graph, &shares, &places);
        let larger = graph.pair("Max", &shares, &other);
        let keep = |class: usize| if class == *own { 0.0 } else { 1.0 };
        let name = format!("kept without {own}");
        let keep = graph.weight(&name, &[1, classes], || (0..classes).map(keep).collect());
        shares = graph.pair("Mul", &larger, &keep);
    }
    shares
}

fn readme(model: &Model<'_>) -> String {
    format!(
        "# {}\n\n`model.onnx` (opset {OPSET}) takes `images`, with pixels in [0, 1] as described in `preprocessing.json`, and returns `scores` \
         and `probabilities` for the classes in `classes.json`, in that order.\n\n```\npip install onnxruntime numpy pillow\n```\n\n\
         ```python\nimport numpy\nimport onnxruntime\nfrom prepare import prepare\n\
         session = onnxruntime.InferenceSession(\"model.onnx\")\n\
         images = numpy.stack([prepare(\"image.png\")])\n\
         scores, probabilities = session.run(None, {{\"images\": images}})\n```\n\n`images` is a float32 array of \
         N × 3 × size × size. `prepare.py` prepares images as LAE Studio does; other software must follow \
         `preprocessing.json`. `check.safetensors` contains two noise images and LAE Studio's answers for them.\n",
        title(model)
    )
}
