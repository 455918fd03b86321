//! The values that the user chose for a plugin's sizes and constants.

use super::numbers::{MAIN_SIZE, Numbers};
use super::spec::{PetSettings, PetSpec};
use crate::message;
use crate::names::{comma_separated, truncated_name, with_suggestion};
use crate::problem::{Problem, Result};

impl PetSpec {
    /// Parses numbers such as "rank=8,alpha=0.5" and stores them in the settings.
    ///
    /// # Errors
    /// Returns a Problem if a part is not NAME=VALUE, the plugin has no number with this name, or the value is
    /// outside its range.
    pub fn apply_assignments(&self, settings: &mut PetSettings, text: &str) -> Result<()> {
        for pair in comma_separated(text) {
            let Some((name, value)) = pair.split_once('=') else {
                let problem = Problem::new(message!(
                    "problem-number-assignment-invalid",
                    pair = truncated_name(pair)
                ));
                return Err(problem.advise(message!("advice-write-name-number")));
            };
            let (name, value) = (name.trim(), value.trim());
            self.apply_assignment(settings, name, value)?;
        }
        Ok(())
    }

    fn apply_assignment(&self, settings: &mut PetSettings, name: &str, value: &str) -> Result<()> {
        let out_of_range = |range: String| {
            let what = message!(
                "problem-plugin-number-out-of-range",
                name,
                value = truncated_name(value),
                name2 = &self.name
            );
            Problem::new(what).advise(message!("advice-choose-range", range))
        };
        if name == MAIN_SIZE {
            let problem =
                Problem::new(message!("problem-pet-size-set-separately", name = &self.name));
            return Err(problem.advise(message!("advice-use-pet-size")));
        }
        if let Some(size) = self.sizes.iter().find(|size| size.name == name) {
            let chosen = value.parse().ok();
            let chosen = chosen.filter(|value| (size.min..=size.max).contains(value));
            let chosen =
                chosen.ok_or_else(|| out_of_range(format!("{} to {}", size.min, size.max)))?;
            settings.sizes.insert(name.to_owned(), chosen);
            return Ok(());
        }
        let constant = self.constants.iter().find(|constant| constant.name == name);
        if let Some([min, max]) = constant.and_then(|constant| constant.range) {
            let chosen = value.parse().ok();
            let chosen = chosen.filter(|value| (min..=max).contains(value));
            let chosen = chosen.ok_or_else(|| out_of_range(format!("{min} to {max}")))?;
            settings.constants.insert(name.to_owned(), chosen);
            return Ok(());
        }
        let message = message!(
            "problem-plugin-number-not-adjustable",
            name = &self.name,
            name2 = truncated_name(name)
        );
        Err(with_suggestion(Problem::new(message), name, self.adjustable_names()))
    }

    /// Returns the names of the sizes and constants that users can choose, without the main size.
    pub fn adjustable_names(&self) -> impl Iterator<Item = &str> {
        let sizes = self.sizes.iter().map(|size| size.name.as_str());
        let constants = self.constants.iter().filter(|constant| constant.range.is_some());
        let constants = constants.map(|constant| constant.name.as_str());
        sizes.filter(|name| *name != MAIN_SIZE).chain(constants)
    }

    /// Returns the values of all sizes and constants by symbol: the chosen ones, or else the defaults. A main size is
    /// ignored if the plugin has no sizes, so that one setting works for all plugins of a grid.
    pub(super) fn resolve_numbers(&self, settings: &PetSettings) -> Result<Numbers<'_>> {
        if let Some(name) = settings
            .sizes
            .keys()
            .filter(|name| *name != MAIN_SIZE)
            .find(|name| self.sizes.iter().all(|size| size.name != **name))
        {
            let message = message!(
                "problem-plugin-size-unknown",
                name = &self.name,
                name2 = truncated_name(name)
            );
            let known = self.sizes.iter().map(|size| size.name.as_str());
            return Err(with_suggestion(Problem::new(message), name, known));
        }
        let mut numbers = Numbers::new();
        for size in &self.sizes {
            let value = settings.sizes.get(&size.name).copied().unwrap_or(size.default);
            if !(size.min..=size.max).contains(&value) {
                let (name, min, max) = (&size.name, size.min, size.max);
                let message = message!(
                    "problem-plugin-number-out-of-range",
                    name,
                    value = value.to_string(),
                    name2 = &self.name
                );
                return Err(Problem::new(message).advise(message!(
                    "advice-choose-between",
                    min = min.to_string(),
                    max = max.to_string()
                )));
            }
            numbers.insert(&size.symbol, value as f64);
        }
        for constant in &self.constants {
            let value = settings.constants.get(&constant.name);
            numbers.insert(&constant.name, value.copied().unwrap_or(constant.default));
        }
        Ok(numbers)
    }
}
