//! Plugins in the form that pages show. Fields show the numbers of a plugin besides its size, and the setting `pet_set`
//! stores them.

use std::ops::Deref;

use crate::method::Plugin;
use crate::pet::spec::MAIN_SIZE;
use crate::pet::view::{PluginFacts, VariantView};
use crate::run::config::RunConfig;
use crate::texts::translate_entry;
use crate::tr;

/// An adjustable number of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberView {
    /// Its name.
    pub name: String,
    /// The minimum.
    pub min: f64,
    /// The default.
    pub default: f64,
    /// The maximum.
    pub max: f64,
    /// Whether it is an integer.
    pub is_integer: bool,
}

/// A PET plugin file.
#[derive(Clone, Debug, Default)]
pub struct PluginView {
    /// Its name in the settings.
    pub name: String,
    /// The contents of the file.
    pub facts: PluginFacts,
    /// When the file was installed, and from where.
    pub since: Option<String>,
}

impl Deref for PluginView {
    type Target = PluginFacts;

    fn deref(&self) -> &PluginFacts {
        &self.facts
    }
}

impl From<PluginFacts> for PluginView {
    fn from(facts: PluginFacts) -> Self {
        Self { name: facts.name.to_lowercase(), facts, since: None }
    }
}

impl PluginView {
    /// Returns its title.
    pub fn title(&self) -> &str {
        &self.facts.name
    }

    /// Returns "built in" in the current language, or the path of its file.
    pub fn origin(&self) -> &str {
        match self.path {
            None => tr!("plugins-built-in"),
            Some(_) => &self.facts.origin,
        }
    }

    /// Returns its description in the current language. The description of a user's plugin is not translated.
    pub fn about(&self) -> String {
        let about: Vec<&str> = self.description.split_whitespace().collect();
        let about = about.join(" ");
        match self.path {
            None => translate_entry("plugin", &self.name, "about", &about).to_string(),
            Some(_) => about,
        }
    }

    /// Returns the steps of its default form, each labelled with its sites or the name of the step.
    pub fn equations(&self) -> Vec<(String, String)> {
        let mut rows = Vec::new();
        for equation in self.variants.first().into_iter().flat_map(|form| &form.equations) {
            let sites = equation.sites.join(", ");
            for (step, text) in &equation.steps {
                let label = if step.is_empty() { &sites } else { step };
                rows.push((label.clone(), text.clone()));
            }
        }
        rows
    }

    /// Returns a sentence about the layers at which it is linear, so that it can be merged into them.
    pub fn folded(&self) -> Option<String> {
        self.variants.first().and_then(VariantView::folded)
    }

    /// Returns its main size: minimum, default, maximum; `None` if it has no size.
    pub fn size(&self) -> Option<(usize, usize, usize)> {
        let size = self.sizes.iter().find(|size| size.name == MAIN_SIZE);
        size.map(|size| (size.min, size.default, size.max))
    }

    /// Returns its default size. For a plugin without a size, the value has no meaning.
    pub fn default_size(&self) -> usize {
        self.size().map_or(RunConfig::default().pet_size, |(_, default, _)| default)
    }

    /// Returns its other adjustable numbers.
    pub fn numbers(&self) -> Vec<NumberView> {
        let others = self.sizes.iter().filter(|size| size.name != MAIN_SIZE);
        let others = others.map(|size| NumberView {
            name: size.name.clone(),
            min: size.min as f64,
            default: size.default as f64,
            max: size.max as f64,
            is_integer: true,
        });
        let constants = self.constants.iter().filter_map(|constant| {
            let [min, max] = constant.range?;
            Some(NumberView {
                name: constant.name.clone(),
                min,
                default: constant.default,
                max,
                is_integer: false,
            })
        });
        others.chain(constants).collect()
    }

    /// Returns the value of a number: from `chosen` (such as "rank=8,alpha=0.5"), otherwise its default.
    pub fn number(&self, chosen: Option<&str>, number: &NumberView) -> f64 {
        let pair = parse_pairs(chosen).find(|(name, _)| *name == number.name);
        pair.map_or(number.default, |(_, value)| value)
    }

    /// Returns `chosen` with one number changed; `None` if all numbers have their defaults. Names that this plugin does
    /// not have are dropped.
    pub fn with_number(&self, chosen: Option<&str>, name: &str, value: f64) -> Option<String> {
        let to_text = |number: &NumberView| {
            let new_value = match number.name == name {
                true => value,
                false => self.number(chosen, number),
            };
            (new_value != number.default).then(|| format!("{}={new_value}", number.name))
        };
        let changed: Vec<String> = self.numbers().iter().filter_map(to_text).collect();
        (!changed.is_empty()).then(|| changed.join(","))
    }
}

impl<'a> From<&'a PluginView> for Plugin<'a> {
    fn from(view: &'a PluginView) -> Self {
        Self { name: view.title(), sized: view.size().is_some() }
    }
}

/// Returns the pairs of name and number in a text such as "rank=8,alpha=0.5".
fn parse_pairs(chosen: Option<&str>) -> impl Iterator<Item = (&str, f64)> {
    chosen.unwrap_or_default().split(',').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim(), value.trim().parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pet::ConstantSpec;
    use crate::pet::spec::SizeSpec;

    #[test]
    fn plugin_numbers_omit_default_values() {
        let rank = SizeSpec {
            name: "rank".into(),
            symbol: String::new(),
            default: 8,
            min: 0,
            max: 64,
            meaning: String::new(),
        };
        let alpha = ConstantSpec {
            name: "alpha".into(),
            default: 0.5,
            range: Some([0.0, 64.0]),
            meaning: String::new(),
        };
        let plugin = PluginView::from(PluginFacts {
            sizes: vec![rank],
            constants: vec![alpha],
            ..PluginFacts::default()
        });
        let numbers = plugin.numbers();
        let [rank, alpha] = [&numbers[0], &numbers[1]];
        let chosen = Some("rank = 4, other=1, alpha=x");
        assert_eq!(plugin.number(chosen, rank), 4.0);
        assert_eq!(plugin.number(chosen, alpha), 0.5);
        let both = plugin.with_number(chosen, "alpha", 0.25);
        assert_eq!(both.as_deref(), Some("rank=4,alpha=0.25"));
        let one = plugin.with_number(both.as_deref(), "rank", 8.0);
        assert_eq!(one.as_deref(), Some("alpha=0.25"));
        assert_eq!(plugin.with_number(one.as_deref(), "alpha", 0.5), None);
    }
}
