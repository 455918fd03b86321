//! Training pictures whose label the others contradict: each is answered by a regression, on features of the run's
//! frozen backbone alone, of pictures among which neither it nor a copy of it is.
//!
//! What the run's own experts say of a picture they learned is no witness: they may know it by heart, its wrong label
//! too.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use super::ahead::one_ahead;
use super::inside::evenly;
use super::predict::Predictor;
use super::teach::own_images;
use super::{Stock, unless};
use crate::data::Sample;
use crate::data::chance::{Chance, Purpose};
use crate::data::loader::inputs_of;
use crate::data::transform::InputSpec;
use crate::method::answers::argmax;
use crate::method::ranpac::{Images, cross_fitted};
use crate::metrics::{Answers, Expert};
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::store;
use crate::tensors::HostTensor;

/// Pictures at most; of more the same share of every class.
const MOST: usize = 50_000;
/// Parts of the pictures, each answered by the others.
const FOLDS: usize = 10;
/// Random projections in front of the regression, at most.
const PROJECTIONS: usize = 1000;
/// Pictures that are looked at at once.
const PIECE: usize = 16;

/// Gives the features of pictures as the network sees them, side by side: one row after the other.
pub type Ask<'a> = dyn FnMut(Vec<u8>) -> Result<Vec<f32>> + 'a;
/// Told how many pictures were looked at, and of how many; breaks to stop it.
pub type Step<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

impl Predictor {
    /// What the frozen backbone alone makes of pictures as the network sees them, side by side.
    ///
    /// # Errors
    /// A Problem when the device failed.
    pub fn backbone_features(&self, seen: &[u8]) -> Result<Vec<f32>> {
        let network = &self.backbone.backbone;
        let features = network.features(self.images(seen), &PetStack::empty())?;
        Ok(HostTensor::read(&features)?.values)
    }
}

/// What the others make of every training picture of the run in `folder` up to `task`, under [`Expert::Answer`], with
/// how certain they are; nothing where `step` or `go_on` stopped it. Pictures of its own data set alone, by their
/// indices in the training split; those that cannot be read are left out.
///
/// # Errors
/// A Problem when the pictures are no longer those the run learned from, are too few, or `ask` fails.
pub fn look(
    (folder, task): (&Path, usize),
    input: InputSpec,
    stock: &Stock,
    ask: &mut Ask<'_>,
    step: &mut Step<'_>,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Answers>> {
    let Some(mut crowd) = unless(Crowd::gather(folder, task, stock, go_on), go_on)? else {
        return Ok(None);
    };
    let of = crowd.pictures.len();
    let ready = |start: usize| {
        let piece = &crowd.pictures[start..(start + PIECE).min(of)];
        let samples: Vec<Sample> = piece.iter().map(|one| one.sample.clone()).collect();
        (start, inputs_of(&samples, input))
    };
    let (mut features, mut read) = (Vec::new(), Vec::with_capacity(of));
    let looked = one_ahead((0..of).step_by(PIECE), ready, |(start, inputs)| {
        let mut seen = Vec::with_capacity(inputs.len() * input.bytes());
        for (at, own) in (start..).zip(inputs) {
            if let Ok(own) = own {
                seen.extend(own);
                read.push(at);
            }
        }
        if !seen.is_empty() {
            features.extend(ask(seen)?);
        }
        Ok(step((start + PIECE).min(of), of))
    })?;
    if looked.is_break() {
        return Ok(None);
    }
    crowd.keep(&read)?;
    unless(crowd.answers(&features, go_on), go_on)
}

/// A training picture.
struct One {
    /// Its index in the training split.
    index: usize,
    sample: Sample,
    /// Its class, by position in the class order.
    label: usize,
}

impl One {
    fn of(index: usize, sample: &Sample, label: usize) -> Self {
        let sample = sample.clone();
        Self {
            index,
            sample,
            label,
        }
    }
}

/// The pictures that are held against one another, fold after fold.
struct Crowd {
    pictures: Vec<One>,
    /// Where each fold ends.
    ends: Vec<usize>,
    classes: usize,
}

impl Crowd {
    fn gather(
        folder: &Path,
        task: usize,
        stock: &Stock,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self> {
        let stored = store::load(folder)?;
        let header = &stored.header;
        let own = own_images(&stored, stock, go_on)?;
        let images = header.images.as_ref();
        if images.is_some_and(|images| own.data.train_fingerprint(images.kind) != images.train) {
            return Err(Problem::new(
                "the training images of this data set are no longer those this run learned from",
            )
            .at(&header.config.data)
            .advise("put back what was there, or train a run on what is there now"));
        }
        let last = task.min(header.own_tasks().saturating_sub(1));
        let classes = header.tasks.get(last).map_or(0, |task| task.end);
        let (data, scenario) = (&own.data, &own.scenario);
        let sets = data.sets_of_copies(&data.train);
        let all = data.train.iter().zip(sets).enumerate();
        let all = all.map(|(index, (sample, set))| {
            let label = scenario.label_of(sample.class as usize);
            (set, One::of(index, sample, label))
        });
        let all: Vec<(usize, One)> = all.filter(|(_, one)| one.label < classes).collect();
        let crowd = Self::divided(all, classes);
        crowd.enough()?;
        Ok(crowd)
    }

    /// # Errors
    /// A Problem where there is nothing to hold a label against.
    fn enough(&self) -> Result<()> {
        if self.classes < 2 {
            return Err(Problem::new(
                "one class was learned by then: a picture looks like another one only where there are two",
            )
            .advise("ask after a later task"));
        }
        if self.pictures.len() >= FOLDS.max(2 * self.classes) {
            return Ok(());
        }
        Err(
            Problem::new("there are too few training pictures to hold them against one another")
                .advise(format!(
                    "at least {FOLDS} are needed, and two of every class"
                )),
        )
    }

    /// Divides pictures into folds, each with as many of every class as any other; all of a set go into one.
    fn divided(all: Vec<(usize, One)>, classes: usize) -> Self {
        let labels: Vec<usize> = all.iter().map(|(_, one)| one.label).collect();
        let mut order = match all.len() > MOST {
            true => evenly(&labels, classes, MOST),
            false => (0..all.len()).collect(),
        };
        Chance::new(Purpose::Split, 0, 0, 0).shuffle(&mut order);
        let mut set_of = HashMap::new();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for at in order {
            let set = set_of.entry(all[at].0).or_insert_with(|| {
                sets.push(Vec::new());
                sets.len() - 1
            });
            sets[*set].push(at);
        }
        let mut taken = vec![[0usize; FOLDS]; classes];
        let mut folds: Vec<Vec<usize>> = vec![Vec::new(); FOLDS];
        for set in sets {
            let label = all[set[0]].1.label;
            let fewest = |fold: &usize| (taken[label][*fold], folds[*fold].len());
            let fold = (0..FOLDS).min_by_key(fewest).unwrap_or(0);
            for at in set {
                taken[all[at].1.label][fold] += 1;
                folds[fold].push(at);
            }
        }
        let ends = folds.iter().scan(0, |end, fold| {
            *end += fold.len();
            Some(*end)
        });
        let ends = ends.collect();
        let all = all.into_iter().map(|(_, one)| one);
        Self {
            pictures: in_order(all, folds.iter().flatten()),
            ends,
            classes,
        }
    }

    /// Keeps those that could be read, by their places in order.
    ///
    /// # Errors
    /// A Problem where they are too few.
    fn keep(&mut self, read: &[usize]) -> Result<()> {
        self.ends = (self.ends.iter())
            .map(|end| read.partition_point(|at| at < end))
            .collect();
        self.pictures = in_order(std::mem::take(&mut self.pictures), read.iter());
        self.enough()
    }

    /// What the others make of each, in the order of the training split.
    fn answers(&self, features: &[f32], go_on: &dyn Fn() -> bool) -> Result<Answers> {
        let labels: Vec<usize> = self.pictures.iter().map(|one| one.label).collect();
        let images = Images {
            features,
            labels: &labels,
        };
        let projections = PROJECTIONS.min(labels.len());
        let scores = cross_fitted(images, &self.ends, self.classes, projections, go_on)?;
        let scores: Vec<&[f64]> = scores.chunks_exact(self.classes.max(1)).collect();
        let sharpness = sharpness(&scores, &labels);
        let mut order: Vec<usize> = (0..self.pictures.len()).collect();
        order.sort_by_key(|at| self.pictures[*at].index);
        let mut answers = Answers::default();
        let (mut given, mut certain) = (Vec::new(), Vec::new());
        for at in order {
            let shares = shares(scores[at], sharpness);
            let best = argmax(&shares);
            answers.samples.push(self.pictures[at].index);
            answers.labels.push(labels[at]);
            given.push(best);
            // Against its label alone: what else it looks like speaks for neither.
            certain.push(shares[best] / (shares[best] + shares[labels[at]]));
        }
        answers.given.insert(Expert::Answer, given);
        answers.certainty.insert(Expert::Answer, certain);
        Ok(answers)
    }
}

/// Those at these places, in this order; each place stands there once.
fn in_order<'a>(
    all: impl IntoIterator<Item = One>,
    places: impl Iterator<Item = &'a usize>,
) -> Vec<One> {
    let mut all: Vec<Option<One>> = all.into_iter().map(Some).collect();
    places.filter_map(|at| all[*at].take()).collect()
}

/// Softmax of scores times a factor, before it is divided by its sum.
fn powers(scores: &[f64], sharpness: f64) -> impl Iterator<Item = f64> {
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    scores.iter().map(move |s| ((s - most) * sharpness).exp())
}

/// Softmax of scores times a factor.
fn shares(scores: &[f64], sharpness: f64) -> Vec<f32> {
    let sum: f64 = powers(scores, sharpness).sum();
    powers(scores, sharpness)
        .map(|power| (power / sum) as f32)
        .collect()
}

/// The factor with which shares fit the labels best: a regression's scores are no logits.
fn sharpness(scores: &[&[f64]], labels: &[usize]) -> f64 {
    let loss = |sharpness: f64| -> f64 {
        let each = scores.iter().zip(labels).map(|(scores, label)| {
            let (mut sum, mut own) = (0.0, 0.0);
            for (class, power) in powers(scores, sharpness).enumerate() {
                sum += power;
                own += if class == *label { power } else { 0.0 };
            }
            -(own / sum).max(1e-9).ln()
        });
        each.sum()
    };
    let choices = (0..20).map(|step| 1.5f64.powi(step));
    let by_loss = choices.map(|choice| (loss(choice), choice));
    by_loss
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(1.0, |(_, choice)| choice)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::backbone::library;
    use crate::data::{Dataset, OpenOptions};
    use crate::experiment::upload;
    use crate::metrics::Wrong;
    use burn::tensor::Device;

    /// What the embedded backbone makes of pictures.
    fn features_of(samples: &[Sample]) -> Vec<f32> {
        let opened = library::open("lae-nano", &Device::flex(), &mut |_| true).unwrap();
        let piece = |piece: &[Sample]| {
            let seen: Vec<Vec<u8>> = inputs_of(piece, opened.input)
                .into_iter()
                .collect::<Result<_>>()
                .unwrap();
            let images = upload::for_backbone(&seen.concat(), &opened);
            let features = opened.backbone.features(images, &PetStack::empty());
            HostTensor::read(&features.unwrap()).unwrap().values
        };
        samples.chunks(64).flat_map(piece).collect()
    }

    /// The figures stand in docs/data.md.
    #[test]
    fn planted_wrong_labels_are_among_the_first_of_the_list() {
        let data = Dataset::open("letters", &OpenOptions::default()).unwrap();
        let classes = data.classes.len();
        let sets = data.sets_of_copies(&data.train);
        let planted = |index: usize| index % 100 == 37;
        let all = data.train.iter().zip(sets).enumerate();
        let all = all.map(|(index, (sample, set))| {
            let shift = usize::from(planted(index)) * (1 + index / 100 % (classes - 1));
            let label = (sample.class as usize + shift) % classes;
            (set, One::of(index, sample, label))
        });
        let mut crowd = Crowd::divided(all.collect(), classes);
        let everything: Vec<usize> = (0..crowd.pictures.len()).collect();
        crowd.keep(&everything).unwrap();
        let samples: Vec<Sample> = crowd
            .pictures
            .iter()
            .map(|one| one.sample.clone())
            .collect();
        let answers = crowd.answers(&features_of(&samples), &|| true).unwrap();
        assert_eq!(answers.samples, (0..2600).collect::<Vec<_>>());
        let mut list = answers.wrong(Expert::Answer, None);
        Wrong::sort(&mut list);
        let found = |first: usize| {
            let first = list.iter().take(first);
            first
                .filter(|wrong| planted(answers.samples[wrong.at]))
                .count()
        };
        let figures = [26, 52, list.len()].map(found);
        assert!(
            figures[0] >= 18 && figures[1] >= 24 && figures[2] == 26,
            "{figures:?}"
        );
        assert!(list.len() < 260, "{}", list.len());
    }

    #[test]
    fn copies_are_in_one_fold_and_every_fold_has_its_share() {
        let data = Dataset::open("digits", &OpenOptions::default()).unwrap();
        let of = |index: usize| One::of(index, &data.train[index], index % 3);
        // Every picture stands there twice.
        let all = (0..120).map(|index| (index / 6, of(index))).collect();
        let crowd = Crowd::divided(all, 3);
        assert_eq!(crowd.ends.last(), Some(&120));
        let mut start = 0;
        let mut fold_of = vec![0; 120];
        for (fold, end) in crowd.ends.iter().enumerate() {
            assert!((6..=18).contains(&(end - start)), "{:?}", crowd.ends);
            for one in &crowd.pictures[start..*end] {
                fold_of[one.index] = fold;
            }
            start = *end;
        }
        assert!(
            fold_of
                .chunks(6)
                .all(|set| set.iter().all(|fold| *fold == set[0]))
        );
        let alone = (0..40).map(|at| (at, One::of(at, &data.train[at], 0)));
        let alone = Crowd::divided(alone.collect(), 1).enough().unwrap_err();
        assert!(alone.what.contains("one class"), "{alone}");
        let mut few = Crowd::divided((0..5).map(|at| (at, of(at))).collect(), 3);
        assert!(
            few.keep(&[0, 1, 2, 3, 4])
                .unwrap_err()
                .what
                .contains("too few")
        );
    }
}
