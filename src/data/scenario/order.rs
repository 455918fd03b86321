//! Class orders: natural, seeded, given, or one of the paper's.
//!
//! A given order is written as a list of indices into the classes sorted by name, with a dash for three or more
//! consecutive ones: `0-4,6,5,7-9`. It fits on a command line and into `run.toml`, so that a run can be repeated
//! without further files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::compare_natural;
use crate::counts::{consecutive_runs, count_with_noun};
use crate::files;
use crate::message;
use crate::names::composed;
use crate::problem::{Problem, Result, list_value};
use crate::rng::{Purpose, Rng};

/// The paper's orders 2 and 3, as indices into the classes sorted by name, by the name of the order.
static PRESETS: LazyLock<BTreeMap<String, Vec<usize>>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../assets/class-orders.json")).unwrap_or_default()
});

/// Maximum index in a list of classes.
const MAX_CLASSES: usize = 1_000_000;

/// The order of the classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassOrder {
    /// Sorted by name.
    Natural,
    /// A random permutation with this seed.
    Seeded(u64),
    /// The names of all classes.
    Names(Vec<String>),
    /// The indices of all classes among the classes sorted by name.
    Indices(Vec<usize>),
    /// One of the paper's orders, by its name in `assets/class-orders.json`.
    Preset(String),
}

/// The content of a file with an order.
#[derive(Deserialize)]
#[serde(untagged)]
enum OrderFile {
    Indices(Vec<usize>),
    Names(Vec<String>),
}

impl fmt::Display for ClassOrder {
    /// Writes the form that `--order` takes, except for given names, of which only the number is written;
    /// [`Self::resolve`] converts them to indices.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Natural => f.write_str("natural"),
            Self::Seeded(seed) => write!(f, "seed:{seed}"),
            Self::Preset(name) => f.write_str(name),
            Self::Names(names) => write!(f, "given ({})", count_with_noun(names.len(), "name")),
            Self::Indices(indices) => f.write_str(&format_indices(indices)),
        }
    }
}

impl ClassOrder {
    /// Parses `natural`, `seed:N`, the name of a preset, a list of indices into the classes sorted by name (`0-4,6,5`),
    /// or the path of a JSON file with an array of class names or indices.
    ///
    /// # Errors
    /// Returns a Problem for another text, or if the file cannot be read or has another content.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("natural") {
            return Ok(Self::Natural);
        }
        if let Some(seed) = text.strip_prefix("seed:") {
            return seed.trim().parse().map(Self::Seeded).map_err(|_| {
                Problem::new(message!("problem-seed-invalid", seed))
                    .at("--order")
                    .advise(message!("advice-write-seed"))
            });
        }
        if PRESETS.contains_key(text) {
            return Ok(Self::Preset(text.to_owned()));
        }
        let is_list_char = |c: char| c.is_ascii_digit() || c == '-' || c == ',' || c == ' ';
        if text.contains([',', '-']) && text.chars().all(is_list_char) {
            return parse_indices(text).map(Self::Indices);
        }
        if text.to_ascii_lowercase().ends_with(".json") || Path::new(text).is_file() {
            return Self::from_file(Path::new(text));
        }
        Err(Problem::new(message!("problem-class-order-invalid", text)).at("--order").advise(
            message!(
                "advice-class-order-forms",
                value = list_value(&PRESETS.keys().collect::<Vec<_>>(), 9)
            ),
        ))
    }

    /// Returns the shortest form of a resolved order: `natural`, or the list of its indices.
    pub fn format_indices_or_natural(order: &[usize]) -> String {
        if order.iter().copied().eq(0..order.len()) {
            return Self::Natural.to_string();
        }
        format_indices(order)
    }

    /// Returns the order of these names, which are sorted, by the numbers in them: `class_2` before `class_10`.
    pub fn natural_order_of(names: &[String]) -> String {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| compare_natural(&names[a], &names[b]));
        Self::format_indices_or_natural(&order)
    }

    fn from_file(path: &Path) -> Result<Self> {
        let text = files::read(path, files::TEXT)
            .map_err(|error| Problem::io("read the class order", path, &error))?;
        let text = String::from_utf8_lossy(&text);
        match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(OrderFile::Indices(indices)) => Ok(Self::Indices(indices)),
            Ok(OrderFile::Names(names)) => Ok(Self::Names(names)),
            Err(_) => Err(Problem::new(message!("problem-class-order-no-json-array"))
                .at_path(path)
                .advise(message!("advice-class-order-json"))),
        }
    }

    /// Returns the paper's orders for a number of classes: 100 (CIFAR-100), 200 (ImageNet-R) or 345 (DomainNet).
    pub fn presets(classes: usize) -> Vec<Self> {
        PRESETS
            .iter()
            .filter(|(_, order)| order.len() == classes)
            .map(|(name, _)| Self::Preset(name.clone()))
            .collect()
    }

    /// Returns the order as indices into `classes` (sorted by name), each exactly once.
    ///
    /// # Errors
    /// Returns a Problem if names or indices are unknown, missing or duplicated.
    pub fn resolve(&self, classes: &[String]) -> Result<Vec<usize>> {
        let order = match self {
            Self::Natural => (0..classes.len()).collect(),
            Self::Seeded(seed) => {
                let mut order: Vec<usize> = (0..classes.len()).collect();
                Rng::new(Purpose::ClassOrder, *seed, 0, 0).shuffle(&mut order);
                order
            }
            Self::Names(names) => resolve_names(names, classes)?,
            Self::Indices(indices) => indices.clone(),
            Self::Preset(name) => PRESETS.get(name).cloned().ok_or_else(|| {
                Problem::new(message!("problem-class-order-not-found", name)).at("--order")
            })?,
        };
        check_permutation(&order, classes)?;
        Ok(order)
    }
}

/// Writes indices separated by commas, and three or more consecutive ones with a dash: `0-4,6,5`.
fn format_indices(indices: &[usize]) -> String {
    let parts = consecutive_runs(indices).map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    parts.collect::<Vec<_>>().join(",")
}

/// Parses a list written by [`format_indices`] or the user.
fn parse_indices(text: &str) -> Result<Vec<usize>> {
    let invalid_part = |part: &str| {
        Problem::new(message!("problem-class-order-part-invalid", part))
            .at("--order")
            .advise(message!("advice-use-class-indices"))
    };
    let mut indices = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| invalid_part(part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= MAX_CLASSES || indices.len() > MAX_CLASSES {
            return Err(invalid_part(part));
        }
        indices.extend(first..=last);
    }
    Ok(indices)
}

fn resolve_names(names: &[String], classes: &[String]) -> Result<Vec<usize>> {
    let index_by_name: HashMap<Cow<'_, str>, usize> =
        classes.iter().enumerate().map(|(index, name)| (composed(name), index)).collect();
    let index_of = |name: &String| index_by_name.get(&composed(name)).copied();
    let unknown: Vec<&String> = names.iter().filter(|name| index_of(name).is_none()).collect();
    if !unknown.is_empty() {
        return Err(Problem::new(message!(
            "problem-class-order-unknown-classes",
            unknown = list_value(&unknown, 5)
        ))
        .at("--order")
        .advise(message!("advice-match-class-names-exactly")));
    }
    Ok(names.iter().filter_map(index_of).collect())
}

fn check_permutation(order: &[usize], classes: &[String]) -> Result<()> {
    let mut seen = vec![false; classes.len()];
    for &index in order {
        match seen.get_mut(index) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => {
                return Err(Problem::new(message!(
                    "problem-class-order-duplicate",
                    index = &classes[index]
                ))
                .at("--order"));
            }
            None => {
                return Err(Problem::new(message!(
                    "problem-class-order-index-too-large",
                    index = index.to_string(),
                    classes = message!("count-classes", n = classes.len())
                ))
                .at("--order")
                .advise(message!("advice-class-indices-start-at-zero")));
            }
        }
    }
    let missing: Vec<&String> =
        classes.iter().zip(&seen).filter_map(|(name, seen)| (!seen).then_some(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Problem::new(message!("problem-class-order-incomplete", missing = list_value(&missing, 5)))
        .at("--order")
        .advise(message!("advice-list-every-class-once")))
}
