//! Conditions that select runs, such as `final > 85` or `method = l2p and epochs >= 5`.

use std::cmp::Ordering;

use super::{Cell, Column, TableRun};
use crate::message;
use crate::names::fold_case;
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
const MAX_LENGTH: usize = 10_000;

/// A comparison of a column with a value.
#[derive(Clone, Debug)]
pub struct Condition {
    column: Column,
    operator: Operator,
    value: String,
    number: Option<f64>,
}

impl Condition {
    /// Reads comparisons joined by `and`. Each consists of a column as in [`Column::from_name`], one of `=`, `!=`, `>`,
    /// `>=`, `<`, `<=`, `~` (contains the text), and a value.
    ///
    /// # Errors
    /// Returns a Problem that says which part is not a comparison, or which column does not exist.
    pub fn parse(text: &str, runs: &[TableRun<'_>]) -> Result<Vec<Self>> {
        if text.len() > MAX_LENGTH {
            let what = message!("problem-condition-too-long", text = text.len().to_string());
            return Err(Problem::new(what)
                .advise(message!("advice-limit-characters", longest = MAX_LENGTH.to_string())));
        }
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(" and ") {
            match parts.last_mut() {
                // "and" may be part of a value: data = cats and dogs.
                Some(previous) if find_operator(part).is_none() => {
                    *previous += &format!(" and {part}");
                }
                _ => parts.push(part.to_string()),
            }
        }
        parts.iter().map(|part| Self::parse_comparison(part, runs)).collect()
    }

    fn parse_comparison(text: &str, runs: &[TableRun<'_>]) -> Result<Self> {
        let shown = text.trim();
        let Some((position, operator)) = find_operator(text) else {
            return Err(Problem::new(message!("problem-condition-no-comparison", shown))
                .advise(message!("advice-write-condition")));
        };
        let (name, value) = (text[..position].trim(), text[position + operator.0.len()..].trim());
        if name.is_empty() || value.is_empty() {
            return Err(Problem::new(message!("problem-condition-side-missing", shown))
                .advise(message!("advice-write-condition")));
        }
        let column = Column::from_name(name, runs)?;
        let number: Option<f64> = value.trim_end_matches('%').trim().parse().ok();
        let needs_number = operator.1.is_some() && operator.0 != NOT_EQUAL;
        if column.is_figure() && number.is_none() && needs_number {
            return Err(Problem::new(message!("problem-condition-needs-number", value, name))
                .advise(message!("advice-give-percentage")));
        }
        Ok(Self { column, operator, value: fold_case(value), number })
    }

    /// Returns whether the condition is about the progress of runs, so that unfinished runs are included.
    pub fn is_about_progress(&self) -> bool {
        ["state", "tasks_done"].contains(&self.column.key().as_str())
    }

    /// Returns whether a run meets the condition. A run without a value in the column meets only `!=`.
    pub fn matches(&self, run: &TableRun<'_>) -> bool {
        let cell = self.column.cell(run);
        let order = match (&cell, self.number) {
            (Cell::Nothing, _) => return self.operator.0 == NOT_EQUAL,
            (Cell::Number(value), Some(number)) => value.partial_cmp(&number),
            (Cell::Number(value), None) => Some(value.to_string().cmp(&self.value)),
            (Cell::Text(value), _) => Some(fold_case(value).cmp(&self.value)),
        };
        let Some(order) = order else { return false };
        match self.operator.1 {
            Some(accepts) => accepts(order),
            None => fold_case(&cell.to_string()).contains(&self.value),
        }
    }
}

/// Returns the first operator in a text with its position in bytes.
fn find_operator(text: &str) -> Option<(usize, Operator)> {
    let found = OPERATORS.iter().filter_map(|operator| Some((text.find(operator.0)?, *operator)));
    // Of two operators at the same position, such as `>` and `>=`, the longer one is meant.
    found.min_by_key(|(position, (sign, _))| (*position, usize::MAX - sign.len()))
}
