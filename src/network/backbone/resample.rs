//! Resizes learned tables to another resolution in the same way as timm, so that features are the same at the same
//! size: bicubic with antialiasing for position embeddings, and linear on a geometric grid for the relative position
//! biases of Swin. Runs on the host, once per size.
//!
//! `fast_image_resize`, which resizes the images, is not used: about 90 % of the results would differ by up to 2e-6,
//! which would change the scores of existing runs, and it resizes channels one by one.

/// Resizes a map of `rows` × `columns` cells with `channels` values each to the size `to`: bicubic with antialiasing
/// (a = −½, corners not aligned).
pub fn bicubic(
    map: &[f32],
    (rows, columns): (usize, usize),
    channels: usize,
    to: (usize, usize),
) -> Vec<f32> {
    let across = weights(columns, to.1);
    let mut resized_rows = vec![0.0; rows * to.1 * channels];
    for row in 0..rows {
        for (column, taps) in across.iter().enumerate() {
            let cell = &mut resized_rows[(row * to.1 + column) * channels..][..channels];
            for &(source, weight) in taps {
                let from = &map[(row * columns + source) * channels..][..channels];
                add_scaled(cell, from, weight);
            }
        }
    }
    let down = weights(rows, to.0);
    let mut out = vec![0.0; to.0 * to.1 * channels];
    let stride = to.1 * channels;
    for (row, taps) in down.iter().enumerate() {
        for &(source, weight) in taps {
            let from = &resized_rows[source * stride..][..stride];
            add_scaled(&mut out[row * stride..][..stride], from, weight);
        }
    }
    out
}

fn add_scaled(to: &mut [f32], from: &[f32], weight: f32) {
    for (a, b) in to.iter_mut().zip(from) {
        *a += b * weight;
    }
}

/// Returns the source cells of each target cell, with weights that add up to 1.
fn weights(from: usize, to: usize) -> Vec<Vec<(usize, f32)>> {
    let scale = from as f32 / to as f32;
    let stretch = scale.max(1.0);
    let support = 2.0 * stretch;
    (0..to)
        .map(|cell| {
            let center = scale * (cell as f32 + 0.5);
            let first = ((center - support + 0.5) as usize).min(from);
            let end = ((center + support + 0.5) as usize).min(from);
            let taps: Vec<(usize, f32)> = (first..end)
                .map(|source| {
                    let distance = (source as f32 - center + 0.5) / stretch;
                    (source, cubic(distance))
                })
                .collect();
            let sum: f32 = taps.iter().map(|tap| tap.1).sum();
            taps.into_iter().map(|(i, w)| (i, w / sum)).collect()
        })
        .collect()
}

/// Returns the cubic convolution kernel with a = −½ at x.
fn cubic(x: f32) -> f32 {
    const A: f32 = -0.5;
    let x = x.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

/// Resizes a table of relative position biases ((2·`from` − 1)² × heads) to another window size. The distances
/// between source cells grow geometrically from the centre, so that biases of close neighbours stay the same; values
/// between cells are interpolated linearly.
pub fn relative_bias(table: &[f32], from: usize, heads: usize, to: (usize, usize)) -> Vec<f32> {
    let side = 2 * from - 1;
    let (rows, columns) = (2 * to.0 - 1, 2 * to.1 - 1);
    let (down, across) = (interpolation_points(side, rows), interpolation_points(side, columns));
    let mut out = vec![0.0; rows * columns * heads];
    for (row, &(top, below)) in down.iter().enumerate() {
        for (column, &(left, right)) in across.iter().enumerate() {
            let cell = &mut out[(row * columns + column) * heads..][..heads];
            for (y, wy) in [(top, 1.0 - below), (top + 1, below)] {
                for (x, wx) in [(left, 1.0 - right), (left + 1, right)] {
                    if wy * wx != 0.0 {
                        add_scaled(cell, &table[(y * side + x) * heads..][..heads], wy * wx);
                    }
                }
            }
        }
    }
    out
}

/// Returns, for each of `to` targets, the source cell before it and the weight of the source cell after it.
fn interpolation_points(from: usize, to: usize) -> Vec<(usize, f32)> {
    if from == to {
        return (0..to).map(|i| (i, 0.0)).collect();
    }
    let half = from / 2;
    let ratio = growth_ratio(half, (to / 2) as f64);
    let mut offsets = Vec::with_capacity(half);
    let mut position = 1.0;
    for step in 0..half {
        offsets.push(position);
        position += ratio.powi(step as i32 + 1);
    }
    let grid: Vec<f64> =
        (offsets.iter().rev().map(|p| -p)).chain([0.0]).chain(offsets.iter().copied()).collect();
    let reach = (to / 2) as f64;
    (0..to)
        .map(|i| {
            let target = i as f64 - reach;
            let after = grid.partition_point(|&p| p <= target);
            let before = after.saturating_sub(1).min(grid.len().saturating_sub(2));
            if grid.len() < 2 {
                return (0, 0.0);
            }
            let fraction = (target - grid[before]) / (grid[before + 1] - grid[before]);
            (before, fraction.clamp(0.0, 1.0) as f32)
        })
        .collect()
}

/// Returns the ratio, between 1.01 and 1.5, with which `steps` geometric steps reach `distance`.
fn growth_ratio(steps: usize, distance: f64) -> f64 {
    let (mut low, mut high) = (1.01, 1.5);
    let mut ratio = low;
    while high - low > 1e-6 {
        ratio = f64::midpoint(low, high);
        let reach = (1.0 - ratio.powi(steps as i32)) / (1.0 - ratio);
        if reach > distance {
            high = ratio;
        } else {
            low = ratio;
        }
    }
    ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(found: &[f32], expected: &[f32]) -> bool {
        let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        found.len() == expected.len() && differences.fold(0.0, f32::max) < 1e-4
    }

    #[test]
    fn bicubic_matches_torch() {
        let map: Vec<f32> = (1..10).map(|i| (i * i) as f32).collect();
        let expected =
            [4.67074, 7.48859, 12.68419, 17.00034, 37.36809, 45.22861, 57.76922, 67.12804];
        let found = bicubic(&map, (3, 3), 1, (2, 4));
        assert!(is_close(&found, &expected), "{found:?}");
        assert!(is_close(&bicubic(&map, (3, 3), 1, (3, 3)), &map));
    }

    #[test]
    fn relative_bias_preserves_near_neighbours() {
        let table: Vec<f32> = (0..25).map(|i| (i * i) as f32).collect();
        let expected = [36., 49., 64., 121., 144., 169., 256., 289., 324.];
        let found = relative_bias(&table, 3, 1, (2, 2));
        assert!(is_close(&found, &expected), "{found:?}");
        assert!(is_close(&relative_bias(&table, 3, 1, (3, 3)), &table));
    }
}
