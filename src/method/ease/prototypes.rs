//! EASE's prototypes in the subspaces of its adapters, and how missing ones are estimated (Zhou et al., CVPR 2024,
//! section 4.2).
//!
//! Task a's classes were seen with the adapters 0 … a only. In the subspace of a later adapter b, their prototypes are
//! combined from those measured there: with S = softmax, over the classes of all tasks from b on, of the cosines in
//! subspace a, W[a, b] = S · W[b …, b].

use std::ops::Range;

use burn::tensor::{Device, Tensor};

use crate::nn::{cosines, unit_rows};
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, shaped};

use super::super::Stored;
use super::super::prototypes::SHORTEST;

/// Prototypes of all tasks in all subspaces.
#[derive(Clone, Debug, Default)]
pub struct Subspaces {
    /// Task → subspace (0 to the task's own) → classes of the task × width.
    measured: Vec<Vec<HostTensor>>,
}

impl Subspaces {
    /// Adds the prototypes of the next task: one matrix for each subspace so far, including its own.
    ///
    /// # Errors
    /// Returns a Problem for a wrong number of subspaces, or matrices of different shapes.
    pub fn push(&mut self, of_task: Vec<HostTensor>) -> Result<()> {
        let shape = of_task.first().map(|first| first.shape.clone());
        let alike = of_task.iter().all(|one| Some(&one.shape) == shape.as_ref());
        if of_task.len() != self.measured.len() + 1 || !alike {
            return Err(Problem::new(format!(
                "task {} needs prototypes of one shape in {} subspaces",
                self.measured.len() + 1,
                self.measured.len() + 1
            )));
        }
        self.measured.push(of_task);
        Ok(())
    }

    /// Adds the tensors `prototypes.<task>.<subspace>`.
    pub fn write(&self, into: &mut Named) {
        for (task, of_task) in self.measured.iter().enumerate() {
            for (subspace, rows) in of_task.iter().enumerate() {
                into.insert(tensor_name(task, subspace), rows.clone());
            }
        }
    }

    /// Reads the prototypes of the tasks begun; the last one may have none yet.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    pub fn read(Stored { tensors, tasks }: Stored<'_>, width: usize) -> Result<Self> {
        let mut read = Self::default();
        for (task, classes) in tasks.iter().enumerate() {
            if !tensors.contains_key(&tensor_name(task, 0)) {
                break;
            }
            let shape = [classes.len(), width];
            let rows = |subspace| shaped(tensors, &tensor_name(task, subspace), &shape).cloned();
            read.push((0..=task).map(rows).collect::<Result<_>>()?)?;
        }
        Ok(read)
    }

    /// Returns the number of tasks, which equals the number of subspaces.
    pub fn tasks(&self) -> usize {
        self.measured.len()
    }

    /// Returns the prototypes of all classes (classes × width) in each subspace; missing ones are estimated from
    /// measured ones only.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn completed(&self, device: &Device) -> Result<Vec<Tensor<2>>> {
        let tasks = self.tasks();
        (0..tasks)
            .map(|subspace| {
                let own = self.seen(subspace..tasks, subspace, device)?;
                let mut rows = Vec::with_capacity(subspace + 1);
                for task in 0..subspace {
                    let here = self.seen(task..task + 1, task, device)?;
                    let there = self.seen(subspace..tasks, task, device)?;
                    let alike = cosines(here, there, SHORTEST);
                    let shares = burn::tensor::activation::softmax(alike, 1);
                    rows.push(shares.matmul(own.clone()));
                }
                rows.push(own);
                Ok(Tensor::cat(rows, 0))
            })
            .collect()
    }

    /// Returns the measured prototypes of some tasks in one subspace, concatenated.
    fn seen(&self, tasks: Range<usize>, subspace: usize, device: &Device) -> Result<Tensor<2>> {
        let parts = self.measured[tasks].iter();
        let parts = parts.map(|of_task| of_task[subspace].to_device::<2>(device));
        Ok(Tensor::cat(parts.collect::<Result<Vec<_>>>()?, 0))
    }

    /// Returns the weight of the cosine in each subspace for each class: 1 in the subspace of the class's own task, α/t
    /// in the others, where t is the newest task. One row (1 × classes) per subspace.
    pub fn weights(&self, alpha: f64) -> Vec<Vec<f32>> {
        let others = (alpha / (self.tasks().max(2) - 1) as f64) as f32;
        let row = |subspace: usize| {
            let of_task = |(task, of_task): (usize, &Vec<HostTensor>)| {
                let classes = of_task.first().map_or(0, |one| one.shape[0]);
                vec![if task == subspace { 1.0 } else { others }; classes]
            };
            self.measured.iter().enumerate().flat_map(of_task).collect()
        };
        (0..self.tasks()).map(row).collect()
    }
}

fn tensor_name(task: usize, subspace: usize) -> String {
    format!("prototypes.{task}.{subspace}")
}

/// The classifier: unit prototypes of each subspace, multiplied by the weights of the cosines.
#[derive(Clone, Debug)]
pub struct Scorer(Vec<Tensor<2>>);

impl Scorer {
    /// Builds the classifier from the prototypes of all tasks so far.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn new(prototypes: &Subspaces, alpha: f64, device: &Device) -> Result<Self> {
        let weights = prototypes.weights(alpha).into_iter();
        let both = prototypes.completed(device)?.into_iter().zip(weights);
        let scaled = both.map(|(rows, weights)| {
            let shape = [weights.len(), 1];
            let weights = burn::tensor::TensorData::new(weights, shape);
            unit_rows(rows, SHORTEST) * Tensor::from_data(weights, device)
        });
        Ok(Self(scaled.collect()))
    }

    /// Returns the scaled prototypes of each subspace: classes × width.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn rows(&self) -> Result<Vec<HostTensor>> {
        self.0.iter().map(HostTensor::read).collect()
    }

    /// Computes the scores (batch × classes) from the features in each subspace (batch × width each).
    ///
    /// # Errors
    /// Returns a Problem before any task was learned.
    pub fn scores(&self, features: Vec<Tensor<2>>) -> Result<Tensor<2>> {
        let pairs = features.into_iter().zip(&self.0);
        let parts = pairs.map(|(f, w)| unit_rows(f, SHORTEST).matmul(w.clone().transpose()));
        let sum = parts.reduce(|a, b| a + b);
        sum.ok_or_else(|| Problem::new("nothing has been learned yet"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pet::Init;

    const WIDTH: usize = 4;

    /// Returns prototypes of tasks with 2, 1 and 3 classes.
    fn three_tasks() -> Subspaces {
        let mut all = Subspaces::default();
        for (task, classes) in [2, 1, 3].into_iter().enumerate() {
            let drawn = |subspace: usize| HostTensor {
                shape: vec![classes, WIDTH],
                values: Init::Normal(1.0).draw([classes, WIDTH], task as u64, subspace as u64),
            };
            all.push((0..=task).map(drawn).collect()).unwrap();
        }
        all
    }

    fn rows(tensor: &HostTensor) -> Vec<Vec<f64>> {
        let rows = tensor.values.chunks_exact(tensor.shape[1]);
        rows.map(|row| row.iter().map(|x| f64::from(*x)).collect())
            .collect()
    }

    fn cosine(a: &[f64], b: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    /// W[0, 1] by the definition: the classes of tasks 1 and 2 are combined.
    #[test]
    fn completes_missing_prototypes_from_later_classes() {
        let all = three_tasks();
        let done = all.completed(&Device::flex()).unwrap();
        let done: Vec<HostTensor> = done.iter().map(|x| HostTensor::read(x).unwrap()).collect();
        assert!(done.iter().all(|one| one.shape == [6, WIDTH]));
        let join = |subspace: usize| {
            let (one, two) = (&all.measured[1][subspace], &all.measured[2][subspace]);
            [rows(one), rows(two)].concat()
        };
        let (there, own) = (join(0), join(1));
        for (class, here) in rows(&all.measured[0][0]).iter().enumerate() {
            let shares: Vec<f64> = there.iter().map(|row| cosine(here, row).exp()).collect();
            let total: f64 = shares.iter().sum();
            for column in 0..WIDTH {
                let mixed = shares
                    .iter()
                    .zip(&own)
                    .map(|(s, row)| s / total * row[column]);
                let got = f64::from(done[1].values[class * WIDTH + column]);
                assert!((got - mixed.sum::<f64>()).abs() < 1e-5);
            }
        }
        // Measured prototypes are unchanged: task 2 in subspace 1.
        assert_eq!(&done[1].values[3 * WIDTH..], &all.measured[2][1].values[..]);
    }

    #[test]
    fn own_subspace_weighs_one_and_others_share_alpha() {
        let mut all = three_tasks();
        let weights = all.weights(0.1);
        assert_eq!(weights[1], [0.05, 0.05, 1.0, 0.05, 0.05, 0.05]);
        let device = Device::flex();
        let scorer = Scorer::new(&all, 0.1, &device).unwrap();
        let feature = |subspace: u64| {
            let values = Init::Normal(1.0).draw([1, WIDTH], 9, subspace);
            let shape = vec![1, WIDTH];
            HostTensor { shape, values }
        };
        let features: Vec<HostTensor> = (0..3).map(feature).collect();
        let placed = features.iter().map(|f| f.to_device(&device).unwrap());
        let scores = scorer.scores(placed.collect()).unwrap();
        let scores = HostTensor::read(&scores).unwrap().values;
        let done = all.completed(&device).unwrap();
        for (class, score) in scores.iter().enumerate() {
            let part = |subspace: usize| {
                let done = HostTensor::read(&done[subspace]).unwrap();
                let cosine = cosine(&rows(&features[subspace])[0], &rows(&done)[class]);
                f64::from(weights[subspace][class]) * cosine
            };
            let wanted: f64 = (0..3).map(part).sum();
            assert!((f64::from(*score) - wanted).abs() < 1e-5);
        }
        assert!(all.push(Vec::new()).is_err());
        let mut first = Subspaces::default();
        first
            .push(vec![three_tasks().measured[0][0].clone()])
            .unwrap();
        assert_eq!(first.weights(0.1), [[1.0, 1.0]]);
    }
}
