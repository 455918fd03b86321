//! Moves classes between tasks by hand, and converts the result into settings.

use super::sizes::ranges_of;
use super::{ClassOrder, Scenario, TaskSizes};

impl Scenario {
    /// Returns the scenario with the class at `position` moved to `task`, before the class with index `place` there, or
    /// at the end if there is none. A `task` beyond the last one creates a new task. A task without classes is removed.
    pub fn moved(&self, position: usize, task: usize, place: usize) -> Self {
        let mut groups: Vec<Vec<usize>> = self
            .tasks
            .iter()
            .map(|range| self.class_order[range.clone()].to_vec())
            .collect();
        let Some(from) = self.task_of(position) else {
            return self.clone();
        };
        let before = position - self.tasks[from].start;
        let class = groups[from].remove(before);
        if task >= groups.len() {
            groups.push(vec![class]);
        } else {
            // Removing the class moves those after it one place forward.
            let shifted = usize::from(task == from && before < place);
            let group = &mut groups[task];
            group.insert((place - shifted).min(group.len()), class);
        }
        groups.retain(|group| !group.is_empty());
        let sizes = groups.iter().map(Vec::len);
        Self::of(groups.concat(), ranges_of(sizes))
    }

    /// Returns the values of `--order` and `--classes-per-task` for this scenario.
    pub fn as_settings(&self) -> (String, String) {
        let sizes: Vec<usize> = self.tasks.iter().map(ExactSizeIterator::len).collect();
        let first = sizes.first().copied().unwrap_or(1);
        let (last, others) = sizes.split_last().unwrap_or((&first, &[]));
        let even = others.iter().all(|&size| size == first) && *last <= first;
        let sizes = if even {
            TaskSizes::Every(first)
        } else {
            TaskSizes::Each(sizes)
        };
        (ClassOrder::written(&self.class_order), sizes.to_string())
    }
}
