//! Resources that jobs share: opened datasets and backbones, cached while they are in use.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::backbone::library::{
    self, BackboneChoice, BackboneLibrary, Description, OpenedBackbone, UnplacedBackbone,
};
use crate::data::transform::Augment;
use crate::data::{Dataset, OpenOptions, PixelCache, ProgressReporter};
use crate::device::{DeviceInfo, ReadyDevice};
use crate::logging::redact;
use crate::method::check_start;
use crate::nn::WeightType;
use crate::pet::PetSpec;
use crate::pet::library::PluginLibrary;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::job::JobAttachments;
use crate::store::PetStart;
use crate::sync::lock;
use crate::texts::Message;

/// Opened datasets and backbones of one process; clones share the same cache.
#[derive(Clone, Default)]
pub struct ResourceCache {
    resources: Arc<Mutex<CachedResources>>,
    /// Plugins, backbones and data that the current job contains.
    attachments: Arc<JobAttachments>,
}

#[derive(Default)]
struct CachedResources {
    /// The dataset opened last, with the key that defines it.
    data: Option<(String, Arc<Dataset>)>,
    /// Decoded images of that dataset at one input size.
    pixels: Option<(String, Arc<PixelCache>)>,
    /// Backbones by device, number format of the weights, and choice.
    backbones: HashMap<(String, WeightType, String), Arc<OpenedBackbone>>,
}

impl ResourceCache {
    /// Returns a handle to the same cache for a job with these attachments.
    pub fn with_attachments(&self, attachments: &JobAttachments) -> Self {
        Self { resources: Arc::clone(&self.resources), attachments: Arc::new(attachments.clone()) }
    }

    /// Returns the attachments of the current job.
    pub fn attachments(&self) -> &JobAttachments {
        &self.attachments
    }

    fn lock_resources(&self) -> std::sync::MutexGuard<'_, CachedResources> {
        // Each entry is inserted in one step, so a job that panicked leaves no partial entry.
        lock(&self.resources)
    }

    /// Removes the cached dataset, so that it is opened again at its next use.
    pub fn forget_data(&self) {
        let mut resources = self.lock_resources();
        (resources.data, resources.pixels) = (None, None);
    }

    /// Removes all backbones; needed if their device may be lost.
    pub fn forget_backbones(&self) {
        self.lock_resources().backbones.clear();
    }

    /// Opens the dataset that these settings name. While it is opened, `should_continue` is called from any thread and
    /// returns whether to continue.
    ///
    /// # Errors
    /// Returns a Problem if the dataset cannot be opened, or `should_continue` returned false.
    pub fn data(
        &self,
        config: &RunConfig,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<Arc<Dataset>> {
        let options = open_options(config);
        let path = self.data_path(config);
        let key = format!("{path} {options:?}");
        if let Some((cached_key, data)) = &self.lock_resources().data
            && *cached_key == key
        {
            return Ok(data.clone());
        }
        let data = Arc::new(Dataset::open_with_progress(
            path,
            &options,
            &ProgressReporter::new(&|_, _, _| should_continue()),
        )?);
        redact(&data.classes);
        self.lock_resources().data = Some((key, data.clone()));
        Ok(data)
    }

    /// Returns the path of the dataset: the one in the job, otherwise the one in the settings.
    fn data_path<'a>(&'a self, config: &'a RunConfig) -> &'a str {
        self.attachments.data.get(&config.data).unwrap_or(&config.data)
    }

    /// Returns the LoRA that a PET starts from: the one of the job, otherwise the one in the folder that the settings
    /// name.
    ///
    /// # Errors
    /// Returns a Problem for a folder without a LoRA, or an unknown kind of adapter.
    pub fn start(&self, config: &RunConfig) -> Result<Option<PetStart>> {
        let Some(path) = &config.pet_start else {
            return Ok(None);
        };
        let attached = self.attachments.starts.get(path).map(PathBuf::as_path);
        let folder = attached.unwrap_or(Path::new(path));
        check_start(folder)?;
        PetStart::load(folder).map(Some)
    }

    /// Returns the cache of decoded images of a dataset; only one input size is cached at a time.
    pub fn pixels(&self, config: &RunConfig, size: usize) -> Arc<PixelCache> {
        let key = format!(
            "{} {:?} {size} {}",
            self.data_path(config),
            open_options(config),
            config.cache_mb
        );
        let mut resources = self.lock_resources();
        match &resources.pixels {
            Some((cached_key, cache)) if *cached_key == key => cache.clone(),
            _ => {
                let cache = Arc::new(PixelCache::new(config.cache_mb.saturating_mul(1 << 20)));
                resources.pixels = Some((key, cache.clone()));
                cache
            }
        }
    }

    /// Returns the available backbones, including those of the job.
    pub fn backbones(&self) -> BackboneLibrary {
        BackboneLibrary::with_default_locations()
            .with_user_entries(&self.attachments.backbones, &self.attachments.weights)
    }

    /// Returns the available PET plugins, including those of the job.
    pub fn plugins(&self) -> PluginLibrary {
        PluginLibrary::standard().with_plugins(&self.attachments.plugins)
    }

    /// Downloads a backbone that can only be described after its download.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be downloaded.
    pub fn download_unlisted(
        &self,
        choice: BackboneChoice<'_>,
        progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        library::download_unlisted(&self.backbones(), choice, progress)
    }

    /// Describes the backbone of this name or file without loading its weights.
    ///
    /// # Errors
    /// Returns a Problem if it does not exist, or its file cannot be read.
    pub fn describe(&self, choice: BackboneChoice<'_>) -> Result<Description> {
        self.backbones().describe(choice)
    }

    /// Returns the backbone of this name or file on a device, with weights in this number format. Downloads missing
    /// weights and reports this to `progress`.
    ///
    /// # Errors
    /// Returns a Problem if the weights are not available or do not fit.
    pub fn backbone(
        &self,
        choice: BackboneChoice<'_>,
        weights: WeightType,
        ready: &ReadyDevice,
        progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<Arc<OpenedBackbone>> {
        self.get_or_load_backbone(choice, weights, ready, || {
            library::read_from(&self.backbones(), choice, progress)
        })
    }

    /// Returns the backbone as [`ResourceCache::backbone`] does, but reads it with `read` if it is not loaded.
    ///
    /// # Errors
    /// Returns the Problem of `read`, or one for weights that do not fit.
    pub fn get_or_load_backbone(
        &self,
        choice: BackboneChoice<'_>,
        weights: WeightType,
        ready: &ReadyDevice,
        read: impl FnOnce() -> Result<UnplacedBackbone>,
    ) -> Result<Arc<OpenedBackbone>> {
        // Jobs may contain their own tables, so a name alone does not identify a network.
        let chosen = choice.key();
        let name =
            match (&self.attachments.backbones[..], self.attachments.weights.get(choice.name)) {
                ([], None) => chosen,
                (tables, file) => format!("{chosen}\n{tables:?}\n{file:?}"),
            };
        let key = (ready.info.selector(), weights, name);
        if let Some(opened) = self.lock_resources().backbones.get(&key) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(read()?.place((&ready.device, weights))?);
        let mut resources = self.lock_resources();
        // Removes backbones that no job and no predictor uses any more.
        resources.backbones.retain(|_, backbone| Arc::strong_count(backbone) > 1);
        resources.backbones.insert(key, opened.clone());
        Ok(opened)
    }

    /// Returns whether the backbone of this name or file is loaded on a device, in any number format.
    pub fn has_backbone(&self, choice: BackboneChoice<'_>, info: &DeviceInfo) -> bool {
        let (selector, name) = (info.selector(), choice.key());
        let resources = self.lock_resources();
        let mut keys = resources.backbones.keys();
        keys.any(|(device, _, cached_name)| *device == selector && *cached_name == name)
    }

    /// Returns the PET plugin of this name: the one of the job, otherwise the one in the current files.
    ///
    /// # Errors
    /// Returns a Problem if it does not exist, or its file is broken.
    pub fn plugin(&self, name: &str) -> Result<Arc<PetSpec>> {
        self.plugins().get(name)
    }
}

/// Returns the augmentation of training images in these settings.
pub fn augmentation(config: &RunConfig) -> Augment {
    let [low, high] = config.crop_scale;
    Augment { crop_scale: (low, high), flip: config.flip }
}

/// Returns the options with which these settings open their dataset.
pub fn open_options(config: &RunConfig) -> OpenOptions {
    OpenOptions {
        test_share: config.test_share,
        validation_share: config.validation_share,
        split_seed: config.split_seed,
        copies_together: config.copies_together,
        near_copies_together: config.near_copies_together,
        train_limit: config.train_limit,
        test_limit: config.test_limit,
        bit_depth: config.bit_depth,
        corrected: config.corrected.clone(),
        stored_names: config.stored_names.clone(),
        ..OpenOptions::default()
    }
}
