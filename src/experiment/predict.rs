//! One picture for the experts of a saved run, after any of its tasks.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use burn::tensor::Device;
use image::RgbImage;

use crate::backbone::library::Opened;
use crate::data::transform::infer_into;
use crate::device;
use crate::method::{self, Chosen, Method, PetPlan, Setup, Verdict};
use crate::pet::PetSpec;
use crate::problem::{Problem, Result};
use crate::run::event::{Picture, PredictRequest, Prediction, RunHeader};
use crate::store;

use super::{Stock, upload};

/// Snapshots kept ready: enough to play a slider over a ten-task run.
const KEPT: usize = 24;

/// The experts of one run as they were after one task.
pub struct Predictor {
    header: RunHeader,
    task: usize,
    method: Box<dyn Method>,
    backbone: Arc<Opened>,
    device: Device,
}

impl Predictor {
    /// Loads the snapshot that the run in `folder` left after `task` (from 0), on the `wanted`
    /// device, or else the one that trained it, or else the best at hand. Weights that are not at
    /// hand are downloaded if `download`.
    ///
    /// # Errors
    /// A Problem when the run or its snapshot cannot be read, or its backbone is not at hand.
    pub fn open(
        folder: &Path,
        task: usize,
        wanted: Option<&str>,
        stock: &Stock,
        download: bool,
    ) -> Result<Self> {
        let stored = store::load(folder)?;
        let header = stored.header;
        let snapshot = store::load_snapshot(folder, task)?;
        let ready = match wanted {
            Some(wanted) => device::ready(wanted)?,
            None => device::ready(&header.config.device).or_else(|_| device::ready("auto"))?,
        };
        let config = &header.config;
        let mut downloading = false;
        // Between two batches of a run nobody waits for a download; on the command line one does.
        let mut progress = |_: &str| {
            downloading = true;
            download
        };
        let backbone = stock.backbone(&config.backbone, config.precision, &ready, &mut progress);
        let backbone = backbone.map_err(|problem| match downloading && !download {
            true => Problem::new("the weights of this run are not on this computer")
                .at(&config.backbone)
                .advise("choose the backbone on Experiment and download it there, then ask again"),
            false => problem,
        })?;
        let device = ready.device;
        if backbone.sha256 != header.weights_sha256 {
            return Err(
                Problem::new("the backbone's weights changed since this run was trained")
                    .at(&header.config.backbone)
                    .advise("put the weight file back that the run was trained with"),
            );
        }
        let chosen = Chosen::of(&header.config)?;
        let pet = chosen.trains_pet()?.then(|| {
            let spec = PetSpec::parse(&stored.plugin, "the run's plugin.toml")?;
            PetPlan::new(&chosen, spec, backbone.backbone.blocks())
        });
        let mut method = method::build(Setup {
            config: &header.config,
            backbone: backbone.backbone.clone(),
            pet: pet.transpose()?.as_ref(),
            tasks: &header.tasks,
        })?;
        let taught = &header.tasks[..header.tasks.len().min(task + 1)];
        method.restore(&snapshot, taught)?;
        Ok(Self {
            header,
            task,
            method,
            backbone,
            device,
        })
    }

    /// What the experts say to a picture; with it, what the network sees (side² × 3 bytes).
    ///
    /// # Errors
    /// A Problem when the picture's size contradicts its pixels or the device failed.
    pub fn verdict(&self, picture: &Picture) -> Result<(Verdict, Vec<u8>)> {
        let (width, height) = (picture.width as u32, picture.height as u32);
        let image = RgbImage::from_raw(width, height, picture.rgb.clone()).ok_or_else(|| {
            Problem::new("this picture's pixels do not fill its size").at(&picture.name)
        })?;
        let side = self.backbone.input.size;
        let mut seen = vec![0; side * side * 3];
        infer_into(&image, self.backbone.input, &mut seen)?;
        let scale = &self.backbone.normalisation;
        let images = upload::images(&seen, side, scale, &self.device);
        let verdict = self.method.predict(images)?.pop();
        let verdict = verdict.ok_or_else(|| Problem::new("the experts gave no answer"))?;
        Ok((verdict.checked()?, seen))
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

/// Predictors kept ready, the latest used last.
#[derive(Default)]
pub struct PredictorShelf(VecDeque<((PathBuf, usize), Predictor)>);

impl PredictorShelf {
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
        let key = (request.run.clone(), task);
        let found = self.0.iter().position(|(known, _)| *known == key);
        let entry = match found.and_then(|index| self.0.remove(index)) {
            Some(entry) => entry,
            None => (
                key,
                Predictor::open(&request.run, task, None, stock, false)?,
            ),
        };
        let answer = entry.1.verdict(&request.picture);
        let classes = entry.1.classes().to_vec();
        let seen_size = entry.1.input_size();
        self.0.push_back(entry);
        while self.0.len() > KEPT {
            self.0.pop_front();
        }
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
