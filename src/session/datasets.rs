//! The datasets of a workspace: the current one, those of stored runs, and their images. Helper threads read them; the
//! results are cached.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Session;
use super::augmented_samples::NetworkInputsView;
use super::class_schedule::is_user_dataset;
use super::corrected_labels::Corrected;
use super::experiment::Experiment;
use super::image_cache::ImageCache;
use super::index_check::IndexChecks;
use super::loads::{DataRequest, Lookup};
use super::progress::Progress;
use super::views::{DataView, DisplayedImageSource, Fetch, ImageKey, Split};
use crate::data::scenario::Scenario;
use crate::data::{OpenOptions, builtin};
use crate::experiment::open_options;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Command, NamedImage};

/// Maximum number of datasets cached in addition to the current one.
const MAX_CACHED: usize = 12;

/// The cached datasets and their images.
#[derive(Default)]
pub(super) struct Datasets {
    /// Open datasets, by key.
    views: HashMap<String, Arc<DataView>>,
    /// Keys that were requested, answered or not.
    requested: HashSet<String>,
    /// The keys of `requested` that could not be opened.
    failed: HashSet<String>,
    /// The dataset that the page Experiment shows or waits for: its key, and the settings that request it.
    draft: Option<(String, RunConfig)>,
    /// Whether the current dataset is still being opened.
    is_opening: bool,
    /// Progress of opening the current dataset.
    opening_progress: Arc<Progress>,
    /// Decoded images of both splits and of added tasks.
    images: ImageCache,
    /// Datasets of runs that the user allowed to open.
    allowed: HashSet<String>,
    /// Training images as the network receives them.
    pub(super) network_inputs: NetworkInputsView,
    /// Labels that the user corrected.
    pub(super) corrected: Corrected,
    /// Checks whether datasets still contain the images that runs were tested on.
    pub(super) index_checks: IndexChecks,
}

impl Session {
    /// Opens this dataset for the settings, unless it is already open.
    pub(super) fn open_data(&mut self, location: &str) {
        self.experiment.draft.data = location.to_string();
        self.classify.problem = None;
        self.sync_corrected_labels();
        if self.experiment.data.problem().is_some() {
            self.datasets.remove_location(location);
            self.datasets.cancel_draft();
        }
        self.refresh_data();
        self.experiment.planning.invalidate();
    }

    /// Opens the current dataset again because its files may have changed.
    pub fn reload_data(&mut self) {
        self.choose_suitable_settings_again();
        self.classify.problem = None;
        self.datasets.remove_location(&self.experiment.draft.data);
        self.datasets.index_checks.clear();
        self.discard_label_checks(|_| true);
        self.datasets.corrected.clear_hashes();
        self.predict.inside.remove_failed();
        self.backend.send(Command::ForgetData);
        self.datasets.cancel_draft();
        self.request_data(true);
    }

    /// Opens the dataset of the settings if another dataset is shown.
    pub(super) fn refresh_data(&mut self) {
        self.request_data(false);
    }

    fn request_data(&mut self, fresh: bool) {
        let current = self.datasets.draft.as_ref();
        if current.is_some_and(|(_, config)| *config == self.experiment.draft) {
            return;
        }
        if self.experiment.draft.data.trim().is_empty() {
            self.experiment.data = Fetch::Nothing;
            self.datasets.cancel_draft();
            return;
        }
        let request = self.draft_request(fresh);
        let key = request.key();
        let is_same_location = match &mut self.datasets.draft {
            Some((current_key, config)) if *current_key == key => {
                config.clone_from(&self.experiment.draft);
                return;
            }
            Some((_, config)) => config.data == self.experiment.draft.data,
            None => false,
        };
        if is_same_location && self.datasets.is_opening {
            // While the user drags a split share, only one request is made at a time.
            return;
        }
        self.datasets.cancel_draft();
        self.datasets.draft = Some((key.clone(), self.experiment.draft.clone()));
        if let Some(view) = self.datasets.views.get(&key) {
            self.experiment.data = Fetch::Ready(view.clone());
            self.experiment.planning.invalidate();
            self.choose_suitable_settings();
            return;
        }
        if !is_same_location || self.experiment.data.ready().is_none() {
            self.experiment.data = Fetch::Busy;
        }
        self.datasets.is_opening = true;
        self.datasets.requested.insert(key);
        self.datasets.opening_progress = Arc::default();
        self.open_in_background(request, self.datasets.opening_progress.clone());
    }

    /// Returns the request for the dataset of the settings, without their limits.
    pub(super) fn draft_request(&self, fresh: bool) -> DataRequest {
        DataRequest {
            options: OpenOptions {
                // Limits can change without opening the dataset again.
                train_limit: None,
                test_limit: None,
                ..open_options(&self.experiment.draft)
            },
            location: self.experiment.draft.data.clone(),
            reload: fresh,
        }
    }

    /// Returns the progress of opening the current dataset, in words; empty before it starts.
    pub fn opening_progress_text(&self) -> String {
        self.datasets.opening_progress.text()
    }

    /// Returns the dataset of a run with the run's split and limits; absent if [`Self::needs_permission`] is true
    /// for it.
    pub fn data_of(&self, config: &RunConfig) -> Lookup<Arc<DataView>> {
        let request = run_request(config);
        let key = request.key();
        match self.datasets.views.get(&key) {
            _ if self.needs_permission(config) => Lookup::Absent,
            Some(view) => Lookup::Found(view.clone()),
            None if self.datasets.requested.contains(&key) => Lookup::Absent,
            None => Lookup::unread(|session| session.load_data(request)),
        }
    }

    /// Opens a dataset that a page shows.
    fn load_data(&mut self, request: DataRequest) {
        if self.datasets.requested.insert(request.key()) {
            self.open_in_background(request, Arc::default());
        }
    }

    /// Returns whether a run's dataset has a location that the user has not chosen. Then the user must be asked first:
    /// the run may come from somebody else, and even checking whether a path exists can take long or, on a network,
    /// reveal who checks. Built-in datasets, the current dataset and open datasets are opened without asking.
    pub fn needs_permission(&self, config: &RunConfig) -> bool {
        let location = &config.data;
        is_user_dataset(location)
            && !self.is_approved(location)
            && self.datasets.views.values().all(|view| view.location != *location)
    }

    /// Returns the remote locations that a run's settings name and that the user has not chosen. The run may
    /// come from somebody else, and even accessing these locations would reveal who accesses them.
    pub fn unapproved_locations(&self, config: &RunConfig) -> Vec<String> {
        let locations = config.remote_paths().into_iter();
        let unapproved = locations.filter(|location| !self.is_approved(location));
        unapproved.map(str::to_string).collect()
    }

    /// Returns whether the settings or the current run use this location, or the user allowed it.
    fn is_approved(&self, location: &str) -> bool {
        let live = self.train.live.as_ref().and_then(|run| run.header.as_ref());
        let configs = [Some(&self.experiment.draft), live.map(|header| &header.config)];
        let uses_location = |config: &RunConfig| {
            config.data == location || config.remote_paths().contains(&location)
        };
        self.datasets.allowed.contains(location) || configs.into_iter().flatten().any(uses_location)
    }

    /// Allows access to these locations, after the user was asked.
    pub fn allow_locations(&mut self, locations: Vec<String>) {
        self.datasets.allowed.extend(locations);
    }

    /// Retries the datasets of runs. Datasets that could not be opened may be available now, and the images of the
    /// others may have changed.
    pub fn retry_data(&mut self) {
        self.datasets.index_checks.clear();
        for key in std::mem::take(&mut self.datasets.failed) {
            self.datasets.requested.remove(&key);
        }
    }

    /// Returns whether the dataset of a run could not be opened.
    pub fn data_is_missing(&self, config: &RunConfig) -> bool {
        self.datasets.failed.contains(&run_request(config).key())
    }

    /// Returns whether a run with these settings was trained on drawings instead of photographs. If its dataset is not
    /// open, this is decided by the settings: built-in datasets are drawings, and settings that flip images are for
    /// photographs.
    pub fn are_drawings(&self, config: &RunConfig) -> bool {
        match self.data_of(config) {
            Lookup::Found(data) => data.image_kind.glyph_share.is_some(),
            Lookup::Absent | Lookup::Unread(_) => {
                builtin::names().any(|name| name == config.data) || !config.flip
            }
        }
    }

    /// Returns a decoded image of a split of an open dataset.
    pub fn sample_image(
        &self,
        data: &DataView,
        split: Split,
        index: usize,
    ) -> Lookup<Result<Arc<NamedImage>>> {
        let key = (data.key.clone(), split, index);
        self.cached_image(key, || DisplayedImageSource::Data(data.dataset.clone()))
    }

    /// Returns a decoded image by its key; `source` returns its source if it must be loaded.
    pub(super) fn cached_image(
        &self,
        key: ImageKey,
        source: impl FnOnce() -> DisplayedImageSource,
    ) -> Lookup<Result<Arc<NamedImage>>> {
        match self.datasets.images.get(&key) {
            Some(image) => Lookup::Found(image.clone()),
            None if self.datasets.images.contains(&key) => Lookup::Absent,
            None => {
                let source = source();
                Lookup::unread(|session| session.load_image(key, source))
            }
        }
    }

    /// Decodes an image that a page shows.
    fn load_image(&mut self, key: ImageKey, source: DisplayedImageSource) {
        if self.datasets.images.request(&key) {
            let requested_key = key.clone();
            self.task(
                move |_| source.read(&requested_key),
                move |session, image| session.datasets.images.insert(key, image),
            );
        }
    }

    /// Sets the class order and task sizes of the settings to those of `scenario`.
    pub fn set_scenario(&mut self, scenario: Scenario) {
        let (order, sizes) = scenario.to_settings();
        let Experiment { draft, plan, data, .. } = &mut self.experiment;
        // A named order keeps its name if only the task boundaries change.
        let current = plan.scenario.as_ref();
        if current.is_none_or(|current| current.class_order != scenario.class_order) {
            draft.order = order;
        }
        draft.classes_per_task = sizes;
        if let Some(data) = data.ready()
            && data.classes.len() == scenario.class_order.len()
        {
            // The plan is updated immediately, so that a dragged class does not jump back until the plan is computed.
            plan.set_tasks(scenario, data, draft);
        }
    }

    fn open_in_background(&mut self, request: DataRequest, progress: Arc<Progress>) {
        let (key, shared) = (request.key(), progress.clone());
        self.task(
            move |sources| sources.open_data(&request, &shared).map(Arc::new),
            move |session, view| session.accept_dataset(&key, &progress, view),
        );
    }

    fn accept_dataset(&mut self, key: &str, progress: &Progress, result: Result<Arc<DataView>>) {
        if result.is_err() && progress.is_stopped() {
            return; // It is not needed any more.
        }
        let draft = self.datasets.draft.as_ref();
        let is_current = draft.is_some_and(|(draft, _)| draft == key);
        match &result {
            Ok(view) => {
                self.datasets.failed.remove(key);
                self.datasets.cache_view(key, view.clone());
            }
            Err(problem) => {
                // A run can have the same dataset as the settings.
                self.datasets.failed.insert(key.to_string());
                if !is_current {
                    // Reported here, because no page shows why a run's dataset cannot be opened.
                    self.notify(problem.clone(), true);
                }
            }
        }
        if is_current {
            self.datasets.is_opening = false;
            self.experiment.data.fill(result);
            self.experiment.planning.invalidate();
            self.choose_suitable_settings();
        }
    }
}

/// Returns the request for a run's dataset.
fn run_request(config: &RunConfig) -> DataRequest {
    DataRequest { location: config.data.clone(), options: open_options(config), reload: false }
}

impl Datasets {
    fn cache_view(&mut self, key: &str, view: Arc<DataView>) {
        if self.views.len() >= MAX_CACHED {
            let draft = self.draft.as_ref().map(|(key, _)| key.clone());
            self.views.retain(|cached, _| Some(cached) == draft.as_ref());
            let views = &self.views;
            self.requested.retain(|key| views.contains_key(key));
            self.images = ImageCache::default();
        }
        self.requested.insert(key.to_string());
        self.views.insert(key.to_string(), view);
    }

    /// Drops the request for the current dataset and stops opening it.
    fn cancel_draft(&mut self) {
        let Some((key, _)) = self.draft.take() else {
            return;
        };
        if std::mem::take(&mut self.is_opening) {
            self.opening_progress.stop();
            self.requested.remove(&key);
        }
    }

    /// Removes everything that was cached about this location.
    fn remove_location(&mut self, location: &str) {
        let removed = self.views.extract_if(|_, view| view.location == location);
        let removed: HashSet<Arc<str>> = removed.map(|(_, view)| view.key.clone()).collect();
        let views = &self.views;
        self.requested.retain(|key| views.contains_key(key));
        self.images.retain(|key| !removed.contains(key));
        self.network_inputs.invalidate();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_dataset_of_settings_is_missing_for_runs() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("gone").display().to_string();
        let draft = RunConfig { data, ..RunConfig::default() };
        let (mut session, _) = Session::for_test(draft.clone());
        session.wait_until_idle();
        assert!(session.experiment.data.problem().is_some());
        assert!(session.data_is_missing(&draft));
    }
}
