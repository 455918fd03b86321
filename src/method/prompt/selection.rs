//! Selection of prompts by key, and the loss term that pulls the selected keys towards the queries. Shared by L2P and
//! DualPrompt.

use burn::tensor::{Device, Tensor, TensorData};

use super::super::answers::read_rows;
use super::super::{SettingSpec, real_kind};
use crate::nn::cosines;
use crate::problem::Result;

/// Returns the setting of the weight of the pull, for methods that select prompts by key.
pub const fn pull_setting(default: f64) -> SettingSpec {
    SettingSpec {
        key: "pull",
        title: "pull",
        meaning: "Weight of the loss that pulls keys towards the queries of the images that selected them",
        kind: real_kind(default, 0.0, 100.0),
        ..SettingSpec::OWN
    }
}

/// The setting of gradient clipping, for methods that select prompts by key.
pub const CLIP: SettingSpec = SettingSpec {
    key: "clip",
    title: "clipping",
    meaning: "Maximum total gradient norm per step; 0 for no limit",
    kind: real_kind(1.0, 0.0, 1e6),
    ..SettingSpec::OWN
};

/// Returns the cosine between every query (batch × width) and every key (prompts × width): batch × prompts.
pub fn similarity(query: &Tensor<2>, keys: &Tensor<2>) -> Tensor<2> {
    // The released code bounds the sum of squares below by 10⁻¹².
    cosines(query.clone(), keys.clone(), 1e-6)
}

/// Returns the `count` most similar prompts of each image, best first; among equals the one with the lowest index.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn top_prompts(similarity: &Tensor<2>, count: usize) -> Result<Vec<Vec<usize>>> {
    let rows = read_rows(similarity)?.into_iter();
    let chosen = rows.map(|row| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        order.truncate(count);
        order
    });
    Ok(chosen.collect())
}

/// Returns a row per selected prompt with a 1 in its column: (images · choices) × prompts.
pub fn one_hot(choice: &[Vec<usize>], prompts: usize, device: &Device) -> Tensor<2> {
    let chosen: Vec<usize> = choice.iter().flatten().copied().collect();
    let mut values = vec![0f32; chosen.len() * prompts];
    for (row, prompt) in chosen.iter().enumerate() {
        values[row * prompts + prompt] = 1.0;
    }
    Tensor::from_data(TensorData::new(values, [chosen.len(), prompts]), device)
}

/// Returns the mean over the images of the summed similarities (batch × prompts) of their prompts, selected by the rows
/// of [`one_hot`]: one value.
pub fn selected_similarity(similarity: Tensor<2>, selection: &Tensor<2>) -> Tensor<1> {
    let [batch, prompts] = similarity.dims();
    let choices = selection.dims()[0] / batch;
    let selected = selection.clone().reshape([batch, choices, prompts]).sum_dim(1);
    let weights = selected.reshape([batch, prompts]) * (1.0 / batch as f32);
    (similarity * weights).sum()
}
