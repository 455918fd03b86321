//! The images of an added task, their classes, and which of these classes the run already knows.

use std::sync::Arc;

use crate::data::image_kind::first_images;
use crate::data::summary::count_per_class;
use crate::data::{Check, Dataset, OpenOptions, ProgressReporter, summarise_two_labels};
use crate::message;
use crate::method::{ConfiguredMethod, learns_by_gradients};
use crate::names::is_same_name;
use crate::problem::{Problem, Result, list_value, text_list_value};
use crate::run::event::{AddedTask, NamedImage, RepeatedClass, RunHeader};
use crate::store::MAX_ADDED_IMAGES;
use crate::texts::{Message, Words};

use super::ResourceCache;
use super::basis::check_earlier_images;
use super::schedule::TaskSchedule;

/// A class with fewer training images causes a warning.
const FEW_IMAGES: usize = 4;

/// The content of the source of an added task.
#[derive(Clone, Debug)]
pub struct SourcePreview {
    /// Its classes with the names that they would have in the run, and their numbers of training and test images.
    pub classes: Vec<(String, usize, usize)>,
    /// Warnings for the user, in sentences.
    pub notes: Vec<Words>,
    /// An image of each of the first classes, with the index of the class.
    pub images: Vec<(usize, Arc<NamedImage>)>,
}

/// Inspects the images at `source` as [`teach`](super::teach) does, without teaching anything; `should_continue`
/// returns whether to continue.
///
/// # Errors
/// Returns a Problem if there are no images, too many, or the run's method cannot learn from them.
pub fn preview_source(
    header: &RunHeader,
    after: usize,
    source: &str,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<SourcePreview> {
    let taught =
        TaughtImages::open(header, after, source, (&ResourceCache::default(), should_continue))?;
    let classes = taught.classes.len();
    let train_counts = count_per_class(&taught.data.train, classes);
    let test_counts = count_per_class(&taught.data.test, classes);
    let first_images = first_images(&taught.data);
    let names = taught.classes.into_iter();
    Ok(SourcePreview {
        classes: names
            .zip(train_counts.into_iter().zip(test_counts))
            .map(|(name, (train, test))| (name, train, test))
            .collect(),
        notes: taught.notes,
        images: first_images,
    })
}

/// The images of an added task and their properties.
pub(super) struct TaughtImages {
    /// The images; class indices count within the added task.
    pub data: Dataset,
    /// Assumptions and omissions, in sentences.
    pub notes: Vec<Words>,
    /// Whether its only class is learned by gradients, which needs images of the earlier classes.
    pub single_class: bool,
    /// The name that the user gave it.
    source: String,
    /// Names of its classes in the run.
    classes: Vec<String>,
    repeated_classes: Vec<RepeatedClass>,
}

impl TaughtImages {
    /// Opens the images at `source` for an added task that follows the first `after` tasks of this run;
    /// `should_continue` returns whether to continue.
    ///
    /// # Errors
    /// Returns a Problem if there are no images, too many, or the method cannot learn from them.
    pub fn open(
        header: &RunHeader,
        after: usize,
        source: &str,
        (cache, should_continue): (&ResourceCache, &(dyn Fn() -> bool + Sync)),
    ) -> Result<Self> {
        let config = &header.config;
        let options = OpenOptions {
            test_share: config.test_share,
            split_seed: config.split_seed,
            min_classes: 1,
            bit_depth: config.bit_depth,
            check: Check::Always,
            ..OpenOptions::default()
        };
        let watch = |_: Message, _, _| should_continue();
        let data = Dataset::open_with_progress(source, &options, &ProgressReporter::new(&watch))?;
        let image_count = data.train.len() + data.test.len();
        if image_count > MAX_ADDED_IMAGES {
            return Err(Problem::new(message!(
                "problem-added-task-too-many-images",
                pictures = image_count.to_string(),
                most_pictures = MAX_ADDED_IMAGES.to_string()
            ))
            .at(source)
            .advise(message!("advice-use-fewer-images")));
        }
        let learned_classes = header.tasks[..after].last().map_or(0, |task| task.end);
        let (classes, repeated_classes) = name_classes(header, learned_classes, &data.classes);
        let chosen = ConfiguredMethod::from_config(config)?;
        let single_class = data.classes.len() == 1 && learns_by_gradients(&chosen, after);
        if single_class {
            let repeated = repeated_classes.first().map(|class| class.of);
            let others =
                (0..learned_classes).any(|position| Some(header.class_at(position)) != repeated);
            if !chosen.spec.supports_single_class || !others {
                return Err(Problem::new(message!(
                    "problem-added-task-single-class",
                    title = chosen.spec.title
                ))
                .at(source)
                .advise(message!("advice-add-second-class")));
            }
            check_earlier_images(header, chosen.spec.title, cache, should_continue)?;
        }
        let mut images = Self {
            notes: data.assumed.clone(),
            single_class,
            source: data.origin.clone(),
            data,
            classes,
            repeated_classes,
        };
        images.add_notes(header);
        Ok(images)
    }

    /// Returns the position of the class that `class` of the added task repeats, if it does.
    pub fn repeated_class(&self, class: usize) -> Option<usize> {
        let repeated = self.repeated_classes.iter().find(|candidate| candidate.class == class);
        repeated.map(|repeated| repeated.of)
    }

    /// Adds notes about skipped files, images with two labels, and classes that are small, untested, known or single.
    fn add_notes(&mut self, header: &RunHeader) {
        let data = &self.data;
        if !data.skipped.is_empty() {
            let reasons = data.skipped.iter().map(|skipped| -> Words {
                let name = skipped.path.file_name().unwrap_or_default();
                let (file, why) = (name.to_string_lossy(), skipped.reason.clone());
                message!("remark-file-reason", file, why).into()
            });
            let reasons: Vec<Words> = reasons.collect();
            let skipped_note = message!(
                "remark-files-skipped-names",
                n = reasons.len(),
                files = text_list_value(&reasons, 3)
            );
            self.notes.push(skipped_note.into());
        }
        let two_labels = summarise_two_labels(&data.two_labels);
        self.notes.extend(two_labels.map(Words::from));
        let train_counts = count_per_class(&data.train, data.classes.len());
        let test_counts = count_per_class(&data.test, data.classes.len());
        let select_classes = |predicate: &dyn Fn(usize) -> bool| -> Vec<&String> {
            let classes = data.classes.iter().enumerate();
            let selected = classes.filter(|(class, _)| predicate(*class));
            selected.map(|(_, name)| name).collect()
        };
        let small_classes = select_classes(&|class| train_counts[class] < FEW_IMAGES);
        if !small_classes.is_empty() {
            let remark = message!(
                "teach-few-images",
                few = FEW_IMAGES,
                classes = list_value(&small_classes, 5)
            );
            self.notes.push(remark.into());
        }
        let untested = select_classes(&|class| test_counts[class] == 0);
        if !untested.is_empty() {
            let remark = message!("teach-no-test-images", classes = list_value(&untested, 5));
            self.notes.push(remark.into());
        }
        let known_classes = select_classes(&|class| self.repeated_class(class).is_some());
        if !known_classes.is_empty() {
            let positions = self.repeated_classes.iter().map(|repeated| repeated.of);
            let names: Vec<&String> =
                positions.map(|position| &header.class_order[position]).collect();
            let remark = message!("teach-known-classes", classes = list_value(&names, 5));
            self.notes.push(remark.into());
        }
        if self.single_class {
            self.notes.push(message!("teach-single-class").into());
        }
    }

    /// Returns the record of the added task, without fingerprint and earlier accuracy.
    pub fn added_task(&self, schedule: &TaskSchedule, planned_tasks: usize) -> AddedTask {
        let classes = self.classes.len();
        AddedTask {
            source: self.source.clone(),
            classes: self.classes.clone(),
            again: self.repeated_classes.clone(),
            train_images: count_per_class(&self.data.train, classes),
            test_images: count_per_class(&self.data.test, classes),
            fingerprint: String::new(),
            before: None,
            planned_tasks,
            batch: schedule.batch,
            repeats: schedule.repeats,
            base_lr: schedule.base_lr,
            notes: self.notes.clone(),
            taught: jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// Returns names for the classes of an added task, and which of them the run already knows; those get a number after
/// their name. Only the first `learned` classes count as known: a stopped run has not learned the later ones.
fn name_classes(
    header: &RunHeader,
    learned: usize,
    classes: &[String],
) -> (Vec<String>, Vec<RepeatedClass>) {
    let learned = &header.class_order[..learned];
    let (mut names, mut repeated_classes): (Vec<String>, _) = (Vec::new(), Vec::new());
    for (class, name) in classes.iter().enumerate() {
        let known_position = learned.iter().position(|other| is_same_name(other, name));
        let Some(position) = known_position else {
            names.push(name.clone());
            continue;
        };
        let original = header.class_at(position);
        repeated_classes.push(RepeatedClass { class, of: original });
        let is_taken = |candidate: &String| {
            let others = learned.iter().chain(&names).chain(classes);
            others.into_iter().any(|other| other == candidate)
        };
        let candidates = (2..).map(|number| format!("{} ({number})", learned[original]));
        names.extend(candidates.into_iter().find(|candidate| !is_taken(candidate)));
    }
    (names, repeated_classes)
}
