//! Draws a share of the images of every class, and keeps all copies of an image on the same side.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::near_copies::NearCopySets;
use super::rng::{Purpose, Rng};
use super::source::Sample;
use super::summary::counts;
use crate::message;
use crate::problem::some_of;
use crate::texts::Message;

/// Parameters of a draw.
pub(super) struct Draw<'a> {
    /// Share of each class, from 0 to 1. The number of images is rounded, at least 1, and never all. It may differ
    /// because of copies that are kept together; if all images of a class are copies of each other, none is drawn.
    pub share: f64,
    /// Seed of the draw.
    pub seed: u64,
    /// Number of classes.
    pub classes: usize,
    /// The sets of copies; `None` if every image is drawn independently.
    pub copies: Option<&'a NearCopySets>,
}

/// The result of a draw.
pub(super) struct DrawResult {
    /// The drawn images, in their original order.
    pub samples: Vec<Sample>,
    /// Number of images that are on the other side than if every image were drawn independently.
    pub moved: usize,
    /// Classes from which no image could be drawn without separating copies.
    pub without: Vec<usize>,
}

impl Draw<'_> {
    /// Removes and returns the share of each `wanted` class from `samples`, which are sorted by class. Without any
    /// copies, the result is that of independent draws.
    pub fn from(&self, samples: &mut Vec<Sample>, wanted: impl Fn(usize) -> bool) -> DrawResult {
        let mut hat = SplitSampler::of(samples, self);
        let mut alone = vec![false; samples.len()];
        let (mut start, mut asked) = (0, Vec::new());
        for (class, count) in hat.counts.clone().into_iter().enumerate() {
            let mut members: Vec<usize> = (start..start + count).collect();
            start += count;
            if !wanted(class) || count < 2 || self.share == 0.0 {
                continue;
            }
            let take = ((count as f64 * self.share).round() as usize).clamp(1, count - 1);
            Rng::new(Purpose::Split, self.seed, class as u64, 0).shuffle(&mut members);
            for &member in &members[..take] {
                alone[member] = true;
            }
            hat.take(class, &members, take, &wanted);
            asked.push(class);
        }
        asked.retain(|&class| hat.taken_of[class] == 0);
        let taken = hat.taken;
        let moved = taken.iter().zip(&alone).filter(|(a, b)| a != b).count();
        let (mut kept, mut drawn) = (Vec::new(), Vec::new());
        for (sample, taken) in std::mem::take(samples).into_iter().zip(taken) {
            if taken { &mut drawn } else { &mut kept }.push(sample);
        }
        *samples = kept;
        DrawResult {
            samples: drawn,
            moved,
            without: asked,
        }
    }

    /// Returns sentences on the effect of keeping copies together, to follow the sentence on the draw; `names` are
    /// those of the classes.
    pub fn words(&self, drawn: &DrawResult, names: &[String]) -> Option<Message> {
        let without: Vec<&String> = drawn.without.iter().map(|&class| &names[class]).collect();
        let without = (!without.is_empty()).then(|| {
            message!(
                "remark-classes-not-held-out",
                classes = some_of(&without, 5)
            )
        });
        match self.moved_words(drawn) {
            Some(moved) => Some(moved.then(without)),
            None => without,
        }
    }

    fn moved_words(&self, drawn: &DrawResult) -> Option<Message> {
        let copies = self.copies?;
        if copies.is_empty() && !drawn.samples.is_empty() {
            return Some(message!("remark-duplicates-not-searched"));
        }
        let moved = match copies.has_near() {
            true => "remark-near-copies-moved",
            false => "remark-copies-moved",
        };
        (drawn.moved > 0).then(|| message!(moved, n = drawn.moved))
    }
}

/// The state of a draw.
struct SplitSampler {
    /// The class of every image.
    class: Vec<usize>,
    /// Number of images of every class.
    counts: Vec<usize>,
    /// Indices of all images of a set of copies, by set.
    copies: HashMap<usize, Vec<usize>>,
    /// The set of each image, if the image was checked.
    set: Vec<Option<usize>>,
    /// Whether each image was drawn.
    taken: Vec<bool>,
    /// Number of drawn images of every class.
    taken_of: Vec<usize>,
}

impl SplitSampler {
    fn of(samples: &[Sample], draw: &Draw<'_>) -> Self {
        let set_of = |sample| draw.copies.and_then(|copies| copies.set_of(sample));
        let set: Vec<Option<usize>> = samples.iter().map(set_of).collect();
        let mut copies: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, set) in set.iter().enumerate() {
            if let Some(set) = set {
                copies.entry(*set).or_default().push(at);
            }
        }
        Self {
            class: samples.iter().map(|s| s.class as usize).collect(),
            counts: counts(samples, draw.classes),
            copies,
            set,
            taken: vec![false; samples.len()],
            taken_of: vec![0; draw.classes],
        }
    }

    /// Draws `count` of a class's `members` in this order, together with their copies. Fewer are drawn if copies would
    /// exceed `count`, but at least one image if that leaves another one for training.
    fn take(
        &mut self,
        class: usize,
        members: &[usize],
        count: usize,
        wanted: &dyn Fn(usize) -> bool,
    ) {
        // Each set of copies is tried only once: there may be thousands of copies, and the result would be the same.
        let mut asked = HashSet::new();
        let sets = members
            .iter()
            .filter(|&&member| self.set[member].is_none_or(|set| asked.insert(set)));
        let sets: Vec<Vec<usize>> = sets.map(|&member| self.with_copies(member)).collect();
        for all in &sets {
            if self.taken_of[class] == count {
                return;
            }
            let here = all.iter().filter(|&&at| self.class[at] == class).count();
            if self.taken_of[class] + here <= count && self.can_go(all, wanted) {
                self.put_aside(all);
            }
        }
        if self.taken_of[class] == 0 {
            let possible = sets.iter().filter(|all| self.can_go(all, wanted));
            if let Some(fewest) = possible.min_by_key(|all| all.len()) {
                self.put_aside(fewest);
            }
        }
    }

    fn with_copies(&self, member: usize) -> Vec<usize> {
        self.set[member].map_or_else(|| vec![member], |set| self.copies[&set].clone())
    }

    /// Returns whether these copies of an image may be drawn: all are in wanted classes, none is drawn yet, and each
    /// class keeps at least one image.
    fn can_go(&self, all: &[usize], wanted: &dyn Fn(usize) -> bool) -> bool {
        let mut going: BTreeMap<usize, usize> = BTreeMap::new();
        for &at in all {
            *going.entry(self.class[at]).or_default() += 1;
        }
        let left = |(&class, &going): (&usize, &usize)| {
            wanted(class) && self.taken_of[class] + going < self.counts[class]
        };
        all.iter().all(|&at| !self.taken[at]) && going.iter().all(left)
    }

    fn put_aside(&mut self, all: &[usize]) {
        for &at in all {
            self.taken[at] = true;
            self.taken_of[self.class[at]] += 1;
        }
    }
}
