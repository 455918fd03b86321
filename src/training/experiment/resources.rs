//! Resources that jobs share: opened datasets and backbones, cached while they are in use.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::backbone::library::{
    self, BackboneChoice, BackboneLibrary, Description, Opened, Unplaced,
};
use crate::data::transform::Augment;
use crate::data::{Dataset, OpenOptions, PixelCache, Watch};
use crate::device::{DeviceInfo, Ready};
use crate::logging::keep_out;
use crate::method::check_start;
use crate::nn::WeightType;
use crate::pet::PetSpec;
use crate::pet::library::PluginLibrary;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::job::JobAttachments;
use crate::store::PetStart;
use crate::texts::Message;

/// Opened datasets and backbones of one process; clones share the same cache.
#[derive(Clone, Default)]
pub struct ResourceCache {
    shelves: Arc<Mutex<CachedResources>>,
    /// Plugins, backbones and data that the current job contains.
    own: Arc<JobAttachments>,
}

#[derive(Default)]
struct CachedResources {
    /// The dataset opened last, with the key that defines it.
    data: Option<(String, Arc<Dataset>)>,
    /// Decoded images of that dataset at one input size.
    pixels: Option<(String, Arc<PixelCache>)>,
    /// Backbones by device, number format of the weights, and choice.
    backbones: HashMap<(String, WeightType, String), Arc<Opened>>,
}

impl ResourceCache {
    /// Returns a handle to the same cache for a job that contains `own`.
    pub fn with_own(&self, own: &JobAttachments) -> Self {
        Self {
            shelves: Arc::clone(&self.shelves),
            own: Arc::new(own.clone()),
        }
    }

    /// Returns what the current job contains.
    pub fn own(&self) -> &JobAttachments {
        &self.own
    }

    fn shelves(&self) -> std::sync::MutexGuard<'_, CachedResources> {
        // Each entry is inserted in one step, so a job that panicked leaves no partial entry.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the cached dataset, so that it is opened again at its next use.
    pub fn forget_data(&self) {
        let mut shelves = self.shelves();
        (shelves.data, shelves.pixels) = (None, None);
    }

    /// Removes all backbones; needed if their device may be lost.
    pub fn forget_backbones(&self) {
        self.shelves().backbones.clear();
    }

    /// Opens the dataset that these settings name. While it is opened, `go_on` is called from any thread and returns
    /// whether to continue.
    ///
    /// # Errors
    /// Returns a Problem if the dataset cannot be opened, or `go_on` returned false.
    pub fn data(
        &self,
        config: &RunConfig,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Arc<Dataset>> {
        let options = open_options(config);
        let place = self.place_of_data(config);
        let key = format!("{place} {options:?}");
        if let Some((known, data)) = &self.shelves().data
            && *known == key
        {
            return Ok(data.clone());
        }
        let data = Arc::new(Dataset::open_watched(
            place,
            &options,
            &Watch::new(&|_, _, _| go_on()),
        )?);
        keep_out(&data.classes);
        self.shelves().data = Some((key, data.clone()));
        Ok(data)
    }

    /// Returns the place of the dataset: the one in the job, otherwise the one in the settings.
    fn place_of_data<'a>(&'a self, config: &'a RunConfig) -> &'a str {
        self.own.data.get(&config.data).unwrap_or(&config.data)
    }

    /// Returns the LoRA that a PET starts from: the one of the job, otherwise the one in the folder that the settings
    /// name.
    ///
    /// # Errors
    /// Returns a Problem for a folder without a LoRA, or an unknown kind of adapter.
    pub fn start(&self, config: &RunConfig) -> Result<Option<PetStart>> {
        let Some(named) = &config.pet_start else {
            return Ok(None);
        };
        let brought = self.own.starts.get(named).map(PathBuf::as_path);
        let folder = brought.unwrap_or(Path::new(named));
        check_start(folder)?;
        PetStart::at(folder).map(Some)
    }

    /// Returns the cache of decoded images of a dataset; only one input size is cached at a time.
    pub fn pixels(&self, config: &RunConfig, size: usize) -> Arc<PixelCache> {
        let key = format!(
            "{} {:?} {size} {}",
            self.place_of_data(config),
            open_options(config),
            config.cache_mb
        );
        let mut shelves = self.shelves();
        match &shelves.pixels {
            Some((known, cache)) if *known == key => cache.clone(),
            _ => {
                let cache = Arc::new(PixelCache::new(config.cache_mb.saturating_mul(1 << 20)));
                shelves.pixels = Some((key, cache.clone()));
                cache
            }
        }
    }

    /// Returns the available backbones, including those of the job.
    pub fn backbones(&self) -> BackboneLibrary {
        BackboneLibrary::usual().with_own(&self.own.backbones, &self.own.weights)
    }

    /// Returns the available PET plugins, including those of the job.
    pub fn plugins(&self) -> PluginLibrary {
        PluginLibrary::standard().with_own(&self.own.plugins)
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
        ready: &Ready,
        progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<Arc<Opened>> {
        self.placed(choice, weights, ready, || {
            library::read_from(&self.backbones(), choice, progress)
        })
    }

    /// Returns the backbone as [`ResourceCache::backbone`] does, but reads it with `read` if it is not loaded.
    ///
    /// # Errors
    /// Returns the Problem of `read`, or one for weights that do not fit.
    pub fn placed(
        &self,
        choice: BackboneChoice<'_>,
        weights: WeightType,
        ready: &Ready,
        read: impl FnOnce() -> Result<Unplaced>,
    ) -> Result<Arc<Opened>> {
        // Jobs may contain their own tables, so a name alone does not identify a network.
        let chosen = choice.key();
        let known = match (&self.own.backbones[..], self.own.weights.get(choice.name)) {
            ([], None) => chosen,
            (tables, file) => format!("{chosen}\n{tables:?}\n{file:?}"),
        };
        let key = (ready.info.selector(), weights, known);
        if let Some(opened) = self.shelves().backbones.get(&key) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(read()?.place((&ready.device, weights))?);
        let mut shelves = self.shelves();
        // Removes backbones that no job and no predictor uses any more.
        shelves
            .backbones
            .retain(|_, known| Arc::strong_count(known) > 1);
        shelves.backbones.insert(key, opened.clone());
        Ok(opened)
    }

    /// Returns whether the backbone of this name or file is loaded on a device, in any number format.
    pub fn has_backbone(&self, choice: BackboneChoice<'_>, on: &DeviceInfo) -> bool {
        let (selector, name) = (on.selector(), choice.key());
        let shelves = self.shelves();
        let mut known = shelves.backbones.keys();
        known.any(|(device, _, known)| *device == selector && *known == name)
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
pub fn augment_of(config: &RunConfig) -> Augment {
    let [low, high] = config.crop_scale;
    Augment {
        crop_scale: (low, high),
        flip: config.flip,
    }
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
