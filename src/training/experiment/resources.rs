//! What jobs share: opened data sets and backbones, kept while they are in use.

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
use crate::run::job::Own;
use crate::store::PetStart;
use crate::texts::Message;

/// Shared by all jobs of one process; clones are handles on the same shelves.
#[derive(Clone, Default)]
pub struct ResourceCache {
    shelves: Arc<Mutex<Shelves>>,
    /// What the job at work brings along.
    own: Arc<Own>,
}

#[derive(Default)]
struct Shelves {
    /// The data set opened last, by what defines it.
    data: Option<(String, Arc<Dataset>)>,
    /// Decoded images of that data set at one working size.
    pixels: Option<(String, Arc<PixelCache>)>,
    /// Backbones by device, number format of the weights, and choice.
    backbones: HashMap<(String, WeightType, String), Arc<Opened>>,
}

impl ResourceCache {
    /// The same shelves for a job that brings this along.
    pub fn with_own(&self, own: &Own) -> Self {
        Self {
            shelves: Arc::clone(&self.shelves),
            own: Arc::new(own.clone()),
        }
    }

    /// What the job at work brings along.
    pub fn own(&self) -> &Own {
        &self.own
    }

    fn shelves(&self) -> std::sync::MutexGuard<'_, Shelves> {
        // A job that panicked leaves whole entries behind: each is inserted in one step.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens data sets again when they are used next.
    pub fn forget_data(&self) {
        let mut shelves = self.shelves();
        (shelves.data, shelves.pixels) = (None, None);
    }

    /// Drops all backbones: their device may be lost.
    pub fn forget_backbones(&self) {
        self.shelves().backbones.clear();
    }

    /// The data set these settings name. While it is being opened, `go_on` is asked from any
    /// thread whether to continue.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be opened, or `go_on` said no.
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

    /// The place of the data set of these settings: where the job brought it, else where they say.
    fn place_of_data<'a>(&'a self, config: &'a RunConfig) -> &'a str {
        self.own.data.get(&config.data).unwrap_or(&config.data)
    }

    /// The LoRA that these settings have a PET start from: the one that the job brought, else the one in the folder they
    /// name.
    ///
    /// # Errors
    /// Returns a Problem for a folder without one, or a kind of adapter that is not known.
    pub fn start(&self, config: &RunConfig) -> Result<Option<PetStart>> {
        let Some(named) = &config.pet_start else {
            return Ok(None);
        };
        let brought = self.own.starts.get(named).map(PathBuf::as_path);
        let folder = brought.unwrap_or(Path::new(named));
        check_start(folder)?;
        PetStart::at(folder).map(Some)
    }

    /// Decoded images of a data set, kept for one working size at a time.
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

    /// The available backbones, with those that were brought along.
    pub fn backbones(&self) -> BackboneLibrary {
        BackboneLibrary::usual().with_own(&self.own.backbones, &self.own.weights)
    }

    /// The available PET plugins, with those that were brought along.
    pub fn plugins(&self) -> PluginLibrary {
        PluginLibrary::standard().with_own(&self.own.plugins)
    }

    /// Downloads a backbone that cannot be described before.
    ///
    /// # Errors
    /// Returns a Problem if it cannot be had.
    pub fn bring(
        &self,
        choice: BackboneChoice<'_>,
        progress: &mut dyn FnMut(Message) -> bool,
    ) -> Result<()> {
        library::bring(&self.backbones(), choice, progress)
    }

    /// Describes the backbone of this name or file without loading its weights.
    ///
    /// # Errors
    /// Returns a Problem if there is none, or its file cannot be read.
    pub fn describe(&self, choice: BackboneChoice<'_>) -> Result<Description> {
        self.backbones().describe(choice)
    }

    /// The backbone of this name or file on a device, computed in this way; its weights are
    /// downloaded if they are missing, `progress` says so.
    ///
    /// # Errors
    /// Returns a Problem if the weights cannot be had or do not fit.
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

    /// The same, made of what `read` gives if it is not loaded.
    ///
    /// # Errors
    /// Those of `read`, or the weights do not fit.
    pub fn placed(
        &self,
        choice: BackboneChoice<'_>,
        weights: WeightType,
        ready: &Ready,
        read: impl FnOnce() -> Result<Unplaced>,
    ) -> Result<Arc<Opened>> {
        // One name is not one network where jobs bring their own.
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
        // Those that no job and no predictor holds any more make room.
        shelves
            .backbones
            .retain(|_, known| Arc::strong_count(known) > 1);
        shelves.backbones.insert(key, opened.clone());
        Ok(opened)
    }

    /// Whether the backbone of this name or file is loaded on a device, in whatever way.
    pub fn has_backbone(&self, choice: BackboneChoice<'_>, on: &DeviceInfo) -> bool {
        let (selector, name) = (on.selector(), choice.key());
        let shelves = self.shelves();
        let mut known = shelves.backbones.keys();
        known.any(|(device, _, known)| *device == selector && *known == name)
    }

    /// The PET plugin of this name: the one that was brought along, else as the files say now.
    ///
    /// # Errors
    /// Returns a Problem if there is none, or its file is broken.
    pub fn plugin(&self, name: &str) -> Result<Arc<PetSpec>> {
        self.plugins().get(name)
    }
}

/// How these settings vary training images.
pub fn augment_of(config: &RunConfig) -> Augment {
    let [low, high] = config.crop_scale;
    Augment {
        crop_scale: (low, high),
        flip: config.flip,
        ..Augment::default()
    }
}

/// How a run's settings open its data set.
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
