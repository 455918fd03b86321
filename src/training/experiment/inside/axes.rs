//! Computes the first two principal components of features by orthogonal iteration on the centred features, without a
//! width × width matrix.

use crate::message;
use crate::problem::{Problem, Result};

/// Maximum number of iterations; it ends earlier when the directions no longer change.
const MAX_ITERATIONS: usize = 400;
/// Largest change of a direction (1 − |cosine|) that counts as none.
const TOLERANCE: f64 = 1e-12;

/// Features of several images, one row per image.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// Length of a row.
    pub width: usize,
    /// The rows, concatenated.
    pub values: Vec<f32>,
}

/// The first two principal components of features and their mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    mean: Vec<f64>,
    directions: [Vec<f64>; 2],
    /// Share of the total variance along each direction.
    pub shares: [f32; 2],
}

impl Axes {
    /// Computes the principal components. The largest component of each direction is positive, so that the same
    /// features always give the same map.
    ///
    /// # Errors
    /// Returns a Problem if there are no features, or some are not finite.
    pub fn from_features(features: &Features) -> Result<Self> {
        let width = features.width;
        let rows = features.values.len() / width.max(1);
        if rows == 0 || features.values.iter().any(|value| !value.is_finite()) {
            return Err(Problem::new(message!("problem-features-no-principal-components")));
        }
        let mut mean = vec![0f64; width];
        for row in features.values.chunks_exact(width) {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += f64::from(*value) / rows as f64;
            }
        }
        let centred: Vec<f64> = features
            .values
            .chunks_exact(width)
            .flat_map(|row| row.iter().zip(&mean).map(|(v, m)| f64::from(*v) - m))
            .collect();
        let total: f64 = centred.iter().map(|v| v * v).sum();
        let directions = orthogonal_iteration(&centred, width);
        let share = |direction: &Vec<f64>| {
            let along = centred.chunks_exact(width).map(|row| dot(row, direction));
            let variance: f64 = along.map(|p| p * p).sum();
            if total > 0.0 { (variance / total) as f32 } else { 0.0 }
        };
        Ok(Self { shares: [share(&directions[0]), share(&directions[1])], mean, directions })
    }

    /// Returns the coordinates of features along the axes. Rows may be shorter (for a method that adds features with
    /// every task); missing values count as the mean.
    pub fn project(&self, features: &Features) -> Vec<[f32; 2]> {
        let project_row = |row: &[f32]| {
            self.directions.each_ref().map(|direction| {
                let parts = row.iter().zip(&self.mean).zip(direction);
                parts.map(|((v, m), d)| (f64::from(*v) - m) * d).sum::<f64>() as f32
            })
        };
        let rows = features.values.chunks_exact(features.width.max(1));
        rows.map(project_row).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Makes a vector orthogonal to `other` and normalises it to length 1; a zero vector remains zero.
fn orthonormalise(vector: &mut [f64], other: Option<&[f64]>) {
    // A second projection removes the rounding error if both vectors are almost parallel.
    for _ in 0..2 {
        if let Some(other) = other {
            let along = dot(vector, other);
            for (v, o) in vector.iter_mut().zip(other) {
                *v -= along * o;
            }
        }
    }
    let length = dot(vector, vector).sqrt();
    for v in vector.iter_mut() {
        *v = if length > 1e-12 { *v / length } else { 0.0 };
    }
}

fn orthogonal_iteration(centred: &[f64], width: usize) -> [Vec<f64>; 2] {
    let start = |step: usize| -> Vec<f64> {
        let value = |i: usize| ((i * step + 1) % 101) as f64 / 50.0 - 1.01;
        (0..width).map(value).collect()
    };
    let (mut first, mut second) = (start(37), start(61));
    orthonormalise(&mut first, None);
    orthonormalise(&mut second, Some(&first));
    for _ in 0..MAX_ITERATIONS {
        let (mut next, mut other) = (vec![0f64; width], vec![0f64; width]);
        for row in centred.chunks_exact(width) {
            let (a, b) = (dot(row, &first), dot(row, &second));
            for (i, v) in row.iter().enumerate() {
                next[i] += a * v;
                other[i] += b * v;
            }
        }
        orthonormalise(&mut next, None);
        orthonormalise(&mut other, Some(&next));
        let has_converged = |a: &[f64], b: &[f64]| 1.0 - dot(a, b).abs() < TOLERANCE;
        let done = has_converged(&next, &first) && (width < 2 || has_converged(&other, &second));
        (first, second) = (next, other);
        if done {
            break;
        }
    }
    [first, second].map(fix_sign)
}

fn fix_sign(mut direction: Vec<f64>) -> Vec<f64> {
    let largest = direction.iter().fold(0f64, |max, v| if v.abs() > max.abs() { *v } else { max });
    if largest < 0.0 {
        for v in &mut direction {
            *v = -*v;
        }
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    /// Four points on a cross: 3 along (0.6, 0.8, 0), 1 along (−0.8, 0.6, 0) around (1, 2, 3).
    #[test]
    fn principal_axes_of_cross_are_its_arms() {
        let to_point = |a: f32, b: f32| [1.0 + 0.6 * a - 0.8 * b, 2.0 + 0.8 * a + 0.6 * b, 3.0];
        let coordinates = [[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        let features = Features {
            width: 3,
            values: coordinates.iter().flat_map(|[a, b]| to_point(*a, *b)).collect(),
        };
        let axes = Axes::from_features(&features).unwrap();
        assert!(is_close(axes.shares[0], 0.9) && is_close(axes.shares[1], 0.1));
        // The second axis has −0.8 as its largest component, so its sign is changed.
        for (point, [a, b]) in axes.project(&features).iter().zip(coordinates) {
            assert!(is_close(point[0], a) && is_close(point[1], -b), "{point:?}");
        }
        // Missing values count as the mean.
        let shorter = Features { width: 1, values: vec![2.0] };
        assert!(is_close(axes.project(&shorter)[0][0], 0.6));
    }

    #[test]
    fn equal_features_project_to_origin_and_nan_is_rejected() {
        let features = |values: Vec<f32>| Features { width: 2, values };
        let same = features(vec![1.0; 8]);
        let axes = Axes::from_features(&same).unwrap();
        assert_eq!(axes.shares, [0.0, 0.0]);
        assert!(axes.project(&same).iter().all(|p| p[0] == 0.0 && p[1] == 0.0));
        assert!(
            Axes::from_features(&features(vec![f32::NAN; 4])).is_err()
                && Axes::from_features(&features(Vec::new())).is_err()
        );
    }
}
