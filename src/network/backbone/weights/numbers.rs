//! Conversion of stored element types to `f32`.

use half::{bf16, f16};

/// A float type of a weight file, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    /// 64 bits, rounded to 32.
    F64,
    /// 32 bits.
    F32,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
}

impl FloatKind {
    /// Returns the number of bytes of a value.
    pub fn size(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Converts bytes to values; an incomplete value at the end is dropped.
    pub fn decode(self, bytes: &[u8]) -> Vec<f32> {
        match self {
            Self::F64 => each(bytes, |b| f64::from_le_bytes(b) as f32),
            Self::F32 => each(bytes, f32::from_le_bytes),
            Self::F16 => each(bytes, |b| f16::from_le_bytes(b).to_f32()),
            Self::Bf16 => each(bytes, |b| bf16::from_le_bytes(b).to_f32()),
        }
    }
}

fn each<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|chunk| number(*chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_decode_to_the_same_number() {
        assert_eq!(FloatKind::F64.decode(&1.5_f64.to_le_bytes()), [1.5]);
        assert_eq!(FloatKind::F32.decode(&1.5_f32.to_le_bytes()), [1.5]);
        assert_eq!(
            FloatKind::F16.decode(&f16::from_f32(1.5).to_le_bytes()),
            [1.5]
        );
        assert_eq!(
            FloatKind::Bf16.decode(&bf16::from_f32(1.5).to_le_bytes()),
            [1.5]
        );
    }
}
