//! Digits made of strokes, for whoever cannot or will not draw.

/// The strokes of a 1 or a 7 in the unit square, as [`super::DRAWN`] orders them.
pub fn example(which: usize) -> Vec<Vec<[f32; 2]>> {
    match which {
        0 => vec![vec![[0.34, 0.34], [0.54, 0.14], [0.54, 0.86]]],
        _ => vec![vec![[0.24, 0.18], [0.76, 0.18], [0.42, 0.86]]],
    }
}
