//! The main findings about a run: the classes that it never or rarely recognises, and the classes they are confused
//! with.

use std::collections::HashMap;

use crate::metrics::ClassCounts;
use crate::run::event::{RunHeader, TaskReport};
use crate::tr;

/// A class with a lower accuracy than this is rarely recognised.
const RARE_ACCURACY: f64 = 0.25;
/// Minimum number of test images of a class for a finding.
const MIN_TEST_IMAGES: u32 = 2;
/// Maximum number of classes named in a sentence.
const MAX_NAMED_CLASSES: usize = 4;

/// A class that is never or rarely recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedClass {
    /// Its position in the run's class order.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// Number of its test images classified correctly.
    pub correct: u32,
    /// Number of its test images.
    pub images: u32,
    /// The class that most of its other images are confused with, and the number of these images.
    pub confused_with: (String, u32),
}

impl MissedClass {
    /// Returns a summary such as "heron: 0 of 11, 9 taken for egret".
    pub fn summary(&self) -> String {
        let (confused_with, count) = &self.confused_with;
        tr!(
            "session-class-confused",
            name = self.name.as_str(),
            right = self.correct,
            of = self.images,
            times = *count,
            taken_for = confused_with.as_str()
        )
    }
}

/// Returns the classes that a run never or rarely recognises after its last task, sorted by accuracy, then by the
/// number of test images. If a run is inaccurate for all classes, only classes that are inaccurate compared to the
/// others count as rarely recognised.
pub fn missed_classes(header: &RunHeader, reports: &[TaskReport]) -> Vec<MissedClass> {
    let Some(report) = reports.last() else {
        return Vec::new();
    };
    let classes = header.tasks.get(report.task).map_or(0, |task| task.end);
    let expert = header.answering_expert();
    let counts = ClassCounts::new(&report.answers, expert, classes);
    let threshold = RARE_ACCURACY.min(counts.balanced_accuracy().unwrap_or_default() / 2.0);
    let confusion = report.answers.confusion(expert, classes);
    let mut confusions = HashMap::new();
    for (class, other, times) in confusion.most_confused(usize::MAX) {
        confusions.entry(class).or_insert((other, times));
    }
    let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
    let finding = |(class, share): (usize, Option<f64>)| {
        let (correct, images) = (counts.right[class], counts.images[class]);
        let is_poor = share.is_some_and(|share| share == 0.0 || share < threshold);
        let &(other, times) =
            confusions.get(&class).filter(|_| is_poor && images >= MIN_TEST_IMAGES)?;
        Some(MissedClass {
            class,
            name: name(class),
            correct,
            images,
            confused_with: (name(other), times),
        })
    };
    let mut missed: Vec<MissedClass> =
        counts.accuracies().enumerate().filter_map(finding).collect();
    missed.sort_by_key(|class| (class.correct * 100 / class.images, u32::MAX - class.images));
    missed
}

/// Returns a headline such as "2 of 8 classes are never recognised" and the list of these classes; `None` if there are
/// none.
pub fn summarise(missed: &[MissedClass], classes: usize) -> Option<(String, String)> {
    let never = missed.iter().filter(|class| class.correct == 0).count();
    let (id, number) = match (missed.len(), never) {
        (0, _) => return None,
        (_, 0) => ("session-classes-rarely-correct", missed.len()),
        (_, never) => ("session-classes-never-predicted", never),
    };
    let headline = tr!(id, n = number, of = classes);
    let summaries: Vec<String> =
        missed.iter().take(MAX_NAMED_CLASSES).map(MissedClass::summary).collect();
    let more = match missed.len().saturating_sub(MAX_NAMED_CLASSES) {
        0 => String::new(),
        more => format!(" {}", tr!("session-classes-more", n = more)),
    };
    Some((headline, format!("{}.{more}", summaries.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed_class(name: &str, correct: u32, images: u32) -> MissedClass {
        MissedClass {
            class: 0,
            name: name.into(),
            correct,
            images,
            confused_with: ("egret".into(), images - correct),
        }
    }

    #[test]
    fn never_recognised_classes_come_first_with_their_confusions() {
        let missed = [missed_class("heron", 0, 11), missed_class("wren", 1, 12)];
        let (head, text) = summarise(&missed, 8).unwrap_or_default();
        assert_eq!(head, tr!("session-classes-never-predicted", n = 1, of = 8));
        let summary = |name: &str, right: u32, of: u32| {
            let id = "session-class-confused";
            tr!(id, name, right, of, times = 11, taken_for = "egret")
        };
        let [heron, wren] = [summary("heron", 0, 11), summary("wren", 1, 12)];
        assert_eq!(text, format!("{heron}; {wren}."));
        let (head, _) = summarise(&missed[1..], 8).unwrap_or_default();
        assert_eq!(head, tr!("session-classes-rarely-correct", n = 1, of = 8));
        assert_eq!(summarise(&[], 8), None);
        let many: Vec<MissedClass> = (0..7).map(|_| missed_class("heron", 0, 3)).collect();
        let (head, text) = summarise(&many, 100).unwrap_or_default();
        assert_eq!(head, tr!("session-classes-never-predicted", n = 7, of = 100));
        assert!(text.ends_with(&tr!("session-classes-more", n = 3)), "{text}");
    }
}
