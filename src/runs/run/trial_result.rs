//! The result of trying methods on a dataset.

use serde::{Deserialize, Serialize};

use super::config::RunConfig;
use crate::message;
use crate::metrics::{Paired, SIGNIFICANCE, corrected_p_value};
use crate::problem::Problem;
use crate::texts::Words;

/// The result of one method, evaluated on images held out of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedMethod {
    /// Its key in the settings.
    pub method: String,
    /// The display name.
    pub title: String,
    /// The settings of a complete run with this method: all images, all epochs, and measured on the test images.
    pub config: RunConfig,
    /// Accuracy on all classes after the last task, in percent; `None` if the method did not finish.
    pub right: Option<f64>,
    /// Forgetting in percentage points; `None` after a single task.
    pub forgotten: Option<f64>,
    /// Two-sided p-value of McNemar's test between the predictions of this method and of the best one for the same
    /// images, corrected for all pairs of methods. `None` for the best method and for methods that did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Seconds that the trial of this method took, from the first reading of the images.
    pub seconds: f64,
    /// Estimated peak memory of training with these settings, in bytes, if backbones are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Why the method did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The loss of every step, if it is plotted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<f32>,
}

/// The result of trying methods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The name of the dataset.
    pub data: String,
    /// Number of training images of each method.
    pub train_images: usize,
    /// Number of images held out of training on which methods were evaluated; no test image is among them.
    pub judged_images: usize,
    /// What was reduced compared with a complete run to save time, in sentences.
    pub bounds: Vec<Words>,
    /// The method or backbone of the settings first, then the others.
    pub methods: Vec<TriedMethod>,
    /// Seconds of the whole trial.
    pub seconds: f64,
}

impl Trial {
    /// Returns the index of the best method: the one with the highest accuracy, then the least forgetting, then the
    /// shortest time. `None` if no method finished.
    pub fn best(&self) -> Option<usize> {
        let finished = self.methods.iter().enumerate();
        let finished = finished.filter_map(|(index, method)| Some((index, method.right?, method)));
        let best = finished.min_by(|(_, a, method_a), (_, b, method_b)| {
            let forgotten = |method: &TriedMethod| method.forgotten.unwrap_or(0.0);
            b.total_cmp(a)
                .then(forgotten(method_a).total_cmp(&forgotten(method_b)))
                .then(method_a.seconds.total_cmp(&method_b.seconds))
        });
        best.map(|(index, ..)| index)
    }

    /// Sets the p-value of each method against the best one. `paired` compares the predictions of two methods, given by
    /// their indices, for the same images; `None` if their images differ.
    pub fn compare(&mut self, paired: impl Fn(usize, usize) -> Option<Paired>) {
        let Some(best) = self.best() else { return };
        let finished_count = self.methods.iter().filter(|method| method.right.is_some()).count();
        for (index, method) in self.methods.iter_mut().enumerate() {
            let pair = (index != best && method.right.is_some()).then(|| paired(best, index));
            method.p = pair.flatten().map(|pair| corrected_p_value(pair.p_value(), finished_count));
        }
    }

    /// Returns the indices of the methods whose difference from the best one is not significant, without the best one.
    pub fn tied_with_best(&self) -> Vec<usize> {
        let best = self.best();
        let is_tied = |(index, method): &(usize, &TriedMethod)| {
            let by_chance = method.p.is_none_or(|p| p > SIGNIFICANCE);
            Some(*index) != best && method.right.is_some() && by_chance
        };
        let tied = self.methods.iter().enumerate().filter(is_tied);
        tied.map(|(index, _)| index).collect()
    }

    /// Returns the result in sentences: how methods were evaluated, what was left out, which is best, and how certain
    /// that is.
    pub fn sentences(&self) -> Vec<Words> {
        let judged = message!(
            "trial-judged",
            n = self.train_images,
            judged = self.judged_images,
            one = 100.0 / self.judged_images.max(1) as f64
        );
        let mut sentences = vec![judged.into()];
        sentences.extend(self.bounds.iter().cloned());
        let title = |index: usize| self.methods[index].title.as_str();
        match self.best() {
            None => sentences.push(message!("trial-none-finished").into()),
            Some(best) => {
                let tied: Vec<&str> = self.tied_with_best().into_iter().map(title).collect();
                let best = title(best);
                sentences.push(match tied.as_slice() {
                    [] => message!("trial-best-method", title = best).into(),
                    tied => message!("trial-no-clear-best", title = best, others = tied.join(", "))
                        .into(),
                });
            }
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tr;

    fn trial(rights: &[Option<f64>], judged_images: usize) -> Trial {
        let tried_method = |(index, right): (usize, &Option<f64>)| TriedMethod {
            method: index.to_string(),
            title: format!("M{index}"),
            config: RunConfig::default(),
            right: *right,
            forgotten: Some(index as f64),
            p: None,
            seconds: 1.0,
            memory: None,
            problem: None,
            losses: Vec::new(),
        };
        Trial {
            data: "digits".into(),
            train_images: 100,
            judged_images,
            bounds: Vec::new(),
            methods: rights.iter().enumerate().map(tried_method).collect(),
            seconds: 4.0,
        }
    }

    #[test]
    fn best_has_highest_accuracy_then_least_forgetting() {
        let best = |rights: &[Option<f64>]| trial(rights, 1000).best();
        assert_eq!(best(&[Some(60.0), Some(90.0), None]), Some(1));
        assert_eq!(best(&[Some(60.0), Some(90.0), Some(90.0)]), Some(1));
        assert_eq!(best(&[None, None]), None);
    }

    #[test]
    fn few_images_do_not_separate_methods() {
        let rights = [Some(90.0), Some(84.0), Some(20.0), None];
        // The smallest number of images that only one of the two can answer correctly at these accuracies.
        let compared = |images: usize| {
            let mut trial = trial(&rights, images);
            trial.compare(|best, other| {
                assert_eq!(best, 0);
                let first = match other {
                    1 => images * 6 / 100,
                    2 => images * 70 / 100,
                    _ => panic!("{other} did not finish"),
                };
                Some(Paired { images, first, second: 0 })
            });
            trial
        };
        let few = compared(50);
        assert_eq!(few.tied_with_best(), [1]);
        // 2 · 2⁻³, times three pairs of methods.
        let p: Vec<Option<f64>> = few.methods.iter().map(|method| method.p).collect();
        assert_eq!((p[0], p[3]), (None, None));
        assert!(p[1].is_some_and(|p| (p - 0.75).abs() < 1e-9));
        assert!(p[2].is_some_and(|p| p < 1e-9));
        assert!(compared(5000).tied_with_best().is_empty());
        // Methods with different images are not compared.
        assert_eq!(trial(&rights, 5000).tied_with_best(), [1, 2]);
        let sentences = few.sentences();
        assert_eq!(sentences[0], &*tr!("trial-judged", n = 100, judged = 50, one = 2.0));
        assert_eq!(sentences[1], &*tr!("trial-no-clear-best", title = "M0", others = "M1"));
    }
}
