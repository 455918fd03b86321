//! What jobs share: opened data sets and backbones, kept while they are in use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::backbone::library::{self, Opened};
use crate::data::{Dataset, OpenOptions, PixelCache};
use crate::device::Ready;
use crate::pet::PetSpec;
use crate::pet::library::Library;
use crate::problem::Result;
use crate::run::config::RunConfig;

/// Shared by all jobs of one process; clones are handles on the same shelves.
#[derive(Clone, Default)]
pub struct Stock(Arc<Mutex<Shelves>>);

#[derive(Default)]
struct Shelves {
    /// The data set opened last, by what defines it.
    data: Option<(String, Arc<Dataset>)>,
    /// Decoded pictures of that data set at one working size.
    pixels: Option<(String, Arc<PixelCache>)>,
    /// Backbones by device and name.
    backbones: HashMap<(String, String), Arc<Opened>>,
}

impl Stock {
    fn shelves(&self) -> std::sync::MutexGuard<'_, Shelves> {
        // A job that panicked leaves whole entries behind: each is inserted in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data set these settings name.
    ///
    /// # Errors
    /// A Problem when it cannot be opened.
    pub fn data(&self, config: &RunConfig) -> Result<Arc<Dataset>> {
        let options = open_options(config);
        let key = format!("{} {options:?}", config.data);
        if let Some((known, data)) = &self.shelves().data
            && *known == key
        {
            return Ok(data.clone());
        }
        let data = Arc::new(Dataset::open(&config.data, &options)?);
        self.shelves().data = Some((key, data.clone()));
        Ok(data)
    }

    /// Decoded pictures of a data set, kept for one working size at a time.
    pub fn pixels(&self, config: &RunConfig, size: usize) -> Arc<PixelCache> {
        let key = format!(
            "{} {:?} {size} {}",
            config.data,
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

    /// The backbone of this name or file on a device; weights are downloaded when they are not at
    /// hand, `progress` says so.
    ///
    /// # Errors
    /// A Problem when the weights cannot be had or do not fit.
    pub fn backbone(
        &self,
        name: &str,
        ready: &Ready,
        progress: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Arc<Opened>> {
        let key = (ready.info.selector(), name.to_string());
        if let Some(opened) = self.shelves().backbones.get(&key) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(library::open(name, &ready.device, progress)?);
        self.shelves().backbones.insert(key, opened.clone());
        Ok(opened)
    }

    /// The PET plugin of this name as the files say now.
    ///
    /// # Errors
    /// A Problem when there is none, or its file is broken.
    pub fn plugin(&self, name: &str) -> Result<Arc<PetSpec>> {
        Library::standard().get(name)
    }
}

/// How a run's settings open its data set.
pub fn open_options(config: &RunConfig) -> OpenOptions {
    OpenOptions {
        test_share: config.test_share,
        validation_share: config.validation_share,
        split_seed: config.split_seed,
        train_limit: config.train_limit,
        test_limit: config.test_limit,
        ..OpenOptions::default()
    }
}
