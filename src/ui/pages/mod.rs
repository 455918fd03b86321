//! The pages. Each is a function that reads the session and pushes commands.

pub mod compare;
pub mod experiment;
pub mod learn;
pub mod plugins;
pub mod predict;
pub mod present;
pub mod start;
pub mod train;

use std::path::Path;

use egui::Ui;

use crate::problem::escape_for_terminal;
use crate::run::config::{RunConfig, Setting};
use crate::session::Session;
use crate::session::loads::Lookup;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::widgets::textures::Textures;
use crate::ui::widgets::{button, faint};

/// What a page can access while it is drawn.
pub struct Cx<'a> {
    /// The open workspace. A page changes it only by commands.
    pub session: &'a Session,
    /// The state of the pages that is kept between frames.
    pub pages: &'a mut Pages,
    /// The cache of textures.
    pub textures: &'a mut Textures,
    /// The commands that are executed after this frame.
    pub commands: &'a mut Vec<UiCommand>,
}

impl Cx<'_> {
    /// Adds a command to execute after this frame.
    pub fn dispatch(&mut self, command: UiCommand) {
        self.commands.push(command);
    }

    /// Adds a command that changes the session after this frame.
    pub fn change(&mut self, change: impl FnOnce(&mut Session) + 'static) {
        self.dispatch(UiCommand::change(change));
    }

    /// Adds a command that loads data for a page after this frame.
    pub fn load(&mut self, load: impl FnOnce(&mut Session) + 'static) {
        self.dispatch(UiCommand::Load(Box::new(load)));
    }

    /// Sets or removes a value of the set-up after this frame.
    pub fn set(&mut self, key: &'static str, value: Option<Setting>) {
        self.change(move |session| session.set(key, value));
    }

    /// Draws a button that changes the session.
    pub fn change_button(
        &mut self,
        ui: &mut Ui,
        text: &str,
        change: impl FnOnce(&mut Session) + 'static,
    ) {
        if button(ui, text).clicked() {
            self.change(change);
        }
    }

    /// Returns the value of a look-up if it is available; otherwise requests it if needed.
    pub fn look_up<T>(&mut self, lookup: Lookup<T>) -> Option<T> {
        lookup.or_request(|load| self.dispatch(UiCommand::Load(load)))
    }

    /// Requests the corrected labels of the dataset at this location unless they were requested.
    fn request_corrected_labels(&mut self, location: &str) {
        if self.session.needs_corrected_labels(location) {
            let location = location.to_string();
            self.load(move |session| session.load_corrected_labels(&location));
        }
    }
}

/// The state of all pages that is kept between frames.
#[derive(Default)]
pub struct Pages {
    /// Start.
    pub start: start::State,
    /// Experiment.
    pub experiment: experiment::State,
    /// Train.
    pub train: train::State,
    /// Compare.
    pub compare: compare::State,
    /// Predict.
    pub predict: predict::State,
    /// Plugins.
    pub plugins: plugins::State,
    /// Learn.
    pub learn: learn::State,
    /// The presenter view.
    pub present: present::State,
}

impl Pages {
    /// Resets the state of a page to its default.
    pub fn reset(&mut self, page: Page) {
        match page {
            Page::Start => self.start = Default::default(),
            Page::Experiment => self.experiment = Default::default(),
            Page::Train => self.train = Default::default(),
            Page::Compare => self.compare = Default::default(),
            Page::Predict => self.predict = Default::default(),
            Page::Plugins => self.plugins = Default::default(),
            Page::Learn => self.learn = Default::default(),
        }
    }
}

/// The message id of the button that opens [`resume_menu`].
const RESUME_ON: &str = "shell-resume-on";

/// Draws a menu of devices on which a stopped run can be resumed, because its original device may be missing or busy.
fn resume_menu(ui: &mut Ui, cx: &mut Cx<'_>, folder: &Path) {
    let header = cx.session.header_of(folder);
    let original_device = header.map_or("", |header| header.device.as_str());
    if !original_device.is_empty() {
        faint(ui, tr!("shell-resume-trained-so-far", device = original_device));
    }
    let place = cx.session.resume_machine(folder);
    if let Some(place) = &place
        && ui.button(tr!("shell-resume-at-place", place = place.as_str())).clicked()
    {
        cx.dispatch(UiCommand::Resume(folder.to_path_buf(), None));
    }
    for device in &cx.session.inventory.devices {
        if ui.button(&device.title).clicked() {
            let key = Some(device.key.clone());
            cx.dispatch(UiCommand::Resume(folder.to_path_buf(), key));
        }
    }
}

/// Draws a button that allows opening a run's dataset.
fn open_dataset_button(ui: &mut Ui, cx: &mut Cx<'_>, config: &RunConfig) {
    let place = escape_for_terminal(&config.data);
    faint(ui, tr!("shell-data-location", place));
    if button(ui, tr!("shell-data-open")).clicked() {
        let location = config.data.clone();
        cx.change(move |session| session.allow_locations(vec![location]));
    }
}
