//! The attention weights of the class token over the patches.
//!
//! The weights are those of the network with its hooks. If a plugin computes the attention itself, they are read from
//! its result. That is a weighted sum of the values, so for values that are 1 at one patch and 0 elsewhere, it is the
//! weight of this patch.

use burn::tensor::{Tensor, TensorData};

use super::Vit;
use crate::backbone::Tokens;
use crate::backbone::block;
use crate::message;
use crate::nn;
use crate::pet::{Hooks, Site};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// How far a weight may be below 0 or above 1 due to rounding.
const ROUNDING: f32 = 1e-3;

impl Vit {
    /// Returns the attention weights of the class token over the patches in a block, averaged over the heads (batch ×
    /// patches). `tokens` are those before the block.
    pub(super) fn class_attention_weights(
        &self,
        index: usize,
        tokens: &Tokens,
        hooks: &dyn Hooks,
    ) -> Result<Tensor<2>> {
        let patches = tokens.rows * tokens.columns;
        let mut ops = self.ops(index, tokens, hooks);
        let qkv = block::heads(&mut ops, &tokens.values)?;
        let [q, k, v] = nn::split_heads(&qkv, hooks.prefix(index), self.config.heads);
        // With a prefix, there are more keys and values than queries.
        let [batch, heads, keys, _] = k.dims();
        let first = keys - patches;
        let weights = if hooks.uses(index, Site::Attend) {
            plugin_attention_weights(index, [q, k, v], first, hooks)?
        } else {
            class_token_weights(q, k).slice([0..batch, 0..heads, 0..1, first..keys])
        };
        Ok(weights.mean_dim(1).reshape([batch, patches]))
    }
}

/// Softmax of the first query over all keys: batch × heads × 1 × keys.
fn class_token_weights(q: Tensor<4>, k: Tensor<4>) -> Tensor<4> {
    let [batch, heads, _, width] = q.dims();
    let first = q.slice([0..batch, 0..heads, 0..1, 0..width]);
    let scale = (width as f64).powf(-0.5);
    nn::softmax(nn::matmul(first * scale, k.swap_dims(2, 3)))
}

/// The weights that a plugin's attention gives the values of the tokens from `first` on (batch ×
/// heads × 1 × these tokens).
fn plugin_attention_weights(
    block: usize,
    [q, k, v]: [Tensor<4>; 3],
    first: usize,
    hooks: &dyn Hooks,
) -> Result<Tensor<4>> {
    let [batch, heads, tokens, width] = v.dims();
    let attend_class = |values: Tensor<4>| -> Result<Tensor<4>> {
        let out = hooks.attend(block, q.clone(), k.clone(), values)?;
        Ok(out.slice([0..batch, 0..heads, 0..1, 0..width]))
    };
    let zeros = v.zeros_like();
    let without = attend_class(zeros.clone())?;
    let mut parts = Vec::new();
    for from in (first..tokens).step_by(width) {
        let count = width.min(tokens - from);
        let mut marks = vec![0f32; tokens * width];
        for i in 0..count {
            marks[(from + i) * width + i] = 1.0;
        }
        let marks = TensorData::new(marks, [1, 1, tokens, width]);
        let marks = zeros.clone() + Tensor::<4>::from_data(marks, &zeros.device());
        let weights = attend_class(marks)? - without.clone();
        parts.push(weights.slice([0..batch, 0..heads, 0..1, 0..count]));
    }
    let weights = Tensor::cat(parts, 3);
    let values = HostTensor::read(&weights)?.values;
    if values.iter().all(|v| (-ROUNDING..=1.0 + ROUNDING).contains(v)) {
        return Ok(weights.clamp(0.0, 1.0));
    }
    Err(Problem::new(message!("problem-attention-without-shares")))
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, Tensor};

    use super::*;
    use crate::backbone::Backbone;
    use crate::backbone::architecture::Architecture;
    use crate::backbone::vit::{Config, Pool};
    use crate::pet::library::PluginLibrary;
    use crate::pet::{PetSettings, PetStack};

    const SHAPE: [usize; 3] = [2, 17, 24];

    fn vit() -> std::sync::Arc<dyn Backbone> {
        let config = Config::new(32, 8, 24, 2, 3);
        Architecture::new(config).build_random(5, &Device::flex()).unwrap()
    }

    /// Returns a PET with random parameters, so that it has an effect.
    fn pets(vit: &dyn Backbone, plugin: &str, variant: Option<&str>) -> PetStack {
        let spec = PluginLibrary::standard().get(plugin).unwrap();
        let settings =
            PetSettings { variant: variant.map(str::to_string), ..PetSettings::with_size(4) };
        let stack = PetStack::init(&spec, &settings, vit.blocks(), &[0, 1], 3, &Device::flex());
        stack.unwrap().map_tensors(|name, tensor, _| {
            let noise = test_tensor::<2>(tensor.dims(), name.len());
            tensor.clone() + noise * 0.3
        })
    }

    fn test_tensor<const D: usize>(shape: [usize; D], shift: usize) -> Tensor<D> {
        let count: usize = shape.iter().product();
        let value = |i: usize| ((i * 7919 + shift * 104_729) % 997) as f32 / 498.5 - 1.0;
        let values = (0..count).map(value).collect();
        let host = HostTensor { shape: shape.to_vec(), values };
        host.to_device(&Device::flex()).unwrap()
    }

    fn attention_weights(vit: &dyn Backbone, hooks: &dyn Hooks) -> Vec<f32> {
        let values = test_tensor::<3>(SHAPE, 1);
        let tokens = crate::backbone::Tokens { values, rows: 4, columns: 4 };
        let shares = vit.class_attention(1, &tokens, hooks).unwrap().unwrap();
        assert_eq!(shares.dims(), [2, 16]);
        HostTensor::read(&shares).unwrap().values
    }

    /// Computes the attention weights element by element from the projections alone.
    fn reference(vit: &dyn Backbone, hooks: &dyn Hooks) -> Vec<f32> {
        let weights = vit.weights().unwrap();
        let mut named = crate::tensors::NamedTensors::new();
        weights.write("w", &mut named).unwrap();
        let weight = |name: &str| named[&format!("w.blocks.1.{name}")].values.clone();
        let (gamma, beta) = (weight("norm1.weight"), weight("norm1.bias"));
        let x = HostTensor::read(&test_tensor::<3>(SHAPE, 1)).unwrap().values;
        let width = SHAPE[2];
        let e: Vec<f32> = x
            .chunks(width)
            .flat_map(|row| {
                let mean = row.iter().sum::<f32>() / width as f32;
                let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / width as f32;
                let scale = (variance + 1e-6).sqrt();
                let normed = row.iter().zip(gamma.iter().zip(&beta));
                normed.map(|(v, (g, b))| (v - mean) / scale * g + b).collect::<Vec<_>>()
            })
            .collect();
        let (weight, bias) = (weight("attn.qkv.weight"), weight("attn.qkv.bias"));
        let project = |part: usize| -> Vec<f32> {
            let row = |row: &[f32]| -> Vec<f32> {
                let column = |c: usize| {
                    let out = part * width + c;
                    let w = &weight[out * width..(out + 1) * width];
                    row.iter().zip(w).map(|(a, b)| a * b).sum::<f32>() + bias[out]
                };
                (0..width).map(column).collect()
            };
            e.chunks(width).flat_map(row).collect()
        };
        let adapted = |site: Site, part: usize| -> Vec<f32> {
            let host = |values: Vec<f32>| HostTensor { shape: SHAPE.to_vec(), values };
            let device = Device::flex();
            let e = host(e.clone()).to_device(&device).unwrap();
            let h = host(project(part)).to_device(&device).unwrap();
            let out = hooks.apply(1, site, &e, h).unwrap();
            HostTensor::read(&out).unwrap().values
        };
        let (q, k) = (adapted(Site::Query, 0), adapted(Site::Key, 1));
        let (heads, head) = (3, width / 3);
        let mut mean = vec![0f32; SHAPE[0] * 16];
        for (image, h) in (0..SHAPE[0]).flat_map(|i| (0..heads).map(move |h| (i, h))) {
            let head_values = |values: &[f32], token: usize| {
                let from = (image * SHAPE[1] + token) * width + h * head;
                values[from..from + head].to_vec()
            };
            let class = head_values(&q, 0);
            let score = |token: usize| {
                let dot: f32 = class.iter().zip(head_values(&k, token)).map(|(a, b)| a * b).sum();
                (dot / (head as f32).sqrt()).exp()
            };
            let scores: Vec<f32> = (0..SHAPE[1]).map(score).collect();
            let total: f32 = scores.iter().sum();
            for (patch, score) in scores[1..].iter().enumerate() {
                mean[image * 16 + patch] += score / total / heads as f32;
            }
        }
        mean
    }

    fn assert_close(a: &[f32], b: &[f32]) {
        assert_eq!(a.len(), b.len());
        let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0f32, f32::max);
        assert!(largest < 1e-5, "{largest}: {a:?} {b:?}");
    }

    #[test]
    fn class_attention_matches_reference_with_and_without_pet() {
        let vit = vit();
        let lora = pets(&*vit, "lora", None);
        let plain = attention_weights(&*vit, &PetStack::empty());
        let adapted = attention_weights(&*vit, &lora);
        assert_close(&plain, &reference(&*vit, &PetStack::empty()));
        assert_close(&adapted, &reference(&*vit, &lora));
        let differences = plain.iter().zip(&adapted).map(|(a, b)| (a - b).abs());
        assert!(differences.fold(0.0, f32::max) > 1e-3, "the PET has no effect");
    }

    #[test]
    fn mean_of_patches_has_no_class_attention() {
        let config = Config { pool: Pool::Avg, ..Config::new(32, 8, 24, 2, 3) };
        let vit = Architecture::new(config).build_random(5, &Device::flex()).unwrap();
        let tokens = Tokens { values: test_tensor::<3>(SHAPE, 1), rows: 4, columns: 4 };
        assert!(vit.class_attention(1, &tokens, &PetStack::empty()).unwrap().is_none());
    }

    /// The output of the plugin is the values weighted by the attention weights, plus the contribution of the prefix.
    #[test]
    fn prefix_attention_weights_match_plugin_output() {
        for variant in [None, Some("plain")] {
            let vit = vit();
            let prefix = pets(&*vit, "prefix", variant);
            let [q, k] = [11, 12].map(|shift| test_tensor::<4>([1, 3, 17, 8], shift));
            let v = test_tensor::<4>([1, 3, 17, 8], 13);
            let parts = [q.clone(), k.clone(), v.clone()];
            let shares = plugin_attention_weights(1, parts, 0, &prefix).unwrap();
            let class = |values: Tensor<4>| {
                let out = prefix.attend(1, q.clone(), k.clone(), values).unwrap();
                let out = out.slice([0..1, 0..3, 0..1, 0..8]);
                HostTensor::read(&out).unwrap().values
            };
            let without = class(v.zeros_like());
            let weighed = HostTensor::read(&shares.clone().matmul(v.clone())).unwrap();
            let sum: Vec<f32> = weighed.values.iter().zip(&without).map(|(a, b)| a + b).collect();
            assert_close(&class(v), &sum);
            let shares = HostTensor::read(&shares).unwrap().values;
            let totals: Vec<f32> = shares.chunks(17).map(|row| row.iter().sum()).collect();
            assert!(totals.iter().all(|t| *t < 1.0), "the prefix receives no attention");
        }
    }

    #[test]
    fn plugin_attention_without_change_is_softmax() {
        struct Plain;
        impl Hooks for Plain {
            fn first_block(&self) -> Option<usize> {
                Some(0)
            }
            fn acts_in(&self, _: usize) -> bool {
                true
            }
            fn attend(
                &self,
                _: usize,
                q: Tensor<4>,
                k: Tensor<4>,
                v: Tensor<4>,
            ) -> Result<Tensor<4>> {
                let scale = (q.dims()[3] as f64).powf(-0.5);
                Ok(nn::softmax((q * scale).matmul(k.swap_dims(2, 3))).matmul(v))
            }
        }
        let [q, k, v] = [1, 2, 3].map(|shift| test_tensor::<4>([2, 3, 17, 8], shift));
        let actual = plugin_attention_weights(0, [q.clone(), k.clone(), v], 0, &Plain).unwrap();
        let expected = class_token_weights(q, k);
        let [actual, expected] = [actual, expected].map(|t| HostTensor::read(&t).unwrap().values);
        assert_close(&actual, &expected);
    }
}
