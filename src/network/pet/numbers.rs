//! The numbers of a plugin: integer sizes and real constants, which are used in shapes and equations; and the
//! evaluation of formulas in shapes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expression::{Expr, NodeKind};
use crate::message;
use crate::texts::Message;

/// Name of the size that most plugins have: the rank, the bottleneck width, or the number of tokens.
pub const MAIN_SIZE: &str = "size";

/// An integer that the user can choose, such as the rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeSpec {
    /// The key in `PetSettings::sizes`; that of the main size is `size`.
    pub name: String,
    /// The symbol in shapes and equations; r for `size`.
    pub symbol: String,
    /// The value if the user chooses none.
    pub default: usize,
    /// Smallest value.
    pub min: usize,
    /// Largest value.
    pub max: usize,
    /// A one-line description; may be empty.
    pub meaning: String,
}

/// The number of rows or columns of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// A fixed count.
    Count(usize),
    /// A size of the block or the plugin.
    Symbol(String),
    /// A formula of sizes: its text and its tree.
    Formula(String, Expr),
}

/// A real number of a plugin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstantSpec {
    /// The name in equations and settings.
    pub name: String,
    /// The value if the user chooses none.
    pub default: f64,
    /// The smallest and largest value that users can choose; `None` if the value is always the default.
    pub range: Option<[f64; 2]>,
    /// A one-line description; may be empty.
    pub meaning: String,
}

/// The values of a plugin's sizes and constants by symbol.
pub(super) type Numbers<'a> = BTreeMap<&'a str, f64>;

/// Returns the symbols of a plugin's sizes and constants.
pub(super) fn number_symbols(sizes: &[SizeSpec], constants: &[ConstantSpec]) -> Vec<String> {
    let sizes = sizes.iter().map(|size| size.symbol.clone());
    let constants = constants.iter().map(|constant| constant.name.clone());
    sizes.chain(constants).collect()
}

/// Evaluates a formula of a shape; `number` returns the value of a symbol.
pub(super) fn evaluate_formula(
    tree: &Expr,
    number: &dyn Fn(&str) -> Result<f64, Message>,
) -> Result<f64, Message> {
    Ok(match &tree.kind {
        NodeKind::Number(value) => *value,
        NodeKind::Name(name) => number(name)?,
        NodeKind::Negate(inner) => -evaluate_formula(inner, number)?,
        NodeKind::Binary(operator, operands) => {
            let [a, b] = operands.each_ref().map(|part| evaluate_formula(part, number));
            operator.calculate(a?, b?)
        }
        NodeKind::Call(..) => {
            let shown = tree.to_string();
            return Err(message!("problem-not-a-number", shown));
        }
    })
}
