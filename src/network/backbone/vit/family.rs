//! The description of the family, and the inference of a ViT's dimensions.

use std::sync::Arc;

use super::Vit;
use super::config::{Config, Pool};
use super::graph;
use super::names::rename_tensors;
use super::positions::resize_stored;
use super::rotary::Rotary;
use super::torch;
use crate::backbone::architecture::{
    Architecture, Dimensions, Family, InferredArchitecture, SavedTensors,
};
use crate::backbone::arguments::ArchitectureValues;
use crate::backbone::graph::GraphParts;
use crate::backbone::limits::find_implausible;
use crate::backbone::loader::WeightLoader;
use crate::backbone::mlp::Activation;
use crate::backbone::normalisation::Normalisation;
use crate::backbone::torch::{ActiveSites, LayerName, TorchSource};
use crate::backbone::weights::Tensors;
use crate::backbone::{Backbone, BlockShape, TokenCounts};
use crate::message;
use crate::onnx::Value;
use crate::pet::Site;
use crate::problem::Result;
use crate::tensors::HostTensor;

/// The description of the family.
pub static FAMILY: Family = Family {
    name: "vit",
    title: "ViT",
    default_network: "lae-nano",
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
        "reg_tokens",
        "no_embed_class",
        "pool",
        "fc_norm",
        "rope",
        "pos_embed",
        "qkv_bias",
        "swiglu",
        "mlp_norm",
        "attention_norm",
        "pool_heads",
    ],
    // LAE uses 5 of 12 blocks.
    pet_blocks: 5,
    mixing: 0,
    saved: SavedTensors { kernels: [5.0, 1.0], framework: [8.0, 3.0] },
    assumed_normalisation: (Normalisation::UNIT, "network-pixels-unnormalised"),
    read: |values| read_config(values).map(Architecture::new),
    infer,
    first_tensors: &[
        "patch_embed.proj.weight",
        "visual.class_embedding",
        "embedding/kernel",
        "embeddings.patch_embeddings.projection.weight",
        "embeddings.patch_embeddings.weight",
        "embeddings.patch_embedding.weight",
        "conv_proj.weight",
    ],
    rename_tensors,
    trial: || Architecture::new(Config::new(32, 8, 24, 3, 3)),
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
        let (input_size, learned_size) = (self.input_size, self.learned_size);
        let (patch, width, heads) = (self.patch, self.width, self.heads);
        let sizes = [input_size, learned_size, patch, width, heads, self.hidden];
        find_implausible(&sizes, &[self.depth]).or_else(|| {
            if !width.is_multiple_of(heads) {
                return Some(format!("width {width} is not a multiple of {heads} heads"));
            }
            if self.rope.is_some() && !(width / heads).is_multiple_of(4) {
                let channels = width / heads;
                return Some(format!("{channels} channels of a head are not a multiple of 4"));
            }
            let heads = self.pool_heads;
            if self.pool == Pool::Map && (heads == 0 || !width.is_multiple_of(heads)) {
                return Some(format!("width {width} is not a multiple of {heads} pool_heads"));
            }
            let sizes = [("input", input_size), ("learned", learned_size)];
            let odd = sizes.into_iter().find(|(_, size)| !size.is_multiple_of(patch));
            odd.map(|(which, size)| {
                format!("{which} size {size} is not a multiple of patch {patch}")
            })
        })
    }

    fn blocks(&self) -> Vec<BlockShape> {
        vec![self.shape(); self.depth]
    }

    fn token_counts(&self) -> Vec<TokenCounts> {
        let tokens = (self.input_size / self.patch).pow(2) + self.extra_tokens();
        let attended = tokens;
        vec![TokenCounts { tokens, attended }; self.depth]
    }

    fn has_class_token(&self) -> bool {
        self.class_token
    }

    fn resize_tensor(&self, name: &str, stored: HostTensor) -> HostTensor {
        resize_stored(self, name, stored)
    }

    fn to_torch(&self, name: &str, active_sites: &ActiveSites) -> Result<TorchSource> {
        torch::network_source(self, name, active_sites)
    }

    fn layer_names(&self, block: usize, site: Site) -> Vec<LayerName> {
        torch::layer_names(self, block, site)
    }

    fn build_graph(&self, parts: &mut GraphParts<'_>, images: &Value) -> Result<Value> {
        graph::features(self, parts, images)
    }

    fn build(&self, loader: &mut WeightLoader) -> Arc<dyn Backbone> {
        Arc::new(Vit::build(self, loader))
    }
}

fn read_config(values: &ArchitectureValues) -> Result<Config> {
    let input_size = values.input_size()?;
    let patch = values.size("patch", "patch_size", 16)?;
    let width = values.size("width", "embed_dim", 768)?;
    let depth = values.size("depth", "depth", 12)?;
    let heads = values.size("heads", "num_heads", 12)?;
    let base = Config::new(input_size, patch, width, depth, heads);
    let rope = values.enum_value("rope", "")?;
    let epsilon = rope.map_or(base.epsilon, Rotary::epsilon);
    Ok(Config {
        learned_size: values.optional_size("learned_size", "")?.unwrap_or(input_size),
        // Truncated, as in timm.
        hidden: (width as f64 * values.float("mlp_ratio", "mlp_ratio", 4.0)?) as usize,
        epsilon: values.float("epsilon", "norm_eps", epsilon)?,
        class_token: values.flag("class_token", "class_token", true)?,
        layer_scale: values.has_timm_key("init_values") || values.flag("layer_scale", "", false)?,
        pre_norm: values.flag("pre_norm", "pre_norm", false)?,
        activation: values.enum_value("activation", "act_layer")?.unwrap_or_default(),
        registers: values.optional_size("reg_tokens", "reg_tokens")?.unwrap_or(0),
        no_embed_class: values.flag("no_embed_class", "no_embed_class", false)?,
        pool: values.enum_value("pool", "global_pool")?.unwrap_or(base.pool),
        fc_norm: values.flag("fc_norm", "fc_norm", false)?,
        rope,
        pos_embed: values.flag("pos_embed", "", true)?,
        qkv_bias: values.flag("qkv_bias", "qkv_bias", true)?,
        swiglu: values.flag("swiglu", "", false)?,
        mlp_norm: values.flag("mlp_norm", "scale_mlp_norm", false)?,
        attention_norm: values.flag("attention_norm", "scale_attn_norm", false)?,
        pool_heads: values.optional_size("pool_heads", "")?.unwrap_or(heads),
        ..base
    })
}

fn infer(tensors: &Tensors) -> Result<Option<InferredArchitecture>> {
    // Only EVA networks store the biases of queries and values separately.
    let is_eva =
        tensors.contains("blocks.0.attn.q_bias") || tensors.contains("blocks.0.attn.q_proj.weight");
    let tensors = rename_tensors(tensors.clone())?;
    let stated = ArchitectureValues::from_metadata(tensors.metadata());
    let inferred = infer_from_shapes(&tensors, &stated, is_eva);
    inferred.transpose()
}

/// Returns a ViT with these tensors. Values that the shapes do not determine are taken from `stated`, or else
/// reported as assumed or missing; `None` if it is not a supported ViT.
fn infer_from_shapes(
    tensors: &Tensors,
    stated: &ArchitectureValues,
    is_eva: bool,
) -> Option<Result<InferredArchitecture>> {
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let depth = tensors.count_series("blocks.", ".norm1.weight");
    let class_token = tensors.contains("cls_token");
    let registers = tensors.shape("reg_token").and_then(|shape| shape.get(1));
    let registers = registers.copied().unwrap_or(0);
    let extra = usize::from(class_token) + registers;
    let positions = match tensors.shape("pos_embed") {
        Some(shape) => Some(*shape.get(1)?),
        None => None,
    };
    // If only the patches have positions, their number is a square number.
    let is_square = |cells: usize| cells > 0 && cells.isqrt().pow(2) == cells;
    let no_embed_class = extra > 0
        && positions.is_some_and(|count| {
            is_square(count) && !count.checked_sub(extra).is_some_and(is_square)
        });
    let extra_positions = if no_embed_class { 0 } else { extra };
    let size = match positions {
        None => 224,
        Some(count) => count.checked_sub(extra_positions)?.isqrt().saturating_mul(patch),
    };
    let hidden = tensors.shape("blocks.0.mlp.fc2.weight")?.get(1).copied()?;
    let swiglu = *tensors.shape("blocks.0.mlp.fc1.weight")?.first()? == 2 * hidden;
    let pre_norm = tensors.contains("norm_pre.weight");
    let pools = tensors.contains("attn_pool.latent");
    let architecture = stated.timm_text("timm");
    // EVA-02-CLIP-E has its norms after the sub-layers, which its tensors do not show. BEiT has relative position
    // biases.
    let is_other = architecture.is_some_and(|name| name.starts_with("eva02_enormous"));
    if is_other || tensors.contains("blocks.0.attn.relative_position_bias_table") {
        return None;
    }
    let rope = match stated.enum_value("", "rope") {
        Err(problem) => return Some(Err(problem)),
        Ok(Some(stated)) => Some(stated),
        Ok(None) if architecture.is_some() => architecture.and_then(Rotary::from_timm),
        Ok(None) if positions.is_none() && class_token && registers > 0 => Some(Rotary::DinoV3),
        Ok(None) if is_eva && swiglu => Some(Rotary::Eva02),
        Ok(None) if pre_norm && pools => Some(Rotary::Pe),
        Ok(None) => None,
    };
    let timm_heads = architecture.and_then(|name| timm_head_count(name, width));
    let stated_heads = stated.timm_size("num_heads").or(timm_heads);
    let known_heads = stated_heads.or(default_heads(width, rope));
    let heads = known_heads.unwrap_or((width / 64).max(1));
    let base = Config::new(size, patch, width, depth, heads);
    let config = Config {
        hidden,
        class_token,
        layer_scale: tensors.contains("blocks.0.ls1.gamma"),
        pre_norm,
        registers,
        no_embed_class,
        fc_norm: tensors.contains("fc_norm.weight"),
        pool: match tensors.contains("fc_norm.weight") {
            _ if pools => Pool::Map,
            true => Pool::Avg,
            false => Pool::Token,
        },
        rope,
        pos_embed: positions.is_some(),
        qkv_bias: tensors.contains("blocks.0.attn.qkv.bias"),
        swiglu,
        mlp_norm: tensors.contains("blocks.0.mlp.norm.weight"),
        attention_norm: tensors.contains("blocks.0.attn.norm.weight"),
        // The Perception Encoder always has 8.
        pool_heads: match rope {
            Some(Rotary::Pe) => 8,
            _ => heads,
        },
        epsilon: rope.map_or(base.epsilon, Rotary::epsilon),
        ..base
    };
    let (mut missing_options, mut assumptions) = (Vec::new(), Vec::new());
    if known_heads.is_none() {
        missing_options.push("heads");
    }
    if stated_heads.is_none() {
        let channels = width / heads.max(1);
        assumptions.push(message!("network-heads", n = heads, channels).into());
    }
    if positions.is_none() {
        if rope.is_none() {
            missing_options.push("rope");
        }
        if stated.timm_size("input_size").is_none() {
            assumptions.push(message!("network-input-size", side = "224").into());
        }
    }
    if config.pre_norm && rope.is_none() && stated.timm_text("act_layer").is_none() {
        let epsilon = config.epsilon.to_string();
        missing_options.push("activation");
        assumptions.push(message!("network-exact-gelu", epsilon).into());
    }
    Some(with_stated(config, stated).map(|config| InferredArchitecture {
        architecture: Architecture::new(config),
        assumptions,
        missing_options,
    }))
}

/// Returns the dimensions with the stated values that shapes do not determine.
fn with_stated(config: Config, stated: &ArchitectureValues) -> Result<Config> {
    // ViTs with a norm before the blocks are those of CLIP, whose epsilon is 1e-5.
    let activation = stated.timm_text("act_layer");
    let default_epsilon = match config.pre_norm && activation.is_some() {
        true => 1e-5,
        false => config.epsilon,
    };
    Ok(Config {
        input_size: stated.timm_size("input_size").unwrap_or(config.input_size),
        epsilon: stated.float("", "norm_eps", default_epsilon)?,
        activation: match config.swiglu {
            true => Activation::default(),
            false => stated.enum_value("", "act_layer")?.unwrap_or_default(),
        },
        pool: match stated.enum_value::<Pool>("", "global_pool")? {
            // Tensors of a pooling layer in the file take precedence.
            Some(pool) if config.pool == Pool::Token && pool != Pool::Map => pool,
            _ => config.pool,
        },
        ..config
    })
}

/// Returns the number of heads of ViTs with this width; `None` if there is more than one.
fn default_heads(width: usize, rope: Option<Rotary>) -> Option<usize> {
    match width {
        // DINOv3's H+; 4096 is its 7B.
        1280 if rope == Some(Rotary::DinoV3) => Some(20),
        4096 => Some(32),
        192 | 384 | 768 | 1024 => Some(width / 64),
        // ViT-H, ViT-g and ViT-G.
        1280 | 1408 | 1664 => Some(16),
        _ => None,
    }
}

/// Returns the number of attention heads of timm's ViT with this name and width; `None` for other networks.
fn timm_head_count(architecture: &str, width: usize) -> Option<usize> {
    const VITS: [&str; 7] =
        ["vit_", "eva02_", "deit", "flexivit_", "eva_large_", "beit3_", "test_vit"];
    // Networks with 16 heads of 72 to 104 channels.
    const SIXTEEN: [&str; 6] =
        ["so400m", "giantopt", "_giant_", "_gigantic_", "_huge_", "vit_base_patch16_gap"];
    if !VITS.iter().any(|name| architecture.starts_with(name)) {
        return None;
    }
    if SIXTEEN.iter().any(|name| architecture.contains(name)) && !architecture.contains("dinov") {
        return Some(16);
    }
    if width == 4096 {
        return Some(32);
    }
    let channels = match architecture.starts_with("test_vit") {
        true => 32,
        false => 64,
    };
    Some((width / channels).max(1))
}
