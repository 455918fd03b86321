//! Conversion of stored element types to `f32`.

use half::{bf16, f16};
use safetensors::tensor::Dtype;

/// Returns whether tensors of this type are read. Integers are counters and index buffers, not weights.
pub fn is_float(kind: Dtype) -> bool {
    matches!(kind, Dtype::F64 | Dtype::F32 | Dtype::F16 | Dtype::BF16)
}

/// Converts the little-endian bytes of floats to values; an incomplete value at the end is dropped.
pub fn decode(kind: Dtype, bytes: &[u8]) -> Vec<f32> {
    match kind {
        Dtype::F64 => decode_chunks(bytes, |b| f64::from_le_bytes(b) as f32),
        Dtype::F32 => decode_chunks(bytes, f32::from_le_bytes),
        Dtype::F16 => decode_chunks(bytes, |b| f16::from_le_bytes(b).to_f32()),
        Dtype::BF16 => decode_chunks(bytes, |b| bf16::from_le_bytes(b).to_f32()),
        _ => Vec::new(),
    }
}

fn decode_chunks<const N: usize>(bytes: &[u8], convert: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|chunk| convert(*chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_all_float_types() {
        assert_eq!(decode(Dtype::F64, &1.5_f64.to_le_bytes()), [1.5]);
        assert_eq!(decode(Dtype::F32, &1.5_f32.to_le_bytes()), [1.5]);
        let [half, brain] = [f16::from_f32(1.5).to_le_bytes(), bf16::from_f32(1.5).to_le_bytes()];
        assert_eq!(decode(Dtype::F16, &half), [1.5]);
        assert_eq!(decode(Dtype::BF16, &brain), [1.5]);
    }
}
