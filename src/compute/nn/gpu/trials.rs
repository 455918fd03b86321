//! Checks and times the tiles of products on this GPU, for the self-test.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use burn::backend::Cube;
use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_cubecl::tensor::CubeTensor;
use half::f16;

use super::autodiff::constant_weight;
use super::kernel::empty;
use super::plans::{CLASSES, Plans};
use super::product::{self, Activation, Fragments, MatrixLayout, Product, Size, Tiles};
use super::{EpilogueTensors, LEFT_GRADIENT, NO_GRADIENT, RIGHT_GRADIENT, launch_with};
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// Largest error of a product, relative to the largest value of the result.
const TOLERANCE: f64 = 2e-5;
/// Largest relative error of a product that may round its operands to f16.
const ROUNDED_TOLERANCE: f64 = 4e-3;

/// Returns pseudo-random values from −1 to 1, evenly distributed by a multiplicative hash.
fn values(indices: Range<u32>) -> impl Iterator<Item = f32> {
    indices.map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1u32 << 23) as f32 - 1.0)
}

/// Returns a matrix of these values on the device, in f32 or f16.
pub(super) fn matrix(
    [rows, columns]: [usize; 2],
    dtype: DType,
    device: &Device,
) -> Result<CubeTensor> {
    let count = (rows * columns) as u32;
    // Matrices of different sizes get different values.
    let values = values(count..2 * count);
    let shape = [rows, columns];
    let data = match dtype {
        DType::F16 => TensorData::new(values.map(f16::from_f32).collect(), shape),
        _ => TensorData::new(values.collect::<Vec<f32>>(), shape),
    };
    constant_weight(&Tensor::<2>::from_data(data, (device, dtype))).ok_or_else(unsupported_device)
}

fn unsupported_device() -> Problem {
    Problem::new("this device does not run the program's own kernels")
}

/// A batch of products with its operands on the device.
struct Trial {
    product: Product,
    sizes: [usize; 3],
    batch: usize,
    operands: [CubeTensor; 2],
    device: Device,
    /// Only every `row_step`-th row of the result is compared with the CPU's.
    row_step: usize,
}

impl Trial {
    /// Creates matrices m × k and k × n with values from −1 to 1. `a` and `b` say which of them are stored
    /// transposed; B is f16 if `b_half`.
    fn new(
        [m, k, n]: [usize; 3],
        batch: usize,
        [a, b]: [bool; 2],
        b_half: bool,
        device: &Device,
    ) -> Result<Self> {
        let create_operand = |transposed: bool, [rows, columns]: [usize; 2], dtype: DType| {
            let (shape, layout) = match transposed {
                true => ([columns, rows], MatrixLayout::column_major(rows)),
                false => ([rows, columns], MatrixLayout::row_major(columns)),
            };
            let values = matrix([batch * shape[0], shape[1]], dtype, device)?;
            Ok::<_, Problem>((values, layout.batched(0, rows * columns)))
        };
        let (a, stored_a) = create_operand(a, [m, k], DType::F32)?;
        let dtype = if b_half { DType::F16 } else { DType::F32 };
        let (b, stored_b) = create_operand(b, [k, n], dtype)?;
        // The size that products of this layout read at run time.
        let (rows, depth) = match (batch, stored_a.transposed) {
            (1, false) => (Size::Rows, Size::Fixed(k as u32)),
            (1, true) => (Size::Fixed(m as u32), Size::Rows),
            _ => (Size::Fixed(m as u32), Size::Fixed(k as u32)),
        };
        let product = Product {
            inner: batch as u32,
            out: MatrixLayout::row_major(n).batched(0, if batch > 1 { m * n } else { 0 }),
            b_half,
            ..Product::new([rows, depth], n, [stored_a, stored_b])
        };
        Ok(Self {
            product,
            sizes: [m, k, n],
            batch,
            operands: [a, b],
            device: device.clone(),
            row_step: 1,
        })
    }

    /// Returns the tiles with cooperative matrices that the device has enough threads and shared memory for.
    fn cooperative(&self, fragments: Option<Fragments>) -> Vec<Tiles> {
        let hardware = &self.operands[0].client.properties().hardware;
        let (threads, bytes) = (hardware.max_units_per_cube, hardware.max_shared_memory_size);
        let tiles = fragments.into_iter().flat_map(Tiles::cooperative);
        let fits = |tiles: &Tiles| {
            let needed = product::shared_bytes(&self.product, tiles) as usize;
            tiles.threads() <= threads && needed <= bytes
        };
        tiles.filter(fits).collect()
    }

    fn launch(&self, tiles: Tiles, out: &CubeTensor, extra: EpilogueTensors<'_>) {
        let [m, k, _] = self.sizes;
        let [a, b] = &self.operands;
        launch_with(self.product, tiles, [m, k], self.batch, [a, b, out], extra);
    }

    /// Computes the product and copies it from the device. Values that the kernel does not write are NaN.
    fn compute(&self, tiles: Tiles, extra: EpilogueTensors<'_>) -> Result<HostTensor> {
        let shape = [self.batch * self.sizes[0], self.sizes[2]];
        let out = Tensor::<2>::full(shape, f32::NAN, &self.device);
        let out = constant_weight(&out).ok_or_else(unsupported_device)?;
        self.launch(tiles, &out, extra);
        read(&out)
    }

    /// Returns the time of one launch in seconds.
    fn time(&self, tiles: Tiles) -> Result<f64> {
        let out = empty(&self.operands[0], &[self.batch * self.sizes[0], self.sizes[2]]);
        shortest_time(&out, || self.launch(tiles, &out, EpilogueTensors::default()))
    }

    /// Computes the rows for the comparison in f64 on the CPU.
    fn expected(&self) -> Result<HostTensor> {
        let [m, k, n] = self.sizes;
        let [a, b] = &self.operands;
        let [a, b] = [read(a)?.values, read(b)?.values];
        let element_index = |layout: MatrixLayout, z: usize, row: usize, column: usize| {
            let (line, offset) = match layout.transposed {
                true => (column, row),
                false => (row, column),
            };
            z * layout.inner as usize + line * layout.lead as usize + offset
        };
        let mut values = Vec::new();
        for (z, i) in (0..self.batch * m).step_by(self.row_step).map(|row| (row / m, row % m)) {
            for j in 0..n {
                let product = |l: usize| {
                    let x = a[element_index(self.product.a, z, i, l)];
                    let y = b[element_index(self.product.b, z, l, j)];
                    f64::from(x) * f64::from(y)
                };
                values.push((0..k).map(product).sum::<f64>() as f32);
            }
        }
        Ok(HostTensor { shape: vec![values.len() / n, n], values })
    }

    /// Compares the result with these rows and returns the error.
    ///
    /// # Errors
    /// Returns a Problem that names the tiles if the error is too large.
    fn check(&self, tiles: Tiles, expected: &HostTensor) -> Result<f64> {
        let values = self.compute(tiles, EpilogueTensors::default())?.values;
        let rows = values.chunks(self.sizes[2]).step_by(self.row_step);
        let found =
            HostTensor { shape: expected.shape.clone(), values: rows.flatten().copied().collect() };
        self.check_error(tiles, found.relative_error(expected))
    }

    /// Returns the error, unless it is too large.
    ///
    /// # Errors
    /// Returns a Problem that names the tiles if the error is too large.
    fn check_error(&self, tiles: Tiles, error: f64) -> Result<f64> {
        let tolerance = match self.product.rounded {
            true => ROUNDED_TOLERANCE,
            false => TOLERANCE,
        };
        match error <= tolerance {
            true => Ok(error),
            false => Err(Problem::new(format!(
                "a product with tiles {} is off by {error:.1e} of its largest value",
                tiles.name()
            ))),
        }
    }
}

/// Returns the time in seconds of a launch that writes to the matrix `out`: the shortest of several measurements within
/// `TIME_LIMIT`. After the first, each measures ten launches.
pub(super) fn shortest_time(out: &CubeTensor, launch: impl Fn()) -> Result<f64> {
    const TIME_LIMIT: Duration = Duration::from_millis(30);
    // Waits until the device has finished all launches.
    let wait = || {
        let out = Tensor::<2>::from_primitive::<Cube>(out.clone());
        HostTensor::read(&out.slice([0..1, 0..1]))
    };
    // The first launch compiles the kernel.
    launch();
    wait()?;
    let mut launches = 1;
    let mut best = f64::INFINITY;
    let loop_start = Instant::now();
    loop {
        let start = Instant::now();
        for _ in 0..launches {
            launch();
        }
        wait()?;
        let time = start.elapsed().as_secs_f64() / f64::from(launches);
        best = best.min(time);
        if loop_start.elapsed() > TIME_LIMIT {
            return Ok(best);
        }
        launches = 10;
    }
}

/// Copies a matrix from its device, after waiting for the device.
fn read(matrix: &CubeTensor) -> Result<HostTensor> {
    let matrix = Tensor::<2>::from_primitive::<Cube>(matrix.clone());
    HostTensor::read(&matrix.cast(burn::tensor::FloatDType::F32))
}

/// Computes products of odd sizes with all tiles of ordinary arithmetic and all layouts; returns the largest relative
/// error.
///
/// # Errors
/// Returns a Problem that names the tiles whose product is wrong.
pub fn check_tiles(device: &Device) -> Result<f64> {
    const SIZES: [usize; 3] = [150, 70, 137];
    let mut worst = 0f64;
    for transposed in [[false, false], [false, true], [true, false], [true, true]] {
        let trial = Trial::new(SIZES, 2, transposed, false, device)?;
        let expected = trial.expected()?;
        for tiles in Tiles::ALL {
            worst = worst.max(trial.check(tiles, &expected)?);
        }
    }
    Ok(worst)
}

/// Computes products with all tiles of these cooperative matrices; returns the largest relative error of those that
/// do not round their operands.
///
/// # Errors
/// Returns a Problem that names the tiles whose product is wrong.
pub fn check_cooperative(fragments: Fragments, device: &Device) -> Result<f64> {
    let mut worst = 0f64;
    for tiles in Tiles::cooperative(fragments) {
        worst = worst.max(check_tile(tiles, false, device)?);
        check_tile(tiles, true, device)?;
    }
    Ok(worst)
}

/// Compares several products (odd sizes, epilogues, gradients, an f16 matrix) with those of ordinary arithmetic;
/// returns the largest relative error.
///
/// # Errors
/// Returns a Problem that names the tiles whose product is wrong.
fn check_tile(tiles: Tiles, rounded: bool, device: &Device) -> Result<f64> {
    let mut worst = 0f64;
    let cases = [
        ([133, 70, 72], [false, false], false, NO_GRADIENT, Activation::Gelu),
        ([133, 70, 137], [false, true], false, LEFT_GRADIENT, Activation::GeluGradient),
        ([200, 97, 64], [true, false], false, RIGHT_GRADIENT, Activation::Identity),
        ([133, 64, 72], [false, true], true, LEFT_GRADIENT, Activation::Identity),
    ];
    for (sizes, transposed, b_half, gradients, activation) in cases {
        let mut trial = Trial::new(sizes, 1, transposed, b_half, device)?;
        trial.product.rounded = rounded;
        trial.product.gradients = gradients;
        let [m, _, n] = sizes;
        let bias = matrix([1, n], DType::F32, device)?;
        let residual = matrix([m, n], DType::F32, device)?;
        let result = |tiles: Tiles| {
            // GELU writes this matrix, GELU' reads it.
            let other = matrix([m, n], DType::F32, device)?;
            let extra = match activation {
                Activation::Identity => EpilogueTensors::default(),
                _ => EpilogueTensors {
                    bias: Some(&bias),
                    other: Some((activation, &other)),
                    residual: Some(&residual),
                },
            };
            let out = trial.compute(tiles, extra)?;
            Ok::<_, Problem>([out, read(&other)?])
        };
        let expected = result(Tiles::SMALL)?;
        for (found, expected) in result(tiles)?.iter().zip(&expected) {
            let error = found.relative_error(expected);
            worst = worst.max(trial.check_error(tiles, error)?);
        }
    }
    Ok(worst)
}

/// Number of rows of a result that are compared with the CPU's.
const CHECKED_ROWS: usize = 25;

/// Times all tiles for each class and returns the fastest. Tiles with cooperative matrices must also be correct.
/// Classes that exceed the time limit are skipped.
///
/// # Errors
/// Returns a Problem if the device failed.
pub fn measure_plans(
    device: &Device,
    fragments: Option<Fragments>,
    limit: Duration,
) -> Result<Plans> {
    const WARM_UP: Duration = Duration::from_millis(300);
    let start = Instant::now();
    let mut plans = Plans::default();
    let mut checked = HashMap::new();
    for (class, sizes, batch) in CLASSES {
        let mut trial = Trial::new(sizes, batch, class.transposed_operands(), false, device)?;
        trial.row_step = (batch * sizes[0]).div_ceil(CHECKED_ROWS);
        // An idle GPU has a low clock frequency.
        while start.elapsed() < WARM_UP {
            trial.time(Tiles::SMALL)?;
        }
        let mut times = Vec::new();
        for rounded in [false, true] {
            trial.product.rounded = rounded;
            // Ordinary arithmetic does not round its operands, so it is timed once.
            let ordinary = if rounded { &[][..] } else { &Tiles::ALL };
            for tiles in ordinary.iter().copied().chain(trial.cooperative(fragments)) {
                if start.elapsed() > limit {
                    return Ok(plans);
                }
                let [m, k, n] = sizes;
                let time = trial.time(class.fit_tiles(tiles, [m, n, k]))?;
                let (name, ms) = (tiles.name(), time * 1e3);
                tracing::info!("{class:?}, rounded: {rounded}, tiles {name}: {ms:.3} ms");
                times.push((time, tiles, rounded));
            }
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let expected = fragments.map(|_| trial.expected()).transpose()?;
        for (plans, rounded) in [(&mut plans.f32, false), (&mut plans.f16, true)] {
            trial.product.rounded = rounded;
            let mut is_correct =
                |tiles: Tiles, timed_rounded: bool| match (&expected, tiles.fragments) {
                    (Some(expected), Some(_)) if timed_rounded == rounded => {
                        let general_check = checked.entry((tiles, rounded));
                        let general_result =
                            general_check.or_insert_with(|| check_tile(tiles, rounded, device));
                        let result =
                            general_result.clone().and_then(|_| trial.check(tiles, expected));
                        let result = result.inspect_err(|problem| tracing::warn!("{problem}"));
                        result.is_ok()
                    }
                    (_, fragments) => fragments.is_none(),
                };
            let mut times = times.iter();
            let fastest = times.find(|(_, tiles, timed)| is_correct(*tiles, *timed));
            plans.extend(fastest.map(|(_, tiles, _)| (class, tiles.name())));
        }
    }
    Ok(plans)
}
