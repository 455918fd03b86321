//! Reads the equations of a plugin: the default variant and the others. The steps of each site are read in the order
//! of the file and compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::equation::{Meaning, Program, StepText, Variable};
use super::parse::Reader;
use super::site::{Site, WEIGHT};
use super::source::{Checked, Item, Table, key_name};
use super::spec::{PetSpec, PetVariant};
use crate::expression::Diagnostic;
use crate::message;

/// The key of the equation for all sites without their own.
const EVERY: &str = "every";

/// The equation of each site.
type Equations = BTreeMap<Site, Arc<Program>>;

/// Largest number of variants of a plugin, because each is evaluated whenever plugins are listed.
const MOST_VARIANTS: usize = 32;

impl<'a> Reader<'a> {
    /// Reads all variants, the default one first.
    pub(super) fn variants(&self, spec: &PetSpec) -> Checked<Vec<PetVariant>> {
        let item = self.document.need("equations")?;
        let table = self.document.as_table(item, key_name("equations"))?;
        let (base, fine) = self.equations(&table, spec, &Equations::new());
        if fine {
            self.findings.record(all_sites(&table, spec));
        }
        let name = self.findings.or_default(self.document.name("variant"));
        let mut variants = vec![PetVariant {
            name: name.unwrap_or_default().to_owned(),
            meaning: String::new(),
            fixed: Vec::new(),
            equations: base,
        }];
        let others = self.document.table("variants", key_name("variants"))?;
        for (name, span, item) in others.iter().flat_map(Table::entries) {
            if variants.iter().any(|known| known.name == name) || name.is_empty() {
                let what = message!("problem-default-variant-name-taken", name);
                self.findings.add(Diagnostic::new(span, what));
                continue;
            }
            if variants.len() == MOST_VARIANTS {
                let what = message!(
                    "problem-plugin-too-many-variants",
                    most_variants = MOST_VARIANTS.to_string()
                );
                self.findings.add(Diagnostic::new(span, what));
                break;
            }
            let variant = self.variant(name, item, spec, &variants[0].equations);
            variants.extend(self.findings.record(variant));
        }
        if variants.len() > 1 && variants[0].name.is_empty() {
            let what = message!("problem-plugin-variant-key-missing");
            self.findings.add(Diagnostic::new(0..0, what));
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
        let entry = self
            .document
            .as_table(item, message!("plugin-part-variant", name))?;
        entry.only(&["meaning", "fixed", "equations"], findings);
        let own = entry.table("equations", message!("plugin-part-variant-equations", name));
        let own = findings.or_default(own);
        let meaning = findings.or_default(entry.meaning());
        Ok(PetVariant {
            name: name.to_owned(),
            meaning,
            fixed: findings.or_default(self.fixed(&entry, spec)),
            equations: match own {
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
                match !self.all_named || known.clone().any(|known| known == name) {
                    true => Ok(name.to_owned()),
                    false => {
                        let what = message!("problem-plugin-parameter-not-found", name);
                        let wrong = Diagnostic::new(item.span(), what);
                        Err(wrong.meant(name, &mut known).quoted())
                    }
                }
            })
            .collect()
    }

    /// Reads the equation of each site, and returns whether all keys are valid. Sites that the table does not contain
    /// get the equation in `base`.
    fn equations(&self, table: &Table<'a>, spec: &PetSpec, base: &Equations) -> (Equations, bool) {
        let mut named: Vec<Site> = spec.sites.iter().flatten().copied().collect();
        named.sort_unstable();
        named.dedup();
        let mut equations = base.clone();
        let mut own = Equations::new();
        // If a name in `sites` was rejected, a key may refer to that site, so it is not reported.
        let mut fine = !named.is_empty();
        for (key, span, item) in table.entries() {
            if self.findings.is_full() {
                break;
            }
            let every = key == EVERY;
            let sites: Vec<Site> = match every {
                true => without_own(&named, table),
                false => Site::named(key).into_iter().collect(),
            };
            if !every && !named.is_empty() && !sites.iter().any(|site| named.contains(site)) {
                let what = message!("problem-equation-for-unlisted-site", key);
                let known = named.iter().map(|site| site.name()).chain([EVERY]);
                self.findings
                    .add(Diagnostic::new(span, what).meant(key, known));
                fine = false;
            }
            let steps = self.findings.record(self.steps(table, key, item));
            fine &= steps.is_some();
            let Some(steps) = steps else { continue };
            if every && sites.is_empty() && !named.is_empty() {
                continue;
            }
            let into = if every { &mut equations } else { &mut own };
            for (sites, inputs) in by_inputs(&sites) {
                if let Some(program) = self.program(spec, &steps, &inputs) {
                    into.extend(sites.into_iter().map(|site| (site, Arc::clone(&program))));
                }
            }
        }
        equations.extend(own);
        (equations, fine)
    }

    /// Reads an equation: a single expression, or a table of named ones.
    fn steps(&self, table: &Table<'a>, key: &str, item: &'a Item<'a>) -> Checked<Vec<StepText>> {
        let step = |name: &str, text: &str, span| StepText::new(name, text, span, self.source);
        if item.get_ref().as_table().is_none() {
            let text = table.as_text(item, message!("plugin-part-equation", key))?;
            return Ok(vec![step("", text, item.span())]);
        }
        let named = table.as_table(item, message!("plugin-part-equation", key))?;
        let steps = named
            .entries()
            .map(|(name, span, item)| {
                self.proper_name(name, span)?;
                let text = named.as_text(item, message!("plugin-part-step", name))?;
                Ok(step(name, text, item.span()))
            })
            .collect::<Checked<Vec<_>>>()?;
        match steps.is_empty() {
            true => Err(Diagnostic::new(
                named.span,
                message!("problem-plugin-field-empty", what = named.what),
            )),
            false => Ok(steps),
        }
    }

    /// Compiles an equation for sites with these inputs.
    fn program(&self, spec: &PetSpec, steps: &[StepText], inputs: &[&str]) -> Option<Arc<Program>> {
        let own = |name: &str| {
            spec.parameters.iter().any(|own| own.name == name)
                || spec.symbols().iter().any(|own| own == name)
                || steps.iter().any(|step| step.name == name)
        };
        // Plugins written before `w` became an input of linear sites may use `w` as their own name.
        let known = |(name, at): (&&str, usize)| {
            let free = *name != WEIGHT || !own(name);
            free.then(|| ((*name).to_owned(), Meaning::Input(at)))
        };
        let inputs = inputs.iter().zip(0..).filter_map(known);
        let parameters = spec.parameters.iter().map(|own| own.name.clone());
        let known: Vec<Variable> = inputs
            .chain(parameters.zip((0..).map(Meaning::Parameter)))
            .chain(
                spec.symbols()
                    .into_iter()
                    .map(|name| (name, Meaning::Number)),
            )
            .collect();
        match Program::compile(steps, &known, self.all_named) {
            Ok(program) => Some(Arc::new(program)),
            Err(wrong) => {
                wrong.into_iter().for_each(|wrong| self.findings.add(wrong));
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
            false => Err(Diagnostic {
                span: item.span(),
                ..spec.no_variant(name).quoted()
            }),
        }
    }
}

/// Returns the sites for which a table has no key of their own.
fn without_own(named: &[Site], table: &Table<'_>) -> Vec<Site> {
    let bare = |site: &&Site| table.get(site.name()).is_none();
    named.iter().filter(bare).copied().collect()
}

/// Groups sites by their inputs. Without any site, returns one group with all possible inputs.
fn by_inputs(sites: &[Site]) -> Vec<(Vec<Site>, Vec<&'static str>)> {
    let mut groups: Vec<(Vec<Site>, Vec<&str>)> = Vec::new();
    for &site in sites {
        match groups
            .iter_mut()
            .find(|(_, inputs)| inputs == site.inputs())
        {
            Some((together, _)) => together.push(site),
            None => groups.push((vec![site], site.inputs().to_vec())),
        }
    }
    if groups.is_empty() {
        let all = [Site::Block, Site::Attend].map(Site::inputs);
        groups.push((Vec::new(), all.concat()));
    }
    groups
}

/// Returns an error if a site has no equation.
fn all_sites(table: &Table<'_>, spec: &PetSpec) -> Checked<()> {
    let served = |site: &Site| table.get(EVERY).or(table.get(site.name())).is_some();
    match spec.sites.iter().flatten().find(|site| !served(site)) {
        None => Ok(()),
        Some(site) => {
            let what = message!("problem-site-without-equation", name = site.name());
            let advice = message!(
                "advice-write-site-equation",
                name = site.name(),
                every = EVERY
            );
            Err(Diagnostic::new(table.span.clone(), what).because(advice))
        }
    }
}
