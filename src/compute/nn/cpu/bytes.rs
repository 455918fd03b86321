//! Uses a [`Buffer`] as the memory of a tensor and recycles it when the tensor is dropped.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use burn::tensor::Bytes;
use burn_std::{AccessError, AccessPolicy, AllocationController, AllocationProperty};
use lae_kernels::buffer::Buffer;

/// Returns the buffer as the memory of a tensor.
pub fn into_bytes(buffer: Buffer) -> Bytes {
    let len = size_of_val::<[f32]>(&buffer);
    // SAFETY: the controller owns `len` bytes and all of them are initialised.
    unsafe { Bytes::from_controller(Box::new(Owner(buffer)), len) }
}

/// The owner of a tensor's memory, a [`Buffer`].
struct Owner(Buffer);

impl AllocationController for Owner {
    fn alloc_align(&self) -> usize {
        align_of::<f32>()
    }

    fn property(&self) -> AllocationProperty {
        AllocationProperty::Other
    }

    unsafe fn memory_mut(
        &mut self,
        _policy: AccessPolicy,
    ) -> Result<&mut [MaybeUninit<u8>], AccessError> {
        let values: &mut [f32] = &mut self.0;
        let len = size_of_val(values);
        // SAFETY: the same memory as bytes; the caller promises to write only initialised bytes,
        // and every bit pattern is a valid f32.
        Ok(unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), len) })
    }

    fn memory(&self, _policy: AccessPolicy) -> Result<&[MaybeUninit<u8>], AccessError> {
        let values: &[f32] = &self.0;
        let len = size_of_val(values);
        // SAFETY: the slice covers the same memory, as bytes.
        Ok(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_tensor_memory_is_reused() {
        let len = 123_457;
        let mut buffer = Buffer::new(len);
        buffer.fill(2.0);
        let address = buffer.as_ptr() as usize;
        let bytes = into_bytes(buffer);
        assert_eq!(bytes.len(), len * 4);
        assert_eq!(bytes[..4], 2f32.to_ne_bytes());
        drop(bytes);
        assert_eq!(Buffer::new(len).as_ptr() as usize, address);
    }
}
