//! A backbone that can record, for each image, the attention or token lengths of its last block.

use std::sync::{Arc, Mutex, MutexGuard};

use burn::tensor::{Device, Tensor};

use crate::backbone::parameters::Weights;
use crate::backbone::{Backbone, BackboneInfo, Tokens};
use crate::pet::Hooks;
use crate::problem::Result;
use crate::run::inside::{AttentionKind, AttentionMap};
use crate::sync::lock;
use crate::tensors::HostTensor;

/// One forward pass of images through the last block: a map per image.
pub type Pass = Vec<AttentionMap>;

/// The recorded passes; `None` while nothing is recorded. Networks derived from this one share them.
type Recording = Arc<Mutex<Option<Vec<Pass>>>>;

/// A backbone wrapper that can record its last block.
pub struct RecordedBackbone {
    network: Arc<dyn Backbone>,
    recording: Recording,
}

impl RecordedBackbone {
    /// Wraps a network, without recording.
    pub fn new(network: Arc<dyn Backbone>) -> Self {
        Self { network, recording: Recording::default() }
    }

    fn recording(&self) -> MutexGuard<'_, Option<Vec<Pass>>> {
        lock(&self.recording)
    }

    /// Records while `compute` runs. Returns its result and the passes in order.
    ///
    /// # Errors
    /// Returns the Problem of `compute`.
    pub fn record<T>(&self, compute: impl FnOnce() -> Result<T>) -> Result<(T, Vec<Pass>)> {
        *self.recording() = Some(Vec::new());
        let result = compute();
        let passes = self.recording().take().unwrap_or_default();
        Ok((result?, passes))
    }
}

impl Backbone for RecordedBackbone {
    fn info(&self) -> &BackboneInfo {
        self.network.info()
    }

    fn feature_width(&self) -> usize {
        self.network.feature_width()
    }

    fn device(&self) -> Device {
        self.network.device()
    }

    fn weights(&self) -> Result<Weights> {
        self.network.weights()
    }

    fn with_weights(&self, weights: &Weights) -> Result<Arc<dyn Backbone>> {
        Ok(Arc::new(Self {
            network: self.network.with_weights(weights)?,
            recording: self.recording.clone(),
        }))
    }

    fn embed(&self, images: Tensor<4>) -> Result<Tokens> {
        self.network.embed(images)
    }

    fn class_token(&self) -> Option<Tensor<3>> {
        self.network.class_token()
    }

    fn class_position(&self) -> Option<Tensor<3>> {
        self.network.class_position()
    }

    fn insert_prompts(&self, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        self.network.insert_prompts(tokens, hooks)
    }

    fn block(&self, index: usize, tokens: Tokens, hooks: &dyn Hooks) -> Result<Tokens> {
        let is_last = index + 1 == self.blocks().len();
        if !is_last || self.recording().is_none() {
            return self.network.block(index, tokens, hooks);
        }
        let shares = self.network.class_attention(index, &tokens, hooks)?;
        let out = self.network.block(index, tokens, hooks)?;
        let pass = match shares {
            Some(shares) => attention_maps(&shares, [out.rows, out.columns])?,
            None => length_maps(&out)?,
        };
        if let Some(passes) = self.recording().as_mut() {
            passes.push(pass);
        }
        Ok(out)
    }

    fn class_attention(
        &self,
        index: usize,
        tokens: &Tokens,
        hooks: &dyn Hooks,
    ) -> Result<Option<Tensor<2>>> {
        self.network.class_attention(index, tokens, hooks)
    }

    fn normed(&self, tokens: Tokens) -> Tensor<3> {
        self.network.normed(tokens)
    }

    fn pool(&self, tokens: Tokens) -> Result<Tensor<2>> {
        self.network.pool(tokens)
    }
}

/// Converts attention shares (batch × positions) to attention maps.
fn attention_maps(shares: &Tensor<2>, [rows, columns]: [usize; 2]) -> Result<Pass> {
    let values = HostTensor::read(shares)?.values;
    let map = |values: &[f32]| AttentionMap {
        kind: AttentionKind::Attention,
        rows,
        columns,
        rest: (1.0 - values.iter().sum::<f32>()).clamp(0.0, 1.0),
        values: values.to_vec(),
    };
    let positions = (rows * columns).max(1);
    Ok(values.chunks_exact(positions).map(map).collect())
}

/// Returns maps of the Euclidean length of each token after the last block.
fn length_maps(out: &Tokens) -> Result<Pass> {
    let [_, tokens, width] = out.values.dims();
    let host = HostTensor::read(&out.values)?.values;
    let length = |token: &[f32]| token.iter().map(|v| v * v).sum::<f32>().sqrt();
    let token_lengths: Vec<f32> = host.chunks_exact(width.max(1)).map(length).collect();
    let map = |image: &[f32]| AttentionMap {
        kind: AttentionKind::Length,
        rows: out.rows,
        columns: out.columns,
        values: image[image.len().saturating_sub(out.rows * out.columns)..].to_vec(),
        rest: 0.0,
    };
    Ok(token_lengths.chunks_exact(tokens.max(1)).map(map).collect())
}
