//! Compares runs with published results: finds the published row that matches a run, the difference of the figures, and
//! how the experiments differ.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::text::PLUS_MINUS;
use crate::counts::count_with_noun;
use crate::run::config::{Setting, Settings, setting};
use crate::run::event::RunHeader;
use crate::store::spread_text;

/// A row of a published table, as in `assets/published.toml`. Figures are in percent: the mean and, if known, the
/// standard deviation over class orders.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// The paper.
    source: String,
    /// The number of the table in the paper.
    table: String,
    /// The name of the row in the table.
    row: String,
    data: String,
    tasks: usize,
    backbone: String,
    method: String,
    pet: Option<String>,
    pet_size: Option<usize>,
    #[serde(default)]
    set: Settings,
    /// A_N.
    #[serde(rename = "final")]
    final_accuracy: Vec<f64>,
    /// Ā_N.
    average: Option<Vec<f64>>,
    /// F_N.
    forgetting: Option<Vec<f64>>,
    /// Epochs per task, if the paper states them.
    epochs: Option<usize>,
    /// Number of class orders over which the mean is taken.
    orders: usize,
    /// Other differences of the published experiment.
    note: Option<String>,
}

/// Maximum number of names in a list of published values.
const MAX_NAMED: usize = 6;

/// A property that a published row and a run must share: its name, whether they share it, and the row's value.
type Aspect = (&'static str, fn(&Published, &RunHeader) -> bool, fn(&Published) -> String);

/// A file of published rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedFile {
    result: Vec<Published>,
}

/// All rows that come with the program. A test checks that the file can be read; if not, there are no rows.
static PUBLISHED_ROWS: LazyLock<Vec<Published>> =
    LazyLock::new(|| parse_file().map_or_else(|_| Vec::new(), |file| file.result));

fn parse_file() -> Result<PublishedFile, toml::de::Error> {
    toml::from_str(include_str!("../../../../assets/published.toml"))
}

/// A published row that matches some runs, with the difference from their mean.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedComparison {
    /// The paper.
    pub source: &'static str,
    /// The number of the table in the paper.
    pub table: &'static str,
    /// The name of the row in the table.
    pub row: &'static str,
    /// The published A_N, with its standard deviation if known.
    pub final_accuracy: &'static [f64],
    /// The published Ā_N, with its standard deviation if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_accuracy: Option<&'static [f64]>,
    /// The published F_N, with its standard deviation if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgetting: Option<&'static [f64]>,
    /// The A_N of the user's runs minus the published one, in percentage points.
    pub difference: f64,
    /// The difference in units of the published standard deviation.
    pub in_deviations: Option<f64>,
    /// The known differences between the experiments.
    pub differs: Vec<String>,
}

impl PublishedComparison {
    /// Returns the published row that matches runs with this header and `measured` tasks. `orders` are their class
    /// orders, `final_accuracy` is the mean of their A_N.
    ///
    /// # Errors
    /// Returns the reason, as a sentence, if there is none; unfinished runs and runs with added tasks have none.
    pub fn new<'a>(
        (header, measured): (&RunHeader, usize),
        orders: impl Iterator<Item = &'a Vec<String>>,
        final_accuracy: f64,
    ) -> std::result::Result<Self, String> {
        if measured != header.tasks.len() {
            return Err("published figures are for finished runs".into());
        }
        if !header.added_tasks.is_empty() {
            return Err("it has added tasks".into());
        }
        let matching = matching_rows(header)?;
        let same_backbone = matching.iter().find(|row| row.backbone == header.config.backbone);
        let row = same_backbone.or(matching.first()).copied();
        let Some((row, mean)) = row.and_then(|row| Some((row, *row.final_accuracy.first()?)))
        else {
            return Err("there is no matching published row".into());
        };
        let deviation = row.final_accuracy.get(1).filter(|std| **std > 0.0);
        let difference = final_accuracy - mean;
        Ok(Self {
            source: &row.source,
            table: &row.table,
            row: &row.row,
            final_accuracy: &row.final_accuracy,
            average_accuracy: row.average.as_deref(),
            forgetting: row.forgetting.as_deref(),
            difference,
            in_deviations: deviation.map(|std| difference / std),
            differs: row.differences(header, orders.collect::<HashSet<_>>().len()),
        })
    }

    /// Returns the difference as text, also in units of the published standard deviation if that is known.
    pub fn difference_text(&self) -> String {
        let difference = format!("{:+.1}", self.difference);
        match self.in_deviations {
            Some(deviations) => format!("{difference} ({deviations:+.1} std)"),
            None => difference,
        }
    }

    /// Returns the row's name, table and paper, and the differences.
    pub fn description(&self) -> String {
        let differs = match self.differs.is_empty() {
            true => String::new(),
            false => format!("; {}", self.differs.join(", ")),
        };
        format!("{}, table {} of {}{differs}", self.row, self.table, self.source)
    }
}

/// Returns a published figure (mean, then standard deviation) as text.
pub(in crate::store) fn figure_text(figure: Option<&[f64]>) -> String {
    let value_at = |index: usize| figure.and_then(|figure| figure.get(index).copied());
    spread_text(value_at(0), value_at(1), PLUS_MINUS)
}

/// Returns the published rows with the same dataset, tasks, network, method, PET and settings.
///
/// # Errors
/// Returns the first of these properties that no published row shares, with the published values.
fn matching_rows(header: &RunHeader) -> std::result::Result<Vec<&'static Published>, String> {
    let mut candidates: Vec<&Published> = PUBLISHED_ROWS.iter().collect();
    for (name, matches, describe) in Published::ASPECTS {
        let matching: Vec<&Published> =
            candidates.iter().copied().filter(|row| matches(row, header)).collect();
        if matching.is_empty() {
            let others: BTreeSet<String> = candidates.iter().map(|row| describe(row)).collect();
            let more = if others.len() > MAX_NAMED { ", …" } else { "" };
            let others: Vec<String> = others.into_iter().take(MAX_NAMED).collect();
            let others = others.join(", ");
            return Err(format!("no published row has its {name} (published: {others}{more})"));
        }
        candidates = matching;
    }
    Ok(candidates)
}

/// Returns the letters and digits of a dataset's name in lower case, so that "CIFAR-100" and "cifar100" are equal.
fn normalise_name(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns whether the name of a run's dataset is a published one, or begins with it: "cifar100_png" is "cifar-100",
/// but "cifar1000" is not.
fn is_dataset(name: &str, published: &str) -> bool {
    let (name, published) = (normalise_name(name), normalise_name(published));
    let is_digit = |c: char| c.is_ascii_digit();
    name.strip_prefix(published.as_str())
        .is_some_and(|rest| !(published.ends_with(is_digit) && rest.starts_with(is_digit)))
}

impl Published {
    /// The properties that a row and a run must share.
    const ASPECTS: [Aspect; 6] = [
        (
            "data",
            |row, header| is_dataset(&header.config.dataset_name(), &row.data),
            |row| row.data.clone(),
        ),
        (
            "number of tasks",
            |row, header| header.tasks.len() == row.tasks,
            |row| row.tasks.to_string(),
        ),
        ("network", Self::has_network, |row| row.backbone.clone()),
        ("method", |row, header| header.config.method == row.method, |row| row.method.clone()),
        ("PET", Self::has_pet, |row| {
            let size = row.pet_size.map_or_else(String::new, |n| format!(" {n}"));
            format!("{}{size}", row.pet.as_deref().unwrap_or("none"))
        }),
        ("settings", Self::has_settings, |row| row.row.clone()),
    ];

    /// Returns whether the architectures are the same; the weights may differ.
    fn has_network(&self, header: &RunHeader) -> bool {
        let architecture = |name: &str| name.split('.').next().map(str::to_owned);
        architecture(&header.config.backbone) == architecture(&self.backbone)
    }

    fn has_pet(&self, header: &RunHeader) -> bool {
        let config = &header.config;
        let pet = self.pet.as_ref().is_none_or(|pet| *pet == config.pet);
        pet && self.pet_size.is_none_or(|size| size == config.pet_size)
    }

    /// Returns whether the run has the settings of the row. A row without settings matches only runs with the usual
    /// ones.
    fn has_settings(&self, header: &RunHeader) -> bool {
        let config = &header.config;
        let is_set = |(key, expected): (&String, &Setting)| {
            let method_value = || config.settings.get(key).cloned();
            setting(key).map_or_else(method_value, |s| (s.get)(config)).as_ref() == Some(expected)
        };
        let is_default = header.method.variant.is_empty() && config.pet_variant.is_none();
        self.set.iter().all(is_set) && (self.set.is_empty() == is_default)
    }

    fn differences(&self, header: &RunHeader, orders: usize) -> Vec<String> {
        let config = &header.config;
        let mut differences = Vec::new();
        if config.backbone != self.backbone {
            differences.push(format!("weights {} instead of {}", config.backbone, self.backbone));
        }
        if orders != self.orders {
            differences.push(format!(
                "{} instead of {}",
                count_with_noun(orders, "class order"),
                self.orders
            ));
        }
        if let Some(epochs) = self.epochs.filter(|epochs| *epochs != config.epochs) {
            differences
                .push(format!("{} instead of {epochs}", count_with_noun(config.epochs, "epoch")));
        }
        if config.min_steps > 0 {
            let steps = count_with_noun(config.min_steps, "step");
            differences.push(format!("at least {steps} per task"));
        }
        if config.evaluation_split() != "test" {
            differences.push("measured on validation images".into());
        }
        if config.train_limit.is_some() || config.test_limit.is_some() {
            differences.push("not all images".into());
        }
        differences.extend(self.note.iter().map(|note| format!("there: {note}")));
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_results_parse_with_plausible_values() {
        let all = parse_file().map(|file| file.result).unwrap_or_default();
        assert!(all.len() > 70, "{}", all.len());
        for row in &all {
            let figures =
                [Some(&row.final_accuracy), row.average.as_ref(), row.forgetting.as_ref()];
            for figure in figures.into_iter().flatten() {
                assert!(matches!(figure.len(), 1 | 2), "{row:?}");
                assert!(figure.iter().all(|f| (0.0..100.0).contains(f)), "{row:?}");
            }
        }
    }

    #[test]
    fn dataset_names_ignore_punctuation() {
        assert_eq!(normalise_name("CIFAR-100"), normalise_name("cifar100"));
        assert_ne!(normalise_name("cifar-10"), normalise_name("cifar-100"));
        assert!(
            is_dataset("CIFAR-100-png", "cifar-100") && is_dataset("imagenet-r200", "imagenet-r")
        );
        assert!(!is_dataset("cifar-10", "cifar-100") && !is_dataset("cifar1000", "cifar-100"));
    }
}
