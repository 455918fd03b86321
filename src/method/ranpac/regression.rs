//! The regression behind RanPAC: G = Σ HᵀH and Q = Σ HᵀY over all images of all tasks, and the
//! classifier W = (G + λI)⁻¹Q (McDonnell et al., NeurIPS 2023, section 4.2, equations 4 and 5).
//!
//! Images come in blocks: h in f32, all sums in f64, in which a hundred thousand images lose
//! nothing. Memory: 8·M² bytes for G and its factor together (`square.rs`), that is 800 MB for
//! M = 10,000, 8·M for each class and some blocks of M × 512 numbers. The choice of λ needs
//! 8·min(0.8·n, M)² bytes more while it lasts, n being the task's images.

use super::projection::Projection;
use super::ridge::{Choice, Images, choices, choose};
use super::square::Square;
use crate::nn::gemm::Matrix;
use crate::problem::{Problem, Result};

/// G, Q and R.
pub struct Regression {
    projection: Projection,
    square: Square,
    /// Qᵀ: for each class the sum of its h.
    sums: Vec<Vec<f64>>,
}

impl Regression {
    /// Before the first task.
    ///
    /// # Errors
    /// A Problem when there is too little memory.
    pub fn new(projection: Projection) -> Result<Self> {
        Ok(Self {
            square: Square::new(projection.outputs())?,
            projection,
            sums: Vec::new(),
        })
    }

    /// R.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// G; what lies below its diagonal means nothing.
    pub fn square(&self) -> &Square {
        &self.square
    }

    /// Qᵀ: one row of M numbers per class.
    pub fn sums(&self) -> &[Vec<f64>] {
        &self.sums
    }

    /// Takes in the images of a task: labels count over all tasks, `classes` are known by now.
    /// What was there before is kept.
    pub fn absorb(&mut self, images: Images<'_>, classes: usize) {
        let outputs = self.projection.outputs();
        let known = self.sums.len().max(classes);
        self.sums.resize(known, vec![0.0; outputs]);
        for block in images.blocks(self.projection.inputs()) {
            let hidden = self.projection.hidden(block.features, 0..outputs);
            let rows = Matrix::new(&hidden, block.labels.len(), outputs, outputs);
            self.square.add(rows.transposed());
            for (h, &label) in hidden.chunks_exact(outputs).zip(block.labels) {
                let sums = &mut self.sums[label];
                sums.iter_mut().zip(h).for_each(|(sum, h)| *sum += h);
            }
        }
    }

    /// λ from the images of one task alone; `classes` are those of all tasks.
    ///
    /// # Errors
    /// A Problem when there is too little memory.
    pub fn choose(&self, images: Images<'_>, classes: usize) -> Result<Choice> {
        choose(images, &self.projection, classes)
    }

    /// Wᵀ for the classes known so far, one row of M numbers each, and the λ it was solved with:
    /// `ridge`, or the next larger choice for which G + λI is positive definite in f64.
    ///
    /// # Errors
    /// A Problem when there is none, for features that are not finite.
    pub fn solve(&mut self, ridge: f64) -> Result<(Vec<f32>, f64)> {
        let larger = choices().into_iter().filter(|choice| *choice > ridge);
        let found = std::iter::once(ridge)
            .chain(larger)
            .find(|ridge| self.square.factor(*ridge));
        let Some(used) = found else {
            return Err(Problem::new(
                "the regression has no solution: the features are not finite numbers",
            )
            .advise("train the first session with a smaller learning rate"));
        };
        let mut rows = self.sums.concat();
        self.square.solve(&mut rows);
        let weights = rows.into_iter().map(|value| value as f32);
        Ok((weights.collect(), used))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::square::tests::eliminate;
    use super::*;
    use crate::pet::Init;

    #[test]
    fn the_classifier_is_the_ridge_regression_of_all_images() {
        let (width, outputs, classes) = (5, 24, 4);
        let features = Init::Normal(1.0).draw([60, width], 8, 0);
        let labels: Vec<usize> = (0..60)
            .map(|i| if i < 30 { i % 2 } else { 2 + i % 2 })
            .collect();
        let mut own = Regression::new(Projection::drawn(width, outputs, 2)).unwrap();
        for (task, classes) in [(0..30, 2), (30..60, 4)] {
            let features = &features[task.start * width..task.end * width];
            let labels = &labels[task];
            own.absorb(Images { features, labels }, classes);
        }
        let (weights, used) = own.solve(0.1).unwrap();
        assert_eq!((weights.len(), used), (classes * outputs, 0.1));
        let h = own.projection().hidden(&features, 0..outputs);
        let sum = |f: &dyn Fn(usize) -> f64| (0..60).map(f).sum::<f64>();
        let gram = |k: usize, l: usize| sum(&|i| h[i * outputs + k] * h[i * outputs + l]);
        let row = |k: usize| {
            let own = |l: usize| gram(k, l) + if k == l { 0.1 } else { 0.0 };
            (0..outputs).map(own).collect::<Vec<f64>>()
        };
        let square: Vec<Vec<f64>> = (0..outputs).map(row).collect();
        for class in 0..classes {
            let of = |k: usize| {
                sum(&|i| {
                    if labels[i] == class {
                        h[i * outputs + k]
                    } else {
                        0.0
                    }
                })
            };
            let wanted = eliminate(square.clone(), (0..outputs).map(of).collect());
            for (got, wanted) in weights[class * outputs..].iter().zip(wanted) {
                assert!((f64::from(*got) - wanted).abs() < 1e-6, "{got} {wanted}");
            }
        }
    }

    /// A hundred thousand large equal terms and one small one: f32 sums would lose the small one
    /// and much of the rest.
    #[test]
    fn a_hundred_thousand_images_lose_nothing() {
        let count = 100_000;
        let mut own = Regression::new(Projection::of(vec![1.0, 0.1], 1)).unwrap();
        let mut features = vec![3.3f32; count];
        features.push(0.01);
        own.absorb(
            Images {
                features: &features,
                labels: &vec![0; count + 1],
            },
            1,
        );
        let h = own.projection().hidden(&[3.3, 0.01], 0..2);
        let n = count as f64;
        let wanted = [n * h[0] * h[0] + h[2] * h[2], n * h[0] * h[1] + h[2] * h[3]];
        for (got, wanted) in own.square().upper_row(0).iter().zip(wanted) {
            assert!((got / wanted - 1.0).abs() < 1e-12, "{got} {wanted}");
        }
        assert!((own.sums()[0][0] / (n * h[0] + h[2]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_ridge_too_small_for_f64_gives_way_to_the_next() {
        let mut own = Regression::new(Projection::drawn(2, 12, 1)).unwrap();
        let features = vec![1e6f32; 8];
        own.absorb(
            Images {
                features: &features,
                labels: &[0; 4],
            },
            1,
        );
        let (weights, used) = own.solve(1e-8).unwrap();
        assert!(used > 1e-8 && weights.iter().all(|weight| weight.is_finite()));
        own.absorb(
            Images {
                features: &[f32::NAN; 2],
                labels: &[0],
            },
            1,
        );
        assert!(own.solve(1e-8).unwrap_err().what.contains("finite"));
    }
}
