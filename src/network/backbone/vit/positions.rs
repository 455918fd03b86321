//! The learned position embedding of a ViT, resized for other grids. While it is trained, only the network's own grid
//! is possible.

use std::collections::HashMap;
use std::sync::Mutex;

use burn::tensor::{Device, Tensor};

use super::config::Config;
use crate::backbone::loader::{LearnedTable, WeightLoader};
use crate::backbone::resample;
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;
use crate::tensors::HostTensor;

/// The name of the tensor.
const NAME: &str = "pos_embed";

/// The learned position embedding, and its versions for other grids that were used.
pub struct Positions {
    /// (extra tokens + rows·columns) × width.
    learned: LearnedTable<3>,
    grid: usize,
    /// Number of rows before those of the patches.
    extra: usize,
    resized: Mutex<HashMap<(usize, usize), Tensor<3>>>,
}

impl Positions {
    /// Takes the embedding from the loader; that of a file may be for another grid.
    pub fn build(config: &Config, loader: &mut WeightLoader) -> Self {
        let extra = config.extra_positions();
        let stored = loader.stored_shape(NAME);
        let stored = stored.filter(|shape| shape.len() == 3 && shape[1] > extra);
        let default_grid = config.learned_size / config.patch;
        let grid = stored.map_or(default_grid, |shape| (shape[1] - extra).isqrt());
        let shape = [1, grid * grid + extra, config.width];
        Self {
            learned: loader.table(NAME, shape),
            grid,
            extra,
            resized: Mutex::new(HashMap::new()),
        }
    }

    /// Returns the embedding for a grid (1 × tokens × width), resized if it was learned on another grid.
    ///
    /// # Errors
    /// Returns a Problem for another grid while it is trained.
    pub fn for_grid(&self, rows: usize, columns: usize, device: &Device) -> Result<Tensor<3>> {
        let extra = self.extra;
        let is_learned_grid = (rows, columns) == (self.grid, self.grid);
        let learned = match &self.learned {
            LearnedTable::Trained(learned) if is_learned_grid => return Ok(learned.clone()),
            LearnedTable::Trained(_) => {
                return Err(Problem::new(message!(
                    "problem-position-embedding-grid",
                    grid = self.grid,
                    rows,
                    columns
                )));
            }
            LearnedTable::Fixed(learned) => learned,
        };
        let mut cache = lock(&self.resized);
        if let Some(embedding) = cache.get(&(rows, columns)) {
            return Ok(embedding.clone());
        }
        let width = learned.len() / (self.grid * self.grid + extra);
        let values = resize_embedding(learned, extra, width, self.grid, (rows, columns));
        let shape = vec![1, rows * columns + extra, width];
        let embedding: Tensor<3> = HostTensor { shape, values }.to_device(device)?;
        cache.insert((rows, columns), embedding.clone());
        Ok(embedding)
    }
}

/// Returns a stored tensor as it is trained: the position embedding is resized to the network's own grid.
pub fn resize_stored(config: &Config, name: &str, stored: HostTensor) -> HostTensor {
    let extra = config.extra_positions();
    let side = config.input_size / config.patch;
    let tokens = side * side + extra;
    if name != NAME || stored.shape[1] == tokens {
        return stored;
    }
    let grid = (stored.shape[1] - extra).isqrt();
    let values = resize_embedding(&stored.values, extra, config.width, grid, (side, side));
    let shape = vec![1, tokens, config.width];
    HostTensor { shape, values }
}

/// Resizes an embedding from a square grid to another grid; the first `extra` rows stay the same.
fn resize_embedding(
    learned: &[f32],
    extra: usize,
    width: usize,
    grid: usize,
    to: (usize, usize),
) -> Vec<f32> {
    if to == (grid, grid) {
        return learned.to_vec();
    }
    let (class, map) = learned.split_at(extra * width);
    [class, &resample::bicubic(map, (grid, grid), width, to)].concat()
}
