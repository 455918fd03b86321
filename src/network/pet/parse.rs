//! Parses a plugin file into a [`PetSpec`]: reads the TOML with positions, and checks names and types. `variants.rs`
//! compiles the equations, and `trial.rs` then checks the shapes. Checking continues after an error: a rejected part
//! is omitted or replaced by a default, and errors that only follow from another one are not reported.

use std::ops::Range;

use toml::de::DeTable;

use super::errors::Diagnostics;
use super::functions::{RECENT_FUNCTIONS, function};
use super::init::{INITS, Init};
use super::numbers::number_symbols;
use super::site::{BLOCK_SYMBOLS, Site};
use super::source::{Checked, Item, PluginText, Table, key_name};
use super::spec::{Extent, ParameterSpec, PetSpec};
use crate::expression::Diagnostic;
use crate::message;

/// Largest size of a plugin file in bytes; a larger file is not a plugin.
pub const MAX_BYTES: usize = 64 * 1024;
/// Largest number of parameters of a plugin.
pub(super) const MAX_PARAMETERS: usize = 64;
/// Depth of nested tables: `variants`, a variant, its `equations`, the steps of a site.
const MAX_DEPTH: usize = 4;

const KEYS: &[&str] = &[
    "name",
    "description",
    "reference",
    "sites",
    "sizes",
    "constants",
    "parameters",
    "equations",
    "variant",
    "variants",
    "without_learning",
];

/// Parses a plugin and compiles its equations; shapes are not checked yet.
///
/// # Errors
/// Returns all errors in the order of the file.
pub(super) fn parse_spec(source: &PluginText) -> Result<PetSpec, Vec<Diagnostic>> {
    let text = &*source.text;
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        let message = message!(
            "problem-plugin-file-too-large",
            bytes = bytes.to_string(),
            most_bytes = MAX_BYTES.to_string()
        );
        return Err(vec![Diagnostic::new(0..bytes, message)]);
    }
    let root = DeTable::parse(text).map_err(|error| {
        let message = Diagnostic::toml_message(&error);
        let diagnostic = Diagnostic::new(error.span().unwrap_or_default(), message);
        vec![diagnostic.explain(message!("advice-compare-built-in-plugin"))]
    })?;
    let document = Table::document(&root);
    document.check_name_lengths(MAX_DEPTH).map_err(|long| vec![long])?;
    let findings = Diagnostics::default();
    document.check_keys(KEYS, &findings);
    let mut reader =
        PluginReader { source, document: &document, findings: &findings, all_names_known: true };
    let sites = findings.or_default(reader.sites());
    let sizes = findings.or_default(reader.sizes());
    let constants = findings.or_default(reader.constants(&sizes));
    let numbers = number_symbols(&sizes, &constants);
    let parameters = findings.or_default(reader.parameters(&numbers));
    let mut spec = PetSpec {
        name: findings.or_default(reader.name()),
        description: findings.or_default(reader.paragraph("description")),
        reference: findings.or_default(reader.paragraph("reference")),
        source: source.clone(),
        sizes,
        constants,
        parameters,
        sites,
        variants: Vec::new(),
        without_learning: None,
        starts_as_identity: false,
    };
    spec.variants = findings.or_default(reader.variants(&spec));
    spec.without_learning = findings.or_default(reader.without_learning(&spec));
    if !findings.is_empty() {
        return Err(findings.into_sorted());
    }
    spec.check_all_used().map_err(|unused| vec![unused])?;
    Ok(spec)
}

/// The state shared by all parsing functions.
pub(super) struct PluginReader<'a> {
    pub source: &'a PluginText,
    pub document: &'a Table<'a>,
    pub findings: &'a Diagnostics,
    /// Whether all names were accepted; otherwise, unknown names in equations are not reported, because they may
    /// follow from a rejected name.
    pub all_names_known: bool,
}

impl<'a> PluginReader<'a> {
    fn name(&self) -> Checked<String> {
        let item = self.document.require("name")?;
        let name = self.document.as_text(item, key_name("name"))?.trim();
        let is_valid = !name.is_empty()
            && name.chars().count() <= 40
            && !name.chars().any(|letter| letter.is_control() || "/\\".contains(letter));
        match is_valid {
            true => Ok(name.to_owned()),
            false => Err(Diagnostic::new(item.span(), message!("problem-plugin-name-invalid"))),
        }
    }

    /// Returns a text with each run of white space, line breaks included, replaced by a space.
    fn paragraph(&self, key: &str) -> Checked<String> {
        let text = self.document.text(key)?.unwrap_or_default();
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns the sets of sites; empty if a site is rejected, because the checks of equations depend on all of them.
    fn sites(&self) -> Checked<Vec<Vec<Site>>> {
        let item = self.document.require("sites")?;
        let mut choices = Vec::new();
        let mut is_valid = true;
        for choice in self.document.as_list(item, key_name("sites"))? {
            let set = match choice.get_ref().as_str() {
                Some(_) => self.site(choice).map(|site| vec![site]),
                None => self.site_set(choice),
            };
            is_valid &= set.is_ok();
            choices.extend(self.findings.record(set));
        }
        match is_valid {
            true if choices.is_empty() || choices.iter().any(Vec::is_empty) => {
                Err(Diagnostic::new(item.span(), message!("problem-sites-empty")))
            }
            true => Ok(choices),
            false => Ok(Vec::new()),
        }
    }

    /// Reads a set of sites that are used together.
    fn site_set(&self, choice: &'a Item<'a>) -> Checked<Vec<Site>> {
        let mut sites = Vec::new();
        for item in self.document.as_list(choice, message!("plugin-part-entry", key = "sites"))? {
            let site = self.site(item)?;
            if sites.contains(&site) {
                let message = message!("problem-site-listed-twice", name = site.name());
                return Err(Diagnostic::new(item.span(), message));
            }
            sites.push(site);
        }
        Ok(sites)
    }

    fn site(&self, item: &'a Item<'a>) -> Checked<Site> {
        let name = self.document.as_name(item, message!("plugin-part-site"))?;
        Site::from_name(name).ok_or_else(|| {
            let message = message!("problem-site-not-found", name);
            if let Some(site) = Site::from_alias(name) {
                return Diagnostic::new(item.span(), message)
                    .suggest_name(site.name(), [site.name()])
                    .quote_fix();
            }
            let known = Site::ALL.iter().map(|(_, name, _)| *name);
            Diagnostic::new(item.span(), message).suggest_name(name, known).quote_fix()
        })
    }

    /// Reads the parameters. A rejected one stays in the list, so that its name in equations is not reported as
    /// unknown.
    fn parameters(&mut self, numbers: &[String]) -> Checked<Vec<ParameterSpec>> {
        let item = self.document.require("parameters");
        let item = item.inspect_err(|_| self.all_names_known = false)?;
        let table = self.document.as_table(item, key_name("parameters"));
        let table = table.inspect_err(|_| self.all_names_known = false)?;
        let mut parameters: Vec<ParameterSpec> = Vec::new();
        for (name, span, item) in table.entries() {
            if parameters.len() == MAX_PARAMETERS {
                let message = message!(
                    "problem-plugin-too-many-parameters",
                    most_parameters = MAX_PARAMETERS.to_string()
                );
                self.findings.add(Diagnostic::new(span, message));
                self.all_names_known = false;
                break;
            }
            let taken: Vec<&str> = parameters.iter().map(|known| known.name.as_str()).collect();
            let name_check = self.check_new_name(name, span.clone(), numbers, &taken);
            self.all_names_known &= self.findings.record(name_check).is_some();
            let mut parameter = ParameterSpec {
                name: name.to_owned(),
                shape: [Extent::Count(1), Extent::Count(1)],
                init: Init::Constant(0.0),
                fixed: false,
                per_site: false,
                shared: false,
                meaning: String::new(),
                span,
            };
            let entry = table.as_table(item, message!("plugin-part-parameter", name));
            if let Some(entry) = self.findings.record(entry) {
                self.parameter(&mut parameter, &entry, numbers);
            }
            parameters.push(parameter);
        }
        Ok(parameters)
    }

    fn parameter(&self, parameter: &mut ParameterSpec, entry: &Table<'a>, numbers: &[String]) {
        let keys = ["shape", "init", "fixed", "per_site", "shared", "meaning"];
        // If a key is unknown, a missing key may be misspelt, so it is not reported.
        let is_valid = entry.check_keys(&keys, self.findings);
        let is_present = |key: &str| is_valid || entry.get(key).is_some();
        let findings = self.findings;
        if is_present("shape")
            && let Some(shape) = findings.record(self.shape(entry, numbers))
        {
            parameter.shape = shape;
        }
        if is_present("init")
            && let Some(init) = findings.record(init(entry))
        {
            parameter.init = init;
        }
        parameter.fixed = findings.or_default(entry.flag("fixed"));
        parameter.per_site = findings.or_default(entry.flag("per_site"));
        parameter.shared = findings.or_default(entry.flag("shared"));
        parameter.meaning = findings.or_default(entry.meaning());
    }

    fn shape(&self, entry: &Table<'a>, numbers: &[String]) -> Checked<[Extent; 2]> {
        let item = entry.require("shape")?;
        let extents = entry
            .as_list(item, key_name("shape"))?
            .into_iter()
            .map(|item| self.extent(entry, item, numbers))
            .collect::<Checked<Vec<_>>>()?;
        <[Extent; 2]>::try_from(extents).map_err(|extents| {
            let (owner, n) = (entry.what.clone(), extents.len());
            let message = message!("problem-shape-size-count", owner, n);
            Diagnostic::new(item.span(), message).explain(message!("advice-write-bias-shape"))
        })
    }

    /// Checks that equations can use a name: letters, digits and _, and not the name of a function.
    pub(super) fn check_name(&self, name: &str, span: Range<usize>) -> Checked<()> {
        let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let message =
            if !letters || name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                message!("problem-name-invalid", name)
            } else if function(name).is_some() && !RECENT_FUNCTIONS.contains(&name) {
                message!("problem-name-of-function", name)
            } else {
                return Ok(());
            };
        Err(Diagnostic::new(span, message))
    }

    /// Checks that a name is valid in equations and not taken.
    pub(super) fn check_new_name(
        &self,
        name: &str,
        span: Range<usize>,
        numbers: &[String],
        taken: &[&str],
    ) -> Checked<()> {
        self.check_name(name, span.clone())?;
        let owner = if ["e", "h", "q", "k", "v"].contains(&name) {
            message!("plugin-name-of-site-value")
        } else if BLOCK_SYMBOLS.iter().any(|(symbol, _)| *symbol == name) {
            message!("plugin-name-of-block-size")
        } else if numbers.iter().any(|number| number == name) {
            message!("plugin-name-of-number")
        } else if taken.contains(&name) {
            message!("plugin-name-of-parameter")
        } else {
            return Ok(());
        };
        let message = message!("problem-name-taken", name, owner);
        Err(Diagnostic::new(span, message))
    }
}

fn init(entry: &Table<'_>) -> Checked<Init> {
    let item = entry.require("init")?;
    let text = entry.as_text(item, key_name("init"))?;
    Init::parse(text).map_err(|what| {
        let diagnostic =
            Diagnostic::new(item.span(), what).suggest_name(text, INITS.iter().copied());
        diagnostic.quote_fix().explain(message!("advice-write-one-of", value = INITS.join(", ")))
    })
}
