//! What the family states, and how a ViT's dimensions are read.

use std::sync::Arc;

use super::Vit;
use super::config::Config;
use super::graph;
use super::names::renamed;
use super::positions::fitted;
use super::torch;
use crate::backbone::architecture::{Architecture, Dimensions, Family, Inferred, Kept};
use crate::backbone::graph::GraphParts;
use crate::backbone::loader::WeightLoader;
use crate::backbone::normalisation::Normalisation;
use crate::backbone::plausible::implausible;
use crate::backbone::torch::{Acting, LayerName, TorchText};
use crate::backbone::weights::Tensors;
use crate::backbone::words::ArchitectureValues;
use crate::backbone::{Backbone, BlockShape, Length};
use crate::message;
use crate::onnx::Value;
use crate::pet::{BlockKind, Site};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// What the family states.
pub static FAMILY: Family = Family {
    name: "vit",
    title: "ViT",
    usual: "lae-nano",
    keys: &[
        "patch",
        "width",
        "depth",
        "heads",
        "mlp_ratio",
        "class_token",
        "layer_scale",
        "pre_norm",
        "activation",
        "learned_size",
    ],
    // The paper's 5 of 12 blocks.
    pet_blocks: 5,
    kept: Kept {
        kernels: [5.0, 1.0],
        framework: [8.0, 3.0],
    },
    pixels: (Normalisation::UNIT, "network-pixels-unnormalised"),
    read: |words| read(words).map(Architecture::of),
    infer,
    first: &[
        "patch_embed.proj.weight",
        "visual.class_embedding",
        "embedding/kernel",
    ],
    renamed,
    trial: || Architecture::of(Config::plain(32, 8, 24, 3, 3)),
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
        let Self {
            input_size,
            learned_size,
            patch,
            width,
            heads,
            hidden,
            ..
        } = *self;
        let sizes = [input_size, learned_size, patch, width, heads, hidden];
        implausible(&sizes, &[self.depth]).or_else(|| {
            if !width.is_multiple_of(heads) {
                return Some(format!("width {width} is not a multiple of {heads} heads"));
            }
            let sizes = [("input", input_size), ("learned", learned_size)];
            let odd = sizes
                .into_iter()
                .find(|(_, size)| !size.is_multiple_of(patch));
            odd.map(|(which, size)| {
                format!("{which} size {size} is not a multiple of patch {patch}")
            })
        })
    }

    fn blocks(&self) -> Vec<BlockShape> {
        let shape = BlockShape {
            width: self.width,
            hidden: self.hidden,
            heads: self.heads,
            sites: BlockKind::VIT.sites,
        };
        vec![shape; self.depth]
    }

    fn lengths(&self) -> Vec<Length> {
        let tokens = (self.input_size / self.patch).pow(2) + usize::from(self.class_token);
        let attended = tokens;
        vec![Length { tokens, attended }; self.depth]
    }

    fn has_class_token(&self) -> bool {
        self.class_token
    }

    fn fitted(&self, name: &str, stored: HostTensor) -> HostTensor {
        fitted(self, name, stored)
    }

    fn torch(&self, name: &str, acting: &Acting) -> Result<TorchText> {
        Ok(torch::text(self, name, acting))
    }

    fn layer_names(&self, block: usize, site: Site) -> Vec<LayerName> {
        torch::layers(self, block, site)
    }

    fn graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
        graph::features(self, parts, images)
    }

    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone> {
        Arc::new(Vit::build(self, loader))
    }
}

fn read(words: &ArchitectureValues) -> Result<Config> {
    let input_size = words.input_size()?;
    let patch = words.size("patch", "patch_size", 16)?;
    let width = words.size("width", "embed_dim", 768)?;
    let depth = words.size("depth", "depth", 12)?;
    let heads = words.size("heads", "num_heads", 12)?;
    let plain = Config::plain(input_size, patch, width, depth, heads);
    Ok(Config {
        learned_size: words.own_size("learned_size")?.unwrap_or(input_size),
        // As timm rounds it.
        hidden: (width as f64 * words.real("mlp_ratio", "mlp_ratio", 4.0)?) as usize,
        epsilon: words.real("epsilon", "norm_eps", plain.epsilon)?,
        class_token: words.flag("class_token", "class_token", true)?,
        layer_scale: words.timm_has("init_values") || words.flag("layer_scale", "", false)?,
        pre_norm: words.flag("pre_norm", "pre_norm", false)?,
        quick_gelu: words.is_second("activation", "act_layer", ["gelu", "quick_gelu"])?,
        ..plain
    })
}

fn infer(tensors: &Tensors) -> Result<Option<Inferred>> {
    let tensors = renamed(tensors.clone())?;
    let stated = ArchitectureValues::of_metadata(tensors.metadata()).timms_size("num_heads");
    Ok(shaped(&tensors, stated))
}

/// A ViT of these shapes; they do not determine the number of heads.
fn shaped(tensors: &Tensors, stated_heads: Option<usize>) -> Option<Inferred> {
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let depth = tensors.series("blocks.", ".norm1.weight");
    let class_token = tensors.has("cls_token");
    let cells = tensors.shape("pos_embed")?.get(1)?;
    let cells = cells.checked_sub(usize::from(class_token))?;
    // ViT-H, -g and -G have 16 heads; all others 64 channels a head.
    let usual = match width {
        1280 | 1408 | 1664 => 16,
        _ => (width / 64).max(1),
    };
    let heads = stated_heads.unwrap_or(usual);
    let size = cells.isqrt().saturating_mul(patch);
    let config = Config {
        hidden: *tensors.shape("blocks.0.mlp.fc1.weight")?.first()?,
        class_token,
        layer_scale: tensors.has("blocks.0.ls1.gamma"),
        pre_norm: tensors.has("norm_pre.weight"),
        ..Config::plain(size, patch, width, depth, heads)
    };
    let mut assumed = Vec::new();
    if stated_heads.is_none() {
        let channels = width / heads.max(1);
        assumed.push(message!("network-heads", n = heads, channels = channels).into());
    }
    if config.pre_norm {
        let epsilon = config.epsilon.to_string();
        assumed.push(message!("network-exact-gelu", epsilon = epsilon).into());
    }
    Some(Inferred {
        architecture: Architecture::of(config),
        assumed,
    })
}
