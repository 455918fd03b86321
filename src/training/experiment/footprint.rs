//! Estimates the peak memory of a run from its settings.
//!
//! The peak is that of a training step with all PETs unfrozen: the program itself, the weights, what every block from
//! the first trained one on keeps for the backward pass, the largest temporary tensors, what the method needs, and the
//! prefetched batches. The factors count the tensors that the layers keep; those of PETs were checked against the
//! measured peaks in docs/backbones.md. Decoded images that are kept between epochs are not included.

use crate::backbone::architecture::SavedTensors;
use crate::backbone::library::Description;
use crate::backbone::{IN_ATTENTION, IN_MLP, Length};
use crate::data::loader;
use crate::method::{Chosen, MemoryEstimate};
use crate::nn::WeightType;
use crate::pet::{BlockShape, PetSpec, Site};
use crate::run::config::{Precision, RunConfig};

use super::{ResourceCache, fitting};

/// Bytes per f32.
const NUMBER: f64 = 4.0;
/// Memory of the program without a network: code, kernels, threads.
const PROGRAM: f64 = 1e8;
/// Memory of the program on a GPU without a network: driver, compiled kernels and memory pools included.
const PROGRAM_AND_DRIVER: f64 = 4e8;
/// Overhead of allocators, as a share of the weights.
const SLACK: f64 = 0.3;
/// Number of temporary tensors of the widest block.
const PASSING: f64 = 8.0;

/// Returns the peak memory in bytes of training with these settings, on their device; `pet` is the plugin and the
/// blocks that have it, if one is trained.
pub fn expected(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
) -> u64 {
    let gpu = fitting::expected_on_gpu(config);
    let input = backbone.entry.input().size;
    let buffered = loader::buffered(config.batch, input);
    peak(config, backbone, pet, gpu).saturating_add(buffered)
}

/// Returns the peak memory of training with these settings; `None` if they are invalid, which the training reports.
pub fn of_settings(config: &RunConfig, cache: &ResourceCache) -> Option<u64> {
    let about = cache.describe(config.chosen_backbone()).ok()?;
    if !Chosen::of(config).ok()?.trains_pet().ok()? {
        return Some(expected(config, &about, None));
    }
    let spec = cache.plugin(&config.pet).ok()?;
    let blocks = config.block_list(about.blocks.len()).ok()?;
    spec.fits(&about.blocks, &blocks).ok()?;
    Some(expected(config, &about, Some((&spec, &blocks))))
}

/// Returns the largest micro-batch that fits into this many free bytes: half the batch, a quarter, and so on. `None` if
/// not even one image fits, or the whole batch does.
pub fn fitting(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
    free: u64,
) -> Option<usize> {
    let takes = |at_once: usize| {
        let fewer = RunConfig {
            micro_batch: Some(at_once),
            ..config.clone()
        };
        expected(&fewer, backbone, pet)
    };
    let all = config.micro_batch.unwrap_or(config.batch).min(config.batch);
    let halves = std::iter::successors(Some(all.div_ceil(2)), |n| (*n > 1).then(|| n.div_ceil(2)));
    halves.filter(|n| *n < all).find(|n| takes(*n) <= free)
}

/// Returns the peak memory on a GPU with weights of this format, or on the CPU.
fn peak(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
    gpu: Option<WeightType>,
) -> u64 {
    let blocks = pet.map_or(&[][..], |(_, blocks)| blocks);
    let sites = pet.and_then(|(spec, blocks)| spec.fits(&backbone.blocks, blocks).ok());
    let sites = sites.unwrap_or_default();
    let weights = match gpu {
        Some(WeightType::F16) => NUMBER / 2.0,
        None if config.precision == Precision::Bf16 => NUMBER / 2.0,
        Some(WeightType::F32 | WeightType::Bf16) | None => NUMBER,
    };
    let program = gpu.map_or(PROGRAM, |_| PROGRAM_AND_DRIVER);
    let fixed = program + (1.0 + SLACK) * weights * backbone.parameters as f64;
    let at_once = config.micro_batch.unwrap_or(config.batch).min(config.batch);
    let images = NUMBER * at_once as f64;
    let architecture = &backbone.entry.architecture;
    let (family, lengths) = (architecture.family(), architecture.lengths());
    let demand = demand(config, lengths.len());
    let first = blocks.first().copied().unwrap_or(lengths.len());
    let first = demand.first_block.map_or(first, |own| own.min(first));
    let all = backbone.blocks.iter().zip(&lengths).enumerate();
    let widest = all
        .clone()
        .map(|(_, (shape, length))| shape.width * length.tokens);
    let kept = all.skip(first).map(|(index, (shape, length))| {
        let step = Step {
            shape,
            length: *length,
            sites: if blocks.contains(&index) { sites } else { &[] },
            weights: demand.weights,
        };
        match gpu {
            None => step.kept_by_kernels(&family.saved),
            Some(_) => step.kept_by_framework(&family.saved),
        }
    });
    let passing = PASSING * widest.max().unwrap_or(0) as f64;
    // Accumulated gradients are kept while the next micro-batch computes its own.
    let summed = f64::from(u8::from(at_once < config.batch));
    let trained = match demand.weights {
        true => (TRAINED + summed) * NUMBER * backbone.parameters as f64,
        false => 0.0,
    };
    let side = backbone.entry.input().size as f64;
    let waiting = NUMBER * config.batch.saturating_sub(at_once) as f64 * 3.0 * side * side;
    let moving = images * (kept.sum::<f64>() + passing);
    (fixed + trained + demand.bytes + waiting + moving) as u64
}

/// Returns the memory that the method needs; zero for invalid settings, which are reported elsewhere.
fn demand(config: &RunConfig, depth: usize) -> MemoryEstimate {
    let chosen = Chosen::of(config).ok();
    let memory = |chosen: Chosen<'_>| (chosen.spec.memory)(&chosen, depth).ok();
    chosen.and_then(memory).unwrap_or(MemoryEstimate::NONE)
}

/// Numbers kept per trained weight in addition to the weight: gradient, momentum, and temporarily the updated weight.
const TRAINED: f64 = 3.0;

/// A block in a training step; all counts are numbers per image.
struct Step<'a> {
    shape: &'a BlockShape,
    length: Length,
    sites: &'a [Site],
    /// Whether the layers' weights are trained.
    weights: bool,
}

impl Step<'_> {
    /// Returns the sizes of a tensor of the block's width, of what its MLP keeps (with SwiGLU its result too), and of all
    /// attention scores.
    fn sizes(&self) -> [f64; 3] {
        let tokens = self.length.tokens as f64;
        let scores = self.shape.heads * self.length.attended;
        let BlockShape {
            hidden,
            fc1_outputs,
            ..
        } = *self.shape;
        let mlp = match fc1_outputs > hidden {
            true => fc1_outputs + hidden,
            false => hidden,
        };
        [
            tokens * self.shape.width as f64,
            tokens * mlp as f64,
            tokens * scores as f64,
        ]
    }

    fn any(&self, of: &[Site]) -> f64 {
        f64::from(u8::from(self.sites.iter().any(|site| of.contains(site))))
    }

    /// Returns what PETs keep: their input and output separately from the layer, and intermediate results of split
    /// sub-layers.
    fn kept_by_pets(&self) -> f64 {
        let [width, hidden, scores] = self.sizes();
        let somewhere = f64::from(u8::from(!self.sites.is_empty()));
        somewhere * width
            + self.any(IN_ATTENTION) * 4.0 * width
            + self.any(&[Site::Attend]) * 3.0 * scores
            + self.any(IN_MLP) * 2.0 * hidden
    }

    /// Returns what is kept on the CPU, where a sub-layer is one operation: its input and the packed projections or
    /// the slope of the GELU. The rest is recomputed.
    fn kept_by_kernels(&self, kept: &SavedTensors) -> f64 {
        let [width, hidden, _] = self.sizes();
        let [by_width, by_hidden] = kept.kernels;
        let layers = by_width * width + by_hidden * hidden;
        // The gradients of trained weights need the input of each linear layer.
        let read = if self.weights { width + hidden } else { 0.0 };
        layers + read + self.kept_by_pets()
    }

    /// Returns what the framework keeps on a GPU: the inputs of every elementary operation of norms and GELU, but no
    /// attention scores.
    fn kept_by_framework(&self, kept: &SavedTensors) -> f64 {
        let [width, hidden, _] = self.sizes();
        let [by_width, by_hidden] = kept.framework;
        by_width * width + by_hidden * hidden + self.kept_by_pets()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::BackboneLibrary;
    use crate::pet::library::PluginLibrary as Plugins;

    fn of(backbone: &str, pet: &str, batch: usize, gpu: Option<WeightType>) -> f64 {
        let config = RunConfig {
            batch,
            ..RunConfig::default()
        };
        let about = BackboneLibrary::usual().describe(backbone).unwrap();
        let spec = Plugins::with_folders(Vec::new()).get(pet).unwrap();
        peak(&config, &about, Some((&spec, &[0, 1, 2, 3, 4])), gpu) as f64
    }

    /// Peaks in MB that `bench --mode train --device cpu` reported (docs/backbones.md).
    const MEASURED: [(&str, &str, usize, f64); 20] = [
        ("lae-nano", "adapter", 24, 188.0),
        ("vit_tiny_patch16_224", "adapter", 4, 248.0),
        ("vit_tiny_patch16_224", "adapter", 8, 326.0),
        ("vit_small_patch16_224", "adapter", 24, 1138.0),
        ("vit_small_patch16_dinov3", "adapter", 4, 425.0),
        ("vit_small_patch16_dinov3", "adapter", 8, 646.0),
        ("eva02_base_patch14_224", "adapter", 4, 1100.0),
        ("eva02_base_patch14_224", "adapter", 8, 1700.0),
        ("vit_pe_core_base_patch16_224", "adapter", 4, 879.0),
        ("vit_pe_core_base_patch16_224", "adapter", 8, 1200.0),
        ("vit_base_patch16_224", "adapter", 4, 832.0),
        ("vit_base_patch16_224", "adapter", 8, 1137.0),
        ("vit_base_patch16_224", "lora", 8, 1229.0),
        ("vit_base_patch16_224", "prefix", 8, 1395.0),
        ("swin_tiny_patch4_window7_224", "adapter", 4, 556.0),
        ("swin_tiny_patch4_window7_224", "adapter", 8, 864.0),
        ("swin_base_patch4_window7_224", "adapter", 4, 1113.0),
        ("swin_base_patch4_window7_224", "adapter", 8, 1706.0),
        ("convnext_base", "adapter", 4, 988.0),
        ("convnext_base", "adapter", 8, 1471.0),
    ];

    #[test]
    fn the_expected_memory_is_within_a_quarter_of_the_measured() {
        for (backbone, pet, batch, measured) in MEASURED {
            let ratio = of(backbone, pet, batch, None) / (measured * 1e6);
            assert!(
                (0.75..1.25).contains(&ratio),
                "{backbone} {pet} {batch}: {ratio:.2}"
            );
        }
    }

    #[test]
    fn weights_in_half_precision_take_less_of_a_gpu() {
        let takes = |weights| of("vit_base_patch16_224", "adapter", 24, Some(weights));
        let saved = takes(WeightType::F32) - takes(WeightType::F16);
        let parameters = 86e6;
        assert!((1.0..1.5).contains(&(saved / (2.0 * parameters))));
    }

    #[test]
    fn batches_that_wait_ready_are_counted() {
        let config = RunConfig {
            batch: 64,
            device: "cpu".into(),
            ..RunConfig::default()
        };
        let about = BackboneLibrary::usual()
            .describe("vit_tiny_patch16_224")
            .unwrap();
        let all = expected(&config, &about, None);
        // At least one batch of bytes in addition to the step itself.
        let step = peak(&config, &about, None, None);
        assert!(all - step >= 64 * 224 * 224 * 3, "{all} {step}");
    }

    #[test]
    fn a_number_beyond_all_measure_is_one() {
        let about = BackboneLibrary::usual().describe("lae-nano").unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let config = RunConfig {
            batch: usize::MAX,
            device: "cpu".into(),
            ..RunConfig::default()
        };
        assert_eq!(expected(&config, &about, Some((&spec, &[0]))), u64::MAX);
    }

    #[test]
    fn fewer_images_at_once_take_less_and_the_most_that_fits_is_offered() {
        let about = BackboneLibrary::usual()
            .describe("vit_base_patch16_224")
            .unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let pet = Some((&*spec, &[0, 1, 2][..]));
        let config = |micro_batch| RunConfig {
            device: "cpu".into(),
            micro_batch,
            ..RunConfig::default()
        };
        let takes = |at_once| expected(&config(Some(at_once)), &about, pet);
        assert!(takes(3) < takes(6) && takes(6) < takes(12));
        assert_eq!(takes(24), expected(&config(None), &about, pet));
        assert_eq!(fitting(&config(None), &about, pet, takes(6)), Some(6));
        assert_eq!(fitting(&config(None), &about, pet, takes(6) - 1), Some(3));
        assert_eq!(fitting(&config(Some(6)), &about, pet, takes(3)), Some(3));
        assert_eq!(fitting(&config(None), &about, pet, 1000), None);
    }

    #[test]
    fn blocks_before_the_first_pet_keep_nothing() {
        let about = BackboneLibrary::usual()
            .describe("vit_base_patch16_224")
            .unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let config = RunConfig::default();
        let with = |blocks: &[usize]| peak(&config, &about, Some((&spec, blocks)), None);
        assert!(with(&[11]) < with(&[6]) && with(&[6]) < with(&[0]));
    }
}
