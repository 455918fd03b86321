//! Class prototypes: the mean of the features of all training images of a class, and the cosines of an image's feature
//! with all of them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use burn::tensor::{Device, Tensor, TensorData};

use super::answers;
use super::state::State;
use crate::counts::count_with_noun;
use crate::nn;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, NamedTensors, get_tensor, get_tensor_with_shape};

/// Lower bound of lengths, as in other implementations.
pub const MIN_NORM: f64 = 1e-12;

/// Sums of features by class, for computing means. They are in f64 so that adding many images loses no precision.
#[derive(Clone, Debug, Default)]
pub struct FeatureSums(BTreeMap<usize, (Vec<f64>, usize)>);

impl FeatureSums {
    /// Adds a batch of features (batch × width) with their classes.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn add(&mut self, features: &Tensor<2>, labels: &[usize]) -> Result<()> {
        for (row, &label) in answers::read_rows(features)?.iter().zip(labels) {
            let (sum, count) = self.0.entry(label).or_insert_with(|| (vec![0.0; row.len()], 0));
            sum.iter_mut().zip(row).for_each(|(s, v)| *s += f64::from(*v));
            *count += 1;
        }
        Ok(())
    }

    /// Returns the means by class and resets the sums.
    pub fn take_means(&mut self) -> impl Iterator<Item = (usize, Vec<f32>)> + use<> {
        std::mem::take(&mut self.0).into_iter().map(|(class, (sum, count))| {
            let mean = sum.iter().map(|s| (s / count as f64) as f32).collect();
            (class, mean)
        })
    }
}

/// One prototype per class. A class without a readable image has none and is never predicted.
#[derive(Clone, Debug, Default)]
pub struct Prototypes {
    by_class: BTreeMap<usize, Vec<f32>>,
    /// The number of classes so far, including those without a prototype.
    classes: usize,
    /// The prototypes on the device, created on first use.
    on_device: OnceLock<DevicePrototypes>,
}

/// Prototypes on the device of the features.
#[derive(Clone, Debug)]
struct DevicePrototypes {
    /// classes × width; zeros for a class without a prototype.
    rows: Tensor<2>,
    /// 1 × classes: −1, the minimum of cosines, for a class without a prototype, 0 for others. `None` if all have one.
    absent_penalty: Option<Tensor<2>>,
}

impl Prototypes {
    /// Extends the number of classes to at least `classes`.
    pub fn grow_to(&mut self, classes: usize) {
        self.classes = self.classes.max(classes);
        self.on_device = OnceLock::new();
    }

    /// Adds prototypes of new classes, and replaces those of known classes.
    pub fn extend(&mut self, means: impl IntoIterator<Item = (usize, Vec<f32>)>) {
        self.by_class.extend(means);
        let class_count = self.by_class.last_key_value().map_or(0, |(class, _)| class + 1);
        self.grow_to(class_count);
    }

    /// Returns the cosines of features (batch × width) with the prototype of each class so far: batch × classes. The
    /// features of all calls must be on the same device.
    ///
    /// # Errors
    /// Returns a Problem if there are no prototypes.
    pub fn scores(&self, features: Tensor<2>) -> Result<Tensor<2>> {
        if self.by_class.is_empty() {
            return Err(Problem::new("no class has a prototype yet"));
        }
        let on_device = self.on_device.get_or_init(|| self.upload(&features.device()));
        let cosines = nn::cosines(features, on_device.rows.clone(), MIN_NORM);
        Ok(match &on_device.absent_penalty {
            Some(penalty) => cosines + penalty.clone(),
            None => cosines,
        })
    }

    fn upload(&self, device: &Device) -> DevicePrototypes {
        let table = self.table();
        let penalty: Vec<f32> = (0..self.classes)
            .map(|class| if self.by_class.contains_key(&class) { 0.0 } else { -1.0 })
            .collect();
        let is_complete = self.by_class.len() == self.classes;
        DevicePrototypes {
            rows: Tensor::from_data(TensorData::new(table.values, table.shape), device),
            absent_penalty: (!is_complete)
                .then(|| Tensor::from_data(TensorData::new(penalty, [1, self.classes]), device)),
        }
    }

    /// Returns all prototypes (classes × width), with zeros for a class without a prototype.
    fn table(&self) -> HostTensor {
        let width = self.by_class.values().next().map_or(0, Vec::len);
        // Before a class was measured, the width is unknown.
        let classes = if width == 0 { 0 } else { self.classes };
        let mut values = vec![0.0; classes * width];
        for (class, row) in self.by_class.iter().filter(|_| width > 0) {
            values[class * width..][..width].copy_from_slice(row);
        }
        HostTensor { shape: vec![classes, width], values }
    }

    /// Returns the prototypes scaled to length 1 (classes × width), and the classes without a prototype, whose rows are
    /// zeros.
    ///
    /// # Errors
    /// Returns a Problem if there are no prototypes.
    pub fn unit_rows(&self) -> Result<(HostTensor, Vec<usize>)> {
        if self.by_class.is_empty() {
            return Err(Problem::new("no class has a prototype yet"));
        }
        let mut table = self.table();
        let width = table.shape.last().copied().unwrap_or(0).max(1);
        for row in table.values.chunks_exact_mut(width) {
            let length = row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            let length = length.max(MIN_NORM);
            row.iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
        }
        let missing = (0..self.classes).filter(|class| !self.by_class.contains_key(class));
        Ok((table, missing.collect()))
    }

    /// Writes or reads the tensor `prototypes` (classes × `width`) of all classes so far. A row of zeros means no
    /// prototype.
    pub(super) fn sync_state(&mut self, width: usize, state: &mut State<'_>) -> Result<()> {
        let write = |prototypes: &Self, tensors: &mut NamedTensors| {
            tensors.insert("prototypes".into(), prototypes.table());
            Ok(())
        };
        state
            .sync_part(self, write, |_, stored| Self::read(stored.tensors, stored.classes(), width))
    }

    fn read(tensors: &NamedTensors, classes: usize, width: usize) -> Result<Self> {
        let mut prototypes = Self::default();
        prototypes.grow_to(classes);
        let rows = get_tensor(tensors, "prototypes")?.shape.first().copied();
        let rows = rows.unwrap_or_default();
        if rows == 0 {
            // Saved before a class was measured, when the width was unknown.
            return Ok(prototypes);
        }
        let tensor = get_tensor_with_shape(tensors, "prototypes", &[rows, width])?;
        if rows > classes {
            let (rows, classes) =
                (count_with_noun(rows, "prototype"), count_with_noun(classes, "class"));
            return Err(Problem::new(format!("it has {rows} for {classes}")));
        }
        let rows_by_class = tensor.values.chunks_exact(width.max(1)).enumerate();
        let nonzero_rows = rows_by_class.filter(|(_, row)| row.iter().any(|value| *value != 0.0));
        prototypes.extend(nonzero_rows.map(|(class, row)| (class, row.to_vec())));
        Ok(prototypes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prototypes_are_class_means_and_roundtrip() {
        let device = Device::flex();
        let features = Tensor::<2>::from_data([[1.0, 0.0], [3.0, 2.0], [0.0, -1.0f32]], &device);
        let mut sums = FeatureSums::default();
        sums.add(&features, &[0, 0, 1]).unwrap();
        let mut prototypes = Prototypes::default();
        prototypes.extend(sums.take_means());
        let mut tensors = NamedTensors::new();
        let mut state = State::Snapshot(&mut tensors);
        prototypes.sync_state(2, &mut state).unwrap();
        assert_eq!(tensors["prototypes"].values, vec![2.0, 1.0, 0.0, -1.0]);
        let loaded = Prototypes::read(&tensors, 2, 2).unwrap();
        let cosines = loaded.scores(features).unwrap();
        let values = HostTensor::read(&cosines).unwrap().values;
        assert!((values[0] - 2.0 / 5f32.sqrt()).abs() < 1e-6);
        assert!((values[5] - 1.0).abs() < 1e-6);
        assert!(Prototypes::read(&tensors, 1, 2).is_err());
        assert!(Prototypes::read(&tensors, 2, 3).is_err());
    }

    /// The images of class 1 and of class 3, the last one, could not be read.
    #[test]
    fn never_predicts_class_without_images() {
        let device = Device::flex();
        let mut prototypes = Prototypes::default();
        prototypes.extend([(0, vec![1.0, 0.0]), (2, vec![0.0, 1.0])]);
        prototypes.grow_to(4);
        let mut tensors = NamedTensors::new();
        let mut state = State::Snapshot(&mut tensors);
        prototypes.sync_state(2, &mut state).unwrap();
        let loaded = Prototypes::read(&tensors, 4, 2).unwrap();
        for prototypes in [prototypes, loaded] {
            let features = Tensor::<2>::from_data([[0.0, 3.0], [-1.0, -1.0f32]], &device);
            let rows = answers::read_rows(&prototypes.scores(features).unwrap()).unwrap();
            assert_eq!(rows[0], [0.0, -1.0, 1.0, -1.0]);
            // Even an image that is unlike all known classes is never assigned to a class without images.
            let lowest = -(0.5f32.sqrt());
            assert!((rows[1][0] - lowest).abs() < 1e-6 && rows[1][1] == -1.0);
        }
    }
}
