//! Predicts the key, images and costs of a cell before it runs. Data, backbones, plugins and devices are opened once
//! for all cells that share them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::backbone::library::{BackboneChoice, BackboneLibrary, Description, read_from};
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::summary::count_per_class;
use crate::data::{Dataset, Fingerprints};
use crate::experiment::estimate::{Network, TaskImages, estimate_disk_bytes};
use crate::experiment::run_device::{RunDevice, expected_weight_type, recorded_weight_type};
use crate::experiment::run_identity::{new_header, self_contained_settings};
use crate::experiment::{ResourceCache, footprint, open_options, plan};
use crate::method::{ConfiguredMethod, Context, PetPlan};
use crate::nn::WeightType;
use crate::pet::library::PluginLibrary;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Control, RunHeader};
use crate::store::RunKey;
use crate::texts::Message;

/// What is known about a cell before it runs.
#[derive(Clone, Debug)]
pub struct CellForecast {
    /// The key that its run will have; `None` while weights must be downloaded first to know their hash.
    pub key: Option<RunKey>,
    /// Training images of each task.
    pub train_images: Vec<usize>,
    /// Test images of each task.
    pub test_images: Vec<usize>,
    /// Peak memory in bytes, without decoded images.
    pub memory: u64,
    /// Approximate bytes on the disk.
    pub disk: u64,
    /// The size of its network; `None` for a run that was trained on another computer.
    pub network: Option<Network>,
}

/// An opened dataset.
struct OpenData {
    data: Arc<Dataset>,
    images: Fingerprints,
    train: Vec<usize>,
    test: Vec<usize>,
    /// By class order, classes per task, and whether all classes are learned at once.
    scenarios: HashMap<(String, String, bool), Result<Arc<Scenario>>>,
}

/// A backbone that was described.
#[derive(Clone)]
struct KnownBackbone {
    description: Arc<Description>,
    sha256: Option<String>,
}

/// Predicts cells and caches what they share.
pub(super) struct CellPredictor {
    cache: ResourceCache,
    control: Control,
    /// Whether to open devices, as a run does.
    opens_devices: bool,
    library: BackboneLibrary,
    backbones: HashMap<String, Result<KnownBackbone>>,
    plugins: PluginLibrary,
    gpu_weights: HashMap<String, Result<Option<WeightType>>>,
    data: Option<(String, Result<OpenData>)>,
}

impl CellPredictor {
    pub fn new(cache: &ResourceCache, control: &Control, opens_devices: bool) -> Self {
        Self {
            cache: cache.clone(),
            control: control.clone(),
            opens_devices,
            library: cache.backbones(),
            backbones: HashMap::new(),
            plugins: cache.plugins(),
            gpu_weights: HashMap::new(),
            data: None,
        }
    }

    /// Downloads the weights of a backbone if they are missing; `report_progress` gets the progress.
    ///
    /// # Errors
    /// See [`read_from`].
    pub fn download_weights(
        &mut self,
        backbone: BackboneChoice<'_>,
        report_progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        self.backbones.remove(&backbone.key());
        read_from(&self.library, backbone, report_progress).map(drop)
    }

    /// Returns what is known about a cell with these settings before it runs.
    ///
    /// # Errors
    /// Returns a Problem for data that cannot be opened, and for settings that do not fit it, the backbone or the
    /// plugin.
    pub fn forecast(&mut self, config: &RunConfig) -> Result<CellForecast> {
        let chosen = ConfiguredMethod::from_config(config)?;
        let order = ClassOrder::parse(&config.order)?;
        let pet = match chosen.trains_pet()? {
            true => Some(self.plugins.get(&config.pet)?),
            false => None,
        };
        let backbone = self.backbone(config.backbone_choice())?;
        let description = &*backbone.description;
        let gpu_weights = self.gpu_weights(config, description)?;
        let scenario = self.scenario(&chosen, &order)?;
        let start = match pet {
            Some(_) => self.cache.start(config)?,
            None => None,
        };
        let open = self.open(config)?;
        (chosen.spec.check)(
            &chosen,
            Some(&Context {
                architecture: &description.entry.architecture,
                blocks: &description.blocks,
                tasks: scenario.tasks.len(),
                classes: scenario.class_order.len(),
            }),
        )?;
        let sums = |per_class: &[usize]| -> Vec<usize> {
            let classes = |task: &std::ops::Range<usize>| scenario.class_order[task.clone()].iter();
            let tasks = scenario.tasks.iter();
            tasks.map(|task| classes(task).map(|class| per_class[*class]).sum()).collect()
        };
        let [train_images, test_images] = [sums(&open.train), sums(&open.test)];
        let header = backbone.sha256.clone().map(|weights_sha256| -> Result<RunHeader> {
            let settings = self_contained_settings(
                config,
                &order,
                &scenario,
                (&open.data, &description.entry),
            );
            Ok(RunHeader {
                class_order: scenario.class_names(&open.data.classes),
                tasks: scenario.tasks.clone(),
                train_images: train_images.clone(),
                test_images: test_images.clone(),
                images: Some(open.images.clone()),
                gpu_weights,
                input_size: description.entry.input_spec().size,
                frozen_parameters: description.parameters,
                weights_sha256,
                start_sha256: start.as_ref().map(|start| start.sha256.clone()),
                ..new_header(settings, pet.as_deref())?
            })
        });
        let key = header.transpose()?.map(|header| {
            let text = pet.as_ref().map_or("", |pet| pet.text());
            RunKey::new(&header, text)
        });
        let images = TaskImages { train: &train_images, test: &test_images };
        let plan = pet.map(|spec| PetPlan::new(&chosen, spec, &description.blocks));
        let plan = plan.transpose()?;
        let pet_and_blocks = plan.as_ref().map(|plan| (&*plan.spec, &plan.blocks[..]));
        let trained = match &plan {
            Some(plan) => {
                let (blocks, settings) = (&plan.blocks, &plan.settings);
                plan.spec.parameter_count(&description.blocks, blocks, settings)?
            }
            None => 0,
        };
        Ok(CellForecast {
            key,
            memory: footprint::estimate_peak_memory(config, description, pet_and_blocks),
            disk: estimate_disk_bytes(
                config,
                description,
                images,
                trained,
                open.data.classes.len(),
            ),
            network: Some(Network::new(&description.entry.architecture)),
            train_images,
            test_images,
        })
    }

    fn backbone(&mut self, choice: BackboneChoice<'_>) -> Result<KnownBackbone> {
        let library = &self.library;
        let describe = || {
            Ok(KnownBackbone {
                description: library.describe(choice)?.into(),
                sha256: library.sha256(choice)?,
            })
        };
        let entry = self.backbones.entry(choice.key());
        entry.or_insert_with(describe).clone()
    }

    /// Returns the number format of the weights that a run will record.
    fn gpu_weights(
        &mut self,
        config: &RunConfig,
        description: &Description,
    ) -> Result<Option<WeightType>> {
        let family = description.entry.architecture.family().name;
        let key = format!("{} {family} {:?}", config.device, config.precision);
        let find_weight_type = || match self.opens_devices {
            false => Ok(expected_weight_type(config)),
            true => {
                let fitted = RunDevice::open(config, family, None)?;
                Ok(recorded_weight_type(config, &fitted.device.info, fitted.weights))
            }
        };
        self.gpu_weights.entry(key).or_insert_with(find_weight_type).clone()
    }

    /// Returns the dataset of these settings, and opens it unless it is the previous one.
    fn open(&mut self, config: &RunConfig) -> Result<&mut OpenData> {
        let key = data_key(config);
        let cached = self.data.take().filter(|(cached_key, _)| *cached_key == key);
        let entry = cached.unwrap_or_else(|| {
            let should_continue = || self.control.should_continue();
            let data = self.cache.data(config, &should_continue);
            let open = data.map(|data| OpenData {
                images: data.fingerprints(),
                train: count_per_class(&data.train, data.classes.len()),
                test: count_per_class(&data.test, data.classes.len()),
                scenarios: HashMap::new(),
                data,
            });
            (key, open)
        });
        let (_, open) = self.data.insert(entry);
        open.as_mut().map_err(|problem| problem.clone())
    }

    fn scenario(
        &mut self,
        chosen: &ConfiguredMethod<'_>,
        order: &ClassOrder,
    ) -> Result<Arc<Scenario>> {
        let config = chosen.config;
        let sizes = TaskSizes::parse(&config.classes_per_task)?;
        let open = self.open(config)?;
        let at_once = chosen.spec.all_at_once;
        let key = (config.order.clone(), config.classes_per_task.clone(), at_once);
        let data = &open.data;
        let entry = open.scenarios.entry(key);
        let scenario =
            entry.or_insert_with(|| plan::build_scenario(chosen, order, sizes, data).map(Arc::new));
        scenario.clone()
    }
}

/// Returns a key that identifies the dataset of these settings.
pub(super) fn data_key(config: &RunConfig) -> String {
    format!("{} {:?}", config.data, open_options(config))
}
