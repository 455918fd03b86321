//! Conditions that runs are chosen by: `final > 85`, `method = l2p and epochs >= 5`.

use super::{Cell, Column, TableRun};
use crate::message;
use crate::names::folded;
use crate::problem::{Problem, Result};

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    AtLeast,
    AtMost,
    Above,
    Below,
    Contains,
}

/// As they are written; those of two characters first, since they begin like others.
const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("!=", Operator::NotEqual),
    ("=", Operator::Equal),
    (">", Operator::Above),
    ("<", Operator::Below),
    ("~", Operator::Contains),
];

/// Most characters of conditions: nobody writes as many by hand.
const LONGEST: usize = 10_000;

/// One comparison of a column with a value.
#[derive(Clone, Debug)]
pub struct Condition {
    column: Column,
    operator: Operator,
    value: String,
    number: Option<f64>,
}

impl Condition {
    /// Reads comparisons joined by `and`: COLUMN and one of `=`, `!=`, `>`, `>=`, `<`, `<=`, `~` (holds the text), and a
    /// value. Columns are those of [`Column::named`].
    ///
    /// # Errors
    /// Returns a Problem that says which part is no comparison, or which column there is not.
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
        parts.iter().map(|part| Self::one(part, runs)).collect()
    }

    fn one(text: &str, runs: &[TableRun<'_>]) -> Result<Self> {
        let shown = text.trim();
        let Some((at, length, operator)) = operator_in(text) else {
            return Err(Problem::new(message!(
                "problem-condition-no-comparison",
                shown = shown.to_string()
            ))
            .advise(message!("advice-write-condition")));
        };
        let (name, value) = (text[..at].trim(), text[at + length..].trim());
        if name.is_empty() || value.is_empty() {
            return Err(Problem::new(message!(
                "problem-condition-side-missing",
                shown = shown.to_string()
            ))
            .advise(message!("advice-write-condition")));
        }
        let column = Column::named(name, runs)?;
        let number: Option<f64> = value.trim_end_matches('%').trim().parse().ok();
        let ordered = matches!(
            operator,
            Operator::AtLeast | Operator::AtMost | Operator::Above | Operator::Below
        );
        if column.is_figure() && number.is_none() && (ordered || operator == Operator::Equal) {
            return Err(Problem::new(message!(
                "problem-condition-needs-number",
                value = value.to_string(),
                name = name.to_string()
            ))
            .advise(message!("advice-give-percentage")));
        }
        Ok(Self {
            column,
            operator,
            value: folded(value),
            number,
        })
    }

    /// Returns whether it asks how far runs are, so that unfinished ones are meant, too.
    pub fn asks_for_progress(&self) -> bool {
        ["state", "tasks_done"].contains(&self.column.key().as_str())
    }

    /// Whether a run meets it. One that has nothing in the column meets `!=` alone.
    pub fn holds(&self, run: &TableRun<'_>) -> bool {
        let cell = self.column.of(run);
        let order = match (&cell, self.number) {
            (Cell::Nothing, _) => return self.operator == Operator::NotEqual,
            (Cell::Number(own), Some(number)) => own.partial_cmp(&number),
            (Cell::Number(own), None) => Some(own.to_string().cmp(&self.value)),
            (Cell::Text(own), _) => Some(folded(own).cmp(&self.value)),
        };
        let Some(order) = order else { return false };
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::AtLeast => order.is_ge(),
            Operator::AtMost => order.is_le(),
            Operator::Above => order.is_gt(),
            Operator::Below => order.is_lt(),
            Operator::Contains => folded(&cell.to_string()).contains(&self.value),
        }
    }
}

/// The first operator in a text: its place, its length, and which it is.
fn operator_in(text: &str) -> Option<(usize, usize, Operator)> {
    let found = OPERATORS
        .iter()
        .filter_map(|(sign, operator)| Some((text.find(sign)?, sign.len(), *operator)));
    // The first place, and of two that begin there the longer one.
    found.min_by_key(|(at, length, _)| (*at, usize::MAX - length))
}
