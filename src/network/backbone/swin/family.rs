//! The description of the family, and the inference of a Swin's dimensions.

use std::sync::Arc;

use super::{Config, torch};
use crate::backbone::architecture::{Architecture, Dimensions, Family, Inferred, SavedTensors};
use crate::backbone::arguments::ArchitectureValues;
use crate::backbone::block::biases::{self, TABLE};
use crate::backbone::graph::GraphParts;
use crate::backbone::loader::WeightLoader;
use crate::backbone::normalisation::Normalisation;
use crate::backbone::plausible::implausible;
use crate::backbone::staged::{self, Staged, per_block};
use crate::backbone::torch::{Acting, TorchText};
use crate::backbone::weights::Tensors;
use crate::backbone::{Backbone, BlockShape, Length};
use crate::counts::counted;
use crate::message;
use crate::onnx::Value;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// The description of the family.
pub static FAMILY: Family = Family {
    name: "swin",
    title: "Swin",
    usual: "swin_base_patch4_window7_224.ms_in22k",
    keys: &[
        "patch",
        "width",
        "depths",
        "heads",
        "window",
        "mlp_ratio",
        "v2",
        "trained_window",
    ],
    // LAE uses 10 of 24 blocks.
    pet_blocks: 10,
    mixing: 0,
    saved: SavedTensors {
        // One more than in a ViT, because the partition into windows is a copy.
        kernels: [6.0, 1.0],
        framework: [10.0, 3.0],
    },
    pixels: Normalisation::OF_IMAGENET,
    read: |words| read(words).map(Architecture::of),
    infer: |tensors| Ok(shaped(tensors)),
    first: &["patch_embed.proj.weight", "features.0.0.weight"],
    renamed: |tensors| Ok(renamed(tensors)),
    trial: || Architecture::of(Config::plain((32, 4, 4), 24, vec![2, 2], vec![3, 6])),
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

    fn contradiction(&self) -> Option<String> {
        let (stages, heads) = (self.depths.len(), self.heads.len());
        if stages == 0 || stages != heads {
            let heads = counted(heads, "number");
            let depths = counted(stages, "depth");
            return Some(format!(
                "{depths} and {heads} of heads; there must be one per stage"
            ));
        }
        let (input_size, patch) = (self.input_size, self.patch);
        let sizes = [input_size, patch, self.width, self.window, self.hidden(0)];
        implausible(&[&sizes, self.heads.as_slice()].concat(), &self.depths).or_else(|| {
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

    fn lengths(&self) -> Vec<Length> {
        per_block(&self.depths, |stage| {
            let side = self.map_side(stage);
            Length {
                tokens: side * side,
                attended: self.window.min(side).pow(2),
            }
        })
    }

    fn fitted(&self, name: &str, stored: HostTensor) -> HostTensor {
        let stage = name.split('.').nth(1).and_then(|stage| stage.parse().ok());
        match stage.filter(|_| name.ends_with(TABLE)) {
            Some(stage) => biases::fitted(stored, self.stage_window(stage)),
            None => stored,
        }
    }

    fn torch(&self, name: &str, acting: &Acting) -> Result<TorchText> {
        torch::text(self, name, acting)
    }

    fn graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
        staged::graph::features(&self.staged(), parts, images)
    }

    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone> {
        let architecture = Architecture::of(self.clone());
        Arc::new(Staged::build(architecture, self.staged(), loader))
    }
}

fn read(words: &ArchitectureValues) -> Result<Config> {
    let input_size = words.input_size()?;
    let patch = words.size("patch", "patch_size", 4)?;
    let window = words.size("window", "window_size", 7)?;
    let width = words.size("width", "embed_dim", 96)?;
    let depths = words.sizes("depths", "depths", &[2, 2, 6, 2])?;
    let heads = words.sizes("heads", "num_heads", &[3, 6, 12, 24])?;
    let plain = Config::plain((input_size, patch, window), width, depths, heads);
    Ok(Config {
        mlp_ratio: words.real("mlp_ratio", "mlp_ratio", plain.mlp_ratio)?,
        epsilon: words.real("epsilon", "norm_eps", plain.epsilon)?,
        v2: words.flag("v2", "", false)?,
        trained_window: words.optional_size("trained_window", "")?,
        ..plain
    })
}

/// Returns the dimensions with the windows that the tables of relative positions determine, the heads, and the smallest
/// input size for which the windows have this size.
fn with_shown_windows(plain: Config, tensors: &Tensors) -> Option<Config> {
    let table = |stage: usize| {
        let name = format!("layers.{stage}.blocks.0.{TABLE}");
        let &[cells, heads] = tensors.shape(&name)? else {
            return None;
        };
        Some((cells.isqrt().div_ceil(2), heads))
    };
    let stages = plain.depths.len();
    let tables = (0..stages).map(table).collect::<Option<Vec<_>>>()?;
    let (window, _) = *tables.first()?;
    // If a stage has a smaller window than the first one, it is the whole map of that stage.
    let map = (tables.iter().enumerate()).find(|(_, (side, _))| *side < window);
    let (side, stage) = map.map_or((window, stages - 1), |(stage, (side, _))| (*side, stage));
    let size = 1usize.checked_shl(stage as u32)?;
    Some(Config {
        window,
        heads: tables.iter().map(|(_, heads)| *heads).collect(),
        input_size: side.checked_mul(size)?.checked_mul(plain.patch)?,
        ..plain
    })
}

/// Returns the dimensions of a Swin V2 with the stated windows, because its tensors do not determine them, and the
/// heads; the window is 0 if it is not stated.
fn with_stated_windows(
    plain: Config,
    tensors: &Tensors,
    stated: &ArchitectureValues,
) -> Option<Config> {
    let heads = |stage: usize| {
        let name = format!("layers.{stage}.blocks.0.attn.logit_scale");
        tensors.shape(&name)?.first().copied()
    };
    let name = stated.timms_text("timm").unwrap_or_default();
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
        window: stated.timms_size("window_size").or(window).unwrap_or(0),
        heads: (0..plain.depths.len()).map(heads).collect::<Option<_>>()?,
        input_size: 256,
        v2: true,
        trained_window: stated.timms_size("trained_window").or(trained),
        ..plain
    })
}

/// Returns a Swin with these tensors; `None` if it is not a Swin.
fn shaped(tensors: &Tensors) -> Option<Inferred> {
    let tensors = renamed(tensors.clone());
    let stages = tensors.series("layers.", ".blocks.0.norm1.weight");
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let stated = ArchitectureValues::of_metadata(tensors.metadata());
    let depths = (0..stages)
        .map(|stage| tensors.series(&format!("layers.{stage}.blocks."), ".norm1.weight"))
        .collect();
    let plain = Config::plain((0, patch, 0), width, depths, Vec::new());
    let shown = match tensors.has("layers.0.blocks.0.attn.logit_scale") {
        true => with_stated_windows(plain, &tensors, &stated)?,
        false => with_shown_windows(plain, &tensors)?,
    };
    let missing = match shown.window {
        0 => vec!["window"],
        _ => Vec::new(),
    };
    let hidden = *tensors.shape("layers.0.blocks.0.mlp.fc1.weight")?.first()?;
    let told = stated.timms_size("input_size");
    let side = shown.input_size.to_string();
    let assumed = match shown.v2 {
        true => message!("network-input-size", side),
        false => message!("network-input-single-window", side),
    };
    let epsilon = stated.real("", "norm_eps", shown.epsilon);
    let config = Config {
        window: shown.window.max(1),
        mlp_ratio: hidden as f64 / width.max(1) as f64,
        input_size: told.unwrap_or(shown.input_size),
        epsilon: epsilon.unwrap_or(shown.epsilon),
        ..shown
    };
    Some(Inferred {
        architecture: Architecture::of(config),
        assumed: told.map_or_else(|| vec![assumed.into()], |_| Vec::new()),
        missing,
    })
}

/// Renames tensors from transformers and torchvision to the names of older timm versions.
fn respelled(tensors: Tensors) -> Tensors {
    if tensors.has("encoder.layers.0.blocks.0.layernorm_before.weight") {
        let swaps = [
            ("embeddings.patch_embeddings.projection", "patch_embed.proj"),
            ("embeddings.norm", "patch_embed.norm"),
            ("encoder.layers.", "layers."),
            (
                "attention.self.continuous_position_bias_mlp.",
                "attn.cpb_mlp.",
            ),
            ("attention.self.", "attn."),
            ("attention.output.dense", "attn.proj"),
            ("intermediate.dense", "mlp.fc1"),
            ("output.dense", "mlp.fc2"),
            ("layernorm_before", "norm1"),
            ("layernorm_after", "norm2"),
            ("layernorm.", "norm."),
        ];
        let unused = ["pooler.", "embeddings.mask_token"];
        return (tensors.respelled(&swaps, &unused))
            .with_key_biases(".query.bias", ".key.bias")
            .packed(["query", "key", "value"], "qkv");
    }
    if !tensors.has("features.1.0.norm1.weight") {
        return tensors;
    }
    let swaps = [
        ("features.0.0.", "patch_embed.proj."),
        ("features.0.2.", "patch_embed.norm."),
        ("mlp.0.", "mlp.fc1."),
        ("mlp.3.", "mlp.fc2."),
    ];
    staged::with_stages(tensors.respelled(&swaps, &[]), "layers")
}

/// Renames the tensors to timm's current names. Older files have the downsampling at the end of a stage instead of
/// the start of the next, and contain index tables and masks, which can be computed and are dropped.
fn renamed(tensors: Tensors) -> Tensors {
    let swaps =
        ["q", "k", "v"].map(|part| (format!("attn.{part}_bias"), format!("attn.{part}.bias")));
    let swaps = swaps
        .each_ref()
        .map(|(from, to)| (from.as_str(), to.as_str()));
    let tensors = (respelled(tensors).respelled(&swaps, &[]))
        .with_key_biases(".q.bias", ".k.bias")
        .packed(["q", "k", "v"], "qkv");
    let old = tensors.has("layers.0.downsample.reduction.weight");
    tensors.renamed(|name| {
        let computed = [
            "relative_position_index",
            "relative_coords_table",
            "attn_mask",
        ];
        if computed.iter().any(|end| name.ends_with(end)) {
            return None;
        }
        let parts: Vec<&str> = name.split('.').collect();
        Some(match parts.as_slice() {
            ["layers", stage, "downsample", rest @ ..] if old => {
                let next = stage.parse::<usize>().map_or(0, |stage| stage + 1);
                format!("layers.{next}.downsample.{}", rest.join("."))
            }
            _ => name.to_owned(),
        })
    })
}
