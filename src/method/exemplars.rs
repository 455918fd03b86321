//! Exemplars: training images of earlier tasks that a method stores, selected by herding (Rebuffi et al., iCaRL, CVPR
//! 2017, Algorithms 4 and 5) with one budget for all classes.

use std::collections::BTreeMap;

use super::CancelToken;
use super::state::State;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, NamedTensors, get_tensor};

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
    items: Vec<Exemplar>,
    /// The class of each.
    classes: Vec<usize>,
}

impl Exemplars {
    /// Returns all exemplars, sorted by class.
    pub fn as_slice(&self) -> &[Exemplar] {
        &self.items
    }

    /// Keeps the exemplars for whose index `keep` returns true. The images of the others are not readable.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut indices = 0..;
        self.items.retain(|_| indices.next().is_some_and(&keep));
        let mut indices = 0..;
        self.classes.retain(|_| indices.next().is_some_and(&keep));
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
    /// classes. Keeps the first exemplars of each class. `old_features` are those of all earlier exemplars, in order.
    /// Returns the features of the exemplars of each class.
    ///
    /// # Errors
    /// Returns a Problem if `cancel_token` cancelled it; the exemplars are then unchanged.
    pub fn update(
        &mut self,
        task: usize,
        old_features: &[Vec<f32>],
        new_images: &BTreeMap<usize, Vec<(usize, Vec<f32>)>>,
        budget: usize,
        cancel_token: &mut CancelToken<'_>,
    ) -> Result<BTreeMap<usize, Vec<Vec<f32>>>> {
        let mut sizes = self.sizes();
        for (class, images) in new_images {
            *sizes.entry(*class).or_default() += images.len();
        }
        let quotas = quotas(budget, &sizes.values().copied().collect::<Vec<_>>());
        let mut renewed = Self::default();
        let mut features = BTreeMap::new();
        for (done, (&class, quota)) in sizes.keys().zip(quotas).enumerate() {
            cancel_token.report(done, sizes.len())?;
            let old = self.items.iter().zip(&self.classes).zip(old_features);
            let old = old.filter(|((_, exemplar_class), _)| **exemplar_class == class);
            let mut chosen: Vec<_> =
                old.map(|((exemplar, _), row)| (*exemplar, row.clone())).collect();
            let images = new_images.get(&class).map_or(&[][..], Vec::as_slice);
            let rows: Vec<&[f32]> = images.iter().map(|(_, row)| row.as_slice()).collect();
            let free_slots = quota.saturating_sub(chosen.len());
            for index in herd(&rows, free_slots) {
                let (image, row) = &images[index];
                let image = *image;
                chosen.push((Exemplar { task, image }, row.clone()));
            }
            chosen.truncate(quota);
            for (exemplar, row) in chosen {
                renewed.items.push(exemplar);
                renewed.classes.push(class);
                features.entry(class).or_insert_with(Vec::new).push(row);
            }
        }
        *self = renewed;
        Ok(features)
    }

    /// Writes or reads the tensor `exemplars`: a row for each, with class, task and image.
    pub fn sync_state(&mut self, state: &mut State<'_>) -> Result<()> {
        let write = |exemplars: &Self, tensors: &mut NamedTensors| {
            let rows = exemplars.items.iter().zip(&exemplars.classes);
            let values = rows.flat_map(|(exemplar, class)| [*class, exemplar.task, exemplar.image]);
            let values: Vec<f32> = values.map(|number| number as f32).collect();
            let shape = vec![exemplars.items.len(), 3];
            tensors.insert("exemplars".into(), HostTensor { shape, values });
            Ok(())
        };
        state.sync_part(self, write, |_, stored| Self::read(stored.tensors))
    }

    fn read(tensors: &NamedTensors) -> Result<Self> {
        let table = get_tensor(tensors, "exemplars")?;
        let is_index = |value: &f32| value.fract() == 0.0 && *value >= 0.0;
        if !table.values.iter().all(is_index) || !table.values.len().is_multiple_of(3) {
            return Err(Problem::new("the table of exemplars has incomplete rows"));
        }
        let mut exemplars = Self::default();
        for row in table.values.chunks_exact(3) {
            let [class, task, image] = [row[0], row[1], row[2]].map(|value| value as usize);
            exemplars.items.push(Exemplar { task, image });
            exemplars.classes.push(class);
        }
        Ok(exemplars)
    }
}

/// Divides a budget among classes with these numbers of images. All classes get equal shares; small classes leave their
/// unused share to others, and the first classes get the remainder. More classes never increase a share.
fn quotas(budget: usize, sizes: &[usize]) -> Vec<usize> {
    let capped_sizes = |level: usize| sizes.iter().map(move |size| *size.min(&level));
    let largest = sizes.iter().copied().max().unwrap_or_default();
    // Binary search for the highest share per class that the budget allows.
    let (mut low, mut high) = (0, largest);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match capped_sizes(middle).sum::<usize>() <= budget {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    let mut quotas: Vec<usize> = capped_sizes(low).collect();
    let mut remaining = budget.saturating_sub(quotas.iter().sum());
    for (quota, size) in quotas.iter_mut().zip(sizes) {
        if remaining > 0 && *quota < *size {
            *quota += 1;
            remaining -= 1;
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
fn herd(rows: &[&[f32]], count: usize) -> Vec<usize> {
    let mean = mean(rows);
    let mut sum = vec![0f64; mean.len()];
    let (mut order, mut is_taken) = (Vec::new(), vec![false; rows.len()]);
    while order.len() < count.min(rows.len()) {
        let count_so_far = (order.len() + 1) as f64;
        let distance = |row: &[f32]| -> f64 {
            let coordinates = mean.iter().zip(&sum).zip(row);
            coordinates
                .map(|((mean, sum), value)| {
                    (mean - (sum + f64::from(*value)) / count_so_far).powi(2)
                })
                .sum()
        };
        let candidates = (0..rows.len()).filter(|index| !is_taken[*index]);
        let nearest = candidates.map(|index| (index, distance(rows[index])));
        let Some((index, _)) = nearest.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        for (sum, value) in sum.iter_mut().zip(rows[index]) {
            *sum += f64::from(*value);
        }
        order.push(index);
        is_taken[index] = true;
    }
    order
}

#[cfg(test)]
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
        let mut previous = Vec::new();
        for classes in 1..40 {
            let sizes: Vec<usize> = (0..classes).map(|class| 3 + class * 7 % 11).collect();
            let current = quotas(50, &sizes);
            assert_eq!(current.iter().sum::<usize>(), 50.min(sizes.iter().sum()));
            let pairs = previous.iter().zip(&current);
            assert!(pairs.clone().all(|(before, now)| now <= before), "{classes}");
            previous = current;
        }
    }

    #[test]
    fn herding_approximates_class_mean() {
        let rows: [&[f32]; 4] = [&[0.0, 1.0], &[1.0, 0.0], &[0.6, 0.6], &[0.0, 0.9]];
        // The mean is (0.4, 0.625): the third row is nearest; with it, the last one gives the nearest mean of two.
        assert_eq!(herd(&rows, 2), [2, 3]);
        assert_eq!(herd(&rows, 9).len(), 4);
        assert!(herd(&[], 3).is_empty());
    }

    #[test]
    fn update_drops_last_exemplars_and_state_roundtrips() {
        let number_rows = |first: usize, rows: &[f32]| {
            let each = rows.iter().enumerate();
            each.map(|(index, value)| (first + index, vec![*value])).collect::<Vec<_>>()
        };
        let mut exemplars = Exemplars::default();
        let first = BTreeMap::from([
            (0, number_rows(0, &[0.0, 1.0, 0.5])),
            (1, number_rows(3, &[2.0, 2.1])),
        ]);
        let token = &mut CancelToken::never();
        let features = exemplars.update(0, &[], &first, 4, token).unwrap();
        assert_eq!(exemplars.classes, [0, 0, 1, 1]);
        assert_eq!(features[&0][0], [0.5]);
        let old_features: Vec<Vec<f32>> = features.into_values().flatten().collect();
        let old = exemplars.as_slice().to_vec();
        let second = BTreeMap::from([(2, number_rows(0, &[7.0, 7.0]))]);
        let mut stop = |_: usize, _: usize| false;
        let stopped = &mut CancelToken::with_callback(&mut stop);
        assert!(exemplars.update(1, &old_features, &second, 4, stopped).is_err());
        assert_eq!(exemplars.as_slice(), old);
        let features = exemplars.update(1, &old_features, &second, 4, token).unwrap();
        assert_eq!(exemplars.classes, [0, 0, 1, 2]);
        assert_eq!(exemplars.as_slice()[..3], old[..3]);
        assert_eq!(exemplars.as_slice()[3], Exemplar { task: 1, image: 0 });
        assert_eq!(features[&1].len(), 1);
        let mut tensors = NamedTensors::new();
        exemplars.sync_state(&mut State::Snapshot(&mut tensors)).unwrap();
        assert_eq!(Exemplars::read(&tensors).unwrap(), exemplars);
        tensors.get_mut("exemplars").unwrap().values[0] = 0.5;
        assert!(Exemplars::read(&tensors).is_err());
    }
}
