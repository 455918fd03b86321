//! The images of an added task, their classes, and which of these classes the run already knows.

use std::sync::Arc;

use crate::data::image_kind::first_pictures;
use crate::data::summary::counts;
use crate::data::{Check, Dataset, OpenOptions, Watch, told_two_labels};
use crate::message;
use crate::method::{Chosen, learns};
use crate::names::look_alike;
use crate::problem::{Problem, Result, some_of, some_words};
use crate::run::event::{AddedTask, Picture, RepeatedClass, RunHeader};
use crate::store::MOST_PICTURES;
use crate::texts::{Message, Words};

use super::ResourceCache;
use super::basis::check_earlier_images;
use super::schedule::TaskSchedule;

/// A class with fewer training images causes a warning.
const FEW: usize = 4;

/// The content of the source of an added task.
#[derive(Clone, Debug)]
pub struct SourcePreview {
    /// Its classes with the names that they would have in the run, and their numbers of training and test images.
    pub classes: Vec<(String, usize, usize)>,
    /// Warnings for the user, in sentences.
    pub notes: Vec<Words>,
    /// An image of each of the first classes, with the index of the class.
    pub pictures: Vec<(usize, Arc<Picture>)>,
}

/// Inspects the images at `source` as [`teach`](super::teach) does, without teaching anything; `go_on` returns
/// whether to continue.
///
/// # Errors
/// Returns a Problem if there are no images, too many, or the run's method cannot learn from them.
pub fn found(
    header: &RunHeader,
    after: usize,
    source: &str,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<SourcePreview> {
    let material = TaughtImages::open(header, after, source, (&ResourceCache::default(), go_on))?;
    let classes = material.classes.len();
    let trained = counts(&material.data.train, classes);
    let tested = counts(&material.data.test, classes);
    let pictures = first_pictures(&material.data);
    let named = material.classes.into_iter();
    Ok(SourcePreview {
        classes: named
            .zip(trained.into_iter().zip(tested))
            .map(|(name, (train, test))| (name, train, test))
            .collect(),
        notes: material.notes,
        pictures,
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
    again: Vec<RepeatedClass>,
}

impl TaughtImages {
    /// Opens the images at `source` for an added task that follows the first `after` tasks of this run; `go_on`
    /// returns whether to continue.
    ///
    /// # Errors
    /// Returns a Problem if there are no images, too many, or the method cannot learn from them.
    pub fn open(
        header: &RunHeader,
        after: usize,
        source: &str,
        (cache, go_on): (&ResourceCache, &(dyn Fn() -> bool + Sync)),
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
        let watch = |_: Message, _, _| go_on();
        let data = Dataset::open_watched(source, &options, &Watch::new(&watch))?;
        let pictures = data.train.len() + data.test.len();
        if pictures > MOST_PICTURES {
            return Err(Problem::new(message!(
                "problem-added-task-too-many-images",
                pictures = pictures.to_string(),
                most_pictures = MOST_PICTURES.to_string()
            ))
            .at(source)
            .advise(message!("advice-use-fewer-images")));
        }
        let learned = header.tasks[..after].last().map_or(0, |task| task.end);
        let (classes, again) = named(header, learned, &data.classes);
        let chosen = Chosen::of(config)?;
        let single_class = data.classes.len() == 1 && learns(&chosen, after);
        if single_class {
            let known = again.first().map(|again| again.of);
            let others = (0..learned).any(|position| Some(header.class_at(position)) != known);
            if !chosen.spec.single_class || !others {
                return Err(Problem::new(message!(
                    "problem-added-task-single-class",
                    title = chosen.spec.title
                ))
                .at(source)
                .advise(message!("advice-add-second-class")));
            }
            check_earlier_images(header, chosen.spec.title, cache, go_on)?;
        }
        let mut material = Self {
            notes: data.assumed.clone(),
            single_class,
            source: data.origin.clone(),
            data,
            classes,
            again,
        };
        material.remark(header);
        Ok(material)
    }

    /// Returns the position of the class that `class` of the added task repeats, if it does.
    pub fn known(&self, class: usize) -> Option<usize> {
        let again = self.again.iter().find(|again| again.class == class);
        again.map(|again| again.of)
    }

    /// Adds notes about skipped files, images with two labels, and classes that are small, untested, known or single.
    fn remark(&mut self, header: &RunHeader) {
        let data = &self.data;
        if !data.skipped.is_empty() {
            let reasons = data.skipped.iter().map(|skipped| -> Words {
                let name = skipped.path.file_name().unwrap_or_default();
                let (file, why) = (name.to_string_lossy(), skipped.reason.clone());
                message!("remark-file-reason", file, why).into()
            });
            let reasons: Vec<Words> = reasons.collect();
            let left_out = message!(
                "remark-files-skipped-names",
                n = reasons.len(),
                files = some_words(&reasons, 3)
            );
            self.notes.push(left_out.into());
        }
        let two_labels = told_two_labels(&data.two_labels);
        self.notes.extend(two_labels.map(Words::from));
        let trained = counts(&data.train, data.classes.len());
        let tested = counts(&data.test, data.classes.len());
        let classes_that = |wanted: &dyn Fn(usize) -> bool| -> Vec<&String> {
            let classes = data.classes.iter().enumerate();
            let wanted = classes.filter(|(class, _)| wanted(*class));
            wanted.map(|(_, name)| name).collect()
        };
        let few = classes_that(&|class| trained[class] < FEW);
        if !few.is_empty() {
            let remark = message!("teach-few-images", few = FEW, classes = some_of(&few, 5));
            self.notes.push(remark.into());
        }
        let untested = classes_that(&|class| tested[class] == 0);
        if !untested.is_empty() {
            let remark = message!("teach-no-test-images", classes = some_of(&untested, 5));
            self.notes.push(remark.into());
        }
        let known = classes_that(&|class| self.known(class).is_some());
        if !known.is_empty() {
            let positions = self.again.iter().map(|again| again.of);
            let names: Vec<&String> = positions.map(|of| &header.class_order[of]).collect();
            let remark = message!("teach-known-classes", classes = some_of(&names, 5));
            self.notes.push(remark.into());
        }
        if self.single_class {
            self.notes.push(message!("teach-single-class").into());
        }
    }

    /// Returns the record of the added task, without fingerprint and earlier accuracy.
    pub fn added_task(&self, drill: &TaskSchedule, planned_tasks: usize) -> AddedTask {
        let classes = self.classes.len();
        AddedTask {
            source: self.source.clone(),
            classes: self.classes.clone(),
            again: self.again.clone(),
            train_images: counts(&self.data.train, classes),
            test_images: counts(&self.data.test, classes),
            fingerprint: String::new(),
            before: None,
            planned_tasks,
            batch: drill.batch,
            repeats: drill.repeats,
            base_lr: drill.base_lr,
            notes: self.notes.clone(),
            taught: jiff::Zoned::now()
                .strftime("%Y-%m-%dT%H:%M:%S%:z")
                .to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// Returns names for the classes of an added task, and which of them the run already knows; those get a number after
/// their name. Only the first `learned` classes count as known: a stopped run has not learned the later ones.
fn named(
    header: &RunHeader,
    learned: usize,
    classes: &[String],
) -> (Vec<String>, Vec<RepeatedClass>) {
    let learned = &header.class_order[..learned];
    let (mut names, mut again): (Vec<String>, _) = (Vec::new(), Vec::new());
    for (class, name) in classes.iter().enumerate() {
        let known = learned.iter().position(|known| look_alike(known, name));
        let Some(position) = known else {
            names.push(name.clone());
            continue;
        };
        let of = header.class_at(position);
        again.push(RepeatedClass { class, of });
        let taken = |own: &String| {
            let others = learned.iter().chain(&names).chain(classes);
            others.into_iter().any(|other| other == own)
        };
        let own = (2..).map(|number| format!("{} ({number})", learned[of]));
        names.extend(own.into_iter().find(|own| !taken(own)));
    }
    (names, again)
}
