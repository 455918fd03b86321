//! Checks whether two runs have equal tasks, so that their results can be compared, and describes the differences.

use std::collections::BTreeSet;

use crate::problem::join_some;
use crate::run::event::RunHeader;
use crate::tr;

/// Maximum number of classes named.
const MAX_NAMED_CLASSES: usize = 6;

/// Returns the classes of a run's first task as a set.
fn first_task_classes(header: &RunHeader) -> BTreeSet<&String> {
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
pub fn comparison_obstacles(header: &RunHeader, other: &RunHeader) -> Vec<String> {
    let mut obstacles = Vec::new();
    let (data, other_data) = (&header.config.data, &other.config.data);
    let images = header.images.as_ref().zip(other.images.as_ref());
    let images = images.filter(|(one, other)| one.kind == other.kind);
    // The same images can be at different paths.
    let same_test_images = images.map(|(one, other)| one.test == other.test);
    if data != other_data && same_test_images != Some(true) {
        return vec![tr!("compare-other-data", data = other_data.as_str())];
    }
    if first_task_classes(header) != first_task_classes(other) {
        let names = join_some(other.class_names(0), MAX_NAMED_CLASSES);
        obstacles.push(tr!("compare-first-task", names));
    }
    // If the classes differ, other test images are expected and not reported.
    if same_test_images == Some(false) && sorted_classes(header) == sorted_classes(other) {
        obstacles.push(tr!("compare-other-test-images").into());
    } else if header.config.evaluation_split() != other.config.evaluation_split() {
        obstacles.push(tr!("compare-measured-on", on = other.config.evaluation_split()));
    }
    obstacles
}
