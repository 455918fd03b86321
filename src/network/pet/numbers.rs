//! The numbers of a plugin: whole sizes and constants, which serve in shapes and equations and may be chosen; and what a
//! shape's entry comes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expression::{Expr, NodeKind, Sign};

/// The size that most plugins have: rank, channels in the middle, number of tokens.
pub const MAIN_SIZE: &str = "size";

/// A number the user may choose, such as the rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeSpec {
    /// Key of [`PetSettings::sizes`]; the main one is `size`.
    pub name: String,
    /// Its symbol in shapes and equations; r for `size`.
    pub symbol: String,
    /// Value when nothing is chosen.
    pub default: usize,
    /// Smallest value.
    pub min: usize,
    /// Largest value.
    pub max: usize,
    /// One line; may be empty.
    pub meaning: String,
}

/// Rows or columns of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Extent {
    /// A fixed count.
    Count(usize),
    /// A size of the block or the plugin.
    Symbol(String),
    /// A formula of sizes, as written and read.
    Formula(String, Expr),
}

/// A number of a plugin that need not be whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstantSpec {
    /// Its name in equations and settings.
    pub name: String,
    /// Value when nothing is chosen.
    pub default: f64,
    /// Smallest and largest value that may be chosen; `None` for one that is always the default.
    pub range: Option<[f64; 2]>,
    /// One line; may be empty.
    pub meaning: String,
}

/// The values of a plugin's sizes and constants by symbol.
pub(super) type Numbers<'a> = BTreeMap<&'a str, f64>;

/// Symbols of a plugin's own numbers.
pub(super) fn symbols_of(sizes: &[SizeSpec], constants: &[ConstantSpec]) -> Vec<String> {
    let sizes = sizes.iter().map(|size| size.symbol.clone());
    let constants = constants.iter().map(|constant| constant.name.clone());
    sizes.chain(constants).collect()
}

/// What a shape's formula comes to.
pub(super) fn value_of(
    tree: &Expr,
    number: &dyn Fn(&str) -> Result<f64, String>,
) -> Result<f64, String> {
    Ok(match &tree.kind {
        NodeKind::Number(value) => *value,
        NodeKind::Name(name) => number(name)?,
        NodeKind::Minus(inner) => -value_of(inner, number)?,
        NodeKind::Pair(sign, both) => {
            let [a, b] = both.each_ref().map(|part| value_of(part, number));
            match sign {
                Sign::Add => a? + b?,
                Sign::Subtract => a? - b?,
                Sign::Multiply => a? * b?,
                _ => a? / b?,
            }
        }
        NodeKind::Call(..) => return Err(format!("`{tree}` is not a number")),
    })
}
