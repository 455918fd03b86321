//! Predicts single images with the experts of a saved run, after any of its tasks.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;
use image::RgbImage;

use crate::backbone::library::{self, BackboneChoice, OpenedBackbone, UnplacedBackbone};
use crate::data::transform::resize_for_inference;
use crate::device::{self, TestedDevice};
use crate::message;
use crate::method::{self, Answer, ConfiguredMethod, Method, PetPlan, Setup};
use crate::nn::WeightType;
use crate::pet::{BlockShape, PetSpec, PetStack};
use crate::problem::{Problem, Result};
use crate::run::event::{NamedImage, RunHeader};
use crate::store::{self, PetStart};
use crate::tensors::NamedTensors;

use super::recorded_backbone::RecordedBackbone;
use super::run_device::prediction_weight_type;
use super::{ResourceCache, upload};

/// Number of predicted images from which on linear PETs are merged into the weights. For fewer images, copying the
/// weights would take longer than the merge saves.
const MERGE_THRESHOLD: usize = 128;

/// The experts of a run as they were after one task.
pub struct Predictor {
    pub(super) header: RunHeader,
    /// Pairs of class positions: a class that was taught again, and the position that it counts for.
    pub(super) repeated_classes: Vec<(usize, usize)>,
    task: usize,
    /// Bytes of the snapshot.
    snapshot_bytes: u64,
    /// Number of images predicted so far, counted up to [`MERGE_THRESHOLD`]; `None` if the PETs are never
    /// merged into the weights.
    prediction_count: Option<AtomicUsize>,
    /// The PETs that are merged into the weights once many images have been predicted.
    mergeable_pets: OnceLock<Vec<PetStack>>,
    pub(crate) method: Box<dyn Method>,
    pub(super) backbone: Arc<OpenedBackbone>,
    /// The backbone that the method uses; it can record attention maps.
    pub(super) recorded: Arc<RecordedBackbone>,
}

/// The parts of a predictor, prepared without touching its device: run, snapshot, a tested device and checked
/// weights. Everything slow happens here, so that a helper thread can do it while the engine's thread trains.
pub struct PredictorParts {
    header: RunHeader,
    plugin: String,
    task: usize,
    snapshot: NamedTensors,
    device: TestedDevice,
    /// `None` if the backbone is already loaded on that device.
    weights: Option<UnplacedBackbone>,
}

impl PredictorParts {
    /// Prepares the snapshot that the run in `folder` saved after `task` (from 0), for the device `device_name`,
    /// else for the one that trained it, else for the best available one. Downloads missing weights if `download`.
    ///
    /// # Errors
    /// Returns a Problem if the run or its snapshot cannot be read, or its backbone is not available.
    pub fn gather(
        folder: &Path,
        task: usize,
        device_name: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        let facts = store::load_facts(folder)?;
        let snapshot = store::load_snapshot(folder, task)?;
        Self::new(facts, (task, snapshot), device_name, cache, download)
    }

    /// Prepares the parts from a header, plugin text and snapshot that are already read; otherwise as
    /// [`PredictorParts::gather`].
    pub(super) fn new(
        (header, plugin): (RunHeader, String),
        (task, snapshot): (usize, NamedTensors),
        device_name: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        let device = match device_name {
            Some(name) => device::choose_tested(name)?,
            None => device::choose_tested(&header.config.device)
                .or_else(|_| device::choose_tested("auto"))?,
        };
        let weights = match cache.has_backbone(header.config.backbone_choice(), &device.info) {
            true => None,
            false => Some(read_weights(cache, header.config.backbone_choice(), download)?),
        };
        Ok(Self { header, plugin, task, snapshot, device, weights })
    }

    /// Returns whether the device is the CPU, so that any thread may assemble the predictor.
    pub fn is_on_cpu(&self) -> bool {
        self.device.info.is_cpu()
    }

    /// Returns the bytes of memory that the parts need, including the weights.
    pub fn bytes(&self) -> u64 {
        let weights = self.weights.as_ref().map_or(0, UnplacedBackbone::bytes);
        weights + tensor_bytes(&self.snapshot)
    }

    /// Reads the weights into memory, so that only the transfer to the device remains.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.weights.as_mut().map_or(Ok(()), UnplacedBackbone::read_ahead)
    }

    /// Builds the predictor on the device.
    ///
    /// # Errors
    /// Returns a Problem if the parts do not fit together or the device failed.
    pub fn assemble(self, cache: &ResourceCache) -> Result<Predictor> {
        let config = &self.header.config;
        let ready = self.device.open()?;
        let read = || match self.weights {
            Some(weights) => Ok(weights),
            // The backbone was released in the meantime, or the device is another one.
            None => read_weights(cache, config.backbone_choice(), false),
        };
        let weights = prediction_weight_type(&self.header, &ready);
        let backbone =
            cache.get_or_load_backbone(config.backbone_choice(), weights, &ready, read)?;
        check_weights(&self.header, &backbone)?;
        let chosen = ConfiguredMethod::from_config(config)?;
        let shapes = backbone.backbone.blocks();
        let pet = stored_pet(&chosen, &self.header, &self.plugin, shapes)?;
        let recorded = Arc::new(RecordedBackbone::new(backbone.backbone.clone()));
        let mut method = method::build(Setup {
            config,
            backbone: recorded.clone(),
            pet: pet.as_ref(),
            tasks: self.header.tasks_during(self.task),
            planned_tasks: self.header.planned_tasks(),
            own_tasks: self.header.original_task_count(),
            repeated_classes: &self.header.repeated_classes(),
        })?;
        let taught = &self.header.tasks[..self.header.tasks.len().min(self.task + 1)];
        method.restore(&self.snapshot, taught)?;
        Ok(Predictor {
            snapshot_bytes: tensor_bytes(&self.snapshot),
            repeated_classes: self.header.repeated_classes(),
            header: self.header,
            task: self.task,
            // Merged weights would be f32, and slower than rounded weights.
            prediction_count: (weights == WeightType::F32).then(AtomicUsize::default),
            mergeable_pets: OnceLock::new(),
            method,
            backbone,
            recorded,
        })
    }
}

/// Checks that a backbone has the weights that a run was trained with.
pub(super) fn check_weights(header: &RunHeader, backbone: &OpenedBackbone) -> Result<()> {
    match backbone.sha256 == header.weights_sha256 {
        true => Ok(()),
        false => Err(Problem::new(message!("problem-backbone-weights-changed"))
            .at(&header.config.backbone)
            .advise(message!("advice-restore-weight-file"))),
    }
}

/// Returns the PET of a stored run with this plugin text, if its method trains one.
pub(super) fn stored_pet(
    chosen: &ConfiguredMethod<'_>,
    header: &RunHeader,
    plugin: &str,
    shapes: &[BlockShape],
) -> Result<Option<PetPlan>> {
    if !chosen.trains_pet()? {
        return Ok(None);
    }
    let spec = PetSpec::parse(plugin, "the run's plugin.toml")?;
    let plan = PetPlan::new(chosen, spec, shapes)?;
    let start = PetStart::for_run(header)?;
    Ok(Some(plan.with_stream_scheme(header.drawing).with_start(start)))
}

/// Returns the bytes of these tensors.
fn tensor_bytes(tensors: &NamedTensors) -> u64 {
    let lengths = tensors.values().map(|tensor| tensor.values.len());
    4 * lengths.sum::<usize>() as u64
}

/// Opens and checks the weights of a run.
fn read_weights(
    cache: &ResourceCache,
    choice: BackboneChoice<'_>,
    download: bool,
) -> Result<UnplacedBackbone> {
    let mut needs_download = false;
    // While a run trains, predictions must not wait for a download; on the command line they may.
    let weights = library::read_from(&cache.backbones(), choice, &mut |_| {
        needs_download = true;
        download
    });
    weights.map_err(|problem| match needs_download && !download {
        true => Problem::new(message!("problem-run-weights-missing"))
            .at(choice.name)
            .advise(message!("advice-download-backbone-on-experiment")),
        false => problem,
    })
}

impl Predictor {
    /// Loads the snapshot that the run in `folder` left after `task`; see [`PredictorParts::gather`].
    ///
    /// # Errors
    /// See [`PredictorParts::gather`] and [`PredictorParts::assemble`].
    pub fn open(
        folder: &Path,
        task: usize,
        device_name: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        PredictorParts::gather(folder, task, device_name, cache, download)?.assemble(cache)
    }

    /// Returns the experts' predictions for an image, and the network input that was made from it (side² × 3 bytes).
    ///
    /// # Errors
    /// Returns a Problem if the image's size contradicts its pixels or the device failed.
    pub fn predict(&self, picture: &NamedImage) -> Result<(Answer, Vec<u8>)> {
        let input = self.network_input(picture)?;
        let verdict = self.predict_batch(&input)?.pop();
        let verdict = verdict.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
        Ok((verdict, input))
    }

    /// Returns the experts' predictions for images given as network input (concatenated).
    ///
    /// # Errors
    /// Returns a Problem if the device failed or a result is not a finite number.
    pub fn predict_batch(&self, inputs: &[u8]) -> Result<Vec<Answer>> {
        let verdicts = self.method.predict_in_pool(self.images(inputs))?;
        self.count_predictions(verdicts.len())?;
        let answers = verdicts.into_iter();
        let answers = answers.map(|verdict| {
            Ok(verdict.ensure_finite()?.merge_repeated_classes(&self.repeated_classes))
        });
        answers.collect()
    }

    /// Counts predicted images, and merges linear PETs into the weights once there are [`MERGE_THRESHOLD`].
    fn count_predictions(&self, count: usize) -> Result<()> {
        let Some(prediction_count) = &self.prediction_count else {
            return Ok(());
        };
        let before = prediction_count.fetch_add(count, Ordering::Relaxed);
        if before < MERGE_THRESHOLD && before + count >= MERGE_THRESHOLD {
            let pets: Vec<PetStack> =
                self.method.pets()?.into_iter().map(|pet| pet.current).collect();
            pets.iter().for_each(PetStack::enable_folding);
            // Clones share the merged weights.
            let _ = self.mergeable_pets.set(pets);
        }
        Ok(())
    }

    /// Returns the network input of an image (side² × 3 bytes).
    pub(super) fn network_input(&self, picture: &NamedImage) -> Result<Vec<u8>> {
        let (width, height) = (picture.width as u32, picture.height as u32);
        let image = RgbImage::from_raw(width, height, picture.rgb.clone())
            .ok_or_else(|| Problem::new(message!("problem-image-pixel-count")).at(&picture.name))?;
        let side = self.backbone.input.size;
        let mut input = vec![0; side * side * 3];
        resize_for_inference(&image, self.backbone.input, &mut input)?;
        Ok(input)
    }

    /// Converts network inputs (concatenated) to normalised images (batch × 3 × side × side).
    pub(super) fn images(&self, inputs: &[u8]) -> Tensor<4> {
        upload::normalise_for_backbone(inputs, &self.backbone)
    }

    /// Returns the bytes of memory that the predictor needs, without the backbone, which predictors share.
    pub fn bytes(&self) -> u64 {
        let merged = self.mergeable_pets.get().into_iter().flatten();
        let merged_numbers = merged.map(PetStack::folded_value_count);
        let numbers = self.method.generated_value_count() + merged_numbers.sum::<usize>();
        self.snapshot_bytes + 4 * numbers as u64
    }

    /// Returns the backbone with its input transform.
    pub fn backbone(&self) -> &OpenedBackbone {
        &self.backbone
    }

    /// Returns the task of the snapshot, from 0.
    pub fn task(&self) -> usize {
        self.task
    }

    /// Returns the header of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Returns the names of the classes taught up to this task, by position.
    pub fn classes(&self) -> &[String] {
        let class_count = self.header.tasks.get(self.task).map_or(0, |task| task.end);
        &self.header.class_order[..class_count.min(self.header.class_order.len())]
    }

    /// Returns the side of the square network input, in pixels.
    pub fn input_size(&self) -> usize {
        self.backbone.input.size
    }
}
