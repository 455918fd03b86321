//! Checks whether two runs have equal tasks, so that their results can be compared, and describes the differences.

use std::collections::BTreeSet;

use crate::problem::listed;
use crate::run::event::RunHeader;
use crate::tr;

/// Maximum number of classes named.
const NAMED: usize = 6;

/// Returns the classes of a run's first task as a set.
fn set(header: &RunHeader) -> BTreeSet<&String> {
    header.class_names(0).iter().collect()
}

/// Returns all classes of a run in alphabetical order.
pub(super) fn sorted_classes(header: &RunHeader) -> Vec<String> {
    let mut names = header.class_order.clone();
    names.sort();
    names
}

/// Returns why the results of these runs cannot be compared, in words: other data, other classes in the first task,
/// other test images. Empty if their tasks are equal.
pub fn unlike(one: &RunHeader, other: &RunHeader) -> Vec<String> {
    let mut differs = Vec::new();
    let (mine, theirs) = (&one.config.data, &other.config.data);
    let images = one.images.as_ref().zip(other.images.as_ref());
    let images = images.filter(|(one, other)| one.kind == other.kind);
    // The same images can be at different paths.
    let same_pictures = images.map(|(one, other)| one.test == other.test);
    if mine != theirs && same_pictures != Some(true) {
        return vec![tr!("compare-other-data", data = theirs.as_str())];
    }
    if set(one) != set(other) {
        let names = listed(other.class_names(0), NAMED);
        differs.push(tr!("compare-first-task", names));
    }
    // If the classes differ, other test images are expected and not reported.
    if same_pictures == Some(false) && sorted_classes(one) == sorted_classes(other) {
        differs.push(tr!("compare-other-test-images").into());
    } else if one.config.measured_on() != other.config.measured_on() {
        differs.push(tr!("compare-measured-on", on = other.config.measured_on()));
    }
    differs
}
