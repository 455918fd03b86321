//! The rotary position embeddings of ViTs: the angles by which a head's channels are rotated at each position of the
//! grid.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};

use burn::tensor::Device;
use serde::Deserialize;

use crate::nn::{Angles, Rotation};
use crate::sync::lock;

/// A kind of rotary position embedding. Half of a head's channels are rotated by the row, half by the column, with
/// frequencies from 1 down to 1 / temperature. Tables and options name the kinds in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rotary {
    /// EVA-02 (and timm's ViTs with `rope_reg`): positions are scaled to a 16 × 16 grid for any input size.
    Eva02,
    /// DINOv3: positions from −1 to 1, temperature 100; the halves of a head are paired.
    DinoV3,
    /// Meta's Perception Encoder: columns before rows, positions from 1 on the grid that it was trained with.
    Pe,
    /// RoPE-ViT: columns before rows, positions from 0, temperature 100.
    Axial,
}

impl Rotary {
    /// Returns the kind that timm's architecture with this name has; `None` if it has none of these.
    pub fn from_timm(architecture: &str) -> Option<Self> {
        let has = |markers: &[&str]| markers.iter().any(|word| architecture.contains(word));
        if has(&["dinov3", "_eupe", "_lingbot"]) {
            Some(Self::DinoV3)
        } else if architecture.starts_with("eva02_") || has(&["_rope_reg"]) {
            Some(Self::Eva02)
        } else if architecture.starts_with("vit_pe_") {
            Some(Self::Pe)
        } else if has(&["_rope_"]) && !has(&["_mixed_"]) {
            Some(Self::Axial)
        } else {
            None
        }
    }

    /// Returns the epsilon of the layer norms in networks of this kind.
    pub fn epsilon(self) -> f64 {
        match self {
            Self::Eva02 | Self::Axial => 1e-6,
            Self::DinoV3 | Self::Pe => 1e-5,
        }
    }

    /// Returns whether channel i of a head is paired with channel i + width / 2; otherwise, neighbours are paired.
    pub fn rotates_half(self) -> bool {
        self == Self::DinoV3
    }

    /// Returns whether the first half of the angles depends on the column.
    pub fn is_column_first(self) -> bool {
        matches!(self, Self::Pe | Self::Axial)
    }

    /// Returns the base of the frequencies: band i has the frequency temperature^(−i / bands).
    fn temperature(self) -> f64 {
        match self {
            Self::Eva02 | Self::Pe => 1e4,
            Self::DinoV3 | Self::Axial => 1e2,
        }
    }

    /// Returns factor and offset of the angle at the frequency 1 as a linear function of the row (or column) index.
    /// `count` is the number of rows, `learned` the side of the grid in training.
    fn scale(self, count: usize, learned: usize) -> [f64; 2] {
        let count = count as f64;
        match self {
            Self::Eva02 => [16.0 / count, 0.0],
            Self::Pe => [learned as f64 / count; 2],
            Self::Axial => [1.0, 0.0],
            Self::DinoV3 => [2.0 * TAU / count, TAU * (1.0 / count - 1.0)],
        }
    }

    /// Returns the angle at the frequency 1 as a Python expression of `at`, and the temperature.
    pub fn formula(self, count: usize, learned: usize) -> (String, f64) {
        let [factor, offset] = self.scale(count, learned);
        (format!("at * {factor:?} + {offset:?}"), self.temperature())
    }

    /// Returns the angles (row-major positions × half of the head's width); `learned` is the side of the grid in
    /// training.
    pub fn angles(self, rows: usize, columns: usize, learned: usize, head_dim: usize) -> Vec<f64> {
        let bands = head_dim / 4;
        let frequency = |band: usize| self.temperature().powf(-(band as f64) / bands as f64);
        let [row_scale, column_scale] = [rows, columns].map(|count| self.scale(count, learned));
        let mut angles = Vec::with_capacity(rows * columns * head_dim / 2);
        for cell in 0..rows * columns {
            let position_angle =
                |cell: usize, [factor, offset]: [f64; 2]| cell as f64 * factor + offset;
            let mut pair = [
                position_angle(cell / columns, row_scale),
                position_angle(cell % columns, column_scale),
            ];
            if self.is_column_first() {
                pair.reverse();
            }
            for angle in pair {
                angles.extend((0..bands).map(|band| angle * frequency(band)));
            }
        }
        angles
    }
}

/// The rotations of a network, which are computed for each grid when it is first used.
pub struct Rotations {
    kind: Rotary,
    learned: usize,
    head_dim: usize,
    device: Device,
    by_grid: Mutex<HashMap<(usize, usize), Arc<Rotation>>>,
}

impl Rotations {
    /// Creates the rotations of a network with heads of this width, trained on a grid with this side.
    pub fn new(kind: Rotary, learned: usize, head_dim: usize, device: &Device) -> Self {
        Self { kind, learned, head_dim, device: device.clone(), by_grid: Mutex::default() }
    }

    /// Returns the rotation of the patches of a grid.
    pub fn for_grid(&self, rows: usize, columns: usize) -> Arc<Rotation> {
        let mut cache = lock(&self.by_grid);
        let rotation = cache.entry((rows, columns)).or_insert_with(|| {
            let angles = self.kind.angles(rows, columns, self.learned, self.head_dim);
            let values = |function: fn(f64) -> f64| {
                angles.iter().map(|angle| function(*angle) as f32).collect()
            };
            let angles = Angles {
                cos: values(f64::cos),
                sin: values(f64::sin),
                pairs: self.head_dim / 2,
                rotate_half: self.kind.rotates_half(),
            };
            Arc::new(Rotation::new(angles, &self.device))
        });
        rotation.clone()
    }
}
