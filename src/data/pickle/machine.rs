//! The stack machine that runs a pickle's instructions.

use std::collections::HashMap;
use std::ops::Range;

use super::{Id, Value};
use crate::message;
use crate::problem::{Problem, Result};

#[derive(Default)]
pub(super) struct Machine<'a> {
    pub bytes: &'a [u8],
    pub position: usize,
    pub values: Vec<Value>,
    pub stack: Vec<Id>,
    pub marks: Vec<usize>,
    pub memo: HashMap<u64, Id>,
}

impl Machine<'_> {
    pub fn error(&self, what: &str) -> Problem {
        Problem::new(message!("problem-pickle-unreadable", what, at = self.position.to_string()))
            .advise(message!("advice-download-binary-version"))
    }

    fn take_bytes(&mut self, length: usize) -> Result<Range<usize>> {
        let end = self.position.checked_add(length).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.error("it is truncated"))?;
        let range = self.position..end;
        self.position = end;
        Ok(range)
    }

    /// Reads an unsigned little-endian number of `length` bytes.
    fn read_unsigned(&mut self, length: usize) -> Result<u64> {
        let range = self.take_bytes(length)?;
        Ok(self.bytes[range].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    fn read_length(&mut self, bytes: usize) -> Result<usize> {
        let length = self.read_unsigned(bytes)?;
        usize::try_from(length).map_err(|_| self.error("a length is too large"))
    }

    /// Reads the rest of the line, without the newline.
    fn read_line(&mut self) -> Result<Range<usize>> {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|&byte| byte == b'\n');
        let length = length.ok_or_else(|| self.error("it is truncated"))?;
        let range = self.take_bytes(length)?;
        self.position += 1;
        Ok(range)
    }

    fn push(&mut self, value: Value) {
        self.values.push(value);
        self.stack.push(self.values.len() - 1);
    }

    pub fn pop(&mut self) -> Result<Id> {
        let id = self.top()?;
        if self.marks.last() == Some(&self.stack.len()) {
            return Err(self.error("a value is missing"));
        }
        self.stack.pop();
        Ok(id)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>> {
        let mark = self.marks.pop().ok_or_else(|| self.error("a mark is missing"))?;
        Ok(self.stack.split_off(mark))
    }

    fn top(&self) -> Result<Id> {
        self.stack.last().copied().ok_or_else(|| self.error("a value is missing"))
    }

    /// Adds items to the list or dictionary on top of the stack.
    fn extend(&mut self, items: Vec<Id>) -> Result<()> {
        let top = self.top()?;
        match &mut self.values[top] {
            Value::List(list) | Value::Dict(list) => list.extend(items),
            _ => return Err(self.error("items are added to a value that is not a list")),
        }
        Ok(())
    }

    fn push_tuple(&mut self, length: usize) -> Result<()> {
        let mut items = (0..length).map(|_| self.pop()).collect::<Result<Vec<_>>>()?;
        items.reverse();
        self.push(Value::List(items));
        Ok(())
    }

    fn store_memo(&mut self, key: u64) -> Result<()> {
        let top = self.top()?;
        self.memo.insert(key, top);
        Ok(())
    }

    fn load_memo(&mut self, key: u64) -> Result<()> {
        let id =
            self.memo.get(&key).copied().ok_or_else(|| self.error("a reference is missing"))?;
        self.stack.push(id);
        Ok(())
    }

    /// Executes one instruction; returns false after the last one.
    pub fn execute_next(&mut self) -> Result<bool> {
        let code = self.read_unsigned(1)? as u8;
        match code {
            b'.' => return Ok(false),
            0x80 => {
                self.take_bytes(1)?;
            }
            0x95 => {
                self.take_bytes(8)?;
            }
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'N' | 0x88 | 0x89 => self.push(Value::Other),
            b'G' => {
                self.take_bytes(8)?;
                self.push(Value::Other);
            }
            b'K' | b'M' | b'J' | 0x8A | b'I' | b'L' => self.push_number(code)?,
            b'U' | b'T' | b'C' | b'B' | b'X' | 0x8C | 0x8D | 0x8E | 0x96 | b'S' | b'V' => {
                self.push_text(code)?;
            }
            b']' | b')' => self.push(Value::List(Vec::new())),
            b'}' => self.push(Value::Dict(Vec::new())),
            b'l' | b't' => {
                let items = self.pop_to_mark()?;
                self.push(Value::List(items));
            }
            b'd' => {
                let items = self.pop_to_mark()?;
                self.push(Value::Dict(items));
            }
            0x85 => self.push_tuple(1)?,
            0x86 => self.push_tuple(2)?,
            0x87 => self.push_tuple(3)?,
            b'a' => {
                let item = self.pop()?;
                self.extend(vec![item])?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.extend(vec![key, value])?;
            }
            b'e' | b'u' => {
                let items = self.pop_to_mark()?;
                self.extend(items)?;
            }
            b'q' | b'r' | b'p' | 0x94 | b'h' | b'j' | b'g' => self.access_memo(code)?,
            b'c' => {
                self.read_line()?;
                self.read_line()?;
                self.push(Value::Other);
            }
            0x93 => {
                self.pop()?;
                self.pop()?;
                self.push(Value::Other);
            }
            b'R' | 0x81 => {
                self.pop()?;
                self.pop()?;
                self.push(Value::Call(None));
            }
            b'b' => {
                let state = self.pop()?;
                let object = self.top()?;
                if let Value::Call(slot) = &mut self.values[object] {
                    *slot = Some(state);
                }
            }
            other => {
                return Err(self.error(&format!(
                    "it needs instruction 0x{other:02x}, which plain data does not"
                )));
            }
        }
        Ok(true)
    }

    fn push_number(&mut self, code: u8) -> Result<()> {
        let number = match code {
            b'K' => self.read_unsigned(1)? as i64,
            b'M' => self.read_unsigned(2)? as i64,
            b'J' => i64::from(self.read_unsigned(4)? as u32 as i32),
            0x8A => {
                let length = self.read_length(1)?;
                if length > 8 {
                    return Err(self.error("a number is too large"));
                }
                let raw = self.read_unsigned(length)?;
                let unused = 64 - 8 * length as u32;
                if length == 0 { 0 } else { ((raw << unused) as i64) >> unused }
            }
            _ => {
                let range = self.read_line()?;
                let text = std::str::from_utf8(&self.bytes[range]).unwrap_or_default();
                let text = text.trim_end_matches('L');
                text.parse().map_err(|_| self.error("a number is not valid"))?
            }
        };
        self.push(Value::Number(number));
        Ok(())
    }

    fn push_text(&mut self, code: u8) -> Result<()> {
        let length = match code {
            b'U' | b'C' | 0x8C => Some(1),
            b'T' | b'B' | b'X' => Some(4),
            0x8D | 0x8E | 0x96 => Some(8),
            _ => None,
        };
        let range = match length {
            Some(bytes) => {
                let length = self.read_length(bytes)?;
                self.take_bytes(length)?
            }
            None => self.read_line()?,
        };
        // A line may be a text in quotes; escapes are not interpreted.
        let range = match code {
            b'S' if range.len() >= 2 => range.start + 1..range.end - 1,
            _ => range,
        };
        self.push(Value::Bytes(range));
        Ok(())
    }

    fn access_memo(&mut self, code: u8) -> Result<()> {
        let key = match code {
            b'q' | b'h' => self.read_unsigned(1)?,
            b'r' | b'j' => self.read_unsigned(4)?,
            0x94 => self.memo.len() as u64,
            _ => {
                let range = self.read_line()?;
                let text = std::str::from_utf8(&self.bytes[range]).unwrap_or_default();
                text.parse().map_err(|_| self.error("a reference is not a number"))?
            }
        };
        match code {
            b'h' | b'j' | b'g' => self.load_memo(key),
            _ => self.store_memo(key),
        }
    }
}
