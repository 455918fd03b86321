//! Whether two runs have equal tasks, so that their figures can be held against each other; else what differs.

use std::collections::BTreeSet;

use crate::problem::listed;
use crate::run::event::RunHeader;

/// Classes that are named at most.
const NAMED: usize = 6;

/// The classes of a run's first task.
fn first(header: &RunHeader) -> &[String] {
    let range = header.tasks.first().cloned().unwrap_or_default();
    header.class_order.get(range).unwrap_or_default()
}

/// What keeps these runs from being held against each other, in words: the data, the classes of the first task, the test
/// pictures. Nothing where their tasks are equal.
pub fn unlike(one: &RunHeader, other: &RunHeader) -> Vec<String> {
    let mut differs = Vec::new();
    let (mine, theirs) = (&one.config.data, &other.config.data);
    let images = one.images.as_ref().zip(other.images.as_ref());
    let images = images.filter(|(one, other)| one.kind == other.kind);
    // The same pictures may lie elsewhere.
    let same_pictures = images.map(|(one, other)| one.test == other.test);
    if mine != theirs && same_pictures != Some(true) {
        return vec![format!("other data ({theirs})")];
    }
    let set = |header| first(header).iter().collect::<BTreeSet<&String>>();
    if set(one) != set(other) {
        let names = listed(first(other), NAMED);
        differs.push(format!("task 1 is {names}"));
    }
    let sorted = |header: &RunHeader| {
        let mut names = header.class_order.clone();
        names.sort();
        names
    };
    // Of more classes, there are more test pictures: which ones, is told by the classes.
    if same_pictures == Some(false) && sorted(one) == sorted(other) {
        differs.push("other test pictures".into());
    } else if one.config.measured_on() != other.config.measured_on() {
        differs.push(format!("measured on {}", other.config.measured_on()));
    }
    differs
}
