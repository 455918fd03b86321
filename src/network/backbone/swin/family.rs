//! The description of the family, and the inference of a Swin's dimensions.

use std::sync::Arc;

use super::{Config, torch};
use crate::backbone::architecture::{
    Architecture, Dimensions, Family, InferredArchitecture, SavedTensors,
};
use crate::backbone::arguments::ArchitectureValues;
use crate::backbone::block::biases::{self, TABLE};
use crate::backbone::graph::GraphParts;
use crate::backbone::limits::find_implausible;
use crate::backbone::loader::WeightLoader;
use crate::backbone::normalisation::Normalisation;
use crate::backbone::staged::{self, Staged, per_block};
use crate::backbone::torch::{ActiveSites, TorchSource};
use crate::backbone::weights::Tensors;
use crate::backbone::{Backbone, BlockShape, TokenCounts};
use crate::counts::count_with_noun;
use crate::message;
use crate::onnx::Value;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// The description of the family.
pub static FAMILY: Family = Family {
    name: "swin",
    title: "Swin",
    default_network: "swin_base_patch4_window7_224.ms_in22k",
    keys: &["patch", "width", "depths", "heads", "window", "mlp_ratio", "v2", "trained_window"],
    // LAE uses 10 of 24 blocks.
    pet_blocks: 10,
    mixing: 0,
    saved: SavedTensors {
        // One more than in a ViT, because the partition into windows is a copy.
        kernels: [6.0, 1.0],
        framework: [10.0, 3.0],
    },
    assumed_normalisation: Normalisation::ASSUMED_IMAGENET,
    read: |values| read_config(values).map(Architecture::new),
    infer: |tensors| Ok(infer_from_shapes(tensors)),
    first_tensors: &["patch_embed.proj.weight", "features.0.0.weight"],
    rename_tensors: |tensors| Ok(rename_tensors(tensors)),
    trial: || Architecture::new(Config::new((32, 4, 4), 24, vec![2, 2], vec![3, 6])),
};

impl Dimensions for Config {
    fn family(&self) -> &'static Family {
        &FAMILY
    }

    fn input_size(&self) -> usize {
        self.input_size
    }

    fn epsilon(&self) -> f64 {
        self.epsilon
    }

    fn inconsistency(&self) -> Option<String> {
        let (stages, heads) = (self.depths.len(), self.heads.len());
        if stages == 0 || stages != heads {
            let heads = count_with_noun(heads, "number");
            let depths = count_with_noun(stages, "depth");
            return Some(format!("{depths} and {heads} of heads; there must be one per stage"));
        }
        let (input_size, patch) = (self.input_size, self.patch);
        let sizes = [input_size, patch, self.width, self.window, self.hidden(0)];
        find_implausible(&[&sizes, self.heads.as_slice()].concat(), &self.depths).or_else(|| {
            let odd = |stage: &usize| !self.stage_width(*stage).is_multiple_of(self.heads[*stage]);
            if let Some(stage) = (0..stages).find(odd) {
                let (width, heads) = (self.stage_width(stage), self.heads[stage]);
                return Some(format!(
                    "width {width} of stage {stage} is not a multiple of {heads} heads"
                ));
            }
            (!input_size.is_multiple_of(patch))
                .then(|| format!("input size {input_size} is not a multiple of patch {patch}"))
        })
    }

    fn blocks(&self) -> Vec<BlockShape> {
        per_block(&self.depths, |stage| self.shape(stage))
    }

    fn token_counts(&self) -> Vec<TokenCounts> {
        per_block(&self.depths, |stage| {
            let side = self.map_side(stage);
            TokenCounts { tokens: side * side, attended: self.window.min(side).pow(2) }
        })
    }

    fn resize_tensor(&self, name: &str, stored: HostTensor) -> HostTensor {
        let stage = name.split('.').nth(1).and_then(|stage| stage.parse().ok());
        match stage.filter(|_| name.ends_with(TABLE)) {
            Some(stage) => biases::resize_table(stored, self.stage_window(stage)),
            None => stored,
        }
    }

    fn to_torch(&self, name: &str, active_sites: &ActiveSites) -> Result<TorchSource> {
        torch::network_source(self, name, active_sites)
    }

    fn build_graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
        staged::graph::features(&self.staged_form(), parts, images)
    }

    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone> {
        let architecture = Architecture::new(self.clone());
        Arc::new(Staged::build(architecture, self.staged_form(), loader))
    }
}

fn read_config(values: &ArchitectureValues) -> Result<Config> {
    let input_size = values.input_size()?;
    let patch = values.size("patch", "patch_size", 4)?;
    let window = values.size("window", "window_size", 7)?;
    let width = values.size("width", "embed_dim", 96)?;
    let depths = values.sizes("depths", "depths", &[2, 2, 6, 2])?;
    let heads = values.sizes("heads", "num_heads", &[3, 6, 12, 24])?;
    let base = Config::new((input_size, patch, window), width, depths, heads);
    Ok(Config {
        mlp_ratio: values.float("mlp_ratio", "mlp_ratio", base.mlp_ratio)?,
        epsilon: values.float("epsilon", "norm_eps", base.epsilon)?,
        v2: values.flag("v2", "", false)?,
        trained_window: values.optional_size("trained_window", "")?,
        ..base
    })
}

/// Returns the dimensions with the windows that the tables of relative positions determine, the heads, and the smallest
/// input size for which the windows have this size.
fn with_inferred_windows(base: Config, tensors: &Tensors) -> Option<Config> {
    let table = |stage: usize| {
        let name = format!("layers.{stage}.blocks.0.{TABLE}");
        let &[cells, heads] = tensors.shape(&name)? else {
            return None;
        };
        Some((cells.isqrt().div_ceil(2), heads))
    };
    let stages = base.depths.len();
    let tables = (0..stages).map(table).collect::<Option<Vec<_>>>()?;
    let (window, _) = *tables.first()?;
    // If a stage has a smaller window than the first one, it is the whole map of that stage.
    let map = (tables.iter().enumerate()).find(|(_, (side, _))| *side < window);
    let (side, stage) = map.map_or((window, stages - 1), |(stage, (side, _))| (*side, stage));
    let size = 1usize.checked_shl(stage as u32)?;
    Some(Config {
        window,
        heads: tables.iter().map(|(_, heads)| *heads).collect(),
        input_size: side.checked_mul(size)?.checked_mul(base.patch)?,
        ..base
    })
}

/// Returns the dimensions of a Swin V2 with the stated windows, because its tensors do not determine them, and the
/// heads; the window is 0 if it is not stated.
fn with_stated_windows(
    base: Config,
    tensors: &Tensors,
    stated: &ArchitectureValues,
) -> Option<Config> {
    let heads = |stage: usize| {
        let name = format!("layers.{stage}.blocks.0.attn.logit_scale");
        tensors.shape(&name)?.first().copied()
    };
    let name = stated.timm_text("timm").unwrap_or_default();
    // For example, swinv2_base_window12to16_192to256 was trained with windows of 12 and is used with windows of 16.
    let sides = name
        .split_once("window")
        .map_or("", |(_, rest)| rest.split('_').next().unwrap_or_default());
    let [trained, window] = match sides.split_once("to") {
        Some((trained, window)) => [trained, window],
        None => ["", sides],
    }
    .map(|side| side.parse::<usize>().ok());
    Some(Config {
        window: stated.timm_size("window_size").or(window).unwrap_or(0),
        heads: (0..base.depths.len()).map(heads).collect::<Option<_>>()?,
        input_size: 256,
        v2: true,
        trained_window: stated.timm_size("trained_window").or(trained),
        ..base
    })
}

/// Returns a Swin with these tensors; `None` if it is not a Swin.
fn infer_from_shapes(tensors: &Tensors) -> Option<InferredArchitecture> {
    let tensors = rename_tensors(tensors.clone());
    let stages = tensors.count_series("layers.", ".blocks.0.norm1.weight");
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let stated = ArchitectureValues::from_metadata(tensors.metadata());
    let depths = (0..stages)
        .map(|stage| tensors.count_series(&format!("layers.{stage}.blocks."), ".norm1.weight"))
        .collect();
    let base = Config::new((0, patch, 0), width, depths, Vec::new());
    let inferred = match tensors.contains("layers.0.blocks.0.attn.logit_scale") {
        true => with_stated_windows(base, &tensors, &stated)?,
        false => with_inferred_windows(base, &tensors)?,
    };
    let missing = match inferred.window {
        0 => vec!["window"],
        _ => Vec::new(),
    };
    let hidden = *tensors.shape("layers.0.blocks.0.mlp.fc1.weight")?.first()?;
    let stated_size = stated.timm_size("input_size");
    let side = inferred.input_size.to_string();
    let assumed = match inferred.v2 {
        true => message!("network-input-size", side),
        false => message!("network-input-single-window", side),
    };
    let epsilon = stated.float("", "norm_eps", inferred.epsilon);
    let config = Config {
        window: inferred.window.max(1),
        mlp_ratio: hidden as f64 / width.max(1) as f64,
        input_size: stated_size.unwrap_or(inferred.input_size),
        epsilon: epsilon.unwrap_or(inferred.epsilon),
        ..inferred
    };
    Some(InferredArchitecture {
        architecture: Architecture::new(config),
        assumptions: stated_size.map_or_else(|| vec![assumed.into()], |_| Vec::new()),
        missing_options: missing,
    })
}

/// Renames tensors from transformers and torchvision to the names of older timm versions.
fn rename_layers(tensors: Tensors) -> Tensors {
    if tensors.contains("encoder.layers.0.blocks.0.layernorm_before.weight") {
        let replacements = [
            ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
            ("embeddings.norm", "patch_embed.norm"),
            ("encoder.layers.", "layers."),
            ("attention.self.continuous_position_bias_mlp.", "attn.cpb_mlp."),
            ("attention.self.", "attn."),
            ("attention.output.dense", "attn.proj"),
            ("intermediate.dense", "mlp.fc1"),
            ("output.dense", "mlp.fc2"),
            ("layernorm_before", "norm1"),
            ("layernorm_after", "norm2"),
            ("layernorm.", "norm."),
        ];
        let unused = ["pooler.", "embeddings.mask_token"];
        return (tensors.replace_in_names(&replacements, &unused))
            .with_key_biases(".query.bias", ".key.bias")
            .pack_layers(["query", "key", "value"], "qkv");
    }
    if !tensors.contains("features.1.0.norm1.weight") {
        return tensors;
    }
    let replacements = [
        ("features.0.0.", "patch_embed.proj."),
        ("features.0.2.", "patch_embed.norm."),
        ("mlp.0.", "mlp.fc1."),
        ("mlp.3.", "mlp.fc2."),
    ];
    staged::rename_stages(tensors.replace_in_names(&replacements, &[]), "layers")
}

/// Renames the tensors to timm's current names. Older files have the downsampling at the end of a stage instead of
/// the start of the next, and contain index tables and masks, which can be computed and are dropped.
fn rename_tensors(tensors: Tensors) -> Tensors {
    let replacements =
        ["q", "k", "v"].map(|part| (format!("attn.{part}_bias"), format!("attn.{part}.bias")));
    let replacements = replacements.each_ref().map(|(from, to)| (from.as_str(), to.as_str()));
    let tensors = (rename_layers(tensors).replace_in_names(&replacements, &[]))
        .with_key_biases(".q.bias", ".k.bias")
        .pack_layers(["q", "k", "v"], "qkv");
    let is_old_layout = tensors.contains("layers.0.downsample.reduction.weight");
    tensors.rename(|name| {
        let computed = ["relative_position_index", "relative_coords_table", "attn_mask"];
        if computed.iter().any(|end| name.ends_with(end)) {
            return None;
        }
        let parts: Vec<&str> = name.split('.').collect();
        Some(match parts.as_slice() {
            ["layers", stage, "downsample", rest @ ..] if is_old_layout => {
                let next = stage.parse::<usize>().map_or(0, |stage| stage + 1);
                format!("layers.{next}.downsample.{}", rest.join("."))
            }
            _ => name.to_owned(),
        })
    })
}
