//! The datasets of a workspace: the current one, those of stored runs, and their images. Helper threads read them; the
//! results are cached.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Session;
use super::augmented_samples::NetworkInputsView;
use super::corrected::Corrected;
use super::experiment::Experiment;
use super::image_cache::Album;
use super::index_check::IndexChecks;
use super::loads::{DataAsk, Lookup};
use super::progress::Progress;
use super::views::{DataView, Fetch, PictureKey, PictureSource, Split};
use crate::data::scenario::Scenario;
use crate::data::{OpenOptions, builtin, published};
use crate::experiment::open_options;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Command, Picture};

/// Maximum number of datasets cached in addition to the current one.
const MOST: usize = 12;

/// The cached datasets and their images.
#[derive(Default)]
pub(super) struct DataSets {
    /// Open datasets, by key.
    views: HashMap<String, Arc<DataView>>,
    /// Keys that were requested, answered or not.
    asked: HashSet<String>,
    /// The keys of `asked` that could not be opened.
    failed: HashSet<String>,
    /// The dataset that the page Experiment shows or waits for: its key, and the settings that request it.
    draft: Option<(String, RunConfig)>,
    /// Whether the current dataset is still being opened.
    waiting: bool,
    /// Progress of opening the current dataset.
    opening: Arc<Progress>,
    /// Decoded images of both splits and of added tasks.
    pictures: Album,
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
    pub(super) fn open_data(&mut self, place: &str) {
        self.experiment.draft.data = place.to_string();
        self.follow_corrected();
        if self.experiment.data.problem().is_some() {
            self.sets.forget(place);
            self.sets.leave();
        }
        self.refresh_data();
        self.experiment.planning.renew();
    }

    /// Opens the current dataset again because its files may have changed.
    pub fn read_data_again(&mut self) {
        self.choose_suitable_settings_again();
        self.sets.forget(&self.experiment.draft.data);
        self.sets.index_checks.forget();
        self.forget_doubts(|_| true);
        self.sets.corrected.forget_hashes();
        self.backend.send(Command::ForgetData);
        self.sets.leave();
        self.ask_data(true);
    }

    /// Opens the dataset of the settings if another dataset is shown.
    pub(super) fn refresh_data(&mut self) {
        self.ask_data(false);
    }

    fn ask_data(&mut self, fresh: bool) {
        let known = self.sets.draft.as_ref();
        if known.is_some_and(|(_, config)| *config == self.experiment.draft) {
            return;
        }
        if self.experiment.draft.data.trim().is_empty() {
            self.experiment.data = Fetch::Nothing;
            self.sets.leave();
            return;
        }
        let ask = self.draft_data(fresh);
        let key = ask.key();
        let same_place = match &mut self.sets.draft {
            Some((known, config)) if *known == key => {
                config.clone_from(&self.experiment.draft);
                return;
            }
            Some((_, config)) => config.data == self.experiment.draft.data,
            None => false,
        };
        if same_place && self.sets.waiting {
            // While the user drags a split share, only one request is made at a time.
            return;
        }
        self.sets.leave();
        self.sets.draft = Some((key.clone(), self.experiment.draft.clone()));
        if let Some(view) = self.sets.views.get(&key) {
            self.experiment.data = Fetch::Ready(view.clone());
            self.experiment.planning.renew();
            self.choose_suitable_settings();
            return;
        }
        if !same_place || self.experiment.data.ready().is_none() {
            self.experiment.data = Fetch::Busy;
        }
        self.sets.waiting = true;
        self.sets.asked.insert(key);
        self.sets.opening = Arc::default();
        self.task_to_open(ask, self.sets.opening.clone());
    }

    /// Returns the request for the dataset of the settings, without their limits.
    pub(super) fn draft_data(&self, fresh: bool) -> DataAsk {
        DataAsk {
            options: OpenOptions {
                // Limits can change without opening the dataset again.
                train_limit: None,
                test_limit: None,
                ..open_options(&self.experiment.draft)
            },
            place: self.experiment.draft.data.clone(),
            fresh,
        }
    }

    /// Returns the progress of opening the current dataset, in words; empty before it starts.
    pub fn opening_words(&self) -> String {
        self.sets.opening.words()
    }

    /// Returns the dataset of a run with the run's split and limits; absent if [`Self::asks_before_opening`] is true
    /// for it.
    pub fn data_of(&self, config: &RunConfig) -> Lookup<Arc<DataView>> {
        let ask = asked_of(config);
        let key = ask.key();
        match self.sets.views.get(&key) {
            _ if self.asks_before_opening(config) => Lookup::Absent,
            Some(view) => Lookup::Found(view.clone()),
            None if self.sets.asked.contains(&key) => Lookup::Absent,
            None => Lookup::unread(|session| session.load_data(ask)),
        }
    }

    /// Opens a dataset that a page shows.
    fn load_data(&mut self, ask: DataAsk) {
        if self.sets.asked.insert(ask.key()) {
            self.task_to_open(ask, Arc::default());
        }
    }

    /// Returns whether a run's dataset is in a place that the user has not chosen. Then the user must be asked first:
    /// the run may come from somebody else, and even checking whether a path exists can take long or, on a network,
    /// reveal who checks. Built-in datasets, the current dataset and open datasets are opened without asking.
    pub fn asks_before_opening(&self, config: &RunConfig) -> bool {
        let place = &config.data;
        let known = builtin::names().any(|name| name == place)
            || published::published(place).is_some()
            || self.is_chosen(place)
            || self.sets.views.values().any(|view| view.place == *place);
        !known
    }

    /// Returns the places on other computers that a run's settings name and that the user has not chosen. The run may
    /// come from somebody else, and even accessing these places would reveal who accesses them.
    pub fn unvisited(&self, config: &RunConfig) -> Vec<String> {
        let places = config.elsewhere().into_iter();
        let unasked = places.filter(|place| !self.is_chosen(place));
        unasked.map(str::to_string).collect()
    }

    /// Returns whether the settings or the current run use this place, or the user allowed it.
    fn is_chosen(&self, place: &str) -> bool {
        let live = self.train.live.as_ref().and_then(|run| run.header.as_ref());
        let chosen = [
            Some(&self.experiment.draft),
            live.map(|header| &header.config),
        ];
        let names =
            |config: &RunConfig| config.data == place || config.elsewhere().contains(&place);
        self.sets.allowed.contains(place) || chosen.into_iter().flatten().any(names)
    }

    /// Allows access to these places, after the user was asked.
    pub fn allow(&mut self, places: Vec<String>) {
        self.sets.allowed.extend(places);
    }

    /// Retries the datasets of runs. Datasets that could not be opened may be available now, and the images of the
    /// others may have changed.
    pub fn retry_data(&mut self) {
        self.sets.index_checks.forget();
        for key in std::mem::take(&mut self.sets.failed) {
            self.sets.asked.remove(&key);
        }
    }

    /// Returns whether the dataset of a run could not be opened.
    pub fn data_is_missing(&self, config: &RunConfig) -> bool {
        self.sets.failed.contains(&asked_of(config).key())
    }

    /// Returns whether a run with these settings was trained on drawings instead of photographs. If its dataset is not
    /// open, this is decided by the settings: built-in datasets are drawings, and settings that flip images are for
    /// photographs.
    pub fn are_drawings(&self, config: &RunConfig) -> bool {
        match self.data_of(config) {
            Lookup::Found(data) => data.looks.glyph_share.is_some(),
            Lookup::Absent | Lookup::Unread(_) => {
                builtin::names().any(|name| name == config.data) || !config.flip
            }
        }
    }

    /// Returns a decoded image of a split of an open dataset.
    pub fn picture_of(
        &self,
        data: &DataView,
        split: Split,
        index: usize,
    ) -> Lookup<Result<Arc<Picture>>> {
        let key = (data.key.clone(), split, index);
        self.picture_with(key, || PictureSource::Data(data.dataset.clone()))
    }

    /// Returns a decoded image by its key; `source` returns its source if it must be loaded.
    pub(super) fn picture_with(
        &self,
        key: PictureKey,
        source: impl FnOnce() -> PictureSource,
    ) -> Lookup<Result<Arc<Picture>>> {
        match self.sets.pictures.get(&key) {
            Some(picture) => Lookup::Found(picture.clone()),
            None if self.sets.pictures.is_asked(&key) => Lookup::Absent,
            None => {
                let source = source();
                Lookup::unread(|session| session.load_picture(key, source))
            }
        }
    }

    /// Decodes an image that a page shows.
    fn load_picture(&mut self, key: PictureKey, source: PictureSource) {
        if self.sets.pictures.ask(&key) {
            let asked = key.clone();
            self.task(
                move |_| source.read(&asked),
                move |session, picture| session.sets.pictures.put(key, picture),
            );
        }
    }

    /// Sets the class order and task sizes of the settings to those of `scenario`.
    pub fn arrange(&mut self, scenario: Scenario) {
        let (order, sizes) = scenario.as_settings();
        let Experiment {
            draft, plan, data, ..
        } = &mut self.experiment;
        // A named order keeps its name if only the task boundaries change.
        let now = plan.scenario.as_ref();
        if now.is_none_or(|now| now.class_order != scenario.class_order) {
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

    fn task_to_open(&mut self, ask: DataAsk, progress: Arc<Progress>) {
        let (key, shared) = (ask.key(), progress.clone());
        self.task(
            move |sources| sources.open_data(&ask, &shared).map(Arc::new),
            move |session, view| session.accept_dataset(&key, &progress, view),
        );
    }

    fn accept_dataset(&mut self, key: &str, progress: &Progress, answer: Result<Arc<DataView>>) {
        if answer.is_err() && progress.is_stopped() {
            return; // It is not needed any more.
        }
        let draft = self.sets.draft.as_ref();
        let mine = draft.is_some_and(|(draft, _)| draft == key);
        match &answer {
            Ok(view) => self.sets.cache_view(key, view.clone()),
            // Reported here, because no page shows a run's dataset that cannot be opened.
            Err(problem) if !mine => {
                self.sets.failed.insert(key.to_string());
                self.notify(problem.clone(), true);
            }
            Err(_) => {}
        }
        if mine {
            self.sets.waiting = false;
            self.experiment.data.fill(answer);
            self.experiment.planning.renew();
            self.choose_suitable_settings();
        }
    }
}

/// Returns the request for a run's dataset.
fn asked_of(config: &RunConfig) -> DataAsk {
    DataAsk {
        place: config.data.clone(),
        options: open_options(config),
        fresh: false,
    }
}

impl DataSets {
    fn cache_view(&mut self, key: &str, view: Arc<DataView>) {
        if self.views.len() >= MOST {
            let draft = self.draft.as_ref().map(|(key, _)| key.clone());
            self.views.retain(|known, _| Some(known) == draft.as_ref());
            let views = &self.views;
            self.asked.retain(|asked| views.contains_key(asked));
            self.pictures = Album::default();
        }
        self.asked.insert(key.to_string());
        self.views.insert(key.to_string(), view);
    }

    /// Drops the request for the current dataset and stops opening it.
    fn leave(&mut self) {
        let Some((left, _)) = self.draft.take() else {
            return;
        };
        if std::mem::take(&mut self.waiting) {
            self.opening.stop();
            self.asked.remove(&left);
        }
    }

    /// Removes everything that was cached about this place.
    fn forget(&mut self, place: &str) {
        let gone = self.views.extract_if(|_, view| view.place == place);
        let gone: HashSet<Arc<str>> = gone.map(|(_, view)| view.key.clone()).collect();
        let views = &self.views;
        self.asked.retain(|asked| views.contains_key(asked));
        self.pictures.retain(|key| !gone.contains(key));
        self.network_inputs.forget();
    }
}
