//! Opens everything that a run needs according to its settings: data, tasks, device, backbone, PET, method.

use std::collections::HashSet;
use std::sync::Arc;

use crate::backbone::library::{Description, OpenedBackbone};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::{Dataset, Fingerprints, PixelCache, summarise_two_labels};
use crate::device::{self, ReadyDevice};
use crate::message;
use crate::method::{
    self, ConfiguredMethod, Context, Method, PetPlan, Setup, frozen_pet_problem, single_class_tasks,
};
use crate::nn::WeightType;
use crate::pet::{PetSpec, StreamScheme};
use crate::problem::{Problem, Result, list_value};
use crate::run::config::RunConfig;
use crate::run::event::{Control, Event, RunHeader, Sink};
use crate::store::PetStart;
use crate::texts::{Message, Words};

use super::footprint;
use super::images::{Images, RunDataset};
use super::run_device::{RunDevice, recorded_weight_type};
use super::run_identity::{new_header, self_contained_settings};
use super::trainer::TrainContext;
use super::{ResourceCache, preparing_event};

/// Everything that a run needs, opened and checked for consistency.
pub struct TrainingPlan {
    /// The settings.
    pub config: RunConfig,
    /// The dataset.
    pub data: Arc<Dataset>,
    /// Its classes in order, divided into tasks.
    pub scenario: Scenario,
    /// The device, plain (no autodiff).
    pub device: ReadyDevice,
    /// The frozen network.
    pub backbone: Arc<OpenedBackbone>,
    /// The PET, if the method trains one.
    pub pet: Option<PetPlan>,
    /// How the random draws of a PET are separated.
    pub drawing: StreamScheme,
    /// Decoded images that are kept between epochs and tasks.
    pub pixels: Arc<PixelCache>,
}

/// Returns the assumptions about data and weights, the number of skipped files, and the images with two labels.
fn assumptions(data: &Dataset, backbone: &OpenedBackbone) -> Vec<Words> {
    let mut sentences = data.assumed.clone();
    let skipped_files = data.skipped.len();
    if skipped_files > 0 {
        sentences.push(message!("remark-files-skipped", n = skipped_files).into());
    }
    sentences.extend(summarise_two_labels(&data.two_labels).map(Words::from));
    let name = &backbone.entry.name;
    let remark = |what: &Words| message!("remark-backbone-assumed", name, what = what.clone());
    sentences.extend(backbone.assumptions.iter().map(|what| remark(what).into()));
    sentences
}

/// Returns the plugin, if a PET is trained; a run that has started has its own copy of the text.
fn load_plugin(
    chosen: &ConfiguredMethod<'_>,
    stored_text: Option<&str>,
    cache: &ResourceCache,
) -> Result<Option<Arc<PetSpec>>> {
    if !chosen.trains_pet()? {
        return Ok(None);
    }
    let spec = match stored_text {
        Some(text) => PetSpec::parse(text, "the run's plugin.toml"),
        None => cache.plugin(&chosen.config.pet),
    };
    spec.map(Some)
}

impl TrainingPlan {
    /// Opens and checks everything, reporting progress. A run that is resumed keeps its own plugin text and its number
    /// formats.
    ///
    /// # Errors
    /// Returns the first Problem.
    pub fn prepare(
        config: &RunConfig,
        original_run: Option<(&RunHeader, &str)>,
        cache: &ResourceCache,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<Self> {
        let mut report = |what: Message| sink.event(preparing_event(what));
        let chosen = ConfiguredMethod::from_config(config)?;
        let spec = load_plugin(&chosen, original_run.map(|(_, text)| text), cache)?;
        let (order, sizes) = parse_tasks(config)?;
        report(message!("doing-opening-dataset"));
        let data = cache.data(config, &|| control.should_continue())?;
        if let Some((header, _)) = original_run {
            check_same_classes(header, &data)?;
        }
        let scenario = build_scenario(&chosen, &order, sizes, &data)?;
        let nothing_learned = nothing_learned_problem(&chosen, &scenario, &data);
        // A run that is resumed or retrained keeps its settings.
        if original_run.is_none() {
            nothing_learned.clone().map_or(Ok(()), Err)?;
        }
        let mut last = None;
        let mut progress = |what: Message| {
            // Called often to ask whether to continue; each step is reported once.
            if last.as_ref() != Some(&what) {
                report(what.clone());
                last = Some(what);
            }
            control.should_continue()
        };
        progress(message!("doing-opening-device"));
        cache.download_unlisted(config.backbone_choice(), &mut progress)?;
        let description = cache.describe(config.backbone_choice())?;
        let resumed = original_run.map(|(header, _)| header.weight_type());
        let RunDevice { device: ready, weights, remarks } =
            RunDevice::open(config, description.entry.architecture.family().name, resumed)?;
        progress(message!("doing-loading-backbone"));
        let backbone = cache.backbone(config.backbone_choice(), weights, &ready, &mut progress)?;
        let shapes = backbone.backbone.blocks();
        let context = Context {
            architecture: &backbone.entry.architecture,
            blocks: shapes,
            tasks: scenario.tasks.len(),
            classes: scenario.class_order.len(),
        };
        (chosen.spec.check)(&chosen, Some(&context))?;
        let drawing = original_run.map_or_else(StreamScheme::default, |(header, _)| header.drawing);
        let pet = spec.map(|spec| -> Result<PetPlan> {
            let start = match original_run {
                Some((header, _)) => PetStart::for_run(header)?,
                None => cache.start(config)?,
            };
            let plan = PetPlan::new(&chosen, spec, shapes)?;
            Ok(plan.with_stream_scheme(drawing).with_start(start))
        });
        let pet = pet.transpose()?;
        let assumed = assumptions(&data, &backbone);
        if !assumed.is_empty() {
            sink.event(Event::Assumed(assumed));
        }
        let pixels = cache.pixels(config, backbone.input.size);
        let memory_warning = gpu_memory_warning(config, &ready, &description, pet.as_ref());
        let single_class_warning =
            single_class_tasks(&chosen, &scenario.tasks).map(|warning| warning.problem);
        for problem in remarks
            .into_iter()
            .chain(memory_warning)
            .chain(single_class_warning)
            .chain(nothing_learned)
        {
            sink.event(Event::Remark { run: String::new(), problem });
        }
        Ok(Self {
            config: self_contained_settings(config, &order, &scenario, (&data, &backbone.entry)),
            data,
            scenario,
            device: ready,
            backbone,
            pet,
            drawing,
            pixels,
        })
    }

    /// Returns the constant facts of the run, without name and folder.
    ///
    /// # Errors
    /// Returns a Problem for settings out of range.
    pub fn header(&self, method: &dyn Method, images: Fingerprints) -> Result<RunHeader> {
        let (train_images, test_images) = self.images();
        let pet = self.pet.as_ref().map(|pet| &*pet.spec);
        Ok(RunHeader {
            device: self.device.info.name.clone(),
            trained_parameters: method.trained_parameters(),
            class_order: self.scenario.class_names(&self.data.classes),
            tasks: self.scenario.tasks.clone(),
            train_images,
            test_images,
            images: Some(images),
            drawing: self.drawing,
            gpu_weights: self.gpu_weights(),
            input_size: self.backbone.input.size,
            frozen_parameters: self.backbone.backbone.parameter_count(),
            weights_sha256: self.backbone.sha256.clone(),
            start_sha256: self.start().map(|start| start.sha256.clone()),
            ..new_header(self.config.clone(), pet)?
        })
    }

    /// Returns the number format of the weights to record.
    pub fn gpu_weights(&self) -> Option<WeightType> {
        recorded_weight_type(&self.config, &self.device.info, self.backbone.weights)
    }

    /// Returns the numbers of training and test images of each task.
    fn images(&self) -> (Vec<usize>, Vec<usize>) {
        let (scenario, data) = (&self.scenario, &self.data);
        let count = |of: &dyn Fn(usize) -> usize| (0..scenario.tasks.len()).map(of).collect();
        (
            count(&|task| scenario.train_samples(data, task).len()),
            count(&|task| scenario.test_samples(data, task).len()),
        )
    }

    /// Checks that data and weights are the same as when a run started.
    ///
    /// # Errors
    /// Returns a Problem that says what changed.
    pub fn check_unchanged(&self, header: &RunHeader) -> Result<()> {
        let changed_problem = |what: &str| {
            Err(Problem::new(message!("problem-changed-since-run-start", what))
                .at_path(&header.folder)
                .advise(restore_advice(&self.data, "advice-restore-or-train-new")))
        };
        if self.backbone.sha256 != header.weights_sha256 {
            return changed_problem("the backbone's weights");
        }
        let classes = self.scenario.class_names(&self.data.classes);
        if classes != header.class_order || self.scenario.tasks != header.tasks {
            return changed_problem("the dataset's classes");
        }
        if self.images() != (header.train_images.clone(), header.test_images.clone()) {
            return changed_problem("the number of images in the dataset");
        }
        let images = header.images.as_ref();
        if images.is_some_and(|images| !self.data.matches_fingerprints(images)) {
            return changed_problem("the dataset's images");
        }
        Ok(())
    }

    /// Returns the method before its first task.
    ///
    /// # Errors
    /// Returns a Problem if its tensors cannot be created.
    pub fn method(&self) -> Result<Box<dyn Method>> {
        method::build(Setup {
            config: &self.config,
            backbone: self.backbone.backbone.clone(),
            pet: self.pet.as_ref(),
            tasks: &self.scenario.tasks,
            planned_tasks: self.scenario.tasks.len(),
            own_tasks: self.scenario.tasks.len(),
            repeated_classes: &[],
        })
    }

    /// Returns the initial values of the PET, if they are not random.
    pub fn start(&self) -> Option<&PetStart> {
        self.pet.as_ref().and_then(|pet| pet.start.as_ref())
    }

    /// Returns the text of the PET plugin; empty if the method trains none.
    pub fn plugin_text(&self) -> &str {
        self.pet.as_ref().map_or("", |pet| pet.spec.text())
    }

    /// Returns the inputs of the training loop.
    pub(super) fn into_context(self) -> TrainContext {
        let tasks = &self.scenario.tasks;
        let (count, classes) = (tasks.len(), self.scenario.class_order.len());
        let dataset = RunDataset { data: self.data, scenario: self.scenario };
        TrainContext {
            images: Images::new(Some(dataset), count, classes),
            config: self.config,
            pixels: self.pixels,
            backbone: self.backbone,
            repeats: 1,
        }
    }
}

/// Returns a warning if a run is estimated to need more memory than the GPU has free, where that is known.
fn gpu_memory_warning(
    config: &RunConfig,
    ready: &ReadyDevice,
    description: &Description,
    pet: Option<&PetPlan>,
) -> Option<Problem> {
    if ready.info.is_cpu() {
        return None;
    }
    let pet = pet.map(|pet| (&*pet.spec, pet.blocks.as_slice()));
    let expected = footprint::estimate_peak_memory(config, description, pet);
    let free = device::gpu_memory(&ready.info)?.free;
    if expected <= free {
        return None;
    }
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    let what = message!(
        "problem-gpu-memory-short",
        name = ready.info.name.to_string(),
        free = format!("{:.1}", gigabytes(free)),
        expected = format!("{:.1}", gigabytes(expected))
    );
    let remedy = match footprint::largest_fitting_micro_batch(config, description, pet, free) {
        Some(images) => message!("advice-use-micro-batch", images = images.to_string()),
        None => message!("advice-smaller-backbone-or-cpu"),
    };
    Some(Problem::new(what).at("--micro-batch").advise(remedy))
}

/// Returns the class order and the sizes of the tasks in these settings.
pub(super) fn parse_tasks(config: &RunConfig) -> Result<(ClassOrder, TaskSizes)> {
    Ok((ClassOrder::parse(&config.order)?, TaskSizes::parse(&config.classes_per_task)?))
}

/// Returns the classes in order, divided into tasks which all have images.
pub(super) fn build_scenario(
    chosen: &ConfiguredMethod<'_>,
    order: &ClassOrder,
    sizes: TaskSizes,
    data: &Dataset,
) -> Result<Scenario> {
    let sizes = match chosen.spec.all_at_once {
        true => TaskSizes::parse(&data.classes.len().to_string())?,
        false => sizes,
    };
    let scenario = Scenario::new(&data.classes, order, &sizes)?;
    check_task_images(data, &scenario)?;
    Ok(scenario)
}

/// Checks that a dataset has the same classes as when a run learned from it.
pub(super) fn check_same_classes(header: &RunHeader, data: &Dataset) -> Result<()> {
    let learned_classes = header.original_classes();
    let missing_from = |names: &[String], all: &[String]| -> Vec<String> {
        let all: HashSet<&String> = all.iter().collect();
        let lacking = names.iter().filter(|name| !all.contains(name));
        lacking.cloned().collect()
    };
    let missing = missing_from(learned_classes, &data.classes);
    // For a run with added tasks that was stopped before, the classes of its later tasks are unknown.
    let new = match header.planned_tasks() > header.original_task_count() {
        true => Vec::new(),
        false => missing_from(&data.classes, learned_classes),
    };
    let (missing_names, new_names) = (list_value(&missing, 6), list_value(&new, 6));
    let what = match (missing.is_empty(), new.is_empty()) {
        (true, true) => return Ok(()),
        (true, false) => message!("problem-dataset-has-new-classes", names = new_names),
        (false, true) => message!("problem-dataset-lacks-classes", names = missing_names),
        (false, false) => {
            message!("problem-dataset-classes-changed", missing = missing_names, new = new_names)
        }
    };
    Err(Problem::new(what).at(&data.origin).advise(restore_advice(data, "advice-restore-classes")))
}

/// Returns whether a scenario of a dataset begins with the classes and tasks that a run has of its own dataset.
pub(super) fn matches_run(scenario: &Scenario, data: &Dataset, header: &RunHeader) -> bool {
    scenario.class_names(&data.classes).starts_with(header.original_classes())
        && scenario.tasks.starts_with(&header.tasks[..header.original_task_count()])
}

/// Returns advice for a dataset that changed: `otherwise`, unless lists were read that older versions ignored.
pub fn restore_advice(data: &Dataset, otherwise: &'static str) -> Message {
    match data.lists.len() {
        0 => message!(otherwise),
        n => message!("advice-move-ignored-lists", lists = list_value(&data.lists, 4), n),
    }
}

/// Checks that a dataset has the classes and images that the settings of a new run need, and that every task learns
/// something.
pub(super) fn check_data(config: &RunConfig, data: &Dataset) -> Result<()> {
    let (order, sizes) = parse_tasks(config)?;
    let chosen = ConfiguredMethod::from_config(config)?;
    let scenario = build_scenario(&chosen, &order, sizes, data)?;
    nothing_learned_problem(&chosen, &scenario, data).map_or(Ok(()), Err)
}

/// Returns the reason if no PET would learn anything after the first task.
fn nothing_learned_problem(
    chosen: &ConfiguredMethod<'_>,
    scenario: &Scenario,
    data: &Dataset,
) -> Option<Problem> {
    let tasks = 0..scenario.tasks.len();
    let train: Vec<usize> = tasks.map(|task| scenario.train_samples(data, task).len()).collect();
    frozen_pet_problem(chosen, &train)
}

/// Checks that every task has training and test images.
fn check_task_images(data: &Dataset, scenario: &Scenario) -> Result<()> {
    for task in 0..scenario.tasks.len() {
        let missing_images = |what: &'static str, remedy: &'static str| {
            let what = message!(what, task = (task + 1).to_string());
            Err(Problem::new(what).at(&data.name).advise(message!(remedy)))
        };
        if scenario.train_samples(data, task).is_empty() {
            return missing_images(
                "problem-task-without-training-images",
                "advice-add-training-images",
            );
        }
        if scenario.test_samples(data, task).is_empty() {
            return missing_images("problem-task-without-test-images", "advice-add-test-images");
        }
    }
    Ok(())
}
