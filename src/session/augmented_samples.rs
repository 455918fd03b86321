//! Training images as the network receives them: cropped and possibly flipped, as in an epoch.

use std::sync::Arc;

use super::Session;
use super::views::Fetch;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::run::event::Picture;

/// A training image as the network receives it.
#[derive(Clone, Debug)]
pub struct NetworkInput {
    /// Its class.
    pub class: String,
    /// Its task, from 0.
    pub task: usize,
    /// The image cropped and possibly flipped as in this epoch.
    pub drawn: Arc<Picture>,
    /// The augmentation in words.
    pub words: String,
    /// The image preprocessed as in testing.
    pub tested: Arc<Picture>,
}

/// Some training images as the network receives them.
#[derive(Clone, Debug)]
pub struct Sight {
    /// Width and height of the network's input in pixels.
    pub input_size: usize,
    /// Epoch of their tasks, from 0.
    pub epoch: usize,
    /// The images, of different classes.
    pub seen: Vec<NetworkInput>,
}

/// A request for training images as the network receives them.
#[derive(Clone, Debug, PartialEq)]
pub struct SightAsk {
    /// The settings: data, order, augmentation, seed, backbone.
    pub config: RunConfig,
    /// Epoch of each task, from 0.
    pub epoch: usize,
    /// Shifts which image of each class is selected.
    pub shift: usize,
}

/// The displayed images.
#[derive(Default)]
pub(super) struct SightView {
    shown: Fetch<Arc<Sight>>,
    /// The request that `shown` answers or will answer.
    asked: Option<SightAsk>,
    /// Whether a request is in progress.
    seeing: bool,
}

impl SightView {
    /// Marks the images as outdated, because files may have changed.
    pub fn forget(&mut self) {
        self.asked = None;
    }
}

impl Session {
    /// Returns the training images as the network receives them, once they are computed.
    pub fn sight(&self) -> &Fetch<Arc<Sight>> {
        &self.sets.sight.shown
    }

    /// Returns whether the images must be computed for this epoch (from 0) of their tasks and the current settings.
    /// `shift` selects the images. The previous images are shown until then.
    pub fn is_sight_due(&self, epoch: usize, shift: usize) -> bool {
        let same = |asked: &SightAsk| {
            (asked.epoch, asked.shift) == (epoch, shift) && asked.config == self.experiment.draft
        };
        !self.sets.sight.seeing && !self.sets.sight.asked.as_ref().is_some_and(same)
    }

    /// Computes the images as the network receives them, if they are due.
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
        self.task(move |sources| sources.disk().sight(&ask), Self::take_sight);
    }

    fn take_sight(&mut self, answer: Result<Sight>) {
        self.sets.sight.seeing = false;
        self.sets.sight.shown.fill(answer.map(Arc::new));
    }
}
