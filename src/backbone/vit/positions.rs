//! The learned position embedding of a ViT, on the grid it was learned on and on others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use burn::tensor::{Device, Tensor, TensorData};

use super::Config;
use crate::backbone::loader::Loader;
use crate::backbone::resample;

/// The position embedding as learned, and resized to the grids met so far.
pub struct Positions {
    /// (class +) rows·columns × width, row-major.
    learned: Vec<f32>,
    grid: usize,
    resized: Mutex<HashMap<(usize, usize), Tensor<3>>>,
}

impl Positions {
    /// Takes the embedding from the loader; a file may hold it for another grid.
    pub fn build(config: &Config, loader: &mut Loader) -> Self {
        let extra = usize::from(config.class_token);
        let grid = loader
            .shape_of("pos_embed")
            .filter(|shape| shape.len() == 3 && shape[1] > extra)
            .map(|shape| (shape[1] - extra).isqrt())
            .unwrap_or(config.learned_size / config.patch);
        let shape = [1, grid * grid + extra, config.width];
        Self {
            learned: loader.values("pos_embed", &shape),
            grid,
            resized: Mutex::new(HashMap::new()),
        }
    }

    /// The embedding of a grid (1 × tokens × width), resized where it was learned on another.
    pub fn of(&self, rows: usize, columns: usize, extra: usize, device: &Device) -> Tensor<3> {
        let mut known = self.resized.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known.entry((rows, columns)).or_insert_with(|| {
            let cells = self.grid * self.grid + extra;
            let width = self.learned.len() / cells;
            let values = if (rows, columns) == (self.grid, self.grid) {
                self.learned.clone()
            } else {
                let (class, map) = self.learned.split_at(extra * width);
                let from = (self.grid, self.grid);
                let resized = resample::bicubic(map, from, width, (rows, columns));
                [class, &resized].concat()
            };
            let shape = [1, rows * columns + extra, width];
            Tensor::from_data(TensorData::new(values, shape), device)
        });
        made.clone()
    }
}
