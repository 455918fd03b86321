//! Whether the classes of a person's own folder are learned in stages or all at once: asked once, kept with the data
//! set, and changed by a click.

use super::Session;
use crate::data::{builtin, named};
use crate::experiment::suited::stages;

impl Session {
    /// Whether the data set of the settings is a person's own whose classes can come in stages.
    pub fn can_arrive(&self) -> bool {
        let own = |place: &str| {
            builtin::names().all(|name| name != place) && named::published(place).is_none()
        };
        let view = self.experiment.data.ready();
        let several = |classes: usize| stages(classes) != classes.to_string();
        view.is_some_and(|view| own(&view.place) && several(view.classes.len()))
    }

    /// What the person answered for the data set of the settings: true is all at once. None where nobody answered.
    pub fn arrival(&self) -> Option<bool> {
        let view = self.experiment.data.ready()?;
        let answered = self.experiment.arrivals.get(&view.place).copied();
        answered.or(view.all_at_once)
    }

    /// Learns the classes all at once, or in stages, and keeps that with the data set.
    pub fn arrive(&mut self, at_once: bool) {
        let Some(view) = self.experiment.data.ready() else {
            return;
        };
        let place = view.place.clone();
        self.experiment.arrivals.insert(place.clone(), at_once);
        self.put_arrival(at_once);
        self.task_or_tell(
            move |sources| sources.keep_all_at_once(&place, at_once),
            |_, ()| {},
        );
    }

    fn put_arrival(&mut self, at_once: bool) {
        let classes = self
            .experiment
            .data
            .ready()
            .map_or(0, |view| view.classes.len());
        self.experiment.draft.classes_per_task = match at_once {
            true => classes.to_string(),
            false => stages(classes),
        };
        self.experiment.planning.renew();
    }
}
