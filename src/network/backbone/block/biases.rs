//! The bias of each pair of tokens in an attention window: the learned bias of their relative position, and −100 for
//! pairs in a shifted window that are not adjacent in the map.

use std::collections::HashMap;
use std::sync::Mutex;

use burn::tensor::activation::{relu, sigmoid};
use burn::tensor::{Device, Int, Tensor, TensorData};

use super::windows::Windows;
use crate::backbone::loader::{LearnedTable, WeightLoader};
use crate::backbone::patches::ConstantCache;
use crate::backbone::resample;
use crate::message;
use crate::problem::{Problem, Result};
use crate::sync::lock;
use crate::tensors::HostTensor;

/// Bias that prevents attention between tokens of regions that are not adjacent.
const MASKED: f32 = -100.0;

/// Width of the hidden layer that computes the biases in Swin V2.
const HIDDEN: usize = 512;

/// Name of the bias table within a block.
pub const TABLE: &str = "attn.relative_position_bias_table";

/// The learned biases of one block, arranged for each window partition used so far.
pub struct Biases {
    /// (2·window − 1)² × heads.
    table: LearnedTable<2>,
    window: usize,
    heads: usize,
    cache: Mutex<HashMap<Windows, Tensor<4>>>,
}

impl Biases {
    /// Builds the biases of the block at `prefix`: a stored table, which in a file may be for another window size, or
    /// one that is computed from relative positions by an MLP (Swin V2). `sides` are the sides of the windows now and
    /// in training.
    pub fn build(
        loader: &mut WeightLoader,
        prefix: &str,
        is_computed: bool,
        sides: [usize; 2],
        heads: usize,
    ) -> Self {
        let (table, window) = match is_computed {
            true => (Self::build_computed(loader, prefix, sides, heads), sides[0]),
            false => {
                let name = format!("{prefix}.{TABLE}");
                let cells = (loader.stored_shape(&name)).and_then(|shape| shape.first().copied());
                let window = cells.map_or(sides[0], window_side);
                let shape = [(2 * window - 1).pow(2), heads];
                (loader.table(&name, shape), window)
            }
        };
        Self { table, window, heads, cache: Mutex::default() }
    }

    fn build_computed(
        loader: &mut WeightLoader,
        prefix: &str,
        sides: [usize; 2],
        heads: usize,
    ) -> LearnedTable<2> {
        let names = ["0.weight", "0.bias", "2.weight"];
        let names = names.map(|rest| format!("{prefix}.attn.cpb_mlp.{rest}"));
        if loader.is_trained(&names.each_ref().map(String::as_str)) {
            let first: Tensor<2> = loader.tensor(&names[0], [HIDDEN, 2]);
            let bias: Tensor<1> = loader.tensor(&names[1], [HIDDEN]);
            let second: Tensor<2> = loader.tensor(&names[2], [heads, HIDDEN]);
            let positions = position_tensor(sides, &loader.placement().device);
            let hidden = positions.matmul(first.transpose()) + bias.unsqueeze::<2>();
            return LearnedTable::Trained(sigmoid(relu(hidden).matmul(second.transpose())) * 16.0);
        }
        let first = loader.values(&names[0], &[HIDDEN, 2]);
        let bias = loader.values(&names[1], &[HIDDEN]);
        let second = loader.values(&names[2], &[heads, HIDDEN]);
        LearnedTable::Fixed(compute_table([&first, &bias, &second], sides, heads))
    }

    /// Returns the biases to add to the attention scores: groups × heads × tokens × tokens, with one group per window
    /// of an image, or a single group if all windows have the same biases.
    ///
    /// # Errors
    /// Returns a Problem for windows of another size while the table is trained.
    pub fn for_windows(&self, windows: &Windows, device: &Device) -> Result<Tensor<4>> {
        let device = device.clone().inner();
        let table = match &self.table {
            LearnedTable::Trained(table) => return self.gather_trained(table, windows, &device),
            LearnedTable::Fixed(table) => table,
        };
        let mut cache = lock(&self.cache);
        if let Some(bias) = cache.get(windows) {
            return Ok(bias.clone());
        }
        let tokens = windows.window.0 * windows.window.1;
        let values = expand_table(table, self.window, self.heads, windows);
        let groups = values.len() / (self.heads * tokens * tokens);
        let shape = vec![groups, self.heads, tokens, tokens];
        let bias: Tensor<4> = HostTensor { shape, values }.to_device(&device)?;
        cache.insert(*windows, bias.clone());
        Ok(bias)
    }

    /// Returns the biases like [`Biases::for_windows`], for a table that is trained.
    fn gather_trained(
        &self,
        table: &Tensor<2>,
        windows: &Windows,
        device: &Device,
    ) -> Result<Tensor<4>> {
        let (rows, columns) = windows.window;
        if (rows, columns) != (self.window, self.window) {
            return Err(Problem::new(message!(
                "problem-position-biases-window",
                side = self.window,
                rows,
                columns
            )));
        }
        let tokens = rows * columns;
        let (cells, mask) = cell_tensors(windows, device);
        let plain = table.clone().select(0, cells).swap_dims(0, 1);
        let plain = plain.reshape([1, self.heads, tokens, tokens]);
        Ok(match mask {
            Some(mask) => plain + mask,
            None => plain,
        })
    }
}

// A network with trained weights is built in every training step. The constants of its biases are cached, because a
// step that sends values to a GPU cannot be recorded.

/// Returns the table row of each pair of tokens of a window, and the mask of shifted windows (windows × 1 × tokens ×
/// tokens; `None` if they are not shifted) on the device. They are cached.
fn cell_tensors(windows: &Windows, device: &Device) -> (Tensor<1, Int>, Option<Tensor<4>>) {
    type Cells = (Tensor<1, Int>, Option<Tensor<4>>);
    static CELLS: ConstantCache<(String, Windows), Cells> = ConstantCache::new();
    CELLS.get((format!("{device:?}"), *windows), || {
        let tokens = windows.window.0 * windows.window.1;
        let cells = relative_position_index(windows).into_iter().map(|cell| cell as i32);
        let cells = TensorData::new(cells.collect(), [tokens * tokens]);
        let mask = shift_mask(windows).map(|mask| {
            let groups = mask.len() / (tokens * tokens);
            Tensor::from_data(TensorData::new(mask, [groups, 1, tokens, tokens]), device)
        });
        (Tensor::from_data(cells, device), mask)
    })
}

/// Returns the offsets of [`relative_positions`] (cells × 2) on the device. They are cached.
fn position_tensor(sides: [usize; 2], device: &Device) -> Tensor<2> {
    static POSITIONS: ConstantCache<(String, [usize; 2]), Tensor<2>> = ConstantCache::new();
    POSITIONS.get((format!("{device:?}"), sides), || {
        let positions = relative_positions(sides);
        let shape = [positions.len(), 2];
        Tensor::from_data(TensorData::new(positions.concat(), shape), device)
    })
}

/// Returns the biases that prevent attention between regions of shifted windows (windows × tokens × tokens); `None` if
/// the windows are not shifted.
fn shift_mask(windows: &Windows) -> Option<Vec<f32>> {
    if windows.shift == (0, 0) {
        return None;
    }
    let regions = windows.regions();
    let mask = regions.iter().flat_map(|region| {
        let pairs = region.iter().flat_map(|a| region.iter().map(move |b| a != b));
        pairs.map(|is_masked| if is_masked { MASKED } else { 0.0 })
    });
    Some(mask.collect())
}

/// Returns the log-spaced row and column offset of each cell of a Swin V2's table. `sides` are the sides of the
/// windows now and in training.
fn relative_positions([side, trained]: [usize; 2]) -> Vec<[f32; 2]> {
    let log_spaced = |index: usize| {
        let steps = index as f64 - (side as f64 - 1.0);
        let scaled = 8.0 * steps / (trained as f64 - 1.0).max(1.0);
        (scaled.signum() * (scaled.abs() + 1.0).log2() / 3.0) as f32
    };
    let indices = 0..2 * side - 1;
    let row = |row: usize| indices.clone().map(move |column| [log_spaced(row), log_spaced(column)]);
    indices.clone().flat_map(row).collect()
}

/// Computes a Swin V2's bias table ((2·side − 1)² × heads) as 16·σ(W₂·relu(W₁·position + b)), from W₁, b and W₂;
/// empty if there are no weights.
pub fn compute_table(weights: [&[f32]; 3], sides: [usize; 2], heads: usize) -> Vec<f32> {
    let [first, bias, second] = weights;
    if second.is_empty() {
        return Vec::new();
    }
    let mut table = Vec::new();
    for [row, column] in relative_positions(sides) {
        let layer = first.chunks_exact(2).zip(bias);
        let hidden = layer.map(|(w, b)| (w[0] * row + w[1] * column + b).max(0.0));
        let hidden: Vec<f32> = hidden.collect();
        for head in second.chunks_exact(hidden.len()).take(heads) {
            let score: f32 = hidden.iter().zip(head).map(|(h, w)| h * w).sum();
            table.push(16.0 / (1.0 + (-score).exp()));
        }
    }
    table
}

/// Returns the table row of each pair of tokens (query, key) of a window.
fn relative_position_index(windows: &Windows) -> Vec<usize> {
    let (rows, columns) = windows.window;
    let tokens = rows * columns;
    let cell = |query: usize, key: usize| {
        let down = query / columns + rows - 1 - key / columns;
        let across = query % columns + columns - 1 - key % columns;
        down * (2 * columns - 1) + across
    };
    (0..tokens).flat_map(|query| (0..tokens).map(move |key| cell(query, key))).collect()
}

/// Returns the side of the windows of a table with `cells` rows.
pub fn window_side(cells: usize) -> usize {
    cells.isqrt().div_ceil(2).max(1)
}

/// Returns a stored table as it is trained: resized to windows of this side.
pub fn resize_table(stored: HostTensor, side: usize) -> HostTensor {
    let stored_side = window_side(stored.shape[0]);
    if stored_side == side {
        return stored;
    }
    let heads = stored.shape[1];
    let shape = vec![(2 * side - 1).pow(2), heads];
    let values = resample::relative_bias(&stored.values, stored_side, heads, (side, side));
    HostTensor { shape, values }
}

/// Arranges a table (row-major) for windows of `window` × `window` tokens as biases of the attention scores: groups ×
/// heads × tokens × tokens.
pub fn expand_table(table: &[f32], window: usize, heads: usize, windows: &Windows) -> Vec<f32> {
    let (rows, columns) = windows.window;
    let resized;
    let table = if (rows, columns) == (window, window) {
        table
    } else {
        resized = resample::relative_bias(table, window, heads, (rows, columns));
        &resized
    };
    let cells = relative_position_index(windows);
    let plain: Vec<f32> = (0..heads)
        .flat_map(|head| cells.iter().map(move |cell| table[cell * heads + head]))
        .collect();
    let Some(mask) = shift_mask(windows) else {
        return plain;
    };
    // All heads of a window have the same mask.
    let masks = mask.chunks_exact(cells.len());
    let masked = masks.flat_map(|mask| {
        let pairs = plain.iter().zip(mask.iter().cycle());
        pairs.map(|(bias, mask)| bias + mask)
    });
    masked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(side: usize, shifted: bool) -> Windows {
        Windows::new((side, side), 2, shifted)
    }

    fn biases(table: LearnedTable<2>, heads: usize) -> Biases {
        Biases { table, window: 2, heads, cache: Mutex::default() }
    }

    #[test]
    fn biases_depend_on_relative_offset() {
        let table: Vec<f32> = (0..9).map(|i| i as f32).collect();
        let plain = expand_table(&table, 2, 1, &windows(2, false));
        let expected = [4., 3., 1., 0., 5., 4., 2., 1., 7., 6., 4., 3., 8., 7., 5., 4.];
        assert_eq!(plain, expected);
        let masked = expand_table(&table, 2, 1, &windows(4, true));
        assert_eq!(masked.len(), 4 * 16);
        assert_eq!(masked[..16], expected);
        assert_eq!(masked[48 + 1], 3. - 100.);
        assert_eq!(masked[48], 4.);
    }

    #[test]
    fn trained_table_matches_fixed_one_and_receives_gradient() {
        let device = Device::flex();
        let values: Vec<f32> = (0..18).map(|i| (i * i) as f32).collect();
        let tracked = Tensor::<1>::from_data(TensorData::new(values.clone(), [18]), &device)
            .autodiff()
            .require_grad();
        let fixed = biases(LearnedTable::Fixed(values), 2);
        let trained = biases(LearnedTable::Trained(tracked.clone().reshape([9, 2])), 2);
        for partition in [windows(2, false), windows(4, true)] {
            let [a, b] =
                [&fixed, &trained].map(|biases| biases.for_windows(&partition, &device).unwrap());
            assert_eq!(a.dims(), b.dims());
            let [a, b] = [a, b.clone().inner()].map(|t| HostTensor::read(&t).unwrap());
            assert_eq!(a, b);
        }
        let bias = trained.for_windows(&windows(4, true), &device).unwrap();
        let gradient = tracked.grad(&bias.sum().backward()).unwrap();
        // The expected gradient: the number of pairs at each offset in a 2×2 window, times four windows.
        let counts = [1., 2., 1., 2., 4., 2., 1., 2., 1.].map(|count| 4.0 * count);
        let counts: Vec<f32> = counts.iter().flat_map(|count| [*count; 2]).collect();
        assert_eq!(HostTensor::read(&gradient).unwrap().values, counts);
        let problem = trained.for_windows(&windows(1, false), &device).err().unwrap();
        assert!(problem.is("problem-position-biases-window"), "{problem}");
    }
}
