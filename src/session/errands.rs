//! Errands of the helper threads: which are under way, and what their answers change. Each runs on
//! a thread of its own, so answers may come in another order than they were asked for.

use std::path::PathBuf;
use std::sync::Arc;

use super::Session;
use super::folders::Shelf;
use super::jobs::{Ask, Found};
use super::report;
use super::views::{Fetch, Plan, PluginView};
use crate::method::{Chosen, Idle};
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;

/// What is under way, so that only the newest question of a kind is answered.
#[derive(Default)]
pub(super) struct Flights {
    /// Whether the runs are being listed, and whether once more after that.
    listing: (bool, bool),
    /// Whether a plan is being worked out.
    planning: bool,
    /// The run that Train waits for.
    run: Option<PathBuf>,
    /// The image file that Predict waits for.
    picture: Option<PathBuf>,
    /// Whether the blocks are to follow the backbone once it is known.
    fit_blocks: bool,
}

impl Flights {
    /// Whether the runs are being listed.
    pub fn lists_runs(&self) -> bool {
        self.listing.0
    }

    /// Nobody waits for a stored run any more.
    pub fn forget_run(&mut self) {
        self.run = None;
    }

    /// Nobody waits for an image file any more.
    pub fn forget_picture(&mut self) {
        self.picture = None;
    }
}

impl Session {
    /// Begins an errand. Of runs to be opened and image files to be read the last one counts.
    pub fn ask(&mut self, ask: Ask) {
        match &ask {
            Ask::Runs(_) if self.flights.listing.0 => {
                self.flights.listing.1 = true;
                return;
            }
            Ask::Runs(_) => self.flights.listing = (true, false),
            Ask::Open(folder) => self.flights.run = Some(folder.clone()),
            Ask::Picture(path) => self.flights.picture = Some(path.clone()),
            _ => {}
        }
        self.jobs.ask(ask);
    }

    /// Gathers what a report of a problem holds; the window's settings are in this file.
    pub fn gather_report(&mut self, settings: Option<PathBuf>) {
        let open = self.data.ready().map(|view| view.classes.clone());
        let names = open.unwrap_or_default();
        self.report = Fetch::Busy;
        let wanted = report::Wanted { settings, names };
        self.ask(Ask::Report(Box::new(wanted)));
    }

    /// Writes the report that was gathered.
    pub fn save_report(&mut self, path: PathBuf) {
        if let Some(report) = self.report.ready().cloned() {
            self.ask(Ask::SaveReport(report, path));
        }
    }

    /// Makes a weight file the backbone; as many blocks get a PET as suits it.
    pub fn choose_weights(&mut self, path: String) {
        self.draft.backbone = path;
        self.flights.fit_blocks = true;
    }

    /// Whether the settings as they stand can be trained.
    pub fn can_start(&self) -> bool {
        self.plan.problems.is_empty()
            && self.data.ready().is_some()
            && !self.is_downloading_weights()
    }

    /// The PET plugin that settings name, as far as it is known and sound.
    pub(super) fn plugin_of(&self, config: &RunConfig) -> Option<&PluginView> {
        let name = config.pet.to_lowercase();
        let mut sound = self.plugins.iter().filter(|view| view.problem.is_none());
        sound.find(|view| view.name == name)
    }

    /// The settings that have no effect beside the others. They follow from the settings alone, so that they are never
    /// those of older ones, as the plan may be.
    pub fn idle(&self) -> Vec<Idle> {
        let chosen = Chosen::of(&self.draft);
        let plugin = self.plugin_of(&self.draft);
        chosen.map_or_else(|_| Vec::new(), |chosen| chosen.idle(plugin))
    }

    /// Asks what the settings come to whenever they changed, one question at a time.
    pub(super) fn refresh_plan(&mut self) {
        let there = self.data.ready().is_some();
        let same = |(config, with): &(RunConfig, bool)| *config == self.draft && *with == there;
        if self.flights.planning || self.data.is_busy() || self.planned.as_ref().is_some_and(same) {
            return;
        }
        let data = self.data.ready().cloned();
        self.flights.planning = true;
        self.jobs.ask(Ask::Plan(Box::new(self.draft.clone()), data));
        self.planned = Some((self.draft.clone(), there));
    }

    fn take_plan(&mut self, asked: &RunConfig, plan: Plan) {
        self.flights.planning = false;
        let newest = self.planned.as_ref();
        if newest.is_some_and(|(config, _)| config == asked) {
            self.plan = plan;
        }
        if self.flights.fit_blocks
            && asked.backbone == self.draft.backbone
            && let Some(backbone) = &self.plan.backbone
        {
            self.flights.fit_blocks = false;
            self.draft.blocks = backbone.pet_blocks.to_string();
        }
    }

    fn take_runs(&mut self, answer: Result<Shelf>) {
        let (_, again) = std::mem::take(&mut self.flights.listing);
        self.take_shelf(answer);
        if again {
            self.list_runs();
        }
    }

    pub(super) fn take_found(&mut self, found: Found) {
        match found {
            Found::Data(key, opening, answer) => self.take_data(&key, &opening, answer),
            Found::Plan(config, plan) if self.take_tour_plan(&config, &plan) => {}
            Found::Plan(config, plan) => self.take_plan(&config, *plan),
            Found::Plugins(plugins) => {
                self.plugins = plugins.into();
                self.planned = None;
            }
            Found::Backbones(backbones, problems) => {
                for problem in problems {
                    if !self.notices.iter().any(|told| told.problem == problem) {
                        self.notify(problem, true);
                    }
                }
                self.backbones = backbones.into();
                self.planned = None;
            }
            Found::Devices(devices) => self.devices = devices,
            Found::Prepared(found) => self.take_prepared(found),
            Found::Runs(answer) => self.take_runs(answer),
            Found::Opened(folder, _) if self.flights.run.as_ref() != Some(&folder) => {}
            Found::Opened(_, Ok(run)) => {
                self.opened = Some(run);
            }
            Found::Opened(folder, Err(problem)) => self.take_unopened(&folder, problem),
            Found::FolderAdded(answer) => self.take_added(answer),
            Found::Described(folder, answer) => self.take_described(&folder, answer),
            Found::Done(deed, done) => self.take_done(deed, done),
            Found::Deleted(answer) => self.take_deleted(answer),
            Found::LessonUndone(folder, answer) => self.take_undone(&folder, answer),
            Found::Picture(path, _) if self.flights.picture.as_ref() != Some(&path) => {}
            Found::Picture(_, Ok(picture)) => self.predict_picture(Arc::new(picture), None),
            Found::Picture(_, Err(problem)) => {
                self.predict.refuse(problem);
            }
            Found::Collected(group, answer) => self.take_collected(group, answer),
            Found::CollectionKept(purpose, answer) => self.take_kept(&purpose, answer),
            Found::Exported(path, answer) => self.take_exported(&path, answer),
            Found::Image(key, picture) => self.take_image(key, picture),
            Found::Fingerprint(of, answer) => self.tested.take(&of, answer),
            Found::Hash(key, asked, answer) => self.mended.take_hash(&key, asked, answer),
            Found::Mended(place, change, answer) => {
                self.take_mended(place, answer, change.as_ref());
            }
            Found::Sight(answer) => self.take_sight(answer),
            Found::Picked(wanted, choice) => self.take_picked(wanted, choice),
            Found::Downloaded(item, answer) => self.take_download(&item, answer),
            Found::Report(report) => self.report.fill(report.map(Arc::new)),
            Found::ReportSaved(path) => {
                self.report = Fetch::Nothing;
                let text = format!("The report is in {}", path.display());
                self.notify(Problem::new(text), false);
            }
            Found::Units(entries) => self.take_units(entries),
            Found::Revealed => {}
            Found::Remark(problem) => self.notify(problem, true),
        }
    }
}
