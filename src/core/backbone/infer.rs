//! The dimensions of a bare weight file: from its metadata where it says them, else from the
//! names and shapes of its tensors. What shapes cannot tell is assumed and said.

use super::architecture::Architecture;
use super::weights::Tensors;
use super::{convnext, swin, timm, vit};
use crate::counts;
use crate::problem::{Problem, Result, listed};

/// An architecture read from a file, and what was assumed on the way (sentences).
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// Family and dimensions.
    pub architecture: Architecture,
    /// What the file does not say.
    pub assumed: Vec<String>,
}

/// Reads the architecture off a file's metadata or shapes.
pub fn architecture(tensors: &Tensors) -> Result<Inferred> {
    let metadata = tensors.metadata();
    let family = (metadata
        .get("architecture")
        .or_else(|| metadata.get("kind")))
    .filter(|family| ["vit", "swin", "convnext"].contains(&family.as_str()));
    if let Some(family) = family {
        return Ok(Inferred {
            architecture: timm::architecture(family, &timm::arguments(metadata))
                .map_err(|problem| problem.at(tensors.origin()))?,
            assumed: Vec::new(),
        });
    }
    let stem = convnext::renamed(tensors.clone());
    let (architecture, assumed) = if stem.has("stem.0.weight") {
        convnext(&stem)
    } else if tensors
        .names()
        .any(|n| n.ends_with("relative_position_bias_table"))
    {
        swin(&swin::renamed(tensors.clone()))
    } else {
        vit(&vit::renamed(tensors.clone())?)
    }
    .ok_or_else(|| unknown(tensors))?;
    let checked = architecture.check();
    checked.map_err(|problem| problem.at(tensors.origin()))?;
    Ok(Inferred {
        architecture,
        assumed,
    })
}

fn unknown(tensors: &Tensors) -> Problem {
    let names: Vec<&str> = tensors.names().collect();
    Problem::new(format!(
        "the weight file belongs to none of the known families (ViT, Swin, ConvNeXt); its tensors \
         are {}",
        listed(&names, 3)
    ))
    .at(tensors.origin())
    .advise("choose weights of one of these families, under timm's names")
}

/// How many indices from 0 on have a tensor `prefix{index}suffix`.
fn counted(tensors: &Tensors, prefix: &str, suffix: &str) -> usize {
    (0..)
        .take_while(|index| tensors.has(&format!("{prefix}{index}{suffix}")))
        .count()
}

fn vit(tensors: &Tensors) -> Option<(Architecture, Vec<String>)> {
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let depth = counted(tensors, "blocks.", ".norm1.weight");
    let class_token = tensors.has("cls_token");
    let cells = tensors.shape("pos_embed")?.get(1)?;
    let cells = cells.checked_sub(usize::from(class_token))?;
    let stated = timm::arguments(tensors.metadata());
    let stated = stated.get("num_heads").and_then(serde_json::Value::as_u64);
    // ViT-H, -g and -G have 16 heads; all others 64 channels a head.
    let usual = match width {
        1280 | 1408 | 1664 => 16,
        _ => (width / 64).max(1),
    };
    let heads = stated.map_or(usual, |heads| heads as usize);
    let size = cells.isqrt().saturating_mul(patch);
    let plain = vit::Config::plain(size, patch, width, depth, heads);
    let config = vit::Config {
        hidden: *tensors.shape("blocks.0.mlp.fc1.weight")?.first()?,
        class_token,
        layer_scale: tensors.has("blocks.0.ls1.gamma"),
        pre_norm: tensors.has("norm_pre.weight"),
        ..plain
    };
    let mut assumed = match stated {
        Some(_) => Vec::new(),
        None => vec![format!(
            "{} of {}, as usual for ViT",
            counts::counted(heads, "head"),
            counts::counted(width / heads.max(1), "channel")
        )],
    };
    if config.pre_norm {
        assumed.push(format!(
            "GELU in its exact form and epsilon {}; for OpenAI's CLIP make an entry with activation \"quick_gelu\"",
            config.epsilon
        ));
    }
    Some((Architecture::Vit(config), assumed))
}

fn swin(tensors: &Tensors) -> Option<(Architecture, Vec<String>)> {
    let &[width, _, patch, _] = tensors.shape("patch_embed.proj.weight")? else {
        return None;
    };
    let stages = counted(tensors, "layers.", ".blocks.0.norm1.weight");
    let table = |stage: usize| {
        let name = format!("layers.{stage}.blocks.0.attn.relative_position_bias_table");
        let &[cells, heads] = tensors.shape(&name)? else {
            return None;
        };
        Some((cells.isqrt().div_ceil(2), heads))
    };
    let tables = (0..stages).map(table).collect::<Option<Vec<_>>>()?;
    let (window, _) = *tables.first()?;
    let depths = (0..stages)
        .map(|stage| counted(tensors, &format!("layers.{stage}.blocks."), ".norm1.weight"))
        .collect();
    // A stage whose window is smaller than the first one's was cut down to its map.
    let map = (tables.iter().enumerate()).find(|(_, (side, _))| *side < window);
    let (side, stage) = map.map_or((window, stages - 1), |(stage, (side, _))| (*side, stage));
    let size = 1usize.checked_shl(stage as u32)?;
    let size = side.checked_mul(size)?.checked_mul(patch)?;
    let heads = tables.iter().map(|(_, heads)| *heads).collect();
    let plain = swin::Config::plain((size, patch, window), width, depths, heads);
    let hidden = *tensors.shape("layers.0.blocks.0.mlp.fc1.weight")?.first()?;
    let config = swin::Config {
        mlp_ratio: hidden as f64 / width.max(1) as f64,
        ..plain
    };
    let assumed = format!("an input of {size}×{size} pixels, so that the last stage is one window");
    Some((Architecture::Swin(config), vec![assumed]))
}

fn convnext(tensors: &Tensors) -> Option<(Architecture, Vec<String>)> {
    let stages = counted(tensors, "stages.", ".blocks.0.conv_dw.weight");
    let widths = (0..stages)
        .map(|stage| {
            let name = format!("stages.{stage}.blocks.0.conv_dw.weight");
            tensors.shape(&name)?.first().copied()
        })
        .collect::<Option<Vec<usize>>>()?;
    let depths = (0..stages)
        .map(|stage| {
            counted(
                tensors,
                &format!("stages.{stage}.blocks."),
                ".conv_dw.weight",
            )
        })
        .collect();
    let config = convnext::Config::plain(224, depths, widths);
    let assumed = vec![
        "an input of 224×224 pixels".to_owned(),
        "no norm after the mean over positions, as LAE's released code".to_owned(),
    ];
    Some((Architecture::Convnext(config), assumed))
}
