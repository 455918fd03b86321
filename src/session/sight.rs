//! Training images as the network gets them: cropped and perhaps mirrored, as an epoch draws them.

use std::sync::Arc;

use super::Session;
use super::views::Fetch;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::Picture;

/// A training image as the network gets it.
#[derive(Clone, Debug)]
pub struct NetworkInput {
    /// Its class.
    pub class: String,
    /// Its task, counted from 0.
    pub task: usize,
    /// Cropped and perhaps mirrored, as this epoch draws it.
    pub drawn: Arc<Picture>,
    /// What was drawn, in words.
    pub words: String,
    /// As it would be seen in testing.
    pub tested: Arc<Picture>,
}

/// Some training images as the network gets them.
#[derive(Clone, Debug)]
pub struct Sight {
    /// Side of the network's input in pixels.
    pub input_size: usize,
    /// Epoch of their tasks, counted from 0.
    pub epoch: usize,
    /// The images, of different classes.
    pub seen: Vec<NetworkInput>,
}

/// A look at training images as the network gets them.
#[derive(Clone, Debug, PartialEq)]
pub struct SightAsk {
    /// The settings: data, order, augmentation, seed, backbone.
    pub config: RunConfig,
    /// Epoch of each task, counted from 0.
    pub epoch: usize,
    /// Chooses which image of a class is shown.
    pub shift: usize,
}

/// The look that is on show.
#[derive(Default)]
pub(super) struct SightView {
    shown: Fetch<Arc<Sight>>,
    /// What `shown` shows or waits for.
    asked: Option<SightAsk>,
    /// Whether one is under way.
    seeing: bool,
}

impl SightView {
    /// Files may have changed: the next look is another one.
    pub fn forget(&mut self) {
        self.asked = None;
    }
}

impl Session {
    /// What the network sees of some training images, as far as it is worked out.
    pub fn sight(&self) -> &Fetch<Arc<Sight>> {
        &self.sets.sight.shown
    }

    /// Whether that is to be worked out for an epoch (counted from 0) of the images' tasks, `shift` choosing which
    /// images, with the settings as they are now. The former one is shown meanwhile.
    pub fn is_sight_due(&self, epoch: usize, shift: usize) -> bool {
        let same = |asked: &SightAsk| {
            (asked.epoch, asked.shift) == (epoch, shift) && asked.config == self.experiment.draft
        };
        !self.sets.sight.seeing && !self.sets.sight.asked.as_ref().is_some_and(same)
    }

    /// Works out what the network sees.
    pub(super) fn load_sight(&mut self, epoch: usize, shift: usize) {
        if !self.is_sight_due(epoch, shift) {
            return;
        }
        let ask = SightAsk {
            config: self.experiment.draft.clone(),
            epoch,
            shift,
        };
        self.sets.sight.seeing = true;
        self.sets.sight.asked = Some(ask.clone());
        if self.sets.sight.shown.ready().is_none() {
            self.sets.sight.shown = Fetch::Busy;
        }
        self.task(move |sources| sources.sight(&ask), Self::take_sight);
    }

    fn take_sight(&mut self, answer: Result<Sight>) {
        self.sets.sight.seeing = false;
        self.sets.sight.shown.fill(answer.map(Arc::new));
    }
}
