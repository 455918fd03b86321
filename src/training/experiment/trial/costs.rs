//! The time that a trial is expected to take, and the reductions with which it takes as long as planned.

use super::VALIDATION_SHARE;
use crate::data::summary::count_per_class;
use crate::experiment::estimate::{Network, TaskImages, seconds_at_speed};
use crate::experiment::overrides::{with_halved_epochs, with_validation};
use crate::experiment::plan::TrainingPlan;
use crate::experiment::speed::measure_speed;
use crate::message;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::texts::Words;

/// Smallest limit of training images per class before epochs are reduced.
const MIN_IMAGES_PER_CLASS: usize = 20;
/// Maximum number of times the epochs are halved.
const MAX_HALVINGS: u32 = 3;
/// Factor for reading and augmenting images and saving, in addition to the network.
const OVERHEAD: f64 = 1.15;

/// How a trial is reduced compared with a full run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    /// Maximum number of training images per class.
    limit: Option<usize>,
    /// How often the epochs are halved.
    halvings: u32,
}

impl Bounds {
    /// Returns the settings with which a method is trained and evaluated.
    pub fn reduced_settings(&self, config: &RunConfig) -> RunConfig {
        let mut reduced = with_validation(config, self.halvings, VALIDATION_SHARE);
        if let Some(limit) = self.limit {
            let limited =
                |current: Option<usize>| Some(current.map_or(limit, |value| value.min(limit)));
            reduced.train_limit = limited(reduced.train_limit);
            reduced.test_limit = limited(reduced.test_limit);
        }
        reduced
    }

    /// Returns the reductions as sentences.
    pub fn sentences(&self, costs: &TrialCosts, chosen: &RunConfig) -> Vec<Words> {
        let mut sentences = Vec::new();
        if let Some(limit) = self.limit {
            let max = costs.train.iter().flatten().max().copied().unwrap_or(0);
            sentences.push(message!("trial-fewer-images", limit, n = max).into());
        }
        if self.halvings > 0 {
            let epochs = with_halved_epochs(chosen, self.halvings).epochs;
            sentences
                .push(message!("trial-fewer-epochs", n = epochs, usual = chosen.epochs).into());
        }
        sentences
    }
}

/// What the estimated time depends on.
pub(super) struct TrialCosts {
    /// Number of training images of each class of each task; `validation` is the number of held-out images.
    train: Vec<Vec<usize>>,
    validation: Vec<Vec<usize>>,
    network: Network,
    /// Training steps per second.
    speed: f64,
}

impl TrialCosts {
    /// Counts the images and times the network.
    pub fn new(plan: &TrainingPlan) -> Result<Self> {
        let (data, scenario) = (&plan.data, &plan.scenario);
        let by_task = |per_class: &[usize]| -> Vec<Vec<usize>> {
            let tasks = scenario.tasks.iter();
            let classes = tasks.map(|task| &scenario.class_order[task.clone()]);
            classes.map(|classes| classes.iter().map(|&class| per_class[class]).collect()).collect()
        };
        let classes = data.classes.len();
        let network = Network::new(&plan.backbone.entry.architecture);
        Ok(Self {
            train: by_task(&count_per_class(&data.train, classes)),
            validation: by_task(&count_per_class(&data.test, classes)),
            network,
            speed: network.steps_per_second(measure_speed(&plan.backbone)?),
        })
    }

    /// Returns the number of images of each task within these bounds.
    pub fn images(&self, bounds: &Bounds) -> (Vec<usize>, Vec<usize>) {
        let max = bounds.limit.unwrap_or(usize::MAX);
        let within = |tasks: &[Vec<usize>]| -> Vec<usize> {
            let sum = |classes: &Vec<usize>| classes.iter().map(|n| (*n).min(max)).sum();
            tasks.iter().map(sum).collect()
        };
        (within(&self.train), within(&self.validation))
    }

    /// Returns the estimated seconds of all of these settings within bounds.
    fn estimate_seconds(&self, configs: &[RunConfig], bounds: &Bounds) -> f64 {
        let (train, test) = &self.images(bounds);
        let images = TaskImages { train, test };
        // Methods that learn all classes at once process the same total number of images.
        let seconds = configs.iter().filter_map(|config| {
            seconds_at_speed(&bounds.reduced_settings(config), images, self.network, self.speed)
        });
        seconds.sum::<f64>() * OVERHEAD
    }

    /// Returns the bounds within which all candidates take at most `planned` seconds: images are reduced before
    /// epochs.
    pub fn bounds(&self, configs: &[RunConfig], planned: f64) -> Bounds {
        let mut bounds = Bounds::default();
        let mut max = self.train.iter().flatten().max().copied().unwrap_or(0);
        while self.estimate_seconds(configs, &bounds) > planned {
            // Small steps, so that as much of the time as possible is used.
            let reduced = max * 3 / 4;
            if reduced >= MIN_IMAGES_PER_CLASS {
                max = reduced;
                bounds.limit = Some(max);
            } else if bounds.halvings < MAX_HALVINGS {
                bounds.halvings += 1;
            } else {
                break;
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::super::PLANNED_SECONDS;
    use super::*;
    use crate::backbone::library::{NANO, embedded_entry};

    fn trial_costs(images_per_class: usize, speed: f64) -> TrialCosts {
        TrialCosts {
            train: vec![vec![images_per_class; 2]; 5],
            validation: vec![vec![images_per_class / 4; 2]; 5],
            network: Network::new(&embedded_entry(NANO).unwrap().architecture),
            speed,
        }
    }

    #[test]
    fn long_trials_get_fewer_images_then_fewer_epochs() {
        let configs = [RunConfig::default()];
        assert_eq!(trial_costs(100, 1e4).bounds(&configs, PLANNED_SECONDS), Bounds::default());
        let slower = trial_costs(1000, 100.0);
        let bounds = slower.bounds(&configs, PLANNED_SECONDS);
        assert!(
            bounds.limit.is_some_and(|limit| limit >= MIN_IMAGES_PER_CLASS) && bounds.halvings == 0
        );
        assert!(slower.estimate_seconds(&configs, &bounds) <= PLANNED_SECONDS);
        let slowest = trial_costs(1000, 1.0).bounds(&configs, PLANNED_SECONDS);
        assert_eq!(slowest.halvings, MAX_HALVINGS);
        let reduced = slowest.reduced_settings(&RunConfig::default());
        assert_eq!((reduced.epochs, reduced.validation_share), (1, VALIDATION_SHARE));
        assert_eq!(reduced.train_limit, slowest.limit);
        let sentences = slowest.sentences(&trial_costs(1000, 1.0), &RunConfig::default());
        assert_eq!(sentences.len(), 2);
    }
}
