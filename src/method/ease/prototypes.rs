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
use crate::tensors::{HostTensor, NamedTensors, get_tensor_with_shape};

use super::super::StoredState;
use super::super::prototypes::MIN_NORM;

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
    pub fn push(&mut self, task_prototypes: Vec<HostTensor>) -> Result<()> {
        let shape = task_prototypes.first().map(|first| first.shape.clone());
        let have_same_shape =
            task_prototypes.iter().all(|tensor| Some(&tensor.shape) == shape.as_ref());
        if task_prototypes.len() != self.measured.len() + 1 || !have_same_shape {
            return Err(Problem::new(format!(
                "task {} needs prototypes of one shape in {} subspaces",
                self.measured.len() + 1,
                self.measured.len() + 1
            )));
        }
        self.measured.push(task_prototypes);
        Ok(())
    }

    /// Adds the tensors `prototypes.<task>.<subspace>`.
    pub fn write(&self, tensors: &mut NamedTensors) {
        for (task, task_prototypes) in self.measured.iter().enumerate() {
            for (subspace, rows) in task_prototypes.iter().enumerate() {
                tensors.insert(tensor_name(task, subspace), rows.clone());
            }
        }
    }

    /// Reads the prototypes of the tasks begun; the last one may have none yet.
    ///
    /// # Errors
    /// Returns a Problem that names a missing or wrongly shaped tensor.
    pub fn read(StoredState { tensors, tasks }: StoredState<'_>, width: usize) -> Result<Self> {
        let mut subspaces = Self::default();
        for (task, classes) in tasks.iter().enumerate() {
            if !tensors.contains_key(&tensor_name(task, 0)) {
                break;
            }
            let shape = [classes.len(), width];
            let rows = |subspace| {
                get_tensor_with_shape(tensors, &tensor_name(task, subspace), &shape).cloned()
            };
            subspaces.push((0..=task).map(rows).collect::<Result<_>>()?)?;
        }
        Ok(subspaces)
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
    pub fn complete(&self, device: &Device) -> Result<Vec<Tensor<2>>> {
        let tasks = self.tasks();
        (0..tasks)
            .map(|subspace| {
                let subspace_rows = self.measured_rows(subspace..tasks, subspace, device)?;
                let mut rows = Vec::with_capacity(subspace + 1);
                for task in 0..subspace {
                    let task_rows = self.measured_rows(task..task + 1, task, device)?;
                    let later_rows = self.measured_rows(subspace..tasks, task, device)?;
                    let similarities = cosines(task_rows, later_rows, MIN_NORM);
                    let weights = burn::tensor::activation::softmax(similarities, 1);
                    rows.push(weights.matmul(subspace_rows.clone()));
                }
                rows.push(subspace_rows);
                Ok(Tensor::cat(rows, 0))
            })
            .collect()
    }

    /// Returns the measured prototypes of some tasks in one subspace, concatenated.
    fn measured_rows(
        &self,
        tasks: Range<usize>,
        subspace: usize,
        device: &Device,
    ) -> Result<Tensor<2>> {
        let parts = self.measured[tasks].iter();
        let parts = parts.map(|task_prototypes| task_prototypes[subspace].to_device::<2>(device));
        Ok(Tensor::cat(parts.collect::<Result<Vec<_>>>()?, 0))
    }

    /// Returns the weight of the cosine in each subspace for each class: 1 in the subspace of the class's own task, α/t
    /// in the others, where t is the newest task. One row (1 × classes) per subspace.
    pub fn weights(&self, alpha: f64) -> Vec<Vec<f32>> {
        let others = (alpha / (self.tasks().max(2) - 1) as f64) as f32;
        let row = |subspace: usize| {
            let task_weights = |(task, task_prototypes): (usize, &Vec<HostTensor>)| {
                let classes = task_prototypes.first().map_or(0, |tensor| tensor.shape[0]);
                vec![if task == subspace { 1.0 } else { others }; classes]
            };
            self.measured.iter().enumerate().flat_map(task_weights).collect()
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
        let pairs = prototypes.complete(device)?.into_iter().zip(weights);
        let scaled = pairs.map(|(rows, weights)| {
            let shape = [weights.len(), 1];
            let weights = burn::tensor::TensorData::new(weights, shape);
            unit_rows(rows, MIN_NORM) * Tensor::from_data(weights, device)
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
        let parts = pairs.map(|(f, w)| unit_rows(f, MIN_NORM).matmul(w.clone().transpose()));
        let sum = parts.reduce(|a, b| a + b);
        sum.ok_or_else(|| Problem::new("nothing has been learned yet"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pet::Init;

    const WIDTH: usize = 4;

    /// Returns prototypes of tasks with 2, 1 and 3 classes.
    fn three_tasks() -> Subspaces {
        let mut subspaces = Subspaces::default();
        for (task, classes) in [2, 1, 3].into_iter().enumerate() {
            let random_rows = |subspace: usize| HostTensor {
                shape: vec![classes, WIDTH],
                values: Init::Normal(1.0).draw([classes, WIDTH], task as u64, subspace as u64),
            };
            subspaces.push((0..=task).map(random_rows).collect()).unwrap();
        }
        subspaces
    }

    fn rows(tensor: &HostTensor) -> Vec<Vec<f64>> {
        let rows = tensor.values.chunks_exact(tensor.shape[1]);
        rows.map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect()
    }

    fn cosine(a: &[f64], b: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    /// W[0, 1] by the definition: the classes of tasks 1 and 2 are combined.
    #[test]
    fn completes_missing_prototypes_from_later_classes() {
        let subspaces = three_tasks();
        let completed = subspaces.complete(&Device::flex()).unwrap();
        let completed: Vec<HostTensor> =
            completed.iter().map(|x| HostTensor::read(x).unwrap()).collect();
        assert!(completed.iter().all(|tensor| tensor.shape == [6, WIDTH]));
        let join = |subspace: usize| {
            let (second, third) =
                (&subspaces.measured[1][subspace], &subspaces.measured[2][subspace]);
            [rows(second), rows(third)].concat()
        };
        let (later_rows, subspace_rows) = (join(0), join(1));
        for (class, task_row) in rows(&subspaces.measured[0][0]).iter().enumerate() {
            let weights: Vec<f64> =
                later_rows.iter().map(|row| cosine(task_row, row).exp()).collect();
            let total: f64 = weights.iter().sum();
            for column in 0..WIDTH {
                let terms =
                    weights.iter().zip(&subspace_rows).map(|(s, row)| s / total * row[column]);
                let actual = f64::from(completed[1].values[class * WIDTH + column]);
                assert!((actual - terms.sum::<f64>()).abs() < 1e-5);
            }
        }
        // Measured prototypes are unchanged: task 2 in subspace 1.
        assert_eq!(&completed[1].values[3 * WIDTH..], &subspaces.measured[2][1].values[..]);
    }

    #[test]
    fn own_subspace_weighs_one_and_others_share_alpha() {
        let mut subspaces = three_tasks();
        let weights = subspaces.weights(0.1);
        assert_eq!(weights[1], [0.05, 0.05, 1.0, 0.05, 0.05, 0.05]);
        let device = Device::flex();
        let scorer = Scorer::new(&subspaces, 0.1, &device).unwrap();
        let feature = |subspace: u64| {
            let values = Init::Normal(1.0).draw([1, WIDTH], 9, subspace);
            let shape = vec![1, WIDTH];
            HostTensor { shape, values }
        };
        let features: Vec<HostTensor> = (0..3).map(feature).collect();
        let tensors = features.iter().map(|f| f.to_device(&device).unwrap());
        let scores = scorer.scores(tensors.collect()).unwrap();
        let scores = HostTensor::read(&scores).unwrap().values;
        let completed = subspaces.complete(&device).unwrap();
        for (class, score) in scores.iter().enumerate() {
            let part = |subspace: usize| {
                let rows_of_subspace = HostTensor::read(&completed[subspace]).unwrap();
                let cosine = cosine(&rows(&features[subspace])[0], &rows(&rows_of_subspace)[class]);
                f64::from(weights[subspace][class]) * cosine
            };
            let expected: f64 = (0..3).map(part).sum();
            assert!((f64::from(*score) - expected).abs() < 1e-5);
        }
        assert!(subspaces.push(Vec::new()).is_err());
        let mut first = Subspaces::default();
        first.push(vec![three_tasks().measured[0][0].clone()]).unwrap();
        assert_eq!(first.weights(0.1), [[1.0, 1.0]]);
    }
}
