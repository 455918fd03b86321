//! Converts other programs' names of a ConvNeXt's tensors to timm's.

use crate::backbone::staged::rename_stages;
use crate::backbone::weights::Tensors;

/// Renames the tensors of the original release, transformers and torchvision to timm's names.
pub fn rename_tensors(tensors: Tensors) -> Tensors {
    let mut tensors = rename_layers(tensors);
    // Small networks have 1×1 convolutions in place of linear layers, and other programs store vectors with
    // additional axes of size 1.
    let suffixes = ["mlp.fc1.weight", "mlp.fc2.weight", "mlp.grn.weight", "mlp.grn.bias", "gamma"];
    let has_extra_axes = |name: &str| {
        let max_rank = if name.contains("mlp.fc") { 2 } else { 1 };
        let shape = tensors.shape(name).unwrap_or_default();
        suffixes.iter().any(|end| name.ends_with(end)) && shape.len() > max_rank
    };
    let wide_names = tensors.names().filter(|name| has_extra_axes(name));
    for name in wide_names.map(str::to_owned).collect::<Vec<_>>() {
        if let Some(stored) = tensors.remove(&name) {
            let shape = stored.shape().iter().copied().filter(|side| *side != 1);
            let shape = shape.collect();
            tensors.insert(name, stored.reshape(shape));
        }
    }
    tensors
}

fn rename_layers(tensors: Tensors) -> Tensors {
    let is_transformers = tensors.contains("embeddings.patch_embeddings.weight");
    // DINOv3, which is a ViT, has a first layer with the same name.
    if is_transformers && !tensors.contains("embeddings.cls_token") {
        return from_transformers(tensors);
    }
    if tensors.contains("features.1.0.block.0.weight") {
        return from_torchvision(tensors);
    }
    if !tensors.contains("downsample_layers.0.0.weight") {
        return tensors;
    }
    tensors.rename(|name| {
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

fn from_transformers(tensors: Tensors) -> Tensors {
    let replacements = [
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
    let tensors = tensors.replace_in_names(&replacements, &[]);
    tensors.rename(|name| {
        Some(match name.strip_prefix("norm.") {
            Some(kind) => format!("head.norm.{kind}"),
            None => name.to_owned(),
        })
    })
}

fn from_torchvision(tensors: Tensors) -> Tensors {
    let replacements = [
        ("features.0.", "stem."),
        (".layer_scale", ".gamma"),
        (".block.0.", ".conv_dw."),
        (".block.2.", ".norm."),
        (".block.3.", ".mlp.fc1."),
        (".block.5.", ".mlp.fc2."),
        ("classifier.0.", "head.norm."),
        ("classifier.", "head.classifier."),
    ];
    rename_stages(tensors.replace_in_names(&replacements, &[]), "stages")
}
