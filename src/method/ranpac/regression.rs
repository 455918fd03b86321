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
use super::ridge::{TaskFeatures, choices};
use crate::message;
use crate::problem::{Problem, Result};
use crate::tensors::{GeneratedTensor, GeneratedTensors, HostTensor, Named, named};

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
        Ok(Self {
            gram: GramMatrix::new(projections)?,
            sums: Vec::new(),
        })
    }

    /// Adds the images of a task; labels count over all tasks, and there are `classes` classes so far. Earlier sums are
    /// kept. Finally all sums are rounded to 48 bits, the precision of their stored form.
    ///
    /// # Errors
    /// Returns a Problem if `go_on` cancelled the computation: then only some of the images were added.
    pub fn absorb(
        &mut self,
        images: TaskFeatures<'_>,
        projection: &Projection,
        classes: usize,
        go_on: &mut CancelToken<'_>,
    ) -> Result<()> {
        let outputs = projection.outputs();
        let known = self.sums.len().max(classes);
        self.sums.resize(known, vec![0.0; outputs]);
        let blocks = images.blocks(projection.inputs());
        let count = images.blocks(projection.inputs()).count();
        for (done, block) in blocks.enumerate() {
            go_on.report(done, count)?;
            let hidden = projection.hidden(block.features, 0..outputs);
            let rows = Matrix::new(&hidden, block.labels.len(), outputs, outputs);
            self.gram.add(rows.transposed());
            for (h, &label) in hidden.chunks_exact(outputs).zip(block.labels) {
                let sums = &mut self.sums[label];
                sums.iter_mut().zip(h).for_each(|(sum, h)| *sum += h);
            }
        }
        let round = |value: &mut f64| *value = joined(halves(*value));
        for row in 0..outputs {
            self.gram.upper_row_mut(row).iter_mut().for_each(round);
        }
        self.sums.iter_mut().flatten().for_each(round);
        Ok(())
    }

    /// Adds `share` times the sums of another regression of the same size. A share of −1 removes its images.
    pub fn add(&mut self, other: &Self, share: f64) {
        let add = |own: &mut [f64], others: &[f64]| {
            own.iter_mut()
                .zip(others)
                .for_each(|(a, b)| *a += share * b);
        };
        for row in 0..self.gram.side() {
            add(self.gram.upper_row_mut(row), other.gram.upper_row(row));
        }
        let (known, side) = (self.sums.len().max(other.sums.len()), self.gram.side());
        self.sums.resize(known, vec![0.0; side]);
        for (own, others) in self.sums.iter_mut().zip(&other.sums) {
            add(own, others);
        }
    }

    /// Returns Wᵀ for the classes so far, one row of M numbers each, and the λ that was used: `ridge`, or the next
    /// larger candidate for which G + λI is positive definite in f64.
    ///
    /// # Errors
    /// Returns a Problem if no λ works because features are not finite, or if `go_on` cancelled the computation.
    pub fn solve(&mut self, ridge: f64, go_on: &mut CancelToken<'_>) -> Result<(Vec<f32>, f64)> {
        let larger = choices().into_iter().filter(|choice| *choice > ridge);
        let mut used = None;
        for ridge in std::iter::once(ridge).chain(larger) {
            if self.gram.factor(ridge, &mut || go_on.report(0, 1))? {
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
    pub fn write(&self, into: &mut Named) {
        let tensor = |half: usize| {
            let sums = self.sums.iter().flatten();
            HostTensor::vector(sums.map(|value| halves(*value)[half]).collect())
        };
        into.insert("sums.high".into(), tensor(0));
        into.insert("sums.low".into(), tensor(1));
    }

    /// Returns G's upper half as two tensors, whose rows are generated while they are written.
    pub fn bulk(&self) -> GeneratedTensors<'_> {
        let made = |half: usize| GeneratedTensor {
            shape: vec![upper(self.gram.side())],
            values: Box::new(
                (0..self.gram.side())
                    .flat_map(|row| self.gram.upper_row(row))
                    .map(move |value| halves(*value)[half]),
            ),
        };
        let names = HALVES.map(str::to_string);
        names.into_iter().zip([made(0), made(1)]).collect()
    }

    /// Reads the state with this number of classes, without G.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor, or if there is too little memory.
    pub fn read(projections: usize, classes: usize, from: &Named) -> Result<Self> {
        let mut own = Self::new(projections)?;
        let part = |name: &str| counted(name, named(from, name)?, projections * classes);
        let (high, low) = (part("sums.high")?, part("sums.low")?);
        let sums: Vec<f64> = high
            .iter()
            .zip(low)
            .map(|(high, low)| joined([*high, *low]))
            .collect();
        own.sums = sums
            .chunks_exact(projections.max(1))
            .map(<[f64]>::to_vec)
            .collect();
        Ok(own)
    }

    /// Reads G: first the high parts of its values, then the low parts.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    pub fn read_bulk(&mut self, read: &dyn Fn(&str) -> Result<HostTensor>) -> Result<()> {
        let side = self.gram.side();
        for (half, name) in HALVES.into_iter().enumerate() {
            let stored = read(name)?;
            let mut stored = counted(name, &stored, upper(side))?.iter();
            for row in 0..side {
                let values = self.gram.upper_row_mut(row).iter_mut();
                for (value, part) in values.zip(&mut stored) {
                    let before = if half == 0 { 0.0 } else { *value };
                    *value = before + f64::from(*part);
                }
            }
        }
        Ok(())
    }
}

/// Names of G's two tensors: its values rounded to f32, and the remainders.
const HALVES: [&str; 2] = ["gram.high", "gram.low"];

/// Returns the number of elements on and above the diagonal of a matrix with `side` rows.
fn upper(side: usize) -> usize {
    side * (side + 1) / 2
}

/// Splits a number into two f32 whose sum has 48 bits of precision.
fn halves(value: f64) -> [f32; 2] {
    let high = value as f32;
    [high, (value - f64::from(high)) as f32]
}

fn joined([high, low]: [f32; 2]) -> f64 {
    f64::from(high) + f64::from(low)
}

/// Returns the values of a tensor, or a Problem if it does not have `count` values.
fn counted<'a>(name: &str, tensor: &'a HostTensor, count: usize) -> Result<&'a [f32]> {
    let found = tensor.values.len();
    if found == count {
        return Ok(&tensor.values);
    }
    let what = format!("{name} has {found} numbers, not {count}");
    Err(Problem::new(what))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::gram::tests::eliminate;
    use super::*;
    use crate::pet::Init;

    #[test]
    fn classifier_matches_ridge_regression_of_all_images() {
        let (width, outputs, classes) = (5, 24, 4);
        let features = Init::Normal(1.0).draw([60, width], 8, 0);
        let labels: Vec<usize> = (0..60)
            .map(|i| if i < 30 { i % 2 } else { 2 + i % 2 })
            .collect();
        let projection = Projection::drawn(width, outputs, 2);
        let mut own = Regression::new(outputs).unwrap();
        for (task, classes) in [(0..30, 2), (30..60, 4)] {
            let features = &features[task.start * width..task.end * width];
            let labels = &labels[task];
            let images = TaskFeatures::new(features, labels);
            own.absorb(images, &projection, classes, &mut CancelToken::never())
                .unwrap();
        }
        let (weights, used) = own.solve(0.1, &mut CancelToken::never()).unwrap();
        assert_eq!((weights.len(), used), (classes * outputs, 0.1));
        let h = projection.hidden(&features, 0..outputs);
        let sum = |f: &dyn Fn(usize) -> f64| (0..60).map(f).sum::<f64>();
        let gram = |k: usize, l: usize| sum(&|i| h[i * outputs + k] * h[i * outputs + l]);
        let row = |k: usize| {
            let own = |l: usize| gram(k, l) + if k == l { 0.1 } else { 0.0 };
            (0..outputs).map(own).collect::<Vec<f64>>()
        };
        let gram: Vec<Vec<f64>> = (0..outputs).map(row).collect();
        for class in 0..classes {
            let sum_of_class = |k: usize| {
                sum(&|i| {
                    if labels[i] == class {
                        h[i * outputs + k]
                    } else {
                        0.0
                    }
                })
            };
            let wanted = eliminate(gram.clone(), (0..outputs).map(sum_of_class).collect());
            for (got, wanted) in weights[class * outputs..].iter().zip(wanted) {
                assert!((f64::from(*got) - wanted).abs() < 1e-6, "{got} {wanted}");
            }
        }
    }

    /// A hundred thousand large equal terms and one small term. Sums in f32 would lose the small term and much
    /// precision.
    #[test]
    fn sums_stay_precise_over_many_images() {
        let count = 100_000;
        let projection = Projection::of(vec![1.0, 0.1], 1);
        let mut own = Regression::new(2).unwrap();
        let mut features = vec![3.3f32; count];
        features.push(0.01);
        absorb(&mut own, &projection, &features);
        let h = projection.hidden(&[3.3, 0.01], 0..2);
        let n = count as f64;
        let wanted = [n * h[0] * h[0] + h[2] * h[2], n * h[0] * h[1] + h[2] * h[3]];
        for (got, wanted) in own.gram.upper_row(0).iter().zip(wanted) {
            assert!((got / wanted - 1.0).abs() < 1e-12, "{got} {wanted}");
        }
        assert!((own.sums[0][0] / (n * h[0] + h[2]) - 1.0).abs() < 1e-12);
    }

    /// Adds images of a single class.
    fn absorb(own: &mut Regression, projection: &Projection, features: &[f32]) {
        let labels = vec![0; features.len() / projection.inputs()];
        let labels = &labels;
        let images = TaskFeatures::new(features, labels);
        own.absorb(images, projection, 1, &mut CancelToken::never())
            .unwrap();
    }

    #[test]
    fn restored_regression_continues_bit_identically() {
        let projection = Projection::drawn(4, 20, 1);
        let draw = |stream| Init::Normal(1.0).draw([30, 4], 5, stream);
        let mut own = Regression::new(20).unwrap();
        absorb(&mut own, &projection, &draw(0));
        let mut file = Named::new();
        own.write(&mut file);
        let bulk = own.bulk().into_iter().map(|(name, made)| {
            let (shape, values) = (made.shape, made.values.collect());
            (name, HostTensor { shape, values })
        });
        let bulk: Named = bulk.collect();
        let read = |name: &str| named(&bulk, name).cloned();
        let mut back = Regression::read(20, 1, &file).unwrap();
        back.read_bulk(&read).unwrap();
        for one in [&mut own, &mut back] {
            absorb(one, &projection, &draw(1));
        }
        let solved = |of: &mut Regression| of.solve(1e-3, &mut CancelToken::never()).unwrap();
        assert_eq!(solved(&mut own), solved(&mut back));
        assert!(Regression::read(21, 1, &file).is_err());
        assert!(Regression::read(20, 2, &file).is_err());
        assert!(Regression::new(21).unwrap().read_bulk(&read).is_err());
        file.remove("sums.low");
        assert!(Regression::read(20, 1, &file).is_err());
    }

    #[test]
    fn solve_raises_ridge_too_small_for_f64() {
        let projection = Projection::drawn(2, 12, 1);
        let mut own = Regression::new(12).unwrap();
        absorb(&mut own, &projection, &[1e6; 8]);
        let (weights, used) = own.solve(1e-8, &mut CancelToken::never()).unwrap();
        assert!(used > 1e-8 && weights.iter().all(|weight| weight.is_finite()));
        absorb(&mut own, &projection, &[f32::NAN; 2]);
        let problem = own.solve(1e-8, &mut CancelToken::never()).unwrap_err();
        assert!(problem.what.contains("finite"), "{problem}");
    }
}
