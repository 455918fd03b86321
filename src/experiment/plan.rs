//! From settings to everything a run needs: data, tasks, device, backbone, PET.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use burn::tensor::Device;

use crate::backbone::library::{Opened, Source};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::transform::{Augment, InputSpec};
use crate::data::{Dataset, PixelCache, named};
use crate::device::{self, Ready};
use crate::method::{Lae, LaeSettings};
use crate::pet::{PetSettings, PetSpec, PetStack};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Event, Phase, RunHeader, Sink, Wish};

use super::Stock;
use super::stock::weight_type;

/// The PET of a run: which plugin, in which form, in which blocks.
pub struct PetPlan {
    /// The checked plugin.
    pub spec: Arc<PetSpec>,
    /// Sizes and variant.
    pub settings: PetSettings,
    /// Block numbers.
    pub blocks: Vec<usize>,
}

impl PetPlan {
    /// Chooses sizes, form and blocks as the settings say; checks that the backbone offers what
    /// the plugin needs.
    ///
    /// # Errors
    /// A Problem for a size out of range, an unknown form, or blocks or sites that do not exist.
    pub fn new(config: &RunConfig, spec: Arc<PetSpec>, backbone: &Opened) -> Result<Self> {
        let shapes = backbone.backbone.blocks();
        let blocks = config.block_list(shapes.len())?;
        let settings = Self::settings(config, &spec);
        spec.fits(shapes, &blocks)?;
        Ok(Self {
            spec,
            settings,
            blocks,
        })
    }

    /// Size and form of the PET: the form asked for, else the plugin's for LAE without Learning
    /// where that is switched off.
    pub fn settings(config: &RunConfig, spec: &PetSpec) -> PetSettings {
        let variant = match &config.pet_variant {
            Some(name) => Some(name.clone()),
            None if !config.switches().learning => spec.without_learning.clone(),
            None => None,
        };
        PetSettings {
            variant,
            ..PetSettings::of_size(config.pet_size)
        }
    }

    /// Freshly initialised PETs; the same for the same seed on every device.
    ///
    /// # Errors
    /// A Problem when a parameter's shape cannot be formed.
    pub fn stack(&self, backbone: &Opened, seed: u64, device: &Device) -> Result<PetStack> {
        let shapes = backbone.backbone.blocks();
        PetStack::init(
            &self.spec,
            &self.settings,
            shapes,
            &self.blocks,
            seed,
            device,
        )
    }
}

/// Everything a run needs, opened and checked against each other.
pub struct Plan {
    /// The settings.
    pub config: RunConfig,
    /// The data set.
    pub data: Arc<Dataset>,
    /// Its classes in order, cut into tasks.
    pub scenario: Scenario,
    /// The device, plain (no autodiff).
    pub ready: Ready,
    /// The frozen network.
    pub backbone: Arc<Opened>,
    /// The PET.
    pub pet: PetPlan,
    /// Decoded pictures kept between epochs and tasks.
    pub pixels: Arc<PixelCache>,
}

/// What was assumed about data and weights, and how much of the data was left out.
fn assumptions(data: &Dataset, backbone: &Opened) -> Vec<String> {
    let mut sentences = data.assumed.clone();
    let left_out = data.skipped.len();
    if left_out > 0 {
        let files = if left_out == 1 {
            "file was"
        } else {
            "files were"
        };
        sentences.push(format!(
            "{left_out} {files} left out; `lae-studio data` says which and why"
        ));
    }
    let about = |what: &String| format!("assumed of {}: {what}", backbone.entry.name);
    sentences.extend(backbone.assumed.iter().map(about));
    sentences
}

/// Makes the places of data and weights absolute, so that the run can be continued from any folder.
fn stand_alone(config: &mut RunConfig, data: &Dataset, backbone: &Opened) {
    let absolute = |place: &str| {
        let path = std::path::absolute(place).ok()?;
        path.exists().then(|| path.to_string_lossy().into_owned())
    };
    // Embedded and published sets go by their names, even beside a folder of that name.
    if Path::new(&data.origin).is_absolute()
        && named::published(&config.data).is_none()
        && let Some(place) = absolute(&config.data)
    {
        config.data = place;
    }
    if matches!(&backbone.entry.source, Source::File(path) if path.as_os_str() == config.backbone.as_str())
        && let Some(place) = absolute(&config.backbone)
    {
        config.backbone = place;
    }
}

impl Plan {
    /// Opens and checks everything, telling what is being done. With `plugin` given, that text is
    /// the PET instead of the library's (a continued run keeps its own).
    ///
    /// # Errors
    /// The first Problem met.
    pub fn prepare(
        config: &RunConfig,
        plugin: Option<&str>,
        stock: &Stock,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Self> {
        let mut tell = |what: &str| {
            let phase = Phase::Preparing(what.to_string());
            sink.event(Event::Phase {
                run: String::new(),
                phase,
            });
        };
        let spec = match plugin {
            Some(text) => PetSpec::parse(text, "the run's plugin.toml")?,
            None => stock.plugin(&config.pet)?,
        };
        let order = ClassOrder::parse(&config.order)?;
        let sizes = TaskSizes::parse(&config.classes_per_task)?;
        tell("opening the data set");
        let data = stock.data(config, &|| control.wish() != Wish::Stop)?;
        let scenario = Scenario::new(&data.classes, &order, &sizes)?;
        enough_images(config, &data, &scenario)?;
        tell("opening the device");
        let ready = device::ready(&config.device)?;
        tell("loading the backbone");
        let mut progress = |text: &str| {
            tell(text);
            control.wish() != Wish::Stop
        };
        let precision = config.precision;
        let backbone = stock.backbone(&config.backbone, precision, &ready, &mut progress)?;
        let pet = PetPlan::new(config, spec, &backbone)?;
        let assumed = assumptions(&data, &backbone);
        if !assumed.is_empty() {
            sink.event(Event::Assumed(assumed));
        }
        let pixels = stock.pixels(config, backbone.input.size);
        let (_, kept) = weight_type(precision, &ready);
        for problem in ready.remark.iter().cloned().chain(kept) {
            sink.event(Event::Remark {
                run: String::new(),
                problem,
            });
        }
        let mut config = config.clone();
        stand_alone(&mut config, &data, &backbone);
        if matches!(order, ClassOrder::Names(_) | ClassOrder::Indices(_)) {
            // A file may change or go; the run has to stand alone.
            config.order = ClassOrder::written(&scenario.class_order);
        }
        Ok(Self {
            config,
            data,
            scenario,
            ready,
            backbone,
            pet,
            pixels,
        })
    }

    /// The run's constant facts, still without name and folder.
    ///
    /// # Errors
    /// A Problem when the PET's parameters cannot be counted.
    pub fn header(&self) -> Result<RunHeader> {
        let shapes = self.backbone.backbone.blocks();
        let tasks = self.scenario.tasks.clone();
        let count = |of: &dyn Fn(usize) -> usize| (0..tasks.len()).map(of).collect();
        Ok(RunHeader {
            run: String::new(),
            folder: std::path::PathBuf::new(),
            config: self.config.clone(),
            class_order: self.scenario.names(&self.data.classes),
            train_images: count(&|task| self.scenario.train_of(&self.data, task).len()),
            test_images: count(&|task| self.scenario.test_of(&self.data, task).len()),
            tasks,
            device: self.ready.info.name.clone(),
            input_size: self.input().size,
            trained_parameters: self.pet.spec.parameter_count(
                shapes,
                &self.pet.blocks,
                &self.pet.settings,
            )?,
            frozen_parameters: self.backbone.backbone.parameters(),
            weights_sha256: self.backbone.sha256.clone(),
            images: Some(self.data.fingerprints()),
            started: jiff::Zoned::now()
                .strftime("%Y-%m-%dT%H:%M:%S%:z")
                .to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        })
    }

    /// Checks that data and weights are still those a run began with.
    ///
    /// # Errors
    /// A Problem that says what changed.
    pub fn agrees_with(&self, header: &RunHeader) -> Result<()> {
        let now = self.header()?;
        let changed = |what: &str| {
            Err(Problem::new(format!("{what} changed since this run began"))
                .at_path(&header.folder)
                .advise("put back what was there, or train a new run"))
        };
        if now.weights_sha256 != header.weights_sha256 {
            return changed("the backbone's weights");
        }
        if now.class_order != header.class_order || now.tasks != header.tasks {
            return changed("the data set's classes");
        }
        if now.train_images != header.train_images || now.test_images != header.test_images {
            return changed("the number of images in the data set");
        }
        if header.images.is_some() && now.images != header.images {
            return changed("the data set's images");
        }
        Ok(())
    }

    /// The method before its first task.
    ///
    /// # Errors
    /// A Problem when the PET's parameters cannot be formed.
    pub fn method(&self) -> Result<Lae> {
        let pets = self
            .pet
            .stack(&self.backbone, self.config.seed, &self.ready.device)?;
        let settings = LaeSettings {
            switches: self.config.switches(),
            freeze_epochs: self.config.freeze_epochs,
            ema: self.config.ema,
            learning_rate: self.config.learning_rate(),
            seed: self.config.seed,
        };
        Ok(Lae::new(self.backbone.backbone.clone(), pets, settings))
    }

    /// What the network sees at test time.
    pub fn input(&self) -> InputSpec {
        self.backbone.input
    }

    /// How training pictures are varied.
    pub fn augment(&self) -> Augment {
        augment_of(&self.config)
    }

    /// The classes of tasks 0..=task.
    pub fn tasks_up_to(&self, task: usize) -> &[Range<usize>] {
        &self.scenario.tasks[..=task]
    }
}

/// How these settings vary training pictures.
pub fn augment_of(config: &RunConfig) -> Augment {
    let [low, high] = config.crop_scale;
    Augment {
        crop_scale: (low, high),
        flip: config.flip,
        ..Augment::default()
    }
}

/// Every task must fill at least one batch and have something to be tested on.
fn enough_images(config: &RunConfig, data: &Dataset, scenario: &Scenario) -> Result<()> {
    for task in 0..scenario.tasks.len() {
        let images = scenario.train_of(data, task).len();
        if images < config.batch {
            return Err(Problem::new(format!(
                "task {} has {images} training images, less than one batch of {}",
                task + 1,
                config.batch
            ))
            .at("--batch")
            .advise(format!(
                "use a batch of at most {}, put more classes into a task, or take more images per class",
                images.max(1)
            )));
        }
        if scenario.test_of(data, task).is_empty() {
            return Err(
                Problem::new(format!("task {} has no test images", task + 1))
                    .at(&data.name)
                    .advise(
                        "add test images for its classes, or give a folder without a test split",
                    ),
            );
        }
    }
    Ok(())
}
