//! The regression of RanPAC: G = Σ HᵀH and Q = Σ HᵀY over all images of all tasks, and the classifier W = (G + λI)⁻¹Q
//! (McDonnell et al., NeurIPS 2023, section 4.2, equations 4 and 5).
//!
//! Images are processed in blocks: h in f32, all sums in f64, which are accurate for a hundred thousand images. Memory:
//! 8·M² bytes for G and its factor together (`gram.rs`), which is 800 MB for M = 10,000; 8·M for each class; and some
//! blocks of M × 512 numbers. The selection of λ temporarily needs another 8·min(0.8·n, M)² bytes, where n is the
//! number of the task's images.

use lae_kernels::gemm::Matrix;

use super::super::CancelToken;
use super::gram::GramMatrix;
use super::projection::Projection;
use super::ridge::{TaskFeatures, ridge_candidates};
use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::{GeneratedTensor, GeneratedTensors, HostTensor, NamedTensors, get_tensor};

/// G and Q.
pub struct Regression {
    /// G; its lower triangle is undefined.
    pub gram: GramMatrix,
    /// Qᵀ: the sum of h for each class.
    pub sums: Vec<Vec<f64>>,
}

impl Regression {
    /// Returns the state before the first task, where h has `projections` values.
    ///
    /// # Errors
    /// Returns a Problem if there is too little memory.
    pub fn new(projections: usize) -> Result<Self> {
        Ok(Self { gram: GramMatrix::new(projections)?, sums: Vec::new() })
    }

    /// Adds the images of a task; labels count over all tasks, and there are `classes` classes so far. Earlier sums are
    /// kept. Finally all sums are rounded to 48 bits, the precision of their stored form.
    ///
    /// # Errors
    /// Returns a Problem if `cancel_token` cancelled the computation: then only some of the images were added.
    pub fn add_images(
        &mut self,
        images: TaskFeatures<'_>,
        projection: &Projection,
        classes: usize,
        cancel_token: &mut CancelToken<'_>,
    ) -> Result<()> {
        let outputs = projection.outputs();
        let class_count = self.sums.len().max(classes);
        self.sums.resize(class_count, vec![0.0; outputs]);
        let blocks = images.blocks(projection.inputs());
        let count = images.blocks(projection.inputs()).count();
        for (done, block) in blocks.enumerate() {
            cancel_token.report(done, count)?;
            let hidden = projection.hidden(block.features, 0..outputs);
            let rows = Matrix::new(&hidden, block.labels.len(), outputs, outputs);
            self.gram.add(rows.transposed());
            for (h, &label) in hidden.chunks_exact(outputs).zip(block.labels) {
                let sums = &mut self.sums[label];
                sums.iter_mut().zip(h).for_each(|(sum, h)| *sum += h);
            }
        }
        let round = |value: &mut f64| *value = join_halves(split_halves(*value));
        for row in 0..outputs {
            self.gram.upper_row_mut(row).iter_mut().for_each(round);
        }
        self.sums.iter_mut().flatten().for_each(round);
        Ok(())
    }

    /// Adds `share` times the sums of another regression of the same size. A share of −1 removes its images.
    pub fn add(&mut self, other: &Self, share: f64) {
        let add = |target: &mut [f64], addends: &[f64]| {
            target.iter_mut().zip(addends).for_each(|(a, b)| *a += share * b);
        };
        for row in 0..self.gram.side() {
            add(self.gram.upper_row_mut(row), other.gram.upper_row(row));
        }
        let (class_count, side) = (self.sums.len().max(other.sums.len()), self.gram.side());
        self.sums.resize(class_count, vec![0.0; side]);
        for (target, addends) in self.sums.iter_mut().zip(&other.sums) {
            add(target, addends);
        }
    }

    /// Returns Wᵀ for the classes so far, one row of M numbers each, and the λ that was used: `ridge`, or the next
    /// larger candidate for which G + λI is positive definite in f64.
    ///
    /// # Errors
    /// Returns a Problem if no λ works because features are not finite, or if `cancel_token` cancelled the computation.
    pub fn solve(
        &mut self,
        ridge: f64,
        cancel_token: &mut CancelToken<'_>,
    ) -> Result<(Vec<f32>, f64)> {
        let larger_candidates =
            ridge_candidates().into_iter().filter(|candidate| *candidate > ridge);
        let mut used = None;
        for ridge in std::iter::once(ridge).chain(larger_candidates) {
            if self.gram.factor(ridge, &mut || cancel_token.report(0, 1))? {
                used = Some(ridge);
                break;
            }
        }
        let Some(used) = used else {
            let what = message!("problem-regression-unsolvable");
            let advice = message!("advice-use-smaller-first-rate");
            return Err(Problem::new(what).advise(advice));
        };
        let mut rows = self.sums.concat();
        self.gram.solve(&mut rows);
        let weights = rows.into_iter().map(|value| value as f32);
        Ok((weights.collect(), used))
    }

    /// Adds Qᵀ to the tensors, as `sums.high` and `sums.low`.
    pub fn write(&self, tensors: &mut NamedTensors) {
        let tensor = |half: usize| {
            let sums = self.sums.iter().flatten();
            HostTensor::vector(sums.map(|value| split_halves(*value)[half]).collect())
        };
        tensors.insert("sums.high".into(), tensor(0));
        tensors.insert("sums.low".into(), tensor(1));
    }

    /// Returns G's upper half as two tensors, whose rows are generated while they are written.
    pub fn generated_tensors(&self) -> GeneratedTensors<'_> {
        let generate = |half: usize| GeneratedTensor {
            shape: vec![upper_len(self.gram.side())],
            values: Box::new(
                (0..self.gram.side())
                    .flat_map(|row| self.gram.upper_row(row))
                    .map(move |value| split_halves(*value)[half]),
            ),
        };
        let names = HALVES.map(str::to_string);
        names.into_iter().zip([generate(0), generate(1)]).collect()
    }

    /// Reads the state with this number of classes, without G.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor, or if there is too little memory.
    pub fn read(projections: usize, classes: usize, tensors: &NamedTensors) -> Result<Self> {
        let mut regression = Self::new(projections)?;
        let read_half =
            |name: &str| values_of_length(name, get_tensor(tensors, name)?, projections * classes);
        let (high, low) = (read_half("sums.high")?, read_half("sums.low")?);
        let sums: Vec<f64> =
            high.iter().zip(low).map(|(high, low)| join_halves([*high, *low])).collect();
        regression.sums = sums.chunks_exact(projections.max(1)).map(<[f64]>::to_vec).collect();
        Ok(regression)
    }

    /// Reads G: first the high parts of its values, then the low parts.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    pub fn read_generated(&mut self, read: &dyn Fn(&str) -> Result<HostTensor>) -> Result<()> {
        let side = self.gram.side();
        for (half, name) in HALVES.into_iter().enumerate() {
            let stored = read(name)?;
            let mut parts = values_of_length(name, &stored, upper_len(side))?.iter();
            for row in 0..side {
                let values = self.gram.upper_row_mut(row).iter_mut();
                for (value, part) in values.zip(&mut parts) {
                    let high = if half == 0 { 0.0 } else { *value };
                    *value = high + f64::from(*part);
                }
            }
        }
        Ok(())
    }
}

/// Names of G's two tensors: its values rounded to f32, and the remainders.
const HALVES: [&str; 2] = ["gram.high", "gram.low"];

/// Returns the number of elements on and above the diagonal of a matrix with `side` rows.
fn upper_len(side: usize) -> usize {
    side * (side + 1) / 2
}

/// Splits a number into two f32 whose sum has 48 bits of precision.
fn split_halves(value: f64) -> [f32; 2] {
    let high = value as f32;
    [high, (value - f64::from(high)) as f32]
}

fn join_halves([high, low]: [f32; 2]) -> f64 {
    f64::from(high) + f64::from(low)
}

/// Returns the values of a tensor, or a Problem if it does not have `count` values.
fn values_of_length<'a>(name: &str, tensor: &'a HostTensor, count: usize) -> Result<&'a [f32]> {
    let found = tensor.values.len();
    if found == count {
        return Ok(&tensor.values);
    }
    let what = format!("{name} has {found} numbers, not {count}");
    Err(Problem::new(what))
}

#[cfg(test)]
mod tests {
    use super::super::gram::tests::eliminate;
    use super::*;
    use crate::pet::Init;

    #[test]
    fn classifier_matches_ridge_regression_of_all_images() {
        let (width, outputs, classes) = (5, 24, 4);
        let features = Init::Normal(1.0).draw([60, width], 8, 0);
        let labels: Vec<usize> = (0..60).map(|i| if i < 30 { i % 2 } else { 2 + i % 2 }).collect();
        let projection = Projection::random(width, outputs, 2);
        let mut regression = Regression::new(outputs).unwrap();
        for (task, classes) in [(0..30, 2), (30..60, 4)] {
            let features = &features[task.start * width..task.end * width];
            let labels = &labels[task];
            let images = TaskFeatures::new(features, labels);
            regression.add_images(images, &projection, classes, &mut CancelToken::never()).unwrap();
        }
        let (weights, used) = regression.solve(0.1, &mut CancelToken::never()).unwrap();
        assert_eq!((weights.len(), used), (classes * outputs, 0.1));
        let h = projection.hidden(&features, 0..outputs);
        let sum = |f: &dyn Fn(usize) -> f64| (0..60).map(f).sum::<f64>();
        let gram = |k: usize, l: usize| sum(&|i| h[i * outputs + k] * h[i * outputs + l]);
        let row = |k: usize| {
            let entry = |l: usize| gram(k, l) + if k == l { 0.1 } else { 0.0 };
            (0..outputs).map(entry).collect::<Vec<f64>>()
        };
        let gram: Vec<Vec<f64>> = (0..outputs).map(row).collect();
        for class in 0..classes {
            let sum_of_class = |k: usize| {
                sum(&|i| {
                    if labels[i] == class { h[i * outputs + k] } else { 0.0 }
                })
            };
            let expected = eliminate(gram.clone(), (0..outputs).map(sum_of_class).collect());
            for (actual, expected) in weights[class * outputs..].iter().zip(expected) {
                assert!((f64::from(*actual) - expected).abs() < 1e-6, "{actual} {expected}");
            }
        }
    }

    /// A hundred thousand large equal terms and one small term. Sums in f32 would lose the small term and much
    /// precision.
    #[test]
    fn sums_stay_precise_over_many_images() {
        let count = 100_000;
        let projection = Projection::from_values(vec![1.0, 0.1], 1);
        let mut regression = Regression::new(2).unwrap();
        let mut features = vec![3.3f32; count];
        features.push(0.01);
        add_single_class(&mut regression, &projection, &features);
        let h = projection.hidden(&[3.3, 0.01], 0..2);
        let n = count as f64;
        let expected = [n * h[0] * h[0] + h[2] * h[2], n * h[0] * h[1] + h[2] * h[3]];
        for (actual, expected) in regression.gram.upper_row(0).iter().zip(expected) {
            assert!((actual / expected - 1.0).abs() < 1e-12, "{actual} {expected}");
        }
        assert!((regression.sums[0][0] / (n * h[0] + h[2]) - 1.0).abs() < 1e-12);
    }

    /// Adds images of a single class.
    fn add_single_class(regression: &mut Regression, projection: &Projection, features: &[f32]) {
        let labels = vec![0; features.len() / projection.inputs()];
        let labels = &labels;
        let images = TaskFeatures::new(features, labels);
        regression.add_images(images, projection, 1, &mut CancelToken::never()).unwrap();
    }

    #[test]
    fn restored_regression_continues_bit_identically() {
        let projection = Projection::random(4, 20, 1);
        let draw = |stream| Init::Normal(1.0).draw([30, 4], 5, stream);
        let mut regression = Regression::new(20).unwrap();
        add_single_class(&mut regression, &projection, &draw(0));
        let mut tensors = NamedTensors::new();
        regression.write(&mut tensors);
        let generated = regression.generated_tensors().into_iter().map(|(name, tensor)| {
            let (shape, values) = (tensor.shape, tensor.values.collect());
            (name, HostTensor { shape, values })
        });
        let generated: NamedTensors = generated.collect();
        let read = |name: &str| get_tensor(&generated, name).cloned();
        let mut restored = Regression::read(20, 1, &tensors).unwrap();
        restored.read_generated(&read).unwrap();
        for regression_copy in [&mut regression, &mut restored] {
            add_single_class(regression_copy, &projection, &draw(1));
        }
        let solve = |sums_to_solve: &mut Regression| {
            sums_to_solve.solve(1e-3, &mut CancelToken::never()).unwrap()
        };
        assert_eq!(solve(&mut regression), solve(&mut restored));
        assert!(Regression::read(21, 1, &tensors).is_err());
        assert!(Regression::read(20, 2, &tensors).is_err());
        assert!(Regression::new(21).unwrap().read_generated(&read).is_err());
        tensors.remove("sums.low");
        assert!(Regression::read(20, 1, &tensors).is_err());
    }

    #[test]
    fn solve_raises_ridge_too_small_for_f64() {
        let projection = Projection::random(2, 12, 1);
        let mut regression = Regression::new(12).unwrap();
        add_single_class(&mut regression, &projection, &[1e6; 8]);
        let (weights, used) = regression.solve(1e-8, &mut CancelToken::never()).unwrap();
        assert!(used > 1e-8 && weights.iter().all(|weight| weight.is_finite()));
        add_single_class(&mut regression, &projection, &[f32::NAN; 2]);
        let problem = regression.solve(1e-8, &mut CancelToken::never()).unwrap_err();
        assert!(problem.what.contains("finite"), "{problem}");
    }
}
