//! What of the settings belongs to the data set: tasks, order, batch, epochs, crops. Each data set
//! keeps its own while the program runs, and a new one gets what suits it.

use std::collections::HashMap;

use super::Session;
use super::views::DataView;
use super::words::by_number;
use crate::counts::counted;
use crate::data::named;
use crate::data::scenario::ClassOrder;
use crate::method::{adopt_published, named_method};
use crate::run::config::{RunConfig, Setting};

/// Steps of the optimiser that a task should get; with fewer, little is learned.
const STEPS: usize = 60;
/// Steps that an epoch should have.
const PER_EPOCH: usize = 4;
/// Smallest batch that is chosen: smaller ones learn from noise.
const SMALLEST: usize = 4;
/// Most epochs that are chosen.
const MOST_EPOCHS: usize = 30;
/// Tasks into which the classes of a folder are cut.
const TASKS: usize = 5;
/// LAE's share of epochs with the PET frozen, as in the paper's experiments.
const FROZEN: (usize, usize) = (3, 5);

/// Settings of one data set.
pub(super) type Kept = HashMap<String, RunConfig>;

impl Session {
    /// Makes this the data set of the settings. What it was used with before comes back; a data set
    /// that is new here gets settings that suit it once it is open.
    pub fn choose_data(&mut self, place: &str) {
        let left = self.draft.clone();
        self.preset = None;
        if left.data != place {
            match self.kept.get(place) {
                Some(kept) => take_from(&mut self.draft, &kept.clone()),
                None => self.unsuited = Some(place.to_string()),
            }
            if named::published(&left.data).is_some() {
                // The authors' rate and memory are for that data alone.
                self.draft.base_lr = usual_rate(&self.draft);
                self.draft.settings.remove("ema");
            }
            // The list of another data set means nothing here.
            self.draft.mended.clear();
            self.begin_to_follow_mended();
            self.kept.insert(left.data.clone(), left);
            self.suited = None;
        }
        self.open_data(place);
        self.suit_data();
    }

    /// Takes these settings as they are, their data set included.
    pub fn take_up(&mut self, config: RunConfig) {
        let data = config.data.clone();
        self.draft = config;
        self.preset = None;
        self.beside = false;
        self.unsuited = None;
        self.suited = None;
        self.begin_to_follow_mended();
        self.open_data(&data);
    }

    /// Why batch, epochs and tasks are what they are, where the program chose them for this data.
    pub fn suited(&self) -> Option<&str> {
        self.suited.as_deref()
    }

    /// Chooses what suits a data set that was chosen and is open now.
    pub(super) fn suit_data(&mut self) {
        let Some(view) = self.data.ready() else {
            return;
        };
        if self.unsuited.as_ref() != Some(&view.place) || self.draft.data != view.place {
            return;
        }
        self.unsuited = None;
        let view = view.clone();
        self.suited = suit(&mut self.draft, &view);
        self.planned = None;
    }
}

/// The method's usual learning rate.
fn usual_rate(draft: &RunConfig) -> f64 {
    let rate = named_method(&draft.method).ok().and_then(|spec| spec.rate);
    rate.map_or(draft.base_lr, |rate| rate.base)
}

/// Takes over what belongs to the data set.
fn take_from(draft: &mut RunConfig, kept: &RunConfig) {
    let frozen = kept.settings.get("freeze_epochs").cloned();
    set_frozen(draft, frozen);
    *draft = RunConfig {
        classes_per_task: kept.classes_per_task.clone(),
        order: kept.order.clone(),
        epochs: kept.epochs,
        batch: kept.batch,
        crop_scale: kept.crop_scale,
        flip: kept.flip,
        train_limit: kept.train_limit,
        test_limit: kept.test_limit,
        test_share: kept.test_share,
        validation_share: kept.validation_share,
        ..draft.clone()
    };
}

fn set_frozen(draft: &mut RunConfig, frozen: Option<Setting>) {
    let spec = named_method(&draft.method);
    let known = spec.is_ok_and(|spec| spec.settings.iter().any(|s| s.key == "freeze_epochs"));
    match frozen.filter(|_| known) {
        Some(value) => draft.settings.insert("freeze_epochs".into(), value),
        None => draft.settings.remove("freeze_epochs"),
    };
}

/// Settings that suit the data; a sentence where they are not the usual ones.
fn suit(draft: &mut RunConfig, view: &DataView) -> Option<String> {
    let usual = RunConfig {
        data: draft.data.clone(),
        ..RunConfig::default()
    };
    take_from(draft, &usual);
    match (view.place.as_str(), named::published(&view.place)) {
        ("digits", _) => return None,
        ("letters", _) => {
            draft.classes_per_task = "6,5,5,5,5".into();
            return None;
        }
        (_, Some(_)) => {
            draft.classes_per_task = (view.classes.len() / 10).max(2).to_string();
            (draft.crop_scale, draft.flip) = ([0.08, 1.0], true);
            if let Ok(spec) = named_method(&draft.method) {
                adopt_published(draft, spec);
            }
            return None;
        }
        _ => {}
    }
    draft.classes_per_task = cut(view.classes.len());
    draft.order = order_by_number(&view.classes);
    // Photographs may be mirrored; digits, letters and drawings may not.
    draft.flip = view.glyph_share.is_none();
    let least = view.train.iter().min().copied().unwrap_or(0);
    let each = view
        .classes
        .len()
        .div_ceil(TASKS)
        .max(2)
        .min(view.classes.len());
    let images = (least * each).max(1);
    draft.batch = (images / PER_EPOCH).clamp(SMALLEST, usual.batch);
    let steps = (images / draft.batch).max(1);
    draft.epochs = STEPS.div_ceil(steps).clamp(usual.epochs, MOST_EPOCHS);
    if draft.epochs > usual.epochs {
        let frozen = draft.epochs * FROZEN.0 / FROZEN.1;
        set_frozen(draft, Some(Setting::Whole(frozen as i64)));
    }
    let chosen = draft.batch != usual.batch || draft.epochs != usual.epochs;
    chosen.then(|| {
        format!(
            "Chosen for this data, about {} a task: batch {}, {}.",
            counted(images, "image"),
            draft.batch,
            counted(draft.epochs, "epoch")
        )
    })
}

/// Sizes of tasks as even as they can be, none of a single class: "2", "3,3,3,2,2".
fn cut(classes: usize) -> String {
    let tasks = (classes / 2).clamp(1, TASKS);
    if classes.is_multiple_of(tasks) {
        return (classes / tasks).max(1).to_string();
    }
    let size = |task| classes / tasks + usize::from(task < classes % tasks);
    let sizes: Vec<String> = (0..tasks).map(|task| size(task).to_string()).collect();
    sizes.join(",")
}

/// The order of classes by the numbers in their names: `class_2` before `class_10`.
pub fn order_by_number(classes: &[String]) -> String {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    order.sort_by(|&a, &b| by_number(&classes[a], &classes[b]));
    ClassOrder::written(&order)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_cut_into_even_tasks_with_company() {
        for (classes, wanted) in [(2, "2"), (4, "2"), (5, "3,2"), (10, "2"), (100, "20")] {
            assert_eq!(cut(classes), wanted);
        }
        assert_eq!(cut(13), "3,3,3,2,2");
    }

    #[test]
    fn classes_come_in_the_order_of_their_numbers() {
        let names = ["class_1", "class_10", "class_100", "class_2"];
        let names = names.map(String::from);
        assert_eq!(order_by_number(&names), "0,3,1,2");
        assert_eq!(order_by_number(&names[..3]), "natural");
    }
}
