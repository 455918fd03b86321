//! The main findings about a run: the classes that it never or rarely recognises, and the classes they are confused
//! with.

use std::collections::HashMap;

use crate::metrics::ClassCounts;
use crate::run::event::{RunHeader, TaskReport};
use crate::tr;

/// A class with a lower accuracy than this is rarely recognised.
const RARELY: f64 = 0.25;
/// Minimum number of test images of a class for a finding.
const FEWEST: u32 = 2;
/// Maximum number of classes named in a sentence.
const TOLD: usize = 4;

/// A class that is never or rarely recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedClass {
    /// Its position in the run's class order.
    pub class: usize,
    /// Its name.
    pub name: String,
    /// Number of its test images classified correctly.
    pub right: u32,
    /// Number of its test images.
    pub of: u32,
    /// The class that most of its other images are confused with, and the number of these images.
    pub taken_for: (String, u32),
}

impl MissedClass {
    /// Returns a summary such as "heron: 0 of 11, 9 taken for egret".
    pub fn told(&self) -> String {
        let (taken_for, times) = &self.taken_for;
        tr!(
            "story-class-confused",
            name = self.name.as_str(),
            right = self.right,
            of = self.of,
            times = *times,
            taken_for = taken_for.as_str()
        )
    }
}

/// Returns the classes that a run never or rarely recognises after its last task, sorted by accuracy, then by the
/// number of test images. If a run is inaccurate for all classes, only classes that are inaccurate compared to the
/// others count as rarely recognised.
pub fn missed(header: &RunHeader, reports: &[TaskReport]) -> Vec<MissedClass> {
    let Some(report) = reports.last() else {
        return Vec::new();
    };
    let classes = header.tasks.get(report.task).map_or(0, |task| task.end);
    let expert = header.answering();
    let counts = ClassCounts::of(&report.answers, expert, classes);
    let rarely = RARELY.min(counts.balanced().unwrap_or_default() / 2.0);
    let confusion = report.answers.confusion(expert, classes);
    let mut taken_for = HashMap::new();
    for (class, other, times) in confusion.most_confused(usize::MAX) {
        taken_for.entry(class).or_insert((other, times));
    }
    let name = |class: usize| header.class_order.get(class).cloned().unwrap_or_default();
    let one = |(class, share): (usize, Option<f64>)| {
        let (right, of) = (counts.right[class], counts.images[class]);
        let poor = share.is_some_and(|share| share == 0.0 || share < rarely);
        let &(other, times) = taken_for.get(&class).filter(|_| poor && of >= FEWEST)?;
        Some(MissedClass {
            class,
            name: name(class),
            right,
            of,
            taken_for: (name(other), times),
        })
    };
    let mut missed: Vec<MissedClass> = counts.accuracies().enumerate().filter_map(one).collect();
    missed.sort_by_key(|one| (one.right * 100 / one.of, u32::MAX - one.of));
    missed
}

/// Returns a headline such as "2 of 8 classes are never recognised" and the list of these classes; `None` if there are
/// none.
pub fn told(missed: &[MissedClass], classes: usize) -> Option<(String, String)> {
    let never = missed.iter().filter(|one| one.right == 0).count();
    let (id, number) = match (missed.len(), never) {
        (0, _) => return None,
        (_, 0) => ("story-classes-rarely-correct", missed.len()),
        (_, never) => ("story-classes-never-predicted", never),
    };
    let head = tr!(id, n = number, of = classes);
    let each: Vec<String> = missed.iter().take(TOLD).map(MissedClass::told).collect();
    let more = match missed.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" {}", tr!("story-classes-more", n = more)),
    };
    Some((head, format!("{}.{more}", each.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, right: u32, of: u32) -> MissedClass {
        MissedClass {
            class: 0,
            name: name.into(),
            right,
            of,
            taken_for: ("egret".into(), of - right),
        }
    }

    #[test]
    fn what_is_never_recognised_is_said_first_with_what_it_was_taken_for() {
        let missed = [one("heron", 0, 11), one("wren", 1, 12)];
        let (head, text) = told(&missed, 8).unwrap_or_default();
        assert_eq!(head, tr!("story-classes-never-predicted", n = 1, of = 8));
        let each = |name: &str, right: u32, of: u32| {
            let id = "story-class-confused";
            tr!(id, name, right, of, times = 11, taken_for = "egret")
        };
        let [heron, wren] = [each("heron", 0, 11), each("wren", 1, 12)];
        assert_eq!(text, format!("{heron}; {wren}."));
        let (head, _) = told(&missed[1..], 8).unwrap_or_default();
        assert_eq!(head, tr!("story-classes-rarely-correct", n = 1, of = 8));
        assert_eq!(told(&[], 8), None);
        let many: Vec<MissedClass> = (0..7).map(|_| one("heron", 0, 3)).collect();
        let (head, text) = told(&many, 100).unwrap_or_default();
        assert_eq!(head, tr!("story-classes-never-predicted", n = 7, of = 100));
        assert!(text.ends_with(&tr!("story-classes-more", n = 3)), "{text}");
    }
}
