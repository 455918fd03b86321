//! Published results beside one's own: which row of which table is like a run, how far the figures are apart, and what
//! differs in how they were made.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::counts::counted;
use crate::run::config::{SETTINGS, Setting, Settings};
use crate::run::event::RunHeader;

/// A row of a published table, as `assets/published.toml` has it. Figures in percent: mean and, where it is known, standard
/// deviation over class orders.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// The paper.
    source: String,
    /// Which of its tables.
    table: String,
    /// What the table calls it.
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
    /// Epochs of a task, where the paper says them.
    epochs: Option<usize>,
    /// Class orders that the mean is over.
    orders: usize,
    /// What is special about how it was made.
    note: Option<String>,
}

/// Most names of a list of what is published instead.
const MOST_NAMED: usize = 6;

/// What a published row and a run must share: its name, whether they do, and what the row has there.
type Aspect = (
    &'static str,
    fn(&Published, &RunHeader) -> bool,
    fn(&Published) -> String,
);

/// A file of published rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    result: Vec<Published>,
}

/// All rows that come with the program. A test reads the file, so here an unreadable one has none.
static ALL: LazyLock<Vec<Published>> =
    LazyLock::new(|| read().map_or_else(|_| Vec::new(), |file| file.result));

fn read() -> Result<File, toml::de::Error> {
    toml::from_str(include_str!("../../../../assets/published.toml"))
}

/// A published row beside the mean of some runs of one's own.
#[derive(Clone, Debug, Serialize)]
pub struct BesidePublished {
    /// The paper.
    pub source: &'static str,
    /// Which of its tables.
    pub table: &'static str,
    /// What the table calls it.
    pub row: &'static str,
    /// A_N there, with its standard deviation where it is known.
    pub final_accuracy: &'static [f64],
    /// Ā_N there, alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_accuracy: Option<&'static [f64]>,
    /// F_N there, alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgetting: Option<&'static [f64]>,
    /// One's own A_N minus that, in points of percent.
    pub difference: f64,
    /// The same in units of the published standard deviation.
    pub in_deviations: Option<f64>,
    /// What differs in how the two were made, as far as it is known.
    pub differs: Vec<String>,
}

impl BesidePublished {
    /// The row that is like runs with settings and facts like these, all tasks measured, over this number of class
    /// orders, with this mean of A_N.
    ///
    /// # Errors
    /// Why there is none, in a sentence: runs that were not finished or were taught more have none.
    pub fn of(
        (header, measured): (&RunHeader, usize),
        orders: usize,
        final_accuracy: f64,
    ) -> std::result::Result<Self, String> {
        if measured != header.tasks.len() {
            return Err("published figures are for finished runs".into());
        }
        if !header.added_tasks.is_empty() {
            return Err("it has added tasks".into());
        }
        let like = like(header)?;
        let same = like
            .iter()
            .find(|row| row.backbone == header.config.backbone);
        let row = same.or(like.first()).copied();
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
            differs: row.differs(header, orders),
        })
    }

    /// Returns its name, its place, and what differs.
    pub fn words(&self) -> String {
        let differs = match self.differs.is_empty() {
            true => String::new(),
            false => format!("; {}", self.differs.join(", ")),
        };
        format!(
            "{}, table {} of {}{differs}",
            self.row, self.table, self.source
        )
    }
}

/// Returns the published rows of the same data, tasks, network, method, PET and settings.
///
/// # Errors
/// The first of these that no published row shares, with what the rows have instead.
fn like(header: &RunHeader) -> std::result::Result<Vec<&'static Published>, String> {
    let mut left: Vec<&Published> = ALL.iter().collect();
    for (name, same, of) in Published::ASPECTS {
        let own: Vec<&Published> = left
            .iter()
            .copied()
            .filter(|row| same(row, header))
            .collect();
        if own.is_empty() {
            let others: BTreeSet<String> = left.iter().map(|row| of(row)).collect();
            let more = if others.len() > MOST_NAMED {
                ", …"
            } else {
                ""
            };
            let others: Vec<String> = others.into_iter().take(MOST_NAMED).collect();
            let others = others.join(", ");
            return Err(format!(
                "no published row has its {name} (published: {others}{more})"
            ));
        }
        left = own;
    }
    Ok(left)
}

/// A name of a data set without what people write differently: "CIFAR-100" and "cifar100" are one.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

impl Published {
    /// What a row and a run must share, each with its name and what a row has there.
    const ASPECTS: [Aspect; 6] = [
        ("data", Self::has_data, |row| row.data.clone()),
        (
            "number of tasks",
            |row, header| header.tasks.len() == row.tasks,
            |row| row.tasks.to_string(),
        ),
        ("network", Self::has_network, |row| row.backbone.clone()),
        (
            "method",
            |row, header| header.config.method == row.method,
            |row| row.method.clone(),
        ),
        ("PET", Self::has_pet, |row| {
            let size = row.pet_size.map_or_else(String::new, |n| format!(" {n}"));
            format!("{}{size}", row.pet.as_deref().unwrap_or("none"))
        }),
        ("settings", Self::has_settings, |row| row.row.clone()),
    ];

    fn has_data(&self, header: &RunHeader) -> bool {
        plain(&header.config.data_name()).starts_with(&plain(&self.data))
    }

    /// Weights may be others of the same architecture.
    fn has_network(&self, header: &RunHeader) -> bool {
        let architecture = |name: &str| name.split('.').next().map(str::to_owned);
        architecture(&header.config.backbone) == architecture(&self.backbone)
    }

    fn has_pet(&self, header: &RunHeader) -> bool {
        let config = &header.config;
        let pet = self.pet.as_ref().is_none_or(|pet| *pet == config.pet);
        pet && self.pet_size.is_none_or(|size| size == config.pet_size)
    }

    /// Rows of the usual settings are of runs with the usual settings.
    fn has_settings(&self, header: &RunHeader) -> bool {
        let config = &header.config;
        let set = |(key, wanted): (&String, &Setting)| {
            let common = SETTINGS.iter().find(|setting| setting.spec.key == key);
            let own = || config.settings.get(key).cloned();
            common.map_or_else(own, |s| (s.get)(config)).as_ref() == Some(wanted)
        };
        let is_usual = header.method.variant.is_empty() && config.pet_variant.is_none();
        self.set.iter().all(set) && (self.set.is_empty() == is_usual)
    }

    fn differs(&self, header: &RunHeader, orders: usize) -> Vec<String> {
        let config = &header.config;
        let mut differs = Vec::new();
        if config.backbone != self.backbone {
            differs.push(format!(
                "weights {} instead of {}",
                config.backbone, self.backbone
            ));
        }
        if orders != self.orders {
            differs.push(format!(
                "{} instead of {}",
                counted(orders, "class order"),
                self.orders
            ));
        }
        if let Some(epochs) = self.epochs.filter(|epochs| *epochs != config.epochs) {
            differs.push(format!(
                "{} instead of {epochs}",
                counted(config.epochs, "epoch")
            ));
        }
        if config.min_steps > 0 {
            let steps = counted(config.min_steps, "step");
            differs.push(format!("at least {steps} per task"));
        }
        if config.measured_on() != "test" {
            differs.push("measured on validation images".into());
        }
        if config.train_limit.is_some() || config.test_limit.is_some() {
            differs.push("not all images".into());
        }
        differs.extend(self.note.iter().map(|note| format!("there: {note}")));
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read_and_has_means_with_deviations() {
        let all = read().map(|file| file.result).unwrap_or_default();
        assert!(all.len() > 70, "{}", all.len());
        for row in &all {
            let figures = [
                Some(&row.final_accuracy),
                row.average.as_ref(),
                row.forgetting.as_ref(),
            ];
            for figure in figures.into_iter().flatten() {
                assert!(matches!(figure.len(), 1 | 2), "{row:?}");
                assert!(figure.iter().all(|f| (0.0..100.0).contains(f)), "{row:?}");
            }
        }
    }

    #[test]
    fn names_of_data_sets_are_compared_without_their_signs() {
        assert_eq!(plain("CIFAR-100"), plain("cifar100"));
        assert_ne!(plain("cifar-10"), plain("cifar-100"));
    }
}
