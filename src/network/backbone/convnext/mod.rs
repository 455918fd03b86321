//! ConvNeXt (Liu et al., 2022): depthwise 7×7 convolution, then an MLP on channels, with layer scale. PETs see
//! positions as tokens. The feature is the mean over the positions of the last stage, followed by a norm only with
//! `final_norm`: LAE's released code omits it.

mod names;
mod torch;

use std::sync::Arc;

use names::rename_tensors;

use super::architecture::{Architecture, Dimensions, Family, InferredArchitecture, SavedTensors};
use super::arguments::ArchitectureValues;
use super::block::{BlockForm, Mixing, MlpNorm};
use super::graph::GraphParts;
use super::limits::find_implausible;
use super::loader::WeightLoader;
use super::normalisation::Normalisation;
use super::staged::{self, Merging, Staged, StagedForm, per_block};
use super::torch::{ActiveSites, TorchSource};
use super::weights::Tensors;
use super::{Backbone, BlockShape, TokenCounts};
use crate::counts::count_with_noun;
use crate::message;
use crate::onnx::Value;
use crate::pet::BlockKind;
use crate::problem::Result;

/// Side of the stem's patches.
const STEM: usize = 4;

/// The description of the family.
pub static FAMILY: Family = Family {
    name: "convnext",
    title: "ConvNeXt",
    default_network: "convnext_base.fb_in22k",
    keys: &["depths", "widths", "final_norm", "response_norm"],
    // The paper's 15 of 36 blocks.
    pet_blocks: 15,
    // The depthwise convolution.
    mixing: 7 * 7,
    saved: SavedTensors { kernels: [1.0, 1.0], framework: [4.0, 3.0] },
    assumed_normalisation: Normalisation::ASSUMED_IMAGENET,
    read: |values| read_config(values).map(Architecture::new),
    infer: |tensors| Ok(infer_from_shapes(tensors)),
    first_tensors: &[
        "stem.0.weight",
        "downsample_layers.0.0.weight",
        "embeddings.patch_embeddings.weight",
        "features.0.0.weight",
    ],
    rename_tensors: |tensors| Ok(rename_tensors(tensors)),
    trial: || Architecture::new(Config::new(32, vec![1, 2], vec![16, 32])),
};

/// Dimensions of a ConvNeXt.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Side of the square input, in pixels.
    pub input_size: usize,
    /// Blocks of each stage.
    pub depths: Vec<usize>,
    /// Channels of each stage.
    pub widths: Vec<usize>,
    /// Added to the variance in every layer norm.
    pub epsilon: f64,
    /// Whether timm's `head.norm` is applied to the mean over positions.
    pub final_norm: bool,
    /// Whether the MLPs have a response norm in place of layer scale (ConvNeXt V2).
    pub response_norm: bool,
}

impl Config {
    /// Returns a ConvNeXt of these dimensions, without the final norm.
    pub fn new(input_size: usize, depths: Vec<usize>, widths: Vec<usize>) -> Self {
        Self { input_size, depths, widths, epsilon: 1e-6, final_norm: false, response_norm: false }
    }

    /// Returns the shape of the blocks of a stage with this number of channels.
    fn shape(&self, width: usize) -> BlockShape {
        BlockKind::CONVNEXT.block(width, 4 * width, 0)
    }

    /// Returns the form of its blocks.
    fn form(&self) -> BlockForm {
        BlockForm {
            mixing: Mixing::Convolution,
            norms: ["", "norm"],
            epsilon: self.epsilon,
            scales: [None, (!self.response_norm).then_some("gamma")],
            mlp_norm: self.response_norm.then_some(MlpNorm::Response),
            ..BlockForm::PLAIN
        }
    }

    /// Returns the form of the network.
    fn staged_form(&self) -> StagedForm {
        StagedForm {
            input_size: self.input_size,
            patch: STEM,
            embedding: ["stem.0", "stem.1"],
            stages: "stages",
            depths: self.depths.clone(),
            shapes: self.widths.iter().map(|width| self.shape(*width)).collect(),
            block: self.form(),
            merging: Merging::Convolution,
            windows: None,
            norm: self.final_norm.then_some("head.norm"),
            norm_first: false,
        }
    }

    /// Returns the number of pixels, along a side, of one position of the last stage.
    fn reduction(&self) -> usize {
        STEM << (self.depths.len() - 1)
    }
}

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
        let (stages, widths) = (self.depths.len(), self.widths.len());
        if stages == 0 || stages != widths {
            let (depths, widths) =
                (count_with_noun(stages, "depth"), count_with_noun(widths, "width"));
            return Some(format!("{depths} and {widths}; there must be one of each per stage"));
        }
        find_implausible(&self.widths, &self.depths).or_else(|| {
            let size = self.input_size;
            let stages = count_with_noun(stages, "stage");
            (size < self.reduction())
                .then(|| format!("an input of {size} pixels is too small for {stages}"))
        })
    }

    fn blocks(&self) -> Vec<BlockShape> {
        per_block(&self.depths, |stage| self.shape(self.widths[stage]))
    }

    fn token_counts(&self) -> Vec<TokenCounts> {
        per_block(&self.depths, |stage| TokenCounts {
            tokens: ((self.input_size / STEM) >> stage).pow(2),
            attended: 0,
        })
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
    let depths = values.sizes("depths", "depths", &[3, 3, 9, 3])?;
    let widths = values.sizes("widths", "dims", &[96, 192, 384, 768])?;
    let base = Config::new(input_size, depths, widths);
    Ok(Config {
        epsilon: values.float("epsilon", "norm_eps", base.epsilon)?,
        final_norm: values.flag("final_norm", "final_norm", false)?,
        response_norm: values.flag("response_norm", "use_grn", false)?,
        ..base
    })
}

/// Returns the dimensions of a ConvNeXt with tensors of these shapes.
fn infer_from_shapes(tensors: &Tensors) -> Option<InferredArchitecture> {
    let tensors = rename_tensors(tensors.clone());
    if !tensors.contains("stem.0.weight") {
        return None;
    }
    let stages = tensors.count_series("stages.", ".blocks.0.conv_dw.weight");
    let width = |stage: usize| {
        let name = format!("stages.{stage}.blocks.0.conv_dw.weight");
        tensors.shape(&name)?.first().copied()
    };
    let widths = (0..stages).map(width).collect::<Option<Vec<usize>>>()?;
    let depths = (0..stages)
        .map(|stage| tensors.count_series(&format!("stages.{stage}.blocks."), ".conv_dw.weight"))
        .collect();
    let stated = ArchitectureValues::from_metadata(tensors.metadata());
    let size = stated.timm_size("input_size");
    let norm = stated.flag("", "final_norm", false).unwrap_or(false);
    let mut assumptions = Vec::new();
    if size.is_none() {
        assumptions.push(message!("network-input-size", side = "224").into());
    }
    if !norm {
        assumptions.push(message!("network-no-final-norm").into());
    }
    let base = Config::new(size.unwrap_or(224), depths, widths);
    let epsilon = stated.float("", "norm_eps", base.epsilon);
    let config = Config {
        final_norm: norm,
        response_norm: tensors.contains("stages.0.blocks.0.mlp.grn.weight"),
        epsilon: epsilon.unwrap_or(base.epsilon),
        ..base
    };
    Some(InferredArchitecture {
        architecture: Architecture::new(config),
        assumptions,
        missing_options: Vec::new(),
    })
}
