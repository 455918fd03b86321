//! The time that a trial is expected to take, and the reductions with which it takes as long as planned.

use super::SHARE;
use crate::data::summary::counts;
use crate::experiment::estimate::{Network, TaskImages, seconds_at};
use crate::experiment::overrides::{halved, held_out};
use crate::experiment::plan::TrainingPlan;
use crate::experiment::speed::speed_of;
use crate::message;
use crate::problem::Result;
use crate::run::config::RunConfig;
use crate::texts::Words;

/// Smallest limit of training images per class before epochs are reduced.
const FEWEST: usize = 20;
/// Maximum number of times the epochs are halved.
const HALVINGS: u32 = 3;
/// Factor for reading and augmenting images and saving, in addition to the network.
const BESIDE: f64 = 1.15;

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
    pub fn judged(&self, config: &RunConfig) -> RunConfig {
        let mut judged = held_out(config, self.halvings, SHARE);
        if let Some(limit) = self.limit {
            let within = |own: Option<usize>| Some(own.map_or(limit, |own| own.min(limit)));
            judged.train_limit = within(judged.train_limit);
            judged.test_limit = within(judged.test_limit);
        }
        judged
    }

    /// Returns the reductions as sentences.
    pub fn sentences(&self, material: &TrialCosts, chosen: &RunConfig) -> Vec<Words> {
        let mut sentences = Vec::new();
        if let Some(limit) = self.limit {
            let most = material.train.iter().flatten().max().copied().unwrap_or(0);
            sentences.push(message!("trial-fewer-images", limit, n = most).into());
        }
        if self.halvings > 0 {
            let epochs = halved(chosen, self.halvings).epochs;
            sentences
                .push(message!("trial-fewer-epochs", n = epochs, usual = chosen.epochs).into());
        }
        sentences
    }
}

/// What the estimated time depends on.
pub(super) struct TrialCosts {
    /// Number of training images of each class of each task; `judged` is the number of held-out images.
    train: Vec<Vec<usize>>,
    judged: Vec<Vec<usize>>,
    network: Network,
    /// Training steps per second.
    speed: f64,
}

impl TrialCosts {
    /// Counts the images and times the network.
    pub fn new(plan: &TrainingPlan) -> Result<Self> {
        let (data, scenario) = (&plan.data, &plan.scenario);
        let by_task = |of: &[usize]| -> Vec<Vec<usize>> {
            let tasks = scenario.tasks.iter();
            let classes = tasks.map(|task| &scenario.class_order[task.clone()]);
            classes
                .map(|classes| classes.iter().map(|&class| of[class]).collect())
                .collect()
        };
        let classes = data.classes.len();
        let network = Network::of(&plan.backbone.entry.architecture);
        Ok(Self {
            train: by_task(&counts(&data.train, classes)),
            judged: by_task(&counts(&data.test, classes)),
            network,
            speed: network.steps_at(speed_of(&plan.backbone)?),
        })
    }

    /// Returns the number of images of each task within these bounds.
    pub fn images(&self, bounds: &Bounds) -> (Vec<usize>, Vec<usize>) {
        let most = bounds.limit.unwrap_or(usize::MAX);
        let within = |tasks: &[Vec<usize>]| -> Vec<usize> {
            let sum = |classes: &Vec<usize>| classes.iter().map(|n| (*n).min(most)).sum();
            tasks.iter().map(sum).collect()
        };
        (within(&self.train), within(&self.judged))
    }

    /// Returns the estimated seconds of all of these settings within bounds.
    fn seconds(&self, all: &[RunConfig], bounds: &Bounds) -> f64 {
        let (train, test) = &self.images(bounds);
        let images = TaskImages { train, test };
        // Methods that learn all classes at once process the same total number of images.
        let each = all.iter().filter_map(|config| {
            seconds_at(&bounds.judged(config), images, self.network, self.speed)
        });
        each.sum::<f64>() * BESIDE
    }

    /// Returns the bounds within which all candidates take at most `planned` seconds: images are reduced before
    /// epochs.
    pub fn bounds(&self, all: &[RunConfig], planned: f64) -> Bounds {
        let mut bounds = Bounds::default();
        let mut most = self.train.iter().flatten().max().copied().unwrap_or(0);
        while self.seconds(all, &bounds) > planned {
            // Small steps, so that as much of the time as possible is used.
            let fewer = most * 3 / 4;
            if fewer >= FEWEST {
                most = fewer;
                bounds.limit = Some(most);
            } else if bounds.halvings < HALVINGS {
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
    use super::super::PLANNED;
    use super::*;
    use crate::backbone::library::{NANO, embedded_entry};

    fn material(each: usize, speed: f64) -> TrialCosts {
        TrialCosts {
            train: vec![vec![each; 2]; 5],
            judged: vec![vec![each / 4; 2]; 5],
            network: Network::of(&embedded_entry(NANO).unwrap().architecture),
            speed,
        }
    }

    #[test]
    fn what_would_take_too_long_gets_fewer_pictures_and_then_fewer_epochs() {
        let all = [RunConfig::default()];
        assert_eq!(material(100, 1e4).bounds(&all, PLANNED), Bounds::default());
        let slower = material(1000, 100.0);
        let bounds = slower.bounds(&all, PLANNED);
        assert!(bounds.limit.is_some_and(|limit| limit >= FEWEST) && bounds.halvings == 0);
        assert!(slower.seconds(&all, &bounds) <= PLANNED);
        let slowest = material(1000, 1.0).bounds(&all, PLANNED);
        assert_eq!(slowest.halvings, HALVINGS);
        let judged = slowest.judged(&RunConfig::default());
        assert_eq!((judged.epochs, judged.validation_share), (1, SHARE));
        assert_eq!(judged.train_limit, slowest.limit);
        let sentences = slowest.sentences(&material(1000, 1.0), &RunConfig::default());
        assert_eq!(sentences.len(), 2);
    }
}
