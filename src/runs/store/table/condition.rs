//! Conditions that select runs, such as `final > 85` or `method = l2p and epochs >= 5`.

use std::cmp::Ordering;

use super::{Cell, Column, TableRun};
use crate::message;
use crate::names::folded;
use crate::problem::{Problem, Result};

/// A comparison operator: its sign, and whether it holds for the order of a cell and a value; `None` if the cell must
/// contain the value.
type Operator = (&'static str, Option<fn(Ordering) -> bool>);

/// All operators.
static OPERATORS: [Operator; 7] = [
    (">=", Some(Ordering::is_ge)),
    ("<=", Some(Ordering::is_le)),
    (NOT_EQUAL, Some(Ordering::is_ne)),
    ("=", Some(Ordering::is_eq)),
    (">", Some(Ordering::is_gt)),
    ("<", Some(Ordering::is_lt)),
    ("~", None),
];
/// The only operator that holds for a run without a value.
const NOT_EQUAL: &str = "!=";

/// Maximum number of characters of conditions.
const LONGEST: usize = 10_000;

/// A comparison of a column with a value.
#[derive(Clone, Debug)]
pub struct Condition {
    column: Column,
    operator: Operator,
    value: String,
    number: Option<f64>,
}

impl Condition {
    /// Reads comparisons joined by `and`. Each consists of a column as in [`Column::named`], one of `=`, `!=`, `>`,
    /// `>=`, `<`, `<=`, `~` (contains the text), and a value.
    ///
    /// # Errors
    /// Returns a Problem that says which part is not a comparison, or which column does not exist.
    pub fn read(text: &str, runs: &[TableRun<'_>]) -> Result<Vec<Self>> {
        if text.len() > LONGEST {
            let what = message!("problem-condition-too-long", text = text.len().to_string());
            return Err(Problem::new(what).advise(message!(
                "advice-limit-characters",
                longest = LONGEST.to_string()
            )));
        }
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(" and ") {
            match parts.last_mut() {
                // "and" may be part of a value: data = cats and dogs.
                Some(before) if operator_in(part).is_none() => *before += &format!(" and {part}"),
                _ => parts.push(part.to_string()),
            }
        }
        parts
            .iter()
            .map(|part| Self::read_comparison(part, runs))
            .collect()
    }

    fn read_comparison(text: &str, runs: &[TableRun<'_>]) -> Result<Self> {
        let shown = text.trim();
        let Some((at, operator)) = operator_in(text) else {
            return Err(
                Problem::new(message!("problem-condition-no-comparison", shown))
                    .advise(message!("advice-write-condition")),
            );
        };
        let (name, value) = (text[..at].trim(), text[at + operator.0.len()..].trim());
        if name.is_empty() || value.is_empty() {
            return Err(
                Problem::new(message!("problem-condition-side-missing", shown))
                    .advise(message!("advice-write-condition")),
            );
        }
        let column = Column::named(name, runs)?;
        let number: Option<f64> = value.trim_end_matches('%').trim().parse().ok();
        let compares = operator.1.is_some() && operator.0 != NOT_EQUAL;
        if column.is_figure() && number.is_none() && compares {
            return Err(
                Problem::new(message!("problem-condition-needs-number", value, name))
                    .advise(message!("advice-give-percentage")),
            );
        }
        Ok(Self {
            column,
            operator,
            value: folded(value),
            number,
        })
    }

    /// Returns whether the condition is about the progress of runs, so that unfinished runs are included.
    pub fn asks_for_progress(&self) -> bool {
        ["state", "tasks_done"].contains(&self.column.key().as_str())
    }

    /// Returns whether a run meets the condition. A run without a value in the column meets only `!=`.
    pub fn holds(&self, run: &TableRun<'_>) -> bool {
        let cell = self.column.of(run);
        let order = match (&cell, self.number) {
            (Cell::Nothing, _) => return self.operator.0 == NOT_EQUAL,
            (Cell::Number(own), Some(number)) => own.partial_cmp(&number),
            (Cell::Number(own), None) => Some(own.to_string().cmp(&self.value)),
            (Cell::Text(own), _) => Some(folded(own).cmp(&self.value)),
        };
        let Some(order) = order else { return false };
        match self.operator.1 {
            Some(holds) => holds(order),
            None => folded(&cell.to_string()).contains(&self.value),
        }
    }
}

/// Returns the first operator in a text with its position in bytes.
fn operator_in(text: &str) -> Option<(usize, Operator)> {
    let found = OPERATORS
        .iter()
        .filter_map(|operator| Some((text.find(operator.0)?, *operator)));
    // Of two operators at the same position, such as `>` and `>=`, the longer one is meant.
    found.min_by_key(|(at, (sign, _))| (*at, usize::MAX - sign.len()))
}
