//! One picture for the experts of a saved run, after any of its tasks.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use burn::tensor::Tensor;
use image::RgbImage;

use crate::backbone::library::{self, Opened, Unplaced};
use crate::data::transform::infer_into;
use crate::device::{self, Trusted};
use crate::method::{self, Chosen, Method, PetPlan, Setup, Verdict};
use crate::pet::PetSpec;
use crate::problem::{Problem, Result};
use crate::run::event::{Picture, PredictRequest, Prediction, RunHeader};
use crate::store;
use crate::tensors::Named;

use super::fitting::variant_of;
use super::watched::Watched;
use super::{Stock, upload};

/// Snapshots kept ready: enough to play a slider over a ten-task run.
const KEPT: usize = 24;

/// The experts of one run as they were after one task.
pub struct Predictor {
    pub(super) header: RunHeader,
    /// Positions that count for the class of another, each with that.
    pub(super) again: Vec<(usize, usize)>,
    task: usize,
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
    /// None where the backbone was at hand on that device.
    weights: Option<Unplaced>,
}

impl Parts {
    /// Gathers the snapshot that the run in `folder` left after `task` (from 0) and what belongs to
    /// it, for the `wanted` device, or else the one that trained it, or else the best at hand.
    /// Weights that are not at hand are downloaded if `download`.
    ///
    /// # Errors
    /// A Problem when the run or its snapshot cannot be read, or its backbone is not at hand.
    pub fn gather(
        folder: &Path,
        task: usize,
        wanted: Option<&str>,
        stock: &Stock,
        download: bool,
    ) -> Result<Self> {
        let stored = store::load(folder)?;
        let header = stored.header;
        let snapshot = store::load_snapshot(folder, task)?;
        let device = match wanted {
            Some(wanted) => device::trusted(wanted)?,
            None => device::trusted(&header.config.device).or_else(|_| device::trusted("auto"))?,
        };
        let weights = match stock.has_backbone(&header.config.backbone, &device.info) {
            true => None,
            false => Some(weights_of(&header.config.backbone, download)?),
        };
        Ok(Self {
            header,
            plugin: stored.plugin,
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

    /// Reads the weights' numbers into memory, so that what is left is to hand them to the device.
    ///
    /// # Errors
    /// A Problem when the file cannot be read.
    pub fn read_ahead(&mut self) -> Result<()> {
        self.weights.as_mut().map_or(Ok(()), Unplaced::read_ahead)
    }

    /// Hands everything to the device.
    ///
    /// # Errors
    /// A Problem when the parts do not fit together or the device failed.
    pub fn assemble(self, stock: &Stock) -> Result<Predictor> {
        let config = &self.header.config;
        let ready = self.device.open()?;
        let read = || match self.weights {
            Some(weights) => Ok(weights),
            // It was at hand and has been let go of since, or the device is another one.
            None => weights_of(&config.backbone, false),
        };
        let backbone = stock.placed(
            &config.backbone,
            variant_of(&self.header, &ready),
            &ready,
            read,
        )?;
        if backbone.sha256 != self.header.weights_sha256 {
            return Err(
                Problem::new("the backbone's weights changed since this run was trained")
                    .at(&config.backbone)
                    .advise("put the weight file back that the run was trained with"),
            );
        }
        let chosen = Chosen::of(config)?;
        let pet = chosen.trains_pet()?.then(|| {
            let spec = PetSpec::parse(&self.plugin, "the run's plugin.toml")?;
            let plan = PetPlan::new(&chosen, spec, backbone.backbone.blocks());
            plan.map(|plan| plan.drawn(self.header.drawing))
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
            again: self.header.again(),
            header: self.header,
            task: self.task,
            method,
            backbone,
            watched,
        })
    }
}

/// A run's weights, opened and checked.
fn weights_of(name: &str, download: bool) -> Result<Unplaced> {
    let mut downloading = false;
    // Beside a run that trains nobody waits for a download; on the command line one does.
    let read = library::read(name, &mut |_: &str| {
        downloading = true;
        download
    });
    read.map_err(|problem| match downloading && !download {
        true => Problem::new("the weights of this run are not on this computer")
            .at(name)
            .advise("choose the backbone on Experiment and download it there, then ask again"),
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
        stock: &Stock,
        download: bool,
    ) -> Result<Self> {
        Parts::gather(folder, task, wanted, stock, download)?.assemble(stock)
    }

    /// What the experts say to a picture; with it, what the network sees (side² × 3 bytes).
    ///
    /// # Errors
    /// A Problem when the picture's size contradicts its pixels or the device failed.
    pub fn verdict(&self, picture: &Picture) -> Result<(Verdict, Vec<u8>)> {
        let seen = self.seen(picture)?;
        let verdict = self.verdicts(&seen)?.pop();
        let verdict = verdict.ok_or_else(|| Problem::new("the experts gave no answer"))?;
        Ok((verdict, seen))
    }

    /// What the experts say to pictures as the network sees them, side by side.
    ///
    /// # Errors
    /// A Problem when the device failed or gives what is no number.
    pub fn verdicts(&self, seen: &[u8]) -> Result<Vec<Verdict>> {
        let verdicts = self.method.predict(self.images(seen))?.into_iter();
        let folded = verdicts.map(|verdict| Ok(verdict.checked()?.folded(&self.again)));
        folded.collect()
    }

    /// What the network sees of a picture (side² × 3 bytes).
    pub(super) fn seen(&self, picture: &Picture) -> Result<Vec<u8>> {
        let (width, height) = (picture.width as u32, picture.height as u32);
        let image = RgbImage::from_raw(width, height, picture.rgb.clone()).ok_or_else(|| {
            Problem::new("this picture's pixels do not fill its size").at(&picture.name)
        })?;
        let side = self.backbone.input.size;
        let mut seen = vec![0; side * side * 3];
        infer_into(&image, self.backbone.input, &mut seen)?;
        Ok(seen)
    }

    /// Pictures as the network sees them, side by side, as normalised images.
    pub(super) fn images(&self, seen: &[u8]) -> Tensor<4> {
        upload::for_backbone(seen, &self.backbone)
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

/// A predictor, or what is left to make one of on the thread that owns its device.
pub enum Prepared {
    /// It answers at once.
    Whole(Box<Predictor>),
    /// To be handed to a graphics card.
    Parts(Box<Parts>),
}

impl Prepared {
    /// Makes everything ready that may be made ready on any thread: for the CPU all of it.
    ///
    /// # Errors
    /// As [`Predictor::open`].
    pub fn ahead(folder: &Path, task: usize, stock: &Stock) -> Result<Self> {
        let mut parts = Parts::gather(folder, task, None, stock, false)?;
        if parts.is_for_cpu() {
            return Ok(Self::Whole(Box::new(parts.assemble(stock)?)));
        }
        parts.read_ahead()?;
        Ok(Self::Parts(Box::new(parts)))
    }

    fn finished(self, stock: &Stock) -> Result<Box<Predictor>> {
        match self {
            Self::Whole(predictor) => Ok(predictor),
            Self::Parts(parts) => Ok(Box::new(parts.assemble(stock)?)),
        }
    }
}

/// What a predictor is of: a run's folder, a task (from 0), and when its snapshot was written. A
/// lesson that was undone may have made way for another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The run's folder.
    pub run: PathBuf,
    /// The task.
    pub task: usize,
    written: Option<SystemTime>,
}

impl Key {
    /// That of the snapshot which lies there now.
    pub fn of(run: &Path, task: usize) -> Self {
        Self {
            run: run.to_path_buf(),
            task,
            written: store::snapshot_time(run, task),
        }
    }
}

impl PredictorShelf {
    /// The predictor of this snapshot, if it was made ready; it counts as used.
    ///
    /// # Errors
    /// As [`Parts::assemble`].
    pub fn predictor(&mut self, key: &Key, stock: &Stock) -> Result<Option<&Predictor>> {
        let Some(at) = self.0.iter().position(|(known, _)| known == key) else {
            return Ok(None);
        };
        let Some((key, prepared)) = self.0.remove(at) else {
            return Ok(None);
        };
        let whole = prepared.finished(stock)?;
        self.put(key, Prepared::Whole(whole));
        match self.0.back() {
            Some((_, Prepared::Whole(predictor))) => Ok(Some(predictor)),
            _ => Ok(None),
        }
    }
}

/// Predictors kept ready, the latest used last.
#[derive(Default)]
pub struct PredictorShelf(VecDeque<(Key, Prepared)>);

impl PredictorShelf {
    /// Whether this one is there.
    pub fn has(&self, key: &Key) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    /// Puts one there; the one that was not used for longest may have to go.
    pub fn put(&mut self, key: Key, prepared: Prepared) {
        self.0.retain(|(known, _)| *known != key);
        self.0.push_back((key, prepared));
        while self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    /// Answers one snapshot of a request.
    ///
    /// # Errors
    /// As [`Predictor::open`] and [`Predictor::verdict`].
    pub fn predict(
        &mut self,
        request: &PredictRequest,
        task: usize,
        stock: &Stock,
    ) -> Result<Prediction> {
        let key = Key::of(&request.run, task);
        let found = self.0.iter().position(|(known, _)| *known == key);
        let prepared = match found.and_then(|index| self.0.remove(index)) {
            Some((_, prepared)) => prepared,
            None => Prepared::ahead(&request.run, task, stock)?,
        };
        let predictor = prepared.finished(stock)?;
        let answer = predictor.verdict(&request.picture);
        let classes = predictor.classes().to_vec();
        let seen_size = predictor.input_size();
        self.put(key, Prepared::Whole(predictor));
        let (verdict, seen) = answer?;
        Ok(Prediction {
            ticket: request.ticket,
            run: request.run.clone(),
            task,
            classes,
            opinions: verdict.opinions,
            decided_by: verdict.decided_by,
            seen,
            seen_size,
        })
    }
}
