//! The device of a network, and the number format of its frozen matrices.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

/// The number format of frozen matrices. Apart from them, all values are f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WeightType {
    /// Single precision.
    #[default]
    F32,
    /// Half precision: half the memory.
    F16,
    /// bfloat16, on the CPU: half the memory, and about twice the speed if the CPU has instructions for it. The
    /// inputs of frozen matrices are rounded, too; sums are f32.
    Bf16,
}

impl WeightType {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }
}

impl From<WeightType> for String {
    fn from(weights: WeightType) -> Self {
        weights.title().into()
    }
}

impl TryFrom<String> for WeightType {
    type Error = String;

    /// Parses the name. Older versions appended the kernel variant of the GPU: `f16-fused-bytes`.
    fn try_from(text: String) -> Result<Self, String> {
        let (title, _) = text.split_once('-').unwrap_or((&text, ""));
        let all = [Self::F32, Self::F16, Self::Bf16];
        let found = all.into_iter().find(|weights| weights.title() == title);
        found.ok_or_else(|| format!("`{text}` is not a number format (f32, f16 or bf16)"))
    }
}

/// The device of a network's weights, and their number format.
#[derive(Clone, Debug)]
pub struct WeightPlacement {
    /// The device, without autodiff.
    pub device: Device,
    /// Number format of the frozen matrices; vectors and small kernels are f32.
    pub weights: WeightType,
}

impl From<&Device> for WeightPlacement {
    fn from(device: &Device) -> Self {
        (device, WeightType::F32).into()
    }
}

impl From<(&Device, WeightType)> for WeightPlacement {
    fn from((device, weights): (&Device, WeightType)) -> Self {
        let device = device.clone();
        Self { device, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_weight_types_of_old_and_new_versions() {
        for (text, weights) in [
            ("f32", WeightType::F32),
            ("f32-decomposed-floats", WeightType::F32),
            ("f16-fused-bytes", WeightType::F16),
            ("bf16", WeightType::Bf16),
        ] {
            assert_eq!(WeightType::try_from(text.to_string()), Ok(weights));
        }
        let wrong = WeightType::try_from("f64".to_string()).unwrap_err();
        assert!(wrong.contains("f64"), "{wrong}");
    }
}
