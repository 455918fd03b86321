//! Suggests settings for a dataset: backbone, tasks, order, batch, epochs, flips. The window and the command line
//! both start with them, so that they train the same way on the same folder.

use crate::backbone::library::{BackboneEntry, NANO, PHOTO, embedded_entry};
use crate::data::Dataset;
use crate::data::image_kind::{ImageKind, first_pictures};
use crate::data::published;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::summary::counts;
use crate::message;
use crate::method::{adopt_published, named_method};
use crate::run::config::{RunConfig, SettingSpec};
use crate::texts::Message;

/// Minimum number of optimiser steps that the chosen epochs should have; fewer teach little.
const STEPS: usize = 60;
/// Minimum number of steps per task for a user's folder: with fewer, the outputs of the task remain too small beside
/// those of earlier tasks (measured in docs/results.md).
pub const LEAST_STEPS: usize = 100;
/// Number of steps that an epoch should have.
const PER_EPOCH: usize = 4;
/// Smallest batch size that is chosen; smaller batches have noisy gradients.
const SMALLEST: usize = 4;
/// Largest number of epochs that is chosen.
const MOST_CHOSEN: usize = 30;
/// Classes per task of the letters.
pub const LETTERS: &str = "6,5,5,5,5";
/// Number of tasks into which the classes of a folder are divided.
const TASKS: usize = 5;

/// Properties of a dataset that the suggestions depend on.
pub struct DatasetFacts<'a> {
    /// Class names, sorted.
    pub classes: &'a [String],
    /// Number of training images of each class.
    pub train: &'a [usize],
    /// The kind of images: drawings are not flipped, and photographs have their own backbone.
    pub looks: ImageKind,
    /// Whether the classes of a user's folder are learned in several tasks rather than all at once.
    pub in_stages: bool,
}

/// Copies the settings that belong to the dataset from those last used with it.
pub fn restore(config: &mut RunConfig, kept: &RunConfig) {
    restore_settings(config, kept);
    if config.backbone != kept.backbone && [config, kept].iter().all(|c| is_embedded(&c.backbone)) {
        choose_embedded(config, &kept.backbone);
        config.blocks.clone_from(&kept.blocks);
    }
}

fn restore_settings(config: &mut RunConfig, kept: &RunConfig) {
    for setting in of_epochs(config) {
        match kept.settings.get(setting.key) {
            Some(value) => config.settings.insert(setting.key.into(), value.clone()),
            None => config.settings.remove(setting.key),
        };
    }
    config.copy(kept, |setting| setting.of_data);
}

/// Returns the settings of the method that depend on the number of epochs.
pub fn of_epochs(config: &RunConfig) -> impl Iterator<Item = &'static SettingSpec> + use<> {
    let own = named_method(&config.method).map_or(&[][..], |spec| spec.settings);
    own.iter().filter(|setting| setting.of_epochs.is_some())
}

/// Sets method settings that count epochs, such as the frozen ones, to their usual share, if the number of epochs is
/// not the default.
pub fn share_epochs(config: &mut RunConfig) {
    if config.epochs == RunConfig::default().epochs {
        return;
    }
    for setting in of_epochs(config) {
        let usual = setting.usual_of(config.epochs);
        config
            .settings
            .extend(usual.map(|usual| (setting.key.to_string(), usual)));
    }
}

/// Applies settings that suit an open dataset; see [`suit`].
pub fn suit_to(config: &mut RunConfig, data: &Dataset, in_stages: bool) -> Vec<Message> {
    let pictures: Vec<_> = first_pictures(data).into_iter().map(|(_, p)| p).collect();
    let material = DatasetFacts {
        classes: &data.classes,
        train: &counts(&data.train, data.classes.len()),
        looks: ImageKind::of(&pictures),
        in_stages,
    };
    suit(config, &material)
}

/// Applies settings that suit the dataset named in `config`. Returns a sentence for each that is not the default.
pub fn suit(config: &mut RunConfig, material: &DatasetFacts) -> Vec<Message> {
    let backbone = suit_backbone(config, material.looks);
    let training = suit_training(config, material);
    backbone.into_iter().chain(training).collect()
}

/// Chooses the embedded backbone for these images, unless the settings have one that is not embedded.
fn suit_backbone(config: &mut RunConfig, looks: ImageKind) -> Option<Message> {
    let name = if looks.photographs { PHOTO } else { NANO };
    if !is_embedded(&config.backbone) {
        return None;
    }
    if config.backbone != name {
        choose_embedded(config, name);
    }
    looks
        .photographs
        .then(|| message!("remark-photographs", name))
}

fn is_embedded(backbone: &str) -> bool {
    [NANO, PHOTO].contains(&backbone)
}

fn choose_embedded(config: &mut RunConfig, name: &str) {
    if let Some(entry) = embedded_entry(name) {
        choose_backbone(config, &entry);
    }
}

/// Sets a backbone of the table, with the transform of its pre-training and its default number of blocks with a PET.
pub fn choose_backbone(config: &mut RunConfig, entry: &BackboneEntry) {
    config.backbone.clone_from(&entry.name);
    config.pretrained_transform = true;
    config.backbone_set = None;
    config.blocks = entry.pet_blocks.to_string();
}

fn suit_training(config: &mut RunConfig, material: &DatasetFacts) -> Option<Message> {
    let usual = RunConfig::default();
    restore_settings(config, &usual);
    let classes = material.classes.len();
    match (config.data.as_str(), published::published(&config.data)) {
        ("digits", _) => return None,
        ("letters", _) => {
            config.classes_per_task = LETTERS.into();
            return None;
        }
        (_, Some(_)) => {
            config.classes_per_task = (classes / 10).max(2).to_string();
            (config.crop_scale, config.flip) = ([0.08, 1.0], true);
            if let Ok(spec) = named_method(&config.method) {
                adopt_published(config, spec);
            }
            return None;
        }
        _ => {}
    }
    config.classes_per_task = match material.in_stages {
        true => stages(classes),
        false => classes.to_string(),
    };
    config.order = ClassOrder::by_number(material.classes);
    // Flips keep the meaning of photographs, but not of digits, letters and drawings.
    config.flip = material.looks.glyph_share.is_none();
    let least = material.train.iter().min().copied().unwrap_or(0);
    let each = match material.in_stages {
        true => classes.div_ceil(TASKS).max(2).min(classes),
        false => classes,
    };
    let images = (least * each).max(1);
    config.batch = (images / PER_EPOCH).clamp(SMALLEST, usual.batch);
    let steps = (images / config.batch).max(1);
    config.epochs = STEPS.div_ceil(steps).clamp(usual.epochs, MOST_CHOSEN);
    share_epochs(config);
    if least_steps(config, material).is_some_and(|steps| steps < LEAST_STEPS) {
        config.min_steps = LEAST_STEPS;
    }
    let chosen = config.batch != usual.batch
        || config.epochs != usual.epochs
        || config.min_steps != usual.min_steps;
    chosen.then(|| {
        let id = match config.min_steps {
            0 => "remark-settings-chosen",
            _ => "remark-settings-chosen-more-steps",
        };
        message!(
            id,
            n = images,
            batch = config.batch,
            epochs = config.epochs,
            steps = config.min_steps
        )
    })
}

/// Returns the number of optimiser steps of the task with the fewest; `None` if the classes cannot be divided into
/// tasks.
fn least_steps(config: &RunConfig, material: &DatasetFacts) -> Option<usize> {
    let order = ClassOrder::parse(&config.order).ok()?;
    let sizes = TaskSizes::parse(&config.classes_per_task).ok()?;
    let scenario = Scenario::new(material.classes, &order, &sizes).ok()?;
    let images = scenario.tasks.iter().map(|task| {
        let classes = &scenario.class_order[task.clone()];
        classes.iter().map(|&class| material.train[class]).sum()
    });
    let smallest: usize = images.min()?;
    let batch = config.batch.max(1);
    Some(config.epochs * (smallest / batch).max(1))
}

/// Returns the classes per task as the settings write them ("2" or "3,3,3,2,2"): as even as possible, with no task of
/// a single class.
pub fn stages(classes: usize) -> String {
    let tasks = (classes / 2).clamp(1, TASKS);
    if classes.is_multiple_of(tasks) {
        return (classes / tasks).max(1).to_string();
    }
    let size = |task| classes / tasks + usize::from(task < classes % tasks);
    let sizes: Vec<String> = (0..tasks).map(|task| size(task).to_string()).collect();
    sizes.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHOTOGRAPHS: ImageKind = ImageKind {
        light_on_dark: false,
        glyph_share: None,
        photographs: true,
    };
    const DRAWINGS: ImageKind = ImageKind {
        light_on_dark: false,
        glyph_share: Some(0.5),
        photographs: false,
    };

    #[test]
    fn classes_are_cut_into_even_tasks_with_company() {
        for (classes, wanted) in [(2, "2"), (4, "2"), (5, "3,2"), (10, "2"), (100, "20")] {
            assert_eq!(stages(classes), wanted);
        }
        assert_eq!(stages(13), "3,3,3,2,2");
    }

    #[test]
    fn classes_come_in_the_order_of_their_numbers() {
        let names = ["class_1", "class_10", "class_100", "class_2"];
        let names = names.map(String::from);
        assert_eq!(ClassOrder::by_number(&names), "0,3,1,2");
        assert_eq!(ClassOrder::by_number(&names[..3]), "natural");
    }

    #[test]
    fn a_folder_whose_smallest_task_has_few_steps_gets_enough_of_them() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let suited = |train: &[usize]| {
            let mut config = RunConfig {
                data: "/pictures".into(),
                ..RunConfig::default()
            };
            let material = DatasetFacts {
                classes: &names,
                train,
                looks: DRAWINGS,
                in_stages: true,
            };
            let words = suit(&mut config, &material);
            (config, words)
        };
        let (small, words) = suited(&[30, 30, 8, 9]);
        assert_eq!(small.min_steps, LEAST_STEPS);
        assert!(matches!(&words[..], [one] if one.mentions("remark-settings-chosen-more-steps")));
        // 500 images in batches of 24 give 20 steps in each of five epochs.
        let (large, words) = suited(&[300, 300, 250, 250]);
        assert_eq!((large.min_steps, large.epochs, words), (0, 5, vec![]));
        // Nothing of these settings remains for the next dataset.
        let mut next = small;
        next.data = "digits".into();
        let material = DatasetFacts {
            classes: &names,
            train: &[30; 4],
            looks: DRAWINGS,
            in_stages: true,
        };
        suit(&mut next, &material);
        assert_eq!(next.min_steps, 0);
    }

    #[test]
    fn photographs_get_their_own_embedded_backbone_and_one_task() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let material = |looks| DatasetFacts {
            classes: &names,
            train: &[300; 4],
            looks,
            in_stages: false,
        };
        let mut config = RunConfig {
            data: "/images".into(),
            ..RunConfig::default()
        };
        let words = suit(&mut config, &material(PHOTOGRAPHS));
        assert!(matches!(&words[..], [words] if words.mentions("remark-photographs")));
        assert_eq!(config.backbone, PHOTO);
        let blocks = embedded_entry(PHOTO).map(|entry| entry.pet_blocks.to_string());
        assert_eq!(Some(&config.blocks), blocks.as_ref());
        assert_eq!(config.classes_per_task, "4");
        let kept = config.clone();
        assert!(suit(&mut config, &material(DRAWINGS)).is_empty());
        assert_eq!(config.backbone, NANO);
        assert_eq!(config.blocks, RunConfig::default().blocks);
        restore(&mut config, &kept);
        assert_eq!(config, kept);
        // The user's own choice remains.
        config.backbone = "vit_tiny_patch16_224".into();
        assert!(suit(&mut config, &material(PHOTOGRAPHS)).is_empty());
        assert_eq!(config.backbone, "vit_tiny_patch16_224");
    }
}
