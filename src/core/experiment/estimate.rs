//! What a run will cost in time and on the disk, from its settings and its numbers of images. What it takes of the
//! memory says [`super::footprint`].

use crate::backbone::library::Description;
use crate::method::{Chosen, Pass};
use crate::run::config::RunConfig;

/// Multiplications and additions per second assumed of a processor nobody measured: about half of
/// what two cores of 2.5 GHz were seen to do.
const UNMEASURED: f64 = 1.5e11;
/// A training step costs about so many passes of the network.
const TRAINING: f64 = 2.5;
/// Bytes of a number.
const NUMBER: f64 = 4.0;
/// Bytes of a test image's line in the table of answers: its name and class, and each expert's answer.
const OF_IMAGE: f64 = 12.0;
const OF_ANSWER: f64 = 8.0;

/// Numbers of images of each task.
#[derive(Clone, Copy, Debug)]
pub struct TaskImages<'a> {
    /// For training, per epoch.
    pub train: &'a [usize],
    /// For testing.
    pub test: &'a [usize],
}

/// The images that pass through the network in training, those of each pass weighed by `of`, which is told how many it
/// shows; 0 where the settings are wrong.
pub fn over_passes(config: &RunConfig, train: &[usize], of: impl Fn(&Pass, usize) -> f64) -> f64 {
    let Ok(chosen) = Chosen::of(config) else {
        return 0.0;
    };
    let mut sum = 0.0;
    for task in 0..train.len() {
        for pass in chosen.passes(task, train).unwrap_or_default() {
            let images = pass.source.count(task, train).unwrap_or_default();
            sum += of(&pass, pass.shown(images, config.batch));
        }
    }
    sum
}

/// How many images a processor that nobody measured trains in a second, with a network of so many weights that sees
/// squares of so many pixels a side.
pub fn unmeasured_speed(parameters: usize, input_size: usize) -> f64 {
    let patch = 8.0f64.max(input_size as f64 / 14.0);
    let tokens = (input_size as f64 / patch).powi(2) + 1.0;
    let pass = 2.0 * parameters as f64 * tokens;
    UNMEASURED / (pass * TRAINING)
}

/// Seconds that `config` takes where so many images are trained in a second; none where nothing is trained.
pub fn seconds_at(config: &RunConfig, images: TaskImages<'_>, speed: f64) -> Option<f64> {
    let trained = over_passes(config, images.train, |pass, shown| {
        shown as f64 * pass.cost()
    });
    if trained == 0.0 {
        return None;
    }
    // An ensemble of both costs nothing.
    let tested = answers(config, images.test, 2);
    Some(trained / speed + tested / (speed * TRAINING))
}

/// Answers that are given in a run: after task i all images of tasks 1..=i are tested, by so many experts at most.
fn answers(config: &RunConfig, test: &[usize], most: usize) -> f64 {
    let experts = Chosen::of(config).map_or(1, |chosen| chosen.spec.experts.len().min(most));
    let (mut tested, mut seen) = (0.0, 0);
    for images in test {
        seen += images;
        tested += (experts * seen) as f64;
    }
    tested
}

/// About how many bytes a run takes on the disk: its answers, the PETs of its experts after each task or all weights
/// where these are trained, and the rows of its heads. `trained` are the numbers in the PETs of one expert.
pub fn disk(
    config: &RunConfig,
    about: &Description,
    images: TaskImages<'_>,
    trained: usize,
    classes: usize,
) -> u64 {
    let tasks = images.train.len() as f64;
    let chosen = Chosen::of(config).ok();
    let memory = chosen.and_then(|chosen| (chosen.spec.memory)(&chosen, about.blocks.len()).ok());
    let memory = memory.unwrap_or_default();
    let each = match memory.weights {
        true => about.parameters as f64,
        false => 2.0 * trained as f64 + memory.bytes / NUMBER,
    };
    let heads = about.feature_width as f64 * classes as f64;
    let told = answers(config, images.test, usize::MAX);
    let tested = answers(config, images.test, 1);
    (NUMBER * (each * tasks + heads) + OF_ANSWER * told + OF_IMAGE * tested) as u64
}
