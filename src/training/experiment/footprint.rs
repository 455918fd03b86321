//! Estimates the peak memory of a run from its settings.
//!
//! The peak is that of a training step with all PETs unfrozen: the program itself, the weights, what every block from
//! the first trained one on keeps for the backward pass, the largest temporary tensors, what the method needs, and the
//! prefetched batches. On a GPU, the temporary tensors of a test may need more than the step. The factors count the
//! tensors that the layers keep; those of PETs were checked against the measured peaks in docs/backbones.md. Decoded
//! images that are kept between epochs are not included.

use crate::backbone::architecture::SavedTensors;
use crate::backbone::library::Description;
use crate::backbone::{IN_ATTENTION, IN_MLP, TokenCounts};
use crate::data::loader;
use crate::device;
use crate::method::{ConfiguredMethod, MemoryEstimate};
use crate::nn::WeightType;
use crate::pet::{BlockShape, PetSpec, Site};
use crate::run::config::{Precision, RunConfig};

use super::{ResourceCache, run_device};

/// Bytes per f32.
const BYTES_PER_VALUE: f64 = 4.0;
/// Memory of the program without a network: code, kernels, threads.
const PROGRAM_BYTES: f64 = 1e8;
/// Memory of the program on a GPU without a network: driver, compiled kernels and memory pools included.
const GPU_PROGRAM_BYTES: f64 = 4e8;
/// Overhead of allocators, as a share of the weights.
const ALLOCATOR_OVERHEAD: f64 = 0.3;
/// Number of temporary tensors of the widest block.
const TEMPORARY_TENSORS: f64 = 8.0;
/// Images per forward pass in tests, except for small images on a GPU.
const TEST_BATCH_SIZE: usize = 48;
/// Most images per forward pass in tests.
const MAX_TEST_BATCH_SIZE: usize = 256;

/// Returns the number of images of `side` × `side` pixels per forward pass in tests. A GPU takes more small images, as
/// many pixels as 48 images of 224 × 224 have, because launches limit the speed of small networks; it may round the
/// results of another batch size differently. On the CPU, the results do not depend on the batch size.
pub fn test_batch_size(config: &RunConfig, side: usize, is_on_gpu: bool) -> usize {
    let pixels = TEST_BATCH_SIZE * 224 * 224;
    let size = match is_on_gpu {
        true => pixels / side.saturating_mul(side).max(1),
        false => TEST_BATCH_SIZE,
    };
    let size = size.clamp(TEST_BATCH_SIZE, MAX_TEST_BATCH_SIZE);
    // No more images at once than in training.
    config.micro_batch.map_or(size, |micro_batch| micro_batch.clamp(1, size))
}

/// Returns the peak memory in bytes of training with these settings, on their device; `pet` is the plugin and the
/// blocks that have it, if one is trained.
pub fn estimate_peak_memory(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
) -> u64 {
    let gpu = run_device::gpu_weight_type(config);
    let input = backbone.entry.input_spec().size;
    // Prefetched batches are in host memory, which some GPUs do not share.
    let is_shared = device::choose(&config.device).map_or(true, |info| info.kind.shares_memory());
    let buffered = match is_shared {
        true => loader::max_buffered_bytes(config.batch, input),
        false => 0,
    };
    peak_bytes(config, backbone, pet, gpu).saturating_add(buffered)
}

/// Returns the peak memory of training with these settings; `None` if they are invalid, which the training reports.
pub fn estimate_for_settings(config: &RunConfig, cache: &ResourceCache) -> Option<u64> {
    let description = cache.describe(config.backbone_choice()).ok()?;
    if !ConfiguredMethod::from_config(config).ok()?.trains_pet().ok()? {
        return Some(estimate_peak_memory(config, &description, None));
    }
    let spec = cache.plugin(&config.pet).ok()?;
    let blocks = config.parse_blocks(description.blocks.len()).ok()?;
    spec.matching_sites(&description.blocks, &blocks).ok()?;
    Some(estimate_peak_memory(config, &description, Some((&spec, &blocks))))
}

/// Returns the largest micro-batch that fits into this many free bytes: half the batch, a quarter, and so on. `None` if
/// not even one image fits, or the whole batch does.
pub fn largest_fitting_micro_batch(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
    free: u64,
) -> Option<usize> {
    let peak_memory = |micro_batch: usize| {
        let smaller = RunConfig { micro_batch: Some(micro_batch), ..config.clone() };
        estimate_peak_memory(&smaller, backbone, pet)
    };
    let current = config.micro_batch.unwrap_or(config.batch).min(config.batch);
    let halves =
        std::iter::successors(Some(current.div_ceil(2)), |n| (*n > 1).then(|| n.div_ceil(2)));
    halves.filter(|n| *n < current).find(|n| peak_memory(*n) <= free)
}

/// Returns the peak memory on a GPU with weights of this format, or on the CPU.
fn peak_bytes(
    config: &RunConfig,
    backbone: &Description,
    pet: Option<(&PetSpec, &[usize])>,
    gpu: Option<WeightType>,
) -> u64 {
    let blocks = pet.map_or(&[][..], |(_, blocks)| blocks);
    let sites = pet.and_then(|(spec, blocks)| spec.matching_sites(&backbone.blocks, blocks).ok());
    let sites = sites.unwrap_or_default();
    let weights = match gpu {
        Some(WeightType::F16) => BYTES_PER_VALUE / 2.0,
        None if config.precision == Precision::Bf16 => BYTES_PER_VALUE / 2.0,
        Some(WeightType::F32 | WeightType::Bf16) | None => BYTES_PER_VALUE,
    };
    let program = gpu.map_or(PROGRAM_BYTES, |_| GPU_PROGRAM_BYTES);
    let fixed = program + (1.0 + ALLOCATOR_OVERHEAD) * weights * backbone.parameters as f64;
    let micro_batch = config.micro_batch.unwrap_or(config.batch).min(config.batch);
    let images = BYTES_PER_VALUE * micro_batch as f64;
    let architecture = &backbone.entry.architecture;
    let (family, lengths) = (architecture.family(), architecture.token_counts());
    let demand = method_memory(config, lengths.len());
    let first = blocks.first().copied().unwrap_or(lengths.len());
    let first = demand.first_block.map_or(first, |block| block.min(first));
    let blocks_with_lengths = backbone.blocks.iter().zip(&lengths).enumerate();
    let widest =
        blocks_with_lengths.clone().map(|(_, (shape, length))| shape.width * length.tokens);
    let saved_values = blocks_with_lengths.skip(first).map(|(index, (shape, length))| {
        let step = BlockStep {
            shape,
            length: *length,
            sites: if blocks.contains(&index) { sites } else { &[] },
            trains_weights: demand.weights,
        };
        match gpu {
            None => step.saved_by_kernels(&family.saved),
            Some(_) => step.saved_by_framework(&family.saved),
        }
    });
    let temporary = TEMPORARY_TENSORS * widest.max().unwrap_or(0) as f64;
    // Accumulated gradients are kept while the next micro-batch computes its own.
    let accumulated = f64::from(u8::from(micro_batch < config.batch));
    let trained = match demand.weights {
        true => {
            (VALUES_PER_TRAINED_WEIGHT + accumulated) * BYTES_PER_VALUE * backbone.parameters as f64
        }
        false => 0.0,
    };
    let size = backbone.entry.input_spec().size;
    let side = size as f64;
    let prefetched =
        BYTES_PER_VALUE * config.batch.saturating_sub(micro_batch) as f64 * 3.0 * side * side;
    // A GPU may test more images at once than it trains.
    let tested = gpu.map_or(0, |_| test_batch_size(config, size, true));
    let activations = (images * (saved_values.sum::<f64>() + temporary))
        .max(BYTES_PER_VALUE * tested as f64 * temporary);
    (fixed + trained + demand.bytes + prefetched + activations) as u64
}

/// Returns the memory that the method needs; zero for invalid settings, which are reported elsewhere.
fn method_memory(config: &RunConfig, depth: usize) -> MemoryEstimate {
    let chosen = ConfiguredMethod::from_config(config).ok();
    let memory = |chosen: ConfiguredMethod<'_>| (chosen.spec.memory)(&chosen, depth).ok();
    chosen.and_then(memory).unwrap_or(MemoryEstimate::NONE)
}

/// Numbers kept per trained weight in addition to the weight: gradient, momentum, and temporarily the updated weight.
const VALUES_PER_TRAINED_WEIGHT: f64 = 3.0;

/// A block in a training step; all counts are numbers per image.
struct BlockStep<'a> {
    shape: &'a BlockShape,
    length: TokenCounts,
    sites: &'a [Site],
    /// Whether the layers' weights are trained.
    trains_weights: bool,
}

impl BlockStep<'_> {
    /// Returns the sizes of a tensor of the block's width, of what its MLP keeps (with SwiGLU its result too), and of all
    /// attention scores.
    fn sizes(&self) -> [f64; 3] {
        let tokens = self.length.tokens as f64;
        let scores = self.shape.heads * self.length.attended;
        let BlockShape { hidden, fc1_outputs, .. } = *self.shape;
        let mlp = match fc1_outputs > hidden {
            true => fc1_outputs + hidden,
            false => hidden,
        };
        [tokens * self.shape.width as f64, tokens * mlp as f64, tokens * scores as f64]
    }

    fn site_indicator(&self, sites: &[Site]) -> f64 {
        f64::from(u8::from(self.sites.iter().any(|site| sites.contains(site))))
    }

    /// Returns what PETs keep: their input and output separately from the layer, and intermediate results of split
    /// sub-layers.
    fn saved_by_pets(&self) -> f64 {
        let [width, hidden, scores] = self.sizes();
        let has_sites = f64::from(u8::from(!self.sites.is_empty()));
        has_sites * width
            + self.site_indicator(IN_ATTENTION) * 4.0 * width
            + self.site_indicator(&[Site::Attend]) * 3.0 * scores
            + self.site_indicator(IN_MLP) * 2.0 * hidden
    }

    /// Returns what is kept on the CPU, where a sub-layer is one operation: its input and the packed projections or
    /// the slope of the GELU. The rest is recomputed.
    fn saved_by_kernels(&self, saved: &SavedTensors) -> f64 {
        let [width, hidden, _] = self.sizes();
        let [by_width, by_hidden] = saved.kernels;
        let layers = by_width * width + by_hidden * hidden;
        // The gradients of trained weights need the input of each linear layer.
        let inputs = if self.trains_weights { width + hidden } else { 0.0 };
        layers + inputs + self.saved_by_pets()
    }

    /// Returns what the framework keeps on a GPU: the inputs of every elementary operation of norms and GELU, but no
    /// attention scores.
    fn saved_by_framework(&self, saved: &SavedTensors) -> f64 {
        let [width, hidden, _] = self.sizes();
        let [by_width, by_hidden] = saved.framework;
        by_width * width + by_hidden * hidden + self.saved_by_pets()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backbone::library::BackboneLibrary;
    use crate::pet::library::PluginLibrary as Plugins;

    fn peak_for(backbone: &str, pet: &str, batch: usize, gpu: Option<WeightType>) -> f64 {
        let config = RunConfig { batch, ..RunConfig::default() };
        let description = BackboneLibrary::with_default_locations().describe(backbone).unwrap();
        let spec = Plugins::with_folders(Vec::new()).get(pet).unwrap();
        peak_bytes(&config, &description, Some((&spec, &[0, 1, 2, 3, 4])), gpu) as f64
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
    fn estimated_memory_is_within_25_percent_of_measured() {
        for (backbone, pet, batch, measured) in MEASURED {
            let ratio = peak_for(backbone, pet, batch, None) / (measured * 1e6);
            assert!((0.75..1.25).contains(&ratio), "{backbone} {pet} {batch}: {ratio:.2}");
        }
    }

    #[test]
    fn gpu_tests_small_images_in_larger_batches() {
        let config = RunConfig::default();
        let size = |side, is_on_gpu| test_batch_size(&config, side, is_on_gpu);
        assert_eq!([size(32, false), size(224, false)], [48, 48]);
        assert_eq!([size(32, true), size(112, true), size(224, true)], [256, 192, 48]);
        let limited = RunConfig { micro_batch: Some(8), ..RunConfig::default() };
        assert_eq!(test_batch_size(&limited, 32, true), 8);
        // Without a trained PET, a step with one image needs less than a test.
        let description = BackboneLibrary::with_default_locations().describe("lae-nano").unwrap();
        let peak = |micro_batch| {
            let config = RunConfig { batch: 1, micro_batch, ..RunConfig::default() };
            peak_bytes(&config, &description, None, Some(WeightType::F32))
        };
        assert!(peak(Some(1)) < peak(None));
    }

    #[test]
    fn half_precision_weights_reduce_gpu_memory() {
        let memory = |weights| peak_for("vit_base_patch16_224", "adapter", 24, Some(weights));
        let saved = memory(WeightType::F32) - memory(WeightType::F16);
        let parameters = 86e6;
        assert!((1.0..1.5).contains(&(saved / (2.0 * parameters))));
    }

    #[test]
    fn estimate_counts_prefetched_batches() {
        let config = RunConfig { batch: 64, device: "cpu".into(), ..RunConfig::default() };
        let description =
            BackboneLibrary::with_default_locations().describe("vit_tiny_patch16_224").unwrap();
        let total = estimate_peak_memory(&config, &description, None);
        // At least one batch of bytes in addition to the step itself.
        let step = peak_bytes(&config, &description, None, None);
        assert!(total - step >= 64 * 224 * 224 * 3, "{total} {step}");
    }

    #[test]
    fn overflowing_estimate_saturates() {
        let description = BackboneLibrary::with_default_locations().describe("lae-nano").unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let config = RunConfig { batch: usize::MAX, device: "cpu".into(), ..RunConfig::default() };
        assert_eq!(estimate_peak_memory(&config, &description, Some((&spec, &[0]))), u64::MAX);
    }

    #[test]
    fn finds_largest_micro_batch_that_fits() {
        let description =
            BackboneLibrary::with_default_locations().describe("vit_base_patch16_224").unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let pet = Some((&*spec, &[0, 1, 2][..]));
        let config =
            |micro_batch| RunConfig { device: "cpu".into(), micro_batch, ..RunConfig::default() };
        let memory = |at_once| estimate_peak_memory(&config(Some(at_once)), &description, pet);
        assert!(memory(3) < memory(6) && memory(6) < memory(12));
        assert_eq!(memory(24), estimate_peak_memory(&config(None), &description, pet));
        assert_eq!(
            largest_fitting_micro_batch(&config(None), &description, pet, memory(6)),
            Some(6)
        );
        assert_eq!(
            largest_fitting_micro_batch(&config(None), &description, pet, memory(6) - 1),
            Some(3)
        );
        assert_eq!(
            largest_fitting_micro_batch(&config(Some(6)), &description, pet, memory(3)),
            Some(3)
        );
        assert_eq!(largest_fitting_micro_batch(&config(None), &description, pet, 1000), None);
    }

    #[test]
    fn blocks_before_first_pet_store_no_activations() {
        let description =
            BackboneLibrary::with_default_locations().describe("vit_base_patch16_224").unwrap();
        let spec = Plugins::with_folders(Vec::new()).get("adapter").unwrap();
        let config = RunConfig::default();
        let peak_with =
            |blocks: &[usize]| peak_bytes(&config, &description, Some((&spec, blocks)), None);
        assert!(peak_with(&[11]) < peak_with(&[6]) && peak_with(&[6]) < peak_with(&[0]));
    }
}
