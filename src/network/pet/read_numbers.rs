//! Reads the numbers of a plugin: sizes, constants, and the entries of shapes.

use std::ops::Range;

use toml::de::DeValue;

use super::equation::LANGUAGE;
use super::numbers::{ConstantSpec, Extent, MAIN_SIZE, SizeSpec, symbols_of};
use super::parse::Reader;
use super::site::BLOCK_SYMBOLS;
use super::source::{Checked, Item, Table, key_name};
use crate::expression::{BinaryOperator, Diagnostic, Expr, NodeKind, parse};
use crate::message;
use crate::texts::Message;

/// Largest number of constants of a plugin.
const MOST_CONSTANTS: usize = 64;
/// Largest value that a size may have.
const MOST_SIZE: usize = 1 << 20;

impl<'a> Reader<'a> {
    /// Reads the sizes. One with invalid values stays in the list, so that its symbol in shapes is not reported as
    /// unknown.
    pub(super) fn sizes(&mut self) -> Checked<Vec<SizeSpec>> {
        let Some(table) = self.document.table("sizes", key_name("sizes"))? else {
            return Ok(Vec::new());
        };
        let mut sizes: Vec<SizeSpec> = Vec::new();
        for (name, span, item) in table.entries() {
            if self.findings.is_full() {
                break;
            }
            let Some(entry) = self
                .findings
                .record(table.as_table(item, message!("plugin-part-size", name)))
            else {
                self.all_named = false;
                continue;
            };
            let fine = entry.only(
                &["symbol", "default", "min", "max", "meaning"],
                self.findings,
            );
            let symbol = self.findings.record(entry.name("symbol"));
            let symbol = match (symbol, name) {
                (Some(Some(symbol)), _) => symbol,
                (Some(None), MAIN_SIZE) => "r",
                (Some(None), name) => name,
                (None, _) => {
                    self.all_named = false;
                    continue;
                }
            };
            let fresh = self.fresh_name(symbol, span.clone(), &symbols_of(&sizes, &[]), &[]);
            if self.findings.record(fresh).is_none() {
                self.all_named = false;
                continue;
            }
            let mut size = SizeSpec {
                name: name.to_owned(),
                symbol: symbol.to_owned(),
                min: 1,
                max: 1024,
                default: 1,
                meaning: String::new(),
            };
            let values = size_values(&mut size, &entry, span);
            if fine {
                self.findings.record(values);
            }
            sizes.push(size);
        }
        sizes.sort_by_key(|size| size.name != MAIN_SIZE);
        Ok(sizes)
    }

    /// Reads the constants: each is a number, or a table with a range for the user's choice.
    pub(super) fn constants(&mut self, sizes: &[SizeSpec]) -> Checked<Vec<ConstantSpec>> {
        let table = self.document.table("constants", key_name("constants"))?;
        let mut constants: Vec<ConstantSpec> = Vec::new();
        for (name, span, item) in table.iter().flat_map(Table::entries) {
            if self.findings.is_full() {
                break;
            }
            if constants.len() == MOST_CONSTANTS {
                let what = message!(
                    "problem-plugin-too-many-constants",
                    most_constants = MOST_CONSTANTS.to_string()
                );
                self.findings.add(Diagnostic::new(span, what));
                self.all_named = false;
                break;
            }
            let taken = symbols_of(sizes, &constants);
            let fresh = self.fresh_name(name, span.clone(), &taken, &[]);
            let found = fresh.and_then(|()| self.constant(name, span, item));
            match self.findings.record(found) {
                Some(constant) => constants.push(constant),
                None => self.all_named = false,
            }
        }
        Ok(constants)
    }

    fn constant(
        &self,
        name: &str,
        span: Range<usize>,
        item: &'a Item<'a>,
    ) -> Checked<ConstantSpec> {
        let mut constant = ConstantSpec {
            name: name.to_owned(),
            default: 0.0,
            range: None,
            meaning: String::new(),
        };
        if item.get_ref().as_table().is_none() {
            constant.default = real(item, message!("plugin-part-the-constant", name))?;
            return Ok(constant);
        }
        let entry = (self.document).as_table(item, message!("plugin-part-constant", name))?;
        let fine = entry.only(&["default", "min", "max", "meaning"], self.findings);
        if !fine {
            return Ok(constant);
        }
        let number = |key: &str| entry.get(key).map(|item| real(item, key_name(key)));
        constant.default = real(entry.need("default")?, key_name("default"))?;
        constant.meaning = entry.meaning()?;
        let (default, min, max) = (constant.default, number("min"), number("max"));
        let range = [min.transpose()?, max.transpose()?];
        constant.range = match range {
            [None, None] => None,
            [Some(min), Some(max)] if min <= default && default <= max => Some([min, max]),
            _ => {
                let what = message!("problem-constant-range", name);
                return Err(Diagnostic::new(span, what));
            }
        };
        Ok(constant)
    }

    /// Reads an entry of a shape: a count, a symbol, or a formula of symbols.
    pub(super) fn extent(
        &self,
        entry: &Table<'a>,
        item: &'a Item<'a>,
        numbers: &[String],
    ) -> Checked<Extent> {
        let Some(text) = item.get_ref().as_str() else {
            return match entry.as_count(item, message!("plugin-part-shape-entry"))? {
                0 => Err(Diagnostic::new(
                    item.span(),
                    message!("problem-shape-contains-zero"),
                )),
                count => Ok(Extent::Count(count)),
            };
        };
        let block = BLOCK_SYMBOLS.iter().map(|(symbol, _)| *symbol);
        let known = block.chain(numbers.iter().map(String::as_str));
        // If a name was rejected, this symbol may refer to it, so it is not reported.
        let is_known = |symbol: &str| !self.all_named || known.clone().any(|own| own == symbol);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if text.chars().all(plain) {
            let symbol = entry.as_name(item, message!("plugin-part-a-size"))?;
            if is_known(symbol) {
                return Ok(Extent::Symbol(symbol.to_owned()));
            }
            let owner = entry.what.clone();
            let what = message!("problem-shape-size-unknown", symbol, owner);
            let wrong = Diagnostic::new(item.span(), what);
            return Err(wrong.meant(symbol, known).quoted());
        }
        let tree = parse(&LANGUAGE, text).map_err(|slip| Diagnostic {
            span: item.span(),
            fix: None,
            ..slip
        })?;
        match refused(&tree, &is_known) {
            None => Ok(Extent::Formula(text.to_owned(), tree)),
            Some(part) => {
                let (part, owner) = (part.to_string(), entry.what.clone());
                let what = message!("problem-shape-part-not-allowed", part, owner);
                let wrong = Diagnostic::new(item.span(), what);
                Err(wrong.because(message!("advice-shape-syntax")))
            }
        }
    }
}

/// Returns the first part of a shape's formula that is neither a known size nor plain arithmetic.
fn refused<'e>(tree: &'e Expr, is_known: &dyn Fn(&str) -> bool) -> Option<&'e Expr> {
    match &tree.kind {
        NodeKind::Name(name) if !is_known(name) => return Some(tree),
        NodeKind::Call(..) | NodeKind::Binary(BinaryOperator::Product, _) => return Some(tree),
        _ => {}
    }
    tree.parts().iter().find_map(|part| refused(part, is_known))
}

/// Reads a number that is finite as f32.
fn real(item: &Item<'_>, what: Message) -> Checked<f64> {
    let number = match item.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse::<f64>().ok(),
        DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        _ => None,
    };
    // Tensors are f32, whose range is smaller than that of f64.
    let number = number.filter(|x| (*x as f32).is_finite());
    number.ok_or_else(|| Diagnostic::new(item.span(), message!("problem-number-expected", what)))
}

/// Reads the default, the range and the description of a size.
fn size_values(size: &mut SizeSpec, entry: &Table<'_>, span: Range<usize>) -> Checked<()> {
    size.min = entry.count("min")?.unwrap_or(size.min);
    size.max = entry.count("max")?.unwrap_or(size.max);
    let item = entry.need("default")?;
    size.default = entry.as_count(item, key_name("default"))?;
    size.meaning = entry.meaning()?;
    let (min, default, max) = (size.min, size.default, size.max);
    if 1 <= min && min <= default && default <= max && max <= MOST_SIZE {
        return Ok(());
    }
    let name = &size.name;
    let what = message!(
        "problem-size-range",
        name,
        most_size = MOST_SIZE.to_string(),
        min = min.to_string(),
        default = default.to_string(),
        max = max.to_string()
    );
    Err(Diagnostic::new(span, what))
}
