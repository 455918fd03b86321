//! The tiles for each class of products on this GPU. The self-test checks and times all tiles once per GPU, since each
//! GPU has others that are fastest. Tiles change the speed of a product, not its result.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use burn::backend::Cube;
use burn::tensor::{Device, Tensor, TensorData};
use burn_cubecl::tensor::CubeTensor;
use serde::{Deserialize, Serialize};

use super::glue::constant;
use super::kernel::empty;
use super::product::{Product, Size, Stored, Tiles};
use super::{Extra, launch_with};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Products of similar shape, for which the same tiles are fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Many rows and at least 512 columns.
    Wide,
    /// The same with a transposed right matrix, as for a gradient.
    WideTransposed,
    /// Many rows and fewer columns.
    Narrow,
    /// The same with a transposed right matrix.
    NarrowTransposed,
    /// For each head q·kᵀ.
    Scores,
    /// For each head p·v.
    Mixed,
    /// For each head pᵀ·g.
    MixedTransposed,
}

/// Each class, with the sizes m, k, n and the batch of a typical product (ViT-B with 24 images).
const CLASSES: [(Class, [usize; 3], usize); 7] = [
    (Class::Wide, [4728, 768, 3072], 1),
    (Class::WideTransposed, [4728, 3072, 768], 1),
    (Class::Narrow, [4728, 768, 192], 1),
    (Class::NarrowTransposed, [4728, 768, 192], 1),
    (Class::Scores, [197, 64, 197], 288),
    (Class::Mixed, [197, 197, 64], 288),
    (Class::MixedTransposed, [197, 197, 64], 288),
];

impl Class {
    /// Returns the class of a product with m, n and k, or `None` if it is too small for tiles to matter.
    pub fn new(product: &Product, [m, n, _]: [usize; 3], batch: usize) -> Option<Self> {
        let transposed = [product.a.transposed, product.b.transposed];
        match (batch, transposed) {
            (1, [false, false]) if m >= 1024 && n >= 512 => Some(Self::Wide),
            (1, [false, true]) if m >= 1024 && n >= 512 => Some(Self::WideTransposed),
            (1, [false, false]) if m >= 1024 && n >= 64 => Some(Self::Narrow),
            (1, [false, true]) if m >= 1024 && n >= 64 => Some(Self::NarrowTransposed),
            (16.., [false, true]) if m >= 32 && n >= 32 => Some(Self::Scores),
            (16.., [false, false]) if m >= 32 && n >= 32 => Some(Self::Mixed),
            (16.., [true, false]) if m >= 32 && n >= 32 => Some(Self::MixedTransposed),
            _ => None,
        }
    }

    /// Whether the left and the right matrix are transposed.
    fn is_transposed(self) -> [bool; 2] {
        match self {
            Self::Wide | Self::Narrow | Self::Mixed => [false, false],
            Self::WideTransposed | Self::NarrowTransposed | Self::Scores => [false, true],
            Self::MixedTransposed => [true, false],
        }
    }
}

/// The fastest tiles of each class, by their names.
pub type Plans = BTreeMap<Class, String>;

static PLANS: RwLock<BTreeMap<Class, Tiles>> = RwLock::new(BTreeMap::new());

/// Sets the tiles for all products of this process. Unknown names are ignored.
pub fn set_plans(plans: &Plans) {
    let known = plans.iter();
    let known = known.filter_map(|(class, name)| Some((*class, Tiles::named(name)?)));
    *PLANS.write().unwrap_or_else(PoisonError::into_inner) = known.collect();
}

/// Returns the tiles of a product with m, n and k: those measured for its class, or the default.
pub fn choose_tiles(product: &Product, sizes: [usize; 3], batch: usize) -> Tiles {
    let plans = PLANS.read().unwrap_or_else(PoisonError::into_inner);
    let plan = Class::new(product, sizes, batch).and_then(|class| plans.get(&class));
    plan.copied()
        .unwrap_or_else(|| Tiles::for_sizes(sizes, batch))
}

/// A batch of products with its operands on the device.
struct Trial {
    product: Product,
    sizes: [usize; 3],
    batch: usize,
    operands: [CubeTensor; 2],
    out: CubeTensor,
}

impl Trial {
    /// Makes matrices m × k and k × n with values from −1 to 1. `a` and `b` say which of them is stored transposed.
    fn new(
        [m, k, n]: [usize; 3],
        batch: usize,
        [a, b]: [bool; 2],
        device: &Device,
    ) -> Result<Self> {
        let place = |[rows, columns]: [usize; 2], seed: u32| {
            let values = (0..(batch * rows * columns) as u32).map(|i| {
                // A multiplicative hash spreads the values evenly.
                let mixed = (i.wrapping_add(seed)).wrapping_mul(2_654_435_761) >> 8;
                mixed as f32 / (1u32 << 23) as f32 - 1.0
            });
            let data = TensorData::new(values.collect::<Vec<f32>>(), [batch * rows, columns]);
            constant(&Tensor::<2>::from_data(data, device))
                .ok_or_else(|| Problem::new("this device does not run the program's own kernels"))
        };
        let lay_out = |transposed: bool, [rows, columns]: [usize; 2]| match transposed {
            true => ([columns, rows], Stored::column_major(rows)),
            false => ([rows, columns], Stored::row_major(columns)),
        };
        let (shape_a, stored_a) = lay_out(a, [m, k]);
        let (shape_b, stored_b) = lay_out(b, [k, n]);
        let operands = [place(shape_a, 1)?, place(shape_b, 99)?];
        let out = empty(&operands[0], &[batch * m, n]);
        let batched = |stored: Stored, size: usize| stored.batched(0, size);
        let rows = match batch {
            1 => Size::Rows,
            _ => Size::Fixed(m as u32),
        };
        let stored = [batched(stored_a, m * k), batched(stored_b, k * n)];
        let product = Product {
            inner: batch as u32,
            out: Stored::row_major(n).batched(0, m * n),
            ..Product::new([rows, Size::Fixed(k as u32)], n, stored)
        };
        let sizes = [m, k, n];
        Ok(Self {
            product,
            sizes,
            batch,
            operands,
            out,
        })
    }

    fn launch(&self, tiles: Tiles) {
        let [m, k, _] = self.sizes;
        let [a, b] = &self.operands;
        let buffers = [a, b, &self.out];
        launch_with(
            self.product,
            tiles,
            [m, k],
            self.batch,
            buffers,
            Extra::default(),
        );
    }

    /// Seconds of one launch: the shortest of those that fit into `MEASURED`, in rounds of ten where they are short.
    fn time(&self, tiles: Tiles) -> Result<f64> {
        const MEASURED: Duration = Duration::from_millis(30);
        // The first launch compiles the kernel.
        self.launch(tiles);
        self.wait()?;
        let mut launches = 1;
        let mut best = f64::INFINITY;
        let all = Instant::now();
        loop {
            let began = Instant::now();
            for _ in 0..launches {
                self.launch(tiles);
            }
            self.wait()?;
            let time = began.elapsed().as_secs_f64() / f64::from(launches);
            best = best.min(time);
            if all.elapsed() > MEASURED {
                return Ok(best);
            }
            launches = 10;
        }
    }

    /// Waits until the device has computed all that was launched.
    fn wait(&self) -> Result<()> {
        let out = Tensor::<2>::from_primitive::<Cube>(self.out.clone());
        HostTensor::read(&out.slice([0..1, 0..1])).map(|_| ())
    }
}

/// Largest error of a product, relative to its largest value.
const TOLERANCE: f64 = 2e-5;

/// Computes products of odd sizes with all tiles and all layouts; returns the largest relative error.
///
/// # Errors
/// Returns a Problem that names the tiles whose product is wrong.
pub fn check_tiles(device: &Device) -> Result<f64> {
    const SIZES: [usize; 3] = [150, 70, 137];
    let mut worst = 0f64;
    for transposed in [[false, false], [false, true], [true, false], [true, true]] {
        let trial = Trial::new(SIZES, 2, transposed, device)?;
        let expected = trial.expected()?;
        for tiles in Tiles::ALL {
            trial.launch(tiles);
            let error = read(&trial.out)?.relative_error(&expected);
            if error > TOLERANCE {
                let name = tiles.name();
                return Err(Problem::new(format!(
                    "a product with tiles {name} is off by {error:.1e} of its largest value"
                )));
            }
            worst = worst.max(error);
        }
    }
    Ok(worst)
}

/// Copies a matrix from its device; waits for the device.
fn read(matrix: &CubeTensor) -> Result<HostTensor> {
    HostTensor::read(&Tensor::<2>::from_primitive::<Cube>(matrix.clone()))
}

impl Trial {
    /// The product in f64 on the processor.
    fn expected(&self) -> Result<HostTensor> {
        let [m, k, n] = self.sizes;
        let [a, b] = &self.operands;
        let [a, b] = [read(a)?.values, read(b)?.values];
        let at = |stored: Stored, z: usize, row: usize, column: usize| {
            let (line, place) = match stored.transposed {
                true => (column, row),
                false => (row, column),
            };
            z * stored.inner as usize + line * stored.lead as usize + place
        };
        let value = |index: usize| {
            let (z, i, j) = (index / (m * n), index / n % m, index % n);
            let product = |l: usize| {
                let x = a[at(self.product.a, z, i, l)];
                let y = b[at(self.product.b, z, l, j)];
                f64::from(x) * f64::from(y)
            };
            (0..k).map(product).sum::<f64>() as f32
        };
        Ok(HostTensor {
            shape: vec![self.batch * m, n],
            values: (0..self.batch * m * n).map(value).collect(),
        })
    }
}

/// Times all tiles for each class and returns the fastest. Classes that the time limit does not allow are skipped.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn measure_plans(device: &Device, limit: Duration) -> Result<Plans> {
    let began = Instant::now();
    let mut plans = Plans::new();
    for (class, sizes, batch) in CLASSES {
        let trial = Trial::new(sizes, batch, class.is_transposed(), device)?;
        let mut fastest: Option<(Tiles, f64)> = None;
        for tiles in Tiles::ALL {
            if began.elapsed() > limit {
                return Ok(plans);
            }
            let time = trial.time(tiles)?;
            tracing::info!(
                "{class:?} with tiles {}: {:.3} ms",
                tiles.name(),
                time * 1e3
            );
            if fastest.is_none_or(|(_, best)| time < best) {
                fastest = Some((tiles, time));
            }
        }
        plans.extend(fastest.map(|(tiles, _)| (class, tiles.name())));
    }
    Ok(plans)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_that_of_its_own_product() {
        for (class, [m, k, n], batch) in CLASSES {
            let lay_out = |transposed: bool| match transposed {
                true => Stored::column_major(8),
                false => Stored::row_major(8),
            };
            let stored = class.is_transposed().map(lay_out);
            let sizes = [Size::Fixed(m as u32), Size::Fixed(k as u32)];
            let product = Product::new(sizes, n, stored);
            assert_eq!(Class::new(&product, [m, n, k], batch), Some(class));
        }
    }

    #[test]
    fn plans_are_read_by_the_names_of_tiles() {
        for tiles in Tiles::ALL {
            assert_eq!(Tiles::named(&tiles.name()), Some(tiles));
        }
        assert_eq!(Tiles::named("7x7x7 of 1x1"), None);
        let plans: Plans = [(Class::Scores, Tiles::ALL[0].name())].into();
        let text = toml::to_string(&plans).unwrap();
        assert_eq!(toml::from_str::<Plans>(&text).unwrap(), plans);
    }
}
