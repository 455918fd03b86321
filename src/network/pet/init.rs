//! Initial values of parameters, drawn on the host so that they are the same on all devices.

use burn::tensor::{Device, Tensor, TensorData};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

use crate::message;
use crate::texts::Message;

/// The initialisation of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// Uniform in ±1/√fan_in, as PyTorch initialises `Linear` (Kaiming with a = √5); fan_in is the number of rows, for
    /// a matrix used as `x @ w`.
    KaimingUniform,
    /// Uniform in ±√(6 / (rows + columns)) (Glorot and Bengio).
    XavierUniform,
    /// The same value everywhere.
    Constant(f64),
    /// Uniform between the two bounds.
    Uniform(f64, f64),
    /// Normal around 0 with this standard deviation.
    Normal(f64),
}

/// Forms of initialisations for messages and the documentation.
pub const INITS: &[&str] = &[
    "zeros",
    "ones",
    "constant(x)",
    "uniform(low, high)",
    "normal(std)",
    "kaiming_uniform",
    "xavier_uniform",
];

impl Init {
    /// Parses "zeros", "uniform(0, 0.01)" and so on; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, Message> {
        let text = text.trim();
        let (name, arguments) = match text.split_once('(') {
            Some((name, rest)) => (
                name.trim(),
                rest.strip_suffix(')')
                    .ok_or_else(|| message!("problem-init-parenthesis-missing", text))?,
            ),
            None => (text, ""),
        };
        let numbers: Vec<f64> = arguments
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let number = part.parse::<f64>().ok();
                // Parameters are f32, whose range is smaller than that of f64.
                let number = number.filter(|x| (*x as f32).is_finite());
                number.ok_or_else(|| message!("problem-init-not-a-number", part, text))
            })
            .collect::<Result<_, _>>()?;
        match (name, numbers.as_slice()) {
            ("zeros", []) => Ok(Self::Constant(0.0)),
            ("ones", []) => Ok(Self::Constant(1.0)),
            ("constant", [value]) => Ok(Self::Constant(*value)),
            ("uniform", [low, high]) if low <= high => Ok(Self::Uniform(*low, *high)),
            ("normal", [std]) if *std >= 0.0 => Ok(Self::Normal(*std)),
            ("kaiming_uniform", []) => Ok(Self::KaimingUniform),
            ("xavier_uniform", []) => Ok(Self::XavierUniform),
            _ => Err(message!("problem-init-invalid", text)),
        }
    }

    /// Returns the initialisation as written in a plugin.
    pub fn display_text(&self) -> String {
        match self {
            Self::Constant(0.0) => "zeros".to_owned(),
            Self::Constant(1.0) => "ones".to_owned(),
            Self::Constant(value) => format!("constant({value})"),
            Self::Uniform(low, high) => format!("uniform({low}, {high})"),
            Self::Normal(std) => format!("normal({std})"),
            Self::KaimingUniform => "kaiming_uniform".to_owned(),
            Self::XavierUniform => "xavier_uniform".to_owned(),
        }
    }

    /// Draws rows × columns values in row-major order. `stream` distinguishes parameters with the same seed, so that
    /// the values of one do not depend on which others exist.
    pub fn draw(&self, [rows, columns]: [usize; 2], seed: u64, stream: u64) -> Vec<f32> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        let mut unit = move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut next: Box<dyn FnMut() -> f64> = match *self {
            Self::Constant(value) => Box::new(move || value),
            Self::Uniform(low, high) => Box::new(move || low + (high - low) * unit()),
            Self::KaimingUniform => {
                let bound = 1.0 / (rows as f64).sqrt();
                Box::new(move || bound * (2.0 * unit() - 1.0))
            }
            Self::XavierUniform => {
                let bound = (6.0 / (rows + columns) as f64).sqrt();
                Box::new(move || bound * (2.0 * unit() - 1.0))
            }
            Self::Normal(std) => Box::new(move || std * standard_normal(&mut unit)),
        };
        (0..rows * columns).map(|_| next() as f32).collect()
    }

    /// Draws a matrix as [`Init::draw`] and copies it to a device.
    pub fn draw_tensor(
        &self,
        shape: [usize; 2],
        seed: u64,
        stream: u64,
        device: &Device,
    ) -> Tensor<2> {
        Tensor::from_data(TensorData::new(self.draw(shape, seed, stream), shape), device)
    }
}

/// Draws from N(0, 1) with the Box-Muller transform, from two values of `unit`, which are uniform in [0, 1).
pub fn standard_normal(unit: &mut impl FnMut() -> f64) -> f64 {
    // 1 − u is in (0, 1], so the logarithm is finite.
    let radius = (-2.0 * (1.0 - unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_only_on_seed_and_stream() {
        let draw = |seed, stream| Init::Normal(1.0).draw([4, 5], seed, stream);
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(2, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
    }

    #[test]
    fn draws_have_expected_mean_and_spread() {
        let spread = |init: Init| {
            let values = init.draw([100, 400], 7, 0);
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f32>();
            let largest = values.iter().fold(0f32, |max, x| max.max(x.abs()));
            (mean, (square / values.len() as f32).sqrt(), largest)
        };
        let (mean, std, _) = spread(Init::Normal(0.5));
        assert!(mean.abs() < 0.01 && (std - 0.5).abs() < 0.01);
        let (mean, std, largest) = spread(Init::KaimingUniform);
        assert!(mean.abs() < 0.001 && (std - 0.1 / 3f32.sqrt()).abs() < 0.001);
        assert!(largest <= 0.1 && largest > 0.099);
        let (mean, ..) = spread(Init::Uniform(0.0, 0.01));
        assert!((mean - 0.005).abs() < 1e-4);
    }

    #[test]
    fn parses_shown_text_and_rejects_invalid_text() {
        for text in ["zeros", "ones", "constant(0.1)", "uniform(0, 0.01)"] {
            assert_eq!(Init::parse(text).unwrap().display_text(), text);
        }
        for text in ["zero", "uniform(1)", "normal(x)", "uniform(0, 1", "normal(-1)"] {
            assert!(Init::parse(text).is_err(), "{text}");
        }
    }
}
