//! Names of parameters in files that contain a whole run of tasks.

use super::file::{GoldenFile, ours_of};
use crate::problem::Result;
use crate::tensors::HostTensor;

/// Names of the adapter's parameters: ours, the file's, and whether the file's is transposed
/// (weights of a Linear are out × in there).
const OF_ADAPTER: [(&str, &str, bool); 4] = [
    ("down", "down_proj.weight", true),
    ("b_down", "down_proj.bias", false),
    ("up", "up_proj.weight", true),
    ("b_up", "up_proj.bias", false),
];

/// Returns the file's name of one of our parameters in a task, and whether it is transposed there.
pub(super) fn their_name(ours: &str, task: usize) -> (String, bool) {
    match ours.split_once('.') {
        Some(("pet", rest)) => {
            let (block, name) = rest.split_once('.').unwrap_or(("", rest));
            let known = OF_ADAPTER.iter().find(|(own, ..)| *own == name);
            let (theirs, transposed) = known.map_or((name, false), |(_, t, x)| (*t, *x));
            (format!("adapter.{task}.{block}.{theirs}"), transposed)
        }
        Some(("stage", rest)) => {
            let (layer, part) = rest.split_once('.').unwrap_or((rest, ""));
            let own = match layer {
                "token" => "task_tokens".to_string(),
                "classifier" => format!("classifiers.{part}"),
                "norm1" | "norm2" => format!("tabs.{layer}.{part}"),
                "fc1" | "fc2" => format!("tabs.mlp.{layer}.{part}"),
                _ => format!("tabs.attn.{layer}.{part}"),
            };
            let transposed = part == "weight" && !layer.starts_with("norm");
            (format!("stage.{task}.{own}"), transposed)
        }
        Some(("head", part)) => (format!("head.{task}.{part}"), false),
        _ => (ours.to_string(), false),
    }
}

/// Returns the file's tensor for one of our parameters, as a matrix.
pub(super) fn stored(file: &GoldenFile, ours: &str, task: usize) -> Result<HostTensor> {
    let (name, transposed) = their_name(ours, task);
    let tensor = file.tensor(&name)?;
    let last = tensor.shape.last().copied().unwrap_or(1);
    let flat = HostTensor {
        // Two axes of length 1 precede a token.
        shape: vec![tensor.values.len() / last.max(1), last],
        values: tensor.values.clone(),
    };
    Ok(ours_of(&flat, transposed))
}
