//! A model with everything that is needed to export it, and reference predictions for other programs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::backbone::parameters::Weights;
use crate::experiment::predict::Predictor;
use crate::experiment::upload;
use crate::method::{Answer, ExportedClassifier};
use crate::problem::Result;
use crate::tensors::{HostTensor, NamedTensors};

/// Number of noise images in the reference predictions.
const NOISE_IMAGES: usize = 2;

/// A model with everything that is needed to export it.
pub struct Model<'a> {
    /// The predictor of the run.
    pub predictor: &'a Predictor,
    /// How the method predicts, as plain numbers.
    pub recipe: ExportedClassifier,
}

/// Files by name.
pub type Files = Vec<(String, Vec<u8>)>;

impl Model<'_> {
    /// Returns pairs of a class position that was taught again and the position that it counts for, among the classes
    /// taught so far.
    pub fn repeated_classes(&self) -> Vec<(usize, usize)> {
        let classes = self.predictor.classes().len();
        let repeated = self.predictor.header().repeated_classes();
        repeated.into_iter().filter(|(class, _)| *class < classes).collect()
    }

    /// Returns the backbone's weights, or those that the run has trained instead.
    ///
    /// # Errors
    /// Returns a Problem if they cannot be read.
    pub fn weights(&self) -> Result<Weights> {
        match &self.recipe.weights {
            Some(weights) => Ok(weights.clone()),
            None => self.predictor.backbone().backbone.weights(),
        }
    }

    /// Returns reference tensors: noise as pixels in [0, 1] (`images`), the run's scores for it (`scores`), the
    /// probabilities of each expert (`expert.NAME`), and the features of each network (`features.NAME`).
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn reference_tensors(&self) -> Result<NamedTensors> {
        let side = self.predictor.input_size();
        let area = side * side;
        let mut rng = ChaCha8Rng::seed_from_u64(30);
        let bytes: Vec<u8> = (0..NOISE_IMAGES * area * 3).map(|_| rng.random()).collect();
        let answers = self.predictor.predict_batch(&bytes)?;
        let pixel = |at: usize| {
            let (image, channel, position) = (at / (3 * area), at / area % 3, at % area);
            f32::from(bytes[(image * area + position) * 3 + channel]) / 255.0
        };
        let images = HostTensor {
            shape: vec![NOISE_IMAGES, 3, side, side],
            values: (0..NOISE_IMAGES * 3 * area).map(pixel).collect(),
        };
        let mut tensors = NamedTensors::from([("images".to_owned(), images)]);
        let rows = |row: &dyn Fn(&Answer) -> Vec<f32>| HostTensor {
            shape: vec![NOISE_IMAGES, answers.first().map_or(0, |answer| row(answer).len())],
            values: answers.iter().flat_map(row).collect(),
        };
        tensors.insert("scores".into(), rows(&|answer| answer.scores.clone()));
        for (at, expert) in self.recipe.experts().iter().enumerate() {
            let probabilities = |answer: &Answer| {
                answer.predictions.get(at).map(|prediction| prediction.probabilities.clone())
            };
            let values = rows(&|answer| probabilities(answer).unwrap_or_default());
            tensors.insert(format!("expert.{}", expert.key()), values);
        }
        let opened = self.predictor.backbone();
        let network = match &self.recipe.weights {
            Some(weights) => opened.backbone.with_weights(weights)?,
            None => opened.backbone.clone(),
        };
        for (name, pets) in &self.recipe.networks {
            let features =
                network.features(upload::normalise_for_backbone(&bytes, opened), pets)?;
            tensors.insert(format!("features.{name}"), HostTensor::read(&features)?);
        }
        Ok(tensors)
    }
}
