//! Compares the split of the data with the paper's, to warn before training if they differ.
//!
//! ImageNet-R and DomainNet have no official split. The paper's benchmark uses the lists of L2P, its comparison with
//! CODA-Prompt uses the lists of CODA-Prompt, and its authors' program draws a fifth of each domain of DomainNet.

use crate::data::{Dataset, ListedSplit};
use crate::run::config::RunConfig;
use crate::tr;

use super::presets::{PaperDataset, Preset, PresetSplit, matches, presets};

/// Hash of the test images in CODA-Prompt's `imagenet-r_test.yaml`, as in [`ListedSplit::test_names`].
const CODA_TEST: &str = "524a3ebf6dac30228a30387443c2c30a21c483b6d0d3c57768f74edd60cfecc3";

/// How a dataset is split.
#[derive(Clone, Copy, Debug)]
pub struct DatasetSplit<'a> {
    /// Number of classes.
    pub classes: usize,
    /// Whether the program drew the test images at random.
    pub drawn: bool,
    /// The split, if it is defined by list files.
    pub listed: Option<&'a ListedSplit>,
}

impl<'a> From<&'a Dataset> for DatasetSplit<'a> {
    fn from(data: &'a Dataset) -> Self {
        Self {
            classes: data.classes.len(),
            drawn: data.test_drawn,
            listed: data.listed_split.as_ref(),
        }
    }
}

/// Returns a sentence that explains why results of these settings are not comparable with the paper's because of the
/// split. `None` if the settings are not an experiment of the paper, or if no difference is known. `preset_name` is the
/// name of the preset that the settings were loaded from.
pub fn comparability_warning(
    config: &RunConfig,
    preset_name: Option<&str>,
    split: &DatasetSplit<'_>,
) -> Option<String> {
    let paper = paper_experiment(config, preset_name)?;
    if paper.classes != split.classes {
        return None;
    }
    let data = paper.title;
    let ours = match split.listed {
        Some(_) => tr!("data-split-lists"),
        None if split.drawn => tr!("data-split-random"),
        None => tr!("data-split-folders"),
    };
    let not_comparable = |remedy: &str| Some(tr!("data-split-not-comparable", data, ours, remedy));
    match (paper.split, split.listed) {
        (PresetSplit::Official, _) if split.drawn => not_comparable(tr!("data-split-own-included")),
        (PresetSplit::Official, _) => None,
        (PresetSplit::AuthorLists, None) => not_comparable(tr!("data-split-copy-lists")),
        (PresetSplit::AuthorLists, Some(listed)) if listed.test_names == CODA_TEST => {
            Some(tr!("data-split-of-coda-prompt", data))
        }
        (PresetSplit::AuthorLists, Some(_)) => None,
        (PresetSplit::Coda, Some(listed)) if listed.test_names == CODA_TEST => None,
        (PresetSplit::Coda, _) => not_comparable(tr!("data-split-copy-coda-lists")),
        (PresetSplit::RandomFifth, Some(listed)) if is_fifth(listed) => None,
        (PresetSplit::RandomFifth, _) => not_comparable(tr!("data-split-fifth-per-domain")),
    }
}

/// Returns whether the settings are an experiment of the paper, assuming that they use the same data.
pub fn is_paper_experiment(config: &RunConfig, preset_name: Option<&str>) -> bool {
    paper_experiment(config, preset_name).is_some()
}

/// Returns whether the number of test images is a fifth of all images, rounded up in each of DomainNet's six domains.
fn is_fifth(listed: &ListedSplit) -> bool {
    let fifth = (listed.train + listed.test) as f64 / 5.0;
    (0.0..=6.0).contains(&(listed.test as f64 - fifth))
}

/// Returns the paper's experiment that the settings belong to: that of the preset `preset_name`, of a preset with equal
/// settings, or of a preset with the same data and task sizes.
fn paper_experiment(config: &RunConfig, preset_name: Option<&str>) -> Option<PaperDataset> {
    let papers = || {
        let all = presets().iter();
        all.filter_map(|preset| Some((preset.paper?, preset)))
    };
    let first = |predicate: &dyn Fn(&Preset) -> bool| {
        let mut matching = papers().filter(|(_, preset)| predicate(preset));
        matching.next().map(|(paper, _)| paper)
    };
    first(&|preset| preset_name == Some(preset.name))
        .or_else(|| first(&|preset| matches(preset, config)))
        .or_else(|| first(&|preset| has_same_data_and_tasks(&preset.run, config)))
}

fn has_same_data_and_tasks(preset: &RunConfig, config: &RunConfig) -> bool {
    let normalise = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let expected = normalise(&preset.data);
    let mut parts = config.data.split(['/', '\\']);
    preset.classes_per_task == config.classes_per_task
        && parts.any(|part| normalise(part) == expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::presets::find_preset;

    fn listed(train: usize, test: usize, test_names: &str) -> ListedSplit {
        ListedSplit { train, test, test_names: test_names.into() }
    }

    /// Returns the remark for a preset on data that has the preset's number of classes.
    fn warning_for(preset: &str, drawn: bool, listed: Option<&ListedSplit>) -> Option<String> {
        let preset = find_preset(preset).unwrap();
        let classes = preset.paper.unwrap().classes;
        let split = DatasetSplit { classes, drawn, listed };
        comparability_warning(&preset.run, Some(preset.name), &split)
    }

    #[test]
    fn warns_about_split_that_differs_from_paper() {
        let (own, codas) = (listed(24_000, 6_000, "ab"), listed(24_000, 6_000, CODA_TEST));
        for (preset, remedy) in [
            ("imagenet-r-10", tr!("data-split-copy-lists")),
            ("imagenet-r-20", tr!("data-split-copy-lists")),
            ("imagenet-r-5", tr!("data-split-copy-coda-lists")),
            ("imagenet-r-10-coda", tr!("data-split-copy-coda-lists")),
            ("domainnet-5", tr!("data-split-fifth-per-domain")),
            ("cifar100-10", tr!("data-split-own-included")),
        ] {
            let words = warning_for(preset, true, None).unwrap();
            let drawn = words.contains(tr!("data-split-random"));
            assert!(drawn && words.contains(remedy), "{words}");
        }
        let folders = warning_for("imagenet-r-10", false, None).unwrap();
        assert!(folders.contains(tr!("data-split-folders")), "{folders}");
        // The preset's own split, and lists that belong to an experiment, give no remark.
        assert_eq!(warning_for("cifar100-10", false, None), None);
        assert_eq!(warning_for("imagenet-r-10", false, Some(&own)), None);
        assert_eq!(warning_for("imagenet-r-5", false, Some(&codas)), None);
        // The lists of one experiment are used for another.
        let mixed = warning_for("imagenet-r-10", false, Some(&codas)).unwrap();
        assert!(
            mixed.starts_with(&tr!("data-split-of-coda-prompt", data = "ImageNet-R")),
            "{mixed}"
        );
        let mixed = warning_for("imagenet-r-10-coda", false, Some(&own)).unwrap();
        assert!(mixed.contains(tr!("data-split-lists")), "{mixed}");
    }

    #[test]
    fn accepts_domainnet_lists_that_test_on_a_fifth() {
        assert_eq!(warning_for("domainnet-5", false, Some(&listed(80, 20, ""))), None);
        // A fifth of six domains, each rounded up.
        assert_eq!(warning_for("domainnet-5", false, Some(&listed(794, 206, ""))), None);
        for (train, test) in [(700, 300), (793, 207), (801, 199)] {
            let words = warning_for("domainnet-5", false, Some(&listed(train, test, "")));
            assert!(words.unwrap().contains(tr!("data-split-lists")));
        }
    }

    #[test]
    fn recognises_paper_experiments_without_preset_name() {
        let preset = find_preset("imagenet-r-10").unwrap();
        let split = DatasetSplit { classes: 200, drawn: true, listed: None };
        let lists = |config: &RunConfig, split: &DatasetSplit<'_>| {
            let words = comparability_warning(config, None, split)?;
            Some(words.contains("train_list.txt"))
        };
        let mine = RunConfig { data: "/home/me/my pictures".into(), ..preset.with_pet("lora", 10) };
        assert_eq!(lists(&mine, &split), Some(true));
        // Other settings with the same data and task sizes.
        let other = RunConfig { data: "/data/ImageNet_R/".into(), epochs: 7, ..preset.run.clone() };
        assert_eq!(lists(&other, &split), Some(true));
        let unknown = RunConfig { data: "/home/me/birds".into(), ..other.clone() };
        assert_eq!(lists(&unknown, &split), None);
        assert!(!is_paper_experiment(&unknown, None) && is_paper_experiment(&other, None));
        let fewer = DatasetSplit { classes: 7, ..split };
        assert_eq!(lists(&mine, &fewer), None);
        assert_eq!(comparability_warning(&RunConfig::default(), None, &split), None);
    }
}
