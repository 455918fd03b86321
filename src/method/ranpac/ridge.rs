//! The selection of the ridge λ: four fifths of a task's images are used for fitting, the rest for evaluation, for
//! every power of ten from 1e-8 to 1e8. The λ with the smallest mean squared error is selected.
//!
//! With H₁ the fitted images and H₂ the others, the smaller of two matrices is factored for each λ:
//! * With fewer images than projections, W = H₁ᵀ(H₁H₁ᵀ + λI)⁻¹Y₁, so H₂W = (H₂H₁ᵀ)(H₁H₁ᵀ + λI)⁻¹Y₁, which needs only
//!   products of images with images, summed over blocks of projections.
//! * Otherwise W = (H₁ᵀH₁ + λI)⁻¹H₁ᵀY₁, from this task's images only, which needs a second matrix besides G.

use lae_kernels::gemm::{Matrix, Store, parallel_product};
use rayon::prelude::*;

use super::super::CancelToken;
use super::gram::GramMatrix;
use super::projection::Projection;
use crate::problem::Result;

/// Exponents of the candidates for λ.
const EXPONENTS: std::ops::RangeInclusive<i32> = -8..=8;
/// Number of projections, or images, processed at once.
const BLOCK: usize = 512;

/// Returns all candidates for λ, smallest first.
pub fn ridge_candidates() -> Vec<f64> {
    EXPONENTS.map(|exponent| 10f64.powi(exponent)).collect()
}

/// The result of the selection.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeChoice {
    /// The λ with the smallest loss, the first among equals.
    pub ridge: f64,
    /// Mean over all entries of (H₂W − Y₂)² for each of [`ridge_candidates`]; infinite if there was no solution.
    pub losses: Vec<f64>,
}

/// The images of one task in the order in which they are split: concatenated features, and the class of each.
#[derive(Clone, Copy)]
pub struct TaskFeatures<'a> {
    /// images × feature width.
    pub features: &'a [f32],
    /// The class of each image.
    pub labels: &'a [usize],
}

impl<'a> TaskFeatures<'a> {
    /// Returns these images.
    pub fn new(features: &'a [f32], labels: &'a [usize]) -> Self {
        Self { features, labels }
    }

    /// Splits the images at `index`.
    fn split(self, index: usize, width: usize) -> (Self, Self) {
        let (first_features, second_features) = self.features.split_at(index * width);
        let (first_labels, second_labels) = self.labels.split_at(index);
        (Self::new(first_features, first_labels), Self::new(second_features, second_labels))
    }

    /// Returns blocks of at most `BLOCK` images.
    pub(super) fn blocks(self, width: usize) -> impl Iterator<Item = Self> {
        let features = self.features.chunks(BLOCK * width.max(1));
        features.zip(self.labels.chunks(BLOCK)).map(|(features, labels)| Self { features, labels })
    }
}

/// Selects λ for the images of a task. The loss is a mean over `classes` columns, where classes without an image have
/// an error of 0.
///
/// # Errors
/// Returns a Problem if there is too little memory, or if `cancel_token` cancelled the computation.
pub fn choose_ridge(
    images: TaskFeatures<'_>,
    projection: &Projection,
    classes: usize,
    cancel_token: &mut CancelToken<'_>,
) -> Result<RidgeChoice> {
    let count = images.labels.len();
    let (fit, evaluation) = images.split(count * 4 / 5, projection.inputs());
    let mut task_classes: Vec<usize> = images.labels.to_vec();
    task_classes.sort_unstable();
    task_classes.dedup();
    let predicted = if fit.labels.len() <= projection.outputs() {
        predict_from_image_gram(fit, evaluation, projection, &task_classes, cancel_token)?
    } else {
        predict_from_projection_gram(fit, evaluation, projection, &task_classes, cancel_token)?
    };
    let entries = (evaluation.labels.len() * classes).max(1) as f64;
    let losses: Vec<f64> = (0..ridge_candidates().len())
        .map(|choice| {
            let mut sum = 0.0;
            for (row, label) in predicted.iter().zip(evaluation.labels) {
                let row = &row[choice * task_classes.len()..(choice + 1) * task_classes.len()];
                for (value, class) in row.iter().zip(&task_classes) {
                    sum += (value - f64::from(u8::from(class == label))).powi(2);
                }
            }
            if sum.is_nan() { f64::INFINITY } else { sum / entries }
        })
        .collect();
    let mut best = 0;
    for (index, loss) in losses.iter().enumerate() {
        if *loss < losses[best] {
            best = index;
        }
    }
    Ok(RidgeChoice { ridge: ridge_candidates()[best], losses })
}

/// Returns the scores of each evaluation image (choices of λ × own classes), from products of images with images.
fn predict_from_image_gram(
    fit: TaskFeatures<'_>,
    evaluation: TaskFeatures<'_>,
    projection: &Projection,
    task_classes: &[usize],
    cancel_token: &mut CancelToken<'_>,
) -> Result<Vec<Vec<f64>>> {
    let (n, m) = (fit.labels.len(), evaluation.labels.len());
    let mut gram = GramMatrix::new(n)?;
    let mut cross_products = vec![0.0; m * n];
    for start in (0..projection.outputs()).step_by(BLOCK) {
        cancel_token.report(0, ridge_candidates().len())?;
        let columns = start..(start + BLOCK).min(projection.outputs());
        let width = columns.len();
        let (fit_hidden, evaluation_hidden) = (
            projection.hidden(fit.features, columns.clone()),
            projection.hidden(evaluation.features, columns),
        );
        let fit_matrix = Matrix::new(&fit_hidden, n, width, width);
        gram.add(fit_matrix);
        let evaluation_matrix = Matrix::new(&evaluation_hidden, m, width, width);
        parallel_product(
            &mut cross_products,
            Store::Add,
            evaluation_matrix,
            fit_matrix.transposed(),
        );
    }
    let targets = task_classes.iter().flat_map(|class| {
        let matches = fit.labels.iter().map(move |label| label == class);
        matches.map(|is_match| f64::from(u8::from(is_match)))
    });
    let solved_targets = solve_candidates(&mut gram, &targets.collect::<Vec<_>>(), cancel_token)?;
    Ok(multiply_rows(&cross_products, &solved_targets, n))
}

/// Returns the scores of each evaluation image (choices of λ × own classes), from products of projections with
/// projections.
fn predict_from_projection_gram(
    fit: TaskFeatures<'_>,
    evaluation: TaskFeatures<'_>,
    projection: &Projection,
    task_classes: &[usize],
    cancel_token: &mut CancelToken<'_>,
) -> Result<Vec<Vec<f64>>> {
    let (inputs, outputs) = (projection.inputs(), projection.outputs());
    let mut gram = GramMatrix::new(outputs)?;
    let mut targets = vec![0.0; task_classes.len() * outputs];
    for block in fit.blocks(inputs) {
        cancel_token.report(0, ridge_candidates().len())?;
        let hidden = projection.hidden(block.features, 0..outputs);
        gram.add(Matrix::new(&hidden, block.labels.len(), outputs, outputs).transposed());
        for (h, label) in hidden.chunks_exact(outputs).zip(block.labels) {
            let class = task_classes.binary_search(label).unwrap_or(0);
            let sums = &mut targets[class * outputs..(class + 1) * outputs];
            sums.iter_mut().zip(h).for_each(|(sum, h)| *sum += h);
        }
    }
    let solved_targets = solve_candidates(&mut gram, &targets, cancel_token)?;
    let mut scores = Vec::with_capacity(evaluation.labels.len());
    for block in evaluation.blocks(inputs) {
        let hidden = projection.hidden(block.features, 0..outputs);
        scores.extend(multiply_rows(&hidden, &solved_targets, outputs));
    }
    Ok(scores)
}

/// Returns (square + λI)⁻¹·targets for every λ, concatenated; NaN for a λ whose factorisation failed.
fn solve_candidates(
    gram: &mut GramMatrix,
    targets: &[f64],
    cancel_token: &mut CancelToken<'_>,
) -> Result<Vec<f64>> {
    let candidates = ridge_candidates();
    let mut solved = Vec::with_capacity(candidates.len() * targets.len());
    for (done, ridge) in candidates.iter().enumerate() {
        let start = solved.len();
        solved.extend_from_slice(targets);
        if gram.factor(*ridge, &mut || cancel_token.report(done, candidates.len()))? {
            gram.solve(&mut solved[start..]);
        } else {
            solved[start..].fill(f64::NAN);
        }
    }
    Ok(solved)
}

/// Returns the product of rows (each `inner` numbers) and solutionsᵀ, row by row.
fn multiply_rows(rows: &[f64], solutions: &[f64], inner: usize) -> Vec<Vec<f64>> {
    let (count, columns) = (rows.len() / inner.max(1), solutions.len() / inner.max(1));
    let mut products = vec![0.0; count * columns];
    let rows = Matrix::new(rows, count, inner, inner);
    let solutions = Matrix::new(solutions, columns, inner, inner);
    parallel_product(&mut products, Store::Replace, rows, solutions.transposed());
    products.par_chunks(columns.max(1)).map(<[f64]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::super::gram::tests::eliminate;
    use super::*;
    use crate::pet::Init;

    const WIDTH: usize = 6;

    /// Returns features of three classes, each around its own centre.
    fn images(count: usize, seed: u64) -> (Vec<f32>, Vec<usize>) {
        let centres = Init::Normal(1.0).draw([3, WIDTH], 1, 0);
        let noise = Init::Normal(0.5).draw([count, WIDTH], seed, 1);
        let labels: Vec<usize> = (0..count).map(|i| 2 + i % 3).collect();
        let value = |(i, noise): (usize, &f32)| {
            noise + centres[(labels[i / WIDTH] - 2) * WIDTH + i % WIDTH]
        };
        (noise.iter().enumerate().map(value).collect(), labels)
    }

    /// Returns the losses by their definition, with (H₁ᵀH₁ + λI)⁻¹ computed by elimination.
    fn reference_losses(
        features: &[f32],
        labels: &[usize],
        r: &Projection,
        classes: usize,
    ) -> Vec<f64> {
        let (m, n) = (r.outputs(), labels.len());
        let fit = n * 4 / 5;
        let h = r.hidden(features, 0..m);
        let h = |i: usize, k: usize| h[i * m + k];
        let y = |i: usize, c: usize| f64::from(u8::from(labels[i] == c));
        let sum = |f: &dyn Fn(usize) -> f64| (0..fit).map(f).sum::<f64>();
        let loss = |ridge: f64| {
            let row = |k: usize| {
                let entry =
                    |l: usize| sum(&|i| h(i, k) * h(i, l)) + if k == l { ridge } else { 0.0 };
                (0..m).map(entry).collect()
            };
            let gram: Vec<Vec<f64>> = (0..m).map(row).collect();
            let mut error = 0.0;
            for c in 0..classes {
                let right = (0..m).map(|k| sum(&|i| h(i, k) * y(i, c))).collect();
                let w = eliminate(gram.clone(), right);
                for i in fit..n {
                    let score: f64 = (0..m).map(|k| h(i, k) * w[k]).sum();
                    error += (score - y(i, c)).powi(2);
                }
            }
            error / ((n - fit) * classes) as f64
        };
        ridge_candidates().into_iter().map(loss).collect()
    }

    /// Covers both matrices: 20 and 48 fitted images, for 30 projections.
    #[test]
    fn losses_match_definition_for_both_matrix_forms() {
        let projection = Projection::random(WIDTH, 30, 4);
        for count in [26, 60] {
            let (features, labels) = images(count, 9);
            let task = TaskFeatures::new(&features, &labels);
            let choice = choose_ridge(task, &projection, 7, &mut CancelToken::never()).unwrap();
            let expected = reference_losses(&features, &labels, &projection, 7);
            // With a singular matrix, the reference is only noise for the smallest λ.
            let skipped = if count == 26 { 6 } else { 0 };
            for (actual, expected_loss) in choice.losses.iter().zip(&expected).skip(skipped) {
                assert!((actual / expected_loss - 1.0).abs() < 1e-6, "{actual} {expected_loss}");
            }
            let lowest = choice.losses.iter().copied().fold(f64::INFINITY, f64::min);
            let index = choice.losses.iter().position(|loss| *loss == lowest).unwrap();
            assert_eq!(choice.ridge, ridge_candidates()[index]);
        }
    }

    /// Of 9 images, 7 are used for fitting (0.8 · 9 = 7.2), so the loss is a mean over two images.
    #[test]
    fn fit_split_is_rounded_down() {
        let projection = Projection::random(WIDTH, 20, 4);
        let (features, labels) = images(9, 2);
        let task = TaskFeatures::new(&features, &labels);
        let choice = choose_ridge(task, &projection, 5, &mut CancelToken::never()).unwrap();
        let expected = reference_losses(&features, &labels, &projection, 5);
        assert!((choice.losses[10] / expected[10] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn skips_ridge_values_that_fail_to_solve() {
        let projection = Projection::random(WIDTH, 20, 4);
        // Equal images make the matrix singular, and the smallest λ are lost to rounding.
        let (mut features, labels) = (vec![1e5; 15 * WIDTH], vec![0; 15]);
        let task = TaskFeatures::new(&features, &labels);
        let choice = choose_ridge(task, &projection, 1, &mut CancelToken::never()).unwrap();
        assert_eq!(choice.losses[0], f64::INFINITY);
        assert!(choice.losses.iter().any(|loss| loss.is_finite()));
        assert!(choice.ridge > ridge_candidates()[0]);
        features[3] = f32::NAN;
        let task = TaskFeatures::new(&features, &labels);
        let choice = choose_ridge(task, &projection, 1, &mut CancelToken::never()).unwrap();
        assert!(choice.losses.iter().all(|loss| *loss == f64::INFINITY));
    }

    #[test]
    fn choose_ridge_works_with_single_image() {
        let projection = Projection::random(WIDTH, 20, 4);
        let (features, labels) = images(1, 2);
        let task = TaskFeatures::new(&features, &labels);
        let choice = choose_ridge(task, &projection, 3, &mut CancelToken::never());
        assert!(choice.unwrap().ridge > 0.0);
    }

    #[test]
    fn choose_ridge_reports_progress_and_can_be_cancelled() {
        let (features, labels) = images(30, 3);
        let task = TaskFeatures::new(&features, &labels);
        let projection = Projection::random(WIDTH, 40, 5);
        let mut reported = Vec::new();
        let mut callback = |done, total| {
            reported.push((done, total));
            done < 4
        };
        let stopped =
            choose_ridge(task, &projection, 3, &mut CancelToken::with_callback(&mut callback));
        assert!(stopped.unwrap_err().what.contains("stopped"));
        assert_eq!(reported.last(), Some(&(4, ridge_candidates().len())));
    }
}
