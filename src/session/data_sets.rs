//! The data sets of a workspace: the one of the settings, those behind stored runs, their pictures.
//! Everything is read by tasks; what was read before is kept.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Session;
use super::album::Album;
use super::corrected::Corrected;
use super::experiment::Experiment;
use super::loads::{DataAsk, Load, Lookup};
use super::progress::Progress;
use super::sight::SightView;
use super::tested::Tested;
use super::views::{DataView, Fetch, PictureKey, Pictures, Split};
use crate::data::scenario::Scenario;
use crate::data::{OpenOptions, builtin, named};
use crate::experiment::open_options;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::{Command, Picture};

/// Data sets kept besides the one of the settings.
const MOST: usize = 12;

/// What is known of data sets.
#[derive(Default)]
pub(super) struct DataSets {
    /// Opened ones, by key.
    views: HashMap<String, Arc<DataView>>,
    /// Keys that were asked for, answered or not.
    asked: HashSet<String>,
    /// Those of them that could not be opened.
    failed: HashSet<String>,
    /// What `Session::data` shows or waits for: key, and the settings that ask for it.
    draft: Option<(String, RunConfig)>,
    /// Whether the answer for the settings is still under way.
    waiting: bool,
    /// How far that is.
    opening: Arc<Progress>,
    /// Decoded images of both splits, and those of added tasks.
    pictures: Album,
    /// Places of runs' data sets that the person wants to be opened.
    allowed: HashSet<String>,
    /// Training images as the network gets them.
    pub(super) sight: SightView,
    /// Labels that the person corrected.
    pub(super) corrected: Corrected,
    /// Whether data sets still hold the images that runs were tested on.
    pub(super) tested: Tested,
}

impl Session {
    /// Opens this as the data set of the settings, if it is not open already.
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

    /// Opens the data set of the settings anew: its files may have changed.
    pub fn read_data_again(&mut self) {
        self.suit_again();
        self.sets.forget(&self.experiment.draft.data);
        self.sets.tested.forget();
        self.forget_doubts(|_| true);
        self.sets.corrected.forget_hashes();
        self.backend.send(Command::ForgetData);
        self.sets.leave();
        self.ask_data(true);
    }

    /// Opens what the settings name, if that is not what is shown.
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
            // A share is being dragged: one question at a time.
            return;
        }
        self.sets.leave();
        self.sets.draft = Some((key.clone(), self.experiment.draft.clone()));
        if let Some(view) = self.sets.views.get(&key) {
            self.experiment.data = Fetch::Ready(view.clone());
            self.experiment.planning.renew();
            self.suit_data();
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

    /// The data set of the settings, without their limits.
    pub(super) fn draft_data(&self, fresh: bool) -> DataAsk {
        DataAsk {
            options: OpenOptions {
                // Limits are counted without opening the data set again.
                train_limit: None,
                test_limit: None,
                ..open_options(&self.experiment.draft)
            },
            place: self.experiment.draft.data.clone(),
            fresh,
        }
    }

    /// How far the opening of the settings' data set is, in words; empty at its beginning.
    pub fn opening_words(&self) -> String {
        self.sets.opening.words()
    }

    /// The data set of a run, split and limited as the run had it; absent while [`Self::asks_before_opening`] it.
    pub fn data_of(&self, config: &RunConfig) -> Lookup<Arc<DataView>> {
        let ask = asked_of(config);
        let key = ask.key();
        match self.sets.views.get(&key) {
            _ if self.asks_before_opening(config) => Lookup::Absent,
            Some(view) => Lookup::Found(view.clone()),
            None if self.sets.asked.contains(&key) => Lookup::Absent,
            None => Lookup::Unread(Load::Data(Box::new(ask))),
        }
    }

    /// Opens a data set that a page shows.
    pub(super) fn load_data(&mut self, ask: DataAsk) {
        if self.sets.asked.insert(ask.key()) {
            self.task_to_open(ask, Arc::default());
        }
    }

    /// Whether a run's data set lies where this person has not chosen to look. A run's folder may
    /// come from somebody else, and merely looking at a path can take long or, on a network, tell
    /// who looks. What the program has itself, what the settings name and what is open already is
    /// opened unasked.
    pub fn asks_before_opening(&self, config: &RunConfig) -> bool {
        let place = &config.data;
        let known = builtin::names().any(|name| name == place)
            || named::published(place).is_some()
            || self.is_chosen(place)
            || self.sets.views.values().any(|view| view.place == *place);
        !known
    }

    /// The places of other computers that a run's settings name and that this person has chosen nowhere: merely
    /// looking there tells who looks, and the run may be somebody else's.
    pub fn unvisited(&self, config: &RunConfig) -> Vec<String> {
        let places = config.elsewhere().into_iter();
        let unasked = places.filter(|place| !self.is_chosen(place));
        unasked.map(str::to_string).collect()
    }

    /// Whether the settings or those of the run at work name this place, or the person was asked about it.
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

    /// Lets these places be looked at: the person was asked.
    pub fn allow(&mut self, places: Vec<String>) {
        self.sets.allowed.extend(places);
    }

    /// Looks again at the data sets of runs: those that could not be opened may be there by now,
    /// and the images of the others may be other ones.
    pub fn retry_data(&mut self) {
        self.sets.tested.forget();
        for key in std::mem::take(&mut self.sets.failed) {
            self.sets.asked.remove(&key);
        }
    }

    /// Whether the data set of a run was asked for and could not be opened.
    pub fn data_is_missing(&self, config: &RunConfig) -> bool {
        self.sets.failed.contains(&asked_of(config).key())
    }

    /// Whether a run with these settings learned drawings, which a person can draw, and not photographs. Where its data
    /// set is not open, what is built in is known, and settings that mirror pictures are those of photographs.
    pub fn are_drawings(&self, config: &RunConfig) -> bool {
        match self.data_of(config) {
            Lookup::Found(data) => data.glyph_share.is_some(),
            Lookup::Absent | Lookup::Unread(_) => {
                builtin::names().any(|name| name == config.data) || !config.flip
            }
        }
    }

    /// A decoded image of a split of an open data set.
    pub fn picture_of(
        &self,
        data: &DataView,
        split: Split,
        index: usize,
    ) -> Lookup<Result<Arc<Picture>>> {
        let key = (data.key.clone(), split, index);
        self.picture_with(key, || data.of(split).clone())
    }

    /// The same of any images with a key of their own.
    pub(super) fn picture_with(
        &self,
        key: PictureKey,
        pictures: impl FnOnce() -> Arc<dyn Pictures>,
    ) -> Lookup<Result<Arc<Picture>>> {
        match self.sets.pictures.get(&key) {
            Some(picture) => Lookup::Found(picture.clone()),
            None if self.sets.pictures.is_asked(&key) => Lookup::Absent,
            None => Lookup::Unread(Load::Picture(key, pictures())),
        }
    }

    /// Decodes an image that a page shows.
    pub(super) fn load_picture(&mut self, key: PictureKey, pictures: Arc<dyn Pictures>) {
        if self.sets.pictures.ask(&key) {
            let index = key.2;
            self.task(
                move |_| pictures.picture(index),
                move |session, picture| session.sets.pictures.put(key, picture),
            );
        }
    }

    /// Puts classes and tasks as in `scenario` into the settings.
    pub fn arrange(&mut self, scenario: Scenario) {
        let (order, sizes) = scenario.as_settings();
        let Experiment {
            draft, plan, data, ..
        } = &mut self.experiment;
        // An order that has a name keeps it while only the cuts move.
        let now = plan.scenario.as_ref();
        if now.is_none_or(|now| now.class_order != scenario.class_order) {
            draft.order = order;
        }
        draft.classes_per_task = sizes;
        if let Some(data) = data.ready()
            && data.classes.len() == scenario.class_order.len()
        {
            // At once, so that a dropped class does not jump back until the plan is worked out.
            plan.set_tasks(scenario, data, draft);
        }
    }

    fn task_to_open(&mut self, ask: DataAsk, progress: Arc<Progress>) {
        let (key, shared) = (ask.key(), progress.clone());
        self.task(
            move |sources| sources.open_data(&ask, &shared).map(Arc::new),
            move |session, view| session.take_data(&key, &progress, view),
        );
    }

    fn take_data(&mut self, key: &str, progress: &Progress, answer: Result<Arc<DataView>>) {
        if answer.is_err() && progress.is_stopped() {
            return; // Nobody waits for it any more.
        }
        let mine = self
            .sets
            .draft
            .as_ref()
            .is_some_and(|(draft, _)| draft == key);
        match &answer {
            Ok(view) => self.sets.keep(key, view.clone()),
            // Told once: no page shows a run's data set that does not open any more.
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
            self.suit_data();
        }
    }
}

/// The question for a run's data set.
fn asked_of(config: &RunConfig) -> DataAsk {
    DataAsk {
        place: config.data.clone(),
        options: open_options(config),
        fresh: false,
    }
}

impl DataSets {
    fn keep(&mut self, key: &str, view: Arc<DataView>) {
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

    /// Leaves the choice of the settings; nobody waits for its opening any more.
    fn leave(&mut self) {
        let Some((left, _)) = self.draft.take() else {
            return;
        };
        if std::mem::take(&mut self.waiting) {
            self.opening.stop();
            self.asked.remove(&left);
        }
    }

    /// Forgets what was read at this place.
    fn forget(&mut self, place: &str) {
        let gone = self.views.extract_if(|_, view| view.place == place);
        let gone: HashSet<Arc<str>> = gone.map(|(_, view)| view.key.clone()).collect();
        let views = &self.views;
        self.asked.retain(|asked| views.contains_key(asked));
        self.pictures.retain(|key| !gone.contains(key));
        self.sight.forget();
    }
}
