//! Cross-validation with the regression: each training image is predicted from the others.

use lae_kernels::gemm::{Matrix, Store, parallel_product};

use super::super::CancelToken;
use super::projection::Projection;
use super::regression::Regression;
use super::ridge::{TaskFeatures, choose_ridge};
use crate::problem::Result;

/// Seed of the projection, fixed so that predictions depend only on the images.
const SEED: u64 = 0;

/// Returns the scores of every image, images × `classes`, from a regression on the images of all other folds. Images
/// are sorted by fold; `ends` marks the end of each fold. The ridge is selected once, on the last fifth.
///
/// # Errors
/// Returns a Problem if there is too little memory, for non-finite features, or if `should_continue` cancelled the
/// computation.
pub fn cross_fit(
    images: TaskFeatures<'_>,
    ends: &[usize],
    classes: usize,
    projections: usize,
    should_continue: &dyn Fn() -> bool,
) -> Result<Vec<f64>> {
    let width = images.features.len() / images.labels.len().max(1);
    let projection = Projection::random(width, projections, SEED);
    let mut callback = |_, _| should_continue();
    let mut cancel_token = CancelToken::with_callback(&mut callback);
    let ridge = choose_ridge(images, &projection, classes, &mut cancel_token)?.ridge;
    predict_folds(images, ends, classes, (&projection, ridge), &mut cancel_token)
}

/// Computes the scores of every image with a given projection and ridge.
fn predict_folds(
    images: TaskFeatures<'_>,
    ends: &[usize],
    classes: usize,
    (projection, ridge): (&Projection, f64),
    cancel_token: &mut CancelToken<'_>,
) -> Result<Vec<f64>> {
    let (width, projections) = (projection.inputs(), projection.outputs());
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let folds = starts.zip(ends).map(|(start, &end)| TaskFeatures {
        features: &images.features[start * width..end * width],
        labels: &images.labels[start..end],
    });
    let mut total = Regression::new(projections)?;
    let mut parts = Vec::with_capacity(ends.len());
    for fold in folds {
        let mut fold_sums = Regression::new(projections)?;
        fold_sums.add_images(fold, projection, classes, cancel_token)?;
        total.add(&fold_sums, 1.0);
        parts.push((fold, fold_sums));
    }
    let mut scores = Vec::with_capacity(images.labels.len() * classes);
    for (fold, fold_sums) in &parts {
        total.add(fold_sums, -1.0);
        let solution = total.solve(ridge, cancel_token);
        total.add(fold_sums, 1.0);
        let (weights, _) = solution.map_err(|problem| problem.advise("choose another backbone"))?;
        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        let weights = Matrix::new(&weights, classes, projections, projections);
        for block in fold.blocks(width) {
            let hidden = projection.hidden(block.features, 0..projections);
            let rows = block.labels.len();
            let mut block_scores = vec![0.0; rows * classes];
            let hidden = Matrix::new(&hidden, rows, projections, projections);
            parallel_product(&mut block_scores, Store::Replace, hidden, weights.transposed());
            scores.extend(block_scores);
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pet::Init;

    #[test]
    fn cross_fit_scores_exclude_own_fold() {
        let (width, classes) = (4, 3);
        let projection = Projection::random(width, 30, 1);
        let features = Init::Normal(1.0).draw([40, width], 8, 0);
        let mut labels: Vec<usize> = (0..40).map(|index| index % classes).collect();
        let ends = [10, 20, 30, 40];
        let predict = |labels: &[usize]| {
            let features = &features;
            let images = TaskFeatures { features, labels };
            predict_folds(images, &ends, classes, (&projection, 1.0), &mut CancelToken::never())
                .unwrap()
        };
        let before = predict(&labels);
        assert_eq!(before.len(), 40 * classes);
        // Another label in the first fold changes the scores of the others, but none in that fold.
        labels[3] = (labels[3] + 1) % classes;
        let after = predict(&labels);
        let max_difference = |range: std::ops::Range<usize>| {
            let range = range.start * classes..range.end * classes;
            let pairs = before[range.clone()].iter().zip(&after[range]);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(max_difference(0..10) < 1e-6, "{}", max_difference(0..10));
        assert!(max_difference(10..20) > 1e-4 && max_difference(30..40) > 1e-4);
    }
}
