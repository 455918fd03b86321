//! Tasks of a single class, from which a loss over the task's own classes learns nothing.
//!
//! Local cross-entropy uses the softmax over the classes of the current task. Over a single class the softmax is always
//! 1, so the loss and its gradient are 0: the class's weights keep their initial values, and nothing else changes. LAE
//! and the Baseline learn an added task of a single class together with [`EarlierClasses`].

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};

use super::backward::{Backward, cross_entropy, targets};
use super::heads::{Head, Heads};
use super::spec::ConfiguredMethod;
use super::task::PassImages;
use crate::message;
use crate::problem::{Problem, list_value};

/// A warning about tasks of a single class, and suggested task sizes without them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleClassTasks {
    /// The warning: which tasks, and the consequence.
    pub problem: Problem,
    /// Sizes with at least two classes per task, in the syntax of the setting.
    pub sizes: String,
}

/// Returns whether the method learns by gradients from the images of this task (from 0) alone.
pub fn learns_by_gradients(chosen: &ConfiguredMethod<'_>, task: usize) -> bool {
    let passes = chosen.default_passes(task).unwrap_or_default();
    let mut passes = passes.iter();
    passes.any(|pass| pass.source == PassImages::Task && pass.is_learning())
}

/// The earlier classes that an added task of a single class must be distinguished from, represented by prototypes. The
/// PET is frozen in such a task ([`super::passes_for_task`]), so that the prototypes remain valid.
pub(super) struct EarlierClasses {
    /// The heads of these classes, which remain frozen.
    head: Head,
    /// The prototypes (classes × width) in the order of the heads: the mean feature of each class.
    prototypes: Tensor<2>,
}

impl EarlierClasses {
    /// Returns the classes with these mean features, by position; `None` if there are none.
    pub fn new(
        means: impl Iterator<Item = (usize, Vec<f32>)>,
        heads: &Heads,
        device: &Device,
    ) -> Option<Self> {
        let (classes, rows): (Vec<usize>, Vec<Vec<f32>>) = means.unzip();
        let shape = [classes.len(), rows.first()?.len()];
        let head = heads.select_classes(&classes);
        Some(Self {
            // Tracked tensors, so that the logits can be concatenated with those of a tracked head.
            head: Head { weight: head.weight.autodiff(), bias: head.bias.autodiff() },
            prototypes: Tensor::from_data(TensorData::new(rows.concat(), shape), device),
        })
    }

    /// Returns the logits of these classes, followed by the logits of the task's own head.
    fn logits(&self, features: Tensor<2>, task_head: &Head) -> Tensor<2> {
        let earlier = self.head.forward(features.clone());
        Tensor::cat(vec![earlier, task_head.forward(features)], 1)
    }

    /// Returns the number of these classes.
    pub fn count(&self) -> usize {
        self.head.classes()
    }

    /// Computes the cross-entropy over the earlier classes and the task's own class, and runs the backward pass. The
    /// loss is the mean over the classes, where earlier classes are represented by their prototypes and the new class
    /// by the batch. The targets are over all of these classes, the earlier ones first.
    pub fn backward(
        &self,
        features: Tensor<2>,
        batch_targets: Tensor<2>,
        smoothing: f64,
        task_head: &Head,
    ) -> Backward {
        let count = self.count();
        let labels: Vec<usize> = (0..count).collect();
        let [_, classes] = batch_targets.dims();
        let prototype_targets = targets(&labels, classes, smoothing, &self.prototypes.device());
        let batch_loss = cross_entropy(self.logits(features, task_head), batch_targets);
        let prototypes = self.logits(self.prototypes.clone(), task_head);
        let prototype_loss = cross_entropy(prototypes, prototype_targets);
        let sum = batch_loss + prototype_loss * count as f64;
        Backward::from_loss(sum / (count + 1) as f64)
    }
}

/// Returns the tasks of a single class that the method would learn by gradients; `None` if there are none, or if the
/// method uses all classes at once.
pub fn single_class_tasks(
    chosen: &ConfiguredMethod<'_>,
    tasks: &[Range<usize>],
) -> Option<SingleClassTasks> {
    let single_class = tasks.iter().enumerate().filter(|(_, task)| task.len() == 1);
    let numbers: Vec<String> = single_class
        .filter(|(task, _)| learns_by_gradients(chosen, *task))
        .map(|(task, _)| (task + 1).to_string())
        .collect();
    if numbers.is_empty() || tasks.len() < 2 {
        return None;
    }
    let sizes: Vec<String> = merge_single_classes(tasks).iter().map(usize::to_string).collect();
    let sizes = sizes.join(",");
    let problem = Problem::new(match numbers.as_slice() {
        [task] => message!("problem-single-class-task", task = task.as_str()),
        tasks => message!("problem-single-class-tasks", tasks = list_value(tasks, 8)),
    });
    Some(SingleClassTasks {
        problem: problem
            .at("--classes-per-task")
            .advise(message!("advice-two-classes-per-task", sizes = &sizes)),
        sizes,
    })
}

/// Returns task sizes without a 1. Neighbouring single classes are combined; other single classes join the previous
/// task, or the next task if they are the first.
fn merge_single_classes(tasks: &[Range<usize>]) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::new();
    for size in tasks.iter().map(ExactSizeIterator::len) {
        match sizes.last_mut() {
            Some(last) if *last == 1 && size == 1 => *last = 2,
            _ => sizes.push(size),
        }
    }
    while sizes.len() > 1
        && let Some(single) = sizes.iter().position(|size| *size == 1)
    {
        sizes.remove(single);
        sizes[single.saturating_sub(1)] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::RunConfig;
    use lae_base::tr;

    #[test]
    fn single_class_loss_includes_earlier_prototypes() {
        let device = Device::flex();
        let tensor = |values: &[f32], shape: [usize; 2]| {
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), shape), &device)
        };
        let heads = Heads(vec![Head {
            weight: tensor(&[1.0, 9.0, 0.5, -1.0, 9.0, 2.0], [2, 3]),
            bias: tensor(&[0.25, 9.0, 0.0], [1, 3]),
        }]);
        // The class in the middle has no mean feature.
        let means = [(0, vec![1.0, 0.0]), (2, vec![0.0, 1.0])];
        let earlier = EarlierClasses::new(means.into_iter(), &heads, &device).unwrap();
        let task_head = Head { weight: tensor(&[0.5, 1.0], [2, 1]), bias: tensor(&[-0.5], [1, 1]) };
        let task_head = task_head.tracked();
        let features = tensor(&[2.0, 1.0], [1, 2]);
        let targets = targets(&[2], 3, 0.0, &device);
        let backward = earlier.backward(features.clone(), targets, 0.0, &task_head);
        let (loss, gradients) =
            backward.with_gradients(task_head.leaves("head")).unwrap().into_parts();
        // The logits and classes of the image and of both prototypes.
        let rows = [([1.25f32, 3.0, 1.5], 2), ([1.25, 0.5, 0.0], 0), ([-0.75, 2.0, 0.5], 1)];
        let (mut expected_loss, mut expected_gradient) = (0.0, 0.0);
        for (logits, class) in rows {
            let sum: f32 = logits.iter().map(|z| z.exp()).sum();
            expected_loss -= (logits[class].exp() / sum).ln() / 3.0;
            expected_gradient += (logits[2].exp() / sum - if class == 2 { 1.0 } else { 0.0 }) / 3.0;
        }
        assert!((loss.into_scalar::<f32>() - expected_loss).abs() < 1e-5);
        let bias = gradients.get("head.bias").unwrap().clone();
        assert!((bias.into_scalar::<f32>() - expected_gradient).abs() < 1e-5);
        assert!(EarlierClasses::new(std::iter::empty(), &heads, &device).is_none());
    }

    fn consecutive_ranges(sizes: &[usize]) -> Vec<Range<usize>> {
        let mut first = 0;
        let range = |size: &usize| {
            let start = first;
            first += size;
            start..first
        };
        sizes.iter().map(range).collect()
    }

    #[test]
    fn merge_single_classes_leaves_no_single_class() {
        for (sizes, expected) in [
            (&[3, 3, 3, 1][..], &[3, 3, 4][..]),
            (&[1, 1, 1, 1], &[2, 2]),
            (&[1, 1, 1], &[3]),
            (&[1, 4], &[5]),
            (&[2, 1, 2], &[3, 2]),
        ] {
            assert_eq!(merge_single_classes(&consecutive_ranges(sizes)), expected, "{sizes:?}");
        }
    }

    #[test]
    fn single_class_warning_only_affects_gradient_methods() {
        let warning = |method: &str, sizes: &[usize]| {
            let config = RunConfig { method: method.into(), ..RunConfig::default() };
            let chosen = ConfiguredMethod::from_config(&config).ok()?;
            single_class_tasks(&chosen, &consecutive_ranges(sizes))
        };
        let single = warning("lae", &[3, 3, 3, 1]);
        assert!(single.is_some_and(|single| {
            single.sizes == "3,3,4"
                && single.problem.what == tr!("problem-single-class-task", task = 4)
        }));
        assert!(warning("lae", &[5, 5]).is_none() && warning("simplecil", &[3, 1]).is_none());
        // APER learns only in its first session.
        assert!(warning("aper", &[3, 1]).is_none() && warning("aper", &[1, 3]).is_some());
    }
}
