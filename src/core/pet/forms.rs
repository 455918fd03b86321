//! The equations of a plugin: the default form and its variants, each site's steps read in the
//! order of the file and compiled.

use std::collections::BTreeMap;
use std::ops::Range;

use super::equation::{Program, StepText, Vocabulary};
use super::parse::Reader;
use super::site::Site;
use super::source::{Item, Table, meant};
use super::spec::{PetSpec, Variant};
use crate::problem::{Problem, Result};

/// The key for an equation that serves all sites without one of their own.
const EVERY: &str = "every";

/// The steps of each site's equation, before compiling.
type Equations = BTreeMap<Site, Vec<StepText>>;

/// Most forms of one plugin; each is tried whenever plugins are listed.
const MOST_VARIANTS: usize = 32;

impl<'a> Reader<'a> {
    /// The default form first.
    pub(super) fn variants(&self, spec: &PetSpec) -> Result<Vec<Variant>> {
        let item = self.document.need("equations")?;
        let table = self.document.as_table(item, "`equations`".to_owned())?;
        let base = self.equations(&table, spec, &BTreeMap::new())?;
        self.all_sites(&table, spec, &base)?;
        let mut variants = vec![Variant {
            name: self
                .document
                .name("variant")?
                .unwrap_or_default()
                .to_owned(),
            meaning: String::new(),
            fixed: Vec::new(),
            equations: self.compiled(spec, &base)?,
        }];
        let others = self.document.table("variants", "`variants`".to_owned())?;
        for (name, start, item) in others.iter().flat_map(Table::entries) {
            let entry = self.document.as_table(item, format!("variant `{name}`"))?;
            entry.only(&["meaning", "fixed", "equations"])?;
            if variants.iter().any(|known| known.name == name) || name.is_empty() {
                let what = format!("`{name}` is the name of the default form already");
                return Err(self.source.problem(start, what));
            }
            if variants.len() == MOST_VARIANTS {
                let what = format!("a plugin has at most {MOST_VARIANTS} variants");
                return Err(self.source.problem(start, what));
            }
            let own = match entry.table("equations", format!("equations of variant `{name}`"))? {
                Some(table) => self.equations(&table, spec, &base)?,
                None => base.clone(),
            };
            variants.push(Variant {
                name: name.to_owned(),
                meaning: entry.text("meaning")?.unwrap_or_default().to_owned(),
                fixed: self.fixed(&entry, spec)?,
                equations: self.compiled(spec, &own)?,
            });
        }
        if variants.len() > 1 && variants[0].name.is_empty() {
            let what =
                "a plugin with variants needs the key `variant`, the name of its default form";
            return Err(self.source.problem(0, what));
        }
        Ok(variants)
    }

    fn fixed(&self, entry: &Table<'a>, spec: &PetSpec) -> Result<Vec<String>> {
        let Some(item) = entry.get("fixed") else {
            return Ok(Vec::new());
        };
        entry
            .as_list(item, "`fixed`")?
            .into_iter()
            .map(|item| {
                let name = entry.as_name(item, "an entry of `fixed`")?;
                let mut known = spec.parameters.iter().map(|known| known.name.as_str());
                match known.clone().any(|known| known == name) {
                    true => Ok(name.to_owned()),
                    false => {
                        let what = format!("there is no parameter `{name}`");
                        let problem = self.source.problem(item.span().start, what);
                        Err(meant(problem, name, &mut known))
                    }
                }
            })
            .collect()
    }

    /// The steps of each site; sites that the table leaves out take those of `base`.
    fn equations(&self, table: &Table<'a>, spec: &PetSpec, base: &Equations) -> Result<Equations> {
        let mut named: Vec<Site> = spec.sites.iter().flatten().copied().collect();
        named.sort_unstable();
        named.dedup();
        let mut equations = base.clone();
        let mut own = Equations::new();
        for (key, start, item) in table.entries() {
            let steps = self.steps(table, key, item)?;
            match Site::named(key) {
                _ if key == EVERY => {
                    equations.extend(named.iter().map(|&site| (site, steps.clone())));
                }
                Some(site) if named.contains(&site) => {
                    own.insert(site, steps);
                }
                _ => {
                    let what = format!("an equation for `{key}`, which `sites` does not name");
                    let known = named.iter().map(|site| site.name()).chain([EVERY]);
                    return Err(meant(self.source.problem(start, what), key, known));
                }
            }
        }
        equations.extend(own);
        Ok(equations)
    }

    fn all_sites(&self, table: &Table<'a>, spec: &PetSpec, equations: &Equations) -> Result<()> {
        let missing = spec
            .sites
            .iter()
            .flatten()
            .find(|site| !equations.contains_key(site));
        match missing {
            None => Ok(()),
            Some(site) => {
                let what = format!("there is no equation for the site `{}`", site.name());
                let advice = format!("write `{} = \"…\"` or `{EVERY} = \"…\"`", site.name());
                Err(self.source.problem(table.start, what).advise(advice))
            }
        }
    }

    /// One expression, or a table of named ones.
    fn steps(&self, table: &Table<'a>, key: &str, item: &'a Item<'a>) -> Result<Vec<StepText>> {
        let step = |name: &str, text: &str, span: Range<usize>| StepText {
            name: name.to_owned(),
            text: text.to_owned(),
            span,
        };
        if let Some(text) = item.get_ref().as_str() {
            return Ok(vec![step("", text, item.span())]);
        }
        if item.get_ref().as_table().is_none() {
            table.as_text(item, &format!("the equation for `{key}`"))?;
        }
        let named = table.as_table(item, format!("the equation for `{key}`"))?;
        let steps = named
            .entries()
            .map(|(name, start, item)| {
                self.proper_name(name, start)?;
                let text = named.as_text(item, &format!("the step `{name}`"))?;
                Ok(step(name, text, item.span()))
            })
            .collect::<Result<Vec<_>>>()?;
        match steps.is_empty() {
            true => Err(self
                .source
                .problem(named.start, format!("{} is empty", named.what))),
            false => Ok(steps),
        }
    }

    fn compiled(&self, spec: &PetSpec, equations: &Equations) -> Result<BTreeMap<Site, Program>> {
        let parameters: Vec<String> = spec.parameters.iter().map(|p| p.name.clone()).collect();
        let numbers = spec.symbols();
        equations
            .iter()
            .map(|(&site, steps)| {
                let known = Vocabulary {
                    inputs: site
                        .inputs()
                        .iter()
                        .map(|name| (*name).to_owned())
                        .collect(),
                    parameters: parameters.clone(),
                    numbers: numbers.clone(),
                };
                for step in steps {
                    let taken = known.parameters.iter().chain(&known.numbers);
                    if taken.chain(&known.inputs).any(|name| *name == step.name) {
                        let what = format!("the step name `{}` is taken already", step.name);
                        return Err(self.source.problem(step.span.start, what));
                    }
                }
                let program = Program::compile(self.source, steps.clone(), &known)?;
                if let Some(idle) = program.idle_steps().first() {
                    let what = format!("the step `{}` is used by no later step", idle.name);
                    return Err(self.source.problem(idle.span.start, what));
                }
                Ok((site, program))
            })
            .collect()
    }

    pub(super) fn without_learning(&self, spec: &PetSpec) -> Result<Option<String>> {
        let Some(item) = self.document.get("without_learning") else {
            return Ok(None);
        };
        let name = self.document.as_text(item, "`without_learning`")?;
        match spec.variant_index(Some(name)) {
            Ok(_) => Ok(Some(name.to_owned())),
            Err(problem) => Err(problem.at(self.source.place(item.span().start))),
        }
    }

    pub(super) fn all_used(&self, spec: &PetSpec) -> Result<()> {
        let mut programs = spec
            .variants
            .iter()
            .flat_map(|form| form.equations.values());
        for (index, parameter) in spec.parameters.iter().enumerate() {
            if !programs
                .clone()
                .any(|program| program.uses_parameter(index))
            {
                let what = format!("the parameter `{}` is used by no equation", parameter.name);
                return Err(self.source.problem(parameter.start, what));
            }
        }
        match programs.next() {
            Some(_) => Ok(()),
            None => Err(Problem::new("the plugin has no equation").at(&self.source.origin)),
        }
    }
}
