//! Class prototypes: the plain mean of the features of all training images of a class, and the
//! cosine of an image's feature with each of them.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};

use super::answers;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named, shaped};

/// Lengths below this count as this, as in the field's implementations.
const SHORTEST: f64 = 1e-12;

/// Sums of features by class, on the way to means. f64, so that no image is lost among many.
#[derive(Clone, Debug, Default)]
pub struct Sums(BTreeMap<usize, (Vec<f64>, usize)>);

impl Sums {
    /// Adds a batch of features (batch × width) with the class of each.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn add(&mut self, features: &Tensor<2>, labels: &[usize]) -> Result<()> {
        for (row, &label) in answers::rows(features)?.iter().zip(labels) {
            let (sum, count) = self
                .0
                .entry(label)
                .or_insert_with(|| (vec![0.0; row.len()], 0));
            sum.iter_mut()
                .zip(row)
                .for_each(|(s, v)| *s += f64::from(*v));
            *count += 1;
        }
        Ok(())
    }

    /// The means by class; nothing is left.
    pub fn take_means(&mut self) -> impl Iterator<Item = (usize, Vec<f32>)> + use<> {
        std::mem::take(&mut self.0)
            .into_iter()
            .map(|(class, (sum, count))| {
                let mean = sum.iter().map(|s| (s / count as f64) as f32).collect();
                (class, mean)
            })
    }
}

/// One prototype per class, in class order.
#[derive(Clone, Debug, Default)]
pub struct Prototypes(BTreeMap<usize, Vec<f32>>);

impl Prototypes {
    /// Adds those of new classes; a class that is known gets the new one.
    pub fn extend(&mut self, means: impl IntoIterator<Item = (usize, Vec<f32>)>) {
        self.0.extend(means);
    }

    /// classes × width, as they are.
    ///
    /// # Errors
    /// A Problem when there are none.
    pub fn matrix(&self, device: &Device) -> Result<Tensor<2>> {
        let width = self.0.values().next().map_or(0, Vec::len);
        if width == 0 {
            return Err(Problem::new("no class has a prototype yet"));
        }
        let values = self.0.values().flatten().copied().collect();
        Ok(Tensor::from_data(
            TensorData::new::<f32, _>(values, [self.0.len(), width]),
            device,
        ))
    }

    /// Adds them as `prototypes`, classes × width.
    pub fn write(&self, into: &mut Named) {
        let width = self.0.values().next().map_or(0, Vec::len);
        let tensor = HostTensor {
            shape: vec![self.0.len(), width],
            values: self.0.values().flatten().copied().collect(),
        };
        into.insert("prototypes".into(), tensor);
    }

    /// Reads those of the first `classes` classes back.
    ///
    /// # Errors
    /// A Problem when they are missing or fewer.
    pub fn read(from: &Named, classes: usize, width: usize) -> Result<Self> {
        let rows = named(from, "prototypes")?.shape.first().copied();
        let rows = rows.unwrap_or_default();
        if rows == 0 {
            // Saved before a class was measured, when their width was not known.
            return Ok(Self::default());
        }
        let tensor = shaped(from, "prototypes", &[rows, width])?;
        if rows > classes {
            let what = format!("there are {rows} prototypes for {classes} classes");
            return Err(Problem::new(what));
        }
        let each = tensor
            .values
            .chunks_exact(width.max(1))
            .map(<[f32]>::to_vec);
        Ok(Self(each.enumerate().collect()))
    }
}

/// norm(f) · norm(W)ᵀ: batch × width and classes × width → batch × classes.
pub fn cosines(features: Tensor<2>, prototypes: Tensor<2>) -> Tensor<2> {
    unit(features).matmul(unit(prototypes).transpose())
}

/// Rows divided by their length.
pub fn unit(rows: Tensor<2>) -> Tensor<2> {
    let length = rows.clone().powf_scalar(2.0).sum_dim(1).sqrt();
    rows / length.clamp_min(SHORTEST)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn prototypes_are_plain_means_and_survive_the_file_form() {
        let device = Device::flex();
        let features = Tensor::<2>::from_data([[1.0, 0.0], [3.0, 2.0], [0.0, -1.0f32]], &device);
        let mut sums = Sums::default();
        sums.add(&features, &[0, 0, 1]).unwrap();
        let mut prototypes = Prototypes::default();
        prototypes.extend(sums.take_means());
        let mut file = Named::new();
        prototypes.write(&mut file);
        assert_eq!(file["prototypes"].values, vec![2.0, 1.0, 0.0, -1.0]);
        let back = Prototypes::read(&file, 2, 2).unwrap();
        let cosines = cosines(features, back.matrix(&device).unwrap());
        let values = HostTensor::read(&cosines).unwrap().values;
        assert!((values[0] - 2.0 / 5f32.sqrt()).abs() < 1e-6);
        assert!((values[5] - 1.0).abs() < 1e-6);
        assert!(Prototypes::read(&file, 1, 2).is_err());
        assert!(Prototypes::read(&file, 2, 3).is_err());
    }
}
