//! Reads the equations of a plugin: the default variant and the others. The steps of each site are read in the order
//! of the file and compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::equation::{Meaning, Program, StepText, Variable};
use super::parse::PluginReader;
use super::site::{Site, WEIGHT};
use super::source::{Checked, Item, Table, key_name};
use super::spec::{PetSpec, PetVariant};
use crate::expression::Diagnostic;
use crate::message;

/// The key of the equation for all sites without their own.
const EVERY_SITE: &str = "every";

/// The equation of each site.
type Equations = BTreeMap<Site, Arc<Program>>;

/// Largest number of variants of a plugin, because each is evaluated whenever plugins are listed.
const MAX_VARIANTS: usize = 32;

impl<'a> PluginReader<'a> {
    /// Reads all variants, the default one first.
    pub(super) fn variants(&self, spec: &PetSpec) -> Checked<Vec<PetVariant>> {
        let item = self.document.require("equations")?;
        let table = self.document.as_table(item, key_name("equations"))?;
        let (default_equations, is_valid) = self.equations(&table, spec, &Equations::new());
        if is_valid {
            self.findings.record(check_all_sites(&table, spec));
        }
        let name = self.findings.or_default(self.document.name("variant"));
        let mut variants = vec![PetVariant {
            name: name.unwrap_or_default().to_owned(),
            meaning: String::new(),
            fixed: Vec::new(),
            equations: default_equations,
        }];
        let others = self.document.table("variants", key_name("variants"))?;
        for (name, span, item) in others.iter().flat_map(Table::entries) {
            if variants.iter().any(|known| known.name == name) || name.is_empty() {
                let message = message!("problem-default-variant-name-taken", name);
                self.findings.add(Diagnostic::new(span, message));
                continue;
            }
            if variants.len() == MAX_VARIANTS {
                let message = message!(
                    "problem-plugin-too-many-variants",
                    most_variants = MAX_VARIANTS.to_string()
                );
                self.findings.add(Diagnostic::new(span, message));
                break;
            }
            let variant = self.variant(name, item, spec, &variants[0].equations);
            variants.extend(self.findings.record(variant));
        }
        if variants.len() > 1 && variants[0].name.is_empty() {
            let message = message!("problem-plugin-variant-key-missing");
            self.findings.add(Diagnostic::new(0..0, message));
        }
        Ok(variants)
    }

    fn variant(
        &self,
        name: &str,
        item: &'a Item<'a>,
        spec: &PetSpec,
        base: &Equations,
    ) -> Checked<PetVariant> {
        let findings = self.findings;
        let entry = self.document.as_table(item, message!("plugin-part-variant", name))?;
        entry.check_keys(&["meaning", "fixed", "equations"], findings);
        let site_table = entry.table("equations", message!("plugin-part-variant-equations", name));
        let site_table = findings.or_default(site_table);
        let meaning = findings.or_default(entry.meaning());
        Ok(PetVariant {
            name: name.to_owned(),
            meaning,
            fixed: findings.or_default(self.fixed(&entry, spec)),
            equations: match site_table {
                Some(table) => self.equations(&table, spec, base).0,
                None => base.clone(),
            },
        })
    }

    fn fixed(&self, entry: &Table<'a>, spec: &PetSpec) -> Checked<Vec<String>> {
        let Some(item) = entry.get("fixed") else {
            return Ok(Vec::new());
        };
        entry
            .as_list(item, key_name("fixed"))?
            .into_iter()
            .map(|item| {
                let name = entry.as_name(item, message!("plugin-part-entry", key = "fixed"))?;
                let mut known = spec.parameters.iter().map(|known| known.name.as_str());
                match !self.all_names_known || known.clone().any(|known| known == name) {
                    true => Ok(name.to_owned()),
                    false => {
                        let message = message!("problem-plugin-parameter-not-found", name);
                        let diagnostic = Diagnostic::new(item.span(), message);
                        Err(diagnostic.suggest_name(name, &mut known).quote_fix())
                    }
                }
            })
            .collect()
    }

    /// Reads the equation of each site, and returns whether all keys are valid. Sites that the table does not contain
    /// get the equation in `base`.
    fn equations(&self, table: &Table<'a>, spec: &PetSpec, base: &Equations) -> (Equations, bool) {
        let mut listed_sites: Vec<Site> = spec.sites.iter().flatten().copied().collect();
        listed_sites.sort_unstable();
        listed_sites.dedup();
        let mut equations = base.clone();
        let mut site_equations = Equations::new();
        // If a name in `sites` was rejected, a key may refer to that site, so it is not reported.
        let mut is_valid = !listed_sites.is_empty();
        for (key, span, item) in table.entries() {
            if self.findings.is_full() {
                break;
            }
            let applies_to_all = key == EVERY_SITE;
            let sites: Vec<Site> = match applies_to_all {
                true => sites_without_equation(&listed_sites, table),
                false => Site::from_name(key).into_iter().collect(),
            };
            if !applies_to_all
                && !listed_sites.is_empty()
                && !sites.iter().any(|site| listed_sites.contains(site))
            {
                let message = message!("problem-equation-for-unlisted-site", key);
                let known = listed_sites.iter().map(|site| site.name()).chain([EVERY_SITE]);
                self.findings.add(Diagnostic::new(span, message).suggest_name(key, known));
                is_valid = false;
            }
            let steps = self.findings.record(self.steps(table, key, item));
            is_valid &= steps.is_some();
            let Some(steps) = steps else { continue };
            if applies_to_all && sites.is_empty() && !listed_sites.is_empty() {
                continue;
            }
            let target = if applies_to_all { &mut equations } else { &mut site_equations };
            for (sites, inputs) in group_by_inputs(&sites) {
                if let Some(program) = self.program(spec, &steps, &inputs) {
                    target.extend(sites.into_iter().map(|site| (site, Arc::clone(&program))));
                }
            }
        }
        equations.extend(site_equations);
        (equations, is_valid)
    }

    /// Reads an equation: a single expression, or a table of named ones.
    fn steps(&self, table: &Table<'a>, key: &str, item: &'a Item<'a>) -> Checked<Vec<StepText>> {
        let step = |name: &str, text: &str, span| StepText::new(name, text, span, self.source);
        if item.get_ref().as_table().is_none() {
            let text = table.as_text(item, message!("plugin-part-equation", key))?;
            return Ok(vec![step("", text, item.span())]);
        }
        let step_table = table.as_table(item, message!("plugin-part-equation", key))?;
        let steps = step_table
            .entries()
            .map(|(name, span, item)| {
                self.check_name(name, span)?;
                let text = step_table.as_text(item, message!("plugin-part-step", name))?;
                Ok(step(name, text, item.span()))
            })
            .collect::<Checked<Vec<_>>>()?;
        match steps.is_empty() {
            true => Err(Diagnostic::new(
                step_table.span,
                message!("problem-plugin-field-empty", what = step_table.what),
            )),
            false => Ok(steps),
        }
    }

    /// Compiles an equation for sites with these inputs.
    fn program(&self, spec: &PetSpec, steps: &[StepText], inputs: &[&str]) -> Option<Arc<Program>> {
        let is_own_name = |name: &str| {
            spec.parameters.iter().any(|parameter| parameter.name == name)
                || spec.symbols().iter().any(|symbol| symbol == name)
                || steps.iter().any(|step| step.name == name)
        };
        // Plugins written before `w` became an input of linear sites may use `w` as their own name.
        let known = |(name, at): (&&str, usize)| {
            let is_available = *name != WEIGHT || !is_own_name(name);
            is_available.then(|| ((*name).to_owned(), Meaning::Input(at)))
        };
        let inputs = inputs.iter().zip(0..).filter_map(known);
        let parameters = spec.parameters.iter().map(|parameter| parameter.name.clone());
        let known: Vec<Variable> = inputs
            .chain(parameters.zip((0..).map(Meaning::Parameter)))
            .chain(spec.symbols().into_iter().map(|name| (name, Meaning::Number)))
            .collect();
        match Program::compile(steps, &known, self.all_names_known) {
            Ok(program) => Some(Arc::new(program)),
            Err(errors) => {
                errors.into_iter().for_each(|error| self.findings.add(error));
                None
            }
        }
    }

    pub(super) fn without_learning(&self, spec: &PetSpec) -> Checked<Option<String>> {
        let Some(item) = self.document.get("without_learning") else {
            return Ok(None);
        };
        let name = self.document.as_text(item, key_name("without_learning"))?;
        let known = spec.variants.iter().any(|variant| variant.name == name);
        match known || spec.variants.is_empty() {
            true => Ok(Some(name.to_owned())),
            false => {
                Err(Diagnostic { span: item.span(), ..spec.unknown_variant(name).quote_fix() })
            }
        }
    }
}

/// Returns the sites for which a table has no key of their own.
fn sites_without_equation(listed_sites: &[Site], table: &Table<'_>) -> Vec<Site> {
    let has_no_equation = |site: &&Site| table.get(site.name()).is_none();
    listed_sites.iter().filter(has_no_equation).copied().collect()
}

/// Groups sites by their inputs. Without any site, returns one group with all possible inputs.
fn group_by_inputs(sites: &[Site]) -> Vec<(Vec<Site>, Vec<&'static str>)> {
    let mut groups: Vec<(Vec<Site>, Vec<&str>)> = Vec::new();
    for &site in sites {
        match groups.iter_mut().find(|(_, inputs)| inputs == site.inputs()) {
            Some((group, _)) => group.push(site),
            None => groups.push((vec![site], site.inputs().to_vec())),
        }
    }
    if groups.is_empty() {
        let every_input = [Site::Block, Site::Attend].map(Site::inputs);
        groups.push((Vec::new(), every_input.concat()));
    }
    groups
}

/// Returns an error if a site has no equation.
fn check_all_sites(table: &Table<'_>, spec: &PetSpec) -> Checked<()> {
    let has_equation = |site: &Site| table.get(EVERY_SITE).or(table.get(site.name())).is_some();
    match spec.sites.iter().flatten().find(|site| !has_equation(site)) {
        None => Ok(()),
        Some(site) => {
            let message = message!("problem-site-without-equation", name = site.name());
            let advice =
                message!("advice-write-site-equation", name = site.name(), every = EVERY_SITE);
            Err(Diagnostic::new(table.span.clone(), message).explain(advice))
        }
    }
}
