//! RanPAC's state during a run: the first session, the sums over all images so far, and the classifier.

use std::sync::Arc;

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};

use super::super::answers::{self, Answer};
use super::super::pet_tuning::FirstSession;
use super::super::task::no_task_problem;
use super::super::{
    AnswerRule, Batch, CancelToken, ConfiguredMethod, ExportedClassifier, Features, Measurement,
    Method, Moment, Pass, PassWork, Setup, State, StoredState, Task, TrainedPet, plain_features,
};
use super::ridge::choose_ridge;
use super::{Projection, Regression, RidgeChoice, TaskFeatures, uses_first_session};
use crate::backbone::Backbone;
use crate::metrics::Expert;
use crate::problem::Result;
use crate::tensors::{GeneratedTensors, HostTensor, get_tensor, get_tensor_with_shape};

/// Name of the exponent of λ in a checkpoint.
const RIDGE: &str = "ridge.exponent";

/// RanPAC's state during a run.
pub struct RanPac {
    backbone: Arc<dyn Backbone>,
    /// The session of the first task, if there is one.
    pub session: Option<FirstSession>,
    projection: Projection,
    /// Number of classes of all tasks of the run.
    all_classes: usize,
    /// Number of classes so far.
    classes: usize,
    /// Number of tasks that are not added tasks.
    own_tasks: usize,
    /// Whether the current task is an added task.
    added_task: bool,
    /// Output positions that belong to the class of another position, each with that position.
    repeated_classes: Vec<(usize, usize)>,
    /// The positions of `repeated_classes` without their own column. Added tasks of older versions have a column for
    /// them.
    empty_positions: Vec<(usize, usize)>,
    /// Features and labels of the current pass.
    features: Vec<f32>,
    labels: Vec<usize>,
    /// The sums G and Q; `None` before the first task was measured, and if only answers are needed.
    pub regression: Option<Regression>,
    /// The selection of λ for the newest task; `None` for an added task, which keeps the previous λ.
    pub choice: Option<RidgeChoice>,
    /// The λ in use, which is stored in checkpoints and kept by added tasks.
    ridge: Option<f64>,
    /// Wᵀ: classes so far × projections.
    pub weight: HostTensor,
    classifier: DeviceClassifier,
}

/// The classifier on the backbone's device.
struct DeviceClassifier {
    /// width × projections.
    projection: Tensor<2>,
    /// projections × classes.
    weight: Tensor<2>,
}

impl DeviceClassifier {
    fn new(projection: &Projection, weight: &HostTensor, device: &Device) -> Result<Self> {
        let shape = [projection.inputs(), projection.outputs()];
        let values = TensorData::new(projection.values().to_vec(), shape);
        Ok(Self {
            projection: Tensor::from_data(values, device),
            weight: weight.to_device::<2>(device)?.transpose(),
        })
    }
}

impl RanPac {
    /// Returns the state before the first task.
    ///
    /// # Errors
    /// Returns a Problem for an unsuitable PET or settings.
    pub fn new(setup: &Setup<'_>) -> Result<Self> {
        let chosen = ConfiguredMethod::from_config(setup.config)?;
        let session = uses_first_session(&chosen)?.then(|| FirstSession::new(setup));
        let backbone = setup.backbone.clone();
        let outputs = chosen.count("projection")?;
        let projection = Projection::random(backbone.feature_width(), outputs, setup.config.seed);
        let weight = HostTensor { shape: vec![0, outputs], values: Vec::new() };
        Ok(Self {
            session: session.transpose()?,
            all_classes: setup.tasks.last().map_or(0, |task| task.end),
            classes: 0,
            own_tasks: setup.own_tasks,
            added_task: false,
            repeated_classes: setup.repeated_classes.to_vec(),
            empty_positions: Vec::new(),
            features: Vec::new(),
            labels: Vec::new(),
            regression: None,
            choice: None,
            ridge: None,
            classifier: DeviceClassifier::new(&projection, &weight, &backbone.device())?,
            backbone,
            projection,
            weight,
        })
    }

    /// Replaces the random R by a given one.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn set_projection(&mut self, projection: Projection) -> Result<()> {
        self.projection = projection;
        self.update_classifier()
    }

    fn update_classifier(&mut self) -> Result<()> {
        let device = self.backbone.device();
        self.classifier = DeviceClassifier::new(&self.projection, &self.weight, &device)?;
        let outputs = self.projection.outputs().max(1);
        let rows: Vec<&[f32]> = self.weight.values.chunks_exact(outputs).collect();
        let is_empty_row = |position: usize| {
            let row = rows.get(position);
            row.is_some_and(|row| row.iter().all(|value| *value == 0.0))
        };
        self.empty_positions = self.repeated_classes.clone();
        self.empty_positions.retain(|(position, _)| is_empty_row(*position));
        Ok(())
    }

    /// Reads all parts of the state except the first session.
    fn read(&mut self, stored: StoredState<'_>) -> Result<()> {
        self.classes = stored.classes();
        self.added_task = stored.tasks.len() > self.own_tasks;
        let (outputs, tensors) = (self.projection.outputs(), stored.tensors);
        let rows = get_tensor(tensors, "weight")?.shape.first().copied();
        // Weights are missing before the first measurement.
        let rows = rows.unwrap_or_default().min(self.classes);
        self.weight = get_tensor_with_shape(tensors, "weight", &[rows, outputs])?.clone();
        // Checkpoints of older versions have no λ.
        let exponent = tensors.get(RIDGE).and_then(|ridge| ridge.values.first());
        self.ridge = exponent.map(|exponent| 10f64.powi(*exponent as i32));
        if tensors.contains_key("sums.high") {
            self.regression = Some(Regression::read(outputs, rows, tensors)?);
        }
        self.update_classifier()
    }

    /// Returns the answer from the scores of an image. A position without a column is never predicted; if the task is
    /// given, the position has the score of its class.
    fn answer_from_scores(&self, mut scores: Vec<f32>) -> Answer {
        for (position, _) in &self.empty_positions {
            scores[*position] = f32::NEG_INFINITY;
        }
        let mut answer = Answer::from_cosines(Expert::ANSWER, &scores);
        for (position, class_position) in &self.empty_positions {
            answer.scores[*position] = scores[*class_position];
        }
        answer
    }

    /// Returns the λ for the measured images. An added task uses the λ of the run; if a checkpoint of an older version
    /// has none, λ is selected from the images, as in other tasks.
    fn select_ridge(
        &mut self,
        images: TaskFeatures<'_>,
        cancel_token: &mut CancelToken<'_>,
    ) -> Result<f64> {
        self.choice = None;
        if let (true, Some(previous)) = (self.added_task, self.ridge) {
            return Ok(previous);
        }
        let choice = choose_ridge(images, &self.projection, self.all_classes, cancel_token)?;
        let ridge = choice.ridge;
        self.choice = Some(choice);
        Ok(ridge)
    }

    /// Adds the measured images to G and Q and solves for W.
    fn solve(&mut self, cancel_token: &mut CancelToken<'_>) -> Result<()> {
        let (features, mut labels) =
            (std::mem::take(&mut self.features), std::mem::take(&mut self.labels));
        for label in &mut labels {
            let repeated = self
                .repeated_classes
                .iter()
                .find(|(repeated_position, _)| repeated_position == label);
            *label = repeated.map_or(*label, |(_, class_position)| *class_position);
        }
        let images = TaskFeatures::new(&features, &labels);
        let outputs = self.projection.outputs();
        // λ is selected before G is allocated, so that their memory does not add up in the first task.
        let selected_ridge = self.select_ridge(images, cancel_token)?;
        let mut regression = match self.regression.take() {
            Some(regression) => regression,
            None => Regression::new(outputs)?,
        };
        regression.add_images(images, &self.projection, self.classes, cancel_token)?;
        let (values, ridge) = regression.solve(selected_ridge, cancel_token)?;
        self.weight = HostTensor { shape: vec![self.classes, outputs], values };
        self.ridge = Some(ridge);
        if let Some(choice) = &mut self.choice {
            choice.ridge = ridge;
        }
        self.regression = Some(regression);
        self.update_classifier()
    }
}

impl Method for RanPac {
    fn trained_parameters(&self) -> usize {
        let session = self.session.as_ref();
        session.map_or(0, |session| session.pets().trained_count())
    }

    fn begin_task(&mut self, task: &Task) -> Result<()> {
        self.classes = task.classes.end;
        self.added_task = task.index >= self.own_tasks;
        if let Some(session) = &mut self.session {
            session.begin_task(task);
        }
        Ok(())
    }

    fn learn(&mut self, batch: &Batch<'_>, pass: &Pass) -> Result<Option<Tensor<1>>> {
        if let (PassWork::Learn { .. }, Some(session)) = (pass.work, &mut self.session) {
            return session.learn(batch);
        }
        let features = self.features(batch.images.clone())?.concatenated(Expert::ANSWER)?;
        self.features.extend(HostTensor::read(&features)?.values);
        self.labels.extend(batch.labels);
        Ok(None)
    }

    fn end_pass(&mut self, _pass: usize, cancel_token: &mut CancelToken<'_>) -> Result<()> {
        match self.labels.is_empty() {
            true => Ok(()),
            false => self.solve(cancel_token),
        }
    }

    fn end_task(&mut self, _cancel_token: &mut CancelToken<'_>) -> Result<()> {
        if let Some(session) = &mut self.session {
            session.end_task();
        }
        Ok(())
    }

    /// Returns the features f of images.
    fn features(&self, images: Tensor<4>) -> Result<Features> {
        Ok(Features::single(match &self.session {
            Some(session) => self.backbone.features(images, session.pets())?,
            None => plain_features(&*self.backbone, images)?,
        }))
    }

    /// Computes the scores h·W (batch × classes so far) and the answers.
    fn classify(&self, features: &Features) -> Result<Vec<Answer>> {
        let DeviceClassifier { projection, weight } = &self.classifier;
        let hidden = relu(features.concatenated(Expert::ANSWER)?.matmul(projection.clone()));
        let rows = answers::read_rows(&hidden.matmul(weight.clone()))?;
        Ok(rows.into_iter().map(|row| self.answer_from_scores(row)).collect())
    }

    fn measurements(&self, moment: Moment) -> Result<Vec<Measurement>> {
        let ridge = self.ridge.filter(|_| moment == Moment::Task);
        let measurement = ridge.map(|value| Measurement::number("ridge", value));
        Ok(measurement.into_iter().collect())
    }

    fn exported_classifier(&self) -> Result<ExportedClassifier> {
        if self.weight.values.is_empty() {
            return Err(no_task_problem());
        }
        let session = self.session.as_ref();
        let pets = session.map(|session| session.pets().clone());
        let projection = HostTensor {
            shape: vec![self.projection.inputs(), self.projection.outputs()],
            values: self.projection.values().to_vec(),
        };
        let answer_rule = AnswerRule::Projected {
            projection,
            weight: self.weight.clone(),
            empty: self.empty_positions.clone(),
        };
        Ok(ExportedClassifier::from_single_network(pets.unwrap_or_default(), answer_rule))
    }

    fn pets(&self) -> Result<Vec<TrainedPet>> {
        Ok(self.session.iter().map(FirstSession::trained_pet).collect())
    }

    fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        if let Some(session) = &mut self.session {
            session.sync_state(state)?;
        }
        match state {
            State::Restore(stored) => return self.read(*stored),
            State::Snapshot(tensors) | State::Checkpoint(tensors) => {
                tensors.insert("weight".into(), self.weight.clone());
            }
        }
        if let State::Checkpoint(tensors) = state {
            if let Some(regression) = &self.regression {
                regression.write(tensors);
            }
            if let Some(ridge) = self.ridge {
                // λ is a power of ten, so its exponent is stored exactly.
                let exponent = HostTensor::vector(vec![ridge.log10().round() as f32]);
                tensors.insert(RIDGE.into(), exponent);
            }
        }
        Ok(())
    }

    fn generated_tensors(&self) -> GeneratedTensors<'_> {
        let tensors = self.regression.as_ref().map(Regression::generated_tensors);
        tensors.unwrap_or_default()
    }

    fn generated_value_count(&self) -> usize {
        // R is counted twice, because it is in host memory and on the backbone's device.
        2 * self.projection.values().len() + self.weight.values.len()
    }

    fn restore_generated(&mut self, read: &dyn Fn(&str) -> Result<HostTensor>) -> Result<()> {
        match &mut self.regression {
            Some(regression) => regression.read_generated(read),
            None => Ok(()),
        }
    }
}
