//! Stores tensors one after another in one buffer, so that a single launch processes all of them. This suits PETs,
//! whose parameters are dozens of small tensors.

use std::fmt::Write;
use std::ops::Range;

use burn::backend::Cube;
use burn::tensor::Tensor;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::autodiff::constant;
use super::elementwise::{adam_values, blend, momentum_values};
use super::kernel::{
    Bound, Cache, Kernel, VALUE_THREADS, declare, empty, for_each_value, value_grid,
};
use crate::nn::{Adam, Momentum};

/// Each tensor starts at a multiple of this number of values, because buffer bindings must start at multiples of 256
/// bytes.
const ALIGNMENT: usize = 64;

/// Largest number of values in all tensors. For more values, the launches take a small part of the time, and copies
/// would double the memory.
const MAX_VALUES: usize = 4 << 20;

/// Largest number of tensors that one launch copies.
const MAX_PARTS: usize = 30;

/// f32 tensors in one buffer on a GPU, with zeros in the gaps between them.
#[derive(Clone, Debug)]
pub struct Packed {
    buffer: CubeTensor,
    sizes: Vec<usize>,
}

/// Returns the number of values in the buffer for tensors of these sizes, gaps included.
fn total(sizes: &[usize]) -> usize {
    sizes.iter().map(|size| size.next_multiple_of(ALIGNMENT)).sum()
}

impl Packed {
    /// Copies tensors into one buffer. `None` if they are not f32 on a GPU, require a gradient, or have too many
    /// values.
    pub fn new(parts: &[Tensor<1>]) -> Option<Self> {
        let parts = parts.iter().map(|part| constant(part).map(into_contiguous));
        let parts = parts.collect::<Option<Vec<_>>>()?;
        let sizes: Vec<usize> = parts.iter().map(|part| part.meta.shape()[0]).collect();
        let like = parts.first().filter(|_| total(&sizes) <= MAX_VALUES)?;
        let buffer = empty(like, &[total(&sizes)]);
        let packed = Self { buffer, sizes };
        packed.copy_from(&parts);
        Some(packed)
    }

    /// Copies tensors of the same sizes into the buffer. `None` if they are not f32 on a GPU or require a gradient.
    pub fn fill(&self, parts: &[Tensor<1>]) -> Option<()> {
        let parts = parts.iter().map(|part| constant(part).map(into_contiguous));
        self.copy_from(&parts.collect::<Option<Vec<_>>>()?);
        Some(())
    }

    fn copy_from(&self, parts: &[CubeTensor]) {
        // One binding is used for the result.
        let bindings = self.buffer.client.properties().hardware.max_bindings as usize;
        let max_parts = MAX_PARTS.min(bindings.saturating_sub(1)).max(1);
        let mut start = 0;
        for (parts, sizes) in parts.chunks(max_parts).zip(self.sizes.chunks(max_parts)) {
            copy(parts, sizes, &self.buffer, start);
            start += total(sizes);
        }
    }

    /// Returns whether [`Packed::new`] accepts a tensor, apart from the number of values.
    pub fn accepts(part: &Tensor<1>) -> bool {
        constant(part).is_some()
    }

    /// Returns uninitialised tensors of the same sizes.
    pub fn empty(&self) -> Self {
        self.with_buffer(empty(&self.buffer, self.buffer.meta.shape()))
    }

    /// Returns all values as one tensor, including the gaps.
    pub fn values(&self) -> Tensor<1> {
        Tensor::from_primitive::<Cube>(self.buffer.clone())
    }

    /// Returns a range of the tensors, without a copy.
    pub fn range(&self, range: Range<usize>) -> Self {
        let start = total(&self.sizes[..range.start]);
        let sizes = self.sizes[range].to_vec();
        let buffer = self.view(start, total(&sizes));
        Self { buffer, sizes }
    }

    /// Returns the tensors, without copies.
    pub fn parts(&self) -> impl Iterator<Item = Tensor<1>> {
        let parts = self.sizes.iter().scan(0, |start, size| {
            let view = self.view(*start, *size);
            *start += total(&[*size]);
            Some(view)
        });
        parts.map(Tensor::from_primitive::<Cube>)
    }

    /// Performs [`Adam::step`] on all values; writes the new values to `self` and returns the moments.
    pub fn adam_step(
        &self,
        rule: Adam,
        [value, gradient]: [&Self; 2],
        factor: Option<&Tensor<1>>,
        previous: Option<&[Self; 2]>,
    ) -> [Self; 2] {
        let previous =
            previous.map(|moments| moments.each_ref().map(|moment| moment.buffer.clone()));
        let inputs = [&value.buffer, &gradient.buffer];
        adam_values(rule, inputs, factor, previous.as_ref(), &self.buffer)
            .map(|buffer| self.with_buffer(buffer))
    }

    /// Performs [`Momentum::step`] on all values; writes the new values to `self` and returns the change.
    pub fn momentum_step(
        &self,
        rule: Momentum,
        [value, gradient]: [&Self; 2],
        factor: Option<&Tensor<1>>,
        previous: Option<&Self>,
    ) -> Self {
        let previous = previous.map(|previous| &previous.buffer);
        let inputs = [&value.buffer, &gradient.buffer];
        self.with_buffer(momentum_values(rule, inputs, factor, previous, &self.buffer))
    }

    /// Returns `self · share + new · (1 − share)`.
    pub fn blend(&self, new: &Self, share: f64) -> Self {
        self.with_buffer(blend(&self.buffer, &new.buffer, share))
    }

    fn with_buffer(&self, buffer: CubeTensor) -> Self {
        let sizes = self.sizes.clone();
        Self { buffer, sizes }
    }

    /// Returns values from `start`, a multiple of [`ALIGNMENT`], without a copy.
    fn view(&self, start: usize, count: usize) -> CubeTensor {
        let bytes = |values: usize| (values * size_of::<f32>()) as u64;
        let remaining = self.buffer.meta.shape()[0] - start - count;
        let handle = self.buffer.handle.clone();
        CubeTensor::new_contiguous(
            self.buffer.client.clone(),
            self.buffer.device.clone(),
            burn_std::Shape::from(vec![count]),
            handle.offset_start(bytes(start)).offset_end(bytes(remaining)),
            self.buffer.dtype,
        )
    }
}

/// Copies tensors of these sizes to `start` of a buffer, with zeros in the gaps.
fn copy(parts: &[CubeTensor], sizes: &[usize], out: &CubeTensor, start: usize) {
    static KERNELS: Cache<(Vec<usize>, usize)> = Cache::new();
    let key = (sizes.to_vec(), start);
    let kernel = KERNELS.get(&key, || {
        Kernel::new("copying of tensors".into(), &text(sizes, start), VALUE_THREADS as u32)
    });
    let buffers = parts.iter().map(Bound::Read);
    let buffers: Vec<_> = buffers.chain([Bound::Write(out)]).collect();
    kernel.launch(value_grid(total(sizes)), &buffers);
}

/// Returns the WGSL text of [`copy`].
fn text(sizes: &[usize], start: usize) -> String {
    let names: Vec<String> = (0..sizes.len()).map(|at| format!("x{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["y"]).collect();
    let mut body = String::new();
    let mut begin = 0;
    for (name, size) in names.iter().zip(sizes) {
        let end = begin + total(&[*size]);
        let _ = write!(
            body,
            "if (i >= {begin}u && i < {end}u) {{
    var value = 0.0;
    if (i < {}u) {{ value = {name}[i - {begin}u]; }}
    y[{start}u + i] = value;
  }}
",
            begin + size,
        );
        begin = end;
    }
    declare(&names, &[]) + &for_each_value(&format!("{begin}u"), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_kernels_are_valid_wgsl() {
        for sizes in [vec![1], vec![64, 65, 3], vec![100; 7]] {
            Kernel::new("copy".into(), &text(&sizes, 128), VALUE_THREADS as u32).validate();
        }
    }
}
