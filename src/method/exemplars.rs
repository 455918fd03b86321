//! Exemplars: training images of earlier tasks that a method stores, selected by herding (Rebuffi et al., iCaRL, CVPR
//! 2017, Algorithms 4 and 5) with one budget for all classes.

use std::collections::BTreeMap;

use super::state::State;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, Named, named};

/// A stored training image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exemplar {
    /// Its task, from 0.
    pub task: usize,
    /// Its index among the training images of that task.
    pub image: usize,
}

/// The exemplars of each class seen, the most representative first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exemplars {
    /// Sorted by class.
    all: Vec<Exemplar>,
    /// The class of each.
    classes: Vec<usize>,
}

impl Exemplars {
    /// Returns all exemplars, sorted by class.
    pub fn all(&self) -> &[Exemplar] {
        &self.all
    }

    /// Keeps the exemplars whose index is `wanted`. The images of the others cannot be read any more.
    pub fn retain(&mut self, wanted: impl Fn(usize) -> bool) {
        let places = |at: &mut usize| {
            *at += 1;
            wanted(*at - 1)
        };
        let (mut one, mut class) = (0, 0);
        self.all.retain(|_| places(&mut one));
        self.classes.retain(|_| places(&mut class));
    }

    /// Returns the number of exemplars of each class.
    fn sizes(&self) -> BTreeMap<usize, usize> {
        let mut sizes = BTreeMap::new();
        for &class in &self.classes {
            *sizes.entry(class).or_default() += 1;
        }
        sizes
    }

    /// Adds images of new classes (features by class, each with its index in the task) within one budget for all
    /// classes. Keeps the first exemplars of each class. `kept` are the features of all earlier exemplars, in order.
    /// Returns the features of the exemplars of each class.
    pub fn renew(
        &mut self,
        task: usize,
        kept: &[Vec<f32>],
        new: &BTreeMap<usize, Vec<(usize, Vec<f32>)>>,
        budget: usize,
    ) -> BTreeMap<usize, Vec<Vec<f32>>> {
        let mut sizes = self.sizes();
        for (class, images) in new {
            *sizes.entry(*class).or_default() += images.len();
        }
        let quotas = quotas(budget, &sizes.values().copied().collect::<Vec<_>>());
        let mut renewed = Self::default();
        let mut features = BTreeMap::new();
        for (&class, quota) in sizes.keys().zip(quotas) {
            let old = self.all.iter().zip(&self.classes).zip(kept);
            let old = old.filter(|((_, of), _)| **of == class);
            let mut chosen: Vec<_> = old.map(|((one, _), row)| (*one, row.clone())).collect();
            let images = new.get(&class).map_or(&[][..], Vec::as_slice);
            let rows: Vec<&[f32]> = images.iter().map(|(_, row)| row.as_slice()).collect();
            let room = quota.saturating_sub(chosen.len());
            for at in herded(&rows, room) {
                let (image, row) = &images[at];
                let image = *image;
                chosen.push((Exemplar { task, image }, row.clone()));
            }
            chosen.truncate(quota);
            for (one, row) in chosen {
                renewed.all.push(one);
                renewed.classes.push(class);
                features.entry(class).or_insert_with(Vec::new).push(row);
            }
        }
        *self = renewed;
        features
    }

    /// Writes or reads the tensor `exemplars`: a row for each, with class, task and image.
    pub fn state(&mut self, state: &mut State<'_>) -> Result<()> {
        let write = |exemplars: &Self, tensors: &mut Named| {
            let rows = exemplars.all.iter().zip(&exemplars.classes);
            let values = rows.flat_map(|(one, class)| [*class, one.task, one.image]);
            let values: Vec<f32> = values.map(|number| number as f32).collect();
            let shape = vec![exemplars.all.len(), 3];
            tensors.insert("exemplars".into(), HostTensor { shape, values });
            Ok(())
        };
        state.part(self, write, |_, stored| Self::read(stored.tensors))
    }

    fn read(from: &Named) -> Result<Self> {
        let stored = named(from, "exemplars")?;
        let whole = |value: &f32| value.fract() == 0.0 && *value >= 0.0;
        if !stored.values.iter().all(whole) || !stored.values.len().is_multiple_of(3) {
            return Err(Problem::new("the table of exemplars has incomplete rows"));
        }
        let mut read = Self::default();
        for row in stored.values.chunks_exact(3) {
            let [class, task, image] = [row[0], row[1], row[2]].map(|value| value as usize);
            read.all.push(Exemplar { task, image });
            read.classes.push(class);
        }
        Ok(read)
    }
}

/// Divides a budget among classes with these numbers of images. All classes get equal shares; small classes leave their
/// unused share to others, and the first classes get the remainder. More classes never increase a share.
fn quotas(budget: usize, sizes: &[usize]) -> Vec<usize> {
    let level = |level: usize| sizes.iter().map(move |size| *size.min(&level));
    let most = sizes.iter().copied().max().unwrap_or_default();
    // Binary search for the highest share per class that the budget allows.
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match level(middle).sum::<usize>() <= budget {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    let mut quotas: Vec<usize> = level(low).collect();
    let mut left = budget.saturating_sub(quotas.iter().sum());
    for (quota, size) in quotas.iter_mut().zip(sizes) {
        if left > 0 && *quota < *size {
            *quota += 1;
            left -= 1;
        }
    }
    quotas
}

/// Returns the mean of rows of equal length; empty for no rows.
pub(super) fn mean(rows: &[impl AsRef<[f32]>]) -> Vec<f64> {
    let mut mean = vec![0f64; rows.first().map_or(0, |row| row.as_ref().len())];
    for row in rows {
        for (mean, value) in mean.iter_mut().zip(row.as_ref()) {
            *mean += f64::from(*value) / rows.len() as f64;
        }
    }
    mean
}

/// Returns the order in which to take rows so that the mean of the rows taken is always as close as possible to the
/// mean of all rows. Among equals the first row wins.
fn herded(rows: &[&[f32]], count: usize) -> Vec<usize> {
    let mean = mean(rows);
    let mut sum = vec![0f64; mean.len()];
    let mut taken = Vec::new();
    while taken.len() < count.min(rows.len()) {
        let now = (taken.len() + 1) as f64;
        let distance = |row: &[f32]| -> f64 {
            let each = mean.iter().zip(&sum).zip(row);
            each.map(|((mean, sum), value)| (mean - (sum + f64::from(*value)) / now).powi(2))
                .sum()
        };
        let free = (0..rows.len()).filter(|at| !taken.contains(at));
        let nearest = free.map(|at| (at, distance(rows[at])));
        let Some((at, _)) = nearest.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        for (sum, value) in sum.iter_mut().zip(rows[at]) {
            *sum += f64::from(*value);
        }
        taken.push(at);
    }
    taken
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_even_and_never_grow_with_classes() {
        assert_eq!(quotas(10, &[9, 9]), [5, 5]);
        assert_eq!(quotas(10, &[9, 9, 9]), [4, 3, 3]);
        assert_eq!(quotas(10, &[2, 9, 9]), [2, 4, 4]);
        assert_eq!(quotas(100, &[2, 9]), [2, 9]);
        assert_eq!(quotas(2, &[5, 5, 5]), [1, 1, 0]);
        assert!(quotas(5, &[]).is_empty());
        let mut before = Vec::new();
        for classes in 1..40 {
            let sizes: Vec<usize> = (0..classes).map(|class| 3 + class * 7 % 11).collect();
            let now = quotas(50, &sizes);
            assert_eq!(now.iter().sum::<usize>(), 50.min(sizes.iter().sum()));
            let pairs = before.iter().zip(&now);
            assert!(
                pairs.clone().all(|(before, now)| now <= before),
                "{classes}"
            );
            before = now;
        }
    }

    #[test]
    fn herding_approximates_class_mean() {
        let rows: [&[f32]; 4] = [&[0.0, 1.0], &[1.0, 0.0], &[0.6, 0.6], &[0.0, 0.9]];
        // The mean is (0.4, 0.625): the third row is nearest; with it, the last one gives the nearest mean of two.
        assert_eq!(herded(&rows, 2), [2, 3]);
        assert_eq!(herded(&rows, 9).len(), 4);
        assert!(herded(&[], 3).is_empty());
    }

    #[test]
    fn renew_drops_last_exemplars_and_state_roundtrips() {
        let numbered = |first: usize, rows: &[f32]| {
            let each = rows.iter().enumerate();
            each.map(|(at, value)| (first + at, vec![*value]))
                .collect::<Vec<_>>()
        };
        let mut kept = Exemplars::default();
        let first = BTreeMap::from([
            (0, numbered(0, &[0.0, 1.0, 0.5])),
            (1, numbered(3, &[2.0, 2.1])),
        ]);
        let features = kept.renew(0, &[], &first, 4);
        assert_eq!(kept.classes, [0, 0, 1, 1]);
        assert_eq!(features[&0][0], [0.5]);
        let before: Vec<Vec<f32>> = features.into_values().flatten().collect();
        let old = kept.all().to_vec();
        let second = BTreeMap::from([(2, numbered(0, &[7.0, 7.0]))]);
        let features = kept.renew(1, &before, &second, 4);
        assert_eq!(kept.classes, [0, 0, 1, 2]);
        assert_eq!(kept.all()[..3], old[..3]);
        assert_eq!(kept.all()[3], Exemplar { task: 1, image: 0 });
        assert_eq!(features[&1].len(), 1);
        let mut file = Named::new();
        kept.state(&mut State::Snapshot(&mut file)).unwrap();
        assert_eq!(Exemplars::read(&file).unwrap(), kept);
        file.get_mut("exemplars").unwrap().values[0] = 0.5;
        assert!(Exemplars::read(&file).is_err());
    }
}
