//! The last block of a ViT for the class token alone, the only token its feature is read from.
//!
//! The class token still attends to all tokens, but a single query needs neither their keys nor their values: with E
//! the normalised tokens, q·(E·Wk)ᵀ = (q·Wkᵀ)·Eᵀ and p·(E·Wv) = (p·E)·Wv. The bias of the keys adds the same to every
//! score, so it has no effect; that of the values stays, because the weights p add up to 1. The block then takes little
//! more time than it needs for one token.

use burn::tensor::Tensor;

use crate::backbone::block::tensors::Attention;
use crate::nn::{self, Linear};

/// The separate projections of the last block.
pub(super) struct LastAttention {
    query: Linear,
    /// heads × head width × width, scaled by head width^−½.
    key: Tensor<3>,
    /// heads × width × head width.
    value: Tensor<3>,
    value_bias: Option<Tensor<1>>,
    heads: usize,
}

impl LastAttention {
    /// Splits the packed projections (width × 3·width) of an attention.
    pub(super) fn new(attention: &Attention) -> Self {
        let (packed, heads) = (&attention.qkv, attention.heads);
        let weight = packed.weight_f32();
        let [width, _] = weight.dims();
        let head_dim = width / heads;
        // The product with 1 makes a contiguous copy, not a view.
        let part = |i: usize| {
            let columns = i * width..(i + 1) * width;
            weight.clone().slice([0..width, columns])
        };
        let bias = |i: usize| {
            let bias = packed.bias.as_ref()?;
            Some(bias.clone().slice(i * width..(i + 1) * width) * 1.0)
        };
        let per_head = |i: usize| part(i).reshape([width, heads, head_dim]);
        let scale = (head_dim as f64).powf(-0.5);
        Self {
            query: Linear::new(part(0) * 1.0, bias(0)),
            key: per_head(1).permute([1, 2, 0]) * scale,
            value: per_head(2).permute([1, 0, 2]) * 1.0,
            value_bias: bias(2),
            heads,
        }
    }

    /// Tokens before the last block → the class token after it: batch × tokens × width → batch ×
    /// 1 × width.
    pub(super) fn run(&self, attention: &Attention, x: Tensor<3>) -> Tensor<3> {
        let [batch, _, width] = x.dims();
        let first = |x: Tensor<3>| x.slice([0..batch, 0..1, 0..width]);
        let e = attention.norm.forward(x.clone());
        let query = self.query.forward(first(e.clone()));
        let by_head = |x: Tensor<3>| x.swap_dims(0, 1);
        let query = by_head(query.reshape([batch, self.heads, width / self.heads]));
        let projected_query = by_head(nn::matmul(query, self.key.clone()));
        let weights = nn::softmax(nn::matmul(projected_query, e.clone().swap_dims(1, 2)));
        let mixed = by_head(nn::matmul(weights, e));
        let mixed = by_head(nn::matmul(mixed, self.value.clone())).reshape([batch, 1, width]);
        let mixed = match &self.value_bias {
            Some(bias) => mixed + bias.clone().unsqueeze::<3>(),
            None => mixed,
        };
        first(x) + attention.proj.forward(mixed)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tensor};

    use crate::backbone::architecture::Architecture;
    use crate::backbone::vit::Config;
    use crate::pet::library::PluginLibrary;
    use crate::pet::{PetSettings, PetStack};
    use crate::tensors::HostTensor;

    /// Returns the features and the gradient of the widening matrix of block 0. A new adapter adds nothing, but one in
    /// the last block makes that block run for all tokens.
    fn run_with_adapters(blocks: &[usize]) -> [Vec<f32>; 2] {
        let device = Device::flex();
        let vit = Architecture::new(Config::new(32, 8, 48, 3, 3));
        let vit = vit.build_random(3, &device).unwrap();
        let adapter = PluginLibrary::standard().get("adapter").unwrap();
        let size = PetSettings::with_size(4);
        let pets = PetStack::init(&adapter, &size, vit.blocks(), blocks, 1, &device).unwrap();
        let pets = pets.tracked();
        let count = 2 * 3 * 32 * 32;
        let values = (0..count).map(|i| (i % 83) as f32 / 40.0 - 1.0).collect();
        let shape = vec![2, 3, 32, 32];
        let images: Tensor<4> = HostTensor { shape, values }.to_device(&device).unwrap();
        let features = vit.features(images, &pets).unwrap();
        let graph = features.clone().powf_scalar(3.0).sum().backward();
        let up = pets.parameters().find(|(name, ..)| *name == "0.up");
        let gradient = up.and_then(|(_, up, _)| up.grad(&graph)).unwrap();
        [
            HostTensor::read(&features.inner()).unwrap().values,
            HostTensor::read(&gradient).unwrap().values,
        ]
    }

    #[test]
    fn class_token_only_block_matches_whole_block() {
        let (class_only, full) = (run_with_adapters(&[0]), run_with_adapters(&[0, 2]));
        for (a, b) in class_only.iter().zip(&full) {
            let largest = b.iter().fold(0f32, |m, v| m.max(v.abs()));
            let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            assert!(largest > 0.0 && differences.fold(0.0, f32::max) < 1e-5 * largest);
        }
    }
}
