//! Training images as the network receives them: cropped and possibly flipped, as in an epoch.

use std::sync::Arc;

use super::Session;
use super::views::Fetch;
use crate::run::config::RunConfig;
use crate::run::event::NamedImage;

/// A training image as the network receives it.
#[derive(Clone, Debug)]
pub struct NetworkInput {
    /// Its class.
    pub class: String,
    /// Its task, from 0.
    pub task: usize,
    /// The image cropped and possibly flipped as in this epoch.
    pub training_view: Arc<NamedImage>,
    /// The augmentation in words.
    pub words: String,
    /// The image preprocessed as in testing.
    pub test_view: Arc<NamedImage>,
}

/// Some training images as the network receives them.
#[derive(Clone, Debug)]
pub struct NetworkInputs {
    /// Width and height of the network's input in pixels.
    pub input_size: usize,
    /// Epoch of their tasks, from 0.
    pub epoch: usize,
    /// The images, of different classes.
    pub images: Vec<NetworkInput>,
}

/// A request for training images as the network receives them.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkInputsRequest {
    /// The settings: data, order, augmentation, seed, backbone.
    pub config: RunConfig,
    /// Epoch of each task, from 0.
    pub epoch: usize,
    /// Shifts which image of each class is selected.
    pub shift: usize,
}

/// The displayed images.
#[derive(Default)]
pub(super) struct NetworkInputsView {
    inputs: Fetch<Arc<NetworkInputs>>,
    /// The request that `inputs` answers or will answer.
    request: Option<NetworkInputsRequest>,
    /// Whether a request is in progress.
    is_loading: bool,
}

impl NetworkInputsView {
    /// Marks the images as outdated, because files may have changed.
    pub fn invalidate(&mut self) {
        self.request = None;
    }
}

impl Session {
    /// Returns the training images as the network receives them, once they are computed.
    pub fn network_inputs(&self) -> &Fetch<Arc<NetworkInputs>> {
        &self.datasets.network_inputs.inputs
    }

    /// Returns whether the images must be computed for this epoch (from 0) of their tasks and the current settings.
    /// `shift` selects the images. The previous images are shown until then.
    pub fn needs_network_inputs(&self, epoch: usize, shift: usize) -> bool {
        let is_current = |request: &NetworkInputsRequest| {
            (request.epoch, request.shift) == (epoch, shift)
                && request.config == self.experiment.draft
        };
        !self.datasets.network_inputs.is_loading
            && !self.datasets.network_inputs.request.as_ref().is_some_and(is_current)
    }

    /// Computes the images as the network receives them, if they are due.
    pub fn load_network_inputs(&mut self, epoch: usize, shift: usize) {
        if !self.needs_network_inputs(epoch, shift) {
            return;
        }
        let request = NetworkInputsRequest { config: self.experiment.draft.clone(), epoch, shift };
        self.datasets.network_inputs.is_loading = true;
        self.datasets.network_inputs.request = Some(request.clone());
        if self.datasets.network_inputs.inputs.ready().is_none() {
            self.datasets.network_inputs.inputs = Fetch::Busy;
        }
        self.task(
            move |sources| sources.disk().network_inputs(&request),
            |session, inputs| {
                session.datasets.network_inputs.is_loading = false;
                session.datasets.network_inputs.inputs.fill(inputs.map(Arc::new));
            },
        );
    }
}
