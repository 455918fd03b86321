//! Suggests settings for a dataset: backbone, tasks, order, batch, epochs, flips. The window and the command line
//! both start with them, so that they train the same way on the same folder.

use crate::backbone::library::{BackboneEntry, NANO, PHOTO, embedded_entry};
use crate::data::Dataset;
use crate::data::image_kind::{ImageKind, first_images};
use crate::data::published;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::data::summary::count_per_class;
use crate::message;
use crate::method::{apply_published_values, find_method};
use crate::run::config::{RunConfig, SettingSpec};
use crate::texts::Message;

/// Minimum number of optimiser steps that the chosen epochs should have; fewer teach little.
const MIN_TOTAL_STEPS: usize = 60;
/// Minimum number of steps per task for a user's folder: with fewer, the outputs of the task remain too small beside
/// those of earlier tasks (measured in docs/results.md).
pub const MIN_STEPS_PER_TASK: usize = 100;
/// Number of steps that an epoch should have.
const STEPS_PER_EPOCH: usize = 4;
/// Smallest batch size that is chosen; smaller batches have noisy gradients.
const MIN_BATCH_SIZE: usize = 4;
/// Largest number of epochs that is chosen.
const MAX_EPOCHS: usize = 30;
/// Classes per task of the letters.
pub const LETTERS_CLASSES_PER_TASK: &str = "6,5,5,5,5";
/// Number of tasks into which the classes of a folder are divided.
const TASKS: usize = 5;

/// Properties of a dataset that the suggestions depend on.
pub struct DatasetFacts<'a> {
    /// Class names, sorted.
    pub classes: &'a [String],
    /// Number of training images of each class.
    pub train: &'a [usize],
    /// The kind of images: drawings are not flipped, and photographs have their own backbone.
    pub image_kind: ImageKind,
    /// Whether the classes of a user's folder are learned in several tasks rather than all at once.
    pub split_into_tasks: bool,
}

/// Sentences about suggested settings that are not the defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuggestionNotes {
    /// About the backbone.
    pub backbone: Option<Message>,
    /// About batch, epochs and steps.
    pub training: Option<Message>,
}

/// Copies the settings that belong to the dataset from those last used with it.
pub fn restore(config: &mut RunConfig, saved: &RunConfig) {
    restore_settings(config, saved);
    if config.backbone != saved.backbone && [config, saved].iter().all(|c| is_embedded(&c.backbone))
    {
        choose_embedded_backbone(config, &saved.backbone);
        config.blocks.clone_from(&saved.blocks);
    }
}

fn restore_settings(config: &mut RunConfig, saved: &RunConfig) {
    for setting in epoch_dependent_settings(config) {
        match saved.settings.get(setting.key) {
            Some(value) => config.settings.insert(setting.key.into(), value.clone()),
            None => config.settings.remove(setting.key),
        };
    }
    config.copy_settings(saved, |setting| setting.per_dataset);
}

/// Returns the settings of the method that depend on the number of epochs.
pub fn epoch_dependent_settings(
    config: &RunConfig,
) -> impl Iterator<Item = &'static SettingSpec> + use<> {
    let specs = find_method(&config.method).map_or(&[][..], |spec| spec.settings);
    specs.iter().filter(|setting| setting.epoch_share.is_some())
}

/// Sets method settings that count epochs, such as the frozen ones, to their usual share, if the number of epochs is
/// not the default.
pub fn apply_usual_epoch_shares(config: &mut RunConfig) {
    if config.epochs == RunConfig::default().epochs {
        return;
    }
    for setting in epoch_dependent_settings(config) {
        let usual = setting.default_for_epochs(config.epochs);
        config.settings.extend(usual.map(|usual| (setting.key.to_string(), usual)));
    }
}

/// Applies settings that suit an open dataset; see [`suggest_settings`].
pub fn suggest_for_dataset(
    config: &mut RunConfig,
    data: &Dataset,
    split_into_tasks: bool,
) -> SuggestionNotes {
    let images: Vec<_> = first_images(data).into_iter().map(|(_, p)| p).collect();
    let facts = DatasetFacts {
        classes: &data.classes,
        train: &count_per_class(&data.train, data.classes.len()),
        image_kind: ImageKind::from_images(&images),
        split_into_tasks,
    };
    suggest_settings(config, &facts)
}

/// Applies settings that suit the dataset named in `config`.
pub fn suggest_settings(config: &mut RunConfig, facts: &DatasetFacts) -> SuggestionNotes {
    SuggestionNotes {
        backbone: suggest_backbone(config, facts.image_kind),
        training: suggest_training(config, facts),
    }
}

/// Chooses the embedded backbone for these images, unless the settings have one that is not embedded.
fn suggest_backbone(config: &mut RunConfig, image_kind: ImageKind) -> Option<Message> {
    let name = if image_kind.photographs { PHOTO } else { NANO };
    if !is_embedded(&config.backbone) {
        return None;
    }
    if config.backbone != name {
        choose_embedded_backbone(config, name);
    }
    image_kind.photographs.then(|| message!("remark-photographs", name))
}

fn is_embedded(backbone: &str) -> bool {
    [NANO, PHOTO].contains(&backbone)
}

fn choose_embedded_backbone(config: &mut RunConfig, name: &str) {
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

fn suggest_training(config: &mut RunConfig, facts: &DatasetFacts) -> Option<Message> {
    let usual = RunConfig::default();
    restore_settings(config, &usual);
    let classes = facts.classes.len();
    match (config.data.as_str(), published::find_published(&config.data)) {
        ("digits", _) => return None,
        ("letters", _) => {
            config.classes_per_task = LETTERS_CLASSES_PER_TASK.into();
            return None;
        }
        (_, Some(_)) => {
            config.classes_per_task = (classes / 10).max(2).to_string();
            (config.crop_scale, config.flip) = ([0.08, 1.0], true);
            if let Ok(spec) = find_method(&config.method) {
                apply_published_values(config, spec);
            }
            return None;
        }
        _ => {}
    }
    config.classes_per_task = match facts.split_into_tasks {
        true => even_task_sizes(classes),
        false => classes.to_string(),
    };
    config.order = ClassOrder::natural_order_of(facts.classes);
    // Flips keep the meaning of photographs, but not of digits, letters and drawings.
    config.flip = facts.image_kind.glyph_share.is_none();
    let smallest_class = facts.train.iter().min().copied().unwrap_or(0);
    let classes_per_task = match facts.split_into_tasks {
        true => classes.div_ceil(TASKS).max(2).min(classes),
        false => classes,
    };
    let images = (smallest_class * classes_per_task).max(1);
    config.batch = (images / STEPS_PER_EPOCH).clamp(MIN_BATCH_SIZE, usual.batch);
    let steps = (images / config.batch).max(1);
    config.epochs = MIN_TOTAL_STEPS.div_ceil(steps).clamp(usual.epochs, MAX_EPOCHS);
    apply_usual_epoch_shares(config);
    if steps_of_smallest_task(config, facts).is_some_and(|steps| steps < MIN_STEPS_PER_TASK) {
        config.min_steps = MIN_STEPS_PER_TASK;
    }
    let differs = config.batch != usual.batch
        || config.epochs != usual.epochs
        || config.min_steps != usual.min_steps;
    differs.then(|| {
        let id = match config.min_steps {
            0 => "remark-settings-chosen",
            _ => "remark-settings-chosen-more-steps",
        };
        message!(
            id,
            n = smallest_class,
            batch = config.batch,
            epochs = config.epochs,
            steps = config.min_steps
        )
    })
}

/// Returns the number of optimiser steps of the task with the fewest; `None` if the classes cannot be divided into
/// tasks.
fn steps_of_smallest_task(config: &RunConfig, facts: &DatasetFacts) -> Option<usize> {
    let order = ClassOrder::parse(&config.order).ok()?;
    let sizes = TaskSizes::parse(&config.classes_per_task).ok()?;
    let scenario = Scenario::new(facts.classes, &order, &sizes).ok()?;
    let images = scenario.tasks.iter().map(|task| {
        let classes = &scenario.class_order[task.clone()];
        classes.iter().map(|&class| facts.train[class]).sum()
    });
    let smallest: usize = images.min()?;
    let batch = config.batch.max(1);
    Some(config.epochs * (smallest / batch).max(1))
}

/// Returns the classes per task as the settings write them ("2" or "3,3,3,2,2"): as even as possible, with no task of
/// a single class.
pub fn even_task_sizes(classes: usize) -> String {
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

    const PHOTOGRAPHS: ImageKind =
        ImageKind { light_on_dark: false, glyph_share: None, photographs: true };
    const DRAWINGS: ImageKind =
        ImageKind { light_on_dark: false, glyph_share: Some(0.5), photographs: false };

    #[test]
    fn splits_classes_into_even_tasks_of_at_least_two() {
        for (classes, expected) in [(2, "2"), (4, "2"), (5, "3,2"), (10, "2"), (100, "20")] {
            assert_eq!(even_task_sizes(classes), expected);
        }
        assert_eq!(even_task_sizes(13), "3,3,3,2,2");
    }

    #[test]
    fn natural_order_sorts_classes_by_number() {
        let names = ["class_1", "class_10", "class_100", "class_2"];
        let names = names.map(String::from);
        assert_eq!(ClassOrder::natural_order_of(&names), "0,3,1,2");
        assert_eq!(ClassOrder::natural_order_of(&names[..3]), "natural");
    }

    #[test]
    fn small_folder_gets_minimum_steps_per_task() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let suggest = |train: &[usize]| {
            let mut config = RunConfig { data: "/pictures".into(), ..RunConfig::default() };
            let facts = DatasetFacts {
                classes: &names,
                train,
                image_kind: DRAWINGS,
                split_into_tasks: true,
            };
            let notes = suggest_settings(&mut config, &facts);
            (config, notes)
        };
        let (small, notes) = suggest(&[30, 30, 8, 9]);
        assert_eq!(small.min_steps, MIN_STEPS_PER_TASK);
        assert!(notes.training.unwrap().mentions("remark-settings-chosen-more-steps"));
        assert_eq!(notes.backbone, None);
        // 500 images in batches of 24 give 20 steps in each of five epochs.
        let (large, notes) = suggest(&[300, 300, 250, 250]);
        assert_eq!((large.min_steps, large.epochs, notes), (0, 5, SuggestionNotes::default()));
        // Nothing of these settings remains for the next dataset.
        let mut next = small;
        next.data = "digits".into();
        let facts = DatasetFacts {
            classes: &names,
            train: &[30; 4],
            image_kind: DRAWINGS,
            split_into_tasks: true,
        };
        suggest_settings(&mut next, &facts);
        assert_eq!(next.min_steps, 0);
    }

    #[test]
    fn photographs_get_photo_backbone_and_single_task() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let facts = |looks| DatasetFacts {
            classes: &names,
            train: &[300; 4],
            image_kind: looks,
            split_into_tasks: false,
        };
        let mut config = RunConfig { data: "/images".into(), ..RunConfig::default() };
        let notes = suggest_settings(&mut config, &facts(PHOTOGRAPHS));
        assert!(notes.backbone.unwrap().mentions("remark-photographs"));
        assert_eq!(notes.training, None);
        assert_eq!(config.backbone, PHOTO);
        let blocks = embedded_entry(PHOTO).map(|entry| entry.pet_blocks.to_string());
        assert_eq!(Some(&config.blocks), blocks.as_ref());
        assert_eq!(config.classes_per_task, "4");
        let saved = config.clone();
        assert_eq!(suggest_settings(&mut config, &facts(DRAWINGS)), SuggestionNotes::default());
        assert_eq!(config.backbone, NANO);
        assert_eq!(config.blocks, RunConfig::default().blocks);
        restore(&mut config, &saved);
        assert_eq!(config, saved);
        // The user's own choice remains.
        config.backbone = "vit_tiny_patch16_224".into();
        let notes = suggest_settings(&mut config, &facts(PHOTOGRAPHS));
        assert_eq!(notes, SuggestionNotes::default());
        assert_eq!(config.backbone, "vit_tiny_patch16_224");
    }
}
