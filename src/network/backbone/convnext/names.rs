//! Converts other programs' names of a ConvNeXt's tensors to timm's.

use crate::backbone::staged::with_stages;
use crate::backbone::weights::Tensors;

/// Renames the tensors of the original release, transformers and torchvision to timm's names.
pub fn renamed(tensors: Tensors) -> Tensors {
    let mut tensors = respelled(tensors);
    // Small networks have 1×1 convolutions in place of linear layers, and other programs store vectors with
    // additional axes of size 1.
    let ends = [
        "mlp.fc1.weight",
        "mlp.fc2.weight",
        "mlp.grn.weight",
        "mlp.grn.bias",
        "gamma",
    ];
    let is_wide = |name: &str| {
        let most = if name.contains("mlp.fc") { 2 } else { 1 };
        let shape = tensors.shape(name).unwrap_or_default();
        ends.iter().any(|end| name.ends_with(end)) && shape.len() > most
    };
    let wide = tensors.names().filter(|name| is_wide(name));
    for name in wide.map(str::to_owned).collect::<Vec<_>>() {
        if let Some(stored) = tensors.remove(&name) {
            let shape = stored.shape().iter().copied().filter(|side| *side != 1);
            let shape = shape.collect();
            tensors.insert(name, stored.reshaped(shape));
        }
    }
    tensors
}

fn respelled(tensors: Tensors) -> Tensors {
    let is_transformers = tensors.has("embeddings.patch_embeddings.weight");
    // DINOv3, which is a ViT, has a first layer with the same name.
    if is_transformers && !tensors.has("embeddings.cls_token") {
        return transformers(tensors);
    }
    if tensors.has("features.1.0.block.0.weight") {
        return torchvision(tensors);
    }
    if !tensors.has("downsample_layers.0.0.weight") {
        return tensors;
    }
    tensors.renamed(|name| {
        let name = name
            .replace("dwconv", "conv_dw")
            .replace("pwconv", "mlp.fc")
            .replace("grn.gamma", "mlp.grn.weight")
            .replace("grn.beta", "mlp.grn.bias");
        let parts: Vec<&str> = name.split('.').collect();
        Some(match parts.as_slice() {
            ["downsample_layers", "0", rest @ ..] => format!("stem.{}", rest.join(".")),
            ["downsample_layers", stage, rest @ ..] => {
                format!("stages.{stage}.downsample.{}", rest.join("."))
            }
            ["stages", stage, block, rest @ ..] => {
                format!("stages.{stage}.blocks.{block}.{}", rest.join("."))
            }
            ["norm", rest @ ..] => format!("head.norm.{}", rest.join(".")),
            _ => name,
        })
    })
}

fn transformers(tensors: Tensors) -> Tensors {
    let swaps = [
        ("embeddings.patch_embeddings.", "stem.0."),
        ("embeddings.layernorm.", "stem.1."),
        ("encoder.stages.", "stages."),
        (".downsampling_layer.", ".downsample."),
        (".layers.", ".blocks."),
        ("dwconv", "conv_dw"),
        ("layernorm", "norm"),
        ("pwconv", "mlp.fc"),
        ("layer_scale_parameter", "gamma"),
        (".grn.", ".mlp.grn."),
    ];
    let tensors = tensors.respelled(&swaps, &[]);
    tensors.renamed(|name| {
        Some(match name.strip_prefix("norm.") {
            Some(kind) => format!("head.norm.{kind}"),
            None => name.to_owned(),
        })
    })
}

fn torchvision(tensors: Tensors) -> Tensors {
    let swaps = [
        ("features.0.", "stem."),
        (".layer_scale", ".gamma"),
        (".block.0.", ".conv_dw."),
        (".block.2.", ".norm."),
        (".block.3.", ".mlp.fc1."),
        (".block.5.", ".mlp.fc2."),
        ("classifier.0.", "head.norm."),
        ("classifier.", "head.classifier."),
    ];
    with_stages(tensors.respelled(&swaps, &[]), "stages")
}
