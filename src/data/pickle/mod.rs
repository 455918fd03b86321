//! Reads the pickles of CIFAR's Python files as plain data, without executing anything.
//!
//! A pickle is a program for a stack machine, which Python's own reader executes. This reader supports only the
//! instructions that build numbers, texts, lists, tuples and dictionaries, records a call such as numpy's
//! `_reconstruct` without performing it, and refuses everything else. It does not recurse or copy bytes, and the number
//! of instructions is limited, so the time and memory of a hostile file are limited.

mod machine;

use std::ops::Range;

use machine::Machine;

use crate::problem::Result;

/// Maximum number of instructions; CIFAR-100's training split has 300,000.
const MAX_STEPS: usize = 1_000_000;
/// Maximum length in bytes of a text in a list, such as a class name.
const MAX_TEXT_LEN: usize = 1000;

/// Index of a value in [`Pickle::values`].
pub type Id = usize;

/// A value that a pickle builds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `None`, a boolean, a float or a global name; their values are not needed.
    Other,
    /// An integer.
    Number(i64),
    /// Text or bytes, as a range of the file.
    Bytes(Range<usize>),
    /// A list or tuple.
    List(Vec<Id>),
    /// Alternating keys and values.
    Dict(Vec<Id>),
    /// The result of a call, with the state that is set afterwards.
    Call(Option<Id>),
}

/// A parsed pickle.
pub struct Pickle<'a> {
    bytes: &'a [u8],
    values: Vec<Value>,
    root: Id,
}

/// Parses a pickle of any protocol that consists of plain data and numpy arrays.
///
/// # Errors
/// Returns a Problem for a truncated file or an unsupported instruction.
pub fn read(bytes: &[u8]) -> Result<Pickle<'_>> {
    let mut machine = Machine { bytes, ..Machine::default() };
    let mut remaining_steps = MAX_STEPS;
    while machine.execute_next()? {
        remaining_steps -= 1;
        if remaining_steps == 0 {
            return Err(machine.error("it is too long for a dataset"));
        }
    }
    let root = machine.pop()?;
    Ok(Pickle { bytes, values: machine.values, root })
}

impl Pickle<'_> {
    /// Returns the value of a key of the outermost dictionary.
    pub fn get(&self, key: &str) -> Option<Id> {
        let Value::Dict(entries) = &self.values[self.root] else {
            return None;
        };
        entries
            .chunks_exact(2)
            .find(|pair| self.bytes_at(pair[0]) == Some(key.as_bytes()))
            .map(|pair| pair[1])
    }

    /// Returns a list of integers.
    pub fn numbers(&self, id: Id) -> Option<Vec<i64>> {
        self.list(id)?
            .iter()
            .map(|&item| match self.values[item] {
                Value::Number(number) => Some(number),
                _ => None,
            })
            .collect()
    }

    /// Returns a list of this many short texts. The length is limited, because one long text could occur in it many
    /// times.
    pub fn strings(&self, id: Id, count: usize) -> Option<Vec<String>> {
        let list = self.list(id).filter(|list| list.len() == count)?;
        list.iter()
            .map(|&item| {
                let bytes = self.bytes_at(item)?;
                let short = bytes.len() <= MAX_TEXT_LEN;
                short.then(|| String::from_utf8_lossy(bytes).into_owned())
            })
            .collect()
    }

    /// Returns the range of a numpy array's raw bytes in the file: the last item of the state set on it.
    pub fn array_range(&self, id: Id) -> Option<Range<usize>> {
        let raw = match &self.values[id] {
            Value::Call(Some(state)) => *self.list(*state)?.last()?,
            _ => id,
        };
        match &self.values[raw] {
            Value::Bytes(range) if range.end <= self.bytes.len() => Some(range.clone()),
            _ => None,
        }
    }

    fn list(&self, id: Id) -> Option<&[Id]> {
        match &self.values[id] {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    fn bytes_at(&self, id: Id) -> Option<&[u8]> {
        match &self.values[id] {
            Value::Bytes(range) => self.bytes.get(range.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
