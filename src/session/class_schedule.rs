//! Whether the classes of a user's own folder are learned in tasks or all at once. The user is asked once per dataset;
//! the answer is stored with the dataset and can be changed.

use super::Session;
use crate::data::{builtin, published};
use crate::experiment::suggested_settings::even_task_sizes;
use crate::method::ConfiguredMethod;
use crate::store;

/// Returns whether a dataset is the user's own, neither built-in nor published.
pub fn is_user_dataset(place: &str) -> bool {
    builtin::names().all(|name| name != place) && published::find_published(place).is_none()
}

impl Session {
    /// Returns whether the current dataset is the user's own and its classes can be split into tasks.
    pub fn can_split_into_tasks(&self) -> bool {
        let view = self.experiment.data.ready();
        let is_splittable = |classes: usize| even_task_sizes(classes) != classes.to_string();
        view.is_some_and(|view| {
            is_user_dataset(&view.location) && is_splittable(view.classes.len())
        })
    }

    /// Returns the user's answer for the current dataset: `true` for all classes at once; `None` if not answered, which
    /// means all at once.
    pub fn all_at_once_answer(&self) -> Option<bool> {
        let view = self.experiment.data.ready()?;
        let answers = &self.experiment.all_at_once_answers;
        answers.get(&view.location).copied().or(view.all_at_once)
    }

    /// Sets whether the classes are learned all at once or in tasks, and stores the answer with the dataset.
    pub fn set_all_at_once(&mut self, at_once: bool) {
        let Some(view) = self.experiment.data.ready() else {
            return;
        };
        let (location, classes) = (view.location.clone(), view.classes.len());
        let is_suited = self.has_suitable_settings();
        let answers = &mut self.experiment.all_at_once_answers;
        answers.insert(location.clone(), at_once);
        if is_suited {
            self.apply_suitable_settings();
        } else {
            self.experiment.draft.classes_per_task = match at_once {
                true => classes.to_string(),
                false => even_task_sizes(classes),
            };
            self.experiment.planning.invalidate();
        }
        self.task_or_notify(
            move |sources| store::save_all_at_once(&sources.disk().runs_root, &location, at_once),
            |_, ()| {},
        );
    }

    /// Returns task sizes for learning in tasks, if all classes are in one task and the user did not choose that.
    pub fn suggested_task_sizes(&self) -> Option<String> {
        let view = self.experiment.data.ready()?;
        let scenario = self.experiment.plan.scenario.as_ref()?;
        let draft = &self.experiment.draft;
        let all = view.classes.len().to_string();
        let sizes = even_task_sizes(view.classes.len());
        let is_joint =
            ConfiguredMethod::from_config(draft).is_ok_and(|chosen| chosen.spec.all_at_once);
        let is_chosen = is_user_dataset(&view.location) && draft.classes_per_task == all;
        let is_chosen = is_chosen && self.all_at_once_answer() != Some(false);
        (scenario.task_count() == 1 && sizes != all && !is_joint && !is_chosen).then_some(sizes)
    }
}
