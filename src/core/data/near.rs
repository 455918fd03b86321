//! Copies of a picture, the near ones too: frames of a burst, resized or newly compressed pictures.
//!
//! A picture's [`Gist`] is a grid of means and 64 bits of it, each telling whether a cell is lighter than its
//! neighbour. Two pictures count as near copies where few bits differ *and* the grids agree. Pairs are looked for among
//! neighbours in the bits' sorted order, from several beginnings, so the cost grows with n·log n whatever the pictures
//! are. What says little is nobody's near copy: small, flat or mostly plain pictures, such as drawings.

use std::collections::HashMap;

use image::RgbImage;
use rayon::prelude::*;

use super::check::{Known, Print};
use super::source::{Sample, Source};
use super::{NearCopies, Twin};
use crate::counts::counted;

/// Cells of a side of the grid.
const SIDE: usize = 16;
/// Cells of a side of the coarse grids: that of the bits, and that of the colours.
const BITS: usize = 8;
const COLOURS: usize = 4;
/// Pixels of a cell's side that are looked at, at most.
const LOOKED_AT: usize = 16;
/// Pictures whose shorter side has fewer pixels say too little.
const SMALLEST: u32 = 48;
/// So do those whose cells are closer to their mean, on average, of 255 steps.
const FLATTEST: f32 = 10.0;
/// Cells that are no further apart than this count as one shade of ground.
const SHADE: u8 = 3;

/// Bits of 64 that may differ.
const BITS_APART: u32 = 10;
/// Mean difference of the grids, each less its mean and in units of its own spread.
const CELLS_APART: f32 = 0.15;
/// Difference of the means, and mean difference of the colours, of 255 steps.
const LIGHT_APART: f32 = 40.0;
const COLOURS_APART: f32 = 8.0;
/// Larger share of two spreads, and of two ratios of width to height, in the smaller.
const SPREADS_APART: f32 = 1.4;
const SHAPES_APART: f32 = 1.03;

/// Pictures of a set that near copies make, at most: a chain of a film's frames ends there.
const MOST: usize = 100;
/// Bits from one beginning of the sorted order to the next, and neighbours that are compared in each.
const STEP: u32 = 4;
const NEIGHBOURS: usize = 32;

/// What is left of a picture at the size of a stamp.
#[derive(Clone, Debug)]
pub(super) struct Gist {
    bits: u64,
    /// Width by height.
    shape: f32,
    mean: f32,
    /// Mean distance of the cells from their mean.
    spread: f32,
    light: [u8; SIDE * SIDE],
    /// Blue and red less light, around 128.
    colours: [u8; 2 * COLOURS * COLOURS],
}

impl Gist {
    /// That of a picture; none where it says too little to be told from others of its kind.
    pub fn of(picture: &RgbImage) -> Option<Self> {
        let (width, height) = picture.dimensions();
        if width.min(height) < SMALLEST {
            return None;
        }
        let cells = cells(picture);
        let light = cells.map(|[r, g, b]| (0.299 * r + 0.587 * g + 0.114 * b) as u8);
        let mean = light.iter().map(|v| f32::from(*v)).sum::<f32>() / light.len() as f32;
        let far = |v: &u8| (f32::from(*v) - mean).abs();
        let spread = light.iter().map(far).sum::<f32>() / light.len() as f32;
        if spread < FLATTEST || is_mostly_plain(&light) {
            return None;
        }
        let coarse: [f32; BITS * BITS] = coarser(&light.map(f32::from));
        let mut bits = 0;
        for (at, value) in coarse.iter().enumerate() {
            // The last cell of a row has the first for its neighbour.
            let (row, column) = (at / BITS, at % BITS);
            let next = coarse[row * BITS + (column + 1) % BITS];
            bits |= u64::from(*value > next) << at;
        }
        let mut colours = [0; 2 * COLOURS * COLOURS];
        for (half, channel) in [2, 0].into_iter().enumerate() {
            let less = |[r, g, b]: [f32; 3]| {
                let light = 0.299 * r + 0.587 * g + 0.114 * b;
                [r, g, b][channel] - light
            };
            let coarse: [f32; COLOURS * COLOURS] = coarser(&cells.map(less));
            for (into, value) in colours[half * COLOURS * COLOURS..].iter_mut().zip(coarse) {
                *into = (value / 2.0 + 128.0) as u8;
            }
        }
        Some(Self {
            bits,
            shape: width as f32 / height as f32,
            mean,
            spread,
            light,
            colours,
        })
    }

    /// Whether two pictures are near copies: both checks agree.
    fn is_near(&self, other: &Self) -> bool {
        let within = |a: f32, b: f32, most: f32| a.max(b) <= most * a.min(b);
        if (self.bits ^ other.bits).count_ones() > BITS_APART
            || !within(self.shape, other.shape, SHAPES_APART)
            || !within(self.spread, other.spread, SPREADS_APART)
            || (self.mean - other.mean).abs() > LIGHT_APART
        {
            return false;
        }
        let pairs = self.light.iter().zip(&other.light);
        let apart = pairs.map(|(a, b)| {
            let a = (f32::from(*a) - self.mean) / self.spread;
            (a - (f32::from(*b) - other.mean) / other.spread).abs()
        });
        let cells = apart.sum::<f32>() / self.light.len() as f32;
        let colours = self.colours.iter().zip(&other.colours);
        let colours: u32 = colours.map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        // Their steps are halved where they are kept.
        let colours = 2.0 * colours as f32 / self.colours.len() as f32;
        cells <= CELLS_APART && colours <= COLOURS_APART
    }
}

/// Mean red, green and blue of every cell.
fn cells(picture: &RgbImage) -> [[f32; 3]; SIDE * SIDE] {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixels = picture.as_raw();
    let range = |cell: usize, side: usize| {
        let (from, to) = (cell * side / SIDE, (cell + 1) * side / SIDE);
        (from..to).step_by(((to - from) / LOOKED_AT).max(1))
    };
    std::array::from_fn(|cell| {
        let (mut sum, mut count) = ([0u32; 3], 0u32);
        for y in range(cell / SIDE, height) {
            for x in range(cell % SIDE, width) {
                let at = (y * width + x) * 3;
                for (sum, value) in sum.iter_mut().zip(&pixels[at..at + 3]) {
                    *sum += u32::from(*value);
                }
                count += 1;
            }
        }
        sum.map(|sum| sum as f32 / count.max(1) as f32)
    })
}

/// The means of a coarser grid of N cells.
fn coarser<const N: usize>(cells: &[f32; SIDE * SIDE]) -> [f32; N] {
    let side = N.isqrt();
    let step = SIDE / side;
    std::array::from_fn(|cell| {
        let (top, left) = (cell / side * step, cell % side * step);
        let rows = (top..top + step).flat_map(|y| &cells[y * SIDE + left..y * SIDE + left + step]);
        rows.sum::<f32>() / (step * step) as f32
    })
}

/// Whether half of the cells or more are one shade: a drawing, or a thing on plain ground.
fn is_mostly_plain(light: &[u8]) -> bool {
    let mut counts = [0usize; 256];
    for value in light {
        counts[usize::from(*value)] += 1;
    }
    let mut shades = counts.windows(2 * usize::from(SHADE) + 1);
    shades.any(|shade| 2 * shade.iter().sum::<usize>() >= light.len())
}

/// Which pictures are copies of one another.
#[derive(Default)]
pub(super) struct Kin {
    /// The set of each picture that has a print.
    set: HashMap<Source, usize>,
    /// Sets that near copies are in, each in the order of the samples.
    near: Vec<Vec<Source>>,
    /// Whether a set would have gone on.
    cut: bool,
}

impl Kin {
    /// Of pictures that were looked at; `near` lets near copies count as copies.
    pub fn of<'a>(samples: impl Iterator<Item = &'a Sample>, known: &Known, near: bool) -> Self {
        let mut number: HashMap<Print, usize> = HashMap::new();
        let mut of_print: Vec<Vec<&Sample>> = Vec::new();
        for sample in samples {
            if let Some(print) = known.prints.get(&sample.source) {
                let next = number.len();
                let at = *number.entry(*print).or_insert(next);
                of_print.resize_with(number.len(), Vec::new);
                of_print[at].push(sample);
            }
        }
        let mut sets = Sets::new(of_print.len());
        if near {
            let gists: Vec<_> = of_print
                .par_iter()
                .map(|copies| gist_of(copies[0], known))
                .collect();
            sets.join(&gists);
        }
        let mut kin = Self {
            cut: sets.cut,
            ..Self::default()
        };
        let mut near: HashMap<usize, Vec<Source>> = HashMap::new();
        for (at, copies) in of_print.iter().enumerate() {
            let set = sets.find(at);
            for sample in copies {
                kin.set.insert(sample.source.clone(), set);
            }
            if sets.size[set] > 1 {
                let sources = copies.iter().map(|sample| sample.source.clone());
                near.entry(set).or_default().extend(sources);
            }
        }
        let mut near: Vec<(usize, Vec<Source>)> = near.into_iter().collect();
        near.sort_by_key(|(set, _)| *set);
        kin.near = near.into_iter().map(|(_, sources)| sources).collect();
        kin
    }

    /// Whether no picture was looked at.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The set of a picture.
    pub fn set_of(&self, sample: &Sample) -> Option<usize> {
        self.set.get(&sample.source).copied()
    }

    /// Whether copies are near ones, too.
    pub fn has_near(&self) -> bool {
        !self.near.is_empty()
    }

    /// The sets with near copies in them, as files of both splits.
    pub fn told(&self, classes: &[String], splits: [(&str, &[Sample]); 2]) -> Vec<NearCopies> {
        if self.near.is_empty() {
            return Vec::new();
        }
        let mut place: HashMap<&Source, (&str, &Sample)> = HashMap::new();
        for (split, samples) in splits {
            let all = samples.iter();
            place.extend(all.map(|sample| (&sample.source, (split, sample))));
        }
        let twin = |source: &Source| {
            let (split, sample) = place.get(source)?;
            Some(Twin {
                split: (*split).to_owned(),
                class: classes[sample.class as usize].clone(),
                file: sample.name(),
            })
        };
        let sets = self.near.iter();
        let sets = sets.map(|set| NearCopies(set.iter().filter_map(twin).collect()));
        sets.filter(|set| set.0.len() > 1).collect()
    }

    /// How many there are, as a sentence; none where there are none.
    pub fn words(&self) -> Option<String> {
        let pictures = self.near.iter().map(Vec::len).sum();
        let cut = match self.cut {
            true => format!(" A set ends at {MOST} pictures, and some would go on."),
            false => String::new(),
        };
        (pictures > 0).then(|| {
            format!(
                "{} of near copies ({}: frames of a burst, resized or newly compressed pictures) count as copies when a split is drawn.{cut}",
                counted(self.near.len(), "set"),
                counted(pictures, "picture"),
            )
        })
    }
}

/// That of a sample, noted when its file was looked at; pictures in memory are looked at now.
fn gist_of(sample: &Sample, known: &Known) -> Option<Gist> {
    match &sample.source {
        Source::File { .. } => known.gists.get(&sample.source).cloned(),
        Source::Record { records, .. } => {
            let small = records.width.min(records.height) < SMALLEST as usize;
            if small {
                None
            } else {
                Gist::of(&sample.decode().ok()?)
            }
        }
    }
}

/// Sets of pictures that grow together.
struct Sets {
    parent: Vec<usize>,
    /// Pictures of a set, at its root.
    size: Vec<usize>,
    cut: bool,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
            size: vec![1; count],
            cut: false,
        }
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Joins what is near: every picture with its neighbours, sorted by bits from several beginnings.
    fn join(&mut self, gists: &[Option<Gist>]) {
        let mut order: Vec<(usize, &Gist)> = gists
            .iter()
            .enumerate()
            .filter_map(|(at, gist)| Some((at, gist.as_ref()?)))
            .collect();
        for first in (0..u64::BITS).step_by(STEP as usize) {
            order.sort_by_key(|(at, gist)| (gist.bits.rotate_left(first), *at));
            for (place, (one, gist)) in order.iter().enumerate() {
                for (other, its) in order[place + 1..].iter().take(NEIGHBOURS) {
                    self.meet((*one, gist), (*other, its));
                }
            }
        }
    }

    fn meet(&mut self, (one, gist): (usize, &Gist), (other, its): (usize, &Gist)) {
        // The cheapest question first: most neighbours are strangers.
        if (gist.bits ^ its.bits).count_ones() > BITS_APART {
            return;
        }
        let (a, b) = (self.find(one), self.find(other));
        let full = a != b && self.size[a] + self.size[b] > MOST;
        // That one would go on is known by now.
        if a == b || (full && self.cut) || !gist.is_near(its) {
            return;
        }
        if full {
            self.cut = true;
            return;
        }
        let (root, leaf) = (a.min(b), a.max(b));
        self.parent[leaf] = root;
        self.size[root] += self.size[leaf];
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
