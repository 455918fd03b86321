//! Where a network lies and in which of the few ways it is computed there.
//!
//! On a graphics card there are several right ways, and which is the fastest depends on the card:
//! a [`ComputeVariant`] names one. The CPU device has kernels of its own and knows only the plain one, with weights of f32
//! or of bf16.

use std::fmt;
use std::str::FromStr;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

/// The type of number that frozen matrices are kept as. All other arithmetic is f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightType {
    /// Single precision.
    #[default]
    F32,
    /// Half precision: half the memory.
    F16,
    /// The upper half of f32, on the processor: half the memory, and where it multiplies such numbers itself about twice
    /// the speed. What a frozen matrix is multiplied with is rounded, too; sums are f32.
    Bf16,
}

impl WeightType {
    /// The name people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }
}

/// How softmax attention is computed where no CPU kernel serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AttentionForm {
    /// Operation by operation, each keeping what its gradient needs.
    #[default]
    Decomposed,
    /// One step of the gradient graph: it keeps queries, keys and values, and computes the shares
    /// anew on the way back.
    Fused,
}

impl AttentionForm {
    /// The name in a variant.
    pub fn title(self) -> &'static str {
        match self {
            Self::Decomposed => "decomposed",
            Self::Fused => "fused",
        }
    }
}

/// How pictures travel to a graphics card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Upload {
    /// Normalised by the processor, four bytes a value.
    #[default]
    Floats,
    /// As the bytes they were, normalised by the card.
    Bytes,
}

impl Upload {
    /// The name in a variant.
    pub fn title(self) -> &'static str {
        match self {
            Self::Floats => "floats",
            Self::Bytes => "bytes",
        }
    }
}

/// One of the ways in which a graphics card computes a network. As text `f16-fused-bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ComputeVariant {
    /// The type of the frozen matrices; vectors and small kernels are f32.
    pub weights: WeightType,
    /// How attention is computed.
    pub attention: AttentionForm,
    /// How pictures travel.
    pub upload: Upload,
}

impl ComputeVariant {
    /// What every device computes: f32, decomposed, floats.
    pub const PLAIN: Self = Self {
        weights: WeightType::F32,
        attention: AttentionForm::Decomposed,
        upload: Upload::Floats,
    };

    /// All of them, the plain one first; those without another attention where a network has none.
    pub fn all(attends: bool) -> Vec<Self> {
        let forms = [AttentionForm::Decomposed, AttentionForm::Fused];
        let forms = &forms[..if attends { 2 } else { 1 }];
        let mut all = Vec::new();
        for weights in [WeightType::F32, WeightType::F16] {
            for attention in forms.iter().copied() {
                for upload in [Upload::Floats, Upload::Bytes] {
                    all.push(Self {
                        weights,
                        attention,
                        upload,
                    });
                }
            }
        }
        all
    }

    /// The same with matrices of this type.
    #[must_use]
    pub fn with_weights(self, weights: WeightType) -> Self {
        Self { weights, ..self }
    }

    /// In words: "f16 weights, fused attention, pictures as bytes".
    pub fn words(self) -> String {
        format!(
            "{} weights, {} attention, pictures as {}",
            self.weights.title(),
            self.attention.title(),
            self.upload.title()
        )
    }
}

impl From<WeightType> for ComputeVariant {
    fn from(weights: WeightType) -> Self {
        Self::PLAIN.with_weights(weights)
    }
}

impl fmt::Display for ComputeVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (weights, attention) = (self.weights.title(), self.attention.title());
        write!(f, "{weights}-{attention}-{}", self.upload.title())
    }
}

impl From<ComputeVariant> for String {
    fn from(variant: ComputeVariant) -> Self {
        variant.to_string()
    }
}

impl FromStr for ComputeVariant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "plain" {
            return Ok(Self::PLAIN);
        }
        let all = Self::all(true);
        let known = all.iter().find(|variant| variant.to_string() == text);
        known.copied().ok_or_else(|| {
            let names: Vec<String> = all.iter().map(ToString::to_string).collect();
            format!(
                "\"{text}\" names no variant; there are {}",
                names.join(", ")
            )
        })
    }
}

impl TryFrom<String> for ComputeVariant {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Where a network's weights are kept, and how it is computed there.
#[derive(Clone, Debug)]
pub struct Place {
    /// The plain device.
    pub device: Device,
    /// The way it is computed.
    pub variant: ComputeVariant,
}

impl From<&Device> for Place {
    fn from(device: &Device) -> Self {
        (device, ComputeVariant::PLAIN).into()
    }
}

impl From<(&Device, WeightType)> for Place {
    fn from((device, weights): (&Device, WeightType)) -> Self {
        (device, ComputeVariant::from(weights)).into()
    }
}

impl From<(&Device, ComputeVariant)> for Place {
    fn from((device, variant): (&Device, ComputeVariant)) -> Self {
        let device = device.clone();
        Self { device, variant }
    }
}

/// The heads of an attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttentionHeads {
    /// How many.
    pub count: usize,
    /// How they are computed where no CPU kernel serves.
    pub form: AttentionForm,
}

impl From<usize> for AttentionHeads {
    fn from(count: usize) -> Self {
        let form = AttentionForm::Decomposed;
        Self { count, form }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_its_text_and_back() {
        let all = ComputeVariant::all(true);
        assert_eq!((all.len(), all[0]), (8, ComputeVariant::PLAIN));
        for variant in all {
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
        assert_eq!("plain".parse(), Ok(ComputeVariant::PLAIN));
        let wrong = "f64-fused-bytes".parse::<ComputeVariant>().unwrap_err();
        assert!(wrong.contains("f16-fused-bytes"), "{wrong}");
        let without = ComputeVariant::all(false);
        assert_eq!(without.len(), 4);
        assert!(
            without
                .iter()
                .all(|v| v.attention == AttentionForm::Decomposed)
        );
    }
}
