//! `--format onnx`: the whole network as one file, from pixels in [0, 1] to scores and probabilities.

mod equations;

use std::collections::BTreeMap;

use super::model::{Files, Model};
use super::preprocessing;
use super::text::title;
use crate::backbone::graph::{GraphHooks, GraphParts};
use crate::message;
use crate::method::{AnswerRule, CosinePart, LogitSource, TEMPERATURE};
use crate::onnx::{Attribute, Dimension, Graph, OPSET, Value};
use crate::pet::{BlockPet, BlockShape, PetStack, Site};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Largest size of a file in this format.
const MAX_FILE_BYTES: usize = 2_000_000_000;

/// The PETs in one of the model's networks.
struct Pets<'a> {
    network: &'a str,
    shapes: &'a [BlockShape],
    blocks: BTreeMap<usize, BlockPet<'a>>,
}

impl<'a> Pets<'a> {
    fn new(network: &'a str, stack: &'a PetStack, shapes: &'a [BlockShape]) -> Self {
        let blocks = stack.exported_blocks().into_iter();
        Self { network, shapes, blocks: blocks.map(|block| (block.block, block)).collect() }
    }
}

impl GraphHooks for Pets<'_> {
    fn uses(&self, block: usize, site: Site) -> bool {
        let sites = self.blocks.get(&block).map(|block| &block.sites);
        sites.is_some_and(|sites| sites.iter().any(|site_pet| site_pet.site == site))
    }

    fn apply(
        &self,
        graph: &mut Graph,
        (block, site): (usize, Site),
        inputs: &[&Value],
        weight: &dyn Fn(&mut Graph) -> Result<Value>,
    ) -> Result<Value> {
        let pet = self.blocks.get(&block);
        let found = pet
            .and_then(|pet| Some((pet, pet.sites.iter().find(|site_pet| site_pet.site == site)?)));
        let (pet, site_pet) = found.ok_or_else(|| Problem::new("no PET acts at this site"))?;
        let mut inputs = inputs.to_vec();
        let weight = site_pet.reads_weight().then(|| weight(graph)).transpose()?;
        inputs.extend(&weight);
        let channels = site.channels(&self.shapes[block]);
        equations::write_equation(graph, self.network, pet, site_pet, &inputs, channels)
    }
}

/// Returns all files of the folder.
pub fn files(model: &Model<'_>) -> Result<Files> {
    let weights = model.weights()?.into_named()?;
    check_size(weights.values().map(|tensor| 4 * tensor.values.len()).sum())?;
    let mut graph = Graph::default();
    let side = model.predictor.input_size();
    let classes = model.predictor.classes().len();
    let images = [
        Dimension::Named("N"),
        Dimension::Fixed(3),
        Dimension::Fixed(side),
        Dimension::Fixed(side),
    ];
    let images = graph.input("images", &images);
    let images = normalise(model, &mut graph, &images);
    let mut features = Vec::new();
    let architecture = &model.predictor.backbone().entry.architecture;
    let shapes = architecture.blocks();
    for (name, stack) in &model.recipe.networks {
        let pets = Pets::new(name, stack, &shapes);
        let mut parts = GraphParts { graph: &mut graph, weights: &weights, hooks: &pets };
        features.push(architecture.build_graph(&mut parts, &images)?);
    }
    // The graph has its own copy.
    drop(weights);
    let (scores, probabilities) =
        classify(&mut graph, &model.recipe.answer_rule, &features, classes);
    let probabilities =
        merge_repeated_classes(&mut graph, &probabilities, &model.repeated_classes(), classes);
    let outputs = [Dimension::Named("N"), Dimension::Fixed(classes)];
    graph.output(&scores, "scores", &outputs);
    graph.output(&probabilities, "probabilities", &outputs);
    let bytes = graph.into_bytes("LAE Studio", &title(model));
    // The PETs of many networks and the prototypes may add much to the backbone.
    check_size(bytes.len())?;
    Ok(vec![
        ("model.onnx".into(), bytes),
        ("preprocessing.json".into(), preprocessing::preprocessing_json(model, true)?),
        ("prepare.py".into(), preprocessing::prepare_module()),
        ("classes.json".into(), preprocessing::classes_json(model)?),
        ("README.md".into(), readme(model).into_bytes()),
    ])
}

/// Returns a Problem for a file of more bytes than the format allows.
fn check_size(bytes: usize) -> Result<()> {
    match bytes > MAX_FILE_BYTES {
        true => Err(Problem::new(message!("problem-export-onnx-too-large"))
            .advise(message!("advice-use-torch-format"))),
        false => Ok(()),
    }
}

fn normalise(model: &Model<'_>, graph: &mut Graph, images: &Value) -> Value {
    let scale = model.predictor.backbone().normalisation;
    let mean = graph.weight("mean", &[1, 3, 1, 1], || scale.mean.to_vec());
    let std = graph.weight("std", &[1, 3, 1, 1], || scale.std.to_vec());
    let centered = graph.binary("Sub", images, &mean);
    graph.binary("Div", &centered, &std)
}

fn add_weight(graph: &mut Graph, name: &str, tensor: &HostTensor) -> Value {
    graph.weight(name, &tensor.shape, || tensor.values.clone())
}

/// Adds the operations from features to scores and probabilities.
fn classify(
    graph: &mut Graph,
    reading: &AnswerRule,
    features: &[Value],
    classes: usize,
) -> (Value, Value) {
    match reading {
        AnswerRule::Linear { weight, bias, experts } => {
            let weight = add_weight(graph, "head.weight", weight);
            let bias = add_weight(graph, "head.bias", bias);
            let mut logits = Vec::new();
            for features in features {
                let product = graph.binary("MatMul", features, &weight);
                logits.push(graph.binary("Add", &product, &bias));
            }
            match experts.last().map_or(LogitSource::Network(0), |(_, voice)| *voice) {
                LogitSource::Network(at) => (logits[at].clone(), graph.softmax(&logits[at])),
                LogitSource::Maximum(indices) => {
                    let mut larger = |operator: &str| {
                        let attributes = [("axis", Attribute::Int(-1))];
                        let [a, b] =
                            indices.map(|at| graph.op(operator, &[&logits[at]], &attributes));
                        graph.binary("Max", &a, &b)
                    };
                    (larger("LogSoftmax"), larger("Softmax"))
                }
            }
        }
        AnswerRule::Cosine { parts, absent } => {
            let scores = cosine_scores(graph, parts, features);
            let scores = mask_scores(graph, &scores, absent, -1.0, classes);
            let probabilities = temperature_softmax(graph, &scores);
            (scores, probabilities)
        }
        AnswerRule::Projected { projection, weight, empty } => {
            let projection = add_weight(graph, "projection", projection);
            let weight = add_weight(graph, "ridge", &weight.transposed());
            let hidden = graph.binary("MatMul", &features[0], &projection);
            let hidden = graph.op("Relu", &[&hidden], &[]);
            let scores = graph.binary("MatMul", &hidden, &weight);
            let empty_classes: Vec<usize> = empty.iter().map(|(class, _)| *class).collect();
            let masked = mask_scores(graph, &scores, &empty_classes, f32::NEG_INFINITY, classes);
            let probabilities = temperature_softmax(graph, &masked);
            let replacement = |class: usize| {
                empty
                    .iter()
                    .find(|(empty_class, _)| *empty_class == class)
                    .map_or(class, |(_, original)| *original)
            };
            let columns: Vec<usize> = (0..classes).map(replacement).collect();
            (select_columns(graph, &masked, &columns), probabilities)
        }
    }
}

fn cosine_scores(graph: &mut Graph, parts: &[CosinePart], features: &[Value]) -> Value {
    let mut sum: Option<Value> = None;
    for (at, part) in parts.iter().enumerate() {
        let inputs: Vec<&Value> = part.networks.iter().map(|network| &features[*network]).collect();
        let inputs = graph.concat(&inputs, -1);
        let attributes = [("axes", Attribute::Ints(&[-1])), ("keepdims", Attribute::Int(1))];
        let length = graph.op("ReduceL2", &[&inputs], &attributes);
        let epsilon = graph.scalar(1e-12);
        let length = graph.binary("Max", &length, &epsilon);
        let unit = graph.binary("Div", &inputs, &length);
        let rows = add_weight(graph, &format!("prototypes {at}"), &part.rows.transposed());
        let cosines = graph.binary("MatMul", &unit, &rows);
        sum = Some(match sum {
            Some(sum) => graph.binary("Add", &sum, &cosines),
            None => cosines,
        });
    }
    sum.unwrap_or_else(|| graph.scalar(0.0))
}

/// Adds a number to the scores of some classes.
fn mask_scores(
    graph: &mut Graph,
    scores: &Value,
    masked_classes: &[usize],
    number: f32,
    classes: usize,
) -> Value {
    if masked_classes.is_empty() {
        return scores.clone();
    }
    let value = |class: usize| {
        if masked_classes.contains(&class) { number } else { 0.0 }
    };
    let mask = graph.weight("mask", &[1, classes], || (0..classes).map(value).collect());
    graph.binary("Add", scores, &mask)
}

/// Adds the softmax that LAE Studio shows for scores that are not logits.
fn temperature_softmax(graph: &mut Graph, scores: &Value) -> Value {
    let temperature = graph.scalar(f64::from(TEMPERATURE));
    let sharpened = graph.binary("Div", scores, &temperature);
    graph.softmax(&sharpened)
}

/// Selects columns.
fn select_columns(graph: &mut Graph, x: &Value, indices: &[usize]) -> Value {
    if indices.iter().enumerate().all(|(at, index)| at == *index) {
        return x.clone();
    }
    let indices: Vec<i64> = indices.iter().map(|index| *index as i64).collect();
    let indices = graph.ints(&indices);
    graph.op("Gather", &[x, &indices], &[("axis", Attribute::Int(-1))])
}

/// Adds the operations that give a class learned twice the higher of its two scores.
fn merge_repeated_classes(
    graph: &mut Graph,
    probabilities: &Value,
    repeated_classes: &[(usize, usize)],
    classes: usize,
) -> Value {
    let mut probabilities = probabilities.clone();
    for (repeated, original) in repeated_classes {
        // Each class with itself, but a known class with its second output.
        let indices: Vec<usize> =
            (0..classes).map(|class| if class == *original { *repeated } else { class }).collect();
        let other = select_columns(graph, &probabilities, &indices);
        let larger = graph.binary("Max", &probabilities, &other);
        let keep = |class: usize| if class == *repeated { 0.0 } else { 1.0 };
        let name = format!("kept without {repeated}");
        let keep = graph.weight(&name, &[1, classes], || (0..classes).map(keep).collect());
        probabilities = graph.binary("Mul", &larger, &keep);
    }
    probabilities
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
         `preprocessing.json`. `check.safetensors` contains two noise images and LAE Studio's outputs for them.\n",
        title(model)
    )
}
