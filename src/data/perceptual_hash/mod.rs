//! Perceptual fingerprints that find near copies of an image: burst shots, resized or recompressed images.
//!
//! A [`PerceptualHash`] consists of a grid of mean values and a 64-bit difference hash (dHash) of it: each bit says whether a
//! cell is lighter than its neighbour. Two images are near copies if few bits differ *and* the grids agree. Images with
//! too little detail (small, flat or mostly plain, such as drawings) never match.

use image::RgbImage;

/// Side of the grid in cells.
const SIDE: usize = 16;
/// Sides of the coarser grids in cells: of the hash, and of the colours.
const BITS: usize = 8;
const COLOURS: usize = 4;
/// Largest number of sampled pixels along the side of a cell.
const LOOKED_AT: usize = 16;
/// Images with a shorter side have no fingerprint.
pub(super) const SMALLEST: u32 = 48;
/// Images whose cells deviate less from their mean, on average (of 255), have no fingerprint.
const FLATTEST: f32 = 10.0;
/// Cells that differ by at most this much have the same shade.
const SHADE: u8 = 3;

/// Largest number of the 64 bits that may differ.
const BITS_APART: u32 = 10;
/// Largest mean difference of the normalised grids (mean 0, spread 1).
const CELLS_APART: f32 = 0.15;
/// Largest difference of the means, and largest mean difference of the colours (of 255).
const LIGHT_APART: f32 = 40.0;
const COLOURS_APART: f32 = 8.0;
/// Largest ratio of two spreads, and of two aspect ratios.
const SPREADS_APART: f32 = 1.4;
const SHAPES_APART: f32 = 1.03;

/// The fingerprint of an image.
#[derive(Clone, Debug)]
pub(super) struct PerceptualHash {
    pub(super) bits: u64,
    /// Aspect ratio: width / height.
    shape: f32,
    mean: f32,
    /// Mean absolute deviation of the cells.
    spread: f32,
    pub(super) light: [u8; SIDE * SIDE],
    /// Blue and red minus luminance, halved and shifted by 128.
    colours: [u8; 2 * COLOURS * COLOURS],
}

impl PerceptualHash {
    /// Returns the fingerprint of an image; `None` if the image has too little detail to be distinguished from others.
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
            // The neighbour of the last cell in a row is the first.
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

    /// Returns whether too many bits differ. This check is cheap and rejects most pairs.
    pub fn is_strange(&self, other: &Self) -> bool {
        (self.bits ^ other.bits).count_ones() > BITS_APART
    }

    /// Returns whether two images are near copies: both checks agree.
    pub fn is_near(&self, other: &Self) -> bool {
        let within = |a: f32, b: f32, most: f32| a.max(b) <= most * a.min(b);
        if self.is_strange(other)
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
        // The stored differences are halved.
        let colours = 2.0 * colours as f32 / self.colours.len() as f32;
        cells <= CELLS_APART && colours <= COLOURS_APART
    }
}

/// Returns the mean red, green and blue of each cell.
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

/// Returns the means of a coarser grid of N cells.
fn coarser<const N: usize>(cells: &[f32; SIDE * SIDE]) -> [f32; N] {
    let side = N.isqrt();
    let step = SIDE / side;
    std::array::from_fn(|cell| {
        let (top, left) = (cell / side * step, cell % side * step);
        let rows = (top..top + step).flat_map(|y| &cells[y * SIDE + left..y * SIDE + left + step]);
        rows.sum::<f32>() / (step * step) as f32
    })
}

/// Returns whether at least half of the cells have the same shade, as in a drawing or an object on plain background.
fn is_mostly_plain(light: &[u8]) -> bool {
    let mut counts = [0usize; 256];
    for value in light {
        counts[usize::from(*value)] += 1;
    }
    let mut shades = counts.windows(2 * usize::from(SHADE) + 1);
    shades.any(|shade| 2 * shade.iter().sum::<usize>() >= light.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests;
