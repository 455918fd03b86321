//! A reader for the few pickles we meet: CIFAR's python files. It builds plain data and calls nothing.
//!
//! A pickle is a program for a stack machine; Python's own reader may be made to run anything. This
//! one knows the instructions that build numbers, texts, lists, tuples and dictionaries, remembers a call such as
//! numpy's `_reconstruct` without making it, and refuses everything else. Nothing recurses, no bytes are
//! copied and the number of instructions is bounded, so a hostile file costs little beside its own size.

mod machine;

use std::collections::HashMap;
use std::ops::Range;

use machine::Machine;

use crate::problem::Result;

/// Most instructions of one pickle; CIFAR-100's training split has 300,000.
const MOST_STEPS: usize = 1_000_000;
/// Most bytes of a text in a list of them: a class's name.
const LONGEST_TEXT: usize = 1000;

/// Index of a value in [`Pickle::values`].
pub type Id = usize;

/// A value that a pickle builds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `None`, a boolean, a float, a global name: nothing we look into.
    Other,
    /// A whole number.
    Number(i64),
    /// Text or bytes, as a range of the file.
    Bytes(Range<usize>),
    /// A list or tuple.
    List(Vec<Id>),
    /// Keys and values in turn.
    Dict(Vec<Id>),
    /// The result of a call, with the state given to it later.
    Call(Option<Id>),
}

/// A read pickle.
pub struct Pickle<'a> {
    bytes: &'a [u8],
    values: Vec<Value>,
    root: Id,
}

/// Reads a pickle of any protocol, as far as plain data and numpy arrays go.
///
/// # Errors
/// A cut file or an instruction that plain data does not need.
pub fn read(bytes: &[u8]) -> Result<Pickle<'_>> {
    let mut machine = Machine {
        bytes,
        at: 0,
        values: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    let mut left = MOST_STEPS;
    while machine.step()? {
        left -= 1;
        if left == 0 {
            return Err(machine.bad("it is too long for a dataset"));
        }
    }
    let root = machine.pop()?;
    Ok(Pickle {
        bytes,
        values: machine.values,
        root,
    })
}

impl Pickle<'_> {
    /// The value of a key of the outermost dictionary.
    pub fn get(&self, key: &str) -> Option<Id> {
        let Value::Dict(entries) = &self.values[self.root] else {
            return None;
        };
        entries
            .chunks_exact(2)
            .find(|pair| self.bytes_of(pair[0]) == Some(key.as_bytes()))
            .map(|pair| pair[1])
    }

    /// A list of whole numbers.
    pub fn numbers(&self, id: Id) -> Option<Vec<i64>> {
        self.list(id)?
            .iter()
            .map(|&item| match self.values[item] {
                Value::Number(number) => Some(number),
                _ => None,
            })
            .collect()
    }

    /// A list of this many short texts: one long text could be in it many times.
    pub fn texts(&self, id: Id, count: usize) -> Option<Vec<String>> {
        let list = self.list(id).filter(|list| list.len() == count)?;
        list.iter()
            .map(|&item| {
                let bytes = self.bytes_of(item)?;
                let short = bytes.len() <= LONGEST_TEXT;
                short.then(|| String::from_utf8_lossy(bytes).into_owned())
            })
            .collect()
    }

    /// Where the raw bytes of a numpy array are in the file: the last item of the state given to it.
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

    fn bytes_of(&self, id: Id) -> Option<&[u8]> {
        match &self.values[id] {
            Value::Bytes(range) => self.bytes.get(range.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
