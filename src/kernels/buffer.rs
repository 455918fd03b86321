//! Memory for results, saved activations and scratch, which is recycled instead of returned to the system.
//!
//! Training requests the same sizes in every step. The kernel must clear new memory page by page, which takes a fifth
//! of the time of a training step. Recycled memory is not cleared, because it is overwritten anyway. A dropped
//! [`Buffer`] returns its memory to the pool.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One cache line. Buffers consist of lines, so that they are aligned to one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; LINE]);

const LINE: usize = 16;

/// Idle buffers are freed after this number of other requests.
const MAX_IDLE_REQUESTS: u64 = 1 << 15;

/// Smaller buffers, in lines, are left to the allocator.
const MIN_POOLED_LINES: usize = 64;

#[derive(Default)]
struct Pool {
    /// Idle memory by its length in lines, with the value of `clock` when it was returned.
    idle: HashMap<usize, Vec<(u64, Vec<Line>)>>,
    clock: u64,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

thread_local! {
    static THREAD_CACHE: Cell<Option<Buffer>> = const { Cell::new(None) };
}

fn pool() -> MutexGuard<'static, Option<Pool>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn take(&mut self, lines: usize) -> Option<Vec<Line>> {
        self.clock += 1;
        let expiry = self.clock.saturating_sub(MAX_IDLE_REQUESTS);
        if self.clock.is_multiple_of(MAX_IDLE_REQUESTS / 4) {
            self.idle.retain(|_, stack| {
                stack.retain(|(time, _)| *time > expiry);
                !stack.is_empty()
            });
        }
        self.idle.get_mut(&lines)?.pop().map(|(_, memory)| memory)
    }

    fn put(&mut self, memory: Vec<Line>) {
        let time = self.clock;
        self.idle.entry(memory.len()).or_default().push((time, memory));
    }
}

/// Frees the idle memory; useful after a run.
pub fn release() {
    let idle = pool().take();
    drop(idle);
}

/// `f32` values that start on a cache line. The values of a new buffer are arbitrary but initialised.
pub struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// Returns a buffer of `len` arbitrary values.
    pub fn new(len: usize) -> Self {
        let lines = len.div_ceil(LINE);
        let recycled = if lines < MIN_POOLED_LINES {
            None
        } else {
            pool().get_or_insert_default().take(lines)
        };
        let lines = recycled.unwrap_or_else(|| vec![Line([0.0; LINE]); lines]);
        Self { lines, len }
    }

    /// Returns the buffer kept by this thread, or a new one, with at least `len` arbitrary values. This avoids the
    /// lock of the pool, which takes longer than a small product.
    pub(crate) fn reuse_or_new(len: usize) -> Self {
        let cached = THREAD_CACHE.take().filter(|cached| cached.len >= len);
        cached.unwrap_or_else(|| Self::new(len))
    }

    /// Keeps the buffer for this thread.
    pub(crate) fn recycle(self) {
        THREAD_CACHE.set(Some(self));
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.lines.len() >= MIN_POOLED_LINES {
            let lines = std::mem::take(&mut self.lines);
            pool().get_or_insert_default().put(lines);
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `lines` contains at least `len` initialised, contiguous values.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_buffer_is_aligned_to_cache_line() {
        for len in [0, 1, 15, 16, 17, 5000] {
            let buffer = Buffer::new(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
        }
    }

    #[test]
    fn recycled_buffers_are_reused_per_thread() {
        let buffer = Buffer::reuse_or_new(5000);
        let address = buffer.as_ptr() as usize;
        buffer.recycle();
        let other = std::thread::spawn(|| Buffer::reuse_or_new(5000).as_ptr() as usize).join();
        assert!(other.is_ok_and(|other| other != address));
        let reused = Buffer::reuse_or_new(4000);
        assert_eq!((reused.as_ptr() as usize, reused.len()), (address, 5000));
        reused.recycle();
        assert_eq!(Buffer::reuse_or_new(6000).len(), 6000);
    }

    #[test]
    fn dropped_buffer_memory_is_reused() {
        let len = 234_567;
        let mut buffer = Buffer::new(len);
        buffer.fill(2.0);
        let address = buffer.as_ptr() as usize;
        drop(buffer);
        assert_eq!(Buffer::new(len).as_ptr() as usize, address);
    }
}
