//! Draws a share of the images of every class, and keeps all copies of an image on the same side.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::near_copies::NearCopySets;
use super::rng::{Purpose, Rng};
use super::source::Sample;
use super::summary::count_per_class;
use crate::message;
use crate::problem::list_value;
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
    pub undrawn_classes: Vec<usize>,
    /// Classes from which no image was drawn because they have only one.
    pub single_image_classes: Vec<usize>,
}

impl Draw<'_> {
    /// Removes and returns the share of each `wanted` class from `samples`, which are sorted by class. Without any
    /// copies, the result is that of independent draws.
    pub fn draw_from(
        &self,
        samples: &mut Vec<Sample>,
        wanted: impl Fn(usize) -> bool,
    ) -> DrawResult {
        let mut sampler = SplitSampler::new(samples, self);
        let mut independent = vec![false; samples.len()];
        let (mut start, mut requested, mut single_image_classes) = (0, Vec::new(), Vec::new());
        for (class, count) in sampler.counts.clone().into_iter().enumerate() {
            let mut members: Vec<usize> = (start..start + count).collect();
            start += count;
            if !wanted(class) || count == 0 || self.share == 0.0 {
                continue;
            }
            if count == 1 {
                single_image_classes.push(class);
                continue;
            }
            let target = ((count as f64 * self.share).round() as usize).clamp(1, count - 1);
            Rng::new(Purpose::Split, self.seed, class as u64, 0).shuffle(&mut members);
            for &member in &members[..target] {
                independent[member] = true;
            }
            sampler.draw_class(class, &members, target, &wanted);
            requested.push(class);
        }
        requested.retain(|&class| sampler.drawn_per_class[class] == 0);
        let taken = sampler.drawn;
        let moved = taken.iter().zip(&independent).filter(|(a, b)| a != b).count();
        let (mut remaining, mut drawn) = (Vec::new(), Vec::new());
        for (sample, taken) in std::mem::take(samples).into_iter().zip(taken) {
            if taken { &mut drawn } else { &mut remaining }.push(sample);
        }
        *samples = remaining;
        DrawResult { samples: drawn, moved, undrawn_classes: requested, single_image_classes }
    }

    /// Returns sentences on the effect of keeping copies together and on classes without drawn images, to follow the
    /// sentence on the draw; `names` are those of the classes.
    pub fn summary(&self, drawn: &DrawResult, names: &[String]) -> Option<Message> {
        let list = |classes: &[usize]| {
            let named: Vec<&String> = classes.iter().map(|&class| &names[class]).collect();
            (!named.is_empty()).then(|| list_value(&named, 5))
        };
        let undrawn = list(&drawn.undrawn_classes)
            .map(|classes| message!("remark-classes-not-held-out", classes));
        // If no image at all was drawn, the sentence on the draw says so.
        let single = list(&drawn.single_image_classes)
            .filter(|_| !drawn.samples.is_empty())
            .map(|classes| message!("remark-single-images-not-held-out", classes));
        let sentences = [self.moved_summary(drawn), undrawn, single];
        sentences.into_iter().flatten().reduce(|all, next| all.followed_by(Some(next)))
    }

    fn moved_summary(&self, drawn: &DrawResult) -> Option<Message> {
        let copies = self.copies?;
        if copies.is_empty() && !drawn.samples.is_empty() {
            return Some(message!("remark-duplicates-not-searched"));
        }
        let id = match copies.has_near() {
            true => "remark-near-copies-moved",
            false => "remark-copies-moved",
        };
        (drawn.moved > 0).then(|| message!(id, n = drawn.moved))
    }
}

/// The state of a draw.
struct SplitSampler {
    /// The class of every image.
    class_of: Vec<usize>,
    /// Number of images of every class.
    counts: Vec<usize>,
    /// Indices of all images of a set of copies, by set.
    copies: HashMap<usize, Vec<usize>>,
    /// The set of each image, if the image was checked.
    set_index: Vec<Option<usize>>,
    /// Whether each image was drawn.
    drawn: Vec<bool>,
    /// Number of drawn images of every class.
    drawn_per_class: Vec<usize>,
}

impl SplitSampler {
    fn new(samples: &[Sample], draw: &Draw<'_>) -> Self {
        let set_of = |sample| draw.copies.and_then(|copies| copies.set_of(sample));
        let set: Vec<Option<usize>> = samples.iter().map(set_of).collect();
        let mut copies: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, set) in set.iter().enumerate() {
            if let Some(set) = set {
                copies.entry(*set).or_default().push(at);
            }
        }
        Self {
            class_of: samples.iter().map(|s| s.class as usize).collect(),
            counts: count_per_class(samples, draw.classes),
            copies,
            set_index: set,
            drawn: vec![false; samples.len()],
            drawn_per_class: vec![0; draw.classes],
        }
    }

    /// Draws `count` of a class's `members` in this order, together with their copies. Fewer are drawn if copies would
    /// exceed `count`, but at least one image if that leaves another one for training.
    fn draw_class(
        &mut self,
        class: usize,
        members: &[usize],
        count: usize,
        wanted: &dyn Fn(usize) -> bool,
    ) {
        // Each set of copies is tried only once: there may be thousands of copies, and the result would be the same.
        let mut tried = HashSet::new();
        let sets = members
            .iter()
            .filter(|&&member| self.set_index[member].is_none_or(|set| tried.insert(set)));
        let sets: Vec<Vec<usize>> = sets.map(|&member| self.with_copies(member)).collect();
        for copies in &sets {
            if self.drawn_per_class[class] == count {
                return;
            }
            let in_class = copies.iter().filter(|&&at| self.class_of[at] == class).count();
            if self.drawn_per_class[class] + in_class <= count && self.can_draw(copies, wanted) {
                self.mark_drawn(copies);
            }
        }
        if self.drawn_per_class[class] == 0 {
            let possible = sets.iter().filter(|all| self.can_draw(all, wanted));
            if let Some(smallest) = possible.min_by_key(|all| all.len()) {
                self.mark_drawn(smallest);
            }
        }
    }

    fn with_copies(&self, member: usize) -> Vec<usize> {
        self.set_index[member].map_or_else(|| vec![member], |set| self.copies[&set].clone())
    }

    /// Returns whether these copies of an image may be drawn: all are in wanted classes, none is drawn yet, and each
    /// class keeps at least one image.
    fn can_draw(&self, copies: &[usize], wanted: &dyn Fn(usize) -> bool) -> bool {
        let mut drawn_by_class: BTreeMap<usize, usize> = BTreeMap::new();
        for &at in copies {
            *drawn_by_class.entry(self.class_of[at]).or_default() += 1;
        }
        let leaves_one = |(&class, &count): (&usize, &usize)| {
            wanted(class) && self.drawn_per_class[class] + count < self.counts[class]
        };
        copies.iter().all(|&at| !self.drawn[at]) && drawn_by_class.iter().all(leaves_one)
    }

    fn mark_drawn(&mut self, copies: &[usize]) {
        for &at in copies {
            self.drawn[at] = true;
            self.drawn_per_class[self.class_of[at]] += 1;
        }
    }
}
