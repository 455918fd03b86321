//! Example strokes of digits, for users who cannot or do not want to draw.

/// Returns the strokes of a 1 or a 2 in the unit square, in the order of [`super::DRAWN`].
pub fn example(which: usize) -> Vec<Vec<[f32; 2]>> {
    match which {
        0 => vec![vec![[0.34, 0.34], [0.54, 0.14], [0.54, 0.86]]],
        _ => vec![vec![
            [0.27, 0.32],
            [0.34, 0.2],
            [0.48, 0.14],
            [0.63, 0.18],
            [0.71, 0.3],
            [0.66, 0.46],
            [0.5, 0.62],
            [0.26, 0.84],
            [0.76, 0.84],
        ]],
    }
}
