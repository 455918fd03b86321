//! Rotary position embedding of queries and keys.

use std::sync::{Arc, OnceLock};

use burn::tensor::{Device, Tensor, TensorData};

use super::{Angles, cpu, framework, gpu};

/// A rotary position embedding for packed projections (as in [`super::attention`]). It rotates queries and keys of the
/// last tokens, as many as there are angles. Values and the leading tokens (class token, registers, prompts) stay the
/// same.
#[derive(Debug)]
pub struct Rotation {
    angles: Arc<Angles>,
    device: Device,
    /// For GPUs: cosines and sines, copied when they are first needed.
    angles_on_gpu: OnceLock<[Tensor<2>; 2]>,
    /// For devices without a kernel: cosines and signed sines of all channels, computed when they are first needed.
    tables: OnceLock<[Tensor<3>; 2]>,
}

impl Rotation {
    /// Wraps the angles of a head; `device` is the plain device of the network.
    pub fn new(angles: Angles, device: &Device) -> Self {
        Self {
            angles: Arc::new(angles),
            device: device.clone(),
            angles_on_gpu: OnceLock::new(),
            tables: OnceLock::new(),
        }
    }

    /// Rotates packed projections (batch × tokens × 3·width).
    pub fn apply(&self, qkv: Tensor<3>) -> Tensor<3> {
        let kernel = cpu::rotate(&qkv, &self.angles);
        let kernel =
            kernel.or_else(|| gpu::rotate(&qkv, self.angles_on_gpu(), self.angles.rotate_half));
        kernel.unwrap_or_else(|| {
            let tables = self.tables.get_or_init(|| self.tables(qkv.dims()[2]));
            framework::rotate(qkv, tables.clone(), (self.angles.pairs, self.angles.rotate_half))
        })
    }

    /// Returns cosines and sines on the device, rotated tokens × pairs.
    fn angles_on_gpu(&self) -> &[Tensor<2>; 2] {
        self.angles_on_gpu.get_or_init(|| {
            let shape = [self.angles.tokens(), self.angles.pairs];
            [&self.angles.cos, &self.angles.sin].map(|values| {
                let values = TensorData::new(values.clone(), shape);
                Tensor::from_data(values, &self.device)
            })
        })
    }

    /// Returns the tables for packed projections of this width.
    fn tables(&self, packed: usize) -> [Tensor<3>; 2] {
        let Angles { cos, sin, pairs, rotate_half: half } = &*self.angles;
        let (tokens, head) = (self.angles.tokens(), 2 * pairs);
        let table = |rotated_value: &dyn Fn(usize, usize) -> f32, unrotated_value: f32| {
            let row = |token: usize| {
                (0..packed).map(move |channel| match channel < packed / 3 * 2 {
                    true => rotated_value(token, channel % head),
                    false => unrotated_value,
                })
            };
            let values: Vec<f32> = (0..tokens).flat_map(row).collect();
            Tensor::from_data(TensorData::new(values, [1, tokens, packed]), &self.device)
        };
        // The pair of a channel, and whether the channel is its first.
        let pair = |channel: usize| match half {
            true => (channel % pairs, channel < *pairs),
            false => (channel / 2, channel.is_multiple_of(2)),
        };
        let cosine = |token: usize, channel: usize| cos[token * pairs + pair(channel).0];
        let sine = |token: usize, channel: usize| {
            let (pair, is_first) = pair(channel);
            let sine = sin[token * pairs + pair];
            if is_first { -sine } else { sine }
        };
        [table(&cosine, 1.0), table(&sine, 0.0)]
    }
}
