//! Cross-validation with the regression: each training image is predicted from the others.

use lae_kernels::gemm::{Matrix, Store, parallel_product};

use super::super::CancelToken;
use super::projection::Projection;
use super::regression::Regression;
use super::ridge::{TaskFeatures, choose};
use crate::problem::Result;

/// Seed of the projection, fixed so that predictions depend only on the images.
const SEED: u64 = 0;

/// Returns the scores of every image, images × `classes`, from a regression on the images of all other folds. Images
/// are sorted by fold; `ends` marks the end of each fold. The ridge is selected once, on the last fifth.
///
/// # Errors
/// Returns a Problem if there is too little memory, for features that are not finite, or if `go_on` cancelled the
/// computation.
pub fn cross_fitted(
    images: TaskFeatures<'_>,
    ends: &[usize],
    classes: usize,
    projections: usize,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<f64>> {
    let width = images.features.len() / images.labels.len().max(1);
    let projection = Projection::drawn(width, projections, SEED);
    let mut wanted = |_, _| go_on();
    let mut go_on = CancelToken::with_callback(&mut wanted);
    let ridge = choose(images, &projection, classes, &mut go_on)?.ridge;
    answered(images, ends, classes, (&projection, ridge), &mut go_on)
}

/// Computes the scores of every image with a given projection and ridge.
fn answered(
    images: TaskFeatures<'_>,
    ends: &[usize],
    classes: usize,
    (projection, ridge): (&Projection, f64),
    go_on: &mut CancelToken<'_>,
) -> Result<Vec<f64>> {
    let (width, projections) = (projection.inputs(), projection.outputs());
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let folds = begins.zip(ends).map(|(start, &end)| TaskFeatures {
        features: &images.features[start * width..end * width],
        labels: &images.labels[start..end],
    });
    let mut whole = Regression::new(projections)?;
    let mut parts = Vec::with_capacity(ends.len());
    for fold in folds {
        let mut own = Regression::new(projections)?;
        own.absorb(fold, projection, classes, go_on)?;
        whole.add(&own, 1.0);
        parts.push((fold, own));
    }
    let mut scores = Vec::with_capacity(images.labels.len() * classes);
    for (fold, own) in &parts {
        whole.add(own, -1.0);
        let solved = whole.solve(ridge, go_on);
        whole.add(own, 1.0);
        let (weights, _) = solved.map_err(|problem| problem.advise("choose another backbone"))?;
        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        let weights = Matrix::new(&weights, classes, projections, projections);
        for block in fold.blocks(width) {
            let hidden = projection.hidden(block.features, 0..projections);
            let rows = block.labels.len();
            let mut own = vec![0.0; rows * classes];
            let hidden = Matrix::new(&hidden, rows, projections, projections);
            parallel_product(&mut own, Store::Replace, hidden, weights.transposed());
            scores.extend(own);
        }
    }
    Ok(scores)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pet::Init;

    #[test]
    fn cross_fitted_scores_exclude_own_fold() {
        let (width, classes) = (4, 3);
        let projection = Projection::drawn(width, 30, 1);
        let features = Init::Normal(1.0).draw([40, width], 8, 0);
        let mut labels: Vec<usize> = (0..40).map(|at| at % classes).collect();
        let ends = [10, 20, 30, 40];
        let answers = |labels: &[usize]| {
            let features = &features;
            let images = TaskFeatures { features, labels };
            answered(
                images,
                &ends,
                classes,
                (&projection, 1.0),
                &mut CancelToken::never(),
            )
            .unwrap()
        };
        let before = answers(&labels);
        assert_eq!(before.len(), 40 * classes);
        // Another label in the first fold changes the scores of the others, but none in that fold.
        labels[3] = (labels[3] + 1) % classes;
        let after = answers(&labels);
        let apart = |range: std::ops::Range<usize>| {
            let range = range.start * classes..range.end * classes;
            let pairs = before[range.clone()].iter().zip(&after[range]);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(apart(0..10) < 1e-6, "{}", apart(0..10));
        assert!(apart(10..20) > 1e-4 && apart(30..40) > 1e-4);
    }
}
