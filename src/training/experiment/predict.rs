//! One image for the experts of a saved run, after any of its tasks.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use burn::tensor::Tensor;
use image::RgbImage;

use crate::backbone::library::{self, BackboneChoice, Opened, Unplaced};
use crate::data::transform::infer_into;
use crate::device::{self, Trusted};
use crate::message;
use crate::method::{self, Answer, Chosen, ExportedClassifier, Method, PetPlan, Setup};
use crate::nn::WeightType;
use crate::pet::{PetSpec, PetStack};
use crate::problem::{Problem, Result};
use crate::run::event::{Picture, RunHeader};
use crate::store::{self, PetStart};
use crate::tensors::Named;

use super::fitting::answering_weights;
use super::recorded_backbone::Watched;
use super::{ResourceCache, upload};

/// From this number of images on, PETs that are linear become part of the weights. Before, copying these would take
/// longer than it brings.
const MANY: usize = 128;

/// The experts of one run as they were after one task.
pub struct Predictor {
    pub(super) header: RunHeader,
    /// Positions that count for the class of another, each with that.
    pub(super) again: Vec<(usize, usize)>,
    task: usize,
    /// Bytes of its snapshot.
    snapshot_bytes: u64,
    /// Images that it answered, up to [`MANY`]; `None` if its PETs stay apart from the weights.
    answered: Option<AtomicUsize>,
    /// The PETs that become part of the weights from then on.
    folding: OnceLock<Vec<PetStack>>,
    pub(super) method: Box<dyn Method>,
    pub(super) backbone: Arc<Opened>,
    /// What the method runs on: the backbone, and what it can be seen doing.
    pub(super) watched: Arc<Watched>,
}

/// What a predictor is made of, gathered without touching a device: run, snapshot, a device that is
/// tested, weights that are checked. All that takes long is here, so that a helper thread can do it
/// while the engine's thread trains.
pub struct Parts {
    header: RunHeader,
    plugin: String,
    task: usize,
    snapshot: Named,
    device: Trusted,
    /// `None` if the backbone was loaded on that device.
    weights: Option<Unplaced>,
}

impl Parts {
    /// Gathers the snapshot that the run in `folder` left after `task` (from 0) and what belongs to
    /// it, for the `wanted` device, or else the one that trained it, or else the best available.
    /// Missing weights are downloaded if `download`.
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
        Self::of(facts, (task, snapshot), wanted, cache, download)
    }

    /// The same of facts, plugin and snapshot that were read.
    pub(super) fn of(
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

    /// Whether making a predictor of it touches nothing but ordinary memory.
    pub fn is_for_cpu(&self) -> bool {
        self.device.info.is_cpu()
    }

    /// Bytes of memory that it takes, with the weights read.
    pub fn bytes(&self) -> u64 {
        let weights = self.weights.as_ref().map_or(0, Unplaced::bytes);
        weights + bytes_of(&self.snapshot)
    }

    /// Reads the weights' numbers into memory, so that what is left is to hand them to the device.
    ///
    /// # Errors
    /// Returns a Problem if the file cannot be read.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.weights.as_mut().map_or(Ok(()), Unplaced::read_ahead)
    }

    /// Hands everything to the device.
    ///
    /// # Errors
    /// Returns a Problem if the parts do not fit together or the device failed.
    pub fn assemble(self, cache: &ResourceCache) -> Result<Predictor> {
        let config = &self.header.config;
        let ready = self.device.open()?;
        let read = || match self.weights {
            Some(weights) => Ok(weights),
            // It was loaded and has been released since, or the device is another one.
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
        let watched = Arc::new(Watched::new(backbone.backbone.clone()));
        let mut method = method::build(Setup {
            config,
            backbone: watched.clone(),
            pet: pet.transpose()?.as_ref(),
            tasks: self.header.tasks_known_in(self.task),
            planned: self.header.planned_tasks(),
            own: self.header.own_tasks(),
            again: &self.header.again(),
        })?;
        let taught = &self.header.tasks[..self.header.tasks.len().min(self.task + 1)];
        method.restore(&self.snapshot, taught)?;
        Ok(Predictor {
            snapshot_bytes: bytes_of(&self.snapshot),
            again: self.header.again(),
            header: self.header,
            task: self.task,
            // Copies would be f32, and slower than rounded weights.
            answered: (weights == WeightType::F32).then(AtomicUsize::default),
            folding: OnceLock::new(),
            method,
            backbone,
            watched,
        })
    }
}

/// Bytes of these tensors.
fn bytes_of(tensors: &Named) -> u64 {
    let numbers = tensors.values().map(|tensor| tensor.values.len());
    4 * numbers.sum::<usize>() as u64
}

/// A run's weights, opened and checked.
fn weights_of(
    cache: &ResourceCache,
    choice: BackboneChoice<'_>,
    download: bool,
) -> Result<Unplaced> {
    let mut downloading = false;
    // Beside a run that trains nobody waits for a download; on the command line one does.
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
    /// As [`Parts::gather`] and [`Parts::assemble`].
    pub fn open(
        folder: &Path,
        task: usize,
        wanted: Option<&str>,
        cache: &ResourceCache,
        download: bool,
    ) -> Result<Self> {
        Parts::gather(folder, task, wanted, cache, download)?.assemble(cache)
    }

    /// What the experts say to an image; with it, what the network sees (side² × 3 bytes).
    ///
    /// # Errors
    /// Returns a Problem if the image's size contradicts its pixels or the device failed.
    pub fn verdict(&self, picture: &Picture) -> Result<(Answer, Vec<u8>)> {
        let seen = self.seen(picture)?;
        let verdict = self.verdicts(&seen)?.pop();
        let verdict = verdict.ok_or_else(|| Problem::new(message!("problem-no-prediction")))?;
        Ok((verdict, seen))
    }

    /// What the experts say to images as the network sees them, side by side.
    ///
    /// # Errors
    /// Returns a Problem if the device failed or gives what is no number.
    pub fn verdicts(&self, seen: &[u8]) -> Result<Vec<Answer>> {
        let verdicts = self.method.predict_together(self.images(seen))?;
        self.count(verdicts.len())?;
        let folded = verdicts.into_iter();
        let folded = folded.map(|verdict| Ok(verdict.checked()?.folded(&self.again)));
        folded.collect()
    }

    /// This many more images were answered.
    fn count(&self, pictures: usize) -> Result<()> {
        let Some(answered) = &self.answered else {
            return Ok(());
        };
        let before = answered.fetch_add(pictures, Ordering::Relaxed);
        if before < MANY && before + pictures >= MANY {
            let pets: Vec<PetStack> = self.method.pets()?.into_iter().map(|pet| pet.now).collect();
            pets.iter().for_each(PetStack::fold);
            // Clones share what is folded.
            let _ = self.folding.set(pets);
        }
        Ok(())
    }

    /// What the network sees of an image (side² × 3 bytes).
    pub(super) fn seen(&self, picture: &Picture) -> Result<Vec<u8>> {
        let (width, height) = (picture.width as u32, picture.height as u32);
        let image = RgbImage::from_raw(width, height, picture.rgb.clone())
            .ok_or_else(|| Problem::new(message!("problem-image-pixel-count")).at(&picture.name))?;
        let side = self.backbone.input.size;
        let mut seen = vec![0; side * side * 3];
        infer_into(&image, self.backbone.input, &mut seen)?;
        Ok(seen)
    }

    /// Images as the network sees them, side by side, as normalised images.
    pub(super) fn images(&self, seen: &[u8]) -> Tensor<4> {
        upload::for_backbone(seen, &self.backbone)
    }

    /// Bytes of memory that it takes beside the backbone, which predictors share.
    pub fn bytes(&self) -> u64 {
        let folding = self.folding.get().into_iter().flatten();
        let folded = folding.map(PetStack::folded_numbers);
        let numbers = self.method.drawn_numbers() + folded.sum::<usize>();
        self.snapshot_bytes + 4 * numbers as u64
    }

    /// How it answers, as plain numbers.
    ///
    /// # Errors
    /// As [`Method::recipe`].
    pub fn recipe(&self) -> Result<ExportedClassifier> {
        self.method.recipe()
    }

    /// The network, and how images are made ready for it.
    pub fn backbone(&self) -> &Opened {
        &self.backbone
    }

    /// Which snapshot, from 0.
    pub fn task(&self) -> usize {
        self.task
    }

    /// The run's constant facts.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Names of the classes taught by then, by position.
    pub fn classes(&self) -> &[String] {
        let taught = self.header.tasks.get(self.task).map_or(0, |task| task.end);
        &self.header.class_order[..taught.min(self.header.class_order.len())]
    }

    /// Side of the square the network sees.
    pub fn input_size(&self) -> usize {
        self.backbone.input.size
    }
}
