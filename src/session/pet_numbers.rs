//! A plugin's numbers besides its size: fields show them, and the setting `pet_set` stores them.

use super::views::{NumberView, PluginView};

impl PluginView {
    /// Returns the value of a number: from `chosen` (such as "rank=8,alpha=0.5"), otherwise its default.
    pub fn number(&self, chosen: Option<&str>, number: &NumberView) -> f64 {
        let found = pairs(chosen).find(|(name, _)| *name == number.name);
        found.map_or(number.usual, |(_, value)| value)
    }

    /// Returns `chosen` with one number changed; `None` if all numbers have their defaults. Names that this plugin does
    /// not have are dropped.
    pub fn with_number(&self, chosen: Option<&str>, name: &str, value: f64) -> Option<String> {
        let written = |number: &NumberView| {
            let own = match number.name == name {
                true => value,
                false => self.number(chosen, number),
            };
            (own != number.usual).then(|| format!("{}={own}", number.name))
        };
        let all: Vec<String> = self.numbers.iter().filter_map(written).collect();
        (!all.is_empty()).then(|| all.join(","))
    }
}

/// Returns the pairs of name and number in a text such as "rank=8,alpha=0.5".
fn pairs(chosen: Option<&str>) -> impl Iterator<Item = (&str, f64)> {
    chosen.unwrap_or_default().split(',').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim(), value.trim().parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_are_written_and_only_others_than_the_usual_are_written() {
        let number = |name: &str, usual, whole| NumberView {
            name: name.into(),
            least: 0.0,
            usual,
            most: 64.0,
            whole,
        };
        let plugin = PluginView {
            numbers: vec![number("rank", 8.0, true), number("alpha", 0.5, false)],
            ..PluginView::default()
        };
        let [rank, alpha] = [&plugin.numbers[0], &plugin.numbers[1]];
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
