//! Moves classes between tasks by hand, and converts the result into settings.

use super::sizes::consecutive_ranges;
use super::{ClassOrder, Scenario, TaskSizes};

impl Scenario {
    /// Returns the scenario with the class at `position` moved to `task`, before the class with index `index` there, or
    /// at the end if there is none. A `task` beyond the last one creates a new task. A task without classes is removed.
    pub fn with_moved_class(&self, position: usize, task: usize, index: usize) -> Self {
        let mut groups: Vec<Vec<usize>> =
            self.tasks.iter().map(|range| self.class_order[range.clone()].to_vec()).collect();
        let Some(source_task) = self.task_at(position) else {
            return self.clone();
        };
        let offset = position - self.tasks[source_task].start;
        let class = groups[source_task].remove(offset);
        if task >= groups.len() {
            groups.push(vec![class]);
        } else {
            // Removing the class moves those after it one place forward.
            let shifted = usize::from(task == source_task && offset < index);
            let group = &mut groups[task];
            group.insert((index - shifted).min(group.len()), class);
        }
        groups.retain(|group| !group.is_empty());
        let sizes = groups.iter().map(Vec::len);
        Self::from_parts(groups.concat(), consecutive_ranges(sizes))
    }

    /// Returns the values of `--order` and `--classes-per-task` for this scenario.
    pub fn to_settings(&self) -> (String, String) {
        let sizes: Vec<usize> = self.tasks.iter().map(ExactSizeIterator::len).collect();
        let first = sizes.first().copied().unwrap_or(1);
        let (last, others) = sizes.split_last().unwrap_or((&first, &[]));
        let even = others.iter().all(|&size| size == first) && *last <= first;
        let sizes = if even { TaskSizes::Every(first) } else { TaskSizes::Each(sizes) };
        (ClassOrder::format_indices_or_natural(&self.class_order), sizes.to_string())
    }
}
