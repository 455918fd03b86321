//! Reads the numbers of a plugin: sizes, constants, and the entries of shapes.

use std::ops::Range;

use toml::de::DeValue;

use super::equation::LANGUAGE;
use super::numbers::{ConstantSpec, Extent, MAIN_SIZE, SizeSpec, number_symbols};
use super::parse::PluginReader;
use super::site::BLOCK_SYMBOLS;
use super::source::{Checked, Item, Table, key_name};
use crate::expression::{BinaryOperator, Diagnostic, Expr, NodeKind, parse};
use crate::message;
use crate::texts::Message;

/// Largest number of constants of a plugin.
const MAX_CONSTANTS: usize = 64;
/// Largest value that a size may have.
const MAX_SIZE: usize = 1 << 20;

impl<'a> PluginReader<'a> {
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
            let Some(entry) =
                self.findings.record(table.as_table(item, message!("plugin-part-size", name)))
            else {
                self.all_names_known = false;
                continue;
            };
            let is_valid =
                entry.check_keys(&["symbol", "default", "min", "max", "meaning"], self.findings);
            let symbol = self.findings.record(entry.name("symbol"));
            let symbol = match (symbol, name) {
                (Some(Some(symbol)), _) => symbol,
                (Some(None), MAIN_SIZE) => "r",
                (Some(None), name) => name,
                (None, _) => {
                    self.all_names_known = false;
                    continue;
                }
            };
            let name_check =
                self.check_new_name(symbol, span.clone(), &number_symbols(&sizes, &[]), &[]);
            if self.findings.record(name_check).is_none() {
                self.all_names_known = false;
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
            if is_valid {
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
            if constants.len() == MAX_CONSTANTS {
                let message = message!(
                    "problem-plugin-too-many-constants",
                    most_constants = MAX_CONSTANTS.to_string()
                );
                self.findings.add(Diagnostic::new(span, message));
                self.all_names_known = false;
                break;
            }
            let taken = number_symbols(sizes, &constants);
            let name_check = self.check_new_name(name, span.clone(), &taken, &[]);
            let constant = name_check.and_then(|()| self.constant(name, span, item));
            match self.findings.record(constant) {
                Some(constant) => constants.push(constant),
                None => self.all_names_known = false,
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
            constant.default = read_float(item, message!("plugin-part-the-constant", name))?;
            return Ok(constant);
        }
        let entry = (self.document).as_table(item, message!("plugin-part-constant", name))?;
        let is_valid = entry.check_keys(&["default", "min", "max", "meaning"], self.findings);
        if !is_valid {
            return Ok(constant);
        }
        let number = |key: &str| entry.get(key).map(|item| read_float(item, key_name(key)));
        constant.default = read_float(entry.require("default")?, key_name("default"))?;
        constant.meaning = entry.meaning()?;
        let (default, min, max) = (constant.default, number("min"), number("max"));
        let range = [min.transpose()?, max.transpose()?];
        constant.range = match range {
            [None, None] => None,
            [Some(min), Some(max)] if min <= default && default <= max => Some([min, max]),
            _ => {
                let message = message!("problem-constant-range", name);
                return Err(Diagnostic::new(span, message));
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
                0 => Err(Diagnostic::new(item.span(), message!("problem-shape-contains-zero"))),
                count => Ok(Extent::Count(count)),
            };
        };
        let block = BLOCK_SYMBOLS.iter().map(|(symbol, _)| *symbol);
        let known = block.chain(numbers.iter().map(String::as_str));
        // If a name was rejected, this symbol may refer to it, so it is not reported.
        let is_known = |symbol: &str| {
            !self.all_names_known || known.clone().any(|known_symbol| known_symbol == symbol)
        };
        let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if text.chars().all(is_name_char) {
            let symbol = entry.as_name(item, message!("plugin-part-a-size"))?;
            if is_known(symbol) {
                return Ok(Extent::Symbol(symbol.to_owned()));
            }
            let owner = entry.what.clone();
            let message = message!("problem-shape-size-unknown", symbol, owner);
            let diagnostic = Diagnostic::new(item.span(), message);
            return Err(diagnostic.suggest_name(symbol, known).quote_fix());
        }
        let tree = parse(&LANGUAGE, text).map_err(|slip| Diagnostic {
            span: item.span(),
            fix: None,
            ..slip
        })?;
        match find_disallowed(&tree, &is_known) {
            None => Ok(Extent::Formula(text.to_owned(), tree)),
            Some(part) => {
                let (part, owner) = (part.to_string(), entry.what.clone());
                let message = message!("problem-shape-part-not-allowed", part, owner);
                let diagnostic = Diagnostic::new(item.span(), message);
                Err(diagnostic.explain(message!("advice-shape-syntax")))
            }
        }
    }
}

/// Returns the first part of a shape's formula that is neither a known size nor plain arithmetic.
fn find_disallowed<'e>(tree: &'e Expr, is_known: &dyn Fn(&str) -> bool) -> Option<&'e Expr> {
    match &tree.kind {
        NodeKind::Name(name) if !is_known(name) => return Some(tree),
        NodeKind::Call(..) | NodeKind::Binary(BinaryOperator::MatMul, _) => return Some(tree),
        _ => {}
    }
    tree.children().iter().find_map(|part| find_disallowed(part, is_known))
}

/// Reads a number that is finite as f32.
fn read_float(item: &Item<'_>, what: Message) -> Checked<f64> {
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
    let item = entry.require("default")?;
    size.default = entry.as_count(item, key_name("default"))?;
    size.meaning = entry.meaning()?;
    let (min, default, max) = (size.min, size.default, size.max);
    if 1 <= min && min <= default && default <= max && max <= MAX_SIZE {
        return Ok(());
    }
    let name = &size.name;
    let message = message!(
        "problem-size-range",
        name,
        most_size = MAX_SIZE.to_string(),
        min = min.to_string(),
        default = default.to_string(),
        max = max.to_string()
    );
    Err(Diagnostic::new(span, message))
}
