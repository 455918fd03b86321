//! Predicts single images with the experts of a saved run, after any of its tasks.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;
use image::RgbImage;

use crate::backbone::library::{self, BackboneChoice, Opened, Unplaced};
use crate::data::transform::infer_into;
use crate::device::{self, Trusted};
use crate::message;
use crate::method::{self, Answer, Chosen, Method, PetPlan, Setup};
use crate::nn::WeightType;
use crate::pet::{PetSpec, PetStack};
use crate::problem::{Problem, Result};
use crate::run::event::{Picture, RunHeader};
use crate::store::{self, PetStart};
use crate::tensors::Named;

use super::fitting::answering_weights;
use super::recorded_backbone::RecordedBackbone;
use super::{ResourceCache, upload};

/// Number of predicted images from which on linear PETs are merged into the weights. For fewer images, copying the
/// weights would take longer than the merge saves.
const MANY: usize = 128;

/// The experts of a run as they were after one task.
pub struct Predictor {
    pub(super) header: RunHeader,
    /// Pairs of class positions: a class that was taught again, and the position that it counts for.
    pub(super) repeated_classes: Vec<(usize, usize)>,
    task: usize,
    /// Bytes of the snapshot.
    snapshot_bytes: u64,
    /// Number of images predicted so far, counted up to [`MANY`]; `None` if the PETs are never merged into the
    /// weights.
    answered: Option<AtomicUsize>,
    /// The PETs that are merged into the weights once many images have been predicted.
    folding: OnceLock<Vec<PetStack>>,
    pub(crate) method: Box<dyn Method>,
    pub(super) backbone: Arc<Opened>,
    /// The backbone that the method uses; it can record attention maps.
    pub(super) recorded: Arc<RecordedBackbone>,
}

/// The parts of a predictor, prepared without touching its device: run, snapshot, a tested device and checked
/// weights. Everything slow happens here, so that a helper thread can do it while the engine's thread trains.
pub struct Parts {
    header: RunHeader,
    plugin: String,
    task: usize,
    snapshot: Named,
    device: Trusted,
    /// `None` if the backbone is already loaded on that device.
    weights: Option<Unplaced>,
}

impl Parts {
    /// Prepares the snapshot that the run in `folder` saved after `task` (from 0), for the device `wanted`, otherwise
    /// for the one that trained it, otherwise for the best available one. Downloads missing weights if `download`.
    ///
    /// # Errors
    /// Returns a Problem if the run or its snapshot cannot be read, or its backbone is not available.
    pub fn gather(
        folder: &Path,
        task: usize,
        wanted: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        let facts = store::load_facts(folder)?;
        let snapshot = store::load_snapshot(folder, task)?;
        Self::new(facts, (task, snapshot), wanted, cache, download)
    }

    /// Prepares the parts from a header, plugin text and snapshot that are already read; otherwise as
    /// [`Parts::gather`].
    pub(super) fn new(
        (header, plugin): (RunHeader, String),
        (task, snapshot): (usize, Named),
        wanted: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        let device = match wanted {
            Some(wanted) => device::trusted(wanted)?,
            None => device::trusted(&header.config.device).or_else(|_| device::trusted("auto"))?,
        };
        let weights = match cache.has_backbone(header.config.chosen_backbone(), &device.info) {
            true => None,
            false => Some(weights_of(
                cache,
                header.config.chosen_backbone(),
                download,
            )?),
        };
        Ok(Self {
            header,
            plugin,
            task,
            snapshot,
            device,
            weights,
        })
    }

    /// Returns whether the device is the CPU, so that any thread may assemble the predictor.
    pub fn is_for_cpu(&self) -> bool {
        self.device.info.is_cpu()
    }

    /// Returns the bytes of memory that the parts need, including the weights.
    pub fn bytes(&self) -> u64 {
        let weights = self.weights.as_ref().map_or(0, Unplaced::bytes);
        weights + bytes_of(&self.snapshot)
    }

    /// Reads the weights into memory, so that only the transfer to the device remains.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.weights.as_mut().map_or(Ok(()), Unplaced::read_ahead)
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
            None => weights_of(cache, config.chosen_backbone(), false),
        };
        let weights = answering_weights(&self.header, &ready);
        let backbone = cache.placed(config.chosen_backbone(), weights, &ready, read)?;
        if backbone.sha256 != self.header.weights_sha256 {
            return Err(Problem::new(message!("problem-backbone-weights-changed"))
                .at(&config.backbone)
                .advise(message!("advice-restore-weight-file")));
        }
        let chosen = Chosen::of(config)?;
        let pet = chosen.trains_pet()?.then(|| {
            let spec = PetSpec::parse(&self.plugin, "the run's plugin.toml")?;
            let plan = PetPlan::new(&chosen, spec, backbone.backbone.blocks());
            let start = PetStart::of_run(&self.header)?;
            Ok(plan?.drawn(self.header.drawing).starting(start))
        });
        let recorded = Arc::new(RecordedBackbone::new(backbone.backbone.clone()));
        let mut method = method::build(Setup {
            config,
            backbone: recorded.clone(),
            pet: pet.transpose()?.as_ref(),
            tasks: self.header.tasks_known_in(self.task),
            planned: self.header.planned_tasks(),
            own: self.header.own_tasks(),
            repeated_classes: &self.header.repeated_classes(),
        })?;
        let taught = &self.header.tasks[..self.header.tasks.len().min(self.task + 1)];
        method.restore(&self.snapshot, taught)?;
        Ok(Predictor {
            snapshot_bytes: bytes_of(&self.snapshot),
            repeated_classes: self.header.repeated_classes(),
            header: self.header,
            task: self.task,
            // Merged weights would be f32, and slower than rounded weights.
            answered: (weights == WeightType::F32).then(AtomicUsize::default),
            folding: OnceLock::new(),
            method,
            backbone,
            recorded,
        })
    }
}

/// Returns the bytes of these tensors.
fn bytes_of(tensors: &Named) -> u64 {
    let numbers = tensors.values().map(|tensor| tensor.values.len());
    4 * numbers.sum::<usize>() as u64
}

/// Opens and checks the weights of a run.
fn weights_of(
    cache: &ResourceCache,
    choice: BackboneChoice<'_>,
    download: bool,
) -> Result<Unplaced> {
    let mut downloading = false;
    // While a run trains, predictions must not wait for a download; on the command line they may.
    let read = library::read_from(&cache.backbones(), choice, &mut |_| {
        downloading = true;
        download
    });
    read.map_err(|problem| match downloading && !download {
        true => Problem::new(message!("problem-run-weights-missing"))
            .at(choice.name)
            .advise(message!("advice-download-backbone-on-experiment")),
        false => problem,
    })
}

impl Predictor {
    /// Loads the snapshot that the run in `folder` left after `task`; see [`Parts::gather`].
    ///
    /// # Errors
    /// See [`Parts::gather`] and [`Parts::assemble`].
    pub fn open(
        folder: &Path,
        task: usize,
        wanted: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        Parts::gather(folder, task, wanted, cache, download)?.assemble(cache)
    }

    /// Returns the experts' predictions for an image, and the network input that was made from it (side² × 3 bytes).
    ///
    /// # Errors
    /// Returns a Problem if the image's size contradicts its pixels or the device failed.
    pub fn predict(&self, picture: &Picture) -> Result<(Answer, Vec<u8>)> {
        let seen = self.network_input(picture)?;
        let verdict = self.predict_batch(&seen)?.pop();
        let verdict = verdict.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
        Ok((verdict, seen))
    }

    /// Returns the experts' predictions for images given as network input (concatenated).
    ///
    /// # Errors
    /// Returns a Problem if the device failed or a result is not a finite number.
    pub fn predict_batch(&self, seen: &[u8]) -> Result<Vec<Answer>> {
        let verdicts = self.method.predict_together(self.images(seen))?;
        self.count(verdicts.len())?;
        let folded = verdicts.into_iter();
        let folded = folded.map(|verdict| {
            Ok(verdict
                .checked()?
                .merge_repeated_classes(&self.repeated_classes))
        });
        folded.collect()
    }

    /// Counts predicted images, and merges linear PETs into the weights once there are [`MANY`].
    fn count(&self, pictures: usize) -> Result<()> {
        let Some(answered) = &self.answered else {
            return Ok(());
        };
        let before = answered.fetch_add(pictures, Ordering::Relaxed);
        if before < MANY && before + pictures >= MANY {
            let pets: Vec<PetStack> = self.method.pets()?.into_iter().map(|pet| pet.now).collect();
            pets.iter().for_each(PetStack::fold);
            // Clones share the merged weights.
            let _ = self.folding.set(pets);
        }
        Ok(())
    }

    /// Returns the network input of an image (side² × 3 bytes).
    pub(super) fn network_input(&self, picture: &Picture) -> Result<Vec<u8>> {
        let (width, height) = (picture.width as u32, picture.height as u32);
        let image = RgbImage::from_raw(width, height, picture.rgb.clone())
            .ok_or_else(|| Problem::new(message!("problem-image-pixel-count")).at(&picture.name))?;
        let side = self.backbone.input.size;
        let mut seen = vec![0; side * side * 3];
        infer_into(&image, self.backbone.input, &mut seen)?;
        Ok(seen)
    }

    /// Converts network inputs (concatenated) to normalised images (batch × 3 × side × side).
    pub(super) fn images(&self, seen: &[u8]) -> Tensor<4> {
        upload::for_backbone(seen, &self.backbone)
    }

    /// Returns the bytes of memory that the predictor needs, without the backbone, which predictors share.
    pub fn bytes(&self) -> u64 {
        let folding = self.folding.get().into_iter().flatten();
        let folded = folding.map(PetStack::folded_numbers);
        let numbers = self.method.drawn_numbers() + folded.sum::<usize>();
        self.snapshot_bytes + 4 * numbers as u64
    }

    /// Returns the backbone with its input transform.
    pub fn backbone(&self) -> &Opened {
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
        let taught = self.header.tasks.get(self.task).map_or(0, |task| task.end);
        &self.header.class_order[..taught.min(self.header.class_order.len())]
    }

    /// Returns the side of the square network input, in pixels.
    pub fn input_size(&self) -> usize {
        self.backbone.input.size
    }
}
