//! The settings that suit a data set: tasks, order, batch, epochs, mirroring. The window and the command line begin with
//! these, so that both train alike on the same folder.

use crate::data::Dataset;
use crate::data::card::counts;
use crate::data::looks::{Looks, first_pictures};
use crate::data::named;
use crate::data::scenario::{ClassOrder, Scenario, TaskSizes};
use crate::message;
use crate::method::{adopt_published, named_method};
use crate::run::config::{RunConfig, SettingSpec};
use crate::texts::Message;

/// Steps of the optimiser that the chosen epochs should come to; with fewer, little is learned.
const STEPS: usize = 60;
/// Steps that every task of a folder gets at least: with fewer, its outputs stay too quiet beside those of earlier tasks
/// (docs/results.md has the measurements).
pub const LEAST_STEPS: usize = 100;
/// Steps that an epoch should have.
const PER_EPOCH: usize = 4;
/// Smallest batch that is chosen: smaller ones learn from noise.
const SMALLEST: usize = 4;
/// Most epochs that are chosen.
const MOST_CHOSEN: usize = 30;
/// The tasks of the letters.
pub const LETTERS: &str = "6,5,5,5,5";
/// Tasks into which the classes of a folder are cut.
const TASKS: usize = 5;

/// What of a data set the choice depends on.
pub struct Material<'a> {
    /// Class names, sorted.
    pub classes: &'a [String],
    /// Training images of each class.
    pub train: &'a [usize],
    /// Whether the images are drawings, which may not be mirrored.
    pub drawings: bool,
}

/// Takes over what belongs to the data set.
pub fn take_from(config: &mut RunConfig, kept: &RunConfig) {
    for setting in of_epochs(config) {
        match kept.settings.get(setting.key) {
            Some(value) => config.settings.insert(setting.key.into(), value.clone()),
            None => config.settings.remove(setting.key),
        };
    }
    config.copy(kept, |setting| setting.of_data);
}

/// The method's own settings that are a share of the epochs.
pub fn of_epochs(config: &RunConfig) -> impl Iterator<Item = &'static SettingSpec> + use<> {
    let own = named_method(&config.method).map_or(&[][..], |spec| spec.settings);
    own.iter().filter(|setting| setting.of_epochs.is_some())
}

/// Puts the usual share of epochs, such as the frozen ones, where these are not as many as usual.
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

/// As [`suit`], for a data set that is open.
pub fn suit_to(config: &mut RunConfig, data: &Dataset) -> Option<Message> {
    let pictures: Vec<_> = first_pictures(data).into_iter().map(|(_, p)| p).collect();
    let material = Material {
        classes: &data.classes,
        train: &counts(&data.train, data.classes.len()),
        drawings: Looks::of(&pictures).glyph_share.is_some(),
    };
    suit(config, &material)
}

/// Puts settings that suit the data set named in `config`; a sentence where they are not the usual ones.
pub fn suit(config: &mut RunConfig, material: &Material) -> Option<Message> {
    let usual = RunConfig::default();
    take_from(config, &usual);
    let classes = material.classes.len();
    match (config.data.as_str(), named::published(&config.data)) {
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
    config.classes_per_task = stages(classes);
    config.order = ClassOrder::by_number(material.classes);
    // Photographs may be mirrored; digits, letters and drawings may not.
    config.flip = !material.drawings;
    let least = material.train.iter().min().copied().unwrap_or(0);
    let each = classes.div_ceil(TASKS).max(2).min(classes);
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

/// Optimiser steps of the task that gets the fewest; `None` if the classes cannot be cut into tasks.
fn least_steps(config: &RunConfig, material: &Material) -> Option<usize> {
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

/// The tasks that classes are learned in by stages, as the settings name them: as even as they can be, none of a single
/// class: "2", "3,3,3,2,2".
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
            let material = Material {
                classes: &names,
                train,
                drawings: true,
            };
            let told = suit(&mut config, &material);
            (config, told)
        };
        let (small, told) = suited(&[30, 30, 8, 9]);
        assert_eq!(small.min_steps, LEAST_STEPS);
        assert!(told.is_some_and(|told| told.mentions("remark-settings-chosen-more-steps")));
        // 500 images in batches of 24 are 20 steps in each of five epochs.
        let (large, told) = suited(&[300, 300, 250, 250]);
        assert_eq!((large.min_steps, large.epochs, told), (0, 5, None));
        // Of the next data set nothing of it stays.
        let mut next = small;
        next.data = "digits".into();
        let material = Material {
            classes: &names,
            train: &[30; 4],
            drawings: true,
        };
        suit(&mut next, &material);
        assert_eq!(next.min_steps, 0);
    }
}
