//! A model with everything that is needed to export it, and reference predictions for other programs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::backbone::parameters::Weights;
use crate::experiment::predict::Predictor;
use crate::experiment::upload;
use crate::method::{Answer, ExportedClassifier};
use crate::problem::Result;
use crate::tensors::{HostTensor, Named};

/// Number of noise images in the reference predictions.
const NOISE: usize = 2;

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
        let all = self.predictor.header().repeated_classes();
        all.into_iter().filter(|(own, _)| *own < classes).collect()
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
    pub fn check(&self) -> Result<Named> {
        let side = self.predictor.input_size();
        let area = side * side;
        let mut rng = ChaCha8Rng::seed_from_u64(30);
        let seen: Vec<u8> = (0..NOISE * area * 3).map(|_| rng.random()).collect();
        let answers = self.predictor.predict_batch(&seen)?;
        let pixel = |at: usize| {
            let (image, channel, place) = (at / (3 * area), at / area % 3, at % area);
            f32::from(seen[(image * area + place) * 3 + channel]) / 255.0
        };
        let images = HostTensor {
            shape: vec![NOISE, 3, side, side],
            values: (0..NOISE * 3 * area).map(pixel).collect(),
        };
        let mut named = Named::from([("images".to_owned(), images)]);
        let rows = |row: &dyn Fn(&Answer) -> Vec<f32>| HostTensor {
            shape: vec![NOISE, answers.first().map_or(0, |answer| row(answer).len())],
            values: answers.iter().flat_map(row).collect(),
        };
        named.insert("scores".into(), rows(&|answer| answer.scores.clone()));
        for (at, expert) in self.recipe.experts().iter().enumerate() {
            let said = |answer: &Answer| {
                answer
                    .opinions
                    .get(at)
                    .map(|said| said.probabilities.clone())
            };
            let said = rows(&|answer| said(answer).unwrap_or_default());
            named.insert(format!("expert.{}", expert.name()), said);
        }
        let opened = self.predictor.backbone();
        let network = match &self.recipe.weights {
            Some(weights) => opened.backbone.with_weights(weights)?,
            None => opened.backbone.clone(),
        };
        for (name, pets) in &self.recipe.networks {
            let features = network.features(upload::for_backbone(&seen, opened), pets)?;
            named.insert(format!("features.{name}"), HostTensor::read(&features)?);
        }
        Ok(named)
    }
}
