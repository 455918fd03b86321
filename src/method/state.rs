//! The state of a method as named tensors. [`Method::state`](super::Method::state) lists the parts of a method once;
//! this list is used to write snapshots and checkpoints and to read both.

use std::ops::Range;

use burn::tensor::Tensor;

use crate::pet::PetStack;
use crate::problem::Result;
use crate::tensors::{HostTensor, Named, shaped};

/// The operation that [`Method::state`](super::Method::state) performs on the parts of a state.
pub enum State<'a> {
    /// Writes the parts needed for answers.
    Snapshot(&'a mut Named),
    /// Writes all parts, so that training resumes exactly.
    Checkpoint(&'a mut Named),
    /// Reads the parts of a snapshot or a checkpoint.
    Stored(Stored<'a>),
}

/// The tensors of a snapshot or a checkpoint.
#[derive(Clone, Copy)]
pub struct Stored<'a> {
    /// The tensors by name.
    pub tensors: &'a Named,
    /// The classes of the tasks that had begun.
    pub tasks: &'a [Range<usize>],
}

impl Stored<'_> {
    /// Returns the number of classes of all tasks begun.
    pub(super) fn classes(&self) -> usize {
        self.tasks.last().map_or(0, |task| task.end)
    }

    /// Returns whether there are tensors whose names start with this prefix.
    pub(super) fn holds(&self, prefix: &str) -> bool {
        self.tensors.keys().any(|name| name.starts_with(prefix))
    }
}

impl<'a> State<'a> {
    /// Returns the tensors to read; `None` while writing.
    pub(super) fn stored(&self) -> Option<Stored<'a>> {
        match self {
            Self::Stored(stored) => Some(*stored),
            Self::Snapshot(_) | Self::Checkpoint(_) => None,
        }
    }

    /// Returns whether only the parts needed for answers are written.
    pub(super) fn is_snapshot(&self) -> bool {
        matches!(self, Self::Snapshot(_))
    }

    /// Writes a part with `write`, or replaces it by the result of `read`.
    pub(super) fn part<T>(
        &mut self,
        part: &mut T,
        write: impl FnOnce(&T, &mut Named) -> Result<()>,
        read: impl FnOnce(&T, Stored<'a>) -> Result<T>,
    ) -> Result<()> {
        match self {
            Self::Snapshot(tensors) | Self::Checkpoint(tensors) => write(part, tensors),
            Self::Stored(stored) => {
                *part = read(part, *stored)?;
                Ok(())
            }
        }
    }

    /// Writes or reads the part of each task with `part`. `blank` creates the part for a task with these classes before
    /// it is read. Memory grows only as tensors are found.
    pub(super) fn per_task<T>(
        &mut self,
        parts: &mut Vec<T>,
        blank: impl Fn(&Range<usize>) -> T,
        part: impl Fn(&mut Self, usize, &mut T) -> Result<()>,
    ) -> Result<()> {
        let Some(stored) = self.stored() else {
            let mut parts = parts.iter_mut().enumerate();
            return parts.try_for_each(|(task, value)| part(self, task, value));
        };
        let read = |(task, classes): (usize, &Range<usize>)| {
            let mut value = blank(classes);
            part(self, task, &mut value)?;
            Ok(value)
        };
        let read = stored.tasks.iter().enumerate().map(read);
        *parts = read.collect::<Result<_>>()?;
        Ok(())
    }

    /// Writes a tensor, or reads one of the same shape.
    pub(super) fn tensor(&mut self, name: &str, tensor: &mut Tensor<2>) -> Result<()> {
        let write = |tensor: &Tensor<2>, tensors: &mut Named| {
            tensors.insert(name.to_string(), HostTensor::read(tensor)?);
            Ok(())
        };
        let read = |tensor: &Tensor<2>, stored: Stored<'_>| {
            shaped(stored.tensors, name, &tensor.dims())?.to_device(&tensor.device())
        };
        self.part(tensor, write, read)
    }

    /// Writes or reads PETs as `<prefix>.<block>.<parameter>`.
    pub(super) fn pets(&mut self, prefix: &str, pets: &mut PetStack) -> Result<()> {
        let write = |pets: &PetStack, tensors: &mut Named| pets.write(prefix, tensors);
        self.part(pets, write, |pets, stored| {
            pets.read(prefix, stored.tensors)
        })
    }

    /// Writes or reads PETs with the structure of `like`, if they exist.
    pub(super) fn optional_pets(
        &mut self,
        prefix: &str,
        pets: &mut Option<PetStack>,
        like: &PetStack,
    ) -> Result<()> {
        if let Some(stored) = self.stored() {
            let exist = stored.holds(&format!("{prefix}."));
            *pets = exist.then(|| like.clone());
        }
        pets.as_mut().map_or(Ok(()), |pets| self.pets(prefix, pets))
    }
}
