//! The state of a method as named tensors. [`Method::sync_state`](super::Method::sync_state) lists its parts once;
//! this list is used to write snapshots and checkpoints and to read both.

use std::ops::Range;

use burn::tensor::Tensor;

use crate::pet::PetStack;
use crate::problem::Result;
use crate::tensors::{HostTensor, NamedTensors, get_tensor_with_shape};

/// The operation that [`Method::sync_state`](super::Method::sync_state) performs on the parts of a state.
pub enum State<'a> {
    /// Writes the parts needed for answers.
    Snapshot(&'a mut NamedTensors),
    /// Writes all parts, so that training resumes exactly.
    Checkpoint(&'a mut NamedTensors),
    /// Reads the parts of a snapshot or a checkpoint.
    Restore(StoredState<'a>),
}

/// The tensors of a snapshot or a checkpoint.
#[derive(Clone, Copy)]
pub struct StoredState<'a> {
    /// The tensors by name.
    pub tensors: &'a NamedTensors,
    /// The classes of the tasks that had begun.
    pub tasks: &'a [Range<usize>],
}

impl StoredState<'_> {
    /// Returns the number of classes of all tasks begun.
    pub(super) fn classes(&self) -> usize {
        self.tasks.last().map_or(0, |task| task.end)
    }

    /// Returns whether there are tensors whose names start with this prefix.
    pub(super) fn has_prefix(&self, prefix: &str) -> bool {
        self.tensors.keys().any(|name| name.starts_with(prefix))
    }
}

impl<'a> State<'a> {
    /// Returns the tensors to read; `None` while writing.
    pub(super) fn stored(&self) -> Option<StoredState<'a>> {
        match self {
            Self::Restore(stored) => Some(*stored),
            Self::Snapshot(_) | Self::Checkpoint(_) => None,
        }
    }

    /// Returns whether only the parts needed for answers are written.
    pub(super) fn is_snapshot(&self) -> bool {
        matches!(self, Self::Snapshot(_))
    }

    /// Writes a part with `write`, or replaces it by the result of `read`.
    pub(super) fn sync_part<T>(
        &mut self,
        part: &mut T,
        write: impl FnOnce(&T, &mut NamedTensors) -> Result<()>,
        read: impl FnOnce(&T, StoredState<'a>) -> Result<T>,
    ) -> Result<()> {
        match self {
            Self::Snapshot(tensors) | Self::Checkpoint(tensors) => write(part, tensors),
            Self::Restore(stored) => {
                *part = read(part, *stored)?;
                Ok(())
            }
        }
    }

    /// Writes or reads the part of each task with `part`. `create` makes the part for a task with these classes before
    /// it is read. Memory grows only as tensors are found.
    pub(super) fn sync_tasks<T>(
        &mut self,
        parts: &mut Vec<T>,
        create: impl Fn(&Range<usize>) -> T,
        part: impl Fn(&mut Self, usize, &mut T) -> Result<()>,
    ) -> Result<()> {
        let Some(stored) = self.stored() else {
            let mut parts = parts.iter_mut().enumerate();
            return parts.try_for_each(|(task, value)| part(self, task, value));
        };
        let read_part = |(task, classes): (usize, &Range<usize>)| {
            let mut value = create(classes);
            part(self, task, &mut value)?;
            Ok(value)
        };
        let loaded = stored.tasks.iter().enumerate().map(read_part);
        *parts = loaded.collect::<Result<_>>()?;
        Ok(())
    }

    /// Writes a tensor, or reads one of the same shape.
    pub(super) fn sync_tensor(&mut self, name: &str, tensor: &mut Tensor<2>) -> Result<()> {
        let write = |tensor: &Tensor<2>, tensors: &mut NamedTensors| {
            tensors.insert(name.to_string(), HostTensor::read(tensor)?);
            Ok(())
        };
        let read = |tensor: &Tensor<2>, stored: StoredState<'_>| {
            get_tensor_with_shape(stored.tensors, name, &tensor.dims())?.to_device(&tensor.device())
        };
        self.sync_part(tensor, write, read)
    }

    /// Writes or reads PETs as `<prefix>.<block>.<parameter>`.
    pub(super) fn sync_pets(&mut self, prefix: &str, pets: &mut PetStack) -> Result<()> {
        let write = |pets: &PetStack, tensors: &mut NamedTensors| pets.write(prefix, tensors);
        self.sync_part(pets, write, |pets, stored| pets.read(prefix, stored.tensors))
    }

    /// Writes or reads PETs with the structure of `like`, if they exist.
    pub(super) fn sync_optional_pets(
        &mut self,
        prefix: &str,
        pets: &mut Option<PetStack>,
        like: &PetStack,
    ) -> Result<()> {
        if let Some(stored) = self.stored() {
            let is_stored = stored.has_prefix(&format!("{prefix}."));
            *pets = is_stored.then(|| like.clone());
        }
        pets.as_mut().map_or(Ok(()), |pets| self.sync_pets(prefix, pets))
    }
}
