//! Whether the classes of a user's own folder are learned in tasks or all at once. The user is asked once per dataset;
//! the answer is stored with the dataset and can be changed.

use super::Session;
use crate::data::{builtin, published};
use crate::experiment::suggested_settings::stages;
use crate::method::Chosen;
use crate::store;

/// Returns whether a dataset is the user's own, neither built-in nor published.
pub fn is_own(place: &str) -> bool {
    builtin::names().all(|name| name != place) && published::published(place).is_none()
}

impl Session {
    /// Returns whether the current dataset is the user's own and its classes can be split into tasks.
    pub fn can_split_into_tasks(&self) -> bool {
        let view = self.experiment.data.ready();
        let several = |classes: usize| stages(classes) != classes.to_string();
        view.is_some_and(|view| is_own(&view.place) && several(view.classes.len()))
    }

    /// Returns the user's answer for the current dataset: `true` for all classes at once; `None` if not answered, which
    /// means all at once.
    pub fn all_at_once_answer(&self) -> Option<bool> {
        let view = self.experiment.data.ready()?;
        let answers = &self.experiment.all_at_once_answers;
        answers.get(&view.place).copied().or(view.all_at_once)
    }

    /// Sets whether the classes are learned all at once or in tasks, and stores the answer with the dataset.
    pub fn set_all_at_once(&mut self, at_once: bool) {
        let Some(view) = self.experiment.data.ready() else {
            return;
        };
        let (place, classes) = (view.place.clone(), view.classes.len());
        let is_suited = self.has_suitable_settings();
        let answers = &mut self.experiment.all_at_once_answers;
        answers.insert(place.clone(), at_once);
        if is_suited {
            self.apply_suitable_settings();
        } else {
            self.experiment.draft.classes_per_task = match at_once {
                true => classes.to_string(),
                false => stages(classes),
            };
            self.experiment.planning.renew();
        }
        self.task_or_notify(
            move |sources| store::save_all_at_once(&sources.disk().runs_root, &place, at_once),
            |_, ()| {},
        );
    }

    /// Returns task sizes for learning in tasks, if all classes are in one task and the user did not choose that.
    pub fn stages_of_one_task(&self) -> Option<String> {
        let view = self.experiment.data.ready()?;
        let scenario = self.experiment.plan.scenario.as_ref()?;
        let draft = &self.experiment.draft;
        let all = view.classes.len().to_string();
        let sizes = stages(view.classes.len());
        let joint = Chosen::of(draft).is_ok_and(|chosen| chosen.spec.all_at_once);
        let chosen = is_own(&view.place) && draft.classes_per_task == all;
        let chosen = chosen && self.all_at_once_answer() != Some(false);
        (scenario.task_count() == 1 && sizes != all && !joint && !chosen).then_some(sizes)
    }
}
