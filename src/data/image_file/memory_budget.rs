//! Memory limits shared by all images that are read at the same time, so that large images wait for each other instead
//! of filling the memory with one image per thread. Files and decoded images have separate limits.

use std::sync::{Condvar, Mutex, PoisonError};

use super::decoding_memory::USUALLY_ALLOWED;
use crate::sync::lock;

/// Memory for decoded images and their decoders, in bytes. An image that needs more is decoded alone.
const PIXEL_BUDGET_BYTES: u64 = USUALLY_ALLOWED;
/// Smaller images do not wait, because there is at most one per thread.
const SMALL_IMAGE_BYTES: u64 = 8 << 20;
/// Memory for image files, in bytes. A larger file is read alone.
const FILE_BUDGET_BYTES: u64 = 256 << 20;
/// Smaller files do not wait.
const SMALL_FILE_BYTES: u64 = 1 << 20;

static PIXEL_BUDGET: MemoryBudget = MemoryBudget::new(PIXEL_BUDGET_BYTES);
static FILE_BUDGET: MemoryBudget = MemoryBudget::new(FILE_BUDGET_BYTES);

/// A shared amount of memory.
struct MemoryBudget {
    limit: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

impl MemoryBudget {
    const fn new(limit: u64) -> Self {
        Self { limit, used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until `bytes` bytes are free, or no thread uses any.
    fn reserve(&'static self, bytes: u64) -> MemoryReservation {
        // A poisoned lock is used anyway, because a panic cannot leave the number inconsistent.
        let used = lock(&self.used);
        let is_full = |used: &mut u64| *used > 0 && *used + bytes > self.limit;
        let reserved = self.freed.wait_while(used, is_full);
        *reserved.unwrap_or_else(PoisonError::into_inner) += bytes;
        MemoryReservation { budget: self, bytes }
    }

    fn release(&self, bytes: u64) {
        *lock(&self.used) -= bytes;
        self.freed.notify_all();
    }
}

/// Reserved memory for an image or file; released when dropped.
pub(super) struct MemoryReservation {
    budget: &'static MemoryBudget,
    bytes: u64,
}

impl MemoryReservation {
    /// Releases all but `bytes` bytes, when the decoder no longer needs its memory.
    pub fn shrink_to(&mut self, bytes: u64) {
        let released = self.bytes.saturating_sub(bytes);
        self.bytes -= released;
        self.budget.release(released);
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// Reserves `bytes` bytes for pixels and waits until they are free. A thread that holds some must not reserve more,
/// because it would wait for itself.
pub(super) fn reserve_pixels(bytes: u64) -> Option<MemoryReservation> {
    (bytes > SMALL_IMAGE_BYTES).then(|| PIXEL_BUDGET.reserve(bytes))
}

/// Reserves `bytes` bytes for a file and waits until they are free. A thread that holds some may only call
/// [`reserve_pixels`].
pub(super) fn reserve_file(bytes: u64) -> Option<MemoryReservation> {
    (bytes > SMALL_FILE_BYTES).then(|| FILE_BUDGET.reserve(bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn large_images_share_budget_and_huge_run_alone() {
        let (current, peak) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for number in 0..16u64 {
                let bytes =
                    if number == 7 { 2 * PIXEL_BUDGET_BYTES } else { PIXEL_BUDGET_BYTES / 3 };
                let (current, peak) = (&current, &peak);
                scope.spawn(move || {
                    let _reservation = reserve_pixels(bytes);
                    peak.fetch_max(
                        current.fetch_add(bytes, Ordering::SeqCst) + bytes,
                        Ordering::SeqCst,
                    );
                    std::thread::sleep(std::time::Duration::from_millis(2));
                    current.fetch_sub(bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(peak.load(Ordering::SeqCst), 2 * PIXEL_BUDGET_BYTES);
        assert!(reserve_pixels(1000).is_none() && reserve_file(1000).is_none());
    }
}
