//! Lessons: what a run was taught after its training. Each is one more task with a data set of its
//! own, whose pictures lie in the run's folder.

use serde::{Deserialize, Serialize};

use super::header::RunHeader;

/// A class that a lesson taught although the run knew it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// Which of the lesson's classes.
    pub class: usize,
    /// The position of the class it gives more examples of.
    pub of: usize,
}

/// What a lesson taught, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Where the pictures came from, as the person named it.
    pub source: String,
    /// Its classes in the order of their positions.
    pub classes: Vec<String>,
    /// Those of them that the run knew before. Each has a position of its own, whose answer counts
    /// for the class it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// Training pictures of each class.
    pub train_images: Vec<usize>,
    /// Test pictures of each class.
    pub test_images: Vec<usize>,
    /// SHA-256 over the list of its pictures, which holds the SHA-256 of each; in hex.
    pub fingerprint: String,
    /// Share of its test pictures that were answered rightly before it; none without test pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Tasks that the run was set up with. A run that was stopped before its end was taught from
    /// its last whole task.
    pub planned_tasks: usize,
    /// Pictures of a step.
    pub batch: usize,
    /// How often an epoch shows each training picture.
    pub repeats: usize,
    /// Learning rate at batch 256.
    pub base_lr: f64,
    /// What was assumed or left out, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// RFC 3339 time at which it was learned.
    pub taught: String,
    /// Version of the program that taught it.
    pub version: String,
}

impl Lesson {
    /// The position of the class that its class number `class` counts for, where that is another
    /// one.
    pub fn known(&self, class: usize) -> Option<usize> {
        let again = self.again.iter().find(|again| again.class == class);
        again.map(|again| again.of)
    }
}

impl RunHeader {
    /// The same run with one more lesson behind its first `after` tasks.
    #[must_use]
    pub fn taught(mut self, after: usize, lesson: Lesson) -> Self {
        self.tasks.truncate(after);
        self.train_images.truncate(after);
        self.test_images.truncate(after);
        let first = self.tasks.last().map_or(0, |task| task.end);
        self.class_order.truncate(first);
        self.tasks.push(first..first + lesson.classes.len());
        self.class_order.extend(lesson.classes.iter().cloned());
        self.train_images.push(lesson.train_images.iter().sum());
        self.test_images.push(lesson.test_images.iter().sum());
        self.lessons.push(lesson);
        self
    }

    /// The same run without its last lesson. Of a run that was stopped and then taught, only the
    /// tasks that it was taught from come back.
    pub fn unlearn(&mut self) {
        if self.lessons.pop().is_none() {
            return;
        }
        let gone = self.tasks.pop();
        self.class_order.truncate(gone.map_or(0, |task| task.start));
        self.train_images.truncate(self.tasks.len());
        self.test_images.truncate(self.tasks.len());
    }

    /// Tasks of the run's own data set that it has learned or is to learn.
    pub fn own_tasks(&self) -> usize {
        self.tasks.len().saturating_sub(self.lessons.len())
    }

    /// Tasks that it was set up with.
    pub fn planned_tasks(&self) -> usize {
        let first = self.lessons.first();
        first.map_or(self.tasks.len(), |lesson| lesson.planned_tasks)
    }

    /// The tasks that were known while this one (from 0) was learned: all of the run's own, and the
    /// lessons up to it.
    pub fn tasks_known_in(&self, task: usize) -> &[std::ops::Range<usize>] {
        let known = self.own_tasks().max(task + 1).min(self.tasks.len());
        &self.tasks[..known]
    }

    /// Positions that count for another class, each with that class's position.
    pub fn again(&self) -> Vec<(usize, usize)> {
        let lessons = self.lessons.iter().zip(&self.tasks[self.own_tasks()..]);
        let of_lesson = |(lesson, task): (&Lesson, &std::ops::Range<usize>)| {
            let first = task.start;
            let again = lesson.again.iter();
            again
                .map(|again| (first + again.class, again.of))
                .collect::<Vec<_>>()
        };
        lessons.flat_map(of_lesson).collect()
    }

    /// The position of the class that this position counts for.
    pub fn class_at(&self, position: usize) -> usize {
        let again = self.again();
        let found = again.iter().find(|(own, _)| *own == position);
        found.map_or(position, |(_, of)| *of)
    }
}
