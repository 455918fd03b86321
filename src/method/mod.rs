//! Continual-learning methods: what is trained in a task, and who answers.
//!
//! The trainer in `experiment` knows tasks, epochs and batches; a method knows the five moments of
//! them: a task begins, a batch is learned, pictures are judged, a task ends, the state is kept.

mod adam;
pub mod finetune;
pub mod lae;
pub mod optimiser;

use burn::tensor::Tensor;

use crate::problem::Result;
use crate::tensors::Named;

pub use lae::{Lae, LaeSettings};

/// What the experts say to a batch of pictures, over all classes taught so far.
#[derive(Clone, Debug)]
pub struct Logits {
    /// batch × classes.
    pub online: Tensor<2>,
    /// batch × classes; none where no offline expert exists or none is asked.
    pub offline: Option<Tensor<2>>,
}

/// A continual-learning method over a frozen backbone.
pub trait Method {
    /// Makes room for the classes of the next task.
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn begin_task(&mut self, classes: usize) -> Result<()>;

    /// Whether the PET stands still in this epoch of the present task (both from 0).
    fn frozen(&self, epoch: usize) -> bool;

    /// Learns one batch: normalised images (batch × 3 × side × side) and, per image, its class
    /// counted within the present task. The loss stays on the device (one value): reading it waits
    /// for the device.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    fn learn(&mut self, images: Tensor<4>, labels: &[usize], frozen: bool) -> Result<Tensor<1>>;

    /// Judges a batch of normalised images.
    ///
    /// # Errors
    /// A Problem when the PET's equation does not fit or the device failed.
    fn judge(&self, images: Tensor<4>) -> Result<Logits>;

    /// Called when a task's epochs are done, before its evaluation.
    fn end_task(&mut self);

    /// How far the experts' PETs have moved since the end of the first task, relative to their
    /// length then: (online, offline).
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn drift(&self) -> Result<(f64, f64)>;

    /// The tensors that answer: what a snapshot holds.
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn snapshot(&self) -> Result<Named>;

    /// Everything needed to go on exactly as if nothing had happened.
    ///
    /// # Errors
    /// A Problem when the device failed.
    fn checkpoint(&self) -> Result<Named>;

    /// Takes back such a state; `tasks` were begun by then.
    ///
    /// # Errors
    /// A Problem that names a missing or mis-shaped tensor.
    fn restore(&mut self, state: &Named, tasks: usize) -> Result<()>;
}
