//! Perceptual fingerprints that find near copies of an image: burst shots, resized or recompressed images.
//!
//! A [`PerceptualHash`] consists of a grid of mean values and a 64-bit difference hash (dHash) of it: each bit says whether a
//! cell is lighter than its neighbour. Two images are near copies if few bits differ *and* the grids agree. Images with
//! too little detail (small, flat or mostly plain, such as drawings) never match.

use image::RgbImage;

/// Side of the grid in cells.
const GRID_SIDE: usize = 16;
/// Sides of the coarser grids in cells: of the hash, and of the colours.
const HASH_SIDE: usize = 8;
const COLOUR_SIDE: usize = 4;
/// Largest number of sampled pixels along the side of a cell.
const MAX_SAMPLES_PER_CELL_SIDE: usize = 16;
/// Images with a shorter side have no fingerprint.
pub(super) const MIN_SIDE: u32 = 48;
/// Images whose cells deviate less from their mean, on average (of 255), have no fingerprint.
const MIN_SPREAD: f32 = 10.0;
/// Cells that differ by at most this much have the same shade.
const SHADE: u8 = 3;

/// Largest number of the 64 bits that may differ.
const MAX_BIT_DIFFERENCE: u32 = 10;
/// Largest mean difference of the normalised grids (mean 0, spread 1).
const MAX_CELL_DIFFERENCE: f32 = 0.15;
/// Largest difference of the means, and largest mean difference of the colours (of 255).
const MAX_MEAN_DIFFERENCE: f32 = 40.0;
const MAX_COLOUR_DIFFERENCE: f32 = 8.0;
/// Largest ratio of two spreads, and of two aspect ratios.
const MAX_SPREAD_RATIO: f32 = 1.4;
const MAX_ASPECT_RATIO: f32 = 1.03;

/// The fingerprint of an image.
#[derive(Clone, Debug)]
pub(super) struct PerceptualHash {
    pub(super) bits: u64,
    /// Aspect ratio: width / height.
    aspect_ratio: f32,
    mean: f32,
    /// Mean absolute deviation of the cells.
    spread: f32,
    pub(super) luma: [u8; GRID_SIDE * GRID_SIDE],
    /// Blue and red minus luminance, halved and shifted by 128.
    colours: [u8; 2 * COLOUR_SIDE * COLOUR_SIDE],
}

impl PerceptualHash {
    /// Returns the fingerprint of an image; `None` if the image has too little detail to be distinguished from others.
    pub fn new(image: &RgbImage) -> Option<Self> {
        let (width, height) = image.dimensions();
        if width.min(height) < MIN_SIDE {
            return None;
        }
        let cells = mean_cells(image);
        let luma = cells.map(|[r, g, b]| (0.299 * r + 0.587 * g + 0.114 * b) as u8);
        let mean = luma.iter().map(|v| f32::from(*v)).sum::<f32>() / luma.len() as f32;
        let deviation = |v: &u8| (f32::from(*v) - mean).abs();
        let spread = luma.iter().map(deviation).sum::<f32>() / luma.len() as f32;
        if spread < MIN_SPREAD || is_mostly_plain(&luma) {
            return None;
        }
        let coarse: [f32; HASH_SIDE * HASH_SIDE] = downsample(&luma.map(f32::from));
        let mut bits = 0;
        for (index, value) in coarse.iter().enumerate() {
            // The neighbour of the last cell in a row is the first.
            let (row, column) = (index / HASH_SIDE, index % HASH_SIDE);
            let next = coarse[row * HASH_SIDE + (column + 1) % HASH_SIDE];
            bits |= u64::from(*value > next) << index;
        }
        let mut colours = [0; 2 * COLOUR_SIDE * COLOUR_SIDE];
        for (half, channel) in [2, 0].into_iter().enumerate() {
            let difference = |[r, g, b]: [f32; 3]| {
                let light = 0.299 * r + 0.587 * g + 0.114 * b;
                [r, g, b][channel] - light
            };
            let coarse: [f32; COLOUR_SIDE * COLOUR_SIDE] = downsample(&cells.map(difference));
            for (target, value) in
                colours[half * COLOUR_SIDE * COLOUR_SIDE..].iter_mut().zip(coarse)
            {
                *target = (value / 2.0 + 128.0) as u8;
            }
        }
        Some(Self { bits, aspect_ratio: width as f32 / height as f32, mean, spread, luma, colours })
    }

    /// Returns whether too many bits differ. This check is cheap and rejects most pairs.
    pub fn is_clearly_different(&self, other: &Self) -> bool {
        (self.bits ^ other.bits).count_ones() > MAX_BIT_DIFFERENCE
    }

    /// Returns whether two images are near copies: both checks agree.
    pub fn is_near_copy(&self, other: &Self) -> bool {
        let within = |a: f32, b: f32, max_ratio: f32| a.max(b) <= max_ratio * a.min(b);
        if self.is_clearly_different(other)
            || !within(self.aspect_ratio, other.aspect_ratio, MAX_ASPECT_RATIO)
            || !within(self.spread, other.spread, MAX_SPREAD_RATIO)
            || (self.mean - other.mean).abs() > MAX_MEAN_DIFFERENCE
        {
            return false;
        }
        let pairs = self.luma.iter().zip(&other.luma);
        let differences = pairs.map(|(a, b)| {
            let a = (f32::from(*a) - self.mean) / self.spread;
            (a - (f32::from(*b) - other.mean) / other.spread).abs()
        });
        let cells = differences.sum::<f32>() / self.luma.len() as f32;
        let colours = self.colours.iter().zip(&other.colours);
        let colours: u32 = colours.map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        // The stored differences are halved.
        let colours = 2.0 * colours as f32 / self.colours.len() as f32;
        cells <= MAX_CELL_DIFFERENCE && colours <= MAX_COLOUR_DIFFERENCE
    }
}

/// Returns the mean red, green and blue of each cell.
fn mean_cells(image: &RgbImage) -> [[f32; 3]; GRID_SIDE * GRID_SIDE] {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let pixels = image.as_raw();
    let range = |cell: usize, side: usize| {
        let (from, to) = (cell * side / GRID_SIDE, (cell + 1) * side / GRID_SIDE);
        (from..to).step_by(((to - from) / MAX_SAMPLES_PER_CELL_SIDE).max(1))
    };
    std::array::from_fn(|cell| {
        let (mut sum, mut count) = ([0u32; 3], 0u32);
        for y in range(cell / GRID_SIDE, height) {
            for x in range(cell % GRID_SIDE, width) {
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

/// Returns the means of a coarser grid of N cells.
fn downsample<const N: usize>(cells: &[f32; GRID_SIDE * GRID_SIDE]) -> [f32; N] {
    let side = N.isqrt();
    let step = GRID_SIDE / side;
    std::array::from_fn(|cell| {
        let (top, left) = (cell / side * step, cell % side * step);
        let rows = (top..top + step)
            .flat_map(|y| &cells[y * GRID_SIDE + left..y * GRID_SIDE + left + step]);
        rows.sum::<f32>() / (step * step) as f32
    })
}

/// Returns whether at least half of the cells have the same shade, as in a drawing or an object on plain background.
fn is_mostly_plain(luma: &[u8]) -> bool {
    let mut counts = [0usize; 256];
    for value in luma {
        counts[usize::from(*value)] += 1;
    }
    let mut shades = counts.windows(2 * usize::from(SHADE) + 1);
    shades.any(|shade| 2 * shade.iter().sum::<usize>() >= luma.len())
}

#[cfg(test)]
pub(super) mod tests;
